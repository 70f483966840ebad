//! API activity events (6003): the request, the decision, and the ACL, group and role that decided
//! it (D-23).

use super::event::{Class, Event, Node, status_id};
use super::redact::{header_value, url};
use super::{Context, Group, User, UserKind, push_text, without_credentials};
use gbac_engine::decide::{Decision, Outcome, Reason, Request};
use gbac_engine::model::{Acl, Host, Operation, Principal, PrincipalType};

/// The decision about a request, and its source.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Authorization<'a> {
    /// The engine's decision about one check.
    Acl {
        /// The request of the check.
        request: Request<'a>,
        /// Its decision.
        decision: &'a Decision,
    },
    /// The service's own rule, for APIs that ACLs do not cover, such as the Admin API.
    Service {
        /// Allowed or denied.
        outcome: Outcome,
        /// The reason, as text; may be empty. Credentials are removed.
        reason: &'a str,
    },
    /// The service's own rule, for a completed request.
    Call(CallResult<'a>),
}

/// The effect of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallEffect {
    /// The requested effect.
    Done,
    /// Nothing, because the state was already as requested, or it was a dry run.
    NoEffect,
    /// Nothing, because it was refused or failed.
    Refused,
}

/// The result of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CallResult<'a> {
    /// Whether the caller was authorized.
    pub authorized: Outcome,
    /// The reason for that, as text.
    pub reason: &'a str,
    /// Its effect.
    pub effect: CallEffect,
    /// The status of the HTTP response.
    pub http_status: u16,
    /// A stable code for an effect other than [`CallEffect::Done`].
    pub code: &'a str,
    /// The same as text. Credentials are removed.
    pub detail: &'a str,
}

impl<'a> CallResult<'a> {
    /// That of a request that is refused for lack of credentials or permission.
    #[must_use]
    pub const fn denied(http_status: u16, code: &'a str, reason: &'a str) -> Self {
        Self {
            authorized: Outcome::Deny,
            reason,
            effect: CallEffect::Refused,
            http_status,
            code,
            detail: reason,
        }
    }
}

/// A resource of a request, in addition to the checked one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AuditedResource<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its kind, such as `role`.
    pub kind: &'a str,
    /// The ACL, if it is one.
    pub acl: Option<&'a Acl>,
}

impl<'a> AuditedResource<'a> {
    /// An ACL that the request creates.
    #[must_use]
    pub const fn created_acl(acl: &'a Acl) -> Self {
        Self {
            name: "create acl",
            kind: "acl_binding",
            acl: Some(acl),
        }
    }

    /// An ACL that the request deletes.
    #[must_use]
    pub const fn deleted_acl(acl: &'a Acl) -> Self {
        Self {
            name: "delete acl",
            kind: "acl_binding",
            acl: Some(acl),
        }
    }
}

/// The HTTP request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HttpRequest<'a> {
    /// The method, such as `GET`.
    pub method: &'a str,
    /// `http` or `https`.
    pub scheme: &'a str,
    /// The value of the `Host` header.
    pub host: &'a str,
    /// The local port.
    pub port: Option<u16>,
    /// Path and query; the values of parameters that contain credentials are removed.
    pub path: &'a str,
    /// The headers in order; credentials are removed.
    pub headers: &'a [(String, String)],
    /// The version of HTTP, such as `1.1`.
    pub version: &'a str,
}

/// The content of an API activity event.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ApiActivity<'a> {
    /// Time, product and endpoints.
    pub context: Context<'a>,
    /// The caller. With [`Authorization::Acl`], the decision shows whether it is a superuser.
    pub user: User<'a>,
    /// The operation, such as `produce`: `RequestSpec::audit_operation` of the request table, or an
    /// HTTP method.
    pub operation: &'a str,
    /// The decision.
    pub authorization: Authorization<'a>,
    /// The HTTP request, if there was one.
    pub http: Option<HttpRequest<'a>>,
    /// The resources of the request, except the checked one.
    pub resources: &'a [AuditedResource<'a>],
}

