//! What each route takes of its caller (D-26, D-58), by requests: without credentials, with a token
//! that is wrong, expired, of a user, of a user with each limited access and of a superuser, and
//! with the local account's password. A route that this file does not name fails it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicU64, Ordering};

use axum::body::Body;
use axum::http::{Method, Request};
use gbac_server::{Access, ReadMethods, declared_access, router};
use serde_json::json;

use crate::harness::{NOW, Own, Service, admin, request};
use crate::identity_provider::{AUDIENCE, Provider};
use crate::upstream::{Cluster, relaying};

const SUPERUSER: Access = Access::Superuser(ReadMethods::Safe);
/// Operations that read with POST.
const READING: Access = Access::Superuser(ReadMethods::All);
/// What contains secrets.
const SECRET: Access = Access::Superuser(ReadMethods::Secrets);
const CHANGE: Access = Access::Superuser(ReadMethods::AllButPost);

/// A route: its pattern, what it takes, a path, and its methods, each with a body and what a
/// superuser is answered. Other methods are not possible there.
pub(super) type Route = (
    &'static str,
    Access,
    &'static str,
    &'static [(Method, &'static str, u16)],
);

/// The routes of every service. What a superuser asks here changes nothing.
pub(super) const ROUTES: &[Route] = &[
    (
        "/v1/acls",
        SUPERUSER,
        "/v1/acls",
        &[
            (Method::GET, "", 200),
            (Method::POST, "{}", 400),
            (Method::DELETE, "", 400),
        ],
    ),
    (
        "/v1/roles",
        SUPERUSER,
        "/v1/roles",
        &[(Method::GET, "", 200), (Method::POST, "{}", 400)],
    ),
    (
        "/v1/roles/{role_name}",
        SUPERUSER,
        "/v1/roles/no%2Fone",
        &[
            (Method::GET, "", 404),
            (Method::PUT, "{}", 404),
            (Method::DELETE, "", 404),
        ],
    ),
    (
        "/v1/roles/{role_name}/members",
        SUPERUSER,
        "/v1/roles/no%2Fone/members",
        &[(Method::GET, "", 404)],
    ),
    (
        "/v1/security/roles",
        SUPERUSER,
        "/v1/security/roles",
        &[(Method::GET, "", 200), (Method::POST, "{}", 400)],
    ),
    (
        "/v1/security/roles/{role}",
        SUPERUSER,
        "/v1/security/roles/no%2Fone",
        &[(Method::GET, "", 404), (Method::DELETE, "", 204)],
    ),
    (
        "/v1/security/roles/{role}/members",
        SUPERUSER,
        "/v1/security/roles/no%2Fone/members",
        &[(Method::GET, "", 404), (Method::POST, "{}", 404)],
    ),
    (
        "/v1/security/users/roles",
        Access::Authenticated,
        "/v1/security/users/roles",
        &[(Method::GET, "", 200)],
    ),
    (
        "/v1/security/oidc/whoami",
        Access::Authenticated,
        "/v1/security/oidc/whoami",
        &[(Method::GET, "", 200)],
    ),
    (
        "/v1/security/oidc/revoke",
        SUPERUSER,
        "/v1/security/oidc/revoke",
        &[(Method::POST, "", 200)],
    ),
    (
        "/v1/brokers",
        SUPERUSER,
        "/v1/brokers",
        &[(Method::GET, "", 200)],
    ),
    (
        "/v1/brokers/{node_id}",
        SUPERUSER,
        "/v1/brokers/0",
        &[(Method::GET, "", 200)],
    ),
    (
        "/v1/features/license",
        SUPERUSER,
        "/v1/features/license",
        &[(Method::GET, "", 200)],
    ),
    (
        "/v1/features/enterprise",
        SUPERUSER,
        "/v1/features/enterprise",
        &[(Method::GET, "", 200)],
    ),
    (
        "/security/acls",
        SUPERUSER,
        "/security/acls",
        &[
            (Method::GET, "", 200),
            (Method::POST, "[]", 201),
            (Method::DELETE, "[]", 200),
        ],
    ),
    (
        "/v1/clusters/{cluster_id}",
        SUPERUSER,
        "/v1/clusters/c1",
        &[(Method::GET, "", 200)],
    ),
    (
        "/v1/cluster_config",
        SUPERUSER,
        "/v1/cluster_config",
        &[
            (Method::GET, "", 200),
            (Method::PUT, r#"{"upsert":{},"remove":[]}"#, 200),
        ],
    ),
    (
        "/v1/cluster_config/schema",
        Access::Public,
        "/v1/cluster_config/schema",
        &[(Method::GET, "", 200)],
    ),
    (
        "/v1/cluster_config/status",
        SUPERUSER,
        "/v1/cluster_config/status",
        &[(Method::GET, "", 200)],
    ),
    (
        "/v1/loggers",
        SUPERUSER,
        "/v1/loggers",
        &[(Method::GET, "", 200)],
    ),
    (
        "/v1/config/log_level/{name}",
        SUPERUSER,
        "/v1/config/log_level/security",
        &[(Method::GET, "", 200), (Method::PUT, "{}", 400)],
    ),
    (
        "/gbac/v1/service",
        Access::Public,
        "/gbac/v1/service",
        &[(Method::GET, "", 200)],
    ),
    (
        "/gbac/v1/clusters",
        SUPERUSER,
        "/gbac/v1/clusters",
        &[(Method::GET, "", 200)],
    ),
    (
        "/gbac/v1/provider/keys",
        Access::Public,
        "/gbac/v1/provider/keys",
        &[(Method::GET, "", 200)],
    ),
    // Not offered by a service that is no client of an identity provider.
    (
        "/gbac/v1/sign-in",
        Access::Public,
        "/gbac/v1/sign-in",
        &[(Method::GET, "", 404)],
    ),
    (
        "/gbac/v1/sign-in/callback",
        Access::Public,
        "/gbac/v1/sign-in/callback",
        &[(Method::GET, "", 404)],
    ),
    (
        "/gbac/v1/session",
        Access::Public,
        "/gbac/v1/session",
        &[(Method::GET, "", 200), (Method::DELETE, "", 200)],
    ),
    (
        "/gbac/v1/policy",
        SUPERUSER,
        "/gbac/v1/policy",
        &[(Method::GET, "", 200), (Method::PUT, "{}", 428)],
    ),
    (
        "/gbac/v1/policy/changes",
        SUPERUSER,
        "/gbac/v1/policy/changes",
        &[(Method::POST, "{}", 428)],
    ),
    (
        "/gbac/v1/tests",
        SUPERUSER,
        "/gbac/v1/tests",
        &[(Method::GET, "", 200), (Method::PUT, "{}", 428)],
    ),
    (
        "/gbac/v1/accounts",
        SUPERUSER,
        "/gbac/v1/accounts",
        &[(Method::GET, "", 200)],
    ),
    (
        "/gbac/v1/cluster/what-if",
        Access::Superuser(ReadMethods::All),
        "/gbac/v1/cluster/what-if",
        &[(Method::POST, "{}", 200)],
    ),
    (
        "/gbac/v1/backup",
        SECRET,
        "/gbac/v1/backup",
        &[(Method::GET, "", 200)],
    ),
    (
        "/gbac/v1/changes",
        SUPERUSER,
        "/gbac/v1/changes",
        &[(Method::GET, "", 200)],
    ),
    (
        "/gbac/v1/changes/{seq}",
        SUPERUSER,
        "/gbac/v1/changes/no%2Fone",
        &[(Method::GET, "", 404)],
    ),
    (
        "/gbac/v1/audit",
        SUPERUSER,
        "/gbac/v1/audit",
        &[(Method::GET, "", 200)],
    ),
    (
        "/gbac/v1/license",
        SUPERUSER,
        "/gbac/v1/license",
        &[
            (Method::GET, "", 200),
            (Method::PUT, r#"{"license":"valid"}"#, 200),
        ],
    ),
    (
        "/access/v1/evaluation",
        Access::Evaluate,
        "/access/v1/evaluation",
        &[(Method::POST, "{}", 400)],
    ),
    (
        "/access/v1/evaluations",
        Access::Evaluate,
        "/access/v1/evaluations",
        &[(Method::POST, "{}", 400)],
    ),
    (
        "/.well-known/authzen-configuration",
        Access::Public,
        "/.well-known/authzen-configuration",
        &[(Method::GET, "", 200)],
    ),
    (
        "/healthz",
        Access::Public,
        "/healthz",
        &[(Method::GET, "", 200)],
    ),
    (
        "/readyz",
        Access::Public,
        "/readyz",
        &[(Method::GET, "", 200)],
    ),
    (
        "/metrics",
        Access::Local,
        "/metrics",
        &[(Method::GET, "", 200)],
    ),
];

/// The operations of the SecurityService, each with what a superuser is answered who sends an empty
/// message.
const OPERATIONS: &[(&str, Access, u16)] = &[
    ("CreateRole", CHANGE, 400),
    ("GetRole", READING, 404),
    ("ListRoles", READING, 200),
    ("AddRoleMembers", CHANGE, 404),
    ("RemoveRoleMembers", CHANGE, 404),
    ("DeleteRole", CHANGE, 200),
    ("ListCurrentUserRoles", Access::Authenticated, 200),
    ("ResolveOidcIdentity", Access::Authenticated, 200),
    ("RefreshOidcKeys", CHANGE, 200),
    ("RevokeOidcSessions", CHANGE, 200),
    ("{operation}", CHANGE, 501),
];

/// The operations of the services of the Data Plane API, as above.
const ACL_OPERATIONS: &[(&str, Access, u16)] = &[
    ("ListACLs", READING, 200),
    ("CreateACL", CHANGE, 400),
    ("DeleteACLs", CHANGE, 400),
    ("{operation}", CHANGE, 501),
];
const ROLE_OPERATIONS: &[(&str, Access, u16)] = &[
    ("ListRoles", READING, 200),
    ("CreateRole", CHANGE, 400),
    ("GetRole", READING, 404),
    ("DeleteRole", CHANGE, 404),
    ("ListRoleMembers", READING, 404),
    ("UpdateRoleMembership", CHANGE, 404),
    ("{operation}", CHANGE, 501),
];

/// The routes of a demo besides.
const DEMO: &[&str] = &[
    "/demo/idp/.well-known/openid-configuration",
    "/demo/idp/jwks",
    "/demo/idp/people",
];

/// What is relayed, and the folder in which that is.
const RELAYED: [&str; 3] = [
    "/gbac/v1/upstream/{*path}",
    "/gbac/v1/upstream/",
    "/gbac/v1/upstream/target",
];

/// Paths that are no routes: what they take, and what GET and other methods are answered.
const OTHERS: &[(&str, Access, u16)] = &[
    ("/", Access::Public, 200),
    ("/security/roles", Access::Public, 200),
    ("/index.html", Access::Public, 200),
    ("/none.js", Access::Public, 404),
    ("/v1", Access::Public, 404),
    ("/demo", Access::Public, 404),
    ("/demo/idp", Access::Public, 404),
    ("/metrics/", Access::Public, 404),
    ("/.well-known/none", Access::Public, 404),
    ("//v1/acls", Access::Public, 404),
    ("/%76%31/acls", Access::Public, 404),
    ("/v1/", SUPERUSER, 404),
    ("/v1/none", SUPERUSER, 404),
    ("/v1/acls/", SUPERUSER, 404),
    ("/v1//acls", SUPERUSER, 404),
    ("/v1/%61cls", SUPERUSER, 404),
    ("/v1/acls%2F", SUPERUSER, 404),
    ("/v1/../healthz", SUPERUSER, 404),
    ("/v1/cluster_config/schema/", SUPERUSER, 404),
    ("/v1/cluster_config%2Fschema", SUPERUSER, 404),
    ("/gbac/v1/upstream", SUPERUSER, 404),
    ("/gbac/v1/service/", SUPERUSER, 404),
    ("/gbac/v1/clusters/none/service", SUPERUSER, 404),
    ("/gbac/v1/policy/none", SUPERUSER, 404),
    ("/access/v1/none", Access::Evaluate, 404),
    ("/security/acls/", Access::Public, 200),
    ("/v1/security/", SUPERUSER, 404),
    ("/v1/features/none", SUPERUSER, 404),
    (
        "/redpanda.api.console.v1alpha1.PipelineService/ListPipelines",
        CHANGE,
        404,
    ),
    ("/a.B/", CHANGE, 404),
    ("/a.B", Access::Public, 404),
    ("/service.core.admin.v2.SecurityService/", CHANGE, 404),
    (
        "/service.core.admin.v2.SecurityService/ResolveOidcIdentity/",
        CHANGE,
        404,
    ),
    ("/redpanda.core.admin.v2.SecurityService/a/b", CHANGE, 404),
];

const METHODS: [Method; 7] = [
    Method::GET,
    Method::HEAD,
    Method::OPTIONS,
    Method::POST,
    Method::PUT,
    Method::PATCH,
    Method::DELETE,
];

/// What a method is sent with, and what it is answered once it is let through.
type Passed = Box<dyn Fn(&Method) -> (&'static str, u16)>;

/// One path with what it takes, and what a method with a body is answered once it is let through.
struct Probe {
    path: String,
    access: Access,
    answer: Passed,
}

fn probes(is_demo: bool) -> Vec<Probe> {
    let of_methods = |methods: &'static [(Method, &'static str, u16)]| -> Passed {
        Box::new(move |method| {
            let asked = if *method == Method::HEAD {
                &Method::GET
            } else {
                method
            };
            let found = methods.iter().find(|(known, ..)| known == asked);
            found.map_or(("", 405), |(_, body, status)| (*body, *status))
        })
    };
    let mut probes: Vec<Probe> = ROUTES
        .iter()
        .map(|(_, access, path, methods)| Probe {
            path: (*path).to_owned(),
            access: *access,
            answer: of_methods(methods),
        })
        .collect();
    for (service, operations) in SERVICES {
        probes.extend(operations.iter().map(|&(operation, access, status)| Probe {
            path: format!(
                "/{service}/{}",
                operation.replace("{operation}", "ResolveOidc%49dentity")
            ),
            access,
            answer: Box::new(move |method| {
                if *method == Method::POST {
                    ("{}", status)
                } else {
                    ("", 405)
                }
            }),
        }));
    }
    if is_demo {
        probes.extend(DEMO.iter().map(|path| Probe {
            path: (*path).to_owned(),
            access: Access::Public,
            answer: of_methods(&[(Method::GET, "", 200)]),
        }));
    }
    let is_page = |method: &Method| matches!(*method, Method::GET | Method::HEAD);
    probes.extend(OTHERS.iter().map(|&(path, access, status)| Probe {
        path: path.to_owned(),
        access,
        answer: Box::new(move |method| ("", if is_page(method) { status } else { 404 })),
    }));
    probes
}

/// Operations, each with what it takes and what a superuser is answered.
pub(super) type Operations = &'static [(&'static str, Access, u16)];

