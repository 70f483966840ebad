//! The state of the data that an answer has at least, and that a request requires.

use std::time::Duration;

use axum::extract::{Request, State};
use axum::http::{HeaderName, HeaderValue, header};
use axum::middleware::Next;
use axum::response::Response;
use gbac_api::history::{AT_LEAST, STATE, StateToken};
use gbac_api::problem::RpcCode;

use crate::http::problem::Problem;
use crate::http::reject::reject;
use crate::http::route_table::Declaration;
use crate::state::audit::Purpose;
use crate::state::service::Service;

/// How long a request waits for the state that it requires.
const PATIENCE: Duration = Duration::from_secs(2);

/// Passes a request once the state is at least the required one, and says in its answer which state
/// that is: of a change the one with it, of a read the one before it.
pub(crate) async fn tell_state(
    State(service): State<Service>,
    request: Request,
    next: Next,
) -> Response {
    let refused = match required(&request, &service) {
        Ok(Some(seq)) => wait(&service, seq).await,
        Ok(None) => Ok(()),
        Err(problem) => Err(problem),
    };
    let mut state = service.state_token();
    let access = Declaration::of(request.extensions()).access;
    let is_change = access.purpose(request.method()) == Purpose::Change;
    let mut response = match refused {
        Ok(()) => next.run(request).await,
        Err(problem) => reject(request, problem).await,
    };
    if is_change {
        state = service.state_token();
    }
    if let Ok(state) = HeaderValue::from_str(&state.to_string()) {
        let name = HeaderName::from_static(STATE);
        response.headers_mut().insert(name, state);
    }
    response
}

/// The number of the change that an answer must have.
fn required(request: &Request, service: &Service) -> Result<Option<u64>, Problem> {
    let Some(value) = request.headers().get(AT_LEAST) else {
        return Ok(None);
    };
    let Some(token) = value.to_str().ok().and_then(StateToken::parse) else {
        let message = "the header GBAC-At-Least is not a state; send the value of GBAC-State in an earlier response";
        return Err(bad_request("state_invalid", message.to_owned()));
    };
    let store = service.state_token().store;
    if token.store == store {
        return Ok(Some(token.seq));
    }
    let message = format!(
        "the state {token} belongs to other data than that of this service; repeat the request without GBAC-At-Least"
    );
    Err(bad_request("state_foreign", message))
}

fn bad_request(code: &'static str, message: String) -> Problem {
    Problem::with_status(400, RpcCode::InvalidArgument, code, message)
}

async fn wait(service: &Service, seq: u64) -> Result<(), Problem> {
    if service.wait_for(seq, PATIENCE).await {
        return Ok(());
    }
    let message = format!(
        "this service does not have change {seq} yet; its last one is {}; repeat the request later",
        service.state_token().seq
    );
    let problem = Problem::with_status(503, RpcCode::Unavailable, "state_behind", message);
    Err(problem.with_header(header::RETRY_AFTER, HeaderValue::from_static("1")))
}
