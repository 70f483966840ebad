//! ACLs in the numbers of Kafka's protocol, and as the engine has them.

use std::collections::BTreeMap;
use std::fmt;
use std::net::{IpAddr, Ipv6Addr};

use gbac_engine::model::{
    Acl, Dialect, Host, Operation, PatternType, Permission, Principal, ResourceType, RoleSpelling,
};

use crate::error::said;

/// The numbers of resource types (`ResourceType.java`).
const RESOURCE_TYPES: [(i8, ResourceType); 6] = [
    (2, ResourceType::Topic),
    (3, ResourceType::Group),
    (4, ResourceType::Cluster),
    (5, ResourceType::TransactionalId),
    (6, ResourceType::DelegationToken),
    (7, ResourceType::User),
];
/// The numbers of pattern types (`PatternType.java`); 2 is MATCH, which only filters have.
const PATTERNS: [(i8, PatternType); 2] = [(3, PatternType::Literal), (4, PatternType::Prefixed)];
/// The numbers of operations (`AclOperation.java`).
const OPERATIONS: [(i8, Operation); 14] = [
    (2, Operation::All),
    (3, Operation::Read),
    (4, Operation::Write),
    (5, Operation::Create),
    (6, Operation::Delete),
    (7, Operation::Alter),
    (8, Operation::Describe),
    (9, Operation::ClusterAction),
    (10, Operation::DescribeConfigs),
    (11, Operation::AlterConfigs),
    (12, Operation::IdempotentWrite),
    (13, Operation::CreateTokens),
    (14, Operation::DescribeTokens),
    (15, Operation::TwoPhaseCommit),
];
/// The numbers of permissions (`AclPermissionType.java`).
const PERMISSIONS: [(i8, Permission); 2] = [(2, Permission::Deny), (3, Permission::Allow)];

fn value<T: Copy>(table: &[(i8, T)], number: i8) -> Option<T> {
    table
        .iter()
        .find(|(of, _)| *of == number)
        .map(|(_, value)| *value)
}

fn number<T: Copy + PartialEq>(table: &[(i8, T)], value: T) -> Option<i8> {
    table
        .iter()
        .find(|(_, of)| *of == value)
        .map(|(number, _)| *number)
}

/// An ACL as a cluster stores it: its numbers and texts, which this version need not know.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RawAcl {
    /// The number of the resource type.
    pub resource_type: i8,
    /// The name or prefix.
    pub resource_name: String,
    /// The number of the pattern type.
    pub pattern_type: i8,
    /// The principal, `Type:name`.
    pub principal: String,
    /// The host.
    pub host: String,
    /// The number of the operation.
    pub operation: i8,
    /// The number of the permission.
    pub permission: i8,
}

impl RawAcl {
    /// An ACL of the engine, in the protocol's numbers and with the host that brokers compare;
    /// `None` for the resources of the Schema Registry, which the protocol does not know.
    ///
    /// ```
    /// use gbac_cluster::RawAcl;
    /// use gbac_engine::model::{Acl, Operation, Principal, ResourceType, RoleSpelling};
    ///
    /// let acl = Acl::allow(Principal::group("eng"), Operation::Read, ResourceType::Topic, "orders-").prefixed();
    /// let raw = RawAcl::of(&acl, RoleSpelling::Role).expect("an ACL of Kafka");
    /// assert_eq!((raw.resource_type, raw.pattern_type, raw.operation, raw.permission), (2, 4, 3, 3));
    /// assert_eq!(raw.to_acl(), Some(acl));
    /// ```
    #[must_use]
    pub fn of(acl: &Acl, roles: RoleSpelling) -> Option<Self> {
        Some(Self {
            resource_type: number(&RESOURCE_TYPES, acl.resource_type)?,
            resource_name: acl.resource_name.clone(),
            pattern_type: number(&PATTERNS, acl.pattern_type)?,
            principal: roles.principal(&acl.principal),
            host: host_text(&acl.host),
            operation: number(&OPERATIONS, acl.operation)?,
            permission: number(&PERMISSIONS, acl.permission)?,
        })
    }

