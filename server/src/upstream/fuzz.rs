//! What the fuzz target of the relay runs.

use axum::body::Bytes;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, Uri, header};
use gbac_api::address::BaseUrl;
use gbac_api::encode::{DecodeError, decode, parse_query, query};
use gbac_api::paths::UPSTREAM;
use gbac_api::target::{ApiPresence, PROBES, TargetReport};
use serde_json::Value;
use url::{Host, Url};

use super::client::{ResponseHead, UpstreamError, UpstreamRequest};
use super::{NoRelayTarget, Upstream, UpstreamOptions, cluster_path, named_data_plane};

const ADMIN: &str = "https://admin.example:9644/base";
const DATA_PLANE: &str = "http://127.0.0.1:8082";
const CONTROL_PLANE: &str = "https://control.example";

/// Fuzzes the relay. Up to the first empty line, it is a request without a body; then a response of
/// the cluster, whose first line is its status.
///
/// # Panics
/// If a request is relayed to another place than that of an operation, or a response is passed on
/// that is not JSON, or more of them than is relayed.
pub fn relay(bytes: &[u8]) {
    let (request, response) = split(bytes, b"\n\n");
    let (line, headers) = split(request, b"\n");
    target(line);
    relayed_request(&read_headers(headers));
    let (head, body) = split(response, b"\n\n");
    let (status, headers) = split(head, b"\n");
    let status = StatusCode::from_bytes(status).unwrap_or(StatusCode::OK);
    relayed_response(status, &read_headers(headers), body);
    data_plane(body);
    report(status.as_u16(), body);
}

/// The parts before and after the first place of a separator.
fn split<'b>(bytes: &'b [u8], separator: &[u8]) -> (&'b [u8], &'b [u8]) {
    let mut parts = bytes.windows(separator.len());
    let Some(place) = parts.position(|part| part == separator) else {
        return (bytes, b"");
    };
    let (first, rest) = bytes.split_at(place);
    (first, rest.get(separator.len()..).unwrap_or_default())
}

fn read_headers(bytes: &[u8]) -> HeaderMap {
    let mut headers = HeaderMap::new();
    for line in bytes.split(|byte| *byte == b'\n') {
        let (name, value) = split(line, b": ");
        if let Ok(name) = HeaderName::from_bytes(name)
            && let Ok(value) = HeaderValue::from_bytes(value)
        {
            headers.append(name, value);
        }
    }
    headers
}

/// A request line leads to an operation below a base URL, or nowhere.
fn target(line: &[u8]) {
    let (method, uri) = split(line, b" ");
    let (Ok(method), Ok(uri)) = (
        Method::from_bytes(method),
        Uri::from_maybe_shared(Bytes::copy_from_slice(uri)),
    ) else {
        return;
    };
    let options = UpstreamOptions {
        admin: Some(ADMIN.into()),
        dataplane: Some(DATA_PLANE.into()),
        controlplane: Some(CONTROL_PLANE.into()),
        requires_sign_in: false,
    };
    let upstream = Upstream::new(&options);
    assert!(upstream.is_ok());
    let Ok(upstream) = upstream else { return };
    let found = match upstream.target(&method, uri.path()) {
        Ok(found) => found,
        Err(NoRelayTarget::OtherMethods(methods)) => return assert!(!methods.contains(&method)),
        Err(NoRelayTarget::NotFound | NoRelayTarget::NotRelayed(_)) => return,
        Err(NoRelayTarget::NotConfigured(flag)) => {
            return assert_eq!(flag, "", "all are configured");
        }
    };
    // The path as it was written, decoded: an operation's own words, and names.
    let written = uri.path().strip_prefix(UPSTREAM).unwrap_or_default();
    if let Some(id) = &found.cluster
        && let Ok(name) = decode(id)
        && let Some(path) = cluster_path(&name)
    {
        is_below(found.base, &path, "", 4);
        assert_eq!(path.rsplit('/').next().map(decode), Some(Ok(name)));
    }
    let pairs = parse_query(uri.query().unwrap_or_default());
    let written_query = match &pairs {
        Ok(pairs) => query(
            pairs
                .iter()
                .map(|(name, value)| (name.as_str(), value.clone())),
        ),
        Err(_) => String::new(),
    };
    let Some(url) = is_below(found.base, &found.path, &written_query, 5) else {
        return;
    };
    if let Ok(pairs) = pairs {
        let mut sent = Vec::new();
        for (name, value) in url.query_pairs() {
            sent.push((name.into_owned(), value.into_owned()));
        }
        assert_eq!(sent, pairs, "{uri}");
    }
    if !found.path.contains("SecurityService") {
        assert_eq!(names(&found.path), names(written), "{uri}");
    }
}

