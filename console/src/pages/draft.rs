//! The draft bar of every page but the review, with the question before a draft is discarded.

use gbac_console_model::address;
use gbac_console_model::review::summary;
use gbac_words::common;
use gbac_words::phrases::count;
use leptos::prelude::*;
use leptos_router::hooks::use_location;

use crate::chunk::{Chunk, ChunkError, chunk};
use crate::dom;
use crate::pages::chunk::Lazy;
use crate::store::draft::Draft;
use crate::ui::{Button, ButtonKind, Dialog, DialogActions};

chunk!(
    BAR,
    "The draft",
    rest,
    fetch_bar,
    draw_bar,
    view! { <Bar /> }.into_any()
);

/// The bar, while there is a draft.
#[component]
pub fn DraftBar() -> impl IntoView {
    let draft = expect_context::<Draft>();
    let path = use_location().pathname;
    let is_shown = Memo::new(move |_| draft.count() > 0 && path.get() != address::REVIEW);
    move || {
        is_shown
            .get()
            .then(|| view! { <Lazy chunk=BAR part=true /> })
    }
}

#[component]
fn Bar() -> impl IntoView {
    let draft = expect_context::<Draft>();
    let discarding = RwSignal::new(false);
    let number = move || count(draft.count(), "change");
    let discard = move |()| {
        discarding.set(false);
        let number = untrack(number);
        draft.clear();
        dom::announce(&format!("{number} discarded"));
        dom::focus_heading();
    };
    view! {
        <div class="draft" role="region" aria-label="Draft">
            <p>
                <strong>{move || format!("Draft, {}.", number())}</strong>" "
                <span class="wide">{move || draft.changes.with(|changes| summary(changes))}</span>
                " " {common::DRAFT_NOT_APPLIED}
            </p>
            <div class="row row-end">
                <Button on_press=move |()| discarding.set(true)>"Discard"</Button>
                <a class="btn btn-main" href=address::REVIEW>{move || format!("Review {}", number())}</a>
            </div>
        </div>
        <Dialog open=discarding on_close=move |()| discarding.set(false) id="discard-draft" title=move || format!("Discard {}", untrack(number)) small=true>
            <div class="dlg-b dlg-pad stack">
                <p>{move || draft.changes.with(|changes| summary(changes))}</p>
                <p>{common::SERVICE_UNCHANGED}</p>
            </div>
            <DialogActions>
                <Button on_press=move |()| discarding.set(false)>"Cancel"</Button>
                <Button kind=ButtonKind::Kill on_press=discard>{move || format!("Discard {}", number())}</Button>
            </DialogActions>
        </Dialog>
    }
}
