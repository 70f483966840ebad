//! Audit events as people read them: who, what, on what, from where, and with which outcome.

use gbac_analysis::audit::ANONYMOUS;
use gbac_api::paths;
use gbac_engine::model::{Dialect, Principal};
use serde_json::Value;

use crate::phrases::timestamp;

/// OCSF's activity "Logoff".
const LOGOFF: i64 = 2;
/// OCSF's authentication protocol "OpenID".
const OPEN_ID: i64 = 4;
/// OCSF's authentication protocol "OAUTH 2.0".
const OAUTH_2: i64 = 6;

/// What an event is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EventKind {
    /// Somebody signs in, or fails to (3002).
    SignIn,
    /// Somebody is let through to this service, or not (6003).
    Access,
    /// A decision by ACLs (6003).
    Decision,
    /// A change of the policy, the settings, an account or the service (3001, 3004, 3005, 3006,
    /// 6002).
    Change,
}

impl EventKind {
    /// Every kind, in the order of the filter.
    pub const ALL: [Self; 4] = [Self::Change, Self::SignIn, Self::Decision, Self::Access];

    /// Its name in the address.
    pub const fn id(self) -> &'static str {
        match self {
            Self::SignIn => "sign_in",
            Self::Access => "access",
            Self::Decision => "decision",
            Self::Change => "change",
        }
    }

    /// The label of the filter.
    pub const fn label(self) -> &'static str {
        match self {
            Self::SignIn => "Sign-ins",
            Self::Access => "Requests to this service",
            Self::Decision => "Decisions by ACLs",
            Self::Change => "Changes",
        }
    }
}

/// The ACL that decided.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditedAcl {
    /// Its principal.
    pub principal: Option<Principal>,
    /// `allow` or `deny`.
    pub permission: String,
    /// Its operation.
    pub operation: String,
    /// The type of its resource.
    pub resource_type: String,
    /// The name or prefix.
    pub resource_name: String,
    /// `literal` or `prefixed`.
    pub pattern: String,
}

/// An event as it is read.
#[derive(Debug, Clone, PartialEq)]
pub struct AuditEvent {
    /// When, in milliseconds since 1970; of several events that are recorded together, the last.
    pub at_ms: f64,
    /// The first of several events that are recorded together.
    pub since_ms: f64,
    /// The number of events that it represents.
    pub times: usize,
    /// What it is about.
    pub kind: EventKind,
    /// The user's name; empty if it is unknown.
    pub user: String,
    /// Whether the user is a superuser.
    pub is_admin: bool,
    /// The groups: of a sign-in all of the token, of a decision the one that decided.
    pub groups: Vec<String>,
    /// The role through which it was decided.
    pub role: Option<String>,
    /// The operation, the request, or the way to sign in.
    pub what: String,
    /// On what, where it was decided about a resource: its type and its name.
    pub resource: Option<(String, String)>,
    /// Whether it is a sign-out.
    pub is_sign_out: bool,
    /// How the user had signed in, of a sign-in and a change; empty if it is unknown.
    pub method: String,
    /// Whether it is a sign-in with a password, which has no groups.
    pub by_password: bool,
    /// Whether it was allowed or made.
    pub is_allowed: bool,
    /// Whether the request was allowed and changed nothing.
    pub is_without_effect: bool,
    /// The reason, if no ACL decided.
    pub why: String,
    /// The ACL that decided.
    pub matched: Option<AuditedAcl>,
    /// Why the user made a change, in their own words; empty if they did not say.
    pub reason: String,
    /// The state that a change led to, as the entity tag of the policy; empty if it is unknown.
    pub state: String,
    /// The ID of the request that the event belongs to; empty if there is none.
    pub request_id: String,
    /// From which address.
    pub from: String,
}

