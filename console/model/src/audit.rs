//! Audit events as rows of a table, and the filter in the address.

use crate::phrases::timestamp;
use gbac_api::encode::{component, parse_query};
use gbac_api::paths;
use gbac_engine::escape::is_hidden;
use gbac_engine::model::{Dialect, Principal};
use serde_json::Value;

use crate::address;

/// The possible numbers of events in a list.
pub const LIMITS: [usize; 3] = [100, 300, 1000];
/// OCSF's activity "Logoff".
const LOGOFF: i64 = 2;
/// OCSF's authentication protocol "OpenID".
const OPEN_ID: i64 = 4;

/// What an event is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EventKind {
    /// Somebody signs in, or fails to (3002).
    SignIn,
    /// Somebody is let through to this service, or not (6003).
    Access,
    /// A decision by ACLs (6003).
    Decision,
    /// A change of the policy, the settings, an account or the service (3001, 3004, 3005, 3006, 6002).
    Change,
}

impl EventKind {
    /// Every kind, in the order of the filter.
    pub const ALL: [Self; 4] = [Self::Change, Self::SignIn, Self::Decision, Self::Access];

    /// Its name in the address.
    #[must_use]
    pub const fn id(self) -> &'static str {
        match self {
            Self::SignIn => "sign_in",
            Self::Access => "access",
            Self::Decision => "decision",
            Self::Change => "change",
        }
    }

    /// The label of the filter.
    #[must_use]
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

/// An event as it is shown.
#[derive(Debug, Clone, PartialEq)]
pub struct EventRow {
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
    /// From which address.
    pub from: String,
    /// The event itself, over several lines.
    pub raw: String,
}

impl EventRow {
    /// Reads an event; none when it is of no class that is known here.
    #[must_use]
    pub fn of(event: &Value) -> Option<Self> {
        let text = |path: &str| event.pointer(path).and_then(Value::as_str).unwrap_or_default();
        let (kind, user) = match event.pointer("/class_uid").and_then(Value::as_i64)? {
            3002 => (EventKind::SignIn, "/user"),
            3001 | 3004 => (EventKind::Change, "/actor/user"),
            3005 | 3006 | 6002 => (EventKind::Change, "/unmapped/actor/user"),
            6003 if text("/actor/authorizations/0/policy/name") == "aclAuthorization" => {
                (EventKind::Decision, "/actor/user")
            }
            6003 => (EventKind::Access, "/actor/user"),
            _ => return None,
        };
        let named = |wanted: &str| -> Vec<String> {
            let groups = event.pointer(&format!("{user}/groups")).and_then(Value::as_array).into_iter().flatten();
            let of_kind = groups.filter(|group| group.get("type").and_then(Value::as_str) == Some(wanted));
            of_kind.filter_map(|group| group.get("name")?.as_str()).map(str::to_owned).collect()
        };
        let is = |path: &str, wanted: i64| event.pointer(path).and_then(Value::as_i64) == Some(wanted);
        let is_sign_out = kind == EventKind::SignIn && is("/activity_id", LOGOFF);
        let what = match kind {
            EventKind::SignIn => {
                let what = if is_sign_out { "Sign-out" } else { "Sign-in" };
                match (text("/auth_protocol"), event.pointer("/auth_protocol_id").and_then(Value::as_i64)) {
                    ("", Some(OPEN_ID)) => format!("{what}, identity provider"),
                    ("", _) => what.to_owned(),
                    ("Basic", _) => format!("{what}, password"),
                    (protocol, _) => format!("{what}, {protocol}"),
                }
            }
            EventKind::Access => match text("/http_request/http_method") {
                "" => text("/api/operation").to_owned(),
                method => request_words(method, text("/http_request/url/path")),
            },
            EventKind::Decision => text("/api/operation").to_owned(),
            EventKind::Change => text("/message").to_owned(),
        };
        let resource = (kind == EventKind::Decision)
            .then(|| {
                let last = event.pointer("/resources")?.as_array()?.last()?;
                let part = |name| last.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
                Some((part("type"), part("name")))
            })
            .flatten();
        let matched = matched(event);
        let why = match (kind, &matched) {
            (EventKind::SignIn | EventKind::Change, _) => text("/status_detail").to_owned(),
            (EventKind::Access, _) if !text("/status_detail").is_empty() => text("/status_detail").to_owned(),
            (_, Some(_)) => String::new(),
            (_, None) => text("/actor/authorizations/0/policy/desc").to_owned(),
        };
        let number = |path: &str| event.pointer(path).and_then(Value::as_f64);
        let time = number("/time").unwrap_or_default();
        let from = match text("/src_endpoint/ip") {
            "" => text("/unmapped/src_endpoint/ip"),
            ip => ip,
        };
        Some(Self {
            at_ms: number("/end_time").unwrap_or(time),
            since_ms: time,
            times: event
                .pointer("/count")
                .and_then(Value::as_u64)
                .and_then(|count| usize::try_from(count).ok())
                .unwrap_or(1),
            kind,
            user: text(&format!("{user}/name")).to_owned(),
            is_admin: is(&format!("{user}/type_id"), 2),
            groups: named("idp_group"),
            role: named("role").into_iter().next(),
            what,
            resource,
            is_sign_out,
            by_password: text("/auth_protocol") == "Basic",
            is_allowed: is("/status_id", 1) || is("/status_id", 99),
            is_without_effect: is("/status_id", 99),
            why,
            matched,
            from: from.to_owned(),
            raw: pretty(event),
        })
    }

