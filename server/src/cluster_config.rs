//! `/v1/cluster_config`: the cluster properties that this service has (specification 2.2, D-13, D-14, D-25, D-30).

use std::collections::BTreeMap;

use axum::extract::{RawQuery, Request, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};
use gbac_api::cluster_config::{ConfigChange, ConfigFaults, ConfigSchema, ConfigVersion, ItemSchema, PropertySchema};
use gbac_api::problem::RpcCode;
use gbac_api::{encode, paths};
use gbac_engine::claim_path::ClaimPath;
use gbac_engine::groups::NestedGroupBehavior;
use gbac_engine::mapping::PrincipalMapping;
use gbac_engine::policy::{Change, GroupSource, Settings};
use serde_json::{Map, Value};

use crate::app::App;
use crate::body;
use crate::fault::{Fault, Surface};
use crate::store::Plan;

const SURFACE: Surface = Surface::Admin;

pub(crate) fn routes() -> Router<App> {
    Router::new().route(paths::CLUSTER_CONFIG, get(read).put(write)).route(paths::CLUSTER_CONFIG_SCHEMA, get(schema))
}

/// A property of the cluster.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Property {
    NestedGroupBehavior,
    OidcGroupClaimPath,
    OidcPrincipalMapping,
    Superusers,
}

impl Property {
    const ALL: [Self; 4] =
        [Self::NestedGroupBehavior, Self::OidcGroupClaimPath, Self::OidcPrincipalMapping, Self::Superusers];

    const fn name(self) -> &'static str {
        match self {
            Self::NestedGroupBehavior => "nested_group_behavior",
            Self::OidcGroupClaimPath => "oidc_group_claim_path",
            Self::OidcPrincipalMapping => "oidc_principal_mapping",
            Self::Superusers => "superusers",
        }
    }

    fn by_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|property| property.name() == name)
    }

    const fn description(self) -> &'static str {
        match self {
            Self::NestedGroupBehavior => {
                "What a group's name is: `none` takes it as it is, `suffix` takes what follows the last `/`."
            }
            Self::OidcGroupClaimPath => "Where in a token the groups are: a JSON path.",
            Self::OidcPrincipalMapping => {
                "Which claim names the user: `$.claim`, optionally with `/expression/replacement/` and `L` or `U`."
            }
            Self::Superusers => "The users who may do everything: bare names.",
        }
    }

    /// Its value. Under the managed cloud's mapping the two of the groups are not in use and have their defaults.
    fn value(self, settings: &Settings) -> Value {
        let groups = match &settings.groups {
            GroupSource::Properties { claim_path, nested } => (claim_path.as_str().to_owned(), nested.as_str()),
            GroupSource::Sso { .. } => match Settings::default().groups {
                GroupSource::Properties { claim_path, nested } => (claim_path.as_str().to_owned(), nested.as_str()),
                GroupSource::Sso { .. } => (String::new(), ""),
            },
        };
        match self {
            Self::NestedGroupBehavior => groups.1.into(),
            Self::OidcGroupClaimPath => groups.0.into(),
            Self::OidcPrincipalMapping => settings.principal_mapping.as_str().into(),
            Self::Superusers => settings.superusers.iter().cloned().collect(),
        }
    }

    fn schema(self) -> PropertySchema {
        let list = self == Self::Superusers;
        PropertySchema {
            kind: if list { "array" } else { "string" }.into(),
            description: self.description().into(),
            nullable: false,
            needs_restart: false,
            visibility: "user".into(),
            enum_values: match self {
                Self::NestedGroupBehavior => vec!["none".into(), "suffix".into()],
                Self::OidcGroupClaimPath | Self::OidcPrincipalMapping | Self::Superusers => Vec::new(),
            },
            items: list.then(|| ItemSchema { kind: "string".into() }),
            default: self.value(&Settings::default()),
        }
    }

    /// Gives it a value; the message says what is wrong, and where for a path or a rule.
    fn set(self, settings: &mut Settings, value: &Value) -> Result<(), String> {
        if self == Self::Superusers {
            let names = value.as_array().ok_or("expected type array of strings")?;
            let names = names.iter().map(|name| name.as_str().map(str::to_owned)).collect::<Option<Vec<_>>>();
            let names = names.ok_or("expected type array of strings")?;
            for name in &names {
                Settings::check_superuser(name).map_err(|error| format!("{error}; {}", error.hint()))?;
            }
            settings.superusers = names.into_iter().collect();
            return Ok(());
        }
        let text = value.as_str().ok_or("expected type string")?;
        let in_use = *value == self.value(settings);
        match (self, &mut settings.groups) {
            (Self::OidcPrincipalMapping, _) => {
                settings.principal_mapping = PrincipalMapping::parse(text)
                    .map_err(|error| format!("{error} at byte {}; {}", error.offset(), error.hint()))?;
            }
            (_, GroupSource::Sso { .. }) if !in_use => {
                return Err(
                    "the groups come from the SSO connection (`sso` in the policy document), which excludes this"
                        .into(),
                );
            }
            (Self::OidcGroupClaimPath, GroupSource::Properties { claim_path, .. }) => {
                *claim_path = ClaimPath::parse(text).map_err(|error| {
                    let hint = error.hint().map(|hint| format!("; {hint}")).unwrap_or_default();
                    format!("{error} at byte {}{hint}", error.offset())
                })?;
            }
            (Self::NestedGroupBehavior, GroupSource::Properties { nested, .. }) => {
                *nested = text.parse::<NestedGroupBehavior>().map_err(|_| "Must be one of none,suffix")?;
            }
            _ => {}
        }
        Ok(())
    }
}

