//! Runs command lines of `gbac` in this process, and programs as processes, both without personal
//! settings.

use std::collections::BTreeMap;
use std::env;
use std::ffi::{OsStr, OsString};
use std::io::{self, Cursor, Write};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};

use gbac::Terminal;
use tokio::net::TcpSocket;

use super::schemas;

/// Variables that change the output of our programs, of a shell or of curl, in addition to those
/// that begin with `GBAC_`.
const PERSONAL: [&str; 18] = [
    "ALL_PROXY",
    "BASH_ENV",
    "CLICOLOR",
    "CLICOLOR_FORCE",
    "COLUMNS",
    "CURL_HOME",
    "ENV",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "LINES",
    "NO_COLOR",
    "NO_PROXY",
    "RUST_LOG",
    "SSL_CERT_DIR",
    "SSL_CERT_FILE",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
    "XDG_STATE_HOME",
];

/// Whether a variable is a personal setting.
fn is_personal(name: &OsStr) -> bool {
    let name = name.to_string_lossy().to_ascii_uppercase();
    name.starts_with("GBAC_") || PERSONAL.contains(&name.as_str())
}

/// The variables of this process without personal settings, and with a home folder that does not
/// exist.
fn environment() -> BTreeMap<OsString, OsString> {
    let mut environment: BTreeMap<OsString, OsString> = env::vars_os()
        .filter(|(name, _)| !is_personal(name))
        .collect();
    let nowhere = env::current_exe()
        .unwrap_or_default()
        .with_extension("home");
    environment.insert("HOME".into(), nowhere.into());
    environment
}

/// Any program, without personal settings.
#[must_use]
pub(crate) fn program(program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(program);
    command.env_clear().envs(environment());
    command
}

/// The built `gbac`: `GBAC_BIN`, or the one next to the running test.
///
/// # Panics
/// If it is missing; the message explains how to build it.
#[must_use]
pub(crate) fn gbac() -> PathBuf {
    if let Some(path) = std::env::var_os("GBAC_BIN") {
        return path.into();
    }
    let test = std::env::current_exe().expect("a test knows where it is");
    let folder = test
        .ancestors()
        .nth(2)
        .expect("tests are in <profile>/deps");
    let path = folder.join(format!("gbac{}", std::env::consts::EXE_SUFFIX));
    assert!(
        path.is_file(),
        "{} is not there; run `cargo build -p gbac`, or set GBAC_BIN",
        path.display()
    );
    path
}

/// The built `gbac` as a process: for what only a process has, such as signals, pipes, shells and
/// `serve`.
#[must_use]
pub(crate) fn process() -> Command {
    program(gbac())
}

/// A command line of `gbac` that runs in this process.
#[derive(Debug)]
pub(crate) struct CommandLine {
    arguments: Vec<OsString>,
    environment: BTreeMap<OsString, OsString>,
}

/// A command line of `gbac`, without personal settings.
#[must_use]
pub(crate) fn command() -> CommandLine {
    CommandLine {
        arguments: Vec::new(),
        environment: environment(),
    }
}

impl CommandLine {
    pub(crate) fn arg(&mut self, argument: impl AsRef<OsStr>) -> &mut Self {
        self.args([argument])
    }

    pub(crate) fn args(
        &mut self,
        arguments: impl IntoIterator<Item = impl AsRef<OsStr>>,
    ) -> &mut Self {
        self.arguments.extend(
            arguments
                .into_iter()
                .map(|argument| argument.as_ref().to_owned()),
        );
        self
    }

    pub(crate) fn env(&mut self, name: &str, value: impl AsRef<OsStr>) -> &mut Self {
        self.environment
            .insert(name.into(), value.as_ref().to_owned());
        self
    }

    pub(crate) fn envs<'a>(
        &mut self,
        variables: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> &mut Self {
        for (name, value) in variables {
            self.env(name, value);
        }
        self
    }
}

/// The result of a command.
#[derive(Debug)]
pub(crate) struct Run {
    /// The exit code.
    pub(crate) exit: i32,
    /// Standard output.
    pub(crate) out: String,
    /// Standard error.
    pub(crate) err: String,
}

impl Run {
    /// The standard output of a successful command.
    ///
    /// # Panics
    /// If it failed, or wrote to standard error.
    pub(crate) fn done(self) -> String {
        assert_eq!((self.exit, self.err.as_str()), (0, ""), "{}", self.out);
        self.out
    }

