//! Tests of import from and export to an existing cluster: `gbac policy import`, `pull`, `convert`,
//! `gbac import --merge`.

use std::fs;

use crate::support::program::gbac;
use crate::support::program::{Nobody, program};
use crate::support::service::{Service, answer, answering, run};
use gbac_engine::model::{Acl, Host, Operation, PatternType, Permission, Principal, ResourceType};
use gbac_engine::policy::{Change, Policy};
use gbac_json::{policy_from_json, policy_to_text, settings_from_value};
use serde_json::{Value, json};

const KAFKA: &str = "Current ACLs for resource `ResourcePattern(resourceType=TOPIC, name=orders-, patternType=PREFIXED)`:\n\
    \t(principal=User:alice, host=*, operation=READ, permissionType=ALLOW)\n\
    \t(principal=ServiceAccount:x, host=*, operation=READ, permissionType=DENY)\n";

#[test]
fn what_cannot_be_read_is_named_and_nothing_is_written() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("acls.txt"), KAFKA).expect("a file");
    let import = |args: &[&str]| {
        run(
            &folder,
            &[],
            &[&["policy", "import", "acls.txt"], args].concat(),
        )
    };
    let refused = import(&["--out", "policy.json"]);
    assert_eq!((refused.exit, refused.out.as_str()), (1, ""));
    assert!(
        refused
            .err
            .contains("acls.txt: line 3: `ServiceAccount` is not a principal type"),
        "{}",
        refused.err
    );
    assert!(
        refused
            .err
            .contains("error: 1 entry could not be read, and nothing was written"),
        "{}",
        refused.err
    );
    assert!(!folder.path().join("policy.json").exists());
    let report: Value = serde_json::from_str(&import(&["--format", "json"]).out).expect("JSON");
    assert_eq!(
        report["sources"][0]["unread"][0]["code"],
        "principal_type_unknown"
    );
    assert_eq!(report["file"], Value::Null);

    let some = import(&["--out", "policy.json", "--skip-unreadable"]);
    assert_eq!(
        (some.exit, some.out.as_str()),
        (0, "Wrote policy.json: 1 ACL and 0 roles.\n")
    );
    assert!(
        some.err.contains("line 3") && some.err.contains("1 entry skipped"),
        "{}",
        some.err
    );
    assert!(
        some.err.contains("no input states settings"),
        "{}",
        some.err
    );
    let policy =
        policy_from_json(&fs::read_to_string(folder.path().join("policy.json")).expect("a file"));
    assert_eq!(policy.expect("a policy").acl_count(), 1);

    fs::write(folder.path().join("other.txt"), "hello").expect("a file");
    for (args, exit, says) in [
        (
            &["policy", "import", "other.txt"][..],
            1,
            "other.txt: not in a format that is read: policy document, kafka-acls output, Terraform state, ",
        ),
        (&["policy", "import", "missing.txt"], 1, "missing.txt: "),
        (
            &["policy", "import", "--role", "r"],
            64,
            "--role: `r` is not NAME=FILE",
        ),
        (
            &["policy", "import", "-", "-"],
            64,
            "`-` is used for two inputs",
        ),
        (&["policy", "import"], 64, "required"),
    ] {
        let done = run(&folder, &[], args);
        assert_eq!(done.exit, exit, "{args:?}: {}", done.err);
        assert!(
            done.err.contains(says) && done.out.is_empty(),
            "{args:?}: {}{}",
            done.err,
            done.out
        );
    }
}

