//! Tests of the built `gbac`: exit codes, standard output and error, files and standard input.

use std::fs;

use crate::support::program::{self, Run};
use gbac_tests::folder::Folder;
use serde_json::{Value, json};

const POLICY: &str = r#"{ "version": 1, "settings": { "nested_group_behavior": "suffix", "superusers": ["root"] },
  "roles": [{ "name": "Writers", "members": [{ "principal": "Group:payments" }] }],
  "acls": [
    { "resource_type": "RESOURCE_TYPE_TOPIC", "resource_name": "payments-", "resource_pattern_type": "RESOURCE_PATTERN_TYPE_PREFIXED",
      "principal": "Role:Writers", "host": "*", "operation": "OPERATION_WRITE", "permission_type": "PERMISSION_TYPE_ALLOW" },
    { "resource_type": "RESOURCE_TYPE_TOPIC", "resource_name": "payments-", "resource_pattern_type": "RESOURCE_PATTERN_TYPE_PREFIXED",
      "principal": "Group:read-only", "host": "*", "operation": "OPERATION_WRITE", "permission_type": "PERMISSION_TYPE_DENY" },
    { "resource_type": "RESOURCE_TYPE_TRANSACTIONAL_ID", "resource_name": "*", "resource_pattern_type": "RESOURCE_PATTERN_TYPE_LITERAL",
      "principal": "Group:payments", "host": "10.0.0.7", "operation": "OPERATION_WRITE", "permission_type": "PERMISSION_TYPE_ALLOW" }] }"#;

/// A new folder with the policy.
pub(crate) fn folder(test: &str) -> Folder {
    let folder = Folder::new(&format!("cli-{test}"));
    folder.file("policy.json", POLICY);
    folder
}

pub(crate) fn run_with(folder: &Folder, args: &[&str], stdin: &str, token: Option<&str>) -> Run {
    let mut command = program::command();
    command
        .args(args)
        .envs(token.map(|token| ("GBAC_CHECK_TOKEN", token)));
    program::run(command, folder.path(), stdin)
}

pub(crate) fn run(folder: &Folder, args: &[&str]) -> Run {
    run_with(folder, args, "", None)
}

pub(crate) fn lines(text: &str) -> Vec<Value> {
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}")))
        .collect()
}

/// A compact JWS with an invalid signature.
pub(crate) fn token(claims: &Value) -> String {
    let part = |value: &Value| encode(value.to_string().as_bytes());
    format!(
        "{}.{}.{}",
        part(&json!({ "alg": "RS256", "kid": "k", "typ": "JWT" })),
        part(claims),
        encode(&[7; 256])
    )
}

/// Base64url without padding (RFC 4648 section 5).
fn encode(bytes: &[u8]) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let mut text = String::new();
    for chunk in bytes.chunks(3) {
        let bits = chunk
            .iter()
            .fold(0_u32, |bits, byte| (bits << 8) | u32::from(*byte))
            << (8 * (3 - chunk.len()));
        for place in 0..=chunk.len() {
            text.push(char::from(
                ALPHABET[(bits >> (18 - 6 * place)) as usize & 63],
            ));
        }
    }
    text
}

#[test]
fn check_says_the_verdict_and_exits_by_it() {
    let folder = folder("verdict");
    let base = [
        "check",
        "--policy",
        "policy.json",
        "--user",
        "maya",
        "--operation",
        "write",
        "--topic",
        "payments-x",
    ];
    let ask = |groups: &[&str]| {
        let mut args = base.to_vec();
        for group in groups {
            args.extend(["--group", group]);
        }
        run(&folder, &args)
    };
    let allowed = ask(&["payments"]);
    assert_eq!(allowed.exit, 0, "{}", allowed.err);
    assert!(
        allowed
            .out
            .starts_with("Allowed: User:maya Write on topic payments-x\n"),
        "{}",
        allowed.out
    );
    assert!(
        allowed
            .out
            .contains("Group:payments > Role:Writers > Allow Write, topic payments- prefixed")
    );
    let denied = ask(&["payments", "read-only"]);
    assert_eq!(denied.exit, 2);
    assert!(denied.out.starts_with("Denied by rule: "), "{}", denied.out);
    assert!(denied.out.contains("overridden"), "{}", denied.out);
    let nothing = ask(&["Payments"]);
    assert_eq!(nothing.exit, 2);
    assert!(
        nothing.out.starts_with("Denied, nothing allows it: "),
        "{}",
        nothing.out
    );
}

