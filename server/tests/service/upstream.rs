//! The relay to a cluster that runs elsewhere: what goes there, what comes back, and what does not.

use std::net::SocketAddr;
use std::sync::mpsc;

use axum::body::Body;
use axum::http::{Method, Request};
use gbac_api::clusters::DataPlaneApiForm;
use gbac_server::{ServeOptions, Server};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpSocket};
use tokio::sync::oneshot;

use crate::harness::{PASSWORD, Service, admin, basic, refusal, request};

/// A cluster: another service, on a port of its own, until the test is over.
pub(crate) struct Cluster {
    address: SocketAddr,
    _stop: oneshot::Sender<()>,
}

impl Cluster {
    pub(crate) fn start() -> Self {
        Self::with(|_| {})
    }

    fn with(change: impl FnOnce(&mut ServeOptions)) -> Self {
        let (listen, admin_password) = ("127.0.0.1:0".into(), Some(PASSWORD.into()));
        let mut options = ServeOptions {
            listen,
            admin_password,
            ..ServeOptions::default()
        };
        change(&mut options);
        let server = Server::bind(&options).unwrap();
        let address = server.address();
        let (stop, stopped) = oneshot::channel::<()>();
        tokio::spawn(server.run(async {
            let _ = stopped.await;
        }));
        Self {
            address,
            _stop: stop,
        }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }
}

/// A service that relays everything to this address.
pub(crate) fn relaying(url: &str) -> Service {
    Service::with(|options| {
        options.upstream.admin = Some(url.to_owned());
        options.upstream.dataplane = Some(url.to_owned());
        options.upstream.controlplane = Some(url.to_owned());
    })
}

/// A service whose cluster answers with these bytes, and where the requests that it got come out.
pub(crate) async fn answering(bytes: Vec<u8>) -> (Service, mpsc::Receiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let service = relaying(&format!(
        "http://{}/behind/",
        listener.local_addr().unwrap()
    ));
    let (tell, told) = mpsc::channel();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let mut got = Vec::new();
            let mut buffer = [0; 4096];
            while !got.windows(4).any(|end| end == b"\r\n\r\n") {
                let count = stream.read(&mut buffer).await.unwrap();
                got.extend_from_slice(&buffer[..count]);
            }
            let _ = tell.send(String::from_utf8(got).unwrap());
            // A client that gives up on a long answer is part of a test.
            let _ = stream.write_all(&bytes).await;
        }
    });
    (service, told)
}

pub(crate) fn http(status: &str, headers: &str, body: &str) -> Vec<u8> {
    let length = body.len();
    format!(
        "HTTP/1.1 {status}\r\ncontent-length: {length}\r\nconnection: close\r\n{headers}\r\n{body}"
    )
    .into_bytes()
}

pub(crate) async fn get(service: &Service, path: &str) -> (u16, Value) {
    let request = Request::get(path)
        .header("authorization", admin())
        .body(Body::empty())
        .unwrap();
    service.ask(request).await.both()
}