    /// Whether a filter with these numbers matches one ACL only: 0 is UNKNOWN and 1 ANY in every
    /// enumeration, and the pattern type 2 is MATCH.
    pub(crate) const fn is_exact(&self) -> bool {
        self.resource_type > 1 && self.pattern_type > 2 && self.operation > 1 && self.permission > 1
    }

    /// The engine's ACL; `None` if this version does not know one of the numbers, the host is no
    /// host, or the principal has no type.
    #[must_use]
    pub fn to_acl(&self) -> Option<Acl> {
        Some(Acl {
            resource_type: value(&RESOURCE_TYPES, self.resource_type)?,
            resource_name: self.resource_name.clone(),
            pattern_type: value(&PATTERNS, self.pattern_type)?,
            principal: Principal::parse_in(Dialect::Kafka, &self.principal).ok()?,
            host: Host::parse_in(Dialect::Kafka, &self.host).ok()?,
            operation: value(&OPERATIONS, self.operation)?,
            permission: value(&PERMISSIONS, self.permission)?,
        })
    }
}

/// An ACL in a line; what has no name here is shown as its number.
///
/// ```
/// use gbac_cluster::RawAcl;
///
/// let acl = RawAcl {
///     resource_type: 9,
///     resource_name: "orders".into(),
///     pattern_type: 3,
///     principal: "User:CN=a,OU=b".into(),
///     host: "*".into(),
///     operation: 99,
///     permission: 3,
/// };
/// assert_eq!(acl.to_string(), "Allow operation 99, resource type 9 `orders` literal, host `*`, of `User:CN=a,OU=b`");
/// ```
impl fmt::Display for RawAcl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match value(&PERMISSIONS, self.permission) {
            Some(permission) => f.write_str(permission.spelling().label)?,
            None => write!(f, "Permission {}", self.permission)?,
        }
        match value(&OPERATIONS, self.operation) {
            Some(operation) => write!(f, " {}", operation.spelling().label)?,
            None => write!(f, " operation {}", self.operation)?,
        }
        match value(&RESOURCE_TYPES, self.resource_type) {
            Some(of) => write!(f, ", {}", of.noun())?,
            None => write!(f, ", resource type {}", self.resource_type)?,
        }
        write!(f, " `{}`", said(&self.resource_name))?;
        match value(&PATTERNS, self.pattern_type) {
            Some(PatternType::Literal) => f.write_str(" literal")?,
            Some(PatternType::Prefixed) => f.write_str(" prefixed")?,
            None => write!(f, " pattern {}", self.pattern_type)?,
        }
        let (host, principal) = (said(&self.host), said(&self.principal));
        write!(f, ", host `{host}`, of `{principal}`")
    }
}

/// The text of a host as Java writes addresses: brokers compare the host of an ACL with it.
fn host_text(host: &Host) -> String {
    match host {
        Host::Address(IpAddr::V6(address)) => java_text(*address),
        Host::Any | Host::Address(IpAddr::V4(_)) | Host::Range(_) | Host::Name(_) => {
            host.to_string()
        }
    }
}

/// An address as `Inet6Address.getHostAddress` writes it: no zeros are left out.
fn java_text(address: Ipv6Addr) -> String {
    let segments = address.segments().map(|segment| format!("{segment:x}"));
    segments.join(":")
}

/// The ACLs of a cluster.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StoredAcls {
    /// Those that this version knows.
    pub known: Vec<Acl>,
    /// The others.
    pub unknown: Vec<RawAcl>,
    /// The ACLs that the cluster has with other texts than this client writes.
    spelled: BTreeMap<Acl, Vec<RawAcl>>,
    roles: RoleSpelling,
}

impl StoredAcls {
    pub(crate) fn new(all: impl Iterator<Item = RawAcl>, roles: RoleSpelling) -> Self {
        let mut stored = Self {
            roles,
            ..Self::default()
        };
        for raw in all {
            stored.add(raw);
        }
        stored.list_each_once();
        stored
    }

