//! What a connection does, and until when it may do it.

use std::collections::BTreeMap;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::response::Response;
use hyper::body::{Body as HttpBody, Frame, Incoming, SizeHint};
use tokio::sync::Notify;
use tokio::time::{Instant, sleep_until};

use crate::client_address::NetworkSlot;
use crate::http::long_read::Turn;
use crate::lock::Lock;
use crate::metrics::CloseReason;

/// The time limit from the accept to the first complete head of a request, with the TLS handshake.
pub(super) const HEAD_TIMEOUT: Duration = Duration::from_secs(10);
/// The time for which a connection without requests is kept.
const IDLE_TIMEOUT: Duration = Duration::from_secs(60);
/// The time in which a client must take a piece of a response: about 500 bytes a second.
const STALL_TIMEOUT: Duration = Duration::from_secs(30);
/// The time after which a request that waits for its client may be closed in favor of another
/// connection.
const PATIENCE: Duration = Duration::from_secs(1);
/// The interval at which deadlines are checked that did not exist when the last check was made.
const CHECK_INTERVAL: Duration = Duration::from_secs(5);
/// The size of a piece of a response in bytes. A response is passed on in pieces, so that its
/// progress can be seen.
const PIECE_BYTES: usize = 16 << 10;

/// The activity of one connection; a handle that is cheap to clone.
#[derive(Clone)]
pub(super) struct Activity(Arc<Parts>);

struct Parts {
    opened: Instant,
    state: Lock<State>,
    evicted: Notify,
}

#[derive(Default)]
struct State {
    /// When the last request ended; `None` before the first one.
    idle_since: Option<Instant>,
    requests: BTreeMap<u64, Progress>,
    last_request: u64,
}

/// How far a request is.
struct Progress {
    began: Instant,
    stage: Stage,
}

/// Why a connection can be closed in favor of another one, in the order in which that happens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Waiting {
    /// It has no request since then.
    Idle(Instant),
    /// Every one of its requests waits for the client, and the oldest began then.
    ForClient(Instant),
}

/// What a request waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// This service, which has its own time limits.
    Service,
    /// The client, which must send more of the body. Handlers limit the time for that.
    Upload,
    /// The client, which must take a piece of the response that it was given then.
    Client(Instant),
}

impl Activity {
    /// The activity of a connection that was just accepted.
    pub(super) fn new() -> Self {
        Self(Arc::new(Parts {
            opened: Instant::now(),
            state: Lock::default(),
            evicted: Notify::new(),
        }))
    }

    /// Why the connection can be closed in favor of another one; `None` if it cannot.
    pub(super) fn waiting(&self) -> Option<Waiting> {
        self.0.state.with(|state| {
            let Some(oldest) = state.requests.values().map(|progress| progress.began).min() else {
                return Some(Waiting::Idle(state.idle_since.unwrap_or(self.0.opened)));
            };
            let waits = state
                .requests
                .values()
                .all(|progress| progress.stage != Stage::Service);
            (waits && oldest.elapsed() >= PATIENCE).then_some(Waiting::ForClient(oldest))
        })
    }

    /// Ends the connection in favor of another one.
    pub(super) fn evict(&self) {
        self.0.evicted.notify_one();
    }

    /// A request whose head is complete; it is active until this is dropped.
    pub(super) fn request(&self) -> ActiveRequest {
        let id = self.0.state.with(|state| {
            state.last_request = state.last_request.wrapping_add(1);
            let progress = Progress {
                began: Instant::now(),
                stage: Stage::Service,
            };
            state.requests.insert(state.last_request, progress);
            state.last_request
        });
        ActiveRequest {
            activity: self.clone(),
            id,
        }
    }

    /// Waits until the connection must be closed.
    pub(super) async fn expired(&self) -> CloseReason {
        loop {
            let now = Instant::now();
            let (deadline, reason) = self.deadline();
            if deadline.is_some_and(|deadline| deadline <= now) {
                return reason;
            }
            let next_check = now + CHECK_INTERVAL;
            tokio::select! {
                () = self.0.evicted.notified() => return CloseReason::Evicted,
                () = sleep_until(deadline.map_or(next_check, |deadline| deadline.min(next_check))) => {}
            }
        }
    }

