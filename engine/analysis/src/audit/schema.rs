//! All events against the attributes of OCSF 1.0.0: required, unknown, of another type, outside an enumeration.

use serde_json::{Value, json};

use super::tests::{activity, alice, by_group, context, product, through_group_and_role, unsettled, write};
use super::{
    ApiActivity, AuthProtocol, Authentication, Authorization, Context, Endpoint, HttpRequest, Product, SignInResult,
    User, UserKind, api_activity, authentication, service,
};
use gbac_engine::decide::{At, Outcome, Reason, Request};
use gbac_engine::model::{Operation, ResourceType};

/// The type of an attribute in OCSF 1.0.0.
#[derive(Clone, Copy)]
enum Type {
    Text,
    Number,
    Flag,
    Enum(&'static [i64]),
    One(&'static Object),
    Many(&'static Object),
    Texts,
    Anything,
}

/// An object of OCSF 1.0.0, as far as our events may use it.
struct Object {
    name: &'static str,
    required: &'static [(&'static str, Type)],
    optional: &'static [(&'static str, Type)],
    at_least_one: &'static [&'static str],
}

use Type::{Anything, Enum, Flag, Many, Number, One, Text, Texts};

static GROUP: Object = Object {
    name: "group",
    required: &[],
    optional: &[("name", Text), ("uid", Text), ("type", Text), ("desc", Text), ("privileges", Texts)],
    at_least_one: &["name", "uid"],
};
static USER: Object = Object {
    name: "user",
    required: &[("type_id", Enum(&[0, 1, 2, 3, 99]))],
    optional: &[("name", Text), ("uid", Text), ("domain", Text), ("groups", Many(&GROUP)), ("type", Text)],
    at_least_one: &["name", "uid"],
};
static POLICY: Object = Object {
    name: "policy",
    required: &[],
    optional: &[("name", Text), ("uid", Text), ("desc", Text), ("version", Text), ("group", One(&GROUP))],
    at_least_one: &["name", "uid"],
};
static AUTHORIZATION: Object = Object {
    name: "authorization",
    required: &[],
    optional: &[("decision", Text), ("policy", One(&POLICY))],
    at_least_one: &["decision", "policy"],
};
static ACTOR: Object = Object {
    name: "actor",
    required: &[],
    optional: &[("user", One(&USER)), ("authorizations", Many(&AUTHORIZATION))],
    at_least_one: &["process", "user", "invoked_by", "session"],
};
static SERVICE: Object = Object {
    name: "service",
    required: &[],
    optional: &[("name", Text), ("uid", Text), ("version", Text)],
    at_least_one: &["name", "uid"],
};
static API: Object = Object {
    name: "api",
    required: &[("operation", Text)],
    optional: &[("service", One(&SERVICE)), ("version", Text)],
    at_least_one: &[],
};
static ENDPOINT: Object = Object {
    name: "network_endpoint",
    required: &[],
    optional: &[("ip", Text), ("name", Text), ("port", Number), ("svc_name", Text), ("hostname", Text), ("uid", Text)],
    at_least_one: &["ip", "uid", "name", "hostname", "svc_name"],
};
static PRODUCT: Object = Object {
    name: "product",
    required: &[("vendor_name", Text)],
    optional: &[("name", Text), ("uid", Text), ("version", Text)],
    at_least_one: &["name", "uid"],
};
static METADATA: Object = Object {
    name: "metadata",
    required: &[("product", One(&PRODUCT)), ("version", Text)],
    optional: &[("profiles", Texts)],
    at_least_one: &[],
};
static CLOUD: Object =
    Object { name: "cloud", required: &[("provider", Text)], optional: &[("region", Text)], at_least_one: &[] };
static RESOURCE: Object = Object {
    name: "resource_details",
    required: &[],
    optional: &[("name", Text), ("uid", Text), ("type", Text), ("data", Anything)],
    at_least_one: &["name", "uid"],
};
static HEADER: Object =
    Object { name: "http_header", required: &[("name", Text), ("value", Text)], optional: &[], at_least_one: &[] };
