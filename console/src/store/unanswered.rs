//! Finds out whether changes whose answer is missing were made, as soon as the service answers
//! again (D-70).

use leptos::prelude::*;
use leptos::task::spawn_local;

use super::draft::Draft;
use super::service::{Service, ServiceStatus};
use crate::chunk::{ChunkError, chunk_fn};

/// Looks in the policy that is read after the answer went missing.
pub fn look(service: Service, draft: Draft) {
    Effect::new(move |_| {
        let sent = draft
            .unanswered
            .with(|unanswered| unanswered.as_ref().map(|unanswered| unanswered.at_ms));
        let read = service.status.with(|status| match status {
            ServiceStatus::Connected { read_at_ms, .. } => Some(*read_at_ms),
            ServiceStatus::Loading | ServiceStatus::Away { .. } => None,
        });
        if sent.zip(read).is_some_and(|(sent, read)| sent < read) {
            // The code is here since the review sent the changes.
            spawn_local(async move {
                let _ = find(draft).await;
            });
        }
    });
}

chunk_fn!(rest, find(draft: Draft) {
    draft.find_unanswered();
});
