//! Roles in JSON: the output of command lines, and responses of APIs.

use gbac_engine::model::{Principal, PrincipalType};
use serde_json::Value;

use crate::acl_list::read_row;
use crate::entry::{Entry, Object};
use crate::import::{Input, ROLE_UNNAMED, Reader, Reading};

/// The members of a member, in every form.
const MEMBER: &[&str] = &["principal", "name", "principal_type", "user", "group"];

pub(crate) struct RoleList;

impl Reader for RoleList {
    fn recognizes(&self, input: &Input<'_>) -> bool {
        let members = ["permissions", "members", "roles", "role", "role_name"];
        matches!(input, Input::Value(Value::Object(object))
            if members.iter().any(|name| object.contains_key(*name)))
    }

    fn read(&self, input: &Input<'_>, reading: &mut Reading<'_>) {
        let Input::Value(Value::Object(object)) = input else {
            return;
        };
        let has = |name: &str| object.contains_key(name);
        if has("permissions") || !(has("roles") || has("role") || has("role_name")) {
            read_described(object, reading);
        } else {
            read_roles(object, reading);
        }
    }
}

/// `security role describe` of a command line, which does not contain the role's name.
fn read_described(object: &Object, reading: &mut Reading<'_>) {
    let mut described = Entry::new(object, &["permissions", "members"], "", reading);
    for (place, row) in described.elements("permissions", reading) {
        read_row(row, &place, reading);
    }
    let named = match (reading.role, object.get("permissions")) {
        (Some(role), _) => Some(role.to_owned()),
        (None, Some(Value::Array(rows))) => only_role(rows),
        (None, _) => None,
    };
    let Some(role) = named else {
        return reading.refuse("", "role_unnamed", ROLE_UNNAMED);
    };
    if reading.role(&role, "") {
        read_members(&mut described, &role, reading);
    }
}

/// Roles of the Data Plane API or the Admin API, or role names of a command line.
fn read_roles(object: &Object, reading: &mut Reading<'_>) {
    let known = ["roles", "role", "role_name", "members", "next_page_token"];
    let mut list = Entry::new(object, &known, "", reading);
    let next = list.text("next_page_token", reading);
    if next.is_some_and(|next| !next.is_empty()) {
        list.refuse_next_page("next_page_token", reading);
    }
    for (place, role) in list.elements("roles", reading) {
        read_role(role, &place, reading);
    }
    let mut name = list.text("role_name", reading);
    if let Some(role) = list.value("role") {
        list.either("role", "role_name", reading);
        read_role(role, "/role", reading);
        name = role.get("name").and_then(Value::as_str);
    }
    match name {
        Some(name) => {
            if reading.role(name, "") {
                read_members(&mut list, name, reading);
            }
        }
        None if list.list("members", reading).is_empty() => {}
        None => {
            let message = "members of a role without a name";
            reading.refuse("/members", "role_unnamed", message);
        }
    }
}

/// A role: only its name, or with its members.
fn read_role(role: &Value, at: &str, reading: &mut Reading<'_>) {
    if let Some(name) = role.as_str() {
        reading.role(name, at);
        return;
    }
    let Some(mut role) = Entry::from_value(role, &["name", "members"], at, "a role", reading)
    else {
        return;
    };
    let Some(name) = role.text("name", reading) else {
        return reading.refuse(at, "role_unnamed", "a role without a name");
    };
    if reading.role(name, at) {
        read_members(&mut role, name, reading);
    }
}

fn read_members(of: &mut Entry<'_>, role: &str, reading: &mut Reading<'_>) {
    for (place, member) in of.elements("members", reading) {
        let Some(member) = Entry::from_value(member, MEMBER, place.as_str(), "a member", reading)
        else {
            continue;
        };
        if let Some(member) = member_of(member, &place, reading) {
            reading.member(role, &member, &place);
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

/// `{"principal"}` of the Data Plane API, `{"user": {"name"}}` or `{"group": {"name"}}` of the
/// Admin API, `{"name", "principal_type"}` of the command lines.
fn member_of(mut member: Entry<'_>, place: &str, reading: &mut Reading<'_>) -> Option<String> {
    let [principal, name, kind] =
        ["principal", "name", "principal_type"].map(|name| member.text(name, reading));
    let [user, group] = ["user", "group"].map(|name| {
        let mut object = member.object(name, &["name"], reading)?;
        let text = object.text("name", reading);
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
        let message = "a member that is neither a user nor a group";
        reading.refuse(place, "member_unreadable", message);
    }
    named
}
