//! API activity events (6003): what was asked, what was decided, and by which ACL, group and role (D-23).

use super::event::{Class, Event, Node, status_id};
use super::redact::{header_value, url};
use super::{Context, Group, User, UserKind, push_text, without_credentials};
use gbac_engine::decide::{Decision, Outcome, Reason, Request};
use gbac_engine::model::{Acl, Host, Operation, Principal, PrincipalType};

/// What settled a request.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Authorization<'a> {
    /// The engine, for one check.
    Acl {
        /// What was asked.
        request: Request<'a>,
        /// What was decided.
        decision: &'a Decision,
    },
    /// The service's own rule, for APIs that ACLs do not govern, such as the Admin API.
    Service {
        /// Allowed or denied.
        outcome: Outcome,
        /// Why, in words; empty where there is nothing to say. What looks like a credential is taken out.
        reason: &'a str,
    },
    /// The service's own rule, for a request that ended.
    Call(CallResult<'a>),
}

/// What a request led to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallEffect {
    /// What was asked for.
    Done,
    /// Nothing: everything was as requested before, or it was a trial.
    NoEffect,
    /// Nothing, because it was refused or failed.
    Refused,
}

/// How a request ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CallResult<'a> {
    /// Whether the caller was allowed to make it.
    pub authorized: Outcome,
    /// Why, in words.
    pub reason: &'a str,
    /// What it led to.
    pub effect: CallEffect,
    /// The status of the HTTP response.
    pub http_status: u16,
    /// A stable code for an effect other than [`CallEffect::Done`].
    pub code: &'a str,
    /// The same in words. What looks like a credential is taken out.
    pub detail: &'a str,
}

/// A resource that a request touches, besides the one that was checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AuditedResource<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its kind, such as `role`.
    pub kind: &'a str,
    /// The ACL, where it is one.
    pub acl: Option<&'a Acl>,
}

impl<'a> AuditedResource<'a> {
    /// An ACL that the request creates.
    #[must_use]
    pub const fn created_acl(acl: &'a Acl) -> Self {
        Self { name: "create acl", kind: "acl_binding", acl: Some(acl) }
    }

    /// An ACL that the request deletes.
    #[must_use]
    pub const fn deleted_acl(acl: &'a Acl) -> Self {
        Self { name: "delete acl", kind: "acl_binding", acl: Some(acl) }
    }
}

/// The HTTP request that carried it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HttpRequest<'a> {
    /// The method, such as `GET`.
    pub method: &'a str,
    /// `http` or `https`.
    pub scheme: &'a str,
    /// The value of the `Host` header.
    pub host: &'a str,
    /// The port that it arrived at.
    pub port: Option<u16>,
    /// Path and query; values of parameters that carry credentials are taken out.
    pub path: &'a str,
    /// The headers in order; credentials are taken out.
    pub headers: &'a [(String, String)],
    /// The version of HTTP, such as `1.1`.
    pub version: &'a str,
}

/// What an API activity event tells.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ApiActivity<'a> {
    /// When, by whom written, between which ends.
    pub context: Context<'a>,
    /// Who asked. For [`Authorization::Acl`] a superuser is seen from the decision.
    pub user: User<'a>,
    /// What was asked for, such as `produce`: `RequestSpec::audit_operation` of the request table, or an HTTP method.
    pub operation: &'a str,
    /// What settled it.
    pub authorization: Authorization<'a>,
    /// The HTTP request, where there was one.
    pub http: Option<HttpRequest<'a>>,
    /// What the request touches besides the resource that was checked.
    pub resources: &'a [AuditedResource<'a>],
}

/// The event of one decision.
///
/// `actor.user.groups` holds only the group that the deciding ACL was reached through, and the role where it came
/// through one; nothing where neither applies (specification 6, D-23).
#[must_use]
pub fn api_activity(input: &ApiActivity<'_>) -> Event {
    let mut resources: Vec<Node> = input.resources.iter().map(resource).collect();
    let settled = match input.authorization {
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
        api.push(("response", Node::Object(vec![("code", Node::Number(result.http_status.into()))])));
    }
    api.push(("service", input.context.service()));
    let mut body = vec![
        ("actor", settled.actor),
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
    let asked_from = match input.authorization {
        Authorization::Acl { request, .. } => request.host,
        Authorization::Service { .. } | Authorization::Call(_) => None,
    };
    body.push(("src_endpoint", input.context.src_endpoint(asked_from)));
    match input.authorization {
        Authorization::Call(result) => push_status(&mut body, &result),
        Authorization::Acl { .. } | Authorization::Service { .. } => {
            body.push(("status_id", status_id(settled.outcome == Outcome::Allow)));
        }
    }
    body.push(("unmapped", settled.unmapped));
    Event::new(Class::ApiActivity, settled.activity_id, &input.context, body)
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
        push_text(body, "status_detail", Some(&without_credentials(result.detail)));
    }
    body.push(("status_id", Node::Number(id)));
}

/// The parts of an event that depend on what settled the request.
struct Settled {
    activity_id: i64,
    outcome: Outcome,
    actor: Node,
    unmapped: Node,
}