    fn deadline(&self) -> (Option<Instant>, CloseReason) {
        self.0.state.with(|state| {
            let stalled = state
                .requests
                .values()
                .filter_map(|progress| match progress.stage {
                    Stage::Service | Stage::Upload => None,
                    Stage::Client(since) => Some(since + STALL_TIMEOUT),
                });
            match (state.requests.is_empty(), state.idle_since) {
                (false, _) => (stalled.min(), CloseReason::Stalled),
                (true, Some(since)) => (Some(since + IDLE_TIMEOUT), CloseReason::Idle),
                (true, None) => (Some(self.0.opened + HEAD_TIMEOUT), CloseReason::HeadTimeout),
            }
        })
    }
}

/// A request of a connection.
pub(super) struct ActiveRequest {
    activity: Activity,
    id: u64,
}

impl ActiveRequest {
    /// The body of the request.
    pub(super) fn body(&self, body: Incoming) -> RequestBody<Incoming> {
        RequestBody {
            body,
            activity: self.activity.clone(),
            id: self.id,
        }
    }

    fn enter(&self, stage: Stage) {
        self.activity.set_stage(self.id, |_| stage);
    }

    /// The client has taken something.
    fn progress(&self) {
        self.activity.set_stage(self.id, |stage| match stage {
            Stage::Client(_) => Stage::Client(Instant::now()),
            other => other,
        });
    }
}

impl Activity {
    fn set_stage(&self, request: u64, next: impl FnOnce(Stage) -> Stage) {
        self.0.state.with(|state| {
            if let Some(progress) = state.requests.get_mut(&request) {
                progress.stage = next(progress.stage);
            }
        });
    }
}

/// The body of a request. While its client has not sent what the handler waits for, the connection
/// waits for the client.
pub(super) struct RequestBody<B> {
    body: B,
    activity: Activity,
    id: u64,
}

impl<B> RequestBody<B> {
    /// Whether the client is waited for, unless the response has begun.
    fn wait(&self, waits: bool) {
        self.activity
            .set_stage(self.id, |stage| match (stage, waits) {
                (Stage::Service, true) => Stage::Upload,
                (Stage::Upload, false) => Stage::Service,
                (stage, _) => stage,
            });
    }
}

impl<B: HttpBody + Unpin> HttpBody for RequestBody<B> {
    type Data = B::Data;
    type Error = B::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Self::Data>, Self::Error>>> {
        let frame = Pin::new(&mut self.body).poll_frame(context);
        self.wait(frame.is_pending());
        frame
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

impl<B> Drop for RequestBody<B> {
    fn drop(&mut self) {
        self.wait(false);
    }
}

impl Drop for ActiveRequest {
    fn drop(&mut self) {
        self.activity.0.state.with(|state| {
            state.requests.remove(&self.id);
            state.idle_since = Some(Instant::now());
        });
    }
}

/// The body of a response, in pieces. Its request is active until it and all of its pieces are
/// dropped.
pub(super) struct ResponseBody {
    body: Body,
    /// What was not yet passed on of the last frame.
    rest: Bytes,
    sent: Arc<SentRequest>,
}

/// A request whose response is sent, with what it takes until then.
struct SentRequest {
    request: ActiveRequest,
    _held: Held,
}

/// What a response takes until it was sent: a slot of its client, and the turn of a long read.
#[derive(Default)]
pub(super) struct Held {
    pub(super) _slot: Option<Arc<NetworkSlot>>,
    pub(super) _turn: Option<Arc<Turn>>,
}

impl Held {
    /// Takes what the extensions of a response have.
    pub(super) fn take(response: &mut Response) -> Self {
        let extensions = response.extensions_mut();
        Self {
            _slot: extensions.remove(),
            _turn: extensions.remove(),
        }
    }
}

/// A part of a response that is dropped when it was sent. HTTP/2 takes it long before, even if its
/// client permits one byte.
struct Piece {
    bytes: Bytes,
    sent: Arc<SentRequest>,
}

impl AsRef<[u8]> for Piece {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

impl Drop for Piece {
    fn drop(&mut self) {
        self.sent.request.progress();
    }
}

impl ResponseBody {
    /// The body of the response to this request.
    pub(super) fn new(body: Body, request: ActiveRequest, held: Held) -> Self {
        // Over HTTP/2, the client may not even allow the first piece.
        request.enter(Stage::Client(Instant::now()));
        Self {
            body,
            rest: Bytes::new(),
            sent: Arc::new(SentRequest {
                request,
                _held: held,
            }),
        }
    }

    /// Takes the next piece.
    fn piece(&mut self) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        self.sent.request.enter(Stage::Client(Instant::now()));
        let length = self.rest.len().min(PIECE_BYTES);
        let piece = Piece {
            bytes: self.rest.split_to(length),
            sent: Arc::clone(&self.sent),
        };
        Poll::Ready(Some(Ok(Frame::data(Bytes::from_owner(piece)))))
    }
}

impl HttpBody for ResponseBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        if !self.rest.is_empty() {
            return self.piece();
        }
        self.sent.request.enter(Stage::Service);
        let Some(frame) = ready!(Pin::new(&mut self.body).poll_frame(context)?) else {
            // Its last pieces may not be sent.
            self.sent.request.enter(Stage::Client(Instant::now()));
            return Poll::Ready(None);
        };
        match frame.into_data() {
            Ok(data) => {
                self.rest = data;
                self.piece()
            }
            Err(trailers) => Poll::Ready(Some(Ok(trailers))),
        }
    }

