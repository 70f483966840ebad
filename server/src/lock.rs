//! A mutex whose guard never leaves this file, so that no guard can be held across an await.

use std::sync::{Mutex, PoisonError};

/// A value with exclusive access.
#[derive(Debug, Default)]
pub(crate) struct Lock<T>(Mutex<T>);

impl<T> Lock<T> {
    pub(crate) const fn new(value: T) -> Self {
        Self(Mutex::new(value))
    }

    /// Runs a short, synchronous closure with exclusive access to the value.
    pub(crate) fn with<R>(&self, work: impl FnOnce(&mut T) -> R) -> R {
        work(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
