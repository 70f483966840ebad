//! Questions about the policy of a running service, and about the document of a variable.

use std::fs;

use crate::support::data::DataService;
use crate::support::program::Run;
use crate::support::service::{Service, run};
use gbac_tests::vectors::root;
use serde_json::{Value, json};
use tempfile::TempDir;

const PASSWORD: &str = "a password of this test";

fn value(run: &Run) -> Value {
    serde_json::from_str(&run.out).unwrap_or_else(|error| panic!("{error}: {}{}", run.out, run.err))
}

/// Every command that answers questions, with arguments that suit the examples.
const QUESTIONS: [&[&str]; 8] = [
    &[
        "check",
        "--user",
        "ana",
        "--group",
        "payments-team",
        "--operation",
        "write",
        "--topic",
        "payments-events",
    ],
    &[
        "who-can",
        "--operation",
        "write",
        "--topic",
        "payments-events",
    ],
    &["permissions", "--user", "ana", "--group", "payments-team"],
    &[
        "least-grant",
        "--user",
        "ana",
        "--operation",
        "write",
        "--topic",
        "payments-events",
    ],
    &[
        "revoke",
        "--user",
        "ana",
        "--group",
        "payments-team",
        "--operation",
        "write",
        "--topic",
        "payments-events",
    ],
    &[
        "compare",
        "--user",
        "ana",
        "--group",
        "payments-team",
        "--other-user",
        "ben",
    ],
    &[
        "what-if",
        "--user",
        "ana",
        "--add-to-group",
        "payments-team",
    ],
    &["policy", "lint"],
];

#[test]
fn a_pull_from_a_service_for_kafka_has_what_only_kafka_has() {
    let folder = tempfile::tempdir().expect("a folder");
    let service = DataService::start(&folder.path().join("data"), Some(PASSWORD));
    let url = service.url();
    let admin = [
        ("GBAC_URL", url.as_str()),
        ("GBAC_USER", "admin"),
        ("GBAC_PASSWORD", PASSWORD),
    ];
    let policy = json!({ "version": 1,
        "settings": { "dialect": "kafka", "kafka_version": "4.4", "superusers": ["root"], "access": { "read_only": ["User:eve"] } },
        "roles": [],
        "acls": [{ "resource_type": "RESOURCE_TYPE_DELEGATION_TOKEN", "resource_name": "t", "resource_pattern_type": "RESOURCE_PATTERN_TYPE_LITERAL",
            "principal": "User:a", "host": "10.0.0.0/8", "operation": "OPERATION_DESCRIBE", "permission_type": "PERMISSION_TYPE_ALLOW" }] });
    fs::write(folder.path().join("kafka.json"), policy.to_string()).expect("a file");
    let import = ["import", "kafka.json", "--no-confirm"];
    let imported = run(&folder, &admin, &import);
    assert_eq!(imported.exit, 0, "{}", imported.err);
    let pulled = run(&folder, &admin, &["policy", "pull"]);
    assert_eq!(pulled.exit, 0, "{}", pulled.err);
    let pulled = value(&pulled);
    assert_eq!(pulled["acls"][0]["host"], "10.0.0.0/8");
    let settings = &pulled["settings"];
    assert_eq!(
        (&settings["dialect"], &settings["superusers"]),
        (&json!("kafka"), &json!(["root"]))
    );
    assert_eq!(settings.get("access"), None, "it is that of the service");
    let bare = value(&run(&folder, &admin, &["policy", "pull", "--no-settings"]));
    assert_eq!(bare["settings"].get("superusers"), None);
    assert_eq!(bare["settings"]["dialect"], "kafka");
}