    fn is_end_stream(&self) -> bool {
        self.rest.is_empty() && self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        let (rest, inner) = (
            u64::try_from(self.rest.len()).unwrap_or(u64::MAX),
            self.body.size_hint(),
        );
        let mut hint = SizeHint::new();
        hint.set_lower(inner.lower().saturating_add(rest));
        if let Some(upper) = inner.upper().and_then(|upper| upper.checked_add(rest)) {
            hint.set_upper(upper);
        }
        hint
    }
}

#[cfg(test)]
mod tests {
    use http_body_util::BodyExt;
    use tokio::time::{advance, timeout};

    use super::*;
    use crate::client_address::{ClientNetwork, NetworkSlots};

    /// A body that never comes.
    struct Never;

    impl HttpBody for Never {
        type Data = Bytes;
        type Error = std::convert::Infallible;

        fn poll_frame(
            self: Pin<&mut Self>,
            _: &mut Context<'_>,
        ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
            Poll::Pending
        }
    }

    async fn closes_after(activity: &Activity) -> (u64, CloseReason) {
        let begin = Instant::now();
        let reason = timeout(Duration::from_secs(3600), activity.expired())
            .await
            .expect("it is closed");
        (begin.elapsed().as_secs(), reason)
    }

    #[tokio::test(start_paused = true)]
    async fn a_connection_without_a_request_is_closed() {
        let activity = Activity::new();
        assert_eq!(
            closes_after(&activity).await,
            (10, CloseReason::HeadTimeout)
        );
        drop(activity.request());
        assert_eq!(
            closes_after(&activity).await,
            (60, CloseReason::Idle),
            "from the last request on"
        );
    }

    #[tokio::test(start_paused = true)]
    async fn a_request_is_limited_only_while_its_client_is_waited_for() {
        let activity = Activity::new();
        let request = activity.request();
        assert!(
            timeout(Duration::from_secs(3600), activity.expired())
                .await
                .is_err(),
            "its handler has a limit"
        );
        let mut body = ResponseBody::new(
            Body::from(vec![b'x'; 3 * PIECE_BYTES - 1]),
            request,
            Held::default(),
        );
        for _ in 0..3 {
            let expired = timeout(STALL_TIMEOUT - Duration::from_secs(1), activity.expired()).await;
            assert!(
                expired.is_err()
                    && matches!(activity.waiting(), None | Some(Waiting::ForClient(_)))
            );
            body.frame().await.unwrap().unwrap();
        }
        assert!(body.is_end_stream());
        assert_eq!(closes_after(&activity).await, (30, CloseReason::Stalled));
        drop(body);
        assert_eq!(activity.waiting(), Some(Waiting::Idle(Instant::now())));
    }

