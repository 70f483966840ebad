//! The cluster to which documented operations are relayed (D-40): its addresses, and the client for
//! its APIs.

pub(crate) mod client;
#[cfg(any(test, feature = "fuzz"))]
pub(crate) mod fuzz;
mod operations;

use axum::http::Method;
use gbac_api::address::{BaseUrl, BaseUrlError, address};
use gbac_api::clusters::GetCluster;
use gbac_api::paths;
use gbac_api::service::Upstream as UpstreamPaths;

use client::UpstreamClient;
use operations::{Api, Lookup};

/// The addresses of the cluster's APIs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UpstreamOptions {
    /// The base URL of its Admin API.
    pub admin: Option<String>,
    /// The base URL of its Data Plane API.
    pub dataplane: Option<String>,
    /// The base URL of its Control Plane API.
    pub controlplane: Option<String>,
    /// Whether only callers who are signed in to this service may use them.
    pub requires_sign_in: bool,
}

/// The cluster's APIs.
pub(crate) struct Upstream {
    admin: Option<BaseUrl>,
    dataplane: Option<BaseUrl>,
    controlplane: Option<BaseUrl>,
    /// Whether only callers who are signed in to this service may use them.
    pub(crate) requires_sign_in: bool,
    /// The client for requests to them.
    pub(crate) client: UpstreamClient,
}

const ADMIN: &str = "admin";
const DATA_PLANE: &str = "dataplane";
const CONTROL_PLANE: &str = "controlplane";
/// Followed by an ID, it is the Data Plane of the cluster with this ID in the Control Plane.
const CLUSTERS: &str = "clusters";

/// An operation of the cluster that a request names.
pub(crate) struct RelayTarget<'u> {
    /// The base URL; with the ID of a cluster, that of the Control Plane.
    pub(crate) base: &'u BaseUrl,
    /// The ID of a cluster, percent-encoded.
    pub(crate) cluster: Option<String>,
    /// The path of the operation, encoded again.
    pub(crate) path: String,
}

