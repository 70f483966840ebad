//! How a command ends: exit codes, failures, and text that is safe on a terminal.

use std::fmt;
use std::io::{self, Write};
use std::process::ExitCode;

use gbac_engine::wire::Problems;
use serde_json::{Value, json};

use crate::args::Format;

/// An error; the message is on standard error.
pub(crate) const ERROR: u8 = 1;
/// `check` decided: denied.
pub(crate) const DENIED: u8 = 2;
/// The arguments make no sense.
pub(crate) const WRONG_USAGE: u8 = 64;

/// Why a command did not do its work.
#[derive(Debug)]
pub(crate) struct Failure {
    exit: u8,
    code: String,
    message: String,
    problems: Option<Problems>,
}

impl Failure {
    /// An error with a stable code.
    pub(crate) fn new(code: impl Into<String>, message: impl Into<String>) -> Self {
        Self { exit: ERROR, code: code.into(), message: message.into(), problems: None }
    }

    /// Arguments that clap lets pass and that make no sense together.
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self { exit: WRONG_USAGE, code: "usage".into(), message: message.into(), problems: None }
    }

    /// A document with its problems; `what` names the file.
    pub(crate) fn problems(what: &str, problems: Problems) -> Self {
        let message = problems.0.iter().fold(format!("{what}:"), |all, problem| format!("{all}\n  {problem}"));
        Self { exit: ERROR, code: "document_invalid".into(), message, problems: Some(problems) }
    }

    /// A file or stream that failed.
    pub(crate) fn io(what: &str, error: &io::Error) -> Self {
        Self::new("io", format!("{what}: {error}"))
    }

    /// Writes the failure: text to standard error, with `--format json` also JSON to standard output.
    pub(crate) fn report(&self, format: Format) -> ExitCode {
        // A reader that went away has no use for the rest.
        let _ = writeln!(io::stderr(), "error: {}", plain_lines(&self.message));
        if format == Format::Json {
            let mut error = json!({ "code": self.code, "message": self.message });
            if let Some(problems) = &self.problems {
                error["problems"] = json!(problems);
            }
            let _ = writeln!(io::stdout(), "{}", json!({ "error": error }));
        }
        ExitCode::from(self.exit)
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

/// Writes one JSON value as a line.
pub(crate) fn line(out: &mut impl Write, value: &Value) -> Result<(), Failure> {
    writeln!(out, "{value}").map_err(|error| Failure::io("standard output", &error))
}

/// Writes a whole text.
pub(crate) fn text(text: &str) -> Result<(), Failure> {
    io::stdout().write_all(text.as_bytes()).map_err(|error| Failure::io("standard output", &error))
}

/// A name as it is shown: control and direction characters escaped, so that no name can move the cursor or mislead.
pub(crate) fn plain(text: &str) -> String {
    text.chars().map(|c| if needs_escape(c) { c.escape_unicode().to_string() } else { c.to_string() }).collect()
}

/// As [`plain`], but line breaks stay.
fn plain_lines(text: &str) -> String {
    text.split('\n').map(plain).collect::<Vec<_>>().join("\n")
}

fn needs_escape(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2028}' | '\u{2029}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
}

/// A word quoted for a POSIX shell, so that it can be copied into a command.
pub(crate) fn shell(word: &str) -> String {
    format!("'{}'", word.replace('\'', r"'\''"))
}

/// A table with aligned columns; the last column is not padded.
pub(crate) fn table(head: &[&str], rows: &[Vec<String>]) -> String {
    let rows: Vec<Vec<String>> = rows.iter().map(|row| row.iter().map(|cell| plain(cell)).collect()).collect();
    let widths: Vec<usize> = (0..head.len())
        .map(|column| {
            let cells = rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count());
            cells.chain(head.get(column).map(|cell| cell.chars().count())).max().unwrap_or_default()
        })
        .collect();
    let write = |cells: Vec<&str>| {
        let padded: Vec<String> = cells.iter().zip(&widths).map(|(cell, width)| format!("{cell:width$}")).collect();
        format!("{}\n", padded.join("  ").trim_end())
    };
    let mut text = write(head.to_vec());
    for row in &rows {
        text.push_str(&write(row.iter().map(String::as_str).collect()));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_cannot_move_the_cursor() {
        assert_eq!(plain("a\u{1b}[2Jb\u{202e}c é"), "a\\u{1b}[2Jb\\u{202e}c é");
        assert_eq!(table(&["A", "B"], &[vec!["x\ny".into(), "z".into()]]), "A        B\nx\\u{a}y  z\n");
    }
}
