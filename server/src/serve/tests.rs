//! Tests of the assembled service that need its internals.

use std::fmt::Debug;
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use axum::http::Method;
use axum::routing::any;
use gbac_api::paths;
use tower::ServiceExt;
use tracing::field::{Field, Visit};
use tracing_subscriber::layer::{Context, Layer, SubscriberExt};

use super::options::{DataOptions, ServeMode, ServeOptions};
use super::start::open;
use crate::http::access::Access;
use crate::http::route_table::RouteTable;
use crate::http::surface::Surface;
use crate::identity::password::Password;
use crate::routes::app::App;
use crate::routes::{assemble, router, routes};
use crate::state::store::Store;

fn demo() -> App {
    open(&ServeOptions::default()).unwrap()
}

#[tokio::test]
async fn a_route_without_declared_access_requires_a_superuser() {
    let status = async |method: Method, credentials: Option<&str>| {
        let undeclared = Router::new().route("/brand/new", any(async || "secret"));
        let mut request = Request::builder()
            .method(method)
            .uri("/brand/new")
            .header("host", "localhost");
        if let Some(credentials) = credentials {
            request = request.header("authorization", credentials);
        }
        let router = assemble(demo(), undeclared, RouteTable::default());
        router
            .oneshot(request.body(Body::empty()).unwrap())
            .await
            .unwrap()
            .status()
            .as_u16()
    };
    assert_eq!(status(Method::POST, None).await, 401);
    assert_eq!(
        status(Method::POST, Some("Basic YWRtaW46ZGVtbw==")).await,
        200
    );
    assert_eq!(
        status(Method::GET, Some("Basic YWRtaW46d3Jvbmc=")).await,
        401
    );
}

#[test]
fn paths_beside_a_protected_route_are_protected() {
    let (_, table) = routes(true).into_parts();
    let is_deep = |route: &str| route.trim_start_matches('/').contains('/');
    for (route, declared) in table.routes.iter().filter(|(route, _)| is_deep(route)) {
        let has_prefix = table
            .prefixes
            .keys()
            .any(|prefix| route.starts_with(prefix.as_str()));
        // Beside the ACLs of the Schema Registry are pages of the console.
        let is_beside_pages = route == paths::REGISTRY_ACLS;
        assert!(
            has_prefix || is_beside_pages || declared.access == Access::Public,
            "paths beside `{route}` would be public"
        );
    }
}

#[test]
fn each_path_belongs_to_its_api() {
    let (_, table) = routes(true).into_parts();
    let page = include_str!("../../../docs/metrics.md");
    let metric = page
        .lines()
        .find(|line| line.starts_with("| `gbac_requests_total` |"));
    for (path, surface) in [
        ("/v1/acls", Surface::DataPlane),
        ("/v1/nothing", Surface::DataPlane),
        ("/v1/cluster_config/schema", Surface::Admin),
        ("/v1/cluster_config/nothing", Surface::Admin),
        ("/v1/loggers", Surface::Admin),
        ("/v1/config", Surface::Admin),
        ("/v1/config/log_level/security", Surface::Admin),
        ("/v1/security", Surface::Admin),
        ("/v1/security/roles", Surface::Admin),
        ("/v1/brokers", Surface::Admin),
        ("/v1/brokers/7/nothing", Surface::Admin),
        ("/v1/features/license", Surface::Admin),
        ("/v1/clusters/x", Surface::DataPlane),
        ("/v1/configuration", Surface::DataPlane),
        ("/service.core.admin.v2.SecurityService/X", Surface::Connect),
        ("/service.core.admin.v2.OtherService/X", Surface::Connect),
        (
            "/redpanda.api.dataplane.v1.ACLService/ListACLs",
            Surface::DataPlaneRpc,
        ),
        (
            "/redpanda.api.dataplane.v1.UserService/ListUsers",
            Surface::DataPlaneRpc,
        ),
        ("/security/acls", Surface::SchemaRegistry),
        ("/security/acls/", Surface::Gbac),
        ("/security/roles", Surface::Gbac),
        (
            "/redpanda.core.admin.v2.SecurityService/X",
            Surface::Connect,
        ),
        ("/gbac/v1/policy", Surface::Gbac),
        ("/gbac/v1/upstream/admin/v1/cluster_config", Surface::Admin),
        (
            "/gbac/v1/upstream/admin/service.core.admin.v2.SecurityService/X",
            Surface::Connect,
        ),
        ("/gbac/v1/upstream/dataplane/v1/acls", Surface::DataPlane),
        ("/gbac/v1/upstream/clusters/c1/v1/roles", Surface::DataPlane),
        ("/gbac/v1/upstream/clusters/c1", Surface::Gbac),
        ("/v1", Surface::Gbac),
        ("/", Surface::Gbac),
    ] {
        let request = Request::get(path).body(Body::empty()).unwrap();
        assert_eq!(table.declaration(&request).surface, surface, "{path}");
        let label = format!("`{}`", surface.label());
        assert!(
            metric.is_some_and(|metric| metric.contains(&label)),
            "docs/metrics.md: `gbac_requests_total` lacks {label}"
        );
    }
}

/// Collects the fields of log events.
#[derive(Clone, Default)]
struct LogCollector(Arc<Mutex<String>>);

impl<S: tracing::Subscriber> Layer<S> for LogCollector {
    fn on_event(&self, event: &tracing::Event<'_>, _: Context<'_, S>) {
        event.record(&mut self.clone());
    }
}

impl Visit for LogCollector {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.0
            .lock()
            .unwrap()
            .push_str(&format!("{field}={value:?};"));
    }
}

#[tokio::test]
async fn a_short_password_that_is_stored_is_accepted_with_a_warning() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path(), |_| {}).unwrap();
    store
        .set_password("admin", Password::new("demo").unwrap().hash())
        .unwrap();
    drop(store);
    let mode = ServeMode::Data(DataOptions::new(folder.path().into()));
    let app = open(&ServeOptions {
        mode,
        ..ServeOptions::default()
    })
    .unwrap();
    let log = LogCollector::default();
    let _guard = tracing::subscriber::set_default(tracing_subscriber::registry().with(log.clone()));
    for _ in 0..2 {
        let request = Request::get("/v1/roles").header("host", "localhost");
        let request = request
            .header("authorization", "Basic YWRtaW46ZGVtbw==")
            .body(Body::empty())
            .unwrap();
        assert_eq!(
            router(app.clone())
                .oneshot(request)
                .await
                .unwrap()
                .status()
                .as_u16(),
            200
        );
    }
    let log = log.0.lock().unwrap();
    assert_eq!(
        log.matches("the password of the local account has fewer than 12 characters")
            .count(),
        1,
        "{log}"
    );
}

#[tokio::test]
async fn log_lines_of_requests_contain_no_token() {
    let app = demo();
    let log = LogCollector::default();
    let _guard = tracing::subscriber::set_default(tracing_subscriber::registry().with(log.clone()));
    let token = "eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJhIn0.c2ln";
    let path = format!("/{}/{token}", paths::SECURITY_SERVICE);
    let request = Request::post(path)
        .header("host", "localhost")
        .header("content-type", "application/json");
    let request = request.header("authorization", "Basic YWRtaW46ZGVtbw==");
    let response = router(app)
        .oneshot(request.body(Body::from("{}")).unwrap())
        .await
        .unwrap();
    assert!(response.status().is_server_error(), "{}", response.status());
    let log = log.0.lock().unwrap();
    assert!(log.contains("******") && !log.contains("eyJ"), "{log}");
}
