//! Tests that audit events follow OCSF 1.0.0: `ocsf-1.0.0.json` lists every class, object,
//! attribute, type, requirement and enumeration value.

use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Stdio};
use std::sync::LazyLock;

use crate::support::program;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use gbac_analysis::audit::{
    ApiActivity, AuthProtocol, Authentication, Authorization, CallEffect, CallResult, Context,
    Endpoint, EventLink, HttpRequest, Product, SignInResult, User, UserKind, api_activity,
    authentication, service, sign_out,
};
use gbac_engine::decide::{At, Outcome, Request, decide};
use gbac_engine::identity::Identity;
use gbac_engine::model::{Operation, ResourceType};
use gbac_engine::policy::Policy;
use gbac_json::event_to_value;
use regex_lite::Regex;
use serde_json::{Value, json};
use tempfile::TempDir;

/// The definitions of OCSF 1.0.0.
static FACTS: LazyLock<Value> = LazyLock::new(|| {
    serde_json::from_str(include_str!("ocsf-1.0.0.json")).expect("the facts are JSON")
});

/// All violations of OCSF in an event.
fn faults(event: &Value) -> Vec<String> {
    let number = |key: &str| event[key].as_i64().unwrap_or(-1);
    let classes = FACTS["classes"].as_object().expect("classes");
    let Some(class) = classes
        .values()
        .find(|class| class["class_uid"] == event["class_uid"])
    else {
        return vec![format!("{} is no class", event["class_uid"])];
    };
    let mut attributes = class["attributes"].as_object().expect("attributes").clone();
    for profile in event["metadata"]["profiles"]
        .as_array()
        .into_iter()
        .flatten()
    {
        match FACTS["profiles"][profile.as_str().expect("a name")]["attributes"].as_object() {
            Some(more) => attributes.extend(more.clone()),
            None => return vec![format!("{profile} is no profile")],
        }
    }
    let mut found = object_faults(event, &attributes, &class["constraints"], "event");
    if number("type_uid") != number("class_uid") * 100 + number("activity_id") {
        found.push("event.type_uid: not class_uid * 100 + activity_id".into());
    }
    let category = if class["category"] == "iam" { 3 } else { 6 };
    if number("category_uid") != category {
        found.push(format!("event.category_uid: not {category}"));
    }
    found
}

fn object_faults(
    value: &Value,
    attributes: &serde_json::Map<String, Value>,
    constraints: &Value,
    at: &str,
) -> Vec<String> {
    let Some(members) = value.as_object() else {
        return vec![format!("{at}: no object")];
    };
    let mut found = Vec::new();
    for (key, _) in attributes
        .iter()
        .filter(|(_, attribute)| attribute["requirement"] == "required")
    {
        if !members.contains_key(key) {
            found.push(format!("{at}: without {key}"));
        }
    }
    if let Some(names) = constraints["at_least_one"].as_array()
        && !names
            .iter()
            .any(|name| members.contains_key(name.as_str().expect("a name")))
    {
        found.push(format!(
            "{at}: without any of {}",
            constraints["at_least_one"]
        ));
    }
    for (key, member) in members {
        let at = format!("{at}.{key}");
        let Some(attribute) = attributes.get(key) else {
            found.push(format!("{at}: unknown"));
            continue;
        };
        if attribute["array"] == true {
            match member.as_array() {
                Some(items) => items
                    .iter()
                    .for_each(|item| found.extend(value_faults(item, attribute, &at))),
                None => found.push(format!("{at}: no list")),
            }
        } else {
            found.extend(value_faults(member, attribute, &at));
        }
        // The numbers of the class and its category are checked separately.
        if let Some(values) = attribute["enum"].as_object()
            && !["class_uid", "category_uid"].contains(&key.as_str())
        {
            let text = member
                .as_str()
                .map_or_else(|| member.to_string(), str::to_owned);
            if !values.contains_key(&text) {
                found.push(format!("{at}: {text} is no value"));
            }
        }
    }
    found
}