#[test]
fn what_is_not_understood_ends_with_exit_code_1_and_other_objects_are_a_note() {
    let folder = tempfile::tempdir().expect("a folder");
    let user = "apiVersion: kafka.strimzi.io/v1\nkind: KafkaUser\nmetadata: { name: till }\nspec:\n  authorization:\n    \
        type: simple\n    acls: [{ resource: { type: topic, name: sales }, operations: [Read] }]\n";
    let map = "---\napiVersion: v1\nkind: ConfigMap\nmetadata: { name: a }\n";
    let binding = "---\napiVersion: platform.confluent.io/v1beta1\nkind: ConfluentRolebinding\nmetadata: { name: a }\n";
    fs::write(folder.path().join("known.yaml"), format!("{user}{map}")).expect("a file");
    fs::write(
        folder.path().join("unknown.yaml"),
        format!("{user}{map}{binding}"),
    )
    .expect("a file");
    let import = |args: &[&str]| run(&folder, &[], &[&["policy", "import"], args].concat());
    let note = "note: known.yaml: left out, not about access: 1 `ConfigMap` of `v1`";
    let known = import(&["known.yaml", "--out", "policy.json"]);
    assert!(known.exit == 0 && known.err.contains(note), "{}", known.err);
    let fault = "unknown.yaml: document 3: `ConfluentRolebinding` of `platform.confluent.io/v1beta1` is not a kind that is read";
    let unknown = import(&["unknown.yaml", "--out", "other.json"]);
    assert!(
        unknown.exit == 1 && unknown.err.contains(fault),
        "{}",
        unknown.err
    );
    // Nothing is written, so nothing is said about what the document states.
    assert!(
        !folder.path().join("other.json").exists() && !unknown.err.contains("settings"),
        "{}",
        unknown.err
    );
    let skipped = import(&[
        "unknown.yaml",
        "--out",
        "other.json",
        "--skip-unreadable",
        "--format",
        "json",
    ]);
    assert!(
        skipped.exit == 0 && skipped.err.contains(fault),
        "{}",
        skipped.err
    );
    let report: Value = serde_json::from_str(&skipped.out).expect("JSON");
    assert_eq!(
        (&report["acls"], &report["sources"][0]["ignored"]),
        (&json!(1), &json!(1))
    );
}

#[test]
fn a_host_name_of_kafka_is_kept_in_every_format_and_found() {
    let folder = tempfile::tempdir().expect("a folder");
    let list = "Current ACLs for resource `ResourcePattern(resourceType=TOPIC, name=orders, patternType=LITERAL)`: \n\
        \t(principal=User:bob, host=Broker-1.example.com, operation=READ, permissionType=DENY)\n\
        \t(principal=User:bob, host=*, operation=READ, permissionType=ALLOW) \n";
    fs::write(folder.path().join("acls.txt"), list).expect("a file");
    let done = |args: &[&str]| run(&folder, &[], args);
    let import = |from: &str, to: &str| {
        let import = ["policy", "import", from, "--dialect", "kafka", "--out", to];
        let imported = done(&import);
        assert_eq!(imported.exit, 0, "{from}: {}", imported.err);
        let text = fs::read_to_string(folder.path().join(to)).expect("a file");
        assert!(
            text.contains("\"host\":\"Broker-1.example.com\"")
                || text.contains("\"host\": \"Broker-1.example.com\""),
            "{text}"
        );
        policy_from_json(&text)
            .expect("a policy")
            .acls()
            .collect::<Vec<_>>()
    };
    let acls = import("acls.txt", "cluster.json");
    for (format, file) in [("csv", "acls.csv"), ("strimzi", "users.yaml")] {
        let convert = done(&["policy", "convert", "cluster.json", "--to", format]);
        assert_eq!(convert.exit, 0, "{format}: {}", convert.err);
        fs::write(folder.path().join(file), convert.out).expect("a file");
        assert_eq!(import(file, "back.json"), acls, "{format}");
    }
    let script = done(&["policy", "convert", "cluster.json", "--to", "kafka-acls"]);
    assert!(
        script.out.contains("--deny-host Broker-1.example.com "),
        "{}",
        script.out
    );
    let refused = done(&["policy", "import", "acls.txt", "--dialect", "platform"]);
    assert!(
        refused.exit == 1 && refused.err.contains("`Broker-1.example.com` is neither"),
        "{}",
        refused.err
    );

    let lint = done(&["policy", "lint", "cluster.json"]);
    let line = "warning host_name: the ACL `Deny Read, topic orders literal, host Broker-1.example.com, of \
                User:bob` never matches: Kafka compares its host with the client's address, and \
                `Broker-1.example.com` is not an address\n";
    assert!(lint.out.starts_with(line), "{}", lint.out);
    assert!(
        lint.out.contains("write an ACL for each address"),
        "{}",
        lint.out
    );
    let check = [
        "check",
        "--policy",
        "cluster.json",
        "--user",
        "bob",
        "--operation",
        "read",
        "--topic",
        "orders",
    ];
    for host in [&[][..], &["--host", "10.0.0.7"]] {
        let allowed = done(&[&check[..], host].concat());
        assert_eq!(allowed.exit, 0, "{}{}", allowed.out, allowed.err);
    }
}

