//! `/gbac/v1/service`: the name and version of the service, what it requires of tokens, and how the
//! console signs in to a demo; and `/gbac/v1/provider/keys`: what their signatures are verified with.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::header;
use axum::response::IntoResponse;
use axum::routing::get;
use gbac_api::paths;
use gbac_api::problem::RpcCode;
use gbac_api::service::{Provider, ServiceInfo, SignInOffer};
use url::Url;

use super::app::DemoAccess;
use super::registration::Routes;
use crate::demo::AUDIENCE;
use crate::http::access::Access;
use crate::http::problem::Problem;
use crate::http::surface::Surface;
use crate::identity::provider_sign_in::ProviderSignIn;
use crate::identity::sign_in::Authenticator;
use crate::state::service::Service;
use crate::upstream::Upstream;

pub(crate) fn routes() -> Routes {
    Routes::new(Surface::Gbac)
        .route(paths::SERVICE, Access::Public, get(read))
        .route(paths::PROVIDER_KEYS, Access::Public, get(provider_keys))
}

/// Never fetches keys, so that strangers cannot make the service do it.
async fn provider_keys(
    State(authenticator): State<Authenticator>,
) -> Result<impl IntoResponse, Problem> {
    let Some(keys) = authenticator.published_keys() else {
        let message = "no keys of an identity provider: set `oidc_discovery_url` and \
             `oidc_token_audience`; if they are set, the keys were not fetched yet";
        return Err(Problem::new(RpcCode::NotFound, message));
    };
    let content_type = (header::CONTENT_TYPE, "application/jwk-set+json");
    Ok(([content_type], keys))
}

async fn read(
    State(service): State<Service>,
    State(authenticator): State<Authenticator>,
    State(upstream): State<Arc<Upstream>>,
    State(demo): State<Option<Arc<DemoAccess>>>,
    State(sign_in): State<Option<Arc<ProviderSignIn>>>,
) -> Json<ServiceInfo> {
    let default_name = match service.cluster() {
        Some(cluster) => cluster.status().name(),
        None if service.is_demo() => "demo",
        None => "gbac",
    };
    let id = service.endpoint().cluster_id.clone();
    Json(ServiceInfo {
        name: match id.filter(|_| service.is_first()) {
            Some(id) => id,
            None => default_name.into(),
        },
        version: env!("CARGO_PKG_VERSION").into(),
        data_id: service.data_id().into(),
        demo: service.is_demo(),
        sign_in: demo.as_ref().and_then(|demo| demo.sign_in.clone()),
        provider: demo.as_ref().map(|demo| Provider {
            issuer: demo.provider.issuer().into(),
            audience: AUDIENCE.into(),
            discovery: paths::DEMO_DISCOVERY.into(),
            jwks: paths::DEMO_JWKS.into(),
            people: paths::DEMO_PEOPLE.into(),
        }),
        provider_sign_in: sign_in.and_then(|_| provider_sign_in(&service)),
        tokens: authenticator.token_requirements(),
        upstream: upstream.paths(),
        cluster: service.cluster().map(|cluster| cluster.status().info()),
    })
}

/// Where users sign in with the identity provider; `None` if its properties are not set (D-30).
fn provider_sign_in(service: &Service) -> Option<SignInOffer> {
    let config = service.read().config;
    if config.oidc_token_audience.is_empty() {
        return None;
    }
    let provider = Url::parse(&config.oidc_discovery_url).ok()?;
    let host = provider.host_str()?;
    let host = match provider.port() {
        Some(port) => format!("{host}:{port}"),
        None => host.to_owned(),
    };
    Some(SignInOffer {
        host,
        url: format!("{}{}", service.endpoint().url, paths::SIGN_IN),
    })
}
