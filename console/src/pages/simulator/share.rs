//! A check as a link, without the token; and what a link came with.

use leptos::prelude::*;

use super::Bench;
use crate::dom;
use crate::state::address;
use crate::state::simulator::share::{LONGEST, Opened, link, open};
use crate::ui::{CopyBlock, Note, NoteKind};

/// What a link came with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Came {
    /// A check, which was entered.
    Check,
    /// Nothing that can be read.
    Unreadable,
}

/// Takes what the address brings, and takes it out of the address.
pub(super) fn arrive(bench: Bench) -> Option<Came> {
    let opened = open(&dom::fragment())?;
    dom::replace_address(address::SIMULATOR);
    match opened {
        Opened::Check(inputs) => {
            bench.inputs.set(*inputs);
            Some(Came::Check)
        }
        Opened::Unreadable => Some(Came::Unreadable),
    }
}

/// The notice of a link.
#[component]
pub(super) fn Arrived(arrived: Came) -> impl IntoView {
    match arrived {
        Came::Check => view! {
            <Note kind=NoteKind::Info title="A check from a link" level=2>
                <p>"The user, the groups by name and the question came with it. Left out are the token, its other claims and its expiry, the user-info document, keys, and changes that were tried. It is decided on the policy that is read here."</p>
            </Note>
        }
        .into_any(),
        Came::Unreadable => view! {
            <Note kind=NoteKind::Warn title="The link could not be read" level=2>
                <p>"It may have been cut off on its way. Ask for it again."</p>
            </Note>
        }
        .into_any(),
    }
}

/// The part.
#[component]
pub(super) fn Share(bench: Bench) -> impl IntoView {
    let (identity, asked) = (bench.identity(), bench.asked());
    let made = Memo::new(move |_| Some(format!("{}{}", dom::origin(), link(&*identity.get()?, &asked.get()?))));
    let text = Signal::derive(move || made.get().unwrap_or_default());
    view! {
        {move || match made.with(|made| made.as_ref().map(String::len)) {
            None => view! { <p class="quiet">"Name somebody and complete the check first."</p> }.into_any(),
            Some(length) if length > LONGEST => view! {
                <p class="quiet">"This person has too many groups for a link. Save the check as a test, and send the file."</p>
            }
            .into_any(),
            Some(_) => view! {
                <CopyBlock text=text what="the link" />
                <p class="help">"In it are the user, the groups by name and the question, after the #, which no browser sends. The token is not."</p>
            }
            .into_any(),
        }}
    }
}
