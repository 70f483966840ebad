//! What tells a newcomer where they are: `version`, `whoami`, `profile current`, and the nearest
//! names in errors.

use crate::support::data::DataService;
use crate::support::program;
use crate::support::service::{Service, answer, answering, run};
use gbac_tests::folder::Folder;
use gbac_tests::samples::POLICY;
use serde_json::{Value, json};
use std::fs;

const PASSWORD: &str = "a password of this test";

fn value(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

#[test]
fn version_names_the_build_and_the_engine() {
    let folder = tempfile::tempdir().expect("a folder");
    let short = run(&folder, &[], &["--version"]).done();
    let text = run(&folder, &[], &["version"]).done();
    assert!(
        text.starts_with(&short) && text.contains("\nEngine: gbac-engine "),
        "{text}"
    );
    let version = value(&run(&folder, &[], &["version", "--format", "json"]).done());
    assert_eq!(
        short.trim(),
        format!("gbac {}", version["version"].as_str().expect("a version"))
    );
    for member in ["build", "platform", "engine", "features"] {
        assert!(!version[member].is_null(), "{member}: {version}");
    }
}

#[test]
fn whoami_says_what_each_caller_may_do() {
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
    let (url, token) = (service.url(), provider.token());
    let admin = [
        ("GBAC_URL", url.as_str()),
        ("GBAC_USER", "admin"),
        ("GBAC_PASSWORD", PASSWORD),
    ];
    let maya = [("GBAC_URL", url.as_str()), ("GBAC_TOKEN", token.as_str())];
    let text = run(&folder, &admin, &["whoami"]).done();
    assert!(text.contains(&format!(" at {url} (version ")), "{text}");
    assert!(
        text.contains("\nSigned in with: the user `admin`\nMay: everything (superuser)\n"),
        "{text}"
    );
    for (access, level) in [
        (None, "none"),
        (Some("evaluate"), "evaluate"),
        (Some("read_only"), "read_only"),
    ] {
        let mut settings = json!({ "superusers": [], "access": {} });
        if let Some(access) = access {
            settings["access"] = json!({ access: ["User:maya.okafor"] });
        }
        fs::write(
            folder.path().join("p.json"),
            json!({ "version": 1, "settings": settings }).to_string(),
        )
        .expect("a file");
        assert_eq!(
            run(&folder, &admin, &["import", "p.json", "--no-confirm"]).exit,
            0
        );
        let who = value(&run(&folder, &maya, &["whoami", "--format", "json"]).done());
        assert_eq!(
            (&who["access"], &who["user"]),
            (&json!(level), &Value::Null),
            "{who}"
        );
        assert_eq!(
            who["token"],
            json!({ "user": "maya.okafor", "groups": ["engineering", "analytics"] })
        );
    }
    let superuser = json!({ "version": 1, "settings": { "superusers": ["maya.okafor"] } });
    fs::write(folder.path().join("p.json"), superuser.to_string()).expect("a file");
    assert_eq!(
        run(&folder, &admin, &["import", "p.json", "--no-confirm"]).exit,
        0
    );
    let state = run(&folder, &admin, &["export"]).done();
    assert_eq!(
        value(&run(&folder, &maya, &["whoami", "--format", "json"]).done())["access"],
        "superuser"
    );
    assert_eq!(
        run(&folder, &admin, &["export"]).done(),
        state,
        "whoami changes nothing"
    );
    let demo = provider.with(&[], &["whoami"]).done();
    assert!(
        demo.contains(", a demo)\nSigned in with: nobody; "),
        "{demo}"
    );
    let refused = run(
        &folder,
        &[
            ("GBAC_URL", &url),
            ("GBAC_USER", "admin"),
            ("GBAC_PASSWORD", "no"),
        ],
        &["whoami"],
    );
    assert!(
        refused.failed(1).contains(
            "credentials rejected: the user `admin`; check GBAC_USER and GBAC_PASSWORD\n"
        )
    );
}

#[test]
fn a_service_is_ready_for_callers_without_credentials() {
    let folder = tempfile::tempdir().expect("a folder");
    let service = Service::start();
    let url = &service.url;
    let said = run(&folder, &[("GBAC_URL", url)], &["ready"]).done();
    assert_eq!(said, format!("{url} is ready.\n"));
    let (page, requests) = answering(&[&answer("200 OK", "", "<!doctype html>")]);
    let refused = run(&folder, &[("GBAC_URL", &page)], &["ready"]).failed(1);
    let _ = requests.join();
    assert!(
        refused.contains("check that --url or GBAC_URL is the service"),
        "{refused}"
    );
    // Nothing listens any more.
    assert!(
        run(&folder, &[("GBAC_URL", &page)], &["ready"])
            .failed(1)
            .contains("cannot reach")
    );
}

#[test]
fn the_current_profile_and_what_selects_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let none = run(&folder, &[], &["profile", "current"]).failed(1);
    assert!(none.contains("gbac profile create"), "{none}");
    for (name, url) in [
        ("local", "https://test.example.com"),
        ("production", "https://gbac.example.com"),
    ] {
        let _ = run(
            &folder,
            &[],
            &["profile", "create", name, "--url", url, "--user", "admin"],
        )
        .done();
    }
    let current =
        |variables: &[(&str, &str)]| run(&folder, variables, &["profile", "current"]).done();
    assert_eq!(
        current(&[]),
        "local: https://test.example.com, user admin (selected by gbac profile use)\n"
    );
    let of_variable = current(&[("GBAC_PROFILE", "production")]);
    assert_eq!(
        of_variable,
        "production: https://gbac.example.com, user admin (selected by GBAC_PROFILE)\n"
    );
    let near = run(
        &folder,
        &[("GBAC_PROFILE", "prodution")],
        &["profile", "current"],
    )
    .failed(1);
    assert!(near.contains("; did you mean `production`?"), "{near}");
}

