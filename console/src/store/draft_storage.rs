//! Keeps the draft in the tab's session storage, so that it survives a reload, a crash of the tab
//! and a sign-out (D-69, D-81).

use std::time::Duration;

use futures_util::FutureExt;
use gbac_console_model::stored_draft::{StoredDraft, from_text, to_text};
use leptos::prelude::*;
use leptos::task::spawn_local;

use super::draft::Draft;
use super::service::Service;
use crate::chunk::{ChunkError, chunk_fn};
use crate::dom;

/// The name in the session storage.
const DRAFTS: &str = "gbac-drafts";
/// How long changes of a draft are gathered before they are written.
const GATHER: Duration = Duration::from_millis(100);
/// How long until the code that reads and writes drafts is fetched again, if that failed.
const RETRY: Duration = Duration::from_secs(5);

// Most visits have no draft.
chunk_fn!(rest, restore(draft: Draft, text: String) { draft.restore(from_text(&text)) });
chunk_fn!(rest, store(draft: Draft, is_refused: StoredValue<bool>) {
    is_refused.set_value(!dom::store_text(DRAFTS, to_text(&draft.all()).as_deref()));
});

/// Takes over what was kept, gives each account its own draft, and keeps it from now on. Says
/// whether the draft would be lost with the page, because the browser keeps nothing.
pub fn keep(service: Service, draft: Draft) -> impl Fn() -> bool + Copy + 'static {
    let keeper = Keeper {
        draft,
        is_restored: RwSignal::new(true),
        waits: StoredValue::new(false),
        is_refused: StoredValue::new(false),
    };
    if let Some(text) = dom::stored_text(DRAFTS) {
        keeper.is_restored.set(false);
        keeper.restore(text);
    }
    Effect::new(move |_| {
        if keeper.is_restored.get() {
            draft.follow(service.owner.get());
        }
    });
    Effect::new(move |_| {
        service.policy.track();
        draft.rebase();
    });
    Effect::new(move |before: Option<()>| {
        draft.staged.track();
        draft.applied.track();
        draft.owner.track();
        // The first run is before anything was read.
        if before.is_some() && !keeper.waits.get_value() {
            keeper.waits.set_value(true);
            set_timeout(move || keeper.write(), GATHER);
        }
    });
    dom::on_page_hide(move || {
        keeper.is_written();
    });
    move || (!keeper.is_written() || keeper.is_refused.get_value()) && draft.count_untracked() > 0
}

/// Writes the drafts, and reads them once.
#[derive(Clone, Copy)]
struct Keeper {
    draft: Draft,
    /// Whether what was kept was read. Until then the page shows no draft, and writes none.
    is_restored: RwSignal<bool>,
    /// Whether something is not written yet.
    waits: StoredValue<bool>,
    /// Whether the browser keeps nothing.
    is_refused: StoredValue<bool>,
}

impl Keeper {
    /// Reads the drafts as soon as the code for that is here.
    fn restore(self, text: String) {
        spawn_local(async move {
            match restore(self.draft, text.clone()).await {
                Ok(()) => self.is_restored.set(true),
                Err(ChunkError) => set_timeout(move || self.restore(text), RETRY),
            }
        });
    }

    /// Writes the drafts as soon as the code for that is here.
    fn write(self) {
        // The page may be gone by now.
        if self.waits.try_get_value().is_none_or(|waits| !waits) || self.is_written() {
            return;
        }
        spawn_local(async move {
            let is_here = store(self.draft, self.is_refused).await.is_ok();
            if !(is_here && self.is_written()) {
                set_timeout(move || self.write(), RETRY);
            }
        });
    }

    /// Writes what waits if the code for that is here. Says whether nothing waits any more.
    fn is_written(self) -> bool {
        if self.waits.get_value() && self.is_restored.get_untracked() {
            let is_done = if self.draft.all().iter().all(StoredDraft::is_empty) {
                self.is_refused.set_value(!dom::store_text(DRAFTS, None));
                true
            } else {
                matches!(
                    store(self.draft, self.is_refused).now_or_never(),
                    Some(Ok(()))
                )
            };
            self.waits.set_value(!is_done);
        }
        !self.waits.get_value()
    }
}
