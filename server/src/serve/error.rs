//! Why a service does not start.

use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;

use gbac_api::address::{AddressError, BaseUrlError};
use gbac_engine::policy::SettingsError;
use gbac_engine::text::escaped;
use gbac_engine::wire::Problems;

use super::tls::TlsError;
use crate::state::public_endpoint::PublicUrlError;
use crate::state::store::StoreError;

/// Why a service does not start.
#[derive(Debug)]
pub enum ServeError {
    /// The text is not an address with a port.
    Address(String),
    /// A demo cannot listen on this address, because it is not on loopback.
    NotLoopback(SocketAddr),
    /// The address is reachable by other machines, and there is no TLS.
    Unencrypted(SocketAddr),
    /// The port cannot be bound.
    Listen {
        /// The address.
        address: SocketAddr,
        /// The cause.
        error: io::Error,
    },
    /// The console's folder cannot be used.
    Console {
        /// The folder.
        folder: PathBuf,
        /// The cause.
        error: io::Error,
    },
    /// The audit file cannot be written.
    Audit {
        /// The file.
        file: PathBuf,
        /// The cause.
        error: io::Error,
    },
    /// The admin's password is empty.
    EmptyPassword,
    /// The admin's name is not valid for a superuser.
    AdminUser(SettingsError),
    /// The admin's name cannot be used for Basic authentication (RFC 7617).
    AdminName(String),
    /// The discovery URL is not allowed.
    DiscoveryUrl(AddressError),
    /// The audience is empty.
    EmptyAudience,
    /// The public URL is not valid.
    PublicUrl(PublicUrlError),
    /// The base URL of a cluster is not valid.
    Upstream(BaseUrlError),
    /// The certificate or its key cannot be used.
    Tls(TlsError),
    /// The policy of the demo is not valid.
    DemoPolicy(Problems),
    /// The data cannot be used.
    Store(StoreError),
    /// The stored password hash of this user cannot be read.
    StoredPassword(String),
    /// The operating system provides no threads, signals or random numbers.
    Start(io::Error),
}

impl ServeError {
    /// The stable code of the error.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Address(_) => "listen_address",
            Self::NotLoopback(_) => "demo_not_loopback",
            Self::Unencrypted(_) => "listen_without_tls",
            Self::Listen { error, .. } if error.kind() == io::ErrorKind::AddrInUse => "port_taken",
            Self::Listen { .. } => "listen_failed",
            Self::Console { .. } => "console_folder",
            Self::Audit { .. } => "audit_file",
            Self::EmptyPassword => "password_empty",
            Self::AdminUser(error) => error.code(),
            Self::AdminName(_) => "admin_user",
            Self::DiscoveryUrl(error) => error.code(),
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
            Self::Address(_) => "use an address and a port, such as `127.0.0.1:8420`".into(),
            Self::NotLoopback(address) => {
                format!("everyone who can reach a demo has full access to it; use `127.0.0.1:{}`", address.port())
            }
            Self::Unencrypted(_) => {
                "provide a certificate with `--tls-cert` and `--tls-key`, or use `--insecure-listen` behind a proxy that \
                 terminates TLS"
                    .into()
            }
            Self::Listen { error, .. } if error.kind() == io::ErrorKind::AddrInUse => {
                "stop the program that uses the port, or choose a free one with `--listen 127.0.0.1:0`".into()
            }
            Self::Listen { .. } => "choose another address with `--listen`".into(),
            Self::Console { .. } => "choose the folder with the built console, usually `dist`".into(),
            Self::Audit { .. } => "make the file writable; the service does nothing without audit events".into(),
            Self::EmptyPassword => "set `GBAC_ADMIN_PASSWORD` to a password, or unset it".into(),
            Self::AdminUser(error) => error.hint(),
            Self::AdminName(_) => "use a name without `:` and control characters for `--admin-user`".into(),
            Self::DiscoveryUrl(error) => error.hint().into(),
            Self::EmptyAudience => "use the `aud` of your tokens, or omit `--oidc-audience`".into(),
            Self::PublicUrl(_) => "use a scheme, a host and optionally a port, such as `https://gbac.example`".into(),
            Self::Upstream(error) => error.hint().into(),
            Self::Tls(error) => error.hint().into(),
            Self::DemoPolicy(_) => "reinstall the program".into(),
            Self::Store(error) => error.hint().into(),
            Self::StoredPassword(_) => {
                "set a new password with `GBAC_ADMIN_PASSWORD` once, or restore the folder from a backup".into()
            }
            Self::Start(_) => "free some resources of the machine and try again".into(),
        }
    }
}

impl fmt::Display for ServeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Address(text) => write!(f, "`{}` is not an address to listen on", escaped(text)),
            Self::NotLoopback(address) => write!(f, "a demo listens on loopback only, not on `{address}`"),
            Self::Unencrypted(address) => {
                write!(f, "`{address}` is reachable from other machines, but TLS is not configured")
            }
            Self::Listen { address, error } if error.kind() == io::ErrorKind::AddrInUse => {
                write!(f, "the port of `{address}` is already in use")
            }
            Self::Listen { address, error } => write!(f, "cannot listen on `{address}`: {error}"),
            Self::Console { folder, error } => {
                write!(f, "cannot use the console folder `{}`: {error}", folder.display())
            }
            Self::Audit { file, error } => write!(f, "cannot write the audit file `{}`: {error}", file.display()),
            Self::EmptyPassword => f.write_str("the password of the admin is empty"),
            Self::AdminUser(error) => error.fmt(f),
            Self::AdminName(name) => write!(f, "the user name `{}` of the admin is not valid", escaped(name)),
            Self::DiscoveryUrl(error) => write!(f, "`--oidc-discovery-url`: {error}"),
            Self::EmptyAudience => f.write_str("the audience is empty"),
            Self::PublicUrl(error) => error.fmt(f),
            Self::Upstream(error) => write!(f, "`--upstream-*`: {error}"),
            Self::Tls(error) => error.fmt(f),
            Self::DemoPolicy(problems) => write!(f, "the policy of the demo is not valid: {problems}"),
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
            Self::DiscoveryUrl(error) => Some(error),
            Self::PublicUrl(error) => Some(error),
            Self::Upstream(error) => Some(error),
            Self::Tls(error) => Some(error),
            Self::Address(_)
            | Self::NotLoopback(_)
            | Self::Unencrypted(_)
            | Self::EmptyPassword
            | Self::StoredPassword(_)
            | Self::AdminName(_)
            | Self::EmptyAudience => None,
        }
    }
}
