//! `gbac serve`: options, start and stop.

mod error;

use std::io::{self, Write};
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener};
use std::path::PathBuf;
use std::time::Duration;

use gbac_engine::escape::escaped;
use tokio_rustls::TlsAcceptor;

use crate::app::{App, Demo, Service, router};
use crate::config::License;
use crate::site::{Site, SiteOptions};
use crate::tls::{self, TlsFiles};
use crate::upstream::{Upstream, UpstreamOptions};
use crate::{listen, log, start};
pub use error::ServeError;

/// How often is looked whether the identity provider's keys are due.
const TEND: Duration = Duration::from_secs(60);

/// What `gbac serve` is told.
#[derive(Debug, Clone)]
pub struct ServeOptions {
    /// An address and a port, such as `127.0.0.1:8420`, `[::1]:8420` or `localhost:8420`; port 0 takes any free one.
    pub listen: String,
    /// A demo, or data of one's own.
    pub mode: Mode,
    /// The password of the admin; in a demo `None` is `demo`, which the page then signs in with by itself.
    pub admin_password: Option<String>,
    /// The licence; `None` is the stored one, at first a valid one.
    pub license: Option<License>,
    /// What it is known as from outside.
    pub site: SiteOptions,
    /// The cluster that it relays to.
    pub upstream: UpstreamOptions,
    /// A folder with the console's files; `None` takes those that were built in.
    pub console: Option<PathBuf>,
}

/// What the service is about.
#[derive(Debug, Clone)]
pub enum Mode {
    /// A demonstration, in memory and on loopback.
    Demo,
    /// A service on a folder.
    Data(DataOptions),
}

/// What belongs to a service on a folder only.
#[derive(Debug, Clone)]
pub struct DataOptions {
    /// The folder; made when there is none.
    pub folder: PathBuf,
    /// The user with a password; `None` is `admin`.
    pub admin_user: Option<String>,
    /// Pins `oidc_discovery_url`.
    pub oidc_discovery_url: Option<String>,
    /// Pins `oidc_token_audience`.
    pub oidc_audience: Option<String>,
    /// The certificate and key to listen with.
    pub tls: Option<TlsFiles>,
    /// Whether it may listen beyond loopback without them.
    pub insecure_listen: bool,
}

impl DataOptions {
    /// A service on a folder, with the defaults.
    #[must_use]
    pub const fn of(folder: PathBuf) -> Self {
        Self {
            folder,
            admin_user: None,
            oidc_discovery_url: None,
            oidc_audience: None,
            tls: None,
            insecure_listen: false,
        }
    }
}

impl Default for ServeOptions {
    fn default() -> Self {
        Self {
            listen: "127.0.0.1:8420".into(),
            mode: Mode::Demo,
            admin_password: None,
            license: None,
            site: SiteOptions::default(),
            upstream: UpstreamOptions::default(),
            console: None,
        }
    }
}

impl ServeOptions {
    /// What they ask for, at an address.
    fn at(self, address: SocketAddr, tls: bool) -> Wanted {
        let Self { mode, admin_password, license, site, upstream, console, .. } = self;
        match mode {
            Mode::Demo => {
                Wanted::Demo(Box::new(Demo { admin_password, license, site, upstream, console, ..Demo::at(address) }))
            }
            Mode::Data(data) => {
                let DataOptions { folder, admin_user, oidc_discovery_url, oidc_audience, .. } = data;
                let defaults = Service::at(address, folder);
                Wanted::Service(Box::new(Service {
                    tls,
                    admin_user: admin_user.unwrap_or(defaults.admin_user),
                    admin_password,
                    oidc_discovery_url,
                    oidc_audience,
                    license,
                    site,
                    upstream,
                    console,
                    ..defaults
                }))
            }
        }
    }
}

/// What is to be served.
enum Wanted {
    Demo(Box<Demo>),
    Service(Box<Service>),
}

impl Wanted {
    /// Refuses what can be seen to be wrong before the port is taken and anything is opened.
    fn check(&self) -> Result<(), ServeError> {
        let (site, upstream, address, tls) = match self {
            Self::Demo(demo) => {
                start::check_password(demo.admin_password.as_deref())?;
                (&demo.site, &demo.upstream, demo.address, false)
            }
            Self::Service(service) => {
                start::check(service)?;
                (&service.site, &service.upstream, service.address, service.tls)
            }
        };
        Site::new(site.clone(), address, tls)?;
        Upstream::new(upstream).map_err(ServeError::Upstream)?;
        Ok(())
    }