#[test]
fn every_question_can_be_asked_of_a_service_and_of_the_document_of_the_variable() {
    let folder = tempfile::tempdir().expect("a folder");
    let service = DataService::start(&folder.path().join("data"), Some(PASSWORD));
    let url = service.url();
    let admin = [
        ("GBAC_URL", url.as_str()),
        ("GBAC_USER", "admin"),
        ("GBAC_PASSWORD", PASSWORD),
    ];
    let policy = root().join("examples/policy.json");
    let policy = policy.to_str().expect("a path");
    assert_eq!(
        run(&folder, &admin, &["import", policy, "--no-confirm"]).exit,
        0
    );
    let exported = value(&run(
        &folder,
        &admin,
        &["export", "--out", "exported.json", "--format", "json"],
    ));
    let state = exported["state"].as_str().expect("a state");
    for question in QUESTIONS {
        let json = [question, &["--format", "json"]].concat();
        let online = run(&folder, &admin, &[&json[..], &["--online"]].concat());
        assert_eq!(online.exit, 0, "{question:?}: {}{}", online.out, online.err);
        let mut online = value(&online);
        assert_eq!(online["policy_state"], state, "{question:?}");
        online
            .as_object_mut()
            .expect("an object")
            .remove("policy_state");
        let of_variable = value(&run(&folder, &[("GBAC_POLICY", "exported.json")], &json));
        assert_eq!(online, of_variable, "{question:?}");
        let of_flag = run(
            &folder,
            &[("GBAC_POLICY", "missing.json")],
            &[&json[..], &["--policy", "exported.json"]].concat(),
        );
        assert_eq!(
            value(&of_flag),
            of_variable,
            "a flag comes before the variable: {question:?}"
        );
        let text = run(&folder, &admin, &[question, &["--online"]].concat()).out;
        assert!(
            text.ends_with(&format!("Decided at state {state} of {url}\n")),
            "{question:?}: {text}"
        );
        let none = run(&folder, &[], question).failed(64);
        assert!(
            none.contains("--policy") && none.contains("GBAC_POLICY") && none.contains("--online"),
            "{none}"
        );
        let both = run(
            &folder,
            &admin,
            &[question, &["--online", "--policy", "exported.json"]].concat(),
        )
        .failed(64);
        assert!(both.contains("--online"), "{both}");
        let anonymous = run(
            &folder,
            &[("GBAC_URL", &url)],
            &[question, &["--online"]].concat(),
        )
        .failed(1);
        assert!(anonymous.contains("authentication required"), "{anonymous}");
    }
    // Lines name the state once, and not in the decisions.
    let checks = root().join("examples/checks.jsonl");
    let checks = [
        "check",
        "--online",
        "--checks",
        checks.to_str().expect("a path"),
    ];
    let lines = run(&folder, &admin, &checks);
    assert_eq!(
        (lines.exit, lines.out.lines().count()),
        (0, 4),
        "{}",
        lines.err
    );
    assert!(
        lines.err.contains(&format!("state {state}")),
        "{}",
        lines.err
    );
}

/// Gives a user of the identity provider an access, and nothing else.
fn grant(folder: &TempDir, admin: &[(&str, &str)], access: &str) {
    let user = json!({ access: ["User:maya.okafor"] });
    let document = json!({ "version": 1, "settings": { "access": user, "superusers": [] }, "acls": [{
        "resource_type": "RESOURCE_TYPE_TOPIC", "resource_name": "orders", "resource_pattern_type": "RESOURCE_PATTERN_TYPE_LITERAL",
        "principal": "Group:engineering", "host": "*", "operation": "OPERATION_READ", "permission_type": "PERMISSION_TYPE_ALLOW" }] });
    fs::write(folder.path().join("access.json"), document.to_string()).expect("a file");
    let done = run(folder, admin, &["import", "access.json", "--no-confirm"]);
    assert_eq!(done.exit, 0, "{}", done.err);
}