#[test]
fn acls_that_kafka_ignores_are_listed_before_they_match() {
    let folder = tempfile::tempdir().expect("a folder");
    let more = "Current ACLs for resource `ResourcePattern(resourceType=DELEGATION_TOKEN, name=t, patternType=LITERAL)`:\n\
        \t(principal=Group:eng, host=10.0.0.0/8, operation=DESCRIBE, permissionType=ALLOW)\n";
    fs::write(folder.path().join("acls.txt"), format!("{KAFKA}{more}")).expect("a file");
    let import = run(
        &folder,
        &[],
        &[
            "policy",
            "import",
            "acls.txt",
            "--dialect",
            "kafka",
            "--out",
            "cluster.json",
        ],
    );
    assert_eq!(
        (import.exit, import.out.as_str()),
        (0, "Wrote cluster.json: 3 ACLs and 0 roles.\n"),
        "{}",
        import.err
    );
    let lint = |args: &[&str]| {
        run(
            &folder,
            &[],
            &[&["policy", "lint", "cluster.json"], args].concat(),
        )
    };
    assert_eq!(lint(&[]).out, "No findings.\n");
    let checked = lint(&["--dialect", "kafka", "--fail-on", "warning"]);
    let line = "warning acl_begins_to_match: the ACL `Allow Describe, delegation token t literal, \
                host 10.0.0.0/8, of Group:eng` begins to match\n";
    assert!(
        checked.exit == 1 && checked.out.starts_with(line),
        "{}",
        checked.out
    );
    let other = lint(&["--dialect", "platform"]);
    assert!(
        other.exit == 1 && other.err.contains("DELEGATION_TOKEN"),
        "{}",
        other.err
    );
}

/// An exported document without the access to this service, which the platform's calls do not
/// include and a cluster does not have.
fn without_access(document: &str) -> String {
    let access = ",\n    \"access\": {\n      \"read_only\": [],\n      \"evaluate\": []\n    }";
    assert!(document.contains(access), "{document}");
    document.replace(access, "")
}

#[test]
fn a_clusters_lists_make_the_policy_that_the_cluster_has() {
    let service = Service::start();
    let write = |name: &str, args: &[&str]| {
        let text = service.run(&[&["--format", "json"], args].concat()).done();
        fs::write(service.file(name), text).expect("a file");
    };
    write(
        "acls.json",
        &[
            "security",
            "acl",
            "list",
            "--role-spelling",
            "redpanda-role",
        ],
    );
    assert!(
        fs::read_to_string(service.file("acls.json"))
            .expect("a file")
            .contains("RedpandaRole:PaymentsWriters")
    );
    let names = service.json(&["security", "role", "list"]);
    let mut args: Vec<String> = ["policy", "import", "acls.json", "settings.json"]
        .map(str::to_owned)
        .to_vec();
    for name in names["roles"]
        .as_array()
        .expect("names")
        .iter()
        .filter_map(Value::as_str)
    {
        write(
            &format!("{name}.json"),
            &["security", "role", "describe", name],
        );
        args.extend(["--role".to_owned(), format!("{name}={name}.json")]);
    }
    let exported = service.run(&["export"]).done();
    let whole: Value = serde_json::from_str(&exported).expect("JSON");
    let settings = json!({ "version": 1, "settings": whole["settings"] });
    fs::write(service.file("settings.json"), settings.to_string()).expect("a file");
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let imported = service.run(&args);
    assert_eq!(
        (imported.exit, imported.out),
        (0, exported.clone()),
        "{}",
        imported.err
    );

    // The platform's calls do not include the access to this service.
    let exported = without_access(&exported);
    let pulled = service.run(&["policy", "pull"]);
    assert_eq!(
        (pulled.exit, pulled.out),
        (0, exported.clone()),
        "{}",
        pulled.err
    );
    let of_cluster = service.with(
        &[("GBAC_TOKEN", &service.token())],
        &["policy", "pull", "--cluster-id", "demo"],
    );
    assert_eq!(
        (of_cluster.exit, of_cluster.out),
        (0, exported.clone()),
        "{}",
        of_cluster.err
    );
    let other = Service::start_with(&["--dataplane-api-form", "object"]);
    let of_cluster = other.with(
        &[("GBAC_TOKEN", &other.token())],
        &["policy", "pull", "--cluster-id", "demo"],
    );
    assert_eq!(
        (of_cluster.exit, of_cluster.out),
        (0, exported),
        "{}",
        of_cluster.err
    );
    let out = service.run(&["policy", "pull", "--no-settings", "--out", "pulled.json"]);
    assert_eq!(
        (out.exit, out.out.as_str()),
        (0, "Wrote pulled.json: 18 ACLs and 5 roles.\n"),
        "{}",
        out.err
    );
}

