//! Changes that one command writes and `gbac policy apply` makes, and the commands that answers
//! print.

use std::fs;

use crate::support::program::gbac;
use crate::support::program::program;
use crate::support::service::Service;
use gbac_analysis::{Relation, diff};
use gbac_engine::policy::Policy;
use gbac_json::policy_from_json;
use gbac_tests::vectors::root;
use serde_json::{Value, json};

const WRITE: [&str; 6] = [
    "--user",
    "ben",
    "--operation",
    "write",
    "--topic",
    "orders-created",
];

/// A service with the policy of the examples.
fn service() -> Service {
    let service = Service::start();
    let policy = root().join("examples/policy.json");
    service
        .run(&["import", policy.to_str().expect("a path"), "--no-confirm"])
        .done_or_noted();
    service
}

trait DoneOrNoted {
    /// The output of a command that succeeded, possibly with a note.
    fn done_or_noted(self) -> String;
}

impl DoneOrNoted for crate::support::program::Run {
    fn done_or_noted(self) -> String {
        assert_eq!(self.exit, 0, "{}{}", self.out, self.err);
        self.out
    }
}

fn check(service: &Service) -> i32 {
    service
        .run(&[&["check", "--online"], &WRITE[..]].concat())
        .exit
}

fn exported(service: &Service) -> Policy {
    policy_from_json(&service.run(&["export"]).done()).expect("a policy")
}

/// Runs a command line that an answer printed.
fn run_line(service: &Service, line: &str) {
    let built = gbac().parent().expect("a folder").to_owned();
    let path = format!(
        "{}:{}",
        built.display(),
        std::env::var("PATH").expect("a path")
    );
    let mut command = program("sh");
    command
        .args(["-c", line.trim()])
        .env("PATH", path)
        .current_dir(service.folder.path());
    command.envs([
        ("GBAC_URL", service.url.as_str()),
        ("GBAC_USER", "admin"),
        ("GBAC_PASSWORD", "demo"),
    ]);
    let done = command.output().expect("a shell");
    assert!(
        done.status.success(),
        "{line}: {}",
        String::from_utf8_lossy(&done.stderr)
    );
}

#[test]
fn a_grant_is_applied_as_it_is_written_and_revoked_again() {
    let service = service();
    assert_eq!(check(&service), 2);
    let granted = service.run(
        &[
            &["least-grant", "--online", "--out", "grant.json"],
            &WRITE[..],
        ]
        .concat(),
    );
    let note = "note: grant.json has 1 new ACL, and no membership; the next command is `gbac policy apply --changes grant.json --dry-run`\n";
    assert_eq!((granted.exit, granted.err.as_str()), (0, note));
    let before = service.run(&["export"]).done();
    let dry = service
        .run(&["policy", "apply", "--changes", "grant.json", "--dry-run"])
        .done();
    assert!(
        dry.starts_with("Adds (1):\n  Add Allow Write, topic orders-created literal, of User:ben"),
        "{dry}"
    );
    assert!(
        dry.contains("User:ben   Gains") && dry.ends_with("\nDry run: nothing was changed.\n"),
        "{dry}"
    );
    let json = service.json(&["policy", "apply", "--changes", "grant.json", "--dry-run"]);
    assert_eq!(
        (&json["relation"], &json["adds"], &json["removes"]),
        (&json!("wider"), &json!(1), &json!(0)),
        "{json}"
    );
    assert_eq!(
        service.run(&["export"]).done(),
        before,
        "a dry run changes nothing"
    );
    let unconfirmed = service.run(&["policy", "apply", "--changes", "grant.json"]);
    assert_eq!(unconfirmed.exit, 64, "{}", unconfirmed.out);
    assert!(
        unconfirmed.err.contains("--no-confirm"),
        "{}",
        unconfirmed.err
    );
    assert_eq!(
        service.run(&["export"]).done(),
        before,
        "without a confirmation nothing changes"
    );

    let applied = service
        .run(&["policy", "apply", "--changes", "grant.json", "--no-confirm"])
        .done();
    assert!(
        applied.contains("\nApplied grant.json: 15 ACLs and 2 roles. The service's state is "),
        "{applied}"
    );
    assert_eq!(check(&service), 0);
    let again = service
        .run(&["policy", "apply", "--changes", "grant.json"])
        .done();
    assert_eq!(again, "Nothing to change.\n", "nothing to confirm either");

    service
        .run(
            &[
                &["revoke", "--online", "-q", "--out", "revoke.json"],
                &WRITE[..],
            ]
            .concat(),
        )
        .done();
    let applied = service.run(&[
        "policy",
        "apply",
        "--changes",
        "revoke.json",
        "--no-confirm",
        "--format",
        "json",
    ]);
    assert_eq!(applied.exit, 0, "{}", applied.err);
    let value: Value = serde_json::from_str(&applied.out).expect("JSON");
    assert_eq!(
        (&value["acls"], &value["file"]),
        (&json!(14), &json!("revoke.json")),
        "{value}"
    );
    assert!(
        applied.err.contains("Removes (1):"),
        "other formats show the effect on standard error: {}",
        applied.err
    );
    assert_eq!(service.run(&["export"]).done(), before);
}

