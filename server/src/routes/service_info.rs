//! `/gbac/v1/service`: the name and version of the service, what it requires of tokens, and how the console signs in to a demo.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::routing::get;
use gbac_api::paths;
use gbac_api::service::{Provider, ServiceInfo};

use super::app::DemoAccess;
use super::registration::Routes;
use crate::demo::AUDIENCE;
use crate::http::access::Access;
use crate::identity::sign_in::Authenticator;
use crate::state::service::Service;
use crate::upstream::Upstream;

pub(crate) fn routes() -> Routes {
    Routes::new().route(paths::SERVICE, Access::Public, get(read))
}

async fn read(
    State(service): State<Service>,
    State(authenticator): State<Authenticator>,
    State(upstream): State<Arc<Upstream>>,
    State(demo): State<Option<Arc<DemoAccess>>>,
) -> Json<ServiceInfo> {
    let default_name = if service.is_demo() { "demo" } else { "gbac" };
    Json(ServiceInfo {
        name: service.endpoint().cluster_id.clone().unwrap_or_else(|| default_name.into()),
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
        tokens: authenticator.token_requirements(),
        upstream: upstream.paths(),
    })
}
