//! The Control Plane: where a cluster's Data Plane is (specification 4.1).

use axum::body::Body;
use axum::http::{Method, Request};
use gbac_api::clusters::DataPlaneApiForm;
use serde_json::json;

use crate::harness::{Service, admin, basic, refusal};

#[tokio::test]
async fn a_cluster_has_its_data_plane_url() {
    let service = Service::start();
    for id in ["c1", "a%2Fb"] {
        let answer = service.get(&format!("/v1/clusters/{id}")).await;
        let id = id.replace("%2F", "/");
        assert_eq!(
            answer.both(),
            (
                200,
                json!({ "cluster": { "id": id, "dataplane_api": "http://127.0.0.1:8420" } })
            )
        );
    }
    let host = Request::get("/v1/clusters/c1")
        .header("host", "localhost:1")
        .header("authorization", admin());
    let answer = service.ask(host.body(Body::empty()).unwrap()).await;
    assert_eq!(
        answer.json()["cluster"]["dataplane_api"],
        "http://127.0.0.1:8420",
        "never what the request says"
    );
}

#[tokio::test]
async fn the_url_and_id_come_from_the_command_line() {
    let service = Service::with(|options| {
        options.endpoint.cluster_id = Some("rp-1".into());
        options.endpoint.public_url = Some("https://gbac.example:8443".into());
    });
    assert_eq!(
        service.get("/v1/clusters/rp-1").await.both(),
        (
            200,
            json!({ "cluster": { "id": "rp-1", "dataplane_api": "https://gbac.example:8443" } })
        )
    );
    let object =
        Service::with(|options| options.endpoint.data_plane_api_form = DataPlaneApiForm::Object);
    let expected =
        json!({ "cluster": { "id": "c1", "dataplane_api": { "url": "http://127.0.0.1:8420" } } });
    assert_eq!(object.get("/v1/clusters/c1").await.both(), (200, expected));
    assert_eq!(
        service.get("/v1/clusters/rp-2").await.both(),
        (
            404,
            refusal(
                "NOT_FOUND",
                "REASON_RESOURCE_NOT_FOUND",
                "cluster `rp-2` does not exist"
            )
        )
    );
}

#[tokio::test]
async fn invalid_requests_are_rejected() {
    let service = Service::start();
    let message = "the cluster ID in the path is not percent-encoded UTF-8";
    assert_eq!(
        service.get("/v1/clusters/%ff").await.both(),
        (
            400,
            refusal("INVALID_ARGUMENT", "REASON_INVALID_INPUT", message)
        )
    );
    assert_eq!(service.get("/v1/clusters").await.status, 404);
    assert_eq!(service.delete("/v1/clusters/c1").await.status, 405);
    let wrong = Request::get("/v1/clusters/c1")
        .header("authorization", basic("admin", "x"))
        .body(Body::empty());
    assert_eq!(service.ask(wrong.unwrap()).await.status, 401);
}

#[tokio::test]
async fn a_token_reads_a_cluster() {
    let service = Service::start();
    let superusers = json!({ "upsert": { "superusers": ["admin", "maya.okafor"] }, "remove": [] });
    assert_eq!(
        service
            .send(Method::PUT, "/v1/cluster_config", &superusers)
            .await
            .status,
        200
    );
    let token = format!("Bearer {}", service.people().await.remove(0).token);
    let read = |credentials: &str| {
        let request = Request::get("/v1/clusters/c1").header("content-type", "application/json");
        request
            .header("authorization", credentials)
            .body(Body::empty())
            .unwrap()
    };
    assert_eq!(service.ask(read(&token)).await.status, 200);
    assert_eq!(service.ask(read("Bearer x")).await.status, 401);

    let folder = tempfile::tempdir().unwrap();
    let service = Service::on(folder.path(), |_| {}).unwrap();
    assert_eq!(
        service.get("/v1/clusters/c1").await.status,
        401,
        "outside of a demo nobody reads without credentials"
    );
    assert_eq!(service.ask(read(&admin())).await.status, 200);
}
