//! Sign-ins to a relayed cluster: those that it refuses are recorded, and requests for what it has
//! are limited.

use serde_json::Value;

use crate::harness::{admin, basic};
use crate::upstream::{Cluster, answering, get, http, relaying};

#[tokio::test]
async fn refused_credentials_are_recorded_also_for_reads() {
    let cluster = Cluster::start();
    let service = relaying(&cluster.url());
    let path = "/gbac/v1/upstream/dataplane/v1/roles";
    let mut limited = 0;
    for n in 0..15 {
        let status = service
            .get_as(path, &basic("admin", &format!("wrong {n}")))
            .await
            .status;
        assert!(status == 401 || status == 429, "{status}");
        limited += u64::from(status == 429);
    }
    assert_eq!(
        service.get_as(path, "Basic !").await.status,
        401,
        "malformed"
    );
    assert_eq!(service.get(path).await.status, 401, "none");
    let Value::Array(events) = service
        .get_as("/gbac/v1/audit?limit=1000", &admin())
        .await
        .json()["events"]
        .clone()
    else {
        panic!("a list");
    };
    let number = |told: &dyn Fn(&Value) -> bool| -> u64 {
        events
            .iter()
            .filter(|event| told(event))
            .map(|event| event["count"].as_u64().unwrap_or(1))
            .sum()
    };
    let detail = |text: &'static str| move |event: &Value| event["status_detail"] == text;
    let refused = |event: &Value| {
        detail("the cluster refused the credentials")(event) && event["user"]["name"] == "admin"
    };
    assert_eq!(number(&refused), 15 - limited);
    assert!(limited > 0);
    assert_eq!(
        number(&|event| event["api"]["response"]["code"] == 429
            && event["actor"]["user"]["name"] == "admin"),
        limited
    );
    assert_eq!(number(&detail("the credentials are malformed")), 1);
    assert_eq!(number(&detail("credentials required")), 1);
}

#[tokio::test]
async fn discoveries_with_unknown_credentials_are_limited() {
    for status in ["403 Forbidden", "200 OK"] {
        let (service, told) =
            answering(http(status, "content-type: application/json\r\n", "{}")).await;
        let mut limited = 0;
        for n in 0..100 {
            let garbage = if n % 2 == 0 {
                format!("Bearer garbage{n}")
            } else {
                basic("nobody", &n.to_string())
            };
            limited += usize::from(
                service
                    .get_as("/gbac/v1/upstream/target", &garbage)
                    .await
                    .status
                    == 429,
            );
        }
        assert!(limited >= 90, "{status}: {limited}");
        assert!(
            told.try_iter().count() <= 50,
            "{status}: ten discoveries at once"
        );
    }
    let cluster = Cluster::start();
    let service = relaying(&cluster.url());
    for _ in 0..30 {
        assert_eq!(
            get(&service, "/gbac/v1/upstream/target").await.0,
            200,
            "credentials that the cluster accepts"
        );
    }
}
