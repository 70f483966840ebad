//! What a change removed and added, as its event says it.

use std::collections::BTreeSet;

use gbac_engine::model::{Acl, Dialect, Host, Principal, PrincipalType};
use serde_json::Value;

use crate::review::ChangeCounts;

/// OCSF's activities "Create" and "Delete" of an entity.
const CREATE: i64 = 1;
const DELETE: i64 = 4;
/// OCSF's activities "Add User" and "Assign Privileges".
const ADD_USER: i64 = 3;
const ASSIGN: i64 = 1;

/// What there was before a change, or is after it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ChangedValue {
    /// A role.
    Role(String),
    /// An ACL.
    Acl(Acl),
    /// A member of a role.
    Member {
        /// The role.
        role: String,
        /// The member.
        member: Principal,
    },
    /// Access to the service, such as `superuser` or `read_only`.
    Access {
        /// The level.
        level: String,
        /// Who has it.
        grantee: Principal,
    },
    /// A setting or another named value.
    Named {
        /// The name.
        name: String,
        /// The value, as text.
        value: String,
    },
}

/// What a change removed and added.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ChangedValues {
    /// What there was before and is no longer there.
    pub before: Vec<ChangedValue>,
    /// What is there since.
    pub after: Vec<ChangedValue>,
}

impl ChangedValues {
    /// Reads the event of a change. What it does not name is left out.
    pub(super) fn from_event(event: &Value) -> Self {
        let mut changed = Self::default();
        let activity = number(event, "/activity_id");
        let name = text(event, "/entity/name");
        let data = event.pointer("/entity/data");
        match number(event, "/class_uid") {
            Some(3004) => match (text(event, "/entity/type"), data) {
                ("acl", Some(data)) => changed.push(activity == Some(CREATE), acl_value(data)),
                ("role", Some(_)) if activity == Some(CREATE) => {
                    changed.push(true, Some(ChangedValue::Role(name.to_owned())));
                }
                ("role", Some(data)) if activity == Some(DELETE) => changed.remove_role(name, data),
                ("policy", _) => {
                    for change in list(event, "/entity_result/data/changes") {
                        changed.push_change(change);
                    }
                }
                _ => {
                    let after = event.pointer("/entity_result/data/value");
                    changed.set(name, data.and_then(|data| data.get("value")), after);
                }
            },
            Some(3006) => {
                let member = ChangedValue::Member {
                    role: text(event, "/group/name").to_owned(),
                    member: user(event),
                };
                changed.push(activity == Some(ADD_USER), Some(member));
            }
            Some(3005) => {
                let level = text(event, "/privileges/0").to_owned();
                changed.push(
                    activity == Some(ASSIGN),
                    Some(ChangedValue::Access {
                        level,
                        grantee: user(event),
                    }),
                );
            }
            _ => {}
        }
        changed
    }

    /// Whether it names nothing.
    pub fn is_empty(&self) -> bool {
        self.before.is_empty() && self.after.is_empty()
    }

    /// Puts the values of an earlier change in front of these.
    pub(super) fn precede(&mut self, mut older: Self) {
        older.before.append(&mut self.before);
        older.after.append(&mut self.after);
        *self = older;
    }

    /// How many roles, ACLs, members and other values come and go.
    pub(super) fn counts(&self) -> ChangeCounts {
        let mut counts = ChangeCounts::default();
        for (place, values) in [&self.after, &self.before].into_iter().enumerate() {
            for value in values {
                match value {
                    ChangedValue::Role(_) => counts.roles[place] += 1,
                    ChangedValue::Acl(_) => counts.acls[place] += 1,
                    ChangedValue::Member { .. } => counts.members[place] += 1,
                    ChangedValue::Access { .. } | ChangedValue::Named { .. } => {
                        counts.settings += 1;
                    }
                }
            }
        }
        counts
    }

    /// The role that all of it is about; none if it is about several, or about something else.
    pub(super) fn only_role(&self) -> Option<&str> {
        let roles: Option<BTreeSet<&str>> =
            self.before.iter().chain(&self.after).map(role_of).collect();
        let mut roles = roles?.into_iter();
        roles.next().filter(|_| roles.next().is_none())
    }

    fn push(&mut self, adds: bool, value: Option<ChangedValue>) {
        if adds {
            self.after.extend(value);
        } else {
            self.before.extend(value);
        }
    }

