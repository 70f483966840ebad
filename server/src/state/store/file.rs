//! The file of the store: opened by one process at a time, verified when it is opened, written in
//! transactions.

use std::fs::File;
use std::io;
use std::path::Path;
use std::process;
use std::sync::{PoisonError, RwLock};

use gbac_engine::escape::escaped;
use redb::backends::{FileBackend, InMemoryBackend};
use redb::{
    Builder, Database, DatabaseError, ReadOnlyTable, ReadTransaction, ReadableDatabase,
    ReadableTable, TableError,
};

use super::commit::{Commit, CommitWrites, commit};
use super::error::StoreError;
use super::folder::Folder;
use super::format::{
    COMMIT, CONFIG_VERSION, DATA_ID, DIGEST, FORMAT, FORMAT_KEY, LOG_HEAD, VERSION,
};
use super::history;
use super::log_head::LogHead;
use super::panics::catch_panic;
use super::refused::RefusedCommit;
use super::rows::{self, RowWrite, Table, definition, is_logged};
use super::rows_digest::RowsDigest;
use super::stored_state::{StateReader, StoredState, number};
use crate::lock::Lock;
use crate::random;
use crate::state::config::Config;

/// The size of the page cache in bytes. The file is read only once, at the start.
const CACHE: usize = 64 << 20;

/// The table of what is known about the store itself.
type MetaTable = ReadOnlyTable<&'static [u8], &'static [u8]>;

/// Opens a database. Tests replace it, to make the disk fail.
type OpenDatabase = Box<dyn Fn(File) -> Result<Database, DatabaseError> + Send + Sync>;

/// The open file, or memory in its place.
pub(super) struct Disk {
    /// `None` if it could not be opened again after a failed write.
    database: RwLock<Option<Database>>,
    /// `None` in memory.
    home: Option<Home>,
    /// Locked during a write.
    last: Lock<Commit>,
    /// The last commit that failed, until the file is known to be without it.
    refused: Lock<Option<RefusedCommit>>,
}

/// Where the file is.
struct Home {
    folder: Folder,
    open: OpenDatabase,
}

impl Disk {
    /// An empty store in memory.
    pub(super) fn memory() -> Result<Self, StoreError> {
        Self::memory_with(&initial_rows(), 1)
    }

    /// A store in memory with these rows, and the number of its last commit.
    pub(super) fn memory_with(rows: &[RowWrite], number: u64) -> Result<Self, StoreError> {
        let database = Builder::new().create_with_backend(InMemoryBackend::new())?;
        let last = first_commit(&database, rows, number, false)?;
        Ok(Self {
            database: RwLock::new(Some(database)),
            home: None,
            last: Lock::new(last),
            refused: Lock::default(),
        })
    }

    /// The store in a folder, which is created if it does not exist.
    pub(super) fn open(folder: &Path) -> Result<Self, StoreError> {
        Self::open_with(folder, Box::new(open_database))
    }

    fn open_with(folder: &Path, open: OpenDatabase) -> Result<Self, StoreError> {
        let folder = Folder::lock(folder)?;
        if !folder.has_file()? {
            let mut rows = initial_rows();
            rows.push(data_id_row(&new_data_id()?));
            rows::config_writes(&Config::default(), &Config::new_folder(), &mut rows);
            folder.create_file(|file| create(file, &rows, 1, true))?;
        }
        refuse_newer(&folder)?;
        folder.take_reserve();
        let home = Home { folder, open };
        let acknowledged = home.folder.noted_commit()?;
        let refused = home.folder.refused_commit()?;
        let mut database = home.open()?;
        let mut last = last_commit(&database, home.folder.path())?;
        if let Some(refused) = refused {
            if last.number == refused.number {
                tracing::warn!(target: "store", "the last change was refused by a disk error, and is undone");
                last = home.undo(&database, &refused)?;
                drop(database);
                database = home.open()?;
            }
            home.folder.forget_refused()?;
        }
        if last.number < acknowledged {
            let folder = home.folder.path().into();
            return Err(StoreError::Outdated {
                folder,
                stored: last.number,
                acknowledged,
            });
        }
        last = upgraded(&database, last)?;
        Ok(Self {
            database: RwLock::new(Some(database)),
            home: Some(home),
            last: Lock::new(last),
            refused: Lock::default(),
        })
    }

