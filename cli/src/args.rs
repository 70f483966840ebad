//! The flags of every command, in one place.

pub(crate) mod online;
pub(crate) mod output;
pub(crate) mod policy;
pub(crate) mod simulate;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use gbac_analysis::check::CANDIDATES;

use online::{
    AdminCommand, BackupArgs, ClusterCommand, ConnectArgs, ExportArgs, ImportArgs, ProfileCommand,
    SecurityCommand, WatchArgs,
};
use output::OutputArgs;
use policy::{PolicyCommand, PolicySourceArgs};
use simulate::{CollisionsArgs, CompareArgs, WhatIfArgs};

use crate::instant;
pub(crate) use crate::output::Format;

/// Group-based access control for streaming platforms: test and explain who can do what.
#[derive(Debug, Parser)]
#[command(
    name = "gbac",
    version,
    propagate_version = true,
    arg_required_else_help = true
)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) output: OutputArgs,
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Check whether a user can perform an operation, and explain the decision.
    ///
    /// Exit codes: 0 allowed (or every line of --requests was evaluated), 1 error, 2 denied, 64
    /// invalid usage.
    Check(Box<CheckArgs>),
    /// List the users, groups and roles that can access a resource, and what allows or denies each.
    WhoCan(WhoCanArgs),
    /// List the effective permissions of a user or principal, with the exceptions made by deny
    /// ACLs.
    Permissions(Box<PermissionsArgs>),
    /// Find the smallest grant that allows a denied request.
    ///
    /// Lists the existing groups and roles that would allow the request, and the narrowest new
    /// ACLs.
    LeastGrant(Box<PolicyQueryArgs>),
    /// Find the smallest change that denies an allowed request.
    ///
    /// Lists the ACLs and memberships to remove, the groups and roles that the user could leave,
    /// and a single deny ACL. For a whole group, pass --principal Group:NAME.
    Revoke(Box<PolicyQueryArgs>),
    /// Compare two users: their groups, their ACLs and their effective access.
    Compare(Box<CompareArgs>),
    /// Show how changes would affect a user's access, without making them.
    ///
    /// Exits with 1 if a change cannot be applied.
    WhatIf(Box<WhatIfArgs>),
    /// Find collisions: different names that become the same group, and the access gained by each.
    Collisions(CollisionsArgs),
    /// Validate, lint, compare, import and convert policy documents.
    Policy {
        #[command(subcommand)]
        command: PolicyCommand,
    },
    /// Inspect access tokens.
    Token {
        #[command(subcommand)]
        command: TokenCommand,
    },
    /// Diagnose why a user lacks a group, in four steps.
    ///
    /// Exits with 1 if a step fails.
    Doctor(Box<DoctorArgs>),
    /// Run assertion files; exits with 1 if a test fails.
    ///
    /// For pipelines, --format also accepts `sarif`, `junit` and `github` (annotations).
    Test(TestArgs),
    /// Serve the console and the APIs.
    ///
    /// GBAC_ADMIN_PASSWORD or --admin-password-file sets the admin's password at every start.
    /// Without them, the first start with --data generates a password and shows it once; with
    /// --log-format json, it needs one of them.
    Serve(Box<ServeArgs>),
    /// Save a backup of a running service: its policy, its configuration and its password hashes.
    ///
    /// The service verifies its data first, and the command verifies the backup. Only the owner can
    /// read the file (mode 0600), because it contains password hashes. The backup does not include
    /// audit events. Requires a superuser.
    Backup(BackupArgs),
    /// Restore a backup into a new data folder, without a running service.
    ///
    /// The backup is verified first. Start the service with `gbac serve --data DIR` afterwards.
    Restore(RestoreArgs),
    /// Check that the audit files of a service were not changed.
    Audit {
        #[command(subcommand)]
        command: AuditCommand,
    },
    /// Export the policy of a running service as a policy document.
    Export(ExportArgs),
    /// Replace the policy of a running service with a policy document.
    ///
    /// Either every change is made or none. If someone else changes the policy in the meantime, the
    /// import is refused.
    Import(ImportArgs),
    /// Manage the ACLs and roles of a running service.
    Security {
        #[command(flatten)]
        connect: ConnectArgs,
        #[command(subcommand)]
        command: SecurityCommand,
    },
    /// Manage the properties, loggers and license of a running service.
    Cluster {
        #[command(flatten)]
        connect: ConnectArgs,
        #[command(subcommand)]
        command: ClusterCommand,
    },
    /// Show changes of the policy and denied decisions of a running service as they happen, until
    /// Ctrl-C.
    ///
    /// Asks the service every two seconds. The denied decisions are those in its audit log, which
    /// only a superuser can read: API requests of signed-in callers, and decisions that the service
    /// made for them. `gbac check` decides on its own, so its decisions are not among them. Filters
    /// of principals and resources do not hide that auditing is turned on or off.
    Watch(Box<WatchArgs>),
    /// Manage connection profiles.
    Profile {
        #[command(subcommand)]
        command: ProfileCommand,
    },
    /// Show which service this command line uses, as which identity, and what it may do.
    Whoami(ConnectArgs),
    /// Show the version, the build and the features of this program.
    Version,
    /// Print a completion script for a shell.
    ///
    /// The script calls this program for each completion, so that it also completes the names of
    /// roles, principals and resources: those in the document of --policy or GBAC_POLICY, or in the
    /// policy of the service, if GBAC_PASSWORD or GBAC_TOKEN is set.
    Completions {
        /// The shell.
        #[arg(value_enum)]
        shell: clap_complete::Shell,
    },
    /// Write the manual pages of this program into a folder.
    Man {
        /// Folder for the pages, one for each command; created if it does not exist.
        #[arg(value_name = "DIR")]
        folder: PathBuf,
    },
    /// Deprecated aliases.
    Admin {
        #[command(flatten)]
        connect: ConnectArgs,
        #[command(subcommand)]
        command: AdminCommand,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum AuditCommand {
    /// Verify the chains of audit events; exits with 1 at the first break, and says where it is.
    ///
    /// Every event has its number and the SHA-256 of the line before it, so an event that was
    /// changed, removed, inserted or moved breaks the chain. Events that were removed from the end,
    /// and chains that were written anew, only show in comparison with a hash that is kept
    /// elsewhere: the service shows the newest ones in its metrics, and every hour in its log.
    Verify(AuditVerifyArgs),
}

#[derive(Debug, Args)]
pub(crate) struct AuditVerifyArgs {
    /// Audit files, in any order.
    #[arg(
        value_name = "FILE",
        required_unless_present = "data",
        conflicts_with = "data"
    )]
    pub(crate) files: Vec<PathBuf>,
    /// Data folder of a service, which may be running: all of its audit files.
    #[arg(long, value_name = "DIR")]
    pub(crate) data: Option<PathBuf>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum TokenCommand {
    /// Show which user and groups a token produces, step by step.
    Inspect(Box<InspectArgs>),
}

