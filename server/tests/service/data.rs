//! A service on a folder: what a restart keeps, who may sign in, and which settings are refused
//! before it starts (D-30).

use std::fs;
use std::io::Read;

use axum::http::Method;
use flate2::read::GzDecoder;
use gbac_api::license::LicenseStatus;
use gbac_server::{
    App, DataOptions, PublicEndpointOptions, ServeError, ServeMode, ServeOptions, Server, TlsFiles,
    UpstreamOptions, open,
};
use serde_json::{Value, json};
use tempfile::tempdir;

use crate::harness::{PASSWORD, Service, admin, basic, data_options};

fn open_data(data: DataOptions, password: Option<&str>) -> Result<App, ServeError> {
    let mode = ServeMode::Data(data);
    open(&ServeOptions {
        mode,
        admin_password: password.map(Into::into),
        ..ServeOptions::default()
    })
}

const NEW: &str = "another password";
const PROPERTIES: &str = "/v1/cluster_config";

async fn document(service: &Service) -> Value {
    service.get_as("/gbac/v1/policy", &admin()).await.json()
}

#[tokio::test]
async fn a_restart_keeps_everything() {
    let folder = tempdir().unwrap();
    let service = Service::on(folder.path(), |_| {}).unwrap();
    assert_eq!(
        document(&service).await["settings"]["superusers"],
        json!([])
    );
    let role = json!({ "role": { "name": "x" }, "create": true,
        "add": [{ "principal": "Group:/a/b" }, { "principal": "User:maya" }] });
    assert_eq!(
        service
            .send(Method::PUT, "/v1/roles/Engineers", &role)
            .await
            .status,
        200
    );
    let acl = json!({ "resource_type": "RESOURCE_TYPE_TOPIC", "resource_name": "orders-",
        "resource_pattern_type": "RESOURCE_PATTERN_TYPE_PREFIXED", "principal": "Role:Engineers", "host": "10.0.0.7",
        "operation": "OPERATION_READ", "permission_type": "PERMISSION_TYPE_ALLOW" });
    assert_eq!(
        service.send(Method::POST, "/v1/acls", &acl).await.status,
        201
    );
    let properties = json!({ "upsert": { "nested_group_behavior": "suffix", "superusers": ["admin", "root"] }, "remove": [] });
    let (status, version) = service
        .send(Method::PUT, PROPERTIES, &properties)
        .await
        .both();
    assert_eq!(status, 200, "{version}");
    let before = document(&service).await;
    assert_eq!(before["acls"], json!([acl]));
    let id = service.get("/gbac/v1/service").await.json()["data_id"].clone();
    drop(service);

    let service = Service::on(folder.path(), |_| {}).unwrap();
    assert_eq!(document(&service).await, before);
    assert_eq!(service.get("/gbac/v1/service").await.json()["data_id"], id);
    assert_eq!(
        service
            .send(Method::PUT, PROPERTIES, &properties)
            .await
            .both(),
        (200, version),
        "nothing new to store"
    );
}

/// The file of `gbac serve` 0.1.0, after `gbac import examples/policy.json`.
const FILE_0_1_0: &[u8] = include_bytes!("fixtures/gbac-0.1.0.redb.gz");

#[tokio::test]
async fn the_data_of_the_first_version_is_read_and_changed() {
    let folder = tempdir().unwrap();
    let mut file = Vec::new();
    GzDecoder::new(FILE_0_1_0).read_to_end(&mut file).unwrap();
    fs::write(folder.path().join("gbac.redb"), file).unwrap();
    let examples = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/policy.json");
    let wanted: Value = serde_json::from_str(&fs::read_to_string(examples).unwrap()).unwrap();

    let service = Service::on(folder.path(), |_| {}).unwrap();
    let before = document(&service).await;
    let names = |document: &Value| {
        let roles = document["roles"].as_array().unwrap().iter();
        roles.map(|role| role["name"].clone()).collect::<Vec<_>>()
    };
    assert_eq!(names(&before), names(&wanted));
    let count = |document: &Value| document["acls"].as_array().unwrap().len();
    assert_eq!(count(&before), count(&wanted));
    let role = json!({ "name": "Newcomers" });
    let created = service.send(Method::POST, "/v1/roles", &role).await;
    assert_eq!(created.status, 201);
    drop(service);

    let service = Service::on(folder.path(), |_| {}).unwrap();
    let after = document(&service).await;
    assert_eq!(names(&after).len(), names(&before).len() + 1);
    assert_eq!(after["acls"], before["acls"]);
}

