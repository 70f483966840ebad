//! Builds small policies from bytes, so that every change of a fuzzer's input produces another
//! valid policy.

use std::net::{IpAddr, Ipv4Addr};

use gbac_engine::model::{Acl, Host, Operation, PatternType, Permission, Principal, ResourceType};
use gbac_engine::policy::Change;
use serde_json::{Map, Value};

use crate::oracle::{Facts, OracleQuestion};

const LETTERS: &[&str] = &["a", "a", "a", "b", "*", "é"];
const USERS: &[&str] = &["u", "v", "*", "g"];
const GROUPS: &[&str] = &["g", "h", "*", "u", "G"];
const ROLES: &[&str] = &["r", "s", "g"];
const OPERATIONS: &[Operation] = &[
    Operation::Read,
    Operation::Read,
    Operation::Describe,
    Operation::Describe,
    Operation::All,
    Operation::Write,
    Operation::AlterConfigs,
    Operation::DescribeConfigs,
];
/// Parts of claim paths after the `$`.
const PATH: &[&str] = &[
    ".groups",
    ".a",
    "..",
    "[",
    "]",
    "*",
    "[*]",
    ".*",
    "[0]",
    "[-1]",
    "['groups']",
    "['",
    "']",
    "\"",
    "\\",
    ",",
    ":",
    "1",
    "-",
    "0",
    "?",
    "@",
    ".b",
    "==",
    "!=",
    "<",
    ">",
    "&&",
    "||",
    "!",
    "(",
    ")",
    "length(",
    "count(",
    "value(",
    "'x'",
    "true",
    "null",
    " ",
    "1e9",
    "é",
];
/// Parts of principal mappings after `$.sub`.
const MAPPING: &[&str] = &[
    "/", "(", ")", ".", "*", "+", "?", "[a-z]", "@", "$1", "$2", "$", "\\", "|", "^", "L", "U",
    "a", "{2}", "é",
];
/// Parts of texts in claims.
const TEXT: &[&str] = &[
    "/", "a", "b", ",", " ", "//", "u", "g", "@", "é", "\t", "\u{200b}", "A", "https://", "http://",
];
const MEMBERS: &[&str] = &[
    "groups",
    "a",
    "b",
    "roles",
    "email",
    "_claim_names",
    "hasgroups",
    "nonce",
    "exp",
    "x",
];
const TYPES: &[ResourceType] = &[
    ResourceType::Topic,
    ResourceType::Topic,
    ResourceType::Topic,
    ResourceType::Subject,
];

/// The next step.
#[derive(Debug)]
pub enum Next {
    /// Change the policy.
    Change(Change),
    /// Evaluate a query.
    Ask(OracleQuestion),
}

/// The remaining bytes.
pub struct Bytes<'a>(&'a [u8]);

impl<'a> Bytes<'a> {
    /// Creates a reader of these bytes.
    #[must_use]
    pub const fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    fn byte(&mut self) -> usize {
        let (first, rest) = self.0.split_first().unwrap_or((&0, &[]));
        self.0 = rest;
        usize::from(*first)
    }

