//! `/demo/idp`: the demo identity provider's discovery document, keys and users.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
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
    Routes::new()
        .route(paths::DEMO_DISCOVERY, Access::Public, get(discovery))
        .route(paths::DEMO_JWKS, Access::Public, get(jwks))
        .route(paths::DEMO_PEOPLE, Access::Public, get(people))
}

type Demo = Option<Arc<DemoAccess>>;

/// These routes are only registered in a demo, which has a provider.
fn respond(
    demo: &Demo,
    read: impl FnOnce(&IdentityProvider) -> Result<Response, Problem>,
) -> Response {
    let missing = || {
        Problem::new(
            RpcCode::NotFound,
            "this service has no identity provider of its own",
        )
    };
    let provider = demo.as_ref().map(|demo| &demo.provider).ok_or_else(missing);
    provider
        .and_then(read)
        .unwrap_or_else(|problem| problem.into_response(Surface::Gbac))
}

async fn discovery(State(demo): State<Demo>) -> Response {
    respond(&demo, |provider| {
        Ok(Json(provider.discovery()).into_response())
    })
}

async fn jwks(State(demo): State<Demo>) -> Response {
    let content_type = (
        header::CONTENT_TYPE,
        HeaderValue::from_static("application/json"),
    );
    respond(&demo, |provider| {
        Ok(([content_type], provider.jwks().to_owned()).into_response())
    })
}

async fn people(State(demo): State<Demo>, State(service): State<Service>) -> Response {
    respond(&demo, |provider| match provider.users(service.now()) {
        Ok(users) => Ok(Json(users).into_response()),
        Err(error) => Err(Problem::new(RpcCode::Internal, error.to_string())),
    })
}
