//! The list of keyboard shortcuts, and the choice to turn off those of a single character.

use gbac_console_model::search::SHORTCUTS;
use gbac_words::pages::search::SINGLE_KEYS;
use leptos::prelude::*;

use crate::dom;
use crate::ui::Key;

/// The list.
#[component]
pub(crate) fn ShortcutList() -> impl IntoView {
    let are_on = RwSignal::new(dom::has_single_keys());
    let parts = SHORTCUTS.iter().map(|(title, shortcuts)| {
        let rows = shortcuts.iter().map(|shortcut| {
            let keys = shortcut
                .keys
                .iter()
                .map(|key| view! { <Key name=key /> })
                .collect_view();
            let is_off = move || (shortcut.is_single && !are_on.get()).then_some("Off");
            view! {
                <div>
                    <dt>{keys}</dt>
                    <dd>{shortcut.purpose} " " <span class="quiet">{is_off}</span></dd>
                </div>
            }
        });
        view! { <h3>{*title}</h3> <dl class="keys-list">{rows.collect_view()}</dl> }
    });
    view! {
        {parts.collect_view()}
        <label class="check-l">
            <input
                class="check"
                type="checkbox"
                prop:checked=move || are_on.get()
                on:change=move |event| {
                    let is_on = event_target_checked(&event);
                    dom::set_single_keys(is_on);
                    are_on.set(is_on);
                }
            />
            <span>{SINGLE_KEYS}</span>
        </label>
    }
}
