//! Tests of the time of decisions on the command line: the clock, `--at`, and assertion files
//! without a clock.

use crate::support::program::{self, Run};
use gbac_tests::folder::Folder;
use serde_json::{Value, json};

/// The expiry of these tests' token, in seconds since 1970; long past.
const END: i64 = 1_700_000_000;

fn run(folder: &Folder, args: &[&str]) -> Run {
    let mut command = program::command();
    command.args(args);
    program::run(command, folder.path(), "")
}

fn policy() -> Value {
    let acl = |principal: &str, name: &str| {
        json!({ "resource_type": "RESOURCE_TYPE_TOPIC", "resource_name": name, "resource_pattern_type": "RESOURCE_PATTERN_TYPE_LITERAL",
            "principal": principal, "host": "*", "operation": "OPERATION_READ", "permission_type": "PERMISSION_TYPE_ALLOW" })
    };
    json!({ "version": 1, "settings": { "superusers": ["root"] }, "acls": [acl("Group:eng", "orders"), acl("Group:ops", "events")] })
}

fn claims(user: &str, expiry: &Value) -> Value {
    json!({ "sub": user, "groups": ["eng"], "exp": expiry })
}

/// A new folder with the policy and an expired token.
fn folder(test: &str) -> Folder {
    let folder = Folder::new(&format!("expiry-{test}"));
    folder.file("policy.json", &policy().to_string());
    // {"sub":"maya","groups":["eng"],"exp":1700000000}
    let payload = "eyJzdWIiOiJtYXlhIiwiZ3JvdXBzIjpbImVuZyJdLCJleHAiOjE3MDAwMDAwMDB9";
    folder.file(
        "token",
        &format!("eyJhbGciOiJSUzI1NiIsImtpZCI6ImsifQ.{payload}.BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc"),
    );
    folder
}

#[test]
fn every_line_is_asked_now_unless_it_says_otherwise() {
    let folder = folder("lines");
    let check = |claims: Value, more: Value| {
        let mut check = json!({ "claims": claims, "operation": "read", "resource_type": "topic", "resource_name": "orders" });
        check
            .as_object_mut()
            .expect("an object")
            .extend(more.as_object().expect("an object").clone());
        check
    };
    let old = || claims("maya", &json!(END));
    let lines = [
        check(old(), json!({})),
        check(old(), json!({ "now": END })),
        check(old(), json!({ "now": END + 1 })),
        check(old(), json!({ "ignore_expiry": true })),
        check(old(), json!({ "ignore_expiry": false })),
        check(claims("maya", &json!(32_503_680_000_i64)), json!({})),
        check(claims("root", &json!(END)), json!({})),
        check(claims("maya", &json!("soon")), json!({})),
        check(json!({ "sub": "maya", "groups": ["eng"] }), json!({})),
        json!({ "identity": { "user": "maya", "groups": ["eng"] }, "operation": "read", "resource_type": "topic", "resource_name": "orders" }),
        check(old(), json!({ "ignore_expiry": "yes" })),
        check(old(), json!({ "ignore_expiry": true, "now": 1 })),
    ];
    folder.file(
        "checks.jsonl",
        &lines
            .iter()
            .map(|line| format!("{line}\n"))
            .collect::<String>(),
    );
    let reasons = |more: &[&str]| -> Vec<String> {
        let done = run(
            &folder,
            &[
                &[
                    "check",
                    "--policy",
                    "policy.json",
                    "--checks",
                    "checks.jsonl",
                ],
                more,
            ]
            .concat(),
        );
        assert_eq!(done.exit, 1, "the last two lines are faulty: {}", done.err);
        let of = |line: &str| {
            let value: Value = serde_json::from_str(line).expect("JSON");
            value["reason"]
                .as_str()
                .or(value["error"]["code"].as_str())
                .expect("a reason")
                .to_owned()
        };
        done.out.lines().map(of).collect()
    };
    let fixed = ["allow_rule", "expired", "allow_rule"];
    let now = reasons(&[]);
    assert_eq!(now[1..4], fixed, "a line that says when");
    assert_eq!(
        (
            now[0].as_str(),
            now[4].as_str(),
            now[6].as_str(),
            now[7].as_str()
        ),
        ("expired", "expired", "expired", "expired")
    );
    assert_eq!(now[5..6], ["allow_rule"]);
    assert_eq!(
        now[8..],
        [
            "allow_rule",
            "allow_rule",
            "wrong_type",
            "exclusive_members"
        ]
    );
    for before in ["1700000000", "2023-11-14T22:13:20Z"] {
        let before_expiry = reasons(&["--at", before]);
        assert_eq!(
            (&before_expiry[..1], &before_expiry[1..4]),
            (
                &["allow_rule".to_owned()][..],
                &fixed.map(str::to_owned)[..]
            ),
            "{before}"
        );
        assert_eq!(
            (before_expiry[6].as_str(), before_expiry[7].as_str()),
            ("superuser", "expired"),
            "an `exp` that cannot be read has passed"
        );
    }
    assert_eq!(reasons(&["--at", "1700000001"])[0], "expired");
}

