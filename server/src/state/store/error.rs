//! Why a store cannot be opened or used.

use std::fmt;
use std::io;
use std::path::PathBuf;

use thiserror::Error;

use super::format::{FILE, FORMAT, LOCK_FILE, REFUSED_FILE};
use crate::private_file;

/// Why a store cannot be opened or used.
#[derive(Debug, Error)]
pub enum StoreError {
    /// The folder, or a file in it, cannot be read or written.
    #[error("cannot use the folder `{}`: {source}", folder.display())]
    Folder {
        /// The folder.
        folder: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// Another process has it open.
    #[error("another process uses the folder `{}`", .0.display())]
    InUse(PathBuf),
    /// A newer version wrote it.
    #[error(
        "the data in `{}` has format {format}; this version supports formats up to {FORMAT}",
        folder.display()
    )]
    Newer {
        /// The folder.
        folder: PathBuf,
        /// The number of its format.
        format: u64,
    },
    /// Its content is not valid; what is damaged.
    #[error("the data is damaged: {0}")]
    Damaged(String),
    /// It lacks writes that were acknowledged.
    #[error(
        "the data in `{}` is older than the last change that was confirmed in this folder: commit {stored} instead of {acknowledged}",
        folder.display()
    )]
    Outdated {
        /// The folder.
        folder: PathBuf,
        /// The number of its last commit.
        stored: u64,
        /// The number of the last commit that was acknowledged.
        acknowledged: u64,
    },
    /// The number of the last acknowledged write cannot be read.
    #[error("`{LOCK_FILE}` in `{}` is damaged: it does not have the number of the last confirmed change", .0.display())]
    LockFile(PathBuf),
    /// The last refused write cannot be read, so that it may be in the file.
    #[error("`{REFUSED_FILE}` in `{}` is damaged: it does not have the last change that was refused", .0.display())]
    RefusedFile(PathBuf),
    /// The disk has no room.
    #[error("the disk is full")]
    Full,
    /// The file cannot be read or written.
    #[error("the data cannot be read or written: {}", without_number(.0))]
    File(#[source] Box<redb::Error>),
}

impl StoreError {
    /// The stable code of the error.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Folder { .. } => "data_folder",
            Self::InUse(_) => "data_in_use",
            Self::Newer { .. } => "data_newer",
            Self::Damaged(_) => "data_damaged",
            Self::Outdated { .. } => "data_outdated",
            Self::LockFile(_) | Self::RefusedFile(_) => "data_damaged",
            Self::Full => "data_full",
            Self::File(_) => "data_file",
        }
    }

    /// What to do about it.
    #[must_use]
    pub fn hint(&self) -> String {
        match self {
            Self::Folder { source, .. } => {
                private_file::hint(source).unwrap_or("choose a folder that this user can write to").into()
            }
            Self::InUse(_) => "stop the other service, or choose another folder with `--data`".into(),
            Self::Newer { .. } => "use the version that wrote it, or a newer one".into(),
            Self::Damaged(_) => {
                "restore the folder from a backup: run `gbac restore FILE --data DIR` with a new folder".into()
            }
            Self::Outdated { .. } => format!(
                "put the current `{FILE}` back, restore a backup into a new folder with `gbac restore FILE --data DIR`, or \
                 delete `{LOCK_FILE}` to accept the loss of the later changes"
            ),
            Self::LockFile(_) => format!(
                "if `{FILE}` is the current file, delete `{LOCK_FILE}`; otherwise, put the current file back first, or restore a \
                 backup into a new folder with `gbac restore FILE --data DIR`"
            ),
            Self::RefusedFile(_) => format!(
                "restore a backup into a new folder with `gbac restore FILE --data DIR`, or delete `{REFUSED_FILE}` to accept a \
                 change that was refused; then check the policy"
            ),
            Self::Full => "free some disk space; a running service then accepts changes again without a restart".into(),
            Self::File(_) => "check the disk and the permissions of the files".into(),
        }
    }

    /// The whole file is not readable as a store.
    pub(crate) fn unreadable() -> Self {
        Self::Damaged(format!("`{FILE}` cannot be read"))
    }

    /// A row that is not valid.
    pub(super) fn damaged(what: &str, name: impl fmt::Display) -> Self {
        Self::Damaged(format!("{what} {name}"))
    }
}

impl<E: Into<redb::Error>> From<E> for StoreError {
    fn from(error: E) -> Self {
        use io::ErrorKind::{FileTooLarge, InvalidData, QuotaExceeded, StorageFull, UnexpectedEof};
        match error.into() {
            // The error for a file that is empty, truncated, or not a database.
            redb::Error::Io(error) if matches!(error.kind(), InvalidData | UnexpectedEof) => {
                Self::unreadable()
            }
            redb::Error::Io(error)
                if matches!(error.kind(), StorageFull | QuotaExceeded | FileTooLarge) =>
            {
                Self::Full
            }
            redb::Error::Corrupted(_)
            | redb::Error::UpgradeRequired(_)
            | redb::Error::RepairAborted
            | redb::Error::TableTypeMismatch { .. }
            | redb::Error::TableIsMultimap(_)
            | redb::Error::TypeDefinitionChanged { .. }
            | redb::Error::TableDoesNotExist(_) => Self::unreadable(),
            error => Self::File(Box::new(error)),
        }
    }
}

/// The message of an error without the number that the operating system gives it.
fn without_number(error: &redb::Error) -> String {
    let text = error.to_string();
    text.split(" (os error")
        .next()
        .unwrap_or_default()
        .to_owned()
}
