//! Runs a program under test with a separate environment.

use std::env;
use std::ffi::OsStr;
use std::io::Write;
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Command, Stdio};

use tokio::net::TcpSocket;

use crate::schemas;
use crate::vectors::gbac;

/// Variables that change the output of our programs, of a shell or of curl, in addition to those that begin with `GBAC_`.
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

/// A command without personal settings, and with a home folder that does not exist.
#[must_use]
pub fn program(program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(program);
    for (name, _) in env::vars_os().filter(|(name, _)| is_personal(name)) {
        command.env_remove(name);
    }
    let nowhere = env::current_exe().unwrap_or_default().with_extension("home");
    command.env("HOME", nowhere);
    command
}

/// A command of the built `gbac`.
///
/// # Panics
/// If it is not built.
#[must_use]
pub fn command() -> Command {
    program(gbac())
}

/// The result of a command.
#[derive(Debug)]
pub struct Run {
    /// The exit code.
    pub exit: i32,
    /// Standard output.
    pub out: String,
    /// Standard error.
    pub err: String,
}

impl Run {
    /// The standard output of a successful command.
    ///
    /// # Panics
    /// If it failed, or wrote to standard error.
    pub fn done(self) -> String {
        assert_eq!((self.exit, self.err.as_str()), (0, ""), "{}", self.out);
        self.out
    }

    /// The error output of a command that ended with this exit code.
    ///
    /// # Panics
    /// If it ended with another.
    #[must_use]
    pub fn failed(self, exit: i32) -> String {
        assert_eq!(self.exit, exit, "{}{}", self.out, self.err);
        assert!(self.err.starts_with("error: "), "{}", self.err);
        self.err
    }
}

/// Writes a file that only its owner can read, as one with a secret should be.
///
/// # Panics
/// If it cannot be written.
pub fn write_secret(path: &Path, content: impl AsRef<[u8]>) {
    std::fs::write(path, content).expect("a file");
    #[cfg(unix)]
    std::fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(0o600)).expect("a mode");
}

/// Runs a command in a folder to its end, with a text as standard input. JSON of `gbac` has to be as its schema describes it.
///
/// # Panics
/// If it cannot be started, does not end, or writes other JSON.
#[must_use]
pub fn run(mut command: Command, folder: &Path, stdin: &str) -> Run {
    command.current_dir(folder).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the program starts");
    // A command that reads nothing may have ended already.
    let _ = child.stdin.take().expect("standard input").write_all(stdin.as_bytes());
    let done = child.wait_with_output().expect("the program ends");
    let run = Run {
        exit: done.status.code().expect("the program ends by itself"),
        out: String::from_utf8_lossy(&done.stdout).into_owned(),
        err: String::from_utf8_lossy(&done.stderr).into_owned(),
    };
    if command.get_program() == gbac() {
        let args: Vec<String> = command.get_args().map(|arg| arg.to_string_lossy().into_owned()).collect();
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        let _ = schemas::checked(&args, run.exit, &run.out);
    }
    run
}

/// A reserved loopback address without a listener: connections to it are refused while this exists.
#[derive(Debug)]
pub struct Nobody {
    _socket: TcpSocket,
    address: SocketAddr,
}

impl Nobody {
    /// Reserves an address.
    ///
    /// # Panics
    /// If there is no free port.
    #[must_use]
    pub fn there() -> Self {
        let socket = TcpSocket::new_v4().expect("a socket");
        socket.bind(([127, 0, 0, 1], 0).into()).expect("a port");
        let address = socket.local_addr().expect("an address");
        Self { _socket: socket, address }
    }

    /// The URL of the address.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }
}

#[cfg(test)]
mod tests {
    use std::net::{TcpListener, TcpStream};

    use super::*;

    #[test]
    fn personal_settings_are_left_out() {
        for name in ["GBAC_URL", "GBAC_ADMIN_PASSWORD", "GBAC_SOMETHING_NEW", "NO_COLOR", "https_proxy"] {
            assert!(is_personal(OsStr::new(name)), "{name}");
        }
        for name in ["PATH", "TMPDIR", "LANG", "CARGO_MANIFEST_DIR"] {
            assert!(!is_personal(OsStr::new(name)), "{name}");
        }
        let home = program("true");
        let home = home.get_envs().find(|(name, _)| *name == "HOME").and_then(|(_, value)| value);
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
