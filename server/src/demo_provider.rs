//! `/demo/idp`: the development identity provider's discovery document, keys and people.

use axum::extract::State;
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};
use gbac_api::paths;
use gbac_api::problem::RpcCode;
use serde_json::Value;

use crate::app::App;
use crate::fault::{Fault, Surface};

pub(crate) fn routes() -> Router<App> {
    Router::new()
        .route(paths::DEMO_DISCOVERY, get(discovery))
        .route(paths::DEMO_JWKS, get(jwks))
        .route(paths::DEMO_PEOPLE, get(people))
}

async fn discovery(State(app): State<App>) -> Json<Value> {
    Json(app.provider().discovery())
}

async fn jwks(State(app): State<App>) -> Response {
    let kind = (header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    ([kind], app.provider().jwks().to_owned()).into_response()
}

async fn people(State(app): State<App>) -> Response {
    match app.provider().people(app.now()) {
        Ok(people) => Json(people).into_response(),
        Err(error) => Fault::new(RpcCode::Internal, error.to_string()).answer(Surface::Own),
    }
}
