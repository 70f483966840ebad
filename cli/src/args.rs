//! The flags of every command, in one place.

pub(crate) mod online;
pub(crate) mod policy;
pub(crate) mod simulate;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

use online::{AdminCommand, ClusterCommand, ConnectArgs, ExportArgs, ImportArgs, ProfileCommand, SecurityCommand};
use policy::PolicyCommand;
use simulate::{CollisionsArgs, CompareArgs, WhatIfArgs};

use crate::{input, instant};

/// Group-based access control for streaming platforms: token to groups to verdict, with reasons.
#[derive(Debug, Parser)]
#[command(name = "gbac", version, propagate_version = true, arg_required_else_help = true)]
pub(crate) struct Cli {
    /// How results are written.
    #[arg(long, global = true, value_enum, default_value_t = Format::Text)]
    pub(crate) format: Format,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// How results are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// For people.
    Text,
    /// For programs.
    Json,
    /// For programs that would rather read YAML.
    Yaml,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Decide whether someone may do something, and say why.
    ///
    /// Exit codes: 0 allowed (or every line of --requests was evaluated), 2 denied, 1 error, 64 wrong usage.
    Check(Box<CheckArgs>),
    /// Say who may do something: every user, group and role that an ACL on it concerns, and what grants or blocks it.
    WhoCan(WhoCanArgs),
    /// Say what somebody may do, as patterns with the exceptions that denies make.
    Permissions(Box<PermissionsArgs>),
    /// Say the least that would allow what is denied: groups or roles that are there, or the narrowest new ACLs.
    LeastGrant(Box<AskArgs>),
    /// Say the least that has to go for something that is allowed to be denied: rows of the policy, what the person holds, or one deny.
    Revoke(Box<AskArgs>),
    /// Compare two people: groups and ACLs of one alone, and everything that one may and the other may not.
    Compare(Box<CompareArgs>),
    /// Try changes on one person: everything that they gain and lose, and the verdict before and after. Nothing is changed.
    ///
    /// Exit code 1 when a change cannot be made.
    WhatIf(Box<WhatIfArgs>),
    /// Find names that become one group, by `suffix` or at a comma, and what each extra person gains by it.
    Collisions(CollisionsArgs),
    /// Policy documents: look into them, take one from an existing cluster, write one as a script.
    Policy {
        #[command(subcommand)]
        command: PolicyCommand,
    },
    /// Look into access tokens.
    Token {
        #[command(subcommand)]
        command: TokenCommand,
    },
    /// Find out why somebody lacks a group: the four steps of troubleshooting, each with what was found and what to do.
    ///
    /// Exit code 1 when a step fails.
    Doctor(Box<DoctorArgs>),
    /// Run assertion files; exit 1 when one test fails.
    Test(TestArgs),
    /// Serve the console and the APIs.
    Serve(Box<ServeArgs>),
    /// Fetch the whole policy document of a running service.
    Export(ExportArgs),
    /// Replace the whole policy of a running service, all or nothing; refused when somebody else changes it meanwhile.
    Import(ImportArgs),
    /// ACLs and roles of a running service.
    Security {
        #[command(flatten)]
        connect: ConnectArgs,
        #[command(subcommand)]
        command: SecurityCommand,
    },
    /// Properties, loggers and licence of a running service.
    Cluster {
        #[command(flatten)]
        connect: ConnectArgs,
        #[command(subcommand)]
        command: ClusterCommand,
    },
    /// Where services are and who asks, under names of your own.
    Profile {
        #[command(subcommand)]
        command: ProfileCommand,
    },
    /// Write the completions of a shell to standard output.
    Completions {
        /// The shell.
        #[arg(value_enum)]
        shell: clap_complete::Shell,
    },
    /// Older names of commands.
    Admin {
        #[command(flatten)]
        connect: ConnectArgs,
        #[command(subcommand)]
        command: AdminCommand,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum TokenCommand {
    /// Show which groups come out of a token, step by step.
    Inspect(Box<InspectArgs>),
}

/// Keys that verify a token.
#[derive(Debug, Args)]
pub(crate) struct KeyArgs {
    /// The JWKS that verifies the token (RFC 7517).
    #[arg(long, value_name = "FILE")]
    pub(crate) jwks: Option<PathBuf>,
    /// The issuer that the token must name.
    #[arg(long, requires = "jwks", value_name = "URL")]
    pub(crate) issuer: Option<String>,
    /// The audience that the token must name.
    #[arg(long, requires = "jwks", value_name = "NAME")]
    pub(crate) audience: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct CheckArgs {
    /// The policy document.
    #[arg(long, value_name = "FILE")]
    pub(crate) policy: PathBuf,
    /// One check a line (JSON Lines), `-` for standard input; one decision a line comes back, in order. Empty lines are skipped.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["user", "token_file", "operation", "request", "host"])]
    pub(crate) requests: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) who: WhoArgs,
    #[command(flatten)]
    pub(crate) question: QuestionArgs,
    /// Append the audit events of the decisions to this file, one JSON object a line (OCSF 1.0.0).
    #[arg(long, value_name = "FILE")]
    pub(crate) audit: Option<PathBuf>,
}

/// Who asks: a token, or a user with groups.
#[derive(Debug, Args)]
pub(crate) struct WhoArgs {
    /// A file with the access token, `-` for standard input; also from GBAC_TOKEN.
    #[arg(long, value_name = "FILE", conflicts_with = "user")]
    pub(crate) token_file: Option<PathBuf>,
    /// A user by name, in place of a token.
    #[arg(long, value_name = "NAME")]
    pub(crate) user: Option<String>,
    /// Groups of --user: comma-separated bare names; quote a name that contains a comma: '"a,b"'.
    #[arg(long, value_name = "GROUPS", requires = "user")]
    pub(crate) member_of: Vec<String>,
    /// The user-info document, where the policy's SSO mapping asks for it.
    #[arg(long, value_name = "FILE")]
    pub(crate) userinfo: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) keys: KeyArgs,
    /// Time of the decision, if the identity expires: seconds since 1970, or a date and time such as
    /// 2026-01-01T00:00:00Z (default: now).
    #[arg(long, value_name = "INSTANT", allow_hyphen_values = true, value_parser = instant::parse)]
    pub(crate) at: Option<f64>,
}

impl WhoArgs {
    /// The time of the decision, in seconds since 1970.
    pub(crate) fn seconds(&self) -> f64 {
        self.at.unwrap_or_else(input::now)
    }
}

/// What is asked: an operation on a resource, or a whole request.
#[derive(Debug, Args)]
pub(crate) struct QuestionArgs {
    /// The operation, such as read or describe-configs.
    #[arg(long, value_name = "OPERATION", conflicts_with = "request")]
    pub(crate) operation: Option<String>,
    /// The API of --request: kafka, schema_registry or http_proxy.
    #[arg(long, value_name = "API", requires = "request", default_value = "kafka")]
    pub(crate) api: String,
    /// A whole request, such as Produce, in place of --operation.
    #[arg(long, value_name = "NAME")]
    pub(crate) request: Option<String>,
    #[command(flatten)]
    pub(crate) resources: ResourceArgs,
    /// The client's address; without it the check fails closed.
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) host: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct WhoCanArgs {
    /// The policy document.
    #[arg(long, value_name = "FILE")]
    pub(crate) policy: PathBuf,
    /// The operation, such as read or describe-configs.
    #[arg(long, value_name = "OPERATION")]
    pub(crate) operation: String,
    #[command(flatten)]
    pub(crate) resources: ResourceArgs,
    /// The client's address; without it ACLs of one host do not allow, and their denies do.
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) host: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct PermissionsArgs {
    /// The policy document.
    #[arg(long, value_name = "FILE")]
    pub(crate) policy: PathBuf,
    /// One principal, such as Group:engineering or Role:readers, in place of a person; `User:*` is everyone.
    #[arg(long, value_name = "TYPE:NAME", conflicts_with_all = ["user", "token_file"])]
    pub(crate) principal: Option<String>,
    #[command(flatten)]
    pub(crate) who: WhoArgs,
}

#[derive(Debug, Args)]
pub(crate) struct AskArgs {
    /// The policy document.
    #[arg(long, value_name = "FILE")]
    pub(crate) policy: PathBuf,
    #[command(flatten)]
    pub(crate) who: WhoArgs,
    #[command(flatten)]
    pub(crate) question: QuestionArgs,
}

/// Resources, named as in `security acl`.
#[derive(Debug, Args)]
pub(crate) struct ResourceArgs {
    /// Topics, comma-separated; quote a name that contains a comma: '"a,b"'.
    #[arg(long, value_name = "NAMES")]
    pub(crate) topic: Vec<String>,
    /// Consumer groups, comma-separated.
    #[arg(long, value_name = "NAMES")]
    pub(crate) group: Vec<String>,
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
    /// A file with the access token, `-` for standard input; without it GBAC_TOKEN.
    #[arg(value_name = "FILE", conflicts_with = "claims")]
    pub(crate) token: Option<PathBuf>,
    /// A file with the claims as a JSON object, in place of a token.
    #[arg(long, value_name = "FILE")]
    pub(crate) claims: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) settings: SettingsArgs,
    #[command(flatten)]
    pub(crate) keys: KeyArgs,
}

