//! The flags of the commands that talk to a running service.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

use super::ResourceArgs;

/// Which service, and who asks.
///
/// GBAC_PASSWORD is the password of --user; GBAC_TOKEN is an access token. The Data Plane (ACLs and roles) is asked with
/// the token where there is one, everything else with the password where there is one.
#[derive(Debug, Args)]
pub(crate) struct ConnectArgs {
    /// The service's address (default http://127.0.0.1:8420): https, or http to this machine; also from GBAC_URL.
    #[arg(long, global = true, value_name = "URL", help_heading = "Service")]
    pub(crate) url: Option<String>,
    /// Who asks; also from GBAC_USER. The password comes from GBAC_PASSWORD, a file, or a question at the terminal.
    #[arg(long = "user", global = true, value_name = "NAME", help_heading = "Service")]
    pub(crate) connect_user: Option<String>,
    /// A file with the password.
    #[arg(long, global = true, value_name = "FILE", help_heading = "Service")]
    pub(crate) password_file: Option<PathBuf>,
    /// A file with an access token; also from GBAC_TOKEN.
    #[arg(long = "token-file", global = true, value_name = "FILE", help_heading = "Service")]
    pub(crate) connect_token: Option<PathBuf>,
    /// Where the service is and who asks, as `gbac profile create` was told; also from GBAC_PROFILE.
    #[arg(long, global = true, value_name = "NAME", help_heading = "Service")]
    pub(crate) profile: Option<String>,
    /// What stands before the name of a role on output and towards the service; both are read.
    #[arg(long, global = true, value_name = "WORD", value_enum, help_heading = "Service")]
    pub(crate) role_spelling: Option<SpellingArg>,
    /// For how long the service may be silent.
    #[arg(long, global = true, value_name = "SECONDS", default_value_t = 60, help_heading = "Service",
        value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) timeout: u32,
}

