//! `gbac serve`: options, start, listening and stop.

mod activity;
mod cluster_acls;
mod connection_limits;
mod connection_table;
mod connections;
mod error;
mod local_account;
mod options;
mod start;
mod start_event;
mod systemd;
#[cfg(test)]
mod tests;
mod tls;
mod turns;
mod write_timeout;

use std::io::{self, Write};
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::time::Duration;

use gbac_analysis::audit::Modification;
use gbac_engine::escape::escaped;
use serde_json::Value;

use crate::identity::sign_in::Authenticator;
use crate::logging;
use crate::routes::app::App;
use crate::routes::router;
pub use connection_limits::ConnectionLimitError;
use connection_limits::ConnectionLimits;
use connection_table::ConnectionTable;
pub use error::ServeError;
pub use options::{
    ConnectionOptions, DataOptions, DemoOptions, OidcClientOptions, ServeMode, ServeOptions,
};
pub use start::open;
use start::{check, open_at, parse_address};
use start_event::stated_options;
use tls::{Certificate, ReloadSignal};
pub use tls::{TlsError, TlsFiles};

/// The interval at which the age of the identity provider's keys is checked.
const KEY_CHECK_INTERVAL: Duration = Duration::from_secs(60);

/// A service with its port.
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
    tls: Option<Certificate>,
    limits: ConnectionLimits,
    app: App,
    /// What the audit event of the start states.
    stated_options: Value,
}

impl Server {
    /// Checks the options, binds the port and opens the service.
    ///
    /// # Errors
    /// See [`ServeError`].
    pub fn bind(options: &ServeOptions) -> Result<Self, ServeError> {
        Self::bind_to(options, None)
    }

    /// Uses a port that was bound before, instead of the one of the options.
    fn bind_to(options: &ServeOptions, bound: Option<TcpListener>) -> Result<Self, ServeError> {
        let requested = match &bound {
            Some(listener) => listener.local_addr()?,
            None => parse_address(&options.listen)?,
        };
        check_listening(options, requested)?;
        let tls = certificate(options)?;
        // Invalid options are reported before a port that is in use.
        check(options, requested, tls.is_some())?;
        let limits = ConnectionLimits::new(options.connections)?;
        let (listener, address) = match listen(bound, requested) {
            Ok(listening) => listening,
            Err(source) => {
                let address = requested;
                return Err(ServeError::Listen { address, source });
            }
        };
        let app = open_at(options, address, tls.is_some())?;
        let stated_options = stated_options(options, address);
        Ok(Self {
            listener,
            address,
            tls,
            limits,
            app,
            stated_options,
        })
    }

    /// The address on which it listens, with the actual port.
    #[must_use]
    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// Serves until `stop` completes and the active requests are finished. Requires a tokio
    /// runtime.
    ///
    /// # Errors
    /// The runtime rejects the port.
    pub async fn run(self, stop: impl Future<Output = ()>) -> Result<(), ServeError> {
        let listener = tokio::net::TcpListener::from_std(self.listener)?;
        let service = self.app.service.clone();
        service
            .record_lifecycle(Modification::Started {
                options: &self.stated_options,
            })
            .await;
        let mut clusters = Vec::new();
        for cluster in service.clusters() {
            if let Some(task) = cluster.start() {
                clusters.push((cluster.clone(), task));
            }
        }
        let key_refresh = tokio::spawn(refresh_keys(self.app.authenticator.clone()));
        let table = ConnectionTable::new(service.clone(), self.limits);
        let tls = self.tls.as_ref().map(Certificate::config);
        let reload = match self.tls {
            Some(certificate) => {
                let requested = ReloadSignal::new()?;
                Some(tokio::spawn(
                    certificate.keep_fresh(requested, tls::CHECK_INTERVAL),
                ))
            }
            None => None,
        };
        let (first, others) = (service.clone(), Arc::clone(&self.app.other_clusters));
        let stop = async move {
            stop.await;
            first.end_followers();
            for other in &*others {
                other.end_followers();
            }
        };
        connections::run(listener, tls, table, router(self.app), stop).await;
        key_refresh.abort();
        let stops = clusters
            .into_iter()
            .map(async |(cluster, task)| cluster.stop(task).await);
        futures_util::future::join_all(stops).await;
        if let Some(reload) = reload {
            reload.abort();
        }
        service.audit_log().flush().await;
        service.record_lifecycle(Modification::Stopped).await;
        Ok(())
    }