#[tokio::test]
async fn the_documented_operations_reach_the_cluster() {
    let cluster = Cluster::start();
    let service = relaying(&cluster.url());
    let data = |path: &str| format!("/gbac/v1/upstream/dataplane{path}");
    let created = service
        .send(Method::POST, &data("/v1/roles"), &json!({ "name": "a/b" }))
        .await;
    assert_eq!(created.both(), (201, json!({ "role": { "name": "a/b" } })));
    let change = json!({ "add": [{ "principal": "Group:eng" }] });
    assert_eq!(
        service
            .send(Method::PUT, &data("/v1/roles/a%2Fb"), &change)
            .await
            .status,
        200
    );
    let acl = json!({ "resource_type": "RESOURCE_TYPE_TOPIC", "resource_name": "x",
        "resource_pattern_type": "RESOURCE_PATTERN_TYPE_LITERAL", "principal": "Group:eng", "host": "*",
        "operation": "OPERATION_READ", "permission_type": "PERMISSION_TYPE_ALLOW" });
    assert_eq!(
        service
            .send(Method::POST, &data("/v1/acls"), &acl)
            .await
            .both(),
        (201, json!({}))
    );
    let found = get(&service, &data("/v1/roles?filter.principal=Group%3Aeng")).await;
    assert_eq!(
        found,
        (
            200,
            json!({ "roles": [{ "name": "a/b" }], "next_page_token": "" })
        )
    );
    let members = json!({ "role_name": "a/b", "members": [{ "principal": "Group:eng" }], "next_page_token": "" });
    assert_eq!(
        get(&service, &data("/v1/roles/a%2Fb/members")).await,
        (200, members)
    );
    assert_eq!(service.delete(&data("/v1/roles/a%2Fb")).await.status, 204);
    assert_eq!(get(&service, &data("/v1/roles/a%2Fb")).await.0, 404);
    assert_eq!(
        service.get("/v1/acls?filter.resource_name=x").await.json(),
        json!({ "resources": [] }),
        "not here"
    );

    let set = "/gbac/v1/upstream/admin/v1/cluster_config";
    let upsert = json!({ "upsert": { "nested_group_behavior": "suffix" }, "remove": [] });
    assert_eq!(service.send(Method::PUT, set, &upsert).await.status, 200);
    assert_eq!(
        get(&service, &format!("{set}?key=nested_group_behavior"))
            .await
            .1["nested_group_behavior"],
        "suffix"
    );
    let resolve =
        "/gbac/v1/upstream/admin/service.core.admin.v2.SecurityService/ResolveOidcIdentity";
    let message = "SASL mechanism is not OIDC";
    assert_eq!(
        service.send(Method::POST, resolve, &json!({})).await.both(),
        (
            400,
            json!({ "code": "failed_precondition", "message": message })
        )
    );
    assert_eq!(
        get(&service, "/gbac/v1/upstream/controlplane/v1/clusters/c1").await,
        (
            200,
            json!({ "cluster": { "id": "c1", "dataplane_api": cluster.url() } })
        )
    );
}

#[tokio::test]
async fn the_cluster_authorizes_callers() {
    let cluster = Cluster::start();
    let service = relaying(&cluster.url());
    let path = "/gbac/v1/upstream/dataplane/v1/roles";
    let wrong = service
        .send_as(
            Method::POST,
            path,
            &json!({ "name": "r" }),
            &basic("admin", "x"),
        )
        .await;
    assert_eq!(wrong.both().1["code"], "UNAUTHENTICATED");
    assert_eq!(
        wrong.header("www-authenticate"),
        "Bearer realm=\"gbac\"",
        "never `Basic`, which opens a dialog"
    );
    let none = service.get(path).await;
    let message = "authentication required; send credentials of the cluster";
    assert_eq!(
        none.both(),
        (
            401,
            refusal("UNAUTHENTICATED", "REASON_PERMISSION_DENIED", message)
        )
    );
    let token = format!("Bearer {}", service.people().await.remove(0).token);
    assert_eq!(
        service
            .send_as(Method::POST, path, &json!({ "name": "r" }), &token)
            .await
            .status,
        401,
        "the token of this service's provider is nothing there"
    );
}

#[tokio::test]
async fn the_data_plane_is_found_in_the_control_plane() {
    for form in [DataPlaneApiForm::Text, DataPlaneApiForm::Object] {
        let cluster = Cluster::with(|options| options.endpoint.data_plane_api_form = form);
        let service = Service::with(|options| options.upstream.controlplane = Some(cluster.url()));
        assert_eq!(
            get(&service, "/gbac/v1/upstream/clusters/c1/v1/roles")
                .await
                .0,
            200,
            "{form:?}"
        );
    }
    let cluster = Cluster::start();
    let service = Service::with(|options| options.upstream.controlplane = Some(cluster.url()));
    assert_eq!(
        get(&service, "/gbac/v1/upstream/dataplane/v1/roles")
            .await
            .0,
        404,
        "there is no flag for it"
    );

    for (address, what) in [
        (
            "http://10.0.0.1:9",
            "`http://10.0.0.1:9`: plain HTTP to a remote host is not trusted",
        ),
        (
            "https://u:p@cluster.example",
            "the URL contains a user name or a password",
        ),
        (
            "ftp://127.0.0.1",
            "`ftp://127.0.0.1` is neither https nor http",
        ),
        ("", "`` is not a URL"),
    ] {
        let body = json!({ "cluster": { "id": "c1", "dataplane_api": address } }).to_string();
        let (service, _) =
            answering(http("200 OK", "content-type: application/json\r\n", &body)).await;
        let message = format!("the response of the Control Plane is not usable: {what}");
        assert_eq!(
            get(&service, "/gbac/v1/upstream/clusters/c1/v1/roles").await,
            (
                502,
                refusal("UNAVAILABLE", "REASON_CONSOLE_ERROR", &message)
            ),
            "{address}"
        );
    }
    let (service, _) = answering(http(
        "200 OK",
        "content-type: application/json\r\n",
        r#"{"cluster":{"dataplane_api":{}}}"#,
    ))
    .await;
    let message =
        "the response of the Control Plane is not usable: it has no URL in `cluster.dataplane_api`";
    assert_eq!(
        get(&service, "/gbac/v1/upstream/clusters/c1/v1/roles").await,
        (502, refusal("UNAVAILABLE", "REASON_CONSOLE_ERROR", message))
    );
    let refused = r#"{"code":"NOT_FOUND","message":"no such cluster"}"#;
    let (service, told) = answering(http(
        "404 Not Found",
        "content-type: application/json\r\n",
        refused,
    ))
    .await;
    assert_eq!(
        get(&service, "/gbac/v1/upstream/clusters/c%2F9/v1/roles")
            .await
            .1["message"],
        "no such cluster"
    );
    assert!(
        told.recv()
            .unwrap()
            .starts_with("GET /behind/v1/clusters/c%2F9 HTTP/1.1\r\n")
    );
    assert!(told.try_recv().is_err(), "and nobody else is asked");
}

