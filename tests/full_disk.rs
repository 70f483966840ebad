//! Tests `gbac serve --data` on a temporarily full disk: no acknowledged change is lost, and the
//! service recovers.
//!
//! Mounting a small disk requires root. Without it, `server/src/serve/start.rs` and
//! `server/src/state/store` still have equivalent tests with a simulated disk.

use std::collections::BTreeSet;
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use crate::support::data::{DataClient, DataService};
use crate::support::program::program;
use serde_json::{Value, json};
use tempfile::TempDir;

/// The whole disk is smaller than the space that is kept free of events by default.
const NO_RESERVE: [&str; 2] = ["--audit-reserve-mib", "0"];
const PASSWORD: &str = "a password of this test";

/// An in-memory disk of a few megabytes.
struct SmallDisk(TempDir);

impl SmallDisk {
    fn mount() -> Option<Self> {
        let folder = tempfile::tempdir().expect("a folder");
        let mut mount = program("mount");
        mount
            .args(["-t", "tmpfs", "-o", "size=8m", "tmpfs"])
            .arg(folder.path())
            .stderr(Stdio::null());
        mount
            .status()
            .is_ok_and(|status| status.success())
            .then(|| Self(folder))
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    /// Uses all free space.
    fn fill(&self) {
        let mut file = OpenOptions::new()
            .append(true)
            .create(true)
            .open(self.path().join("ballast"))
            .expect("a file");
        let mut size = 1 << 16;
        while size > 0 {
            if file.write_all(&vec![1; size]).is_err() {
                size /= 2;
            }
        }
    }

    fn free(&self) {
        fs::remove_file(self.path().join("ballast")).expect("a file");
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        // This fails if the folder is still in use.
        let _ = program("umount").arg(self.path()).status();
    }
}

fn names(document: &Value) -> BTreeSet<String> {
    let roles = document["roles"].as_array().expect("roles");
    roles
        .iter()
        .map(|role| role["name"].as_str().expect("a name").to_owned())
        .collect()
}

#[test]
fn a_service_on_a_full_disk_recovers_when_there_is_room() {
    let Some(disk) = SmallDisk::mount() else {
        eprintln!("no small disk can be mounted");
        return;
    };
    let data = disk.path().join("data");
    let service = DataService::start_with(&data, Some(PASSWORD), &NO_RESERVE);
    let mut client = DataClient::connect(&service, PASSWORD).expect("a connection");
    // Without the audit log, the store itself meets the full disk.
    assert_eq!(set_audit(&mut client, false), 200);
    let mut acknowledged = BTreeSet::new();
    // Roles with long member names, so that the file must grow.
    let member = "m".repeat(200);
    let mut write = |client: &mut DataClient, name: String| {
        let add: Vec<Value> = (0..20)
            .map(|at| json!({ "principal": format!("User:{name}-{at}-{member}") }))
            .collect();
        let body = json!({ "create": true, "add": add }).to_string();
        let (status, _) = client
            .ask("PUT", &format!("/v1/roles/{name}"), &body)
            .expect("an answer");
        assert!(status == 200 || status == 503, "{status}");
        if status == 200 {
            acknowledged.insert(name);
        }
        status
    };
    let started = Instant::now();
    for round in 0..3 {
        assert_eq!(write(&mut client, format!("r{round}-first")), 200);
        disk.fill();
        let refused = (0..10_000).find(|at| write(&mut client, format!("r{round}-{at}")) == 503);
        assert!(refused.is_some(), "the disk is never full");
        assert_eq!(client.ask("GET", "/readyz", "").expect("an answer").0, 503);
        let (_, metrics) = client.ask("GET", "/metrics", "").expect("an answer");
        assert!(String::from_utf8_lossy(&metrics).contains("\ngbac_store_writable 0\n"));
        // Readers see exactly the acknowledged changes.
        let seen = names(&client.policy());
        assert!(
            seen.contains(&format!("r{round}-first"))
                && !seen.contains(&format!("r{round}-{}", refused.expect("one")))
        );
        disk.free();
        while client.ask("GET", "/readyz", "").expect("an answer").0 != 200 {
            assert!(
                started.elapsed() < Duration::from_secs(300),
                "it never accepts writes again"
            );
        }
        assert_eq!(write(&mut client, format!("r{round}-last")), 200);
    }
    assert_eq!(names(&client.policy()), acknowledged);
    drop((client, service));
    let service = DataService::start(&data, None);
    let document = DataClient::connect(&service, PASSWORD)
        .expect("a connection")
        .policy();
    assert_eq!(names(&document), acknowledged);
    for role in document["roles"].as_array().expect("roles") {
        assert_eq!(
            role["members"].as_array().map(Vec::len),
            Some(20),
            "{}",
            role["name"]
        );
    }
}

#[test]
fn auditing_can_be_turned_off_on_a_full_disk() {
    let Some(disk) = SmallDisk::mount() else {
        eprintln!("no small disk can be mounted");
        return;
    };
    let data = disk.path().join("data");
    let service = DataService::start_with(&data, Some(PASSWORD), &NO_RESERVE);
    let mut client = DataClient::connect(&service, PASSWORD).expect("a connection");
    let mut audit = |enabled: bool| set_audit(&mut client, enabled);
    assert_eq!(audit(false), 200);
    let started = Instant::now();
    for round in 0..3 {
        assert_eq!(audit(true), 200);
        disk.fill();
        let create = |at: usize| {
            client_status(
                &service,
                "PUT",
                &format!("/v1/roles/r{round}-{at}"),
                r#"{"create":true}"#,
            )
        };
        assert!(
            (0..10_000).any(|at| create(at) == 503),
            "the disk is never full"
        );
        assert_eq!(audit(false), 200);
        assert_eq!(client_status(&service, "GET", "/gbac/v1/policy", ""), 200);
        disk.free();
        while !data.join("gbac.reserve").exists() {
            assert!(
                started.elapsed() < Duration::from_secs(300),
                "the space for this is never reserved again"
            );
        }
    }
    let events = fs::read_to_string(data.join("changes.jsonl")).expect("the audit log");
    let recorded = events
        .lines()
        .filter(|event| event.contains("turned the audit log "));
    assert_eq!(
        recorded.count(),
        7,
        "each change is recorded, at the latest when there is room"
    );
}

/// Turns the audit log on or off, and returns the status.
fn set_audit(client: &mut DataClient, enabled: bool) -> u16 {
    let body = json!({ "upsert": { "audit_enabled": enabled }, "remove": [] }).to_string();
    let answer = client.ask("PUT", "/v1/cluster_config", &body);
    answer.expect("an answer").0
}

fn client_status(service: &DataService, method: &str, path: &str, body: &str) -> u16 {
    let mut client = DataClient::connect(service, PASSWORD).expect("a connection");
    client.ask(method, path, body).expect("an answer").0
}
