//! The command line: each command in its own file or folder, with its flags, its run and what it
//! prints.

pub(crate) mod audit;
pub(crate) mod backup;
pub(crate) mod check;
pub(crate) mod cluster;
mod collisions;
mod compare;
pub(crate) mod completions;
pub(crate) mod doctor;
mod export;
pub(crate) mod import;
mod least_grant;
pub(crate) mod man;
mod permissions;
pub(crate) mod policy;
pub(crate) mod profile;
pub(crate) mod ready;
pub(crate) mod requests;
pub(crate) mod restore;
mod revoke;
pub(crate) mod security;
pub(crate) mod serve;
pub(crate) mod test;
pub(crate) mod token;
pub(crate) mod version;
pub(crate) mod watch;
mod what_if;
mod who_can;
pub(crate) mod whoami;

use std::path::PathBuf;

use clap::{CommandFactory, Parser, Subcommand};

use crate::args::format::{FormatArg, OutputArgs};
use crate::args::policy_question::PolicyQueryArgs;
use crate::client::brokers::BrokerArgs;
use crate::client::connection::ConnectArgs;
use crate::help;
use crate::output::{Failure, Format};
use crate::process::Process;
use crate::render::pipeline_report::unsupported;
use audit::AuditCommand;
use backup::BackupArgs;
use check::CheckArgs;
use cluster::{AdminCommand, ClusterCommand};
use collisions::CollisionsArgs;
use compare::CompareArgs;
use doctor::DoctorArgs;
use export::ExportArgs;
use import::ImportArgs;
use permissions::PermissionsArgs;
use policy::PolicyCommand;
use profile::ProfileCommand;
use requests::RequestsArgs;
use restore::RestoreArgs;
use security::SecurityCommand;
use serve::ServeArgs;
use test::TestArgs;
use token::TokenCommand;
use watch::WatchArgs;
use what_if::WhatIfArgs;
use who_can::WhoCanArgs;

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
    /// Exit codes: 0 allowed (or every line of --checks was evaluated), 1 error, 2 denied, 64
    /// invalid usage.
    Check(Box<CheckArgs>),
    /// List the users, groups and roles that can access a resource, and what allows or denies each.
    WhoCan(WhoCanArgs),
    /// List the effective permissions of a user or principal, with the exceptions made by deny
    /// ACLs.
    Permissions(Box<PermissionsArgs>),
    /// List the API requests that --request knows, and the permissions that each requires.
    Requests(RequestsArgs),
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
    /// --policy and --online replace the policy that a file names. --online without files runs the
    /// tests that are stored with the service.
    ///
    /// For pipelines, --format also accepts `sarif`, `junit` and `github` (annotations).
    Test(Box<TestArgs>),
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
    /// Manage the ACLs and roles of a running service, or the ACLs of a Kafka cluster.
    Security {
        #[command(flatten)]
        connect: ConnectArgs,
        #[command(flatten)]
        brokers: BrokerArgs,
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
    /// Check that a service is ready: it answers, and can store changes and audit events.
    Ready(ConnectArgs),
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

/// The command line without help texts, which take longer to compose than most commands run.
pub(crate) fn grammar() -> clap::Command {
    help::with_report_formats(Cli::command())
}

/// The command line with its help texts.
pub(crate) fn command_line() -> clap::Command {
    help::with_texts(grammar())
}

/// Runs one command.
pub(crate) fn run(process: &Process, command: Command, format: FormatArg) -> Result<u8, Failure> {
    let report = format.report();
    let writes_reports = matches!(&command, Command::Policy { .. } | Command::Test(_));
    if let Some(report) = report
        && !writes_reports
    {
        return Err(unsupported(report, "this command"));
    }
    let format = Format::from(format);
    match command {
        Command::Check(args) => check::run(process, &args, format),
        Command::WhoCan(args) => who_can::run(process, &args, format),
        Command::Permissions(args) => permissions::run(process, &args, format),
        Command::Requests(args) => requests::run(process, &args, format),
        Command::LeastGrant(args) => least_grant::run(process, &args, format),
        Command::Revoke(args) => revoke::run(process, &args, format),
        Command::Compare(args) => compare::run(process, &args, format),
        Command::WhatIf(args) => what_if::run(process, &args, format),
        Command::Collisions(args) => collisions::run(process, &args, format),
        Command::Policy { command } => policy::run(process, &command, format, report),
        Command::Token { command } => token::run(process, &command, format),
        Command::Doctor(args) => doctor::run(process, &args, format),
        Command::Test(args) => test::run(process, &args, format, report),
        Command::Serve(args) => serve::run(process, *args, format),
        Command::Backup(args) => backup::run(process, &args, format),
        Command::Restore(args) => restore::run(process, &args, format),
        Command::Audit { command } => audit::run(process, &command, format),
        Command::Export(args) => export::run(process, &args, format),
        Command::Import(args) => import::run(process, &args, format),
        Command::Security {
            connect,
            brokers,
            command,
        } => security::run(process, &connect, &brokers, &command, format),
        Command::Cluster { connect, command } => cluster::run(process, &connect, &command, format),
        Command::Profile { command } => profile::run(process, &command, format),
        Command::Watch(args) => watch::run(process, &args, format),
        Command::Version => version::run(process, format),
        Command::Ready(connect) => ready::run(process, &connect, format),
        Command::Whoami(connect) => whoami::run(process, &connect, format),
        Command::Completions { shell } => completions::run(process, shell),
        Command::Man { folder } => man::run(process, &folder, format),
        Command::Admin { connect, command } => cluster::admin(process, &connect, &command, format),
    }
}