/// The keys that verify a token, and what it must state.
#[derive(Debug, Args)]
pub(crate) struct KeyArgs {
    /// JSON Web Key Set that verifies the token (RFC 7517).
    #[arg(long, value_name = "FILE")]
    pub(crate) jwks: Option<PathBuf>,
    /// Required issuer of the token (`iss`).
    #[arg(long, requires = "jwks", value_name = "URL")]
    pub(crate) issuer: Option<String>,
    /// Required audience of the token (`aud`).
    #[arg(long, requires = "jwks", value_name = "NAME")]
    pub(crate) audience: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct CheckArgs {
    #[command(flatten)]
    pub(crate) policy: PolicySourceArgs,
    /// File with one check per line (JSON Lines), `-` for standard input. The output has one
    /// decision per line, in the same order; empty lines are skipped.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["user", "token_file", "principal", "operation", "request", "host"])]
    pub(crate) requests: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) principal: PrincipalArgs,
    #[command(flatten)]
    pub(crate) subject: SubjectArgs,
    #[command(flatten)]
    pub(crate) query: QueryArgs,
    /// Maximum number of ACLs in the explanation. Those that decide, match or almost match come
    /// first.
    #[arg(long, value_name = "N", default_value_t = CANDIDATES, conflicts_with = "requests")]
    pub(crate) limit: usize,
    /// Append an audit event for each decision to this file, one JSON object per line (OCSF 1.0.0).
    #[arg(long, value_name = "FILE")]
    pub(crate) audit: Option<PathBuf>,
}

