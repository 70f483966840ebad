//! The ACLs of the Schema Registry.

use serde_json::{Value, json};

use super::fields::{Filter, OPERATIONS, PATTERN_TYPES, PERMISSIONS, RESOURCE_TYPES};
use super::state::{Binding, ClusterState, check};
use super::wire::{HttpAnswer, HttpRequest};
use super::{Caller, PlatformOptions};

fn error(status: u16, code: u64, message: &str) -> HttpAnswer {
    HttpAnswer::json(status, &json!({ "error_code": code, "message": message }))
}

pub(super) fn answer(
    options: &PlatformOptions,
    state: &mut ClusterState,
    caller: Caller,
    request: &HttpRequest,
) -> HttpAnswer {
    if request.segments != ["security", "acls"] || !options.registry_acls {
        return HttpAnswer::json(404, &json!({ "message": "Not found", "code": 404 }));
    }
    match caller {
        Caller::Nobody => return error(401, 40101, "Unauthorized"),
        Caller::Alice => return error(403, 40301, "Forbidden"),
        Caller::Superuser { .. } => {}
    }
    let is_ours = |acl: &Binding| matches!(acl.resource_type.as_str(), "SUBJECT" | "REGISTRY");
    if request.method == "GET" {
        let members = request
            .query
            .iter()
            .map(|(name, value)| (name.clone(), json!(value)));
        let Some(filter) = filter(&Value::Object(members.collect())) else {
            return error(400, 40001, "Invalid filter");
        };
        let found = state
            .acls
            .iter()
            .filter(|acl| is_ours(acl) && filter.matches(acl));
        return HttpAnswer::json(200, &found.map(written).collect::<Value>());
    }
    // Before the body is read, even if it is an empty list.
    if !options.license {
        return error(403, 40301, "Invalid license: not present");
    }
    let Ok(Value::Array(entries)) = serde_json::from_str(&request.body) else {
        return error(400, 40001, "Invalid request body");
    };
    match request.method.as_str() {
        "POST" => {
            let mut acls = Vec::new();
            for entry in &entries {
                let Some(acl) = read(entry) else {
                    return error(400, 40001, "Missing or invalid member");
                };
                if acl.pattern == "PREFIXED" && acl.resource_type != "SUBJECT" {
                    return error(400, 40001, "Only SUBJECT can be PREFIXED");
                }
                if let Err(why) = check(options, &acl) {
                    return error(500, 50001, &format!("Failed to create ACLs: {why}"));
                }
                acls.push(acl);
            }
            state.acls.extend(acls);
            HttpAnswer::empty(201)
        }
        "DELETE" => {
            let Some(filters) = entries.iter().map(filter).collect::<Option<Vec<_>>>() else {
                return error(400, 40001, "Invalid filter");
            };
            let gone: Vec<Binding> = state
                .acls
                .iter()
                .filter(|acl| is_ours(acl) && filters.iter().any(|filter| filter.matches(acl)))
                .cloned()
                .collect();
            state.acls.retain(|acl| !gone.contains(acl));
            HttpAnswer::json(200, &gone.iter().map(written).collect::<Value>())
        }
        _ => HttpAnswer::empty(405),
    }
}

fn read(entry: &Value) -> Option<Binding> {
    let of = |name: &str| entry[name].as_str().map(str::to_owned);
    let acl = Binding {
        resource_type: of("resource_type")?,
        name: of("resource")?,
        pattern: of("pattern_type")?,
        principal: of("principal")?,
        host: of("host")?,
        operation: of("operation")?,
        permission: of("permission")?,
    };
    let is_open = filter(entry).is_none_or(|filter| {
        [
            filter.resource_type,
            filter.pattern,
            filter.operation,
            filter.permission,
        ]
        .contains(&"ANY")
    });
    (!is_open && matches!(acl.resource_type.as_str(), "SUBJECT" | "REGISTRY")).then(|| Binding {
        // The registry has no name.
        name: if acl.resource_type == "REGISTRY" {
            String::new()
        } else {
            acl.name.clone()
        },
        ..acl
    })
}

fn filter(entry: &Value) -> Option<Filter> {
    let word = |name: &str, written: &dyn Fn(&str) -> String| entry[name].as_str().map(written);
    Filter::read(&json!({
        "resource_type": word("resource_type", &|word| RESOURCE_TYPES.written(word)),
        "resource_name": entry["resource"],
        "resource_pattern_type": word("pattern_type", &|word| PATTERN_TYPES.written(word)),
        "principal": entry["principal"],
        "host": entry["host"],
        "operation": word("operation", &|word| OPERATIONS.written(word)),
        "permission_type": word("permission", &|word| PERMISSIONS.written(word)),
    }))
    .ok()
}

fn written(acl: &Binding) -> Value {
    json!({ "principal": acl.principal, "resource": acl.name, "resource_type": acl.resource_type,
        "pattern_type": acl.pattern, "host": acl.host, "operation": acl.operation, "permission": acl.permission })
}
