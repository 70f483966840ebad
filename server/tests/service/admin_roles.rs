//! `/v1/security`, `/v1/brokers` and `/v1/features`: the Admin API v1 (D-90, D-91).

use axum::http::Method;
use serde_json::{Value, json};

use crate::harness::{Own, Service, admin, basic};

const ROLES: &str = "/v1/security/roles";

fn refused(code: u64, message: &str) -> (u16, Value) {
    (
        u16::try_from(code / 100).unwrap(),
        json!({ "message": message, "code": code }),
    )
}

fn user(name: &str) -> Value {
    json!({ "name": name, "principal_type": "User" })
}

#[tokio::test]
async fn a_role_is_created_changed_and_deleted() {
    let service = Service::start();
    for name in ["a b+c", "x/y", "ü:*?&#"] {
        let path = format!("{ROLES}/{}", gbac_api::encode::component(name));
        let create = async || {
            service
                .send(Method::POST, ROLES, &json!({ "role": name }))
                .await
                .both()
        };
        assert_eq!(create().await, (201, json!({ "role": name })));
        assert_eq!(
            create().await,
            (201, json!({ "role": name })),
            "a role without members may be created again"
        );
        let change = json!({ "add": [user("a"), user("a"), user("b")], "remove": [user("c")] });
        let members = format!("{path}/members");
        let changed = service.send(Method::POST, &members, &change).await;
        let answer = json!({ "role": name, "added": [user("a"), user("b")], "removed": [], "created": false });
        assert_eq!(changed.both(), (200, answer), "real changes only");
        assert_eq!(create().await, refused(40901, "Role already exists"));
        let all = json!([user("a"), user("b")]);
        assert_eq!(
            service.get(&path).await.both(),
            (200, json!({ "name": name, "members": all }))
        );
        assert_eq!(
            service.get(&members).await.both(),
            (200, json!({ "members": all }))
        );
        let mine = service
            .get(&format!("{ROLES}?principal=b&principal_type=User"))
            .await
            .json();
        assert_eq!(mine, json!({ "roles": [{ "name": name }] }));
        let removed = service
            .send(Method::POST, &members, &json!({ "remove": [user("a")] }))
            .await;
        assert_eq!(
            removed.json(),
            json!({ "role": name, "added": [], "removed": [user("a")], "created": false })
        );
        for _ in 0..2 {
            let deleted = service.delete(&format!("{path}?delete_acls=true")).await;
            assert_eq!(
                (deleted.status, deleted.body.len()),
                (204, 0),
                "also if the role is missing"
            );
        }
        let missing = refused(40401, "Role not found");
        assert_eq!(service.get(&path).await.both(), missing);
        assert_eq!(service.get(&members).await.both(), missing);
        assert_eq!(
            service.send(Method::POST, &members, &change).await.both(),
            missing
        );
        let created = service
            .send(Method::POST, &format!("{members}?create=true"), &change)
            .await
            .json();
        assert_eq!(
            (&created["created"], &created["added"]),
            (&json!(true), &all)
        );
        assert_eq!(service.delete(&path).await.status, 204);
    }
}

#[tokio::test]
async fn roles_are_found_by_their_beginning_and_groups_are_shown() {
    let service = Service::start();
    let names =
        async |query: &str| service.get(&format!("{ROLES}?{query}")).await.json()["roles"].clone();
    assert_eq!(names("").await.as_array().unwrap().len(), 5);
    assert_eq!(
        names("filter=Re").await,
        json!([{ "name": "ReportingLegacy" }])
    );
    let members = service
        .get(&format!("{ROLES}/PaymentsWriters"))
        .await
        .json()["members"]
        .clone();
    let group = |name: &str| json!({ "name": name, "principal_type": "Group" });
    assert_eq!(
        members,
        json!([
            user("settlement-batch"),
            group("/eng/payments"),
            group("payments")
        ])
    );
}