/// A group or user alone, in place of a user with a token or groups.
#[derive(Debug, Args)]
pub(crate) struct PrincipalArgs {
    /// One principal alone, such as Group:engineering: what every member of the group may do,
    /// whatever else applies to them.
    #[arg(long, value_name = "TYPE:NAME", conflicts_with_all = ["user", "token_file", "user_groups"])]
    pub(crate) principal: Option<String>,
}

/// The user of a question: a token, or a name with groups.
#[derive(Debug, Args)]
pub(crate) struct SubjectArgs {
    /// File with the access token to examine, `-` for standard input [env: GBAC_CHECK_TOKEN].
    #[arg(long, value_name = "FILE", conflicts_with = "user")]
    pub(crate) token_file: Option<PathBuf>,
    /// User name, instead of a token.
    #[arg(long, value_name = "NAME")]
    pub(crate) user: Option<String>,
    /// Groups of --user, comma-separated and without the prefix `Group:`; quote a name that
    /// contains a comma: '"a,b"'.
    #[arg(long = "group", alias = "member-of", value_name = "GROUPS")]
    pub(crate) user_groups: Vec<String>,
    /// User-info document, if the policy's SSO mapping reads groups or the user from it.
    #[arg(long, value_name = "FILE")]
    pub(crate) userinfo: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) keys: KeyArgs,
    /// Time of the decision, which matters if the token expires: seconds since 1970, or a date and
    /// time such as 2026-01-01T00:00:00Z [default: now].
    #[arg(long, value_name = "TIME", allow_hyphen_values = true, value_parser = instant::parse)]
    pub(crate) at: Option<f64>,
}

/// The question: an operation on a resource, or an API request.
#[derive(Debug, Args)]
pub(crate) struct QueryArgs {
    /// Operation, such as read or describe-configs.
    #[arg(long, value_name = "OPERATION", conflicts_with = "request")]
    pub(crate) operation: Option<String>,
    /// API of --request: kafka, schema_registry or http_proxy.
    #[arg(
        long,
        value_name = "API",
        requires = "request",
        default_value = "kafka"
    )]
    pub(crate) api: String,
    /// API request, such as Produce, instead of --operation; checks every permission that it needs.
    #[arg(long, value_name = "NAME")]
    pub(crate) request: Option<String>,
    #[command(flatten)]
    pub(crate) resources: NamedResourceArgs,
    /// Kafka consumer groups, comma-separated; --group names the groups of --user.
    #[arg(long, value_name = "NAMES")]
    pub(crate) consumer_group: Vec<String>,
    /// IP address of the client. Without it, ACLs limited to one host do not allow, but still deny.
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) host: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct WhoCanArgs {
    #[command(flatten)]
    pub(crate) policy: PolicySourceArgs,
    /// Operation, such as read or describe-configs.
    #[arg(long, value_name = "OPERATION")]
    pub(crate) operation: String,
    #[command(flatten)]
    pub(crate) resources: ResourceArgs,
    /// IP address of the client. Without it, ACLs limited to one host do not allow, but still deny.
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) host: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct PermissionsArgs {
    #[command(flatten)]
    pub(crate) policy: PolicySourceArgs,
    /// Principal, such as Group:engineering or Role:readers, instead of a user; `User:*` is
    /// everyone.
    #[arg(long, value_name = "TYPE:NAME", conflicts_with_all = ["user", "token_file"])]
    pub(crate) principal: Option<String>,
    #[command(flatten)]
    pub(crate) subject: SubjectArgs,
}

#[derive(Debug, Args)]
pub(crate) struct PolicyQueryArgs {
    #[command(flatten)]
    pub(crate) policy: PolicySourceArgs,
    #[command(flatten)]
    pub(crate) principal: PrincipalArgs,
    #[command(flatten)]
    pub(crate) subject: SubjectArgs,
    #[command(flatten)]
    pub(crate) query: QueryArgs,
    /// Also write the change to this file, for `gbac policy apply`.
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
}

