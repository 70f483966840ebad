//! The request that a task works on, so that each change is recorded with the user who made it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use super::request_head::RequestHead;
use super::sign_in_method::SignInMethod;

tokio::task_local! {
    static CURRENT: Arc<RequestScope>;
}

/// An authorized request that can change something.
pub(crate) struct RequestScope {
    /// The request.
    pub(crate) head: RequestHead,
    /// The superuser whose request it is.
    pub(crate) user: String,
    /// How the user signed in.
    pub(crate) method: SignInMethod,
    changed: AtomicBool,
}

impl RequestScope {
    pub(crate) fn new(head: RequestHead, user: String, method: SignInMethod) -> Arc<Self> {
        Arc::new(Self { head, user, method, changed: AtomicBool::new(false) })
    }

    /// Runs a request; everything that it changes is recorded as a change by its user.
    pub(crate) async fn run<F: Future>(self: Arc<Self>, request: F) -> F::Output {
        CURRENT.scope(self, request).await
    }

    /// The request that this task works on.
    pub(crate) fn current() -> Option<Arc<Self>> {
        CURRENT.try_with(Arc::clone).ok()
    }

    /// Notes that the request changed something.
    pub(crate) fn set_changed(&self) {
        self.changed.store(true, Relaxed);
    }

    /// Whether the request changed something.
    pub(crate) fn has_changed(&self) -> bool {
        self.changed.load(Relaxed)
    }
}
