//! Tests of the log of changes: what it keeps, and every state that it was about.

use gbac_engine::model::{Operation, PatternType, Permission, ResourceType};

use super::*;

/// A store, and each of its states by the number of its last entry.
struct Recorded {
    store: Store,
    states: BTreeMap<u64, String>,
}

/// A state, as the log knows it.
fn text(policy: &Policy, config: &Config) -> String {
    let document = serde_json::to_string(&DocumentJson::in_full(policy)).unwrap();
    format!("{document} {config:?}")
}

fn past(store: &Store, seq: u64) -> String {
    match store.0.disk.past(seq).unwrap() {
        PastState::Known(state) => text(&state.policy, &state.config),
        PastState::NotYet => "not yet".into(),
        PastState::Gone(fault) => format!("{fault:?}"),
    }
}

/// The first and the last entry, after a check of all of them.
fn verified(store: &Store) -> (u64, u64) {
    store.backup().unwrap();
    let last = store.entries_before(None, 1).unwrap().remove(0);
    (store.first_entry().unwrap(), last.expected.seq + 1)
}

impl Recorded {
    fn new(store: Store) -> Self {
        let mut recorded = Self {
            store,
            states: BTreeMap::new(),
        };
        recorded.note();
        recorded
    }

    fn note(&mut self) {
        let current = self.store.read();
        let state = text(&current.policy, &current.config);
        let seq = current.version.seq;
        let known = self.states.entry(seq).or_insert_with(|| state.clone());
        assert_eq!(*known, state, "the state of {seq} changed without an entry");
    }

    fn change(&mut self, change: StateChange) {
        let before = self.store.read().version;
        let _ = self.store.change_unrecorded(change);
        let after = self.store.read().version;
        assert!(after.seq - before.seq <= u64::from(after != before));
        self.note();
    }
}

fn a_role(seed: &mut usize) -> String {
    format!("role-{}", next(seed) % 4)
}

fn next(seed: &mut usize) -> usize {
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    *seed >> 3
}

fn a_member(seed: &mut usize) -> Principal {
    match next(seed) % 3 {
        0 => Principal::user("maya"),
        1 => Principal::group("/eng/a,b"),
        _ => Principal::group("ops"),
    }
}

fn an_acl(seed: &mut usize) -> Acl {
    let role = a_role(seed);
    let principals = [Principal::role(&role), a_member(seed)];
    let principal = principals[next(seed) % 2].clone();
    let mut acl = Acl::allow(
        principal,
        [Operation::Read, Operation::All][next(seed) % 2],
        [ResourceType::Topic, ResourceType::Subject][next(seed) % 2],
        ["orders", "a\"\n", "*"][next(seed) % 3],
    );
    if next(seed).is_multiple_of(2) {
        acl.pattern_type = PatternType::Prefixed;
    }
    if next(seed).is_multiple_of(2) {
        acl.permission = Permission::Deny;
    }
    acl
}

fn a_change(seed: &mut usize) -> Change {
    let role = a_role(seed);
    match next(seed) % 8 {
        0 | 1 => Change::AddAcl(an_acl(seed)),
        2 => Change::RemoveAcl(an_acl(seed)),
        3 => Change::CreateRole(role),
        4 => {
            let member = a_member(seed);
            Change::AddMember { role, member }
        }
        5 => {
            let member = a_member(seed);
            Change::RemoveMember { role, member }
        }
        6 => Change::DeleteRole {
            name: role,
            delete_acls: next(seed).is_multiple_of(2),
        },
        _ => {
            let name = ["root", "maya"][next(seed) % 2];
            let settings = json!({ "superusers": [name] });
            let settings = gbac_json::settings_from_value(&settings).unwrap();
            Change::Settings(Box::new(settings))
        }
    }
}

fn a_write(store: &Store, seed: &mut usize) -> StateChange {
    let count = 1 + next(seed) % 4;
    let changes: Vec<Change> = (0..count).map(|_| a_change(seed)).collect();
    match next(seed) % 20 {
        0 => {
            let mut policy = (*store.read().policy).clone();
            for change in changes {
                let _ = policy.apply(change);
            }
            StateChange::Replace(Arc::new(policy))
        }
        1 => StateChange::Replace(Arc::new(demo())),
        2 | 3 => {
            let config = Config {
                oidc_clock_skew: u32::try_from(next(seed) % 5).unwrap(),
                tests: vec![json!({ "name": next(seed) % 3, "x": 1.5 })].into(),
                ..(*store.read().config).clone()
            };
            StateChange::Configure(Vec::new(), config)
        }
        _ => StateChange::Changes(changes),
    }
}

#[test]
fn every_past_state_is_as_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let mut recorded = Recorded::new(Store::open(folder.path(), |_| {}).unwrap());
    let mut seed = 0x9e37_79b9_7f4a_7c15_usize;
    for _ in 0..1_000 {
        let change = a_write(&recorded.store, &mut seed);
        recorded.change(change);
    }
    let last = recorded.store.read().version.seq;
    assert!(last > 300, "{last}");
    for (seq, state) in &recorded.states {
        assert_eq!(past(&recorded.store, *seq), *state, "{seq}");
    }
    assert_eq!(past(&recorded.store, last + 1), "not yet");
    assert_eq!(verified(&recorded.store), (1, last));
    let Recorded { store, states } = recorded;
    let backup = store.backup().unwrap();
    drop(store);
    let reopened = Store::open(folder.path(), |_| {}).unwrap();
    assert_eq!(reopened.read().version.seq, last);
    let restored = tempfile::tempdir().unwrap();
    restore_backup(&backup, restored.path()).unwrap();
    let restored = Store::open(restored.path(), |_| {}).unwrap();
    for store in [&reopened, &restored] {
        for seq in [0, 1, last / 2, last] {
            assert_eq!(past(store, seq), states[&seq], "{seq}");
        }
        assert_eq!(verified(store), (1, last));
    }
}

