//! Output of commands: exit codes, failures, JSON, YAML, tables, and text that is safe on a
//! terminal.

use std::fmt;
use std::io::{self, Write};
use std::path::Path;

use anstyle::{AnsiColor, Style};
use gbac_engine::Assumptions;
use gbac_engine::decide::Outcome;
use gbac_engine::escape::{is_hidden, visible, visible_json};
use gbac_engine::model::Permission;
use gbac_engine::policy::Policy;
use gbac_json::Problems;
use gbac_server::private_file;
use gbac_words::common::acls_and_roles;
use gbac_words::decision;
use gbac_words::rich_text::RichText;
#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::process::{Notes, Process};
use crate::secrets::{redacted, redacted_problems};

/// The failure of a command, or of one check of `--checks`.
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[derive(Debug, Serialize)]
pub(crate) struct ErrorResult<'a> {
    /// The error.
    pub(crate) error: CommandError<'a>,
}

/// An error.
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[derive(Debug, Serialize)]
pub(crate) struct CommandError<'a> {
    /// The stable code.
    pub(crate) code: &'a str,
    /// The error and what to do.
    pub(crate) message: &'a str,
    /// The problems of a document, if the error is about one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) problems: Option<&'a Problems>,
}

/// Output format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    /// Human-readable text.
    Text,
    /// One JSON value.
    Json,
    /// The same value as YAML.
    Yaml,
}

/// The command did what it says.
pub(crate) const SUCCESS: u8 = 0;
/// An error.
pub(crate) const ERROR: u8 = 1;
/// `check` was denied.
pub(crate) const DENIED: u8 = 2;
/// The arguments are invalid.
pub(crate) const INVALID_USAGE: u8 = 64;

/// The exit code of a command that has no failure, but a result that can be bad.
pub(crate) const fn exit_code(is_good: bool) -> u8 {
    if is_good { SUCCESS } else { ERROR }
}

/// Why a command failed.
#[derive(Debug)]
pub(crate) struct Failure {
    exit: u8,
    code: String,
    message: String,
    problems: Option<Problems>,
    /// Whether nothing reads the message.
    silent: bool,
}

impl Failure {
    /// An error with a stable code.
    pub(crate) fn new(code: impl Into<String>, message: impl Into<String>) -> Self {
        Self {
            exit: ERROR,
            code: code.into(),
            message: message.into(),
            problems: None,
            silent: false,
        }
    }

