//! Tests of policy documents on the command line: unstated settings, confirmation of removals, and
//! dry runs.

use std::fs;

use crate::support::program::Run;
use crate::support::service::{Service, run};
use gbac_analysis::FindingCode;
use gbac_engine::groups::DropCode;
use gbac_engine::{Coded, WarningCode};
use gbac_json::{FaultCode, ProblemCode};
use serde_json::{Value, json};

#[test]
fn every_code_of_the_tables_is_documented() {
    let page = |name: &str| {
        fs::read_to_string(gbac_tests::vectors::root().join("docs").join(name)).expect("a page")
    };
    let (documents, analysis) = (page("policy-document.md"), page("analysis.md"));
    let package = page("../www/README.md");
    let is_in = |page: &str, code: &str| page.contains(&format!("`{code}`"));
    for code in [
        WarningCode::codes(),
        DropCode::codes(),
        ProblemCode::codes(),
    ]
    .concat()
    {
        assert!(
            is_in(&documents, code),
            "docs/policy-document.md does not have `{code}`"
        );
    }
    for code in FaultCode::codes() {
        assert!(
            is_in(&documents, code) || is_in(&package, code),
            "neither docs/policy-document.md nor www/README.md has `{code}`"
        );
    }
    for code in FindingCode::codes() {
        assert!(
            is_in(&documents, code) || is_in(&analysis, code),
            "docs/analysis.md does not have `{code}`"
        );
    }
}

fn acl(principal: &str, name: &str) -> Value {
    json!({ "resource_type": "RESOURCE_TYPE_TOPIC", "resource_name": name, "resource_pattern_type": "RESOURCE_PATTERN_TYPE_LITERAL",
        "principal": principal, "host": "*", "operation": "OPERATION_READ", "permission_type": "PERMISSION_TYPE_ALLOW" })
}

/// A service with non-default settings and a few rows.
fn service() -> Service {
    let service = Service::start();
    let document = json!({ "version": 1,
        "settings": { "oidc_group_claim_path": "$.roles", "nested_group_behavior": "suffix", "oidc_principal_mapping": "$.email",
            "superusers": ["admin", "root"] },
        "roles": [{ "name": "readers", "members": [{ "principal": "Group:/eng/payments" }] }],
        "acls": [acl("Group:eng", "orders"), acl("Role:readers", "payments")] });
    fs::write(service.file("start.json"), document.to_string()).expect("a file");
    assert_eq!(
        service.run(&["import", "start.json", "--no-confirm"]).exit,
        0
    );
    service
}

fn exported(service: &Service) -> Value {
    // Reading a demo requires no password, whose check would take time.
    serde_json::from_str(&service.with(&[], &["export"]).done()).expect("JSON")
}

#[test]
fn a_service_keeps_what_a_document_does_not_state() {
    let service = service();
    let before = exported(&service);
    let import = |document: Value| {
        fs::write(service.file("new.json"), document.to_string()).expect("a file");
        let done = service.run(&["import", "new.json", "--no-confirm"]);
        assert_eq!(done.exit, 0, "{}", done.err);
        exported(&service)
    };
    let rows = json!([acl("Group:eng", "orders"), acl("Group:ops", "orders")]);
    let after = import(json!({ "version": 1, "acls": rows }));
    assert_eq!(
        after["settings"], before["settings"],
        "the document states no settings"
    );
    assert_eq!(
        (after["acls"].as_array().map(Vec::len), &after["roles"]),
        (Some(2), &json!([]))
    );

    let after = import(
        json!({ "version": 1, "settings": { "nested_group_behavior": "none" }, "acls": rows }),
    );
    let mut expected = before["settings"].clone();
    expected["nested_group_behavior"] = json!("none");
    assert_eq!(
        after["settings"], expected,
        "the default is a value like any other, where it is stated"
    );
    assert_eq!(
        after["settings"]["superusers"],
        json!(["admin", "root"]),
        "superusers that are not stated are never removed"
    );

    let sso = json!({ "mode": "use_map", "attributes": { "federated_groups": "$.groups" } });
    let after = import(json!({ "version": 1, "settings": { "sso": sso }, "acls": rows }));
    assert_eq!(
        (&after["settings"]["sso"], &after["settings"]["superusers"]),
        (&sso, &json!(["admin", "root"]))
    );
    let again =
        import(json!({ "version": 1, "settings": { "superusers": ["admin"] }, "acls": rows }));
    assert_eq!(
        (&again["settings"]["sso"], &again["settings"]["superusers"]),
        (&sso, &json!(["admin"]))
    );
    // A stated property replaces the mapping, even with its default.
    let left = import(
        json!({ "version": 1, "settings": { "oidc_group_claim_path": "$.groups" }, "acls": rows }),
    );
    assert_eq!(
        (left["settings"].get("sso"), &left["settings"]["superusers"]),
        (None, &json!(["admin"]))
    );
    for name in ["oidc_principal_mapping", "superusers"] {
        assert!(
            again["settings"].get(name).is_some(),
            "a service states everything: {again}"
        );
    }
}

