//! The cluster to which documented operations are relayed (D-40): its addresses, and the client for its APIs.

pub(crate) mod client;
pub(crate) mod operations;

use gbac_api::address::{BaseUrl, BaseUrlError, address};
use gbac_api::paths;
use gbac_api::service::Upstream as UpstreamPaths;

use client::UpstreamClient;
use operations::Api;

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

/// Where a relayed path leads.
pub(crate) struct Target<'u> {
    /// The API of the operation.
    pub(crate) api: Api,
    /// The base URL; `None` if it is not configured. For [`CLUSTERS`], that of the Control Plane.
    pub(crate) base: Option<&'u BaseUrl>,
    /// The command-line flag of the base URL, without `--upstream-`.
    pub(crate) flag: &'static str,
}

impl Upstream {
    /// The APIs at these addresses.
    ///
    /// # Errors
    /// One of them is not a base URL.
    pub(crate) fn new(options: &UpstreamOptions) -> Result<Self, BaseUrlError> {
        let parse = |text: &Option<String>| text.as_deref().map(BaseUrl::parse).transpose();
        Ok(Self {
            admin: parse(&options.admin)?,
            dataplane: parse(&options.dataplane)?,
            controlplane: parse(&options.controlplane)?,
            requires_sign_in: options.requires_sign_in,
            client: UpstreamClient::default(),
        })
    }

    /// The paths of this service that are relayed to them.
    pub(crate) fn paths(&self) -> UpstreamPaths {
        let path = |base: &Option<BaseUrl>, name| base.as_ref().map(|_| format!("{}/{name}", paths::UPSTREAM));
        UpstreamPaths {
            admin: path(&self.admin, ADMIN),
            dataplane: path(&self.dataplane, DATA_PLANE),
            controlplane: path(&self.controlplane, CONTROL_PLANE),
            clusters: path(&self.controlplane, CLUSTERS),
            requires_sign_in: self.requires_sign_in,
        }
    }

    /// The base URLs of the Admin API, the Data Plane API and the Control Plane API.
    pub(crate) const fn bases(&self) -> [Option<&BaseUrl>; 3] {
        [self.admin.as_ref(), self.dataplane.as_ref(), self.controlplane.as_ref()]
    }

    /// The target with this name in the path; see [`split_path`].
    pub(crate) fn target(&self, name: &str) -> Option<Target<'_>> {
        let (api, base, flag) = match name {
            ADMIN => (Api::Admin, &self.admin, ADMIN),
            DATA_PLANE => (Api::DataPlane, &self.dataplane, DATA_PLANE),
            CONTROL_PLANE => (Api::ControlPlane, &self.controlplane, CONTROL_PLANE),
            CLUSTERS => (Api::DataPlane, &self.controlplane, CONTROL_PLANE),
            _ => return None,
        };
        Some(Target { api, base: base.as_ref(), flag })
    }
}

/// Splits a path below [`paths::UPSTREAM`] into the name of the target, the cluster ID if there is one, and the path there.
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

/// The base URL of the Data Plane that a Control Plane names: https, or on this machine together with the Control Plane.
/// Otherwise, a Control Plane elsewhere could send callers to services that only listen on this machine.
///
/// # Errors
/// It is another URL; why.
pub(crate) fn data_plane(control_plane: &BaseUrl, text: &str) -> Result<BaseUrl, String> {
    address(text).map_err(|error| error.to_string())?;
    let data_plane = BaseUrl::parse(text).map_err(|error| error.to_string())?;
    if data_plane.is_this_machine() && !control_plane.is_this_machine() {
        return Err("it names an address of this machine, and the Control Plane is on another one".into());
    }
    Ok(data_plane)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_control_plane_on_this_machine_names_a_data_plane_there() {
        let of = |control_plane: &str, text: &str| data_plane(&BaseUrl::parse(control_plane).unwrap(), text);
        for here in
            ["http://127.0.0.1:9", "https://localhost", "https://[::1]:9", "https://a.localhost", "https://0.0.0.0"]
        {
            assert!(of("http://127.0.0.1:1", here).is_ok(), "{here}");
            let error = of("https://api.example", here).expect_err(here);
            assert_eq!(error, "it names an address of this machine, and the Control Plane is on another one");
        }
        assert!(of("https://api.example", "https://data.example").is_ok());
        assert!(of("http://127.0.0.1:1", "http://10.0.0.1").is_err());
    }
}
