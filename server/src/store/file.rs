//! The file of the store: opened by one process at a time, loaded in one pass, written in transactions.

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

use super::rows::{self, Table, Write};
use crate::config::Config;

/// The format that this program writes, and the newest that it reads.
const FORMAT: u64 = 1;
const FILE: &str = "gbac.redb";
/// What is being made and is no store yet.
const NEW: &str = "gbac.redb.new";
const LOCK: &str = "gbac.lock";
/// How much of the file the store keeps in memory, in bytes: it is read once, at the start.
const CACHE: usize = 64 << 20;

const FORMAT_KEY: &[u8] = b"format";
const VERSION: &[u8] = b"version";
const CONFIG_VERSION: &[u8] = b"config_version";

/// Why a store cannot be used.
#[derive(Debug)]
pub enum StoreError {
    /// The folder, or a file in it, cannot be read or written.
    Folder {
        /// Which.
        folder: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// Another process has it open.
    InUse(PathBuf),
    /// A newer program wrote it.
    Newer {
        /// Which.
        folder: PathBuf,
        /// Its format.
        format: u64,
    },
    /// Something in it can be in no store.
    Damaged(String),
    /// The file cannot be read or written.
    File(Box<redb::Error>),
}

impl StoreError {
    /// A stable name of the fault.
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
            Self::Folder { .. } => "name a folder that this user may write",
            Self::InUse(_) => "stop the other service, or name another folder with `--data`",
            Self::Newer { .. } => "start the program that wrote it, or a newer one",
            Self::Damaged(_) => "put a copy of the folder in its place",
            Self::File(_) => "look at the disk, then start the service again",
        }
    }

    /// The file as a whole is no store.
    pub(crate) fn unreadable() -> Self {
        Self::Damaged(format!("`{FILE}` cannot be read"))
    }

    fn damaged(what: &str, name: impl fmt::Display) -> Self {
        Self::Damaged(format!("{what} {name}"))
    }
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Folder { folder, error } => write!(f, "cannot use the folder `{}`: {error}", folder.display()),
            Self::InUse(folder) => write!(f, "another process uses the folder `{}`", folder.display()),
            Self::Newer { folder, format } => write!(
                f,
                "the data in `{}` has format {format}, and this program knows formats up to {FORMAT}",
                folder.display()
            ),
            Self::Damaged(what) => write!(f, "the data is damaged: {what}"),
            Self::File(error) => write!(f, "the data cannot be read or written: {error}"),
        }
    }
}

impl std::error::Error for StoreError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Folder { error, .. } => Some(error),
            Self::File(error) => Some(error),
            Self::InUse(_) | Self::Newer { .. } | Self::Damaged(_) => None,
        }
    }
}