#[test]
fn a_pull_that_meets_something_unknown_says_so() {
    let folder = tempfile::tempdir().expect("a folder");
    let acls = json!({ "resources": [{ "resource_type": "RESOURCE_TYPE_DELEGATION_TOKEN", "resource_name": "t",
        "resource_pattern_type": "RESOURCE_PATTERN_TYPE_LITERAL",
        "acls": [{ "principal": "User:a", "host": "*", "operation": "OPERATION_READ", "permission_type": "PERMISSION_TYPE_DENY" }] }] });
    let (acls, roles) = (
        answer("200 OK", "", &acls.to_string()),
        answer("200 OK", "", "{\"roles\":[]}"),
    );
    let no_service = answer("404 Not Found", "", "{}");
    let registry = answer("200 OK", "", "{\"resources\":[]}");
    let (url, requests) = answering(&[&registry, &no_service, &acls, &roles]);
    let done = run(
        &folder,
        &[("GBAC_URL", &url)],
        &["policy", "pull", "--no-settings"],
    );
    assert_eq!((done.exit, done.out.as_str()), (1, ""));
    assert!(
        done.err
            .contains("/v1/acls: /resources/0/acls/0: `RESOURCE_TYPE_DELEGATION_TOKEN`"),
        "{}",
        done.err
    );
    assert_eq!(requests.join().expect("four questions").len(), 4);
    let elsewhere = answer(
        "200 OK",
        "",
        "{\"cluster\":{\"id\":\"x\",\"dataplane_api\":\"http://data.example\"}}",
    );
    let (url, requests) = answering(&[&elsewhere]);
    let done = run(
        &folder,
        &[("GBAC_URL", &url)],
        &["policy", "pull", "--cluster-id", "x"],
    );
    assert!(
        done.failed(64)
            .contains("`http://data.example`: plain HTTP to a remote host is not trusted")
    );
    assert!(requests.join().expect("one question")[0].starts_with("GET /v1/clusters/x "));
}