#[tokio::test]
async fn the_admin_has_one_password_and_it_can_be_rotated() {
    let folder = tempdir().unwrap();
    let enters = async |service: &Service, user: &str, password: &str| {
        service
            .get_as("/v1/roles", &basic(user, password))
            .await
            .status
    };
    let app = |password: Option<&str>, user: &str| {
        let data = DataOptions {
            admin_user: Some(user.into()),
            ..DataOptions::new(folder.path().into())
        };
        open_data(data, password).unwrap()
    };
    let first = app(None, "admin");
    let (user, made) = first
        .generated_password()
        .map(|(user, made)| (user.to_owned(), made.to_owned()))
        .unwrap();
    assert_eq!((user.as_str(), made.len()), ("admin", 32));
    drop(first);
    for file in std::fs::read_dir(folder.path()).unwrap() {
        let bytes = std::fs::read(file.unwrap().path()).unwrap();
        assert!(
            !bytes
                .windows(made.len())
                .any(|window| window == made.as_bytes()),
            "only a hash is stored"
        );
    }
    assert!(
        app(None, "admin").generated_password().is_none(),
        "it is told once"
    );
    let unset = Service::on(folder.path(), |options| options.admin_password = None).unwrap();
    assert_eq!(enters(&unset, "admin", &made).await, 200);
    assert_eq!(enters(&unset, "admin", "other").await, 401);
    drop(unset);
    let rotated = Service::on(folder.path(), |options| {
        options.admin_password = Some(NEW.into());
    })
    .unwrap();
    assert_eq!(
        (
            enters(&rotated, "admin", NEW).await,
            enters(&rotated, "admin", &made).await
        ),
        (200, 401)
    );
    drop(rotated);
    let kept = Service::on(folder.path(), |options| options.admin_password = None).unwrap();
    assert_eq!(enters(&kept, "admin", NEW).await, 200);
    drop(kept);
    let other = Service::on(folder.path(), |options| {
        data_options(options).admin_user = Some("root".into());
    })
    .unwrap();
    assert_eq!(
        (
            enters(&other, "root", PASSWORD).await,
            enters(&other, "admin", NEW).await
        ),
        (200, 401)
    );
    assert_eq!(
        other.app.notices(),
        ["the local account `admin` is replaced by `root`, and its password is deleted"],
        "a renamed account is not left behind"
    );
    let superusers = other
        .get_as(
            "/v1/cluster_config?key=superusers",
            &basic("root", PASSWORD),
        )
        .await
        .json();
    assert_eq!(superusers, json!({ "superusers": [] }));
    drop(other);
    let back = Service::on(folder.path(), |options| options.admin_password = None).unwrap();
    assert_eq!(
        enters(&back, "admin", NEW).await,
        401,
        "its old password is gone"
    );
    let (user, made) = back.app.generated_password().unwrap();
    assert_eq!(
        (
            enters(&back, user, made).await,
            enters(&back, "root", PASSWORD).await
        ),
        (200, 401)
    );
}

#[cfg(unix)]
#[tokio::test]
async fn a_secret_that_others_can_read_is_reported() {
    use std::fs::{Permissions, set_permissions, write};
    use std::os::unix::fs::{PermissionsExt, symlink};
    let folder = tempdir().unwrap();
    let file = folder.path().join("password");
    write(&file, PASSWORD).unwrap();
    // As Kubernetes mounts a secret.
    let link = folder.path().join("link");
    symlink(&file, &link).unwrap();
    let start = |mode: u32| {
        set_permissions(&file, Permissions::from_mode(mode)).unwrap();
        let change = |options: &mut ServeOptions| {
            options.admin_password = None;
            options.admin_password_file = Some(link.clone());
        };
        Service::on(&folder.path().join("data"), change).unwrap()
    };
    for mode in [0o600, 0o440] {
        assert_eq!(start(mode).app.notices(), [""; 0], "{mode:o}");
    }
    for (mode, problem) in [
        (0o644, "` can be read by other users"),
        (0o622, "` can be changed by other users"),
    ] {
        let service = start(mode);
        let [notice] = service.app.notices() else {
            panic!("{:?}", service.app.notices())
        };
        assert!(
            notice.contains(problem) && !notice.contains(PASSWORD),
            "{notice}"
        );
    }
}

