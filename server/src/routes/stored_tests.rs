//! `/gbac/v1/tests`: the tests that are stored with the service (D-107).

use std::sync::Arc;

use axum::Json;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use gbac_api::paths;
use gbac_api::stored_tests::{self, StoredTestsBody};

use super::registration::Routes;
use crate::http::access::Access;
use crate::http::body;
use crate::http::etag::{Tagged, is_known, precondition, with_etag};
use crate::http::problem::Problem;
use crate::http::reject::reject;
use crate::http::surface::Surface;
use crate::state::config::Config;
use crate::state::service::Service;
use crate::state::store::{Snapshot, StateChange};
use crate::state::stored_tests::StoredTests;

pub(crate) fn routes() -> Routes {
    Routes::new(Surface::Gbac).route(paths::TESTS, Access::SUPERUSER, get(read).put(write))
}

async fn read(State(service): State<Service>, headers: HeaderMap) -> Response {
    let config = Arc::clone(&service.read().config);
    let etag = config.tests.etag();
    if is_known(&headers, &etag) {
        return with_etag(StatusCode::NOT_MODIFIED.into_response(), &etag);
    }
    let body = Json(StoredTestsBody::new(config.tests.as_slice()));
    with_etag(body.into_response(), &etag)
}

async fn write(State(service): State<Service>, request: Request) -> Result<Response, Problem> {
    let precondition = match precondition(&request, Tagged::Tests) {
        Ok(precondition) => precondition,
        Err(problem) => return Ok(reject(request, problem).await),
    };
    let tests = body::read_text(request, parse).await?;
    let etag = tests.etag();
    let plan = move |current: &Snapshot| {
        precondition.check(&current.config.tests.etag())?;
        let config = Config {
            tests,
            ..(*current.config).clone()
        };
        Ok::<_, Problem>((StateChange::Configure(Vec::new(), config), ()))
    };
    service.change(plan).await?;
    Ok(with_etag(StatusCode::NO_CONTENT.into_response(), &etag))
}

fn parse(text: &str) -> Result<StoredTests, Problem> {
    match stored_tests::read(text) {
        Ok(read) => {
            let tests: Vec<_> = read.into_iter().map(|test| test.json).collect();
            Ok(StoredTests::from(tests))
        }
        Err(faults) => Err(Problem::tests(faults)),
    }
}
