//! The chunk that evaluates what is entered. The page is drawn without it, and it is here before
//! anybody has pasted a token.

use gbac_console_model::simulator::evaluator;
use leptos::prelude::*;

use crate::pages::chunk::{Chunk, ChunkError, chunk, fetch_when};

chunk!(pub(crate) EVALUATOR, "The evaluation", evaluate, fetch_evaluator, draw_evaluator, {
    evaluator::provide();
    ().into_any()
});

/// Fetches the code, and tells when it came.
pub(super) fn fetched(now: Memo<f64>) -> Trigger {
    fetch_when(|| evaluator::loaded().is_none(), EVALUATOR, now)
}
