//! A lock between concurrent runs of `cargo xtask`.

use crate::problem::{Problem, Result};
use crate::progress::Step;
use std::fs::{self, File, TryLockError};
use std::path::Path;

/// Holds the lock until it is dropped. The operating system releases it with the process.
#[derive(Debug)]
pub(crate) struct Guard {
    /// Whether another run held it before, and may have done the same work.
    pub(crate) waited: bool,
    _file: File,
}

impl Guard {
    /// Waits for the lock of this file and takes it; `step` shows that it is waiting.
    pub(crate) fn wait(file: &Path, step: &Step<'_>) -> Result<Self> {
        let failed = |error| Problem::new(format!("cannot lock `{}`: {error}", file.display()));
        if let Some(folder) = file.parent() {
            fs::create_dir_all(folder).map_err(failed)?;
        }
        let lock = File::create(file).map_err(failed)?;
        let waited = match lock.try_lock() {
            Ok(()) => false,
            Err(TryLockError::WouldBlock) => {
                step.latest("waiting for another run");
                lock.lock().map_err(failed)?;
                true
            }
            Err(TryLockError::Error(error)) => return Err(failed(error)),
        };
        Ok(Self {
            waited,
            _file: lock,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::Guard;
    use crate::progress::Progress;
    use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
    use std::thread;

    #[test]
    fn only_one_run_goes_on() {
        let file = std::env::temp_dir().join(format!("gbac-guard-{}", std::process::id()));
        let (inside, most) = (AtomicU32::new(0), AtomicU32::new(0));
        let progress = Progress::new();
        thread::scope(|scope| {
            for at in 0..8 {
                let (file, inside, most, progress) = (&file, &inside, &most, &progress);
                scope.spawn(move || {
                    let step = progress.quick(&format!("guard {at}"));
                    let guard = Guard::wait(file, &step).unwrap();
                    most.fetch_max(inside.fetch_add(1, SeqCst) + 1, SeqCst);
                    thread::yield_now();
                    inside.fetch_sub(1, SeqCst);
                    drop(guard);
                    step.done("over");
                });
            }
        });
        std::fs::remove_file(&file).unwrap();
        assert_eq!((inside.load(SeqCst), most.load(SeqCst)), (0, 1));
    }
}
