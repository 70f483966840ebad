//! The chunk that verifies signatures, a quarter of the simulator, loaded when keys are entered.

use gbac_console_model::simulator::inputs::Inputs;
use gbac_console_model::simulator::verification;
use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::pages::chunk::{Chunk, Unfetched, chunk};

chunk!(pub(crate) VERIFIER, "Signature verification", verify, fetch_verifier, draw_verifier, {
    verification::provide();
    ().into_any()
});

/// Tells when the code came. It is fetched once keys are given, and tried again while it did not come.
pub(super) fn wanted(inputs: RwSignal<Inputs>, now: Memo<f64>) -> Trigger {
    let came = Trigger::new();
    let wanted = Memo::new(move |_| inputs.with(|inputs| !inputs.keys.trim().is_empty()));
    let busy = StoredValue::new(false);
    Effect::new(move |_| {
        if !wanted.get() || verification::checks().is_some() {
            return;
        }
        now.track();
        if busy.get_value() {
            return;
        }
        busy.set_value(true);
        spawn_local(async move {
            let provided = async {
                (VERIFIER.fetch)().await?;
                (VERIFIER.draw)().await
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