    /// Creates the store of a folder that has none, from these rows.
    pub(super) fn create(
        folder: &Folder,
        rows: &[RowWrite],
        number: u64,
    ) -> Result<(), StoreError> {
        folder.create_file(|file| {
            let written = file.try_clone().map_err(redb::Error::Io)?;
            create(file, rows, number, false)?;
            // What is there now is what will be read.
            let mut builder = Builder::new();
            let database = builder
                .set_check_integrity_on_open(true)
                .create_with_backend(FileBackend::new(written)?)?;
            load(&database.begin_read()?)?;
            Ok(())
        })
    }

    /// Writes rows that are no part of the log in one transaction; see [`Disk::commit`].
    pub(super) fn write(&self, rows: &[RowWrite]) -> Result<(), StoreError> {
        self.commit(&CommitWrites {
            rows,
            ..CommitWrites::default()
        })
    }

    /// Where the log ends.
    pub(super) fn log_head(&self) -> LogHead {
        self.last.with(|last| last.head)
    }

    /// Writes in one transaction, durably. If it fails, nothing is written, and nothing of it is
    /// there after a restart.
    pub(super) fn commit(&self, writes: &CommitWrites<'_>) -> Result<(), StoreError> {
        self.last.with(|last| {
            let (number, mut replaced) = (last.number + 1, Vec::new());
            let written = self
                .with_database(|database| commit(database, writes, *last, number, &mut replaced));
            match written {
                Ok(written) => *last = written,
                Err(error) => {
                    self.refuse(RefusedCommit {
                        number,
                        digest: last.digest.to_bytes(),
                        replaced,
                    });
                    return Err(error);
                }
            }
            if let Some(home) = &self.home {
                // Without the note, the next start accepts an older file.
                let _ = home.folder.note_commit(last.number);
            }
            Ok(())
        })
    }

    /// Makes sure that a commit that failed does not come into force at the next start: the file
    /// may have it, because the disk could not say whether it is durable. If that is impossible,
    /// the process ends before anybody is told that the commit was refused.
    fn refuse(&self, refused: RefusedCommit) {
        let Some(home) = &self.home else { return };
        let is_kept_out = home.folder.note_refused(&refused).is_ok()
            || self.is_without(home, &refused)
            // A full disk may lack the room for the note.
            || (home.folder.release_reserve() && home.folder.note_refused(&refused).is_ok());
        if !is_kept_out {
            tracing::error!(
                target: "store",
                "the service stops: the disk failed, and it cannot be noted that a change was refused; check the disk, start \
                 the service again, and compare its policy with the last changes"
            );
            process::exit(1);
        }
        self.refused.with(|last| *last = Some(refused));
    }

    /// Whether the file is certainly without a commit that failed.
    fn is_without(&self, home: &Home, refused: &RefusedCommit) -> bool {
        let found = match self.reopen(home) {
            Ok(()) => self.with_database(|database| last_commit(database, home.folder.path())),
            Err(error) => Err(error),
        };
        matches!(found, Ok(found) if found.number < refused.number)
    }

    /// Opens the file again after a failed write, without that write, and makes sure that it can be
    /// written.
    pub(super) fn recover(&self) -> Result<(), StoreError> {
        let Some(home) = &self.home else {
            return Err(StoreError::Full);
        };
        self.reopen(home)?;
        let found = self.with_database(|database| last_commit(database, home.folder.path()))?;
        let last = self.last.with(|last| *last);
        if found != last {
            let Some(refused) = self.refused.with(|refused| refused.clone()) else {
                return Err(StoreError::unreadable());
            };
            let undone = self.with_database(|database| home.undo(database, &refused))?;
            self.last.with(|last| *last = undone);
            self.reopen(home)?;
        }
        home.folder.forget_refused()?;
        self.write(&[])
    }

    /// Takes space on the disk for a change that must be possible on a full one; whether there was
    /// enough.
    pub(super) fn take_reserve(&self) -> bool {
        match &self.home {
            Some(home) => home.folder.take_reserve(),
            None => true,
        }
    }

    /// Returns that space to the disk; whether there was any.
    pub(super) fn release_reserve(&self) -> bool {
        match &self.home {
            Some(home) => home.folder.release_reserve(),
            None => false,
        }
    }

