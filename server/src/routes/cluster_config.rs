//! `/v1/cluster_config`: reads and changes the cluster properties (specification 2.2, D-16, D-30).

use axum::Json;
use axum::extract::{RawQuery, Request, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use gbac_analysis::audit::without_credentials;
use gbac_api::cluster_config::{
    ConfigChange, ConfigFaults, ConfigSchema, ConfigVersion, NodeStatus,
};
use gbac_api::encode::first_value;
use gbac_api::paths;
use gbac_engine::escape::escaped;
use gbac_engine::policy::Change;
use serde_json::{Map, Value};

use super::brokers::NODE_ID;
use super::registration::Routes;
use crate::http::access::Access;
use crate::http::body;
use crate::http::problem::Problem;
use crate::http::query::{flag, pairs};
use crate::http::reject::reject;
use crate::http::surface::Surface;
use crate::state::cluster_property::{ClusterProperty, PropertyValues};
use crate::state::config_change;
use crate::state::error::WriteError;
use crate::state::service::Service;
use crate::state::store::StateChange;

pub(crate) fn routes() -> Routes {
    Routes::new(Surface::Admin)
        .prefix(paths::CLUSTER_CONFIG, Access::SUPERUSER)
        .route(
            paths::CLUSTER_CONFIG,
            Access::SUPERUSER,
            get(read).put(write),
        )
        .route(paths::CLUSTER_CONFIG_SCHEMA, Access::Public, get(schema))
        .route(paths::CLUSTER_CONFIG_STATUS, Access::SUPERUSER, get(status))
}

async fn read(
    State(service): State<Service>,
    RawQuery(query): RawQuery,
) -> Result<Json<Map<String, Value>>, Problem> {
    let pairs = pairs(query)?;
    let with_defaults = flag(&pairs, "include_defaults")?.unwrap_or(true);
    // The response for only one of them would be incomplete.
    if pairs.iter().filter(|(name, _)| name == "key").count() > 1 {
        let message = "key: occurs more than once";
        return Err(Problem::invalid(message));
    }
    let current = PropertyValues::current(&service.read());
    let mut values = Map::new();
    if let Some(key) = first_value(&pairs, "key") {
        let Some(property) = ClusterProperty::by_name(key) else {
            let message = format!("Unknown property {{{}}}", escaped(key));
            return Err(Problem::invalid(message));
        };
        values.insert(property.name().into(), property.value(&current));
        return Ok(Json(values));
    }
    let default = PropertyValues::default();
    for property in ClusterProperty::all() {
        let value = property.value(&current);
        if with_defaults || value != property.value(&default) {
            values.insert(property.name().into(), value);
        }
    }
    Ok(Json(values))
}

async fn schema(State(service): State<Service>) -> Json<ConfigSchema> {
    let config = service.read().config;
    let properties = ClusterProperty::all()
        .map(|property| (property.name().to_owned(), property.schema(&config)))
        .collect();
    Json(ConfigSchema { properties })
}

/// Why a change is rejected: as a whole, or because of properties.
enum ConfigProblem {
    Request(Problem),
    Properties(ConfigFaults),
}

impl From<Problem> for ConfigProblem {
    fn from(problem: Problem) -> Self {
        Self::Request(problem)
    }
}

impl From<WriteError> for ConfigProblem {
    fn from(error: WriteError) -> Self {
        Self::Request(error.into())
    }
}

impl IntoResponse for ConfigProblem {
    fn into_response(self) -> Response {
        let faults = match self {
            Self::Request(problem) => return problem.into_response(),
            Self::Properties(faults) => faults,
        };
        let mut clean = ConfigFaults::new();
        for (name, text) in faults {
            clean.insert(without_credentials(&name), without_credentials(&text));
        }
        (StatusCode::BAD_REQUEST, Json(clean)).into_response()
    }
}

async fn write(
    State(service): State<Service>,
    RawQuery(query): RawQuery,
    request: Request,
) -> Result<Response, ConfigProblem> {
    let dry_run = match pairs(query).and_then(|pairs| flag(&pairs, "dry_run")) {
        Ok(dry_run) => dry_run.unwrap_or(false),
        Err(problem) => return Ok(reject(request, problem).await),
    };
    let change: ConfigChange = body::json(request).await?;
    let stored = service
        .change(move |current| {
            let current = PropertyValues::current(current);
            let wanted =
                config_change::apply(&current, &change).map_err(ConfigProblem::Properties)?;
            if dry_run {
                return Ok((StateChange::NONE, ()));
            }
            let changes = vec![Change::Settings(Box::new(wanted.settings))];
            Ok::<_, ConfigProblem>((StateChange::Configure(changes, wanted.config), ()))
        })
        .await?;
    let config_version = stored.after.version.config;
    Ok(Json(ConfigVersion { config_version }).into_response())
}

async fn status(State(service): State<Service>) -> Json<Vec<NodeStatus>> {
    let config_version = service.read().version.config;
    Json(vec![NodeStatus {
        node_id: NODE_ID,
        restart: false,
        config_version,
        invalid: Vec::new(),
        unknown: Vec::new(),
    }])
}
