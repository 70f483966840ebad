//! Tests of what decides access in a Kafka cluster besides ACLs: in checks, and with other values.

use std::fs;

use crate::support::broker::{ALLOW, Broker, read_acl};
use crate::support::program;
use crate::support::service;
use serde_json::{Value, json};
use tempfile::TempDir;

const PLUGIN: (&str, Option<&str>) = ("authorizer.class.name", Some("gbac.kafka.GroupAuthorizer"));
const HIDDEN: [(&str, Option<&str>); 3] = [
    PLUGIN,
    ("super.users", None),
    ("allow.everyone.if.no.acl.found", None),
];

/// A broker on which the group `eng` reads orders, with these properties.
fn broker(properties: &[(&str, Option<&str>)]) -> (TempDir, Broker) {
    let broker = Broker::start([read_acl("Group:eng", "orders", ALLOW)]);
    broker.describe(properties);
    (TempDir::new().expect("a folder"), broker)
}

fn write(folder: &TempDir, name: &str, text: &str) {
    fs::write(folder.path().join(name), text).expect("a file");
}

fn run(folder: &TempDir, broker: &Broker, args: &[&str]) -> program::Run {
    let args = [args, &["--bootstrap-servers", &broker.servers]].concat();
    service::run(folder, &[], &args)
}

fn value(run: &program::Run) -> Value {
    serde_json::from_str(&run.out).unwrap_or_else(|error| panic!("{error}: {}{}", run.out, run.err))
}

fn check<'a>(user: &'a str, topic: &'a str) -> Vec<&'a str> {
    let check = ["check", "--user", user, "--operation", "read", "--topic"];
    [&check[..], &[topic]].concat()
}

#[test]
fn a_check_decides_as_brokers_with_these_settings() {
    let (folder, broker) = broker(&[
        PLUGIN,
        ("super.users", Some("User:root;Service:s")),
        ("allow.everyone.if.no.acl.found", Some("true")),
    ]);
    for (user, topic, exit) in [
        ("maya", "orders", 2),
        ("maya", "logs", 0),
        ("root", "orders", 0),
    ] {
        let checked = run(&folder, &broker, &check(user, topic));
        assert_eq!(checked.exit, exit, "{user} {topic}: {}", checked.out);
    }
    let open = run(&folder, &broker, &check("maya", "logs"));
    assert!(
        open.out.contains("no ACL is for the resource"),
        "{}",
        open.out
    );
    let json = [&check("maya", "logs")[..], &["--format", "json"]].concat();
    let json = value(&run(&folder, &broker, &json));
    assert_eq!(json["outcome"], "allow");
    assert_eq!(json["allowed_by_setting"], "allow.everyone.if.no.acl.found");
    assert_eq!(json.get("unknown_settings"), None);
    let request = [
        "check",
        "--user",
        "maya",
        "--request",
        "Produce",
        "--topic",
        "logs",
        "--format",
        "json",
    ];
    let produced = run(&folder, &broker, &request);
    assert_eq!(produced.exit, 0, "{}", produced.out);
    let permissions = run(&folder, &broker, &["permissions", "--user", "root"]);
    assert!(
        permissions.err.contains("super.users=User:root;Service:s"),
        "{}",
        permissions.err
    );
    write(
        &folder,
        "checks.jsonl",
        r#"{"identity":{"user":"maya"},"operation":"read","resource_type":"topic","resource_name":"logs"}"#,
    );
    let lines = run(&folder, &broker, &["check", "--checks", "checks.jsonl"]);
    assert!(lines.out.contains("allow"), "{}{}", lines.out, lines.err);
}

#[test]
fn what_brokers_hide_is_named_and_comes_from_their_properties() {
    let (folder, broker) = broker(&HIDDEN);
    let denied = run(&folder, &broker, &check("root", "orders"));
    assert_eq!(denied.exit, 2, "{}", denied.out);
    for part in [
        "`super.users`",
        "do not show their values",
        "can be a super user",
        "--broker-properties",
    ] {
        assert!(denied.err.contains(part), "{part}: {}", denied.err);
    }
    let json = [&check("root", "orders")[..], &["--format", "json"]].concat();
    let json = value(&run(&folder, &broker, &json));
    let hidden = json!(["allow.everyone.if.no.acl.found", "super.users"]);
    assert_eq!(json["unknown_settings"], hidden);
    let off = ["policy", "what-if", "--set", "super.users="];
    let unknown = run(&folder, &broker, &off);
    assert_eq!(unknown.exit, 1, "{}", unknown.err);
    let unknown = unknown.err;
    assert!(
        unknown.contains("the present value of `super.users` is not known"),
        "{unknown}"
    );
    write(
        &folder,
        "server.properties",
        "node.id=1\nsuper.users = User:root;\\\n  User:ops\nallow.everyone.if.no.acl.found=true\n",
    );
    let known = ["--broker-properties", "server.properties"];
    for (user, topic) in [("root", "orders"), ("ops", "orders"), ("maya", "logs")] {
        let checked = run(
            &folder,
            &broker,
            &[&check(user, topic)[..], &known].concat(),
        );
        assert_eq!(
            checked.exit, 0,
            "{user} {topic}: {}{}",
            checked.out, checked.err
        );
    }
    write(&folder, "server.properties", "super.users=root\n");
    let wrong = run(
        &folder,
        &broker,
        &[&check("root", "orders")[..], &known].concat(),
    );
    assert_eq!(wrong.exit, 1, "{}", wrong.err);
    let wrong = wrong.err;
    assert!(
        wrong.contains("server.properties: `super.users`: `root` is no principal"),
        "{wrong}"
    );
    let pulled = run(&folder, &broker, &["policy", "pull"]);
    assert_eq!(pulled.exit, 0, "{}", pulled.err);
    assert!(pulled.err.contains("`super.users`"), "{}", pulled.err);
    assert_eq!(
        value(&pulled)["settings"].get("superusers"),
        None,
        "super users are not in ACLs"
    );
}

