//! `/gbac/v1/service`: what this service is, and in a demo how a page signs in by itself.

use axum::Json;
use axum::extract::State;
use axum::routing::get;
use gbac_api::paths;
use gbac_api::service::{Provider, ServiceInfo};

use crate::access::{Access, Routes};
use crate::app::App;

pub(crate) fn routes() -> Routes {
    Routes::new().route(paths::SERVICE, Access::Public, get(read))
}

async fn read(State(app): State<App>) -> Json<ServiceInfo> {
    let own = if app.is_demo() { "demo" } else { "gbac" };
    Json(ServiceInfo {
        name: app.site().cluster_id.clone().unwrap_or_else(|| own.into()),
        version: env!("CARGO_PKG_VERSION").into(),
        demo: app.is_demo(),
        sign_in: app.sign_in().cloned(),
        provider: app.provider().map(|provider| Provider {
            issuer: provider.issuer().into(),
            audience: crate::demo::AUDIENCE.into(),
            discovery: paths::DEMO_DISCOVERY.into(),
            jwks: paths::DEMO_JWKS.into(),
            people: paths::DEMO_PEOPLE.into(),
        }),
        upstream: app.upstream().paths(),
    })
}
