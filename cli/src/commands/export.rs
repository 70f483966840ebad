//! `gbac export`: saves the whole policy of a running service.

use std::path::PathBuf;

use clap::Args;
use gbac_json::{policy_to_json, policy_to_text};

use crate::client::connection::ConnectArgs;
use crate::client::{Client, platform};
use crate::output::{self, Failure, Format};
use crate::process::Process;
use crate::render::policy_transfer;

#[derive(Debug, Args)]
pub(crate) struct ExportArgs {
    #[command(flatten)]
    connect: ConnectArgs,
    /// Write the document to this file instead of standard output, and print the state for
    /// --if-match.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

pub(crate) fn run(process: &Process, args: &ExportArgs, format: Format) -> Result<u8, Failure> {
    let client = Client::open(process, &args.connect)?;
    let (policy, tag) = client
        .policy()
        .map_err(|error| platform::explained(process, &client, error))?;
    let document = policy_to_text(&policy);
    let Some(path) = &args.out else {
        match format {
            Format::Text | Format::Json => output::document(process, &document)?,
            Format::Yaml => output::value(process, format, &policy_to_json(&policy))?,
        }
        return Ok(output::SUCCESS);
    };
    output::file(process, path, &document)?;
    let file = path.display().to_string();
    policy_transfer::report(process, "Exported", &file, &policy, Some(&tag), format)?;
    Ok(output::SUCCESS)
}