/// Why a request names no operation of the cluster.
pub(crate) enum NoRelayTarget {
    /// There is no such path here.
    NotFound,
    /// The API has no base URL; its command-line flag without `--upstream-`.
    NotConfigured(&'static str),
    /// The API has no operation with this path.
    NotRelayed(String),
    /// The operation has only these methods.
    OtherMethods(&'static [Method]),
}

impl Upstream {
    /// The APIs at these addresses.
    ///
    /// # Errors
    /// One of them is not a base URL.
    pub(crate) fn new(options: &UpstreamOptions) -> Result<Self, BaseUrlError> {
        Ok(Self {
            admin: parse(options.admin.as_deref())?,
            dataplane: parse(options.dataplane.as_deref())?,
            controlplane: parse(options.controlplane.as_deref())?,
            requires_sign_in: options.requires_sign_in,
            client: UpstreamClient::default(),
        })
    }

    /// The paths of this service that are relayed to them.
    pub(crate) fn paths(&self) -> UpstreamPaths {
        UpstreamPaths {
            admin: relay_path(self.admin.as_ref(), ADMIN),
            dataplane: relay_path(self.dataplane.as_ref(), DATA_PLANE),
            controlplane: relay_path(self.controlplane.as_ref(), CONTROL_PLANE),
            clusters: relay_path(self.controlplane.as_ref(), CLUSTERS),
            requires_sign_in: self.requires_sign_in,
        }
    }

    /// The base URLs of the Admin API, the Data Plane API and the Control Plane API.
    pub(crate) const fn bases(&self) -> [Option<&BaseUrl>; 3] {
        [
            self.admin.as_ref(),
            self.dataplane.as_ref(),
            self.controlplane.as_ref(),
        ]
    }

    /// The operation that a request with this method and path, below [`paths::UPSTREAM`], names.
    ///
    /// # Errors
    /// See [`NoRelayTarget`].
    pub(crate) fn target(
        &self,
        method: &Method,
        path: &str,
    ) -> Result<RelayTarget<'_>, NoRelayTarget> {
        let (name, cluster, path) = split_path(path).ok_or(NoRelayTarget::NotFound)?;
        let (api, base, flag) = match name {
            ADMIN => (Api::Admin, &self.admin, ADMIN),
            DATA_PLANE => (Api::DataPlane, &self.dataplane, DATA_PLANE),
            CONTROL_PLANE => (Api::ControlPlane, &self.controlplane, CONTROL_PLANE),
            CLUSTERS => (Api::DataPlane, &self.controlplane, CONTROL_PLANE),
            _ => return Err(NoRelayTarget::NotFound),
        };
        let base = base.as_ref().ok_or(NoRelayTarget::NotConfigured(flag))?;
        match api.find(method, path) {
            Lookup::Path(path) => Ok(RelayTarget {
                base,
                cluster: cluster.map(str::to_owned),
                path,
            }),
            Lookup::OtherMethods(methods) => Err(NoRelayTarget::OtherMethods(methods)),
            Lookup::NotFound => Err(NoRelayTarget::NotRelayed(path.to_owned())),
        }
    }
}

/// The path of a cluster in the Control Plane; `None` if this is not the ID of one.
pub(crate) fn cluster_path(id: &str) -> Option<String> {
    match Api::ControlPlane.find(&Method::GET, &paths::cluster(id)) {
        Lookup::Path(path) => Some(path),
        Lookup::OtherMethods(_) | Lookup::NotFound => None,
    }
}

/// Splits a path below [`paths::UPSTREAM`] into the name of the target, the cluster ID if there is
/// one, and the path there.
pub(crate) fn split_path(path: &str) -> Option<(&str, Option<&str>, &str)> {
    let rest = path.strip_prefix(paths::UPSTREAM)?.strip_prefix('/')?;
    let (name, _) = rest.split_once('/')?;
    let rest = rest.strip_prefix(name)?;
    if name != CLUSTERS {
        return Some((name, None, rest));
    }
    let rest = rest.strip_prefix('/')?;
    let (id, _) = rest.split_once('/')?;
    Some((name, Some(id), rest.strip_prefix(id)?))
}

/// The base URL of the Data Plane that the answer of a Control Plane names.
///
/// # Errors
/// It names none that is allowed; why.
pub(crate) fn named_data_plane(control_plane: &BaseUrl, answer: &[u8]) -> Result<BaseUrl, String> {
    let Ok(answer) = serde_json::from_slice::<GetCluster>(answer) else {
        return Err("it has no URL in `cluster.dataplane_api`".into());
    };
    data_plane(control_plane, answer.cluster.dataplane_api.url())
}

fn parse(text: Option<&str>) -> Result<Option<BaseUrl>, BaseUrlError> {
    match text {
        Some(text) => Ok(Some(BaseUrl::parse(text)?)),
        None => Ok(None),
    }
}

fn relay_path(base: Option<&BaseUrl>, name: &str) -> Option<String> {
    base?;
    Some(format!("{}/{name}", paths::UPSTREAM))
}

/// The base URL of a Data Plane: https, or on this machine together with the Control Plane.
/// Otherwise, a Control Plane elsewhere could send callers to services that only listen on this
/// machine.
fn data_plane(control_plane: &BaseUrl, text: &str) -> Result<BaseUrl, String> {
    address(text).map_err(|error| error.to_string())?;
    let data_plane = BaseUrl::parse(text).map_err(|error| error.to_string())?;
    if data_plane.is_this_machine() && !control_plane.is_this_machine() {
        return Err(
            "it names an address of this machine, and the Control Plane is on another one".into(),
        );
    }
    Ok(data_plane)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_control_plane_on_this_machine_names_a_data_plane_there() {
        let of = |control_plane: &str, text: &str| {
            data_plane(&BaseUrl::parse(control_plane).unwrap(), text)
        };
        for here in [
            "http://127.0.0.1:9",
            "https://localhost",
            "https://[::1]:9",
            "https://a.localhost",
            "https://0.0.0.0",
        ] {
            assert!(of("http://127.0.0.1:1", here).is_ok(), "{here}");
            let error = of("https://api.example", here).expect_err(here);
            assert_eq!(
                error,
                "it names an address of this machine, and the Control Plane is on another one"
            );
        }
        assert!(of("https://api.example", "https://data.example").is_ok());
        assert!(of("http://127.0.0.1:1", "http://10.0.0.1").is_err());
    }
}
