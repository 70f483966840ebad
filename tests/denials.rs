//! Tests of `gbac doctor denial`: why a broker denied a request, from the lines of its log.

use std::fs;

use crate::support::program;
use crate::support::service;
use gbac_engine::decide::{At, Outcome, Request, decide};
use gbac_engine::identity::Identity;
use gbac_engine::model::{Operation, ResourceType};
use gbac_json::{changes_from_json, policy_from_json};
use gbac_tests::vectors::root;
use serde_json::{Value, json};
use tempfile::TempDir;

/// A line in Kafka's form.
const LINE: &str = "Principal = User:priya is Denied operation = READ from host = 10.0.0.7 on resource = \
    Topic:LITERAL:orders-created for request = Fetch with resourceRefCount = 1 based on rule DefaultDeny";

/// A folder with the policy of the examples and a log.
fn folder(lines: &[&str]) -> TempDir {
    let folder = TempDir::new().expect("a folder");
    let examples = root().join("examples");
    for name in ["policy.json", "token.jwt"] {
        fs::copy(examples.join(name), folder.path().join(name)).expect("a file");
    }
    fs::write(folder.path().join("log"), lines.join("\n")).expect("a file");
    folder
}

fn run(folder: &TempDir, args: &[&str]) -> program::Run {
    let args = [&["doctor", "denial", "log"], args].concat();
    service::run(folder, &[], &args)
}

fn json(folder: &TempDir, args: &[&str]) -> Value {
    let args = [&["--policy", "policy.json", "-o", "json"], args].concat();
    let run = run(folder, &args);
    serde_json::from_str(&run.out).unwrap_or_else(|error| panic!("{error}: {}{}", run.out, run.err))
}

#[test]
fn a_line_of_kafka_is_answered_for_the_user_and_says_that_groups_are_missing() {
    let folder = folder(&[LINE]);
    let text = run(&folder, &["--policy", "policy.json"]).done();
    assert!(
        text.starts_with(
            "1. User:priya: Read on topic orders-created from 10.0.0.7 for Fetch, line 1\n   \
             The log says: DefaultDeny\n   \
             The line has no groups, as in Kafka's own form, so the verdict is that of the user alone. Pass the groups with --group, or"
        ),
        "{text}"
    );
    assert!(
        text.contains("\n   Denied, nothing allows it: ")
            && text.contains("\n   Any one of these allows it:\n     "),
        "{text}"
    );
}

#[test]
fn groups_of_the_flag_decide() {
    let folder = folder(&[LINE]);
    let value = json(&folder, &["--group", "analytics"]);
    let denial = &value["denials"][0];
    assert_eq!(denial["groups"], json!(["analytics"]));
    assert_eq!(denial["explanation"]["outcome"], "allow");
    assert_eq!(denial["missing"], json!([]));
    let text = run(
        &folder,
        &["--policy", "policy.json", "--group", "analytics"],
    )
    .done();
    assert!(
        text.contains("The policy allows it: it was changed since"),
        "{text}"
    );
}

#[test]
fn groups_of_a_token_are_used_for_its_user_only() {
    let maya = LINE.replace("User:priya", "User:maya@example.com");
    let folder = folder(&[LINE, &maya]);
    let subject = service::run(
        &folder,
        &[],
        &[
            "token",
            "inspect",
            "token.jwt",
            "--policy",
            "policy.json",
            "-o",
            "json",
        ],
    );
    let inspected: Value = serde_json::from_str(&subject.out).expect("JSON");
    let user = inspected["user"]
        .as_str()
        .or(inspected["identity"]["user"].as_str());
    let user = user.unwrap_or_else(|| panic!("no user: {inspected}"));
    fs::write(
        folder.path().join("log"),
        format!(
            "{LINE}\n{}",
            LINE.replace("User:priya", &format!("User:{user}"))
        ),
    )
    .expect("a file");
    let value = json(&folder, &["--token-file", "token.jwt"]);
    assert_eq!(value["denials"][0]["groups"], Value::Null);
    assert!(
        value["denials"][0]["missing"][0]
            .as_str()
            .expect("a sentence")
            .contains("another user's")
    );
    assert_eq!(
        value["denials"][1]["groups"],
        json!(["engineering", "analytics"])
    );
}

#[test]
fn groups_of_the_flag_are_those_of_one_user() {
    let other = LINE.replace("priya", "ben");
    let folder = folder(&[LINE, &other]);
    let error = run(&folder, &["--policy", "policy.json", "--group", "a"]).failed(64);
    assert!(
        error.contains("User:ben") && error.contains("User:priya"),
        "{error}"
    );
}

#[test]
fn groups_of_the_plugin_are_read_and_a_deny_is_not_undone_by_the_file() {
    let line = "Principal = User:jonas is Denied operation = WRITE from host = 127.0.0.1 on resource = Topic:LITERAL:payments-events \
        for request = Produce with resourceRefCount = 1 based on rule MatchingAcl(deny: deny write of `Group:contractors` on prefixed topic \
        `payments-`, through group `contractors`) with groups = [payments-team, contractors] (kafka.authorizer.logger)";
    let folder = folder(&[line]);
    let done = run(
        &folder,
        &["--policy", "policy.json", "--out", "changes.json"],
    );
    assert_eq!(done.exit, 0, "{}", done.err);
    for part in [
        "The log says: MatchingAcl(deny: deny write of",
        "Denied by rule: Group:contractors > ",
        "A deny is usually deliberate",
        "These are not in the file, because a person decides about them:\n  User:jonas: Write on topic payments-events",
    ] {
        assert!(done.out.contains(part), "{part}: {}", done.out);
    }
    let changes = fs::read_to_string(folder.path().join("changes.json")).expect("a file");
    assert_eq!(changes, "[]\n");
}