    fn reopen(&self, home: &Home) -> Result<(), StoreError> {
        let mut database = self
            .database
            .write()
            .unwrap_or_else(PoisonError::into_inner);
        // Closes the file, which only one can have open.
        *database = None;
        *database = Some(home.open()?);
        Ok(())
    }

    /// The rows of the counters.
    pub(super) fn counters(version: u64, config_version: u64) -> [RowWrite; 2] {
        [
            RowWrite::put(Table::Meta, VERSION, version.to_string()),
            RowWrite::put(Table::Meta, CONFIG_VERSION, config_version.to_string()),
        ]
    }

    /// The stored hash of a user's password.
    pub(super) fn password(&self, user: &str) -> Result<Option<String>, StoreError> {
        let rows = self.passwords()?;
        let Some(hash) = rows.get(user.as_bytes())? else {
            return Ok(None);
        };
        match String::from_utf8(hash.value().to_vec()) {
            Ok(hash) => Ok(Some(hash)),
            Err(_) => Err(StoreError::damaged("the password of", escaped(user))),
        }
    }

    /// The users with a stored password.
    pub(super) fn password_users(&self) -> Result<Vec<String>, StoreError> {
        let mut users = Vec::new();
        for row in self.passwords()?.iter()? {
            let user = String::from_utf8(row?.0.value().to_vec());
            users
                .push(user.map_err(|error| StoreError::damaged("the name of an account:", error))?);
        }
        Ok(users)
    }

    /// Reads the whole state, and verifies it.
    pub(super) fn load(&self) -> Result<StoredState, StoreError> {
        load(&self.begin_read()?)
    }

    /// The file at one moment. Writes go on meanwhile.
    pub(super) fn begin_read(&self) -> Result<ReadTransaction, StoreError> {
        self.with_database(|database| Ok(database.begin_read()?))
    }

    /// Reads the rows of one moment, table by table in the order of [`Table::ALL`]. Writes go on
    /// meanwhile.
    pub(super) fn read_rows(
        &self,
        each: impl FnMut(Table, &[u8], &[u8]) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        read_rows(&self.begin_read()?, &Table::ALL, each)
    }

    fn passwords(&self) -> Result<ReadOnlyTable<&'static [u8], &'static [u8]>, StoreError> {
        self.with_database(|database| {
            let read = database.begin_read()?;
            Ok(read.open_table(definition(Table::Passwords))?)
        })
    }

    fn with_database<T>(
        &self,
        work: impl FnOnce(&Database) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let database = self.database.read().unwrap_or_else(PoisonError::into_inner);
        work(
            database
                .as_ref()
                .ok_or(redb::StorageError::DatabaseClosed)?,
        )
    }
}

