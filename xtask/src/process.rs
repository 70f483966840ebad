//! Runs programs, and keeps their output to show it if they fail.

use crate::problem::{Problem, Result};
use crate::progress::{Progress, Step};
use std::env;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Progress lines of cargo, which say nothing about a failure.
const NOISE: [&str; 8] = [
    "Compiling",
    "Checking",
    "Downloading",
    "Downloaded",
    "Blocking",
    "Updating",
    "Locking",
    "Adding",
];

/// A program with its arguments, ready to run.
pub(crate) struct Call {
    command: Command,
}

/// The result of a program.
pub(crate) struct Ended {
    /// Whether it exited with 0.
    pub(crate) success: bool,
    /// The lines of standard output and standard error, in order.
    pub(crate) lines: Vec<String>,
    /// The command, as typed in a shell.
    command_line: String,
}

/// A call of the cargo that runs this program.
pub(crate) fn cargo(root: &Path) -> Call {
    let cargo = env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo"));
    Call::new(cargo, root).env("CARGO_TERM_COLOR", "never")
}

impl Call {
    /// A call of `program` in the folder `dir`.
    pub(crate) fn new(program: impl AsRef<OsStr>, dir: &Path) -> Self {
        let mut command = Command::new(program);
        command.current_dir(dir).stdin(Stdio::null());
        // `cargo run` sets variables about this package. If they were inherited, build scripts that
        // watch them (like ring's) would run again when cargo is called alternately with and
        // without xtask.
        for (name, _) in env::vars_os() {
            let name_text = name.to_string_lossy();
            if name_text.starts_with("CARGO_PKG_") || name_text.starts_with("CARGO_MANIFEST_") {
                command.env_remove(&name);
            }
        }
        Self { command }
    }

    /// Adds arguments.
    pub(crate) fn args<A: AsRef<OsStr>>(mut self, args: impl IntoIterator<Item = A>) -> Self {
        self.command.args(args);
        self
    }

    /// Sets a variable of the environment.
    pub(crate) fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.command.env(name, value);
        self
    }

    /// Removes a variable of the environment.
    pub(crate) fn without_env(mut self, name: &str) -> Self {
        self.command.env_remove(name);
        self
    }

    /// Puts folders in front of `PATH`.
    pub(crate) fn path(self, folders: &[PathBuf]) -> Self {
        let rest = env::var_os("PATH").unwrap_or_default();
        let all = folders.iter().cloned().chain(env::split_paths(&rest));
        match env::join_paths(all) {
            Ok(path) => self.env("PATH", path),
            Err(_) => self, // a folder with a separator in its name cannot be in PATH at all
        }
    }

    /// The command, as typed in a shell.
    pub(crate) fn command_line(&self) -> String {
        let program = self.command.get_program();
        let name = Path::new(program).file_stem().unwrap_or(program);
        let mut line = name.to_string_lossy().into_owned();
        for arg in self.command.get_args() {
            line.push(' ');
            line.push_str(&arg.to_string_lossy());
        }
        line
    }

    /// Runs to the end and keeps every line; `step` shows the newest one. Returns an error only if
    /// it cannot be started.
    pub(crate) fn finish(mut self, step: Option<&Step<'_>>) -> Result<Ended> {
        let result = run(&mut self.command, step);
        self.ended(result)
    }

    /// Runs to the end with all output in `file`, and reads it afterwards.
    pub(crate) fn finish_into(mut self, file: &Path) -> Result<Ended> {
        let result = run_into(&mut self.command, file);
        self.ended(result)
    }

    fn ended(&self, result: io::Result<(bool, Vec<String>)>) -> Result<Ended> {
        let command_line = self.command_line();
        match result {
            Ok((success, lines)) => Ok(Ended {
                success,
                lines,
                command_line,
            }),
            Err(error) => Err(Problem::new(format!(
                "cannot run `{command_line}`: {error}"
            ))),
        }
    }

    /// Runs to the end; returns an error with the program's output if it fails.
    pub(crate) fn succeed(self, step: Option<&Step<'_>>) -> Result<Vec<String>> {
        self.finish(step)?.into_result()
    }

    /// Runs to the end as a step with its own lines; `done` is the last one.
    pub(crate) fn step(
        self,
        progress: &Progress,
        name: &str,
        what: &str,
        done: &str,
    ) -> Result<()> {
        let step = progress.slow(name, what);
        self.succeed(Some(&step))?;
        step.done(done);
        Ok(())
    }

    /// The first line of output; `None` if it cannot run.
    pub(crate) fn first_line(self) -> Option<String> {
        let ended = self.finish(None).ok()?;
        ended
            .success
            .then(|| ended.lines.into_iter().next())
            .flatten()
    }

    /// Returns the prepared command, to give it the terminal.
    pub(crate) fn into_command(self) -> Command {
        self.command
    }
}