    /// The URL of the listen address.
    fn url(&self) -> String {
        let scheme = if self.tls.is_some() { "https" } else { "http" };
        format!("{scheme}://{}", self.address)
    }

    /// Prints the address on standard output, and before it a generated password on standard error.
    fn announce(&self) -> io::Result<()> {
        if let Some((user, password)) = self.app.generated_password() {
            writeln!(
                io::stderr(),
                "the password of `{}` is `{password}`; it is shown only once",
                escaped(user)
            )?;
        }
        let mut out = io::stdout();
        match writeln!(out, "listening on {}", self.url()).and_then(|()| out.flush()) {
            // The reader of standard output is gone; the service runs anyway.
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
            result => result,
        }
    }
}

/// Every fault of the options that shows without opening the data or the port.
#[must_use]
pub fn faults(options: &ServeOptions) -> Vec<ServeError> {
    let address = match parse_address(&options.listen) {
        Ok(address) => address,
        Err(error) => {
            let unknown = SocketAddr::from(([127, 0, 0, 1], 0));
            let mut faults = vec![error];
            faults.extend(start::faults(options, unknown, false));
            return faults;
        }
    };
    let has_tls = matches!(&options.mode, ServeMode::Data(data) if data.tls.is_some());
    let mut faults: Vec<ServeError> = check_listening(options, address)
        .err()
        .into_iter()
        .collect();
    faults.extend(certificate(options).err());
    faults.extend(start::faults(options, address, has_tls));
    if let Err(error) = ConnectionLimits::new(options.connections) {
        faults.push(error.into());
    }
    faults
}

/// Checks that the service may listen on an address.
fn check_listening(options: &ServeOptions, address: SocketAddr) -> Result<(), ServeError> {
    let is_loopback = address.ip().to_canonical().is_loopback();
    match &options.mode {
        ServeMode::Demo(_) if !is_loopback => Err(ServeError::NotLoopback(address)),
        ServeMode::Data(data) if !is_loopback && data.tls.is_none() && !data.insecure_listen => {
            Err(ServeError::Unencrypted(address))
        }
        ServeMode::Demo(_) | ServeMode::Data(_) => Ok(()),
    }
}

fn certificate(options: &ServeOptions) -> Result<Option<Certificate>, ServeError> {
    match &options.mode {
        ServeMode::Demo(_) => Ok(None),
        ServeMode::Data(data) => match data.tls.clone() {
            Some(files) => Ok(Some(Certificate::open(files)?)),
            None => Ok(None),
        },
    }
}

/// Fetches the identity provider's keys when they are due, as long as the service runs.
async fn refresh_keys(authenticator: Authenticator) {
    let mut ticks = tokio::time::interval(KEY_CHECK_INTERVAL);
    loop {
        ticks.tick().await;
        authenticator.keep_keys_fresh().await;
    }
}

