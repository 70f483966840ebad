//! `/v1/clusters`: the Control Plane's one cluster, and where it is (specification 4.1).

use axum::Json;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, State};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use gbac_api::clusters::{Cluster, GetCluster};
use gbac_api::problem::RpcCode;
use gbac_engine::escape::escaped;

use crate::access::{Access, Routes};
use crate::app::App;
use crate::fault::{Fault, Surface};

pub(crate) fn routes() -> Routes {
    Routes::new().route("/v1/clusters/{cluster_id}", Access::SUPERUSER, get(read))
}

/// Where the Data Plane is comes from the command line. What a request calls the service is never believed: whoever
/// writes a Host header would say where tokens go.
async fn read(State(app): State<App>, id: Result<Path<String>, PathRejection>) -> Response {
    let Ok(Path(id)) = id else {
        let message = "the cluster's id in the path is not percent-encoded UTF-8";
        return Fault::new(RpcCode::InvalidArgument, message).answer(Surface::DataPlane);
    };
    let site = app.site();
    if site.cluster_id.as_ref().is_some_and(|known| *known != id) {
        let message = format!("there is no cluster `{}`", escaped(&id));
        return Fault::new(RpcCode::NotFound, message).answer(Surface::DataPlane);
    }
    Json(GetCluster { cluster: Cluster { id, dataplane_api: site.url.clone() } }).into_response()
}
