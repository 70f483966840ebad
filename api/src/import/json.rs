//! Imports the JSON of command lines and APIs: lists of ACLs, roles with their members, policy documents.

use gbac_engine::escape::escaped;
use gbac_engine::model::{Acl, Principal, PrincipalType};
use gbac_engine::policy::{Policy, Settings};
use gbac_json::policy_from_value;
use serde_json::{Map, Value};

use super::{Import, ImportedText, Kind, fields};

type Object = Map<String, Value>;

impl Import {
    pub(super) fn read_json(&mut self, value: &Value, role: Option<&str>) -> ImportedText {
        let object = match value {
            Value::Object(object) => object,
            Value::Array(rows) => {
                let mut read = ImportedText::of(Kind::Acls);
                self.rows(rows, "", &mut read);
                return read;
            }
            _ => return unknown(),
        };
        let has = |name: &str| object.contains_key(name);
        if has("format_version") {
            self.read_terraform(object)
        } else if super::kubernetes::is_resource(object) {
            self.read_kubectl(value)
        } else if has("version") {
            self.document(value)
        } else if object.get("kind").and_then(Value::as_str) == Some("KafkaAclList") {
            self.confluent_rest(object)
        } else if has("matches") || has("resources") {
            self.listed(object)
        } else if has("permissions") || (has("members") && !has("role") && !has("role_name")) {
            self.described(object, role)
        } else if has("roles") || has("role") || has("role_name") {
            self.api_roles(object)
        } else {
            unknown()
        }
    }

    /// A policy document. It is imported completely or not at all.
    fn document(&mut self, value: &Value) -> ImportedText {
        let mut read = ImportedText::of(Kind::Policy);
        match policy_from_value(value) {
            Ok(policy) => self.take_policy(&policy, &mut read),
            Err(problems) => {
                for problem in problems.0 {
                    read.refuse(problem.path, problem.code.as_str(), problem.message);
                }
            }
        }
        read
    }

    fn take_policy(&mut self, policy: &Policy, read: &mut ImportedText) {
        // Another document may contain the settings that this one omits.
        let stated = policy.settings();
        let held = self.settings.take().unwrap_or_else(Settings::unstated);
        // A policy is for one system, and this one may have what the other texts' lacks, or the other way round (D-71).
        let dialect = if stated.states().dialect { stated.dialect } else { held.dialect };
        let lacks = |acl: &Acl| {
            let principal = (acl.principal.kind(), acl.principal.name());
            dialect.check(acl.resource_type, acl.operation, principal, acl.host)
        };
        if let Err(error) =
            self.acls.iter().try_for_each(lacks).and_then(|()| policy.acls().try_for_each(|acl| lacks(&acl)))
        {
            read.refuse("", error.code(), format!("{error}; {}", error.hint()));
            self.settings = Some(held);
            return;
        }
        self.settings = Some(if stated.filled_from(&held) == held.filled_from(stated) {
            stated.filled_from(&held)
        } else {
            read.refuse(
                "/settings",
                "settings_differ",
                "these settings differ from those read before; they are ignored",
            );
            held
        });
        for role in policy.roles() {
            self.take_role(&role.name, "", read);
            for member in role.members {
                self.take_member(&role.name, member, String::new(), read);
            }
        }
        for acl in policy.acls() {
            read.acls += 1;
            read.again += usize::from(!self.acls.insert(acl));
        }
    }

    /// `security acl list` of a command line (`matches`), or the response of the Data Plane API (`resources`).
    fn listed(&mut self, object: &Object) -> ImportedText {
        let mut read = ImportedText::of(Kind::Acls);
        only(object, &["filters", "matches", "resources"], "", &mut read);
        // A failed filter means that a part of the list is missing.
        for (place, filter) in array(object, "filters", "", &mut read).iter().enumerate() {
            if let Some(message) = text(filter, "message").filter(|message| !message.is_empty()) {
                read.refuse(
                    format!("/filters/{place}"),
                    "list_incomplete",
                    format!("the list says: `{}`", escaped(message)),
                );
            }
        }
        self.rows(array(object, "matches", "", &mut read), "/matches", &mut read);
        for (place, resource) in array(object, "resources", "", &mut read).iter().enumerate() {
            self.resource(resource, &format!("/resources/{place}"), &mut read);
        }
        read
    }

