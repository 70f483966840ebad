//! `/v1/clusters`: the one cluster of the Control Plane, and its address (specification 4.1).

use axum::Json;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, State};
use axum::routing::get;
use gbac_api::clusters::{Cluster, GetCluster};
use gbac_api::problem::RpcCode;
use gbac_engine::escape::escaped;

use super::registration::Routes;
use crate::http::access::Access;
use crate::http::problem::Problem;
use crate::http::surface::Surface;
use crate::state::service::Service;

pub(crate) fn routes() -> Routes {
    Routes::new(Surface::DataPlane).route("/v1/clusters/{cluster_id}", Access::SUPERUSER, get(read))
}

/// The address of the Data Plane comes from the command line and never from the request, whose Host
/// header could send tokens elsewhere.
async fn read(
    State(service): State<Service>,
    id: Result<Path<String>, PathRejection>,
) -> Result<Json<GetCluster>, Problem> {
    let Ok(Path(id)) = id else {
        let message = "the cluster ID in the path is not percent-encoded UTF-8";
        return Err(Problem::invalid(message));
    };
    let endpoint = service.endpoint();
    if let Some(known) = &endpoint.cluster_id
        && *known != id
    {
        let message = format!("cluster `{}` does not exist", escaped(&id));
        return Err(Problem::new(RpcCode::NotFound, message));
    }
    let dataplane_api = endpoint.data_plane_api_form.with(endpoint.url.clone());
    Ok(Json(GetCluster {
        cluster: Cluster { id, dataplane_api },
    }))
}
