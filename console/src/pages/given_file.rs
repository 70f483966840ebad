//! Files that are chosen or dropped, and why one is not taken.

use gbac_words::common::file_not_read;
use gbac_words::rich_text::RichText;
use leptos::ev;
use leptos::prelude::*;
use leptos::task::spawn_local;

use super::rich_text::sentence;
use crate::dom::GivenFile;
use crate::ui::{Message, MessageKind};

/// Hands on the text of a file with its name; `refused` says why it is not taken.
pub(super) fn take(
    given: GivenFile,
    largest: f64,
    too_large: fn(&str, f64) -> RichText,
    refused: RwSignal<Option<RichText>>,
    read: impl FnOnce(&str, String) -> Result<(), RichText> + 'static,
) {
    refused.set(None);
    let name = given.name();
    if given.size() > largest {
        refused.set(Some(too_large(&name, largest)));
        return;
    }
    spawn_local(async move {
        let taken = match given.text().await {
            Ok(text) => read(&name, text),
            Err(reason) => Err(reason.into()),
        };
        if let Err(words) = taken {
            // The page may be gone by now.
            let _ = refused.try_set(Some(file_not_read(&name, words)));
        }
    });
}

/// The field in which a file is chosen; a button presses it.
pub(super) fn input(id: &'static str, take: impl Fn(GivenFile) + 'static) -> impl IntoView {
    view! {
        <input class="sr" id=id type="file" tabindex="-1" aria-hidden="true" on:change=move |_| {
            if let Some(given) = GivenFile::chosen(id) {
                take(given);
            }
        } />
    }
}

/// A part of the page where files are dropped. It takes at most `most` of them at once.
#[component]
pub(super) fn DropTarget(
    /// What takes a file.
    on_drop: impl Fn(GivenFile) + Copy + 'static,
    #[prop(default = 1)] most: usize,
    children: Children,
) -> impl IntoView {
    let over = RwSignal::new(false);
    view! {
        <div
            class="stack"
            class:over=move || over.get()
            on:dragover=move |event: ev::DragEvent| {
                event.prevent_default();
                over.set(true);
            }
            on:dragleave=move |_| over.set(false)
            on:drop=move |event: ev::DragEvent| {
                event.prevent_default();
                over.set(false);
                for given in GivenFile::dropped(&event).into_iter().take(most) {
                    on_drop(given);
                }
            }
        >
            {children()}
        </div>
    }
}

/// Why the last file was not taken.
pub(super) fn refusal(refused: RwSignal<Option<RichText>>) -> impl IntoView {
    move || {
        let words = refused.get()?;
        Some(view! { <Message kind=MessageKind::Error>{sentence(&words)}</Message> })
    }
}
