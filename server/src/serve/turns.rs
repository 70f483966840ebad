//! Turns of connections: one that always has something to read, or many requests at once, does not
//! keep the others waiting.

use std::convert::Infallible;
use std::future::poll_fn;
use std::io::{self, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll};

use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use hyper::rt::Executor;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::sync::mpsc;

/// The bytes that a connection reads in one turn, about a thousand of the smallest frames of
/// HTTP/2.
const TURN_BYTES: usize = 16 << 10;

/// The number of requests that a connection completes in one turn.
const TURN_REQUESTS: usize = 8;

/// What a connection over HTTP/2 runs for each of its requests. It is part of the connection's own
/// task, so that a connection with a hundred requests is one of those that wait for a turn, and not
/// a hundred.
#[derive(Clone)]
pub(crate) struct RequestTasks(mpsc::UnboundedSender<Task>);

type Task = Pin<Box<dyn Future<Output = ()> + Send>>;

impl RequestTasks {
    /// The tasks of a new connection, and what runs them, which never ends.
    pub(crate) fn new() -> (Self, impl Future<Output = Infallible>) {
        let (sender, mut added) = mpsc::unbounded_channel();
        // Kept here too, so that the channel is never closed.
        let tasks = Self(sender);
        let keep = tasks.clone();
        let run = async move {
            let _keep = keep;
            let mut tasks = FuturesUnordered::new();
            poll_fn(|context| {
                for _ in 0..TURN_REQUESTS {
                    while let Poll::Ready(Some(task)) = added.poll_recv(context) {
                        tasks.push(task);
                    }
                    if !matches!(tasks.poll_next_unpin(context), Poll::Ready(Some(()))) {
                        return Poll::Pending;
                    }
                }
                // It goes on after those that are waiting.
                context.waker().wake_by_ref();
                Poll::Pending
            })
            .await
        };
        (tasks, run)
    }
}

impl<F: Future<Output = ()> + Send + 'static> Executor<F> for RequestTasks {
    fn execute(&self, task: F) {
        // Fails only if the connection has ended.
        let _ = self.0.send(Box::pin(task));
    }
}

/// A stream that lets the other connections have a turn after it was read for [`TURN_BYTES`].
pub(crate) struct FairReads<S> {
    stream: S,
    /// The bytes that were read in this turn.
    read: usize,
}

impl<S> FairReads<S> {
    /// Adds the turns to a stream.
    pub(crate) const fn new(stream: S) -> Self {
        Self { stream, read: 0 }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for FairReads<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if self.read >= TURN_BYTES {
            self.read = 0;
            // It goes on after those that are waiting.
            context.waker().wake_by_ref();
            return Poll::Pending;
        }
        let before = buffer.filled().len();
        let done = Pin::new(&mut self.stream).poll_read(context, buffer);
        // Who has to wait has ended the turn.
        self.read = if done.is_ready() {
            self.read + (buffer.filled().len() - before)
        } else {
            0
        };
        done
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for FairReads<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(context, slices)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};

    use tokio::io::{AsyncReadExt, AsyncWriteExt, duplex};
    use tokio::sync::oneshot;
    use tokio::task::{JoinSet, yield_now};

    use super::*;
    use crate::lock::Lock;

    #[tokio::test]
    async fn requests_of_others_run_between_those_of_one_connection() {
        let done = Arc::new(Lock::new(Vec::new()));
        let mut connections = JoinSet::new();
        for (connection, requests) in [(0, 100), (1, 1)] {
            let (tasks, run) = RequestTasks::new();
            for _ in 0..requests {
                let done = Arc::clone(&done);
                tasks.execute(async move { done.with(|done| done.push(connection)) });
            }
            connections.spawn(run);
        }
        while done.with(|done| done.len()) < 101 {
            yield_now().await;
        }
        let place = done
            .with(|done| done.iter().position(|connection| *connection == 1))
            .unwrap();
        assert!(place <= TURN_REQUESTS, "{place}");
    }

    #[tokio::test]
    async fn a_request_that_waits_does_not_keep_the_next_one_waiting() {
        let (tasks, run) = RequestTasks::new();
        (0..2 * TURN_REQUESTS).for_each(|_| tasks.execute(std::future::pending()));
        let (send, done) = oneshot::channel();
        tasks.execute(async { send.send(()).unwrap() });
        tokio::select! {
            _ = run => unreachable!(),
            done = done => done.unwrap(),
        }
    }

    #[tokio::test]
    async fn another_task_runs_before_everything_is_read() {
        let (here, mut there) = duplex(4 * TURN_BYTES);
        there.write_all(&vec![b'x'; 4 * TURN_BYTES]).await.unwrap();
        let mut here = FairReads::new(here);
        static HAS_RUN: AtomicBool = AtomicBool::new(false);
        let other = tokio::spawn(async { HAS_RUN.store(true, Ordering::SeqCst) });
        let mut buffer = vec![0; 1 << 10];
        let mut before = 0;
        for _ in 0..4 * TURN_BYTES / buffer.len() {
            here.read_exact(&mut buffer).await.unwrap();
            before += usize::from(!HAS_RUN.load(Ordering::SeqCst)) * buffer.len();
        }
        assert_eq!(before, TURN_BYTES, "of what is there");
        other.await.unwrap();
    }
}
