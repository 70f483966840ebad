//! The options of `gbac serve`.

use std::path::PathBuf;
use std::time::Duration;

use gbac_api::license::LicenseStatus;

use super::tls::TlsFiles;
use crate::console::EmbeddedFiles;
use crate::demo::DemoKey;
use crate::identity::oidc::OidcRules;
use crate::logging::LogOptions;
use crate::state::audit::AuditFileLimits;
use crate::state::public_endpoint::PublicEndpointOptions;
use crate::state::store::HistoryLimits;
use crate::upstream::UpstreamOptions;

/// The options of a service.
#[derive(Debug, Clone)]
pub struct ServeOptions {
    /// An address and a port, such as `127.0.0.1:8420`, `[::1]:8420` or `localhost:8420`; port 0
    /// chooses a free one.
    pub listen: String,
    /// A demo, or a service with its own data.
    pub mode: ServeMode,
    /// The password of the admin. `None` is the stored one, or a new one at the first start; in a
    /// demo it is `demo`, with which the console signs in automatically.
    pub admin_password: Option<String>,
    /// A file with the password of the admin, instead of `admin_password`.
    pub admin_password_file: Option<PathBuf>,
    /// How the service logs.
    pub log: LogOptions,
    /// The state of the license; `None` is the stored one, initially valid.
    pub license: Option<LicenseStatus>,
    /// The public address.
    pub endpoint: PublicEndpointOptions,
    /// The networks of the proxies that may name the client of a request, such as `10.0.0.0/8`.
    pub trusted_proxies: Vec<String>,
    /// The limits on connections and requests.
    pub connections: ConnectionOptions,
    /// The cluster to which operations are relayed.
    pub upstream: UpstreamOptions,
    /// The limits of the audit files.
    pub audit_files: AuditFileLimits,
    /// The limits of the history.
    pub history: HistoryLimits,
    /// A folder with the console's files; `None` uses the embedded ones.
    pub console: Option<PathBuf>,
    /// The console's files in this program; without any, a page says how to build them.
    pub embedded_console: EmbeddedFiles,
    /// Receives the URL of the service when it is ready, for example to open it in a browser.
    pub on_ready: Option<fn(&str)>,
    /// Returns the time in seconds since 1970; `None` is the machine's clock.
    pub clock: Option<fn() -> f64>,
}

/// The limits on connections and requests. An address is an IPv4 address or an IPv6 network of 64
/// bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ConnectionOptions {
    /// The number of open connections; `None` is 4096, or fewer if the process may not open that
    /// many files.
    pub total: Option<usize>,
    /// The number of open connections from one address; `None` is 128, or half of the total if that
    /// is less.
    pub per_address: Option<usize>,
    /// The number of requests of one address at once.
    pub requests_per_address: usize,
}

impl Default for ConnectionOptions {
    fn default() -> Self {
        Self {
            total: None,
            per_address: None,
            requests_per_address: 128,
        }
    }
}

/// Whether the service is a demo.
#[derive(Debug, Clone)]
#[expect(
    clippy::large_enum_variant,
    reason = "there is one in a process, which reads it once"
)]
pub enum ServeMode {
    /// A demo, in memory and on loopback only.
    Demo(DemoOptions),
    /// A service with data in a folder.
    Data(DataOptions),
}

/// The options of a demo.
#[derive(Debug, Clone, Default)]
pub struct DemoOptions {
    /// The signing key of its identity provider; `None` creates a new one.
    pub key: Option<DemoKey>,
    /// The file for audit events; `None` only keeps them in memory.
    pub audit_file: Option<PathBuf>,
}

/// The options of a service with data in a folder.
#[derive(Debug, Clone)]
pub struct DataOptions {
    /// The folder; created if it does not exist.
    pub folder: PathBuf,
    /// The name of the local account: the user with a password, who is a superuser; `None` is
    /// `admin`.
    pub admin_user: Option<String>,
    /// Sets the property `oidc_discovery_url` for this run.
    pub oidc_discovery_url: Option<String>,
    /// Sets the property `oidc_token_audience` for this run.
    pub oidc_audience: Option<String>,
    /// What is required of the identity provider and its tokens besides.
    pub oidc_rules: OidcRules,
    /// The service as a client of the identity provider; `None` if users cannot sign in with it in
    /// a browser.
    pub oidc_client: Option<Box<OidcClientOptions>>,
    /// The Kafka cluster with the ACLs, `NAME=kafka://HOST:PORT,HOST:PORT`; without any, the store
    /// has them.
    pub clusters: Vec<String>,
    /// The file with Kafka's client properties for a cluster, `NAME=FILE`.
    pub cluster_configs: Vec<String>,
    /// As whom changes of ACLs are sent to a cluster, `NAME=service` or `NAME=caller`.
    pub cluster_identities: Vec<String>,
    /// The interval at which the ACLs of the cluster are read.
    pub cluster_interval: Duration,
    /// The certificate and key for TLS.
    pub tls: Option<TlsFiles>,
    /// Whether to permit listening beyond loopback without TLS.
    pub insecure_listen: bool,
}

/// The service as a client of the identity provider.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OidcClientOptions {
    /// The client ID.
    pub id: String,
    /// The file with the client secret; `None` is a public client.
    pub secret_file: Option<PathBuf>,
    /// The scopes that are requested, separated by spaces; `None` is `openid`.
    pub scope: Option<String>,
}

impl DataOptions {
    /// The default interval at which the ACLs of a cluster are read.
    pub const CLUSTER_INTERVAL: Duration = Duration::from_secs(5);

    /// The default options of a service with data in this folder.
    #[must_use]
    pub const fn new(folder: PathBuf) -> Self {
        Self {
            folder,
            admin_user: None,
            oidc_discovery_url: None,
            oidc_audience: None,
            oidc_rules: OidcRules::DEFAULT,
            oidc_client: None,
            clusters: Vec::new(),
            cluster_configs: Vec::new(),
            cluster_identities: Vec::new(),
            cluster_interval: Self::CLUSTER_INTERVAL,
            tls: None,
            insecure_listen: false,
        }
    }
}

impl Default for ServeOptions {
    fn default() -> Self {
        Self {
            listen: "127.0.0.1:8420".into(),
            mode: ServeMode::Demo(DemoOptions::default()),
            admin_password: None,
            admin_password_file: None,
            log: LogOptions::default(),
            license: None,
            endpoint: PublicEndpointOptions::default(),
            trusted_proxies: Vec::new(),
            connections: ConnectionOptions::default(),
            upstream: UpstreamOptions::default(),
            audit_files: AuditFileLimits::default(),
            history: HistoryLimits::default(),
            console: None,
            embedded_console: &[],
            on_ready: None,
            clock: None,
        }
    }
}
