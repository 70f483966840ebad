//! Tests of the store as a whole: what readers see, what the file contains, and failed writes.

mod damage;
mod history;

use std::collections::BTreeMap;
use std::path::PathBuf;

use gbac_api::license::LicenseStatus;
use gbac_engine::model::{Acl, Principal};
use gbac_engine::policy::Change;
use gbac_json::{DocumentJson, policy_from_json};
use serde_json::json;

pub(crate) use super::file::tests::DiskFaults;
use super::*;
use crate::state::audit::{Audit, AuditFileLimits, AuditLog, ChangeRecorder};
use crate::state::change::make_change;

const POLICY: &str = include_str!("../../../../demo/policy.json");

fn demo() -> Policy {
    policy_from_json(POLICY).unwrap()
}

fn empty() -> Store {
    Store::memory(Policy::default(), Config::default()).unwrap()
}

fn role(name: &str) -> StateChange {
    StateChange::Changes(vec![Change::CreateRole(name.into())])
}

fn now(store: &Store, change: StateChange) -> Snapshot {
    store.change_unrecorded(change).unwrap().after
}

/// The files of a folder.
fn contents(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut all = BTreeMap::new();
    for file in std::fs::read_dir(folder).unwrap() {
        let path = file.unwrap().path();
        all.insert(path.clone(), std::fs::read(path).unwrap());
    }
    all
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
    assert_ne!(before.version.etag(), after.version.etag());
    assert_eq!(store.read().version.etag(), after.version.etag());
    assert_eq!(
        (before.policy.roles().len(), after.policy.roles().len()),
        (0, 1)
    );
    assert_eq!(before.version.config, after.version.config);
}

#[test]
fn no_change_keeps_the_tag_and_commits_nothing() {
    let store = Store::memory(demo(), Config::default()).unwrap();
    let before = store.read().version.etag();
    store
        .change_unrecorded(StateChange::Replace(Arc::new(
            (*store.read().policy).clone(),
        )))
        .unwrap();
    store
        .change_now::<(), WriteError>(|_| Err(WriteError::Aborted))
        .unwrap_err();
    now(
        &store,
        StateChange::Changes(demo().acls().map(Change::AddAcl).collect()),
    );
    now(
        &store,
        StateChange::Configure(Vec::new(), Config::default()),
    );
    assert_eq!((store.read().version.etag(), store.commits()), (before, 0));
    assert_ne!(empty().read().version.run, store.read().version.run);
}

#[test]
fn a_plan_that_fails_halfway_changes_nothing() {
    let store = empty();
    now(&store, role("a"));
    let before = store.read();
    let half = StateChange::Changes(vec![
        Change::CreateRole("b".into()),
        Change::CreateRole("a".into()),
    ]);
    store.change_unrecorded(half).unwrap_err();
    assert_eq!(
        (store.commits(), store.read().version.etag()),
        (1, before.version.etag())
    );
    now(&store, role("c"));
    assert_eq!(names(&store.read().policy), ["a", "c"]);
    assert_eq!(names(&stored(&store).policy), ["a", "c"]);
}

#[test]
fn the_file_matches_what_readers_see_after_every_kind_of_change() {
    let store = empty();
    let check = |change: StateChange| {
        let after = now(&store, change);
        let loaded = stored(&store);
        let text = |policy| serde_json::to_string(&DocumentJson::in_full(policy)).unwrap();
        assert_eq!(text(&loaded.policy), text(&after.policy));
        assert_eq!(
            (&loaded.config, loaded.version),
            (&*after.config, after.version.policy)
        );
        assert_eq!(loaded.config_version, after.version.config);
    };
    check(StateChange::Replace(Arc::new(demo())));
    let acls: Vec<Acl> = demo().acls().collect();
    check(StateChange::Changes(
        acls.iter()
            .take(9)
            .cloned()
            .map(Change::RemoveAcl)
            .collect(),
    ));
    check(StateChange::Changes(
        acls.into_iter().take(4).map(Change::AddAcl).collect(),
    ));
    let name = demo().role_names().next().unwrap().to_owned();
    let member = Principal::user("new");
    check(StateChange::Changes(vec![Change::AddMember {
        role: name.clone(),
        member: member.clone(),
    }]));
    check(StateChange::Changes(vec![Change::RemoveMember {
        role: name.clone(),
        member,
    }]));
    check(StateChange::Changes(vec![Change::DeleteRole {
        name,
        delete_acls: true,
    }]));
    let name = demo().role_names().last().unwrap().to_owned();
    check(StateChange::Changes(vec![
        Change::DeleteRole {
            name: name.clone(),
            delete_acls: false,
        },
        Change::CreateRole(name),
    ]));
    let sso = json!({ "sso": { "mode": "use_map", "attributes": { "federated_groups": "$.g" } }, "superusers": ["x"] });
    let settings = gbac_json::settings_from_value(&sso).unwrap();
    let config = Config {
        license: LicenseStatus::Expired,
        oidc_clock_skew: 7,
        ..Config::default()
    };
    check(StateChange::Configure(
        vec![Change::Settings(Box::new(settings))],
        config,
    ));
    check(StateChange::Replace(Arc::new(Policy::default())));
    check(StateChange::Replace(Arc::new(demo())));
}