fn pairs(query: Option<String>) -> Result<Vec<(String, String)>, Fault> {
    encode::parse_query(&query.unwrap_or_default())
        .map_err(|error| Fault::new(RpcCode::InvalidArgument, format!("{error}; {}", error.hint())))
}

/// A parameter that is true or false; also `None` when it is left out.
fn flag(pairs: &[(String, String)], name: &str) -> Result<Option<bool>, Fault> {
    match pairs.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str()) {
        None => Ok(None),
        Some("" | "true") => Ok(Some(true)),
        Some("false") => Ok(Some(false)),
        Some(other) => {
            let message = format!("`{name}` is `{}`; it must be `true` or `false`", other.escape_debug());
            Err(Fault::new(RpcCode::InvalidArgument, message))
        }
    }
}

async fn read(State(app): State<App>, RawQuery(query): RawQuery) -> Response {
    let answer = || {
        let pairs = pairs(query)?;
        let defaults = flag(&pairs, "include_defaults")?.unwrap_or(true);
        let key = pairs.iter().find(|(name, _)| name == "key").map(|(_, value)| value.as_str());
        let policy = app.read().policy;
        let settings = policy.settings();
        let mut values = Map::new();
        match key {
            Some(key) => {
                let property = Property::by_name(key).ok_or_else(|| {
                    Fault::new(RpcCode::InvalidArgument, format!("Unknown property {{{}}}", key.escape_debug()))
                })?;
                values.insert(property.name().into(), property.value(settings));
            }
            None => {
                let default = Settings::default();
                for property in Property::ALL {
                    let value = property.value(settings);
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

async fn schema() -> Json<ConfigSchema> {
    let properties = Property::ALL.into_iter().map(|property| (property.name().to_owned(), property.schema()));
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

impl From<gbac_engine::policy::ChangeError> for Refused {
    fn from(error: gbac_engine::policy::ChangeError) -> Self {
        Self::Whole(error.into())
    }
}

async fn write(State(app): State<App>, RawQuery(query): RawQuery, request: Request) -> Response {
    let change = async {
        let dry_run = match pairs(query).and_then(|pairs| flag(&pairs, "dry_run")) {
            Ok(dry_run) => dry_run.unwrap_or(false),
            Err(fault) => return Ok(body::refuse(request, fault).await),
        };
        let change: ConfigChange = body::json(request).await?;
        let ((), after) = app.change::<_, Refused>(|held| {
            let settings = apply(held.policy.settings().clone(), &change, &app.admin().name)?;
            let changes = if dry_run { Vec::new() } else { vec![Change::Settings(Box::new(settings))] };
            Ok(Plan::Changes(changes, ()))
        })?;
        Ok(Json(ConfigVersion { config_version: after.config_version }).into_response())
    };
    match change.await {
        Ok(response) => response,
        Err(Refused::Whole(fault)) => fault.answer(SURFACE),
        Err(Refused::Properties(faults)) => (StatusCode::BAD_REQUEST, Json(faults)).into_response(),
    }
}

/// The settings after a change, or every property that has something wrong with it.
fn apply(mut settings: Settings, change: &ConfigChange, admin: &str) -> Result<Settings, Refused> {
    let mut faults = ConfigFaults::new();
    let default = Settings::default();
    let resets = change.remove.iter().map(|name| (name, None));
    let wanted: BTreeMap<&String, Option<&Value>> =
        resets.chain(change.upsert.iter().map(|(name, value)| (name, Some(value)))).collect();
    for (name, value) in wanted {
        let Some(property) = Property::by_name(name) else {
            faults.insert(name.clone(), "Unknown property".into());
            continue;
        };
        if value.is_some() && change.remove.contains(name) {
            faults.insert(name.clone(), "is in `upsert` and in `remove`".into());
            continue;
        }
        let reset = property.value(&default);
        if let Err(text) = property.set(&mut settings, value.unwrap_or(&reset)) {
            faults.insert(name.clone(), text);
        }
    }
    if faults.is_empty() && !settings.superusers.contains(admin) {
        faults.insert(Property::Superusers.name().into(), locked_out(admin));
    }
    if faults.is_empty() { Ok(settings) } else { Err(Refused::Properties(faults)) }
}

/// What is said to a change after which nobody with a password here could change anything (D-30).
pub(crate) fn locked_out(admin: &str) -> String {
    format!("no superuser could sign in any more; keep `{admin}` among the superusers")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_property_takes_its_own_value() {
        let settings = Settings::default();
        for property in Property::ALL {
            let mut same = settings.clone();
            property.set(&mut same, &property.value(&settings)).unwrap();
            assert_eq!(same, settings);
            assert_eq!(Property::by_name(property.name()), Some(property));
            assert!(property.set(&mut same, &json!(7)).unwrap_err().starts_with("expected type"));
        }
    }

    #[test]
    fn the_two_deployments_exclude_each_other() {
        let attributes = [("federated_groups".to_owned(), "$.g".into())].into_iter().collect();
        let groups = GroupSource::from_attributes(attributes).unwrap();
        let mut settings = Settings { groups, ..Settings::default() };
        let before = settings.clone();
        assert_eq!(Property::OidcGroupClaimPath.value(&settings), json!("$.groups"));
        assert!(Property::OidcGroupClaimPath.set(&mut settings, &json!("$.x")).is_err());
        assert!(Property::NestedGroupBehavior.set(&mut settings, &json!("suffix")).is_err());
        Property::NestedGroupBehavior.set(&mut settings, &json!("none")).unwrap();
        assert_eq!(settings, before);
    }
}