fn value_faults(value: &Value, attribute: &Value, at: &str) -> Vec<String> {
    let name = attribute["type"].as_str().expect("a type");
    if let Some(object) = FACTS["objects"].get(name) {
        let attributes = object["attributes"].as_object().expect("attributes");
        return object_faults(value, attributes, &object["constraints"], at);
    }
    let fault = |text: &str| vec![format!("{at}: {value} {text}")];
    // Objects without a schema, and objects that no event contains.
    if name == "object" || name == "json_t" {
        return if name == "json_t" || value.is_object() {
            Vec::new()
        } else {
            fault("is no object")
        };
    }
    let Some(mut kind) = FACTS["types"].get(name) else {
        return fault("has a type that no event has");
    };
    let mut base = name;
    loop {
        let text = value.as_str().unwrap_or_default();
        if let Some(longest) = kind["max_len"].as_u64()
            && text.len() as u64 > longest
        {
            return fault("is too long");
        }
        // The regular expression of addresses is PCRE; the standard library parses them instead.
        if name == "ip_t" {
            if text.parse::<std::net::IpAddr>().is_err() {
                return fault("is no IP address");
            }
        } else if let Some(pattern) = kind["regex"].as_str()
            && !Regex::new(pattern).expect("an expression").is_match(text)
        {
            return fault("has another form");
        }
        if let Some([from, to]) = kind["range"].as_array().map(Vec::as_slice)
            && !(from.as_i64()..=to.as_i64()).contains(&value.as_i64())
        {
            return fault("is out of range");
        }
        match kind["type"].as_str() {
            Some(parent) => (base, kind) = (parent, &FACTS["types"][parent]),
            None => break,
        }
    }
    let is_right = match base {
        "string_t" => value.is_string(),
        "integer_t" | "long_t" => value.is_i64(),
        "boolean_t" => value.is_boolean(),
        _ => false,
    };
    if is_right {
        Vec::new()
    } else {
        fault("is of another type")
    }
}

#[track_caller]
fn assert_follows(event: &Value) {
    assert_eq!(faults(event), [""; 0], "{event:#}");
}

fn context<'a>(product: &'a Product, service: &'a str, is_full: bool) -> Context<'a> {
    let end = |ip: &str| match is_full {
        true => Endpoint {
            ip: ip.parse().ok(),
            port: Some(9092),
            name: Some("billing"),
        },
        false => Endpoint::default(),
    };
    Context {
        time_ms: 1_700_533_469_078,
        product,
        service,
        server: end("127.0.0.1"),
        client: end("::ffff:10.0.0.7"),
        correlation_uid: is_full.then_some("c-1"),
        invoked_by: is_full.then_some("gateway"),
    }
}

#[test]
fn every_form_of_an_event_follows_ocsf() {
    let products = [
        Product {
            uid: Some("7".into()),
            ..Product::default()
        },
        Product::default(),
    ];
    let groups = ["/sales".to_owned(), String::new()];
    let users = [
        User {
            name: "alice",
            uid: Some("00u1"),
            ..User::default()
        },
        User::default(),
        User {
            name: "gbac",
            kind: UserKind::System,
            domain: Some("d"),
            ..User::default()
        },
    ];
    let headers = [
        ("Accept".to_owned(), "*/*".to_owned()),
        ("X-Secret".to_owned(), "x".to_owned()),
    ];
    let mut count = 0;
    for (product, is_full, user) in products
        .iter()
        .flat_map(|product| [true, false].map(|full| (product, full)))
        .flat_map(|(product, full)| users.map(|user| (product, full, user)))
    {
        let context = context(product, service::SCHEMA_REGISTRY, is_full);
        for protocol in [
            AuthProtocol::Unknown,
            AuthProtocol::Kerberos,
            AuthProtocol::OpenId,
            AuthProtocol::Oauth2,
            AuthProtocol::OIDC,
        ] {
            for result in [
                SignInResult::Success { groups: &groups },
                SignInResult::Success { groups: &[] },
                SignInResult::Failure { detail: "expired" },
                SignInResult::Failure { detail: "" },
            ] {
                let input = Authentication {
                    context,
                    user,
                    protocol,
                    cleartext: true,
                    result,
                };
                assert_follows(&event_to_value(&sign_out(&input)));
                let event = authentication(&input);
                assert_follows(&event_to_value(&event));
                let link = EventLink {
                    sequence: 7,
                    previous_sha256: "00ff".into(),
                };
                let linked = serde_json::from_str(&event.to_text().linked(&link)).expect("JSON");
                assert_follows(&linked);
                assert_eq!(EventLink::from_event(&linked), Some(link));
                assert_follows(&event_to_value(&event.repeated(3, 1, 2)));
                count += 1;
            }
        }
        let identity = Identity::new("alice", ["/sales"]);
        for (operation, resource_type) in Operation::ALL.iter().flat_map(|operation| {
            ResourceType::ALL
                .iter()
                .map(move |kind| (*operation, *kind))
        }) {
            let request = Request::new(operation, resource_type, "", At::IgnoringExpiry);
            let decision = decide(&Policy::default(), &identity, &request);
            let authorization = Authorization::Acl {
                request,
                decision: &decision,
            };
            let event = api_activity(&ApiActivity {
                context,
                user,
                operation: "x",
                authorization,
                http: None,
                resources: &[],
            });
            assert_follows(&event_to_value(&event));
            count += 1;
        }
        for method in ["GET", "PATCH", "X-OWN", ""] {
            for host in ["gbac.example:80", "[2001:db8::1]:80", "u:p@a b", ""] {
                for effect in [CallEffect::Done, CallEffect::NoEffect, CallEffect::Refused] {
                    let http = HttpRequest {
                        method,
                        scheme: "https",
                        host,
                        port: None,
                        path: "/",
                        headers: &headers,
                        version: "2",
                    };
                    let authorization = Authorization::Call(CallResult {
                        authorized: Outcome::Allow,
                        reason: "superuser",
                        effect,
                        http_status: 200,
                        code: "unchanged",
                        detail: "nothing",
                    });
                    let event = api_activity(&ApiActivity {
                        context,
                        user,
                        operation: method,
                        authorization,
                        http: Some(http),
                        resources: &[],
                    });
                    assert_follows(&event_to_value(&event));
                    count += 1;
                }
            }
        }
    }
    assert!(count > 1000, "{count}");
}

