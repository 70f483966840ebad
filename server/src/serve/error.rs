//! What can go wrong before the service listens: each fault of a flag by its own name.

use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;

use gbac_api::address::{AddressError, BaseUrlError};
use gbac_engine::escape::escaped;
use gbac_engine::policy::SettingsError;
use gbac_json::Problems;

use crate::store::StoreError;
use crate::tls::TlsError;

/// Why the service does not start.
#[derive(Debug)]
pub enum ServeError {
    /// The text is no address with a port.
    Address(String),
    /// The address is not this machine's own.
    NotLoopback(SocketAddr),
    /// Others could listen to what is said there.
    Plain(SocketAddr),
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
    /// The file of the audit events cannot be written.
    Audit {
        /// Which.
        file: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// The admin's password is empty.
    EmptyPassword,
    /// The admin's name cannot be a superuser's.
    AdminUser(SettingsError),
    /// The admin's name cannot be sent with a password (RFC 7617).
    AdminName(String),
    /// The discovery address is refused.
    Discovery(AddressError),
    /// The audience is empty.
    EmptyAudience,
    /// The public address is no plain address of http or https.
    PublicUrl(String),
    /// The address of a cluster to relay to is refused.
    Upstream(BaseUrlError),
    /// The certificate or its key cannot be used.
    Tls(TlsError),
    /// The demo's own policy is faulty.
    DemoPolicy(Problems),
    /// The data cannot be used.
    Store(StoreError),
    /// The stored password hash of this user cannot be read.
    StoredPassword(String),
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
            Self::Plain(_) => "listen_without_tls",
            Self::Listen { error, .. } if error.kind() == io::ErrorKind::AddrInUse => "port_taken",
            Self::Listen { .. } => "listen_failed",
            Self::Console { .. } => "console_folder",
            Self::Audit { .. } => "audit_file",
            Self::EmptyPassword => "password_empty",
            Self::AdminUser(error) => error.code(),
            Self::AdminName(_) => "admin_user",
            Self::Discovery(error) => error.code(),
            Self::EmptyAudience => "oidc_audience_empty",
            Self::PublicUrl(_) => "public_url",
            Self::Upstream(error) => error.code(),
            Self::Tls(error) => error.code(),
            Self::DemoPolicy(_) => "demo_policy",
            Self::Store(error) => error.code(),
            Self::StoredPassword(_) => "data_damaged",
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
            Self::Plain(_) => {
                "give a certificate with `--tls-cert` and `--tls-key`, or write `--insecure-listen` where \
                               something in front of the service does TLS"
                    .into()
            }
            Self::Listen { error, .. } if error.kind() == io::ErrorKind::AddrInUse => {
                "stop what listens there, or choose another port with `--listen 127.0.0.1:0`".into()
            }
            Self::Listen { .. } => "choose another address with `--listen`".into(),
            Self::Console { .. } => "name the folder with the built console, usually `dist`".into(),
            Self::Audit { .. } => "make the file writable: nothing is done here without an audit event".into(),
            Self::EmptyPassword => "give `GBAC_ADMIN_PASSWORD` a value, or unset it".into(),
            Self::AdminUser(error) => error.hint(),
            Self::AdminName(_) => "write a name without `:` and control characters in `--admin-user`".into(),
            Self::Discovery(error) => error.hint().into(),
            Self::EmptyAudience => "write what `aud` of a token holds, or leave `--oidc-audience` out".into(),
            Self::PublicUrl(_) => "write a scheme, a host and perhaps a port, such as `https://gbac.example`".into(),
            Self::Upstream(error) => error.hint().into(),
            Self::Tls(error) => error.hint().into(),
            Self::DemoPolicy(_) => "build the program again from an unchanged source".into(),
            Self::Store(error) => error.hint().into(),
            Self::StoredPassword(_) => {
                "give a new password in `GBAC_ADMIN_PASSWORD` once, or put a copy of the folder in its place".into()
            }
            Self::Start(_) => "free some of the machine's resources and try again".into(),
        }
    }
}

impl fmt::Display for ServeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Address(text) => write!(f, "`{}` is not an address to listen on", escaped(text)),
            Self::NotLoopback(address) => write!(f, "a demo listens on loopback only, not on `{address}`"),
            Self::Plain(address) => write!(f, "`{address}` can be reached from other machines, and there is no TLS"),
            Self::Listen { address, error } if error.kind() == io::ErrorKind::AddrInUse => {
                write!(f, "the port of `{address}` is taken")
            }
            Self::Listen { address, error } => write!(f, "cannot listen on `{address}`: {error}"),
            Self::Console { folder, error } => {
                write!(f, "cannot use the console's folder `{}`: {error}", folder.display())
            }
            Self::Audit { file, error } => write!(f, "cannot write the audit file `{}`: {error}", file.display()),
            Self::EmptyPassword => f.write_str("the admin's password is empty"),
            Self::AdminUser(error) => error.fmt(f),
            Self::AdminName(name) => write!(f, "the admin's name `{}` cannot be sent", escaped(name)),
            Self::Discovery(error) => write!(f, "`--oidc-discovery-url`: {error}"),
            Self::EmptyAudience => f.write_str("the audience is empty"),
            Self::PublicUrl(text) => write!(f, "`{}` is not a public address", escaped(text)),
            Self::Upstream(error) => write!(f, "`--upstream-*`: {error}"),
            Self::Tls(error) => error.fmt(f),
            Self::DemoPolicy(problems) => write!(f, "the demo's policy is faulty: {problems}"),
            Self::Store(error) => error.fmt(f),
            Self::StoredPassword(user) => {
                write!(f, "the data is damaged: the password hash of `{}` cannot be read", escaped(user))
            }
            Self::Start(error) => write!(f, "the service cannot start: {error}"),
        }
    }
}

impl std::error::Error for ServeError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Listen { error, .. }
            | Self::Console { error, .. }
            | Self::Audit { error, .. }
            | Self::Start(error) => Some(error),
            Self::DemoPolicy(problems) => Some(problems),
            Self::Store(error) => Some(error),
            Self::AdminUser(error) => Some(error),
            Self::Discovery(error) => Some(error),
            Self::Upstream(error) => Some(error),
            Self::Tls(error) => Some(error),
            Self::Address(_)
            | Self::NotLoopback(_)
            | Self::Plain(_)
            | Self::EmptyPassword
            | Self::StoredPassword(_)
            | Self::AdminName(_)
            | Self::EmptyAudience
            | Self::PublicUrl(_) => None,
        }
    }
}
