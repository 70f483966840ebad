//! `/v1/cluster_config`: the cluster properties that this service has, read and changed (specification 2.2, D-16, D-30).

mod property;

use std::collections::BTreeMap;

use axum::Json;
use axum::extract::{RawQuery, Request, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use gbac_analysis::audit::without_credentials;
use gbac_api::cluster_config::{ConfigChange, ConfigFaults, ConfigSchema, ConfigVersion, NodeStatus};
use gbac_api::problem::RpcCode;
use gbac_api::{encode, paths};
use gbac_engine::escape::escaped;
use gbac_engine::policy::Change;
use serde_json::{Map, Value};

use crate::access::{Access, Routes};
use crate::app::App;
use crate::body;
use crate::config::License;
use crate::fault::{Fault, Surface};
use crate::license::{Licensed, licensed_property};
use crate::store::{Plan, Snapshot};
use property::{Held, Property};

const SURFACE: Surface = Surface::Admin;

pub(crate) fn routes() -> Routes {
    Routes::new()
        .route(paths::CLUSTER_CONFIG, Access::SUPERUSER, get(read).put(write))
        .route(paths::CLUSTER_CONFIG_SCHEMA, Access::Public, get(schema))
        .route(paths::CLUSTER_CONFIG_STATUS, Access::SUPERUSER, get(status))
}

/// Reads the pairs of a query.
pub(crate) fn pairs(query: Option<String>) -> Result<Vec<(String, String)>, Fault> {
    encode::parse_query(&query.unwrap_or_default())
        .map_err(|error| Fault::new(RpcCode::InvalidArgument, format!("{error}; {}", error.hint())))
}

/// A parameter that is true or false; also `None` when it is left out.
pub(crate) fn flag(pairs: &[(String, String)], name: &str) -> Result<Option<bool>, Fault> {
    match pairs.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str()) {
        None => Ok(None),
        Some("" | "true") => Ok(Some(true)),
        Some("false") => Ok(Some(false)),
        Some(other) => {
            let message = format!("`{name}` is `{}`; it must be `true` or `false`", escaped(other));
            Err(Fault::new(RpcCode::InvalidArgument, message))
        }
    }
}

fn once(pairs: &[(String, String)], name: &str) -> Result<(), Fault> {
    if pairs.iter().filter(|(known, _)| known == name).count() > 1 {
        return Err(Fault::new(RpcCode::InvalidArgument, format!("{name}: is given more than once")));
    }
    Ok(())
}

async fn read(State(app): State<App>, RawQuery(query): RawQuery) -> Response {
    let answer = || {
        let pairs = pairs(query)?;
        let defaults = flag(&pairs, "include_defaults")?.unwrap_or(true);
        // Two would be half an answer.
        once(&pairs, "key")?;
        let key = pairs.iter().find(|(name, _)| name == "key").map(|(_, value)| value.as_str());
        let held = Held::of(&app.read());
        let mut values = Map::new();
        match key {
            Some(key) => {
                let property = Property::by_name(key).ok_or_else(|| {
                    Fault::new(RpcCode::InvalidArgument, format!("Unknown property {{{}}}", escaped(key)))
                })?;
                values.insert(property.name().into(), property.value(&held));
            }
            None => {
                let default = Held::default();
                for property in Property::ALL {
                    let value = property.value(&held);
                    if defaults || value != property.value(&default) {
                        values.insert(property.name().into(), value);
                    }
                }
            }
        }
        Ok::<_, Fault>(Json(values).into_response())
    };
    answer().unwrap_or_else(|fault| fault.answer(SURFACE))
}

async fn schema(State(app): State<App>) -> Json<ConfigSchema> {
    let config = app.read().config;
    let of = |property: Property| (property.name().to_owned(), property.schema(&config));
    let properties = Property::ALL.into_iter().map(of);
    Json(ConfigSchema { properties: properties.collect() })
}

/// Why a change is refused: as a whole, or by property.
enum Refused {
    Whole(Fault),
    Properties(ConfigFaults),
}

impl From<Fault> for Refused {
    fn from(fault: Fault) -> Self {
        Self::Whole(fault)
    }
}

