//! The rows of the store: one for each ACL, role, member and setting, and the rows that a change
//! writes.

use std::cmp::Ordering;
use std::net::IpAddr;

use gbac_engine::model::{
    Acl, Host, HostName, HostRange, Operation, PatternType, Permission, Principal, PrincipalType,
    ResourceType,
};
use gbac_engine::policy::{Change, Policy, Settings};
use gbac_json::settings_to_json;
use redb::TableDefinition;
use serde_json::{Map, Value};

use crate::state::config::Config;

/// A table of the store.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Table {
    /// The format and the counters.
    Meta,
    /// Password hashes by user.
    Passwords,
    /// The members of the policy document's `settings`, as JSON.
    Settings,
    /// The fields of the configuration, as JSON.
    Config,
    /// Role names.
    Roles,
    /// Role members.
    Members,
    /// ACLs.
    Acls,
    /// The entries of the log of changes, by their number.
    Log,
}

impl Table {
    /// The index of a table is part of the format of backups, so new tables come last.
    pub(super) const ALL: [Self; 8] = [
        Self::Meta,
        Self::Passwords,
        Self::Settings,
        Self::Config,
        Self::Roles,
        Self::Members,
        Self::Acls,
        Self::Log,
    ];

    /// The tables of the state itself, which a start reads.
    pub(super) const STATE: [Self; 7] = [
        Self::Meta,
        Self::Passwords,
        Self::Settings,
        Self::Config,
        Self::Roles,
        Self::Members,
        Self::Acls,
    ];

    /// The index in [`Table::ALL`].
    pub(super) const fn index(self) -> u8 {
        self as u8
    }

    /// The name in the file; part of the format.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Meta => "meta",
            Self::Passwords => "passwords",
            Self::Settings => "settings",
            Self::Config => "config",
            Self::Roles => "roles",
            Self::Members => "members",
            Self::Acls => "acls",
            Self::Log => "log",
        }
    }
}

/// The field of the configuration that belongs to this copy of the data, not to the state.
const LOCAL_ACCOUNT: &[u8] = b"local_account";

/// Whether the log is about this row: not password hashes, counters, or the local account.
pub(super) fn is_logged(table: Table, key: &[u8]) -> bool {
    match table {
        Table::Settings | Table::Roles | Table::Members | Table::Acls => true,
        Table::Config => key != LOCAL_ACCOUNT,
        Table::Meta | Table::Passwords | Table::Log => false,
    }
}

/// The place of a table in the file.
pub(super) const fn definition(
    table: Table,
) -> TableDefinition<'static, &'static [u8], &'static [u8]> {
    TableDefinition::new(table.name())
}

/// A write to a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum RowWrite {
    Put(Table, Vec<u8>, Vec<u8>),
    Remove(Table, Vec<u8>),
    /// Removes every row whose key has this prefix.
    RemovePrefix(Table, Vec<u8>),
}

impl RowWrite {
    pub(super) fn put(table: Table, key: impl Into<Vec<u8>>, value: impl Into<Vec<u8>>) -> Self {
        Self::Put(table, key.into(), value.into())
    }

    fn add(table: Table, key: Vec<u8>) -> Self {
        Self::Put(table, key, Vec::new())
    }

    /// Whether the log of changes is about it.
    pub(super) fn is_logged(&self) -> bool {
        let (table, key) = self.location();
        is_logged(table, key)
    }

    pub(super) fn table(&self) -> Table {
        self.location().0
    }

    /// The table and the key.
    pub(super) fn location(&self) -> (Table, &[u8]) {
        match self {
            Self::Put(table, key, _)
            | Self::Remove(table, key)
            | Self::RemovePrefix(table, key) => (*table, key),
        }
    }
}