    /// The application.
    fn open(self) -> Result<App, ServeError> {
        match self {
            Self::Demo(demo) => App::demo(*demo),
            Self::Service(service) => App::open(*service),
        }
    }
}

/// A service that has its port.
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
    tls: Option<TlsAcceptor>,
    app: App,
}

impl Server {
    /// Checks the options, takes the port and makes the application.
    ///
    /// # Errors
    /// See [`ServeError`].
    pub fn bind(options: ServeOptions) -> Result<Self, ServeError> {
        let wanted = read_address(&options.listen)?;
        let tls = match &options.mode {
            Mode::Demo if !wanted.ip().to_canonical().is_loopback() => return Err(ServeError::NotLoopback(wanted)),
            Mode::Demo => None,
            Mode::Data(data) => {
                let open = !wanted.ip().to_canonical().is_loopback();
                if open && data.tls.is_none() && !data.insecure_listen {
                    return Err(ServeError::Plain(wanted));
                }
                data.tls.as_ref().map(tls::config).transpose().map_err(ServeError::Tls)?.map(TlsAcceptor::from)
            }
        };
        // Whether the port is free says nothing about the options, and they are told first.
        options.clone().at(wanted, tls.is_some()).check()?;
        let failed = |error| ServeError::Listen { address: wanted, error };
        let listener = TcpListener::bind(wanted).map_err(failed)?;
        listener.set_nonblocking(true).map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        let app = options.at(address, tls.is_some()).open()?;
        Ok(Self { listener, address, tls, app })
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
        let tending = tokio::spawn(tend(self.app.clone()));
        listen::run(listener, self.tls, router(self.app), stop).await;
        tending.abort();
        Ok(())
    }

    /// Says on standard output that it is ready, after what is told only once.
    fn announce(&self) -> io::Result<()> {
        if let Some((user, password)) = self.app.first_password() {
            writeln!(io::stderr(), "the password of `{}` is `{password}`; it is shown only now", escaped(user))?;
        }
        let scheme = if self.tls.is_some() { "https" } else { "http" };
        let mut out = io::stdout();
        match writeln!(out, "listening on {scheme}://{}", self.address).and_then(|()| out.flush()) {
            // Nobody reads it; the service is there all the same.
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
            said => said,
        }
    }
}

/// Keeps the identity provider's keys fresh for as long as the service runs.
async fn tend(app: App) {
    let mut ticks = tokio::time::interval(TEND);
    loop {
        ticks.tick().await;
        app.oidc().keep_fresh(&app.read().config).await;
    }
}

/// Runs the service until the process is told to stop (SIGTERM, SIGINT). When it is ready it prints one line,
/// `listening on http://...`, on standard output.
///
/// # Errors
/// See [`ServeError`]; nothing was printed on standard output then.
pub fn serve(options: ServeOptions) -> Result<(), ServeError> {
    log::install();
    let server = Server::bind(options)?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().map_err(ServeError::Start)?;
    runtime.block_on(async {
        let stop = told_to_stop().map_err(ServeError::Start)?;
        // Nobody may be reading; the service runs all the same.
        let _ = server.announce();
        let address = server.address;
        tracing::info!(target: "main", %address, version = env!("CARGO_PKG_VERSION"), "started");
        let done = server.run(stop).await;
        tracing::info!(target: "main", "stopped");
        done
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
    fn the_default_address_is_the_documented_one() {
        assert_eq!(read_address(&ServeOptions::default().listen).unwrap(), ([127, 0, 0, 1], 8420).into());
    }

    #[test]
    fn options_are_checked_before_the_port_is_taken() {
        let taken = TcpListener::bind("127.0.0.1:0").unwrap();
        let listen = taken.local_addr().unwrap().to_string();
        let code = |change: &dyn Fn(&mut ServeOptions)| {
            let mut options = ServeOptions { listen: listen.clone(), ..ServeOptions::default() };
            change(&mut options);
            Server::bind(options).map(drop).unwrap_err().code()
        };
        assert_eq!(code(&|options| options.admin_password = Some(String::new())), "password_empty");
        assert_eq!(code(&|options| options.site.public_url = Some("x".into())), "public_url");
        assert_eq!(code(&|options| options.mode = Mode::Data(DataOptions::of("/no/folder".into()))), "port_taken");
        let data = DataOptions { oidc_audience: Some(String::new()), ..DataOptions::of("/no/folder".into()) };
        assert_ne!(code(&|options| options.mode = Mode::Data(data.clone())), "port_taken");
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