    /// An invalid combination of arguments.
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self::value("usage", message)
    }

    /// A flag value that cannot be read.
    pub(crate) fn value(code: impl Into<String>, message: impl Into<String>) -> Self {
        Self {
            exit: INVALID_USAGE,
            ..Self::new(code, message)
        }
    }

    /// Standard output failed. If its reader closed it, there is no message.
    pub(crate) fn standard_output(error: &io::Error) -> Self {
        Self {
            silent: error.kind() == io::ErrorKind::BrokenPipe,
            ..Self::io("standard output", error)
        }
    }

    /// An invalid document with its problems; `what` names the file.
    pub(crate) fn problems(what: &str, problems: Problems) -> Self {
        let (what, problems) = (plain(what), redacted_problems(problems));
        let message = problems.0.iter().fold(format!("{what}:"), |all, problem| {
            format!("{all}\n  {}", plain(&problem.to_string()))
        });
        Self {
            problems: Some(problems),
            ..Self::new("document_invalid", message)
        }
    }

    /// A file or stream that failed.
    pub(crate) fn io(what: &str, error: &io::Error) -> Self {
        use io::ErrorKind::{
            AlreadyExists, FileTooLarge, InvalidData, InvalidFilename, IsADirectory, NotADirectory,
            NotFound, PermissionDenied, StorageFull,
        };
        if let Some(hint) = private_file::hint(error) {
            return Self::new(
                "file_exposed",
                format!("{}; {hint}", plain(&error.to_string())),
            );
        }
        let what = plain(what);
        let why = match error.kind() {
            NotFound => "no such file; check its name and folder",
            PermissionDenied => "permission denied; check the file's permissions",
            IsADirectory => "this is a folder; name a file",
            NotADirectory => "part of the path is not a folder; check the path",
            InvalidData => "it is not UTF-8 text; convert it, or name another file",
            InvalidFilename => "the name is too long for a file; check it",
            AlreadyExists => "the file already exists; choose another name",
            FileTooLarge => {
                return Self::new(
                    "input_too_long",
                    format!("{what}: it is too long; check that it ends"),
                );
            }
            StorageFull => "no space is left; free some and repeat the command",
            _ => {
                let text = error.to_string();
                let text = without_number(&text);
                return Self::new(
                    "io",
                    format!("{what}: {text}; check that it can be read and written"),
                );
            }
        };
        Self::new("io", format!("{what}: {why}"))
    }

    /// Writes the failure to standard error, and for formats other than text also to standard
    /// output.
    pub(crate) fn report(&self, process: &Process, format: Format) -> u8 {
        if self.silent {
            return self.exit;
        }
        let message = redacted(&self.message);
        // A closed standard error is ignored.
        let _ = process.print_error(&format!(
            "{} {}\n",
            paint(BAD, "error:"),
            plain_lines(&message)
        ));
        if format != Format::Text {
            let (code, problems) = (self.code.as_str(), self.problems.as_ref());
            let error = CommandError {
                code,
                message: &message,
                problems,
            };
            let _ = value(process, format, &ErrorResult { error });
        }
        self.exit
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

/// The JSON of a result, whose members are sorted.
fn json_value(result: &impl Serialize) -> Result<Value, Failure> {
    serde_json::to_value(result).map_err(|error| Failure::new("json", error.to_string()))
}

/// Writes one JSON value as a line.
fn line(out: &mut impl Write, value: &Value) -> Result<(), Failure> {
    writeln!(out, "{}", json_text(value)).map_err(|error| Failure::standard_output(&error))
}

/// Writes a result to standard output as JSON or YAML.
pub(crate) fn value(
    process: &Process,
    format: Format,
    result: &impl Serialize,
) -> Result<(), Failure> {
    let value = json_value(result)?;
    if format == Format::Yaml {
        return document(process, &yaml_text(&value)?);
    }
    line(&mut process.output(), &value)
}

/// Writes one result of a stream: a line of JSON, or a YAML document.
pub(crate) fn stream_value(
    out: &mut impl Write,
    format: Format,
    result: &impl Serialize,
) -> Result<(), Failure> {
    let value = json_value(result)?;
    if format == Format::Yaml {
        let text = format!("---\n{}", yaml_text(&value)?);
        return out
            .write_all(text.as_bytes())
            .map_err(|error| Failure::standard_output(&error));
    }
    line(out, &value)
}

/// A value as one line of JSON. Characters that could control a terminal are escaped.
fn json_text(value: &Value) -> String {
    let text = value.to_string();
    if text.bytes().all(|byte| byte < 0x7f) {
        text
    } else {
        visible_json(&text)
    }
}

/// A value as YAML, or as JSON (which is also YAML) if it contains characters that YAML would not
/// escape.
fn yaml_text(value: &Value) -> Result<String, Failure> {
    let text =
        serde_saphyr::to_string(value).map_err(|error| Failure::new("yaml", error.to_string()))?;
    let safe = text.chars().all(|c| c == '\n' || !is_hidden(c));
    let text = if safe { text } else { json_text(value) };
    Ok(if text.ends_with('\n') {
        text
    } else {
        text + "\n"
    })
}

/// Writes text, with colors if the terminal supports them and `NO_COLOR` is not set.
pub(crate) fn text(process: &Process, text: &str) -> Result<(), Failure> {
    process
        .print(text)
        .map_err(|error| Failure::standard_output(&error))
}

/// Writes a document or script unchanged.
pub(crate) fn document(process: &Process, text: &str) -> Result<(), Failure> {
    process
        .output()
        .write_all(text.as_bytes())
        .map_err(|error| Failure::standard_output(&error))
}

/// Replaces the content of a file.
pub(crate) fn file(process: &Process, path: &Path, content: &str) -> Result<(), Failure> {
    std::fs::write(process.path(path), content)
        .map_err(|error| Failure::io(&path.display().to_string(), &error))
}

/// Writes a note to standard error, unless `--quiet` hides notes.
pub(crate) fn note(process: &Process, text: &str) {
    if process.notes != Notes::Quiet {
        problem(process, text);
    }
}

/// Writes a line about a part that failed, or that a question is about, to standard error.
pub(crate) fn problem(process: &Process, text: &str) {
    // A closed standard error is ignored.
    let _ = process.print_error(&format!("{}\n", plain_lines(&redacted(text))));
}

/// The size of a policy: `2 ACLs and 1 role`.
pub(crate) fn contents(policy: &Policy) -> String {
    acls_and_roles(policy.acl_count(), policy.role_count())
}

/// Style of a good result.
pub(crate) const GOOD: Style = AnsiColor::Green.on_default();
/// Style of a good result that depends on something that was not checked.
const ASSUMED: Style = AnsiColor::Blue.on_default();
/// Style of a bad result.
pub(crate) const BAD: Style = AnsiColor::Red.on_default().bold();
/// A text in a style.
pub(crate) fn paint(style: Style, text: &str) -> String {
    format!("{style}{text}{style:#}")
}

/// The style of an outcome.
pub(crate) const fn outcome_style(outcome: Outcome) -> Style {
    match outcome {
        Outcome::Allow => GOOD,
        Outcome::Deny => BAD,
    }
}

/// A verdict with what it takes for granted, and its style.
pub(crate) fn assuming(verdict: &str, outcome: Outcome, assumed: Assumptions) -> (String, Style) {
    let text = decision::assuming(verdict, outcome, assumed);
    match outcome {
        Outcome::Allow if !assumed.is_empty() => (text, ASSUMED),
        Outcome::Allow | Outcome::Deny => (text, outcome_style(outcome)),
    }
}

/// The style of a permission.
pub(crate) const fn permission_style(permission: Permission) -> Style {
    match permission {
        Permission::Allow => GOOD,
        Permission::Deny => BAD,
    }
}

/// `Allowed` or `Denied`, in its style.
pub(crate) fn outcome(outcome: Outcome) -> String {
    paint(outcome_style(outcome), decision::outcome(outcome))
}

/// A text with hidden characters escaped, so that no name can move the cursor or mislead.
pub(crate) fn plain(text: &str) -> String {
    visible(text)
}

/// The message of an error without the number that the operating system gives it.
pub(crate) fn without_number(message: &str) -> &str {
    message.split(" (os error").next().unwrap_or_default()
}

/// A sentence as plain text.
pub(crate) fn sentence(words: &RichText) -> String {
    words.render(plain)
}

/// Like [`plain`], but keeps line breaks.
pub(crate) fn plain_lines(text: &str) -> String {
    text.split('\n').map(plain).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn names_cannot_move_the_cursor() {
        assert_eq!(plain("a\u{1b}[2Jb\u{202e}c é"), "a\\u{1b}[2Jb\\u{202e}c é");
        let value = json!({ "a\u{7f}": "b\u{202e}\u{1b}日" });
        assert_eq!(json_text(&value), r#"{"a\u007f":"b\u202e\u001b日"}"#);
        assert_eq!(
            serde_json::from_str::<Value>(&json_text(&value)).unwrap(),
            value
        );
    }

    #[test]
    fn yaml_is_read_back_as_the_same_value() {
        let value = json!({ "": [], "a b": { "x": null, "y": [1, 2.5, true, "true", "null", "~", "1", "0x1f", "1e3", "no"] },
            "texts": ["", " edges ", "- x", "a: b", "# c", "*", "&a", "!t", "'", "\"", "%", "@", "`", "a\nb\n", "\n", "tab\t", "é日", "2026-11-22", "{", "[", "|", ">", "?", ":", "-", "=", "<<"],
            "list": [[], {}, [[1]], { "a": [] }] });
        let text = yaml_text(&value).unwrap();
        assert_eq!(
            serde_saphyr::from_str::<Value>(&text).unwrap(),
            value,
            "{text}"
        );
        assert!(
            text.contains("\ntexts:\n") || text.starts_with("texts:"),
            "{text}"
        );
        let odd = json!({ "a": "b\u{1b}\u{202e}" });
        assert_eq!(
            serde_saphyr::from_str::<Value>(&yaml_text(&odd).unwrap()).unwrap(),
            odd
        );
        assert!(!yaml_text(&odd).unwrap().contains('\u{202e}'));
    }
}