impl AuditEvent {
    /// Reads an event; none when it is of no class that is known here.
    pub fn read(event: &Value) -> Option<Self> {
        let (kind, user) = match event.pointer("/class_uid").and_then(Value::as_i64)? {
            3002 => (EventKind::SignIn, "/user"),
            3001 | 3004 => (EventKind::Change, "/actor/user"),
            3005 | 3006 | 6002 => (EventKind::Change, "/unmapped/actor/user"),
            6003 if text(event, "/actor/authorizations/0/policy/name") == "aclAuthorization" => {
                (EventKind::Decision, "/actor/user")
            }
            6003 => (EventKind::Access, "/actor/user"),
            _ => return None,
        };
        let is_sign_out = kind == EventKind::SignIn && is(event, "/activity_id", LOGOFF);
        let method = match kind {
            EventKind::SignIn => sign_in_method(Some(event)),
            EventKind::Change => sign_in_method(event.pointer("/unmapped/sign_in")),
            EventKind::Access | EventKind::Decision => String::new(),
        };
        let what = match kind {
            EventKind::SignIn => {
                let what = if is_sign_out { "Sign-out" } else { "Sign-in" };
                if method.is_empty() {
                    what.to_owned()
                } else {
                    format!("{what}, {method}")
                }
            }
            EventKind::Access => match text(event, "/http_request/http_method") {
                "" => text(event, "/api/operation").to_owned(),
                method => request_words(method, text(event, "/http_request/url/path")),
            },
            EventKind::Decision => text(event, "/api/operation").to_owned(),
            EventKind::Change => text(event, "/message").to_owned(),
        };
        let resource = match kind {
            EventKind::Decision => resource(event),
            EventKind::SignIn | EventKind::Access | EventKind::Change => None,
        };
        let matched = matched(event);
        let why = match (kind, &matched) {
            (EventKind::SignIn | EventKind::Change, _) => text(event, "/status_detail").to_owned(),
            (EventKind::Access, _) if !text(event, "/status_detail").is_empty() => {
                text(event, "/status_detail").to_owned()
            }
            (_, Some(_)) => String::new(),
            (_, None) => text(event, "/actor/authorizations/0/policy/desc").to_owned(),
        };
        let time = number(event, "/time").unwrap_or_default();
        let from = match text(event, "/src_endpoint/ip") {
            "" => text(event, "/unmapped/src_endpoint/ip"),
            ip => ip,
        };
        Some(Self {
            at_ms: number(event, "/end_time").unwrap_or(time),
            since_ms: time,
            times: event
                .pointer("/count")
                .and_then(Value::as_u64)
                .and_then(|count| usize::try_from(count).ok())
                .unwrap_or(1),
            kind,
            user: text(event, &format!("{user}/name")).to_owned(),
            is_admin: is(event, &format!("{user}/type_id"), 2),
            groups: groups(event, user, "idp_group"),
            role: groups(event, user, "role").into_iter().next(),
            what,
            resource,
            is_sign_out,
            method,
            by_password: text(event, "/auth_protocol") == "Basic",
            is_allowed: is(event, "/status_id", 1) || is(event, "/status_id", 99),
            is_without_effect: is(event, "/status_id", 99),
            why,
            matched,
            reason: text(event, "/unmapped/reason").to_owned(),
            state: text(event, "/unmapped/state/policy_etag").to_owned(),
            request_id: text(event, "/metadata/correlation_uid").to_owned(),
            from: from.to_owned(),
        })
    }

    /// Whether the user had not signed in.
    pub fn is_anonymous(&self) -> bool {
        self.user == ANONYMOUS
    }

    /// The reason in words, where no ACL decided; empty if there is none.
    pub fn why_words(&self) -> String {
        let code = self.why.as_str();
        let is_code = code.contains('_')
            && code
                .bytes()
                .all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'_'));
        match refusal(code) {
            Some(words) => words.to_owned(),
            None if is_code => code.replace('_', " "),
            None => code.to_owned(),
        }
    }

    /// When, to the second.
    pub fn when(&self) -> String {
        timestamp(self.at_ms / 1000.0)
    }

    /// Whether it is shown as the request, with its method and path.
    pub fn is_request_line(&self) -> bool {
        self.kind == EventKind::Access && self.what.contains(" /")
    }

    /// Whether earlier events of the same kind may join it: the console reads again and again, and
    /// signs in each time.
    pub fn is_routine(&self) -> bool {
        matches!(self.kind, EventKind::SignIn | EventKind::Access)
            && self.is_allowed
            && !self.is_without_effect
    }

    /// Whether both are routine and say the same.
    pub fn says_the_same(&self, other: &Self) -> bool {
        self.is_routine()
            && other.is_routine()
            && (self.kind, &self.user, &self.what) == (other.kind, &other.user, &other.what)
            && (&self.groups, &self.from) == (&other.groups, &other.from)
    }

    /// The outcome in a word.
    pub const fn outcome(&self) -> &'static str {
        match (self.kind, self.is_allowed) {
            (EventKind::SignIn, true) if self.is_sign_out => "Signed out",
            (EventKind::SignIn, true) => "Signed in",
            (EventKind::SignIn, false) => "Refused",
            (EventKind::Change, true) => "Done",
            (EventKind::Change, false) => "Not done",
            (EventKind::Access, true) if self.is_without_effect => "No effect",
            (_, true) => "Allowed",
            (_, false) => "Denied",
        }
    }
}

