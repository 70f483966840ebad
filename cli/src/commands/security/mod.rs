//! `gbac security`: ACLs and roles of a running service.

mod acl;
mod acl_flags;
mod acl_rows;
mod role;

use clap::Subcommand;

use crate::client::connection::ConnectArgs;
use crate::output::{Failure, Format};
use crate::process::Process;
use acl::AclCommand;
#[cfg(all(test, feature = "schema"))]
pub(crate) use acl::{AclCreations, AclDeletions, AclMatches};
#[cfg(all(test, feature = "schema"))]
pub(crate) use acl_rows::AclRow;
use role::RoleCommand;
#[cfg(all(test, feature = "schema"))]
pub(crate) use role::{RoleDetails, RoleMemberRow, RoleNames};

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

pub(crate) fn run(
    process: &Process,
    connect: &ConnectArgs,
    command: &SecurityCommand,
    format: Format,
) -> Result<u8, Failure> {
    match command {
        SecurityCommand::Acl { command } => acl::run(process, connect, command, format),
        SecurityCommand::Role { command } => role::run(process, connect, command, format),
    }
}