#[test]
fn wrong_input_names_the_nearest_right_one() {
    let folder = Folder::new("orientation");
    folder.file("policy.json", POLICY);
    let run = |args: &[&str]| {
        let mut command = program::command();
        command.args(args);
        program::run(command, folder.path(), "").failed(64)
    };
    let check = [
        "check",
        "--policy",
        "policy.json",
        "--user",
        "u",
        "--topic",
        "orders",
    ];
    for (args, near) in [
        (vec!["chek"], "'check'"),
        (vec!["acl", "list"], "did you mean `gbac security acl`?"),
        (vec!["role", "list"], "did you mean `gbac security role`?"),
        (
            vec!["lint", "policy.json"],
            "did you mean `gbac policy lint`?",
        ),
        (
            [&check[..], &["--operatoin", "read"]].concat(),
            "'--operation'",
        ),
        (
            [&check[..], &["--operation", "wirte"]].concat(),
            "did you mean `write`?",
        ),
        (
            vec![
                "security",
                "acl",
                "create",
                "--allow-principal",
                "Groups:eng",
                "--operation",
                "read",
                "--topic",
                "x",
            ],
            "did you mean `Group:eng`?",
        ),
        // Arguments whose flag is missing, and formats of another command.
        (
            vec!["collisions", "policy.json"],
            "found; a policy is --policy FILE; see --help",
        ),
        (
            vec!["policy", "apply", "changes.json"],
            "found; changes are --changes FILE; see --help",
        ),
        (
            vec!["who-can", "write", "topic", "orders"],
            "found; an operation is --operation write; see --help",
        ),
        (
            vec!["who-can", "topic", "orders"],
            "found; did you mean `--topic`?",
        ),
        // No flag is similar.
        (
            vec!["who-can", "--request", "Produce"],
            "'--request' found; see --help",
        ),
        (
            vec!["policy", "convert", "x", "--to", "gbac", "--format", "csv"],
            "`gbac policy convert FILE --to csv`",
        ),
        (
            vec!["doctor", "--token-file", "token.jwt"],
            "name the token to examine: `gbac doctor FILE`",
        ),
    ] {
        let error = run(&args);
        assert!(error.contains(near), "{args:?}: {error}");
        assert_eq!(error.lines().count(), 1, "{error}");
    }
}

#[test]
fn an_unknown_role_names_the_nearest_one() {
    let service = Service::start();
    for args in [
        &["describe", "PaymentWriters"][..],
        &["assign", "paymentswriters", "--principal", "ana"],
        &["delete", "PaymentsWriter", "--no-confirm"],
    ] {
        let error = service.role(args).failed(1);
        assert!(
            error.contains("does not exist; did you mean `PaymentsWriters`?"),
            "{args:?}: {error}"
        );
    }
    let distant = service.role(&["describe", "zzz"]).failed(1);
    assert!(
        distant.ends_with("role `zzz` does not exist\n"),
        "{distant}"
    );
}
