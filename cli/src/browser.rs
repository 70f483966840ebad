//! Opens a page in the user's browser.

use std::process::{Command, Stdio};

use crate::process::Process;

/// Whether somebody sits before a screen.
pub(crate) fn can_open(process: &Process) -> bool {
    let is_set = |name| {
        process
            .variable_os(name)
            .is_some_and(|value| !value.is_empty())
    };
    let has_screen = cfg!(windows)
        || cfg!(target_os = "macos")
        || is_set("DISPLAY")
        || is_set("WAYLAND_DISPLAY");
    has_screen && process.terminal.output && !is_set("CI")
}

/// Opens a URL. A missing browser is not an error, because the URL is printed.
pub(crate) fn open(url: &str) {
    let (program, arguments): (&str, &[&str]) = if cfg!(windows) {
        ("rundll32", &["url.dll,FileProtocolHandler"])
    } else if cfg!(target_os = "macos") {
        ("open", &[])
    } else {
        ("xdg-open", &[])
    };
    // The service does not wait for the browser; it ends with the session of the terminal.
    let _ = Command::new(program)
        .args(arguments)
        .arg(url)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
}
