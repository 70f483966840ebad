//! Tests of `gbac backup` and `gbac restore`: a backup under load is an acknowledged state, and
//! nothing is overwritten or partially restored.

use std::collections::BTreeSet;
use std::fs;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::thread;

use crate::support::data::{DataClient, DataService};
use crate::support::program::Run;
use crate::support::service::run;
use serde_json::{Value, json};
use tempfile::TempDir;

const PASSWORD: &str = "a password of this test";
const WRITERS: usize = 4;

/// Runs a command against a service as its admin.
fn as_admin(folder: &TempDir, service: &DataService, password: &str, args: &[&str]) -> Run {
    run(
        folder,
        &[
            ("GBAC_URL", &service.url()),
            ("GBAC_USER", "admin"),
            ("GBAC_PASSWORD", password),
        ],
        args,
    )
}

fn names(document: &Value) -> BTreeSet<String> {
    let roles = document["roles"].as_array().expect("roles");
    roles
        .iter()
        .map(|role| role["name"].as_str().expect("a name").to_owned())
        .collect()
}

/// The progress of a writer.
#[derive(Default)]
struct Progress {
    /// The number of acknowledged roles.
    acknowledged: AtomicUsize,
    /// The number of sent roles.
    sent: AtomicUsize,
}

#[test]
fn a_backup_during_writes_is_a_state_that_was_acknowledged() {
    let folder = tempfile::tempdir().expect("a folder");
    let service = DataService::start(&folder.path().join("data"), Some(PASSWORD));
    let mut admin = DataClient::connect(&service, PASSWORD).expect("a connection");
    let acl = |at: usize| {
        json!({ "resource_type": "RESOURCE_TYPE_TOPIC", "resource_name": format!("topic-{at}"),
            "resource_pattern_type": "RESOURCE_PATTERN_TYPE_LITERAL", "principal": "User:maya", "host": "*",
            "operation": "OPERATION_READ", "permission_type": "PERMISSION_TYPE_DENY" })
    };
    let document = json!({ "version": 1, "acls": (0..500).map(acl).collect::<Vec<_>>() });
    fs::write(folder.path().join("start.json"), document.to_string()).expect("a file");
    assert_eq!(
        as_admin(
            &folder,
            &service,
            PASSWORD,
            &["import", "start.json", "--no-confirm"]
        )
        .exit,
        0
    );
    let settings = r#"{"upsert":{"nested_group_behavior":"suffix","oidc_token_audience":"kafka"},"remove":[]}"#;
    assert_eq!(
        admin
            .ask("PUT", "/v1/cluster_config", settings)
            .expect("an answer")
            .0,
        200
    );
    let before = admin.policy();

    let progress: Vec<Progress> = (0..WRITERS).map(|_| Progress::default()).collect();
    let done = AtomicBool::new(false);
    let acknowledged = || {
        progress
            .iter()
            .map(|writer| writer.acknowledged.load(SeqCst))
            .collect::<Vec<_>>()
    };
    let (saved, least, most) = thread::scope(|scope| {
        for (writer, progress) in progress.iter().enumerate() {
            let (service, done) = (&service, &done);
            scope.spawn(move || {
                let mut client = DataClient::connect(service, PASSWORD).expect("a connection");
                for at in 1.. {
                    if done.load(SeqCst) {
                        return;
                    }
                    progress.sent.store(at, SeqCst);
                    let role =
                        json!({ "create": true, "add": [{ "principal": "User:maya" }, { "principal": "Group:eng" }] });
                    let path = format!("/v1/roles/w{writer}-{at}");
                    assert_eq!(client.ask("PUT", &path, &role.to_string()).expect("an answer").0, 200);
                    progress.acknowledged.store(at, SeqCst);
                }
            });
        }
        // Waits until every writer writes.
        while acknowledged().contains(&0) {
            thread::yield_now();
        }
        let least = acknowledged();
        let saved = as_admin(
            &folder,
            &service,
            PASSWORD,
            &["--format", "json", "backup", "gbac.backup"],
        );
        let most: Vec<usize> = progress
            .iter()
            .map(|writer| writer.sent.load(SeqCst))
            .collect();
        while acknowledged()
            .iter()
            .zip(&most)
            .any(|(acknowledged, sent)| acknowledged < sent)
        {
            thread::yield_now();
        }
        done.store(true, SeqCst);
        (saved, least, most)
    });
    let saved: Value = serde_json::from_str(&saved.done()).expect("JSON");
    drop(service);

    let restored = run(
        &folder,
        &[],
        &[
            "--format",
            "json",
            "restore",
            "gbac.backup",
            "--data",
            "restored",
        ],
    );
    let restored: Value = serde_json::from_str(&restored.done()).expect("JSON");
    assert_eq!(
        (&restored["sha256"], &restored["acls"]),
        (&saved["sha256"], &json!(500))
    );
    // The backup contains the password.
    let service = DataService::start(&folder.path().join("restored"), None);
    let mut admin = DataClient::connect(&service, PASSWORD).expect("a connection");
    let after = admin.policy();
    assert_eq!(
        (&after["acls"], &after["settings"]),
        (&before["acls"], &before["settings"])
    );
    let (status, audience) = admin
        .ask("GET", "/v1/cluster_config?key=oidc_token_audience", "")
        .expect("an answer");
    assert_eq!(
        (status, audience.as_slice()),
        (200, &br#"{"oidc_token_audience":"kafka"}"#[..])
    );
    let names = names(&after);
    for (writer, (least, most)) in least.iter().zip(&most).enumerate() {
        let prefix = format!("w{writer}-");
        let count = names
            .iter()
            .filter(|name| name.starts_with(&prefix))
            .count();
        assert!(
            (*least..=*most).contains(&count),
            "writer {writer}: {count} is not in {least}..={most}"
        );
        assert!(
            (1..=count).all(|at| names.contains(&format!("{prefix}{at}"))),
            "writer {writer}: {names:?}"
        );
    }
    for role in after["roles"].as_array().expect("roles") {
        assert_eq!(role["members"].as_array().map(Vec::len), Some(2), "{role}");
    }
    let (status, _) = DataClient::connect(&service, "wrong")
        .expect("a connection")
        .ask("GET", "/v1/roles", "")
        .expect("an answer");
    assert_eq!(status, 401);
}

#[test]
fn nothing_is_overwritten_and_nothing_damaged_is_restored() {
    let folder = tempfile::tempdir().expect("a folder");
    let service = DataService::start(&folder.path().join("data"), Some(PASSWORD));
    let path = |name: &str| folder.path().join(name);
    let backup = |password: &str, args: &[&str]| {
        as_admin(&folder, &service, password, &[&["backup"], args].concat())
    };
    let refused = |run: Run, exit: i32, message: &str| {
        assert_eq!((run.exit, run.out.as_str()), (exit, ""), "{}", run.err);
        assert!(run.err.contains(message), "{message}: {}", run.err);
    };

    let saved = backup(PASSWORD, &["gbac.backup"]).done();
    assert!(
        saved.starts_with("Saved gbac.backup: 0 ACLs and 0 roles.\nSHA-256 of the backup: "),
        "{saved}"
    );
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(
            fs::metadata(path("gbac.backup"))
                .expect("a file")
                .permissions()
                .mode()
                & 0o777,
            0o600
        );
    }
    let whole = fs::read(path("gbac.backup")).expect("a file");
    assert!(whole.starts_with(b"gbac backup 1\n"));
    assert!(
        !whole
            .windows(PASSWORD.len())
            .any(|found| found == PASSWORD.as_bytes()),
        "only a hash is saved"
    );

    fs::write(path("other"), "kept").expect("a file");
    refused(
        backup(PASSWORD, &["other"]),
        1,
        "`other` already exists; choose another name, or pass --replace",
    );
    refused(
        backup("wrong", &["other", "--replace"]),
        1,
        "credentials rejected",
    );
    assert_eq!(fs::read(path("other")).expect("a file"), b"kept");
    assert_eq!(backup(PASSWORD, &["other", "--replace"]).exit, 0);
    assert_eq!(fs::read(path("other")).expect("a file"), whole);
    assert!(!path("other.new").exists());
    refused(backup("wrong", &["new.backup"]), 1, "credentials rejected");
    assert!(!path("new.backup").exists());
    refused(
        backup(PASSWORD, &["missing/new.backup"]),
        1,
        "missing/new.backup: no such file",
    );
    refused(backup(PASSWORD, &[]), 64, "required");

    let restore = |args: &[&str]| run(&folder, &[], &[&["restore"], args].concat());
    refused(
        restore(&["gbac.backup", "--data", "data"]),
        1,
        "/data`; stop the service",
    );
    fs::create_dir(path("full")).expect("a folder");
    fs::write(path("full/file"), "").expect("a file");
    refused(
        restore(&["gbac.backup", "--data", "full"]),
        1,
        "/full` is not empty; choose a new or empty folder",
    );
    refused(
        restore(&["missing", "--data", "new"]),
        1,
        "missing: no such file",
    );
    refused(restore(&["gbac.backup"]), 64, "--data");
    fs::write(path("half"), &whole[..whole.len() / 2]).expect("a file");
    refused(
        restore(&["half", "--data", "new"]),
        1,
        "the backup is damaged or incomplete; use another backup",
    );
    fs::copy(path("data/gbac.redb"), path("raw")).expect("a file");
    refused(
        restore(&["raw", "--data", "new"]),
        1,
        "this is not a backup of a service; use a file created by `gbac backup`",
    );
    assert!(!path("new").exists());
    let error: Value = serde_json::from_str(
        &run(
            &folder,
            &[],
            &["--format", "json", "restore", "half", "--data", "new"],
        )
        .out,
    )
    .expect("JSON");
    assert_eq!(error["error"]["code"], "backup_damaged");

    let restored = restore(&["gbac.backup", "--data", "new/data"]).done();
    assert_eq!(
        restored.replace("Restored new/data", "Saved gbac.backup"),
        saved
    );
    refused(
        restore(&["gbac.backup", "--data", "new/data"]),
        1,
        "is not empty",
    );
}
