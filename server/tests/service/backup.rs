//! Backups over HTTP: who gets one, what it is, and that it is on the record.

use axum::http::Method;
use gbac_server::{restore_backup, verify_backup};
use serde_json::json;
use tempfile::tempdir;

use crate::harness::{Own, Service, admin, basic};

const BACKUP: &str = "/gbac/v1/backup";

#[tokio::test]
async fn a_backup_makes_a_service_with_the_same_policy_and_password() {
    let service = Own::with(|options| options.admin_password = Some("a secret of tests".into()));
    let own = basic("admin", "a secret of tests");
    let role = json!({ "create": true, "add": [{ "principal": "Group:/a/b" }, { "principal": "User:maya" }] });
    assert_eq!(
        service
            .send_as(Method::PUT, "/v1/roles/Engineers", &role, &own)
            .await
            .status,
        200
    );
    let properties = json!({ "upsert": { "audit_enabled": true, "oidc_token_audience": "kafka" }, "remove": [] });
    assert_eq!(
        service
            .send_as(Method::PUT, "/v1/cluster_config", &properties, &own)
            .await
            .status,
        200
    );
    let backup = service.get_as(BACKUP, &own).await;
    assert_eq!(
        (backup.status, backup.header("cache-control")),
        (200, "no-store")
    );
    assert_eq!(backup.header("content-type"), "application/octet-stream");
    assert_eq!(
        backup.header("content-disposition"),
        "attachment; filename=\"gbac.backup\""
    );
    let contents = verify_backup(&backup.body).unwrap();
    assert_eq!((contents.acls, contents.roles), (0, 1));

    let parent = tempdir().unwrap();
    let folder = parent.path().join("data");
    assert_eq!(restore_backup(&backup.body, &folder).unwrap(), contents);
    let restored = Service::on(&folder, |options| options.admin_password = None).unwrap();
    let id = service.get("/gbac/v1/service").await.json()["data_id"]
        .as_str()
        .map(str::to_owned)
        .unwrap();
    assert_eq!(
        restored.get("/gbac/v1/service").await.json()["data_id"],
        id,
        "it is the same data"
    );
    assert!(
        id.len() == 32 && Own::with(|_| {}).get("/gbac/v1/service").await.json()["data_id"] != id
    );
    for path in ["/gbac/v1/policy", "/v1/cluster_config"] {
        let (before, after) = (
            service.get_as(path, &own).await,
            restored.get_as(path, &own).await,
        );
        assert_eq!(before.both(), after.both(), "{path}");
    }
    assert_eq!(
        restored.get_as("/v1/roles", &admin()).await.status,
        401,
        "the password is the one of the backup"
    );
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode =
            |path: &std::path::Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(
            (mode(&folder), mode(&folder.join("gbac.redb"))),
            (0o700, 0o600)
        );
    }
}

#[tokio::test]
async fn even_a_demo_gives_a_backup_to_superusers_only_and_records_it() {
    let service = Service::start();
    let token = format!("Bearer {}", service.people().await[0].token);
    assert_eq!(
        service.get("/gbac/v1/policy").await.status,
        200,
        "other reads are open"
    );
    assert_eq!(
        (
            service.get(BACKUP).await.status,
            service.get_as(BACKUP, &token).await.status
        ),
        (401, 403)
    );
    assert_eq!(
        service
            .get_as(BACKUP, &basic("admin", "wrong"))
            .await
            .status,
        401
    );
    verify_backup(&service.get_as(BACKUP, &admin()).await.body).unwrap();
    let events = service.get("/gbac/v1/audit").await.json();
    let of_backup: Vec<_> = events["events"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|event| {
            event["http_request"]["url"]["path"] == BACKUP && event["class_uid"] == 6003
        })
        .map(|event| event["status_id"].clone())
        .collect();
    // The newest first: a superuser, somebody else, nobody.
    assert_eq!(of_backup, [json!(1), json!(2), json!(2)], "{events}");
}