    fn remove_role(&mut self, name: &str, data: &Value) {
        self.before.push(ChangedValue::Role(name.to_owned()));
        self.before
            .extend(list(data, "/acls").iter().filter_map(acl_value));
        for member in list(data, "/members") {
            let member = member.as_str().and_then(principal);
            self.before.extend(member_value(name, member));
        }
    }

    fn set(&mut self, name: &str, before: Option<&Value>, after: Option<&Value>) {
        let named = |value: &Value| ChangedValue::Named {
            name: name.to_owned(),
            value: value_text(value),
        };
        self.before.extend(before.map(named));
        self.after.extend(after.map(named));
    }

    /// One of many changes that share an event.
    fn push_change(&mut self, change: &Value) {
        let (kind, role) = (text(change, "/change"), text(change, "/role"));
        match kind {
            "add_acl" | "remove_acl" => {
                let acl = change.get("acl").and_then(acl_value);
                self.push(kind == "add_acl", acl);
            }
            "create_role" => self.push(true, Some(ChangedValue::Role(role.to_owned()))),
            "delete_role" => self.remove_role(role, change),
            "add_member" | "remove_member" => {
                let member = principal(text(change, "/principal"));
                self.push(kind == "add_member", member_value(role, member));
            }
            "add_superuser" | "remove_superuser" => {
                let user = Principal::user(text(change, "/user"));
                self.push(
                    kind == "add_superuser",
                    access_value("superuser", Some(user)),
                );
            }
            "grant_access" | "revoke_access" => {
                let grantee = principal(text(change, "/principal"));
                let access = access_value(text(change, "/access"), grantee);
                self.push(kind == "grant_access", access);
            }
            "set" => {
                let name = text(change, "/name");
                self.set(name, change.get("before"), change.get("after"));
            }
            _ => {}
        }
    }
}

fn acl_value(data: &Value) -> Option<ChangedValue> {
    Some(ChangedValue::Acl(acl(data)?))
}

fn member_value(role: &str, member: Option<Principal>) -> Option<ChangedValue> {
    Some(ChangedValue::Member {
        role: role.to_owned(),
        member: member?,
    })
}

fn access_value(level: &str, grantee: Option<Principal>) -> Option<ChangedValue> {
    Some(ChangedValue::Access {
        level: level.to_owned(),
        grantee: grantee?,
    })
}

/// The text at a place, or nothing.
fn text<'a>(value: &'a Value, pointer: &str) -> &'a str {
    match value.pointer(pointer) {
        Some(Value::String(text)) => text,
        _ => "",
    }
}

/// The number at a place.
fn number(value: &Value, pointer: &str) -> Option<i64> {
    value.pointer(pointer)?.as_i64()
}

/// The list at a place, or an empty one.
fn list<'a>(value: &'a Value, pointer: &str) -> &'a [Value] {
    match value.pointer(pointer) {
        Some(Value::Array(values)) => values,
        _ => &[],
    }
}

/// The role that a value is about.
fn role_of(value: &ChangedValue) -> Option<&str> {
    match value {
        ChangedValue::Role(role) | ChangedValue::Member { role, .. } => Some(role),
        ChangedValue::Acl(acl) if acl.principal.kind() == PrincipalType::Role => {
            Some(acl.principal.name())
        }
        ChangedValue::Acl(_) | ChangedValue::Access { .. } | ChangedValue::Named { .. } => None,
    }
}

/// The user or group of an event.
fn user(event: &Value) -> Principal {
    let name = text(event, "/user/name");
    match text(event, "/user/type") {
        "idp_group" => Principal::group(name),
        _ => Principal::user(name),
    }
}

fn principal(text: &str) -> Option<Principal> {
    Principal::parse_in(Dialect::Kafka, text).ok()
}

fn acl(data: &Value) -> Option<Acl> {
    Some(Acl {
        resource_type: member(data, "resource_type")?.parse().ok()?,
        resource_name: member(data, "resource_name")?.to_owned(),
        pattern_type: member(data, "pattern_type")?.parse().ok()?,
        principal: principal(member(data, "principal")?)?,
        host: Host::parse_in(Dialect::Kafka, member(data, "host")?).ok()?,
        operation: member(data, "operation")?.parse().ok()?,
        permission: member(data, "permission")?.parse().ok()?,
    })
}

fn member<'a>(data: &'a Value, name: &str) -> Option<&'a str> {
    data.get(name)?.as_str()
}

fn value_text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        other => other.to_string(),
    }
}