#[test]
fn json_of_the_plugin_is_read() {
    let line = json!({
        "time": "2026-11-28T09:12:40Z", "event": "denied", "reason": "no_match", "principal": "User:priya", "groups": ["staff"],
        "groups_omitted": 3, "operation": "read", "resource_type": "topic", "resource_name": "orders-created", "host": "10.0.0.7",
        "api_key": 1, "api": "Fetch", "listener": "SASL", "node": "1",
        "near_miss": { "differs": "host", "acl": "Allow Read, topic orders-created" }, "left_out": 5,
    });
    let folder = folder(&[&format!("INFO {line} (kafka.authorizer.logger)")]);
    let value = json(&folder, &[]);
    let denial = &value["denials"][0];
    assert_eq!(
        (
            &denial["groups"],
            &denial["left_out"],
            &denial["logged_acl"]
        ),
        (
            &json!(["staff"]),
            &json!(5),
            &json!("Allow Read, topic orders-created")
        )
    );
    assert!(
        denial["missing"][0]
            .as_str()
            .expect("a sentence")
            .starts_with("The line leaves out 3 groups")
    );
    let text = run(&folder, &["--policy", "policy.json"]).done();
    assert!(
        text.contains(", 1 line from line 1 on, which counts 5 more\n"),
        "{text}"
    );
}

#[test]
fn each_denial_is_answered_once_and_the_others_are_counted() {
    let mut lines = vec![LINE.to_owned(), LINE.to_owned()];
    for number in 0..150 {
        lines.push(LINE.replace("orders-created", &format!("t{number}")));
    }
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let folder = folder(&lines);
    let value = json(&folder, &[]);
    assert_eq!(value["denials"].as_array().expect("a list").len(), 100);
    assert_eq!(
        (&value["denials"][0]["lines"], &value["not_answered"]),
        (&json!(2), &json!(51))
    );
}

#[test]
fn a_line_that_is_not_understood_is_counted_and_named() {
    let forged = LINE.replace(
        "Topic:LITERAL:orders-created",
        "Group:LITERAL:x\u{1b}[2J for request = Fetch",
    );
    let folder = folder(&["Starting\u{1b}[31m the log", LINE, "", &forged]);
    let done = run(&folder, &["--policy", "policy.json"]);
    assert_eq!(done.exit, 1, "{}", done.err);
    for part in [
        "Not understood: 2 lines.\n",
        "  line 1: not a line of an authorizer's log: Starting",
        "  line 4: the request appears twice, so a name can pretend to be another part: Principal = ",
    ] {
        assert!(done.out.contains(part), "{part}: {}", done.out);
    }
    assert!(!done.out.contains('\u{1b}'), "{}", done.out);
}

#[test]
fn a_long_line_is_named_by_its_beginning() {
    let long = "x".repeat(100_000);
    let folder = folder(&[&long]);
    let done = run(&folder, &[]);
    assert!(
        done.exit == 1 && done.out.len() < 1_000,
        "{}",
        done.out.len()
    );
    assert!(done.out.contains("longer than 64 KiB"), "{}", done.out);
}

#[test]
fn without_a_policy_the_lines_are_counted() {
    let allowed = LINE.replace("Denied", "Allowed");
    let folder = folder(&[LINE, &allowed]);
    let text = run(&folder, &[]).done();
    assert!(
        text.contains("Name the policy with --policy FILE or --online to find out why.\nNot answered: 1 line of allowed requests.\n"),
        "{text}"
    );
    let _ = run(&folder, &["--out", "changes.json"]).failed(64);
}

#[test]
fn the_changes_of_the_file_allow_every_denial_that_nothing_allows() {
    let other = LINE.replace("orders-created", "billing");
    let third = LINE
        .replace("READ", "WRITE")
        .replace("DefaultDeny", "DefaultDeny with groups = [staff, eng]");
    let folder = folder(&[LINE, &other, &third]);
    let done = run(
        &folder,
        &["--policy", "policy.json", "--out", "changes.json"],
    );
    assert!(
        done.err.starts_with("note: changes.json has changes that allow 3 of 3 denials; the next command is `gbac policy apply"),
        "{}{}",
        done.out,
        done.err
    );
    let read = |name| fs::read_to_string(folder.path().join(name)).expect("a file");
    let mut policy = policy_from_json(&read("policy.json")).expect("a policy");
    let list = format!("{{\"changes\":{}}}", read("changes.json"));
    for change in changes_from_json(&list).expect("changes").changes {
        policy.apply(change).expect("a change");
    }
    for (operation, topic, groups) in [
        (Operation::Read, "orders-created", &[][..]),
        (Operation::Read, "billing", &[]),
        (Operation::Write, "orders-created", &["staff", "eng"]),
    ] {
        // The new ACLs are for the host of the lines alone.
        let host = "10.0.0.7".parse().expect("an address");
        let request = Request::new(operation, ResourceType::Topic, topic, At::IgnoringExpiry)
            .with_host(Some(host));
        let decision = decide(
            &policy,
            &Identity::new("priya", groups.iter().copied()),
            &request,
        );
        assert_eq!(decision.outcome, Outcome::Allow, "{operation:?} {topic}");
    }
}
