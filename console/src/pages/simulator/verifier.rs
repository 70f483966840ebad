//! The chunk that verifies signatures, a quarter of the simulator, loaded when keys are entered.

use gbac_console_model::simulator::inputs::Inputs;
use gbac_console_model::simulator::verification;
use leptos::prelude::*;

use crate::pages::chunk::{Chunk, ChunkError, chunk, fetch_when};

chunk!(pub(crate) VERIFIER, "Signature verification", verify, fetch_verifier, draw_verifier, {
    verification::provide();
    ().into_any()
});

/// Fetches the code once keys are given, and tells when it came.
pub(super) fn wanted(inputs: RwSignal<Inputs>, now: Memo<f64>) -> Trigger {
    let has_keys = Memo::new(move |_| inputs.with(|inputs| !inputs.keys.trim().is_empty()));
    fetch_when(
        move || has_keys.get() && verification::checks().is_none(),
        VERIFIER,
        now,
    )
}
