//! The question before a page is left whose input is not in the draft.

use gbac_engine::policy::Change;
use gbac_words::pages::app as words;
use leptos::prelude::*;
use leptos_router::NavigateOptions;
use leptos_router::hooks::use_navigate;

use crate::chunk::{Chunk, ChunkError, chunk};
use crate::dom::{self, Departure};
use crate::pages::chunk::Lazy;
use crate::store::draft::Draft;
use crate::store::unsaved::Unsaved;
use crate::ui::{Button, ButtonKind, Dialog, DialogActions};

#[component]
pub(super) fn LeaveDialog() -> impl IntoView {
    let unsaved = expect_context::<Unsaved>();
    let open = Signal::derive(move || unsaved.departure.with(Option::is_some));
    view! {
        <Dialog open=open on_close=move |()| unsaved.departure.set(None) id="leave" title=|| words::LEAVE_SETTINGS small=true>
            <Lazy chunk=QUESTION part=true />
        </Dialog>
    }
}

chunk!(
    QUESTION,
    "The question",
    rest,
    fetch_question,
    draw_question,
    view! { <Question /> }.into_any()
);

#[component]
fn Question() -> impl IntoView {
    let (unsaved, draft) = (expect_context::<Unsaved>(), expect_context::<Draft>());
    let navigate = use_navigate();
    let stay = move |()| unsaved.departure.set(None);
    let leave = Callback::new(move |()| {
        let departure = unsaved.departure.get_untracked();
        unsaved.departure.set(None);
        unsaved.set(None);
        match departure {
            Some(Departure::Link(address)) => navigate(&address, NavigateOptions::default()),
            Some(Departure::History) => dom::go_back(),
            None => {}
        }
    });
    let add = move |()| {
        if let Some(settings) = untrack(|| unsaved.entered()).and_then(|entered| entered.settings) {
            draft.add(Change::Settings(Box::new(settings)));
            dom::announce(words::SETTINGS_ADDED);
        }
        leave.run(());
    };
    let changed = move || {
        unsaved
            .entered()
            .map(|entered| words::settings_not_in_draft(&entered.names))
    };
    let is_valid = move || {
        unsaved
            .entered()
            .is_some_and(|entered| entered.settings.is_some())
    };
    view! {
        <div class="dlg-b dlg-pad stack">
            <p>{changed}</p>
            {move || (!is_valid()).then(|| view! { <p>{words::CLAIM_PATH_INVALID}</p> })}
        </div>
        <DialogActions>
            <Button on_press=stay>"Stay"</Button>
            <Button kind=ButtonKind::Kill on_press=move |()| leave.run(())>"Discard changes"</Button>
            {move || is_valid().then(|| view! { <Button kind=ButtonKind::Primary on_press=add>"Add to draft"</Button> })}
        </DialogActions>
    }
}