/// Runs the service until the process receives SIGTERM or SIGINT. When it is ready, it prints one
/// line on standard output: `listening on http://...`, and tells systemd. If systemd passed a
/// socket, the service listens on it.
///
/// # Errors
/// See [`ServeError`]; nothing is printed on standard output then.
pub fn serve(options: &ServeOptions) -> Result<(), ServeError> {
    logging::install(&options.log)?;
    let bound = systemd::listener()?;
    let server = Server::bind_to(options, bound)?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()?;
    runtime.block_on(async {
        let stop = stop_signal()?;
        // The output may be closed; the service runs anyway.
        let _ = server.announce();
        if let Some(on_ready) = options.on_ready {
            on_ready(&server.url());
        }
        let address = server.address;
        tracing::info!(target: "main", %address, version = env!("CARGO_PKG_VERSION"), "started");
        server.app.log_accounts();
        systemd::notify_ready();
        let stop = async {
            stop.await;
            systemd::notify_stopping();
        };
        let result = server.run(stop).await;
        tracing::info!(target: "main", "stopped");
        result
    })
}

/// The listener, which is bound unless it is already, and its address.
fn listen(
    bound: Option<TcpListener>,
    requested: SocketAddr,
) -> io::Result<(TcpListener, SocketAddr)> {
    let listener = match bound {
        Some(listener) => listener,
        None => TcpListener::bind(requested)?,
    };
    listener.set_nonblocking(true)?;
    let address = listener.local_addr()?;
    Ok((listener, address))
}

/// Waits for a signal to stop. Signals are registered when this is called, not when the future is
/// first polled.
#[cfg(unix)]
fn stop_signal() -> io::Result<impl Future<Output = ()>> {
    use tokio::signal::unix::{SignalKind, signal};
    let (mut terminate, mut interrupt) = (
        signal(SignalKind::terminate())?,
        signal(SignalKind::interrupt())?,
    );
    Ok(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
    })
}

#[cfg(not(unix))]
fn stop_signal() -> io::Result<impl Future<Output = ()>> {
    Ok(async {
        let _ = tokio::signal::ctrl_c().await;
    })
}

#[cfg(test)]
mod bind_tests {
    use super::*;

    #[test]
    fn a_demo_listens_on_loopback_only() {
        let bind = |listen: &str| {
            Server::bind(&ServeOptions {
                listen: listen.into(),
                ..ServeOptions::default()
            })
            .map(drop)
        };
        for listen in ["0.0.0.0:0", "[::]:0", "192.0.2.1:8420"] {
            let error = bind(listen).unwrap_err();
            assert_eq!(error.code(), "demo_not_loopback", "{listen}");
            assert!(error.hint().contains("127.0.0.1:"));
        }
    }

    #[test]
    fn options_are_checked_before_the_port_is_bound() {
        let in_use = TcpListener::bind("127.0.0.1:0").unwrap();
        let listen = in_use.local_addr().unwrap().to_string();
        let code = |change: &dyn Fn(&mut ServeOptions)| {
            let mut options = ServeOptions {
                listen: listen.clone(),
                ..ServeOptions::default()
            };
            change(&mut options);
            Server::bind(&options).map(drop).unwrap_err().code()
        };
        assert_eq!(
            code(&|options| options.admin_password = Some(String::new())),
            "password_empty"
        );
        assert_eq!(
            code(&|options| options.endpoint.public_url = Some("x".into())),
            "public_url"
        );
        assert_eq!(
            code(&|options| options.mode = ServeMode::Data(DataOptions::new("/no/folder".into()))),
            "port_taken"
        );
        let data = DataOptions {
            oidc_audience: Some(String::new()),
            ..DataOptions::new("/no/folder".into())
        };
        assert_ne!(
            code(&|options| options.mode = ServeMode::Data(data.clone())),
            "port_taken"
        );
    }

    #[test]
    fn a_port_in_use_is_reported() {
        let in_use = TcpListener::bind("127.0.0.1:0").unwrap();
        let listen = in_use.local_addr().unwrap().to_string();
        let error = Server::bind(&ServeOptions {
            listen: listen.clone(),
            ..ServeOptions::default()
        })
        .map(drop)
        .unwrap_err();
        assert_eq!(error.code(), "port_taken");
        assert_eq!(
            error.to_string(),
            format!("the port of `{listen}` is already in use")
        );
    }
}