static URL: Object = Object {
    name: "url",
    required: &[],
    optional: &[("hostname", Text), ("path", Text), ("port", Number), ("scheme", Text), ("url_string", Text)],
    at_least_one: &["url_string", "path"],
};
static HTTP_REQUEST: Object = Object {
    name: "http_request",
    required: &[],
    optional: &[
        ("http_headers", Many(&HEADER)),
        ("http_method", Text),
        ("url", One(&URL)),
        ("user_agent", Text),
        ("version", Text),
    ],
    at_least_one: &[],
};
const SEVERITY: Type = Enum(&[0, 1, 2, 3, 4, 5, 6, 99]);
const STATUS: Type = Enum(&[0, 1, 2, 99]);
static AUTHENTICATION: Object = Object {
    name: "authentication",
    required: &[
        ("activity_id", Enum(&[0, 1, 2, 3, 4, 99])),
        ("category_uid", Enum(&[3])),
        ("class_uid", Enum(&[3002])),
        ("metadata", One(&METADATA)),
        ("severity_id", SEVERITY),
        ("time", Number),
        ("type_uid", Number),
        ("user", One(&USER)),
    ],
    optional: &[
        ("auth_protocol", Text),
        ("auth_protocol_id", Enum(&[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 99])),
        ("count", Number),
        ("dst_endpoint", One(&ENDPOINT)),
        ("end_time", Number),
        ("is_cleartext", Flag),
        ("is_mfa", Flag),
        ("service", One(&SERVICE)),
        ("src_endpoint", One(&ENDPOINT)),
        ("start_time", Number),
        ("status_detail", Text),
        ("status_id", STATUS),
        ("unmapped", Anything),
    ],
    at_least_one: &["service", "dst_endpoint"],
};
static API_ACTIVITY: Object = Object {
    name: "api_activity",
    required: &[
        ("activity_id", Enum(&[0, 1, 2, 3, 4, 99])),
        ("actor", One(&ACTOR)),
        ("api", One(&API)),
        ("category_uid", Enum(&[6])),
        ("class_uid", Enum(&[6003])),
        ("cloud", One(&CLOUD)),
        ("metadata", One(&METADATA)),
        ("severity_id", SEVERITY),
        ("src_endpoint", One(&ENDPOINT)),
        ("time", Number),
        ("type_uid", Number),
    ],
    optional: &[
        ("count", Number),
        ("dst_endpoint", One(&ENDPOINT)),
        ("end_time", Number),
        ("http_request", One(&HTTP_REQUEST)),
        ("resources", Many(&RESOURCE)),
        ("start_time", Number),
        ("status_detail", Text),
        ("status_id", STATUS),
        ("unmapped", Anything),
    ],
    at_least_one: &[],
};

/// Everything about an object that the schema does not allow.
fn faults(value: &Value, object: &Object, at: &str) -> Vec<String> {
    let Some(members) = value.as_object() else { return vec![format!("{at}: no object")] };
    let mut found = Vec::new();
    for (key, _) in object.required.iter().filter(|(key, _)| !members.contains_key(*key)) {
        found.push(format!("{at}: {} without {key}", object.name));
    }
    if !object.at_least_one.is_empty() && !object.at_least_one.iter().any(|key| members.contains_key(*key)) {
        found.push(format!("{at}: {} without any of {:?}", object.name, object.at_least_one));
    }
    for (key, member) in members {
        let at = format!("{at}.{key}");
        let known = object.required.iter().chain(object.optional).find(|(name, _)| name == key);
        let right = match known.map(|(_, kind)| *kind) {
            None => {
                found.push(format!("{at}: unknown in {}", object.name));
                continue;
            }
            Some(Text) => member.is_string(),
            Some(Number) => member.is_i64(),
            Some(Flag) => member.is_boolean(),
            Some(Enum(values)) => member.as_i64().is_some_and(|number| values.contains(&number)),
            Some(Texts) => member.as_array().is_some_and(|list| list.iter().all(Value::is_string)),
            Some(Anything) => true,
            Some(One(inner)) => {
                found.extend(faults(member, inner, &at));
                true
            }
            Some(Many(inner)) => {
                for item in member.as_array().into_iter().flatten() {
                    found.extend(faults(item, inner, &at));
                }
                member.is_array()
            }
        };
        if !right {
            found.push(format!("{at}: {member} is of another type"));
        }
    }
    found
}

fn event_faults(event: &Value) -> Vec<String> {
    let object = if event["class_uid"] == json!(3002) { &AUTHENTICATION } else { &API_ACTIVITY };
    let mut found = faults(event, object, "event");
    let number = |key: &str| event[key].as_i64().unwrap_or(-1);
    if number("type_uid") != number("class_uid") * 100 + number("activity_id") {
        found.push("event.type_uid: not class_uid * 100 + activity_id".into());
    }
    found
}

