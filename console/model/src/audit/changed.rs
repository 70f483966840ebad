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
        let text = |path: &str| {
            event
                .pointer(path)
                .and_then(Value::as_str)
                .unwrap_or_default()
        };
        let is =
            |activity: i64| event.pointer("/activity_id").and_then(Value::as_i64) == Some(activity);
        let (name, data) = (text("/entity/name"), event.pointer("/entity/data"));
        match event.pointer("/class_uid").and_then(Value::as_i64) {
            Some(3004) => match (text("/entity/type"), data) {
                ("acl", Some(data)) => changed.push(is(CREATE), acl(data).map(ChangedValue::Acl)),
                ("role", Some(_)) if is(CREATE) => {
                    changed.push(true, Some(ChangedValue::Role(name.to_owned())));
                }
                ("role", Some(data)) if is(DELETE) => changed.remove_role(name, data),
                ("policy", _) => {
                    let changes = event
                        .pointer("/entity_result/data/changes")
                        .and_then(Value::as_array);
                    changes
                        .into_iter()
                        .flatten()
                        .for_each(|change| changed.push_change(change));
                }
                _ => {
                    let after = event.pointer("/entity_result/data/value");
                    changed.set(name, data.and_then(|data| data.get("value")), after);
                }
            },
            Some(3006) => {
                let member = ChangedValue::Member {
                    role: text("/group/name").to_owned(),
                    member: user(event),
                };
                changed.push(is(ADD_USER), Some(member));
            }
            Some(3005) => {
                let level = text("/privileges/0").to_owned();
                changed.push(
                    is(ASSIGN),
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
        let number = |is_one: fn(&ChangedValue) -> bool| {
            [&self.after, &self.before]
                .map(|values| values.iter().filter(|value| is_one(value)).count())
        };
        let [set, unset] = number(|value| {
            matches!(
                value,
                ChangedValue::Access { .. } | ChangedValue::Named { .. }
            )
        });
        ChangeCounts {
            roles: number(|value| matches!(value, ChangedValue::Role(_))),
            acls: number(|value| matches!(value, ChangedValue::Acl(_))),
            members: number(|value| matches!(value, ChangedValue::Member { .. })),
            settings: set + unset,
        }
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
        let list = |member: &str| {
            data.get(member)
                .and_then(Value::as_array)
                .into_iter()
                .flatten()
        };
        self.before.push(ChangedValue::Role(name.to_owned()));
        self.before
            .extend(list("acls").filter_map(acl).map(ChangedValue::Acl));
        let members = list("members").filter_map(|member| principal(member.as_str()?));
        self.before
            .extend(members.map(|member| ChangedValue::Member {
                role: name.to_owned(),
                member,
            }));
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
        let text = |member: &str| {
            change
                .get(member)
                .and_then(Value::as_str)
                .unwrap_or_default()
        };
        let role = || text("role").to_owned();
        let member = || {
            Some(ChangedValue::Member {
                role: role(),
                member: principal(text("principal"))?,
            })
        };
        let access = || {
            let grantee = principal(text("principal"))?;
            Some(ChangedValue::Access {
                level: text("access").to_owned(),
                grantee,
            })
        };
        let superuser = || {
            let grantee = Principal::user(text("user"));
            Some(ChangedValue::Access {
                level: "superuser".to_owned(),
                grantee,
            })
        };
        let of_acl = || change.get("acl").and_then(acl).map(ChangedValue::Acl);
        match text("change") {
            "add_acl" => self.push(true, of_acl()),
            "remove_acl" => self.push(false, of_acl()),
            "create_role" => self.push(true, Some(ChangedValue::Role(role()))),
            "delete_role" => self.remove_role(text("role"), change),
            "add_member" => self.push(true, member()),
            "remove_member" => self.push(false, member()),
            "add_superuser" => self.push(true, superuser()),
            "remove_superuser" => self.push(false, superuser()),
            "grant_access" => self.push(true, access()),
            "revoke_access" => self.push(false, access()),
            "set" => self.set(text("name"), change.get("before"), change.get("after")),
            _ => {}
        }
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
    let text = |path: &str| {
        event
            .pointer(path)
            .and_then(Value::as_str)
            .unwrap_or_default()
    };
    match text("/user/type") {
        "idp_group" => Principal::group(text("/user/name")),
        _ => Principal::user(text("/user/name")),
    }
}

fn principal(text: &str) -> Option<Principal> {
    Principal::parse_in(Dialect::Kafka, text).ok()
}

fn acl(data: &Value) -> Option<Acl> {
    let text = |member: &str| data.get(member).and_then(Value::as_str);
    Some(Acl {
        resource_type: text("resource_type")?.parse().ok()?,
        resource_name: text("resource_name")?.to_owned(),
        pattern_type: text("pattern_type")?.parse().ok()?,
        principal: principal(text("principal")?)?,
        host: Host::parse_in(Dialect::Kafka, text("host")?).ok()?,
        operation: text("operation")?.parse().ok()?,
        permission: text("permission")?.parse().ok()?,
    })
}

fn value_text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        other => other.to_string(),
    }
}
