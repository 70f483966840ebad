//! `gbac policy pull` from the platform, and what it gives imported into a service.

use std::fs;

use crate::support::service::{Service, run};
use gbac_tests::platform::{CLUSTER_ID, Platform, PlatformApi, PlatformOptions};
use serde_json::{Value, json};

use super::{fill, self_managed};

const TOKEN: (&str, &str) = ("GBAC_TOKEN", "token-of-admin");

#[test]
fn a_pull_reads_every_page_and_every_kind() {
    let platform = Platform::start(PlatformOptions {
        page_limit: 2,
        ..PlatformOptions::default()
    });
    fill(&platform);
    let folder = tempfile::tempdir().expect("a folder");
    let (data, admin) = (
        platform.url(PlatformApi::DataPlane),
        platform.url(PlatformApi::Admin),
    );
    let password = [
        ("GBAC_URL", data.as_str()),
        ("GBAC_USER", "admin"),
        ("GBAC_PASSWORD", "secret"),
    ];
    let done = run(
        &folder,
        &password,
        &["policy", "pull", "--admin-url", &admin, "--out", "p.json"],
    );
    assert_eq!(
        (done.exit, done.out.as_str()),
        (0, "Wrote p.json: 8 ACLs and 3 roles.\n"),
        "{}",
        done.err
    );
    let text = fs::read_to_string(folder.path().join("p.json")).expect("a file");
    let document: Value = serde_json::from_str(&text).expect("JSON");
    let settings = json!({ "oidc_group_claim_path": "$.groups", "nested_group_behavior": "none",
        "oidc_principal_mapping": "$.sub", "superusers": ["admin"] });
    assert_eq!(document["settings"], settings);
    let paged = platform
        .take_requests()
        .into_iter()
        .filter(|request| request.target.contains("page_token="))
        .count();
    assert_eq!(paged, 1, "three roles make two pages of two");
    assert!(
        text.contains("Role:Readers") && !text.contains("RedpandaRole"),
        "documents have one spelling"
    );

    let service = Service::start();
    fs::write(service.file("p.json"), &text).expect("a file");
    service.run(&["import", "p.json", "--no-confirm"]).done();
    let kept = service.run(&["policy", "pull"]);
    assert_eq!(
        (kept.exit, kept.out),
        (0, text),
        "a service says what the platform said: {}",
        kept.err
    );
}

#[test]
fn a_pull_of_the_managed_cloud_finds_the_data_plane() {
    let platform = Platform::start(PlatformOptions {
        managed: true,
        ..PlatformOptions::default()
    });
    fill(&platform);
    let folder = tempfile::tempdir().expect("a folder");
    let control = platform.url(PlatformApi::ControlPlane);
    let pull = |id: &str| {
        run(
            &folder,
            &[TOKEN, ("GBAC_URL", &control)],
            &["policy", "pull", "--cluster-id", id, "--no-settings"],
        )
    };
    let done = pull(CLUSTER_ID);
    assert_eq!(done.exit, 0, "{}", done.err);
    let document: Value = serde_json::from_str(&done.out).expect("JSON");
    assert_eq!(document["acls"].as_array().map(Vec::len), Some(8));
    assert_eq!(pull("nowhere").failed(1), "error: Not Found\n");
}

#[test]
fn a_pull_of_a_cluster_without_registry_acls_is_the_kafka_part() {
    let platform = self_managed();
    fill(&platform);
    let without = Platform::start(PlatformOptions {
        registry_acls: false,
        ..PlatformOptions::default()
    });
    let kafka = platform
        .state()
        .acls
        .iter()
        .filter(|acl| acl.resource_type == "TOPIC")
        .cloned()
        .collect();
    without.state().acls = kafka;
    let folder = tempfile::tempdir().expect("a folder");
    let data = without.url(PlatformApi::DataPlane);
    let done = run(
        &folder,
        &[TOKEN, ("GBAC_URL", &data)],
        &["policy", "pull", "--no-settings", "--out", "p.json"],
    );
    assert_eq!(
        (done.exit, done.out.as_str()),
        (0, "Wrote p.json: 3 ACLs and 0 roles.\n"),
        "{}",
        done.err
    );
}
