//! `/gbac/v1/upstream`: relays the documented operations to a cluster, so that the console only talks to its own origin. The
//! cluster authorizes the caller: `Authorization` is sent to it and nowhere else (D-40).

use std::sync::Arc;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{HeaderValue, Method, Response as HttpResponse, StatusCode, header};
use axum::response::Response;
use axum::routing::any;
use gbac_api::address::{BaseUrl, address};
use gbac_api::clusters::GetCluster;
use gbac_api::encode::{decode, parse_query, query};
use gbac_api::problem::RpcCode;
use gbac_api::{encode, paths};
use gbac_engine::escape::escaped;

use super::table::Routes;
use crate::http::access::Access;
use crate::http::body;
use crate::http::problem::Problem;
use crate::http::reject::{method_not_allowed, not_found, reject};
use crate::http::surface::Surface;
use crate::upstream::client::{UpstreamClient, UpstreamError, UpstreamRequest, UpstreamResponse};
use crate::upstream::operations::{Api, Lookup};
use crate::upstream::{Upstream, split_path};

pub(crate) fn routes() -> Routes {
    Routes::new()
        .route(&format!("{}/{{*path}}", paths::UPSTREAM), Access::Cluster, any(relay))
        // This path has no target, which needs no credentials to find out, as below it.
        .route(&format!("{}/", paths::UPSTREAM), Access::Cluster, any(relay))
}

async fn relay(State(upstream): State<Arc<Upstream>>, request: Request) -> Response {
    let surface = Surface::of(request.uri().path());
    let uri = request.uri().clone();
    let Some((name, id, path)) = split_path(uri.path()) else { return not_found(request).await };
    let Some(target) = upstream.target(name) else { return not_found(request).await };
    let Some(base) = target.base else {
        let message = format!("no cluster is configured; start the service with `--upstream-{}`", target.flag);
        return reject(request, Problem::with_status(404, RpcCode::NotFound, "no_upstream", message)).await;
    };
    let path = match target.api.find(request.method(), path) {
        Lookup::Path(path) => path,
        Lookup::NotFound => {
            let message = format!("`{}` is not an operation that is relayed", escaped(path));
            return reject(request, Problem::new(RpcCode::NotFound, message)).await;
        }
        Lookup::OtherMethods(methods) => {
            let problem = method_not_allowed(request.method());
            let allowed: Vec<&str> = methods.iter().map(Method::as_str).collect();
            let problem = match HeaderValue::from_str(&allowed.join(", ")) {
                Ok(allowed) => problem.with_header(header::ALLOW, allowed),
                Err(_) => problem,
            };
            return reject(request, problem).await;
        }
    };
    if !request.headers().contains_key(header::AUTHORIZATION) {
        let message = "authentication required; send credentials of the cluster";
        return reject(request, Problem::new(RpcCode::Unauthenticated, message)).await;
    }
    let pairs = match parse_query(uri.query().unwrap_or_default()) {
        Ok(pairs) => pairs,
        Err(error) => {
            let problem = Problem::new(RpcCode::InvalidArgument, format!("{error}; {}", error.hint()));
            return reject(request, problem).await;
        }
    };
    let query = query(pairs.iter().map(|(name, value)| (name.as_str(), value.clone())));
    let relayed = async {
        let request = upstream_request(request).await?;
        let base = match id {
            None => base.clone(),
            Some(id) => match find_data_plane(&upstream.client, base, id, &request).await? {
                Ok(base) => base,
                // The problem response of the Control Plane explains best what is wrong.
                Err(response) => return Ok(relayed_response(response)),
            },
        };
        let response = upstream.client.send(&base, &path, &query, &request).await.map_err(|error| problem(&error))?;
        Ok(relayed_response(response))
    };
    relayed.await.unwrap_or_else(|problem: Problem| problem.into_response(surface))
}

async fn upstream_request(request: Request) -> Result<UpstreamRequest, Problem> {
    let (method, headers) = (request.method().clone(), request.headers().clone());
    let body = match method {
        Method::POST | Method::PUT => Some(body::text(request, body::MAX_BYTES, body::TIMEOUT).await?),
        _ => None,
    };
    Ok(UpstreamRequest::new(method, &headers, body))
}

fn relayed_response(response: UpstreamResponse) -> Response {
    let UpstreamResponse { status, body, headers } = response;
    let mut response = HttpResponse::new(Body::from(body));
    *response.status_mut() = StatusCode::from_u16(status).unwrap_or(StatusCode::BAD_GATEWAY);
    if status == 401 {
        // Not the challenge of the cluster: for `Basic`, a browser would open a password dialog.
        let challenge = HeaderValue::from_static("Bearer realm=\"gbac\"");
        response.headers_mut().insert(header::WWW_AUTHENTICATE, challenge);
    }
    response.headers_mut().extend(headers);
    response
}

/// Asks the Control Plane for the base URL of a cluster's Data Plane, which must use https or be on this machine. The inner error
/// is the response of the Control Plane if it is not successful.
async fn find_data_plane(
    client: &UpstreamClient,
    control_plane: &BaseUrl,
    id: &str,
    request: &UpstreamRequest,
) -> Result<Result<BaseUrl, UpstreamResponse>, Problem> {
    let id =
        decode(id).map_err(|error| Problem::new(RpcCode::InvalidArgument, format!("{error}; {}", error.hint())))?;
    let path = match Api::ControlPlane.find(&Method::GET, &paths::cluster(&id)) {
        Lookup::Path(path) => path,
        Lookup::OtherMethods(_) | Lookup::NotFound => {
            let message = format!("`{}` is not a cluster ID", encode::component(&id));
            return Err(Problem::new(RpcCode::InvalidArgument, message));
        }
    };
    let response = client.send(control_plane, &path, "", &request.as_get()).await.map_err(|error| problem(&error))?;
    if response.status != 200 {
        return Ok(Err(response));
    }
    let unusable = |cause: &str| {
        let message = format!("the response of the Control Plane is not usable: {cause}");
        Problem::with_status(502, RpcCode::Unavailable, "upstream_answer", message)
    };
    let GetCluster { cluster } =
        serde_json::from_slice(&response.body).map_err(|_| unusable("it has no string `cluster.dataplane_api`"))?;
    address(&cluster.dataplane_api).map_err(|error| unusable(&error.to_string()))?;
    BaseUrl::parse(&cluster.dataplane_api).map(Ok).map_err(|error| unusable(&error.to_string()))
}

fn problem(error: &UpstreamError) -> Problem {
    let (status, code) = match error {
        UpstreamError::Timeout => (504, RpcCode::DeadlineExceeded),
        _ => (502, RpcCode::Unavailable),
    };
    Problem::with_status(status, code, error.code(), error.to_string())
}