#[test]
fn changes_of_settings_keep_omitted_settings() {
    let of = |value| Change::Settings(Box::new(gbac_json::settings_from_value(&value).unwrap()));
    let store = empty();
    now(
        &store,
        StateChange::Changes(vec![of(
            json!({ "superusers": ["root"], "oidc_group_claim_path": "$.x" }),
        )]),
    );
    let two = vec![
        of(json!({ "nested_group_behavior": "suffix" })),
        of(json!({ "oidc_principal_mapping": "$.email" })),
    ];
    let after = now(&store, StateChange::Changes(two));
    let wanted = json!({ "oidc_group_claim_path": "$.x", "nested_group_behavior": "suffix",
        "oidc_principal_mapping": "$.email", "superusers": ["root"], "access": { "read_only": [], "evaluate": [] } });
    assert_eq!(gbac_json::settings_to_json(after.policy.settings()), wanted);
    assert_eq!(
        gbac_json::settings_to_json(stored(&store).policy.settings()),
        wanted,
        "as it is stored"
    );
}

#[test]
fn both_policies_stay_in_step() {
    let store = empty();
    for at in 0..20 {
        let reader = store.read();
        now(&store, role(&format!("{at:02}")));
        assert_eq!(
            (reader.policy.role_count(), store.read().policy.role_count()),
            (at, at + 1)
        );
    }
}

#[tokio::test]
async fn writers_share_commits() {
    let store = empty();
    let writers: Vec<_> = (0..64)
        .map(|at| {
            let store = store.clone();
            tokio::spawn(async move {
                store
                    .change(move |batch| unrecorded(batch, role(&at.to_string())))
                    .await
            })
        })
        .collect();
    for writer in writers {
        let stored = writer.await.unwrap().unwrap();
        assert!(stored.after.policy.role_count() > 0);
    }
    assert_eq!(store.read().policy.role_count(), 64);
    assert!(
        (1..=8).contains(&store.commits()),
        "{} commits",
        store.commits()
    );
}

#[test]
fn events_of_a_batch_that_panics_are_recorded_as_failed() {
    let config = Config {
        audit_enabled: true,
        ..Config::default()
    };
    let store = Store::memory(Policy::default(), config).unwrap();
    let log = AuditLog::new(None, AuditFileLimits::default(), || 1.0).unwrap();
    let audit = Audit::new(&log, true, 1.0, ([127, 0, 0, 1], 8420).into());
    let recorder = ChangeRecorder::new(&audit);
    let create = |name| move |_: &Snapshot| Ok::<_, WriteError>((role(name), ()));
    let first = create("first");
    let (_, pending) = store.enqueue(move |batch| make_change(batch, &recorder, first));
    let panic = |_: &mut Batch| -> Result<((), RecordedChange), WriteError> { panic!("a fault") };
    store.enqueue(panic);
    assert!(catch_panic(|| store.clone().drain()).is_none());
    assert!(matches!(pending.take(), Err(WriteError::Aborted)));
    let recorder = ChangeRecorder::new(&audit);
    let next = create("next");
    store
        .change_now(move |batch| make_change(batch, &recorder, next))
        .unwrap();
    assert_eq!(names(&store.read().policy), ["next"]);
    let events = log.recent(9);
    let messages = [
        "gbac created the role next",
        "not done: gbac created the role first",
        "gbac created the role first",
    ];
    for (event, message) in std::iter::zip(&events, messages) {
        let message = format!(r#""message":"{message}""#);
        assert!(event.contains(&message), "{event}");
    }
    assert_eq!(events.len(), 3);
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
                let halves = [
                    current.policy.has_role("one"),
                    current.policy.has_role("other"),
                ];
                thread::yield_now();
                assert_eq!(
                    halves,
                    [
                        current.policy.has_role("one"),
                        current.policy.has_role("other")
                    ]
                );
                assert_eq!(halves[0], halves[1]);
                seen += u32::from(halves[0]);
            }
            seen
        })
    };
    for _ in 0..300 {
        let both = ["one", "other"]
            .map(|name| Change::CreateRole(name.into()))
            .to_vec();
        store
            .change(|batch| unrecorded(batch, StateChange::Changes(both)))
            .await
            .unwrap();
        let neither = ["other", "one"]
            .map(|name| Change::DeleteRole {
                name: name.into(),
                delete_acls: true,
            })
            .to_vec();
        store
            .change(|batch| unrecorded(batch, StateChange::Changes(neither)))
            .await
            .unwrap();
    }
    store
        .change(|batch| unrecorded(batch, role("last")))
        .await
        .unwrap();
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
            assert!(
                started.elapsed() < Duration::from_secs(120),
                "it never tries again, or never succeeds"
            );
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

