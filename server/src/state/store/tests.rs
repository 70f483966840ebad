//! Tests of the store as a whole: what readers see, what the file contains, and failed writes.

use gbac_api::license::LicenseStatus;
use gbac_engine::model::{Acl, Permission, Principal};
use gbac_engine::policy::Change;
use gbac_json::{DocumentJson, policy_from_json};
use serde_json::json;

pub(crate) use super::file::tests::DiskFaults;
use super::*;

const POLICY: &str = include_str!("../../../demo/policy.json");

fn demo() -> Policy {
    policy_from_json(POLICY).unwrap()
}

fn empty() -> Store {
    Store::memory(Policy::default(), Config::default()).unwrap()
}

fn role(name: &str) -> Plan<()> {
    Plan::Changes(vec![Change::CreateRole(name.into())], ())
}

fn now(store: &Store, plan: Plan<()>) -> Snapshot {
    store.change_now(|_| Ok::<_, WriteError>(plan)).unwrap().1
}

/// The state in the file.
fn stored(store: &Store) -> StoredState {
    store.0.disk.load().unwrap()
}

#[test]
fn a_change_makes_a_new_tag_and_leaves_old_snapshots() {
    let store = empty();
    let before = store.read();
    let after = now(&store, role("a"));
    assert_ne!(store.etag(&before), store.etag(&after));
    assert_eq!(store.etag(&store.read()), store.etag(&after));
    assert_eq!((before.policy.roles().len(), after.policy.roles().len()), (0, 1));
    assert_eq!(before.config_version, after.config_version);
}

#[test]
fn no_change_keeps_the_tag_and_commits_nothing() {
    let store = Store::memory(demo(), Config::default()).unwrap();
    let before = store.etag(&store.read());
    store.change_now::<_, WriteError>(|current| Ok(Plan::Replace(Arc::new((*current.policy).clone()), ()))).unwrap();
    store.change_now::<(), WriteError>(|_| Err(WriteError::Aborted)).unwrap_err();
    now(&store, Plan::Changes(demo().acls().map(Change::AddAcl).collect(), ()));
    now(&store, Plan::Configure(Vec::new(), Config::default(), ()));
    assert_eq!((store.etag(&store.read()), store.commits()), (before, 0));
    assert_ne!(empty().0.etag_prefix, store.0.etag_prefix);
}

#[test]
fn a_plan_that_fails_halfway_changes_nothing() {
    let store = empty();
    now(&store, role("a"));
    let before = store.read();
    let half = Plan::Changes(vec![Change::CreateRole("b".into()), Change::CreateRole("a".into())], ());
    store.change_now::<_, WriteError>(|_| Ok(half)).unwrap_err();
    assert_eq!((store.commits(), store.etag(&store.read())), (1, store.etag(&before)));
    now(&store, role("c"));
    assert_eq!(names(&store.read().policy), ["a", "c"]);
    assert_eq!(names(&stored(&store).policy), ["a", "c"]);
}

#[test]
fn the_file_matches_what_readers_see_after_every_kind_of_change() {
    let store = empty();
    let check = |plan: Plan<()>| {
        let after = now(&store, plan);
        let loaded = stored(&store);
        let text = |policy| serde_json::to_string(&DocumentJson::in_full(policy)).unwrap();
        assert_eq!(text(&loaded.policy), text(&after.policy));
        assert_eq!((&loaded.config, loaded.version), (&*after.config, after.version));
        assert_eq!(loaded.config_version, after.config_version);
    };
    check(Plan::Replace(Arc::new(demo()), ()));
    let acls: Vec<Acl> = demo().acls().collect();
    check(Plan::Changes(acls.iter().take(9).cloned().map(Change::RemoveAcl).collect(), ()));
    check(Plan::Changes(acls.into_iter().take(4).map(Change::AddAcl).collect(), ()));
    let name = demo().role_names().next().unwrap().to_owned();
    let member = Principal::user("new");
    check(Plan::Changes(vec![Change::AddMember { role: name.clone(), member: member.clone() }], ()));
    check(Plan::Changes(vec![Change::RemoveMember { role: name.clone(), member }], ()));
    check(Plan::Changes(vec![Change::DeleteRole { name, delete_acls: true }], ()));
    let name = demo().role_names().last().unwrap().to_owned();
    check(Plan::Changes(
        vec![Change::DeleteRole { name: name.clone(), delete_acls: false }, Change::CreateRole(name)],
        (),
    ));
    let sso = json!({ "sso": { "mode": "use_map", "attributes": { "federated_groups": "$.g" } }, "superusers": ["x"] });
    let settings = gbac_json::settings_from_value(&sso).unwrap();
    let config = Config { license: LicenseStatus::Expired, oidc_clock_skew: 7, ..Config::default() };
    check(Plan::Configure(vec![Change::Settings(Box::new(settings))], config, ()));
    check(Plan::Replace(Arc::new(Policy::default()), ()));
    check(Plan::Replace(Arc::new(demo()), ()));
}

