//! The file of the store: opened by one process at a time, loaded once, written in transactions.

use std::fmt;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use gbac_engine::escape::escaped;
use gbac_engine::policy::{Change, Policy};
use gbac_json::settings_from_value;
use redb::backends::InMemoryBackend;
use redb::{Builder, Database, ReadTransaction, ReadableDatabase, ReadableTable, StorageBackend, TableDefinition};
use serde_json::{Map, Value};
use thiserror::Error;

use super::rows::{self, RowWrite, Table};
use crate::state::config::Config;

/// The format that this version writes, and the newest that it reads.
const FORMAT: u64 = 1;
const FILE: &str = "gbac.redb";
/// A store that is being created.
const NEW_FILE: &str = "gbac.redb.new";
const LOCK_FILE: &str = "gbac.lock";
/// The size of the page cache in bytes. The file is read only once, at the start.
const CACHE: usize = 64 << 20;

const FORMAT_KEY: &[u8] = b"format";
const VERSION: &[u8] = b"version";
const CONFIG_VERSION: &[u8] = b"config_version";

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
    /// The file cannot be read or written.
    #[error("the data cannot be read or written: {0}")]
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
            Self::File(_) => "data_file",
        }
    }

    /// What to do about it.
    #[must_use]
    pub const fn hint(&self) -> &'static str {
        match self {
            Self::Folder { .. } => "choose a folder that this user can write to",
            Self::InUse(_) => "stop the other service, or choose another folder with `--data`",
            Self::Newer { .. } => "use the version that wrote it, or a newer one",
            Self::Damaged(_) => "restore the folder from a backup",
            Self::File(_) => "check the disk, then restart the service",
        }
    }

    /// The whole file is not readable as a store.
    pub(crate) fn unreadable() -> Self {
        Self::Damaged(format!("`{FILE}` cannot be read"))
    }

    fn damaged(what: &str, name: impl fmt::Display) -> Self {
        Self::Damaged(format!("{what} {name}"))
    }
}

