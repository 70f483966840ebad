//! The button that undoes what was applied last.

use gbac_words::pages::review::undo_added;
use gbac_words::phrases::count;
use leptos::prelude::*;

use crate::dom;
use crate::store::draft::Draft;
use crate::ui::Button;

/// Puts the reverse changes into the draft, which the review shows.
#[component]
pub(super) fn UndoButton(
    /// How many changes were applied.
    number: usize,
) -> impl IntoView {
    let draft = expect_context::<Draft>();
    let undo = move |()| {
        let added = draft.undo_applied();
        let lost = draft.lost.with_untracked(Vec::len);
        dom::announce(&undo_added(added, lost));
        dom::focus_heading();
    };
    view! { <Button on_press=undo>"Undo " {count(number, "change")}</Button> }
}