#[test]
fn what_was_not_read_is_neither_written_nor_sent() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = |name: &str, text: &str| fs::write(folder.path().join(name), text).expect("a file");
    file(
        "acls.txt",
        "[2026-11-23 08:00:00,123] WARN The configuration 'x' was supplied but isn't a known config.\n\
         Current ACLs for resource `ResourcePattern(resourceType=TOPIC, name=orders, patternType=LITERAL)`:\n\
         \t(principal=Group:eng, host=*, operation=READ, permissionType=ALLOW)\n",
    );
    let done = run(
        &folder,
        &[],
        &["policy", "import", "acls.txt", "--out", "policy.json"],
    );
    assert_eq!(
        (done.exit, done.out.as_str()),
        (0, "Wrote policy.json: 1 ACL and 0 roles.\n"),
        "{}",
        done.err
    );
    assert!(
        done.err
            .contains("note: acls.txt: 1 line before the list of ACLs skipped"),
        "{}",
        done.err
    );
    assert!(
        done.err.contains("note: no input states settings"),
        "{}",
        done.err
    );
    let document: Value = serde_json::from_str(
        &fs::read_to_string(folder.path().join("policy.json")).expect("a file"),
    )
    .expect("JSON");
    assert!(document.get("settings").is_none(), "{document}");

    let script = |file: &str, target: &str| {
        run(&folder, &[], &["policy", "convert", file, "--to", target]).done()
    };
    for target in ["gbac", "rpk", "curl"] {
        let script = script("policy.json", target);
        assert!(
            !script.contains("cluster config") && !script.contains("cluster_config"),
            "{target}: {script}"
        );
    }
    file(
        "stated.json",
        r#"{ "version": 1, "settings": { "nested_group_behavior": "none" } }"#,
    );
    assert!(
        script("stated.json", "gbac")
            .contains("gbac cluster config set 'nested_group_behavior=none'\n")
    );
    let body = script("stated.json", "curl");
    assert!(
        body.contains(r#"{"remove":[],"upsert":{"nested_group_behavior":"none"}}"#),
        "{body}"
    );
    // With several sources, each setting is needed in only one.
    file(
        "named.json",
        r#"{ "version": 1, "settings": { "superusers": ["root"] } }"#,
    );
    let both = run(
        &folder,
        &[],
        &["policy", "import", "stated.json", "named.json"],
    );
    let both: Value = serde_json::from_str(&both.out).expect("JSON");
    assert_eq!(
        both["settings"],
        json!({ "nested_group_behavior": "none", "superusers": ["root"] })
    );
}

#[test]
fn a_pull_without_settings_states_none() {
    let service = service();
    let pulled = service.run(&["policy", "pull", "--no-settings"]);
    assert_eq!(pulled.exit, 0, "{}", pulled.err);
    let document: Value = serde_json::from_str(&pulled.out).expect("JSON");
    assert!(document.get("settings").is_none(), "{document}");
    let full: Value = serde_json::from_str(&service.run(&["policy", "pull"]).out).expect("JSON");
    let mut whole = exported(&service);
    // The platform's calls do not include the access to this service.
    whole["settings"]
        .as_object_mut()
        .expect("settings")
        .remove("access")
        .expect("it is exported");
    assert_eq!(full["settings"], whole["settings"]);
}

