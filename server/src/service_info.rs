//! `/gbac/v1/service`: what this service is, and in a demo how a page signs in by itself.

use axum::extract::State;
use axum::routing::get;
use axum::{Json, Router};
use gbac_api::paths;
use gbac_api::service::{Provider, ServiceInfo};

use crate::app::App;

pub(crate) fn routes() -> Router<App> {
    Router::new().route(paths::SERVICE, get(read))
}

async fn read(State(app): State<App>) -> Json<ServiceInfo> {
    Json(ServiceInfo {
        name: "demo".into(),
        version: env!("CARGO_PKG_VERSION").into(),
        demo: true,
        sign_in: app.sign_in().cloned(),
        provider: Some(Provider {
            issuer: app.provider().issuer().into(),
            audience: crate::demo::AUDIENCE.into(),
            discovery: paths::DEMO_DISCOVERY.into(),
            jwks: paths::DEMO_JWKS.into(),
            people: paths::DEMO_PEOPLE.into(),
        }),
    })
}
