//! OpenID AuthZEN 1.0: a gateway asks (and what its questions leave in the audit log).

use axum::body::Body;
use axum::http::{Method, Request};
use serde_json::{Value, json};

use crate::harness::{Answer, Service, basic, demo_options, request};

const ONE: &str = "/access/v1/evaluation";
const MANY: &str = "/access/v1/evaluations";

/// Asks as the gateway of a demo, without credentials.
async fn ask(service: &Service, path: &str, body: &Value) -> Answer {
    let mut asked = request(Method::POST, path, "", &body.to_string());
    asked.headers_mut().remove("authorization");
    service.ask(asked).await
}

fn question(subject: &Value, action: &str, kind: &str, id: &str) -> Value {
    json!({ "subject": subject, "action": { "name": action }, "resource": { "type": kind, "id": id },
        "context": { "host": "10.0.0.7", "time": "2027-01-15T08:00:00Z" } })
}

fn alice(groups: &[&str]) -> Value {
    json!({ "type": "user", "id": "alice", "properties": { "groups": groups, "mail": "a@example.com" } })
}

#[tokio::test]
async fn one_question_has_a_decision_and_its_reasons() {
    let service = Service::start();
    let people = service.people().await;
    let token = |place: usize| json!({ "type": "token", "id": people[place].token });
    let mut answers = Vec::new();
    for (what, question) in [
        (
            "a group's ACL",
            question(&alice(&["engineering"]), "write", "topic", "orders-new"),
        ),
        (
            "a role of a group",
            question(&alice(&["analytics"]), "READ", "TOPIC", "analytics-events"),
        ),
        (
            "a deny",
            question(
                &alice(&["engineering", "analytics"]),
                "OPERATION_WRITE",
                "RESOURCE_TYPE_TOPIC",
                "orders-archive",
            ),
        ),
        (
            "no rule",
            question(&alice(&[]), "write", "topic", "orders-new"),
        ),
        (
            "a token",
            question(&token(1), "write", "topic", "payments-new"),
        ),
        (
            "a superuser",
            question(
                &json!({ "type": "user", "id": "root" }),
                "alter",
                "cluster",
                "kafka-cluster",
            ),
        ),
        (
            "a request",
            question(
                &alice(&["analytics"]),
                "kafka:Fetch",
                "topic",
                "analytics-events",
            ),
        ),
        (
            "no token",
            question(
                &json!({ "type": "token", "id": "x.y.z" }),
                "read",
                "topic",
                "x",
            ),
        ),
    ] {
        let answer = ask(&service, ONE, &question).await;
        assert_eq!(answer.status, 200, "{what}");
        answers.push(json!({ "what": what, "answer": answer.json() }));
    }
    insta::assert_json_snapshot!("decisions", answers);
}

#[tokio::test]
async fn a_token_counts_only_while_it_is_valid() {
    let service = Service::start();
    let token = service.people().await.remove(0).token;
    let stranger = Service::with(|options| demo_options(options).key = None)
        .people()
        .await
        .remove(0)
        .token;
    let decided = async |token: &str| {
        let subject = json!({ "type": "token", "id": token });
        let answer = ask(
            &service,
            ONE,
            &question(&subject, "read", "topic", "clickstream"),
        )
        .await;
        answer.json()
    };
    assert_eq!(decided(&token).await["decision"], true);
    for (refused, code) in [
        (stranger.as_str(), "kid_unknown"),
        ("", "token_empty"),
        ("a.b", "opaque_token"),
    ] {
        let mut answer = decided(refused).await;
        assert!(answer["context"]["message"].take().is_string(), "{code}");
        let denied = json!({ "outcome": "deny", "reason": "token_refused", "code": code, "message": null, "verified": false });
        assert_eq!(answer, json!({ "decision": false, "context": denied }));
    }
}

