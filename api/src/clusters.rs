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
    /// Where its Data Plane API is.
    pub dataplane_api: DataPlaneApi,
}

/// The base URL of a Data Plane API. The specification shows a string; the platform's Control Plane
/// responds with an object (D-88).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum DataPlaneApi {
    /// The URL.
    Text(String),
    /// An object with the URL.
    Object {
        /// The URL.
        url: String,
    },
}

/// The form in which a service states the URL of its Data Plane API.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum DataPlaneApiForm {
    /// A string, as in the specification.
    #[default]
    Text,
    /// An object with `url`, as the platform's Control Plane.
    Object,
}

impl DataPlaneApi {
    /// The URL.
    #[must_use]
    pub fn url(&self) -> &str {
        match self {
            Self::Text(url) | Self::Object { url } => url,
        }
    }
}

impl DataPlaneApiForm {
    /// A URL in this form.
    #[must_use]
    pub const fn with(self, url: String) -> DataPlaneApi {
        match self {
            Self::Text => DataPlaneApi::Text(url),
            Self::Object => DataPlaneApi::Object { url },
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, from_value, json};

    use super::*;

    #[test]
    fn the_url_is_a_string_or_in_an_object() {
        let url = |api: Value| {
            let answer = json!({ "cluster": { "id": "c", "name": "dev", "dataplane_api": api } });
            from_value::<GetCluster>(answer)
                .ok()
                .map(|answer| answer.cluster.dataplane_api.url().to_owned())
        };
        assert_eq!(url(json!("https://a")).as_deref(), Some("https://a"));
        assert_eq!(
            url(json!({ "url": "https://a", "other": 1 })).as_deref(),
            Some("https://a")
        );
        for invalid in [
            json!({}),
            json!({ "url": null }),
            json!(["https://a"]),
            Value::Null,
        ] {
            assert_eq!(url(invalid), None);
        }
    }
}
