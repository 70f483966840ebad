//! Tests of `gbac revoke`, `compare`, `what-if`, `collisions`, and of the simulator's bug reports.

use crate::support::program;
use gbac_tests::folder::Folder;
use serde_json::{Value, json};

const POLICY: &str = r#"{ "version": 1, "settings": { "nested_group_behavior": "suffix", "superusers": ["root"] },
  "roles": [{ "name": "Writers", "members": [{ "principal": "Group:payments" }] }],
  "acls": [
    { "resource_type": "RESOURCE_TYPE_TOPIC", "resource_name": "payments-", "resource_pattern_type": "RESOURCE_PATTERN_TYPE_PREFIXED",
      "principal": "Role:Writers", "host": "*", "operation": "OPERATION_WRITE", "permission_type": "PERMISSION_TYPE_ALLOW" },
    { "resource_type": "RESOURCE_TYPE_TOPIC", "resource_name": "payments-", "resource_pattern_type": "RESOURCE_PATTERN_TYPE_PREFIXED",
      "principal": "Group:read-only", "host": "*", "operation": "OPERATION_WRITE", "permission_type": "PERMISSION_TYPE_DENY" }] }"#;

/// `gbac` in a folder with the policy.
struct Gbac(Folder);

impl Gbac {
    fn new(test: &str) -> Self {
        let folder = Folder::new(&format!("simulate-{test}"));
        folder.file("policy.json", POLICY);
        Self(folder)
    }

    fn file(&self, name: &str, text: &str) {
        self.0.file(name, text);
    }

    /// Exit code, standard output and error of a call.
    fn run(&self, args: &[&str]) -> (i32, String, String) {
        let mut command = program::command();
        command.args(args);
        let done = program::run(command, self.0.path(), "");
        (done.exit, done.out, done.err)
    }

    fn value(&self, args: &[&str]) -> Value {
        let (_, out, err) = self.run(&[&["--format", "json"], args].concat());
        serde_json::from_str(&out).unwrap_or_else(|error| panic!("{args:?}: {error}: {out}{err}"))
    }
}

const WRITE: [&str; 4] = ["--operation", "write", "--topic", "payments-x"];

