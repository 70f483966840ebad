//! `/demo/idp`: the demo identity provider's discovery document, keys and users.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::header;
use axum::response::IntoResponse;
use axum::routing::get;
use gbac_api::paths;
use gbac_api::problem::RpcCode;

use super::app::DemoAccess;
use super::registration::Routes;
use crate::demo::IdentityProvider;
use crate::http::access::Access;
use crate::http::problem::Problem;
use crate::http::surface::Surface;
use crate::state::service::Service;

pub(crate) fn routes() -> Routes {
    Routes::new(Surface::Gbac)
        .route(paths::DEMO_DISCOVERY, Access::Public, get(discovery))
        .route(paths::DEMO_JWKS, Access::Public, get(jwks))
        .route(paths::DEMO_PEOPLE, Access::Public, get(people))
}

type Demo = Option<Arc<DemoAccess>>;

/// These routes are only registered in a demo, which has a provider.
fn provider(demo: &Demo) -> Result<&IdentityProvider, Problem> {
    let message = "this service has no identity provider of its own";
    match demo {
        Some(demo) => Ok(&demo.provider),
        None => Err(Problem::new(RpcCode::NotFound, message)),
    }
}

async fn discovery(State(demo): State<Demo>) -> Result<impl IntoResponse, Problem> {
    Ok(Json(provider(&demo)?.discovery()))
}

async fn jwks(State(demo): State<Demo>) -> Result<impl IntoResponse, Problem> {
    let content_type = (header::CONTENT_TYPE, "application/json");
    Ok(([content_type], provider(&demo)?.jwks().to_owned()))
}

async fn people(
    State(demo): State<Demo>,
    State(service): State<Service>,
) -> Result<impl IntoResponse, Problem> {
    match provider(&demo)?.users(service.now()) {
        Ok(users) => Ok(Json(users)),
        Err(error) => Err(Problem::new(RpcCode::Internal, error.to_string())),
    }
}