fn by_acl(input: &ApiActivity<'_>, request: &Request<'_>, decision: &Decision) -> Settled {
    let kind = if decision.reason == Reason::Superuser { UserKind::Admin } else { input.user.kind };
    let mut groups = Vec::new();
    groups.extend(decision.group.as_deref().map(Group::Idp));
    groups.extend(decision.role.as_deref().map(Group::Role));
    let (host, operation, permission, principal, pattern) = match &decision.acl {
        Some(acl) => (
            host_text(acl.host),
            acl.operation.spelling().audit,
            acl.permission.spelling().audit,
            principal_text(&acl.principal),
            (acl.resource_name.as_str(), acl.pattern_type.spelling().audit, acl.resource_type.spelling().audit),
        ),
        None => {
            let permission = if decision.outcome == Outcome::Allow { "AUTHORIZED" } else { "DENIED" };
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
    Settled {
        activity_id: activity_of(request.operation),
        outcome: decision.outcome,
        actor: actor(input, decision.outcome, "aclAuthorization", &why(decision), kind, &groups),
        unmapped: Node::Object(vec![("authorization_metadata", metadata)]),
    }
}

fn by_service(input: &ApiActivity<'_>, outcome: Outcome, reason: &str) -> Settled {
    let desc = without_credentials(reason);
    Settled {
        activity_id: activity_of_method(input.http.map_or("", |http| http.method)),
        outcome,
        actor: actor(input, outcome, input.context.service, &desc, input.user.kind, &[]),
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
    let decision = if outcome == Outcome::Allow { "authorized" } else { "denied" };
    let authorization = Node::Object(vec![
        ("decision", Node::text(decision)),
        ("policy", Node::Object(vec![("desc", Node::text(desc)), ("name", Node::text(policy))])),
    ]);
    let mut members = vec![("authorizations", Node::List(vec![authorization]))];
    push_text(&mut members, "invoked_by", input.context.invoked_by);
    members.push(("user", input.user.node(kind, groups)));
    Node::Object(members)
}

/// The policy's description: why it was decided so, with the deciding ACL in the platform's log form.
fn why(decision: &Decision) -> String {
    match (decision.reason, &decision.acl) {
        (Reason::Superuser, _) => "superuser".into(),
        (Reason::Expired, _) => "identity expired".into(),
        (Reason::NoMatch, _) | (Reason::DenyRule | Reason::AllowRule, None) => "no matches".into(),
        (Reason::DenyRule | Reason::AllowRule, Some(acl)) => format!(
            "acl: {{principal {} host {} op {} perm {}}}, resource: type {{{}}} name {{{}}} pattern {{{}}}",
            principal_text(&acl.principal),
            host_text(acl.host),
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
fn host_text(host: Host) -> String {
    match host {
        Host::Any => "{{any_host}}".into(),
        Host::Address(_) | Host::Range(_) => format!("{{{host}}}"),
    }
}

/// OCSF's activity of an operation; what only looks, but at other than records or configuration, counts as update.
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
    let mut members = vec![("name", Node::text(resource.name)), ("type", Node::text(resource.kind))];
    if let Some(acl) = resource.acl {
        members.push((
            "data",
            Node::Object(vec![
                ("resource_type", Node::text(acl.resource_type.spelling().audit)),
                ("resource_name", Node::text(&acl.resource_name)),
                ("pattern_type", Node::text(acl.pattern_type.spelling().audit)),
                ("acl_principal", Node::Text(principal_text(&acl.principal))),
                ("acl_host", Node::Text(host_text(acl.host))),
                ("acl_operation", Node::text(acl.operation.spelling().audit)),
                ("acl_permission", Node::text(acl.permission.spelling().audit)),
            ]),
        ));
    }
    Node::Object(members)
}

/// The methods that OCSF 1.0.0 knows.
const METHODS: [&str; 8] = ["CONNECT", "DELETE", "GET", "HEAD", "OPTIONS", "POST", "PUT", "TRACE"];

fn http_request(http: &HttpRequest<'_>) -> Node {
    let mut headers = Vec::new();
    let mut user_agent = None;
    for (name, value) in http.headers {
        if let Some(value) = header_value(name, value) {
            if name.eq_ignore_ascii_case("user-agent") {
                user_agent = Some(value.clone());
            }
            // `host` is part of the address, where user and password are taken out.
            if !name.eq_ignore_ascii_case("host") {
                headers.push(Node::Object(vec![("name", Node::text(name)), ("value", Node::Text(value))]));
            }
        }
    }
    let host = hostname(http.host);
    let path = url(http.path);
    let whole = host.map(|host| match http.port {
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
    push_text(&mut target, "url_string", whole.as_deref());
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

/// The name in the value of a `Host` header, if it is one: without user, password and port.
fn hostname(host: &str) -> Option<&str> {
    let host = host.rsplit_once('@').map_or(host, |(_, host)| host);
    let name = match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|digit| digit.is_ascii_digit()) => name,
        _ => host,
    };
    let is_label = |label: &str| {
        !label.is_empty()
            && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
            && !label.starts_with('-')
            && !label.ends_with('-')
    };
    (name.len() <= 255 && name.split('.').all(is_label)).then_some(name)
}