#[tokio::test]
async fn only_listed_headers_are_relayed() {
    let headers = "content-type: application/json; charset=utf-8\r\netag: \"1\"\r\nset-cookie: a=b\r\nserver: x\r\n\
                   access-control-allow-origin: *\r\nwww-authenticate: Basic realm=\"x\"\r\nlocation: http://evil/\r\n";
    let (service, told) = answering(http("401 Unauthorized", headers, "{}")).await;
    let mut asked = request(
        Method::PUT,
        "/gbac/v1/upstream/dataplane/v1/roles/r?x=%3B;y",
        &admin(),
        "{}",
    );
    for (name, value) in [
        ("accept", "application/json"),
        ("if-match", "\"0\""),
        ("cookie", "session=1"),
        ("origin", "http://127.0.0.1:8420"),
        ("referer", "http://127.0.0.1:8420/security/roles"),
        ("user-agent", "Mozilla/5.0"),
        ("x-forwarded-for", "10.0.0.1"),
        ("accept-encoding", "gzip"),
        ("x-evil", "1"),
    ] {
        asked.headers_mut().insert(name, value.parse().unwrap());
    }
    let answer = service.ask(asked).await;
    assert_eq!((answer.status, answer.header("etag")), (401, "\"1\""));
    assert_eq!(answer.header("www-authenticate"), "Bearer realm=\"gbac\"");
    for name in [
        "set-cookie",
        "server",
        "access-control-allow-origin",
        "location",
    ] {
        assert_eq!(answer.header(name), "", "{name}");
    }
    let got = told.recv().unwrap();
    let mut lines = got.trim_end().lines();
    assert_eq!(
        lines.next(),
        Some("PUT /behind/v1/roles/r?x=%3B%3By HTTP/1.1")
    );
    let mut names: Vec<&str> = lines
        .filter(|line| !line.is_empty() && !line.starts_with('{'))
        .map(|line| line.split_once(':').unwrap().0)
        .collect();
    names.sort_unstable();
    assert_eq!(
        names,
        [
            "accept",
            "authorization",
            "content-length",
            "content-type",
            "host",
            "if-match"
        ]
    );
}

