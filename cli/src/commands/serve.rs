//! `gbac serve`: the flags of the service, and how it ends.

use std::path::{Path, PathBuf};

use clap::{ArgMatches, Args, FromArgMatches, ValueEnum};
use gbac_api::clusters::DataPlaneApiForm;
use gbac_api::license::LicenseStatus;
use gbac_server::{
    AuditFileLimits, ConnectionLimitError, ConnectionOptions, DataOptions, DemoOptions,
    EmbeddedFiles, HistoryLimits, LogFormat, LogOptions, OidcClientOptions, OidcRules,
    PublicEndpointOptions, ServeError, ServeMode, ServeOptions, TlsFiles, UpstreamOptions,
};
use gbac_words::commands::service as words;
#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;

use super::Cli;
use super::Command;
use crate::args::license::LicenseArg;
use crate::browser;
use crate::input::entries;
use crate::output::{self, Failure, Format, sentence};
use crate::process::Process;
use crate::serve_options::invalid;

/// The flags of `gbac serve`.
#[derive(Debug, Args)]
pub(crate) struct ServeArgs {
    /// File with options (TOML): in its table `[serve]`, the long names of options and their
    /// values. A variable such as GBAC_SERVE_LISTEN comes before the file, and the command line
    /// before both. Relative paths in the file start from its folder [env: GBAC_SERVE_CONFIG].
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Check the options, from wherever they come, name every mistake, and end without starting.
    #[arg(long)]
    check_config: bool,
    /// Run a demonstration: in memory, on loopback, with a sample policy and its own identity
    /// provider.
    #[arg(long, conflicts_with_all = ["data", "admin_user", "oidc_discovery_url", "oidc_audience", "oidc_issuer", "oidc_access_tokens_only", "oidc_max_token_lifetime", "oidc_client_id", "clusters", "tls_cert", "insecure_listen"])]
    demo: bool,
    /// Store the policy in this folder; created if it does not exist.
    #[arg(long, value_name = "DIR", required_unless_present = "demo")]
    data: Option<PathBuf>,
    /// Listen address; port 0 selects a free port. Addresses other than loopback require --tls-cert
    /// or --insecure-listen.
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8420")]
    listen: String,
    /// Name of the local account: the user with a password, who is a superuser [env:
    /// GBAC_ADMIN_USER] [default: admin].
    #[arg(long, value_name = "NAME")]
    admin_user: Option<String>,
    /// File with the password of the local account, instead of GBAC_ADMIN_PASSWORD.
    #[arg(long, value_name = "FILE")]
    admin_password_file: Option<PathBuf>,
    /// Level of the log at the start: error, warn, info, debug or trace, of one logger as in
    /// `oidc=debug`. Repeatable, comma-separated [default: info].
    #[arg(long = "log-level", value_name = "LEVEL")]
    log_levels: Vec<String>,
    /// Form of the log on standard error.
    #[arg(long, value_name = "FORM", value_enum, default_value_t)]
    log_format: LogFormatArg,
    /// Discovery document of the identity provider (OpenID Connect Discovery 1.0). Overrides the
    /// property oidc_discovery_url, which cannot be changed while the service runs.
    #[arg(long, value_name = "URL")]
    oidc_discovery_url: Option<String>,
    /// Required audience of a token (`aud`). Overrides the property oidc_token_audience, which
    /// cannot be changed while the service runs.
    #[arg(long, value_name = "NAME")]
    oidc_audience: Option<String>,
    /// Issuer of the identity provider, if it does not match the URL of its discovery document.
    #[arg(long, value_name = "ISSUER")]
    oidc_issuer: Option<String>,
    /// Accept only access tokens with the type `at+jwt` (RFC 9068).
    #[arg(long)]
    oidc_access_tokens_only: bool,
    /// Maximum lifetime of a token, from `iat` to `exp`; tokens without `iat` are refused.
    #[arg(long, value_name = "SECONDS")]
    oidc_max_token_lifetime: Option<u32>,
    /// Client ID of this service at the identity provider, so that users can sign in to the console
    /// with it. Its redirect URI is PUBLIC-URL/gbac/v1/sign-in/callback.
    #[arg(long, value_name = "ID")]
    oidc_client_id: Option<String>,
    /// File with the client secret; without it, this service is a public client.
    #[arg(long, value_name = "FILE", requires = "oidc_client_id")]
    oidc_client_secret_file: Option<PathBuf>,
    /// Scopes to request when users sign in to the console, separated by spaces [default: openid].
    #[arg(long, value_name = "SCOPES", requires = "oidc_client_id")]
    oidc_scope: Option<String>,
    /// Enterprise license. Overrides the stored license, which cannot be changed while the service
    /// runs.
    #[arg(long, value_name = "STATE", value_enum)]
    license: Option<LicenseArg>,
    /// Cluster ID that the Control Plane API answers for [default: any].
    #[arg(long, value_name = "ID")]
    cluster_id: Option<String>,
    /// Form of `dataplane_api` in responses of the Control Plane API: a string, or an object with
    /// `url`.
    #[arg(long, value_name = "FORM", value_enum, default_value_t)]
    dataplane_api_form: DataPlaneApiFormArg,
    /// URL that clients use for the service [default: the listen address]. Requests for its host
    /// are accepted.
    #[arg(long, value_name = "URL")]
    public_url: Option<String>,
    /// Additional host names and IP addresses that clients use; requests for them are accepted.
    /// Repeatable, comma-separated.
    #[arg(long = "public-host", value_name = "HOST")]
    public_hosts: Vec<String>,
    /// Addresses or networks (CIDR) of proxies whose X-Forwarded-For, Forwarded and
    /// X-Forwarded-Proto headers name the client. Repeatable, comma-separated.
    #[arg(long = "trusted-proxy", value_name = "CIDR")]
    trusted_proxies: Vec<String>,
    /// Open connections in total [default: 4096, or fewer if the limit on open files requires it].
    #[arg(long, value_name = "N")]
    max_connections: Option<usize>,
    /// Open connections from one address (IPv6: /64 network), except of trusted proxies [default:
    /// 128].
    #[arg(long, value_name = "N")]
    max_connections_per_address: Option<usize>,
    /// Concurrent requests of one client address, including clients behind trusted proxies.
    #[arg(long, value_name = "N", default_value_t = 128)]
    max_requests_per_address: usize,
    /// Kafka cluster, as `kafka://HOST:PORT,HOST:PORT`, whose ACLs the service reads and changes
    /// instead of keeping its own; roles and settings stay in --data. Repeatable: paths without the
    /// name of a cluster are about the first.
    #[arg(long = "cluster", value_name = "NAME=URL")]
    clusters: Vec<String>,
    /// Kafka's client properties for --cluster: TLS and the account, as for `kafka-acls
    /// --command-config`. The account needs Describe and Alter on the cluster. Repeatable.
    #[arg(
        long = "cluster-config",
        value_name = "NAME=FILE",
        requires = "clusters"
    )]
    cluster_configs: Vec<String>,
    /// Whose credentials the service uses for changes of ACLs in --cluster: `service`, those of
    /// --cluster-config, or `caller`, the token of the user who makes the change [default:
    /// service]. Repeatable. `caller` needs `sasl.mechanism=OAUTHBEARER` in --cluster-config.
    #[arg(
        long = "cluster-identity",
        value_name = "NAME=IDENTITY",
        requires = "clusters"
    )]
    cluster_identities: Vec<String>,
    /// Admin API of another cluster to relay requests to.
    #[arg(long, value_name = "URL")]
    upstream_admin: Option<String>,
    /// Data Plane API of another cluster to relay requests to.
    #[arg(long, value_name = "URL")]
    upstream_dataplane: Option<String>,
    /// Control Plane API of another cluster to relay requests to.
    #[arg(long, value_name = "URL")]
    upstream_controlplane: Option<String>,
    /// Relay only requests of callers who are signed in to this service, with `GBAC-Authorization`
    /// or with credentials that are valid for both services.
    #[arg(long)]
    relay_requires_sign_in: bool,
    /// TLS certificate and its chain, in PEM. Reloaded when the files change, and on SIGHUP.
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    tls_cert: Option<PathBuf>,
    /// Private key of --tls-cert, in PEM.
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    tls_key: Option<PathBuf>,
    /// Listen on an address other than loopback without TLS, because a proxy in front of the
    /// service provides it.
    #[arg(long, conflicts_with = "tls_cert")]
    insecure_listen: bool,
    /// Rotate the audit file at this size in MiB; 0 means no limit.
    #[arg(long, value_name = "MIB", default_value_t = 64)]
    audit_file_mib: u32,
    /// Rotate the audit file when its first event is this many hours old; 0 means no limit.
    #[arg(long, value_name = "HOURS", default_value_t = 24)]
    audit_file_hours: u32,
    /// Delete the oldest audit files of decisions beyond this total size in MiB; 0 keeps all.
    #[arg(long, value_name = "MIB", default_value_t = 1024)]
    audit_total_mib: u32,
    /// The same for the audit files of changes and sign-ins (changes.jsonl).
    #[arg(long, value_name = "MIB", default_value_t = 0)]
    changes_total_mib: u32,
    /// Disk space in MiB that audit events leave free. With less, requests that need an event are
    /// refused; 0 keeps nothing free.
    #[arg(long, value_name = "MIB", default_value_t = 64)]
    audit_reserve_mib: u32,
    /// Delete the oldest changes from the history when all of them take more than this size in MiB;
    /// 0 keeps all.
    #[arg(long, value_name = "MIB", default_value_t = 256)]
    history_mib: u32,
    /// Delete changes from the history that are older than this number of days; 0 keeps all.
    #[arg(long, value_name = "DAYS", default_value_t = 0)]
    history_days: u32,
    /// Open the console in a browser, if standard output is a terminal and there is a screen.
    #[arg(long)]
    open: bool,
    /// Folder with a console to serve instead of the built-in one.
    #[arg(long, value_name = "DIR")]
    console: Option<PathBuf>,
}

