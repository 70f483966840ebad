//! The accept loop: HTTP/1.1 and HTTP/2 with limits on headers, connections and idle time, and a clean stop.

use std::io;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto;
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::time::{sleep, timeout};

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

/// Serves until `stop` is done, then lets the requests that are under way come to their end.
pub(crate) async fn run(listener: TcpListener, router: Router, stop: impl Future<Output = ()>) {
    let mut builder = auto::Builder::new(TokioExecutor::new());
    builder.http1().timer(TokioTimer::new()).header_read_timeout(HEADER_TIME).max_buf_size(HEADER_BYTES);
    builder.http2().timer(TokioTimer::new()).max_header_list_size(HEADER_BYTES as u32).keep_alive_interval(HEADER_TIME);
    let builder = Arc::new(builder);
    let room = Arc::new(Semaphore::new(CONNECTIONS));
    let graceful = GracefulShutdown::new();
    let mut stop = pin!(stop);
    loop {
        let accepted = async {
            let place = Arc::clone(&room).acquire_owned().await.map_err(io::Error::other)?;
            listener.accept().await.map(|(stream, _)| (place, stream))
        };
        let (place, stream) = tokio::select! {
            accepted = accepted => match accepted {
                Ok(accepted) => accepted,
                Err(_) => {
                    sleep(PAUSE).await;
                    continue;
                }
            },
            () = &mut stop => break,
        };
        let service = TowerToHyperService::new(router.clone());
        let (builder, watcher) = (Arc::clone(&builder), graceful.watcher());
        tokio::spawn(async move {
            if timeout(HEADER_TIME, speaks(&stream)).await.is_ok() {
                let connection = builder.serve_connection(TokioIo::new(stream), service);
                // What a client does to its connection is its own affair.
                let _ = watcher.watch(connection).await;
            }
            drop(place);
        });
    }
    drop(listener);
    let _ = timeout(STOP_TIME, graceful.shutdown()).await;
}

/// Waits for the first byte, so that a connection that never says anything does not keep its place.
async fn speaks(stream: &TcpStream) {
    let _ = stream.peek(&mut [0]).await;
}