impl Ended {
    /// The lines if the program succeeded, otherwise an error with the lines.
    pub(crate) fn into_result(self) -> Result<Vec<String>> {
        if self.success {
            Ok(self.lines)
        } else {
            Err(Problem::new(format!("`{}` failed", self.command_line))
                .output(without_noise(self.lines)))
        }
    }
}

/// Removes cargo's progress lines.
pub(crate) fn without_noise(lines: Vec<String>) -> Vec<String> {
    let noisy = |line: &String| {
        let first = line.split_whitespace().next().unwrap_or("");
        line.starts_with(' ') && NOISE.contains(&first)
    };
    lines.into_iter().filter(|line| !noisy(line)).collect()
}

/// Runs a program with both outputs in one pipe, so that the lines keep their order.
fn run(command: &mut Command, step: Option<&Step<'_>>) -> io::Result<(bool, Vec<String>)> {
    let (reader, writer) = io::pipe()?;
    command.stdout(writer.try_clone()?).stderr(writer);
    let mut child = command.spawn()?;
    // The command owns our ends of the pipe; unless they are closed, the pipe never ends.
    command.stdout(Stdio::null()).stderr(Stdio::null());
    let mut lines = Vec::new();
    for line in BufReader::new(reader).split(b'\n') {
        let line = to_line(&line?);
        if let Some(step) = step {
            step.latest(&line);
        }
        lines.push(line);
    }
    Ok((child.wait()?.success(), lines))
}

/// Runs a program with both outputs in one file.
fn run_into(command: &mut Command, file: &Path) -> io::Result<(bool, Vec<String>)> {
    if let Some(folder) = file.parent() {
        fs::create_dir_all(folder)?;
    }
    let log = File::create(file)?;
    let success = command
        .stdout(log.try_clone()?)
        .stderr(log)
        .status()?
        .success();
    let bytes = fs::read(file)?;
    let text = bytes.strip_suffix(b"\n").unwrap_or(&bytes);
    Ok((
        success,
        text.split(|&byte| byte == b'\n').map(to_line).collect(),
    ))
}

fn to_line(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes)
        .trim_end_matches('\r')
        .to_owned()
}

/// Finds a program in `PATH`, like a shell.
pub(crate) fn find(name: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    let endings: &[&str] = if cfg!(windows) {
        &[".exe", ".cmd", ".bat"]
    } else {
        &[""]
    };
    env::split_paths(&path)
        .flat_map(|dir| {
            endings
                .iter()
                .map(move |ending| dir.join(format!("{name}{ending}")))
        })
        .find(|file| is_program(file))
}

/// Whether `file` is executable.
pub(crate) fn is_program(file: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        file.metadata()
            .is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
    }
    #[cfg(not(unix))]
    {
        file.is_file()
    }
}

#[cfg(test)]
mod tests {
    use super::{Call, find, without_noise};
    use std::path::Path;

    #[test]
    fn keeps_both_outputs_in_order() {
        let script = "console.log('one'); console.error('two'); process.exit(3)";
        let node = find("node").unwrap();
        let ended = Call::new(node, Path::new("."))
            .args(["-e", script])
            .finish(None)
            .unwrap();
        assert!(!ended.success);
        assert_eq!(ended.lines, ["one", "two"]);
        let problem = ended.into_result().unwrap_err().to_string();
        assert!(problem.contains("    one\n    two\n"), "{problem}");
        assert!(problem.contains("`node -e "), "{problem}");
    }

    #[test]
    fn a_program_that_is_not_there_is_named() {
        let problem = Call::new("no-such-program", Path::new("."))
            .succeed(None)
            .unwrap_err();
        assert!(
            problem
                .message()
                .starts_with("cannot run `no-such-program`"),
            "{problem}"
        );
        assert_eq!(find("no-such-program"), None);
    }

    #[test]
    fn drops_only_the_chatter_of_cargo() {
        let lines = [
            "   Compiling serde v1.0.0",
            "error[E0432]: unresolved import",
            "Compiling is what I test",
        ];
        let kept = without_noise(lines.map(str::to_owned).to_vec());
        assert_eq!(
            kept,
            [
                "error[E0432]: unresolved import",
                "Compiling is what I test"
            ]
        );
    }
}