#[test]
fn a_caller_who_may_only_evaluate_can_check_and_is_told_what_the_others_need() {
    let folder = tempfile::tempdir().expect("a folder");
    let provider = Service::start();
    let discovery = format!("{}/demo/idp/.well-known/openid-configuration", provider.url);
    let options = [
        "--oidc-discovery-url",
        discovery.as_str(),
        "--oidc-audience",
        "streams",
    ];
    let service = DataService::start_with(&folder.path().join("data"), Some(PASSWORD), &options);
    let url = service.url();
    let admin = [
        ("GBAC_URL", url.as_str()),
        ("GBAC_USER", "admin"),
        ("GBAC_PASSWORD", PASSWORD),
    ];
    let token = provider.token();
    let maya = [("GBAC_URL", url.as_str()), ("GBAC_TOKEN", token.as_str())];
    let check = ["check", "--online", "--operation", "read", "--topic"];
    let ana = ["--user", "ana", "--group", "engineering"];

    grant(&folder, &admin, "evaluate");
    let allowed = run(&folder, &maya, &[&check[..], &["orders"], &ana].concat());
    assert_eq!(allowed.exit, 0, "{}{}", allowed.out, allowed.err);
    assert!(
        allowed
            .out
            .starts_with("Allowed: allow_rule\nDecided by http://"),
        "{}",
        allowed.out
    );
    let denied = run(&folder, &maya, &[&check[..], &["payments"], &ana].concat());
    assert_eq!(
        (denied.exit, denied.out.starts_with("Denied: no_match\n")),
        (2, true),
        "{}{}",
        denied.out,
        denied.err
    );
    let json = value(&run(
        &folder,
        &maya,
        &[&check[..], &["orders", "--format", "json"], &ana].concat(),
    ));
    assert_eq!(
        (&json["outcome"], &json["group"]),
        (&json!("allow"), &json!("engineering")),
        "{json}"
    );
    // The examined token is another variable than the caller's.
    let examined = [&maya[..], &[("GBAC_CHECK_TOKEN", token.as_str())]].concat();
    let own = run(&folder, &examined, &[&check[..], &["orders"]].concat());
    assert_eq!(
        own.exit, 0,
        "Maya is in engineering: {}{}",
        own.out, own.err
    );
    let produce = [
        "check",
        "--online",
        "--user",
        "ana",
        "--request",
        "Produce",
        "--topic",
        "orders",
    ];
    assert_eq!(run(&folder, &maya, &produce).exit, 2);
    fs::write(folder.path().join("none.jsonl"), "{}\n").expect("a file");
    let lines = run(
        &folder,
        &maya,
        &["check", "--online", "--checks", "none.jsonl"],
    )
    .failed(1);
    assert!(
        lines.contains("--checks") && lines.contains("`read_only`"),
        "{lines}"
    );
    for question in &QUESTIONS[1..] {
        let refused = run(&folder, &maya, &[question, &["--online"][..]].concat()).failed(1);
        assert!(
            refused.contains("a superuser or the access `read_only`"),
            "{question:?}: {refused}"
        );
        assert!(
            refused.contains("signed in with the access token"),
            "{question:?}: {refused}"
        );
    }

    grant(&folder, &admin, "read_only");
    for question in QUESTIONS {
        let done = run(
            &folder,
            &maya,
            &[question, &["--online", "--format", "json"]].concat(),
        );
        assert!(
            [0, 2].contains(&done.exit),
            "{question:?}: {}{}",
            done.out,
            done.err
        );
        assert!(value(&done)["policy_state"].is_string(), "{question:?}");
    }
}

/// The code with which a check about a token was denied, alone and as a line of a file.
fn refused_by(folder: &TempDir, caller: &[(&str, &str)], token: &str, flags: &[&str]) -> String {
    let asks = [&["check"], flags].concat();
    let single = [
        &asks[..],
        &[
            "--operation",
            "read",
            "--topic",
            "orders",
            "--format",
            "json",
        ],
    ]
    .concat();
    let single = run(
        folder,
        &[caller, &[("GBAC_CHECK_TOKEN", token)]].concat(),
        &single,
    );
    let denied = value(&single);
    assert_eq!(single.exit, 2, "{}{}", single.out, single.err);
    assert_eq!(
        (&denied["outcome"], &denied["reason"]),
        (&json!("deny"), &json!("token_refused")),
        "{denied}"
    );
    let code = denied["code"].as_str().expect("a code").to_owned();
    assert!(
        denied["message"].is_string() && denied["verified"] == false,
        "{denied}"
    );
    let text = [&asks[..], &["--operation", "read", "--topic", "orders"]].concat();
    let text = run(
        folder,
        &[caller, &[("GBAC_CHECK_TOKEN", token)]].concat(),
        &text,
    );
    assert_eq!(
        (
            text.exit,
            text.out.starts_with("Denied: the token is refused\n")
        ),
        (2, true),
        "{}",
        text.out
    );
    assert!(text.out.contains(&format!("({code})")), "{}", text.out);
    code
}

/// The code of each line of a file of checks about tokens; empty if it was allowed.
fn lines_refused_by(
    folder: &TempDir,
    caller: &[(&str, &str)],
    tokens: &[&str],
    member: &str,
    flags: &[&str],
) -> Vec<String> {
    let line = |token: &&str| {
        json!({ member: token, "operation": "read", "resource_type": "topic", "resource_name": "orders" }).to_string()
    };
    let lines: Vec<String> = tokens.iter().chain(tokens).map(line).collect();
    fs::write(folder.path().join("checks.jsonl"), lines.join("\n")).expect("a file");
    let read = run(
        folder,
        caller,
        &[
            &["check", "--checks", "checks.jsonl", "--format", "json"],
            flags,
        ]
        .concat(),
    );
    assert_eq!(read.exit, 0, "{}", read.err);
    let codes: Vec<String> = read
        .out
        .lines()
        .map(|line| {
            let answer: Value = serde_json::from_str(line).expect("JSON");
            let is_allowed = answer["outcome"] == "allow";
            assert!(
                is_allowed || answer["reason"] == "token_refused",
                "{answer}"
            );
            answer["code"].as_str().unwrap_or_default().to_owned()
        })
        .collect();
    let (first, second) = codes.split_at(tokens.len());
    assert_eq!(first, second, "the same token has the same verdict again");
    first.to_vec()
}

