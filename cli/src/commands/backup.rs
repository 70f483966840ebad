//! `gbac backup`: saves a verified backup of a running service.

use std::ffi::OsString;
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use gbac_api::paths;
use gbac_server::private_file::{self, PrivateTo};
use gbac_server::{BackupContents, BackupError, verify_backup};
use gbac_words::commands::policy;
use serde::Serialize;

use crate::args::Format;
use crate::args::online::BackupArgs;
use crate::client::Client;
use crate::output::{self, Failure, plain, sentence};
use crate::process::Process;
use crate::results::{BackupSummary, SavedBackup};

pub(crate) fn run(process: &Process, args: &BackupArgs, format: Format) -> Result<u8, Failure> {
    let (file, path) = (args.file.display().to_string(), process.path(&args.file));
    let exists = || {
        let message = format!(
            "`{}` already exists; choose another name, or pass --replace",
            plain(&file)
        );
        Failure::new("file_exists", message)
    };
    // Fails early; creating the file checks this again.
    if !args.replace && fs::symlink_metadata(&path).is_ok() {
        return Err(exists());
    }
    if args.replace && fs::symlink_metadata(&path).is_ok_and(|metadata| !metadata.is_file()) {
        let message = format!(
            "`{}` is not a regular file, and --replace replaces only those",
            plain(&file)
        );
        return Err(Failure::new("file_not_regular", message));
    }
    let backup = Client::open(process, &args.connect)?.download(paths::BACKUP)?;
    let contents = verify_backup(&backup).map_err(|error| failure(&error))?;
    let saved = if args.replace {
        replace(&path, &backup)
    } else {
        create(&path, &backup)
    };
    saved.map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists => exists(),
        _ => Failure::io(&file, &error),
    })?;
    report(process, "Saved", &file, &contents, format, |contents| {
        SavedBackup {
            file: &file,
            contents,
        }
    })?;
    Ok(output::SUCCESS)
}

/// The failure of an invalid backup, with the recommended action.
pub(super) fn failure(error: &BackupError) -> Failure {
    Failure::new(error.code(), format!("{error}; {}", error.hint()))
}

/// Creates a private file. Removes it if it cannot be written completely.
fn create(path: &Path, backup: &[u8]) -> io::Result<()> {
    let mut file = private_file::open(
        path,
        OpenOptions::new().write(true).create_new(true),
        PrivateTo::Owner,
    )?;
    file.write_all(backup)
        .and_then(|()| file.sync_all())
        .inspect_err(|_| {
            let _ = fs::remove_file(path);
        })
}

/// Writes the new file next to the old one, so that the old one is replaced completely or not at
/// all.
fn replace(path: &Path, backup: &[u8]) -> io::Result<()> {
    let mut name = OsString::from(path);
    name.push(".new");
    let new = PathBuf::from(name);
    match fs::remove_file(&new) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    create(&new, backup)?;
    fs::rename(&new, path).inspect_err(|_| {
        let _ = fs::remove_file(&new);
    })
}

/// Reports the contents and the place of a backup; `result` adds the place to the contents.
pub(super) fn report<'a, T: Serialize>(
    process: &Process,
    done: &str,
    place: &str,
    contents: &'a BackupContents,
    format: Format,
    result: impl FnOnce(BackupSummary<'a>) -> T,
) -> Result<(), Failure> {
    let BackupContents {
        acls,
        roles,
        sha256,
    } = contents;
    match format {
        Format::Json | Format::Yaml => output::value(
            process,
            format,
            &result(BackupSummary {
                acls: *acls,
                roles: *roles,
                sha256,
            }),
        ),
        Format::Text => {
            let transferred = sentence(&policy::transferred(done, place, *acls, *roles));
            let digest = policy::backup_digest(sha256);
            output::text(process, &format!("{transferred}\n{digest}\n"))
        }
    }
}
