//! The folder of the store: used by one process at a time, private to its owner, with the number of the last commit that was
//! acknowledged.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use super::error::StoreError;
use super::format::{FILE, LOCK_FILE, NEW_FILE, RESERVE_BYTES, RESERVE_FILE};

/// A folder that this process has locked. The operating system releases the lock when the process ends.
#[derive(Debug)]
pub(super) struct Folder {
    path: PathBuf,
    lock: File,
}

impl Folder {
    /// Creates the folder if it does not exist, and locks it for this process.
    pub(super) fn lock(path: &Path) -> Result<Self, StoreError> {
        let failed = |source| StoreError::Folder { folder: path.into(), source };
        fs::create_dir_all(path).map_err(failed)?;
        // A folder with other content keeps its permissions; the files of the store are private in any case.
        let is_new = fs::read_dir(path).map_err(failed)?.next().is_none();
        let lock = private_file().open(path.join(LOCK_FILE)).map_err(failed)?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(StoreError::InUse(path.into())),
            Err(TryLockError::Error(error)) => return Err(failed(error)),
        }
        if is_new {
            make_private(path, 0o700).map_err(failed)?;
        }
        Ok(Self { path: path.into(), lock })
    }

    /// Whether a process has locked the folder.
    pub(super) fn is_in_use(path: &Path) -> bool {
        File::open(path.join(LOCK_FILE)).is_ok_and(|lock| matches!(lock.try_lock(), Err(TryLockError::WouldBlock)))
    }

    /// Removes the lock from a folder without a store.
    pub(super) fn discard(self) {
        // A folder with an unused lock can still be removed by hand.
        let _ = fs::remove_file(self.path.join(LOCK_FILE));
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// The file of the store.
    pub(super) fn file(&self) -> PathBuf {
        self.path.join(FILE)
    }

    pub(super) fn has_file(&self) -> Result<bool, StoreError> {
        self.file().try_exists().map_err(|source| self.failed(source))
    }

    /// Restricts the file of the store to its owner.
    pub(super) fn make_file_private(&self) -> Result<(), StoreError> {
        make_private(&self.file(), 0o600).map_err(|source| self.failed(source))
    }

    /// Creates the file of the store under another name and renames it when it is complete, so that an interruption leaves no
    /// partial store. An existing file is replaced.
    pub(super) fn create_file<T>(&self, create: impl FnOnce(&Path) -> Result<T, StoreError>) -> Result<T, StoreError> {
        let new = self.path.join(NEW_FILE);
        private_file().truncate(true).open(&new).map_err(|source| self.failed(source))?;
        let created = create(&new).inspect_err(|_| {
            // It may be what fills the disk.
            let _ = fs::remove_file(&new);
        })?;
        fs::rename(&new, self.file()).and_then(|()| sync_folder(&self.path)).map_err(|source| self.failed(source))?;
        Ok(created)
    }

    /// Notes the number of the last commit that was acknowledged. It is not synchronized with the disk: after a power failure it
    /// can be an older number, and never a later one than that of the file.
    pub(super) fn note_commit(&self, number: u64) -> io::Result<()> {
        let bytes = number.to_be_bytes();
        let mut lock = &self.lock;
        lock.seek(SeekFrom::Start(0))?;
        lock.write_all(&[bytes, check_bytes(bytes)].concat())
    }

    /// The number that [`Folder::note_commit`] left; 0 if there is none.
    pub(super) fn noted_commit(&self) -> u64 {
        let mut note = [[0; 8]; 2];
        let mut lock = &self.lock;
        let read = lock.seek(SeekFrom::Start(0)).and_then(|_| lock.read_exact(note.as_flattened_mut()));
        let [number, check] = note;
        if read.is_ok() && check == check_bytes(number) { u64::from_be_bytes(number) } else { 0 }
    }

    /// Takes space on the disk for [`Folder::release_reserve`]; whether there was enough.
    pub(super) fn take_reserve(&self) -> bool {
        let path = self.path.join(RESERVE_FILE);
        if fs::metadata(&path).is_ok_and(|file| file.len() >= RESERVE_BYTES as u64) {
            return true;
        }
        let written = private_file().truncate(true).open(&path).and_then(|mut file| {
            file.write_all(&vec![0; RESERVE_BYTES])?;
            file.sync_all()
        });
        if written.is_err() {
            // A part of it would only keep the disk full.
            let _ = fs::remove_file(path);
        }
        written.is_ok()
    }

    /// Returns the reserved space to the disk; whether there was any.
    pub(super) fn release_reserve(&self) -> bool {
        fs::remove_file(self.path.join(RESERVE_FILE)).is_ok()
    }

    fn failed(&self, source: io::Error) -> StoreError {
        StoreError::Folder { folder: self.path.clone(), source }
    }
}

fn check_bytes(number: [u8; 8]) -> [u8; 8] {
    let digest: [u8; 32] = Sha256::digest(number).into();
    digest.first_chunk().copied().unwrap_or_default()
}

fn private_file() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

/// Restricts a file or folder with password hashes and ACLs to its owner.
#[cfg(unix)]
fn make_private(path: &Path, mode: u32) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    let now = fs::metadata(path)?.permissions();
    if now.mode() & 0o777 == mode { Ok(()) } else { fs::set_permissions(path, PermissionsExt::from_mode(mode)) }
}

#[cfg(not(unix))]
fn make_private(_: &Path, _: u32) -> io::Result<()> {
    Ok(())
}

/// Makes the file names in a folder durable.
#[cfg(unix)]
fn sync_folder(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

#[cfg(not(unix))]
fn sync_folder(_: &Path) -> io::Result<()> {
    Ok(())
}
