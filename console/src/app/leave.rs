//! The question before a page is left whose input is not in the draft.

use gbac_engine::policy::Change;
use gbac_words::pages::app as words;
use leptos::prelude::*;
use leptos_router::NavigateOptions;

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
    let navigate = dom::use_navigate();
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
    let settings = Signal::derive(move || unsaved.entered()?.settings);
    view! {
        <div class="dlg-b dlg-pad stack">
            <p>{move || Some(words::settings_not_in_draft(&unsaved.entered()?.names))}</p>
            {move || settings.read().is_none().then(|| view! { <p>{words::CLAIM_PATH_INVALID}</p> })}
        </div>
        <DialogActions>
            <Button on_press=move |()| unsaved.departure.set(None)>"Stay"</Button>
            <Button kind=ButtonKind::Kill on_press=move |()| leave.run(())>"Discard changes"</Button>
            {move || settings.read().is_some().then(|| view! {
                <Button kind=ButtonKind::Primary on_press=move |()| {
                    if let Some(settings) = settings.get_untracked() {
                        draft.add(Change::Settings(Box::new(settings)));
                        dom::announce(words::SETTINGS_ADDED);
                    }
                    leave.run(());
                }>"Add to draft"</Button>
            })}
        </DialogActions>
    }
}