#[tokio::test]
async fn questions_share_defaults() {
    let service = Service::start();
    let base = json!({
        "subject": alice(&["engineering", "analytics"]), "action": { "name": "write" },
        "evaluations": [
            { "resource": { "type": "topic", "id": "orders-new" } },
            { "resource": { "type": "topic", "id": "orders-archive" } },
            { "resource": { "type": "topic", "id": "analytics-events" }, "action": { "name": "read" } },
            { "resource": { "type": "table", "id": "x" } },
        ],
    });
    let decisions = async |semantic: &str| {
        let mut body = base.clone();
        body["options"] = json!({ "evaluations_semantic": semantic });
        let answer = ask(&service, MANY, &body).await;
        assert_eq!(answer.status, 200);
        let answer = answer.json();
        let list = answer["evaluations"].as_array().unwrap().clone();
        list.iter()
            .map(|one| one["decision"].as_bool().unwrap())
            .collect::<Vec<_>>()
    };
    assert_eq!(decisions("execute_all").await, [true, false, true, false]);
    assert_eq!(decisions("deny_on_first_deny").await, [true, false]);
    assert_eq!(decisions("permit_on_first_permit").await, [true]);
    let several = ask(&service, MANY, &base).await.json();
    insta::assert_json_snapshot!("several", several);
    let events = service.get("/gbac/v1/audit?limit=5").await.json()["events"].clone();
    let denied = events
        .as_array()
        .unwrap()
        .iter()
        .map(|event| event["status_id"].as_u64().unwrap());
    assert_eq!(
        denied.collect::<Vec<_>>(),
        [2, 1, 2, 1, 1],
        "newest first: what cannot be read has an event too"
    );

    let one = question(&alice(&["engineering"]), "write", "topic", "orders-new");
    let single = ask(&service, ONE, &one).await.json();
    let mut empty = one.clone();
    empty["evaluations"] = json!([]);
    for body in [&one, &empty] {
        assert_eq!(
            ask(&service, MANY, body).await.json(),
            single,
            "without a list it is one question"
        );
    }
}

#[tokio::test]
async fn problems_name_their_field() {
    let service = Service::start();
    let mut answers = Vec::new();
    let good = question(&alice(&[]), "read", "topic", "x");
    let broken = |change: fn(&mut Value)| {
        let mut question = good.clone();
        change(&mut question);
        question
    };
    for (path, body) in [
        (ONE, json!({})),
        (
            ONE,
            broken(|question| question["subject"]["type"] = "robot".into()),
        ),
        (
            ONE,
            broken(|question| question["subject"]["properties"]["groups"] = json!(["a", 7])),
        ),
        (
            ONE,
            broken(|question| question["action"]["name"] = "peek".into()),
        ),
        (
            ONE,
            broken(|question| question["action"]["name"] = "kafka:Peek".into()),
        ),
        (
            ONE,
            broken(|question| question["action"]["name"] = "smtp:Send".into()),
        ),
        (
            ONE,
            broken(|question| question["resource"] = json!({ "type": "table" })),
        ),
        (
            ONE,
            broken(|question| question["context"]["host"] = "10.0.0.0/8".into()),
        ),
        (MANY, json!({ "evaluations": 7 })),
        (
            MANY,
            json!({ "evaluations": [{}], "options": { "evaluations_semantic": "fast" } }),
        ),
        (MANY, json!({ "evaluations": vec![json!({}); 1001] })),
    ] {
        let answer = ask(&service, path, &body).await;
        assert_eq!(answer.status, 400);
        answers.push(answer.json());
    }
    insta::assert_json_snapshot!("faults", answers);
    for body in ["", "[]", "7", "{\"subject\":1,\"subject\":2}"] {
        let mut asked = request(Method::POST, ONE, "", body);
        asked.headers_mut().remove("authorization");
        assert_eq!(service.ask(asked).await.status, 400, "{body}");
    }
    assert_eq!(service.get(ONE).await.status, 405);
    assert_eq!(service.get("/access/v1/search").await.status, 404);
}

#[tokio::test]
async fn the_decisions_of_a_request_are_limited() {
    let service = Service::start();
    let topics: Vec<String> = (0..2000).map(|n| format!("t{n}")).collect();
    let action =
        json!({ "name": "kafka:Fetch", "properties": { "resources": { "topic": topics } } });
    let body = json!({ "subject": alice(&[]), "action": action, "resource": { "type": "topic", "id": "x" },
        "evaluations": vec![json!({}); 9] });
    let answer = ask(&service, MANY, &body).await;
    assert_eq!(
        (answer.status, answer.json()["code"].clone()),
        (400, json!("too_many_decisions"))
    );
}

#[tokio::test]
async fn a_single_question_has_the_limits_of_a_list() {
    let service = Service::start();
    let topics: Vec<String> = (0..10_000).map(|n| format!("t{n}")).collect();
    let action =
        json!({ "name": "kafka:Fetch", "properties": { "resources": { "topic": topics } } });
    let body = json!({ "subject": alice(&[]), "action": action, "resource": { "type": "topic", "id": "x" } });
    for path in [ONE, MANY] {
        let answer = ask(&service, path, &body).await;
        assert_eq!(
            (answer.status, answer.json()["code"].clone()),
            (400, json!("too_many_decisions")),
            "{path}"
        );
    }
}

