//! Accepting connections: HTTP/1.1 and HTTP/2 with limits on headers, streams and time, and a
//! graceful stop.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::{ConnectInfo, Request};
use axum::response::Response;
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::conn::auto;
use rustls::ServerConfig;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::time::{sleep, timeout};
use tokio_rustls::TlsAcceptor;
use tower::ServiceExt;

use super::activity::{Activity, Held, ResponseBody};
use super::connection_table::{Admission, ConnectionTable};
use super::turns::{FairReads, RequestTasks};
use super::write_timeout::WriteTimeout;
use crate::http::request_head::Encrypted;
use crate::metrics::CloseReason;

/// The maximum size of the headers of a request in bytes.
const MAX_HEADER_BYTES: u32 = 96 << 10;
/// The number of requests at once on a connection over HTTP/2.
const MAX_STREAMS: u32 = 100;
/// The number of streams that a client may reset before they are processed, and of those that the
/// service resets because of errors; then the connection is closed.
const MAX_RESETS: usize = 20;
/// The number of bytes of a response that are kept for a stream whose client does not take them.
const MAX_SEND_BUFFER_BYTES: usize = 64 << 10;
/// The number of bytes of bodies that a client may send ahead of their processing: for a stream,
/// and for a connection.
const STREAM_WINDOW_BYTES: u32 = 256 << 10;
const CONNECTION_WINDOW_BYTES: u32 = 1 << 20;
/// The interval at which a silent client over HTTP/2 is asked whether it is there.
const PING_INTERVAL: Duration = Duration::from_secs(15);
/// The time that a client has to end a connection after it was told to.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(5);
/// The time limit for active requests when the service stops.
const STOP_TIMEOUT: Duration = Duration::from_secs(10);
/// The pause after a failed accept, for example because the machine has no free file descriptors.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// Serves until `stop` completes, then waits for the active requests.
pub(crate) async fn run(
    listener: TcpListener,
    tls: Option<watch::Receiver<Arc<ServerConfig>>>,
    table: ConnectionTable,
    router: Router,
    stop: impl Future<Output = ()>,
) {
    let (stopping, is_stopping) = watch::channel(false);
    let mut stop = pin!(stop);
    loop {
        let (stream, peer) = tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok(accepted) => accepted,
                Err(error) => {
                    tracing::warn!(target: "main", %error, "cannot accept a connection");
                    sleep(ACCEPT_PAUSE).await;
                    continue;
                }
            },
            () = &mut stop => break,
        };
        let admission = match table.admit(peer.ip()) {
            Ok(admission) => admission,
            Err(reason) => {
                tracing::debug!(target: "main", %peer, reason = reason.label(), "connection refused");
                continue;
            }
        };
        let tls = tls
            .as_ref()
            .map(|tls| TlsAcceptor::from(Arc::clone(&tls.borrow())));
        let router = router.clone();
        let connection = Connection {
            router,
            peer,
            tls: tls.is_some(),
            is_stopping: is_stopping.clone(),
        };
        let table = table.clone();
        tokio::spawn(async move {
            let Admission { activity, .. } = &admission;
            let closed = match tls {
                None => connection.serve(stream, activity).await,
                Some(tls) => tokio::select! {
                    accepted = tls.accept(stream) => match accepted {
                        Ok(stream) => connection.serve(stream, activity).await,
                        Err(error) => {
                            tracing::debug!(target: "main", %peer, %error, "TLS handshake failed");
                            None
                        }
                    },
                    reason = activity.expired() => Some(reason),
                },
            };
            if let Some(reason) = closed {
                tracing::debug!(target: "main", %peer, reason = reason.label(), "connection closed");
                // An eviction was counted when it was decided.
                if reason != CloseReason::Evicted {
                    table.metrics().count_closed_connection(reason);
                }
            }
        });
    }
    drop((listener, is_stopping));
    stopping.send_replace(true);
    // Closed when the last connection has ended, because each holds a receiver.
    let _ = timeout(STOP_TIMEOUT, stopping.closed()).await;
}