#[tokio::test]
async fn nothing_is_disclosed_without_credentials() {
    let folder = tempdir().unwrap();
    let service = Service::on(folder.path(), |_| {}).unwrap();
    for path in ["/v1/acls", "/v1/roles", PROPERTIES, "/gbac/v1/policy"] {
        assert_eq!(service.get(path).await.status, 401, "{path}");
    }
    assert_eq!(
        service.get("/demo/idp/people").await.status,
        404,
        "there is no provider that signs for everyone"
    );
    let info = service.get("/gbac/v1/service").await.json();
    assert_eq!(
        (&info["demo"], info.get("sign_in"), info.get("provider")),
        (&json!(false), None, None)
    );
}

fn bind(change: impl FnOnce(&mut ServeOptions, &mut DataOptions)) -> Result<(), ServeError> {
    let folder = tempdir().unwrap();
    let mut data = DataOptions::new(folder.path().join("data"));
    let mut options = ServeOptions {
        listen: "127.0.0.1:0".into(),
        ..ServeOptions::default()
    };
    change(&mut options, &mut data);
    options.mode = ServeMode::Data(data);
    Server::bind(&options).map(drop)
}

fn refused(change: impl FnOnce(&mut ServeOptions, &mut DataOptions)) -> &'static str {
    let error = bind(change).unwrap_err();
    assert!(!error.hint().is_empty() && !error.to_string().ends_with('.'));
    error.code()
}

#[test]
fn every_invalid_option_has_its_code() {
    assert_eq!(
        refused(|_, data| data.admin_user = Some(String::new())),
        "superuser_empty"
    );
    assert_eq!(
        refused(|_, data| data.admin_user = Some("User:admin".into())),
        "superuser_with_type"
    );
    assert_eq!(
        refused(|_, data| data.admin_user = Some("a:b".into())),
        "admin_user"
    );
    assert_eq!(
        refused(|options, _| options.admin_password = Some(String::new())),
        "password_empty"
    );
    for short in ["x", "11 of them.", "ééééééééééé"] {
        assert_eq!(
            refused(|options, _| options.admin_password = Some(short.into())),
            "password_short",
            "{short}"
        );
    }
    assert_eq!(
        refused(|_, data| data.oidc_audience = Some(String::new())),
        "oidc_audience_empty"
    );
    assert_eq!(
        refused(|options, _| options.listen = "nowhere".into()),
        "listen_address"
    );
    let url = |url: &str| Some(url.to_owned());
    for bad in ["http://idp.example", "idp", "https://me:secret@idp.example"] {
        let error = bind(|_, data| data.oidc_discovery_url = url(bad)).unwrap_err();
        assert!(matches!(error, ServeError::DiscoveryUrl(_)), "{bad}");
        assert!(!error.to_string().contains("secret"), "{error}");
    }
    let endpoint = PublicEndpointOptions {
        public_url: url("gbac.example"),
        ..PublicEndpointOptions::default()
    };
    assert_eq!(
        refused(|options, _| options.endpoint = endpoint),
        "public_url"
    );
    let upstream = UpstreamOptions {
        admin: url("cluster:9644"),
        ..UpstreamOptions::default()
    };
    assert_eq!(
        refused(|options, _| options.upstream = upstream),
        "base_url_invalid"
    );
    let two = ["a=kafka://broker:9092", "A=kafka://broker:9092"];
    for (clusters, code) in [
        (&["broker:9092"][..], "cluster_option"),
        (&two, "cluster_duplicate"),
    ] {
        let clusters: Vec<String> = clusters.iter().map(ToString::to_string).collect();
        assert_eq!(refused(|_, data| data.clusters = clusters), code);
    }
    let folder = tempdir().unwrap();
    std::fs::write(folder.path().join("file"), "").unwrap();
    assert_eq!(
        refused(|_, data| data.folder = folder.path().join("file/data")),
        "data_folder"
    );
    let files = |cert: &str| {
        Some(TlsFiles {
            cert: folder.path().join(cert),
            key: folder.path().join("file"),
        })
    };
    assert_eq!(refused(|_, data| data.tls = files("missing")), "tls_cert");
    assert_eq!(refused(|_, data| data.tls = files("file")), "tls_cert");
    bind(|_, _| {}).unwrap();
}

#[test]
fn beyond_loopback_tls_or_a_flag_is_required() {
    for listen in ["0.0.0.0:0", "[::]:0"] {
        assert_eq!(
            refused(|options, _| options.listen = listen.into()),
            "listen_without_tls"
        );
    }
    bind(|options, data| (options.listen, data.insecure_listen) = ("0.0.0.0:0".into(), true))
        .unwrap();
}

