//! `gbac man`: manual pages from the definitions of the command line.

use std::fs;
use std::path::Path;

use gbac_words::commands::files;
#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;

use super::command_line;
use crate::output::{self, Failure, Format, sentence};
use crate::process::Process;

/// The manual pages that were written.
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[derive(Debug, Serialize)]
pub(crate) struct ManualPages<'a> {
    /// The folder.
    folder: &'a str,
    /// The number of pages.
    pages: usize,
}

/// Writes one page for each command into a folder.
pub(crate) fn run(process: &Process, folder: &Path, format: Format) -> Result<u8, Failure> {
    let name = folder.display().to_string();
    let failed = |error: std::io::Error| Failure::io(&name, &error);
    let folder = process.path(folder);
    fs::create_dir_all(&folder).map_err(failed)?;
    clap_mangen::generate_to(command_line().disable_help_subcommand(true), &folder)
        .map_err(failed)?;
    let mut pages = 0;
    for file in fs::read_dir(&folder).map_err(failed)?.flatten() {
        let name = file.file_name();
        if name.to_string_lossy().starts_with("gbac") && name.to_string_lossy().ends_with(".1") {
            pages += 1;
        }
    }
    match format {
        Format::Json | Format::Yaml => output::value(
            process,
            format,
            &ManualPages {
                folder: &name,
                pages,
            },
        )?,
        Format::Text => output::text(
            process,
            &format!("{}\n", sentence(&files::pages_written(pages, &name))),
        )?,
    }
    Ok(output::SUCCESS)
}
