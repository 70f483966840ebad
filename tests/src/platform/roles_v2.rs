//! The SecurityService of the Admin API v2 over Connect in JSON.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::fields::{Fault, camel, renamed, snake, text};
use super::state::{ClusterState, is_role_name};
use super::wire::{HttpAnswer, HttpRequest};
use super::{Caller, PlatformOptions};

pub(super) fn answer(
    options: &PlatformOptions,
    state: &mut ClusterState,
    caller: Caller,
    operation: &str,
    request: &HttpRequest,
) -> HttpAnswer {
    if request.method != "POST" {
        return HttpAnswer::empty(405);
    }
    let done = (|| {
        let is_own = matches!(operation, "ListCurrentUserRoles" | "ResolveOidcIdentity");
        match caller {
            Caller::Nobody => return Err(fault("UNAUTHENTICATED", "Unauthorized")),
            Caller::Alice if !is_own => {
                return Err(fault(
                    "PERMISSION_DENIED",
                    "Forbidden (superuser role required)",
                ));
            }
            Caller::Alice | Caller::Superuser { .. } => {}
        }
        let message = serde_json::from_str(&request.body)
            .map_err(|_| fault("INVALID_ARGUMENT", "failed to parse the request"))?;
        make(
            options,
            state,
            caller,
            operation,
            &renamed(&message, &snake),
        )
    })();
    match done {
        Ok(value) => HttpAnswer::json(200, &renamed(&value, &camel)),
        Err(fault) => fault.connect(),
    }
}

fn fault(code: &'static str, message: impl Into<String>) -> Fault {
    Fault::new(code, "", message)
}

fn make(
    options: &PlatformOptions,
    state: &mut ClusterState,
    caller: Caller,
    operation: &str,
    message: &Value,
) -> Result<Value, Fault> {
    let license = || {
        let text = "A Redpanda Enterprise Edition license is required to manage roles.";
        if options.license {
            Ok(())
        } else {
            Err(fault("FAILED_PRECONDITION", text))
        }
    };
    let missing = |name: &str| fault("NOT_FOUND", format!("Role '{name}' does not exist"));
    match operation {
        "CreateRole" => {
            let name = text(&message["role"], "name");
            if !is_role_name(name) {
                return Err(fault(
                    "INVALID_ARGUMENT",
                    format!("Invalid role name {{{name}}}"),
                ));
            }
            let members = members(&message["role"])?;
            license()?;
            // The same role again is no error.
            if state.roles.get(name).is_some_and(|held| *held != members) {
                return Err(fault("ALREADY_EXISTS", "Role already exists"));
            }
            state.roles.insert(name.to_owned(), members);
            Ok(json!({ "role": message["role"] }))
        }
        "GetRole" => {
            let name = text(message, "name");
            let members = state.roles.get(name).ok_or_else(|| missing(name))?;
            Ok(json!({ "role": written(name, members) }))
        }
        "ListRoles" => Ok(
            json!({ "roles": state.roles.iter().map(|(name, held)| written(name, held)).collect::<Vec<_>>() }),
        ),
        "AddRoleMembers" | "RemoveRoleMembers" => {
            let name = text(message, "role_name");
            let members = members(message)?;
            license()?;
            let held = state.roles.get_mut(name).ok_or_else(|| missing(name))?;
            if operation == "AddRoleMembers" {
                held.extend(members);
            } else {
                held.retain(|member| !members.contains(member));
            }
            Ok(json!({ "role": written(name, held) }))
        }
        "DeleteRole" => {
            state.delete_role(text(message, "name"), message["delete_acls"] == json!(true));
            Ok(json!({}))
        }
        "ListCurrentUserRoles" => {
            let user = if caller == Caller::Alice {
                "User:alice"
            } else {
                "User:admin"
            };
            let roles = state
                .roles
                .iter()
                .filter(|(_, members)| members.contains(user));
            Ok(json!({ "roles": roles.map(|(name, _)| name).collect::<Vec<_>>() }))
        }
        "ResolveOidcIdentity" => match caller {
            Caller::Alice => Ok(
                json!({ "principal": "alice", "expire": "2099-01-01T00:00:00Z", "groups": ["eng", "ops"] }),
            ),
            Caller::Superuser { by_token: true } => {
                Ok(json!({ "principal": "admin", "expire": "2099-01-01T00:00:00Z" }))
            }
            _ => Err(fault("FAILED_PRECONDITION", "SASL mechanism is not OIDC")),
        },
        "RefreshOidcKeys" | "RevokeOidcSessions" => Ok(json!({})),
        _ => Err(fault("UNIMPLEMENTED", "Not found")),
    }
}

fn members(message: &Value) -> Result<BTreeSet<String>, Fault> {
    let members = message["members"].as_array().into_iter().flatten();
    members
        .map(|member| {
            match (
                member["user"]["name"].as_str(),
                member["group"]["name"].as_str(),
            ) {
                (Some(user), None) => Ok(format!("User:{user}")),
                (None, Some(group)) => Ok(format!("Group:{group}")),
                _ => Err(fault("INVALID_ARGUMENT", "Unknown role member type")),
            }
        })
        .collect()
}

fn written(name: &str, members: &BTreeSet<String>) -> Value {
    let member = |member: &String| match member.split_once(':') {
        Some(("Group", name)) => json!({ "group": { "name": name } }),
        Some((_, name)) => json!({ "user": { "name": name } }),
        None => json!({}),
    };
    json!({ "name": name, "members": members.iter().map(member).collect::<Vec<_>>() })
}