#[tokio::test]
async fn only_documented_operations_are_relayed() {
    let (service, told) =
        answering(http("200 OK", "content-type: application/json\r\n", "{}")).await;
    for path in [
        "/gbac/v1/upstream/admin/v1/users",
        "/gbac/v1/upstream/admin/v1/security/users",
        "/gbac/v1/upstream/dataplane/v1/users",
        "/gbac/v1/upstream/dataplane/v1/roles/%2e%2e/acls",
        "/gbac/v1/upstream/dataplane/v1/roles/%2e%2e",
        "/gbac/v1/upstream/dataplane//v1/roles",
        "/gbac/v1/upstream/dataplane/http://10.0.0.1/v1/roles",
        "/gbac/v1/upstream/controlplane/v1/clusters/a/b",
        "/gbac/v1/upstream/clusters/c1",
        "/gbac/v1/upstream/clusters/%2e%2e/v1/clusters",
        "/gbac/v1/upstream/elsewhere/v1/roles",
        "/gbac/v1/upstream/admin",
        "/gbac/v1/upstream/",
    ] {
        assert_eq!(get(&service, path).await.0, 404, "{path}");
    }
    let path = "/gbac/v1/upstream/controlplane/v1/clusters/c1";
    let answer = service.delete(path).await;
    assert_eq!((answer.status, answer.header("allow")), (405, "GET"));
    let mut foreign = request(
        Method::POST,
        "/gbac/v1/upstream/dataplane/v1/roles",
        &admin(),
        "{}",
    );
    foreign
        .headers_mut()
        .insert("origin", "https://evil.example".parse().unwrap());
    assert_eq!(service.ask(foreign).await.status, 403);
    let text = service.ask(
        Request::post("/gbac/v1/upstream/dataplane/v1/roles")
            .header("authorization", admin())
            .body(Body::from("x"))
            .unwrap(),
    );
    assert_eq!(text.await.status, 415);
    assert!(told.try_recv().is_err(), "nothing reached the cluster");
}

#[tokio::test]
async fn an_unreachable_cluster_is_reported_in_the_form_of_each_api() {
    // The port stays taken, and nobody listens there.
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind(([127, 0, 0, 1], 0).into()).unwrap();
    let service = relaying(&format!("http://{}", socket.local_addr().unwrap()));
    let (status, body) = get(&service, "/gbac/v1/upstream/dataplane/v1/roles").await;
    let message = body["message"].as_str().unwrap().to_owned();
    assert!(
        message.starts_with("cannot reach the cluster: "),
        "{message}"
    );
    assert!(
        !message.contains("127.0.0.1"),
        "the address is the operator's affair: {message}"
    );
    assert_eq!(
        (status, body),
        (
            502,
            refusal("UNAVAILABLE", "REASON_CONSOLE_ERROR", &message)
        )
    );
    assert_eq!(
        get(&service, "/gbac/v1/upstream/admin/v1/cluster_config").await,
        (502, json!({ "message": message, "code": 502 }))
    );
    let path = "/gbac/v1/upstream/admin/service.core.admin.v2.SecurityService/ListRoles";
    assert_eq!(
        service.send(Method::POST, path, &json!({})).await.both(),
        (502, json!({ "code": "unavailable", "message": message }))
    );
    let message = "no cluster is configured; start the service with `--upstream-dataplane`";
    assert_eq!(
        get(&Service::start(), "/gbac/v1/upstream/dataplane/v1/roles").await,
        (
            404,
            refusal("NOT_FOUND", "REASON_RESOURCE_NOT_FOUND", message)
        )
    );
}

#[tokio::test(start_paused = true)]
async fn an_unresponsive_cluster_times_out() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let service = relaying(&format!("http://{}", listener.local_addr().unwrap()));
    let message = "the cluster did not respond within 20 seconds";
    assert_eq!(
        get(&service, "/gbac/v1/upstream/dataplane/v1/roles").await,
        (
            504,
            refusal("DEADLINE_EXCEEDED", "REASON_CONSOLE_ERROR", message)
        )
    );
}

#[tokio::test]
async fn unexpected_responses_are_not_relayed() {
    let large = "x".repeat(33 << 20);
    for (answer, expected) in [
        (
            http("302 Found", "location: http://elsewhere.example/\r\n", ""),
            "the cluster responded with status 302; redirects are not followed",
        ),
        (
            http("200 OK", "content-type: text/html\r\n", "<script>"),
            "the cluster responded with status 200 and a body that is not JSON",
        ),
        (
            http("503 Service Unavailable", "", "busy"),
            "the cluster responded with status 503 and a body that is not JSON",
        ),
        (
            http(
                "200 OK",
                "content-type: application/json\r\ncontent-encoding: gzip\r\n",
                "{}",
            ),
            "the cluster responded with status 200 and a body that is not JSON",
        ),
        (
            http("200 OK", "content-type: application/json\r\n", &large),
            "the response of the cluster is larger than 33554432 bytes",
        ),
        (
            http(
                "200 OK",
                "content-type: application/json; charset=utf-7\r\n",
                "{}",
            ),
            "the cluster responded with status 200 and a body that is not JSON",
        ),
        (
            http(
                "200 OK",
                "content-type: application/json\r\n",
                "<script>alert(1)</script>",
            ),
            "the cluster responded with status 200 and a body that is not JSON",
        ),
        (
            http(
                "200 OK",
                "content-type: application/json\r\n",
                "{} <script>",
            ),
            "the cluster responded with status 200 and a body that is not JSON",
        ),
        (
            http(
                "101 Switching Protocols",
                "connection: upgrade\r\nupgrade: x\r\n",
                "",
            ),
            "the cluster responded with status 101, which is not that of a response",
        ),
        (
            http("600 Odd", "content-type: application/json\r\n", "{}"),
            "the cluster responded with status 600, which is not that of a response",
        ),
        (
            http("999 Odd", "content-type: application/json\r\n", "{}"),
            "the cluster responded with status 999, which is not that of a response",
        ),
    ] {
        let (service, _) = answering(answer).await;
        assert_eq!(
            get(&service, "/gbac/v1/upstream/dataplane/v1/roles").await,
            (
                502,
                refusal("UNAVAILABLE", "REASON_CONSOLE_ERROR", expected)
            )
        );
    }
}

