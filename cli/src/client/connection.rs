//! The flags of a connection: the service, and the credentials for it.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use gbac_api::reason::ChangeReason;
use gbac_engine::model::RoleSpelling;

/// The service, and the credentials for it.
#[derive(Debug, Args)]
pub(crate) struct ConnectArgs {
    /// URL of the service: https, or http to this machine; see --insecure [env: GBAC_URL] [default:
    /// http://127.0.0.1:8420].
    #[arg(long, global = true, value_name = "URL", help_heading = "Service")]
    pub(crate) url: Option<String>,
    /// User name to sign in with [env: GBAC_USER]. The password comes from GBAC_PASSWORD,
    /// --password-file or a prompt.
    #[arg(
        long = "user",
        global = true,
        value_name = "NAME",
        help_heading = "Service"
    )]
    pub(crate) connect_user: Option<String>,
    /// File with the password of --user.
    #[arg(long, global = true, value_name = "FILE", help_heading = "Service")]
    pub(crate) password_file: Option<PathBuf>,
    /// File with your own access token, to sign in with [env: GBAC_TOKEN]. With a password too, the
    /// token is used only for ACLs and roles.
    #[arg(
        long = "token-file",
        global = true,
        value_name = "FILE",
        help_heading = "Service"
    )]
    pub(crate) connect_token: Option<PathBuf>,
    /// Connection profile to use, see `gbac profile` [env: GBAC_PROFILE].
    #[arg(long, global = true, value_name = "NAME", help_heading = "Service")]
    pub(crate) profile: Option<String>,
    /// Prefix of role principals in output and requests. Input accepts both prefixes.
    #[arg(
        long,
        global = true,
        value_name = "WORD",
        value_enum,
        help_heading = "Service"
    )]
    pub(crate) role_spelling: Option<SpellingArg>,
    /// Request timeout, in seconds.
    #[arg(long, global = true, value_name = "SECONDS", default_value_t = 60, help_heading = "Service",
        value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) timeout: u32,
    #[command(flatten)]
    pub(crate) tls: TlsArgs,
}

/// Why a change is made.
#[derive(Debug, Clone, Args)]
pub(crate) struct ReasonArgs {
    /// Why you make the change, for the audit log of the service: at most 500 characters.
    #[arg(long, value_name = "TEXT", value_parser = ChangeReason::parse)]
    pub(crate) reason: Option<ChangeReason>,
}

/// The certificates of the connection.
#[derive(Debug, Clone, Args)]
pub(crate) struct TlsArgs {
    /// Certificates of the authorities that are trusted, in PEM, instead of those of this machine
    /// [env: GBAC_TLS_CA].
    #[arg(long, global = true, value_name = "FILE", help_heading = "Service")]
    pub(crate) tls_ca: Option<PathBuf>,
    /// Your own certificate with its chain, in PEM, if the service or a proxy requires one.
    #[arg(
        id = "client_cert",
        long = "tls-cert",
        global = true,
        value_name = "FILE",
        requires = "client_key",
        help_heading = "Service"
    )]
    pub(crate) tls_cert: Option<PathBuf>,
    /// Key of --tls-cert, in PEM.
    #[arg(
        id = "client_key",
        long = "tls-key",
        global = true,
        value_name = "FILE",
        requires = "client_cert",
        help_heading = "Service"
    )]
    pub(crate) tls_key: Option<PathBuf>,
    /// Allow plain http to another machine. It can read your credentials, and so can everyone on
    /// the way.
    #[arg(long, global = true, help_heading = "Service")]
    pub(crate) insecure: bool,
}

/// Prefix of role principals (D-06).
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum SpellingArg {
    /// `Role:<name>`.
    Role,
    /// `RedpandaRole:<name>`, as the platform writes it.
    RedpandaRole,
}

impl From<SpellingArg> for RoleSpelling {
    fn from(arg: SpellingArg) -> Self {
        match arg {
            SpellingArg::Role => Self::Role,
            SpellingArg::RedpandaRole => Self::RedpandaRole,
        }
    }
}