/// A policy with names that break incorrect quoting.
fn unusual_names_policy() -> Policy {
    let settings = json!({ "oidc_group_claim_path": "$['https://x.example/groups']", "nested_group_behavior": "suffix", "oidc_principal_mapping": "$.sub",
        "superusers": ["admin", "o'neil, jr"] });
    let mut policy = Policy::new(settings_from_value(&settings).expect("settings"));
    let mut add = |change| assert!(policy.apply(change).is_ok());
    for name in [
        "eng, fin",
        "\"quoted\"",
        "it's $HOME `id`",
        "a=b&c?d#e%f+g/h:i",
        "-x",
        "turn\u{202e}ed",
        "日本",
        "*x",
        " x ",
    ] {
        let role = name.replace([',', '='], "_");
        add(Change::CreateRole(role.clone()));
        add(Change::AddMember {
            role: role.clone(),
            member: Principal::group(name),
        });
        add(Change::AddMember {
            role: role.clone(),
            member: Principal::user(name),
        });
        for (principal, permission) in [
            (Principal::group(name), Permission::Deny),
            (Principal::role(&role), Permission::Allow),
        ] {
            for operation in [Operation::Read, Operation::Describe] {
                add(Change::AddAcl(Acl {
                    resource_type: ResourceType::Group,
                    resource_name: name.into(),
                    pattern_type: PatternType::Prefixed,
                    principal: principal.clone(),
                    host: Host::parse("10.0.0.7").expect("a host"),
                    operation,
                    permission,
                }));
            }
        }
    }
    for (resource_type, resource_name) in [
        (ResourceType::Cluster, "kafka-cluster"),
        (ResourceType::Registry, ""),
    ] {
        add(Change::AddAcl(Acl {
            resource_type,
            resource_name: resource_name.into(),
            pattern_type: PatternType::Literal,
            principal: Principal::user("*"),
            host: Host::Any,
            operation: Operation::Describe,
            permission: Permission::Allow,
        }));
    }
    policy
}

#[test]
fn scripts_of_gbac_and_of_curl_make_the_policy_twice() {
    let expected = unusual_names_policy();
    for target in ["gbac", "curl"] {
        let service = Service::start();
        fs::write(
            service.file("empty.json"),
            r#"{"version":1,"settings":{"superusers":["admin"]}}"#,
        )
        .expect("a file");
        fs::write(service.file("wanted.json"), policy_to_text(&expected)).expect("a file");
        service
            .run(&["import", "empty.json", "--no-confirm"])
            .done();
        service
            .run(&[
                "policy",
                "convert",
                "wanted.json",
                "--to",
                target,
                "--out",
                "script.sh",
                "-q",
            ])
            .done();
        let sh = || {
            let folder = gbac().parent().expect("a folder").to_owned();
            let path = format!(
                "{}:{}",
                folder.display(),
                std::env::var("PATH").expect("a path")
            );
            let mut command = program("sh");
            command
                .arg("script.sh")
                .current_dir(&service.folder)
                .env("PATH", path)
                .env("GBAC_URL", &service.url);
            command
                .env("GBAC_USER", "admin")
                .env("GBAC_PASSWORD", "demo");
            let done = command
                .env("XDG_CONFIG_HOME", service.folder.path())
                .output()
                .expect("sh starts");
            assert!(
                done.status.success(),
                "{target}: {}",
                String::from_utf8_lossy(&done.stderr)
            );
        };
        sh();
        let exported = service.run(&["export"]).done();
        assert_eq!(
            without_access(&exported),
            policy_to_text(&expected),
            "{target}"
        );
        sh();
        assert_eq!(
            service.run(&["export"]).done(),
            exported,
            "{target}: a second run changes nothing"
        );
        service
            .run(&[
                "policy",
                "convert",
                "empty.json",
                "--from",
                "wanted.json",
                "--to",
                target,
                "--out",
                "script.sh",
                "-q",
            ])
            .done();
        sh();
        let back = policy_from_json(&service.run(&["export"]).done()).expect("a policy");
        assert_eq!((back.acl_count(), back.role_count()), (0, 0), "{target}");
    }
}

#[test]
fn what_a_script_cannot_say_makes_the_exit_code() {
    let folder = tempfile::tempdir().expect("a folder");
    let sso = json!({ "version": 1, "settings": { "sso": { "mode": "use_map", "attributes": { "federated_groups": "$.g" } } } });
    fs::write(folder.path().join("sso.json"), sso.to_string()).expect("a file");
    let done = run(
        &folder,
        &[],
        &["policy", "convert", "sso.json", "--to", "rpk"],
    );
    assert_eq!(done.exit, 1);
    assert!(
        done.err
            .starts_with("warning: not written: `sso` is not a cluster property"),
        "{}",
        done.err
    );
    assert!(
        done.out.starts_with("#!/bin/sh\n") && done.out.contains("# not written: `sso`"),
        "{}",
        done.out
    );
}