/// What is relayed is labelled by this service, whatever the cluster calls it.
#[tokio::test]
async fn relayed_json_has_the_content_type_of_this_service() {
    for kind in [
        "Application/JSON;charset=\"UTF-8\"",
        "application/json; profile=x; charset=us-ascii",
        "application/json",
    ] {
        let (service, _) = answering(http(
            "200 OK",
            &format!("content-type: {kind}\r\n"),
            "{\"roles\":[]}",
        ))
        .await;
        let answer = service
            .get_as("/gbac/v1/upstream/dataplane/v1/roles", &admin())
            .await;
        assert_eq!(
            (answer.status, answer.header("content-type")),
            (200, "application/json"),
            "{kind}"
        );
    }
}

#[tokio::test]
async fn service_information_lists_the_upstream_paths() {
    let service = Service::with(|options| {
        options.upstream.admin = Some("http://cluster.example:9644".into());
        options.upstream.controlplane = Some("https://api.example".into());
    });
    assert_eq!(
        service.get("/gbac/v1/service").await.json()["upstream"],
        json!({ "admin": "/gbac/v1/upstream/admin", "controlplane": "/gbac/v1/upstream/controlplane",
            "clusters": "/gbac/v1/upstream/clusters" })
    );
    assert_eq!(
        Service::start()
            .get("/gbac/v1/service")
            .await
            .json()
            .get("upstream"),
        None
    );
    let guarded = Service::with(|options| {
        options.upstream.dataplane = Some("https://cluster.example".into());
        options.upstream.requires_sign_in = true;
    });
    assert_eq!(
        guarded.get("/gbac/v1/service").await.json()["upstream"],
        json!({ "dataplane": "/gbac/v1/upstream/dataplane", "requires_sign_in": true })
    );
}

#[tokio::test]
async fn wrong_passwords_of_the_cluster_are_limited() {
    let cluster = Cluster::start();
    let service = relaying(&cluster.url());
    let path = "/gbac/v1/upstream/dataplane/v1/roles";
    let role = json!({ "name": "r" });
    let status = async |user: &str, password: &str| {
        service
            .send_as(Method::POST, path, &role, &basic(user, password))
            .await
            .status
    };
    assert_eq!(status("admin", PASSWORD).await, 201);
    for n in 0..10 {
        assert_eq!(status("admin", &format!("x{n}")).await, 401);
    }
    let limited = service
        .send_as(Method::POST, path, &role, &basic("admin", "x"))
        .await;
    assert_eq!((limited.status, limited.header("retry-after")), (429, "6"));
    assert_eq!(
        status("admin", PASSWORD).await,
        201,
        "who was right before does not wait"
    );
    let other = "/gbac/v1/upstream/admin/v1/cluster_config";
    assert_eq!(
        get(&service, other).await.0,
        429,
        "but was not for another operation, which may accept everything"
    );
    assert_eq!(
        service
            .send_as(Method::POST, "/v1/roles", &json!({}), &basic("admin", "x"))
            .await
            .status,
        401,
        "the admin of this service is another user"
    );
}