/// A service that ends with the test.
struct Service {
    child: Child,
    address: String,
    password: &'static str,
}

impl Service {
    fn start(folder: &TempDir, password: &'static str) -> Self {
        let mut command = program::process();
        command
            .args(["serve", "--listen", "127.0.0.1:0", "--data"])
            .arg(folder.path());
        command
            .env("GBAC_ADMIN_PASSWORD", password)
            .stderr(Stdio::null());
        let mut child = command.stdout(Stdio::piped()).spawn().expect("gbac starts");
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().expect("a pipe"))
            .read_line(&mut line)
            .expect("a line");
        let address = line
            .trim()
            .strip_prefix("listening on http://")
            .expect("an address")
            .to_owned();
        Self {
            child,
            address,
            password,
        }
    }

    fn send(&self, head: &str, body: &Value) -> u16 {
        let body = body.to_string();
        let address = &self.address;
        let mut stream = TcpStream::connect(address).expect("it listens");
        write!(
            stream,
            "{head}\r\nhost: {address}\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
            body.len()
        )
        .expect("a request");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("an answer");
        answer
            .split(' ')
            .nth(1)
            .and_then(|status| status.parse().ok())
            .expect("a status")
    }

    fn admin(&self, line: &str, body: &Value) -> u16 {
        let credentials = STANDARD.encode(format!("admin:{}", self.password));
        self.send(
            &format!("{line} HTTP/1.1\r\nauthorization: Basic {credentials}"),
            body,
        )
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn every_event_of_a_service_follows_ocsf() {
    let folder = tempfile::tempdir().expect("a folder");
    let service = Service::start(&folder, "a password of this test");
    let set = |value: Value| json!({ "upsert": value, "remove": [] });
    let acl = json!({ "resource_type": "RESOURCE_TYPE_GROUP", "resource_name": "y\u{202e}", "principal": "Group:x", "host": "*",
        "resource_pattern_type": "RESOURCE_PATTERN_TYPE_PREFIXED", "operation": "OPERATION_READ",
        "permission_type": "PERMISSION_TYPE_ALLOW" });
    let update = json!({ "role": { "name": "r" }, "add": [{ "principal": "User:a" }, { "principal": "Group:g" }] });
    let question = json!({ "subject": { "type": "user", "id": "a", "properties": { "groups": ["x", "y"] } },
        "action": { "name": "kafka:Produce" }, "resource": { "type": "topic", "id": "y" } });
    assert_eq!(
        service.admin(
            "PUT /v1/cluster_config",
            &set(json!({ "audit_enabled": true }))
        ),
        200
    );
    assert_eq!(service.admin("POST /v1/acls", &acl), 201);
    assert_eq!(
        service.admin("POST /v1/roles", &json!({ "name": "r" })),
        201
    );
    assert_eq!(
        service.admin("POST /v1/roles", &json!({ "name": "r,=" })),
        400
    );
    assert_eq!(service.admin("PUT /v1/roles/r", &update), 200);
    assert_eq!(
        service.admin("DELETE /v1/roles/r?delete_acls=true", &json!({})),
        204
    );
    let superusers =
        set(json!({ "superusers": ["admin", "bob"], "oidc_group_claim_path": "$.roles" }));
    assert_eq!(service.admin("PUT /v1/cluster_config", &superusers), 200);
    assert_eq!(
        service.admin("PUT /gbac/v1/license", &json!({ "license": "expired" })),
        200
    );
    assert_eq!(
        service.admin("PUT /v1/config/log_level/main?level=info", &json!({})),
        200
    );
    assert_eq!(service.admin("POST /access/v1/evaluation", &question), 200);
    assert_eq!(service.admin("GET /gbac/v1/policy?x=1", &json!({})), 200);
    assert_eq!(service.admin("OWN /v1/roles", &json!({})), 405);
    assert_eq!(service.send("POST /v1/roles HTTP/1.1", &json!({})), 401);
    assert_eq!(
        service.send(
            "PATCH /v1/roles HTTP/1.1\r\nauthorization: Basic eDp5",
            &json!({})
        ),
        401
    );
    drop(service);
    let service = Service::start(&folder, "another password of it");
    assert_eq!(
        service.admin(
            "PUT /v1/cluster_config",
            &set(json!({ "audit_enabled": false }))
        ),
        200
    );
    let read = |name: &str| fs::read_to_string(folder.path().join(name)).expect("a log");
    let text = read("changes.jsonl") + &read("audit.jsonl");
    let events: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    for event in &events {
        assert_follows(event);
        assert!(
            event["metadata"]["sequence"].is_u64()
                && event["unmapped"]["previous_sha256"].is_string(),
            "{event}"
        );
    }
    let classes: BTreeSet<i64> = events
        .iter()
        .map(|event| event["class_uid"].as_i64().expect("a class"))
        .collect();
    assert_eq!(
        classes,
        BTreeSet::from([3001, 3002, 3004, 3005, 3006, 6002, 6003])
    );
    assert!(!text.contains('\u{202e}'), "hidden characters are escaped");
}

#[test]
fn the_check_sees_faults() {
    let product = Product::default();
    let good = event_to_value(&authentication(&Authentication {
        context: context(&product, service::KAFKA, true),
        user: User {
            name: "alice",
            ..User::default()
        },
        protocol: AuthProtocol::OIDC,
        cleartext: false,
        result: SignInResult::Success {
            groups: &["g".to_owned()],
        },
    }));
    let broken = |change: fn(&mut Value)| {
        let mut event = good.clone();
        change(&mut event);
        faults(&event).join("; ")
    };
    assert_eq!(broken(|_| ()), "");
    assert_eq!(broken(|e| e["token"] = json!("x")), "event.token: unknown");
    assert_eq!(
        broken(|e| e["user"] = json!({ "name": "a" })),
        "event.user: without type_id"
    );
    assert_eq!(
        broken(|e| e["time"] = json!("now")),
        "event.time: \"now\" is of another type"
    );
    assert_eq!(
        broken(|e| e["status_id"] = json!(7)),
        "event.status_id: 7 is no value"
    );
    assert_eq!(
        broken(|e| e["src_endpoint"]["ip"] = json!("x")),
        "event.src_endpoint.ip: \"x\" is no IP address"
    );
    assert_eq!(
        broken(|e| e["src_endpoint"]["port"] = json!(70_000)),
        "event.src_endpoint.port: 70000 is out of range"
    );
    assert_eq!(
        broken(|e| e["src_endpoint"]["hostname"] = json!("a:1")),
        "event.src_endpoint.hostname: \"a:1\" has another form"
    );
    assert_eq!(
        broken(|e| e["user"]["groups"] = json!({})),
        "event.user.groups: no list"
    );
    assert_eq!(
        broken(|e| e["type_uid"] = json!(1)),
        "event.type_uid: not class_uid * 100 + activity_id"
    );
    assert_eq!(broken(|e| e["class_uid"] = json!(1)), "1 is no class");
    assert!(broken(|e| e["user"]["groups"][0] = json!({ "type": "x" })).contains("without any of"));
}
