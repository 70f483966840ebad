//! The chunk that evaluates what is entered. The page is drawn without it, and it is here before anybody has pasted a token.

use gbac_console_model::simulator::evaluator;
use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::pages::chunk::{Chunk, Unfetched, chunk};

chunk!(pub(crate) EVALUATOR, "The evaluation", evaluate, fetch_evaluator, draw_evaluator, {
    evaluator::provide();
    ().into_any()
});

/// Fetches the code, and tells when it came; it is tried again while it did not.
pub(super) fn fetched(now: Memo<f64>) -> Trigger {
    let came = Trigger::new();
    let busy = StoredValue::new(false);
    Effect::new(move |_| {
        if evaluator::loaded().is_some() {
            return;
        }
        now.track();
        if busy.get_value() {
            return;
        }
        busy.set_value(true);
        spawn_local(async move {
            let provided = async {
                (EVALUATOR.fetch)().await?;
                (EVALUATOR.draw)().await
            };
            if provided.await.is_ok() {
                came.notify();
            }
            // The page may be gone by now.
            let _ = busy.try_set_value(false);
        });
    });
    came
}
