//! Backups: all rows of a store at one moment, in one file that shows whether it is complete.
//!
//! A backup is the line `gbac backup 1`; for each row the index of its table, the length of its
//! key, the key, the length of its value and the value; then the byte 255 and the SHA-256 of
//! everything before the digest. Numbers have four bytes, the most significant first.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};
use thiserror::Error;

use super::error::StoreError;
use super::file::Disk;
use super::folder::Folder;
use super::format::{FORMAT, FORMAT_KEY, LOG_HEAD};
use super::history::HistoryCheck;
use super::log_head::LogHead;
use super::rows::{RowWrite, Table};
use super::rows_digest::DigestCheck;
use super::stored_state::{StateReader, number};
use crate::random;

/// The format of backups that this version writes, and the newest that it reads.
const BACKUP_FORMAT: u64 = 1;
pub(super) const TITLE: &[u8] = b"gbac backup ";
/// In place of the index of a table after the last row.
const END: u8 = 255;
const DIGEST_LENGTH: usize = 32;

/// Why a backup cannot be used or restored.
#[derive(Debug, Error)]
pub enum BackupError {
    /// The file is something else.
    #[error("this is not a backup of a service")]
    NotABackup,
    /// The file is incomplete or has changed since it was saved.
    #[error("the backup is damaged or incomplete")]
    Damaged,
    /// A newer version saved it.
    #[error("the backup has a newer format ({0}) than this version supports")]
    Newer(u64),
    /// Its rows are not valid.
    #[error("the backup cannot be used: {0}")]
    Content(#[source] StoreError),
    /// The folder has content.
    #[error("the folder `{}` is not empty", .0.display())]
    NotEmpty(PathBuf),
    /// The folder cannot be used.
    #[error(transparent)]
    Store(StoreError),
}

impl BackupError {
    /// The stable code of the error.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::NotABackup => "backup_invalid",
            Self::Damaged | Self::Content(_) => "backup_damaged",
            Self::Newer(_) => "backup_newer",
            Self::NotEmpty(_) => "folder_not_empty",
            Self::Store(error) => error.code(),
        }
    }

    /// What to do about it.
    #[must_use]
    pub fn hint(&self) -> String {
        match self {
            Self::NotABackup => "use a file created by `gbac backup`".into(),
            Self::Damaged | Self::Content(_) => "use another backup".into(),
            Self::Newer(_) => "use the version that saved it, or a newer one".into(),
            Self::NotEmpty(_) => {
                "choose a new or empty folder, and keep the old one until the service runs".into()
            }
            Self::Store(StoreError::InUse(_)) => {
                "stop the service, and choose a new or empty folder".into()
            }
            Self::Store(error) => error.hint(),
        }
    }
}

/// What a backup contains.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BackupContents {
    /// The number of ACLs.
    pub acls: usize,
    /// The number of roles.
    pub roles: usize,
    /// The SHA-256 of the file, in hexadecimal digits.
    pub sha256: String,
}

/// A backup of the state at this moment.
pub(super) fn save(disk: &Disk) -> Result<Vec<u8>, StoreError> {
    let mut writer = BackupWriter::default();
    let (mut check, mut history) = (DigestCheck::default(), HistoryCheck::default());
    let mut head = None;
    disk.read_rows(|table, key, value| {
        check.read(table, key, value)?;
        if table == Table::Log {
            history.read(key, value)?;
        } else if (table, key) == (Table::Meta, LOG_HEAD) {
            head = LogHead::from_bytes(value);
        }
        writer.row(table, key, value);
        Ok(())
    })?;
    check.finish()?;
    history.finish(head)?;
    Ok(writer.finish())
}

/// Writes a backup row by row.
pub(super) struct BackupWriter(Vec<u8>);

impl Default for BackupWriter {
    fn default() -> Self {
        Self([TITLE, format!("{BACKUP_FORMAT}\n").as_bytes()].concat())
    }
}

impl BackupWriter {
    pub(super) fn row(&mut self, table: Table, key: &[u8], value: &[u8]) {
        self.0.push(table.index());
        push_bytes(&mut self.0, key);
        push_bytes(&mut self.0, value);
    }

    pub(super) fn finish(self) -> Vec<u8> {
        let mut backup = self.0;
        backup.push(END);
        let digest = Sha256::digest(&backup);
        backup.extend_from_slice(&digest);
        backup
    }
}

/// Verifies a backup as a restore does, without a folder.
///
/// # Errors
/// See [`BackupError`].
pub fn verify_backup(backup: &[u8]) -> Result<BackupContents, BackupError> {
    Ok(read(backup)?.contents)
}