/// The resources, named as in `security acl`.
#[derive(Debug, Args)]
pub(crate) struct ResourceArgs {
    #[command(flatten)]
    pub(crate) named: NamedResourceArgs,
    /// Kafka consumer groups, comma-separated; these are not groups of users.
    #[arg(long, value_name = "NAMES")]
    pub(crate) group: Vec<String>,
}

/// The resources whose flags have the same name in every command: all but consumer groups.
#[derive(Debug, Args)]
pub(crate) struct NamedResourceArgs {
    /// Topics, comma-separated; quote a name that contains a comma: '"a,b"'.
    #[arg(long, value_name = "NAMES")]
    pub(crate) topic: Vec<String>,
    /// The cluster.
    #[arg(long)]
    pub(crate) cluster: bool,
    /// Transactional IDs, comma-separated.
    #[arg(long, value_name = "NAMES")]
    pub(crate) transactional_id: Vec<String>,
    /// Schema Registry subjects, comma-separated.
    #[arg(long, value_name = "NAMES")]
    pub(crate) registry_subject: Vec<String>,
    /// The Schema Registry as a whole.
    #[arg(long)]
    pub(crate) registry_global: bool,
}

#[derive(Debug, Args)]
pub(crate) struct InspectArgs {
    /// File with the access token to examine, `-` for standard input [env: GBAC_CHECK_TOKEN].
    #[arg(value_name = "FILE", conflicts_with = "claims")]
    pub(crate) token: Option<PathBuf>,
    /// File with the claims as a JSON object, instead of a token.
    #[arg(long, value_name = "FILE")]
    pub(crate) claims: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) settings: SettingsArgs,
    #[command(flatten)]
    pub(crate) keys: KeyArgs,
}