    /// When, to the second.
    #[must_use]
    pub fn when(&self) -> String {
        timestamp(self.at_ms / 1000.0)
    }

    /// Whether it is shown as the request, with its method and path.
    #[must_use]
    pub fn is_request_line(&self) -> bool {
        self.kind == EventKind::Access && self.what.contains(" /")
    }

    /// Whether earlier events of the same kind may join it: the console reads again and again, and signs in each time.
    fn is_routine(&self) -> bool {
        matches!(self.kind, EventKind::SignIn | EventKind::Access) && self.is_allowed && !self.is_without_effect
    }

    fn says_the_same(&self, other: &Self) -> bool {
        let parts = |row: &Self| (row.kind, row.user.clone(), row.what.clone(), row.groups.clone(), row.from.clone());
        self.is_routine() && other.is_routine() && parts(self) == parts(other)
    }

    /// The outcome in a word.
    #[must_use]
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

/// An event, and the equal ones directly before it.
#[derive(Debug, Clone, PartialEq)]
pub struct RepeatedEvent {
    /// The newest event.
    pub row: EventRow,
    /// The number of events.
    pub times: usize,
    /// The time of the oldest one.
    pub since: String,
}

/// Rows, newest first, of which allowed sign-ins and requests that say the same are one, until there is a change or a
/// refusal: a page that reads again and again signs in each time. All others stay single.
#[must_use]
pub fn fold_repeats(rows: Vec<EventRow>) -> Vec<RepeatedEvent> {
    let mut folded: Vec<RepeatedEvent> = Vec::new();
    for row in rows {
        let may_pass = |folded: &&mut RepeatedEvent| folded.row.is_allowed && folded.row.kind != EventKind::Change;
        let mut newer = folded.iter_mut().rev().take_while(may_pass);
        match newer.find(|newer| newer.row.says_the_same(&row)) {
            Some(last) => {
                last.times += row.times;
                last.since = timestamp(row.since_ms / 1000.0);
            }
            None => folded.push(RepeatedEvent { since: timestamp(row.since_ms / 1000.0), times: row.times, row }),
        }
    }
    folded
}

/// A request in words, where it is one of the console's own to the policy; otherwise its method and path.
fn request_words(method: &str, path: &str) -> String {
    match (method, path) {
        ("GET", paths::POLICY) => "Read the policy".to_owned(),
        ("PUT", paths::POLICY) | ("POST", paths::POLICY_CHANGES) => "Change the policy".to_owned(),
        ("GET", paths::AUDIT) => "Read the audit events".to_owned(),
        _ => format!("{method} {path}"),
    }
}

/// An event as JSON over several lines. Hidden characters are escaped, as JSON escapes control characters.
fn pretty(event: &Value) -> String {
    let text = serde_json::to_string_pretty(event).unwrap_or_default();
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        if character != '\n' && is_hidden(character) {
            escaped.extend(character.encode_utf16(&mut [0; 2]).iter().map(|unit| format!("\\u{unit:04x}")));
        } else {
            escaped.push(character);
        }
    }
    escaped
}

