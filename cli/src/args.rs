//! The flags of every command, in one place.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

/// Group-based access control for streaming platforms: token to groups to verdict, with reasons.
#[derive(Debug, Parser)]
#[command(name = "gbac", version, propagate_version = true, arg_required_else_help = true)]
pub struct Cli {
    /// How results are written.
    #[arg(long, global = true, value_enum, default_value_t = Format::Text)]
    pub format: Format,
    #[command(subcommand)]
    pub command: Command,
}

/// How results are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For people.
    Text,
    /// For programs.
    Json,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Decide whether someone may do something, and say why.
    ///
    /// Exit codes: 0 allowed (or every line of --requests was evaluated), 2 denied, 1 error, 64 wrong usage.
    Check(Box<CheckArgs>),
    /// Look into access tokens.
    Token {
        #[command(subcommand)]
        command: TokenCommand,
    },
    /// Run assertion files; exit 1 when one test fails.
    Test(TestArgs),
    /// Serve the console and the APIs.
    Serve(ServeArgs),
}

#[derive(Debug, Subcommand)]
pub enum TokenCommand {
    /// Show which groups come out of a token, step by step.
    Inspect(Box<InspectArgs>),
}

/// Keys that verify a token.
#[derive(Debug, Args)]
pub struct KeyArgs {
    /// The JWKS that verifies the token (RFC 7517).
    #[arg(long, value_name = "FILE")]
    pub jwks: Option<PathBuf>,
    /// The issuer that the token must name.
    #[arg(long, requires = "jwks", value_name = "URL")]
    pub issuer: Option<String>,
    /// The audience that the token must name.
    #[arg(long, requires = "jwks", value_name = "NAME")]
    pub audience: Option<String>,
}

#[derive(Debug, Args)]
pub struct CheckArgs {
    /// The policy document.
    #[arg(long, value_name = "FILE")]
    pub policy: PathBuf,
    /// One check a line (JSON Lines), `-` for standard input; one decision a line comes back, in order.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["user", "token_file", "operation", "request", "host"])]
    pub requests: Option<PathBuf>,
    /// A file with the access token, `-` for standard input; also from GBAC_TOKEN.
    #[arg(long, value_name = "FILE", conflicts_with = "user")]
    pub token_file: Option<PathBuf>,
    /// A user by name, in place of a token.
    #[arg(long, value_name = "NAME")]
    pub user: Option<String>,
    /// A group of --user; may be given several times.
    #[arg(long, value_name = "GROUP", requires = "user")]
    pub member_of: Vec<String>,
    /// The user-info document, where the policy's SSO mapping asks for it.
    #[arg(long, value_name = "FILE")]
    pub userinfo: Option<PathBuf>,
    /// The operation, such as read or describe-configs.
    #[arg(long, value_name = "OPERATION", conflicts_with = "request")]
    pub operation: Option<String>,
    /// The API of --request: kafka, schema_registry or http_proxy.
    #[arg(long, value_name = "API", requires = "request", default_value = "kafka")]
    pub api: String,
    /// A whole request, such as Produce, in place of --operation.
    #[arg(long, value_name = "NAME")]
    pub request: Option<String>,
    #[command(flatten)]
    pub resources: ResourceArgs,
    /// The client's address; without it the check fails closed.
    #[arg(long, value_name = "ADDRESS")]
    pub host: Option<String>,
    #[command(flatten)]
    pub keys: KeyArgs,
    /// Append the audit events of the decisions to this file, one JSON object a line (OCSF 1.0.0).
    #[arg(long, value_name = "FILE")]
    pub audit: Option<PathBuf>,
}

/// Resources, named as in `security acl`.
#[derive(Debug, Args)]
pub struct ResourceArgs {
    /// A topic.
    #[arg(long, value_name = "NAME")]
    pub topic: Vec<String>,
    /// A consumer group.
    #[arg(long, value_name = "NAME")]
    pub group: Vec<String>,
    /// The cluster.
    #[arg(long)]
    pub cluster: bool,
    /// A transactional ID.
    #[arg(long, value_name = "NAME")]
    pub transactional_id: Vec<String>,
    /// A Schema Registry subject.
    #[arg(long, value_name = "NAME")]
    pub registry_subject: Vec<String>,
    /// The Schema Registry as a whole.
    #[arg(long)]
    pub registry_global: bool,
}

#[derive(Debug, Args)]
pub struct InspectArgs {
    /// A file with the access token, `-` for standard input; without it GBAC_TOKEN.
    #[arg(value_name = "FILE", conflicts_with = "claims")]
    pub token: Option<PathBuf>,
    /// A file with the claims as a JSON object, in place of a token.
    #[arg(long, value_name = "FILE")]
    pub claims: Option<PathBuf>,
    /// Take the settings from this policy document.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["claim_path", "nested", "sso", "principal_mapping"])]
    pub policy: Option<PathBuf>,
    /// Where the groups are, a JSON path (default `$.groups`).
    #[arg(long, value_name = "PATH", conflicts_with = "sso")]
    pub claim_path: Option<String>,
    /// What becomes of path-style names: none or suffix.
    #[arg(long, value_name = "BEHAVIOR", conflicts_with = "sso")]
    pub nested: Option<String>,
    /// Which claim names the user (default `$.sub`).
    #[arg(long, value_name = "MAPPING")]
    pub principal_mapping: Option<String>,
    /// The Attributes JSON of a managed cloud's SSO connection, in place of --claim-path.
    #[arg(long, value_name = "FILE")]
    pub sso: Option<PathBuf>,
    /// The user-info document, where the SSO mapping asks for it.
    #[arg(long, value_name = "FILE")]
    pub userinfo: Option<PathBuf>,
    #[command(flatten)]
    pub keys: KeyArgs,
}

#[derive(Debug, Args)]
pub struct TestArgs {
    /// Assertion files.
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Write a JUnit report to this file as well.
    #[arg(long, value_name = "FILE")]
    pub junit: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub struct ServeArgs {
    /// Serve a demonstration: in memory, on loopback, with a small policy and an identity provider of its own.
    #[arg(long, required = true)]
    pub demo: bool,
    /// Where to listen; port 0 takes a free one.
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8420")]
    pub listen: SocketAddr,
    /// Serve the console from this folder instead of the built-in one.
    #[arg(long, value_name = "DIR")]
    pub console: Option<PathBuf>,
}