/// The byte of an enumeration value is its index here. This is part of the format, so new values
/// come last.
const PRINCIPALS: [PrincipalType; 4] = [
    PrincipalType::User,
    PrincipalType::Group,
    PrincipalType::Role,
    PrincipalType::Other,
];
const RESOURCES: [ResourceType; 8] = [
    ResourceType::Topic,
    ResourceType::Group,
    ResourceType::Cluster,
    ResourceType::TransactionalId,
    ResourceType::Registry,
    ResourceType::Subject,
    ResourceType::DelegationToken,
    ResourceType::User,
];
const PATTERNS: [PatternType; 2] = [PatternType::Literal, PatternType::Prefixed];
const OPERATIONS: [Operation; 14] = [
    Operation::All,
    Operation::Read,
    Operation::Write,
    Operation::Create,
    Operation::Delete,
    Operation::Alter,
    Operation::Describe,
    Operation::ClusterAction,
    Operation::DescribeConfigs,
    Operation::AlterConfigs,
    Operation::IdempotentWrite,
    Operation::CreateTokens,
    Operation::DescribeTokens,
    Operation::TwoPhaseCommit,
];
const PERMISSIONS: [Permission; 2] = [Permission::Deny, Permission::Allow];

fn push_value<T: PartialEq>(key: &mut Vec<u8>, all: &[T], value: &T) {
    let place = all.iter().position(|known| known == value);
    let place = place.and_then(|place| u8::try_from(place).ok());
    key.push(place.unwrap_or(u8::MAX));
}

/// The bit of the byte before an address that says that its prefix follows.
const RANGE: u8 = 16;

/// The byte before the name of a host; the one before an address is its version.
const NAME: u8 = 1;

/// An address after a byte with its version.
fn push_address(key: &mut Vec<u8>, kind: u8, address: IpAddr) {
    match address {
        IpAddr::V4(address) => {
            key.push(kind | 4);
            key.extend(address.octets());
        }
        IpAddr::V6(address) => {
            key.push(kind | 6);
            key.extend(address.octets());
        }
    }
}

/// A string after its length, so that no name is a prefix of another.
fn push_text(key: &mut Vec<u8>, text: &str) {
    key.extend(u32::try_from(text.len()).unwrap_or(u32::MAX).to_be_bytes());
    key.extend(text.as_bytes());
}

fn push_principal(key: &mut Vec<u8>, principal: &Principal) {
    push_value(key, &PRINCIPALS, &principal.kind());
    push_text(key, principal.name());
}

/// The key prefix of a principal's ACLs.
fn acl_prefix(principal: &Principal) -> Vec<u8> {
    let mut key = Vec::with_capacity(principal.name().len() + 5);
    push_principal(&mut key, principal);
    key
}

pub(super) fn acl_key(acl: &Acl) -> Vec<u8> {
    let mut key = Vec::with_capacity(acl.principal.name().len() + acl.resource_name.len() + 30);
    push_principal(&mut key, &acl.principal);
    push_value(&mut key, &RESOURCES, &acl.resource_type);
    push_value(&mut key, &PATTERNS, &acl.pattern_type);
    push_text(&mut key, &acl.resource_name);
    match &acl.host {
        Host::Any => key.push(0),
        Host::Address(address) => push_address(&mut key, 0, *address),
        Host::Range(range) => {
            push_address(&mut key, RANGE, range.address());
            key.push(range.prefix());
        }
        Host::Name(name) => {
            key.push(NAME);
            push_text(&mut key, name.as_str());
        }
    }
    push_value(&mut key, &OPERATIONS, &acl.operation);
    push_value(&mut key, &PERMISSIONS, &acl.permission);
    key
}

/// The key prefix of a role's members.
fn member_prefix(role: &str) -> Vec<u8> {
    let mut key = Vec::with_capacity(role.len() + 4);
    push_text(&mut key, role);
    key
}

pub(super) fn member_key(role: &str, member: &Principal) -> Vec<u8> {
    let mut key = member_prefix(role);
    push_principal(&mut key, member);
    key
}

/// Reads the parts of a key.
struct KeyReader<'k>(&'k [u8]);

impl<'k> KeyReader<'k> {
    fn take(&mut self, count: usize) -> Option<&'k [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        self.take(N)?.try_into().ok()
    }

    fn value<T: Copy>(&mut self, all: &[T]) -> Option<T> {
        let [place] = self.array()?;
        all.get(usize::from(place)).copied()
    }

    fn text(&mut self) -> Option<&'k str> {
        let length = u32::from_be_bytes(self.array()?);
        std::str::from_utf8(self.take(usize::try_from(length).ok()?)?).ok()
    }

    fn principal(&mut self) -> Option<Principal> {
        let kind = self.value(&PRINCIPALS)?;
        Some(Principal::new(kind, self.text()?))
    }

    fn host(&mut self) -> Option<Host> {
        let [kind] = self.array()?;
        let address = match kind & !RANGE {
            0 if kind == 0 => return Some(Host::Any),
            NAME if kind == NAME => return Some(Host::Name(HostName::parse(self.text()?)?)),
            4 => IpAddr::from(self.array::<4>()?),
            6 => IpAddr::from(self.array::<16>()?),
            _ => return None,
        };
        if kind & RANGE == 0 {
            return Some(Host::Address(address));
        }
        let [prefix] = self.array()?;
        Some(Host::Range(HostRange::new(address, prefix.into())?))
    }

    fn finish<T>(&self, value: T) -> Option<T> {
        self.0.is_empty().then_some(value)
    }
}

