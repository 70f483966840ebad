//! What the command line and the relay say about a cluster before anything is sent to it.

use std::fs;

use crate::support::program::Run;
use crate::support::service::{Service, run};
use gbac_tests::platform::{
    BrokerVersion, CLUSTER_ID, Mode, Platform, PlatformApi, PlatformOptions,
};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::{ADMIN, ask, relaying, self_managed};

const OLD: PlatformOptions = PlatformOptions {
    version: BrokerVersion::V25_3,
    license: false,
    registry_acls: false,
    managed: false,
    page_limit: 1000,
};

fn command(folder: &TempDir, url: &str, args: &[&str]) -> Run {
    run(
        folder,
        &[("GBAC_URL", url), ("GBAC_TOKEN", "token-of-admin")],
        args,
    )
}

#[test]
fn a_pull_says_what_is_missing_before_it_reads() {
    let platform = Platform::start(OLD);
    let folder = tempfile::tempdir().expect("a folder");
    let (data, admin) = (
        platform.url(PlatformApi::DataPlane),
        platform.url(PlatformApi::Admin),
    );
    let done = command(
        &folder,
        &data,
        &["policy", "pull", "--admin-url", &admin, "--out", "p.json"],
    );
    assert_eq!(done.exit, 0, "{}", done.err);
    for note in [
        "note: version v25.3.4 has no groups; they begin with v26.1: ACLs of groups",
        "note: the Schema Registry has no ACLs: ACLs of subjects",
        "note: there is no license: roles, ACLs of roles and groups",
    ] {
        assert!(done.err.contains(note), "{note}: {}", done.err);
    }
    let done = command(
        &folder,
        &data,
        &["policy", "pull", "--no-settings", "--out", "p.json"],
    );
    assert!(
        done.err
            .starts_with("note: the Schema Registry has no ACLs")
            && !done.err.contains("v25.3"),
        "{}",
        done.err
    );
    let _ = platform.take_requests();

    let wrong = command(&folder, &admin, &["policy", "pull", "--out", "q.json"]).failed(1);
    assert_eq!(
        wrong,
        format!(
            "error: there is no Data Plane API at `{admin}`; set its URL with --url or GBAC_URL\n"
        )
    );
    assert_eq!(platform.take_requests().len(), 1);
    let wrong = command(&folder, &data, &["policy", "pull", "--out", "q.json"]).failed(1);
    assert!(
        wrong.contains("there is no Admin API at")
            && wrong.contains("--admin-url, or --no-settings"),
        "{wrong}"
    );
    assert!(
        !platform
            .take_requests()
            .iter()
            .any(|request| request.target.starts_with("/v1/roles"))
    );
    assert!(!folder.path().join("q.json").exists());
}

#[test]
fn whoami_names_the_apis_at_a_url() {
    let folder = tempfile::tempdir().expect("a folder");
    let platform = self_managed();
    let whoami = |api| command(&folder, &platform.url(api), &["whoami"]).done();
    let admin = whoami(PlatformApi::Admin);
    assert!(
        admin.contains("(version v26.2.2)\n")
            && admin.contains("\nHas: Admin API v1 and Admin API v2\nLicense: valid\n"),
        "{admin}"
    );
    assert!(
        admin.contains("\nMissing: there is no Data Plane API at this address: "),
        "{admin}"
    );
    let data = whoami(PlatformApi::DataPlane);
    assert!(
        data.contains("\nHas: Data Plane API and ACLs of the Schema Registry\n"),
        "{data}"
    );
    let json = command(
        &folder,
        &platform.url(PlatformApi::Admin),
        &["whoami", "--format", "json"],
    )
    .done();
    let json: Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(
        (&json["cluster"]["admin_v2"], &json["gaps"][0]["code"]),
        (&json!("present"), &json!("no_data_plane"))
    );
    let nobody = run(
        &folder,
        &[("GBAC_URL", &platform.url(PlatformApi::Admin))],
        &["whoami"],
    )
    .failed(1);
    assert!(nobody.contains("authentication required"), "{nobody}");
}