#[test]
fn every_command_that_an_answer_prints_does_what_it_says() {
    let find = |text: &str, title: &str| -> Vec<String> {
        let below = text
            .lines()
            .skip_while(|line| !line.starts_with(title))
            .skip(1);
        below
            .take_while(|line| line.starts_with("  gbac "))
            .map(str::to_owned)
            .collect()
    };
    for title in ["To create these ACLs", "To make the user a member of Role:"] {
        let service = service();
        let question = [
            "--user",
            "ben",
            "--operation",
            "write",
            "--topic",
            "payments-events",
        ];
        let text = service
            .run(&[&["least-grant", "--online"], &question[..]].concat())
            .done();
        let lines = find(&text, title);
        assert!(!lines.is_empty(), "{title}: {text}");
        lines.iter().for_each(|line| run_line(&service, line));
        assert_eq!(
            service
                .run(&[&["check", "--online"], &question[..]].concat())
                .exit,
            0,
            "{title}"
        );
    }
    for title in ["To remove these", "To create it"] {
        let service = service();
        let question = [
            "--user",
            "ana",
            "--group",
            "payments-team",
            "--operation",
            "write",
            "--topic",
            "payments-events",
        ];
        let text = service
            .run(&[&["revoke", "--online"], &question[..]].concat())
            .done();
        let lines = find(&text, title);
        assert!(!lines.is_empty(), "{title}: {text}");
        lines.iter().for_each(|line| run_line(&service, line));
        assert_eq!(
            service
                .run(&[&["check", "--online"], &question[..]].concat())
                .exit,
            2,
            "{title}"
        );
    }
}

#[test]
fn fixes_of_lint_change_nobodys_access_and_end_their_findings() {
    let service = Service::start();
    let acl = |principal: &str, pattern: &str, name: &str| {
        json!({ "resource_type": "RESOURCE_TYPE_TOPIC", "resource_name": name, "resource_pattern_type": pattern, "principal": principal,
            "host": "*", "operation": "OPERATION_READ", "permission_type": "PERMISSION_TYPE_ALLOW" })
    };
    let document = json!({ "version": 1, "roles": [{ "name": "Empty" }, { "name": "Readers", "members": [{ "principal": "User:ana" }] }],
        "acls": [
            acl("Role:Readers", "RESOURCE_PATTERN_TYPE_PREFIXED", "orders-"),
            // Covered by the first one.
            acl("Role:Readers", "RESOURCE_PATTERN_TYPE_LITERAL", "orders-eu"),
            // No role has this name.
            acl("Role:Gone", "RESOURCE_PATTERN_TYPE_LITERAL", "orders-us"),
            // A person decides: the prefix is probably meant.
            acl("User:ben", "RESOURCE_PATTERN_TYPE_LITERAL", "orders-*"),
        ] });
    fs::write(service.file("policy.json"), document.to_string()).expect("a file");
    assert_eq!(
        service.run(&["import", "policy.json", "--no-confirm"]).exit,
        0
    );
    let before = exported(&service);
    let linted = service.run(&[
        "policy",
        "lint",
        "--online",
        "--fail-on",
        "never",
        "--out",
        "fixes.json",
    ]);
    // What is not a list of changes, such as the policy itself, is not replaced.
    let lint = ["policy", "lint", "--online", "--out", "policy.json"];
    let refused = service.run(&lint).failed(64);
    assert!(refused.contains("not a list of changes"), "{refused}");
    let kept = fs::read_to_string(service.file("policy.json")).expect("a file");
    assert_eq!(kept, document.to_string());
    let found =
        service.json(&["policy", "lint", "--online", "--fail-on", "never"])["findings"].clone();
    let found = found.as_array().expect("findings").len();
    let text = fs::read_to_string(service.file("fixes.json")).expect("a file");
    let changes: Vec<Value> = serde_json::from_str(&text).expect("an array");
    assert!(
        !changes.is_empty()
            && linted
                .err
                .contains(&format!(" of {found} findings fixed in fixes.json")),
        "{}",
        linted.err
    );
    service
        .run(&["policy", "apply", "--changes", "fixes.json", "--no-confirm"])
        .done();
    let after = exported(&service);
    assert_eq!(diff(&before, &after).acl_relation, Relation::Equal);
    let left =
        service.json(&["policy", "lint", "--online", "--fail-on", "never"])["findings"].clone();
    assert!(left.as_array().expect("findings").len() < found, "{left}");
}

