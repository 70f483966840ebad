//! The error of a task: what failed, how to fix it, and the output of the failed program.

use std::fmt;

/// The error of a command, with output and hints for a terminal.
#[derive(Debug, Clone)]
pub(crate) struct Problem {
    /// The message: lower case, no final period.
    message: String,
    /// The recommended action, if known.
    hint: Option<String>,
    /// The output of the program that failed, oldest line first.
    output: Vec<String>,
}

/// The result of every task.
pub(crate) type Result<T> = std::result::Result<T, Problem>;

impl Problem {
    /// Creates an error with a message.
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            hint: None,
            output: Vec::new(),
        }
    }

    /// Adds the recommended action.
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Adds the output of the program that failed.
    pub(crate) fn output(mut self, lines: Vec<String>) -> Self {
        self.output = lines;
        self
    }

    /// The one-line message, for a progress line.
    pub(crate) fn message(&self) -> &str {
        &self.message
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for line in &self.output {
            writeln!(f, "    {line}")?;
        }
        write!(f, "error: {}", self.message)?;
        if let Some(hint) = &self.hint {
            write!(f, "\n what to do: {hint}")?;
        }
        Ok(())
    }
}
