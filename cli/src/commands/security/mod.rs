//! `gbac security`: ACLs and roles of a running service.

mod acl;
mod filters;
mod role;
mod rows;

use crate::args::Format;
use crate::args::online::{AclCommand, ConnectArgs, SecurityCommand};
use crate::client::Client;
use crate::output::Failure;
use crate::process::Process;

pub(crate) fn run(
    process: &Process,
    connect: &ConnectArgs,
    command: &SecurityCommand,
    format: Format,
) -> Result<u8, Failure> {
    match command {
        SecurityCommand::Acl {
            command: AclCommand::Create(args),
        } => {
            let acls = filters::acls_to_create(args)?;
            acl::create(
                process,
                &Client::open(process, connect)?,
                acls,
                args.dry_run,
                format,
            )
        }
        SecurityCommand::Acl {
            command: AclCommand::List(args),
        } => {
            let filters = filters::filters(&args.filter)?;
            acl::list(
                process,
                &Client::open(process, connect)?,
                args,
                &filters,
                format,
            )
        }
        SecurityCommand::Acl {
            command: AclCommand::Delete(args),
        } => {
            let filters = filters::narrow(&args.filter)?;
            acl::delete(
                process,
                &Client::open(process, connect)?,
                args,
                &filters,
                format,
            )
        }
        SecurityCommand::Role { command } => role::run(process, connect, command, format),
    }
}
