//! `gbac restore`: creates the data folder of a service from a backup.

use std::fs;
use std::path::PathBuf;

use clap::Args;
use gbac_server::{BackupError, restore_backup};
#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;

use super::backup::{BackupSummary, failure, render, summary};
use crate::input;
use crate::output::{self, Failure, Format};
use crate::process::Process;

#[derive(Debug, Args)]
pub(crate) struct RestoreArgs {
    /// Backup file created by `gbac backup`.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// New or empty folder for the data; created if it does not exist.
    #[arg(long, value_name = "DIR")]
    data: PathBuf,
}

/// A backup that was restored.
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[derive(Debug, Serialize)]
pub(crate) struct RestoredBackup<'a> {
    /// The new data folder.
    folder: &'a str,
    /// The contents.
    #[serde(flatten)]
    contents: BackupSummary<'a>,
}

pub(crate) fn run(process: &Process, args: &RestoreArgs, format: Format) -> Result<u8, Failure> {
    let (file, folder) = (
        args.file.display().to_string(),
        args.data.display().to_string(),
    );
    let path = process.path(&args.file);
    // Only regular files, because a pipe may never end.
    if fs::metadata(&path).is_ok_and(|metadata| !metadata.is_file()) {
        return Err(failure(&BackupError::NotABackup));
    }
    // It has the hash of the password, and whoever can change it can add a superuser.
    input::warn_of_others(process, &args.file);
    let backup = fs::read(&path).map_err(|error| Failure::io(&file, &error))?;
    let contents =
        restore_backup(&backup, &process.path(&args.data)).map_err(|error| failure(&error))?;
    match format {
        Format::Json | Format::Yaml => {
            let restored = RestoredBackup {
                folder: &folder,
                contents: summary(&contents),
            };
            output::value(process, format, &restored)?;
        }
        Format::Text => output::text(process, &render("Restored", &folder, &contents))?,
    }
    Ok(output::SUCCESS)
}
