//! Keeps the draft in the tab's session storage, so that it survives a reload, a crash of the tab and a sign-out (D-69).

use std::time::Duration;

use gbac_console_model::stored_draft::{from_text, to_text};
use leptos::prelude::*;

use super::draft::Draft;
use super::service::Service;
use crate::dom;

/// The name in the session storage.
const DRAFTS: &str = "gbac-drafts";
/// How long changes of a draft are gathered before they are written.
const GATHER: Duration = Duration::from_millis(100);

/// Takes over what was kept, gives each account its own draft, and keeps it from now on. Says whether the draft would be
/// lost with the page, because the browser keeps nothing.
pub fn keep(service: Service, draft: Draft) -> impl Fn() -> bool + Copy + 'static {
    if let Some(text) = dom::stored_text(DRAFTS) {
        draft.restore(from_text(&text));
    }
    Effect::new(move |_| draft.follow(service.owner.get()));
    Effect::new(move |_| {
        service.policy.track();
        draft.rebase();
    });
    let (waits, is_refused) = (StoredValue::new(false), StoredValue::new(false));
    let write = move || {
        if waits.try_set_value(false).is_none() {
            let text = to_text(&draft.all());
            is_refused.set_value(!dom::store_text(DRAFTS, text.as_deref()));
        }
    };
    Effect::new(move |before: Option<()>| {
        draft.staged.track();
        draft.applied.track();
        draft.owner.track();
        // The first run is before anything was read.
        if before.is_some() && !waits.get_value() {
            waits.set_value(true);
            set_timeout(
                move || {
                    if waits.try_get_value() == Some(true) {
                        write();
                    }
                },
                GATHER,
            );
        }
    });
    dom::on_page_hide(move || {
        if waits.get_value() {
            write();
        }
    });
    move || is_refused.get_value() && draft.count.get_untracked() > 0
}
