//! The bodies of the Control Plane's clusters (specification 4.1).

use serde::{Deserialize, Serialize};

/// The answer of `/v1/clusters/<cluster_id>`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GetCluster {
    /// The cluster.
    pub cluster: Cluster,
}

/// A cluster.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cluster {
    /// Its id.
    #[serde(default)]
    pub id: String,
    /// The base address of its Data Plane API.
    pub dataplane_api: String,
}
