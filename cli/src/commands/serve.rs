//! `gbac serve`: the flags of the service, and how it ends.

use std::path::PathBuf;

use gbac_api::clusters::DataPlaneApiForm;
use gbac_api::license::LicenseStatus;
use gbac_server::{
    AuditFileLimits, ConnectionLimitError, ConnectionOptions, DataOptions, DemoOptions,
    EmbeddedFiles, LogFormat, LogOptions, OidcClientOptions, OidcRules, PublicEndpointOptions,
    ServeError, ServeMode, ServeOptions, TlsFiles, UpstreamOptions,
};

use clap::{ArgMatches, FromArgMatches};
use gbac_words::commands::service as words;

use crate::args::{Cli, Command, DataPlaneApiFormArg, Format, LicenseArg, LogFormatArg, ServeArgs};
use crate::lists::entries;
use crate::output::{self, Failure, sentence};
use crate::process::Process;
use crate::results::CheckedOptions;
use crate::serve_options::invalid;

/// The console in this program.
#[cfg(feature = "embed-console")]
const EMBEDDED_CONSOLE: EmbeddedFiles = include!(concat!(env!("OUT_DIR"), "/embedded.rs"));
/// No console in this program.
#[cfg(not(feature = "embed-console"))]
const EMBEDDED_CONSOLE: EmbeddedFiles = &[];

pub(crate) fn run(process: &Process, args: ServeArgs, format: Format) -> Result<u8, Failure> {
    let is_check = args.check_config;
    let options = options(process, args)?;
    if is_check {
        return check(process, &options, format);
    }
    gbac_server::serve(&options)
        .map(|()| output::SUCCESS)
        .map_err(|error| {
            let message = format!("{error}; {}", error.hint());
            if is_invalid_flag(&error) {
                Failure::value(error.code(), message)
            } else {
                Failure::new(error.code(), message)
            }
        })
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
    let is_text = !matches!(format, Format::Json | Format::Yaml);
    match (&data, is_text) {
        (_, false) => {
            output::value(
                process,
                format,
                &CheckedOptions {
                    valid: true,
                    data: data.as_deref(),
                    listen: &options.listen,
                },
            )?;
        }
        (data, true) => {
            let data = data.as_ref().map(|data| data.display().to_string());
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
    gbac_server::faults(options)
        .iter()
        .map(|error| format!("{error}; {}", error.hint()))
        .collect()
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
            | ServeError::TwoPasswords
            | ServeError::LogLevel(_)
            | ServeError::AuditLimits(_)
    )
}

fn options(process: &Process, args: ServeArgs) -> Result<ServeOptions, Failure> {
    let path = |path: Option<PathBuf>| path.map(|path| process.path(&path));
    let mode = args
        .data
        .map_or(ServeMode::Demo(DemoOptions::default()), |folder| {
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
                oidc_client: args.oidc_client_id.map(|id| {
                    Box::new(OidcClientOptions {
                        id,
                        secret_file: path(args.oidc_client_secret_file),
                        scope: args.oidc_scope,
                    })
                }),
                tls: args.tls_cert.zip(args.tls_key).map(|(cert, key)| TlsFiles {
                    cert: process.path(&cert),
                    key: process.path(&key),
                }),
                insecure_listen: args.insecure_listen,
            })
        });
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
        license: args.license.map(|license| match license {
            LicenseArg::Valid => LicenseStatus::Valid,
            LicenseArg::Expired => LicenseStatus::Expired,
            LicenseArg::Missing => LicenseStatus::Missing,
        }),
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
        console: path(args.console),
        embedded_console: EMBEDDED_CONSOLE,
        clock: None,
    })
}