    fn pick<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.byte() % list.len()]
    }

    /// A name of up to fifteen letters.
    fn name(&mut self) -> String {
        self.pieces(LETTERS)
    }

    /// Up to fifteen of these parts, concatenated.
    fn pieces(&mut self, list: &[&'static str]) -> String {
        let length = self.byte() % 16;
        (0..length).map(|_| self.pick(list)).collect()
    }

    /// A claim path, a principal mapping and claims, valid or nearly valid.
    pub fn claims(&mut self) -> (String, String, Map<String, Value>) {
        let path = format!("${}", self.pieces(PATH));
        let mapping = format!("$.sub{}", self.pieces(MAPPING));
        let mut claims = Map::new();
        claims.insert("sub".into(), self.pieces(TEXT).into());
        while !self.0.is_empty() {
            let member = self.pick(MEMBERS);
            claims.insert(member.into(), self.value(3));
        }
        (path, mapping, claims)
    }

    fn value(&mut self, depth: usize) -> Value {
        let kind = self.byte() % 8;
        let length = if kind < 4 && depth > 0 {
            self.byte() % 5
        } else {
            0
        };
        match kind {
            0..=2 if depth > 0 => (0..length)
                .map(|_| self.value(depth - 1))
                .collect::<Vec<_>>()
                .into(),
            3 if depth > 0 => Value::Object(
                (0..length)
                    .map(|_| (self.pick(MEMBERS).to_owned(), self.value(depth - 1)))
                    .collect(),
            ),
            4 => Value::Null,
            5 => self.byte().into(),
            _ => self.pieces(TEXT).into(),
        }
    }

    fn address(&mut self) -> Option<IpAddr> {
        let last = u8::try_from(self.byte() % 8).unwrap_or_default();
        (last > 5).then_some(IpAddr::V4(Ipv4Addr::new(10, 0, 0, last)))
    }

    fn member(&mut self) -> Principal {
        if self.byte().is_multiple_of(2) {
            Principal::user(self.pick(USERS))
        } else {
            Principal::group(self.pick(GROUPS))
        }
    }

    fn acl(&mut self) -> Acl {
        let name = self.name();
        Acl {
            resource_type: self.pick(TYPES),
            // A document contains no empty names.
            resource_name: if name.is_empty() { "*".into() } else { name },
            pattern_type: self.pick(PatternType::ALL),
            principal: if self.byte().is_multiple_of(3) {
                Principal::role(self.pick(ROLES))
            } else {
                self.member()
            },
            host: self.address().map_or(Host::Any, Host::Address),
            operation: self.pick(OPERATIONS),
            permission: self.pick(Permission::ALL),
        }
    }

    /// A query, usually about the name of an existing ACL, or a longer one.
    fn asked(&mut self, facts: &Facts) -> OracleQuestion {
        let mut groups: Vec<String> = Vec::new();
        for _ in 0..self.byte() % 4 {
            let group = self.pick(GROUPS).to_owned();
            if !groups.contains(&group) {
                groups.push(group);
            }
        }
        let (user, host) = (self.pick(USERS).into(), self.address());
        let about = self.byte();
        match facts.acls.get(about % (facts.acls.len() + 1)) {
            Some(acl) => OracleQuestion {
                user,
                groups,
                operation: if about > 100 {
                    acl.operation
                } else {
                    self.pick(OPERATIONS)
                },
                resource_type: acl.resource_type,
                name: acl.resource_name.clone() + &self.name(),
                host,
            },
            None => {
                let (operation, resource_type) = (self.pick(OPERATIONS), self.pick(TYPES));
                OracleQuestion {
                    user,
                    groups,
                    operation,
                    resource_type,
                    name: self.name(),
                    host,
                }
            }
        }
    }

    /// The next change or query for a policy of these facts; `None` at the end of the bytes.
    pub fn next(&mut self, facts: &Facts) -> Option<Next> {
        if self.0.is_empty() {
            return None;
        }
        let role = |bytes: &mut Self| bytes.pick(ROLES).to_owned();
        let change = match self.byte() % 12 {
            0..=3 => Change::AddAcl(self.acl()),
            4 if !facts.acls.is_empty() => {
                Change::RemoveAcl(facts.acls[self.byte() % facts.acls.len()].clone())
            }
            5 => Change::CreateRole(role(self)),
            6 | 7 => Change::AddMember {
                role: role(self),
                member: self.member(),
            },
            8 => Change::RemoveMember {
                role: role(self),
                member: self.member(),
            },
            9 => Change::DeleteRole {
                name: role(self),
                delete_acls: self.byte().is_multiple_of(2),
            },
            _ => return Some(Next::Ask(self.asked(facts))),
        };
        Some(Next::Change(change))
    }
}
