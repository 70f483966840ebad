//! A panic of somebody else's code as a value, without its message on the terminal.

use std::cell::Cell;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Once;

thread_local! {
    static QUIET: Cell<bool> = const { Cell::new(false) };
}

/// Does the work; `None` when it panics. Nothing that the work has changed may be used after that.
pub(crate) fn caught<T>(work: impl FnOnce() -> T) -> Option<T> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let told = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if !QUIET.get() {
                told(info);
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
    fn a_panic_is_a_value() {
        assert_eq!(caught(|| 1), Some(1));
        assert_eq!(caught(|| caught(|| panic!("inner")).map_or(2, |()| 3)), Some(2));
        assert_eq!(caught::<()>(|| panic!("outer")), None);
        assert!(!QUIET.get());
    }
}