#[test]
fn check_as_json_is_the_explained_decision() {
    let folder = folder("json");
    let args = [
        "check",
        "--policy",
        "policy.json",
        "--user",
        "u",
        "--group",
        "payments",
        "--operation",
        "write",
        "--topic",
        "payments-x",
        "--format",
        "json",
    ];
    let done = run(&folder, &args);
    let value = &lines(&done.out)[0];
    assert_eq!(value["source"], "group_role_acl");
    assert_eq!(value["acl"]["principal"], "Role:Writers");
    assert_eq!(value["candidates"][0]["status"], "decides");
    assert_eq!(value["omitted"], 0);
    let shorter = &lines(&run(&folder, &[&args[..], &["--limit", "1"]].concat()).out)[0];
    let all = value["candidates"].as_array().unwrap();
    assert_eq!(shorter["candidates"].as_array().unwrap()[..], all[..1]);
    assert_eq!(shorter["omitted"], all.len() - 1);
    let text = run(
        &folder,
        &[&args[..args.len() - 2], &["--limit", "0"]].concat(),
    );
    assert!(
        text.out.contains("--limit sets how many are listed"),
        "{}",
        text.out
    );
}

#[test]
fn a_whole_request_lists_its_checks() {
    let folder = folder("request");
    let args = [
        "check",
        "--policy",
        "policy.json",
        "--user",
        "u",
        "--group",
        "payments",
        "--request",
        "Produce",
        "--topic",
        "payments-x",
        "--transactional-id",
        "t",
    ];
    let denied = run(&folder, &args);
    assert_eq!(denied.exit, 2);
    assert!(
        denied.out.contains("Allowed") && denied.out.contains("Denied, nothing allows it"),
        "{}",
        denied.out
    );
    let allowed = run(&folder, &[&args[..], &["--host", "10.0.0.7"]].concat());
    assert_eq!(allowed.exit, 0, "{}{}", allowed.out, allowed.err);
}

#[test]
fn requests_are_answered_line_by_line_and_bad_ones_in_their_place() {
    let folder = folder("lines");
    let ask = |groups: &str| {
        format!(
            r#"{{"id":7,"identity":{{"user":"u","groups":[{groups}]}},"operation":"OPERATION_WRITE","resource_type":"RESOURCE_TYPE_TOPIC","resource_name":"payments-x"}}"#
        )
    };
    let input = format!(
        "{}\n\n{{\"id\":8}}\nnot json\n{}\n",
        ask("\"payments\""),
        ask("")
    );
    let done = run_with(
        &folder,
        &["check", "--policy", "policy.json", "--checks", "-"],
        &input,
        None,
    );
    assert_eq!(done.exit, 1);
    let answers = lines(&done.out);
    assert_eq!(answers.len(), 4);
    assert_eq!(
        (&answers[0]["id"], &answers[0]["outcome"]),
        (&json!(7), &json!("allow"))
    );
    assert_eq!(answers[1]["id"], 8);
    assert!(answers[1]["error"]["code"].is_string() && answers[1]["error"]["message"].is_string());
    assert!(answers[2]["error"]["code"].is_string());
    assert_eq!(
        (&answers[3]["outcome"], &answers[3]["reason"]),
        (&json!("deny"), &json!("no_match"))
    );
    let good = run_with(
        &folder,
        &["check", "--policy", "policy.json", "--checks", "-"],
        &ask(""),
        None,
    );
    assert_eq!(good.exit, 0, "a deny is no error: {}", good.err);
}

