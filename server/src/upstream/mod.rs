//! `/gbac/v1/upstream`: relays the documented operations to a cluster that runs elsewhere, so that the page talks to
//! its own origin only. The cluster decides who may what: the caller's `Authorization` goes there and nowhere else (D-40).

mod operations;
mod relay;

use axum::extract::{Request, State};
use axum::http::{HeaderValue, header};
use axum::response::Response;
use axum::routing::any;
use gbac_api::address::{BaseUrl, BaseUrlError, address};
use gbac_api::clusters::GetCluster;
use gbac_api::encode::{decode, parse_query, query};
use gbac_api::problem::RpcCode;
use gbac_api::service::Upstream as Paths;
use gbac_api::{encode, paths};
use gbac_engine::escape::escaped;

use crate::access::{Access, Routes};
use crate::app::{App, nothing};
use crate::body;
use crate::fault::{Fault, Surface};
use operations::{Api, Found};
use relay::{Call, Relay};

/// Where the cluster's APIs are, as the command line says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UpstreamOptions {
    /// The base address of its Admin API.
    pub admin: Option<String>,
    /// The base address of its Data Plane API.
    pub dataplane: Option<String>,
    /// The base address of its Control Plane.
    pub controlplane: Option<String>,
}

/// The cluster's APIs.
pub(crate) struct Upstream {
    admin: Option<BaseUrl>,
    dataplane: Option<BaseUrl>,
    controlplane: Option<BaseUrl>,
    relay: Relay,
}

impl Upstream {
    /// The APIs at these addresses.
    ///
    /// # Errors
    /// One of them is no base address.
    pub(crate) fn new(options: &UpstreamOptions) -> Result<Self, BaseUrlError> {
        let read = |text: &Option<String>| text.as_deref().map(BaseUrl::parse).transpose();
        Ok(Self {
            admin: read(&options.admin)?,
            dataplane: read(&options.dataplane)?,
            controlplane: read(&options.controlplane)?,
            relay: Relay::default(),
        })
    }

    /// The paths of this service behind which they are.
    pub(crate) fn paths(&self) -> Paths {
        let path = |base: &Option<BaseUrl>, name| base.as_ref().map(|_| format!("{}/{name}", paths::UPSTREAM));
        Paths {
            admin: path(&self.admin, ADMIN),
            dataplane: path(&self.dataplane, DATA_PLANE),
            controlplane: path(&self.controlplane, CONTROL_PLANE),
            clusters: path(&self.controlplane, CLUSTERS),
        }
    }
}

const ADMIN: &str = "admin";
const DATA_PLANE: &str = "dataplane";
const CONTROL_PLANE: &str = "controlplane";
/// Behind it an id, and then the Data Plane of the cluster that the Control Plane knows under it.
const CLUSTERS: &str = "clusters";

pub(crate) fn routes() -> Routes {
    Routes::new()
        .route(&format!("{}/{{*path}}", paths::UPSTREAM), Access::Cluster, any(answer))
        // Nothing is there; it says so to everybody, as the paths below do.
        .route(&format!("{}/", paths::UPSTREAM), Access::Cluster, any(answer))
}

/// What a path under [`paths::UPSTREAM`] means: whose API, the cluster's id where one is named, and the path there.
pub(crate) fn split(path: &str) -> Option<(&str, Option<&str>, &str)> {
    let rest = path.strip_prefix(paths::UPSTREAM)?.strip_prefix('/')?;
    let (name, _) = rest.split_once('/')?;
    let behind = rest.strip_prefix(name)?;
    if name != CLUSTERS {
        return Some((name, None, behind));
    }
    let (id, _) = behind.strip_prefix('/')?.split_once('/')?;
    Some((name, Some(id), behind.strip_prefix('/')?.strip_prefix(id)?))
}

