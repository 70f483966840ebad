//! The roles of the Admin API v1, which takes users only as members.

use serde_json::{Value, json};

use super::fields::text;
use super::state::{ClusterState, is_role_name};
use super::wire::{HttpAnswer, HttpRequest, admin_error as error};
use super::{Caller, PlatformOptions};

const LICENSE: &str = "A Redpanda Enterprise Edition license is required to manage roles.";

/// An error of roles; the first three digits of its code are the status.
fn refused(code: u64, detail: &str) -> HttpAnswer {
    let name = match code {
        40001 => "Malformed request",
        40002 => "Invalid role name",
        40004 => "Conflict between 'add' and 'remove' lists",
        40401 => "Role not found",
        _ => "Role already exists",
    };
    let message = if detail.is_empty() {
        name.to_owned()
    } else {
        format!("{name}: {detail}")
    };
    HttpAnswer::json(
        u16::try_from(code / 100).unwrap_or(500),
        &json!({ "message": message, "code": code }),
    )
}

fn users_only(kind: &str) -> HttpAnswer {
    refused(
        40001,
        &format!("Role membership reserved for user principals, got {{{kind}}}"),
    )
}

/// The caller's own roles.
pub(super) fn own(state: &ClusterState, caller: Caller, request: &HttpRequest) -> HttpAnswer {
    let user = if caller == Caller::Alice {
        "User:alice"
    } else {
        "User:admin"
    };
    list(
        state,
        request.parameter("filter").unwrap_or_default(),
        Some(user),
    )
}

fn list(state: &ClusterState, prefix: &str, member: Option<&str>) -> HttpAnswer {
    let roles = state.roles.iter().filter(|(name, members)| {
        name.starts_with(prefix) && member.is_none_or(|member| members.contains(member))
    });
    HttpAnswer::json(
        200,
        &json!({ "roles": roles.map(|(name, _)| json!({ "name": name })).collect::<Vec<_>>() }),
    )
}

pub(super) fn answer(
    options: &PlatformOptions,
    state: &mut ClusterState,
    path: &[&str],
    request: &HttpRequest,
) -> HttpAnswer {
    match (request.method.as_str(), path) {
        ("GET", []) => {
            let kind = request.parameter("principal_type").unwrap_or("User");
            if kind != "User" {
                return users_only(kind);
            }
            let member = request
                .parameter("principal")
                .map(|name| format!("User:{name}"));
            list(
                state,
                request.parameter("filter").unwrap_or_default(),
                member.as_deref(),
            )
        }
        ("POST", []) => create(options, state, request),
        ("GET", [name]) => match state.roles.get(*name) {
            Some(members) => {
                HttpAnswer::json(200, &json!({ "name": name, "members": written(members) }))
            }
            None => refused(40401, ""),
        },
        ("DELETE", [name]) => {
            state.delete_role(name, request.parameter("delete_acls") == Some("true"));
            HttpAnswer::empty(204)
        }
        ("GET", [name, "members"]) => match state.roles.get(*name) {
            Some(members) => HttpAnswer::json(200, &json!({ "members": written(members) })),
            None => refused(40401, ""),
        },
        ("POST", [name, "members"]) => change(options, state, name, request),
        _ => error(404, "Not found"),
    }
}

fn create(
    options: &PlatformOptions,
    state: &mut ClusterState,
    request: &HttpRequest,
) -> HttpAnswer {
    let body: Value = serde_json::from_str(&request.body).unwrap_or_default();
    let Some(name) = body["role"].as_str() else {
        return refused(40001, "missing role");
    };
    if !options.license {
        return error(403, LICENSE);
    }
    if !is_role_name(name) {
        return refused(40002, "");
    }
    if state
        .roles
        .get(name)
        .is_some_and(|members| !members.is_empty())
    {
        return refused(40901, "");
    }
    state.roles.entry(name.to_owned()).or_default();
    HttpAnswer::json(201, &json!({ "role": name }))
}

fn change(
    options: &PlatformOptions,
    state: &mut ClusterState,
    name: &str,
    request: &HttpRequest,
) -> HttpAnswer {
    let body: Value = serde_json::from_str(&request.body).unwrap_or_default();
    let read = |field: &str| -> Result<Vec<String>, HttpAnswer> {
        let members = body[field].as_array().into_iter().flatten();
        members
            .map(|member| match text(member, "principal_type") {
                "User" => Ok(format!("User:{}", text(member, "name"))),
                kind => Err(users_only(kind)),
            })
            .collect()
    };
    let (add, remove) = match (read("add"), read("remove")) {
        (Ok(add), Ok(remove)) => (add, remove),
        (Err(answer), _) | (_, Err(answer)) => return answer,
    };
    if !options.license {
        return error(403, LICENSE);
    }
    if add.iter().any(|member| remove.contains(member)) {
        return refused(40004, "");
    }
    let is_new = !state.roles.contains_key(name);
    if is_new && request.parameter("create") != Some("true") {
        return refused(40401, "");
    }
    let members = state.roles.entry(name.to_owned()).or_default();
    let added: Vec<String> = add
        .into_iter()
        .filter(|member| members.insert(member.clone()))
        .collect();
    let removed: Vec<String> = remove
        .into_iter()
        .filter(|member| members.remove(member))
        .collect();
    HttpAnswer::json(
        200,
        &json!({ "role": name, "added": written(&added), "removed": written(&removed), "created": is_new }),
    )
}

fn written<'a>(members: impl IntoIterator<Item = &'a String>) -> Vec<Value> {
    let parts = members
        .into_iter()
        .filter_map(|member| member.split_once(':'));
    parts
        .map(|(kind, name)| json!({ "name": name, "principal_type": kind }))
        .collect()
}