/// The services with their operations.
pub(super) const SERVICES: [(&str, Operations); 5] = [
    ("service.core.admin.v2.SecurityService", OPERATIONS),
    ("redpanda.core.admin.v2.SecurityService", OPERATIONS),
    ("redpanda.api.dataplane.v1.ACLService", ACL_OPERATIONS),
    ("redpanda.api.dataplane.v1.SecurityService", ROLE_OPERATIONS),
    (
        "redpanda.api.console.v1alpha1.SecurityService",
        ROLE_OPERATIONS,
    ),
];

/// Who asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Caller {
    Nobody,
    /// With a token that cannot be read.
    Wrong,
    /// With a superuser's token that has expired.
    Expired,
    User,
    /// With the access `evaluate`.
    Evaluate,
    /// With the access `read_only`.
    ReadOnly,
    Superuser,
}

impl Caller {
    const ALL: [Self; 7] = [
        Self::Nobody,
        Self::Wrong,
        Self::Expired,
        Self::User,
        Self::Evaluate,
        Self::ReadOnly,
        Self::Superuser,
    ];
}

/// The refusal of a caller; none where it is let through.
fn refusal(
    access: Access,
    caller: Caller,
    (method, exists): (&Method, bool),
    is_demo: bool,
    is_open: bool,
) -> Option<u16> {
    use Caller::{Evaluate, Expired, Nobody, ReadOnly, Superuser, User, Wrong};
    let is_safe = matches!(*method, Method::GET | Method::HEAD | Method::OPTIONS);
    let is_rejected = matches!(caller, Nobody | Wrong | Expired);
    // Who is let through besides a superuser.
    let enough = match access {
        Access::Public | Access::Cluster => return None,
        Access::Local if !is_open => return None,
        // Only the handler asks for credentials, so a method that does not exist gets that answer
        // from every caller.
        Access::Authenticated => return (exists && is_rejected).then_some(401),
        Access::Local => Some(ReadOnly),
        Access::Evaluate => Some(Evaluate),
        Access::Superuser(ReadMethods::None | ReadMethods::Secrets) => None,
        Access::Superuser(ReadMethods::Safe) => is_safe.then_some(ReadOnly),
        Access::Superuser(ReadMethods::AllButPost) => (*method != Method::POST).then_some(ReadOnly),
        Access::Superuser(ReadMethods::All) => Some(ReadOnly),
    };
    match caller {
        Nobody | User | Evaluate | ReadOnly if is_demo && enough.is_some() => None,
        Nobody | Wrong | Expired => Some(401),
        Superuser => None,
        User | Evaluate | ReadOnly if enough == Some(caller) => None,
        User | Evaluate | ReadOnly => Some(403),
    }
}

