//! `gbac backup`: saves a verified backup of a running service.

use std::ffi::OsString;
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::Args;
use gbac_api::paths;
use gbac_server::private_file::{self, PrivateTo};
use gbac_server::{BackupContents, BackupError, verify_backup};
use gbac_words::commands::policy;
#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;

use crate::client::Client;
use crate::client::connection::ConnectArgs;
use crate::output::{self, Failure, Format, plain, sentence};
use crate::process::Process;

#[derive(Debug, Args)]
pub(crate) struct BackupArgs {
    #[command(flatten)]
    connect: ConnectArgs,
    /// File for the backup. If it exists, the command fails unless --replace is given.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Replace an existing file, once the new backup is complete.
    #[arg(long)]
    replace: bool,
}

/// A backup that was saved.
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[derive(Debug, Serialize)]
pub(crate) struct SavedBackup<'a> {
    /// The file.
    file: &'a str,
    /// The contents.
    #[serde(flatten)]
    contents: BackupSummary<'a>,
}

/// The contents of a backup.
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[derive(Debug, Serialize)]
pub(crate) struct BackupSummary<'a> {
    /// The number of ACLs.
    acls: usize,
    /// The number of roles.
    roles: usize,
    /// The SHA-256 of the backup, in hexadecimal digits.
    sha256: &'a str,
}

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
    match format {
        Format::Json | Format::Yaml => {
            let saved = SavedBackup {
                file: &file,
                contents: summary(&contents),
            };
            output::value(process, format, &saved)?;
        }
        Format::Text => output::text(process, &render("Saved", &file, &contents))?,
    }
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

/// The contents of a backup, as JSON.
pub(super) fn summary(contents: &BackupContents) -> BackupSummary<'_> {
    BackupSummary {
        acls: contents.acls,
        roles: contents.roles,
        sha256: &contents.sha256,
    }
}

/// The place and the contents of a backup, as text.
pub(super) fn render(done: &str, place: &str, contents: &BackupContents) -> String {
    let transferred = policy::transferred(done, place, contents.acls, contents.roles);
    let digest = policy::backup_digest(&contents.sha256);
    format!("{}\n{digest}\n", sentence(&transferred))
}
