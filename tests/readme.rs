//! Runs the command-line section of README.md line by line against a demo.

use std::fs;

use crate::support::program::gbac;
use crate::support::program::program;
use crate::support::service::Service;
use gbac_tests::vectors::root;
use serde_json::{Value, json};

/// The lines of the section's shell blocks.
fn lines() -> Vec<String> {
    let readme = fs::read_to_string(root().join("README.md")).expect("a README");
    let (_, section) = readme
        .split_once("\n## The command line\n")
        .expect("the section");
    let section = section.split_once("\n## ").expect("another section").0;
    let blocks = section
        .split("```sh\n")
        .skip(1)
        .map(|block| block.split_once("\n```").expect("an end").0);
    blocks
        .flat_map(str::lines)
        .filter(|line| !line.trim().is_empty())
        .map(str::to_owned)
        .collect()
}

/// Writes the files in the lines.
fn write_files(service: &Service) {
    let allow = |kind: &str, name: &str, principal: &str, operation: &str| {
        json!({ "resource_type": format!("RESOURCE_TYPE_{kind}"), "resource_name": name, "resource_pattern_type": "RESOURCE_PATTERN_TYPE_LITERAL",
            "principal": principal, "host": "*", "operation": format!("OPERATION_{operation}"), "permission_type": "PERMISSION_TYPE_ALLOW" })
    };
    let policy = json!({ "version": 1, "acls": [
        allow("TOPIC", "analytics-events", "Group:engineering", "READ"),
        allow("TOPIC", "orders", "User:*", "WRITE"), allow("TRANSACTIONAL_ID", "tx-1", "User:*", "WRITE"),
    ], "roles": [{ "name": "r", "members": [{ "principal": "Group:engineering" }] }] });
    let check = json!({ "identity": { "user": "a" }, "operation": "read", "resource_type": "topic", "resource_name": "x" });
    let test = json!({ "name": "nobody reads", "check": check, "expect": { "outcome": "deny" } });
    let row = json!({ "principal": "Group:a", "host": "*", "resource_type": "TOPIC", "resource_name": "x",
        "resource_pattern_type": "LITERAL", "operation": "READ", "permission": "ALLOW" });
    let people: Value = serde_json::from_str(&service.get("/demo/idp/people")).expect("people");
    let token = people[0]["token"].as_str().expect("a token");
    for (name, text) in [
        ("policy.json", policy.to_string()),
        ("before.json", policy.to_string()),
        ("after.json", policy.to_string()),
        ("checks.jsonl", format!("{check}\n")),
        ("assertions.json", json!({ "version": 1, "policy": policy, "tests": [test] }).to_string()),
        ("token.jwt", token.to_owned()),
        ("keys.json", service.get("/demo/idp/jwks")),
        ("acls.json", json!({ "filters": [], "matches": [row] }).to_string()),
        (
            "readers.json",
            json!({ "permissions": [], "members": [{ "name": "a", "principal_type": "Group" }] }).to_string(),
        ),
        (
            "kafka-acls.txt",
            "Current ACLs for resource `ResourcePattern(resourceType=GROUP, name=g, patternType=LITERAL)`:\n \
             \t(principal=User:a, host=*, operation=READ, permissionType=ALLOW)\n"
                .into(),
        ),
    ] {
        fs::write(service.file(name), text).expect("a file");
    }
}

#[test]
fn every_line_of_the_readme_does_its_work() {
    let service = Service::start();
    write_files(&service);
    let folder = gbac().parent().expect("a folder").to_owned();
    let path = format!(
        "{}:{}",
        folder.display(),
        std::env::var("PATH").expect("a path")
    );
    let (mut ran, mut exports) = (0, String::new());
    for line in lines() {
        // Other tests cover building and serving.
        if line.starts_with("cargo ") || line.starts_with("gbac serve ") || line.starts_with('#') {
            continue;
        }
        let here = line.replace("http://127.0.0.1:8420", &service.url);
        if here.starts_with("export ") {
            exports = here.split(" #").next().unwrap_or_default().to_owned();
            continue;
        }
        let mut command = program("sh");
        command
            .args(["-c", &format!("{exports}\n{here}")])
            .current_dir(&service.folder)
            .env("PATH", &path);
        let done = command
            .env("XDG_CONFIG_HOME", service.folder.path())
            .output()
            .expect("sh starts");
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        // The doctor finds problems in this token, as intended.
        let doctor = line.starts_with("gbac doctor ")
            && text(&done.stdout).starts_with("1. Decode the token");
        assert!(
            done.status.success() || doctor,
            "{line}\n{}{}",
            text(&done.stdout),
            text(&done.stderr)
        );
        ran += 1;
    }
    assert!(ran >= 25, "only {ran} lines");
}
