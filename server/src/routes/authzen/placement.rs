//! Where the work of a request runs: a little of it on the thread that received the request, more of it on a thread that may
//! block, so that small requests do not wait for large ones (D-60).

use std::sync::{Arc, LazyLock};
use std::thread::available_parallelism;

use gbac_api::problem::RpcCode;
use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;

use crate::http::problem::Problem;

/// Large work leaves a processor to small work.
static LARGE: LazyLock<Arc<Semaphore>> = LazyLock::new(|| {
    let processors = available_parallelism().map_or(1, usize::from);
    Arc::new(Semaphore::new(processors.saturating_sub(1).max(1)))
});

/// Runs work here if it is small, else where it may block.
///
/// # Errors
/// 500 if the work panics on another thread.
pub(super) async fn run<T: Send + 'static>(
    is_small: bool,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Problem> {
    if is_small {
        return Ok(work());
    }
    let permit = Arc::clone(&LARGE).acquire_owned().await.map_err(|_| incomplete())?;
    let work = move || {
        // Held by the work itself, which continues if the request is canceled.
        let _permit = permit;
        work()
    };
    spawn_blocking(work).await.map_err(|_| incomplete())
}

/// The problem of a request whose answer is missing.
pub(super) fn incomplete() -> Problem {
    Problem::new(RpcCode::Internal, "the questions could not be answered")
}