/// The ACL of a key; `None` if the key is not valid.
pub(super) fn read_acl(key: &[u8]) -> Option<Acl> {
    let mut key = KeyReader(key);
    let principal = key.principal()?;
    let resource_type = key.value(&RESOURCES)?;
    let pattern_type = key.value(&PATTERNS)?;
    let resource_name = key.text()?.to_owned();
    let host = key.host()?;
    let operation = key.value(&OPERATIONS)?;
    let permission = key.value(&PERMISSIONS)?;
    key.finish(Acl {
        resource_type,
        resource_name,
        pattern_type,
        principal,
        host,
        operation,
        permission,
    })
}

/// The role and the member of a key; `None` if the key is not valid.
pub(super) fn read_member(key: &[u8]) -> Option<(String, Principal)> {
    let mut key = KeyReader(key);
    let role = key.text()?.to_owned();
    let member = key.principal()?;
    key.finish((role, member))
}

/// The writes of a change that had an effect; `before` are the settings without it.
pub(super) fn change_writes(before: &Settings, change: &Change, writes: &mut Vec<RowWrite>) {
    match change {
        Change::AddAcl(acl) => writes.push(RowWrite::add(
            Table::Acls,
            acl_key(&acl.clone().normalized()),
        )),
        Change::RemoveAcl(acl) => writes.push(RowWrite::Remove(
            Table::Acls,
            acl_key(&acl.clone().normalized()),
        )),
        Change::CreateRole(name) => {
            writes.push(RowWrite::add(Table::Roles, name.clone().into_bytes()));
        }
        Change::AddMember { role, member } => {
            writes.push(RowWrite::add(Table::Members, member_key(role, member)));
        }
        Change::RemoveMember { role, member } => {
            writes.push(RowWrite::Remove(Table::Members, member_key(role, member)));
        }
        Change::DeleteRole { name, delete_acls } => {
            writes.push(RowWrite::Remove(Table::Roles, name.clone().into_bytes()));
            writes.push(RowWrite::RemovePrefix(Table::Members, member_prefix(name)));
            if *delete_acls {
                writes.push(RowWrite::RemovePrefix(
                    Table::Acls,
                    acl_prefix(&Principal::role(name)),
                ));
            }
        }
        // Settings that it does not contain stay as they are.
        Change::Settings(after) => settings_writes(before, &after.filled_from(before), writes),
    }
}

fn settings_json(settings: &Settings) -> Map<String, Value> {
    match settings_to_json(settings) {
        Value::Object(settings) => settings,
        _ => Map::new(),
    }
}

fn config_json(config: &Config) -> Map<String, Value> {
    match serde_json::to_value(config) {
        Ok(Value::Object(config)) => config,
        _ => Map::new(),
    }
}

fn settings_writes(before: &Settings, after: &Settings, writes: &mut Vec<RowWrite>) {
    value_writes(
        Table::Settings,
        &settings_json(before),
        &settings_json(after),
        writes,
    );
}

/// What a new config writes; what is pinned stays as it was stored (D-30).
pub(super) fn config_writes(before: &Config, after: &Config, writes: &mut Vec<RowWrite>) {
    let (mut old, mut new) = (config_json(before), config_json(after));
    old.retain(|name, _| !after.is_pinned(name));
    new.retain(|name, _| !after.is_pinned(name));
    value_writes(Table::Config, &old, &new, writes);
}

fn value_writes(
    table: Table,
    before: &Map<String, Value>,
    after: &Map<String, Value>,
    writes: &mut Vec<RowWrite>,
) {
    for name in before.keys() {
        if !after.contains_key(name) {
            writes.push(RowWrite::Remove(table, name.clone().into_bytes()));
        }
    }
    for (name, value) in after {
        if before.get(name) != Some(value) {
            writes.push(RowWrite::put(table, name.as_bytes(), value.to_string()));
        }
    }
}