#[test]
fn every_command_with_an_outcome_knows_the_time() {
    let folder = folder("commands");
    let who = ["--policy", "policy.json", "--token-file", "token"];
    let asks = ["--operation", "read", "--topic", "orders"];
    let at = ["--at", "2023-11-14T22:13:20Z"];
    let with = |command: &str, more: &[&str]| run(&folder, &[&[command], &who[..], more].concat());
    let both = |command: &str, more: &[&str]| {
        let (now, before_expiry) = (with(command, more), with(command, &[more, &at].concat()));
        (now, before_expiry)
    };
    let (now, before_expiry) = both("check", &asks);
    assert!(
        now.exit == 2 && now.out.starts_with("Denied, the token has expired"),
        "{}",
        now.out
    );
    assert!(
        before_expiry.exit == 0 && before_expiry.out.starts_with("Allowed"),
        "{}",
        before_expiry.out
    );
    let (now, before_expiry) = both("check", &["--request", "ListOffsets", "--topic", "orders"]);
    assert_eq!(
        (now.exit, before_expiry.exit),
        (2, 0),
        "{}{}",
        now.out,
        before_expiry.out
    );
    let (now, before_expiry) = both("least-grant", &asks);
    assert!(
        now.out.contains("the token has expired") && before_expiry.out.contains("Already allowed."),
        "{}{}",
        now.out,
        before_expiry.out
    );
    let (now, before_expiry) = both("revoke", &asks);
    assert!(
        now.out.contains("Already denied")
            && before_expiry.out.contains("The smallest set of removals"),
        "{}{}",
        now.out,
        before_expiry.out
    );
    let (now, before_expiry) = both("what-if", &[&asks[..], &["--add-to-group", "ops"]].concat());
    assert!(
        now.out.matches("Denied, the token has expired").count() == 2
            && now.out.contains("The token of User:maya has expired"),
        "{}",
        now.out
    );
    assert!(
        before_expiry.out.matches("Allowed").count() == 2 && !before_expiry.out.contains("expired"),
        "{}",
        before_expiry.out
    );
    let (now, before_expiry) = both(
        "compare",
        &[&asks[..], &["--other-user", "bob", "--other-group", "eng"]].concat(),
    );
    assert!(
        now.out.contains("Denied, the token has expired")
            && now.out.contains("The token of User:maya has expired"),
        "{}",
        now.out
    );
    assert!(
        !before_expiry.out.contains("expired"),
        "{}",
        before_expiry.out
    );
    let (now, before_expiry) = both("permissions", &[]);
    assert!(
        now.out
            .contains("The token of User:maya has expired, so everything is denied."),
        "{}",
        now.out
    );
    assert!(
        !before_expiry.out.contains("expired") && before_expiry.out.contains("orders"),
        "{}",
        before_expiry.out
    );
    let value: Value =
        serde_json::from_str(&with("permissions", &["--format", "json"]).out).expect("JSON");
    assert_eq!(value["expired"], true);
    let value: Value =
        serde_json::from_str(&with("permissions", &["--format", "json", "--at", "0"]).out)
            .expect("JSON");
    assert_eq!(value.get("expired"), None);
    for bad in ["yesterday", "2023-11-14", "nan", ""] {
        assert_eq!(
            with("check", &[&asks[..], &["--at", bad]].concat()).exit,
            64,
            "{bad}"
        );
    }
}

#[test]
fn an_assertion_file_never_reads_the_clock() {
    let folder = folder("assertions");
    let test = |more: Value| {
        let mut check = json!({ "claims": claims("maya", &json!(END)), "operation": "read", "resource_type": "topic", "resource_name": "orders" });
        check
            .as_object_mut()
            .expect("an object")
            .extend(more.as_object().expect("an object").clone());
        json!({ "name": "maya reads", "check": check, "expect": { "outcome": "allow" } })
    };
    let file =
        |tests: Value| json!({ "version": 1, "policy": policy(), "tests": tests }).to_string();
    folder.file(
        "silent.json",
        &file(json!([test(json!({ "now": END })), test(json!({}))])),
    );
    let refused = run(&folder, &["test", "silent.json"]);
    assert_eq!(refused.exit, 1);
    assert!(
        refused.out.contains("/tests/1/check: ") && refused.out.contains("`now`"),
        "the place is named: {}",
        refused.out
    );
    assert!(
        refused.out.contains("0 passed, 1 failed"),
        "nothing of the file is run: {}",
        refused.out
    );
    folder.file(
        "stated.json",
        &file(json!([
            test(json!({ "now": END })),
            test(json!({ "ignore_expiry": true }))
        ])),
    );
    let done = run(&folder, &["test", "stated.json"]);
    assert!(
        done.exit == 0 && done.out.contains("2 passed, 0 failed"),
        "{}{}",
        done.out,
        done.err
    );
    folder.file("late.json", &file(json!([test(json!({ "now": END + 1 }))])));
    assert_eq!(run(&folder, &["test", "late.json"]).exit, 1);
}
