//! `/gbac/v1/changes` as a stream of events (`text/event-stream`): the changes after one, and new
//! ones as they are made.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::http::{HeaderMap, header};
use axum::response::{IntoResponse, Response};
use futures_util::stream;
use gbac_api::encode::first_value;
use gbac_engine::escape::escaped;
use gbac_log::LogEntry;
use tokio::time::Instant;

use super::history_entry::{change_gone, history_entry};
use crate::http::placement::{Work, run};
use crate::http::problem::Problem;
use crate::http::query::pairs;
use crate::http::request_head::header_text;
use crate::state::service::Service;

/// The media type.
const EVENTS: &str = "text/event-stream";
/// The header with the number of the last change that a client has.
const LAST_EVENT_ID: &str = "last-event-id";
/// How long a stream lasts. Clients then connect again, which checks their access again.
const LIFETIME: Duration = Duration::from_secs(60);
/// The time without a change after which a line says that the stream is alive.
const HEARTBEAT: Duration = Duration::from_secs(15);
/// The changes that are read at once.
const AT_ONCE: usize = 20;
/// What comes first: when a client connects again, in milliseconds.
const FIRST_LINES: &str = "retry: 1000\n\n";

/// Whether a client asks for a stream.
pub(super) fn is_wanted(headers: &HeaderMap) -> bool {
    let mut accepted = header_text(headers, header::ACCEPT).split(',');
    accepted.any(|kind| {
        let kind = kind.split(';').next().unwrap_or_default();
        kind.trim().eq_ignore_ascii_case(EVENTS)
    })
}

/// The changes after the one that the client has; without one, after the last.
///
/// # Errors
/// The number is not valid, or changes after it are no longer kept.
pub(super) async fn follow(
    service: Service,
    query: Option<String>,
    headers: &HeaderMap,
) -> Result<Response, Problem> {
    let pairs = pairs(query)?;
    let stated = match headers.get(LAST_EVENT_ID) {
        Some(id) => Some(String::from_utf8_lossy(id.as_bytes()).into_owned()),
        None => first_value(&pairs, "after").map(str::to_owned),
    };
    let after = match stated {
        Some(text) => text.parse::<u64>().map_err(|_| {
            let message = format!("`{}` is not the number of a change", escaped(&text));
            Problem::invalid(message)
        })?,
        None => service.state_token().seq,
    };
    let reader = service.clone();
    let first = run(Work::Other, false, move || reader.first_entry()).await??;
    if after.saturating_add(1) < first {
        return Err(change_gone(after + 1, first));
    }
    let follower = Follower {
        service,
        after,
        ready: VecDeque::from([FIRST_LINES.to_owned()]),
        ends: Instant::now() + LIFETIME,
    };
    let events = stream::unfold(follower, |mut follower| async move {
        let lines = follower.next().await?;
        Some((Ok::<_, Infallible>(Bytes::from(lines)), follower))
    });
    let kind = [(header::CONTENT_TYPE, EVENTS)];
    Ok((kind, Body::from_stream(events)).into_response())
}

/// Who follows the changes.
struct Follower {
    service: Service,
    /// The last change that was read.
    after: u64,
    /// What is sent next.
    ready: VecDeque<String>,
    ends: Instant,
}

impl Follower {
    /// The next lines; `None` at the end of the stream.
    async fn next(&mut self) -> Option<String> {
        loop {
            if let Some(lines) = self.ready.pop_front() {
                return Some(lines);
            }
            let now = Instant::now();
            if now >= self.ends || self.service.is_ending() {
                return None;
            }
            let deadline = self.ends.min(now + HEARTBEAT);
            if !self.service.change_after(self.after, deadline).await {
                return Some(":\n\n".to_owned());
            }
            let (service, after) = (self.service.clone(), self.after);
            let read = run(Work::Other, false, move || {
                let entries = service.entries_after(after, AT_ONCE).ok()?;
                events_after(after, entries)
            });
            // The client connects again, and is told then.
            self.ready = read.await.ok()??;
            self.after += self.ready.len() as u64;
        }
    }
}

/// The events of the changes that follow this one; `None` if there is none, or one is missing.
fn events_after(after: u64, entries: Vec<LogEntry>) -> Option<VecDeque<String>> {
    let mut events = VecDeque::new();
    for (entry, seq) in entries.into_iter().zip(after + 1..) {
        let entry = history_entry(entry);
        if entry.seq != seq {
            return None;
        }
        let json = serde_json::to_string(&entry).ok()?;
        events.push_back(format!("id: {seq}\nevent: change\ndata: {json}\n\n"));
    }
    (!events.is_empty()).then_some(events)
}
