//! `gbac ready`: whether a service can answer and store changes, for health checks.

use gbac_api::paths;
use gbac_words::commands::service;
#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;

use crate::client::connection::ConnectArgs;
use crate::client::{CallError, Client};
use crate::output::{self, Failure, Format, sentence};
use crate::process::Process;

/// A service that is ready.
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[derive(Debug, Serialize)]
pub(crate) struct ReadyService<'a> {
    /// The URL of the service.
    url: &'a str,
    /// Always true; a service that is not ready is an error.
    ready: bool,
}

pub(crate) fn run(process: &Process, connect: &ConnectArgs, format: Format) -> Result<u8, Failure> {
    let client = Client::open(process, connect)?;
    let url = client.url();
    // Another server could respond to every path.
    if client.download(paths::READY)? != b"ready\n" {
        return Err(CallError::NotReady(url.to_owned()).into());
    }
    match format {
        Format::Json | Format::Yaml => {
            output::value(process, format, &ReadyService { url, ready: true })?;
        }
        Format::Text => output::text(process, &(sentence(&service::ready(url)) + "\n"))?,
    }
    Ok(output::SUCCESS)
}
