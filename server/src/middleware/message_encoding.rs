//! Encodes the responses of calls of services. The bodies of the calls are decoded where handlers
//! read them, after the authorization.

use axum::extract::Request;
use axum::middleware::Next;
use axum::response::Response;

use crate::http::messages::Call;

/// Passes a request, and encodes its response as the request expects it.
pub(crate) async fn encode_messages(request: Request, next: Next) -> Response {
    let call = Call::from_request(&request);
    let response = next.run(request).await;
    match call {
        Some(call) => call.encode(response).await,
        None => response,
    }
}