impl<E: Into<redb::Error>> From<E> for StoreError {
    fn from(error: E) -> Self {
        use io::ErrorKind::{InvalidData, UnexpectedEof};
        match error.into() {
            // What it says of a file that is empty, cut off, or something else.
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

/// What a store held when it was opened.
pub(super) struct Loaded {
    pub(super) policy: Policy,
    pub(super) config: Config,
    pub(super) version: u64,
    pub(super) config_version: u64,
}

/// The open file, or memory in its place.
pub(super) struct Disk {
    database: Database,
    /// Held as long as the store is open; the operating system lets go of it when the process ends, however it does.
    _lock: Option<File>,
}

const fn definition(table: Table) -> TableDefinition<'static, &'static [u8], &'static [u8]> {
    TableDefinition::new(table.name())
}

impl Disk {
    /// Memory, empty.
    pub(super) fn memory() -> Result<Self, StoreError> {
        Self::over(InMemoryBackend::new())
    }

    fn over(backend: impl StorageBackend) -> Result<Self, StoreError> {
        let database = Builder::new().create_with_backend(backend)?;
        Self { database, _lock: None }.begun()
    }

    /// The store in a folder, which is made when there is none.
    pub(super) fn open(folder: &Path) -> Result<Self, StoreError> {
        let failed = |error| StoreError::Folder { folder: folder.into(), error };
        let lock = lock_folder(folder)?;
        let path = folder.join(FILE);
        if !path.try_exists().map_err(failed)? {
            // Under another name until it is whole: a start that is interrupted leaves no half of a store.
            let new = folder.join(NEW);
            private_file().truncate(true).open(&new).map_err(failed)?;
            drop(Self { database: Builder::new().create(&new)?, _lock: None }.begun()?);
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

    /// Makes all tables, with the format.
    fn begun(self) -> Result<Self, StoreError> {
        self.write(&[
            Write::put(Table::Meta, FORMAT_KEY, FORMAT.to_string()),
            Write::put(Table::Meta, VERSION, "1"),
            Write::put(Table::Meta, CONFIG_VERSION, "1"),
        ])?;
        Ok(self)
    }

    /// Writes all of it, durably, or nothing.
    pub(super) fn write(&self, writes: &[Write]) -> Result<(), StoreError> {
        let transaction = self.database.begin_write()?;
        for table in Table::ALL {
            let mut rows = transaction.open_table(definition(table))?;
            for write in writes.iter().filter(|write| write.place().0 == table) {
                match write {
                    Write::Put(_, key, value) => drop(rows.insert(key.as_slice(), value.as_slice())?),
                    Write::Remove(_, key) => drop(rows.remove(key.as_slice())?),
                    Write::RemoveAll(_, start) => match after_all(start) {
                        Some(end) => rows.retain_in::<&[u8], _>(start.as_slice()..end.as_slice(), |_, _| false)?,
                        None => rows.retain_in::<&[u8], _>(start.as_slice().., |_, _| false)?,
                    },
                }
            }
        }
        transaction.commit()?;
        Ok(())
    }

    /// The counters' rows.
    pub(super) fn counters(version: u64, config_version: u64) -> [Write; 2] {
        [
            Write::put(Table::Meta, VERSION, version.to_string()),
            Write::put(Table::Meta, CONFIG_VERSION, config_version.to_string()),
        ]
    }

    /// The hash of a user's password.
    pub(super) fn password(&self, user: &str) -> Result<Option<String>, StoreError> {
        let rows = self.database.begin_read()?.open_table(definition(Table::Passwords))?;
        match rows.get(user.as_bytes())? {
            None => Ok(None),
            Some(hash) => String::from_utf8(hash.value().to_vec())
                .map(Some)
                .map_err(|_| StoreError::damaged("the password of", escaped(user))),
        }
    }

    /// Everything, in one pass.
    pub(super) fn load(&self) -> Result<Loaded, StoreError> {
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
        Ok(Loaded { policy, config, version: number(&read, VERSION)?, config_version: number(&read, CONFIG_VERSION)? })
    }
}

/// What is just after every key that begins so.
fn after_all(start: &[u8]) -> Option<Vec<u8>> {
    let mut end = start.to_vec();
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

/// Makes the folder when there is none, and takes it for this process.
fn lock_folder(folder: &Path) -> Result<File, StoreError> {
    let failed = |error| StoreError::Folder { folder: folder.into(), error };
    fs::create_dir_all(folder).map_err(failed)?;
    // A folder with other things in it keeps its permissions; the files are private all the same.
    let ours = fs::read_dir(folder).map_err(failed)?.next().is_none();
    let lock = private_file().open(folder.join(LOCK)).map_err(failed)?;
    match lock.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => return Err(StoreError::InUse(folder.into())),
        Err(TryLockError::Error(error)) => return Err(failed(error)),
    }
    if ours {
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

/// Takes it from everyone but its owner: password hashes and ACLs are nobody else's business.
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

/// Makes the names in a folder durable.
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
    struct Failing(InMemoryBackend, Arc<AtomicBool>);

    impl Failing {
        fn check(&self) -> io::Result<()> {
            if self.1.load(Relaxed) { Err(io::ErrorKind::StorageFull.into()) } else { Ok(()) }
        }
    }

    impl StorageBackend for Failing {
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
        /// A disk that takes writes until the flag is set.
        pub(in super::super) fn failing(fails: &Arc<AtomicBool>) -> Self {
            Self::over(Failing(InMemoryBackend::new(), Arc::clone(fails))).unwrap()
        }
    }

    #[test]
    fn what_follows_a_beginning() {
        assert_eq!(after_all(b"ab"), Some(b"ac".to_vec()));
        assert_eq!(after_all(&[1, 255, 255]), Some(vec![2]));
        assert_eq!(after_all(&[255]), None);
    }
}