/// Sends every request as every caller. `credentials` gives those of a caller, beside the
/// superuser's password.
async fn check(
    service: &Service,
    is_demo: bool,
    is_open: bool,
    credentials: impl Fn(Caller) -> Option<String>,
) {
    let ask =
        async |method: &Method, path: &str, body: &'static str, authorization: Option<&str>| {
            let mut request = Request::builder().method(method).uri(path);
            if let Some(authorization) = authorization {
                request = request.header("authorization", authorization);
            }
            let request = request
                .header("content-type", "application/json")
                .body(Body::from(body))
                .unwrap();
            service.ask(request).await.status
        };
    let tag = async || {
        service
            .get_as("/gbac/v1/policy", &admin())
            .await
            .header("etag")
            .to_owned()
    };
    let before = tag().await;
    let mut wrong = Vec::new();
    for Probe {
        path,
        access,
        answer,
    } in probes(is_demo)
    {
        for method in &METHODS {
            let (body, passed) = answer(method);
            let sent = (method, passed != 405);
            for caller in Caller::ALL {
                let expected = refusal(access, caller, sent, is_demo, is_open).unwrap_or(passed);
                let found = ask(method, &path, body, credentials(caller).as_deref()).await;
                if found != expected {
                    wrong.push(format!(
                        "{method} {path} by {caller:?}: {found} in place of {expected}"
                    ));
                }
            }
            // A password that is right opens what the superuser's token opens, except what is about
            // a token.
            if refusal(access, Caller::Superuser, sent, is_demo, is_open).is_none()
                && access != Access::Authenticated
            {
                let found = ask(method, &path, body, Some(&admin())).await;
                if found != passed {
                    wrong.push(format!(
                        "{method} {path} by password: {found} in place of {passed}"
                    ));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!(tag().await, before, "nothing has changed");
}

/// The patterns of the routes that a router really has.
fn walk(service: &Service) -> BTreeSet<String> {
    let text = format!("{:?}", router(service.app.clone()));
    // Behind them are those of the fallback, which axum adds.
    let (routes, _) = text.split_once("fallback_router").unwrap();
    let routes = routes
        .split("RouteId(")
        .skip(1)
        .filter_map(|entry| entry.split_once("): \"")?.1.split_once('"'));
    routes.map(|(route, _)| route.to_owned()).collect()
}

/// The routes of this file.
fn listed(is_demo: bool) -> BTreeMap<String, Access> {
    let routes = ROUTES
        .iter()
        .map(|(pattern, access, ..)| ((*pattern).to_owned(), *access));
    let operations = SERVICES.into_iter().flat_map(|(service, operations)| {
        operations
            .iter()
            .map(move |(operation, access, _)| (format!("/{service}/{operation}"), *access))
    });
    let relayed = RELAYED.map(|pattern| (pattern.to_owned(), Access::Cluster));
    let demo = DEMO
        .iter()
        .filter(|_| is_demo)
        .map(|pattern| ((*pattern).to_owned(), Access::Public));
    routes
        .chain(operations)
        .chain(relayed)
        .chain(demo)
        .collect()
}

#[tokio::test]
async fn every_route_has_its_access_in_this_table() {
    let own = Own::with(|_| {});
    for (service, is_demo) in [(&*own, false), (&Service::start(), true)] {
        assert_eq!(declared_access(&service.app), listed(is_demo));
        assert_eq!(
            walk(service),
            listed(is_demo).into_keys().collect(),
            "the router has what is declared and no more"
        );
    }
}

/// A clock that a test moves: what was signed before is expired then.
static SECONDS: AtomicU64 = AtomicU64::new(0);

#[expect(clippy::cast_precision_loss, reason = "a small number of seconds")]
fn moving() -> f64 {
    NOW + SECONDS.load(Ordering::Relaxed) as f64
}

#[tokio::test]
async fn a_demo_is_readable_without_credentials() {
    let service = Service::with(|options| options.clock = Some(moving));
    let expired = service.people().await.remove(0).token;
    SECONDS.store(7200, Ordering::Relaxed);
    let promote = json!({ "upsert": { "superusers": ["jonas.lindqvist"] }, "remove": [] });
    assert_eq!(
        service
            .send(Method::PUT, "/v1/cluster_config", &promote)
            .await
            .status,
        200
    );
    let tom = json!(["User:tom.weber"]);
    grant(&service, &json!({ "read_only": tom, "evaluate": tom })).await;
    let people = service.people().await;
    let token = |caller: Caller| match caller {
        Caller::Nobody => None,
        Caller::Wrong => Some("x.y.z"),
        Caller::User => Some(people[0].token.as_str()),
        Caller::Evaluate | Caller::ReadOnly => Some(people[2].token.as_str()),
        Caller::Expired => Some(expired.as_str()),
        Caller::Superuser => Some(people[1].token.as_str()),
    };
    check(&service, true, false, |caller| {
        token(caller).map(|token| format!("Bearer {token}"))
    })
    .await;
}

async fn check_own(is_open: bool) {
    let provider = Provider::start().await;
    let service = Own::with(|options| {
        if is_open {
            options.listen = "10.0.0.7:443".into();
        }
    });
    let upsert = json!({ "superusers": ["root"],
        "oidc_discovery_url": provider.discovery(), "oidc_token_audience": AUDIENCE });
    let set = json!({ "upsert": upsert, "remove": [] });
    assert_eq!(
        service
            .send(Method::PUT, "/v1/cluster_config", &set)
            .await
            .status,
        200
    );
    grant(
        &service,
        &json!({ "read_only": ["Group:auditors"], "evaluate": ["User:gateway"] }),
    )
    .await;
    let token = |user: &str, group: &str, expires: f64| {
        let claims = json!({ "iss": provider.origin, "aud": AUDIENCE, "sub": user, "exp": expires, "groups": [group] });
        Some(format!("Bearer {}", provider.sign("a", &claims)))
    };
    let tokens = Caller::ALL.map(|caller| match caller {
        Caller::Nobody => None,
        Caller::Wrong => Some("Bearer x.y.z".to_owned()),
        Caller::Expired => token("root", "auditors", NOW - 60.0),
        // The token user with the name of the local account is somebody else.
        Caller::User => token("admin", "gateway", NOW + 60.0),
        Caller::Evaluate => token("gateway", "eng", NOW + 60.0),
        Caller::ReadOnly => token("ana", "auditors", NOW + 60.0),
        Caller::Superuser => token("root", "eng", NOW + 60.0),
    });
    let of = |caller| {
        tokens[Caller::ALL
            .iter()
            .position(|known| *known == caller)
            .unwrap()]
        .clone()
    };
    check(&service, false, is_open, of).await;
}

/// Grants limited access to the service.
async fn grant(service: &Service, access: &serde_json::Value) {
    let tag = service
        .get_as("/gbac/v1/policy", &admin())
        .await
        .header("etag")
        .to_owned();
    let changes =
        json!({ "changes": [{ "change": "settings", "settings": { "access": access } }] });
    let mut request = request(
        Method::POST,
        "/gbac/v1/policy/changes",
        &admin(),
        &changes.to_string(),
    );
    request
        .headers_mut()
        .insert("if-match", tag.parse().unwrap());
    assert_eq!(service.ask(request).await.status, 200);
}

#[tokio::test]
async fn a_service_is_not_readable_without_credentials() {
    check_own(false).await;
}

#[tokio::test]
async fn beyond_loopback_metrics_require_credentials_too() {
    check_own(true).await;
}

#[tokio::test]
async fn the_cluster_checks_the_credentials_of_relayed_requests() {
    let cluster = Cluster::start();
    let service = relaying(&cluster.url());
    let data = "/gbac/v1/upstream/dataplane/v1/roles";
    let token = format!("Bearer {}", service.people().await.remove(0).token);
    let send = async |credentials: &str| {
        service
            .send_as(Method::POST, data, &json!({}), credentials)
            .await
            .status
    };
    assert_eq!(service.get(data).await.status, 401);
    assert_eq!(
        send(&token).await,
        401,
        "a token of this service is nothing there"
    );
    assert_eq!(
        send(&admin()).await,
        400,
        "the cluster took the password and refused the body"
    );
    for path in [
        "/gbac/v1/upstream/",
        "/gbac/v1/upstream/none",
        "/gbac/v1/upstream/dataplane/v1/none",
    ] {
        assert_eq!(
            (
                service.get(path).await.status,
                service.get_as(path, &token).await.status
            ),
            (404, 404),
            "{path}"
        );
    }
}