#[tokio::test]
async fn command_line_settings_apply_to_one_run() {
    let folder = tempdir().unwrap();
    let role = json!({ "name": "x" });
    let pinned = Service::on(folder.path(), |options| {
        options.license = Some(LicenseStatus::Missing);
    })
    .unwrap();
    assert_eq!(
        pinned.send(Method::POST, "/v1/roles", &role).await.status,
        400
    );
    drop(pinned);
    let free = Service::on(folder.path(), |_| {}).unwrap();
    assert_eq!(
        free.send(Method::POST, "/v1/roles", &role).await.status,
        201
    );
}

#[test]
fn a_damaged_folder_is_reported() {
    let folder = tempdir().unwrap();
    let file = folder.path().join("gbac.redb");
    let open_folder =
        |password: Option<&str>| open_data(DataOptions::new(folder.path().into()), password);
    let refused = || {
        for password in [None, Some(NEW)] {
            let Err(error) = open_folder(password) else {
                panic!("opened")
            };
            assert_eq!(error.code(), "data_damaged", "{error}");
            assert!(
                error
                    .hint()
                    .contains("restore the folder from a backup: run `gbac restore"),
                "{error}"
            );
        }
    };
    drop(open_folder(None).unwrap());
    let whole = std::fs::read(&file).unwrap();
    let with = |change: fn(&mut Vec<u8>)| {
        let mut bytes = whole.clone();
        change(&mut bytes);
        std::fs::write(&file, bytes).unwrap();
    };
    for change in [
        |bytes: &mut Vec<u8>| bytes.clear(),
        |bytes: &mut Vec<u8>| bytes.truncate(100),
        |bytes: &mut Vec<u8>| bytes.truncate(bytes.len() / 2),
        |bytes: &mut Vec<u8>| bytes[0] ^= 255,
        |bytes: &mut Vec<u8>| bytes.fill(0),
    ] {
        with(change);
        refused();
    }
    with(|bytes| {
        let hash = b"$argon2id$";
        let places: Vec<usize> = bytes
            .windows(hash.len())
            .enumerate()
            .filter(|(_, found)| found == hash)
            .map(|(place, _)| place)
            .collect();
        assert!(!places.is_empty());
        places.into_iter().for_each(|place| bytes[place + 1] = b'X');
    });
    // Another password hash would let somebody else in.
    refused();
    with(|_| {});
    drop(open_folder(None).unwrap());
}

/// The same numbers on every run (xorshift).
fn number(seed: &mut u64) -> usize {
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    usize::try_from(*seed >> 1).unwrap()
}

#[tokio::test]
async fn random_damage_is_reported_without_a_panic() {
    let folder = tempdir().unwrap();
    let service = Service::on(folder.path(), |_| {}).unwrap();
    for count in 0..20 {
        let role = json!({ "create": true, "add": [{ "principal": format!("Group:g{count}") }] });
        assert_eq!(
            service
                .send(Method::PUT, &format!("/v1/roles/r{count}"), &role)
                .await
                .status,
            200
        );
    }
    drop(service);
    let file = folder.path().join("gbac.redb");
    let whole = std::fs::read(&file).unwrap();
    let used: Vec<usize> = (0..whole.len())
        .filter(|place| whole[*place] != 0)
        .collect();
    let (mut seed, mut damaged) = (0x9e37_79b9_7f4a_7c15, 0);
    for _ in 0..100 {
        let mut bytes = whole.clone();
        for _ in 0..=number(&mut seed) % 400 {
            bytes[used[number(&mut seed) % used.len()]] = number(&mut seed).to_le_bytes()[0];
        }
        let copy = tempdir().unwrap();
        std::fs::write(copy.path().join("gbac.redb"), bytes).unwrap();
        match open_data(DataOptions::new(copy.path().into()), Some(NEW)) {
            // Not every byte counts; what closing such a file does is not the start's affair.
            Ok(app) => drop(std::panic::catch_unwind(std::panic::AssertUnwindSafe(
                || drop(app),
            ))),
            Err(error) => {
                assert!(
                    ["data_damaged", "data_newer"].contains(&error.code()),
                    "{}: {error}",
                    error.code()
                );
                damaged += 1;
            }
        }
    }
    assert!(damaged > 50, "{damaged}");
    Service::on(folder.path(), |_| {}).unwrap();
}