#[test]
fn changes_of_settings_keep_omitted_settings() {
    let of = |value| Change::Settings(Box::new(gbac_json::settings_from_value(&value).unwrap()));
    let store = empty();
    now(&store, Plan::Changes(vec![of(json!({ "superusers": ["root"], "oidc_group_claim_path": "$.x" }))], ()));
    let two =
        vec![of(json!({ "nested_group_behavior": "suffix" })), of(json!({ "oidc_principal_mapping": "$.email" }))];
    let after = now(&store, Plan::Changes(two, ()));
    let wanted = json!({ "oidc_group_claim_path": "$.x", "nested_group_behavior": "suffix",
        "oidc_principal_mapping": "$.email", "superusers": ["root"], "access": { "read_only": [], "evaluate": [] } });
    assert_eq!(gbac_json::settings_to_json(after.policy.settings()), wanted);
    assert_eq!(gbac_json::settings_to_json(stored(&store).policy.settings()), wanted, "as it is stored");
}

#[test]
fn both_policies_stay_in_step() {
    let store = empty();
    for at in 0..20 {
        let reader = store.read();
        now(&store, role(&format!("{at:02}")));
        assert_eq!((reader.policy.role_count(), store.read().policy.role_count()), (at, at + 1));
    }
}

#[tokio::test]
async fn writers_share_commits() {
    let store = empty();
    let writers: Vec<_> = (0..64)
        .map(|at| {
            let store = store.clone();
            tokio::spawn(async move { store.change(move |_| Ok::<_, WriteError>(role(&at.to_string()))).await })
        })
        .collect();
    for writer in writers {
        let ((), after) = writer.await.unwrap().unwrap();
        assert!(after.policy.role_count() > 0);
    }
    assert_eq!(store.read().policy.role_count(), 64);
    assert!((1..=8).contains(&store.commits()), "{} commits", store.commits());
}

#[tokio::test(flavor = "multi_thread")]
async fn changes_are_atomic_for_readers() {
    let store = Store::memory(demo(), Config::default()).unwrap();
    let reading = {
        let store = store.clone();
        tokio::task::spawn_blocking(move || {
            let mut seen = 0_u32;
            while store.read().policy.role("last").is_none() {
                let current = store.read();
                // A slow reader must not delay writers, and its snapshot must not change.
                let halves = [current.policy.has_role("one"), current.policy.has_role("other")];
                thread::yield_now();
                assert_eq!(halves, [current.policy.has_role("one"), current.policy.has_role("other")]);
                assert_eq!(halves[0], halves[1]);
                seen += u32::from(halves[0]);
            }
            seen
        })
    };
    for _ in 0..300 {
        let both = ["one", "other"].map(|name| Change::CreateRole(name.into())).to_vec();
        store.change(|_| Ok::<_, WriteError>(Plan::Changes(both, ()))).await.unwrap();
        let neither = ["other", "one"].map(|name| Change::DeleteRole { name: name.into(), delete_acls: true }).to_vec();
        store.change(|_| Ok::<_, WriteError>(Plan::Changes(neither, ()))).await.unwrap();
    }
    store.change(|_| Ok::<_, WriteError>(role("last"))).await.unwrap();
    assert!(reading.await.unwrap() > 0);
    assert_eq!(store.commits(), 601);
}

const NEVER: Duration = Duration::from_secs(86_400);

impl Store {
    /// A store on a disk with faults.
    pub(crate) fn with_faults(folder: &Path, first_retry: Duration) -> (Self, Arc<DiskFaults>) {
        let faults = Arc::new(DiskFaults::default());
        let disk = Disk::with_faults(folder, &faults).unwrap();
        let loaded = disk.load().unwrap();
        let mut store = Self::start(disk, loaded).unwrap();
        Arc::get_mut(&mut store.0).unwrap().first_retry = first_retry;
        (store, faults)
    }

    /// Waits for the thread that tries again.
    pub(crate) fn wait_until_writable(&self) {
        let started = Instant::now();
        while !self.is_writable() {
            assert!(started.elapsed() < Duration::from_secs(120), "it never tries again, or never succeeds");
            thread::yield_now();
        }
    }
}