    /// The list of Confluent's REST API.
    fn confluent_rest(&mut self, object: &Object) -> ImportedText {
        let mut read = ImportedText::of(Kind::Acls);
        only(object, &["kind", "metadata", "data"], "", &mut read);
        let next = object.get("metadata").and_then(|metadata| text(metadata, "next"));
        if next.is_some_and(|next| !next.is_empty()) {
            read.refuse("/metadata/next", "list_incomplete", "the list has another page, which is missing");
        }
        self.rows(array(object, "data", "", &mut read), "/data", &mut read);
        read
    }

    fn rows(&mut self, rows: &[Value], at: &str, read: &mut ImportedText) {
        for (place, row) in rows.iter().enumerate() {
            let place = format!("{at}/{place}");
            let Some(object) = row.as_object() else {
                read.refuse(place, "wrong_type", "expected an object, an ACL");
                continue;
            };
            if !only(object, ROW, &place, read) {
                continue;
            }
            let message = ["message", "error"].into_iter().find_map(|name| text(row, name).filter(|it| !it.is_empty()));
            if let Some(message) = message {
                read.refuse(place, "row_refused", format!("the list says: `{}`", escaped(message)));
                continue;
            }
            let has = |name: &str| object.contains_key(name);
            // Other tools have other names for a member, and the managed service of Confluent has no hosts.
            let either = |name: &'static str, other: &'static str| if has(name) { name } else { other };
            let pattern = either("pattern_type", "resource_pattern_type");
            let seven = [
                "resource_type",
                either("resource", "resource_name"),
                pattern,
                "principal",
                "host",
                "operation",
                either("permission", "permission_type"),
            ];
            let is_optional = |name: &str| match name {
                "resource_name" => true,
                "host" => pattern == "pattern_type" && !has("host"),
                _ => false,
            };
            if let Some(name) = seven.iter().find(|name| text(row, name).is_none() && !is_optional(name)) {
                read.refuse(place, "missing_member", format!("`{name}` is missing or not a string"));
                continue;
            }
            let word = |name| text(row, name).unwrap_or(if name == "host" { "*" } else { "" });
            self.take_acl(&fields(seven.map(word)), place, read);
        }
    }

    /// One resource of the Data Plane API's list, with its ACLs.
    fn resource(&mut self, resource: &Value, at: &str, read: &mut ImportedText) {
        let Some(object) = resource.as_object() else {
            read.refuse(at, "wrong_type", "expected an object, a resource");
            return;
        };
        only(object, &["resource_type", "resource_name", "resource_pattern_type", "acls"], at, read);
        let of = |name| text(resource, name).unwrap_or_default();
        for (place, acl) in array(object, "acls", at, read).iter().enumerate() {
            let place = format!("{at}/acls/{place}");
            if let Some(object) = acl.as_object()
                && !only(object, &["principal", "host", "operation", "permission_type"], &place, read)
            {
                continue;
            }
            let rule = |name| text(acl, name).unwrap_or_default();
            let seven = [
                of("resource_type"),
                of("resource_name"),
                of("resource_pattern_type"),
                rule("principal"),
                rule("host"),
                rule("operation"),
                rule("permission_type"),
            ];
            self.take_acl(&fields(seven), place, read);
        }
    }

    /// `security role describe` of a command line, which does not contain the role's name.
    fn described(&mut self, object: &Object, role: Option<&str>) -> ImportedText {
        let mut read = ImportedText::of(Kind::Roles);
        only(object, &["permissions", "members"], "", &mut read);
        let permissions = array(object, "permissions", "", &mut read);
        let named = role.map(str::to_owned).or_else(|| {
            let mut names = permissions.iter().map(|row| {
                let principal = text(row, "principal").and_then(|text| Principal::parse(text).ok())?;
                (principal.kind() == PrincipalType::Role).then(|| principal.name().to_owned())
            });
            let first = names.next().flatten()?;
            names.all(|name| name.as_deref() == Some(&first)).then_some(first)
        });
        self.rows(permissions, "/permissions", &mut read);
        let members = array(object, "members", "", &mut read);
        let Some(role) = named else {
            let message = "a role without its name; pass its name with --role";
            read.refuse("", "role_unnamed", message);
            return read;
        };
        if self.take_role(&role, "", &mut read) {
            self.members(&role, members, "/members", &mut read);
        }
        read
    }