/// Form of `dataplane_api` (D-88).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(crate) enum DataPlaneApiFormArg {
    /// A string, as in the specification.
    #[default]
    String,
    /// An object with `url`, as the platform's Control Plane.
    Object,
}

/// Form of the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(crate) enum LogFormatArg {
    /// Lines for people.
    #[default]
    Text,
    /// One JSON object per line.
    Json,
}

/// The valid options of `gbac serve`.
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[derive(Debug, Serialize)]
pub(crate) struct CheckedOptions<'a> {
    /// Always true; invalid options are an error.
    valid: bool,
    /// The folder of the data; null for a demo.
    data: Option<&'a Path>,
    /// The listen address.
    listen: &'a str,
}

/// The console in this program; without files if there is none.
const EMBEDDED_CONSOLE: EmbeddedFiles = include!(concat!(env!("OUT_DIR"), "/embedded.rs"));

pub(crate) fn run(process: &Process, args: ServeArgs, format: Format) -> Result<u8, Failure> {
    let is_check = args.check_config;
    let options = options(process, args)?;
    if is_check {
        return check(process, &options, format);
    }
    let Err(error) = gbac_server::serve(&options) else {
        return Ok(output::SUCCESS);
    };
    let message = format!("{error}; {}", error.hint());
    if is_invalid_flag(&error) {
        Err(Failure::value(error.code(), message))
    } else {
        Err(Failure::new(error.code(), message))
    }
}

