//! `gbac security`: ACLs and roles of a running service.

mod acl;
mod acl_flags;
mod acl_rows;
mod kafka_acls;
mod role;

use clap::Subcommand;
use gbac_words::commands::cluster as words;

use crate::client::brokers::{self, BrokerArgs};
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
    brokers: &BrokerArgs,
    command: &SecurityCommand,
    format: Format,
) -> Result<u8, Failure> {
    let (url, profile) = (connect.url.as_deref(), connect.profile.as_deref());
    let brokers = brokers::selected(process, brokers, url, profile)?;
    match (command, brokers) {
        (SecurityCommand::Acl { command }, Some(brokers)) => {
            kafka_acls::run(process, &brokers, command, format)
        }
        (SecurityCommand::Acl { command }, None) => acl::run(process, connect, command, format),
        (SecurityCommand::Role { .. }, Some(_)) => Err(Failure::usage(words::NO_ROLES)),
        (SecurityCommand::Role { command }, None) => role::run(process, connect, command, format),
    }
}
