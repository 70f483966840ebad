//! One file per command.

mod audit;
mod backup;
mod change_list;
mod changes;
mod check;
mod cluster;
mod collisions;
mod compare;
mod completions;
mod differences;
mod doctor;
mod evaluation;
mod explain;
mod export;
mod import;
mod inspect;
mod least_grant;
mod man;
mod merge;
mod permissions;
mod policy;
mod profile;
mod restore;
mod revoke;
mod security;
pub(crate) mod serve;
mod target;
mod test;
mod verdicts;
mod version;
mod watch;
mod what_if;
mod who_can;
mod whoami;

use std::collections::BTreeSet;

use gbac_engine::model::Principal;
use gbac_engine::policy::Policy;

use crate::args::output::FormatArg;
use crate::args::{Command, Format, TokenCommand};
use crate::output::Failure;
use crate::process::Process;
use crate::report::unsupported;

/// Runs one command.
pub(crate) fn run(process: &Process, command: Command, format: FormatArg) -> Result<u8, Failure> {
    let report = format.report();
    if let (Some(report), false) = (
        report,
        matches!(&command, Command::Policy { .. } | Command::Test(_)),
    ) {
        return Err(unsupported(report, "this command"));
    }
    let format = Format::from(format);
    match command {
        Command::Check(args) => check::run(process, &args, format),
        Command::WhoCan(args) => who_can::run(process, &args, format),
        Command::Permissions(args) => permissions::run(process, &args, format),
        Command::LeastGrant(args) => least_grant::run(process, &args, format),
        Command::Revoke(args) => revoke::run(process, &args, format),
        Command::Compare(args) => compare::run(process, &args, format),
        Command::WhatIf(args) => what_if::run(process, &args, format),
        Command::Collisions(args) => collisions::run(process, &args, format),
        Command::Policy { command } => policy::run(process, &command, format, report),
        Command::Token {
            command: TokenCommand::Inspect(args),
        } => inspect::run(process, &args, format),
        Command::Doctor(args) => doctor::run(process, &args, format),
        Command::Test(args) => test::run(process, &args, format, report),
        Command::Serve(args) => serve::run(process, *args, format),
        Command::Backup(args) => backup::run(process, &args, format),
        Command::Restore(args) => restore::run(process, &args, format),
        Command::Audit { command } => audit::run(process, &command, format),
        Command::Export(args) => export::run(process, &args, format),
        Command::Import(args) => import::run(process, &args, format),
        Command::Security { connect, command } => {
            security::run(process, &connect, &command, format)
        }
        Command::Cluster { connect, command } => cluster::run(process, &connect, &command, format),
        Command::Profile { command } => profile::run(process, &command, format),
        Command::Watch(args) => watch::run(process, &args, format),
        Command::Version => version::run(process, format),
        Command::Whoami(connect) => whoami::run(process, &connect, format),
        Command::Completions { shell } => completions::run(process, shell),
        Command::Man { folder } => man::run(process, &folder, format),
        Command::Admin { connect, command } => cluster::admin(process, &connect, &command, format),
    }
}

/// The users, groups and roles that a policy names; `User:*` is everyone and no name.
fn principals(policy: &Policy) -> BTreeSet<Principal> {
    let mut named: BTreeSet<Principal> = policy.acls().map(|acl| acl.principal).collect();
    for role in policy.roles() {
        named.insert(Principal::role(&role.name));
        named.extend(role.members);
    }
    named.extend(policy.settings().superusers.iter().map(Principal::user));
    named.retain(|principal| !principal.is_everyone());
    named
}