    /// The error output of a command that ended with this exit code.
    ///
    /// # Panics
    /// If it ended with another.
    #[must_use]
    pub(crate) fn failed(self, exit: i32) -> String {
        assert_eq!(self.exit, exit, "{}{}", self.out, self.err);
        assert!(self.err.starts_with("error: "), "{}", self.err);
        self.err
    }
}

/// Writes a file that only its owner can read, as one with a secret should be.
pub(crate) fn write_secret(path: &Path, content: impl AsRef<[u8]>) {
    std::fs::write(path, content).expect("a file");
    #[cfg(unix)]
    std::fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(0o600))
        .expect("a mode");
}

/// What a run writes to a stream.
#[derive(Debug, Clone, Default)]
struct Written(Arc<Mutex<Vec<u8>>>);

impl Written {
    fn text(&self) -> String {
        String::from_utf8_lossy(&self.0.lock().expect("a stream")).into_owned()
    }
}

impl Write for Written {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().expect("a stream").write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Runs a command line in a folder to its end, with a text as standard input and without a
/// terminal. Its JSON has to be as its schema describes it.
#[must_use]
pub(crate) fn run(command: CommandLine, folder: &Path, stdin: &str) -> Run {
    run_on(Terminal::default(), command, folder, stdin)
}

/// The same with streams that are a terminal.
#[must_use]
pub(crate) fn run_on(terminal: Terminal, command: CommandLine, folder: &Path, stdin: &str) -> Run {
    let CommandLine {
        arguments,
        environment,
    } = command;
    let words: Vec<String> = arguments
        .iter()
        .map(|word| word.to_string_lossy().into_owned())
        .collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let has = |word: &str| words.contains(&word);
    let run = if has("serve") && !has("--check-config") && !has("--help") {
        // A service takes the whole process: its signals, its log and its streams.
        let mut service = process();
        service.args(arguments).envs(environment);
        run_program(service, folder)
    } else {
        let (output, error) = (Written::default(), Written::default());
        let (input, folder) = (Cursor::new(stdin.to_owned()), folder.to_owned());
        let exit = gbac::run(
            arguments,
            environment,
            folder,
            terminal,
            input,
            output.clone(),
            error.clone(),
        );
        Run {
            exit: exit.into(),
            out: output.text(),
            err: error.text(),
        }
    };
    let _ = schemas::checked(&words, run.exit, &run.out);
    run
}

/// Runs a program in a folder to its end, without input.
#[must_use]
pub(crate) fn run_program(mut command: Command, folder: &Path) -> Run {
    let done = command
        .current_dir(folder)
        .stdin(Stdio::null())
        .output()
        .expect("the program starts");
    Run {
        exit: done.status.code().expect("the program ends by itself"),
        out: String::from_utf8_lossy(&done.stdout).into_owned(),
        err: String::from_utf8_lossy(&done.stderr).into_owned(),
    }
}

/// A reserved loopback address without a listener: connections to it are refused while this exists.
#[derive(Debug)]
pub(crate) struct Nobody {
    _socket: TcpSocket,
    address: SocketAddr,
}

impl Nobody {
    /// Reserves an address.
    ///
    /// # Panics
    /// If there is no free port.
    #[must_use]
    pub(crate) fn there() -> Self {
        let socket = TcpSocket::new_v4().expect("a socket");
        socket.bind(([127, 0, 0, 1], 0).into()).expect("a port");
        let address = socket.local_addr().expect("an address");
        Self {
            _socket: socket,
            address,
        }
    }

    /// The URL of the address.
    #[must_use]
    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }
}

#[cfg(test)]
mod tests {
    use std::net::{TcpListener, TcpStream};

    use super::*;

    #[test]
    fn personal_settings_are_left_out() {
        for name in [
            "GBAC_URL",
            "GBAC_ADMIN_PASSWORD",
            "GBAC_SOMETHING_NEW",
            "NO_COLOR",
            "https_proxy",
        ] {
            assert!(is_personal(OsStr::new(name)), "{name}");
        }
        for name in ["PATH", "TMPDIR", "LANG", "CARGO_MANIFEST_DIR"] {
            assert!(!is_personal(OsStr::new(name)), "{name}");
        }
        let home = program("true");
        let home = home
            .get_envs()
            .find(|(name, _)| *name == "HOME")
            .and_then(|(_, value)| value);
        assert!(home.is_some_and(|home| !std::path::Path::new(home).exists()));
    }

    #[test]
    fn nobody_listens_and_nobody_else_can() {
        let nobody = Nobody::there();
        assert!(TcpStream::connect(nobody.address).is_err());
        assert!(TcpListener::bind(nobody.address).is_err());
        assert!(nobody.url().starts_with("http://127.0.0.1:"));
    }
}
