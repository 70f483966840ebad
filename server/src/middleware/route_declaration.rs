//! Notes what the route of a request declares, for everything that the request passes.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::Response;

use crate::http::route_table::RouteTable;

/// Marks a request with its API and the access that it requires.
pub(crate) async fn note_declaration(
    State(table): State<Arc<RouteTable>>,
    mut request: Request,
    next: Next,
) -> Response {
    let declaration = table.declaration(&request);
    request.extensions_mut().insert(declaration);
    next.run(request).await
}
