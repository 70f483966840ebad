//! `gbac serve --demo`: options, start, stop, and what can go wrong with them.

use std::fmt;
use std::io::{self, Write};
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener};
use std::path::PathBuf;

use gbac_engine::wire::Problems;

use crate::app::{App, Demo, router};
use crate::listen;

/// What `gbac serve --demo` is told.
#[derive(Debug, Clone)]
pub struct ServeOptions {
    /// An address and a port, such as `127.0.0.1:8420`, `[::1]:8420` or `localhost:8420`; port 0 takes any free one.
    pub listen: String,
    /// A folder with the console's files; `None` takes those that were built in.
    pub console: Option<PathBuf>,
    /// The password of the user `admin`; `None` is `demo`, which the page then signs in with by itself.
    pub admin_password: Option<String>,
}

impl Default for ServeOptions {
    fn default() -> Self {
        Self { listen: "127.0.0.1:8420".into(), console: None, admin_password: None }
    }
}

/// Why the service does not start.
#[derive(Debug)]
pub enum ServeError {
    /// The text is no address with a port.
    Address(String),
    /// The address is not this machine's own.
    NotLoopback(SocketAddr),
    /// The port cannot be had.
    Listen {
        /// Where.
        address: SocketAddr,
        /// Why.
        error: io::Error,
    },
    /// The console's folder cannot be used.
    Console {
        /// Which.
        folder: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// The admin's password is empty.
    EmptyPassword,
    /// The demo's own policy is faulty.
    DemoPolicy(Problems),
    /// The operating system gives no threads, signals or random numbers.
    Start(io::Error),
}

impl ServeError {
    /// A stable name of the fault.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Address(_) => "listen_address",
            Self::NotLoopback(_) => "demo_not_loopback",
            Self::Listen { error, .. } if error.kind() == io::ErrorKind::AddrInUse => "port_taken",
            Self::Listen { .. } => "listen_failed",
            Self::Console { .. } => "console_folder",
            Self::EmptyPassword => "password_empty",
            Self::DemoPolicy(_) => "demo_policy",
            Self::Start(_) => "start_failed",
        }
    }

    /// What to do about it.
    #[must_use]
    pub fn hint(&self) -> String {
        match self {
            Self::Address(_) => "write an address and a port, such as `127.0.0.1:8420`".into(),
            Self::NotLoopback(address) => {
                format!("a demo gives everything to whoever can reach it; write `127.0.0.1:{}`", address.port())
            }
            Self::Listen { error, .. } if error.kind() == io::ErrorKind::AddrInUse => {
                "stop what listens there, or choose another port with `--listen 127.0.0.1:0`".into()
            }
            Self::Listen { .. } => "choose another address with `--listen`".into(),
            Self::Console { .. } => "name the folder that Trunk builds, usually `dist`".into(),
            Self::EmptyPassword => "give a password, or leave it out for `demo`".into(),
            Self::DemoPolicy(_) => "build the program again from an unchanged source".into(),
            Self::Start(_) => "free some of the machine's resources and try again".into(),
        }
    }
}

impl fmt::Display for ServeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Address(text) => write!(f, "`{}` is not an address to listen on", text.escape_debug()),
            Self::NotLoopback(address) => write!(f, "a demo listens on loopback only, not on `{address}`"),
            Self::Listen { address, error } if error.kind() == io::ErrorKind::AddrInUse => {
                write!(f, "the port of `{address}` is taken")
            }
            Self::Listen { address, error } => write!(f, "cannot listen on `{address}`: {error}"),
            Self::Console { folder, error } => {
                write!(f, "cannot use the console's folder `{}`: {error}", folder.display())
            }
            Self::EmptyPassword => f.write_str("the admin's password is empty"),
            Self::DemoPolicy(problems) => write!(f, "the demo's policy is faulty: {problems}"),
            Self::Start(error) => write!(f, "the service cannot start: {error}"),
        }
    }
}

impl std::error::Error for ServeError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Listen { error, .. } | Self::Console { error, .. } | Self::Start(error) => Some(error),
            Self::DemoPolicy(problems) => Some(problems),
            Self::Address(_) | Self::NotLoopback(_) | Self::EmptyPassword => None,
        }
    }
}

/// A service that has its port.
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
    app: App,
}

