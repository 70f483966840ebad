//! `gbac export`: saves the whole policy of a running service.

use gbac_json::{policy_to_json, policy_to_text};

use super::import::report;
use super::target;
use crate::args::Format;
use crate::args::online::ExportArgs;
use crate::client::Client;
use crate::output::{self, Failure};
use crate::process::Process;

pub(crate) fn run(process: &Process, args: &ExportArgs, format: Format) -> Result<u8, Failure> {
    let client = Client::open(process, &args.connect)?;
    let (policy, tag) = client
        .policy()
        .map_err(|error| target::explained(process, &client, error))?;
    let document = policy_to_text(&policy);
    let Some(path) = &args.out else {
        match format {
            Format::Text | Format::Json => output::document(process, &document)?,
            Format::Yaml => output::value(process, format, &policy_to_json(&policy))?,
        }
        return Ok(output::SUCCESS);
    };
    output::file(process, path, &document)?;
    report(
        process,
        "Exported",
        &path.display().to_string(),
        &policy,
        Some(&tag),
        format,
    )?;
    Ok(output::SUCCESS)
}
