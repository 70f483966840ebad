//! Where the work of a request runs: a little of it on the thread that received the request, more
//! of it on a thread that may block, so that small requests do not wait for large ones (D-60,
//! D-128).

use std::sync::{Arc, LazyLock};
use std::thread::available_parallelism;

use gbac_api::problem::RpcCode;
use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;

use super::problem::Problem;

/// What large work is for. Neither kind waits for the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Work {
    /// Decisions.
    Evaluation,
    /// Everything else: long lists, large bodies, compression.
    Other,
}

/// Each kind leaves a processor to small work, and decisions have more than other work.
static EVALUATIONS: LazyLock<Arc<Semaphore>> =
    LazyLock::new(|| threads(processors().saturating_sub(1)));
static OTHERS: LazyLock<Arc<Semaphore>> = LazyLock::new(|| threads(processors() / 2));

fn processors() -> usize {
    available_parallelism().map_or(1, usize::from)
}

fn threads(count: usize) -> Arc<Semaphore> {
    Arc::new(Semaphore::new(count.max(1)))
}

/// Runs work here if it is small, else where it may block.
///
/// # Errors
/// 500 if the work panics on another thread.
pub(crate) async fn run<T: Send + 'static>(
    kind: Work,
    is_small: bool,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Problem> {
    if is_small {
        return Ok(work());
    }
    let threads = match kind {
        Work::Evaluation => &EVALUATIONS,
        Work::Other => &OTHERS,
    };
    let Ok(permit) = Arc::clone(threads).acquire_owned().await else {
        return Err(incomplete());
    };
    let done = spawn_blocking(move || {
        // Held by the work itself, which continues if the request is canceled.
        let _permit = permit;
        work()
    });
    done.await.map_err(|_| incomplete())
}

/// The problem of a request whose answer is missing.
pub(crate) fn incomplete() -> Problem {
    Problem::new(
        RpcCode::Internal,
        "the service stopped working on the request",
    )
}