#[test]
fn a_table_of_a_windows_program_makes_the_policy_of_the_csv_export() {
    let folder = tempfile::tempdir().expect("a folder");
    let policy = r#"{ "version": 1, "acls": [{ "resource_type": "RESOURCE_TYPE_TOPIC", "resource_name": "orders é; \"x\"",
        "resource_pattern_type": "RESOURCE_PATTERN_TYPE_PREFIXED", "principal": "Group:eng", "host": "10.0.0.7",
        "operation": "OPERATION_DESCRIBE_CONFIGS", "permission_type": "PERMISSION_TYPE_DENY" }] }"#;
    fs::write(folder.path().join("policy.json"), policy).expect("a file");
    let csv = run(
        &folder,
        &[],
        &["policy", "convert", "policy.json", "--to", "csv"],
    )
    .done();
    let utf16: Vec<u8> = std::iter::once(0xfeff)
        .chain(csv.encode_utf16())
        .flat_map(u16::to_le_bytes)
        .collect();
    fs::write(folder.path().join("acls.csv"), utf16).expect("a file");
    let read = run(
        &folder,
        &[],
        &["policy", "import", "acls.csv", "--out", "back.json"],
    );
    assert!(
        read.exit == 0 && read.err.starts_with("acls.csv: CSV, 1 ACL and 0 roles\n"),
        "{}",
        read.err
    );
    let back = fs::read_to_string(folder.path().join("back.json")).expect("a file");
    assert_eq!(
        policy_from_json(&back).expect("a policy"),
        policy_from_json(policy).expect("a policy")
    );
    fs::write(folder.path().join("acls.csv"), b"principal,host\nUser:\xff").expect("a file");
    let failed = run(&folder, &[], &["policy", "import", "acls.csv"]);
    assert_eq!(failed.exit, 1);
    assert!(
        failed
            .err
            .contains("acls.csv: not text in UTF-8 from byte 20 on; save the file as UTF-8"),
        "{}",
        failed.err
    );
}

#[test]
fn resources_of_kubernetes_come_back_as_a_policy() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(
        folder.path().join("policy.json"),
        policy_to_text(&unusual_names_policy()),
    )
    .expect("a file");
    let args = [
        "policy",
        "convert",
        "policy.json",
        "--to",
        "operator",
        "--cluster-name",
        "streams",
        "--out",
        "p.yaml",
    ];
    let done = run(&folder, &[], &args);
    // Kubernetes has no resource for the ACLs of every user.
    assert_eq!(done.exit, 1, "{}", done.err);
    assert!(
        done.err
            .contains("warning: not written: the ACLs of `User:*`: "),
        "{}",
        done.err
    );
    let yaml = fs::read_to_string(folder.path().join("p.yaml")).expect("a file");
    assert!(
        yaml.contains("clusterRef:\n      name: streams\n"),
        "{yaml}"
    );
    let back = run(
        &folder,
        &[],
        &["policy", "import", "p.yaml", "--out", "back.json"],
    );
    assert_eq!(
        (back.exit, back.out.as_str()),
        (0, "Wrote back.json: 36 ACLs and 18 roles.\n"),
        "{}",
        back.err
    );
    let misspelt = yaml.replacen("- Describe\n", "- Describes\n", 1);
    fs::write(folder.path().join("misspelt.yaml"), misspelt).expect("a file");
    let refused = run(&folder, &[], &["policy", "import", "misspelt.yaml"]);
    let place = "misspelt.yaml: document 1: /spec/authorization/acls/0/operations/";
    assert!(
        refused.exit == 1 && refused.err.contains(place),
        "{}",
        refused.err
    );

    let args = [
        "policy",
        "convert",
        "policy.json",
        "--to",
        "terraform",
        "--from",
        "policy.json",
    ];
    let terraform = run(&folder, &[], &args);
    assert_eq!(terraform.exit, 0, "{}", terraform.err);
    assert!(
        terraform.out.starts_with("# Terraform 1.6 or OpenTofu 1.7"),
        "{}",
        terraform.out
    );
    assert!(
        terraform.err.contains("note: no import block: "),
        "{}",
        terraform.err
    );
}