impl Server {
    /// Takes the port and makes the application.
    ///
    /// # Errors
    /// See [`ServeError`].
    pub fn bind(options: ServeOptions) -> Result<Self, ServeError> {
        let wanted = read_address(&options.listen)?;
        if !wanted.ip().is_loopback() {
            return Err(ServeError::NotLoopback(wanted));
        }
        let failed = |error| ServeError::Listen { address: wanted, error };
        let listener = TcpListener::bind(wanted).map_err(failed)?;
        listener.set_nonblocking(true).map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        let ServeOptions { console, admin_password, .. } = options;
        let app = App::demo(Demo { address, admin_password, console, key: None, clock: None })?;
        Ok(Self { listener, address, app })
    }

    /// Where it listens, with the port that it really got.
    #[must_use]
    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// Serves until `stop` is done and the requests under way have come to their end. Runs on a tokio runtime.
    ///
    /// # Errors
    /// The runtime does not take the port.
    pub async fn run(self, stop: impl Future<Output = ()>) -> Result<(), ServeError> {
        let listener = tokio::net::TcpListener::from_std(self.listener).map_err(ServeError::Start)?;
        listen::run(listener, router(self.app), stop).await;
        Ok(())
    }
}

/// Runs the demo until the process is told to stop (SIGTERM, SIGINT). When it is ready it prints one line,
/// `listening on http://...`, on standard output.
///
/// # Errors
/// See [`ServeError`]; nothing was printed then.
pub fn serve(options: ServeOptions) -> Result<(), ServeError> {
    let server = Server::bind(options)?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().map_err(ServeError::Start)?;
    runtime.block_on(async {
        let stop = told_to_stop().map_err(ServeError::Start)?;
        // Nobody may be reading; the service runs all the same.
        let mut out = io::stdout();
        let _ = writeln!(out, "listening on http://{}", server.address()).and_then(|()| out.flush());
        server.run(stop).await
    })
}

/// Waits for a signal to stop; it is heard from now on, not only once somebody waits.
#[cfg(unix)]
fn told_to_stop() -> io::Result<impl Future<Output = ()>> {
    use tokio::signal::unix::{SignalKind, signal};
    let (mut terminate, mut interrupt) = (signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?);
    Ok(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
    })
}

#[cfg(not(unix))]
fn told_to_stop() -> io::Result<impl Future<Output = ()>> {
    Ok(async {
        let _ = tokio::signal::ctrl_c().await;
    })
}

/// Reads an address and a port; `localhost` is `127.0.0.1`.
fn read_address(text: &str) -> Result<SocketAddr, ServeError> {
    let bad = || ServeError::Address(text.into());
    if let Some((name, port)) = text.rsplit_once(':')
        && name.eq_ignore_ascii_case("localhost")
    {
        return Ok((IpAddr::from(Ipv4Addr::LOCALHOST), port.parse().map_err(|_| bad())?).into());
    }
    text.parse().map_err(|_| bad())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read() {
        assert_eq!(read_address("localhost:0").unwrap(), ([127, 0, 0, 1], 0).into());
        assert_eq!(read_address("[::1]:8420").unwrap().port(), 8420);
        for text in ["", "8420", "localhost", "localhost:x", "example.com:80", "127.0.0.1:70000", "http://127.0.0.1:1"]
        {
            assert_eq!(read_address(text).unwrap_err().code(), "listen_address", "{text}");
        }
    }

    #[test]
    fn a_demo_stays_on_this_machine() {
        let bind =
            |listen: &str| Server::bind(ServeOptions { listen: listen.into(), ..ServeOptions::default() }).map(drop);
        for listen in ["0.0.0.0:0", "[::]:0", "192.0.2.1:8420"] {
            let error = bind(listen).unwrap_err();
            assert_eq!(error.code(), "demo_not_loopback", "{listen}");
            assert!(error.hint().contains("127.0.0.1:"));
        }
    }

    #[test]
    fn a_taken_port_is_said_to_be_taken() {
        let taken = TcpListener::bind("127.0.0.1:0").unwrap();
        let listen = taken.local_addr().unwrap().to_string();
        let error =
            Server::bind(ServeOptions { listen: listen.clone(), ..ServeOptions::default() }).map(drop).unwrap_err();
        assert_eq!(error.code(), "port_taken");
        assert_eq!(error.to_string(), format!("the port of `{listen}` is taken"));
    }
}
