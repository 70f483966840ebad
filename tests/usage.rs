//! Tests of mistyped arguments: lists, inputs, tokens in the wrong place, closed pipes.

use std::fs;
use std::io::Read;
use std::process::Stdio;

use crate::support::program::{self, Run};
use gbac_tests::folder::Folder;
use gbac_tests::samples::{POLICY, TOKEN};
use serde_json::{Value, json};

fn run_with(folder: &Folder, args: &[String], stdin: &str) -> Run {
    let mut command = program::command();
    command.args(args);
    program::run(command, folder.path(), stdin)
}

fn own(args: &[&str]) -> Vec<String> {
    args.iter().map(|arg| (*arg).to_owned()).collect()
}

fn run(folder: &Folder, args: &[&str]) -> Run {
    run_with(folder, &own(args), "")
}

fn folder(test: &str) -> Folder {
    let folder = Folder::new(&format!("usage-{test}"));
    folder.file("policy.json", POLICY);
    folder
}

#[test]
fn lists_are_split_at_commas_in_every_command() {
    let folder = folder("lists");
    let base = [
        "check",
        "--policy",
        "policy.json",
        "--user",
        "u",
        "--operation",
        "write",
        "--topic",
        "orders",
        "--group",
    ];
    let ask = |groups: &[&str]| run(&folder, &[&base[..], groups].concat());
    assert_eq!(ask(&["ops,eng"]).exit, 0, "two groups");
    let denied = ask(&["eng,interns"]);
    assert!(
        denied.exit == 2 && denied.out.starts_with("Denied by rule"),
        "a deny is never lost in a list: {}",
        denied.out
    );
    assert_eq!(ask(&["eng", "--group", "interns"]).exit, 2);
    let read = |group: &str| {
        let args = [
            "check",
            "--policy",
            "policy.json",
            "--user",
            "u",
            "--operation",
            "read",
            "--topic",
            "orders",
            "--group",
            group,
        ];
        run(&folder, &args)
    };
    assert_eq!(read("\"CN=a,OU=b\"").exit, 0, "a quoted name is one");
    let cut = read("CN=a,OU=b");
    assert_eq!(cut.exit, 64);
    assert!(
        cut.err.contains("for one name, quote it: '\"CN=a,OU=b\"'"),
        "{}",
        cut.err
    );
    for (args, says) in [
        (
            vec![
                "what-if",
                "--policy",
                "policy.json",
                "--user",
                "u",
                "--add-to-group",
                "eng,ops",
            ],
            "Groups gained: Group:eng and Group:ops",
        ),
        (
            vec![
                "what-if",
                "--policy",
                "policy.json",
                "--user",
                "u",
                "--group",
                "a,b",
                "--remove-from-group",
                "a,b",
            ],
            "Groups lost: Group:a and Group:b",
        ),
        (
            vec![
                "compare",
                "--policy",
                "policy.json",
                "--user",
                "u",
                "--other-user",
                "v",
                "--other-group",
                "eng,ops",
            ],
            "Groups of User:v only: Group:eng and Group:ops",
        ),
        (
            vec![
                "collisions",
                "--policy",
                "policy.json",
                "--nested",
                "suffix",
                "--name",
                "/a/eng,/b/x",
            ],
            "/a/eng (in the token)",
        ),
        (
            vec![
                "check",
                "--policy",
                "policy.json",
                "--user",
                "u",
                "--request",
                "Produce",
                "--topic",
                "orders,other",
                "--transactional-id",
                "\"tx,1\"",
            ],
            "transactional ID tx,1",
        ),
    ] {
        let done = run(&folder, &args);
        assert!(
            done.out.contains(says),
            "{args:?}: {}{}",
            done.out,
            done.err
        );
    }
    folder.file("claims.json", r#"{ "sub": "u", "groups": ["eng"] }"#);
    let doctor = run(
        &folder,
        &[
            "doctor",
            "--claims",
            "claims.json",
            "--expect-group",
            "eng,ops",
            "--format",
            "json",
        ],
    );
    assert!(
        doctor.out.contains("`ops`") && !doctor.out.contains("`eng,ops`"),
        "{}",
        doctor.out
    );
    let two = run(
        &folder,
        &[
            "check",
            "--policy",
            "policy.json",
            "--user",
            "u",
            "--operation",
            "read",
            "--topic",
            "a,b",
        ],
    );
    assert!(
        two.exit == 64 && two.err.contains("more than one resource given"),
        "{}",
        two.err
    );
    for command in ["check", "what-if", "compare", "collisions", "doctor"] {
        let help = run(&folder, &[command, "--help"]).out;
        assert!(
            help.contains("'\"a,b\"'"),
            "the quoting rule is in the help of {command}: {help}"
        );
    }
}

#[test]
fn a_second_principal_without_a_type_is_refused() {
    let folder = folder("principals");
    for (command, flag) in [
        (
            &[
                "security",
                "acl",
                "create",
                "--operation",
                "read",
                "--topic",
                "x",
            ][..],
            "--allow-principal",
        ),
        (&["security", "acl", "list"], "--deny-principal"),
        (&["security", "role", "assign", "r"], "--principal"),
    ] {
        let done = run(&folder, &[command, &[flag, "User:CN=foo, OU=bar"]].concat());
        assert_eq!(done.exit, 64, "{command:?}: {}", done.err);
        assert!(
            done.err
                .contains("quote the whole name: '\"User:CN=foo, OU=bar\"'"),
            "{}",
            done.err
        );
    }
    // A distinguished name without a type and without quotes would become several users.
    let dn = "C=FR,O=shop,CN=till";
    for (command, flag) in [
        (
            &[
                "security",
                "acl",
                "create",
                "--operation",
                "all",
                "--topic",
                "x",
            ][..],
            "--allow-principal",
        ),
        (
            &[
                "security",
                "acl",
                "create",
                "--operation",
                "all",
                "--topic",
                "x",
            ],
            "--deny-principal",
        ),
        (&["security", "acl", "list"], "--allow-principal"),
        (
            &["security", "acl", "delete", "--no-confirm"],
            "--deny-principal",
        ),
        (&["security", "role", "assign", "r"], "--principal"),
        (&["security", "role", "unassign", "r"], "--principal"),
        (
            &["what-if", "--policy", "policy.json", "--user", "u"],
            "--add-to-group",
        ),
        (
            &[
                "least-grant",
                "--policy",
                "policy.json",
                "--user",
                "u",
                "--operation",
                "read",
                "--topic",
                "x",
            ],
            "--group",
        ),
        (
            &[
                "revoke",
                "--policy",
                "policy.json",
                "--user",
                "u",
                "--operation",
                "read",
                "--topic",
                "x",
            ],
            "--group",
        ),
        (&["collisions", "--policy", "policy.json"], "--name"),
    ] {
        for value in [dn, "alice,CN=till", "CN=till,alice"] {
            let done = run(&folder, &[command, &[flag, value]].concat());
            assert_eq!(
                done.exit, 64,
                "{command:?} {value}: {}{}",
                done.out, done.err
            );
            assert!(
                done.err.contains(&format!("'\"{value}\"'")),
                "{command:?}: {}",
                done.err
            );
        }
    }
}

#[test]
fn values_and_inputs_that_cannot_be_read_are_wrong_usage() {
    let folder = folder("values");
    folder.file("empty.jsonl", "\n \n");
    folder.file("claims.json", r#"{ "sub": "u" }"#);
    let check = ["check", "--policy", "policy.json"];
    for (args, says) in [
        (
            vec!["check", "--policy", "-", "--checks", "-"],
            "`-` is used for two inputs",
        ),
        (
            vec![
                "check",
                "--policy",
                "-",
                "--token-file",
                "-",
                "--operation",
                "read",
                "--topic",
                "x",
            ],
            "`-` is used for two inputs",
        ),
        (
            vec!["policy", "diff", "-", "-"],
            "`-` is used for two inputs",
        ),
        (
            vec!["policy", "validate", "-", "-"],
            "`-` is used for two inputs",
        ),
        (
            vec!["token", "inspect", "-", "--userinfo", "-"],
            "`-` is used for two inputs",
        ),
        (
            vec!["doctor", "-", "--policy", "-"],
            "`-` is used for two inputs",
        ),
        (
            [&check[..], &["--checks", "empty.jsonl"]].concat(),
            "there are no checks in empty.jsonl",
        ),
        (
            [&check[..], &["--checks", "-"]].concat(),
            "there are no checks in -",
        ),
        (
            vec![
                "token",
                "inspect",
                "--claims",
                "claims.json",
                "--claim-path",
                "groups",
            ],
            "--claim-path: ",
        ),
        (
            vec![
                "token",
                "inspect",
                "--claims",
                "claims.json",
                "--nested",
                "deep",
            ],
            "--nested: ",
        ),
        (
            vec!["doctor", "--claims", "claims.json", "--claim-path", "$["],
            "--claim-path: ",
        ),
        (
            vec!["doctor", "--claims", "claims.json", "--nested", ""],
            "--nested: ",
        ),
        (
            vec!["collisions", "--policy", "policy.json", "--nested", "all"],
            "--nested: ",
        ),
        (
            vec![
                "token",
                "inspect",
                "--claims",
                "claims.json",
                "--principal-mapping",
                "sub",
            ],
            "--principal-mapping: ",
        ),
        (
            [
                &check[..],
                &[
                    "--user",
                    "u",
                    "--operation",
                    "read",
                    "--topic",
                    "x",
                    "--at",
                    "soon",
                ],
            ]
            .concat(),
            "--at",
        ),
        (
            vec!["import", "policy.json", "--no-confirm", "--exit-code"],
            "--dry-run",
        ),
        (
            vec!["serve", "--data", "d", "--listen", "nowhere"],
            "is not an address",
        ),
        (
            vec!["serve", "--data", "d", "--listen", "0.0.0.0:0"],
            "--tls-cert",
        ),
        (vec!["serve", "--demo", "--listen", "0.0.0.0:0"], "loopback"),
        (
            vec!["serve", "--data", "d", "--admin-user", "a:b"],
            "--admin-user",
        ),
        (
            vec![
                "serve",
                "--data",
                "d",
                "--oidc-discovery-url",
                "http://idp.example",
            ],
            "--oidc-discovery-url",
        ),
        (
            vec!["serve", "--data", "d", "--oidc-audience", ""],
            "--oidc-audience",
        ),
        (vec!["serve", "--demo", "--public-url", "here"], "`here`"),
        (
            vec!["serve", "--demo", "--upstream-admin", "here"],
            "--upstream-",
        ),
    ] {
        // Standard input contains one document for the first reader.
        let done = run_with(
            &folder,
            &own(&args),
            if args.contains(&"empty.jsonl")
                || args[..] == [check[0], check[1], check[2], "--checks", "-"]
            {
                ""
            } else {
                POLICY
            },
        );
        assert_eq!(done.exit, 64, "{args:?}: {}{}", done.out, done.err);
        assert!(
            done.err.starts_with("error: ") && done.err.contains(says),
            "{args:?}: {}",
            done.err
        );
    }
    // Two inputs from standard input are refused before the first one is read.
    let empty = run(&folder, &["check", "--policy", "-", "--checks", "-"]);
    assert!(
        empty.exit == 64 && empty.err.contains("`-` is used for two inputs"),
        "{}",
        empty.err
    );
}

#[test]
fn a_token_in_the_place_of_a_file_is_never_repeated() {
    let folder = folder("token");
    let equals = format!("--token-file={TOKEN}");
    let bearer = format!("Bearer {TOKEN}");
    let role = format!("r={TOKEN}");
    let cut = &TOKEN[..60];
    for args in [
        vec!["token", "inspect", TOKEN],
        vec!["token", "inspect", cut],
        vec!["doctor", TOKEN],
        vec![
            "check",
            "--policy",
            "policy.json",
            "--token-file",
            TOKEN,
            "--operation",
            "read",
            "--topic",
            "x",
        ],
        vec![
            "check",
            "--policy",
            "policy.json",
            &equals,
            "--operation",
            "read",
            "--topic",
            "x",
        ],
        vec![
            "check",
            "--policy",
            TOKEN,
            "--user",
            "u",
            "--operation",
            "read",
            "--topic",
            "x",
        ],
        vec!["check", "--policy", "policy.json", "--checks", TOKEN],
        vec![
            "check",
            "--policy",
            "policy.json",
            "--user",
            "u",
            "--operation",
            TOKEN,
        ],
        vec!["policy", "import", "--role", &role],
        vec!["policy", "diff", TOKEN, TOKEN],
        vec!["import", TOKEN],
        vec!["export", "--out", TOKEN],
        vec!["test", TOKEN],
        vec!["security", "role", "create", TOKEN],
        vec!["export", "--url", TOKEN],
        vec!["export", "--profile", TOKEN],
        vec!["export", "--token-file", &bearer],
        vec!["serve", "--demo", "--listen", TOKEN],
        // Errors of clap itself.
        vec![TOKEN],
        vec!["check", TOKEN],
        vec!["--format", TOKEN, "profile", "list"],
        vec!["completions", TOKEN],
        vec!["profile", "list", TOKEN],
    ] {
        for format in ["text", "json"] {
            let done = run(&folder, &[&args[..], &["--format", format]].concat());
            assert_eq!(done.exit, 64, "{args:?}: {}", done.err);
            let output = format!("{}{}", done.out, done.err);
            for part in TOKEN.split('.') {
                assert!(!output.contains(&part[..12]), "{args:?}: {output}");
            }
            assert!(
                done.err
                    .contains("is an access token, and arguments show in process lists"),
                "{args:?}: {}",
                done.err
            );
        }
    }
    // In a place that messages quote.
    folder.file(
        "bad.json",
        &json!({ "version": 1, "settings": { "superusers": [format!("User:{TOKEN}")] }, "acls": [TOKEN] }).to_string(),
    );
    folder.file(
        "bad.jsonl",
        &format!(
            "{}\n",
            json!({ "identity": TOKEN, "claims": TOKEN, "operation": TOKEN })
        ),
    );
    for args in [
        &["policy", "validate", "bad.json"][..],
        &["check", "--policy", "policy.json", "--checks", "bad.jsonl"],
        &["import", "bad.json"],
    ] {
        let done = run(&folder, args);
        let output = format!("{}{}", done.out, done.err);
        assert!(
            done.exit == 1 && !output.contains("eyJhbGci"),
            "{args:?}: {output}"
        );
    }
    let password = run(
        &folder,
        &["export", "--url", "https://me:hunter2 x@gbac.example"],
    );
    assert!(
        password.exit == 64 && !password.err.contains("hunter2"),
        "{}",
        password.err
    );
}

#[test]
fn a_closed_pipe_is_silent() {
    let folder = folder("pipe");
    let many: String = (0..20_000)
        .map(|n| format!("{}\n", json!({ "id": n, "identity": { "user": "u" }, "operation": "read", "resource_type": "topic", "resource_name": "x" })))
        .collect();
    folder.file("many.jsonl", &many);
    let acls: Vec<Value> = (0..3000)
        .map(|n| json!({ "resource_type": "RESOURCE_TYPE_TOPIC", "resource_name": format!("t{n}"), "resource_pattern_type": "RESOURCE_PATTERN_TYPE_LITERAL",
            "principal": format!("Group:g{n}"), "host": "*", "operation": "OPERATION_READ", "permission_type": "PERMISSION_TYPE_ALLOW" }))
        .collect();
    folder.file(
        "large.json",
        &json!({ "version": 1, "acls": acls }).to_string(),
    );
    for format in ["text", "json", "yaml"] {
        for args in [
            &["check", "--policy", "policy.json", "--checks", "many.jsonl"][..],
            &["policy", "convert", "large.json"],
            &["policy", "import", "large.json"],
            &["policy", "lint", "large.json"],
            &["policy", "diff", "policy.json", "large.json"],
            &[
                "permissions",
                "--policy",
                "large.json",
                "--user",
                "u",
                "--group",
                "g1",
            ],
            &["completions", "zsh"],
            &["--help"],
            &["check", "--help"],
            &["--version"],
            &["check"],
            &["policy", "validate", "missing.json"],
        ] {
            for closed in ["out", "err"] {
                let mut command = program::process();
                command
                    .args(args)
                    .args(["--format", format])
                    .current_dir(folder.path())
                    .stdin(Stdio::null());
                let mut child = command
                    .stdout(Stdio::piped())
                    .stderr(Stdio::piped())
                    .spawn()
                    .expect("gbac starts");
                let (out, err) = (
                    child.stdout.take().expect("a pipe"),
                    child.stderr.take().expect("a pipe"),
                );
                let mut output = String::new();
                if closed == "out" {
                    drop(out);
                    let mut err = err;
                    err.read_to_string(&mut output).expect("text");
                } else {
                    drop(err);
                    let mut out = out;
                    // The output is irrelevant.
                    let _ = out.read_to_end(&mut Vec::new());
                }
                let exit = child
                    .wait()
                    .expect("gbac ends")
                    .code()
                    .expect("gbac ends by itself");
                assert!([0, 1, 2, 64].contains(&exit), "{args:?} {closed}: {exit}");
                for word in ["panicked", "Broken pipe", "standard output"] {
                    assert!(
                        !output.contains(word),
                        "{args:?} {format} {closed}: {output}"
                    );
                }
            }
        }
    }
}

#[test]
fn a_line_break_is_a_line_break() {
    let folder = folder("junit");
    folder.file(
        "bad.json",
        r#"{ "version": 1, "policy": { "version": 2, "rolls": [] }, "tests": [] }"#,
    );
    let failing = json!({ "version": 1, "policy": serde_json::from_str::<Value>(POLICY).expect("JSON"), "tests": [
        { "name": "two\nlines <&>", "check": { "identity": { "user": "u" }, "operation": "read", "resource_type": "topic", "resource_name": "x" },
          "expect": { "outcome": "allow" } }] });
    folder.file("failing.json", &failing.to_string());
    let done = run(
        &folder,
        &["test", "bad.json", "failing.json", "--junit", "report.xml"],
    );
    assert_eq!(done.exit, 1);
    assert!(
        done.out.contains("bad.json:\n  /policy/version: "),
        "{}",
        done.out
    );
    assert!(
        !done.out.contains("\\n  ") && done.out.contains("two\\nlines"),
        "{}",
        done.out
    );
    let report = fs::read_to_string(folder.path().join("report.xml")).expect("a report");
    assert!(
        !report.contains("\\n") && !report.contains("\\u{a}"),
        "{report}"
    );
    assert!(
        report.contains("message=\"bad.json:&#10;  /policy/version: "),
        "{report}"
    );
    assert!(
        report.contains(">bad.json:\n  /policy/version: "),
        "{report}"
    );
    assert!(
        report.contains("name=\"two&#10;lines &lt;&amp;&gt;\""),
        "{report}"
    );
}

#[test]
fn a_member_named_asterisk_is_not_everyone() {
    let folder = folder("asterisk");
    let who = [
        "who-can",
        "--policy",
        "policy.json",
        "--operation",
        "write",
        "--topic",
        "orders",
    ];
    let text = run(&folder, &who).out;
    assert!(
        text.contains("User:* (the user named `*`)") && !text.contains("(everyone)"),
        "{text}"
    );
    assert!(text.contains("Everyone else is denied."), "{text}");
    let value: Value =
        serde_json::from_str(&run(&folder, &[&who[..], &["--format", "json"]].concat()).out)
            .expect("JSON");
    let entry = value["entries"]
        .as_array()
        .expect("entries")
        .iter()
        .find(|entry| entry["principal"] == "User:*")
        .expect("the user");
    assert_eq!(
        (entry.get("everyone"), &entry["literal"]),
        (None, &json!(true)),
        "{entry}"
    );
    folder.file(
        "everyone.json",
        &POLICY.replace("\"Role:Writers\"", "\"User:*\""),
    );
    let who = [
        "who-can",
        "--policy",
        "everyone.json",
        "--operation",
        "write",
        "--topic",
        "orders",
    ];
    assert!(run(&folder, &who).out.contains("User:* (everyone)"));
    let value: Value =
        serde_json::from_str(&run(&folder, &[&who[..], &["--format", "json"]].concat()).out)
            .expect("JSON");
    assert_eq!(value["entries"][0]["everyone"], true, "{value}");
}

#[test]
fn a_group_is_one_of_the_user_and_never_read_as_a_consumer_group() {
    let folder = folder("groups");
    let check = ["check", "--policy", "policy.json", "--operation", "write"];
    let user = ["--user", "u"];
    let allowed = run(
        &folder,
        &[&check[..], &user, &["--topic", "orders", "--group", "eng"]].concat(),
    );
    assert_eq!(allowed.exit, 0, "{}{}", allowed.out, allowed.err);
    let old = run(
        &folder,
        &[
            &check[..],
            &user,
            &["--topic", "orders", "--member-of", "eng"],
        ]
        .concat(),
    );
    assert_eq!(
        (old.exit, &old.out),
        (0, &allowed.out),
        "the old name is the same"
    );
    let resource = run(
        &folder,
        &[&check[..], &user, &["--consumer-group", "eng"]].concat(),
    );
    assert!(
        resource.exit == 2 && resource.out.contains("consumer group eng"),
        "{}{}",
        resource.out,
        resource.err
    );
    // What used to be a consumer group is refused, and the hint has the new name.
    let before = run(&folder, &[&check[..], &user, &["--group", "eng"]].concat()).failed(64);
    assert!(before.contains("--consumer-group"), "{before}");
    for command in ["check", "least-grant", "revoke", "what-if"] {
        let args = [
            command,
            "--policy",
            "policy.json",
            "--operation",
            "write",
            "--topic",
            "orders",
            "--group",
            "eng",
        ];
        let refused = run(&folder, &args).failed(64);
        assert!(
            refused.contains("there is no --user") && refused.contains("--consumer-group"),
            "{command}: {refused}"
        );
    }
    let principal = [
        "permissions",
        "--policy",
        "policy.json",
        "--principal",
        "Role:Writers",
        "--group",
        "eng",
    ];
    assert!(
        run(&folder, &principal)
            .failed(64)
            .contains("there is no --user")
    );
    let who = run(
        &folder,
        &[
            "who-can",
            "--policy",
            "policy.json",
            "--operation",
            "read",
            "--consumer-group",
            "eng",
        ],
    );
    assert!(
        who.done().starts_with("Who can Read on "),
        "a consumer group has the same flag in every question"
    );
}

#[test]
fn the_callers_token_is_never_examined() {
    let folder = folder("variables");
    let check = [
        "check",
        "--policy",
        "policy.json",
        "--operation",
        "write",
        "--topic",
        "orders",
    ];
    let with = |variables: &[(&str, &str)]| {
        let mut command = program::command();
        command.args(check).envs(variables.iter().copied());
        program::run(command, folder.path(), "")
    };
    let refused = with(&[("GBAC_TOKEN", TOKEN)]).failed(64);
    assert!(
        refused.contains("GBAC_CHECK_TOKEN") && refused.contains("GBAC_TOKEN signs in"),
        "{refused}"
    );
    let examined = with(&[("GBAC_CHECK_TOKEN", TOKEN), ("GBAC_TOKEN", "other")]);
    assert!(
        examined.exit == 0 && examined.out.contains("User:maya"),
        "{}{}",
        examined.out,
        examined.err
    );
}