    /// Roles of the Data Plane API or the Admin API, or role names of a command line.
    fn api_roles(&mut self, object: &Object) -> ImportedText {
        let mut read = ImportedText::of(Kind::Roles);
        only(object, &["roles", "role", "role_name", "members", "next_page_token"], "", &mut read);
        if object.get("next_page_token").and_then(Value::as_str).is_some_and(|token| !token.is_empty()) {
            read.refuse("/next_page_token", "list_incomplete", "the list has another page, which is missing");
        }
        for (place, role) in array(object, "roles", "", &mut read).iter().enumerate() {
            self.role(role, &format!("/roles/{place}"), &mut read);
        }
        let name = match object.get("role") {
            Some(role) => {
                self.role(role, "/role", &mut read);
                role.get("name").and_then(Value::as_str)
            }
            None => object.get("role_name").and_then(Value::as_str),
        };
        match (name, array(object, "members", "", &mut read)) {
            (Some(name), members) => {
                if self.take_role(name, "", &mut read) {
                    self.members(name, members, "/members", &mut read);
                }
            }
            (None, []) => {}
            (None, _) => read.refuse("/members", "role_unnamed", "members of a role without a name"),
        }
        read
    }

    /// A role: only its name, or with its members.
    fn role(&mut self, role: &Value, at: &str, read: &mut ImportedText) {
        let name = role.as_str().or_else(|| text(role, "name"));
        let Some(name) = name else {
            read.refuse(at, "role_unnamed", "a role without a name");
            return;
        };
        if let Some(object) = role.as_object() {
            only(object, &["name", "members"], at, read);
        }
        if self.take_role(name, at, read)
            && let Some(object) = role.as_object()
        {
            let members = array(object, "members", at, read);
            self.members(name, members, &format!("{at}/members"), read);
        }
    }

    fn members(&mut self, role: &str, members: &[Value], at: &str, read: &mut ImportedText) {
        for (place, member) in members.iter().enumerate() {
            let place = format!("{at}/{place}");
            match member_of(member) {
                Ok(member) => self.take_member(role, member, place, read),
                Err((code, message)) => read.refuse(place, code, message),
            }
        }
    }
}

/// The members of a row in the output of a command line: the platform's, Confluent's, or that of the Schema Registry.
const ROW: &[&str] = &[
    "kind",
    "metadata",
    "cluster_id",
    "resource",
    "pattern_type",
    "principal",
    "host",
    "resource_type",
    "resource_name",
    "resource_pattern_type",
    "operation",
    "permission",
    "permission_type",
    "message",
    "error",
];

/// `{"principal"}` of the Data Plane API, `{"user": {"name"}}` or `{"group": {"name"}}` of the Admin API, `{"name",
/// "principal_type"}` of the command lines.
fn member_of(member: &Value) -> Result<Principal, (&'static str, String)> {
    let parse =
        |text: &str| Principal::parse(text).map_err(|error| (error.code(), format!("{error}; {}", error.hint())));
    if let Some(principal) = text(member, "principal") {
        return parse(principal);
    }
    if let (Some(name), Some(kind)) = (text(member, "name"), text(member, "principal_type")) {
        return parse(&format!("{kind}:{name}"));
    }
    for (member, kind) in [(member.get("user"), PrincipalType::User), (member.get("group"), PrincipalType::Group)] {
        if let Some(name) = member.and_then(|member| text(member, "name")) {
            return parse(&format!("{}:{name}", kind.prefix()));
        }
    }
    Err(("member_unreadable", "a member that is neither a user nor a group".into()))
}