async fn answer(State(app): State<App>, request: Request) -> Response {
    let surface = Surface::of(request.uri().path());
    let upstream = app.upstream();
    let uri = request.uri().clone();
    let Some((name, id, path)) = split(uri.path()) else { return nothing(request).await };
    let (api, base) = match name {
        ADMIN => (Api::Admin, &upstream.admin),
        DATA_PLANE => (Api::DataPlane, &upstream.dataplane),
        CONTROL_PLANE => (Api::ControlPlane, &upstream.controlplane),
        CLUSTERS => (Api::DataPlane, &upstream.controlplane),
        _ => return nothing(request).await,
    };
    let Some(base) = base else {
        let flag = if name == CLUSTERS { CONTROL_PLANE } else { name };
        let message = format!("no cluster is relayed here; start the service with `--upstream-{flag}`");
        return body::refuse(request, Fault::with_status(404, RpcCode::NotFound, "no_upstream", message)).await;
    };
    let path = match api.find(request.method(), path) {
        Found::Path(path) => path,
        Found::Nothing => {
            let message = format!("`{}` is none of the operations that are relayed", escaped(path));
            return body::refuse(request, Fault::new(RpcCode::NotFound, message)).await;
        }
        Found::Methods(methods) => {
            let message = format!("`{}` is not possible here", request.method());
            let fault = Fault::with_status(405, RpcCode::Unimplemented, "method_not_allowed", message);
            let allowed: Vec<&str> = methods.iter().map(axum::http::Method::as_str).collect();
            let fault = match HeaderValue::from_str(&allowed.join(", ")) {
                Ok(allowed) => fault.with_header(header::ALLOW, allowed),
                Err(_) => fault,
            };
            return body::refuse(request, fault).await;
        }
    };
    if !request.headers().contains_key(header::AUTHORIZATION) {
        let message = "credentials are missing; this takes those of the cluster";
        return body::refuse(request, Fault::new(RpcCode::Unauthenticated, message)).await;
    }
    let pairs = match parse_query(uri.query().unwrap_or_default()) {
        Ok(pairs) => pairs,
        Err(error) => {
            let fault = Fault::new(RpcCode::InvalidArgument, format!("{error}; {}", error.hint()));
            return body::refuse(request, fault).await;
        }
    };
    let asked = query(pairs.iter().map(|(name, value)| (name.as_str(), value.clone())));
    let relayed = async {
        let call = Call::of(request).await?;
        let found = match id {
            None => base.clone(),
            Some(id) => match data_plane(&upstream.relay, base, id, &call).await? {
                Ok(base) => base,
                // The Control Plane's own refusal says best what is wrong.
                Err(refused) => return Ok(refused.into_response()),
            },
        };
        upstream.relay.send(&found, &path, &asked, &call).await.map(relay::Answer::into_response)
    };
    relayed.await.unwrap_or_else(|fault| fault.answer(surface))
}

/// Asks the Control Plane where a cluster's Data Plane is. Its word counts only for https, and for this machine itself.
async fn data_plane(
    relay: &Relay,
    base: &BaseUrl,
    id: &str,
    call: &Call,
) -> Result<Result<BaseUrl, relay::Answer>, Fault> {
    let id = decode(id).map_err(|error| Fault::new(RpcCode::InvalidArgument, format!("{error}; {}", error.hint())))?;
    let path = match Api::ControlPlane.find(&axum::http::Method::GET, &paths::cluster(&id)) {
        Found::Path(path) => path,
        Found::Methods(_) | Found::Nothing => {
            let message = format!("`{}` is not the id of a cluster", encode::component(&id));
            return Err(Fault::new(RpcCode::InvalidArgument, message));
        }
    };
    let answer = relay.send(base, &path, "", &call.reading()).await?;
    if answer.status != 200 {
        return Ok(Err(answer));
    }
    let useless = |what: &str| {
        let message = format!("the Control Plane's answer cannot be used: {what}");
        Fault::with_status(502, RpcCode::Unavailable, "upstream_answer", message)
    };
    let GetCluster { cluster } =
        serde_json::from_slice(&answer.body).map_err(|_| useless("it has no string `cluster.dataplane_api`"))?;
    address(&cluster.dataplane_api).map_err(|error| useless(&error.to_string()))?;
    BaseUrl::parse(&cluster.dataplane_api).map(Ok).map_err(|error| useless(&error.to_string()))
}