#[test]
fn a_token_that_is_refused_is_denied_whatever_the_policy_allows() {
    let folder = tempfile::tempdir().expect("a folder");
    let (provider, other) = (Service::start(), Service::start());
    let discovery = format!("{}/demo/idp/.well-known/openid-configuration", provider.url);
    let start = |name: &str, audience: &str| {
        let options = [
            "--oidc-discovery-url",
            discovery.as_str(),
            "--oidc-audience",
            audience,
        ];
        DataService::start_with(&folder.path().join(name), Some(PASSWORD), &options)
    };
    let (accepting, refusing) = (start("accepting", "streams"), start("refusing", "billing"));
    let (accepting, refusing) = (accepting.url(), refusing.url());
    let (good, foreign) = (provider.token(), other.token());
    let forged = format!("{}AAAA", &good[..good.len() - 4]);
    let admin_of = |url| {
        [
            ("GBAC_URL", url),
            ("GBAC_USER", "admin"),
            ("GBAC_PASSWORD", PASSWORD),
        ]
    };
    let admin = admin_of(accepting.as_str());
    grant(&folder, &admin, "evaluate");
    grant(&folder, &admin_of(refusing.as_str()), "evaluate");
    let online = ["--online"];

    // Without a verdict about the token, all of these are allowed. The gateway's own question has
    // the same codes.
    let maya = [
        ("GBAC_URL", accepting.as_str()),
        ("GBAC_TOKEN", good.as_str()),
    ];
    let same = |token: &str| {
        let code = refused_by(&folder, &admin, token, &online);
        assert_eq!(code, refused_by(&folder, &maya, token, &online), "{token}");
        code
    };
    let of_foreign = same(&foreign);
    assert_eq!(
        (same(&forged).as_str(), same("a.b").as_str()),
        ("signature_invalid", "opaque_token")
    );
    assert_eq!(
        refused_by(&folder, &admin_of(&refusing), &good, &online),
        "audience_mismatch"
    );
    let tokens = [good.as_str(), &forged, &foreign, "a.b"];
    let codes = lines_refused_by(&folder, &admin, &tokens, "unverified_token", &online);
    assert_eq!(
        codes,
        ["", "signature_invalid", of_foreign.as_str(), "opaque_token"]
    );
    let allowed = [&admin[..], &[("GBAC_CHECK_TOKEN", good.as_str())]].concat();
    let allowed = run(
        &folder,
        &allowed,
        &[
            "check",
            "--online",
            "--operation",
            "read",
            "--topic",
            "orders",
        ],
    );
    assert_eq!(allowed.exit, 0, "{}{}", allowed.out, allowed.err);
    // The service verified it.
    assert!(allowed.out.starts_with("Allowed: "), "{}", allowed.out);
    for question in ["permissions", "least-grant", "revoke"] {
        let query: &[&str] = if question == "permissions" {
            &[]
        } else {
            &["--operation", "read", "--topic", "orders"]
        };
        let forged = [&admin[..], &[("GBAC_CHECK_TOKEN", forged.as_str())]].concat();
        let refused = run(&folder, &forged, &[&[question, "--online"], query].concat()).failed(1);
        assert!(
            refused.contains("the token is refused"),
            "{question}: {refused}"
        );
    }
    // Who may only read learns what the token shows.
    grant(&folder, &admin, "read_only");
    assert_eq!(
        refused_by(&folder, &maya, &forged, &online),
        "unauthenticated"
    );

    // With keys, the whole path is decided here.
    run(&folder, &admin, &["export", "--out", "policy.json"]).done();
    fs::write(
        folder.path().join("keys.json"),
        provider.get("/demo/idp/jwks"),
    )
    .expect("a file");
    let keys = ["--policy", "policy.json", "--jwks", "keys.json"];
    for (token, flags, code) in [
        (
            &good,
            &["--issuer", "https://other.example"][..],
            "issuer_mismatch",
        ),
        (&good, &["--audience", "billing"], "audience_mismatch"),
        (&good, &["--at", "2040-01-01T00:00:00Z"], "token_expired"),
        (&forged, &[], "signature_invalid"),
    ] {
        assert_eq!(
            refused_by(&folder, &[], token, &[&keys, flags].concat()),
            code
        );
    }
    // What keys verify is not assumed; without an issuer and an audience, these are.
    let asked = [
        "check",
        "--operation",
        "read",
        "--topic",
        "orders",
        "--require-verified",
    ];
    let partly = run(
        &folder,
        &[("GBAC_CHECK_TOKEN", good.as_str())],
        &[&asked[..], &keys].concat(),
    );
    assert_eq!(partly.exit, 2, "{}", partly.out);
    assert!(
        partly
            .out
            .starts_with("Allowed, if issuer and audience are right: "),
        "{}",
        partly.out
    );
    let claims = gbac_engine::UnverifiedToken::decode(&good)
        .expect("a token")
        .claims;
    let (issuer, audiences) = (claims.issuer().unwrap(), claims.audiences().unwrap());
    let required = ["--issuer", issuer, "--audience", audiences[0]];
    let wholly = run(
        &folder,
        &[("GBAC_CHECK_TOKEN", good.as_str())],
        &[&asked[..], &keys, &required].concat(),
    );
    assert_eq!(wholly.exit, 0, "{}{}", wholly.out, wholly.err);
    assert!(wholly.out.starts_with("Allowed: "), "{}", wholly.out);
    let keyed = lines_refused_by(&folder, &[], &tokens[..3], "token", &keys);
    assert_eq!(
        (keyed[0].as_str(), keyed[1].as_str(), keyed[2].is_empty()),
        ("", "signature_invalid", false)
    );
    let audited = [&keys[..], &["--audit", "audit.jsonl"]].concat();
    refused_by(&folder, &[], &forged, &audited);
    let events = fs::read_to_string(folder.path().join("audit.jsonl")).expect("events");
    assert_eq!(
        events.lines().count(),
        4,
        "a failed sign-in and a denial, twice: {events}"
    );
    fs::write(folder.path().join("broken.json"), "{}").expect("a file");
    let broken = [
        "check",
        "--policy",
        "policy.json",
        "--jwks",
        "broken.json",
        "--operation",
        "read",
        "--topic",
        "orders",
    ];
    let _ = run(&folder, &[("GBAC_CHECK_TOKEN", good.as_str())], &broken).failed(1);
}

