//! How results and notes are shown: the width of tables, colors, and what stands on standard error.

use std::sync::OnceLock;

use console::Term;

/// What stands on standard error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Notes {
    /// Only errors.
    Quiet,
    /// Errors, notes and progress.
    Normal,
    /// Requests to a service, too.
    Verbose,
}

/// The settings of this run.
#[derive(Debug)]
struct Display {
    width: Option<usize>,
    notes: Notes,
}

static DISPLAY: OnceLock<Display> = OnceLock::new();

/// Sets what is shown, once; `is_wide` removes the limit of tables.
pub(crate) fn configure(is_wide: bool, notes: Notes) {
    let width = if is_wide { None } else { terminal_width() };
    // A second call changes nothing.
    let _ = DISPLAY.set(Display { width, notes });
}

/// Turns colors off.
pub(crate) fn disable_colors() {
    anstream::ColorChoice::Never.write_global();
}

/// The width that tables fit into; `None` without a limit.
pub(crate) fn width() -> Option<usize> {
    DISPLAY.get().and_then(|display| display.width)
}

/// Whether requests are shown.
pub(crate) fn is_verbose() -> bool {
    DISPLAY.get().is_some_and(|display| display.notes == Notes::Verbose)
}

/// Whether notes and progress are hidden.
pub(crate) fn is_quiet() -> bool {
    DISPLAY.get().is_some_and(|display| display.notes == Notes::Quiet)
}

/// The width in `COLUMNS`, or that of the terminal to which standard output goes.
fn terminal_width() -> Option<usize> {
    let stated = std::env::var("COLUMNS").ok().and_then(|text| text.trim().parse().ok()).filter(|width| *width > 0);
    stated.or_else(|| Term::stdout().size_checked().map(|(_, columns)| columns.into()))
}
