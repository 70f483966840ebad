//! `/gbac/v1/clusters`: the Kafka clusters of the service (D-137).

use axum::Json;
use axum::extract::State;
use axum::routing::get;
use gbac_api::paths;
use gbac_api::service::{ClusterList, ListedCluster};

use super::registration::Routes;
use crate::http::access::Access;
use crate::http::surface::Surface;
use crate::state::service::Service;

pub(crate) fn routes() -> Routes {
    Routes::new(Surface::Gbac).route(paths::KAFKA_CLUSTERS, Access::SUPERUSER, get(list))
}

async fn list(State(service): State<Service>) -> Json<ClusterList> {
    let mut list = ClusterList::default();
    for (index, cluster) in service.clusters().iter().enumerate() {
        let status = cluster.status();
        list.clusters.push(ListedCluster {
            first: index == 0,
            path: paths::of_cluster(status.name()),
            cluster: status.info(),
        });
    }
    Json(list)
}