    #[tokio::test(start_paused = true)]
    async fn a_response_that_waits_for_this_service_is_not_stalled() {
        let activity = Activity::new();
        let mut waiting = ResponseBody::new(Body::new(Never), activity.request(), Held::default());
        let _ = timeout(Duration::from_secs(1), waiting.frame()).await;
        assert!(
            timeout(Duration::from_secs(3600), activity.expired())
                .await
                .is_err()
        );
    }

    #[tokio::test(start_paused = true)]
    async fn a_response_is_active_until_its_last_piece_was_sent() {
        let activity = Activity::new();
        let slots = NetworkSlots::new(1);
        let network = ClientNetwork::from_address([10, 0, 0, 1].into());
        let held = Held {
            _slot: slots.take(network).map(Arc::new),
            _turn: None,
        };
        let mut body = ResponseBody::new(
            Body::from(vec![b'x'; PIECE_BYTES + 1]),
            activity.request(),
            held,
        );
        let mut pieces = Vec::new();
        for _ in 0..2 {
            pieces.push(body.frame().await.unwrap().unwrap());
        }
        drop(body);
        let began = Instant::now();
        advance(Duration::from_secs(20)).await;
        drop(pieces.pop());
        let waiting = Some(Waiting::ForClient(began));
        assert_eq!(
            (activity.waiting(), slots.taken(network)),
            (waiting, 1),
            "one is not sent"
        );
        assert_eq!(
            closes_after(&activity).await,
            (30, CloseReason::Stalled),
            "from the last progress on"
        );
        drop(pieces);
        let idle = Some(Waiting::Idle(Instant::now()));
        assert_eq!((activity.waiting(), slots.taken(network)), (idle, 0));
    }

    #[tokio::test(start_paused = true)]
    async fn one_stalled_response_is_enough() {
        let activity = Activity::new();
        let mut stalled = ResponseBody::new(Body::from("x"), activity.request(), Held::default());
        stalled.frame().await.unwrap().unwrap();
        advance(Duration::from_secs(20)).await;
        let mut other = ResponseBody::new(Body::from("x"), activity.request(), Held::default());
        other.frame().await.unwrap().unwrap();
        assert_eq!(closes_after(&activity).await, (10, CloseReason::Stalled));
    }

    #[tokio::test(start_paused = true)]
    async fn a_request_whose_body_does_not_come_makes_room_after_a_second() {
        let activity = Activity::new();
        let request = activity.request();
        let began = Instant::now();
        let mut body = RequestBody {
            body: Never,
            activity: activity.clone(),
            id: request.id,
        };
        advance(PATIENCE).await;
        assert_eq!(activity.waiting(), None, "its handler works");
        assert!(
            timeout(Duration::from_millis(1), body.frame())
                .await
                .is_err()
        );
        assert_eq!(activity.waiting(), Some(Waiting::ForClient(began)));
        assert!(
            timeout(Duration::from_secs(3600), activity.expired())
                .await
                .is_err(),
            "its handler has a limit"
        );
        let other = activity.request();
        assert_eq!(activity.waiting(), None, "another request is worked on");
        drop((other, body));
        assert_eq!(
            activity.waiting(),
            None,
            "the handler goes on without the body"
        );
    }

    #[tokio::test]
    async fn pieces_keep_the_body_and_its_length() {
        let sent: Vec<u8> = (0..3 * PIECE_BYTES + 7)
            .map(|n| n.to_le_bytes()[0])
            .collect();
        let activity = Activity::new();
        let body = ResponseBody::new(
            Body::from(sent.clone()),
            activity.request(),
            Held::default(),
        );
        assert_eq!(body.size_hint().exact(), Some(sent.len() as u64));
        assert_eq!(body.collect().await.unwrap().to_bytes(), sent);
    }

    #[tokio::test]
    async fn an_evicted_connection_is_closed() {
        let activity = Activity::new();
        activity.evict();
        assert_eq!(activity.expired().await, CloseReason::Evicted);
    }
}
