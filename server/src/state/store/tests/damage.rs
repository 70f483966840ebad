//! Tests of damaged, replaced and copied files, and of backups: each is refused, or is the state
//! that was stored.

use gbac_engine::model::Permission;

use super::*;

/// The policy, the configuration and the password in a folder, if a service starts with it.
fn opened(folder: &Path) -> Result<String, StoreError> {
    let opened = catch_panic(|| {
        let store = Store::open(folder, |_| {})?;
        let current = store.read();
        let document = serde_json::to_string(&DocumentJson::in_full(&current.policy)).unwrap();
        let state = format!(
            "{document} {:?} {:?} {}",
            current.config,
            store.password("admin")?,
            current.version.policy
        );
        Ok(state)
    });
    opened.unwrap_or_else(|| Err(StoreError::unreadable()))
}

/// The same numbers on every run (xorshift).
fn random(seed: &mut u64) -> usize {
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    usize::try_from(*seed >> 1).unwrap()
}

/// A folder whose service stopped, and one whose service was killed after its last change, each
/// with its state.
fn stopped_and_killed() -> [(tempfile::TempDir, String); 2] {
    let (stopped, killed) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let store = Store::open(stopped.path(), |_| {}).unwrap();
    store
        .set_password("admin", "$argon2id$v=19$m=19456,t=2,p=1$c2FsdA$aGFzaA")
        .unwrap();
    now(&store, StateChange::Replace(Arc::new(demo())));
    let config = Config {
        audit_enabled: true,
        oidc_clock_skew: 7,
        ..Config::default()
    };
    now(&store, StateChange::Configure(Vec::new(), config));
    let deny = Acl {
        principal: Principal::user("mallory"),
        permission: Permission::Deny,
        ..demo().acls().next().unwrap()
    };
    now(&store, StateChange::Changes(vec![Change::AddAcl(deny)]));
    for file in [format::FILE, format::LOCK_FILE] {
        std::fs::copy(stopped.path().join(file), killed.path().join(file)).unwrap();
    }
    drop(store);
    [stopped, killed].map(|folder| {
        let copy = tempfile::tempdir().unwrap();
        for file in [format::FILE, format::LOCK_FILE] {
            std::fs::copy(folder.path().join(file), copy.path().join(file)).unwrap();
        }
        let state = opened(copy.path()).unwrap();
        (folder, state)
    })
}

#[test]
fn a_flipped_bit_is_refused_or_changes_nothing() {
    let mut refused = 0;
    let mut targets_refused = 0;
    for (folder, state) in stopped_and_killed() {
        let [whole, lock] = [format::FILE, format::LOCK_FILE]
            .map(|file| std::fs::read(folder.path().join(file)).unwrap());
        let used: Vec<usize> = (0..whole.len())
            .filter(|place| whole[*place] != 0)
            .collect();
        // Where rows are: each byte of the name of a principal, in every page that has it, old
        // pages too.
        let named: Vec<usize> = whole
            .windows(7)
            .enumerate()
            .filter(|(_, found)| found == b"mallory")
            .map(|(place, _)| place)
            .collect();
        assert!(!named.is_empty());
        let mut seed = 0x9e37_79b9_7f4a_7c15;
        let mut flips: Vec<(usize, usize)> = (0..250)
            .map(|_| (used[random(&mut seed) % used.len()], random(&mut seed) % 8))
            .collect();
        // The header with the two commits, and the last bytes of the row: the operation and the
        // permission.
        flips.extend((0..8).map(|bit| (9, bit)));
        flips.extend(
            named
                .iter()
                .cycle()
                .take(32)
                .map(|place| (place + random(&mut seed) % 40, random(&mut seed) % 8)),
        );
        for (index, (place, bit)) in flips.into_iter().enumerate() {
            let mut bytes = whole.clone();
            bytes[place] ^= 1 << bit;
            let copy = tempfile::tempdir().unwrap();
            std::fs::write(copy.path().join(format::FILE), bytes).unwrap();
            std::fs::write(copy.path().join(format::LOCK_FILE), &lock).unwrap();
            match opened(copy.path()) {
                Ok(after) => assert_eq!(after, state, "bit {bit} of byte {place}"),
                Err(error) => {
                    let codes = ["data_damaged", "data_newer", "data_outdated", "data_file"];
                    assert!(codes.contains(&error.code()), "{}: {error}", error.code());
                    refused += 1;
                    targets_refused += u32::from(index >= 250);
                }
            }
        }
    }
    // The other flips are in pages of older commits and in unused space.
    assert!(
        refused > 60 && targets_refused > 25,
        "{refused} {targets_refused}"
    );
}