#[test]
fn what_if_writes_only_changes_of_the_policy_and_a_change_that_does_not_apply_changes_nothing() {
    let service = service();
    let change =
        json!([{ "change": "add_member", "role": "PaymentsWriters", "principal": "User:ben" }]);
    fs::write(service.file("asked.json"), change.to_string()).expect("a file");
    let asked = [
        "what-if",
        "--online",
        "--user",
        "ben",
        "--add-to-group",
        "analytics",
        "--changes",
        "asked.json",
    ];
    let noted = service.run(&[&asked[..], &["--out", "if.json"]].concat());
    assert!(
        noted.exit == 0
            && noted
                .err
                .contains("1 change of the policy, without those in the identity"),
        "{}",
        noted.err
    );
    let written: Value =
        serde_json::from_str(&fs::read_to_string(service.file("if.json")).expect("a file"))
            .expect("JSON");
    assert_eq!(written, change);

    let before = service.run(&["export"]).done();
    let both =
        json!([change[0], { "change": "add_member", "role": "Nobody", "principal": "User:ben" }]);
    fs::write(service.file("both.json"), both.to_string()).expect("a file");
    let refused = service
        .run(&["policy", "apply", "--changes", "both.json", "--no-confirm"])
        .failed(1);
    assert!(
        refused.contains("both.json: /1: ") && refused.contains("was not changed"),
        "{refused}"
    );
    assert_eq!(service.run(&["export"]).done(), before);
    fs::write(service.file("bad.json"), r#"[{ "change": "drop" }]"#).expect("a file");
    let refused = service
        .run(&["policy", "apply", "--changes", "bad.json", "--no-confirm"])
        .failed(1);
    assert!(
        refused.contains("bad.json:") && refused.contains("/0/change"),
        "{refused}"
    );
    fs::write(service.file("bad.json"), r#"[{ "role": "x" }]"#).expect("a file");
    let refused = service
        .run(&["policy", "apply", "--changes", "bad.json", "--no-confirm"])
        .failed(1);
    assert!(
        refused.contains("`change` is one of add_acl, remove_acl, create_role,"),
        "{refused}"
    );

    // An answer without a change of the policy says so.
    let allowed = [
        "least-grant",
        "--online",
        "--user",
        "ana",
        "--group",
        "payments-team",
        "--operation",
        "write",
    ];
    let none = service.run(
        &[
            &allowed[..],
            &["--topic", "payments-events", "--out", "none.json"],
        ]
        .concat(),
    );
    assert!(
        none.exit == 0 && none.err.starts_with("note: none.json has no changes"),
        "{}",
        none.err
    );
}

#[test]
fn a_whole_group_is_granted_and_revoked() {
    let service = service();
    let question = [
        "--principal",
        "Group:analytics",
        "--operation",
        "write",
        "--topic",
        "payments-events",
    ];
    let ask = |command: &str, more: &[&str]| {
        service.run(&[&[command, "--online"], &question[..], more].concat())
    };
    let denied = ask("check", &[]);
    assert!(
        denied.exit == 2 && denied.out.contains("Group:analytics alone Write on"),
        "{}",
        denied.out
    );
    let text = ask("least-grant", &["--out", "grant.json", "-q"]).done();
    assert!(
        text.contains("\n  Role:PaymentsWriters\n")
            && text.contains("assign PaymentsWriters --principal Group:analytics"),
        "{text}"
    );
    service
        .run(&["policy", "apply", "--changes", "grant.json", "--no-confirm"])
        .done();
    assert_eq!(ask("check", &[]).exit, 0);
    let member = [
        "check",
        "--online",
        "--user",
        "zoe",
        "--group",
        "analytics",
        "--operation",
        "write",
    ];
    assert_eq!(
        service
            .run(&[&member[..], &["--topic", "payments-events"]].concat())
            .exit,
        0
    );
    let text = ask("revoke", &["--out", "revoke.json", "-q"]).done();
    assert!(
        text.contains("Group:analytics > Deny Write, topic payments-events literal")
            && !text.contains("in the identity provider"),
        "{text}"
    );
    service
        .run(&[
            "policy",
            "apply",
            "--changes",
            "revoke.json",
            "--no-confirm",
        ])
        .done();
    assert_eq!(ask("check", &[]).exit, 2);

    let role = [
        "revoke",
        "--online",
        "--principal",
        "Role:PaymentsWriters",
        "--operation",
        "write",
        "--topic",
        "x",
    ];
    assert!(
        service
            .run(&role)
            .failed(64)
            .contains("nobody signs in as a role")
    );
    let without = service.run(&[
        "revoke",
        "--online",
        "--group",
        "analytics",
        "--operation",
        "write",
        "--topic",
        "x",
    ]);
    assert!(without.failed(64).contains("--principal Group:NAME"));
}

#[test]
fn a_name_that_matches_nothing_is_answered_with_the_one_that_is_meant() {
    let service = service();
    for (args, says) in [
        (
            &["permissions", "--online", "--user", "Group:analytics"][..],
            "`gbac permissions --principal Group:analytics`",
        ),
        (
            &["permissions", "--online", "--principal", "Group:Analytics"],
            "did you mean `Group:analytics`?",
        ),
        (
            &[
                "security",
                "acl",
                "list",
                "--allow-principal",
                "engineering",
            ],
            "`Group:engineering` has some",
        ),
        (
            &[
                "security",
                "acl",
                "delete",
                "--allow-principal",
                "engineering",
                "--no-confirm",
            ],
            "`Group:engineering` has some",
        ),
    ] {
        let done = service.run(args);
        assert!(
            done.exit == 0 && done.err.starts_with("note: ") && done.err.contains(says),
            "{args:?}: {}",
            done.err
        );
    }
    let known = service
        .run(&["permissions", "--online", "--principal", "Group:analytics"])
        .done();
    assert!(!known.is_empty());
}

#[test]
fn a_comparison_with_a_service_says_its_direction_and_an_import_its_effect() {
    let service = service();
    let examples = root().join("examples");
    let (same, before) = (examples.join("policy.json"), examples.join("before.json"));
    let of = |path: &std::path::Path| path.to_str().expect("a path").to_owned();
    let identical = service
        .run(&["policy", "diff", "--online", &of(&same)])
        .done_or_noted();
    assert!(
        identical.starts_with("The policies are identical.\n"),
        "{identical}"
    );
    let differs = service
        .run(&["policy", "diff", "--online", &of(&before)])
        .done_or_noted();
    let direction = format!(
        "From the service at {} to {}:\nAdds (",
        service.url,
        of(&before)
    );
    assert!(differs.starts_with(&direction), "{differs}");
    // The same effect as in a dry run, before the question.
    let effect = |args: &[&str]| {
        service
            .run(&[&["import", &of(&before)], args].concat())
            .done_or_noted()
    };
    let dry = effect(&["--dry-run"]);
    let gains = dry
        .lines()
        .find(|line| line.contains("Gains"))
        .expect("a gain")
        .to_owned();
    assert!(effect(&["--no-confirm"]).contains(&gains), "{dry}");
}