#[test]
fn other_settings_are_tried_on_who_was_seen() {
    let (folder, broker) = broker(&[PLUGIN, ("allow.everyone.if.no.acl.found", Some("true"))]);
    let event = |user: &str, topic: &str| {
        json!({ "class_uid": 6003, "actor": { "user": { "name": user } }, "api": { "operation": "read" },
            "resources": [{ "name": topic, "type": "topic" }], "src_endpoint": { "ip": "10.0.0.7" } })
    };
    let sign_in = json!({ "class_uid": 3002, "status_id": 1, "time": 1,
        "user": { "name": "maya", "groups": [{ "type": "idp_group", "name": "eng" }] } });
    let lines = [
        sign_in,
        event("maya", "orders"),
        event("otto", "logs"),
        event("otto", "orders"),
        event("ida\u{1b}[31m", "logs"),
    ];
    let text: Vec<String> = lines.iter().map(Value::to_string).collect();
    write(&folder, "audit.jsonl", &text.join("\n"));
    let off = [
        "policy",
        "what-if",
        "--set",
        "allow.everyone.if.no.acl.found=false",
        "--seen",
        "audit.jsonl",
    ];
    let tried = run(&folder, &broker, &off);
    assert_eq!(tried.exit, 0, "{}", tried.err);
    assert!(
        tried.out.starts_with(
            "Turning off `allow.everyone.if.no.acl.found` denies 2 of the 3 principals seen.\n"
        ),
        "{}",
        tried.out
    );
    assert!(
        tried
            .out
            .contains("Denied: Read on topic logs from 10.0.0.7"),
        "{}",
        tried.out
    );
    assert!(!tried.out.contains('\u{1b}'), "{}", tried.out);
    let json = value(&run(
        &folder,
        &broker,
        &[&off[..], &["--format", "json"]].concat(),
    ));
    assert_eq!(
        (&json["seen"], &json["denied"], &json["requests"]),
        (&json!(3), &json!(2), &json!(4))
    );
    assert_eq!(json["callers"][0]["denied"][0]["resource_name"], "logs");
    // Without files, the principals of the ACLs.
    let of_acls = run(&folder, &broker, &off[..4]);
    assert!(of_acls.out.contains("Group:eng"), "{}", of_acls.out);
    assert!(
        of_acls.out.contains("nothing says who calls"),
        "{}",
        of_acls.out
    );
}

#[test]
fn other_claims_are_tried_on_tokens() {
    let (folder, broker) = broker(&[PLUGIN]);
    // Unsigned: only its claims are read.
    let token =
        "eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJtYXlhIiwiZ3JvdXBzIjpbImVuZyJdLCJyb2xlcyI6WyJvcHMiXX0.c2ln";
    write(&folder, "maya.jwt", token);
    let claim = ["policy", "what-if", "--set", "gbac.groups.claim=$.roles"];
    let tried = run(
        &folder,
        &broker,
        &[&claim[..], &["--token-file", "maya.jwt"]].concat(),
    );
    assert_eq!(tried.exit, 0, "{}", tried.err);
    for part in [
        "denies 1 of the 1 principal seen",
        "User:maya",
        "Loses the group eng",
        "Gains the group ops",
    ] {
        assert!(tried.out.contains(part), "{part}: {}", tried.out);
    }
    let without = run(&folder, &broker, &claim);
    assert!(without.out.contains("have no tokens"), "{}", without.out);
}

#[test]
fn settings_that_cannot_be_tried_are_refused() {
    let (folder, broker) = broker(&[PLUGIN]);
    for (set, part) in [
        ("no.such=1", "is not a setting that decides access"),
        (
            "super.users=Group:eng",
            "groups and roles are never super users",
        ),
        (
            "allow.everyone.if.no.acl.found=yes",
            "neither `true` nor `false`",
        ),
        ("super.users", "is not NAME=VALUE"),
    ] {
        let refused = run(&folder, &broker, &["policy", "what-if", "--set", set]);
        assert_eq!(refused.exit, 64, "{}", refused.err);
        assert!(refused.err.contains(part), "{}", refused.err);
    }
    let policy = r#"{ "version": 1, "acls": [] }"#;
    write(&folder, "policy.json", policy);
    let platform = service::run(
        &folder,
        &[],
        &[
            "policy",
            "what-if",
            "--policy",
            "policy.json",
            "--set",
            "allow.everyone.if.no.acl.found=true",
        ],
    );
    let platform = platform.failed(64);
    assert!(platform.contains("is a setting of Kafka"), "{platform}");
}
