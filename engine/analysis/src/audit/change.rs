//! Events of changes: the user, the old and new values, and the resulting state (D-50); and of the
//! service's start and stop (D-87).

use gbac_engine::escape::visible;
use gbac_engine::model::{Acl, Principal, PrincipalType};
use serde_json::{Value, json};

use super::event::{Class, Event, Node, status_id};
use super::{AuthProtocol, Context, User, UserKind};

/// A change, with the values before and after it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Modification<'a> {
    /// An ACL was added.
    AclAdded(&'a Acl),
    /// An ACL was removed.
    AclRemoved(&'a Acl),
    /// A role without members was created.
    RoleCreated(&'a str),
    /// A role was deleted.
    RoleDeleted {
        /// Its name.
        name: &'a str,
        /// Its members before.
        members: &'a [Principal],
        /// The ACLs of the role that were deleted with it.
        acls: &'a [Acl],
    },
    /// A role gained a member.
    MemberAdded {
        /// The role.
        role: &'a str,
        /// The member.
        member: &'a Principal,
    },
    /// A role lost a member.
    MemberRemoved {
        /// The role.
        role: &'a str,
        /// The member.
        member: &'a Principal,
    },
    /// A user became a superuser.
    SuperuserAdded(&'a str),
    /// A user stopped being a superuser.
    SuperuserRemoved(&'a str),
    /// A user or group gained limited access to the service.
    AccessGranted {
        /// The level, such as `read_only`.
        level: &'a str,
        /// The user or group.
        grantee: &'a Principal,
    },
    /// A user or group lost limited access to the service.
    AccessRevoked {
        /// The level, such as `read_only`.
        level: &'a str,
        /// The user or group.
        grantee: &'a Principal,
    },
    /// A local account was created.
    AccountCreated(&'a str),
    /// A local account was deleted, with its password.
    AccountDeleted(&'a str),
    /// A local account has another password.
    PasswordReset(&'a str),
    /// The service started.
    Started {
        /// The options that its decisions and its access depend on.
        options: &'a Value,
    },
    /// The service stopped.
    Stopped,
    /// A setting, property or other value changed.
    ValueSet {
        /// The kind of value, such as `setting` or `logger`.
        kind: &'a str,
        /// Its name.
        name: &'a str,
        /// The value before.
        before: &'a Value,
        /// The value after.
        after: &'a Value,
    },
    /// The audit log can be written again.
    LogResumed {
        /// The time since which it could not be written, in milliseconds since 1970.
        since_ms: i64,
        /// The number of requests that were refused because of that.
        refused: u64,
    },
    /// The oldest file of the audit log was deleted, because the total size is limited.
    LogFileDeleted {
        /// Its name.
        name: &'a str,
        /// Its size in bytes.
        bytes: u64,
        /// The number of its last event.
        last_sequence: u64,
        /// The SHA-256 of its last line, in hexadecimal.
        last_sha256: &'a str,
    },
    /// A part of many simultaneous changes of the policy, in order.
    Several {
        /// The changes, each as an object.
        changes: &'a [Value],
        /// The index of the first of them, from 0.
        first: usize,
        /// The number of all changes.
        total: usize,
    },
}

/// The policy and configuration after a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ResultingState<'a> {
    /// The entity tag of the policy, without quotes.
    pub policy_etag: &'a str,
    /// The version of the configuration.
    pub config_version: u64,
}

/// The content of an event of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Administration<'a> {
    /// Time, product and endpoints.
    pub context: Context<'a>,
    /// The user who made the change.
    pub user: User<'a>,
    /// The protocol with which that user signed in; `None` for the service itself.
    pub protocol: Option<AuthProtocol<'a>>,
    /// The change.
    pub modification: Modification<'a>,
    /// The change as text, without its user, such as `created the role r`.
    pub action: &'a str,
    /// Why the user made it, in their own words; `None` if they did not say.
    pub reason: Option<&'a str>,
    /// The resulting state; `None` if neither the policy nor the configuration changed.
    pub state: Option<ResultingState<'a>>,
}

/// Creates the event of one change: Account Change (3001), Entity Management (3004), User Access
/// Management (3005), Group Management (3006) or Application Lifecycle (6002).
#[must_use]
pub fn administration(input: &Administration<'_>) -> Event {
    let form = form(&input.modification);
    let actor = Node::Object(vec![("user", input.user.node(input.user.kind, &[]))]);
    let mut body = Vec::new();
    let mut unmapped = Vec::new();
    if matches!(form.class, Class::AccountChange | Class::EntityManagement) {
        body.push(("actor", actor));
    } else {
        // OCSF 1.0.0 has no actor in these classes.
        unmapped.push(("actor", actor));
    }
    let turns_audit = matches!(input.modification, Modification::ValueSet { .. });
    if form.class == Class::ApplicationLifecycle {
        // Auditing is a part of the service, which goes on.
        body.push((
            "app",
            input
                .context
                .product
                .node_of_feature(turns_audit.then_some("audit log")),
        ));
    }
    body.extend(form.body);
    let name = if input.user.name.is_empty() {
        "the service"
    } else {
        input.user.name
    };
    body.push((
        "message",
        Node::Text(format!("{} {}", visible(name), input.action)),
    ));
    body.push(("status_id", status_id(true)));
    if let Some(protocol) = input.protocol {
        let mut members = Vec::new();
        protocol.push_members(&mut members);
        unmapped.push(("sign_in", Node::Object(members)));
    }
    // The start and stop of the service, and changes at its start, come from no client.
    match form.class {
        Class::AccountChange => {}
        Class::ApplicationLifecycle if !turns_audit => {}
        _ => unmapped.push(("src_endpoint", input.context.src_endpoint(None))),
    }
    if let Some(ResultingState {
        policy_etag,
        config_version,
    }) = input.state
    {
        let version = i64::try_from(config_version).unwrap_or(i64::MAX);
        unmapped.push((
            "state",
            Node::Object(vec![
                ("policy_etag", Node::text(policy_etag)),
                ("config_version", Node::Number(version)),
            ]),
        ));
    }
    if let Some(reason) = input.reason {
        unmapped.push(("reason", Node::text(reason)));
    }
    if let Modification::Started { options } = input.modification {
        unmapped.push(("options", Node::Data(options.clone())));
    }
    body.push(("unmapped", Node::Object(unmapped)));
    Event::new(form.class, form.activity_id, &input.context, body)
}

/// The end of an audit file that an event says was deleted: the number of its last event, and the
/// SHA-256 of its last line.
#[must_use]
pub fn deleted_audit_file(event: &Value) -> Option<(u64, &str)> {
    let is_deletion =
        event["class_uid"] == Class::EntityManagement.uid() && event["activity_id"] == DELETE;
    let data = event
        .pointer("/entity/data")
        .filter(|_| is_deletion && event["entity"]["type"] == AUDIT_FILE)?;
    Some((
        data["last_sequence"].as_u64()?,
        data["last_sha256"].as_str()?,
    ))
}

/// The type of an audit file as an entity.
const AUDIT_FILE: &str = "audit_file";

/// The parts of an event that depend on the kind of change.
struct Form {
    class: Class,
    activity_id: i64,
    body: Vec<(&'static str, Node)>,
}

const CREATE: i64 = 1;
const UPDATE: i64 = 3;
const DELETE: i64 = 4;
const ASSIGN_PRIVILEGES: i64 = 1;
const REVOKE_PRIVILEGES: i64 = 2;
const ADD_USER: i64 = 3;
const REMOVE_USER: i64 = 4;
const CREATE_ACCOUNT: i64 = 1;
const RESET_PASSWORD: i64 = 4;
const DELETE_ACCOUNT: i64 = 6;
const START: i64 = 3;
const STOP: i64 = 4;

fn form(modification: &Modification<'_>) -> Form {
    match modification {
        Modification::AclAdded(acl) => {
            entity(CREATE, "acl", &acl.to_string(), Some(acl_data(acl)), None)
        }
        Modification::AclRemoved(acl) => {
            entity(DELETE, "acl", &acl.to_string(), Some(acl_data(acl)), None)
        }
        Modification::RoleCreated(name) => {
            entity(CREATE, "role", name, Some(json!({ "members": [] })), None)
        }
        Modification::RoleDeleted {
            name,
            members,
            acls,
        } => {
            let members: Vec<String> = members.iter().map(Principal::to_string).collect();
            let acls: Vec<Value> = acls.iter().map(acl_data).collect();
            let data = json!({ "members": members, "acls": acls });
            entity(DELETE, "role", name, Some(data), None)
        }
        Modification::MemberAdded { role, member } => membership(ADD_USER, role, member),
        Modification::MemberRemoved { role, member } => membership(REMOVE_USER, role, member),
        Modification::SuperuserAdded(name) => {
            let user = superuser(name, UserKind::Admin);
            privilege(ASSIGN_PRIVILEGES, "superuser", "superusers", user)
        }
        Modification::SuperuserRemoved(name) => {
            let user = superuser(name, UserKind::User);
            privilege(REVOKE_PRIVILEGES, "superuser", "superusers", user)
        }
        Modification::AccessGranted { level, grantee } => {
            privilege(ASSIGN_PRIVILEGES, level, "access", principal(grantee))
        }
        Modification::AccessRevoked { level, grantee } => {
            privilege(REVOKE_PRIVILEGES, level, "access", principal(grantee))
        }
        Modification::AccountCreated(name) => account(CREATE_ACCOUNT, name),
        Modification::AccountDeleted(name) => account(DELETE_ACCOUNT, name),
        Modification::PasswordReset(name) => account(RESET_PASSWORD, name),
        Modification::Started { .. } => lifecycle(START),
        Modification::Stopped => lifecycle(STOP),
        Modification::ValueSet {
            kind: "setting",
            name: "audit_enabled",
            after,
            ..
        } => lifecycle(if **after == Value::Bool(true) {
            START
        } else {
            STOP
        }),
        Modification::ValueSet {
            kind,
            name,
            before,
            after,
        } => {
            let [before, after] = [before, after].map(|value| json!({ "value": value }));
            entity(UPDATE, kind, name, Some(before), Some(after))
        }
        Modification::LogResumed { since_ms, refused } => {
            let before =
                json!({ "writable": false, "since": since_ms, "refused_requests": refused });
            let after = json!({ "writable": true });
            entity(UPDATE, "audit_log", "audit log", Some(before), Some(after))
        }
        Modification::LogFileDeleted {
            name,
            bytes,
            last_sequence,
            last_sha256,
        } => {
            let data = json!({ "bytes": bytes, "last_sequence": last_sequence, "last_sha256": last_sha256 });
            entity(DELETE, AUDIT_FILE, name, Some(data), None)
        }
        Modification::Several {
            changes,
            first,
            total,
        } => {
            let last = first + changes.len();
            let data =
                json!({ "first": first + 1, "last": last, "total": total, "changes": changes });
            entity(UPDATE, "policy", "policy", None, Some(data))
        }
    }
}

fn entity(
    activity_id: i64,
    kind: &str,
    name: &str,
    data: Option<Value>,
    result: Option<Value>,
) -> Form {
    let mut body = vec![("entity", entity_node(kind, name, data))];
    if result.is_some() {
        body.push(("entity_result", entity_node(kind, name, result)));
    }
    Form {
        class: Class::EntityManagement,
        activity_id,
        body,
    }
}

fn entity_node(kind: &str, name: &str, data: Option<Value>) -> Node {
    let mut members = Vec::new();
    if let Some(data) = data {
        members.push(("data", Node::Data(data)));
    }
    members.push(("name", Node::text(name)));
    members.push(("type", Node::text(kind)));
    Node::Object(members)
}

/// A local account, which is a superuser.
fn account(activity_id: i64, name: &str) -> Form {
    Form {
        class: Class::AccountChange,
        activity_id,
        body: vec![("user", Node::Object(superuser(name, UserKind::Admin)))],
    }
}

fn superuser(name: &str, kind: UserKind) -> Vec<(&'static str, Node)> {
    vec![
        ("name", Node::text(name)),
        ("type_id", Node::Number(kind.id())),
    ]
}

fn lifecycle(activity_id: i64) -> Form {
    Form {
        class: Class::ApplicationLifecycle,
        activity_id,
        body: Vec::new(),
    }
}

fn membership(activity_id: i64, role: &str, member: &Principal) -> Form {
    let group = Node::Object(vec![
        ("name", Node::text(role)),
        ("type", Node::text("role")),
    ]);
    Form {
        class: Class::GroupManagement,
        activity_id,
        body: vec![("group", group), ("user", Node::Object(principal(member)))],
    }
}

/// A user, or a group of the identity provider as a user.
fn principal(principal: &Principal) -> Vec<(&'static str, Node)> {
    let mut user = vec![("name", Node::text(principal.name()))];
    if principal.kind() == PrincipalType::User {
        user.push(("type_id", Node::Number(UserKind::User.id())));
    } else {
        user.push(("type", Node::text("idp_group")));
        user.push(("type_id", Node::Number(OTHER)));
    }
    user
}

/// OCSF's `type_id` for a type that `type` names.
const OTHER: i64 = 99;

fn privilege(
    activity_id: i64,
    privilege: &str,
    setting: &str,
    user: Vec<(&'static str, Node)>,
) -> Form {
    let resource = Node::Object(vec![
        ("name", Node::text(setting)),
        ("type", Node::text("setting")),
    ]);
    let privileges = Node::List(vec![Node::text(privilege)]);
    Form {
        class: Class::UserAccessManagement,
        activity_id,
        body: vec![
            ("privileges", privileges),
            ("resource", resource),
            ("user", Node::Object(user)),
        ],
    }
}

/// A modification as an object, for a list of many.
#[must_use]
pub fn modification_data(modification: &Modification<'_>) -> Value {
    match modification {
        Modification::AclAdded(acl) => json!({ "change": "add_acl", "acl": acl_data(acl) }),
        Modification::AclRemoved(acl) => json!({ "change": "remove_acl", "acl": acl_data(acl) }),
        Modification::RoleCreated(name) => json!({ "change": "create_role", "role": name }),
        Modification::RoleDeleted {
            name,
            members,
            acls,
        } => {
            let members: Vec<String> = members.iter().map(Principal::to_string).collect();
            let acls: Vec<Value> = acls.iter().map(acl_data).collect();
            json!({ "change": "delete_role", "role": name, "members": members, "acls": acls })
        }
        Modification::MemberAdded { role, member } => {
            json!({ "change": "add_member", "role": role, "principal": member.to_string() })
        }
        Modification::MemberRemoved { role, member } => {
            json!({ "change": "remove_member", "role": role, "principal": member.to_string() })
        }
        Modification::SuperuserAdded(name) => json!({ "change": "add_superuser", "user": name }),
        Modification::SuperuserRemoved(name) => {
            json!({ "change": "remove_superuser", "user": name })
        }
        Modification::AccessGranted { level, grantee } => {
            json!({ "change": "grant_access", "access": level, "principal": grantee.to_string() })
        }
        Modification::AccessRevoked { level, grantee } => {
            json!({ "change": "revoke_access", "access": level, "principal": grantee.to_string() })
        }
        Modification::AccountCreated(name) => json!({ "change": "create_account", "user": name }),
        Modification::AccountDeleted(name) => json!({ "change": "delete_account", "user": name }),
        Modification::PasswordReset(name) => json!({ "change": "reset_password", "user": name }),
        Modification::Started { options } => json!({ "change": "start", "options": options }),
        Modification::Stopped => json!({ "change": "stop" }),
        Modification::ValueSet {
            kind,
            name,
            before,
            after,
        } => {
            json!({ "change": "set", "type": kind, "name": name, "before": before, "after": after })
        }
        Modification::LogResumed { since_ms, refused } => {
            json!({ "change": "log_resumed", "since": since_ms, "refused_requests": refused })
        }
        Modification::LogFileDeleted {
            name,
            bytes,
            last_sequence,
            last_sha256,
        } => json!({
            "change": "delete_audit_file", "name": name, "bytes": bytes, "last_sequence": last_sequence,
            "last_sha256": last_sha256,
        }),
        Modification::Several { changes, .. } => json!(changes),
    }
}

/// An ACL with the platform's values.
fn acl_data(acl: &Acl) -> Value {
    json!({
        "resource_type": acl.resource_type.spelling().audit,
        "resource_name": acl.resource_name,
        "pattern_type": acl.pattern_type.spelling().audit,
        "principal": acl.principal.to_string(),
        "host": acl.host.to_string(),
        "operation": acl.operation.spelling().audit,
        "permission": acl.permission.spelling().audit,
    })
}
