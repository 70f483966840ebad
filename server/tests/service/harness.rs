//! A demo without a port, and how a test asks it.

use std::fs;
use std::ops::Deref;
use std::path::Path;
use std::sync::LazyLock;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::http::{HeaderMap, Method, Request, Response};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use gbac_api::service::Person;
use gbac_server::{
    App, DataOptions, DemoKey, DemoOptions, ServeError, ServeMode, ServeOptions, open, router,
};
use http_body_util::BodyExt;
use serde_json::{Value, json};
use tempfile::TempDir;
use tower::ServiceExt;

/// The time of every demo here: 15 January 2027, 08:00:00 UTC.
pub(crate) const NOW: f64 = 1_800_000_000.0;

/// One key for all of them, since to make one takes time; who tests keys asks for another.
static KEY: LazyLock<DemoKey> = LazyLock::new(|| DemoKey::new().unwrap());

/// A demo.
pub(crate) struct Service {
    pub(crate) app: App,
    router: Router,
}

/// What came back.
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
    /// What came after the body.
    pub(crate) trailers: HeaderMap,
}

impl Answer {
    /// The body as JSON.
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body)
            .unwrap_or_else(|error| panic!("{error}: {:?}", self.body))
    }

    /// A header as text; empty when it is not there.
    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers
            .get(name)
            .map_or("", |value| value.to_str().unwrap())
    }

    /// Status and body.
    pub(crate) fn both(&self) -> (u16, Value) {
        (self.status, self.json())
    }
}

/// The password of the admin.
pub(crate) const PASSWORD: &str = "a password of tests";

impl Service {
    pub(crate) fn start() -> Self {
        Self::with(|_| {})
    }

    pub(crate) fn with(change: impl FnOnce(&mut ServeOptions)) -> Self {
        let mode = ServeMode::Demo(DemoOptions {
            key: Some(KEY.clone()),
            ..DemoOptions::default()
        });
        let admin_password = Some(PASSWORD.into());
        let mut options = ServeOptions {
            mode,
            admin_password,
            clock: Some(|| NOW),
            ..ServeOptions::default()
        };
        change(&mut options);
        Self::new(open(&options).unwrap())
    }

    /// A service with data in a folder.
    pub(crate) fn on(
        folder: &Path,
        change: impl FnOnce(&mut ServeOptions),
    ) -> Result<Self, ServeError> {
        let mut options = ServeOptions {
            mode: ServeMode::Data(DataOptions::new(folder.into())),
            admin_password: Some(PASSWORD.into()),
            clock: Some(|| NOW),
            ..ServeOptions::default()
        };
        change(&mut options);
        Ok(Self::new(open(&options)?))
    }

    /// A service with data in a folder whose audit log somebody turned off, and has no events.
    pub(crate) async fn unaudited(folder: &Path, change: impl FnOnce(&mut ServeOptions)) -> Self {
        let service = Self::on(folder, |_| {}).unwrap();
        let off = json!({ "upsert": { "audit_enabled": false }, "remove": [] });
        let answer = service.send(Method::PUT, "/v1/cluster_config", &off).await;
        assert_eq!(answer.status, 200);
        drop(service);
        for file in ["audit.jsonl", "changes.jsonl"] {
            fs::remove_file(folder.join(file)).unwrap();
        }
        Self::on(folder, change).unwrap()
    }

    fn new(app: App) -> Self {
        Self {
            router: router(app.clone()),
            app,
        }
    }

    /// Asks whatever the request says, with a Host when it has none.
    pub(crate) async fn ask(&self, request: Request<Body>) -> Answer {
        let (parts, body) = self.respond(request).await.into_parts();
        let body = body.collect().await.unwrap();
        let trailers = body.trailers().cloned().unwrap_or_default();
        Answer {
            status: parts.status.as_u16(),
            headers: parts.headers,
            body: body.to_bytes(),
            trailers,
        }
    }

    /// The response, whose body is not read yet.
    pub(crate) async fn respond(&self, mut request: Request<Body>) -> Response<Body> {
        request
            .headers_mut()
            .entry("host")
            .or_insert("127.0.0.1:8420".parse().unwrap());
        self.router.clone().oneshot(request).await.unwrap()
    }