/// Creates the event of one decision.
///
/// `actor.user.groups` contains only the group and the role through which the deciding ACL applies,
/// if any (specification 6, D-23).
#[must_use]
pub fn api_activity(input: &ApiActivity<'_>) -> Event {
    let mut resources: Vec<Node> = input.resources.iter().map(resource).collect();
    let parts = match input.authorization {
        Authorization::Acl { request, decision } => {
            resources.push(Node::Object(vec![
                ("name", Node::text(request.resource_name)),
                ("type", Node::text(request.resource_type.spelling().audit)),
            ]));
            by_acl(input, &request, decision)
        }
        Authorization::Service { outcome, reason } => by_service(input, outcome, reason),
        Authorization::Call(result) => by_service(input, result.authorized, result.reason),
    };
    let mut api = vec![("operation", Node::text(input.operation))];
    if let Authorization::Call(result) = input.authorization {
        api.push((
            "response",
            Node::Object(vec![("code", Node::Number(result.http_status.into()))]),
        ));
    }
    api.push(("service", input.context.service()));
    let mut body = vec![
        ("actor", parts.actor),
        ("api", Node::Object(api)),
        ("cloud", Node::Object(vec![("provider", Node::text(""))])),
        ("dst_endpoint", input.context.dst_endpoint()),
    ];
    if let Some(http) = &input.http {
        body.push(("http_request", http_request(http)));
    }
    if !resources.is_empty() {
        body.push(("resources", Node::List(resources)));
    }
    let request_host = match input.authorization {
        Authorization::Acl { request, .. } => request.host,
        Authorization::Service { .. } | Authorization::Call(_) => None,
    };
    body.push(("src_endpoint", input.context.src_endpoint(request_host)));
    match input.authorization {
        Authorization::Call(result) => push_status(&mut body, &result),
        Authorization::Acl { .. } | Authorization::Service { .. } => {
            body.push(("status_id", status_id(parts.outcome == Outcome::Allow)));
        }
    }
    body.push(("unmapped", parts.unmapped));
    Event::new(Class::ApiActivity, parts.activity_id, &input.context, body)
}