#[tokio::test]
async fn refusals_have_the_codes_and_texts_of_the_platform() {
    let service = Service::start();
    let reserved = "Malformed request: Role membership reserved for user principals, got {Group}";
    let group = json!({ "name": "eng", "principal_type": "Group" });
    let members = format!("{ROLES}/SchemaStewards/members");
    let before = service.get(&members).await.json();
    let post = async |path: &str, body: Value| service.send(Method::POST, path, &body).await.both();
    assert_eq!(
        post(&members, json!({ "add": [group] })).await,
        refused(40001, reserved)
    );
    assert_eq!(
        post(&members, json!({ "remove": [group] })).await,
        refused(40001, reserved)
    );
    let listed = service
        .get(&format!("{ROLES}?principal=eng&principal_type=Group"))
        .await;
    assert_eq!(listed.both(), refused(40001, reserved));
    let conflict = refused(40004, "Conflict between 'add' and 'remove' lists");
    assert_eq!(
        post(
            &members,
            json!({ "add": [user("a")], "remove": [user("a")] })
        )
        .await,
        conflict
    );
    assert_eq!(
        post(&members, json!({ "added": [] })).await,
        refused(40003, "Unrecognized field: added")
    );
    assert_eq!(
        post(ROLES, json!({ "role": "x", "new": 1 })).await,
        refused(40003, "Unrecognized field: new")
    );
    let code = async |path: &str, body: Value| {
        let (status, answer) = post(path, body).await;
        (
            status,
            answer["code"].clone(),
            answer["message"]
                .as_str()
                .unwrap()
                .split(':')
                .next()
                .unwrap()
                .to_owned(),
        )
    };
    let malformed = (400, json!(40001), "Malformed request".to_owned());
    for body in [json!([]), json!({}), json!({ "role": 7 })] {
        assert_eq!(code(ROLES, body.clone()).await, malformed, "{body}");
    }
    for add in [
        json!("a"),
        json!([{ "name": "a" }]),
        json!([user("a\n")]),
        json!([user("")]),
    ] {
        assert_eq!(
            code(&members, json!({ "add": add })).await,
            malformed,
            "{add}"
        );
    }
    for name in ["", "a,b", "a=b", "a\nb", &"x".repeat(129)] {
        let invalid = (400, json!(40002), "Invalid role name".to_owned());
        assert_eq!(
            code(ROLES, json!({ "role": name })).await,
            invalid,
            "{name}"
        );
    }
    // An unknown or repeated parameter changes nothing.
    for query in ["?creat=true", "?create=true&create=false", "?create=yes"] {
        let answer = service
            .send(
                Method::POST,
                &format!("{ROLES}/new/members{query}"),
                &json!({}),
            )
            .await;
        assert_eq!(
            (answer.status, &answer.json()["code"]),
            (400, &json!(400)),
            "{query}"
        );
    }
    assert_eq!(
        service
            .delete(&format!("{ROLES}/SchemaStewards?delete_acl=true"))
            .await
            .status,
        400
    );
    assert_eq!(
        service.get(&members).await.json(),
        before,
        "nothing was changed"
    );
}

