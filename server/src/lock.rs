//! State that requests share. Only this file and `store` lock, and no guard leaves either, so none can be held across an await.

use std::sync::{Mutex, PoisonError};

/// A value that one caller at a time looks at.
#[derive(Debug, Default)]
pub(crate) struct Lock<T>(Mutex<T>);

impl<T> Lock<T> {
    pub(crate) const fn new(value: T) -> Self {
        Self(Mutex::new(value))
    }

    /// Lets a short piece of work, which cannot wait for anything, look at the value and change it.
    pub(crate) fn with<R>(&self, work: impl FnOnce(&mut T) -> R) -> R {
        work(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