fn unknown() -> ImportedText {
    let mut read = ImportedText::of(Kind::Unknown);
    let message = "unrecognized JSON; expected a policy document, a list of ACLs, or roles";
    read.refuse("", "form_unknown", message);
    read
}

fn text<'v>(value: &'v Value, name: &str) -> Option<&'v str> {
    value.get(name)?.as_str()
}

/// An array that may be absent or null.
fn array<'v>(object: &'v Object, name: &str, at: &str, read: &mut ImportedText) -> &'v [Value] {
    match object.get(name) {
        None | Some(Value::Null) => &[],
        Some(Value::Array(values)) => values,
        Some(_) => {
            read.refuse(format!("{at}/{name}"), "wrong_type", "expected an array");
            &[]
        }
    }
}

/// Reports unknown members; returns whether there are none.
fn only(object: &Object, known: &[&str], at: &str, read: &mut ImportedText) -> bool {
    let mut all = true;
    for name in object.keys().filter(|name| !known.contains(&name.as_str())) {
        let place = format!("{at}/{}", name.replace('~', "~0").replace('/', "~1"));
        read.refuse(place, "unknown_member", format!("`{}` is an unknown field", escaped(name)));
        all = false;
    }
    all
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(all: &[(Value, Option<&str>)]) -> (Import, Vec<ImportedText>) {
        let mut import = Import::default();
        let reads = all.iter().map(|(value, role)| import.read(&value.to_string(), *role)).collect();
        (import, reads)
    }

    fn row(principal: &str, operation: &str) -> Value {
        json!({ "principal": principal, "host": "*", "resource_type": "TOPIC", "resource_name": "orders-",
            "resource_pattern_type": "PREFIXED", "operation": operation, "permission": "ALLOW" })
    }

    fn reported(read: &ImportedText) -> Vec<(&str, &str)> {
        read.unread.iter().map(|unread| (unread.place.as_str(), unread.code)).collect()
    }

    #[test]
    fn a_command_line_and_the_apis_say_the_same() {
        let rows = json!({ "filters": [], "matches": [row("RedpandaRole:r", "DESCRIBE_CONFIGS")] });
        let grouped = json!({ "resources": [{ "resource_type": "RESOURCE_TYPE_TOPIC", "resource_name": "orders-",
            "resource_pattern_type": "RESOURCE_PATTERN_TYPE_PREFIXED",
            "acls": [{ "principal": "Role:r", "host": "*", "operation": "OPERATION_DESCRIBE_CONFIGS",
                "permission_type": "PERMISSION_TYPE_ALLOW" }] }] });
        let described = json!({ "permissions": [row("RedpandaRole:r", "DESCRIBE_CONFIGS")],
            "members": [{ "name": "a:b", "principal_type": "Group" }, { "name": "u", "principal_type": "User" }] });
        let data_plane =
            json!({ "role": { "name": "r" }, "members": [{ "principal": "Group:a:b" }, { "principal": "User:u" }] });
        let members = json!({ "role_name": "r", "members": [{ "principal": "Group:a:b" }, { "principal": "User:u" }],
            "next_page_token": "" });
        let admin = json!({ "roles": [{ "name": "r", "members": [{ "group": { "name": "a:b" } }, { "user": { "name": "u" } }] }] });
        let policies: Vec<_> = [
            vec![rows.clone(), data_plane],
            vec![grouped.clone(), members],
            vec![admin, rows],
            vec![described],
            vec![
                grouped,
                json!({ "roles": ["r"] }),
                json!({ "role": { "name": "r",
                "members": [{ "user": { "name": "u" } }, { "group": { "name": "a:b" } }] } }),
            ],
        ]
        .into_iter()
        .map(|texts| {
            let texts: Vec<_> = texts.into_iter().map(|text| (text, None)).collect();
            let (import, reads) = read(&texts);
            assert!(reads.iter().all(|read| read.unread.is_empty()), "{reads:?}");
            import.policy()
        })
        .collect();
        assert_eq!((policies[0].acl_count(), policies[0].role("r").map(|role| role.members.len())), (1, Some(2)));
        assert!(policies.iter().all(|policy| *policy == policies[0]));
    }

    #[test]
    fn invalid_rows_are_reported_and_others_imported() {
        let mut refused = row("User:b", "READ");
        refused["message"] = json!("CLUSTER_AUTHORIZATION_FAILED");
        let mut new = row("User:c", "READ");
        new["condition"] = json!("only on Mondays");
        let list = json!({ "filters": [{ "message": "timed out" }], "deletions": [],
            "matches": [row("User:a", "READ"), refused, new, row("a", "READ"), 7, row("Group:x", "ANY"), row("User:a", "READ")] });
        let (import, reads) = read(&[(list, None)]);
        assert_eq!((reads[0].acls, reads[0].again, import.policy().acl_count()), (2, 1, 1));
        assert_eq!(
            reported(&reads[0]),
            [
                ("/deletions", "unknown_member"),
                ("/filters/0", "list_incomplete"),
                ("/matches/1", "row_refused"),
                ("/matches/2/condition", "unknown_member"),
                ("/matches/3", "principal_without_type"),
                ("/matches/4", "wrong_type"),
                ("/matches/5", "unknown_value"),
            ]
        );
    }

    #[test]
    fn a_role_without_its_name_takes_it_from_its_acls_or_the_caller() {
        let members = json!({ "members": [{ "name": "eng", "principal_type": "Group" }] });
        let (_, nameless) = read(&[(members.clone(), None)]);
        assert_eq!(reported(&nameless[0]), [("", "role_unnamed")]);
        let (import, named) = read(&[(members, Some("r"))]);
        assert!(named[0].unread.is_empty() && import.policy().has_role("r"));
        let two = json!({ "permissions": [row("Role:a", "READ"), row("Role:b", "READ")], "members": [] });
        let (import, reads) = read(&[(two, None)]);
        assert_eq!((reported(&reads[0]), import.policy().acl_count()), (vec![("", "role_unnamed")], 2));
        let invalid = json!({ "roles": [{ "name": "a,b" }, {}, { "name": "r", "members": [{ "principal": "Role:x" }, {}] }],
            "next_page_token": "r" });
        assert_eq!(
            reported(&read(&[(invalid, None)]).1[0]),
            [
                ("/next_page_token", "list_incomplete"),
                ("/roles/0", "role_name_character"),
                ("/roles/1", "role_unnamed"),
                ("/roles/2/members/0", "member_is_role"),
                ("/roles/2/members/1", "member_unreadable"),
            ]
        );
    }

    #[test]
    fn policy_documents_come_together_and_their_settings_must_agree() {
        let document = |path: &str| {
            json!({ "version": 1, "settings": { "oidc_group_claim_path": path },
            "acls": [{ "resource_type": "RESOURCE_TYPE_CLUSTER", "resource_pattern_type": "RESOURCE_PATTERN_TYPE_LITERAL",
                "principal": "Group:a", "host": "*", "operation": "OPERATION_READ", "permission_type": "PERMISSION_TYPE_ALLOW" }] })
        };
        let (import, reads) =
            read(&[(document("$.a"), None), (document("$.b"), None), (json!({ "version": 2 }), None)]);
        assert!(import.has_settings() && import.policy().acl_count() == 1);
        assert_eq!((reported(&reads[1]), reads[1].again), (vec![("/settings", "settings_differ")], 1));
        assert_eq!(reported(&reads[2]), [("/version", "unsupported_version")]);
        let named = json!({ "version": 1, "settings": { "superusers": ["root"] } });
        let (import, reads) = read(&[(document("$.a"), None), (named, None), (json!({ "version": 1 }), None)]);
        assert!(reads.iter().all(|read| read.unread.is_empty()), "{reads:?}");
        let states = import.policy().settings().states();
        assert!(states.claim_path && states.superusers && !states.nested && !states.principal_mapping);
        assert!(!read(&[(json!({ "version": 1 }), None)]).0.has_settings());
        assert_eq!(reported(&read(&[(json!({ "a": 1 }), None)]).1[0]), [("", "form_unknown")]);
    }
}