#[test]
fn a_row_that_was_replaced_removed_or_added_is_refused() {
    use redb::ReadableTable;
    type Edit = fn(&mut redb::Table<'_, &'static [u8], &'static [u8]>, &[u8], &[u8]);
    let edits: [Edit; 3] = [
        |rows, key, value| drop(rows.insert(key, [value, b" "].concat().as_slice()).unwrap()),
        |rows, key, _| drop(rows.remove(key).unwrap()),
        |rows, key, value| drop(rows.insert([key, b"x"].concat().as_slice(), value).unwrap()),
    ];
    let [(folder, _), _] = stopped_and_killed();
    let whole = std::fs::read(folder.path().join(format::FILE)).unwrap();
    for table in Table::ALL {
        for edit in edits {
            let copy = tempfile::tempdir().unwrap();
            let file = copy.path().join(format::FILE);
            std::fs::write(&file, &whole).unwrap();
            let database = redb::Database::open(&file).unwrap();
            let transaction = database.begin_write().unwrap();
            {
                let name: redb::TableDefinition<'_, &[u8], &[u8]> =
                    redb::TableDefinition::new(table.name());
                let mut rows = transaction.open_table(name).unwrap();
                let (key, value) = {
                    let (key, value) = rows.last().unwrap().expect("every table has a row");
                    (key.value().to_vec(), value.value().to_vec())
                };
                edit(&mut rows, &key, &value);
            }
            transaction.commit().unwrap();
            drop(database);
            assert_eq!(
                opened(copy.path()).unwrap_err().code(),
                "data_damaged",
                "{table:?}"
            );
        }
    }
}

#[test]
fn an_older_file_in_the_same_folder_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join(format::FILE);
    drop(Store::open(folder.path(), |_| {}).unwrap());
    let old = std::fs::read(&file).unwrap();
    let store = Store::open(folder.path(), |_| {}).unwrap();
    now(&store, role("a"));
    drop(store);
    let new = std::fs::read(&file).unwrap();
    std::fs::write(&file, old).unwrap();
    let error = Store::open(folder.path(), |_| {}).map(drop).unwrap_err();
    assert_eq!(error.code(), "data_outdated");
    assert!(
        error.to_string().ends_with("commit 1 instead of 2"),
        "{error}"
    );
    assert!(error.hint().contains("delete `gbac.lock`"));
    std::fs::write(&file, new).unwrap();
    assert!(
        Store::open(folder.path(), |_| {})
            .unwrap()
            .read()
            .policy
            .has_role("a")
    );
}

#[test]
fn data_of_the_first_format_is_converted() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path(), |_| {}).unwrap();
    now(&store, StateChange::Replace(Arc::new(demo())));
    drop(store);
    let state = opened(folder.path()).unwrap();
    let database = redb::Database::open(folder.path().join(format::FILE)).unwrap();
    let transaction = database.begin_write().unwrap();
    {
        let name: redb::TableDefinition<'_, &[u8], &[u8]> = redb::TableDefinition::new("meta");
        let mut meta = transaction.open_table(name).unwrap();
        meta.insert(b"format".as_slice(), b"1".as_slice()).unwrap();
        meta.remove(b"digest".as_slice()).unwrap();
        meta.remove(b"commit".as_slice()).unwrap();
    }
    transaction.commit().unwrap();
    drop(database);
    std::fs::remove_file(folder.path().join(format::LOCK_FILE)).unwrap();
    assert_eq!(opened(folder.path()).unwrap(), state);
    let store = Store::open(folder.path(), |_| {}).unwrap();
    now(&store, role("new"));
    assert!(stored(&store).policy.has_role("new"));
}

#[test]
fn a_copy_of_the_file_during_writes_is_complete_or_refused() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path(), |_| {}).unwrap();
    let done = Arc::new(AtomicBool::new(false));
    let writer = {
        let (store, done) = (store.clone(), Arc::clone(&done));
        thread::spawn(move || {
            for at in 0.. {
                if done.load(Relaxed) {
                    return at;
                }
                now(
                    &store,
                    StateChange::Changes(
                        ["a", "b"]
                            .map(|half| Change::CreateRole(format!("{at:05}-{half}")))
                            .to_vec(),
                    ),
                );
            }
            0
        })
    };
    for _ in 0..30 {
        let copy = tempfile::tempdir().unwrap();
        std::fs::copy(
            folder.path().join(format::FILE),
            copy.path().join(format::FILE),
        )
        .unwrap();
        match catch_panic(|| Store::open(copy.path(), |_| {})) {
            Some(Ok(copied)) => {
                let expected: Vec<String> = (0..copied.read().policy.role_count() / 2)
                    .flat_map(|at| ["a", "b"].map(|half| format!("{at:05}-{half}")))
                    .collect();
                assert_eq!(names(&copied.read().policy), expected);
            }
            Some(Err(error)) => assert_eq!(error.code(), "data_damaged"),
            None => {}
        }
    }
    done.store(true, Relaxed);
    assert!(writer.join().unwrap() > 0);
}

