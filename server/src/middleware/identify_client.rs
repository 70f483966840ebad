//! Replaces the address of a trusted proxy with that of the client behind it, which
//! `client_address` finds.

use axum::extract::{ConnectInfo, Request, State};
use axum::middleware::Next;
use axum::response::Response;
use gbac_api::problem::RpcCode;

use crate::client_address::find_client;
use crate::http::problem::Problem;
use crate::http::request_head::{Encrypted, client};
use crate::http::route_table::Declaration;
use crate::state::service::Service;

/// Marks a request with the address of its client, and with whether the client encrypted it; the
/// response with the latter.
pub(crate) async fn identify_client(
    State(service): State<Service>,
    mut request: Request,
    next: Next,
) -> Response {
    if let Some(peer) = client(request.extensions()) {
        let Ok(client) = find_client(peer, request.headers(), service.trusted_proxies()) else {
            let message = "the proxy's X-Forwarded-For and Forwarded headers name different clients; let it remove one of them";
            let problem = Problem::with_status(
                400,
                RpcCode::InvalidArgument,
                "forwarded_ambiguous",
                message,
            );
            return problem.response(Declaration::of(request.extensions()).surface);
        };
        request.extensions_mut().insert(ConnectInfo(client.address));
        match client.is_encrypted {
            Some(true) => drop(request.extensions_mut().insert(Encrypted)),
            Some(false) => drop(request.extensions_mut().remove::<Encrypted>()),
            None => {}
        }
    }
    let encrypted = request.extensions().get::<Encrypted>().copied();
    let mut response = next.run(request).await;
    if let Some(encrypted) = encrypted {
        response.extensions_mut().insert(encrypted);
    }
    response
}
