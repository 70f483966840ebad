//! The flags of the commands that call a running service.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

use super::ResourceArgs;

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

#[derive(Debug, Subcommand)]
pub(crate) enum ProfileCommand {
    /// Save a service's URL and user name under a name. Passwords and tokens are never saved.
    ///
    /// The first profile becomes the current one.
    Create {
        /// Profile name.
        #[arg(value_name = "NAME")]
        name: String,
        /// URL of the service: https, or http to this machine.
        #[arg(long, value_name = "URL")]
        url: String,
        /// User name to sign in with.
        #[arg(long, value_name = "NAME")]
        user: Option<String>,
        /// Prefix of role principals in output and requests.
        #[arg(long, value_name = "WORD", value_enum)]
        role_spelling: Option<SpellingArg>,
        /// Replace an existing profile with this name.
        #[arg(long)]
        replace: bool,
        /// Allow the URL to be plain http to another machine. Commands that use the profile need
        /// --insecure too.
        #[arg(id = "insecure_profile", long = "insecure")]
        insecure: bool,
    },
    /// Set the current profile.
    Use {
        /// Profile name.
        #[arg(value_name = "NAME")]
        name: String,
    },
    /// Show the profile that commands use, and where it is selected.
    Current,
    /// List the profiles; an asterisk marks the current one.
    #[command(visible_alias = "ls")]
    List,
    /// Delete a profile.
    Delete {
        /// Profile name.
        #[arg(value_name = "NAME")]
        name: String,
    },
}