/// The settings that read user and groups: a policy document, or the settings one by one.
#[derive(Debug, Args)]
pub(crate) struct SettingsArgs {
    /// Policy document with the settings; `doctor` also checks whether its ACLs and roles name the
    /// groups.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["claim_path", "nested", "sso", "principal_mapping"])]
    pub(crate) policy: Option<PathBuf>,
    /// Claim path: the JSON path of the group claim [default: $.groups].
    #[arg(long, value_name = "PATH", conflicts_with = "sso")]
    pub(crate) claim_path: Option<String>,
    /// Handling of path-style group names: none keeps them, suffix keeps the last segment [default:
    /// none].
    #[arg(long, value_name = "BEHAVIOR", conflicts_with = "sso")]
    pub(crate) nested: Option<String>,
    /// Principal mapping: the claim that names the user [default: $.sub].
    #[arg(long, value_name = "MAPPING")]
    pub(crate) principal_mapping: Option<String>,
    /// File with the Attributes JSON of a managed cloud's SSO connection, instead of --claim-path.
    #[arg(long, value_name = "FILE")]
    pub(crate) sso: Option<PathBuf>,
    /// User-info document, if the SSO mapping reads groups or the user from it.
    #[arg(long, value_name = "FILE")]
    pub(crate) userinfo: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct DoctorArgs {
    /// File with the access token to examine, `-` for standard input [env: GBAC_CHECK_TOKEN].
    #[arg(value_name = "FILE", conflicts_with = "claims")]
    pub(crate) token: Option<PathBuf>,
    /// File with the claims as a JSON object, instead of a token.
    #[arg(long, value_name = "FILE")]
    pub(crate) claims: Option<PathBuf>,
    /// Groups that the token should produce, comma-separated and without the prefix `Group:`; quote
    /// a name that contains a comma: '"a,b"'.
    #[arg(long, value_name = "GROUPS")]
    pub(crate) expect_group: Vec<String>,
    #[command(flatten)]
    pub(crate) settings: SettingsArgs,
    /// Also query the running service: how it resolves the token, its properties, its policy and
    /// its log level.
    #[arg(long, conflicts_with = "claims")]
    pub(crate) online: bool,
    #[command(flatten)]
    pub(crate) connect: ConnectArgs,
}

#[derive(Debug, Args)]
pub(crate) struct TestArgs {
    /// Assertion files, or bug reports that the simulator created from a failing test.
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// Also write a JUnit report to this file.
    #[arg(long, value_name = "FILE")]
    pub(crate) junit: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct RestoreArgs {
    /// Backup file created by `gbac backup`.
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// New or empty folder for the data; created if it does not exist.
    #[arg(long, value_name = "DIR")]
    pub(crate) data: PathBuf,
}

/// The flags of `gbac serve`.
#[derive(Debug, Args)]
pub(crate) struct ServeArgs {
    /// File with options (TOML): in its table `[serve]`, the long names of options and their
    /// values. A variable such as GBAC_SERVE_LISTEN comes before the file, and the command line
    /// before both. Relative paths in the file start from its folder [env: GBAC_SERVE_CONFIG].
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// Check the options, from wherever they come, name every mistake, and end without starting.
    #[arg(long)]
    pub(crate) check_config: bool,
    /// Run a demonstration: in memory, on loopback, with a sample policy and its own identity
    /// provider.
    #[arg(long, conflicts_with_all = ["data", "admin_user", "oidc_discovery_url", "oidc_audience", "oidc_issuer", "oidc_access_tokens_only", "oidc_max_token_lifetime", "oidc_client_id", "tls_cert", "insecure_listen"])]
    pub(crate) demo: bool,
    /// Store the policy in this folder; created if it does not exist.
    #[arg(long, value_name = "DIR", required_unless_present = "demo")]
    pub(crate) data: Option<PathBuf>,
    /// Listen address; port 0 selects a free port. Addresses other than loopback require --tls-cert
    /// or --insecure-listen.
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8420")]
    pub(crate) listen: String,
    /// Name of the local account: the user with a password, who is a superuser [env:
    /// GBAC_ADMIN_USER] [default: admin].
    #[arg(long, value_name = "NAME")]
    pub(crate) admin_user: Option<String>,
    /// File with the password of the local account, instead of GBAC_ADMIN_PASSWORD.
    #[arg(long, value_name = "FILE")]
    pub(crate) admin_password_file: Option<PathBuf>,
    /// Level of the log at the start: error, warn, info, debug or trace, of one logger as in
    /// `oidc=debug`. Repeatable, comma-separated [default: info].
    #[arg(long = "log-level", value_name = "LEVEL")]
    pub(crate) log_levels: Vec<String>,
    /// Form of the log on standard error.
    #[arg(long, value_name = "FORM", value_enum, default_value_t)]
    pub(crate) log_format: LogFormatArg,
    /// Discovery document of the identity provider (OpenID Connect Discovery 1.0). Overrides the
    /// property oidc_discovery_url, which cannot be changed while the service runs.
    #[arg(long, value_name = "URL")]
    pub(crate) oidc_discovery_url: Option<String>,
    /// Required audience of a token (`aud`). Overrides the property oidc_token_audience, which
    /// cannot be changed while the service runs.
    #[arg(long, value_name = "NAME")]
    pub(crate) oidc_audience: Option<String>,
    /// Issuer of the identity provider, if it does not match the URL of its discovery document.
    #[arg(long, value_name = "ISSUER")]
    pub(crate) oidc_issuer: Option<String>,
    /// Accept only access tokens with the type `at+jwt` (RFC 9068).
    #[arg(long)]
    pub(crate) oidc_access_tokens_only: bool,
    /// Maximum lifetime of a token, from `iat` to `exp`; tokens without `iat` are refused.
    #[arg(long, value_name = "SECONDS")]
    pub(crate) oidc_max_token_lifetime: Option<u32>,
    /// Client ID of this service at the identity provider, so that users can sign in to the console
    /// with it. Its redirect URI is PUBLIC-URL/gbac/v1/sign-in/callback.
    #[arg(long, value_name = "ID")]
    pub(crate) oidc_client_id: Option<String>,
    /// File with the client secret; without it, this service is a public client.
    #[arg(long, value_name = "FILE", requires = "oidc_client_id")]
    pub(crate) oidc_client_secret_file: Option<PathBuf>,
    /// Scopes to request when users sign in to the console, separated by spaces [default: openid].
    #[arg(long, value_name = "SCOPES", requires = "oidc_client_id")]
    pub(crate) oidc_scope: Option<String>,
    /// Enterprise license. Overrides the stored license, which cannot be changed while the service
    /// runs.
    #[arg(long, value_name = "STATE", value_enum)]
    pub(crate) license: Option<LicenseArg>,
    /// Cluster ID that the Control Plane API answers for [default: any].
    #[arg(long, value_name = "ID")]
    pub(crate) cluster_id: Option<String>,
    /// Form of `dataplane_api` in responses of the Control Plane API: a string, or an object with
    /// `url`.
    #[arg(long, value_name = "FORM", value_enum, default_value_t)]
    pub(crate) dataplane_api_form: DataPlaneApiFormArg,
    /// URL that clients use for the service [default: the listen address]. Requests for its host
    /// are accepted.
    #[arg(long, value_name = "URL")]
    pub(crate) public_url: Option<String>,
    /// Additional host names and IP addresses that clients use; requests for them are accepted.
    /// Repeatable, comma-separated.
    #[arg(long = "public-host", value_name = "HOST")]
    pub(crate) public_hosts: Vec<String>,
    /// Addresses or networks (CIDR) of proxies whose X-Forwarded-For, Forwarded and
    /// X-Forwarded-Proto headers name the client. Repeatable, comma-separated.
    #[arg(long = "trusted-proxy", value_name = "CIDR")]
    pub(crate) trusted_proxies: Vec<String>,
    /// Open connections in total [default: 4096, or fewer if the limit on open files requires it].
    #[arg(long, value_name = "N")]
    pub(crate) max_connections: Option<usize>,
    /// Open connections from one address (IPv6: /64 network), except of trusted proxies [default:
    /// 128].
    #[arg(long, value_name = "N")]
    pub(crate) max_connections_per_address: Option<usize>,
    /// Concurrent requests of one client address, including clients behind trusted proxies.
    #[arg(long, value_name = "N", default_value_t = 128)]
    pub(crate) max_requests_per_address: usize,
    /// Admin API of another cluster to relay requests to.
    #[arg(long, value_name = "URL")]
    pub(crate) upstream_admin: Option<String>,
    /// Data Plane API of another cluster to relay requests to.
    #[arg(long, value_name = "URL")]
    pub(crate) upstream_dataplane: Option<String>,
    /// Control Plane API of another cluster to relay requests to.
    #[arg(long, value_name = "URL")]
    pub(crate) upstream_controlplane: Option<String>,
    /// Relay only requests of callers who are signed in to this service, with `GBAC-Authorization`
    /// or with credentials that are valid for both services.
    #[arg(long)]
    pub(crate) relay_requires_sign_in: bool,
    /// TLS certificate and its chain, in PEM. Reloaded when the files change, and on SIGHUP.
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    pub(crate) tls_cert: Option<PathBuf>,
    /// Private key of --tls-cert, in PEM.
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    pub(crate) tls_key: Option<PathBuf>,
    /// Listen on an address other than loopback without TLS, because a proxy in front of the
    /// service provides it.
    #[arg(long, conflicts_with = "tls_cert")]
    pub(crate) insecure_listen: bool,
    /// Rotate the audit file at this size in MiB; 0 means no limit.
    #[arg(long, value_name = "MIB", default_value_t = 64)]
    pub(crate) audit_file_mib: u32,
    /// Rotate the audit file when its first event is this many hours old; 0 means no limit.
    #[arg(long, value_name = "HOURS", default_value_t = 24)]
    pub(crate) audit_file_hours: u32,
    /// Delete the oldest audit files of decisions beyond this total size in MiB; 0 keeps all.
    #[arg(long, value_name = "MIB", default_value_t = 1024)]
    pub(crate) audit_total_mib: u32,
    /// The same for the audit files of changes and sign-ins (changes.jsonl).
    #[arg(long, value_name = "MIB", default_value_t = 0)]
    pub(crate) changes_total_mib: u32,
    /// Disk space in MiB that audit events leave free. With less, requests that need an event are
    /// refused; 0 keeps nothing free.
    #[arg(long, value_name = "MIB", default_value_t = 64)]
    pub(crate) audit_reserve_mib: u32,
    /// Folder with a console to serve instead of the built-in one.
    #[arg(long, value_name = "DIR")]
    pub(crate) console: Option<PathBuf>,
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

/// State of the enterprise license (D-16).
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum LicenseArg {
    /// The license is valid.
    Valid,
    /// The license has expired.
    Expired,
    /// No license is installed.
    Missing,
}
