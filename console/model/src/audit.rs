//! Audit events as rows that can be read, and the filter that stands in the address.

use crate::phrases::timestamp;
use gbac_api::encode::{component, parse_query};
use gbac_engine::escape::is_hidden;
use gbac_engine::model::{Dialect, Principal};
use serde_json::Value;

use crate::address;

/// How many events may be asked for.
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
    /// A change of the policy, the settings or the service (3004, 3005, 3006).
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

    /// The words of the filter.
    #[must_use]
    pub const fn words(self) -> &'static str {
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
pub struct Matched {
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
    /// How many events it stands for.
    pub times: usize,
    /// What it is about.
    pub kind: EventKind,
    /// The user's name; empty when nobody is known.
    pub user: String,
    /// Whether the user is a superuser.
    pub is_admin: bool,
    /// The groups: of a sign-in all of the token, of a decision the one that decided.
    pub groups: Vec<String>,
    /// The role through which it was decided.
    pub role: Option<String>,
    /// What was asked for: an operation, a request, a way to sign in.
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
    /// Why, where no ACL says it.
    pub why: String,
    /// The ACL that decided.
    pub matched: Option<Matched>,
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
            3004 => (EventKind::Change, "/actor/user"),
            3005 | 3006 => (EventKind::Change, "/unmapped/actor/user"),
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
                    (protocol, _) => format!("{what}, {protocol}"),
                }
            }
            EventKind::Access => match text("/http_request/http_method") {
                "" => text("/api/operation").to_owned(),
                method => format!("{method} {}", text("/http_request/url/path")),
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

    fn says_the_same(&self, other: &Self) -> bool {
        let parts = |row: &Self| (row.kind, row.user.clone(), row.what.clone(), row.groups.clone(), row.from.clone());
        let is_repeated = |row: &Self| row.is_allowed && !row.is_without_effect;
        matches!(self.kind, EventKind::SignIn | EventKind::Access)
            && is_repeated(self)
            && is_repeated(other)
            && parts(self) == parts(other)
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

/// A row, and how often the same happened before it without anything in between.
#[derive(Debug, Clone, PartialEq)]
pub struct Folded {
    /// The newest.
    pub row: EventRow,
    /// How many there are.
    pub times: usize,
    /// When the oldest of them was.
    pub since: String,
}

/// Rows, newest first, of which those that say the same in a row are one: a page that reads again and again signs in each
/// time. Decisions and refusals stay single.
#[must_use]
pub fn folded(rows: Vec<EventRow>) -> Vec<Folded> {
    let mut folded: Vec<Folded> = Vec::new();
    for row in rows {
        match folded.last_mut() {
            Some(last) if last.row.says_the_same(&row) => {
                last.times += row.times;
                last.since = timestamp(row.since_ms / 1000.0);
            }
            _ => folded.push(Folded { since: timestamp(row.since_ms / 1000.0), times: row.times, row }),
        }
    }
    folded
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

fn matched(event: &Value) -> Option<Matched> {
    let metadata = event.pointer("/unmapped/authorization_metadata")?;
    let text = |path: &str| metadata.pointer(path).and_then(Value::as_str).unwrap_or_default().to_owned();
    // Without an ACL that decided, the event has these empty.
    let operation = text("/acl_authorization/op");
    (!operation.is_empty()).then(|| Matched {
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

/// Which events are shown; it stands in the address.
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
    /// How many events are asked for.
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
mod tests {
    use gbac_analysis::audit::{
        Administration, ApiActivity, AuthProtocol, Authentication, Authorization, Context, Endpoint, Event,
        HttpRequest, Modification, Product, SignInResult, User, UserKind, administration, api_activity, authentication,
        service, sign_out,
    };
    use gbac_engine::decide::{At, Outcome, Request, decide};
    use gbac_engine::identity::Identity;
    use gbac_engine::model::{Acl, Host, Operation, PatternType, Permission, ResourceType};
    use gbac_json::policy_from_value;
    use serde_json::json;

    use super::*;

    fn context(product: &Product) -> Context<'_> {
        let (server, client) = (Endpoint::default(), Endpoint { ip: "10.0.0.7".parse().ok(), ..Endpoint::default() });
        Context {
            time_ms: 1_800_000_000_000,
            product,
            service: service::KAFKA,
            server,
            client,
            correlation_uid: None,
            invoked_by: None,
        }
    }

    #[test]
    fn a_session_begins_and_ends_with_the_identity_provider() {
        let product = Product::default();
        let of = |make: fn(&Authentication<'_>) -> gbac_analysis::audit::Event| {
            let event = make(&Authentication {
                context: context(&product),
                user: User { name: "alice", ..User::default() },
                protocol: AuthProtocol::OpenId,
                cleartext: false,
                result: SignInResult::Success { groups: &[] },
            });
            let row = EventRow::of(&gbac_json::event_to_value(&event)).unwrap();
            (row.what.clone(), row.outcome(), row.is_sign_out)
        };
        assert_eq!(of(authentication), ("Sign-in, identity provider".to_owned(), "Signed in", false));
        assert_eq!(of(sign_out), ("Sign-out, identity provider".to_owned(), "Signed out", true));
    }

    fn sign_in(result: SignInResult<'_>) -> EventRow {
        let product = Product::default();
        let event = authentication(&Authentication {
            context: context(&product),
            user: User { name: "alice", ..User::default() },
            protocol: AuthProtocol::OIDC,
            cleartext: false,
            result,
        });
        EventRow::of(&gbac_json::event_to_value(&event)).unwrap()
    }

    /// A decision of the engine, as the service records it.
    fn decision(name: &str) -> EventRow {
        let policy = policy_from_value(&json!({ "version": 1,
            "roles": [{ "name": "Readers", "members": [{ "principal": "Group:/eng:a" }] }],
            "acls": [{ "resource_type": "RESOURCE_TYPE_TOPIC", "resource_name": "orders-", "principal": "Role:Readers",
                "host": "*", "resource_pattern_type": "RESOURCE_PATTERN_TYPE_PREFIXED", "operation": "OPERATION_READ",
                "permission_type": "PERMISSION_TYPE_ALLOW" }] }))
        .unwrap();
        let identity = Identity::new("alice", ["other", "/eng:a"]);
        let request = Request::new(Operation::Read, ResourceType::Topic, name, At::IgnoringExpiry);
        let decision = decide(&policy, &identity, &request);
        let product = Product::default();
        let event = api_activity(&ApiActivity {
            context: context(&product),
            user: User { name: "alice", ..User::default() },
            operation: "fetch",
            authorization: Authorization::Acl { request, decision: &decision },
            http: None,
            resources: &[],
        });
        EventRow::of(&gbac_json::event_to_value(&event)).unwrap()
    }

    #[test]
    fn a_sign_in_has_all_groups_or_says_why_not() {
        let groups = ["eng".to_owned(), "sales".to_owned()];
        let row = sign_in(SignInResult::Success { groups: &groups });
        assert_eq!(
            (row.kind, row.user.as_str(), row.groups.as_slice()),
            (EventKind::SignIn, "alice", groups.as_slice())
        );
        assert_eq!((row.what.as_str(), row.outcome()), ("Sign-in, SASL-OAUTHBEARER", "Signed in"));
        assert_eq!((row.when().as_str(), row.from.as_str()), ("2027-01-15 08:00:00 UTC", "10.0.0.7"));
        let row = sign_in(SignInResult::Failure { detail: "expired" });
        assert_eq!((row.why.as_str(), row.outcome(), row.groups.len()), ("expired", "Refused", 0));
    }

    #[test]
    fn a_decision_names_group_role_and_acl() {
        let row = decision("orders-eu");
        assert_eq!((row.kind, row.is_allowed, row.what.as_str()), (EventKind::Decision, true, "fetch"));
        assert_eq!((row.groups.as_slice(), row.role.as_deref()), (&["/eng:a".to_owned()][..], Some("Readers")));
        assert_eq!(row.resource, Some(("topic".into(), "orders-eu".into())));
        let matched = row.matched.unwrap();
        assert_eq!(matched.principal, Some(Principal::role("Readers")));
        assert_eq!((matched.permission.as_str(), matched.operation.as_str()), ("allow", "read"));
        assert_eq!((matched.resource_name.as_str(), matched.pattern.as_str()), ("orders-", "prefixed"));

        let row = decision("other");
        assert_eq!((row.is_allowed, row.matched, row.why.as_str()), (false, None, "no matches"));
    }

    #[test]
    fn a_request_to_the_service_is_told_by_its_path() {
        let product = Product::default();
        let http = HttpRequest {
            method: "PUT",
            scheme: "http",
            host: "localhost",
            port: None,
            path: "/v1/roles/x",
            headers: &[],
            version: "1.1",
        };
        let event = api_activity(&ApiActivity {
            context: Context { service: service::ADMIN, ..context(&product) },
            user: User { name: "admin", kind: UserKind::Admin, ..User::default() },
            operation: "PUT",
            authorization: Authorization::Service { outcome: Outcome::Allow, reason: "superuser" },
            http: Some(http),
            resources: &[],
        });
        let row = EventRow::of(&gbac_json::event_to_value(&event)).unwrap();
        assert_eq!(
            (row.kind, row.what.as_str(), row.why.as_str()),
            (EventKind::Access, "PUT /v1/roles/x", "superuser")
        );
        assert!(row.is_admin && row.matched.is_none());
    }

    #[test]
    fn a_change_is_told_in_words() {
        let product = Product::default();
        let acl = decided_acl();
        let event = administration(&Administration {
            context: Context { service: service::ADMIN, ..context(&product) },
            user: User { name: "admin", kind: UserKind::Admin, ..User::default() },
            protocol: Some(AuthProtocol::Named("Basic")),
            modification: Modification::AclAdded(&acl),
            state: None,
        });
        let row = EventRow::of(&gbac_json::event_to_value(&event)).unwrap();
        assert_eq!((row.kind, row.outcome(), row.from.as_str()), (EventKind::Change, "Done", "10.0.0.7"));
        assert_eq!(row.what, "admin added an ACL: allow Group:x read topic y\\u{202e}");
        assert!(row.raw.contains(r"y\u202e") && !row.raw.contains('\u{202e}'), "{}", row.raw);
        let row = EventRow::of(&gbac_json::event_to_value(&event.failed("not_stored", "the disk is full"))).unwrap();
        assert_eq!((row.outcome(), row.why.as_str()), ("Not done", "the disk is full"));

        let member = Principal::user("bob");
        let event = administration(&Administration {
            context: context(&product),
            user: User { name: "admin", kind: UserKind::Admin, ..User::default() },
            protocol: None,
            modification: Modification::MemberAdded { role: "R", member: &member },
            state: None,
        });
        let row = EventRow::of(&gbac_json::event_to_value(&event)).unwrap();
        assert_eq!((row.user.as_str(), row.what.as_str()), ("admin", "admin added User:bob to the role R"));
    }

    fn decided_acl() -> Acl {
        Acl {
            resource_type: ResourceType::Topic,
            resource_name: "y\u{202e}".into(),
            pattern_type: PatternType::Literal,
            principal: Principal::group("x"),
            host: Host::Any,
            operation: Operation::Read,
            permission: Permission::Allow,
        }
    }

    #[test]
    fn an_event_that_stands_for_several_says_how_many() {
        let product = Product::default();
        let event = authentication(&Authentication {
            context: context(&product),
            user: User { name: "admin", ..User::default() },
            protocol: AuthProtocol::Named("Basic"),
            cleartext: false,
            result: SignInResult::Success { groups: &[] },
        });
        let row = |event: &Event| EventRow::of(&gbac_json::event_to_value(event)).unwrap();
        let rows =
            vec![row(&event.clone().repeated(3, 1000, 2000)), row(&event.clone().repeated(1, 0, 0)), row(&event)];
        let [one] = folded(rows).try_into().unwrap();
        assert_eq!((one.times, one.row.when().as_str()), (5, "1970-01-01 00:00:02 UTC"));
    }

    #[test]
    fn what_says_the_same_again_is_one_row() {
        let groups = ["eng".to_owned()];
        let again = sign_in(SignInResult::Success { groups: &groups });
        let refused = sign_in(SignInResult::Failure { detail: "expired" });
        let rows = vec![
            again.clone(),
            EventRow { at_ms: 0.0, since_ms: 0.0, ..again.clone() },
            refused.clone(),
            refused,
            again,
        ];
        let folded = folded(rows);
        let times: Vec<usize> = folded.iter().map(|row| row.times).collect();
        assert_eq!(times, [2, 1, 1, 1], "what was refused stays single");
        assert_eq!(folded[0].since, "1970-01-01 00:00:00 UTC");
        assert!(super::folded(vec![decision("orders-eu"), decision("orders-eu")]).len() == 2);
    }

    #[test]
    fn filters_stand_in_the_address() {
        let filter = AuditFilter {
            kind: Some(EventKind::Decision),
            allowed: Some(false),
            user: "a b&c".into(),
            group: "/eng".into(),
            limit: 1000,
        };
        let address = filter.address();
        assert_eq!(address, "/security/audit?kind=decision&outcome=deny&user=a%20b%26c&group=%2Feng&limit=1000");
        assert_eq!(AuditFilter::at(address.split_once('?').unwrap().1), filter);
        assert_eq!(AuditFilter::default().address(), address::AUDIT);
        assert_eq!(AuditFilter::at("kind=x&limit=7&other=%"), AuditFilter::default());
    }

    #[test]
    fn filters_leave_out_the_rest() {
        let row = decision("orders-eu");
        let shows = |query: &str| AuditFilter::at(query).shows(&row);
        assert!(shows("") && shows("kind=decision") && shows("outcome=allow") && shows("user=ALI"));
        assert!(shows("group=eng") && shows("group=Readers") && !shows("group=other"));
        assert!(!shows("kind=access") && !shows("outcome=deny") && !shows("user=bob"));
        assert!(!AuditFilter::at("limit=1000").is_set() && AuditFilter::at("user=a").is_set());
    }
}
