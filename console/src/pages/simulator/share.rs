//! A check as a link or file without the token, and the notice of an opened link.

use gbac_console_model::address;
use gbac_console_model::simulator::share::{LONGEST, Opened, file, link, open, open_file};
use gbac_words::rich_text::RichText;
use leptos::prelude::*;
use leptos::task::spawn_local;

use super::state::SimulatorState;
use crate::dom::{self, GivenFile};
use crate::pages::rich_text::sentence;
use crate::ui::{Button, CopyBlock, Message, MessageKind, Mono, Note, NoteKind};

/// What a link came with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Came {
    /// A check, which was entered.
    Check,
    /// Nothing that can be read.
    Unreadable,
}

/// Takes what the address brings, and takes it out of the address.
pub(super) fn arrive(state: SimulatorState) -> Option<Came> {
    let opened = open(&dom::fragment())?;
    dom::replace_address(address::SIMULATOR);
    match opened {
        Opened::Check(inputs) => {
            state.inputs.set(*inputs);
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
                <p>"It contains the user, groups and request, without the token or its expiry. It is evaluated with this policy."</p>
            </Note>
        }
        .into_any(),
        Came::Unreadable => view! {
            <Note kind=NoteKind::Warn title="The link could not be read" level=2>
                <p>"It may be incomplete. Copy it again."</p>
            </Note>
        }
        .into_any(),
    }
}

/// The largest file that is read, in bytes.
const LARGEST: f64 = 1_000_000.0;

/// The part.
#[component]
pub(super) fn Share(state: SimulatorState) -> impl IntoView {
    let (identity, access) = (state.identity(), state.access());
    let made = Memo::new(move |_| {
        Some(format!(
            "{}{}",
            dom::origin(),
            link(&*identity.get()?, &access.get()?)
        ))
    });
    let text = Signal::derive(move || made.get().unwrap_or_default());
    let refused = RwSignal::new(None::<RichText>);
    let save = move |()| {
        let (Some(identity), Some(access)) = (identity.get_untracked(), access.get_untracked())
        else {
            return;
        };
        let (name, text) = file(&identity, &access);
        match dom::save_file(&name, "application/json", &text) {
            Ok(()) => dom::announce(&format!("Saved as {name}. No token is in it.")),
            Err(reason) => dom::announce_error(&format!("Not saved: {reason}")),
        }
    };
    let take = move |given: GivenFile| {
        refused.set(None);
        let name = given.name();
        if given.size() > LARGEST {
            refused.set(Some(
                format!("{name} is larger than 1 MB. A saved check is smaller.").into(),
            ));
            return;
        }
        spawn_local(async move {
            match given
                .text()
                .await
                .map_err(RichText::from)
                .and_then(|text| open_file(&text))
            {
                Ok(inputs) => {
                    let _ = state.inputs.try_set(inputs);
                    dom::announce(&format!(
                        "{name} was read. It is evaluated with this policy."
                    ));
                }
                Err(words) => {
                    let _ = refused.try_set(Some(
                        RichText::from(format!("{name} was not read: ")).then(words),
                    ));
                }
            }
        });
    };
    view! {
        {move || match made.with(|made| made.as_ref().map(String::len)) {
            None => view! { <p class="quiet">"Enter a user and complete the check first."</p> }.into_any(),
            Some(length) if length > LONGEST => view! {
                <p class="quiet">"This user has too many groups for a link. Save the check as a file."</p>
            }
            .into_any(),
            Some(_) => view! {
                <CopyBlock text=text what="the link" />
                <p class="help">"The link contains the user, groups and request after the #, which browsers do not send. It does not contain the token."</p>
            }
            .into_any(),
        }}
        <div class="row">
            <Button disabled=Signal::derive(move || made.with(Option::is_none)) on_press=save>"Save as a file"</Button>
            <input class="sr" id="check-file" type="file" tabindex="-1" aria-hidden="true" on:change=move |_| {
                if let Some(given) = GivenFile::chosen("check-file") {
                    take(given);
                }
            } />
            <Button on_press=move |()| dom::click("check-file")>"Open a check from a file"</Button>
        </div>
        {move || refused.get().map(|words| view! { <Message kind=MessageKind::Error>{sentence(&words)}</Message> })}
        <p class="help">"A file has the same content. "<Mono text="gbac check --requests" />" evaluates it too."</p>
    }
}
