//! The Admin API of a broker: versions, licenses and loggers; roles and properties are modules of
//! their own.

use serde_json::{Value, json};

use super::state::ClusterState;
use super::wire::{HttpAnswer, HttpRequest, admin_error as error};
use super::{BrokerVersion, Caller, PlatformOptions, config, roles_v1, roles_v2};

pub(super) fn answer(
    options: &PlatformOptions,
    state: &mut ClusterState,
    caller: Caller,
    request: &HttpRequest,
) -> HttpAnswer {
    let segments: Vec<&str> = request.segments.iter().map(String::as_str).collect();
    let method = request.method.as_str();
    if let ["v1", "cluster_config", "schema"] = segments[..] {
        return config::schema(options);
    }
    if let ["redpanda.core.admin.v2.SecurityService", operation] = segments[..]
        && options.version >= BrokerVersion::V26_1
    {
        return roles_v2::answer(options, state, caller, operation, request);
    }
    if caller == Caller::Nobody {
        return error(401, "Unauthorized");
    }
    if let ("GET", ["v1", "security", "users", "roles"]) = (method, &segments[..]) {
        return roles_v1::own(state, caller, request);
    }
    if caller == Caller::Alice {
        return error(403, "Forbidden (superuser role required)");
    }
    match (method, &segments[..]) {
        (_, ["v1", "security", "roles", rest @ ..]) => {
            roles_v1::answer(options, state, rest, request)
        }
        ("GET", ["v1", "cluster_config"]) => config::read(state, request),
        ("PUT", ["v1", "cluster_config"]) => config::write(options, state, request),
        ("GET", ["v1", "brokers"]) => {
            let version = match options.version {
                BrokerVersion::V25_3 => "v25.3.4 - 0123abcd",
                BrokerVersion::V26_1 => "v26.1.1 - 0123abcd",
                BrokerVersion::V26_2 => "v26.2.2 - 0123abcd",
            };
            HttpAnswer::json(
                200,
                &json!([{ "node_id": 0, "num_cores": 2, "membership_status": "active", "is_alive": true, "version": version }]),
            )
        }
        ("GET", ["v1", "features", "license"]) => {
            let license = json!({ "format_version": 0, "org": "Example", "type": "enterprise", "expires": 4_102_444_800_u64,
                "sha256": "00" });
            let body = if options.license {
                json!({ "loaded": true, "license": license })
            } else {
                json!({ "loaded": false })
            };
            HttpAnswer::json(200, &body)
        }
        ("GET", ["v1", "features", "enterprise"]) => {
            let status = if options.license {
                "valid"
            } else {
                "not_present"
            };
            let roles = json!({ "name": "rbac", "enabled": !state.roles.is_empty() });
            HttpAnswer::json(
                200,
                &json!({ "license_status": status, "violation": false, "features": [roles] }),
            )
        }
        ("GET", ["v1", "loggers"]) => {
            let levels = request.parameter("include-levels") == Some("true");
            let logger = |(name, level): (&String, &String)| {
                if levels {
                    json!({ "name": name, "level": level })
                } else {
                    json!({ "name": name })
                }
            };
            HttpAnswer::json(200, &state.levels.iter().map(logger).collect::<Value>())
        }
        ("GET" | "PUT", ["v1", "config", "log_level", name]) => log_level(state, name, request),
        _ => error(404, "Not found"),
    }
}

fn log_level(state: &mut ClusterState, name: &str, request: &HttpRequest) -> HttpAnswer {
    let Some(level) = state.levels.get_mut(name) else {
        let verb = if request.method == "PUT" {
            "set"
        } else {
            "get"
        };
        return error(
            400,
            &format!("Cannot {verb} log level: unknown logger {{{name}}}"),
        );
    };
    if request.method == "GET" {
        return HttpAnswer::json(
            200,
            &json!({ "name": name, "level": level, "expiration": 0 }),
        );
    }
    let new = request.parameter("level").unwrap_or_default();
    if !["error", "warn", "info", "debug", "trace"].contains(&new) {
        return error(
            400,
            &format!("Cannot set log level for {{{name}}}: unknown level {{{new}}}"),
        );
    }
    let previous = std::mem::replace(level, new.to_owned());
    let expires: u64 = request
        .parameter("expires")
        .map_or(Some(600), |text| text.parse().ok())
        .unwrap_or_default();
    HttpAnswer::json(
        200,
        &json!({ "name": name, "previous_level": previous, "new_level": new, "expiration": expires }),
    )
}