/// Closes a store that the thread which tried again may still hold.
fn close(store: Store) {
    while Arc::strong_count(&store.0) > 1 {
        thread::yield_now();
    }
    drop(store);
}

fn refused(store: &Store, plan: Plan<()>) -> String {
    match store.change_now(|_| Ok::<_, WriteError>(plan)) {
        Err(WriteError::NotStored(why)) => why,
        other => panic!("{:?}", other.map(drop)),
    }
}

fn names(policy: &Policy) -> Vec<String> {
    policy.role_names().map(str::to_owned).collect()
}

#[test]
fn a_full_disk_refuses_writes_until_there_is_room() {
    let folder = tempfile::tempdir().unwrap();
    let (store, faults) = Store::with_faults(folder.path(), Duration::ZERO);
    store.set_password("admin", "hash").unwrap();
    now(&store, role("a"));
    faults.room.store(0, Relaxed);
    assert_eq!(refused(&store, role("b")), "the disk is full");
    assert!(!store.is_writable());
    assert_eq!(refused(&store, role("c")), "the disk is full", "the reason stays");
    assert_eq!(names(&store.read().policy), ["a"], "readers go on");
    assert_eq!(
        store.change_now::<(), _>(|_| Err(WriteError::Aborted)).unwrap_err().to_string(),
        "the change was aborted"
    );
    faults.room.store(u64::MAX, Relaxed);
    store.wait_until_writable();
    now(&store, role("d"));
    assert_eq!((names(&stored(&store).policy), store.commits()), (vec!["a".into(), "d".into()], 2));
    close(store);
    let store = Store::open(folder.path(), |_| {}).unwrap();
    assert_eq!(
        (names(&store.read().policy), store.password("admin").unwrap()),
        (vec!["a".into(), "d".into()], Some("hash".into()))
    );
}

#[test]
fn a_write_that_fails_halfway_leaves_nothing_behind() {
    let folder = tempfile::tempdir().unwrap();
    let (store, faults) = Store::with_faults(folder.path(), Duration::ZERO);
    now(&store, Plan::Replace(Arc::new(demo()), ()));
    let mut expected = names(&store.read().policy);
    let document = |policy: &Policy| serde_json::to_string(&DocumentJson::in_full(policy)).unwrap();
    let mut failures = 0;
    for room in 0.. {
        faults.room.store(room, Relaxed);
        let name = format!("role-{room:03}");
        let plan = role(&name);
        let written = store.change_now(|_| Ok::<_, WriteError>(plan));
        faults.room.store(u64::MAX, Relaxed);
        store.wait_until_writable();
        if written.is_ok() {
            expected.push(name);
            expected.sort();
        }
        assert_eq!((names(&store.read().policy), names(&stored(&store).policy)), (expected.clone(), expected.clone()));
        assert_eq!(document(&store.read().policy), document(&stored(&store).policy));
        if written.is_ok() {
            break;
        }
        failures += 1;
    }
    assert!(failures > 3, "{failures}");
}

#[test]
fn a_write_that_may_have_reached_the_disk_is_undone() {
    let folder = tempfile::tempdir().unwrap();
    let (store, faults) = Store::with_faults(folder.path(), NEVER);
    store.set_password("admin", "hash").unwrap();
    now(&store, Plan::Replace(Arc::new(demo()), ()));
    let before = names(&store.read().policy);
    let config = Config { audit_enabled: true, ..(*store.read().config).clone() };
    faults.sync_fails.store(true, Relaxed);
    refused(&store, Plan::Configure(vec![Change::CreateRole("refused".into())], config, ()));
    drop(store);
    // The file has the write: without the correction, it would appear at the next start.
    let reached = Store::open(folder.path(), |_| {}).unwrap();
    assert!(reached.read().policy.has_role("refused") && reached.read().config.audit_enabled);
    now(&reached, Plan::Changes(vec![Change::DeleteRole { name: "refused".into(), delete_acls: true }], ()));
    drop(reached);

    let (store, faults) = Store::with_faults(folder.path(), Duration::ZERO);
    let config = Config { oidc_clock_skew: 7, ..(*store.read().config).clone() };
    faults.sync_fails.store(true, Relaxed);
    refused(&store, Plan::Configure(vec![Change::CreateRole("refused".into())], config, ()));
    faults.sync_fails.store(false, Relaxed);
    store.wait_until_writable();
    now(&store, role("zzz"));
    let check = |store: &Store| {
        let expected: Vec<String> = before.iter().cloned().chain(["zzz".into()]).collect();
        assert_eq!(names(&store.read().policy), expected);
        assert_ne!(store.read().config.oidc_clock_skew, 7);
        assert_eq!(store.password("admin").unwrap().as_deref(), Some("hash"));
    };
    check(&store);
    assert_eq!(names(&stored(&store).policy), names(&store.read().policy));
    close(store);
    check(&Store::open(folder.path(), |_| {}).unwrap());
}

