//! Tests of the commands that read a token: from where it comes, what it says, and what is missing.

use crate::cli::{folder, lines, run, run_with, token};
use serde_json::{Value, json};

#[test]
fn a_token_comes_from_a_file_standard_input_or_the_environment() {
    let folder = folder("token");
    let text =
        token(&json!({ "sub": "maya", "groups": ["/eng/payments"], "exp": 4_000_000_000_u32 }));
    let base = [
        "check",
        "--policy",
        "policy.json",
        "--operation",
        "write",
        "--topic",
        "payments-x",
    ];
    folder.file("token.jwt", &format!("Bearer {text}\n"));
    let from_file = run(
        &folder,
        &[&base[..], &["--token-file", "token.jwt"]].concat(),
    );
    let from_input = run_with(
        &folder,
        &[&base[..], &["--token-file", "-"]].concat(),
        &text,
        None,
    );
    let from_environment = run_with(&folder, &base, "", Some(&text));
    for done in [from_file, from_input, from_environment] {
        assert_eq!(done.exit, 0, "{}{}", done.out, done.err);
        assert!(
            done.out
                .contains("groups[0] > Group:payments > Role:Writers"),
            "{}",
            done.out
        );
        assert!(done.out.contains("not verified"), "{}", done.out);
    }
    let none = run(&folder, &base);
    assert_eq!(none.exit, 64);
    assert!(none.err.contains("GBAC_CHECK_TOKEN"), "{}", none.err);
    let expired = token(&json!({ "sub": "maya", "groups": ["payments"], "exp": 1000 }));
    let done = run_with(&folder, &base, "", Some(&expired));
    assert_eq!(done.exit, 2);
    assert!(
        done.out.starts_with("Denied, the token has expired"),
        "{}",
        done.out
    );
}

#[test]
fn a_json_list_is_no_token() {
    let folder = folder("list");
    for list in [r#"["eng", "ops"]"#, "[1,2]", "[]"] {
        for command in [&["token", "inspect", "-"][..], &["doctor", "-"][..]] {
            let done = run_with(&folder, command, list, None);
            assert_ne!(done.exit, 0);
            let expected = "this is a JSON list; paste the claims as an object, or a token";
            assert!(done.err.contains(expected), "{list}: {}", done.err);
        }
    }
}

#[test]
fn a_denial_without_the_groups_of_the_token_does_not_suggest_a_grant() {
    let folder = folder("unknown-groups");
    let hint_of = |claims: Value| {
        let args = [
            "check",
            "--policy",
            "policy.json",
            "--operation",
            "write",
            "--topic",
            "payments-x",
        ];
        let done = run_with(&folder, &args, "", Some(&token(&claims)));
        assert_eq!(done.exit, 2, "{}", done.err);
        done.out.lines().last().unwrap_or_default().to_owned()
    };
    let exp = 4_000_000_000_u32;
    let overage = json!({ "sub": "ines", "exp": exp, "_claim_names": { "groups": "src1" } });
    assert_eq!(
        hint_of(overage),
        "The groups of this user are unknown: the token must contain them. In Entra ID, this happens above 200 groups."
    );
    assert_eq!(
        hint_of(json!({ "sub": "ines", "exp": exp, "groups": { "eng": true } })),
        "The groups of this user are unknown. `gbac doctor` finds the cause."
    );
    let known = hint_of(json!({ "sub": "ines", "exp": exp, "groups": ["other"] }));
    assert!(known.contains("gbac least-grant"), "{known}");
}

#[test]
fn inspect_shows_groups_and_warnings() {
    let folder = folder("inspect");
    folder.file(
        "claims.json",
        r#"{"sub":"maya","groups":["/eng/payments","/contractors/payments"]}"#,
    );
    let done = run(
        &folder,
        &[
            "token",
            "inspect",
            "--claims",
            "claims.json",
            "--nested",
            "suffix",
            "--format",
            "json",
        ],
    );
    assert_eq!(done.exit, 0, "{}", done.err);
    let value = &lines(&done.out)[0];
    assert_eq!(value["user"], "maya");
    assert_eq!(value["verified"], false);
    assert_eq!(
        value["groups"],
        json!([{ "name": "payments", "raw": "/eng/payments", "location": "groups[0]" }])
    );
    assert!(
        value["warnings"]
            .as_array()
            .unwrap()
            .iter()
            .any(|warning| warning["code"] == "suffix_collision")
    );
    let text = run(
        &folder,
        &[
            "token",
            "inspect",
            "--claims",
            "claims.json",
            "--claim-path",
            "$.roles",
        ],
    );
    assert!(
        text.out.contains("--claim-path '$.groups'"),
        "another path is suggested: {}",
        text.out
    );
    assert!(text.out.contains("expires    never"), "{}", text.out);
    let bad = run(
        &folder,
        &[
            "token",
            "inspect",
            "--claims",
            "claims.json",
            "--claim-path",
            "$[",
        ],
    );
    assert_eq!(bad.exit, 64, "a value that cannot be read is wrong usage");
    assert!(bad.err.contains("--claim-path"), "{}", bad.err);
}

#[test]
fn inspect_says_when_a_token_expired_and_that_user_info_is_not_read() {
    let folder = folder("inspect-expiry");
    folder.file("userinfo.json", r#"{"sub":"maya","groups":["eng"]}"#);
    let inspect = |claims: &str, format: &str| {
        folder.file("claims.json", claims);
        run(
            &folder,
            &[
                "token",
                "inspect",
                "--claims",
                "claims.json",
                "--userinfo",
                "userinfo.json",
                "--format",
                format,
            ],
        )
    };
    let expired = inspect(r#"{"sub":"maya","exp":1600000000}"#, "text");
    assert!(expired.out.contains("   expired    "), "{}", expired.out);
    assert!(
        expired.err.contains("userinfo.json is not read") && expired.err.contains("--sso"),
        "{}",
        expired.err
    );
    let value = &lines(&inspect(r#"{"sub":"maya","exp":1600000000}"#, "json").out)[0];
    assert_eq!(
        (&value["expires_at"], &value["expired"]),
        (&json!(1_600_000_000.0), &json!(true))
    );
    let unreadable = inspect(r#"{"sub":"maya","exp":"soon"}"#, "text");
    assert!(
        unreadable.out.contains("counts as expired"),
        "{}",
        unreadable.out
    );
}