#[test]
fn the_same_people_ask_again_and_again() {
    let folder = folder("again");
    let ask = |id: usize, identity: &str, topic: &str| {
        format!(
            r#"{{"id":{id},"identity":{identity},"operation":"write","resource_type":"topic","resource_name":"{topic}"}}"#
        )
    };
    let (writer, blocked) = (
        r#"{"user":"u","groups":["payments"]}"#,
        r#"{"user":"u","groups":["payments","read-only"]}"#,
    );
    // More users than the cache holds, so that some are prepared again.
    let mut input: Vec<String> = (0..9000)
        .map(|id| ask(id, &format!(r#"{{"user":"u{id}"}}"#), "payments-x"))
        .collect();
    for round in 0..3 {
        input.insert(round * 4000, ask(10_000, writer, "payments-x"));
        input.insert(round * 4000, ask(10_001, blocked, "payments-x"));
        input.insert(round * 4000, ask(10_002, writer, "orders"));
    }
    folder.file("checks.jsonl", &input.join("\n"));
    let done = run(
        &folder,
        &[
            "check",
            "--policy",
            "policy.json",
            "--checks",
            "checks.jsonl",
        ],
    );
    assert_eq!((done.exit, done.out.lines().count()), (0, 9009));
    for answer in lines(&done.out) {
        let expected = if answer["id"] == 10_000 {
            "allow"
        } else {
            "deny"
        };
        let reason = if answer["id"] == 10_001 {
            "deny_rule"
        } else if expected == "allow" {
            "allow_rule"
        } else {
            "no_match"
        };
        assert_eq!(
            (&answer["outcome"], &answer["reason"]),
            (&json!(expected), &json!(reason)),
            "{answer}"
        );
    }
}

#[test]
fn a_policy_with_ten_faults_names_all_ten() {
    let folder = folder("faults");
    folder.file(
        "policy.json",
        r#"{ "version": 2, "settings": { "oidc_group_claim_path": "$[", "nested_group_behavior": "Suffix", "superusers": ["User:admin"] },
            "roles": [{ "name": "a,b" }, { "name": "ok", "members": [{ "principal": "alice" }] }],
            "acls": [{ "resource_type": "RESOURCE_TYPE_QUEUE", "resource_name": "x", "resource_pattern_type": "RESOURCE_PATTERN_TYPE_LITERAL",
              "principal": "Group:", "host": "10.0.0.0/8", "operation": "OPERATION_READ", "permission_type": "PERMISSION_TYPE_ALLOW" }],
            "extra": true }"#,
    );
    let args = [
        "check",
        "--policy",
        "policy.json",
        "--user",
        "u",
        "--operation",
        "read",
        "--topic",
        "x",
        "--format",
        "json",
    ];
    let done = run(&folder, &args);
    assert_eq!(done.exit, 1);
    assert_eq!(done.err.lines().count(), 11, "{}", done.err);
    assert_eq!(
        lines(&done.out)[0]["error"]["problems"]
            .as_array()
            .map(Vec::len),
        Some(10)
    );
}

#[test]
fn a_failing_assertion_file_exits_with_one() {
    let folder = folder("test");
    let check = r#"{"identity":{"user":"u"},"operation":"read","resource_type":"topic","resource_name":"x"}"#;
    let file = |outcome: &str| {
        format!(
            r#"{{"version":1,"policy_file":"policy.json","tests":[{{"name":"a & b","check":{check},"expect":{{"outcome":"{outcome}"}}}}]}}"#
        )
    };
    folder.file("good.json", &file("deny"));
    folder.file("bad.json", &file("allow"));
    let good = run(&folder, &["test", "good.json"]);
    assert_eq!(good.exit, 0, "{}{}", good.out, good.err);
    assert!(good.out.contains("1 passed, 0 failed"));
    let bad = run(
        &folder,
        &["test", "good.json", "bad.json", "--junit", "report.xml"],
    );
    assert_eq!(bad.exit, 1);
    assert!(
        bad.out.contains("outcome is \"deny\", expected \"allow\""),
        "{}",
        bad.out
    );
    let report = fs::read_to_string(folder.path().join("report.xml")).unwrap();
    assert!(
        report.contains("<testsuite name=\"bad.json\" tests=\"1\" failures=\"1\">"),
        "{report}"
    );
    assert!(report.contains("name=\"a &amp; b\""), "{report}");
}

#[test]
fn decisions_are_recorded_as_audit_events() {
    let folder = folder("audit");
    let text =
        token(&json!({ "sub": "maya", "groups": ["payments", "ops"], "exp": 4_000_000_000_u32 }));
    let args = [
        "check",
        "--policy",
        "policy.json",
        "--operation",
        "write",
        "--topic",
        "payments-x",
        "--audit",
        "events.jsonl",
    ];
    let done = run_with(&folder, &args, "", Some(&text));
    assert_eq!(done.exit, 0, "{}", done.err);
    let written = fs::read_to_string(folder.path().join("events.jsonl")).unwrap();
    assert!(!written.contains(&text), "no credential is in an event");
    let events = lines(&written);
    assert_eq!(
        events
            .iter()
            .map(|event| event["class_uid"].clone())
            .collect::<Vec<_>>(),
        [json!(3002), json!(6003)]
    );
    let groups = |name: &str| json!({ "type": "idp_group", "name": name });
    assert_eq!(
        events[0]["user"]["groups"],
        json!([groups("payments"), groups("ops")])
    );
    assert_eq!(events[1]["actor"]["user"]["groups"][0], groups("payments"));
    let nowhere = run_with(
        &folder,
        &[&args[..7], &["--audit", "no/such/folder"]].concat(),
        "",
        Some(&text),
    );
    assert_eq!(nowhere.exit, 1, "what cannot be recorded is not decided");
    #[cfg(unix)]
    {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let path = folder.path().join("events.jsonl");
        let mode = || fs::metadata(&path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(), 0o600, "a new file is private");
        for (before, after) in [(0o644, 0o640), (0o604, 0o600)] {
            fs::set_permissions(&path, fs::Permissions::from_mode(before)).unwrap();
            assert_eq!(
                (run_with(&folder, &args, "", Some(&text)).exit, mode()),
                (0, after),
                "{before:o}"
            );
        }
        fs::set_permissions(&path, fs::Permissions::from_mode(0o666)).unwrap();
        let exposed = run_with(&folder, &args, "", Some(&text));
        assert_eq!(
            (exposed.exit, exposed.out.as_str()),
            (1, ""),
            "others may have written events"
        );
        assert!(
            exposed
                .err
                .contains("can be changed by other users; check its content, and run"),
            "{}",
            exposed.err
        );
        fs::rename(&path, folder.path().join("other.jsonl")).unwrap();
        symlink("other.jsonl", &path).unwrap();
        let linked = run_with(&folder, &args, "", Some(&text));
        assert!(
            linked.exit == 1 && linked.err.contains("is a link to another file"),
            "{}",
            linked.err
        );
    }
}

#[test]
fn who_can_names_whom_acls_concern_and_whom_they_block() {
    let folder = folder("who-can");
    let args = [
        "who-can",
        "--policy",
        "policy.json",
        "--operation",
        "write",
        "--topic",
        "payments-x",
    ];
    let text = run(&folder, &args);
    assert_eq!((text.exit, text.err.as_str()), (0, ""));
    assert!(
        text.out.starts_with(
            "Who can Write on topic payments-x\nSuperusers (ACLs are not evaluated): User:root\n"
        ),
        "{}",
        text.out
    );
    assert!(text.out.contains("Allowed  Group:payments"), "{}", text.out);
    assert!(
        text.out.contains("Denied   Group:read-only ")
            && text.out.contains("  denied by Group:read-only > Deny"),
        "{}",
        text.out
    );
    assert!(text.out.contains(
        "Denied, whatever else allows them, are users who are also one of these: Group:read-only"
    ));
    let json = run(&folder, &[&["--format", "json"], &args[..]].concat());
    let answer = &lines(&json.out)[0];
    assert_eq!(answer["denied_principals"], json!(["Group:read-only"]));
    assert_eq!(answer["entries"][0]["granted_by"]["role"], "Writers");
    let denied = run(
        &folder,
        &[
            "who-can",
            "--policy",
            "policy.json",
            "--operation",
            "alter",
            "--cluster",
        ],
    );
    assert!(
        denied
            .out
            .contains("No ACL applies: everyone else is denied."),
        "{}",
        denied.out
    );
}

#[test]
fn permissions_are_of_a_person_or_of_one_principal() {
    let folder = folder("permissions");
    let of = |who: &[&str]| {
        run(
            &folder,
            &[&["permissions", "--policy", "policy.json"], who].concat(),
        )
    };
    let person = of(&["--user", "alice", "--group", "payments"]);
    assert_eq!(person.exit, 0);
    assert!(
        person
            .out
            .contains("topic payments- prefixed      Write, Describe  *"),
        "{}",
        person.out
    );
    assert!(
        person
            .out
            .contains("transactional ID * all names  Write, Describe  10.0.0.7"),
        "{}",
        person.out
    );
    let group = of(&["--principal", "Group:payments"]);
    assert_eq!(
        group.out.replace("Group:payments", "User:alice"),
        person.out
    );
    assert!(
        of(&["--user", "root"])
            .out
            .contains("Superusers are allowed everything.")
    );
    assert!(
        of(&["--principal", "User:*"])
            .out
            .contains("No permissions")
    );
    let wrong = of(&["--principal", "Team:x"]);
    assert_eq!(wrong.exit, 64);
    assert!(wrong.err.contains("--principal"), "{}", wrong.err);
    let claims = token(&json!({ "sub": "eve", "groups": ["/a/payments"] }));
    let by_token = run_with(
        &folder,
        &["permissions", "--policy", "policy.json"],
        "",
        Some(&claims),
    );
    assert!(
        by_token.out.starts_with(
            "User:eve\nSignature not verified (no --jwks). Groups in the token: Group:payments.\n"
        ),
        "{}",
        by_token.out
    );
}

#[test]
fn an_allow_says_what_it_takes_for_granted() {
    let folder = folder("assumed");
    let text = token(&json!({ "sub": "eve", "groups": ["/a/payments"], "exp": 1_900_000_000 }));
    let ask = |flags: &[&str]| {
        let asked = [
            "check",
            "--policy",
            "policy.json",
            "--operation",
            "write",
            "--topic",
            "payments-x",
        ];
        run_with(&folder, &[&asked[..], flags].concat(), "", Some(&text))
    };
    let found = ask(&[]);
    assert_eq!(found.exit, 0, "{}", found.err);
    assert!(
        found
            .out
            .starts_with("Allowed, if the signature is valid: User:eve"),
        "{}",
        found.out
    );
    let value = &lines(&ask(&["--format", "json"]).out)[0];
    assert_eq!(
        (&value["outcome"], &value["assumed"]),
        (&json!("allow"), &json!(["signature", "issuer", "audience"]))
    );
    assert_eq!(ask(&["--require-verified"]).exit, 2);
    // A user given by name is taken as given, and nothing was verified.
    let by_name =
        |flags: &[&str]| ask(&[&["--user", "eve", "--group", "payments"], flags].concat());
    let named = by_name(&[]);
    assert!(named.out.starts_with("Allowed: "), "{}", named.out);
    assert_eq!(by_name(&["--require-verified"]).exit, 2);
    let value = &lines(&by_name(&["--format", "json"]).out)[0];
    assert_eq!(value["assumed"], Value::Null);
}

#[test]
fn requests_lists_what_check_knows() {
    let folder = folder("requests");
    let of = |words: &[&str]| run(&folder, &[&["requests"], words].concat());
    let all = of(&[]);
    for row in ["Kafka API", "Schema Registry", "HTTP Proxy", "OffsetCommit"] {
        assert!(all.out.contains(row), "{}", all.out);
    }
    let kafka = of(&["--api", "kafka", "offset"]);
    assert!(!kafka.out.contains("HTTP Proxy"), "{}", kafka.out);
    let one = of(&["OffsetCommit"]);
    assert_eq!(
        one.out.lines().collect::<Vec<_>>(),
        [
            "OffsetCommit, Kafka API: store a consumer group's offsets",
            "requires read on each consumer group and read on each topic",
            "check it with `gbac check --request offset-commit` and the names of its resources",
        ]
    );
    let one = of(&["init_producer_id"]);
    assert!(
        one.out
            .starts_with("InitProducerID, Kafka API: get a producer id")
            && one
                .out
                .contains("write on at least one topic, any if none is named")
            && one.out.contains("`gbac check --request init-producer-id`"),
        "{}",
        one.out
    );
    let near = of(&["OfsetComit"]);
    assert_eq!(near.exit, 64);
    assert!(
        near.err.contains("did you mean `OffsetCommit`"),
        "{}",
        near.err
    );
    assert_eq!(of(&["--api", "kafkaesque"]).exit, 64);
}

#[test]
fn a_request_without_names_asks_for_any_resource() {
    let folder = folder("any-resource");
    let prefixed = json!({
        "resource_type": "RESOURCE_TYPE_TOPIC", "resource_name": "orders-", "resource_pattern_type": "RESOURCE_PATTERN_TYPE_PREFIXED",
        "principal": "Group:eng", "host": "*", "operation": "OPERATION_WRITE", "permission_type": "PERMISSION_TYPE_ALLOW"
    });
    let mut denied = prefixed.clone();
    denied["resource_name"] = "orders".into();
    denied["permission_type"] = "PERMISSION_TYPE_DENY".into();
    let ask = |acls: &[&Value], format: &str| {
        folder.file(
            "any.json",
            &json!({ "version": 1, "acls": acls }).to_string(),
        );
        let flags = [
            "--user",
            "ana",
            "--group",
            "eng",
            "--request",
            "InitProducerId",
            "--format",
            format,
        ];
        run(
            &folder,
            &[&["check", "--policy", "any.json"], &flags[..]].concat(),
        )
    };
    let allowed = ask(&[&prefixed], "text");
    assert_eq!(allowed.exit, 0, "{}", allowed.out);
    assert!(allowed.out.contains("any topic"), "{}", allowed.out);
    let value = &lines(&ask(&[&prefixed], "json").out)[0];
    assert_eq!(value["checks"][1]["resource_name"], Value::Null, "{value}");
    assert_eq!(
        value["checks"][1]["decision"]["acl"]["resource_name"],
        "orders-"
    );
    let taken_back = ask(&[&prefixed, &denied], "json");
    assert_eq!(taken_back.exit, 2);
    let value = &lines(&taken_back.out)[0];
    assert_eq!(
        value["checks"][1]["decision"]["reason"], "deny_rule",
        "{value}"
    );
    assert_eq!(ask(&[], "text").exit, 2);
}

#[test]
fn least_grant_tells_what_is_missing_or_what_is_in_the_way() {
    let folder = folder("least-grant");
    let of = |words: &[&str]| {
        run(
            &folder,
            &[
                &["least-grant", "--policy", "policy.json", "--user", "alice"],
                words,
            ]
            .concat(),
        )
    };
    let missing = of(&["--operation", "write", "--topic", "payments-x"]);
    assert_eq!(missing.exit, 0);
    assert!(
        missing
            .out
            .contains("one is enough. Each grants all that is listed below it:\n  Role:Writers\n    Opens topics that begin with payments-\n    OPERATIONS       RESOURCE "),
        "{}",
        missing.out
    );
    assert!(
        missing.out.contains(
            "Narrowest: a new ACL\n  User:alice > Allow Write, topic payments-x literal\n  Opens one topic, payments-x\n"
        ),
        "{}",
        missing.out
    );
    let written = of(&[
        "--operation",
        "write",
        "--topic",
        "payments-x",
        "--format",
        "json",
    ]);
    let value: Value = serde_json::from_str(&written.out).expect("JSON");
    assert_eq!(value["breadth"], json!(["prefix", "every_name"]), "{value}");
    let denied = of(&[
        "--group",
        "read-only",
        "--operation",
        "write",
        "--topic",
        "payments-x",
    ]);
    assert!(
        denied
            .out
            .contains("Remove it first. A deny is usually deliberate: ask "),
        "{}",
        denied.out
    );
    let allowed = of(&[
        "--group",
        "payments",
        "--operation",
        "write",
        "--topic",
        "payments-x",
    ]);
    assert!(
        allowed.out.ends_with("Already allowed.\n"),
        "{}",
        allowed.out
    );
    let request = of(&[
        "--request",
        "Produce",
        "--topic",
        "payments-x",
        "--transactional-id",
        "t",
    ]);
    assert!(
        request
            .out
            .contains("Allow Write, transactional ID t literal"),
        "{}",
        request.out
    );
    let expired = token(&json!({ "sub": "eve", "exp": 1 }));
    let args = [
        "least-grant",
        "--policy",
        "policy.json",
        "--operation",
        "write",
        "--topic",
        "payments-x",
    ];
    let late = run_with(&folder, &args, "", Some(&expired));
    assert!(
        late.out.contains("The token has expired. Get a new token."),
        "{}",
        late.out
    );
}

#[test]
fn policies_are_validated_linted_and_compared() {
    let folder = folder("policy");
    folder.file(
        "bad.json",
        &POLICY
            .replace("10.0.0.7", "10.0.0.0/8")
            .replace("Role:Writers", "Team:x"),
    );
    let both = run(&folder, &["policy", "validate", "policy.json", "bad.json"]);
    assert_eq!(both.exit, 1);
    assert!(
        both.out
            .starts_with("policy.json: valid, 3 ACLs and 1 role\nbad.json: 2 problems\n"),
        "{}",
        both.out
    );
    assert!(
        both.out.contains("/acls/0/principal: ") && both.out.contains("/acls/2/host: "),
        "{}",
        both.out
    );

    folder.file(
        "odd.json",
        &POLICY.replace("\"Group:read-only\"", "\"Role:nobody\""),
    );
    let lint = |words: &[&str]| run(&folder, &[&["policy", "lint", "odd.json"], words].concat());
    let findings = lint(&[]);
    assert_eq!(findings.exit, 0, "{}", findings.out);
    assert!(
        findings.out.contains("warning role_missing: "),
        "{}",
        findings.out
    );
    assert_eq!(lint(&["--fail-on", "warning"]).exit, 1);
    assert_eq!(lint(&["--fail-on", "never"]).exit, 0);
    assert_eq!(
        run(
            &folder,
            &["policy", "lint", "policy.json", "--fail-on", "notice"]
        )
        .out,
        "No findings.\n"
    );

    // Too much access is said with how much it opens.
    folder.file(
        "open.json",
        &POLICY
            .replace("\"Role:Writers\", \"host\"", "\"User:*\", \"host\"")
            .replacen(
                "payments-\", \"resource_pattern_type\": \"RESOURCE_PATTERN_TYPE_PREFIXED",
                "*\", \"resource_pattern_type\": \"RESOURCE_PATTERN_TYPE_LITERAL",
                1,
            ),
    );
    let open = run(&folder, &["policy", "lint", "open.json"]);
    assert!(open.out.contains("\n  Opens every topic\n"), "{}", open.out);
    let open = run(
        &folder,
        &["policy", "lint", "open.json", "--format", "json"],
    );
    assert!(
        open.out.contains("\"breadth\":\"every_name\""),
        "{}",
        open.out
    );

    folder.file("later.json", &POLICY.replace("\"OPERATION_WRITE\", \"permission_type\": \"PERMISSION_TYPE_ALLOW\" },\n    { \"resource_type\": \"RESOURCE_TYPE_TOPIC\"", "\"OPERATION_READ\", \"permission_type\": \"PERMISSION_TYPE_ALLOW\" },\n    { \"resource_type\": \"RESOURCE_TYPE_TOPIC\""));
    let diff = run(
        &folder,
        &["policy", "diff", "policy.json", "later.json", "--exit-code"],
    );
    assert_eq!(diff.exit, 1);
    assert!(
        diff.out.contains("both grants and removes access"),
        "{}",
        diff.out
    );
    assert!(
        diff.out.contains("Group:payments  Loses   Write"),
        "{}",
        diff.out
    );
    let equal = run(
        &folder,
        &[
            "policy",
            "diff",
            "policy.json",
            "policy.json",
            "--exit-code",
        ],
    );
    assert_eq!(
        (equal.exit, equal.out.as_str()),
        (0, "The policies are identical.\n")
    );
    assert!(
        diff.out.starts_with("Adds (1):\n  Add Allow Read"),
        "{}",
        diff.out
    );
    // Another text with the same access is not identical.
    folder.file(
        "role.json",
        &POLICY.replacen("\"roles\": [", "\"roles\": [{ \"name\": \"unused\" }, ", 1),
    );
    let same = run(
        &folder,
        &["policy", "diff", "policy.json", "role.json", "--exit-code"],
    );
    let added = "Adds (1):\n  Create Role:unused\nNo change in effective access.\n";
    assert_eq!((same.exit, same.out.as_str()), (0, added));
    let one = run(&folder, &["policy", "diff", "policy.json"]);
    assert!(
        one.exit == 64 && one.err.contains("`gbac policy diff --online FILE`"),
        "{}",
        one.err
    );
}

#[test]
fn wrong_usage_exits_with_64() {
    let folder = folder("usage");
    for args in [
        &["chek"][..],
        &["check"],
        &[
            "check",
            "--policy",
            "policy.json",
            "--user",
            "u",
            "--operation",
            "wirte",
            "--topic",
            "x",
        ],
        &[
            "check",
            "--policy",
            "policy.json",
            "--user",
            "u",
            "--operation",
            "read",
        ],
        &[
            "check",
            "--policy",
            "policy.json",
            "--user",
            "u",
            "--operation",
            "read",
            "--topic",
            "x",
            "--host",
            "here",
        ],
        &[
            "check",
            "--policy",
            "policy.json",
            "--user",
            "u",
            "--group",
            "g",
            "--operation",
            "read",
            "--topic",
            "a",
            "--topic",
            "b",
        ],
    ] {
        let done = run(&folder, args);
        assert_eq!(done.exit, 64, "{args:?}: {}{}", done.out, done.err);
        assert!(!done.err.is_empty(), "{args:?}");
    }
    assert_eq!(run(&folder, &["--help"]).exit, 0);
    assert_eq!(
        run(
            &folder,
            &[
                "check",
                "--policy",
                "missing.json",
                "--user",
                "u",
                "--operation",
                "read",
                "--topic",
                "x"
            ]
        )
        .exit,
        1
    );
}

#[test]
fn names_cannot_play_with_the_terminal() {
    let folder = folder("escape");
    let args = [
        "check",
        "--policy",
        "policy.json",
        "--user",
        "a\u{1b}[31mb",
        "--group",
        "x\u{202e}y",
        "--operation",
        "read",
        "--topic",
        "t\n",
    ];
    let done = run(&folder, &args);
    assert!(
        !done.out.contains('\u{1b}') && !done.out.contains('\u{202e}'),
        "{:?}",
        done.out
    );
}

#[test]
fn a_member_of_a_role_that_is_nearly_the_group_is_told() {
    let folder = folder("near-member");
    let ask = |group: &str| {
        run(
            &folder,
            &[
                "check",
                "--policy",
                "policy.json",
                "--user",
                "ana",
                "--group",
                group,
                "--operation",
                "write",
                "--topic",
                "payments-x",
            ],
        )
    };
    for (group, by) in [
        ("Payments", "letter case"),
        ("payments/", "leading or trailing slashes"),
    ] {
        let denied = ask(group);
        assert_eq!(denied.exit, 2, "{}", denied.err);
        assert!(
            denied
                .out
                .contains(&format!("near miss: {by} of a role member")),
            "{}",
            denied.out
        );
        assert!(
            denied.out.contains("Group:payments > Role:Writers"),
            "{}",
            denied.out
        );
    }
    assert!(!ask("payment").out.contains("near miss"));
    assert_eq!(ask("payments").exit, 0);
}
