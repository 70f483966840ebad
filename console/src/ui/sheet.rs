//! A sheet at the side of the page, which stays usable beside it.

use leptos::ev;
use leptos::prelude::*;

use super::{Glyph, IconButton};
use crate::dom;

/// A sheet at the right; in a narrow window it covers the page. Focus goes to its title; Esc closes
/// it.
#[component]
pub fn Sheet(
    /// The id, from which the title's is made.
    id: &'static str,
    /// The title.
    title: &'static str,
    /// Asked to close: takes the sheet out of the page, and gives focus back.
    #[prop(into)]
    on_close: Callback<()>,
    /// A line under the title.
    #[prop(into)]
    about: ViewFn,
    /// A `div.sheet-b` with the content, and a `div.sheet-f` with the last line.
    children: Children,
) -> impl IntoView {
    let title_id = format!("{id}-title");
    let labelled_by = title_id.clone();
    dom::focus_later(title_id.clone());
    let keys = window_event_listener(ev::keydown, move |event| {
        // A dialog over the sheet closes first.
        if event.key() == "Escape" && !event.default_prevented() && !dom::has_dialog() {
            event.prevent_default();
            on_close.run(());
        }
    });
    on_cleanup(move || keys.remove());
    view! {
        <div class="sheet" id=id role="dialog" aria-labelledby=labelled_by>
            <div class="sheet-h">
                <h2 class="focus-only" id=title_id tabindex="-1">{title}</h2>
                <IconButton glyph=Glyph::Close label=format!("Close {}", title.to_lowercase()) on_press=on_close />
                <p>{about.run()}</p>
            </div>
            {children()}
        </div>
    }
}