impl<E: Into<redb::Error>> From<E> for StoreError {
    fn from(error: E) -> Self {
        use io::ErrorKind::{InvalidData, UnexpectedEof};
        match error.into() {
            // The error for a file that is empty, truncated, or not a database.
            redb::Error::Io(error) if matches!(error.kind(), InvalidData | UnexpectedEof) => Self::unreadable(),
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

/// The state in the file.
pub(super) struct StoredState {
    pub(super) policy: Policy,
    pub(super) config: Config,
    pub(super) version: u64,
    pub(super) config_version: u64,
}

/// The open file, or memory in its place.
pub(super) struct Disk {
    database: Database,
    /// Locked while the store is open; the operating system releases the lock when the process ends.
    _lock: Option<File>,
}

const fn definition(table: Table) -> TableDefinition<'static, &'static [u8], &'static [u8]> {
    TableDefinition::new(table.name())
}

impl Disk {
    /// An empty store in memory.
    pub(super) fn memory() -> Result<Self, StoreError> {
        Self::with_backend(InMemoryBackend::new())
    }

    fn with_backend(backend: impl StorageBackend) -> Result<Self, StoreError> {
        let database = Builder::new().create_with_backend(backend)?;
        Self { database, _lock: None }.initialized()
    }

    /// The store in a folder, which is created if it does not exist.
    pub(super) fn open(folder: &Path) -> Result<Self, StoreError> {
        let failed = |source| StoreError::Folder { folder: folder.into(), source };
        let lock = lock_folder(folder)?;
        let path = folder.join(FILE);
        if !path.try_exists().map_err(failed)? {
            // Created under another name and renamed when complete, so that an interrupted start leaves no partial store.
            let new = folder.join(NEW_FILE);
            private_file().truncate(true).open(&new).map_err(failed)?;
            drop(Self { database: Builder::new().create(&new)?, _lock: None }.initialized()?);
            fs::rename(&new, &path).map_err(failed)?;
            sync_folder(folder).map_err(failed)?;
        }
        make_private(&path, 0o600).map_err(failed)?;
        let database = Builder::new().set_cache_size(CACHE).open(&path).map_err(|error| match error {
            redb::DatabaseError::DatabaseAlreadyOpen | redb::DatabaseError::LockProtocolMismatch => {
                StoreError::InUse(folder.into())
            }
            error => error.into(),
        })?;
        let disk = Self { database, _lock: Some(lock) };
        let format = number(&disk.database.begin_read()?, FORMAT_KEY)?;
        if format > FORMAT {
            return Err(StoreError::Newer { folder: folder.into(), format });
        }
        Ok(disk)
    }

    /// Creates the tables and writes the format.
    fn initialized(self) -> Result<Self, StoreError> {
        self.write(&[
            RowWrite::put(Table::Meta, FORMAT_KEY, FORMAT.to_string()),
            RowWrite::put(Table::Meta, VERSION, "1"),
            RowWrite::put(Table::Meta, CONFIG_VERSION, "1"),
        ])?;
        Ok(self)
    }

    /// Makes all the writes durable, or none of them.
    pub(super) fn write(&self, writes: &[RowWrite]) -> Result<(), StoreError> {
        let transaction = self.database.begin_write()?;
        for table in Table::ALL {
            let mut rows = transaction.open_table(definition(table))?;
            for write in writes.iter().filter(|write| write.table() == table) {
                match write {
                    RowWrite::Put(_, key, value) => drop(rows.insert(key.as_slice(), value.as_slice())?),
                    RowWrite::Remove(_, key) => drop(rows.remove(key.as_slice())?),
                    RowWrite::RemovePrefix(_, prefix) => match prefix_end(prefix) {
                        Some(end) => rows.retain_in::<&[u8], _>(prefix.as_slice()..end.as_slice(), |_, _| false)?,
                        None => rows.retain_in::<&[u8], _>(prefix.as_slice().., |_, _| false)?,
                    },
                }
            }
        }
        transaction.commit()?;
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
        let rows = self.database.begin_read()?.open_table(definition(Table::Passwords))?;
        match rows.get(user.as_bytes())? {
            None => Ok(None),
            Some(hash) => String::from_utf8(hash.value().to_vec())
                .map(Some)
                .map_err(|_| StoreError::damaged("the password of", escaped(user))),
        }
    }

    /// The users with a stored password.
    pub(super) fn password_users(&self) -> Result<Vec<String>, StoreError> {
        let mut users = Vec::new();
        for row in self.database.begin_read()?.open_table(definition(Table::Passwords))?.iter()? {
            let user = String::from_utf8(row?.0.value().to_vec());
            users.push(user.map_err(|error| StoreError::damaged("the name of an account:", error))?);
        }
        Ok(users)
    }

    /// Reads the whole state.
    pub(super) fn load(&self) -> Result<StoredState, StoreError> {
        let read = self.database.begin_read()?;
        let settings = settings_from_value(&Value::Object(values(&read, Table::Settings)?))
            .map_err(|problems| StoreError::damaged("the settings:", problems))?;
        let config = serde_json::from_value(Value::Object(values(&read, Table::Config)?))
            .map_err(|error| StoreError::damaged("the config:", error))?;
        let mut policy = Policy::new(settings);
        let mut change = |change| policy.apply(change).map_err(|error| StoreError::damaged("the policy:", error));
        for row in read.open_table(definition(Table::Roles))?.iter()? {
            let name = String::from_utf8(row?.0.value().to_vec());
            change(Change::CreateRole(name.map_err(|error| StoreError::damaged("a role's name:", error))?))?;
        }
        for row in read.open_table(definition(Table::Members))?.iter()? {
            let (role, member) =
                rows::read_member(row?.0.value()).ok_or_else(|| StoreError::damaged("a role's", "member"))?;
            change(Change::AddMember { role, member })?;
        }
        for row in read.open_table(definition(Table::Acls))?.iter()? {
            let acl = rows::read_acl(row?.0.value()).ok_or_else(|| StoreError::damaged("an", "ACL"))?;
            change(Change::AddAcl(acl))?;
        }
        for row in read.open_table(definition(Table::Passwords))?.iter()? {
            row?;
        }
        policy.shrink();
        Ok(StoredState {
            policy,
            config,
            version: number(&read, VERSION)?,
            config_version: number(&read, CONFIG_VERSION)?,
        })
    }
}

/// The first key after all keys with this prefix; `None` if there is none.
fn prefix_end(prefix: &[u8]) -> Option<Vec<u8>> {
    let mut end = prefix.to_vec();
    while let Some(last) = end.pop() {
        if let Some(next) = last.checked_add(1) {
            end.push(next);
            return Some(end);
        }
    }
    None
}

fn number(read: &ReadTransaction, key: &[u8]) -> Result<u64, StoreError> {
    let rows = read.open_table(definition(Table::Meta))?;
    let value = rows.get(key)?;
    let text = value.as_ref().and_then(|value| std::str::from_utf8(value.value()).ok());
    let number = text.and_then(|text| text.parse().ok());
    number.ok_or_else(|| StoreError::damaged("the counter", String::from_utf8_lossy(key)))
}

fn values(read: &ReadTransaction, table: Table) -> Result<Map<String, Value>, StoreError> {
    let mut values = Map::new();
    for row in read.open_table(definition(table))?.iter()? {
        let (name, value) = row?;
        let name = String::from_utf8_lossy(name.value()).into_owned();
        let value = serde_json::from_slice(value.value())
            .map_err(|error| StoreError::damaged("the value of", format!("{}: {error}", escaped(&name))))?;
        values.insert(name, value);
    }
    Ok(values)
}

/// Creates the folder if it does not exist, and locks it for this process.
fn lock_folder(folder: &Path) -> Result<File, StoreError> {
    let failed = |source| StoreError::Folder { folder: folder.into(), source };
    fs::create_dir_all(folder).map_err(failed)?;
    // A folder with other content keeps its permissions; the files of the store are private in any case.
    let is_new = fs::read_dir(folder).map_err(failed)?.next().is_none();
    let lock = private_file().open(folder.join(LOCK_FILE)).map_err(failed)?;
    match lock.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => return Err(StoreError::InUse(folder.into())),
        Err(TryLockError::Error(error)) => return Err(failed(error)),
    }
    if is_new {
        make_private(folder, 0o700).map_err(failed)?;
    }
    Ok(lock)
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

#[cfg(test)]
pub(super) mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

    use super::*;

    /// Memory that can be made to fail like a full disk.
    #[derive(Debug)]
    struct FailingBackend(InMemoryBackend, Arc<AtomicBool>);

    impl FailingBackend {
        fn check(&self) -> io::Result<()> {
            if self.1.load(Relaxed) { Err(io::ErrorKind::StorageFull.into()) } else { Ok(()) }
        }
    }

    impl StorageBackend for FailingBackend {
        fn len(&self) -> io::Result<u64> {
            self.0.len()
        }

        fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
            self.0.read(offset, out)
        }

        fn set_len(&self, len: u64) -> io::Result<()> {
            self.check()?;
            self.0.set_len(len)
        }

        fn sync_data(&self) -> io::Result<()> {
            self.check()?;
            self.0.sync_data()
        }

        fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
            self.check()?;
            self.0.write(offset, data)
        }
    }

    impl Disk {
        /// A store that accepts writes until the flag is set.
        pub(in super::super) fn failing(fails: &Arc<AtomicBool>) -> Self {
            Self::with_backend(FailingBackend(InMemoryBackend::new(), Arc::clone(fails))).unwrap()
        }
    }

    #[test]
    fn the_end_of_a_prefix_is_the_next_key() {
        assert_eq!(prefix_end(b"ab"), Some(b"ac".to_vec()));
        assert_eq!(prefix_end(&[1, 255, 255]), Some(vec![2]));
        assert_eq!(prefix_end(&[255]), None);
    }
}