/// Prints every mistake, or what the service would do.
fn check(process: &Process, options: &ServeOptions, format: Format) -> Result<u8, Failure> {
    let faults = sentences(options);
    if !faults.is_empty() {
        return Err(invalid(&faults));
    }
    let data = match &options.mode {
        ServeMode::Demo(_) => None,
        ServeMode::Data(data) => {
            Some(std::path::absolute(&data.folder).unwrap_or_else(|_| data.folder.clone()))
        }
    };
    match format {
        Format::Json | Format::Yaml => {
            let checked = CheckedOptions {
                valid: true,
                data: data.as_deref(),
                listen: &options.listen,
            };
            output::value(process, format, &checked)?;
        }
        Format::Text => {
            let data = data.map(|data| data.display().to_string());
            let valid = words::valid_options(data.as_deref(), &options.listen);
            output::text(process, &format!("{}\n", sentence(&valid)))?;
        }
    }
    Ok(output::SUCCESS)
}

/// The faults of the options of `serve` in parsed arguments.
pub(crate) fn faults(process: &Process, matches: &ArgMatches) -> Vec<String> {
    match Cli::from_arg_matches(matches) {
        Ok(Cli {
            command: Command::Serve(args),
            ..
        }) => match options(process, *args) {
            Ok(options) => sentences(&options),
            Err(failure) => vec![failure.to_string()],
        },
        Ok(_) => Vec::new(),
        Err(error) => vec![error.to_string()],
    }
}

fn sentences(options: &ServeOptions) -> Vec<String> {
    let mut sentences = Vec::new();
    for error in gbac_server::faults(options) {
        sentences.push(format!("{error}; {}", error.hint()));
    }
    sentences
}

/// Whether the value of a flag is invalid, independent of the machine's state.
const fn is_invalid_flag(error: &ServeError) -> bool {
    matches!(
        error,
        ServeError::Address(_)
            | ServeError::NotLoopback(_)
            | ServeError::Unencrypted(_)
            | ServeError::EmptyPassword
            | ServeError::ShortPassword
            | ServeError::AdminUser(_)
            | ServeError::AdminName(_)
            | ServeError::DiscoveryUrl(_)
            | ServeError::EmptyAudience
            | ServeError::EmptyIssuer
            | ServeError::ZeroLifetime
            | ServeError::EmptyClientId
            | ServeError::Scope(_)
            | ServeError::SignInUrl(_)
            | ServeError::PublicEndpoint(_)
            | ServeError::TrustedProxy(_)
            | ServeError::ConnectionLimit(
                ConnectionLimitError::Zero(_) | ConnectionLimitError::PerAddress { .. }
            )
            | ServeError::Upstream(_)
            | ServeError::Cluster(_)
            | ServeError::TwoPasswords
            | ServeError::LogLevel(_)
            | ServeError::AuditLimits(_)
    )
}

