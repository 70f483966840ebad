//! Imports the JSON of command lines and APIs: lists of ACLs, roles with their members, policy
//! documents.

use gbac_engine::model::{Acl, Principal, PrincipalType};
use gbac_engine::policy::{Policy, Settings};
use gbac_json::policy_from_value;
use serde_json::Value;

use super::entry::{Entry, Object};
use super::{Import, ImportedText, Kind, fields, terraform};

impl Import {
    pub(super) fn read_json(&mut self, value: &Value, role: Option<&str>) -> ImportedText {
        let object = match value {
            Value::Object(object) => object,
            Value::Array(rows) => {
                let mut read = ImportedText::new(Kind::Acls);
                for (number, row) in rows.iter().enumerate() {
                    self.row(row, &format!("/{number}"), &mut read);
                }
                return read;
            }
            _ => return unknown(),
        };
        let has = |name: &str| object.contains_key(name);
        if has("format_version") || terraform::is_state_file(object) {
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
        let mut read = ImportedText::new(Kind::Policy);
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
        // A policy is for one system, and this one may have what the other texts' lacks, or the
        // other way round (D-71).
        let dialect = if stated.states().dialect {
            stated.dialect
        } else {
            held.dialect
        };
        let lacks = |acl: &Acl| {
            let principal = (acl.principal.kind(), acl.principal.name());
            dialect.check(acl.resource_type, acl.operation, principal, acl.host)
        };
        if let Err(error) = self
            .acls
            .iter()
            .try_for_each(lacks)
            .and_then(|()| policy.acls().try_for_each(|acl| lacks(&acl)))
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

    /// `security acl list` of a command line (`matches`), or the response of the Data Plane API
    /// (`resources`).
    fn listed(&mut self, object: &Object) -> ImportedText {
        let mut read = ImportedText::new(Kind::Acls);
        let mut list = Entry::new(object, &["filters", "matches", "resources"], "", &mut read);
        // A failed filter means that a part of the list is missing.
        for (number, filter) in list.list("filters", &mut read).iter().enumerate() {
            let place = list.place_of(&format!("filters/{number}"));
            if let Some(mut filter) =
                Entry::from_value(filter, FILTER, place, "a filter", &mut read)
            {
                filter.expect_silence("message", "list_incomplete", &mut read);
                filter.expect_silence("error", "list_incomplete", &mut read);
            }
        }
        self.rows(&mut list, "matches", &mut read);
        for (number, resource) in list.list("resources", &mut read).iter().enumerate() {
            self.resource(
                resource,
                &list.place_of(&format!("resources/{number}")),
                &mut read,
            );
        }
        read
    }

    /// The list of Confluent's REST API.
    fn confluent_rest(&mut self, object: &Object) -> ImportedText {
        let mut read = ImportedText::new(Kind::Acls);
        let mut list = Entry::new(object, &["kind", "metadata", "data"], "", &mut read);
        if let Some(next) = list
            .value("metadata")
            .and_then(|metadata| metadata.get("next"))
            && !next.is_null()
            && next != ""
        {
            list.refuse(
                "metadata/next",
                "list_incomplete",
                "the list has another page, which is missing",
                &mut read,
            );
        }
        self.rows(&mut list, "data", &mut read);
        read
    }

    /// The rows of a member.
    fn rows(&mut self, list: &mut Entry<'_>, name: &str, read: &mut ImportedText) {
        for (number, row) in list.list(name, read).iter().enumerate() {
            self.row(row, &list.place_of(&format!("{name}/{number}")), read);
        }
    }

    fn row(&mut self, row: &Value, place: &str, read: &mut ImportedText) {
        let Some(mut row) = Entry::from_value(row, ROW, place, "an ACL", read) else {
            return;
        };
        if !row.is_whole() {
            return;
        }
        row.expect_silence("message", "row_refused", read);
        row.expect_silence("error", "row_refused", read);
        // Other tools have other names for a member, and the managed service of Confluent has no
        // hosts.
        let mut either = |name: &'static str, other: &'static str| {
            if row.has(name) && row.has(other) {
                row.refuse(
                    other,
                    "duplicate_member",
                    format!("`{name}` and `{other}` are the same field"),
                    read,
                );
            }
            if row.has(name) { name } else { other }
        };
        let (resource, permission) = (
            either("resource", "resource_name"),
            either("permission", "permission_type"),
        );
        let pattern = either("pattern_type", "resource_pattern_type");
        let seven = [
            "resource_type",
            resource,
            pattern,
            "principal",
            "host",
            "operation",
            permission,
        ];
        let texts = seven.map(|name| row.text(name, read));
        if !row.is_whole() {
            return;
        }
        let is_optional = |name: &str| match name {
            "resource_name" => true,
            "host" => pattern == "pattern_type" && !row.is_stated("host"),
            _ => false,
        };
        let missing = seven
            .iter()
            .zip(&texts)
            .find(|(name, text)| text.is_none() && !is_optional(name));
        if let Some((name, _)) = missing {
            return read.refuse(
                place,
                "missing_member",
                format!("`{name}` is missing or not a string"),
            );
        }
        let [kind, name, pattern, principal, host, operation, permission] =
            texts.map(Option::unwrap_or_default);
        let host = if row.is_stated("host") { host } else { "*" };
        self.take_acl(
            &fields([kind, name, pattern, principal, host, operation, permission]),
            place.to_owned(),
            read,
        );
    }

    /// One resource of the Data Plane API's list, with its ACLs.
    fn resource(&mut self, resource: &Value, at: &str, read: &mut ImportedText) {
        let members = [
            "resource_type",
            "resource_name",
            "resource_pattern_type",
            "acls",
        ];
        let Some(mut resource) = Entry::from_value(resource, &members, at, "a resource", read)
        else {
            return;
        };
        let [kind, name, pattern] = ["resource_type", "resource_name", "resource_pattern_type"]
            .map(|name| resource.text(name, read));
        if !resource.is_whole() {
            return;
        }
        let (Some(kind), Some(pattern)) = (kind, pattern) else {
            read.refuse(
                at,
                "missing_member",
                "`resource_type` or `resource_pattern_type` is missing",
            );
            return;
        };
        let name = name.unwrap_or_default();
        for (number, acl) in resource.list("acls", read).iter().enumerate() {
            let place = resource.place_of(&format!("acls/{number}"));
            let members = ["principal", "host", "operation", "permission_type"];
            let Some(mut acl) = Entry::from_value(acl, &members, place.as_str(), "an ACL", read)
            else {
                continue;
            };
            let [principal, host, operation, permission] =
                members.map(|name| acl.text(name, read).unwrap_or_default());
            if acl.is_whole() {
                self.take_acl(
                    &fields([kind, name, pattern, principal, host, operation, permission]),
                    place,
                    read,
                );
            }
        }
    }

    /// `security role describe` of a command line, which does not contain the role's name.
    fn described(&mut self, object: &Object, role: Option<&str>) -> ImportedText {
        let mut read = ImportedText::new(Kind::Roles);
        let mut described = Entry::new(object, &["permissions", "members"], "", &mut read);
        let named = role
            .map(str::to_owned)
            .or_else(|| only_role(object.get("permissions")?.as_array()?));
        self.rows(&mut described, "permissions", &mut read);
        let Some(role) = named else {
            let message = "a role without its name; pass its name with --role";
            read.refuse("", "role_unnamed", message);
            return read;
        };
        if self.take_role(&role, "", &mut read) {
            self.members(&mut described, &role, &mut read);
        }
        read
    }

    /// Roles of the Data Plane API or the Admin API, or role names of a command line.
    fn api_roles(&mut self, object: &Object) -> ImportedText {
        let mut read = ImportedText::new(Kind::Roles);
        let known = ["roles", "role", "role_name", "members", "next_page_token"];
        let mut list = Entry::new(object, &known, "", &mut read);
        if list
            .text("next_page_token", &mut read)
            .is_some_and(|token| !token.is_empty())
        {
            let message = "the list has another page, which is missing";
            list.refuse("next_page_token", "list_incomplete", message, &mut read);
        }
        for (number, role) in list.list("roles", &mut read).iter().enumerate() {
            self.role(role, &list.place_of(&format!("roles/{number}")), &mut read);
        }
        let mut name = list.text("role_name", &mut read);
        if let Some(role) = list.value("role") {
            if name.is_some() {
                list.refuse(
                    "role_name",
                    "duplicate_member",
                    "`role` and `role_name` are the same field",
                    &mut read,
                );
            }
            self.role(role, "/role", &mut read);
            name = role.get("name").and_then(Value::as_str);
        }
        match name {
            Some(name) => {
                if self.take_role(name, "", &mut read) {
                    self.members(&mut list, name, &mut read);
                }
            }
            None if list.list("members", &mut read).is_empty() => {}
            None => read.refuse(
                "/members",
                "role_unnamed",
                "members of a role without a name",
            ),
        }
        read
    }

    /// A role: only its name, or with its members.
    fn role(&mut self, role: &Value, at: &str, read: &mut ImportedText) {
        if let Some(name) = role.as_str() {
            self.take_role(name, at, read);
            return;
        }
        let Some(mut role) = Entry::from_value(role, &["name", "members"], at, "a role", read)
        else {
            return;
        };
        let Some(name) = role.text("name", read) else {
            read.refuse(at, "role_unnamed", "a role without a name");
            return;
        };
        if self.take_role(name, at, read) {
            self.members(&mut role, name, read);
        }
    }

    fn members(&mut self, of: &mut Entry<'_>, role: &str, read: &mut ImportedText) {
        for (number, member) in of.list("members", read).iter().enumerate() {
            let place = of.place_of(&format!("members/{number}"));
            let Some(member) = Entry::from_value(member, MEMBER, place.as_str(), "a member", read)
            else {
                continue;
            };
            if let Some(member) = member_of(member, &place, read) {
                self.take_named_member(role, &member, &place, read);
            }
        }
    }
}

/// The role of all of these rows, if there is only one.
fn only_role(rows: &[Value]) -> Option<String> {
    let mut names = rows.iter().map(|row| {
        let principal = Principal::parse(row.get("principal")?.as_str()?).ok()?;
        (principal.kind() == PrincipalType::Role).then(|| principal.name().to_owned())
    });
    let first = names.next().flatten()?;
    names
        .all(|name| name.as_deref() == Some(&first))
        .then_some(first)
}

/// The members of a filter in the output of a command line: those of a row.
const FILTER: &[&str] = ROW;

/// The members of a member, in every form.
const MEMBER: &[&str] = &["principal", "name", "principal_type", "user", "group"];

/// The members of a row in the output of a command line: the platform's, Confluent's, or that of
/// the Schema Registry.
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

/// `{"principal"}` of the Data Plane API, `{"user": {"name"}}` or `{"group": {"name"}}` of the
/// Admin API, `{"name", "principal_type"}` of the command lines.
fn member_of(mut member: Entry<'_>, place: &str, read: &mut ImportedText) -> Option<String> {
    let [principal, name, kind] =
        ["principal", "name", "principal_type"].map(|name| member.text(name, read));
    let [user, group] = ["user", "group"].map(|name| {
        let mut object = member.object(name, &["name"], read)?;
        let text = object.text("name", read);
        // A member whose name cannot be read is none.
        Some(text.filter(|_| object.is_whole()))
    });
    if !member.is_whole() {
        return None;
    }
    let named = match (principal, (name, kind), user, group) {
        (Some(principal), (None, None), None, None) => Some(principal.to_owned()),
        (None, (Some(name), Some(kind)), None, None) => Some(format!("{kind}:{name}")),
        (None, (None, None), Some(Some(name)), None) => Some(Principal::user(name).to_string()),
        (None, (None, None), None, Some(Some(name))) => Some(Principal::group(name).to_string()),
        _ => None,
    };
    if named.is_none() {
        read.refuse(
            place,
            "member_unreadable",
            "a member that is neither a user nor a group",
        );
    }
    named
}

fn unknown() -> ImportedText {
    let mut read = ImportedText::new(Kind::Unknown);
    let message = "unrecognized JSON; expected a policy document, a list of ACLs, or roles";
    read.refuse("", "form_unknown", message);
    read
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(all: &[(Value, Option<&str>)]) -> (Import, Vec<ImportedText>) {
        let mut import = Import::default();
        let reads = all
            .iter()
            .map(|(value, role)| import.read(&value.to_string(), *role))
            .collect();
        (import, reads)
    }

    fn row(principal: &str, operation: &str) -> Value {
        json!({ "principal": principal, "host": "*", "resource_type": "TOPIC", "resource_name": "orders-",
            "resource_pattern_type": "PREFIXED", "operation": operation, "permission": "ALLOW" })
    }

    fn reported(read: &ImportedText) -> Vec<(&str, &str)> {
        read.unread
            .iter()
            .map(|unread| (unread.place.as_str(), unread.code))
            .collect()
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
        let data_plane = json!({ "role": { "name": "r" }, "members": [{ "principal": "Group:a:b" }, { "principal": "User:u" }] });
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
        assert_eq!(
            (
                policies[0].acl_count(),
                policies[0].role("r").map(|role| role.members.len())
            ),
            (1, Some(2))
        );
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
        assert_eq!(
            (reads[0].acls, reads[0].again, import.policy().acl_count()),
            (2, 1, 1)
        );
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
        let two =
            json!({ "permissions": [row("Role:a", "READ"), row("Role:b", "READ")], "members": [] });
        let (import, reads) = read(&[(two, None)]);
        assert_eq!(
            (reported(&reads[0]), import.policy().acl_count()),
            (vec![("", "role_unnamed")], 2)
        );
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
        let (import, reads) = read(&[
            (document("$.a"), None),
            (document("$.b"), None),
            (json!({ "version": 2 }), None),
        ]);
        assert!(import.has_settings() && import.policy().acl_count() == 1);
        assert_eq!(
            (reported(&reads[1]), reads[1].again),
            (vec![("/settings", "settings_differ")], 1)
        );
        assert_eq!(reported(&reads[2]), [("/version", "unsupported_version")]);
        let named = json!({ "version": 1, "settings": { "superusers": ["root"] } });
        let (import, reads) = read(&[
            (document("$.a"), None),
            (named, None),
            (json!({ "version": 1 }), None),
        ]);
        assert!(reads.iter().all(|read| read.unread.is_empty()), "{reads:?}");
        let states = import.policy().settings().states();
        assert!(
            states.claim_path && states.superusers && !states.nested && !states.principal_mapping
        );
        assert!(!read(&[(json!({ "version": 1 }), None)]).0.has_settings());
        assert_eq!(
            reported(&read(&[(json!({ "a": 1 }), None)]).1[0]),
            [("", "form_unknown")]
        );
    }
}