fn builder(tasks: RequestTasks) -> auto::Builder<RequestTasks> {
    let mut builder = auto::Builder::new(tasks);
    // The timer for heads would also run while a connection is idle. `Activity` has the limits for
    // both.
    builder
        .http1()
        .timer(TokioTimer::new())
        .header_read_timeout(None)
        .max_buf_size(MAX_HEADER_BYTES as usize);
    builder
        .http2()
        .timer(TokioTimer::new())
        .max_header_list_size(MAX_HEADER_BYTES)
        .max_concurrent_streams(MAX_STREAMS)
        .max_pending_accept_reset_streams(MAX_RESETS)
        .max_local_error_reset_streams(MAX_RESETS)
        .max_send_buf_size(MAX_SEND_BUFFER_BYTES)
        .initial_stream_window_size(STREAM_WINDOW_BYTES)
        .initial_connection_window_size(CONNECTION_WINDOW_BYTES)
        .keep_alive_interval(PING_INTERVAL);
    builder
}

/// One connection.
struct Connection {
    router: Router,
    peer: SocketAddr,
    tls: bool,
    is_stopping: watch::Receiver<bool>,
}

impl Connection {
    /// Serves requests until the connection ends; why, if it was closed because of its activity.
    async fn serve(
        self,
        stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
        activity: &Activity,
    ) -> Option<CloseReason> {
        let Self {
            router,
            peer,
            tls,
            mut is_stopping,
        } = self;
        let (tasks, run) = RequestTasks::new();
        let mut run = pin!(run);
        let service = service_fn(|mut request: Request<Incoming>| {
            request.extensions_mut().insert(ConnectInfo(peer));
            if tls {
                request.extensions_mut().insert(Encrypted);
            }
            let active = activity.request();
            let request = request.map(|body| Body::new(active.body(body)));
            let response = router.clone().oneshot(request);
            async {
                let mut response: Response = response.await?;
                let held = Held::take(&mut response);
                Ok::<_, Infallible>(
                    response.map(|body| Body::new(ResponseBody::new(body, active, held))),
                )
            }
        });
        let stream = TokioIo::new(FairReads::new(WriteTimeout::new(stream)));
        let builder = builder(tasks);
        let mut connection = pin!(builder.serve_connection(stream, service));
        let reason = tokio::select! {
            // Errors of a connection are caused by its client.
            _ = connection.as_mut() => return None,
            never = run.as_mut() => match never {},
            reason = activity.expired() => Some(reason),
            () = async { drop(is_stopping.wait_for(|is_stopping| *is_stopping).await) } => None,
        };
        match reason {
            // A client over HTTP/2 is told which of its requests were processed.
            Some(CloseReason::Idle) => {
                connection.as_mut().graceful_shutdown();
                tokio::select! {
                    _ = connection => {}
                    never = run => match never {},
                    () = sleep(CLOSE_TIMEOUT) => {}
                }
            }
            // Closed at once: an evicted connection makes room for another one.
            Some(CloseReason::HeadTimeout | CloseReason::Stalled | CloseReason::Evicted) => {}
            None => {
                connection.as_mut().graceful_shutdown();
                tokio::select! {
                    _ = connection => {}
                    never = run => match never {},
                    reason = activity.expired() => return Some(reason),
                }
            }
        }
        reason
    }
}