#[test]
fn an_import_into_a_cluster_is_refused_or_says_what_is_missing_first() {
    let folder = tempfile::tempdir().expect("a folder");
    let platform = Platform::start(PlatformOptions {
        license: true,
        ..OLD
    });
    let data = platform.url(PlatformApi::DataPlane);
    let acl = |resource: &str| {
        json!({ "resource_type": format!("RESOURCE_TYPE_{resource}"), "resource_name": "t",
        "resource_pattern_type": "RESOURCE_PATTERN_TYPE_LITERAL", "principal": "User:bob", "host": "*",
        "operation": "OPERATION_READ", "permission_type": "PERMISSION_TYPE_ALLOW" })
    };
    let document = json!({ "version": 1, "acls": [acl("TOPIC"), acl("SUBJECT")] });
    fs::write(folder.path().join("p.json"), document.to_string()).expect("a file");
    let whole = command(&folder, &data, &["import", "p.json", "--no-confirm"]);
    assert_eq!(whole.exit, 1);
    assert!(
        whole.err.contains("is a cluster managed with `rpk`") && whole.err.contains("--to curl"),
        "{}",
        whole.err
    );
    assert!(
        platform
            .take_requests()
            .iter()
            .all(|request| request.method == "GET" || request.body == "{}")
    );

    let merged = command(&folder, &data, &["import", "p.json", "--merge"]);
    assert_eq!(merged.exit, 1, "the platform refuses the ACL of a subject");
    assert!(
        merged
            .err
            .starts_with("note: the Schema Registry has no ACLs"),
        "{}",
        merged.err
    );
    assert_eq!(platform.state().acls.len(), 1);
    let sent: Vec<String> = platform
        .take_requests()
        .into_iter()
        .map(|request| format!("{} {}", request.method, request.target))
        .collect();
    let first_change = sent
        .iter()
        .position(|line| line == "POST /v1/acls")
        .expect("a change");
    let probe = sent
        .iter()
        .position(|line| line.ends_with("/ListCurrentUserRoles"))
        .expect("a probe");
    assert!(probe < first_change, "{sent:?}");
}

#[test]
fn the_relay_says_what_the_cluster_has() {
    let platform = Platform::start(OLD);
    let service = relaying(&platform);
    let asked = |caller: &str| ask(&service.url, "GET", "/gbac/v1/upstream/target", caller, "");
    let (status, answer) = asked(ADMIN);
    assert_eq!(status, 200, "{answer}");
    let target = json!({ "version": "v25.3.4", "admin_v1": "present", "admin_v2": "absent", "data_plane": "present",
        "registry_acls": "absent", "license": "not_present" });
    assert_eq!(answer["target"], target);
    let codes: Vec<&Value> = answer["gaps"]
        .as_array()
        .expect("gaps")
        .iter()
        .map(|gap| &gap["code"])
        .collect();
    assert_eq!(codes, ["no_groups", "no_registry_acls", "no_license"]);
    assert_eq!(asked("Bearer nobody").0, 401);
    let _ = platform.take_requests();
    assert_eq!(
        asked("Nothing").0,
        401,
        "malformed credentials are not sent"
    );
    assert!(platform.take_requests().is_empty());
    platform.set_mode(Mode::Html, 0);
    assert_eq!(
        asked(ADMIN).1["gaps"],
        json!([]),
        "a page says nothing about the cluster"
    );
    platform.set_mode(Mode::Cut, 0);
    assert_eq!(asked(ADMIN).0, 502);

    let cloud = Platform::start(PlatformOptions {
        managed: true,
        ..OLD
    });
    let control = cloud.url(PlatformApi::ControlPlane);
    let service = Service::start_with(&["--upstream-controlplane", &control]);
    let asked = |query: &str| {
        ask(
            &service.url,
            "GET",
            &format!("/gbac/v1/upstream/target{query}"),
            ADMIN,
            "",
        )
    };
    let (status, answer) = asked(&format!("?cluster={CLUSTER_ID}"));
    assert_eq!(
        (status, &answer["gaps"][0]["code"]),
        (200, &json!("no_registry_acls")),
        "{answer}"
    );
    assert_eq!(asked("?cluster=none").0, 404);
    assert_eq!(asked("?cluster=..").0, 400);
    assert_eq!(asked("").0, 404);
}