#[test]
fn a_backup_restores_everything_and_any_flipped_bit_is_refused() {
    let [(folder, state), _] = stopped_and_killed();
    let store = Store::open(folder.path(), |_| {}).unwrap();
    let backup = store.backup().unwrap();
    let contents = verify_backup(&backup).unwrap();
    let current = store.read();
    assert_eq!(
        (contents.acls, contents.roles),
        (current.policy.acl_count(), current.policy.role_count())
    );
    let parent = tempfile::tempdir().unwrap();
    let data = parent.path().join("a/b");
    assert_eq!(restore_backup(&backup, &data).unwrap(), contents);
    assert_eq!(opened(&data).unwrap(), state);
    // The state after the restore makes the same backup, because nothing has changed.
    let restored = Store::open(&data, |_| {}).unwrap();
    assert_eq!(restored.backup().unwrap(), backup);
    let busy = restore_backup(&backup, &data).unwrap_err();
    assert_eq!(
        (
            busy.code(),
            busy.to_string().contains("another process uses")
        ),
        ("data_in_use", true)
    );
    drop(restored);
    assert_eq!(
        restore_backup(&backup, &data).unwrap_err().code(),
        "folder_not_empty"
    );
    let refused = |bytes: &[u8], codes: &[&str]| {
        let empty = tempfile::tempdir().unwrap();
        let error = restore_backup(bytes, empty.path()).unwrap_err();
        assert!(codes.contains(&error.code()), "{}", error.code());
        assert_eq!(
            std::fs::read_dir(empty.path()).unwrap().count(),
            0,
            "nothing is left behind"
        );
    };
    refused(b"", &["backup_invalid"]);
    refused(b"something else", &["backup_invalid"]);
    refused(&backup[..13], &["backup_invalid"]);
    for end in [14, 15, 100, backup.len() / 2, backup.len() - 1] {
        refused(&backup[..end], &["backup_damaged"]);
    }
    refused(&[&backup[..], b"\n"].concat(), &["backup_damaged"]);
    refused(
        &[b"gbac backup 2\n", &backup[14..]].concat(),
        &["backup_newer"],
    );
    let mut seed = 0x9e37_79b9_7f4a_7c15;
    for _ in 0..200 {
        let mut bytes = backup.clone();
        bytes[random(&mut seed) % backup.len()] ^= 1 << (random(&mut seed) % 8);
        refused(
            &bytes,
            &["backup_invalid", "backup_damaged", "backup_newer"],
        );
    }
}

#[test]
fn a_backup_with_another_row_is_refused_even_with_a_correct_checksum() {
    use sha2::{Digest, Sha256};
    let store = Store::memory(demo(), Config::default()).unwrap();
    let backup = store.backup().unwrap();
    let mut rows = backup[..backup.len() - 33].to_vec();
    let name = demo().role_names().next().unwrap().to_owned();
    let place = rows
        .windows(name.len())
        .rposition(|found| found == name.as_bytes())
        .unwrap();
    rows[place] ^= 1;
    rows.push(255);
    let checksum = Sha256::digest(&rows);
    rows.extend_from_slice(&checksum);
    assert_eq!(verify_backup(&rows).unwrap_err().code(), "backup_damaged");
    verify_backup(&backup).unwrap();
}

#[test]
fn a_backup_that_no_service_could_open_is_refused() {
    type Row = (Table, Vec<u8>, Vec<u8>);
    let store = Store::memory(demo(), Config::default()).unwrap();
    let mut rows: Vec<Row> = Vec::new();
    let mut row = |table: Table, key: &[u8], value: &[u8]| {
        rows.push((table, key.to_vec(), value.to_vec()));
        Ok(())
    };
    store.0.disk.read_rows(&mut row).unwrap();
    let verified = |rows: &[Row]| {
        let mut writer = backup::BackupWriter::default();
        rows.iter()
            .for_each(|(table, key, value)| writer.row(*table, key, value));
        verify_backup(&fuzz::sealed(&writer.finish()[backup::TITLE.len() + 2..]))
            .map_err(|error| error.code())
    };
    assert!(verified(&rows).is_ok());
    let at = |key: &[u8]| rows.iter().position(|row| row.1 == key).unwrap();
    for key in [
        format::FORMAT_KEY,
        format::COMMIT,
        format::VERSION,
        format::CONFIG_VERSION,
    ] {
        let mut without = rows.clone();
        without.remove(at(key));
        assert_eq!(
            verified(&without),
            Err("backup_damaged"),
            "{key:?} is missing"
        );
        for number in [
            &b""[..],
            b"+2",
            b"02",
            b"18446744073709551615",
            b"4611686018427387904",
        ] {
            let mut with = rows.clone();
            with[at(key)].2 = number.to_vec();
            assert!(verified(&with).is_err(), "{key:?} {number:?}");
        }
    }
    for table in [Table::Roles, Table::Members, Table::Acls] {
        let mut with = rows.clone();
        with.iter_mut().find(|row| row.0 == table).unwrap().2 = b"x".to_vec();
        assert_eq!(verified(&with), Err("backup_damaged"), "{table:?}");
    }
}
