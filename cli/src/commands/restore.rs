//! `gbac restore`: creates the data folder of a service from a backup.

use std::fs;

use gbac_server::{BackupError, restore_backup};

use super::backup::{failure, report};
use crate::args::{Format, RestoreArgs};
use crate::input;
use crate::output::{self, Failure};
use crate::process::Process;
use crate::results::RestoredBackup;

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
    report(
        process,
        "Restored",
        &folder,
        &contents,
        format,
        |contents| RestoredBackup {
            folder: &folder,
            contents,
        },
    )?;
    Ok(output::SUCCESS)
}