/// The writes that turn one policy into another, in the order of the keys, which is the fastest
/// order to write.
pub(super) fn policy_writes(before: &Policy, after: &Policy) -> Vec<RowWrite> {
    let mut writes = Vec::new();
    settings_writes(before.settings(), after.settings(), &mut writes);
    merge(
        Table::Roles,
        before.role_names(),
        after.role_names(),
        |name| name.as_bytes().to_vec(),
        &mut writes,
    );
    merge(
        Table::Members,
        members(before).into_iter(),
        members(after).into_iter(),
        |(role, member)| member_key(&role, &member),
        &mut writes,
    );
    merge(
        Table::Acls,
        before.acls(),
        after.acls(),
        |acl| acl_key(&acl),
        &mut writes,
    );
    writes.sort_by(|a, b| a.location().cmp(&b.location()));
    writes
}

/// The members of every role, in order.
fn members(policy: &Policy) -> Vec<(String, Principal)> {
    let mut members = Vec::new();
    for role in policy.roles() {
        for member in role.members {
            members.push((role.name.clone(), member));
        }
    }
    members
}

/// Compares two sorted lists.
fn merge<T: Ord>(
    table: Table,
    mut before: impl Iterator<Item = T>,
    mut after: impl Iterator<Item = T>,
    key: impl Fn(T) -> Vec<u8>,
    writes: &mut Vec<RowWrite>,
) {
    let (mut old, mut new) = (before.next(), after.next());
    loop {
        let order = match (&old, &new) {
            (None, None) => return,
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (Some(old), Some(new)) => old.cmp(new),
        };
        if order.is_le() {
            if let (Some(old), true) = (old.take(), order.is_lt()) {
                writes.push(RowWrite::Remove(table, key(old)));
            }
            old = before.next();
        }
        if order.is_ge() {
            if let (Some(new), true) = (new.take(), order.is_gt()) {
                writes.push(RowWrite::add(table, key(new)));
            }
            new = after.next();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gbac_engine::Dialect;

    #[test]
    fn every_enumeration_value_has_a_byte() {
        assert!(
            PrincipalType::ALL
                .iter()
                .all(|value| PRINCIPALS.contains(value))
        );
        assert!(
            ResourceType::ALL
                .iter()
                .all(|value| RESOURCES.contains(value))
        );
        assert!(
            PatternType::ALL
                .iter()
                .all(|value| PATTERNS.contains(value))
        );
        assert!(
            Operation::ALL
                .iter()
                .all(|value| OPERATIONS.contains(value))
        );
        assert!(
            Permission::ALL
                .iter()
                .all(|value| PERMISSIONS.contains(value))
        );
    }

    #[test]
    fn keys_round_trip_and_truncated_keys_are_rejected() {
        for host in [
            "*",
            "10.0.0.7",
            "2001:db8::1",
            "10.0.0.5/8",
            "2001:db8::/32",
            "::/0",
            "Broker-1.example.com",
        ] {
            for principal in ["User:*", "Group:/a/b", "Role:ü:\u{1}", "Service:billing"] {
                let acl = Acl {
                    resource_type: ResourceType::Subject,
                    resource_name: "a\0b".into(),
                    pattern_type: PatternType::Prefixed,
                    principal: Principal::parse_in(Dialect::Kafka, principal).unwrap(),
                    host: Host::parse_in(Dialect::Kafka, host).unwrap(),
                    operation: Operation::IdempotentWrite,
                    permission: Permission::Deny,
                };
                let key = acl_key(&acl);
                assert!(key.starts_with(&acl_prefix(&acl.principal)));
                assert_eq!(read_acl(&key), Some(acl));
                for end in 0..key.len() {
                    assert_eq!(read_acl(&key[..end]), None);
                }
                assert_eq!(read_acl(&[&key[..], &[0]].concat()), None);
            }
        }
        let member = Principal::group("eng");
        assert_eq!(
            read_member(&member_key("a", &member)),
            Some(("a".into(), member))
        );
        assert!(!member_key("ab", &Principal::user("x")).starts_with(&member_prefix("a")));
    }
}