#[test]
fn tests_of_a_service_run_on_its_policy() {
    let service = Service::start();
    let none = service.run(&["test", "--online"]);
    assert_eq!(none.exit, 1);
    assert!(none.err.contains("has no stored tests"), "{}", none.err);
    let test = |name: &str, user: &str, outcome: &str| {
        json!({ "name": name, "expect": { "outcome": outcome }, "check": { "identity": { "user": user },
            "operation": "delete", "resource_type": "topic", "resource_name": "tested" } })
    };
    let document = |tests: &[Value]| json!({ "version": 1, "tests": tests });
    let stored = document(&[
        test("nora cannot delete", "nora", "deny"),
        test("zoe deletes", "zoe", "allow"),
    ]);
    service.replace("/gbac/v1/tests", &stored);
    let failed = service.run(&["test", "--online"]);
    assert_eq!(failed.exit, 1, "{}", failed.err);
    for said in [
        "1 passed, 1 failed",
        "outcome is \"deny\", expected \"allow\"",
        "Decided at state ",
    ] {
        assert!(failed.out.contains(said), "{said}: {}", failed.out);
    }
    let create = [
        "create",
        "--allow-principal",
        "zoe",
        "--operation",
        "delete",
    ];
    service
        .acl(&[&create[..], &["--topic", "tested"]].concat())
        .done();
    let passed = service.json(&["test", "--online"]);
    assert_eq!(
        (&passed["passed"], &passed["failed"]),
        (&json!(2), &json!(0))
    );
    assert_eq!(
        passed["tests"][1]["file"],
        format!("{}/gbac/v1/tests", service.url)
    );
    assert!(passed["policy_state"].is_string(), "{passed}");

    // A file runs on the policy of the service, whatever policy it names.
    let file = json!({ "version": 1, "policy": { "version": 1 }, "tests": [test("zoe deletes", "zoe", "allow")] });
    fs::write(service.file("own.json"), file.to_string()).expect("a file");
    assert_eq!(service.run(&["test", "own.json"]).exit, 1);
    assert_eq!(service.run(&["test", "own.json", "--online"]).exit, 0);
}
