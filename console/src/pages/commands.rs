//! A draft as commands, beside what it does.

use gbac_console_model::review::{Commands, commands};
use gbac_engine::policy::{Change, Policy};
use leptos::prelude::*;
use std::sync::Arc;

use crate::dom;
use crate::ui::{CopyBlock, Disclosure};

/// The largest draft whose commands are shown without a press, where there is room for them.
const SHOWN: usize = 100;

/// The commands that do the same as the draft, behind a button. On a wide screen, those of a small
/// draft are shown at once.
#[component]
pub fn DraftCommands(
    /// The policy that they change.
    base: RwSignal<Option<Arc<Policy>>>,
    /// The changes.
    changes: Signal<Vec<Change>>,
) -> impl IntoView {
    let open = RwSignal::new(dom::is_wide() && changes.with_untracked(Vec::len) <= SHOWN);
    view! {
        <div class="same">
            <Disclosure
                id="same-as-commands" open=open on_toggle=move |is_open| open.set(is_open)
                summary=|| view! { <span class="part-t">"The same as commands"</span> }
            >
                {move || base.get().map(|base| view! { <CommandBlock commands=changes.with(|changes| commands(&base, changes)) /> })}
            </Disclosure>
        </div>
    }
}

/// Commands, to copy.
#[component]
pub fn CommandBlock(
    /// The commands.
    commands: Commands,
) -> impl IntoView {
    let Commands { text, notes } = commands;
    let has_text = !text.is_empty();
    view! {
        {has_text.then(|| view! { <CopyBlock text=text what="the commands" /> })}
        {(!notes.is_empty()).then(|| view! {
            <ul class="facts">{notes.into_iter().map(|note| view! { <li><span>{note}</span></li> }).collect_view()}</ul>
        })}
    }
}