impl Home {
    fn open(&self) -> Result<Database, StoreError> {
        let file = match self.folder.open_file() {
            Ok(file) => file,
            Err(source) if source.kind() == io::ErrorKind::PermissionDenied => {
                let folder = self.folder.path().into();
                return Err(StoreError::Folder { folder, source });
            }
            Err(source) => return Err(redb::Error::Io(source).into()),
        };
        // The library would make a store of an empty file.
        if file.metadata().map_err(redb::Error::Io)?.len() == 0 {
            return Err(StoreError::unreadable());
        }
        match (self.open)(file) {
            Ok(database) => Ok(database),
            Err(DatabaseError::DatabaseAlreadyOpen | DatabaseError::LockProtocolMismatch) => {
                Err(StoreError::InUse(self.folder.path().into()))
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Writes the rows before a refused commit to a new file: pages of that commit may be lost with
    /// the power.
    fn undo(&self, database: &Database, refused: &RefusedCommit) -> Result<Commit, StoreError> {
        let mut rows = Vec::new();
        read_rows(&database.begin_read()?, &Table::ALL, |table, key, value| {
            rows.push(RowWrite::put(table, key, value));
            Ok(())
        })?;
        rows.extend(refused.undo().ok_or_else(refused_damaged)?);
        self.folder.create_file(|file| {
            let undone = create(file, &rows, refused.number - 1, false)?;
            if undone.digest.to_bytes() == refused.digest {
                Ok(undone)
            } else {
                Err(refused_damaged())
            }
        })
    }
}

fn format_row() -> RowWrite {
    RowWrite::put(Table::Meta, FORMAT_KEY, FORMAT.to_string())
}

/// Opens the file of a store; the library verifies the checksum of every page.
fn open_database(file: File) -> Result<Database, DatabaseError> {
    let mut builder = Builder::new();
    builder
        .set_cache_size(CACHE)
        .set_check_integrity_on_open(true);
    builder.create_with_backend(FileBackend::new(file)?)
}

fn refused_damaged() -> StoreError {
    StoreError::damaged("the last change", "that was refused")
}

/// A random ID for data that has none.
pub(super) fn new_data_id() -> Result<String, StoreError> {
    let bytes = random::bytes::<16>().map_err(redb::Error::Io)?;
    Ok(random::hex(&bytes))
}

/// The row of the ID of the data.
pub(super) fn data_id_row(id: &str) -> RowWrite {
    RowWrite::put(Table::Meta, DATA_ID, id)
}

/// The rows of a store without content.
fn initial_rows() -> Vec<RowWrite> {
    let [version, config_version] = Disk::counters(1, 1);
    vec![format_row(), version, config_version]
}

/// Creates a file with these rows; with `begins_log`, of data whose log begins with them.
fn create(
    file: File,
    rows: &[RowWrite],
    number: u64,
    begins_log: bool,
) -> Result<Commit, StoreError> {
    let database = Builder::new().create_with_backend(FileBackend::new(file)?)?;
    let created = first_commit(&database, rows, number, begins_log)?;
    database.close()?;
    Ok(created)
}

/// Writes the rows of a new file.
fn first_commit(
    database: &Database,
    rows: &[RowWrite],
    number: u64,
    begins_log: bool,
) -> Result<Commit, StoreError> {
    let writes = CommitWrites {
        rows,
        begins_log,
        ..CommitWrites::default()
    };
    commit(
        database,
        &writes,
        Commit::default(),
        number,
        &mut Vec::new(),
    )
}

/// Refuses the file of a newer version while nothing is written yet; to open a file for writing
/// changes it. What else is wrong with the file is found when it is opened for writing.
fn refuse_newer(folder: &Folder) -> Result<(), StoreError> {
    let Ok(file) = folder.open_file() else {
        return Ok(());
    };
    let found = catch_panic(|| {
        let database = Builder::new().open_read_only_with_backend(FileBackend::new(file)?)?;
        let meta = database.begin_read()?.open_table(definition(Table::Meta))?;
        readable_format(&meta, folder.path())
    });
    match found {
        Some(Err(newer @ StoreError::Newer { .. })) => Err(newer),
        _ => Ok(()),
    }
}

/// The format of the rows.
///
/// # Errors
/// A newer version wrote them, or there is none.
fn readable_format(meta: &MetaTable, folder: &Path) -> Result<u64, StoreError> {
    let text = meta.get(FORMAT_KEY)?.map(|value| value.value().to_vec());
    let format = number(FORMAT_KEY, text.as_deref())?;
    if format > FORMAT {
        return Err(StoreError::Newer {
            folder: folder.into(),
            format,
        });
    }
    Ok(format)
}

/// What the last commit of a folder left. What the file of an older format lacks is computed.
fn last_commit(database: &Database, folder: &Path) -> Result<Commit, StoreError> {
    let read = database.begin_read()?;
    let meta = read.open_table(definition(Table::Meta))?;
    let value =
        |key: &[u8]| Ok::<_, StoreError>(meta.get(key)?.map(|value| value.value().to_vec()));
    let format = readable_format(&meta, folder)?;
    let digest = value(DIGEST)?;
    let is_first_format = format < 2 && digest.is_none();
    let number = match value(COMMIT)? {
        None if is_first_format => 0,
        text => number(COMMIT, text.as_deref())?,
    };
    let head = match value(LOG_HEAD)? {
        Some(head) => LogHead::from_bytes(&head).ok_or_else(LogHead::damaged)?,
        None => LogHead {
            content: digest_of(&read, is_logged)?,
            ..LogHead::default()
        },
    };
    let digest = if is_first_format {
        digest_of(&read, |table, key| (table, key) != (Table::Meta, DIGEST))?
    } else {
        digest
            .as_deref()
            .and_then(RowsDigest::from_bytes)
            .ok_or_else(|| StoreError::damaged("the digest of its rows", "cannot be read"))?
    };
    Ok(Commit {
        number,
        digest,
        head,
    })
}

/// The digest of some of the rows.
fn digest_of(
    read: &ReadTransaction,
    has: impl Fn(Table, &[u8]) -> bool,
) -> Result<RowsDigest, StoreError> {
    let mut digest = RowsDigest::default();
    read_rows(read, &Table::STATE, |table, key, value| {
        if has(table, key) {
            digest.add(table, key, value);
        }
        Ok(())
    })?;
    Ok(digest)
}

/// Writes what the file of an older format lacks. Its log of changes begins here.
fn upgraded(database: &Database, last: Commit) -> Result<Commit, StoreError> {
    let is_current = {
        let meta = database.begin_read()?.open_table(definition(Table::Meta))?;
        readable_format(&meta, Path::new(""))? == FORMAT && meta.get(LOG_HEAD)?.is_some()
    };
    if is_current {
        return Ok(last);
    }
    let writes = CommitWrites {
        rows: &[format_row()],
        begins_log: true,
        ..CommitWrites::default()
    };
    commit(database, &writes, last, last.number + 1, &mut Vec::new())
}

fn load(read: &ReadTransaction) -> Result<StoredState, StoreError> {
    let mut reader = StateReader::default();
    read_rows(read, &Table::STATE, |table, key, value| {
        reader.read(table, key, value)
    })?;
    history::check_newest(read)?;
    reader.finish()
}

fn read_rows(
    read: &ReadTransaction,
    tables: &[Table],
    mut each: impl FnMut(Table, &[u8], &[u8]) -> Result<(), StoreError>,
) -> Result<(), StoreError> {
    for table in tables.iter().copied() {
        let rows = match read.open_table(definition(table)) {
            Ok(rows) => rows,
            // An older version wrote the file.
            Err(TableError::TableDoesNotExist(_)) if table == Table::Log => continue,
            Err(error) => return Err(error.into()),
        };
        for row in rows.iter()? {
            let (key, value) = row?;
            each(table, key.value(), value.value())?;
        }
    }
    Ok(())
}

#[cfg(test)]
pub(super) mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

    use redb::StorageBackend;

    use super::*;

    /// What the disk of a test refuses.
    #[derive(Debug)]
    pub(crate) struct DiskFaults {
        /// The number of writes that there is room for.
        pub(crate) room: AtomicU64,
        /// Whether the disk cannot say whether writes are durable.
        pub(crate) sync_fails: AtomicBool,
    }

    impl Default for DiskFaults {
        fn default() -> Self {
            Self {
                room: AtomicU64::new(u64::MAX),
                sync_fails: AtomicBool::new(false),
            }
        }
    }

    impl DiskFaults {
        fn take_room(&self) -> io::Result<()> {
            let taken = self.room.fetch_update(Relaxed, Relaxed, |room| {
                room.checked_sub(u64::from(room < u64::MAX))
            });
            taken
                .map(drop)
                .map_err(|_| io::ErrorKind::StorageFull.into())
        }
    }

    /// A file on a disk that can be full.
    #[derive(Debug)]
    struct FaultyFile(FileBackend, Arc<DiskFaults>);

    impl StorageBackend for FaultyFile {
        fn len(&self) -> io::Result<u64> {
            self.0.len()
        }

        fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
            self.0.read(offset, out)
        }

        fn set_len(&self, len: u64) -> io::Result<()> {
            self.1.take_room()?;
            self.0.set_len(len)
        }

        fn sync_data(&self) -> io::Result<()> {
            if self.1.sync_fails.load(Relaxed) {
                Err(io::ErrorKind::StorageFull.into())
            } else {
                self.0.sync_data()
            }
        }

        fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
            self.1.take_room()?;
            self.0.write(offset, data)
        }

        fn close(&self) -> io::Result<()> {
            self.0.close()
        }
    }

    impl Disk {
        /// A store in a folder on a disk with faults.
        pub(crate) fn with_faults(
            folder: &Path,
            faults: &Arc<DiskFaults>,
        ) -> Result<Self, StoreError> {
            let faults = Arc::clone(faults);
            let open = move |file: File| {
                let file = FaultyFile(FileBackend::new(file)?, Arc::clone(&faults));
                Builder::new()
                    .set_check_integrity_on_open(true)
                    .create_with_backend(file)
            };
            Self::open_with(folder, Box::new(open))
        }
    }
}
