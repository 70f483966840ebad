//! `/v1/brokers`: the one node of the cluster, which is no broker. Clients of the platform ask for
//! it first (D-91).

use std::thread;

use axum::Json;
use axum::extract::Path;
use axum::extract::rejection::PathRejection;
use axum::routing::get;
use gbac_api::admin::Broker;
use gbac_api::paths;
use gbac_api::problem::RpcCode;

use super::registration::Routes;
use crate::http::access::Access;
use crate::http::problem::Problem;
use crate::http::surface::Surface;

/// The number of the node, which `/v1/cluster_config/status` states too.
pub(crate) const NODE_ID: u64 = 0;

pub(crate) fn routes() -> Routes {
    Routes::new(Surface::Admin)
        .prefix(paths::BROKERS, Access::SUPERUSER)
        .route(paths::BROKERS, Access::SUPERUSER, get(list))
        .route("/v1/brokers/{node_id}", Access::SUPERUSER, get(read))
}

async fn list() -> Json<Vec<Broker>> {
    Json(vec![node()])
}

async fn read(id: Result<Path<u64>, PathRejection>) -> Result<Json<Broker>, Problem> {
    match id {
        Ok(Path(NODE_ID)) => Ok(Json(node())),
        Ok(Path(id)) => {
            let message = format!("broker with id {id} not found");
            Err(Problem::new(RpcCode::NotFound, message))
        }
        Err(_) => Err(Problem::invalid("the broker ID is not a number")),
    }
}

fn node() -> Broker {
    let cores = thread::available_parallelism().map_or(1, usize::from);
    Broker {
        node_id: NODE_ID,
        num_cores: u64::try_from(cores).unwrap_or(u64::MAX),
        membership_status: "active".into(),
        is_alive: true,
        version: concat!("GBAC ", env!("CARGO_PKG_VERSION")).into(),
    }
}