#[tokio::test]
async fn an_operation_without_authentication_does_not_test_passwords() {
    let cluster = Cluster::start();
    let service = relaying(&cluster.url());
    let schema = "/gbac/v1/upstream/admin/v1/cluster_config/schema";
    let guarded = "/gbac/v1/upstream/admin/v1/cluster_config";
    let body = json!({ "upsert": {}, "remove": [] });
    let mut guesses = 0;
    for n in 0..30 {
        let guess = basic("admin", &format!("x{n}"));
        service.get_as(schema, &guess).await;
        guesses += u32::from(
            service
                .send_as(Method::PUT, guarded, &body, &guess)
                .await
                .status
                == 401,
        );
    }
    assert_eq!(guesses, 10);
}

#[tokio::test]
async fn a_401_that_is_not_json_counts_as_a_wrong_password() {
    for answer in [
        http("401 Unauthorized", "content-type: text/html\r\n", "<p>no</p>"),
        b"HTTP/1.1 401 Unauthorized\r\ncontent-type: application/json\r\ncontent-length: 9\r\n\r\n{".to_vec(),
    ] {
        let (service, told) = answering(answer).await;
        let path = "/gbac/v1/upstream/admin/v1/cluster_config";
        for n in 0..10 {
            assert_eq!(service.get_as(path, &basic("admin", &format!("x{n}"))).await.status, 502);
        }
        assert_eq!(service.get_as(path, &basic("admin", "x")).await.status, 429);
        assert_eq!(told.try_iter().count(), 10);
    }
}

#[tokio::test]
async fn malformed_credentials_do_not_reach_the_cluster() {
    let (service, told) =
        answering(http("200 OK", "content-type: application/json\r\n", "{}")).await;
    let path = "/gbac/v1/upstream/dataplane/v1/roles";
    for credentials in [
        "Basic",
        "Basic ???",
        "Basic YWRtaW4=",
        "Digest x",
        "basic\tYTpi",
    ] {
        assert_eq!(
            service.get_as(path, credentials).await.status,
            401,
            "{credentials}"
        );
    }
    let twice = Request::get(path)
        .header("authorization", admin())
        .header("authorization", basic("admin", "x"));
    assert_eq!(
        service.ask(twice.body(Body::empty()).unwrap()).await.status,
        401
    );
    assert!(
        told.try_recv().is_err(),
        "a cluster might read them in another way"
    );
}

#[tokio::test]
async fn a_relay_can_require_a_sign_in_to_this_service() {
    let cluster = Cluster::with(|options| options.admin_password = Some("theirs".into()));
    let service = Service::with(|options| {
        options.upstream.dataplane = Some(cluster.url());
        options.upstream.requires_sign_in = true;
    });
    let theirs = basic("admin", "theirs");
    let list = async |own: Option<&str>, for_cluster: &str| {
        let mut request = Request::get("/gbac/v1/upstream/dataplane/v1/roles")
            .header("authorization", for_cluster);
        if let Some(own) = own {
            request = request.header("gbac-authorization", own);
        }
        service.ask(request.body(Body::empty()).unwrap()).await
    };
    let refused = list(None, &theirs).await;
    assert_eq!(
        refused.both().1["message"],
        "credentials rejected",
        "they are not valid here"
    );
    assert_eq!(list(Some(&basic("admin", "x")), &theirs).await.status, 401);
    assert_eq!(list(Some(&admin()), &theirs).await.status, 200);
    let token = format!("Bearer {}", service.people().await.remove(0).token);
    assert_eq!(
        list(Some(&token), &theirs).await.status,
        200,
        "every user of this service"
    );
    assert_eq!(
        list(None, &admin()).await.status,
        401,
        "valid here, and refused by the cluster"
    );
}