#[tokio::test]
async fn without_a_license_reading_and_deleting_goes_on() {
    let service = Service::start();
    let license = async |status: &str| {
        service
            .send(
                Method::PUT,
                "/gbac/v1/license",
                &json!({ "license": status }),
            )
            .await;
        let features = service.get("/v1/features/enterprise").await.json();
        (service.get("/v1/features/license").await.json(), features)
    };
    let names = |features: &Value| -> Vec<(String, bool)> {
        let features = features["features"].as_array().unwrap();
        let feature = |feature: &Value| {
            (
                feature["name"].as_str().unwrap().to_owned(),
                feature["enabled"].as_bool().unwrap(),
            )
        };
        features.iter().map(feature).collect()
    };
    let (document, features) = license("valid").await;
    assert_eq!(
        (&document["loaded"], &document["license"]["type"]),
        (&json!(true), &json!("enterprise"))
    );
    assert_eq!(
        (&features["license_status"], &features["violation"]),
        (&json!("valid"), &json!(false))
    );
    assert_eq!(
        names(&features),
        [("gbac".into(), true), ("rbac".into(), true)]
    );
    let (document, features) = license("expired").await;
    assert_eq!(
        (&document["loaded"], &document["license"]["expires"]),
        (&json!(true), &json!(0))
    );
    assert_eq!(
        (&features["license_status"], &features["violation"]),
        (&json!("expired"), &json!(true))
    );
    let (document, features) = license("missing").await;
    assert_eq!(document, json!({ "loaded": false }));
    assert_eq!(
        (&features["license_status"], &features["violation"]),
        (&json!("not_present"), &json!(true))
    );

    let (status, answer) = service
        .send(Method::POST, ROLES, &json!({ "role": "x" }))
        .await
        .both();
    assert_eq!((status, &answer["code"]), (403, &json!(403)));
    assert!(
        answer["message"]
            .as_str()
            .unwrap()
            .contains("enterprise license"),
        "{answer}"
    );
    let members = format!("{ROLES}/SchemaStewards/members");
    assert_eq!(
        service
            .send(Method::POST, &members, &json!({ "add": [user("x")] }))
            .await
            .status,
        403
    );
    assert_eq!(service.get(&members).await.status, 200);
    assert_eq!(
        service
            .delete(&format!("{ROLES}/SchemaStewards"))
            .await
            .status,
        204
    );

    let own = Own::with(|_| {});
    let features = own.get_as("/v1/features/enterprise", &admin()).await.json();
    assert_eq!(
        names(&features),
        [("gbac".into(), false), ("rbac".into(), false)],
        "an empty policy uses none"
    );
}

#[tokio::test]
async fn callers_learn_about_themselves() {
    let service = Service::start();
    let token = format!("Bearer {}", service.people().await.remove(0).token);
    let who = "/v1/security/oidc/whoami";
    let answer = json!({ "id": "maya.okafor", "expire": 1_800_003_600 });
    assert_eq!(service.get_as(who, &token).await.both(), (200, answer));
    let invalid = (
        401,
        json!({ "message": "Invalid Authorization header", "code": 401 }),
    );
    for credentials in [admin(), basic("admin", "x"), "Bearer x".into()] {
        assert_eq!(service.get_as(who, &credentials).await.both(), invalid);
    }
    assert_eq!(service.get(who).await.both(), invalid);

    let own = "/v1/security/users/roles";
    assert_eq!(
        service.get_as(own, &token).await.both(),
        (200, json!({ "roles": [] })),
        "not the roles of its groups"
    );
    let members = format!("{ROLES}/SchemaStewards/members");
    service
        .send(
            Method::POST,
            &members,
            &json!({ "add": [user("maya.okafor")] }),
        )
        .await;
    assert_eq!(
        service.get_as(own, &token).await.json(),
        json!({ "roles": [{ "name": "SchemaStewards" }] })
    );
    assert_eq!(
        service
            .get_as(&format!("{own}?filter=X"), &token)
            .await
            .json(),
        json!({ "roles": [] })
    );
    assert_eq!(service.get(own).await.status, 401);
}

#[tokio::test]
async fn the_one_node_is_no_broker() {
    let service = Service::start();
    let brokers = service.get("/v1/brokers").await.json();
    let node = &brokers.as_array().unwrap()[0];
    assert_eq!(
        (
            &node["node_id"],
            &node["is_alive"],
            &node["membership_status"]
        ),
        (&json!(0), &json!(true), &json!("active"))
    );
    assert!(
        node["version"].as_str().unwrap().starts_with("GBAC "),
        "{node}"
    );
    assert_eq!(service.get("/v1/brokers/0").await.json(), *node);
    let missing = (
        404,
        json!({ "message": "broker with id 1 not found", "code": 404 }),
    );
    assert_eq!(service.get("/v1/brokers/1").await.both(), missing);
    assert_eq!(service.get("/v1/brokers/x").await.status, 400);
}