/// Restores a backup into a folder, which is created if it does not exist. No service has to run.
///
/// # Errors
/// See [`BackupError`]. The folder has no store then.
pub fn restore_backup(backup: &[u8], path: &Path) -> Result<BackupContents, BackupError> {
    let BackupRows {
        rows,
        commit,
        contents,
    } = read(backup)?;
    let is_empty = is_empty(path).map_err(|source| {
        let folder = path.into();
        BackupError::Store(StoreError::Folder { folder, source })
    })?;
    if !is_empty {
        return Err(if Folder::is_in_use(path) {
            BackupError::Store(StoreError::InUse(path.into()))
        } else {
            BackupError::NotEmpty(path.into())
        });
    }
    let folder = Folder::lock(path).map_err(BackupError::Store)?;
    // Another restore may have been faster.
    if folder.has_file().map_err(BackupError::Store)? {
        return Err(BackupError::NotEmpty(path.into()));
    }
    if let Err(error) = Disk::create(&folder, &rows, commit) {
        folder.discard();
        return Err(BackupError::Store(error));
    }
    Ok(contents)
}

fn is_empty(folder: &Path) -> io::Result<bool> {
    match fs::read_dir(folder) {
        Ok(mut entries) => Ok(entries.next().is_none()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(true),
        Err(error) => Err(error),
    }
}

fn push_bytes(backup: &mut Vec<u8>, bytes: &[u8]) {
    backup.extend(u32::try_from(bytes.len()).unwrap_or(u32::MAX).to_be_bytes());
    backup.extend_from_slice(bytes);
}

/// A backup that was read.
pub(super) struct BackupRows {
    pub(super) rows: Vec<RowWrite>,
    pub(super) commit: u64,
    pub(super) contents: BackupContents,
}

pub(super) fn read(backup: &[u8]) -> Result<BackupRows, BackupError> {
    let format = format_of(backup).ok_or(BackupError::NotABackup)?;
    if format > BACKUP_FORMAT {
        return Err(BackupError::Newer(format));
    }
    let (signed, digest) = backup
        .split_last_chunk::<DIGEST_LENGTH>()
        .ok_or(BackupError::Damaged)?;
    if <[u8; DIGEST_LENGTH]>::from(Sha256::digest(signed)) != *digest {
        return Err(BackupError::Damaged);
    }
    let mut rest = RowReader(
        signed
            .get(TITLE.len() + format.to_string().len() + 1..)
            .ok_or(BackupError::Damaged)?,
    );
    let mut reader = StateReader::default();
    let mut rows: Vec<RowWrite> = Vec::new();
    while let Some((table, key, value)) = rest.next()? {
        if (table, key) == (Table::Meta, FORMAT_KEY) {
            let format = number(key, Some(value)).map_err(BackupError::Content)?;
            if format > FORMAT {
                return Err(BackupError::Newer(format));
            }
        }
        let row = RowWrite::put(table, key, value);
        // In the order in which the store reads them, each once.
        if let Some(last) = rows.last()
            && last.location() >= row.location()
        {
            return Err(BackupError::Damaged);
        }
        reader
            .read(table, key, value)
            .map_err(BackupError::Content)?;
        rows.push(row);
    }
    let commit = reader.commit();
    let state = reader.finish().map_err(BackupError::Content)?;
    let contents = BackupContents {
        acls: state.policy.acl_count(),
        roles: state.policy.role_count(),
        sha256: random::hex(&Sha256::digest(backup)),
    };
    Ok(BackupRows {
        rows,
        commit,
        contents,
    })
}

/// The number of the format that the first line names.
fn format_of(backup: &[u8]) -> Option<u64> {
    let title = backup.strip_prefix(TITLE)?;
    let end = title.iter().position(|byte| *byte == b'\n')?;
    std::str::from_utf8(title.get(..end)?).ok()?.parse().ok()
}

/// The table, the key and the value of a row.
type TableRow<'b> = (Table, &'b [u8], &'b [u8]);

/// Reads the rows after the first line.
pub(super) struct RowReader<'b>(pub(super) &'b [u8]);

impl<'b> RowReader<'b> {
    pub(super) fn next(&mut self) -> Result<Option<TableRow<'b>>, BackupError> {
        self.row_or_end().ok_or(BackupError::Damaged)
    }

    /// The next row, or `Some(None)` at the end; `None` if there is neither.
    fn row_or_end(&mut self) -> Option<Option<TableRow<'b>>> {
        let [index] = *self.take(1)? else {
            return None;
        };
        if index == END {
            return self.0.is_empty().then_some(None);
        }
        let table = *Table::ALL.get(usize::from(index))?;
        Some(Some((table, self.bytes()?, self.bytes()?)))
    }

    fn bytes(&mut self) -> Option<&'b [u8]> {
        let length = u32::from_be_bytes(*self.take(4)?.first_chunk()?);
        self.take(usize::try_from(length).ok()?)
    }

    fn take(&mut self, count: usize) -> Option<&'b [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }
}
