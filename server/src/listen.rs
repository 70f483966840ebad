//! The accept loop: HTTP/1.1 and HTTP/2 with limits on headers, connections and idle time, and a clean stop.

use std::io;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::{ConnectInfo, Request};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto;
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::server::graceful::Watcher;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::time::{sleep, timeout};
use tokio_rustls::TlsAcceptor;
use tower::ServiceExt;

use crate::stalls::Stalls;

/// How many connections are served at once; more wait.
const CONNECTIONS: usize = 1024;
/// How many bytes the headers of a request may have.
const HEADER_BYTES: usize = 96 << 10;
/// How long the headers of a request, and the first byte of a connection, may take.
const HEADER_TIME: Duration = Duration::from_secs(15);
/// How long requests that are under way may still take once the service stops.
const STOP_TIME: Duration = Duration::from_secs(10);
/// How long the loop waits when the machine has no more file descriptors.
const PAUSE: Duration = Duration::from_millis(50);

/// A request that came with TLS.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Encrypted;

/// Serves until `stop` is done, then lets the requests that are under way come to their end.
pub(crate) async fn run(
    listener: TcpListener,
    tls: Option<TlsAcceptor>,
    router: Router,
    stop: impl Future<Output = ()>,
) {
    let builder = Arc::new(builder());
    let room = Arc::new(Semaphore::new(CONNECTIONS));
    let graceful = GracefulShutdown::new();
    let mut stop = pin!(stop);
    loop {
        let accepted = async {
            let place = Arc::clone(&room).acquire_owned().await.map_err(io::Error::other)?;
            listener.accept().await.map(|(stream, peer)| (place, stream, peer))
        };
        let (place, stream, peer) = tokio::select! {
            accepted = accepted => match accepted {
                Ok(accepted) => accepted,
                Err(error) => {
                    tracing::warn!(target: "main", %error, "no connection can be taken");
                    sleep(PAUSE).await;
                    continue;
                }
            },
            () = &mut stop => break,
        };
        let connection = Connection { builder: Arc::clone(&builder), router: router.clone(), peer, tls: tls.is_some() };
        let (tls, watcher) = (tls.clone(), graceful.watcher());
        tokio::spawn(async move {
            match tls {
                None if timeout(HEADER_TIME, speaks(&stream)).await.is_ok() => connection.serve(stream, watcher).await,
                None => {}
                Some(tls) => match timeout(HEADER_TIME, tls.accept(stream)).await {
                    Ok(Ok(stream)) => connection.serve(stream, watcher).await,
                    Ok(Err(error)) => tracing::debug!(target: "main", %peer, %error, "no TLS"),
                    Err(_) => {}
                },
            }
            drop(place);
        });
    }
    drop(listener);
    let _ = timeout(STOP_TIME, graceful.shutdown()).await;
}

fn builder() -> auto::Builder<TokioExecutor> {
    let mut builder = auto::Builder::new(TokioExecutor::new());
    builder.http1().timer(TokioTimer::new()).header_read_timeout(HEADER_TIME).max_buf_size(HEADER_BYTES);
    builder.http2().timer(TokioTimer::new()).max_header_list_size(HEADER_BYTES as u32).keep_alive_interval(HEADER_TIME);
    builder
}

/// What serves one connection.
struct Connection {
    builder: Arc<auto::Builder<TokioExecutor>>,
    router: Router,
    peer: SocketAddr,
    tls: bool,
}

impl Connection {
    async fn serve(self, stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static, watcher: Watcher) {
        let Self { builder, router, peer, tls } = self;
        let service = service_fn(move |mut request: Request<Incoming>| {
            request.extensions_mut().insert(ConnectInfo(peer));
            if tls {
                request.extensions_mut().insert(Encrypted);
            }
            router.clone().oneshot(request)
        });
        // What a client does to its connection is its own affair.
        let _ = watcher.watch(builder.serve_connection(TokioIo::new(Stalls::new(stream)), service)).await;
    }
}

/// Waits for the first byte, so that a connection that never says anything does not keep its place.
async fn speaks(stream: &TcpStream) {
    let _ = stream.peek(&mut [0]).await;
}

#[cfg(test)]
mod tests {
    use axum::routing::get;
    use tokio::io::{AsyncWriteExt, duplex};
    use tokio::time::Instant;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_client_that_never_reads_its_answer_does_not_keep_its_place() {
        let (here, mut there) = duplex(4096);
        let router = Router::new().route("/", get(async || "x".repeat(1 << 20)));
        let peer = SocketAddr::from(([127, 0, 0, 1], 1));
        let (builder, graceful) = (Arc::new(builder()), GracefulShutdown::new());
        let began = Instant::now();
        there.write_all(b"GET / HTTP/1.1\r\nhost: x\r\n\r\n").await.unwrap();
        let connection = Connection { builder, router, peer, tls: false };
        let served = connection.serve(here, graceful.watcher());
        timeout(Duration::from_secs(3600), served).await.expect("the connection is closed");
        assert_eq!(began.elapsed().as_secs(), 30);
    }
}