fn matched(event: &Value) -> Option<AuditedAcl> {
    let metadata = event.pointer("/unmapped/authorization_metadata")?;
    let text = |path: &str| metadata.pointer(path).and_then(Value::as_str).unwrap_or_default().to_owned();
    // Without an ACL that decided, the event has these empty.
    let operation = text("/acl_authorization/op");
    (!operation.is_empty()).then(|| AuditedAcl {
        principal: principal(&text("/acl_authorization/principal")),
        permission: text("/acl_authorization/permission_type"),
        operation,
        resource_type: text("/resource/type"),
        resource_name: text("/resource/name"),
        pattern: text("/resource/pattern"),
    })
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

/// The filter of the events, which is part of the address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditFilter {
    /// Of one kind only.
    pub kind: Option<EventKind>,
    /// Allowed or denied only.
    pub allowed: Option<bool>,
    /// What the user's name holds.
    pub user: String,
    /// What the name of a group or of the role holds.
    pub group: String,
    /// The number of events to read.
    pub limit: usize,
}

impl Default for AuditFilter {
    fn default() -> Self {
        let [limit, ..] = LIMITS;
        Self { kind: None, allowed: None, user: String::new(), group: String::new(), limit }
    }
}

impl AuditFilter {
    /// The filter of an address's query, without the `?`; what is not known there filters nothing.
    #[must_use]
    pub fn at(query: &str) -> Self {
        let mut filter = Self::default();
        for (name, value) in query.split('&').filter_map(|pair| parse_query(pair).ok()).flatten() {
            match name.as_str() {
                "kind" => filter.kind = EventKind::ALL.into_iter().find(|kind| kind.id() == value),
                "outcome" => {
                    filter.allowed = match value.as_str() {
                        "allow" => Some(true),
                        "deny" => Some(false),
                        _ => None,
                    }
                }
                "user" => filter.user = value,
                "group" => filter.group = value,
                "limit" => {
                    let limit = value.parse().ok().filter(|limit| LIMITS.contains(limit));
                    filter.limit = limit.unwrap_or(filter.limit);
                }
                _ => {}
            }
        }
        filter
    }

    /// The address of the page with this filter.
    #[must_use]
    pub fn address(&self) -> String {
        let outcome = self.allowed.map(|allowed| if allowed { "allow" } else { "deny" });
        let limit = (self.limit != Self::default().limit).then(|| self.limit.to_string());
        let pairs = [
            ("kind", self.kind.map(|kind| kind.id().to_owned())),
            ("outcome", outcome.map(str::to_owned)),
            ("user", Some(self.user.clone())),
            ("group", Some(self.group.clone())),
            ("limit", limit),
        ];
        let pairs =
            pairs.into_iter().filter_map(|(name, value)| Some((name, value.filter(|value| !value.is_empty())?)));
        let query: Vec<String> = pairs.map(|(name, value)| format!("{name}={}", component(&value))).collect();
        if query.is_empty() { address::AUDIT.into() } else { format!("{}?{}", address::AUDIT, query.join("&")) }
    }

    /// Whether it leaves anything out.
    #[must_use]
    pub fn is_set(&self) -> bool {
        *self != Self { limit: self.limit, ..Self::default() }
    }

    /// Whether an event is shown.
    #[must_use]
    pub fn shows(&self, row: &EventRow) -> bool {
        let holds = |text: &str, part: &str| part.is_empty() || text.to_lowercase().contains(&part.to_lowercase());
        self.kind.is_none_or(|kind| kind == row.kind)
            && self.allowed.is_none_or(|allowed| allowed == row.is_allowed)
            && holds(&row.user, self.user.trim())
            && (self.group.trim().is_empty()
                || row.groups.iter().chain(&row.role).any(|name| holds(name, self.group.trim())))
    }
}

#[cfg(test)]
mod tests;
