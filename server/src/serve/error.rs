//! Why a service does not start.

use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;

use gbac_api::address::{AddressError, BaseUrlError};
use gbac_engine::escape::escaped;
use gbac_engine::policy::SettingsError;
use gbac_json::Problems;
use thiserror::Error;

use super::connection_limits::ConnectionLimitError;
use super::tls::TlsError;
use crate::client_address::TrustedProxyError;
use crate::identity::password::MIN_LENGTH;
use crate::logging::LogLevelError;
use crate::private_file;
use crate::state::cluster::ClusterOptionError;
use crate::state::public_endpoint::PublicEndpointError;
use crate::state::store::StoreError;

/// Why a service does not start.
#[derive(Debug, Error)]
pub enum ServeError {
    /// The text is not an address with a port.
    #[error("`{}` is not an address to listen on", escaped(.0))]
    Address(String),
    /// A demo cannot listen on this address, because it is not on loopback.
    #[error("a demo listens on loopback only, not on `{0}`")]
    NotLoopback(SocketAddr),
    /// The address is reachable by other machines, and there is no TLS.
    #[error("`{0}` is reachable from other machines, but TLS is not configured")]
    Unencrypted(SocketAddr),
    /// The port cannot be bound.
    #[error("{}", listen_message(address, source))]
    Listen {
        /// The address.
        address: SocketAddr,
        /// The cause.
        source: io::Error,
    },
    /// The console's folder cannot be used.
    #[error("cannot use the console folder `{}`: {source}", folder.display())]
    Console {
        /// The folder.
        folder: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// The audit file cannot be written.
    #[error("cannot write the audit file `{}`: {source}", file.display())]
    Audit {
        /// The file.
        file: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// The total size of the audit files is smaller than one of them.
    #[error("`{0}` is smaller than `--audit-file-mib`")]
    AuditLimits(&'static str),
    /// The admin's password is empty.
    #[error("the password of the local account is empty")]
    EmptyPassword,
    /// The admin's password is short.
    #[error("the password of the local account has fewer than {MIN_LENGTH} characters")]
    ShortPassword,
    /// The admin's name is not valid for a superuser.
    #[error(transparent)]
    AdminUser(SettingsError),
    /// The admin's name cannot be used for Basic authentication (RFC 7617).
    #[error("the user name `{}` of the admin is not valid", escaped(.0))]
    AdminName(String),
    /// The discovery URL is not allowed.
    #[error("`--oidc-discovery-url`: {0}")]
    DiscoveryUrl(#[source] AddressError),
    /// The audience is empty.
    #[error("the audience is empty")]
    EmptyAudience,
    /// The issuer is empty.
    #[error("the issuer is empty")]
    EmptyIssuer,
    /// The maximum lifetime of tokens is 0.
    #[error("the maximum lifetime of tokens is 0 seconds, so that no token would be accepted")]
    ZeroLifetime,
    /// The client ID is empty.
    #[error("the client ID is empty")]
    EmptyClientId,
    /// The client secret cannot be read.
    #[error("cannot use the client secret in `{}`: {reason}", escaped(&file.display().to_string()))]
    ClientSecret {
        /// The file.
        file: PathBuf,
        /// Why, without the content.
        reason: String,
    },
    /// The file with the password of the local account cannot be read.
    #[error("cannot use the password in `{}`: {reason}", escaped(&file.display().to_string()))]
    AdminPassword {
        /// The file.
        file: PathBuf,
        /// Why, without the content.
        reason: String,
    },
    /// The first start of a service that logs JSON has no password for the local account.
    #[error("the local account has no password yet, and a generated one would be shown in the log")]
    PasswordNeeded,
    /// The password of the local account is given twice.
    #[error(
        "the password of the local account is given by `GBAC_ADMIN_PASSWORD` and by `--admin-password-file`"
    )]
    TwoPasswords,
    /// The level of a logger is not valid.
    #[error("`--log-level`: {0}")]
    LogLevel(#[from] LogLevelError),
    /// The requested scopes do not include `openid`.
    #[error("the scopes `{}` do not include `openid`", escaped(.0))]
    Scope(String),
    /// Browsers reach the service without TLS, so that users cannot sign in with the identity
    /// provider.
    #[error("users cannot sign in with the identity provider at `{}`, because it is neither https nor loopback", escaped(.0))]
    SignInUrl(String),
    /// The public URL or host is not valid.
    #[error(transparent)]
    PublicEndpoint(#[from] PublicEndpointError),
    /// The network of a proxy is not valid.
    #[error("`--trusted-proxy`: {0}")]
    TrustedProxy(#[from] TrustedProxyError),
    /// The limits on connections cannot be used.
    #[error(transparent)]
    ConnectionLimit(#[from] ConnectionLimitError),
    /// The base URL of a cluster is not valid.
    #[error("`--upstream-*`: {0}")]
    Upstream(#[from] BaseUrlError),
    /// The options of a Kafka cluster cannot be used.
    #[error("{0}")]
    Cluster(#[from] ClusterOptionError),
    /// The stored policy is of the other dialect.
    #[error(
        "the stored policy is not of the dialect `kafka`, so that its ACLs cannot be those of a Kafka cluster"
    )]
    ClusterDialect,
    /// The data of the first cluster is that of another one (D-137).
    #[error(
        "the data folder has the data of the cluster `{0}` in `clusters/{0}`, so that `{0}` cannot be the first cluster"
    )]
    ClusterOrder(String),
    /// The data of a cluster is that of another one.
    #[error("the data that the cluster `{name}` would have is that of the cluster `{stored}`")]
    ClusterData {
        /// The cluster.
        name: String,
        /// Whose data it is.
        stored: String,
    },
    /// The certificate or its key cannot be used.
    #[error(transparent)]
    Tls(#[from] TlsError),
    /// The policy of the demo is not valid.
    #[error("the policy of the demo is not valid: {0}")]
    DemoPolicy(#[from] Problems),
    /// The data cannot be used.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The stored password hash of this user cannot be read.
    #[error("the data is damaged: the password hash of `{}` cannot be read", escaped(.0))]
    StoredPassword(String),
    /// The audit log cannot be written, so that a change of the local account would have no event.
    #[error("the audit log cannot be written, so the local account was not changed")]
    NotRecorded,
    /// The operating system provides no threads, signals or random numbers.
    #[error("the service cannot start: {0}")]
    Start(#[from] io::Error),
}

impl ServeError {
    /// The stable code of the error.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Address(_) => "listen_address",
            Self::NotLoopback(_) => "demo_not_loopback",
            Self::Unencrypted(_) => "listen_without_tls",
            Self::Listen { source, .. } if source.kind() == io::ErrorKind::AddrInUse => {
                "port_taken"
            }
            Self::Listen { .. } => "listen_failed",
            Self::Console { .. } => "console_folder",
            Self::Audit { .. } => "audit_file",
            Self::AuditLimits(_) => "audit_limits",
            Self::EmptyPassword => "password_empty",
            Self::ShortPassword => "password_short",
            Self::AdminUser(error) => error.code(),
            Self::AdminName(_) => "admin_user",
            Self::DiscoveryUrl(error) => error.code(),
            Self::EmptyAudience => "oidc_audience_empty",
            Self::EmptyIssuer => "oidc_issuer_empty",
            Self::ZeroLifetime => "oidc_max_token_lifetime",
            Self::EmptyClientId => "oidc_client_id_empty",
            Self::ClientSecret { .. } => "oidc_client_secret",
            Self::AdminPassword { .. } => "admin_password_file",
            Self::PasswordNeeded => "password_needed",
            Self::TwoPasswords => "two_passwords",
            Self::LogLevel(_) => "log_level",
            Self::Scope(_) => "oidc_scope",
            Self::SignInUrl(_) => "oidc_sign_in_url",
            Self::PublicEndpoint(error) => error.code(),
            Self::TrustedProxy(_) => "trusted_proxy",
            Self::ConnectionLimit(error) => error.code(),
            Self::Upstream(error) => error.code(),
            Self::Cluster(error) => error.code(),
            Self::ClusterDialect => "cluster_dialect",
            Self::ClusterOrder(_) | Self::ClusterData { .. } => "cluster_order",
            Self::Tls(error) => error.code(),
            Self::DemoPolicy(_) => "demo_policy_invalid",
            Self::Store(error) => error.code(),
            Self::StoredPassword(_) => "data_damaged",
            Self::NotRecorded => "not_recorded",
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
            Self::Listen { source, .. } if source.kind() == io::ErrorKind::AddrInUse => {
                "stop the program that uses the port, or choose a free one with `--listen 127.0.0.1:0`".into()
            }
            Self::Listen { .. } => "choose another address with `--listen`".into(),
            Self::Console { .. } => "choose the folder with the built console, usually `dist`".into(),
            Self::Audit { source, .. } => private_file::hint(source)
                .unwrap_or("make the file writable; the service refuses requests whose audit events it cannot write")
                .into(),
            Self::AuditLimits(option) => format!("set `{option}` to at least `--audit-file-mib`, or to 0; if it is not 0, `--audit-file-mib` cannot be 0"),
            Self::EmptyPassword => "set `GBAC_ADMIN_PASSWORD` to a password, or unset it".into(),
            Self::ShortPassword => {
                "set `GBAC_ADMIN_PASSWORD`, or the file of `--admin-password-file`, to a longer one; without them, the service \
                 keeps the stored password or generates one"
                    .into()
            }
            Self::AdminUser(error) => error.hint(),
            Self::AdminName(_) => "use a name without `:` and control characters for `--admin-user`".into(),
            Self::DiscoveryUrl(error) => error.hint().into(),
            Self::EmptyIssuer => "use the `issuer` of the discovery document, or omit `--oidc-issuer`".into(),
            Self::ZeroLifetime => "use a number of seconds such as 3600, or omit `--oidc-max-token-lifetime`".into(),
            Self::EmptyAudience => "use the `aud` of your tokens, or omit `--oidc-audience`".into(),
            Self::EmptyClientId => "use the client ID under which the identity provider knows this service, or omit `--oidc-client-id`".into(),
            Self::ClientSecret { .. } => "write the secret alone into the file, readable by this user".into(),
            Self::AdminPassword { .. } => "write the password alone into the file, readable by this user".into(),
            Self::PasswordNeeded => "pass `--admin-password-file` or `GBAC_ADMIN_PASSWORD`, or start once with `--log-format text`".into(),
            Self::TwoPasswords => "use one of them".into(),
            Self::LogLevel(error) => error.hint(),
            Self::Scope(_) => "add it, such as `--oidc-scope \"openid groups\"`".into(),
            Self::SignInUrl(_) => "set `--public-url` to the https URL that browsers use".into(),
            Self::PublicEndpoint(error) => error.hint().into(),
            Self::TrustedProxy(_) => {
                "use the address or network of the proxies alone, such as `10.0.0.7` or `10.0.0.0/8`".into()
            }
            Self::ConnectionLimit(error) => error.hint().into(),
            Self::Upstream(error) => error.hint().into(),
            Self::Cluster(error) => error.hint().into(),
            Self::ClusterDialect => "use another folder for `--data`, or set `dialect` to `kafka` in the policy document first".into(),
            Self::ClusterOrder(_) | Self::ClusterData { .. } => "name the same cluster first, and each by its name of the earlier starts; give a new one another `--data` or a later place".into(),
            Self::Tls(error) => error.hint().into(),
            Self::DemoPolicy(_) => "reinstall the program".into(),
            Self::Store(error) => error.hint(),
            Self::StoredPassword(_) => {
                "set a new password with `GBAC_ADMIN_PASSWORD` once, or restore the folder from a backup".into()
            }
            Self::NotRecorded => {
                "free space on the disk of the data, of which audit events leave `--audit-reserve-mib` free; a service that has \
                 its account already starts without `GBAC_ADMIN_PASSWORD`, and with the name of the account as before"
                    .into()
            }
            Self::Start(_) => "free some resources of the machine and try again".into(),
        }
    }
}

fn listen_message(address: &SocketAddr, error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::AddrInUse => format!("the port of `{address}` is already in use"),
        _ => format!("cannot listen on `{address}`: {error}"),
    }
}
