//! The cluster bodies of the Control Plane API (specification 4.1).

use serde::{Deserialize, Serialize};

/// The response of `/v1/clusters/<cluster_id>`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GetCluster {
    /// The cluster.
    pub cluster: Cluster,
}

/// A cluster.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cluster {
    /// Its ID.
    #[serde(default)]
    pub id: String,
    /// The base URL of its Data Plane API.
    pub dataplane_api: String,
}