/// Where groups and the user come from: a policy document, or the settings one by one.
#[derive(Debug, Args)]
pub(crate) struct SettingsArgs {
    /// Take the settings from this policy document.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["claim_path", "nested", "sso", "principal_mapping"])]
    pub(crate) policy: Option<PathBuf>,
    /// Where the groups are, a JSON path (default `$.groups`).
    #[arg(long, value_name = "PATH", conflicts_with = "sso")]
    pub(crate) claim_path: Option<String>,
    /// What becomes of path-style names: none or suffix.
    #[arg(long, value_name = "BEHAVIOR", conflicts_with = "sso")]
    pub(crate) nested: Option<String>,
    /// Which claim names the user (default `$.sub`).
    #[arg(long, value_name = "MAPPING")]
    pub(crate) principal_mapping: Option<String>,
    /// The Attributes JSON of a managed cloud's SSO connection, in place of --claim-path.
    #[arg(long, value_name = "FILE")]
    pub(crate) sso: Option<PathBuf>,
    /// The user-info document, where the SSO mapping asks for it.
    #[arg(long, value_name = "FILE")]
    pub(crate) userinfo: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct DoctorArgs {
    /// A file with the access token, `-` for standard input; without it GBAC_TOKEN.
    #[arg(value_name = "FILE", conflicts_with = "claims")]
    pub(crate) token: Option<PathBuf>,
    /// A file with the claims as a JSON object, in place of a token.
    #[arg(long, value_name = "FILE")]
    pub(crate) claims: Option<PathBuf>,
    /// Groups that the token should produce: comma-separated bare names; quote a name that contains a comma: '"a,b"'.
    #[arg(long, value_name = "GROUPS")]
    pub(crate) expect_group: Vec<String>,
    #[command(flatten)]
    pub(crate) settings: SettingsArgs,
    /// Ask the service too: what it sees in the token, its properties, its policy and its log level.
    #[arg(long, conflicts_with = "claims")]
    pub(crate) online: bool,
    #[command(flatten)]
    pub(crate) connect: ConnectArgs,
}

#[derive(Debug, Args)]
pub(crate) struct TestArgs {
    /// Assertion files, or bug reports that the simulator wrote of a failing test.
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// Write a JUnit report to this file as well.
    #[arg(long, value_name = "FILE")]
    pub(crate) junit: Option<PathBuf>,
}

/// Serve the console and the APIs.
///
/// GBAC_ADMIN_PASSWORD is the admin's password, applied at every start. Without it the first start of a service on --data
/// makes one and shows it once.
#[derive(Debug, Args)]
pub(crate) struct ServeArgs {
    /// Serve a demonstration: in memory, on loopback, with a small policy and an identity provider of its own.
    #[arg(long, conflicts_with_all = ["data", "admin_user", "oidc_discovery_url", "oidc_audience", "tls_cert", "insecure_listen"])]
    pub(crate) demo: bool,
    /// Keep the policy in this folder; made when there is none.
    #[arg(long, value_name = "DIR", required_unless_present = "demo")]
    pub(crate) data: Option<PathBuf>,
    /// Where to listen; port 0 takes a free one. Beyond loopback it takes --tls-cert or --insecure-listen.
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8420")]
    pub(crate) listen: String,
    /// The user with a password, who is a superuser (default admin); also from GBAC_ADMIN_USER.
    #[arg(long, value_name = "NAME")]
    pub(crate) admin_user: Option<String>,
    /// The discovery document of the identity provider (OpenID Connect Discovery 1.0); pins the property of that name.
    #[arg(long, value_name = "URL")]
    pub(crate) oidc_discovery_url: Option<String>,
    /// What the `aud` of a token must hold; pins the property oidc_token_audience.
    #[arg(long, value_name = "NAME")]
    pub(crate) oidc_audience: Option<String>,
    /// The enterprise licence: valid, expired or missing; pins it.
    #[arg(long, value_name = "STATE", value_enum)]
    pub(crate) license: Option<LicenseArg>,
    /// The id of the cluster; without it every id answers.
    #[arg(long, value_name = "ID")]
    pub(crate) cluster_id: Option<String>,
    /// Where clients find the service (default: where it listens); its host is answered for.
    #[arg(long, value_name = "URL")]
    pub(crate) public_url: Option<String>,
    /// Relay to the Admin API of a cluster that runs elsewhere.
    #[arg(long, value_name = "URL")]
    pub(crate) upstream_admin: Option<String>,
    /// Relay to the Data Plane API of a cluster that runs elsewhere.
    #[arg(long, value_name = "URL")]
    pub(crate) upstream_dataplane: Option<String>,
    /// Relay to the Control Plane of a cluster that runs elsewhere.
    #[arg(long, value_name = "URL")]
    pub(crate) upstream_controlplane: Option<String>,
    /// The certificate to listen with, PEM, followed by those that lead to its root.
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    pub(crate) tls_cert: Option<PathBuf>,
    /// The key of --tls-cert, PEM.
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    pub(crate) tls_key: Option<PathBuf>,
    /// Listen beyond loopback without TLS, because something in front of the service does it.
    #[arg(long, conflicts_with = "tls_cert")]
    pub(crate) insecure_listen: bool,
    /// Serve the console from this folder instead of the built-in one.
    #[arg(long, value_name = "DIR")]
    pub(crate) console: Option<PathBuf>,
}

/// What the enterprise licence says (D-16).
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum LicenseArg {
    /// It holds.
    Valid,
    /// It ran out.
    Expired,
    /// There is none.
    Missing,
}