    /// Reads without credentials.
    pub(crate) async fn get(&self, path: &str) -> Answer {
        self.ask(Request::get(path).body(Body::empty()).unwrap())
            .await
    }

    /// Reads with these credentials.
    pub(crate) async fn get_as(&self, path: &str, credentials: &str) -> Answer {
        self.ask(
            Request::get(path)
                .header("authorization", credentials)
                .body(Body::empty())
                .unwrap(),
        )
        .await
    }

    /// Writes as the admin, with a JSON body.
    pub(crate) async fn send(&self, method: Method, path: &str, body: &Value) -> Answer {
        self.send_as(method, path, body, &admin()).await
    }

    /// Writes with these credentials, with a JSON body.
    pub(crate) async fn send_as(
        &self,
        method: Method,
        path: &str,
        body: &Value,
        credentials: &str,
    ) -> Answer {
        self.ask(request(method, path, credentials, &body.to_string()))
            .await
    }

    /// Deletes as the admin.
    pub(crate) async fn delete(&self, path: &str) -> Answer {
        let request = Request::delete(path)
            .header("authorization", admin())
            .body(Body::empty())
            .unwrap();
        self.ask(request).await
    }

    /// The people of the demo provider: comma-separated, path names, overage.
    pub(crate) async fn people(&self) -> Vec<Person> {
        serde_json::from_slice(&self.get("/demo/idp/people").await.body).unwrap()
    }
}

/// A service on a folder that goes away with it.
pub(crate) struct Own {
    service: Service,
    _folder: TempDir,
}

impl Own {
    pub(crate) fn with(change: impl FnOnce(&mut ServeOptions)) -> Self {
        let folder = tempfile::tempdir().unwrap();
        Self {
            service: Service::on(folder.path(), change).unwrap(),
            _folder: folder,
        }
    }
}

impl Deref for Own {
    type Target = Service;

    fn deref(&self) -> &Service {
        &self.service
    }
}

/// The options of a demo.
pub(crate) fn demo_options(options: &mut ServeOptions) -> &mut DemoOptions {
    match &mut options.mode {
        ServeMode::Demo(demo) => demo,
        ServeMode::Data(_) => panic!("not a demo"),
    }
}

/// The options of a service with data in a folder.
pub(crate) fn data_options(options: &mut ServeOptions) -> &mut DataOptions {
    match &mut options.mode {
        ServeMode::Data(data) => data,
        ServeMode::Demo(_) => panic!("a demo has no data"),
    }
}

/// A request with a JSON body.
pub(crate) fn request(method: Method, path: &str, credentials: &str, body: &str) -> Request<Body> {
    Request::builder()
        .method(method)
        .uri(path)
        .header("authorization", credentials)
        .header("content-type", "application/json")
        .body(Body::from(body.to_owned()))
        .unwrap()
}

/// Basic credentials.
pub(crate) fn basic(user: &str, password: &str) -> String {
    format!("Basic {}", STANDARD.encode(format!("{user}:{password}")))
}

/// The admin's.
pub(crate) fn admin() -> String {
    basic("admin", PASSWORD)
}

/// The Data Plane's body for a refusal that is about no field.
pub(crate) fn refusal(code: &str, reason: &str, message: &str) -> Value {
    json!({ "code": code, "message": message, "details": [
        { "@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": reason, "domain": "redpanda.com/dataplane", "metadata": {} },
    ] })
}

/// The Data Plane's body for fields that are wrong.
pub(crate) fn invalid(fields: &[(&str, &str)]) -> Value {
    let fields: Vec<Value> = fields
        .iter()
        .map(|(field, description)| json!({ "field": field, "description": description }))
        .collect();
    json!({ "code": "INVALID_ARGUMENT", "message": "provided parameters are invalid", "details": [
        { "@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "REASON_INVALID_INPUT",
          "domain": "redpanda.com/dataplane", "metadata": {} },
        { "@type": "type.googleapis.com/google.rpc.BadRequest", "field_violations": fields },
    ] })
}
