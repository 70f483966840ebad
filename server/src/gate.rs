//! What every request passes first: the Host it asks for, the Origin it comes from, the time it may take; and the
//! headers that every answer gets.

use std::time::{Duration, Instant};

use axum::extract::{Request, State};
use axum::http::uri::Authority;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, header};
use axum::middleware::Next;
use axum::response::Response;
use gbac_api::paths;
use gbac_api::problem::RpcCode;
use gbac_engine::escape::escaped;
use tokio::time::timeout;

use crate::app::App;
use crate::audit::shown;
use crate::body;
use crate::fault::{Fault, Surface};
use crate::site::Site;

/// How long an answer may take, and how long that to a policy document or to changes of it, which can have a million
/// ACLs.
const TIME: Duration = Duration::from_secs(30);
const DOCUMENT_TIME: Duration = Duration::from_secs(120);
const DOCUMENTS: [&str; 2] = [paths::POLICY, paths::POLICY_CHANGES];

/// How many bytes a path and its query may have: room for the longest names, percent-encoded. Beyond 64 KiB the answer
/// is HTTP's own and has no body.
const URI_BYTES: usize = 32 << 10;

/// The headers of every answer that has none of its own. A page from elsewhere can neither frame nor read any of it.
const HEADERS: [(HeaderName, &str); 7] = [
    (header::CACHE_CONTROL, "no-store"),
    (header::CONTENT_SECURITY_POLICY, "default-src 'none'; frame-ancestors 'none'"),
    (header::REFERRER_POLICY, "no-referrer"),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::X_FRAME_OPTIONS, "DENY"),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
];

/// Lets a request in when it is meant for this service and no page from elsewhere sends it. Every answer is counted and
/// has its line in the log; a query can hold names of people, and is not in it, and a token in the path is not either.
pub(crate) async fn gate(State(app): State<App>, request: Request, next: Next) -> Response {
    let (began, method, path) = (Instant::now(), request.method().clone(), request.uri().path().to_owned());
    let surface = Surface::of(&path);
    let mut response = match refusal(&request, app.site()) {
        Some(fault) => body::refuse(request, fault).await,
        None => timeout(if DOCUMENTS.contains(&path.as_str()) { DOCUMENT_TIME } else { TIME }, next.run(request))
            .await
            .unwrap_or_else(|_| Fault::new(RpcCode::DeadlineExceeded, "the request took too long").answer(surface)),
    };
    let (status, path) = (response.status().as_u16(), shown(&path));
    app.metrics().request(surface, status);
    let micros = began.elapsed().as_micros();
    if status < 500 {
        tracing::debug!(target: "request", %method, path, status, micros);
    } else {
        tracing::warn!(target: "request", %method, path, status, micros);
    }
    let headers = response.headers_mut();
    for (name, value) in HEADERS {
        headers.entry(name).or_insert(HeaderValue::from_static(value));
    }
    response
}

fn refusal(request: &Request, site: &Site) -> Option<Fault> {
    let authority = request.uri().authority().map(Authority::as_str);
    let invalid = |word, message| Some(Fault::with_status(400, RpcCode::InvalidArgument, word, message));
    // Two that differ would be read by one of two programs as one, and by the other as the other (RFC 9112 3.2).
    let Ok(host) = single(request.headers(), &header::HOST) else {
        return invalid("host_ambiguous", "the request has more than one Host; send one");
    };
    let host = host.map(HeaderValue::to_str);
    if let (Some(authority), Some(Ok(host))) = (authority, &host)
        && !authority.eq_ignore_ascii_case(host)
    {
        return invalid("host_ambiguous", "the request's target and its Host name different hosts; send one");
    }
    let Ok(origin) = single(request.headers(), &header::ORIGIN) else {
        return invalid("origin_ambiguous", "the request has more than one Origin; send one");
    };
    let host = match host.or(authority.map(Ok)) {
        Some(Ok(host)) if site.answers_for(host) => host,
        Some(Ok(host)) => {
            let message =
                format!("this service does not answer for the host `{}`; ask for it by its own address", escaped(host));
            return Some(Fault::with_status(403, RpcCode::PermissionDenied, "foreign_host", message));
        }
        _ => {
            return invalid("host_missing", "the request names no host");
        }
    };
    if request.uri().path_and_query().is_some_and(|path| path.as_str().len() > URI_BYTES) {
        let message = format!("the path and its query are longer than {URI_BYTES} bytes");
        return Some(Fault::with_status(414, RpcCode::InvalidArgument, "uri_too_long", message));
    }
    let writes = !matches!(*request.method(), Method::GET | Method::HEAD | Method::OPTIONS);
    if writes && !is_own_origin(request.headers(), origin, host) {
        let message = "pages of another origin may not change anything here";
        return Some(Fault::with_status(403, RpcCode::PermissionDenied, "foreign_origin", message));
    }
    None
}

/// The value of a header that may be there once.
///
/// # Errors
/// It is there more than once.
fn single<'h>(headers: &'h HeaderMap, name: &HeaderName) -> Result<Option<&'h HeaderValue>, ()> {
    let mut values = headers.get_all(name).iter();
    let value = values.next();
    if values.next().is_some() { Err(()) } else { Ok(value) }
}

/// Whether a request comes from a page of this service, or from no page at all.
fn is_own_origin(headers: &HeaderMap, origin: Option<&HeaderValue>, host: &str) -> bool {
    match origin {
        Some(origin) => origin.to_str().is_ok_and(|origin| {
            let own = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"));
            own.is_some_and(|own| own.eq_ignore_ascii_case(host))
        }),
        None => headers.get("sec-fetch-site").is_none_or(|site| site == "same-origin" || site == "none"),
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Debug;
    use std::sync::{Arc, Mutex};

    use axum::body::Body;
    use tower::ServiceExt;
    use tracing::field::{Field, Visit};
    use tracing_subscriber::layer::{Context, Layer, SubscriberExt};

    use super::*;
    use crate::app::{Demo, router};

    /// Keeps what is logged.
    #[derive(Clone, Default)]
    struct Kept(Arc<Mutex<String>>);

    impl<S: tracing::Subscriber> Layer<S> for Kept {
        fn on_event(&self, event: &tracing::Event<'_>, _: Context<'_, S>) {
            event.record(&mut self.clone());
        }
    }

    impl Visit for Kept {
        fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
            let mut kept = self.0.lock().unwrap();
            kept.push_str(&format!("{field}={value:?};"));
        }
    }

    #[tokio::test]
    async fn no_line_of_a_request_holds_a_token() {
        let app = App::demo(Demo::at(([127, 0, 0, 1], 8420).into())).unwrap();
        let kept = Kept::default();
        let _guard = tracing::subscriber::set_default(tracing_subscriber::registry().with(kept.clone()));
        let token = "eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJhIn0.c2ln";
        let path = format!("/{}/{token}", paths::SECURITY_SERVICE);
        let request = Request::post(path).header("host", "localhost").header("content-type", "application/json");
        let request = request.header("authorization", "Basic YWRtaW46ZGVtbw==");
        let response = router(app).oneshot(request.body(Body::from("{}")).unwrap()).await.unwrap();
        assert!(response.status().is_server_error(), "{}", response.status());
        let kept = kept.0.lock().unwrap();
        assert!(kept.contains("******") && !kept.contains("eyJ"), "{kept}");
    }
}