#[test]
fn every_event_follows_the_schema() {
    let products = [product(), Product::default()];
    let groups = ["/sales".to_string(), String::new()];
    let (group_acl, role_acl) = (by_group(), through_group_and_role());
    let plain = [Reason::Superuser, Reason::NoMatch, Reason::Expired]
        .map(|reason| unsettled(if reason == Reason::Superuser { Outcome::Allow } else { Outcome::Deny }, reason));
    let headers = [("Accept".to_string(), "*/*".to_string())];
    let http = HttpRequest {
        method: "PATCH",
        scheme: "https",
        host: "x",
        port: None,
        path: "/",
        headers: &headers,
        version: "2",
    };
    let users = [alice(), User::default(), User { kind: UserKind::System, domain: Some("d"), ..alice() }];
    let mut events = Vec::new();
    for product in &products {
        let full = context(product, service::SCHEMA_REGISTRY);
        let bare = Context { server: Endpoint::default(), client: Endpoint::default(), ..full };
        for context in [full, bare] {
            for user in users {
                for protocol in
                    [AuthProtocol::Unknown, AuthProtocol::Kerberos, AuthProtocol::Oauth2, AuthProtocol::OIDC]
                {
                    for result in [
                        SignInResult::Success { groups: &groups },
                        SignInResult::Success { groups: &[] },
                        SignInResult::Failure { detail: "expired" },
                        SignInResult::Failure { detail: "" },
                    ] {
                        let input = Authentication { context, user, protocol, cleartext: true, result };
                        events.push(authentication(&input));
                    }
                }
                for decision in plain.iter().chain([&group_acl, &role_acl]) {
                    for operation in Operation::ALL {
                        for resource_type in ResourceType::ALL {
                            let request = Request::new(*operation, *resource_type, "", At::IgnoringExpiry);
                            let authorization = Authorization::Acl { request, decision };
                            events.push(api_activity(&ApiActivity {
                                context,
                                user,
                                operation: "metadata",
                                authorization,
                                http: None,
                                resources: &[],
                            }));
                        }
                    }
                }
                for outcome in Outcome::ALL {
                    let authorization = Authorization::Service { outcome: *outcome, reason: "because" };
                    for http in [None, Some(http)] {
                        let (operation, resources) = ("GET", &[]);
                        events.push(api_activity(&ApiActivity {
                            context,
                            user,
                            operation,
                            authorization,
                            http,
                            resources,
                        }));
                    }
                }
            }
        }
    }
    for event in &mut events {
        let again = event.clone();
        assert_eq!(event_faults(&event.to_json()), [""; 0], "{}", event.to_line());
        event.absorb(again).unwrap();
        assert_eq!(event_faults(&event.to_json()), [""; 0], "{}", event.to_line());
        assert_eq!(serde_json::from_str::<Value>(&event.to_line()).unwrap(), event.to_json());
    }
    assert!(events.len() > 1000);
}

#[test]
fn the_schema_check_sees_faults() {
    let (product, decision) = (product(), by_group());
    let good = api_activity(&activity(&product, write(), &decision)).to_json();
    let broken = |change: fn(&mut Value)| {
        let mut event = good.clone();
        change(&mut event);
        event_faults(&event)
    };
    assert_eq!(broken(|_| ()), [""; 0]);
    assert_eq!(broken(|e| e["token"] = json!("x")), ["event.token: unknown in api_activity"]);
    assert_eq!(
        broken(|e| e["actor"]["user"]["groups"][0] = json!({ "type": "idp_group" })),
        [r#"event.actor.user.groups: group without any of ["name", "uid"]"#]
    );
    assert_eq!(broken(|e| e["time"] = json!("now")), [r#"event.time: "now" is of another type"#]);
    assert_eq!(broken(|e| e["type_uid"] = json!(600_302)), ["event.type_uid: not class_uid * 100 + activity_id"]);
    assert_eq!(broken(|e| e["actor"]["user"] = json!({ "name": "a" })), ["event.actor.user: user without type_id"]);
    assert_eq!(broken(|e| e["cloud"] = json!({})), ["event.cloud: cloud without provider"]);
}
