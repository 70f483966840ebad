//! A check as a link or file without the token, and the notice of an opened link.

use gbac_console_model::address;
use gbac_console_model::simulator::share::{LONGEST, Opened, file, link, open, open_file};
use gbac_words::common::{file_not_read, file_not_saved, file_too_large};
use gbac_words::pages::simulator as words;
use gbac_words::rich_text::RichText;
use leptos::prelude::*;
use leptos::task::spawn_local;

use super::state::SimulatorState;
use crate::dom::{self, GivenFile};
use crate::pages::rich_text::sentence;
use crate::ui::{Button, CopyBlock, Message, MessageKind, Note, NoteKind};

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
            <Note kind=NoteKind::Info title=words::LINKED_CHECK level=2>
                <p>{words::LINKED_CHECK_CONTENT}</p>
            </Note>
        }
        .into_any(),
        Came::Unreadable => view! {
            <Note kind=NoteKind::Warn title=words::LINK_UNREADABLE level=2>
                <p>{words::COPY_LINK_AGAIN}</p>
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
            Ok(()) => dom::announce(&words::saved_without_token(&name)),
            Err(reason) => dom::announce_error(&file_not_saved(&name, &reason)),
        }
    };
    let take = move |given: GivenFile| {
        refused.set(None);
        let name = given.name();
        if given.size() > LARGEST {
            let words = file_too_large(&name, LARGEST)
                .text(" ")
                .text(words::CHECK_IS_SMALLER);
            refused.set(Some(words));
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
                    dom::announce(&words::check_read(&name));
                }
                Err(words) => {
                    let _ = refused.try_set(Some(file_not_read(&name, words)));
                }
            }
        });
    };
    view! {
        {move || match made.with(|made| made.as_ref().map(String::len)) {
            None => view! { <p class="quiet">{words::CHECK_TO_SHARE}</p> }.into_any(),
            Some(length) if length > LONGEST => view! {
                <p class="quiet">{words::LINK_TOO_LONG}</p>
            }
            .into_any(),
            Some(_) => view! {
                <CopyBlock text=text what="the link" />
                <p class="help">{words::LINK_CONTENT}</p>
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
            <Button on_press=move |()| dom::click("check-file")>{words::OPEN_CHECK_FILE}</Button>
        </div>
        {move || refused.get().map(|words| view! { <Message kind=MessageKind::Error>{sentence(&words)}</Message> })}
        <p class="help">{sentence(&RichText::message(words::CHECK_FILE_CONTENT))}</p>
    }
}
