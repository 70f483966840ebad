//! Catching panics of the database library, which panics on some damaged files.

use std::cell::Cell;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Once;

thread_local! {
    static QUIET: Cell<bool> = const { Cell::new(false) };
}

/// Runs the closure without printing a panic message; `None` if it panics. Nothing that it changed
/// may be used then.
pub(crate) fn catch_panic<T>(work: impl FnOnce() -> T) -> Option<T> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let default_hook = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if !QUIET.get() {
                default_hook(info);
            }
        }));
    });
    let before = QUIET.replace(true);
    let done = panic::catch_unwind(AssertUnwindSafe(work));
    QUIET.set(before);
    done.ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_becomes_a_value() {
        assert_eq!(catch_panic(|| 1), Some(1));
        assert_eq!(
            catch_panic(|| catch_panic(|| panic!("inner")).map_or(2, |()| 3)),
            Some(2)
        );
        assert_eq!(catch_panic::<()>(|| panic!("outer")), None);
        assert!(!QUIET.get());
    }
}
