//! What the fuzz target of backups runs.

use gbac_engine::policy::{Change, Policy};
use gbac_json::policy_from_json;

use super::backup::{BackupRows, BackupWriter, RowReader, TITLE, read, save};
use super::file::{Disk, data_id_row};
use super::format::DIGEST;
use super::rows::{RowWrite, Table, policy_writes};
use super::rows_digest::RowsDigest;
use super::{StateChange, Store, StoreError, verify_backup};
use crate::state::config::Config;

/// Fuzzes backups. Bytes that begin like one are a file; others are the rows of one, whose digests
/// are right.
///
/// # Panics
/// If a backup is accepted that no service can use, or that is not the same once it was restored
/// and saved again.
pub fn backup(bytes: &[u8]) {
    if bytes.starts_with(TITLE) {
        return file(bytes);
    }
    let sealed = sealed(bytes);
    match read(&sealed) {
        Ok(rows) => restored(rows),
        Err(error) => assert!(
            !error.code().is_empty() && !error.hint().is_empty() && !error.to_string().is_empty()
        ),
    }
}

/// A file is a backup as a whole, or not at all.
fn file(bytes: &[u8]) {
    match read(bytes) {
        Ok(rows) => {
            assert!(
                bytes
                    .split_last()
                    .is_some_and(|(_, rest)| verify_backup(rest).is_err())
            );
            assert!(verify_backup(&[bytes, b"\0"].concat()).is_err());
            restored(rows);
        }
        Err(error) => assert!(!error.code().is_empty() && !error.hint().is_empty()),
    }
}

/// A backup of these rows: each once, in order, with its digests. What follows a row that cannot be
/// read is left out.
pub(super) fn sealed(bytes: &[u8]) -> Vec<u8> {
    let mut reader = RowReader(bytes);
    let mut rows = Vec::new();
    while let Ok(Some(row)) = reader.next() {
        rows.push(row);
    }
    rows.retain(|(table, key, _)| (*table, *key) != (Table::Meta, DIGEST));
    rows.sort_by_key(|(table, key, _)| (*table, *key));
    rows.dedup_by_key(|(table, key, _)| (*table, *key));
    let mut digest = RowsDigest::default();
    rows.iter()
        .for_each(|(table, key, value)| digest.add(*table, key, value));
    let digest = digest.to_bytes();
    let place = rows.partition_point(|(table, key, _)| (*table, *key) < (Table::Meta, DIGEST));
    rows.insert(place, (Table::Meta, DIGEST, &digest));
    let mut writer = BackupWriter::default();
    rows.into_iter()
        .for_each(|(table, key, value)| writer.row(table, key, value));
    writer.finish()
}

/// What a backup contains can be opened, saved again, and changed.
fn restored(backup: BackupRows) {
    let BackupRows {
        rows,
        commit,
        contents,
    } = backup;
    let store = Disk::memory_with(&rows, commit).and_then(|disk| {
        let loaded = disk.load()?;
        Store::start(disk, loaded)
    });
    assert!(store.is_ok(), "{:?} {rows:?}", store.err());
    let Ok(store) = store else { return };
    let before = store.read();
    assert_eq!(
        (before.policy.acl_count(), before.policy.role_count()),
        (contents.acls, contents.roles)
    );
    assert_eq!(
        content(rows.clone()),
        content(policy_writes(&Policy::default(), &before.policy)),
        "each row is one that is written"
    );
    assert_eq!(saved(&store), Ok(rows), "the rows are the same");
    if !before.policy.has_role("fuzz") {
        change(&store, Change::CreateRole("fuzz".into()));
        assert!(store.read().version != before.version && saved(&store).is_ok());
        let (name, delete_acls) = ("fuzz".into(), false);
        change(&store, Change::DeleteRole { name, delete_acls });
        assert_eq!(store.read().policy, before.policy);
    }
}

/// The rows of the policy's content.
fn content(mut rows: Vec<RowWrite>) -> Vec<RowWrite> {
    rows.retain(|row| [Table::Roles, Table::Members, Table::Acls].contains(&row.table()));
    rows
}

fn change(store: &Store, change: Change) {
    let changed = store.change_unrecorded(StateChange::Changes(vec![change]));
    assert!(changed.is_ok(), "{:?}", changed.err());
}

/// The rows of a backup of a store.
fn saved(store: &Store) -> Result<Vec<RowWrite>, String> {
    let saved = save(&store.0.disk).map_err(|error| error.to_string())?;
    read(&saved)
        .map(|backup| backup.rows)
        .map_err(|error| error.to_string())
}

/// Initial inputs for [`backup`]: backups of the demo, of a policy of Apache Kafka and of nothing,
/// and their rows.
#[must_use]
pub fn backup_starts() -> Vec<Vec<u8>> {
    let kafka = r#"{"settings":{"dialect":"kafka","superusers":["User:root"]},"roles":[{"name":"r","members":["Group:/eng","User:x"]}],
        "acls":[{"resource_type":"RESOURCE_TYPE_TOPIC","resource_name":"a","resource_pattern_type":"RESOURCE_PATTERN_TYPE_PREFIXED",
        "principal":"Service:b","host":"10.0.0.0/8","operation":"OPERATION_READ","permission_type":"PERMISSION_TYPE_DENY"}]}"#;
    let audited = Config {
        audit_enabled: true,
        oidc_clock_skew: 7,
        ..Config::default()
    };
    let made = [
        backup_of(include_str!("../../../demo/policy.json"), Config::default()),
        backup_of(kafka, audited),
        backup_of("{}", Config::default()),
    ];
    let (mut starts, mut without_title) = (Vec::new(), Vec::new());
    for backup in made.into_iter().flatten() {
        without_title.extend(backup.get(TITLE.len() + 2..).map(<[u8]>::to_vec));
        starts.push(backup);
    }
    starts.extend(without_title);
    starts
}

fn backup_of(policy: &str, config: Config) -> Result<Vec<u8>, StoreError> {
    let store = Store::memory(policy_from_json(policy).unwrap_or_default(), config)?;
    store.0.disk.write(&[
        data_id_row("0123456789abcdef"),
        RowWrite::put(Table::Passwords, "admin", "$argon2id$x"),
    ])?;
    save(&store.0.disk)
}