#[test]
fn a_merge_adds_what_is_missing_and_can_be_repeated() {
    let service = Service::start();
    let before = service.run(&["export"]).done();
    let expected = unusual_names_policy();
    fs::write(service.file("wanted.json"), policy_to_text(&expected)).expect("a file");
    let merge =
        |more: &[&str]| service.run(&[&["import", "wanted.json", "--merge"], more].concat());
    let dry = merge(&["--dry-run"]).done();
    assert_eq!(
        dry,
        "Missing: 38 ACLs and 18 members. Already present: 0 ACLs. Nothing was changed.\n"
    );
    assert_eq!(service.run(&["export"]).done(), before);
    assert_eq!(
        merge(&[]).done(),
        "Missing: 38 ACLs and 18 members. Already present: 0 ACLs. 47 of 47 calls succeeded.\n"
    );
    let after = policy_from_json(&service.run(&["export"]).done()).expect("a policy");
    assert!(
        expected.acls().all(|acl| after.has_acl(&acl))
            && expected
                .roles()
                .all(|role| after.role(&role.name) == Some(role))
    );
    assert_eq!(after.acl_count(), 38 + 18, "nothing is removed");
    service
        .acl(&[
            "delete",
            "--cluster",
            "--allow-principal",
            "*",
            "--no-confirm",
        ])
        .done();
    assert!(
        merge(&[])
            .done()
            .starts_with("Missing: 1 ACL and 0 members. Already present: 37 ACLs. 1 of 1 call")
    );
    assert_eq!(
        service.json(&["import", "wanted.json", "--merge"])["calls"],
        0
    );

    // Invalid entries are reported, and the others are created.
    fs::write(
        service.file("bad.json"),
        policy_to_text(&expected).replace("\"Group:eng, fin\"", "\"Group:*\""),
    )
    .expect("a file");
    let bad = service.run(&["import", "bad.json", "--merge"]);
    assert_eq!(bad.exit, 1);
    assert!(
        bad.err.contains(
            "error: `Deny Read, consumer group \"eng, fin\" prefixed, host 10.0.0.7, of Group:*`: "
        ),
        "{}",
        bad.err
    );
    assert!(
        bad.out.contains("0 of 3 calls succeeded"),
        "{}{}",
        bad.out,
        bad.err
    );
}

#[test]
fn a_merge_that_is_interrupted_says_how_to_go_on() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(
        folder.path().join("wanted.json"),
        policy_to_text(&unusual_names_policy()),
    )
    .expect("a file");
    // Returns the list of ACLs, then ends.
    let (url, requests) = answering(&[&answer("200 OK", "", "{\"resources\":[]}")]);
    let done = run(
        &folder,
        &[("GBAC_URL", &url)],
        &["import", "wanted.json", "--merge", "--timeout", "5"],
    );
    assert_eq!(requests.join().expect("one question").len(), 1);
    assert!(done.failed(1).contains("cannot reach `"));
    let nobody = Nobody::there();
    assert!(
        run(&folder, &[("GBAC_URL", &nobody.url())], &["policy", "pull"])
            .failed(1)
            .contains("cannot reach `")
    );
}

#[test]
fn long_work_shows_how_far_it_is() {
    let service = Service::start();
    let mut policy = Policy::default();
    for number in 0..400 {
        let acl = Acl {
            resource_type: ResourceType::Topic,
            resource_name: format!("t{number}"),
            pattern_type: PatternType::Literal,
            principal: Principal::user("a"),
            host: Host::Any,
            operation: Operation::Read,
            permission: Permission::Allow,
        };
        policy.apply(Change::AddAcl(acl)).expect("a change");
    }
    fs::write(service.file("many.json"), policy_to_text(&policy)).expect("a file");
    let done = service.run(&["import", "many.json", "--merge"]);
    assert_eq!(done.exit, 0, "{}", done.err);
    assert!(
        done.out.ends_with("400 of 400 calls succeeded.\n"),
        "{}",
        done.out
    );
    assert_eq!(done.err, "", "progress is for terminals");
}
