//! `gbac man`: manual pages from the definitions of the command line.

use std::fs;
use std::path::Path;

use gbac_words::commands::files;

use crate::args::Format;
use crate::help;
use crate::output::{self, Failure, sentence};
use crate::process::Process;
use crate::results::ManualPages;

/// Writes one page for each command into a folder.
pub(crate) fn run(process: &Process, folder: &Path, format: Format) -> Result<u8, Failure> {
    let name = folder.display().to_string();
    let failed = |error: std::io::Error| Failure::io(&name, &error);
    let folder = process.path(folder);
    fs::create_dir_all(&folder).map_err(failed)?;
    clap_mangen::generate_to(help::command().disable_help_subcommand(true), &folder)
        .map_err(failed)?;
    let pages = fs::read_dir(&folder)
        .map_err(failed)?
        .filter_map(Result::ok);
    let is_page = |file: &fs::DirEntry| {
        file.file_name()
            .to_str()
            .is_some_and(|name| name.starts_with("gbac") && name.ends_with(".1"))
    };
    let pages = pages.filter(is_page).count();
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