    fn add(&mut self, raw: RawAcl) {
        match raw.to_acl() {
            None => self.unknown.push(raw),
            Some(acl) if RawAcl::of(&acl, self.roles).as_ref() == Some(&raw) => {
                self.known.push(acl);
            }
            Some(acl) => self.spelled.entry(acl).or_default().push(raw),
        }
    }

    /// An ACL that is there in several spellings is one ACL for the engine.
    fn list_each_once(&mut self) {
        let Self {
            known,
            spelled,
            roles,
            ..
        } = self;
        if spelled.is_empty() {
            return;
        }
        for acl in &*known {
            if let Some(spellings) = spelled.get_mut(acl) {
                spellings.extend(RawAcl::of(acl, *roles));
            }
        }
        known.retain(|acl| !spelled.contains_key(acl));
        known.extend(spelled.keys().cloned());
    }

    /// What to delete so that an ACL is gone: the cluster can have it with several texts, such as
    /// the host `10.0.0.7` and `::ffff:10.0.0.7`, and deletes only what is equal to a text.
    #[must_use]
    pub fn spellings(&self, acl: &Acl) -> Vec<RawAcl> {
        match self.spelled.get(acl) {
            Some(spellings) => spellings.clone(),
            None => RawAcl::of(acl, self.roles).into_iter().collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn raw(principal: &str, host: &str) -> RawAcl {
        RawAcl {
            resource_type: 2,
            resource_name: "orders".into(),
            pattern_type: 3,
            principal: principal.into(),
            host: host.into(),
            operation: 3,
            permission: 3,
        }
    }

    #[test]
    fn every_value_of_kafka_is_there_and_back() {
        for (resource_type, _) in RESOURCE_TYPES {
            for (operation, _) in OPERATIONS {
                for (pattern_type, permission) in [(3, 2), (4, 3)] {
                    let acl = RawAcl {
                        resource_type,
                        operation,
                        pattern_type,
                        permission,
                        ..raw("User:CN=a,OU=b:c", "*")
                    };
                    let engine = acl.to_acl().expect("a known ACL");
                    assert_eq!(RawAcl::of(&engine, RoleSpelling::Role), Some(acl));
                }
            }
        }
        assert_eq!(RESOURCE_TYPES.len(), Dialect::Kafka.resource_types().len());
        assert_eq!(OPERATIONS.len(), Dialect::Kafka.operations().len());
    }

    #[test]
    fn what_is_not_known_is_kept() {
        let odd = [
            RawAcl {
                resource_type: 42,
                ..raw("User:a", "*")
            },
            RawAcl {
                operation: -3,
                ..raw("User:a", "*")
            },
            RawAcl {
                pattern_type: 2,
                ..raw("User:a", "*")
            },
            RawAcl {
                permission: 1,
                ..raw("User:a", "*")
            },
            raw("alice", "*"),
            raw("User:a", "not a host"),
        ];
        let stored = StoredAcls::new(odd.clone().into_iter(), RoleSpelling::Role);
        assert_eq!((stored.known.len(), stored.unknown), (0, odd.to_vec()));
    }

    #[test]
    fn other_spellings_of_an_acl_are_found_again() {
        let all = [
            raw("User:a", "10.0.0.7"),
            raw("User:a", "::ffff:10.0.0.7"),
            raw("RedpandaRole:dev", "*"),
            raw("User:b", "2001:db8:0:0:0:0:0:1"),
        ];
        let stored = StoredAcls::new(all.clone().into_iter(), RoleSpelling::Role);
        let spellings: Vec<Vec<RawAcl>> = stored
            .known
            .iter()
            .map(|acl| stored.spellings(acl))
            .collect();
        assert_eq!(stored.known.len(), 3);
        assert!(spellings.contains(&vec![all[1].clone(), all[0].clone()]));
        assert!(spellings.contains(&vec![all[2].clone()]));
        assert!(spellings.contains(&vec![all[3].clone()]));
        let platform = StoredAcls::new(all.into_iter(), RoleSpelling::RedpandaRole);
        assert_eq!(platform.spelled.len(), 1);
    }
}