#[test]
fn pinned_fields_are_not_stored() {
    let folder = tempfile::tempdir().unwrap();
    let pin = |config: &mut Config| {
        config.license = LicenseStatus::Missing;
        config.pinned.insert("license");
    };
    let store = Store::open(folder.path(), pin).unwrap();
    let config = Config { audit_enabled: true, ..(*store.read().config).clone() };
    now(&store, Plan::Configure(Vec::new(), config, ()));
    assert_eq!(store.read().config.license, LicenseStatus::Missing);
    drop(store);
    let config = Store::open(folder.path(), |_| {}).unwrap().read().config;
    assert_eq!((config.license, config.audit_enabled), (LicenseStatus::Valid, true));
}

#[test]
fn a_folder_is_private_to_one_process_and_one_format() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("a/b");
    let store = Store::open(&data, |_| {}).unwrap();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(&data), 0o700);
        for file in std::fs::read_dir(&data).unwrap() {
            assert_eq!(mode(&file.unwrap().path()), 0o600);
        }
    }
    assert_eq!(Store::open(&data, |_| {}).map(drop).unwrap_err().code(), "data_in_use");
    store.set_password("admin", "hash").unwrap();
    store.0.disk.write(&[RowWrite::put(Table::Meta, "format", "3")]).unwrap();
    drop(store);
    let newer = Store::open(&data, |_| {}).map(drop).unwrap_err();
    assert_eq!(newer.code(), "data_newer");
    assert!(newer.to_string().ends_with("has format 3; this version supports formats up to 2"), "{newer}");
    std::fs::write(data.join("gbac.redb"), "something else").unwrap();
    assert_eq!(Store::open(&data, |_| {}).map(drop).unwrap_err().code(), "data_damaged");
}

#[test]
fn an_interrupted_start_leaves_no_partial_store() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("gbac.redb.new"), "half").unwrap();
    let store = Store::open(folder.path(), |_| {}).unwrap();
    assert_eq!((store.read().version, store.password("admin").unwrap()), (1, None));
}

