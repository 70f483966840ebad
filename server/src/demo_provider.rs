//! `/demo/idp`: the development identity provider's discovery document, keys and people.

use axum::Json;
use axum::extract::State;
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use gbac_api::paths;
use gbac_api::problem::RpcCode;

use crate::access::{Access, Routes};
use crate::app::App;
use crate::demo::Provider;
use crate::fault::{Fault, Surface};

pub(crate) fn routes() -> Routes {
    Routes::new()
        .route(paths::DEMO_DISCOVERY, Access::Public, get(discovery))
        .route(paths::DEMO_JWKS, Access::Public, get(jwks))
        .route(paths::DEMO_PEOPLE, Access::Public, get(people))
}

/// These routes are those of a demo, which has a provider.
fn answer(app: &App, read: impl FnOnce(&Provider) -> Result<Response, Fault>) -> Response {
    let none = || Fault::new(RpcCode::NotFound, "this service has no provider of its own");
    app.provider().ok_or_else(none).and_then(read).unwrap_or_else(|fault| fault.answer(Surface::Own))
}

async fn discovery(State(app): State<App>) -> Response {
    answer(&app, |provider| Ok(Json(provider.discovery()).into_response()))
}

async fn jwks(State(app): State<App>) -> Response {
    let kind = (header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    answer(&app, |provider| Ok(([kind], provider.jwks().to_owned()).into_response()))
}

async fn people(State(app): State<App>) -> Response {
    answer(&app, |provider| match provider.people(app.now()) {
        Ok(people) => Ok(Json(people).into_response()),
        Err(error) => Err(Fault::new(RpcCode::Internal, error.to_string())),
    })
}