#[tokio::test]
async fn questions_about_a_subject_resolve_it_once() {
    let service = Service::start();
    let groups = |count: usize| (0..count).map(|n| format!("g{n}")).collect::<Vec<_>>();
    let about = |groups: Vec<String>, count: usize| {
        let subject = json!({ "type": "user", "id": "alice", "properties": { "groups": groups } });
        let mut questions = vec![json!({}); count];
        questions[0]["subject"] = subject.clone();
        json!({ "subject": subject, "action": { "name": "read" }, "resource": { "type": "topic", "id": "x" },
            "evaluations": questions })
    };
    let answer = ask(&service, MANY, &about(groups(20_000), 1000)).await;
    assert_eq!(
        (answer.status, answer.json()["code"].clone()),
        (400, json!("too_many_decisions"))
    );
    assert_eq!(
        service.get("/gbac/v1/audit").await.json()["events"],
        json!([]),
        "nothing was decided"
    );
    let answer = ask(&service, MANY, &about(groups(2000), 900)).await;
    assert_eq!(
        (
            answer.status,
            answer.json()["evaluations"].as_array().unwrap().len()
        ),
        (200, 900)
    );
    let events = service.get("/gbac/v1/audit?limit=1000").await.json()["events"].clone();
    let classes: Vec<u64> = events
        .as_array()
        .unwrap()
        .iter()
        .map(|event| event["class_uid"].as_u64().unwrap())
        .collect();
    assert_eq!(classes.len(), 901);
    assert_eq!(
        classes.iter().filter(|class| **class == 3002).count(),
        1,
        "one sign-in for the subject"
    );
    // What answers would repeat a thousand times is bounded too.
    let mut long = about(Vec::new(), 1000);
    long["resource"]["id"] = "x".repeat(100_000).into();
    assert_eq!(ask(&service, MANY, &long).await.status, 400);
    long["resource"]["type"] = "y".repeat(100_000).into();
    assert_eq!(ask(&service, MANY, &long).await.status, 400);
}

/// Large questions are evaluated on other threads (D-60).
#[tokio::test]
async fn small_and_large_requests_have_the_same_answers() {
    let service = Service::start();
    let groups = |others: usize| {
        let others = (0..others).map(|number| format!("other-{number}"));
        others.chain(["engineering".to_owned()]).collect::<Vec<_>>()
    };
    let asked = |others: usize, padding: usize| {
        let subject =
            json!({ "type": "user", "id": "alice", "properties": { "groups": groups(others) } });
        let mut question = question(&subject, "write", "topic", "orders-new");
        question["context"]["padding"] = "x".repeat(padding).into();
        question
    };
    let small = ask(&service, ONE, &asked(0, 0)).await.json();
    assert_eq!(small["decision"], true);
    for (others, padding) in [(200, 0), (1_000, 0), (0, 20_000), (1_000, 20_000)] {
        let question = asked(others, padding);
        assert_eq!(
            ask(&service, ONE, &question).await.json(),
            small,
            "{others} groups, {padding} bytes"
        );
        let mut list = question.clone();
        list["evaluations"] = json!([{}, {}]);
        assert_eq!(
            ask(&service, MANY, &list).await.json()["evaluations"],
            json!([small, small])
        );
        let mut malformed = question;
        malformed["action"]["name"] = "peek".into();
        let answer = ask(&service, ONE, &malformed).await;
        assert_eq!(
            (answer.status, &answer.json()["problems"][0]["path"]),
            (400, &json!("/action/name"))
        );
    }
}

#[tokio::test]
async fn the_request_id_is_returned() {
    let service = Service::start();
    for (path, body, status) in [
        (ONE, question(&alice(&[]), "read", "topic", "x"), 200),
        (ONE, json!({}), 400),
        (MANY, json!({ "evaluations": 7 }), 400),
    ] {
        let mut asked = request(Method::POST, path, "", &body.to_string());
        asked.headers_mut().remove("authorization");
        asked
            .headers_mut()
            .insert("x-request-id", "bfe9eb29-ab87".parse().unwrap());
        let answer = service.ask(asked).await;
        assert_eq!(
            (answer.status, answer.header("x-request-id")),
            (status, "bfe9eb29-ab87")
        );
    }
    assert_ne!(
        ask(&service, ONE, &json!({})).await.header("x-request-id"),
        "",
        "a request without one gets one"
    );
}