#[derive(Debug, Args)]
pub(crate) struct BackupArgs {
    #[command(flatten)]
    pub(crate) connect: ConnectArgs,
    /// File for the backup. If it exists, the command fails unless --replace is given.
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// Replace an existing file, once the new backup is complete.
    #[arg(long)]
    pub(crate) replace: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ExportArgs {
    #[command(flatten)]
    pub(crate) connect: ConnectArgs,
    /// Write the document to this file instead of standard output, and print the state for
    /// --if-match.
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct ImportArgs {
    #[command(flatten)]
    pub(crate) connect: ConnectArgs,
    /// Policy document, `-` for standard input.
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// Import only if the service's policy is still in the state that `gbac export --out` printed.
    #[arg(long, value_name = "STATE")]
    pub(crate) if_match: Option<String>,
    /// Change nothing. Run every check, and show who would gain or lose access.
    #[arg(short, long, alias = "dry")]
    pub(crate) dry_run: bool,
    /// With --dry-run, exit with 1 if effective access would change, like `gbac policy diff
    /// --exit-code`.
    #[arg(long, requires = "dry_run")]
    pub(crate) exit_code: bool,
    /// Do not ask for confirmation before removing anything.
    #[arg(long)]
    pub(crate) no_confirm: bool,
    /// Add the missing ACLs, roles and members one by one, with the platform's documented calls.
    /// Removes nothing, keeps the settings, and can be repeated after an interruption.
    #[arg(long, conflicts_with_all = ["if_match", "exit_code"])]
    pub(crate) merge: bool,
}

#[derive(Debug, Args)]
pub(crate) struct WatchArgs {
    #[command(flatten)]
    pub(crate) connect: ConnectArgs,
    /// Show only what concerns this principal: User:NAME, Group:NAME or Role:NAME; without a type,
    /// a user.
    #[arg(long, value_name = "PRINCIPAL")]
    pub(crate) principal: Option<String>,
    #[command(flatten)]
    pub(crate) resources: ResourceArgs,
}

#[derive(Debug, Subcommand)]
pub(crate) enum SecurityCommand {
    /// Create, list and delete ACLs.
    Acl {
        #[command(subcommand)]
        command: AclCommand,
    },
    /// Manage roles, their members and their ACLs.
    Role {
        #[command(subcommand)]
        command: RoleCommand,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum AclCommand {
    /// Create ACLs, one for each combination of principal, host, resource and operation.
    ///
    /// Flags can be repeated and accept comma-separated lists; quote an entry that contains a
    /// comma, as in '"Group:eng,fin"'. A principal without a type is a user; if the first entry of
    /// a list has a type, every entry needs one. Exits with 1 if an ACL could not be created.
    Create(Box<CreateAclsArgs>),
    /// List ACLs. Omitted filters match everything.
    #[command(visible_aliases = ["ls", "describe"])]
    List(Box<ListAclsArgs>),
    /// Delete ACLs, after listing them and asking for confirmation. Omitted filters match
    /// everything.
    Delete(Box<DeleteAclsArgs>),
}

/// The parts of ACLs. Every flag accepts a comma-separated list; quote an entry that contains a
/// comma.
#[derive(Debug, Args)]
pub(crate) struct AclArgs {
    #[command(flatten)]
    pub(crate) resources: ResourceArgs,
    /// Operations, comma-separated, such as read,describe; `all` is every operation.
    #[arg(long, value_name = "OPERATIONS")]
    pub(crate) operation: Vec<String>,
    /// Allowed principals, comma-separated: User:NAME, Group:NAME or Role:NAME; without a type, a
    /// user. Quote an entry that contains a comma: '"User:CN=a,OU=b"'.
    #[arg(long, value_name = "PRINCIPALS")]
    pub(crate) allow_principal: Vec<String>,
    /// Denied principals, comma-separated.
    #[arg(long, value_name = "PRINCIPALS")]
    pub(crate) deny_principal: Vec<String>,
    /// Allowed roles, comma-separated.
    #[arg(long, value_name = "ROLES")]
    pub(crate) allow_role: Vec<String>,
    /// Denied roles, comma-separated.
    #[arg(long, value_name = "ROLES")]
    pub(crate) deny_role: Vec<String>,
    /// Allowed client IP addresses, comma-separated. A new ACL applies to any host by default.
    #[arg(long, value_name = "ADDRESSES")]
    pub(crate) allow_host: Vec<String>,
    /// Denied client IP addresses, comma-separated. A new ACL applies to any host by default.
    #[arg(long, value_name = "ADDRESSES")]
    pub(crate) deny_host: Vec<String>,
}

#[derive(Debug, Args)]
pub(crate) struct CreateAclsArgs {
    #[command(flatten)]
    pub(crate) acls: AclArgs,
    /// Whether a resource name is literal or a prefix.
    #[arg(long, value_name = "PATTERN", value_enum, default_value_t = PatternArg::Literal)]
    pub(crate) resource_pattern_type: PatternArg,
    /// Create nothing. Run every check, and show who would gain or lose access.
    #[arg(short, long, alias = "dry")]
    pub(crate) dry_run: bool,
}

#[derive(Debug, Args)]
pub(crate) struct FilterArgs {
    #[command(flatten)]
    pub(crate) acls: AclArgs,
    /// Which patterns the resource name selects.
    #[arg(long, value_name = "PATTERN", value_enum, default_value_t = PatternFilterArg::Any)]
    pub(crate) resource_pattern_type: PatternFilterArg,
    /// Also show the filters.
    #[arg(short = 'f', long)]
    pub(crate) print_filters: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ListAclsArgs {
    #[command(flatten)]
    pub(crate) filter: FilterArgs,
    /// List only ACLs of Kafka resources, or of the Schema Registry.
    #[arg(long, value_name = "SUBSYSTEM", value_enum, value_delimiter = ',')]
    pub(crate) subsystem: Vec<SubsystemArg>,
}

#[derive(Debug, Args)]
pub(crate) struct DeleteAclsArgs {
    #[command(flatten)]
    pub(crate) filter: FilterArgs,
    /// Delete nothing. Run every check, and show the matching ACLs and who would gain or lose
    /// access.
    #[arg(short, long, alias = "dry")]
    pub(crate) dry_run: bool,
    /// Do not ask for confirmation.
    #[arg(long)]
    pub(crate) no_confirm: bool,
}

/// The pattern of a new ACL.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum PatternArg {
    /// Exactly this name; `*` matches every name.
    Literal,
    /// Every name that starts with this name.
    Prefixed,
}

/// The patterns of a filter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum PatternFilterArg {
    /// Literal and prefixed patterns with exactly this name.
    Any,
    /// Every pattern that matches a resource with this name.
    Match,
    /// Literal patterns with exactly this name.
    Literal,
    /// Prefixed patterns with exactly this name.
    Prefixed,
}

/// The resources of one subsystem.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum SubsystemArg {
    /// Topics, consumer groups, transactional IDs and the cluster.
    Kafka,
    /// Subjects, and the Schema Registry as a whole.
    Registry,
}

#[derive(Debug, Subcommand)]
pub(crate) enum RoleCommand {
    /// Create a role without members.
    Create {
        /// Role name.
        #[arg(value_name = "ROLE")]
        role: String,
    },
    /// Add users and groups to a role.
    #[command(visible_alias = "add")]
    Assign(MembersArgs),
    /// Remove users and groups from a role.
    #[command(visible_alias = "remove")]
    Unassign(MembersArgs),
    /// Show the ACLs and members of a role; both unless a flag selects one.
    #[command(visible_alias = "info")]
    Describe {
        /// Role name.
        #[arg(value_name = "ROLE")]
        role: String,
        /// Show the members.
        #[arg(short = 'm', long)]
        print_members: bool,
        /// Show the ACLs.
        #[arg(short = 'p', long)]
        print_permissions: bool,
        /// Show both.
        #[arg(short = 'a', long)]
        print_all: bool,
    },
    /// List roles.
    #[command(visible_alias = "ls")]
    List {
        /// List only roles whose name starts with this text.
        #[arg(long, value_name = "TEXT")]
        prefix: Option<String>,
        /// List only roles with this member: User:NAME or Group:NAME; without a type, a user.
        #[arg(long, value_name = "PRINCIPAL")]
        principal: Option<String>,
    },
    /// Delete a role and its ACLs, after showing them and asking for confirmation.
    Delete {
        /// Role name.
        #[arg(value_name = "ROLE")]
        role: String,
        /// Keep the role's ACLs. They take effect again if a role with this name is created.
        #[arg(long)]
        keep_acls: bool,
        /// Do not ask for confirmation.
        #[arg(long)]
        no_confirm: bool,
    },
}

#[derive(Debug, Args)]
pub(crate) struct MembersArgs {
    /// Role name.
    #[arg(value_name = "ROLE")]
    pub(crate) role: String,
    /// Members, comma-separated: User:NAME or Group:NAME; without a type, a user. Quote an entry
    /// that contains a comma: '"User:CN=a,OU=b"'.
    #[arg(long, value_name = "PRINCIPALS", required = true)]
    pub(crate) principal: Vec<String>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ClusterCommand {
    /// Get, set and list cluster properties.
    Config {
        #[command(subcommand)]
        command: ConfigCommand,
    },
    /// List loggers and set their levels.
    Loggers {
        #[command(subcommand)]
        command: LoggersCommand,
    },
    /// Show or set the enterprise license.
    License {
        #[command(subcommand)]
        command: Option<LicenseCommand>,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum ConfigCommand {
    /// Show the value of a property.
    Get {
        /// Property name, such as oidc_group_claim_path.
        #[arg(value_name = "NAME")]
        name: String,
    },
    /// Set properties: NAME VALUE, or one or more NAME=VALUE.
    ///
    /// Either all properties are set or none. Write a list with commas or as a JSON array. An empty
    /// value resets a property to its default, unless it is a string property.
    Set {
        /// A name and a value, or one or more NAME=VALUE.
        #[arg(required = true, value_name = "NAME[=]VALUE")]
        assignments: Vec<String>,
    },
    /// List every property with its value.
    List,
}

#[derive(Debug, Subcommand)]
pub(crate) enum LoggersCommand {
    /// Set the level of loggers, temporarily by default.
    Set(SetLevelArgs),
    /// List the loggers with their levels.
    List,
}

#[derive(Debug, Args)]
pub(crate) struct SetLevelArgs {
    /// Loggers, such as security; `all` selects every logger.
    #[arg(required = true, value_name = "LOGGER")]
    pub(crate) loggers: Vec<String>,
    /// Log level: error, warn, info, debug or trace.
    #[arg(short, long, value_name = "LEVEL", default_value = "debug")]
    pub(crate) level: String,
    /// Seconds until the level reverts; 0 never reverts [default: 300].
    #[arg(short, long, value_name = "SECONDS")]
    pub(crate) expiry_seconds: Option<u32>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum LicenseCommand {
    /// Set the license.
    Set {
        /// License state.
        #[arg(value_enum, value_name = "STATE")]
        state: super::LicenseArg,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum AdminCommand {
    /// Deprecated: use `gbac cluster loggers`.
    Config {
        #[command(subcommand)]
        command: AdminConfigCommand,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum AdminConfigCommand {
    /// Deprecated: use `gbac cluster loggers`.
    LogLevel {
        #[command(subcommand)]
        command: LogLevelCommand,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum LogLevelCommand {
    /// Deprecated: use `gbac cluster loggers set`.
    Set(SetLevelArgs),
}
