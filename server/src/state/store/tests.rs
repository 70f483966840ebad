//! Tests of the store as a whole: what readers see, what the file contains, and failed writes.

use gbac_api::license::LicenseStatus;
use gbac_engine::model::{Acl, Principal};
use gbac_engine::policy::Change;
use gbac_json::{DocumentJson, policy_from_json};
use serde_json::json;

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
    let names = |policy: &Policy| policy.role_names().map(str::to_owned).collect::<Vec<_>>();
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

#[test]
fn a_write_that_cannot_be_stored_is_not_visible() {
    let fails = Arc::new(AtomicBool::new(false));
    let disk = Disk::failing(&fails);
    let loaded = disk.load().unwrap();
    let store = Store::start(disk, loaded).unwrap();
    now(&store, role("a"));
    fails.store(true, Relaxed);
    let refused = store.change_now(|_| Ok::<_, WriteError>(role("b"))).unwrap_err();
    assert!(matches!(refused, WriteError::NotStored(_)), "{refused:?}");
    assert!(!store.is_writable());
    assert_eq!(store.read().policy.role_names().collect::<Vec<_>>(), ["a"]);
    fails.store(false, Relaxed);
    store.change_now(|_| Ok::<_, WriteError>(role("c"))).unwrap_err();
    assert_eq!(store.commits(), 1);
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
    store.0.disk.write(&[RowWrite::put(Table::Meta, "format", "2")]).unwrap();
    drop(store);
    let newer = Store::open(&data, |_| {}).map(drop).unwrap_err();
    assert_eq!(newer.code(), "data_newer");
    assert!(newer.to_string().ends_with("has format 2; this version supports formats up to 1"), "{newer}");
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