#[tokio::test]
async fn access_to_evaluations() {
    let service = Service::start();
    let body = question(&alice(&[]), "read", "topic", "x");
    assert_eq!(service.send(Method::POST, ONE, &body).await.status, 200);
    assert_eq!(
        service
            .send_as(Method::POST, ONE, &body, &basic("admin", "x"))
            .await
            .status,
        401
    );
    let mut foreign = request(Method::POST, ONE, "", &body.to_string());
    foreign.headers_mut().remove("authorization");
    foreign
        .headers_mut()
        .insert("origin", "https://evil.example".parse().unwrap());
    assert_eq!(
        service.ask(foreign).await.status,
        403,
        "pages of elsewhere do not ask"
    );
}

#[tokio::test]
async fn the_configuration_lists_the_endpoints() {
    let service = Service::start();
    let host = Request::get("/.well-known/authzen-configuration")
        .header("host", "localhost:1")
        .body(Body::empty());
    let answer = service.ask(host.unwrap()).await;
    assert_eq!(
        answer.both(),
        (
            200,
            json!({
                "policy_decision_point": "http://127.0.0.1:8420",
                "access_evaluation_endpoint": "http://127.0.0.1:8420/access/v1/evaluation",
                "access_evaluations_endpoint": "http://127.0.0.1:8420/access/v1/evaluations",
            })
        )
    );
}

#[tokio::test]
async fn a_question_has_both_events() {
    let service = Service::start();
    let groups = ["engineering", "analytics"];
    ask(
        &service,
        ONE,
        &question(&alice(&groups), "read", "topic", "analytics-events"),
    )
    .await;
    ask(
        &service,
        ONE,
        &question(&json!({ "type": "token", "id": "x" }), "read", "topic", "x"),
    )
    .await;
    let mut events = service.get("/gbac/v1/audit").await.json()["events"]
        .as_array()
        .unwrap()
        .clone();
    events.reverse();
    for event in &mut events {
        event["metadata"]["product"]["version"] = "x".into();
        event["metadata"]["correlation_uid"] = "c".into();
    }
    let [signed_in, decided, refused, denied] = events.as_slice() else {
        panic!("{events:#?}")
    };
    assert_eq!(
        signed_in["user"]["groups"],
        json!([{ "type": "idp_group", "name": "engineering" }, { "type": "idp_group", "name": "analytics" }])
    );
    // A decision through a role of a group names both (D-23).
    assert_eq!(
        decided["actor"]["user"]["groups"],
        json!([{ "type": "idp_group", "name": "analytics" }, { "type": "role", "name": "AnalyticsReaders" }])
    );
    assert_eq!(decided["src_endpoint"], json!({ "ip": "10.0.0.7" }));
    assert_eq!(
        (&refused["class_uid"], &refused["status_id"]),
        (&json!(3002), &json!(2))
    );
    assert_eq!(
        (&denied["class_uid"], &denied["status_id"]),
        (&json!(6003), &json!(2))
    );
    insta::assert_json_snapshot!("events", events);
}

/// The JSON of docs/gateways.md and of docs/audit-events.md, in their order.
fn documented() -> Vec<Value> {
    let pages = concat!(
        include_str!("../../../docs/gateways.md"),
        include_str!("../../../docs/audit-events.md")
    );
    let blocks = pages
        .split("```json\n")
        .skip(1)
        .map(|rest| rest.split("```").next().unwrap());
    blocks
        .map(|block| serde_json::from_str(block).unwrap_or_else(|error| panic!("{error}: {block}")))
        .collect()
}

#[tokio::test]
async fn the_documented_questions_have_the_documented_answers() {
    let service = Service::start();
    let blocks = documented();
    let [question, answer, questions, answers, _, event, ..] = blocks.as_slice() else {
        panic!("{}", blocks.len())
    };
    assert_eq!(
        ask(&service, ONE, question).await.both(),
        (200, answer.clone())
    );
    let mut written = service.get("/gbac/v1/audit?limit=1").await.json()["events"][0].clone();
    written["metadata"]["product"]["version"] = "0.1.0".into();
    written["metadata"]["correlation_uid"] = event["metadata"]["correlation_uid"].clone();
    assert_eq!(&written, event);
    assert_eq!(
        ask(&service, MANY, questions).await.both(),
        (200, answers.clone())
    );
}