#[test]
fn an_import_that_removes_something_says_what_and_asks() {
    let service = service();
    let before = exported(&service);
    let write = |document: &Value| {
        fs::write(service.file("new.json"), document.to_string()).expect("a file");
    };
    let mut less = before.clone();
    less["acls"] = json!([acl("Group:eng", "orders"), acl("Group:ops", "orders")]);
    less["roles"] = json!([]);
    less["settings"]["superusers"] = json!(["admin"]);
    write(&less);
    let unasked = service.run(&["import", "new.json"]);
    assert_eq!(
        (unasked.exit, unasked.err.as_str()),
        (
            64,
            "error: no terminal to confirm on; pass `--no-confirm`\n"
        )
    );
    for line in [
        "Adds (1):\n  Add Allow Read, topic orders literal, of Group:ops\n",
        "Removes (3):\n",
        "  Remove Allow Read, topic payments literal, of Role:readers\n",
        "  Delete Role:readers\n",
        "  Remove User:root from the superusers\n",
    ] {
        assert!(unasked.out.contains(line), "{line}: {}", unasked.out);
    }
    assert_eq!(exported(&service), before, "nothing was changed");
    let json = service.run(&["--format", "json", "import", "new.json"]);
    assert!(
        json.err.contains("Removes (3):") && json.out.contains(r#""code":"usage""#),
        "{}{}",
        json.out,
        json.err
    );
    // Changes that remove nothing need no confirmation.
    let mut more = before.clone();
    more["acls"]
        .as_array_mut()
        .expect("ACLs")
        .push(acl("Group:new", "orders"));
    more["settings"]["nested_group_behavior"] = json!("none");
    write(&more);
    let done = service.run(&["import", "new.json"]).done();
    let set = "Changes settings (1):\n  nested_group_behavior from \"suffix\" to \"none\"\n";
    assert!(
        done.contains(set) && done.contains("Imported new.json: 3 ACLs and 1 role."),
        "{done}"
    );
    // Omitted settings differ from those of the other document, but an import would not change
    // them.
    fs::write(service.file("bare.json"), r#"{ "version": 1 }"#).expect("a file");
    let compared = service.run(&["policy", "diff", "new.json", "bare.json"]);
    for name in ["`oidc_group_claim_path`", "`superusers`"] {
        assert!(
            compared.err.contains("bare.json does not state") && compared.err.contains(name),
            "{}",
            compared.err
        );
    }
    assert_eq!(
        service
            .run(&["policy", "diff", "bare.json", "bare.json"])
            .err,
        ""
    );
}

/// The exit code of a run, and the code of its error.
fn ending(done: &Run) -> (i32, Option<String>) {
    let value: Value = serde_json::from_str(&done.out).unwrap_or_default();
    (
        done.exit,
        value["error"]["code"].as_str().map(str::to_owned),
    )
}

#[test]
fn a_dry_run_and_the_real_one_never_disagree() {
    let service = service();
    let open = json!({ "version": 1, "settings": { "oidc_principal_mapping": "$.sub", "superusers": ["admin", "maya.okafor"] },
        "roles": [{ "name": "readers", "members": [{ "principal": "Group:/eng/payments" }] }],
        "acls": [acl("Group:eng", "orders"), acl("Role:readers", "payments")] });
    fs::write(service.file("open.json"), open.to_string()).expect("a file");
    assert_eq!(
        service.run(&["import", "open.json", "--no-confirm"]).exit,
        0
    );
    // The local account, which is always a superuser.
    let admin: &[(&str, &str)] = &[("GBAC_USER", "admin"), ("GBAC_PASSWORD", "demo")];
    let set_license = |license| {
        service
            .with(admin, &["cluster", "license", "set", license])
            .done()
    };
    let state = service.run(&["export", "--out", "old.json"]).done();
    let stale = state
        .trim()
        .trim_end_matches('.')
        .rsplit(' ')
        .next()
        .expect("a state")
        .to_owned();
    // Another user changes the policy.
    service.role(&["create", "Later"]).done();
    let good = exported(&service);
    let with = |path: &str, value: Value| {
        let mut document = good.clone();
        *document.pointer_mut(path).expect("a place") = value;
        document
    };
    let mut unstated = good.clone();
    unstated
        .as_object_mut()
        .expect("an object")
        .remove("settings");
    let documents = [
        ("same", good.clone()),
        ("unstated", unstated),
        ("fewer", with("/acls", json!([]))),
        ("a new group", with("/acls", json!([acl("Group:new", "x")]))),
        (
            "a user",
            with(
                "/acls",
                json!([
                    acl("User:new", "x"),
                    acl("Group:eng", "orders"),
                    acl("Role:readers", "payments")
                ]),
            ),
        ),
        ("a new role", with("/roles", json!([{ "name": "new" }]))),
        ("no role", with("/roles", json!([]))),
        (
            "another claim",
            with("/settings/oidc_group_claim_path", json!("$.teams")),
        ),
        (
            "the default claim",
            with("/settings/oidc_group_claim_path", json!("$.groups")),
        ),
        (
            "nobody left",
            with("/settings/superusers", json!(["somebody"])),
        ),
        ("no superuser", with("/settings/superusers", json!([]))),
        ("a bad host", with("/acls/0/host", json!("10.0.0.0/8"))),
        ("another version", with("/version", json!(2))),
        (
            "a wildcard group, which loads",
            with("/acls", json!([acl("Group:*", "x")])),
        ),
    ];
    fs::write(service.file("good.json"), good.to_string()).expect("a file");
    let late = ["--no-confirm", "--if-match", stale.as_str()];
    let flags: [&[&str]; 3] = [&["--no-confirm"], &late, &["--merge"]];
    let mut endings = std::collections::BTreeSet::new();
    for license in ["valid", "expired"] {
        set_license(license);
        for (name, document) in &documents {
            fs::write(service.file("new.json"), document.to_string()).expect("a file");
            // Reading a demo requires no credentials, but changing it does.
            let anonymous =
                ["unstated", "fewer", "nobody left"].contains(name) && license == "valid";
            let environments = if anonymous {
                &[admin, &[]][..]
            } else {
                &[admin]
            };
            for (environment, flags) in environments
                .iter()
                .flat_map(|environment| flags.map(|flags| (environment, flags)))
            {
                let import = |more: &[&str]| {
                    let args = [&["--format", "json", "import", "new.json"], flags, more].concat();
                    ending(&service.with(environment, &args))
                };
                let dry = import(&["--dry-run"]);
                let before = exported(&service);
                assert_eq!(before, good, "a dry run changes nothing: {name}");
                let real = import(&[]);
                let what = format!("{name}, {flags:?}, license {license}, {environment:?}");
                if flags.contains(&"--merge") {
                    // An import is refused as a whole, a merge call by call.
                    assert_eq!(
                        (dry.0 == 0, dry.0 == 1),
                        (real.0 == 0, real.0 == 1),
                        "{what}: {dry:?} {real:?}"
                    );
                } else {
                    assert_eq!(dry, real, "{what}");
                }
                endings.insert(real);
                // Restores the policy for the next case; with an expired license, nothing can be
                // added.
                if exported(&service) != good {
                    set_license("valid");
                    assert_eq!(
                        service
                            .with(admin, &["import", "good.json", "--no-confirm"])
                            .exit,
                        0
                    );
                    set_license(license);
                }
            }
        }
    }
    assert_eq!(
        service.with(admin, &["import", "good.json", "--dry"]).exit,
        0,
        "the older name of the flag"
    );
    let codes: Vec<String> = endings.into_iter().filter_map(|(_, code)| code).collect();
    for code in [
        "document_invalid",
        "policy_changed",
        "unauthenticated",
        "license_required",
    ] {
        assert!(
            codes.iter().any(|found| found == code),
            "{code} never came up: {codes:?}"
        );
    }
}

#[test]
fn a_rehearsal_of_acls_meets_the_same_refusals() {
    let service = service();
    let admin: &[(&str, &str)] = &[("GBAC_USER", "admin"), ("GBAC_PASSWORD", "demo")];
    for license in ["valid", "expired"] {
        service.run(&["cluster", "license", "set", license]).done();
        for environment in [admin, &[]] {
            for principal in ["User:a", "Group:a", "Group:*"] {
                let create = [
                    "security",
                    "acl",
                    "create",
                    "--operation",
                    "read",
                    "--topic",
                    "fresh",
                    "--allow-principal",
                    principal,
                ];
                let dry = service.with(environment, &[&create[..], &["--dry-run"]].concat());
                let real = service.with(environment, &create);
                assert_eq!(
                    dry.exit, real.exit,
                    "{principal}, {license}, {environment:?}: {} {}",
                    dry.err, real.err
                );
            }
            let delete = [
                "security",
                "acl",
                "delete",
                "--topic",
                "fresh",
                "--no-confirm",
            ];
            let dry = service.with(environment, &[&delete[..], &["--dry-run"]].concat());
            assert_eq!(
                dry.exit,
                service.with(environment, &delete).exit,
                "{license}, {environment:?}: {}",
                dry.err
            );
        }
    }
}

#[test]
fn settings_that_differ_are_a_difference() {
    let service = service();
    let before = exported(&service);
    let mut after = before.clone();
    after["settings"]["nested_group_behavior"] = json!("none");
    for (name, document) in [("before.json", &before), ("after.json", &after)] {
        fs::write(service.file(name), document.to_string()).expect("a file");
    }
    let text = service.run(&["policy", "diff", "before.json", "after.json", "--exit-code"]);
    assert_eq!((text.exit, text.err.as_str()), (1, ""));
    for line in [
        "The policies read tokens differently, so the same token can produce another identity. ",
        "Comparing only ACLs, roles and superusers: No change in effective access.\n",
        "\nSettings that differ: nested_group_behavior\n",
        "eng   ",
        "paths that end with this name no longer produce it",
    ] {
        assert!(text.out.contains(line), "{line}: {}", text.out);
    }
    let value = |args: &[&str]| -> (i32, Value) {
        let done = service.run(&[&["--format", "json"], args].concat());
        (done.exit, serde_json::from_str(&done.out).expect("JSON"))
    };
    let (exit, diff) = value(&["policy", "diff", "before.json", "after.json", "--exit-code"]);
    assert_eq!(
        (exit, &diff["relation"], &diff["acl_relation"]),
        (1, &json!("settings_differ"), &json!("equal"))
    );
    assert_eq!(diff["settings"], json!(["nested_group_behavior"]));
    assert!(
        diff["groups"]
            .as_array()
            .is_some_and(|groups| groups.iter().any(|group| group["name"] == "eng")),
        "{diff}"
    );
    let (exit, dry) = value(&["import", "after.json", "--dry-run", "--exit-code"]);
    assert_eq!(
        (exit, &dry["relation"], &dry["groups"]),
        (1, &json!("settings_differ"), &diff["groups"])
    );
    assert_eq!(value(&["import", "after.json", "--dry-run"]).0, 0);
    assert_eq!(
        value(&["import", "before.json", "--dry-run", "--exit-code"]).0,
        0
    );
    // Omitted settings do not differ.
    let mut unstated = before;
    unstated
        .as_object_mut()
        .expect("an object")
        .remove("settings");
    fs::write(service.file("unstated.json"), unstated.to_string()).expect("a file");
    let (exit, dry) = value(&["import", "unstated.json", "--dry-run", "--exit-code"]);
    assert_eq!((exit, &dry["relation"]), (0, &json!("equal")));
}

#[test]
fn what_is_written_as_yaml_is_read_again() {
    let service = service();
    let write = |name: &str, text: &str| fs::write(service.file(name), text).expect("a file");
    let save = |name: &str, args: &[&str]| {
        write(
            name,
            &service.run(&[&["--format", "yaml"], args].concat()).done(),
        );
    };
    save("policy.yaml", &["export"]);
    let text = fs::read_to_string(service.file("policy.yaml")).expect("a file");
    assert!(
        text.starts_with("acls:\n") || text.contains("\nversion: 1\n"),
        "{text}"
    );
    assert!(
        service
            .run(&["policy", "validate", "policy.yaml"])
            .done()
            .contains("valid, 2 ACLs and 1 role")
    );
    service
        .run(&["policy", "lint", "policy.yaml", "--fail-on", "never"])
        .done();
    service.run(&["export", "--out", "policy.json"]).done();
    service
        .run(&[
            "policy",
            "diff",
            "policy.yaml",
            "policy.json",
            "--exit-code",
        ])
        .done();
    let before = exported(&service);
    service.run(&["import", "policy.yaml"]).done();
    assert_eq!(exported(&service), before);
    assert!(
        service
            .run(&["import", "policy.yaml", "--dry-run"])
            .done()
            .starts_with("Nothing to change.\nDry run")
    );

    let check = [
        "check",
        "--policy",
        "policy.yaml",
        "--user",
        "a",
        "--group",
        "eng",
        "--operation",
        "read",
        "--topic",
        "orders",
    ];
    service.run(&check).done();
    write(
        "checks.yaml",
        "---\nid: 1\nidentity: { user: a, groups: [eng] }\noperation: read\nresource_type: topic\nresource_name: orders\n\
        ---\nid: 2\nidentity: { user: a }\noperation: read\nresource_type: topic\nresource_name: orders\n---\nid: 3\n",
    );
    let done = service.run(&[
        "check",
        "--policy",
        "policy.yaml",
        "--checks",
        "checks.yaml",
    ]);
    let answers: Vec<Value> = done
        .out
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    assert_eq!(
        answers
            .iter()
            .map(|answer| &answer["outcome"])
            .collect::<Vec<_>>(),
        [&json!("allow"), &json!("deny"), &Value::Null]
    );
    assert_eq!(
        (done.exit, &answers[2]["id"]),
        (1, &json!(3)),
        "{}",
        done.out
    );

    write(
        "changes.yaml",
        "- change: create_role\n  role: new\n- change: add_to_group\n  group: eng\n",
    );
    let tried = service
        .run(&[
            "what-if",
            "--policy",
            "policy.yaml",
            "--user",
            "a",
            "--changes",
            "changes.yaml",
        ])
        .done();
    assert!(tried.contains("Groups gained: Group:eng"), "{tried}");
    write(
        "test.yaml",
        "version: 1\npolicy_file: policy.yaml\ntests:\n- name: nobody reads\n  check:\n    identity: { user: a }\n    \
        operation: read\n    resource_type: topic\n    resource_name: orders\n  expect: { outcome: deny }\n",
    );
    assert!(
        service
            .run(&["test", "test.yaml"])
            .done()
            .contains("1 passed, 0 failed")
    );
    save("acls.yaml", &["security", "acl", "list"]);
    save("readers.yaml", &["security", "role", "describe", "readers"]);
    let taken = service.run(&[
        "policy",
        "import",
        "acls.yaml",
        "--role",
        "readers=readers.yaml",
    ]);
    let taken: Value = serde_json::from_str(&taken.out).expect("a document");
    assert_eq!(
        (&taken["acls"], &taken["roles"][0]["name"]),
        (&before["acls"], &json!("readers"))
    );
    write("claims.yaml", "email: maya@example.com\nroles: [eng]\n");
    assert!(
        service
            .run(&[
                "token",
                "inspect",
                "--claims",
                "claims.yaml",
                "--policy",
                "policy.yaml"
            ])
            .done()
            .contains("Group:eng")
    );

    for (name, text, says) in [
        (
            "twice.yaml",
            "version: 1\nversion: 1\n",
            "twice.yaml: line 2",
        ),
        ("open.yaml", "version: 1\nacls: [\n", "correct the YAML"),
        ("word.yaml", "version 1\n", "word.yaml:"),
        (
            "host.yaml",
            &text.replacen("host: '*'", "host: nowhere", 1).replacen(
                "host: \"*\"",
                "host: nowhere",
                1,
            ),
            "/acls/0/host: ",
        ),
    ] {
        write(name, text);
        let refused = service.run(&["policy", "validate", name]);
        let output = format!("{}{}", refused.out, refused.err);
        assert!(
            refused.exit == 1 && output.contains(says),
            "{name}: {output}"
        );
    }
}
