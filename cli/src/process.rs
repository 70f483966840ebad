//! What a run of the program is given: arguments, variables, folder, terminal and streams. Nothing
//! else in this crate asks the operating system for them, so that many runs fit into one process.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use anstream::adapter::strip_str;

/// What the streams of a run are connected to.
#[derive(Debug, Clone, Copy, Default)]
pub struct Terminal {
    /// Whether standard input is a terminal, so that somebody can answer a question.
    pub input: bool,
    /// Whether standard output is a terminal.
    pub output: bool,
    /// Whether standard error is a terminal, so that progress can be shown there.
    pub error: bool,
    /// The columns of the terminal of standard output.
    pub width: Option<usize>,
    /// Whether Ctrl-C means this run alone, so that a command can handle it.
    pub interrupts: bool,
}

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

/// One run of the program.
#[derive(Clone)]
pub(crate) struct Process {
    /// The arguments, without the name of the program.
    pub(crate) arguments: Vec<OsString>,
    pub(crate) environment: BTreeMap<OsString, OsString>,
    /// Where relative paths start.
    pub(crate) folder: PathBuf,
    pub(crate) terminal: Terminal,
    /// What the flags say about standard error.
    pub(crate) notes: Notes,
    /// The width that tables fit into; `None` without a limit.
    pub(crate) width: Option<usize>,
    pub(crate) has_colors: bool,
    input: Arc<Input>,
    output: Output,
    error: Output,
}

/// Standard input, and whether it has a reader already; a second one would read nothing.
struct Input {
    stream: Mutex<Box<dyn Read + Send>>,
    has_reader: AtomicBool,
}

/// Standard output or standard error.
#[derive(Clone)]
pub(crate) struct Output(Arc<Mutex<Box<dyn Write + Send>>>);

impl Process {
    pub(crate) fn new(
        arguments: Vec<OsString>,
        environment: BTreeMap<OsString, OsString>,
        folder: PathBuf,
        terminal: Terminal,
        input: Box<dyn Read + Send>,
        output: Box<dyn Write + Send>,
        error: Box<dyn Write + Send>,
    ) -> Self {
        let input = Arc::new(Input {
            stream: Mutex::new(input),
            has_reader: AtomicBool::new(false),
        });
        let [output, error] = [output, error].map(|stream| Output(Arc::new(Mutex::new(stream))));
        // The flags are not parsed yet, and help and errors have colors, too.
        let has_colors = !arguments.iter().any(|argument| argument == "--no-color");
        let notes = Notes::Normal;
        let mut process = Self {
            arguments,
            environment,
            folder,
            terminal,
            notes,
            width: terminal.width,
            has_colors,
            input,
            output,
            error,
        };
        let stated = process
            .variable("COLUMNS")
            .and_then(|text| text.trim().parse().ok());
        process.width = stated.filter(|width| *width > 0).or(terminal.width);
        process
    }

    /// The arguments as text.
    pub(crate) fn words(&self) -> Vec<String> {
        self.arguments
            .iter()
            .map(|word| word.to_string_lossy().into_owned())
            .collect()
    }

    /// A variable as text; `None` if it is not set, or is not text.
    pub(crate) fn variable(&self, name: &str) -> Option<String> {
        self.variable_os(name)?.to_str().map(str::to_owned)
    }

    pub(crate) fn variable_os(&self, name: &str) -> Option<&OsStr> {
        self.environment
            .get(OsStr::new(name))
            .map(OsString::as_os_str)
    }

    /// The value of a variable, unless it is empty.
    pub(crate) fn path_variable(&self, name: &str) -> Option<PathBuf> {
        let value = self.variable_os(name)?;
        (!value.is_empty()).then(|| value.into())
    }

    /// Whether a variable is set and not empty.
    fn has_text(&self, name: &str) -> bool {
        self.variable_os(name)
            .is_some_and(|value| !value.is_empty())
    }

    /// Where a path of the arguments or of the environment leads.
    pub(crate) fn path(&self, path: &Path) -> PathBuf {
        self.folder.join(path)
    }

    /// Standard input, for one reader.
    pub(crate) fn only_input(&self) -> Option<impl Read + use<>> {
        let is_free = !self.input.has_reader.swap(true, Ordering::Relaxed);
        is_free.then(|| self.input())
    }

    /// Standard input, even if a document was read from it: a terminal goes on after its end.
    pub(crate) fn input(&self) -> impl Read + use<> {
        InputReader(Arc::clone(&self.input))
    }

    /// Standard output, for bytes that stay as they are.
    pub(crate) fn output(&self) -> Output {
        self.output.clone()
    }

    /// Standard error, for bytes that stay as they are.
    pub(crate) fn error(&self) -> Output {
        self.error.clone()
    }

    /// Writes a text to standard output, with its colors if they are shown.
    pub(crate) fn print(&self, text: &str) -> io::Result<()> {
        self.output()
            .print(text, self.shows_colors(self.terminal.output))
    }

    /// Writes a text to standard error, with its colors if they are shown.
    pub(crate) fn print_error(&self, text: &str) -> io::Result<()> {
        self.error()
            .print(text, self.shows_colors(self.terminal.error))
    }

    /// Whether a stream shows colors, by the rules of `anstream`, which asks the environment of the
    /// whole process.
    fn shows_colors(&self, is_terminal: bool) -> bool {
        if !self.has_colors || self.has_text("NO_COLOR") {
            return false;
        }
        if self.has_text("CLICOLOR_FORCE") {
            return true;
        }
        let is_able = match self.variable_os("TERM") {
            Some(name) => name != "dumb",
            None => cfg!(windows),
        };
        match self.variable_os("CLICOLOR") {
            Some(value) => value != "0" && is_terminal,
            None => is_terminal && (is_able || self.variable_os("CI").is_some()),
        }
    }
}

impl Output {
    fn stream(&self) -> MutexGuard<'_, Box<dyn Write + Send>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn print(&mut self, text: &str, has_colors: bool) -> io::Result<()> {
        if has_colors {
            return self.write_all(text.as_bytes());
        }
        self.write_all(strip_str(text).to_string().as_bytes())
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.stream().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.stream().flush()
    }
}

struct InputReader(Arc<Input>);

impl Read for InputReader {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        self.0
            .stream
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .read(bytes)
    }
}

impl fmt::Debug for Process {
    /// Without the environment, which contains passwords.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Process")
            .field("folder", &self.folder)
            .field("terminal", &self.terminal)
            .finish_non_exhaustive()
    }
}
