//! The folder of the store: used by one process at a time, private to its owner, with the number of
//! the last commit that was acknowledged.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use super::error::StoreError;
use super::format::{FILE, LOCK_FILE, NEW_FILE, REFUSED_FILE, RESERVE_BYTES, RESERVE_FILE};
use super::refused::RefusedCommit;
use crate::private_file::{self, PrivateTo};

/// A folder that this process has locked. The operating system releases the lock when the process
/// ends.
#[derive(Debug)]
pub(super) struct Folder {
    path: PathBuf,
    lock: File,
}

impl Folder {
    /// Creates the folder if it does not exist, and locks it for this process.
    pub(super) fn lock(path: &Path) -> Result<Self, StoreError> {
        in_folder(path, fs::create_dir_all(path))?;
        in_folder(path, private_file::check_folder(path))?;
        // A folder with other content keeps its permissions; the files of the store are private in
        // any case.
        let is_new = in_folder(path, fs::read_dir(path))?.next().is_none();
        let name = path.join(LOCK_FILE);
        let is_missing = !in_folder(path, name.try_exists())?;
        let options = &mut OpenOptions::new();
        options.read(true).write(true).create(true);
        let lock = in_folder(path, open_own(&name, options))?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(StoreError::InUse(path.into())),
            Err(TryLockError::Error(error)) => return in_folder(path, Err(error)),
        }
        if is_new {
            in_folder(path, private_file::restrict_folder(path))?;
        }
        let folder = Self {
            path: path.into(),
            lock,
        };
        let is_empty = in_folder(path, folder.lock.metadata())?.len() == 0;
        let has_file = folder.has_file()?;
        if is_missing && has_file {
            tracing::warn!(target: "store", "`{LOCK_FILE}` is missing, so an older `{FILE}` would not be noticed");
        }
        // An interrupted first start leaves an empty one without a store.
        if is_empty && (is_missing || !has_file) {
            // Durable, so that beside a store, a lock file without a number is a damaged one.
            in_folder(path, folder.note_commit(0))?;
            in_folder(path, folder.lock.sync_all())?;
            in_folder(path, sync_folder(path))?;
        }
        Ok(folder)
    }

    /// Whether a process has locked the folder.
    pub(super) fn is_in_use(path: &Path) -> bool {
        match File::open(path.join(LOCK_FILE)) {
            Ok(lock) => matches!(lock.try_lock(), Err(TryLockError::WouldBlock)),
            Err(_) => false,
        }
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
        in_folder(&self.path, self.file().try_exists())
    }

    /// Opens the file of the store.
    pub(super) fn open_file(&self) -> io::Result<File> {
        open_own(&self.file(), OpenOptions::new().read(true).write(true))
    }

    /// Creates a file under another name and renames it when it is complete and durable, so that an
    /// interruption leaves no partial one. An existing file is replaced.
    fn create<T>(
        &self,
        name: &str,
        new_name: &str,
        create: impl FnOnce(File) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let (path, new) = (self.path.join(name), self.path.join(new_name));
        let created = in_folder(&self.path, create_own(&new)).and_then(create);
        if created.is_err() {
            // It may be what fills the disk.
            let _ = fs::remove_file(&new);
        }
        let created = created?;
        in_folder(&self.path, fs::rename(&new, path))?;
        in_folder(&self.path, sync_folder(&self.path))?;
        Ok(created)
    }

    /// Creates the file of the store.
    pub(super) fn create_file<T>(
        &self,
        create: impl FnOnce(File) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        self.create(FILE, NEW_FILE, create)
    }

    /// Notes durably that a commit was refused, with what undoes it.
    pub(super) fn note_refused(&self, refused: &RefusedCommit) -> Result<(), StoreError> {
        self.create(REFUSED_FILE, &format!("{REFUSED_FILE}.new"), |mut file| {
            in_folder(&self.path, write_durably(&mut file, &refused.to_bytes()))
        })
    }

    /// The commit that [`Folder::note_refused`] left.
    pub(super) fn refused_commit(&self) -> Result<Option<RefusedCommit>, StoreError> {
        let opened = open_own(&self.path.join(REFUSED_FILE), OpenOptions::new().read(true));
        if matches!(&opened, Err(error) if error.kind() == io::ErrorKind::NotFound) {
            return Ok(None);
        }
        let mut bytes = Vec::new();
        let mut file = in_folder(&self.path, opened)?;
        in_folder(&self.path, file.read_to_end(&mut bytes))?;
        match RefusedCommit::from_bytes(&bytes) {
            Some(refused) => Ok(Some(refused)),
            None => Err(StoreError::RefusedFile(self.path.clone())),
        }
    }

    /// Removes what [`Folder::note_refused`] left, durably, because the number of the commit is
    /// used again.
    pub(super) fn forget_refused(&self) -> Result<(), StoreError> {
        match fs::remove_file(self.path.join(REFUSED_FILE)) {
            Ok(()) => in_folder(&self.path, sync_folder(&self.path)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            Err(error) => in_folder(&self.path, Err(error)),
        }
    }

    /// Notes the number of the last commit that was acknowledged. It is not synchronized with the
    /// disk: after a power failure it can be an older number, and never a later one than that of
    /// the file.
    pub(super) fn note_commit(&self, number: u64) -> io::Result<()> {
        let bytes = number.to_be_bytes();
        let mut lock = &self.lock;
        lock.seek(SeekFrom::Start(0))?;
        lock.write_all(&[bytes, check_bytes(bytes)].concat())
    }

    /// The number that [`Folder::note_commit`] left.
    pub(super) fn noted_commit(&self) -> Result<u64, StoreError> {
        match self.read_note() {
            Ok([number, check]) if check == check_bytes(number) => Ok(u64::from_be_bytes(number)),
            Err(error) if error.kind() != io::ErrorKind::UnexpectedEof => {
                in_folder(&self.path, Err(error))
            }
            Ok(_) | Err(_) => Err(StoreError::LockFile(self.path.clone())),
        }
    }

    fn read_note(&self) -> io::Result<[[u8; 8]; 2]> {
        let mut note = [[0; 8]; 2];
        let mut lock = &self.lock;
        lock.seek(SeekFrom::Start(0))?;
        lock.read_exact(note.as_flattened_mut())?;
        Ok(note)
    }

    /// Takes space on the disk for [`Folder::release_reserve`]; whether there was enough.
    pub(super) fn take_reserve(&self) -> bool {
        let path = self.path.join(RESERVE_FILE);
        if let Ok(file) = fs::symlink_metadata(&path)
            && file.is_file()
            && file.len() >= RESERVE_BYTES as u64
        {
            return true;
        }
        let written = create_own(&path)
            .and_then(|mut file| write_durably(&mut file, &vec![0; RESERVE_BYTES]));
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
}

/// A result of the operating system, whose error names the folder.
fn in_folder<T>(path: &Path, result: io::Result<T>) -> Result<T, StoreError> {
    result.map_err(|source| StoreError::Folder {
        folder: path.into(),
        source,
    })
}

fn write_durably(file: &mut File, bytes: &[u8]) -> io::Result<()> {
    file.write_all(bytes)?;
    file.sync_all()
}

fn check_bytes(number: [u8; 8]) -> [u8; 8] {
    let digest: [u8; 32] = Sha256::digest(number).into();
    digest.first_chunk().copied().unwrap_or_default()
}

fn open_own(path: &Path, options: &mut OpenOptions) -> io::Result<File> {
    private_file::open(path, options, PrivateTo::Owner)
}

/// Creates a file in place of whatever has its name.
fn create_own(path: &Path) -> io::Result<File> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        Ok(()) | Err(_) => {}
    }
    open_own(
        path,
        OpenOptions::new().read(true).write(true).create_new(true),
    )
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
