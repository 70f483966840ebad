//! `gbac security`: ACLs and roles of a running service.

mod acl;
mod filters;
mod role;
mod rows;

use std::process::ExitCode;

use crate::args::Format;
use crate::args::online::{AclCommand, ConnectArgs, SecurityCommand};
use crate::client::Client;
use crate::output::Failure;

pub(crate) fn run(connect: &ConnectArgs, command: &SecurityCommand, format: Format) -> Result<ExitCode, Failure> {
    match command {
        SecurityCommand::Acl { command: AclCommand::Create(args) } => {
            let acls = filters::acls_to_create(args)?;
            acl::create(&Client::open(connect)?, acls, args.dry_run, format)
        }
        SecurityCommand::Acl { command: AclCommand::List(args) } => {
            let filters = filters::filters(&args.filter)?;
            acl::list(&Client::open(connect)?, args, &filters, format)
        }
        SecurityCommand::Acl { command: AclCommand::Delete(args) } => {
            let filters = filters::narrow(&args.filter)?;
            acl::delete(&Client::open(connect)?, args, &filters, format)
        }
        SecurityCommand::Role { command } => role::run(connect, command, format),
    }
}