#[test]
fn entries_are_read_in_pages_from_both_ends() {
    let store = empty();
    for name in ["a", "b", "c", "d", "e"] {
        now(&store, role(name));
    }
    let seqs = |entries: Vec<LogEntry>| -> Vec<u64> {
        entries.iter().map(|entry| entry.expected.seq + 1).collect()
    };
    assert_eq!(seqs(store.entries_before(None, 2).unwrap()), [5, 4]);
    assert_eq!(seqs(store.entries_before(Some(4), 2).unwrap()), [3, 2]);
    assert_eq!(seqs(store.entries_before(Some(2), 9).unwrap()), [1]);
    assert_eq!(seqs(store.entries_after(0, 2).unwrap()), [1, 2]);
    assert_eq!(seqs(store.entries_after(4, 9).unwrap()), [5]);
    assert!(store.entries_after(u64::MAX, 9).unwrap().is_empty());
    let entry = store.entries_before(None, 1).unwrap().remove(0);
    assert_eq!(
        entry.changes,
        [json!({ "change": "create_role", "role": "e" })]
    );
    assert_eq!(entry.store, store.store_id());
}

#[test]
fn passwords_and_the_local_account_are_not_in_the_log() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path(), |_| {}).unwrap();
    store.set_password("admin", "hash").unwrap();
    let config = Config {
        local_account: "admin".into(),
        ..(*store.read().config).clone()
    };
    now(&store, StateChange::Configure(Vec::new(), config));
    assert_eq!(store.read().version.seq, 0);
    assert!(store.entries_before(None, 9).unwrap().is_empty());
    now(&store, role("a"));
    assert_eq!(verified(&store), (1, 1));
}

#[test]
fn old_entries_are_deleted_and_the_states_before_them_are_gone() {
    let store = empty().with_history(HistoryLimits {
        bytes: 4_000,
        days: 0,
    });
    for at in 0..100 {
        now(&store, role(&format!("role-{at:03}")));
    }
    let first = store.first_entry().unwrap();
    assert!((80..100).contains(&first), "{first}");
    assert_eq!(verified(&store), (first, 100));
    assert_eq!(
        past(&store, first - 2),
        format!("{:?}", PastFault::Deleted(first))
    );
    for seq in [first - 1, 99] {
        let PastState::Known(policy) = store.past(seq).unwrap() else {
            panic!("{seq}")
        };
        assert_eq!(policy.role_count() as u64, seq);
    }
}

#[test]
fn an_entry_that_names_too_many_rows_says_how_many() {
    let store = empty();
    now(&store, role("a"));
    let mut policy = Policy::default();
    for at in 0..50_001 {
        let acl = Acl::allow(
            Principal::user("maya"),
            Operation::Read,
            ResourceType::Topic,
            format!("topic-{at}"),
        );
        policy.apply(Change::AddAcl(acl)).unwrap();
    }
    now(&store, StateChange::Replace(Arc::new(policy)));
    let entry = store.entries_before(None, 1).unwrap().remove(0);
    // The role is deleted, too.
    assert_eq!(
        entry.changes,
        [json!({ "change": "many", "count": 50_002 })]
    );
    assert_eq!(past(&store, 1), format!("{:?}", PastFault::TooLarge(2)));
    now(&store, role("b"));
    assert!(matches!(store.past(2).unwrap(), PastState::Known(..)));
}

#[test]
fn a_folder_without_a_log_gets_one() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path(), |_| {}).unwrap();
    now(&store, StateChange::Replace(Arc::new(demo())));
    let backup = store.backup().unwrap();
    drop(store);
    // As version 0.1.0 left it.
    let rows = super::super::backup::read(&backup).unwrap().rows;
    let old = tempfile::tempdir().unwrap();
    let locked = super::super::folder::Folder::lock(old.path()).unwrap();
    let mut kept = Vec::new();
    for row in rows {
        let (table, key) = row.location();
        let is_newer = table == Table::Log || (table == Table::Meta && key == format::LOG_HEAD);
        if !is_newer && (table != Table::Meta || key != format::FORMAT_KEY) {
            kept.push(row);
        }
    }
    kept.push(RowWrite::put(Table::Meta, format::FORMAT_KEY, "2"));
    Disk::create(&locked, &kept, 2).unwrap();
    drop(locked);
    let store = Store::open(old.path(), |_| {}).unwrap();
    assert_eq!(store.read().version.seq, 0);
    assert_eq!(names(&store.read().policy), names(&demo()));
    now(&store, role("zzz"));
    let current = store.read();
    drop(store);
    let store = Store::open(old.path(), |_| {}).unwrap();
    assert_eq!(store.read().version.seq, 1);
    assert_eq!(past(&store, 1), text(&current.policy, &current.config));
    let PastState::Known(before) = store.past(0).unwrap() else {
        panic!("it is known")
    };
    assert_eq!(names(&before), names(&demo()));
}
