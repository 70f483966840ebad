//! `gbac restore`: creates the data folder of a service from a backup.

use std::fs;
use std::process::ExitCode;

use gbac_server::{BackupError, restore_backup};

use super::backup::{failure, report};
use crate::args::{Format, RestoreArgs};
use crate::input;
use crate::output::Failure;
use crate::results::RestoredBackup;

pub(crate) fn run(args: &RestoreArgs, format: Format) -> Result<ExitCode, Failure> {
    let (file, folder) = (args.file.display().to_string(), args.data.display().to_string());
    // Only regular files, because a pipe may never end.
    if fs::metadata(&args.file).is_ok_and(|metadata| !metadata.is_file()) {
        return Err(failure(&BackupError::NotABackup));
    }
    // It has the hash of the password, and whoever can change it can add a superuser.
    input::warn_of_others(&args.file);
    let backup = fs::read(&args.file).map_err(|error| Failure::io(&file, &error))?;
    let contents = restore_backup(&backup, &args.data).map_err(|error| failure(&error))?;
    report("Restored", &folder, &contents, format, |contents| RestoredBackup { folder: &folder, contents })?;
    Ok(ExitCode::SUCCESS)
}