/// The policy, the configuration and the password in a folder, if a service starts with it.
fn opened(folder: &Path) -> Result<String, StoreError> {
    let opened = catch_panic(|| {
        let store = Store::open(folder, |_| {})?;
        let current = store.read();
        let document = serde_json::to_string(&DocumentJson::in_full(&current.policy)).unwrap();
        let state = format!("{document} {:?} {:?} {}", current.config, store.password("admin")?, current.version);
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

/// A folder whose service stopped, and one whose service was killed after its last change, each with its state.
fn stopped_and_killed() -> [(tempfile::TempDir, String); 2] {
    let (stopped, killed) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let store = Store::open(stopped.path(), |_| {}).unwrap();
    store.set_password("admin", "$argon2id$v=19$m=19456,t=2,p=1$c2FsdA$aGFzaA").unwrap();
    now(&store, Plan::Replace(Arc::new(demo()), ()));
    let config = Config { audit_enabled: true, oidc_clock_skew: 7, ..Config::default() };
    now(&store, Plan::Configure(Vec::new(), config, ()));
    let deny =
        Acl { principal: Principal::user("mallory"), permission: Permission::Deny, ..demo().acls().next().unwrap() };
    now(&store, Plan::Changes(vec![Change::AddAcl(deny)], ()));
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
        let [whole, lock] =
            [format::FILE, format::LOCK_FILE].map(|file| std::fs::read(folder.path().join(file)).unwrap());
        let used: Vec<usize> = (0..whole.len()).filter(|place| whole[*place] != 0).collect();
        // Where rows are: each byte of the name of a principal, in every page that has it, old pages too.
        let named: Vec<usize> =
            whole.windows(7).enumerate().filter(|(_, found)| found == b"mallory").map(|(place, _)| place).collect();
        assert!(!named.is_empty());
        let mut seed = 0x9e37_79b9_7f4a_7c15;
        let mut flips: Vec<(usize, usize)> =
            (0..250).map(|_| (used[random(&mut seed) % used.len()], random(&mut seed) % 8)).collect();
        // The header with the two commits, and the last bytes of the row: the operation and the permission.
        flips.extend((0..8).map(|bit| (9, bit)));
        flips
            .extend(named.iter().cycle().take(32).map(|place| (place + random(&mut seed) % 40, random(&mut seed) % 8)));
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
    assert!(refused > 60 && targets_refused > 25, "{refused} {targets_refused}");
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
                let name: redb::TableDefinition<'_, &[u8], &[u8]> = redb::TableDefinition::new(table.name());
                let mut rows = transaction.open_table(name).unwrap();
                let (key, value) = {
                    let (key, value) = rows.last().unwrap().expect("every table has a row");
                    (key.value().to_vec(), value.value().to_vec())
                };
                edit(&mut rows, &key, &value);
            }
            transaction.commit().unwrap();
            drop(database);
            assert_eq!(opened(copy.path()).unwrap_err().code(), "data_damaged", "{table:?}");
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
    assert!(error.to_string().ends_with("commit 1 instead of 2"), "{error}");
    assert!(error.hint().contains("delete `gbac.lock`"));
    std::fs::write(&file, new).unwrap();
    assert!(Store::open(folder.path(), |_| {}).unwrap().read().policy.has_role("a"));
}

#[test]
fn data_of_the_first_format_is_converted() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path(), |_| {}).unwrap();
    now(&store, Plan::Replace(Arc::new(demo()), ()));
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
                    Plan::Changes(["a", "b"].map(|half| Change::CreateRole(format!("{at:05}-{half}"))).to_vec(), ()),
                );
            }
            0
        })
    };
    for _ in 0..30 {
        let copy = tempfile::tempdir().unwrap();
        std::fs::copy(folder.path().join(format::FILE), copy.path().join(format::FILE)).unwrap();
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
    assert_eq!((contents.acls, contents.roles), (current.policy.acl_count(), current.policy.role_count()));
    let parent = tempfile::tempdir().unwrap();
    let data = parent.path().join("a/b");
    assert_eq!(restore_backup(&backup, &data).unwrap(), contents);
    assert_eq!(opened(&data).unwrap(), state);
    // The state after the restore makes the same backup, because nothing has changed.
    let restored = Store::open(&data, |_| {}).unwrap();
    assert_eq!(restored.backup().unwrap(), backup);
    let busy = restore_backup(&backup, &data).unwrap_err();
    assert_eq!((busy.code(), busy.to_string().contains("another process uses")), ("data_in_use", true));
    drop(restored);
    assert_eq!(restore_backup(&backup, &data).unwrap_err().code(), "folder_not_empty");
    let refused = |bytes: &[u8], codes: &[&str]| {
        let empty = tempfile::tempdir().unwrap();
        let error = restore_backup(bytes, empty.path()).unwrap_err();
        assert!(codes.contains(&error.code()), "{}", error.code());
        assert_eq!(std::fs::read_dir(empty.path()).unwrap().count(), 0, "nothing is left behind");
    };
    refused(b"", &["backup_invalid"]);
    refused(b"something else", &["backup_invalid"]);
    refused(&backup[..13], &["backup_invalid"]);
    for end in [14, 15, 100, backup.len() / 2, backup.len() - 1] {
        refused(&backup[..end], &["backup_damaged"]);
    }
    refused(&[&backup[..], b"\n"].concat(), &["backup_damaged"]);
    refused(&[b"gbac backup 2\n", &backup[14..]].concat(), &["backup_newer"]);
    let mut seed = 0x9e37_79b9_7f4a_7c15;
    for _ in 0..200 {
        let mut bytes = backup.clone();
        bytes[random(&mut seed) % backup.len()] ^= 1 << (random(&mut seed) % 8);
        refused(&bytes, &["backup_invalid", "backup_damaged", "backup_newer"]);
    }
}

#[test]
fn a_backup_with_another_row_is_refused_even_with_a_correct_checksum() {
    use sha2::{Digest, Sha256};
    let store = Store::memory(demo(), Config::default()).unwrap();
    let backup = store.backup().unwrap();
    let mut rows = backup[..backup.len() - 33].to_vec();
    let name = demo().role_names().next().unwrap().to_owned();
    let place = rows.windows(name.len()).rposition(|found| found == name.as_bytes()).unwrap();
    rows[place] ^= 1;
    rows.push(255);
    let checksum = Sha256::digest(&rows);
    rows.extend_from_slice(&checksum);
    assert_eq!(verify_backup(&rows).unwrap_err().code(), "backup_damaged");
    verify_backup(&backup).unwrap();
}