/// What stands before the name of a role (D-06).
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum SpellingArg {
    /// `Role:<name>`.
    Role,
    /// `RedpandaRole:<name>`, the platform's own.
    RedpandaRole,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ProfileCommand {
    /// Remember where a service is and who asks; never a password or a token. The first profile is used from then on.
    Create {
        /// The profile's name.
        #[arg(value_name = "NAME")]
        name: String,
        /// The service's address: https, or http to this machine.
        #[arg(long, value_name = "URL")]
        url: String,
        /// Who asks.
        #[arg(long, value_name = "NAME")]
        user: Option<String>,
        /// What stands before the name of a role on output and towards the service.
        #[arg(long, value_name = "WORD", value_enum)]
        role_spelling: Option<SpellingArg>,
        /// Replace a profile of that name.
        #[arg(long)]
        replace: bool,
    },
    /// Use a profile from now on.
    Use {
        /// The profile's name.
        #[arg(value_name = "NAME")]
        name: String,
    },
    /// List the profiles; the one in use has an asterisk.
    #[command(visible_alias = "ls")]
    List,
    /// Forget a profile.
    Delete {
        /// The profile's name.
        #[arg(value_name = "NAME")]
        name: String,
    },
}

#[derive(Debug, Args)]
pub(crate) struct ExportArgs {
    #[command(flatten)]
    pub(crate) connect: ConnectArgs,
    /// Write the document to this file, and say which state it is; without it the document goes to standard output.
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct ImportArgs {
    #[command(flatten)]
    pub(crate) connect: ConnectArgs,
    /// The policy document, `-` for standard input.
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// Refuse unless the service's policy is still in the state that `gbac export --out` named.
    #[arg(long, value_name = "STATE")]
    pub(crate) if_match: Option<String>,
    /// Change nothing; make every check of the real run and show who would gain or lose access.
    #[arg(short, long, alias = "dry")]
    pub(crate) dry_run: bool,
    /// With --dry-run, exit with 1 if any decision would change, like `gbac policy diff --exit-code`.
    #[arg(long, requires = "dry_run")]
    pub(crate) exit_code: bool,
    /// Remove without asking for confirmation.
    #[arg(long)]
    pub(crate) no_confirm: bool,
    /// Add the ACLs, roles and members that are missing, one by one with the documented calls; remove nothing, and leave the
    /// settings. Can be repeated when it was interrupted.
    #[arg(long, conflicts_with_all = ["if_match", "exit_code"])]
    pub(crate) merge: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum SecurityCommand {
    /// ACLs.
    Acl {
        #[command(subcommand)]
        command: AclCommand,
    },
    /// Roles, their members and their ACLs.
    Role {
        #[command(subcommand)]
        command: RoleCommand,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum AclCommand {
    /// Create ACLs: one for each combination of principal, host, resource and operation.
    ///
    /// Flags can be repeated and accept comma-separated lists; quote an entry that contains a comma, as in
    /// '"Group:eng,fin"'. A principal without a type is a user; if the first entry of a list has a type, every entry
    /// needs one. The exit code is 1 if any ACL could not be created.
    Create(Box<CreateAclsArgs>),
    /// List ACLs. What is not named takes any.
    #[command(visible_aliases = ["ls", "describe"])]
    List(Box<ListAclsArgs>),
    /// Delete ACLs, after showing which and asking. What is not named takes any.
    Delete(Box<DeleteAclsArgs>),
}

/// The parts of ACLs. Every flag accepts a comma-separated list; an entry that contains a comma is quoted.
#[derive(Debug, Args)]
pub(crate) struct AclArgs {
    #[command(flatten)]
    pub(crate) resources: ResourceArgs,
    /// Operations, comma-separated, such as read,describe; `all` is every operation.
    #[arg(long, value_name = "OPERATIONS")]
    pub(crate) operation: Vec<String>,
    /// Allowed principals, comma-separated: User:NAME, Group:NAME or Role:NAME; without a type, a user. Quote an entry
    /// that contains a comma: '"User:CN=a,OU=b"'.
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
    /// Allowed client addresses, comma-separated; a new ACL has `*` by default.
    #[arg(long, value_name = "ADDRESSES")]
    pub(crate) allow_host: Vec<String>,
    /// Denied client addresses, comma-separated; a new ACL has `*` by default.
    #[arg(long, value_name = "ADDRESSES")]
    pub(crate) deny_host: Vec<String>,
}

#[derive(Debug, Args)]
pub(crate) struct CreateAclsArgs {
    #[command(flatten)]
    pub(crate) acls: AclArgs,
    /// Whether names are whole or prefixes.
    #[arg(long, value_name = "PATTERN", value_enum, default_value_t = PatternArg::Literal)]
    pub(crate) resource_pattern_type: PatternArg,
    /// Create nothing; make every check of the real run and show who would gain or lose access.
    #[arg(short, long, alias = "dry")]
    pub(crate) dry_run: bool,
}

#[derive(Debug, Args)]
pub(crate) struct FilterArgs {
    #[command(flatten)]
    pub(crate) acls: AclArgs,
    /// Which patterns: any that has the name, only literal or prefixed ones, or those that match a resource of that name.
    #[arg(long, value_name = "PATTERN", value_enum, default_value_t = PatternFilterArg::Any)]
    pub(crate) resource_pattern_type: PatternFilterArg,
    /// Show the filters too.
    #[arg(short = 'f', long)]
    pub(crate) print_filters: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ListAclsArgs {
    #[command(flatten)]
    pub(crate) filter: FilterArgs,
    /// Only what belongs to Kafka itself, or to the Schema Registry.
    #[arg(long, value_name = "SUBSYSTEM", value_enum, value_delimiter = ',')]
    pub(crate) subsystem: Vec<SubsystemArg>,
}

#[derive(Debug, Args)]
pub(crate) struct DeleteAclsArgs {
    #[command(flatten)]
    pub(crate) filter: FilterArgs,
    /// Delete nothing; make every check of the real run and show the matching ACLs and who would lose or gain access.
    #[arg(short, long, alias = "dry")]
    pub(crate) dry_run: bool,
    /// Do not ask.
    #[arg(long)]
    pub(crate) no_confirm: bool,
}

/// The pattern of a new ACL.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum PatternArg {
    /// The name itself; `*` is every name.
    Literal,
    /// Every name that begins with it.
    Prefixed,
}

/// The patterns of a filter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum PatternFilterArg {
    /// The name itself, with either pattern.
    Any,
    /// Every pattern that covers the name.
    Match,
    /// The name itself, as a whole.
    Literal,
    /// The name itself, as a prefix.
    Prefixed,
}

/// Whose resources.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum SubsystemArg {
    /// Topics, consumer groups, the cluster, transactional IDs.
    Kafka,
    /// Subjects, and the Schema Registry as a whole.
    Registry,
}

#[derive(Debug, Subcommand)]
pub(crate) enum RoleCommand {
    /// Create a role without members.
    Create {
        /// The role's name.
        #[arg(value_name = "ROLE")]
        role: String,
    },
    /// Make users and groups members of a role.
    #[command(visible_alias = "add")]
    Assign(MembersArgs),
    /// Take users and groups out of a role.
    #[command(visible_alias = "remove")]
    Unassign(MembersArgs),
    /// Show the ACLs and the members of a role; all of it unless one is named.
    #[command(visible_alias = "info")]
    Describe {
        /// The role's name.
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
        /// What the name begins with.
        #[arg(long, value_name = "TEXT")]
        prefix: Option<String>,
        /// A member: User:NAME or Group:NAME; without a type a user.
        #[arg(long, value_name = "PRINCIPAL")]
        principal: Option<String>,
    },
    /// Delete a role with its members and ACLs, after showing it and asking.
    Delete {
        /// The role's name.
        #[arg(value_name = "ROLE")]
        role: String,
        /// Keep the role's ACLs; they count again when a role of that name is made.
        #[arg(long)]
        keep_acls: bool,
        /// Do not ask.
        #[arg(long)]
        no_confirm: bool,
    },
}

#[derive(Debug, Args)]
pub(crate) struct MembersArgs {
    /// The role's name.
    #[arg(value_name = "ROLE")]
    pub(crate) role: String,
    /// Members, comma-separated: User:NAME or Group:NAME; without a type, a user. Quote an entry that contains a comma:
    /// '"User:CN=a,OU=b"'.
    #[arg(long, value_name = "PRINCIPALS", required = true)]
    pub(crate) principal: Vec<String>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ClusterCommand {
    /// Cluster properties.
    Config {
        #[command(subcommand)]
        command: ConfigCommand,
    },
    /// Loggers and their levels.
    Loggers {
        #[command(subcommand)]
        command: LoggersCommand,
    },
    /// Show the enterprise licence, or set it.
    License {
        #[command(subcommand)]
        command: Option<LicenseCommand>,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum ConfigCommand {
    /// Show the value of a property.
    Get {
        /// The property, such as oidc_group_claim_path.
        #[arg(value_name = "NAME")]
        name: String,
    },
    /// Set properties, all of them or none: NAME VALUE, or NAME=VALUE several times.
    ///
    /// A list is written with commas, or as a JSON array. An empty value resets a property that is no string.
    Set {
        /// A name and a value, or several NAME=VALUE.
        #[arg(required = true, value_name = "NAME[=]VALUE")]
        words: Vec<String>,
    },
    /// Show every property with its value.
    List,
}

#[derive(Debug, Subcommand)]
pub(crate) enum LoggersCommand {
    /// Set the level of loggers for a while.
    Set(SetLevelArgs),
    /// List the loggers with their levels.
    List,
}

#[derive(Debug, Args)]
pub(crate) struct SetLevelArgs {
    /// Loggers, such as security; `all` is all of them.
    #[arg(required = true, value_name = "LOGGER")]
    pub(crate) loggers: Vec<String>,
    /// error, warn, info, debug or trace.
    #[arg(short, long, value_name = "LEVEL", default_value = "debug")]
    pub(crate) level: String,
    /// After how many seconds the level reverts (default 300); 0 is never.
    #[arg(short, long, value_name = "SECONDS")]
    pub(crate) expiry_seconds: Option<u32>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum LicenseCommand {
    /// Set the licence.
    Set {
        /// What it says.
        #[arg(value_enum, value_name = "STATE")]
        state: super::LicenseArg,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum AdminCommand {
    /// The log levels, under the older name.
    Config {
        #[command(subcommand)]
        command: AdminConfigCommand,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum AdminConfigCommand {
    /// The log levels.
    LogLevel {
        #[command(subcommand)]
        command: LogLevelCommand,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum LogLevelCommand {
    /// As `gbac cluster loggers set`.
    Set(SetLevelArgs),
}