/// Why a token was refused, by the code that is recorded in its place: the message may quote it.
fn refusal(code: &str) -> Option<&'static str> {
    Some(match code {
        "alg_mismatch" => "the token is signed with another algorithm than its key allows",
        "audience_mismatch" => "the token is for another audience",
        "audience_missing" => "the token names no audience",
        "exp_missing" => "the token has no expiry",
        "iat_missing" => "the token does not say when it was issued",
        "issuer_mismatch" => "the token is of another issuer",
        "issuer_missing" => "the token names no issuer",
        "kid_missing" => "the token does not name the key that signed it",
        "kid_refresh_limited" => {
            "too many tokens name keys that the identity provider does not have"
        }
        "kid_unknown" => "the identity provider has no key with the ID that the token names",
        "oidc_off" => "no identity provider is configured",
        "provider_resting" => "the keys of the identity provider could not be fetched a moment ago",
        "signature_invalid" => "the signature of the token is not valid",
        "time_invalid" => "a time in the token is not a number",
        "token_expired" => "the token has expired",
        "token_issued_in_future" => "the token was issued in the future",
        "token_lifetime_too_long" => "the token is valid for longer than is accepted",
        "token_not_yet_valid" => "the token is not valid yet",
        "typ_not_access_token" => "the token is not an access token",
        "typ_refused" => "the token is of another type than an access token",
        _ => return None,
    })
}

/// How a user signed in, in words; empty if it is unknown.
fn sign_in_method(event: Option<&Value>) -> String {
    let Some(event) = event else {
        return String::new();
    };
    let protocol = text(event, "/auth_protocol");
    let id = event.get("auth_protocol_id").and_then(Value::as_i64);
    match (protocol, id) {
        ("", Some(OPEN_ID)) => "identity provider",
        ("", Some(OAUTH_2)) => "token of the identity provider",
        ("Basic", _) => "password",
        (protocol, _) => protocol,
    }
    .to_owned()
}

/// A request in words, where it is one of the console's own to the policy; otherwise its method and
/// path.
pub fn request_words(method: &str, path: &str) -> String {
    match (method, path) {
        ("GET", paths::POLICY) => "Read the policy".to_owned(),
        ("PUT", paths::POLICY) | ("POST", paths::POLICY_CHANGES) => "Change the policy".to_owned(),
        ("GET", paths::TESTS) => "Read the stored tests".to_owned(),
        ("PUT", paths::TESTS) => "Change the stored tests".to_owned(),
        ("GET", paths::AUDIT) => "Read the audit events".to_owned(),
        _ => format!("{method} {path}"),
    }
}

fn matched(event: &Value) -> Option<AuditedAcl> {
    let metadata = event.pointer("/unmapped/authorization_metadata")?;
    // Without an ACL that decided, the event has these empty.
    let operation = text(metadata, "/acl_authorization/op");
    if operation.is_empty() {
        return None;
    }
    Some(AuditedAcl {
        principal: principal(text(metadata, "/acl_authorization/principal")),
        permission: text(metadata, "/acl_authorization/permission_type").to_owned(),
        operation: operation.to_owned(),
        resource_type: text(metadata, "/resource/type").to_owned(),
        resource_name: text(metadata, "/resource/name").to_owned(),
        pattern: text(metadata, "/resource/pattern").to_owned(),
    })
}

/// The text at a place of an event; empty if there is none.
fn text<'e>(event: &'e Value, path: &str) -> &'e str {
    event
        .pointer(path)
        .and_then(Value::as_str)
        .unwrap_or_default()
}

fn number(event: &Value, path: &str) -> Option<f64> {
    event.pointer(path)?.as_f64()
}

/// Whether the number at a place of an event is this one.
fn is(event: &Value, path: &str, wanted: i64) -> bool {
    event.pointer(path).and_then(Value::as_i64) == Some(wanted)
}

/// The names of a user's groups of one kind.
fn groups(event: &Value, user: &str, kind: &str) -> Vec<String> {
    let Some(Value::Array(groups)) = event.pointer(&format!("{user}/groups")) else {
        return Vec::new();
    };
    let mut names = Vec::new();
    for group in groups {
        if group["type"] == kind
            && let Some(name) = group["name"].as_str()
        {
            names.push(name.to_owned());
        }
    }
    names
}

/// The type and name of the resource that an event is about, the last one it has.
fn resource(event: &Value) -> Option<(String, String)> {
    let last = event.pointer("/resources")?.as_array()?.last()?;
    Some((
        text(last, "/type").to_owned(),
        text(last, "/name").to_owned(),
    ))
}

/// Reads `type {group} name {/sales}`.
fn principal(text: &str) -> Option<Principal> {
    let (kind, name) = text.strip_prefix("type {")?.split_once("} name {")?;
    let name = name.strip_suffix('}')?;
    match kind {
        "user" => Some(Principal::user(name)),
        "group" => Some(Principal::group(name)),
        "role" => Some(Principal::role(name)),
        // Another type of Kafka.
        _ => Principal::parse_in(Dialect::Kafka, &format!("{kind}:{name}")).ok(),
    }
}