fn refused(store: &Store, change: StateChange) -> String {
    match store.change_unrecorded(change) {
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
    assert_eq!(
        refused(&store, role("c")),
        "the disk is full",
        "the reason stays"
    );
    assert_eq!(names(&store.read().policy), ["a"], "readers go on");
    assert_eq!(
        store
            .change_now::<(), _>(|_| Err(WriteError::Aborted))
            .unwrap_err()
            .to_string(),
        "the change was aborted"
    );
    faults.room.store(u64::MAX, Relaxed);
    store.wait_until_writable();
    now(&store, role("d"));
    assert_eq!(
        (names(&stored(&store).policy), store.commits()),
        (vec!["a".into(), "d".into()], 2)
    );
    close(store);
    let store = Store::open(folder.path(), |_| {}).unwrap();
    assert_eq!(
        (
            names(&store.read().policy),
            store.password("admin").unwrap()
        ),
        (vec!["a".into(), "d".into()], Some("hash".into()))
    );
}

#[test]
fn a_write_that_fails_halfway_leaves_nothing_behind() {
    let folder = tempfile::tempdir().unwrap();
    let (store, faults) = Store::with_faults(folder.path(), Duration::ZERO);
    now(&store, StateChange::Replace(Arc::new(demo())));
    let mut expected = names(&store.read().policy);
    let document = |policy: &Policy| serde_json::to_string(&DocumentJson::in_full(policy)).unwrap();
    let mut failures = 0;
    for room in 0.. {
        faults.room.store(room, Relaxed);
        let name = format!("role-{room:03}");
        let written = store.change_unrecorded(role(&name));
        faults.room.store(u64::MAX, Relaxed);
        store.wait_until_writable();
        if written.is_ok() {
            expected.push(name);
            expected.sort();
        }
        assert_eq!(
            (names(&store.read().policy), names(&stored(&store).policy)),
            (expected.clone(), expected.clone())
        );
        assert_eq!(
            document(&store.read().policy),
            document(&stored(&store).policy)
        );
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
    now(&store, StateChange::Replace(Arc::new(demo())));
    let before = names(&store.read().policy);
    let config = Config {
        audit_enabled: false,
        ..(*store.read().config).clone()
    };
    faults.sync_fails.store(true, Relaxed);
    refused(
        &store,
        StateChange::Configure(vec![Change::CreateRole("refused".into())], config),
    );
    drop(store);
    // A restart before the store has recovered. The file has the write.
    let whole = [format::FILE, format::LOCK_FILE]
        .map(|file| std::fs::read(folder.path().join(file)).unwrap());
    let unnoted = tempfile::tempdir().unwrap();
    std::fs::write(unnoted.path().join(format::FILE), &whole[0]).unwrap();
    std::fs::write(unnoted.path().join(format::LOCK_FILE), &whole[1]).unwrap();
    assert!(
        Store::open(unnoted.path(), |_| {})
            .unwrap()
            .read()
            .policy
            .has_role("refused")
    );
    let note = folder.path().join(format::REFUSED_FILE);
    let noted = std::fs::read(&note).unwrap();
    std::fs::write(&note, &noted[..noted.len() - 1]).unwrap();
    let damaged = Store::open(folder.path(), |_| {}).map(drop).unwrap_err();
    assert!(
        damaged.code() == "data_damaged" && damaged.hint().contains("delete `gbac.refused`"),
        "{damaged}"
    );
    std::fs::write(&note, &noted).unwrap();
    let restarted = Store::open(folder.path(), |_| {}).unwrap();
    assert_eq!(names(&restarted.read().policy), before);
    assert!(restarted.read().config.audit_enabled && !note.exists());
    drop(restarted);

    let (store, faults) = Store::with_faults(folder.path(), Duration::ZERO);
    let config = Config {
        oidc_clock_skew: 7,
        ..(*store.read().config).clone()
    };
    faults.sync_fails.store(true, Relaxed);
    refused(
        &store,
        StateChange::Configure(vec![Change::CreateRole("refused".into())], config),
    );
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
    let config = Config {
        audit_enabled: false,
        ..(*store.read().config).clone()
    };
    now(&store, StateChange::Configure(Vec::new(), config));
    assert_eq!(store.read().config.license, LicenseStatus::Missing);
    drop(store);
    let config = Store::open(folder.path(), |_| {}).unwrap().read().config;
    assert_eq!(
        (config.license, config.audit_enabled),
        (LicenseStatus::Valid, false)
    );
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
    assert_eq!(
        Store::open(&data, |_| {}).map(drop).unwrap_err().code(),
        "data_in_use"
    );
    store.set_password("admin", "hash").unwrap();
    store
        .0
        .disk
        .write(&[RowWrite::put(Table::Meta, "format", "4")])
        .unwrap();
    drop(store);
    let before = contents(&data);
    let newer = Store::open(&data, |_| {}).map(drop).unwrap_err();
    assert_eq!(newer.code(), "data_newer");
    assert!(
        contents(&data) == before,
        "what a newer version wrote is unchanged"
    );
    assert!(
        newer
            .to_string()
            .ends_with("has format 4; this version supports formats up to 3"),
        "{newer}"
    );
    std::fs::write(data.join("gbac.redb"), "something else").unwrap();
    assert_eq!(
        Store::open(&data, |_| {}).map(drop).unwrap_err().code(),
        "data_damaged"
    );
}

#[cfg(unix)]
#[test]
fn files_that_others_may_have_written_are_refused_and_others_tightened() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let parent = tempfile::tempdir().unwrap();
    let folder = parent.path().join("data");
    let open = || Store::open(&folder, |_| {});
    let set = |path: &Path, mode: u32| {
        std::fs::set_permissions(path, PermissionsExt::from_mode(mode)).unwrap();
    };
    let files =
        [format::FILE, format::LOCK_FILE, format::RESERVE_FILE].map(|file| folder.join(file));
    drop(open().unwrap());
    set(&folder, 0o2770);
    for (file, mode) in files.iter().zip([0o644, 0o664, 0o600]) {
        set(file, mode);
    }
    drop(open().expect("a folder of a group"));
    for file in &files {
        assert_eq!(
            std::fs::metadata(file).unwrap().permissions().mode() & 0o777,
            0o600
        );
    }
    let refused = |problem: &str, hint: &str| {
        let error = open().map(drop).unwrap_err();
        assert!(
            error.code() == "data_folder" && error.to_string().contains(problem),
            "{error}"
        );
        assert!(error.hint().contains(hint), "{}", error.hint());
    };
    set(&folder, 0o777);
    refused("data` can be changed by other users", "chmod");
    set(&folder, 0o700);
    for file in &files[..2] {
        set(file, 0o666);
        refused("` can be changed by other users", "chmod");
        set(file, 0o600);
        let moved = parent.path().join("moved");
        std::fs::rename(file, &moved).unwrap();
        symlink(&moved, file).unwrap();
        refused("` is a link to another file", "copy");
        std::fs::remove_file(file).unwrap();
        std::fs::rename(&moved, file).unwrap();
    }
    // What a start creates replaces a link, and never what it leads to.
    let other = parent.path().join("other");
    std::fs::write(&other, "other").unwrap();
    std::fs::remove_file(&files[2]).unwrap();
    symlink(&other, &files[2]).unwrap();
    std::fs::remove_file(&files[0]).unwrap();
    std::fs::remove_file(&files[1]).unwrap();
    symlink(&other, folder.join(format::NEW_FILE)).unwrap();
    drop(open().unwrap());
    assert_eq!(std::fs::read_to_string(other).unwrap(), "other");
    assert!(std::fs::symlink_metadata(&files[2]).unwrap().is_file());
}

#[test]
fn a_lock_file_without_its_number_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let lock = folder.path().join(format::LOCK_FILE);
    let open = || Store::open(folder.path(), |_| {});
    drop(open().unwrap());
    drop(open().expect("a start without a change leaves a number"));
    now(&open().unwrap(), role("a"));
    let whole = std::fs::read(&lock).unwrap();
    for damaged in [&[][..], &whole[..15], &[0; 16]] {
        std::fs::write(&lock, damaged).unwrap();
        let error = open().map(drop).unwrap_err();
        assert!(
            error.code() == "data_damaged" && error.hint().contains("delete `gbac.lock`"),
            "{error}"
        );
    }
    std::fs::remove_file(&lock).unwrap();
    assert!(open().unwrap().read().policy.has_role("a"));
    assert!(open().is_ok());
}

#[test]
fn an_interrupted_start_leaves_no_partial_store() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("gbac.redb.new"), "half").unwrap();
    let store = Store::open(folder.path(), |_| {}).unwrap();
    assert_eq!(
        (
            store.read().version.policy,
            store.password("admin").unwrap()
        ),
        (1, None)
    );
}