#[tokio::test]
async fn changes_through_the_relay_are_recorded() {
    let cluster = Cluster::start();
    let service = relaying(&cluster.url());
    let path = "/gbac/v1/upstream/dataplane/v1/roles";
    let send = async |credentials: &str| {
        service
            .send_as(Method::POST, path, &json!({ "name": "r" }), credentials)
            .await
            .status
    };
    assert_eq!(
        (send(&admin()).await, send(&basic("admin", "x")).await),
        (201, 401)
    );
    let read = "/gbac/v1/upstream/admin/service.core.admin.v2.SecurityService/ListRoles";
    assert_eq!(
        service.send(Method::POST, read, &json!({})).await.status,
        200
    );
    assert_eq!(get(&service, path).await.0, 200);
    let Value::Array(events) = service
        .get_as("/gbac/v1/audit?limit=50", &admin())
        .await
        .json()["events"]
        .clone()
    else {
        panic!("a list")
    };
    let mut told: Vec<String> = events
        .iter()
        .filter(|event| event["http_request"].to_string().contains(path))
        .map(|event| {
            let (actor, desc) = (
                &event["actor"],
                &event["actor"]["authorizations"][0]["policy"]["desc"],
            );
            format!("{} {} {desc}", actor["user"]["name"], event["status_id"])
        })
        .collect();
    told.reverse();
    assert_eq!(
        told.len(),
        4,
        "before and after each change, and none for what only reads: {told:?}"
    );
    assert!(
        told[1].starts_with("\"admin\" 1") && told[1].contains("status 201"),
        "{told:?}"
    );
    assert!(told[3].contains("status 401"), "{told:?}");
    assert!(
        !told[3].contains("admin"),
        "a password may have been typed in place of the name: {told:?}"
    );
}

/// The events of relayed changes, oldest first: the user, the status, the code and the reason.
async fn relayed_events(service: &Service) -> Vec<String> {
    let log = service
        .get_as("/gbac/v1/audit?limit=50", &admin())
        .await
        .json();
    let events = log["events"].as_array().unwrap().iter().rev();
    let relayed = events.filter(|event| event["http_request"].to_string().contains("/upstream/"));
    let text = |event: &Value| {
        let (actor, reason) = (
            &event["actor"],
            &event["actor"]["authorizations"][0]["policy"]["desc"],
        );
        format!(
            "{} {} {} {reason}",
            actor["user"]["name"], event["status_id"], event["status_code"]
        )
    };
    relayed.map(text).collect()
}

#[tokio::test]
async fn a_relayed_change_without_a_usable_response_is_recorded_as_such() {
    let (service, _) =
        answering(http("200 OK", "content-type: text/html\r\n", "<p>done</p>")).await;
    let path = "/gbac/v1/upstream/dataplane/v1/roles";
    assert_eq!(
        service
            .send(Method::POST, path, &json!({ "name": "r" }))
            .await
            .status,
        502
    );
    let events = relayed_events(&service).await;
    let reason = "relayed to the cluster, whose response is not known";
    assert_eq!(
        (events.len(), events[1].as_str()),
        (
            2,
            &*format!("\"{{{{anonymous}}}}\" 2 \"upstream_answer\" \"{reason}\"")
        )
    );
}

#[tokio::test]
async fn the_end_of_a_relayed_change_is_recorded_after_its_client_has_gone() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let service = relaying(&format!("http://{}", listener.local_addr().unwrap()));
    let path = "/gbac/v1/upstream/dataplane/v1/roles";
    let role = json!({ "name": "r" });
    let mut stream = tokio::select! {
        _ = service.send(Method::POST, path, &role) => panic!("the cluster has not responded"),
        // The client goes when the cluster has accepted the connection.
        accepted = listener.accept() => accepted.unwrap().0,
    };
    assert!(stream.read(&mut [0; 4096]).await.unwrap() > 0);
    let answer = http("201 Created", "content-type: application/json\r\n", "{}");
    stream.write_all(&answer).await.unwrap();
    let recorded = async {
        loop {
            let events = relayed_events(&service).await;
            if let [_, end] = events.as_slice() {
                return end.clone();
            }
            tokio::task::yield_now().await;
        }
    };
    let end = tokio::time::timeout(std::time::Duration::from_secs(60), recorded)
        .await
        .expect("an event");
    assert!(
        end.starts_with("\"admin\" 1") && end.contains("status 201"),
        "{end}"
    );
}

#[tokio::test]
async fn what_cannot_be_recorded_is_not_relayed() {
    let cluster = Cluster::start();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("audit.jsonl");
    let service = Service::with(|options| {
        options.upstream.dataplane = Some(cluster.url());
        crate::harness::demo_options(options).audit_file = Some(file.clone());
    });
    std::fs::remove_file(&file).unwrap();
    std::fs::create_dir(&file).unwrap();
    let path = "/gbac/v1/upstream/dataplane/v1/roles";
    assert_eq!(
        service
            .send(Method::POST, path, &json!({ "name": "unrecorded" }))
            .await
            .status,
        503
    );
    assert_eq!(get(&service, &format!("{path}/unrecorded")).await.0, 404);
}