#[cfg(test)]
mod tests {
    use axum::routing::get;
    use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream, duplex};
    use tokio::time::Instant;

    use super::*;
    use crate::serve::activity::HEAD_TIMEOUT;

    /// What a connection was closed for, and after how many seconds.
    async fn served(router: Router, stream: DuplexStream) -> (u64, Option<CloseReason>) {
        let (began, activity) = (Instant::now(), Activity::new());
        let (_stop, is_stopping) = watch::channel(false);
        let peer = SocketAddr::from(([127, 0, 0, 1], 1));
        let connection = Connection {
            router,
            peer,
            tls: false,
            is_stopping,
        };
        let served = connection.serve(stream, &activity);
        let reason = timeout(Duration::from_secs(3600), served)
            .await
            .expect("the connection is closed");
        (began.elapsed().as_secs(), reason)
    }

    #[tokio::test(start_paused = true)]
    async fn a_client_that_never_reads_its_response_is_disconnected() {
        let (here, mut there) = duplex(4096);
        let router = Router::new().route("/", get(async || "x".repeat(1 << 20)));
        there
            .write_all(b"GET / HTTP/1.1\r\nhost: x\r\n\r\n")
            .await
            .unwrap();
        assert_eq!(served(router, here).await.0, 30);
    }

    #[tokio::test(start_paused = true)]
    async fn a_client_without_a_complete_head_is_disconnected() {
        for begin in [
            "",
            "P",
            "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
            "GET / HTTP/1.1\r\nhost: x\r\n",
        ] {
            let (here, mut there) = duplex(4096);
            there.write_all(begin.as_bytes()).await.unwrap();
            let (seconds, _) = served(Router::new(), here).await;
            assert_eq!(seconds, HEAD_TIMEOUT.as_secs(), "{begin:?}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_connection_is_kept_while_it_is_idle_for_less_than_a_minute() {
        for next in ["", "GET / HTTP/1.1\r\nhost: x\r\n"] {
            let (here, mut there) = duplex(4096);
            let client = tokio::spawn(async move {
                for _ in 0..2 {
                    there
                        .write_all(b"GET / HTTP/1.1\r\nhost: x\r\n\r\n")
                        .await
                        .unwrap();
                    let mut response = [0; 4096];
                    assert!(there.read(&mut response).await.unwrap() > 0);
                    sleep(Duration::from_secs(59)).await;
                }
                there.write_all(next.as_bytes()).await.unwrap();
                there.read(&mut [0; 1]).await.unwrap()
            });
            assert_eq!(
                served(Router::new(), here).await,
                (119, Some(CloseReason::Idle)),
                "{next:?}"
            );
            assert_eq!(client.await.unwrap(), 0);
        }
    }

    /// A client over HTTP/2 with these settings that sends a request, acknowledges pings, and each
    /// second permits one more byte of the response: what it was disconnected for, and after how
    /// many seconds.
    async fn served_slowly(settings: &[u8]) -> (u64, Option<CloseReason>) {
        let (here, mut there) = duplex(4096);
        let router = Router::new().route("/", get(async || "x".repeat(50)));
        let length = u8::try_from(settings.len()).unwrap();
        // The preface and the settings; `GET http:/` without a host, with the static table of RFC
        // 7541.
        there
            .write_all(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
            .await
            .unwrap();
        there
            .write_all(&[&[0, 0, length, 4, 0, 0, 0, 0, 0], settings].concat())
            .await
            .unwrap();
        there
            .write_all(b"\0\0\x03\x01\x05\0\0\0\x01\x82\x86\x84")
            .await
            .unwrap();
        let client = tokio::spawn(async move {
            let mut frame = [0; 9];
            let mut pings = 0;
            while there.read_exact(&mut frame).await.is_ok() {
                let mut payload = vec![0; usize::from(frame[1]) << 8 | usize::from(frame[2])];
                there.read_exact(&mut payload).await.unwrap();
                if (frame[3], frame[4]) == (6, 0) {
                    pings += 1;
                    frame[4] = 1;
                    let _ = there.write_all(&[&frame[..], &payload].concat()).await;
                }
                if (frame[3], frame[4]) == (0, 0) {
                    sleep(Duration::from_secs(1)).await;
                    let _ = there.write_all(b"\0\0\x04\x08\0\0\0\0\x01\0\0\0\x01").await;
                }
            }
            pings
        });
        let closed = served(router, here).await;
        assert!(client.await.unwrap() > 0, "it was there all the time");
        closed
    }

    #[tokio::test(start_paused = true)]
    async fn a_client_that_only_acknowledges_pings_is_disconnected() {
        assert_eq!(served_slowly(&[]).await, (60, Some(CloseReason::Idle)));
    }

    #[tokio::test(start_paused = true)]
    async fn a_client_that_permits_no_response_is_disconnected() {
        let initial_window_of_0 = [0, 4, 0, 0, 0, 0];
        assert_eq!(
            served_slowly(&initial_window_of_0).await,
            (30, Some(CloseReason::Stalled))
        );
    }

    #[tokio::test(start_paused = true)]
    async fn a_client_that_takes_a_response_byte_by_byte_is_disconnected() {
        let initial_window_of_1 = [0, 4, 0, 0, 0, 1];
        assert_eq!(
            served_slowly(&initial_window_of_1).await,
            (30, Some(CloseReason::Stalled))
        );
    }
}