async fn write(State(app): State<App>, RawQuery(query): RawQuery, request: Request) -> Response {
    let change = async {
        let dry_run = match pairs(query).and_then(|pairs| flag(&pairs, "dry_run")) {
            Ok(dry_run) => dry_run.unwrap_or(false),
            Err(fault) => return Ok(body::refuse(request, fault).await),
        };
        let change: ConfigChange = body::json(request).await?;
        let admin = app.admin().name.clone();
        let plan = move |held: &Snapshot| {
            let wanted = apply(&Held::of(held), &change, &admin)?;
            if dry_run {
                return Ok(Plan::Changes(Vec::new(), ()));
            }
            let changes = vec![Change::Settings(Box::new(wanted.settings))];
            Ok::<_, Refused>(Plan::Configure(changes, wanted.config, ()))
        };
        let ((), after) = app.change(plan).await?;
        Ok(Json(ConfigVersion { config_version: after.config_version }).into_response())
    };
    match change.await {
        Ok(response) => response,
        Err(Refused::Whole(fault)) => fault.answer(SURFACE),
        Err(Refused::Properties(faults)) => {
            let clean = |(name, text): (String, String)| (without_credentials(&name), without_credentials(&text));
            let faults: ConfigFaults = faults.into_iter().map(clean).collect();
            (StatusCode::BAD_REQUEST, Json(faults)).into_response()
        }
    }
}

/// What the properties are about after a change, or every property that has something wrong with it.
fn apply(held: &Held, change: &ConfigChange, admin: &str) -> Result<Held, Refused> {
    let mut faults = ConfigFaults::new();
    let (default, mut wanted) = (Held::default(), held.clone());
    let resets = change.remove.iter().map(|name| (name, None));
    let values: BTreeMap<&String, Option<&Value>> =
        resets.chain(change.upsert.iter().map(|(name, value)| (name, Some(value)))).collect();
    for (name, value) in values {
        let Some(property) = Property::by_name(name) else {
            faults.insert(name.clone(), "Unknown property".into());
            continue;
        };
        if value.is_some() && change.remove.contains(name) {
            faults.insert(name.clone(), "is in `upsert` and in `remove`".into());
            continue;
        }
        let before = property.value(held);
        let reset = property.value(&default);
        let value = value.unwrap_or(&reset);
        if let Err(text) = property.set(&mut wanted, value) {
            faults.insert(name.clone(), text);
        } else if property.setting().is_some_and(|setting| held.config.is_pinned(setting)) && *value != before {
            faults.insert(name.clone(), PINNED.into());
        }
    }
    if let Some(name) = licensed_property(&held.settings, &wanted.settings)
        && held.config.license != License::Valid
        && !faults.contains_key(name)
    {
        faults.insert(name.into(), Licensed::Property(name).message());
    }
    if faults.is_empty() && !wanted.settings.superusers.contains(admin) {
        faults.insert(Property::Superusers.name().into(), locked_out(admin));
    }
    if faults.is_empty() { Ok(wanted) } else { Err(Refused::Properties(faults)) }
}

/// What is said to a change of a property that the command line has set (D-30).
const PINNED: &str =
    "is set on the command line for as long as the service runs; start it without that setting to change it";

async fn status(State(app): State<App>) -> Json<Vec<NodeStatus>> {
    let config_version = app.read().config_version;
    Json(vec![NodeStatus { node_id: 0, restart: false, config_version, invalid: Vec::new(), unknown: Vec::new() }])
}

/// What is said to a change after which nobody with a password here could change anything (D-30).
pub(crate) fn locked_out(admin: &str) -> String {
    format!("no superuser could sign in any more; keep `{admin}` among the superusers")
}

#[cfg(test)]
mod tests {
    use gbac_engine::policy::Settings;
    use serde_json::json;

    use super::*;
    use crate::config::Config;

    #[test]
    fn what_the_command_line_has_set_is_refused_by_name() {
        let pinned = ["oidc_discovery_url", "oidc_token_audience", "oidc_clock_skew", "audit_enabled"];
        let config = Config { pinned: pinned.into_iter().collect(), ..Config::default() };
        let settings = Settings { superusers: ["admin".to_owned()].into_iter().collect(), ..Settings::default() };
        let held = Held { settings, config };
        let change = |upsert: Value| {
            let Value::Object(upsert) = upsert else { unreachable!() };
            apply(&held, &ConfigChange { upsert, remove: Vec::new() }, "admin")
        };
        let Err(Refused::Properties(faults)) = change(json!({
            "oidc_discovery_url": "https://idp.example/", "oidc_token_audience": "x", "oidc_clock_skew_tolerance": 1,
            "audit_enabled": true, "oidc_principal_mapping": "$.email",
        })) else {
            panic!("pinned")
        };
        let names: Vec<&str> = faults.keys().map(String::as_str).collect();
        assert_eq!(names, ["audit_enabled", "oidc_clock_skew_tolerance", "oidc_discovery_url", "oidc_token_audience"]);
        assert!(faults.values().all(|text| text == PINNED));
        assert!(change(json!({ "audit_enabled": false })).is_ok(), "the value that it has is no change");
    }
}