fn push_status(body: &mut Vec<(&'static str, Node)>, result: &CallResult<'_>) {
    let id = match result.effect {
        CallEffect::Done => 1,
        CallEffect::Refused => 2,
        CallEffect::NoEffect => {
            body.push(("status", Node::text("No effect")));
            99
        }
    };
    if result.effect != CallEffect::Done {
        push_text(body, "status_code", Some(result.code));
        push_text(
            body,
            "status_detail",
            Some(&without_credentials(result.detail)),
        );
    }
    body.push(("status_id", Node::Number(id)));
}

/// The parts of an event that depend on the kind of decision.
struct DecisionParts {
    activity_id: i64,
    outcome: Outcome,
    actor: Node,
    unmapped: Node,
}

fn by_acl(input: &ApiActivity<'_>, request: &Request<'_>, decision: &Decision) -> DecisionParts {
    let kind = if decision.reason == Reason::Superuser {
        UserKind::Admin
    } else {
        input.user.kind
    };
    let mut groups = Vec::new();
    groups.extend(decision.group.as_deref().map(Group::Idp));
    groups.extend(decision.role.as_deref().map(Group::Role));
    let (host, operation, permission, principal, pattern) = match &decision.acl {
        Some(acl) => (
            host_text(&acl.host),
            acl.operation.spelling().audit,
            acl.permission.spelling().audit,
            principal_text(&acl.principal),
            (
                acl.resource_name.as_str(),
                acl.pattern_type.spelling().audit,
                acl.resource_type.spelling().audit,
            ),
        ),
        None => {
            let permission = if decision.outcome == Outcome::Allow {
                "AUTHORIZED"
            } else {
                "DENIED"
            };
            (String::new(), "", permission, String::new(), ("", "", ""))
        }
    };
    let (name, pattern, resource_type) = pattern;
    let metadata = Node::Object(vec![
        (
            "acl_authorization",
            Node::Object(vec![
                ("host", Node::Text(host)),
                ("op", Node::text(operation)),
                ("permission_type", Node::text(permission)),
                ("principal", Node::Text(principal)),
            ]),
        ),
        (
            "resource",
            Node::Object(vec![
                ("name", Node::text(name)),
                ("pattern", Node::text(pattern)),
                ("type", Node::text(resource_type)),
            ]),
        ),
    ]);
    DecisionParts {
        activity_id: activity_of(request.operation),
        outcome: decision.outcome,
        actor: actor(
            input,
            decision.outcome,
            "aclAuthorization",
            &description(decision),
            kind,
            &groups,
        ),
        unmapped: Node::Object(vec![("authorization_metadata", metadata)]),
    }
}

fn by_service(input: &ApiActivity<'_>, outcome: Outcome, reason: &str) -> DecisionParts {
    let desc = without_credentials(reason);
    DecisionParts {
        activity_id: activity_of_method(input.http.map_or("", |http| http.method)),
        outcome,
        actor: actor(
            input,
            outcome,
            input.context.service,
            &desc,
            input.user.kind,
            &[],
        ),
        unmapped: Node::Object(Vec::new()),
    }
}

fn actor(
    input: &ApiActivity<'_>,
    outcome: Outcome,
    policy: &str,
    desc: &str,
    kind: UserKind,
    groups: &[Group<'_>],
) -> Node {
    let decision = if outcome == Outcome::Allow {
        "authorized"
    } else {
        "denied"
    };
    let authorization = Node::Object(vec![
        ("decision", Node::text(decision)),
        (
            "policy",
            Node::Object(vec![
                ("desc", Node::text(desc)),
                ("name", Node::text(policy)),
            ]),
        ),
    ]);
    let mut members = vec![("authorizations", Node::List(vec![authorization]))];
    push_text(&mut members, "invoked_by", input.context.invoked_by);
    members.push(("user", input.user.node(kind, groups)));
    Node::Object(members)
}

/// The policy's description: the reason, with the deciding ACL in the platform's log format.
fn description(decision: &Decision) -> String {
    match (decision.reason, &decision.acl) {
        (Reason::Superuser, _) => "superuser".into(),
        (Reason::Expired, _) => "identity expired".into(),
        (Reason::NoMatch, _) | (Reason::DenyRule | Reason::AllowRule, None) => "no matches".into(),
        (Reason::DenyRule | Reason::AllowRule, Some(acl)) => format!(
            "acl: {{principal {} host {} op {} perm {}}}, resource: type {{{}}} name {{{}}} pattern {{{}}}",
            principal_text(&acl.principal),
            host_text(&acl.host),
            acl.operation.spelling().audit,
            acl.permission.spelling().audit,
            acl.resource_type.spelling().audit,
            acl.resource_name,
            acl.pattern_type.spelling().audit,
        ),
    }
}

/// `type {group} name {/sales}`.
fn principal_text(principal: &Principal) -> String {
    let (kind, name) = match principal.kind() {
        PrincipalType::User => ("user", principal.name()),
        PrincipalType::Group => ("group", principal.name()),
        PrincipalType::Role => ("role", principal.name()),
        PrincipalType::Other => principal.type_and_name(),
    };
    format!("type {{{kind}}} name {{{name}}}")
}

/// `{{any_host}}` or `{10.0.0.7}`.
fn host_text(host: &Host) -> String {
    match host {
        Host::Any => "{{any_host}}".into(),
        Host::Address(_) | Host::Range(_) | Host::Name(_) => format!("{{{host}}}"),
    }
}

/// OCSF's activity of an operation. Operations that only read something other than records or
/// configuration count as update.
const fn activity_of(operation: Operation) -> i64 {
    match operation {
        Operation::Create | Operation::CreateTokens => CREATE,
        Operation::Read | Operation::DescribeConfigs | Operation::DescribeTokens => READ,
        Operation::Delete => DELETE,
        Operation::All
        | Operation::Write
        | Operation::Alter
        | Operation::Describe
        | Operation::ClusterAction
        | Operation::AlterConfigs
        | Operation::IdempotentWrite
        | Operation::TwoPhaseCommit => UPDATE,
    }
}

fn activity_of_method(method: &str) -> i64 {
    match method.to_ascii_uppercase().as_str() {
        "POST" => CREATE,
        "GET" => READ,
        "PUT" => UPDATE,
        "DELETE" => DELETE,
        _ => UNKNOWN,
    }
}

const UNKNOWN: i64 = 0;
const CREATE: i64 = 1;
const READ: i64 = 2;
const UPDATE: i64 = 3;
const DELETE: i64 = 4;

fn resource(resource: &AuditedResource<'_>) -> Node {
    let mut members = vec![
        ("name", Node::text(resource.name)),
        ("type", Node::text(resource.kind)),
    ];
    if let Some(acl) = resource.acl {
        members.push((
            "data",
            Node::Object(vec![
                (
                    "resource_type",
                    Node::text(acl.resource_type.spelling().audit),
                ),
                ("resource_name", Node::text(&acl.resource_name)),
                (
                    "pattern_type",
                    Node::text(acl.pattern_type.spelling().audit),
                ),
                ("acl_principal", Node::Text(principal_text(&acl.principal))),
                ("acl_host", Node::Text(host_text(&acl.host))),
                ("acl_operation", Node::text(acl.operation.spelling().audit)),
                (
                    "acl_permission",
                    Node::text(acl.permission.spelling().audit),
                ),
            ]),
        ));
    }
    Node::Object(members)
}

/// The methods of OCSF 1.0.0.
const METHODS: [&str; 8] = [
    "CONNECT", "DELETE", "GET", "HEAD", "OPTIONS", "POST", "PUT", "TRACE",
];

fn http_request(http: &HttpRequest<'_>) -> Node {
    let mut headers = Vec::new();
    let mut user_agent = None;
    for (name, value) in http.headers {
        if let Some(value) = header_value(name, value) {
            if name.eq_ignore_ascii_case("user-agent") {
                user_agent = Some(value.clone());
            }
            // `host` is part of the URL, from which user and password are removed.
            if !name.eq_ignore_ascii_case("host") {
                headers.push(Node::Object(vec![
                    ("name", Node::text(name)),
                    ("value", Node::Text(value)),
                ]));
            }
        }
    }
    let host = hostname(http.host);
    let path = url(http.path);
    let full_url = host.map(|host| match http.port {
        Some(port) => format!("{}://{host}:{port}{path}", http.scheme),
        None => format!("{}://{host}{path}", http.scheme),
    });
    let mut target = Vec::new();
    push_text(&mut target, "hostname", host);
    target.push(("path", Node::Text(path)));
    if let Some(port) = http.port {
        target.push(("port", Node::Number(port.into())));
    }
    target.push(("scheme", Node::text(http.scheme)));
    push_text(&mut target, "url_string", full_url.as_deref());
    let mut members = Vec::new();
    if !headers.is_empty() {
        members.push(("http_headers", Node::List(headers)));
    }
    if METHODS.contains(&http.method) {
        members.push(("http_method", Node::text(http.method)));
    }
    members.push(("url", Node::Object(target)));
    push_text(&mut members, "user_agent", user_agent.as_deref());
    members.push(("version", Node::text(http.version)));
    Node::Object(members)
}

/// The host name in a `Host` header without user, password and port; `None` if it is invalid.
fn hostname(host: &str) -> Option<&str> {
    let host = host.rsplit_once('@').map_or(host, |(_, host)| host);
    let name = match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|digit| digit.is_ascii_digit()) => name,
        _ => host,
    };
    let is_label = |label: &str| {
        !label.is_empty()
            && label
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
            && !label.starts_with('-')
            && !label.ends_with('-')
    };
    (name.len() <= 255 && name.split('.').all(is_label)).then_some(name)
}