/// `NAME=FILE` with the path from the folder of the process.
fn config_paths(process: &Process, configs: Vec<String>) -> Vec<String> {
    let mut paths = Vec::with_capacity(configs.len());
    for config in configs {
        match config.split_once('=') {
            Some((name, file)) if !file.is_empty() => {
                let file = process.path(Path::new(file));
                paths.push(format!("{name}={}", file.display()));
            }
            _ => paths.push(config),
        }
    }
    paths
}

fn options(process: &Process, args: ServeArgs) -> Result<ServeOptions, Failure> {
    let path = |path: Option<PathBuf>| path.map(|path| process.path(&path));
    let mode = match args.data {
        None => ServeMode::Demo(DemoOptions::default()),
        Some(folder) => {
            let oidc_client = match args.oidc_client_id {
                Some(id) => Some(Box::new(OidcClientOptions {
                    id,
                    secret_file: path(args.oidc_client_secret_file),
                    scope: args.oidc_scope,
                })),
                None => None,
            };
            let tls = match (args.tls_cert, args.tls_key) {
                (Some(cert), Some(key)) => Some(TlsFiles {
                    cert: process.path(&cert),
                    key: process.path(&key),
                }),
                _ => None,
            };
            ServeMode::Data(DataOptions {
                folder: process.path(&folder),
                admin_user: args
                    .admin_user
                    .or_else(|| process.variable("GBAC_ADMIN_USER")),
                oidc_discovery_url: args.oidc_discovery_url,
                oidc_audience: args.oidc_audience,
                oidc_rules: OidcRules {
                    issuer: args.oidc_issuer,
                    access_tokens_only: args.oidc_access_tokens_only,
                    max_lifetime: args.oidc_max_token_lifetime,
                },
                oidc_client,
                clusters: args.clusters,
                cluster_configs: config_paths(process, args.cluster_configs),
                cluster_identities: args.cluster_identities,
                cluster_interval: DataOptions::CLUSTER_INTERVAL,
                tls,
                insecure_listen: args.insecure_listen,
            })
        }
    };
    Ok(ServeOptions {
        listen: args.listen,
        mode,
        admin_password: process.variable("GBAC_ADMIN_PASSWORD"),
        admin_password_file: path(args.admin_password_file),
        log: LogOptions {
            format: match args.log_format {
                LogFormatArg::Text => LogFormat::Text,
                LogFormatArg::Json => LogFormat::Json,
            },
            levels: entries("--log-level", &args.log_levels)?,
        },
        license: args.license.map(LicenseStatus::from),
        endpoint: PublicEndpointOptions {
            cluster_id: args.cluster_id,
            public_url: args.public_url,
            public_hosts: entries("--public-host", &args.public_hosts)?,
            data_plane_api_form: match args.dataplane_api_form {
                DataPlaneApiFormArg::String => DataPlaneApiForm::Text,
                DataPlaneApiFormArg::Object => DataPlaneApiForm::Object,
            },
        },
        trusted_proxies: entries("--trusted-proxy", &args.trusted_proxies)?,
        connections: ConnectionOptions {
            total: args.max_connections,
            per_address: args.max_connections_per_address,
            requests_per_address: args.max_requests_per_address,
        },
        upstream: UpstreamOptions {
            admin: args.upstream_admin,
            dataplane: args.upstream_dataplane,
            controlplane: args.upstream_controlplane,
            requires_sign_in: args.relay_requires_sign_in,
        },
        audit_files: AuditFileLimits {
            file_bytes: u64::from(args.audit_file_mib) << 20,
            file_seconds: u64::from(args.audit_file_hours) * 3600,
            total_bytes: u64::from(args.audit_total_mib) << 20,
            changes_total_bytes: u64::from(args.changes_total_mib) << 20,
            reserve_bytes: u64::from(args.audit_reserve_mib) << 20,
        },
        history: HistoryLimits {
            bytes: u64::from(args.history_mib) << 20,
            days: args.history_days,
        },
        console: path(args.console),
        embedded_console: EMBEDDED_CONSOLE,
        on_ready: if args.open && browser::can_open(process) {
            Some(browser::open)
        } else {
            None
        },
        clock: None,
    })
}
