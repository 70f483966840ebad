//! Accepting connections: HTTP/1.1 and HTTP/2 with limits on headers, connections and idle time, and a graceful stop.

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

use super::write_timeout::WriteTimeout;
use crate::http::request_head::Encrypted;

/// The number of connections that are served at once; further ones wait.
const MAX_CONNECTIONS: usize = 1024;
/// The maximum size of the headers of a request in bytes.
const MAX_HEADER_BYTES: usize = 96 << 10;
/// The time limit for the headers of a request, and for the first byte of a connection.
const HEADER_TIMEOUT: Duration = Duration::from_secs(15);
/// The time limit for active requests when the service stops.
const STOP_TIMEOUT: Duration = Duration::from_secs(10);
/// The pause after a failed accept, for example because the machine has no free file descriptors.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// Serves until `stop` completes, then waits for the active requests.
pub(crate) async fn run(
    listener: TcpListener,
    tls: Option<TlsAcceptor>,
    router: Router,
    stop: impl Future<Output = ()>,
) {
    let builder = Arc::new(builder());
    let permits = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    let graceful = GracefulShutdown::new();
    let mut stop = pin!(stop);
    loop {
        let accepted = async {
            let permit = Arc::clone(&permits).acquire_owned().await.map_err(io::Error::other)?;
            listener.accept().await.map(|(stream, peer)| (permit, stream, peer))
        };
        let (permit, stream, peer) = tokio::select! {
            accepted = accepted => match accepted {
                Ok(accepted) => accepted,
                Err(error) => {
                    tracing::warn!(target: "main", %error, "cannot accept a connection");
                    sleep(ACCEPT_PAUSE).await;
                    continue;
                }
            },
            () = &mut stop => break,
        };
        let connection = Connection { builder: Arc::clone(&builder), router: router.clone(), peer, tls: tls.is_some() };
        let (tls, watcher) = (tls.clone(), graceful.watcher());
        tokio::spawn(async move {
            match tls {
                None if timeout(HEADER_TIMEOUT, wait_for_first_byte(&stream)).await.is_ok() => {
                    connection.serve(stream, watcher).await;
                }
                None => {}
                Some(tls) => match timeout(HEADER_TIMEOUT, tls.accept(stream)).await {
                    Ok(Ok(stream)) => connection.serve(stream, watcher).await,
                    Ok(Err(error)) => tracing::debug!(target: "main", %peer, %error, "TLS handshake failed"),
                    Err(_) => {}
                },
            }
            drop(permit);
        });
    }
    drop(listener);
    let _ = timeout(STOP_TIMEOUT, graceful.shutdown()).await;
}

fn builder() -> auto::Builder<TokioExecutor> {
    let mut builder = auto::Builder::new(TokioExecutor::new());
    builder.http1().timer(TokioTimer::new()).header_read_timeout(HEADER_TIMEOUT).max_buf_size(MAX_HEADER_BYTES);
    builder
        .http2()
        .timer(TokioTimer::new())
        .max_header_list_size(MAX_HEADER_BYTES as u32)
        .keep_alive_interval(HEADER_TIMEOUT);
    builder
}

/// One connection.
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
        // Errors of a connection are caused by its client.
        let _ = watcher.watch(builder.serve_connection(TokioIo::new(WriteTimeout::new(stream)), service)).await;
    }
}

/// Waits for the first byte, so that a silent connection does not keep its permit.
async fn wait_for_first_byte(stream: &TcpStream) {
    let _ = stream.peek(&mut [0]).await;
}

#[cfg(test)]
mod tests {
    use axum::routing::get;
    use tokio::io::{AsyncWriteExt, duplex};
    use tokio::time::Instant;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_client_that_never_reads_its_response_is_disconnected() {
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