/// The last two names of a path.
fn names(path: &str) -> Vec<Result<String, DecodeError>> {
    path.rsplit('/').map(decode).take(2).collect()
}

/// The URL of a path is that of its base URL with this path, in every parser.
fn is_below(base: &BaseUrl, path: &str, query: &str, most: usize) -> Option<Url> {
    let url = base.with(path, query)?;
    let base = [ADMIN, DATA_PLANE, CONTROL_PLANE]
        .into_iter()
        .find(|base| matches!(Url::parse(base), Ok(base) if base.origin() == url.origin()));
    let whole = base.map(|base| format!("{base}{path}{query}"));
    assert_eq!(whole.as_deref(), Some(url.as_str()), "{path} {query}");
    assert!(
        url.username().is_empty() && url.password().is_none() && url.fragment().is_none(),
        "{url}"
    );
    let segments: Vec<_> = path.split('/').skip(1).collect();
    assert!((2..=most).contains(&segments.len()), "{path}");
    for segment in segments {
        let is_name = match decode(segment) {
            Ok(name) => !["", ".", ".."].contains(&name.as_str()),
            Err(_) => false,
        };
        assert!(
            is_name && !segment.contains([';', '\\', '?', '#']),
            "{path}"
        );
    }
    Some(url)
}

/// Only four headers are relayed, as they are.
fn relayed_request(headers: &HeaderMap) {
    let request = UpstreamRequest::new(Method::GET, headers, None);
    let relayed = [
        header::AUTHORIZATION,
        header::CONTENT_TYPE,
        header::ACCEPT,
        header::IF_MATCH,
    ];
    for name in request.headers().keys() {
        assert!(relayed.contains(name), "{name}");
    }
    for name in relayed {
        assert!(
            headers
                .get_all(&name)
                .iter()
                .eq(request.headers().get_all(&name)),
            "{name}"
        );
    }
    for body in [None, Some("{}")] {
        for name in UpstreamRequest::probe(headers, body).headers().keys() {
            assert!(
                [header::AUTHORIZATION, header::CONTENT_TYPE].contains(name),
                "{name}"
            );
        }
    }
}

/// Nothing is passed on but JSON, a status that ends a call, and two headers.
fn relayed_response(status: StatusCode, headers: &HeaderMap, body: &[u8]) {
    let bytes = Bytes::copy_from_slice(body);
    let answer = ResponseHead::read(status, headers).and_then(|head| head.with_body(bytes));
    let answer = match answer {
        Ok(answer) => answer,
        Err(error) => {
            assert_eq!(error.status(), Some(status.as_u16()), "{error}");
            assert!(
                !matches!(error, UpstreamError::Redirect(status) if !(300..400).contains(&status))
            );
            return;
        }
    };
    assert!(
        status.is_success() || status.is_client_error() || status.is_server_error(),
        "{status}"
    );
    assert_eq!((answer.status, &answer.body[..]), (status.as_u16(), body));
    for (name, value) in &answer.headers {
        let is_own = name == header::CONTENT_TYPE && value == "application/json";
        let is_relayed =
            [header::ETAG, header::RETRY_AFTER].contains(name) && headers.get(name) == Some(value);
        assert!(is_own || is_relayed, "{name}");
    }
    let is_json = serde_json::from_slice::<Value>(body).is_ok();
    assert!(
        body.is_empty() || (is_json && answer.headers.contains_key(header::CONTENT_TYPE)),
        "{:?}",
        answer.body
    );
}

