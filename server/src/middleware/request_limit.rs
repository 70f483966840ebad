//! The limit on the requests of a client at once.

use std::net::SocketAddr;
use std::sync::Arc;

use axum::extract::{ConnectInfo, Request, State};
use axum::http::{HeaderValue, header};
use axum::middleware::Next;
use axum::response::Response;
use gbac_api::problem::RpcCode;

use crate::client_address::{ClientNetwork, NetworkSlots};
use crate::http::problem::Problem;
use crate::http::route_table::Declaration;
use crate::state::service::Service;

/// What the limit needs.
#[derive(Clone)]
pub(crate) struct RequestLimit {
    service: Service,
    slots: NetworkSlots,
}

impl RequestLimit {
    /// A limit of these slots for each client.
    pub(crate) fn new(service: &Service, slots: &NetworkSlots) -> Self {
        Self {
            service: service.clone(),
            slots: slots.clone(),
        }
    }
}

/// Passes a request if its client has a slot. The slot is an extension of the response, so that the
/// connection can hold it until the response was sent. Refused bodies are not drained, because that
/// would take memory and time beyond the limit.
pub(crate) async fn limit_requests(
    State(limit): State<RequestLimit>,
    request: Request,
    next: Next,
) -> Response {
    let Some(ConnectInfo(client)) = request.extensions().get::<ConnectInfo<SocketAddr>>() else {
        return next.run(request).await;
    };
    match limit.slots.take(ClientNetwork::from_address(client.ip())) {
        Some(slot) => {
            let mut response = next.run(request).await;
            response.extensions_mut().insert(Arc::new(slot));
            response
        }
        None => {
            limit.service.metrics().count_refused_request();
            let message = "your address has too many requests at once; wait for their responses";
            let problem = Problem::new(RpcCode::ResourceExhausted, message);
            let problem = problem.with_header(header::RETRY_AFTER, HeaderValue::from_static("1"));
            problem.response(Declaration::of(request.extensions()).surface)
        }
    }
}