#[test]
fn revoke_says_what_has_to_go() {
    let folder = Gbac::new("revoke");
    let args =
        |user: &[&'static str]| [&["revoke", "--policy", "policy.json"], user, &WRITE].concat();
    let (exit, out, _) = folder.run(&args(&["--user", "alice", "--group", "payments"]));
    assert_eq!(exit, 0);
    assert!(
        out.contains("\n  Remove Allow Write, topic payments- prefixed, of Role:Writers\n"),
        "{out}"
    );
    assert!(
        out.contains(
            "remove the user from all of these:\n  Group:payments (in the identity provider)\n"
        ),
        "{out}"
    );
    assert!(
        out.contains("\n  User:alice > Deny Write, topic payments-x literal\n"),
        "{out}"
    );
    let found = folder.value(&args(&["--user", "alice", "--group", "payments"]));
    assert_eq!(found["smallest_changes"].as_array().unwrap().len(), 1);
    assert_eq!(
        (
            &found["memberships_to_leave"],
            &found["decision"]["outcome"]
        ),
        (&json!(["Group:payments"]), &json!("allow"))
    );
    // The result is valid input for `what-if`.
    folder.file("changes.json", &found["smallest_changes"].to_string());
    let tried = [
        &[
            "what-if",
            "--policy",
            "policy.json",
            "--changes",
            "changes.json",
            "--user",
            "alice",
            "--group",
            "payments",
        ],
        &WRITE[..],
    ];
    let tried = folder.value(&tried.concat());
    let outcomes: Vec<&Value> = tried["decisions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|answer| &answer["outcome"])
        .collect();
    assert_eq!(outcomes, [&json!("allow"), &json!("deny")]);

    let (_, out, _) = folder.run(&args(&["--user", "alice"]));
    assert!(out.ends_with("Already denied.\n"), "{out}");
    let (_, out, _) = folder.run(&args(&["--user", "root"]));
    assert!(
        out.contains("is a superuser, so ACLs are not evaluated."),
        "{out}"
    );
    let whole = [
        "revoke",
        "--policy",
        "policy.json",
        "--user",
        "alice",
        "--request",
        "Produce",
        "--topic",
        "a",
        "--transactional-id",
        "t",
    ];
    let (exit, _, err) = folder.run(&whole);
    assert!(
        exit == 64 && err.contains("losing any one denies it"),
        "{err}"
    );
}

#[test]
fn two_people_are_compared() {
    let folder = Gbac::new("compare");
    let people = [
        "compare",
        "--policy",
        "policy.json",
        "--user",
        "alice",
        "--group",
        "payments",
        "--group",
        "all",
        "--other-user",
        "bob",
        "--other-group",
        "all",
        "--other-group",
        "read-only",
    ];
    let (exit, out, _) = folder.run(&[&people[..], &WRITE].concat());
    assert_eq!(exit, 0);
    for line in [
        "Groups of User:alice only: Group:payments\n",
        "Groups of User:bob only: Group:read-only\n",
        "Groups of both: Group:all\n",
        "ACLs that apply to User:alice only:\n  Role:Writers > Allow Write, topic payments- prefixed\n",
        "ACLs that apply to User:bob only:\n  Group:read-only > Deny Write, topic payments- prefixed\n",
        "User:alice can, and User:bob cannot:\n",
    ] {
        assert!(out.contains(line), "{line}: {out}");
    }
    assert!(
        out.contains("User:alice  Allowed") && out.contains("User:bob    Denied by rule"),
        "{out}"
    );
    let found = folder.value(&people);
    assert_eq!(
        (&found["gains"], found["loses"].as_array().unwrap().len()),
        (&json!([]), 1)
    );
    assert!(found.get("decisions").is_none());
    let same = [
        "compare",
        "--policy",
        "policy.json",
        "--user",
        "alice",
        "--other-user",
        "bob",
    ];
    assert!(
        folder
            .run(&same)
            .1
            .ends_with("\nBoth have identical permissions.\n")
    );
    // An incomplete query, an incomplete pair, and one standard input for two.
    let (exit, _, err) = folder.run(&[&same[..], &["--topic", "x"]].concat());
    assert!(exit == 64 && err.contains("without an operation"), "{err}");
    assert_eq!(folder.run(&same[..5]).0, 64);
    let (exit, _, err) = folder.run(&[
        "compare",
        "--policy",
        "policy.json",
        "--token-file",
        "-",
        "--other-token-file",
        "-",
    ]);
    assert!(
        exit == 64 && err.contains("standard input can only be one"),
        "{err}"
    );
    let (exit, _, err) = folder.run(&[
        "compare",
        "--policy",
        "policy.json",
        "--user",
        "a",
        "--other-user",
        "User:b",
    ]);
    assert!(
        exit == 64 && err.contains("--other-user: `User:b` is a principal"),
        "{err}"
    );
}

#[test]
fn changes_are_tried_on_a_person() {
    let folder = Gbac::new("what-if");
    let args = |more: &[&'static str]| {
        [
            &["what-if", "--policy", "policy.json", "--user", "alice"],
            more,
        ]
        .concat()
    };
    let (exit, out, _) = folder.run(&args(
        &[
            &[
                "--add-to-group",
                "payments",
                "--remove-from-group",
                "nobody",
            ],
            &WRITE[..],
        ]
        .concat(),
    ));
    assert_eq!(exit, 0, "{out}");
    for line in [
        "Changes:\n  Add the user to Group:payments in the identity provider\n  Remove the user from Group:nobody in the identity provider\n",
        "note: Remove the user from Group:nobody in the identity provider: no change\n",
        "Groups gained: Group:payments\nGroups lost: none\n",
        "before  Denied, nothing allows it",
        "after   Allowed",
        "User:alice gains:\n  OPERATIONS       RESOURCE                  HOST\n  Write, Describe  topic payments- prefixed  *\n",
    ] {
        assert!(out.contains(line), "{line}: {out}");
    }
    // Changes that cannot be applied are reported, with exit code 1, and the others are evaluated.
    folder.file("changes.json", r#"[{ "change": "add_member", "role": "nowhere", "principal": "Group:x" }, { "change": "add_to_group", "group": "payments" }]"#);
    let (exit, out, _) = folder.run(&args(&["--changes", "changes.json"]));
    assert!(
        exit == 1
            && out.contains("note: Add Group:x to Role:nowhere: ")
            && out.contains("User:alice gains:"),
        "{out}"
    );
    let found = folder.value(&args(&["--changes", "changes.json"]));
    assert_eq!(
        (&found["no_ops"][0]["code"], &found["groups_gained"]),
        (&json!("role_unknown"), &json!(["payments"]))
    );
    folder.file("bad.json", r#"[{ "change": "fly" }]"#);
    let (exit, _, err) = folder.run(&args(&["--changes", "bad.json"]));
    assert!(exit == 1 && err.contains("/0/change"), "{err}");
    assert_eq!(folder.run(&args(&[])).0, 64);
    assert_eq!(
        folder.run(&args(&["--add-to-group", "Group:payments"])).0,
        64
    );
}

#[test]
fn names_that_become_one_group_are_found() {
    let folder = Gbac::new("collisions");
    let args = |more: &[&'static str]| [&["collisions", "--policy", "policy.json"], more].concat();
    let (exit, out, _) = folder.run(&args(&[
        "--name",
        "/x/payments",
        "--name",
        "/a/b",
        "--name",
        "/c/b",
    ]));
    assert_eq!(exit, 0);
    for line in [
        "Nested group behavior: suffix\n",
        "Group:payments: `suffix` keeps only the last segment of these names\n  /x/payments (in the token)\n  payments (in the policy)\n",
        "  A user with only /x/payments gains:\n    OPERATIONS       RESOURCE                  HOST\n",
        "  A user with only /a/b gains no access.\n",
    ] {
        assert!(out.contains(line), "{line}: {out}");
    }
    let (_, out, _) = folder.run(&args(&["--nested", "none", "--name", "/x/payments"]));
    assert_eq!(out, "Nested group behavior: none\nNo collisions.\n");
    let comma = folder.value(&args(&[
        "--nested",
        "none",
        "--name",
        "\"payments,ops\"",
        "--limit",
        "1",
    ]));
    assert_eq!(
        (
            &comma["collisions"][0]["collision_reason"],
            comma.get("omitted")
        ),
        (&json!("comma"), None)
    );
    let less = folder.value(&args(&[
        "--name",
        "/x/payments",
        "--name",
        "/a/b",
        "--name",
        "/c/b",
        "--limit",
        "1",
    ]));
    assert_eq!(
        (
            less["collisions"].as_array().unwrap().len(),
            &less["omitted"]
        ),
        (1, &json!(1))
    );
    // The names of a token, unchanged from the claim.
    let claims = "eyJzdWIiOiJhIiwiZ3JvdXBzIjpbIi94L3BheW1lbnRzIl19"; // {"sub":"a","groups":["/x/payments"]}
    folder.file(
        "token",
        &format!("eyJhbGciOiJSUzI1NiJ9.{claims}.BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc"),
    );
    let found = folder.value(&args(&["--token-file", "token"]));
    assert_eq!(
        found["collisions"][0]["names"][0],
        json!({ "name": "/x/payments", "in_token": true, "named_by_policy": false })
    );
    assert_eq!(folder.run(&args(&["--nested", "all"])).0, 64);
}

#[test]
fn a_bug_report_is_run_as_the_test_in_it() {
    let folder = Gbac::new("report");
    let policy: Value = serde_json::from_str(POLICY).unwrap();
    let test = json!({
        "name": "a name\n```json\n{}\n```",
        "check": { "identity": { "user": "alice", "groups": ["payments"] }, "operation": "OPERATION_WRITE",
            "resource_type": "RESOURCE_TYPE_TOPIC", "resource_name": "payments-x" },
        "expect": { "outcome": "deny" },
    });
    let file = json!({ "version": 1, "policy": policy, "tests": [test] });
    let file = serde_json::to_string_pretty(&file).unwrap();
    folder.file(
        "report.md",
        &gbac_json::assertion_report("# a name\n```json\n{}\n```\n\nExpected: deny\n", &file),
    );
    folder.file("test.json", &file);
    let [report, plain] = ["report.md", "test.json"].map(|name| folder.run(&["test", name]));
    assert_eq!((report.0, &report.1), (1, &plain.1));
    assert!(
        report.1.contains("FAILED") && report.1.contains("outcome"),
        "{}",
        report.1
    );
    folder.file("other.md", "# Nothing to run\n");
    assert_eq!(folder.run(&["test", "other.md"]).0, 1);
}