/// A Data Plane that a Control Plane elsewhere names is not on this machine, and credentials are
/// sent to it encrypted.
fn data_plane(answer: &[u8]) {
    for control_plane in [CONTROL_PLANE, DATA_PLANE] {
        let Ok(base) = BaseUrl::parse(control_plane) else {
            return;
        };
        let Ok(found) = named_data_plane(&base, answer) else {
            continue;
        };
        let Some(url) = found.with("/v1/acls", "") else {
            continue;
        };
        let is_here = match url.host() {
            Some(Host::Domain(name)) => name.trim_end_matches('.').ends_with("localhost"),
            Some(Host::Ipv4(address)) => address.is_loopback() || address.is_unspecified(),
            Some(Host::Ipv6(address)) => {
                address.to_canonical().is_loopback() || address.is_unspecified()
            }
            None => true,
        };
        assert!(url.scheme() == "https" || is_here, "{url}");
        assert!(!is_here || control_plane == DATA_PLANE, "{url}");
        assert!(
            url.username().is_empty() && url.password().is_none() && url.query().is_none(),
            "{url}"
        );
    }
}

/// What the cluster says to probes: an API is there only if it says so in JSON.
fn report(status: u16, body: &[u8]) {
    let text = String::from_utf8_lossy(body);
    let mut report = TargetReport::default();
    for probe in PROBES {
        report.read(&probe, status, &text);
    }
    if serde_json::from_str::<Value>(&text).is_err() {
        let found = [
            report.admin_v1,
            report.admin_v2,
            report.data_plane,
            report.registry_acls,
        ];
        assert!(!found.contains(&ApiPresence::Present), "{text}");
        assert_eq!((&report.version, &report.license), (&None, &None));
    }
    for gap in report.gaps() {
        assert!(!gap.code.is_empty() && !gap.missing.is_empty() && !gap.consequence.is_empty());
    }
}

/// Initial inputs for [`relay`].
#[must_use]
pub fn relay_starts() -> Vec<Vec<u8>> {
    const RESPONSES: [&str; 8] = [
        "200\ncontent-type: application/json\netag: \"1\"\nset-cookie: a=b\n\n{\"resources\":[]}",
        "200\ncontent-type: application/json; charset=\"utf-8\"\n\n{\"cluster\":{\"dataplane_api\":{\"url\":\"https://data.example\"}}}",
        "200\ncontent-type: application/json\n\n{\"cluster\":{\"dataplane_api\":\"http://127.0.0.1:8080/a\"}}",
        "200\ncontent-type: text/html\n\n<html>",
        "302\nlocation: https://evil.example\n\n",
        "401\ncontent-type: application/json\nwww-authenticate: Basic\nretry-after: 7\n\n{\"code\":16,\"message\":\"no\"}",
        "400\ncontent-type: application/json;charset=latin1\n\n{\"code\":\"FAILED_PRECONDITION\",\"message\":\"no\",\"details\":[]}",
        "200\ncontent-type: application/json\n\n[{\"version\":\"v26.1.1 - abc\"}]",
    ];
    const REQUESTS: [&str; 22] = [
        "POST admin/redpanda.core.admin.v2.SecurityService/GetRole",
        "POST admin/service.core.admin.v2.SecurityService/ListRoles",
        "PUT admin/v1/cluster_config",
        "GET admin/v1/cluster_config/schema?a=1&b=%26",
        "PUT admin/v1/config/log_level/security%2Faudit?expires=60",
        "GET admin/v1/loggers",
        "DELETE dataplane/v1/acls?filter.principal=User%3Amaya&filter.resource_name=a+b",
        "GET dataplane/v1/roles/a%2Fb/members?page_size=10",
        "GET dataplane/v1/roles/a;b%25",
        "PUT dataplane/v1/roles/%C3%BC",
        "POST dataplane/v1/roles",
        "GET controlplane/v1/clusters/c1",
        "GET clusters/c1/v1/acls",
        "GET clusters/c%2F..%2F1/v1/roles/%2e%2E",
        "DELETE clusters/..;/v1/roles/x?delete_acls=true",
        "GET admin/v1/users",
        "GET dataplane/v1/roles/%2E/members",
        "GET dataplane//v1/acls",
        "GET dataplane/v1/acls#x",
        "GET dataplane/v1/roles/a\\..\\b",
        "GET controlplane/v1/organizations/x",
        "GET other/v1/acls",
    ];
    let mut starts = Vec::new();
    for (request, response) in std::iter::zip(REQUESTS, RESPONSES.into_iter().cycle()) {
        let (method, rest) = request.split_once(' ').unwrap_or_default();
        let headers = "authorization: Bearer x\ncookie: a=b\naccept: */*\nif-match: \"1\"";
        let start = format!("{method} {UPSTREAM}/{rest}\n{headers}\n\n{response}");
        starts.push(start.into_bytes());
    }
    starts
}
