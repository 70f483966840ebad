//! A question over AuthZEN has the answer that the same check has everywhere else: odd names, the
//! empty name, the cluster, hosts, requests, and tokens that expire (D-20, D-32).

use axum::http::Method;
use gbac_analysis::check::answer;
use gbac_engine::decide::At;
use gbac_engine::policy::Policy;
use gbac_json::{AnswerJson, check_from_value, policy_from_value};
use serde_json::{Value, json};

use crate::harness::{NOW, Own, Service, admin, request};
use crate::identity_provider::{AUDIENCE, Provider};
use crate::random::{Random, number};

const USERS: [&str; 4] = ["alice", "bob", "root", "*"];
const GROUPS: [&str; 6] = ["eng", "Eng", "/eng", "*", "a,b", "ü"];
const TYPES: [&str; 6] = [
    "TOPIC",
    "GROUP",
    "CLUSTER",
    "TRANSACTIONAL_ID",
    "SUBJECT",
    "REGISTRY",
];
const OPERATIONS: [&str; 7] = [
    "READ",
    "WRITE",
    "DESCRIBE",
    "ALTER",
    "ALL",
    "DESCRIBE_CONFIGS",
    "CREATE",
];
const NAMES: [&str; 8] = [
    "orders",
    "orders-eu",
    "ord",
    "*",
    "",
    "kafka-cluster",
    "other",
    "ü/ö",
];
const HOSTS: [&str; 4] = ["10.0.0.7", "::ffff:10.0.0.7", "2001:db8::1", "192.0.2.1"];
const REQUESTS: [(&str, &str); 6] = [
    ("kafka", "Produce"),
    ("kafka", "Fetch"),
    ("kafka", "CreateAcls"),
    ("kafka", "DescribeCluster"),
    ("kafka", "DeleteTopics"),
    ("schema_registry", "GET /subjects"),
];

/// A policy in which these names collide.
fn document(random: &mut Random) -> Value {
    let acls: Vec<Value> = (0..120)
        .map(|_| {
            let kind = *random.pick(&TYPES);
            let name = match kind {
                "CLUSTER" => "kafka-cluster",
                "REGISTRY" => "",
                _ => *random.pick(&["orders", "ord", "*", "ü/ö", "kafka-cluster"]),
            };
            let pattern = if name == "*" || kind == "CLUSTER" || kind == "REGISTRY" || random.once_in(2) {
                "LITERAL"
            } else {
                "PREFIXED"
            };
            let principal = match random.below(3) {
                0 => format!("User:{}", random.pick(&USERS)),
                1 => format!("Group:{}", random.pick(&GROUPS)),
                _ => "Role:R".to_owned(),
            };
            json!({
                "resource_type": format!("RESOURCE_TYPE_{kind}"), "resource_name": name,
                "resource_pattern_type": format!("RESOURCE_PATTERN_TYPE_{pattern}"), "principal": principal,
                "host": if random.once_in(3) { *random.pick(&HOSTS) } else { "*" },
                "operation": format!("OPERATION_{}", random.pick(&OPERATIONS)),
                "permission_type": if random.once_in(5) { "PERMISSION_TYPE_DENY" } else { "PERMISSION_TYPE_ALLOW" },
            })
        })
        .collect();
    let members = json!([{ "principal": "Group:eng" }, { "principal": "User:bob" }]);
    json!({ "version": 1, "acls": acls, "roles": [{ "name": "R", "members": members }],
        "settings": { "superusers": ["admin", "root"] } })
}

/// A question over AuthZEN, and the same as a check.
struct Pair {
    question: Value,
    check: Value,
    is_token: bool,
}

fn pair(random: &mut Random, provider: &Provider, tokens: &[(String, Value)]) -> Pair {
    let (mut question, mut check) = (json!({}), json!({}));
    let is_token = random.once_in(3);
    if is_token {
        let (token, claims) = random.pick(tokens);
        question["subject"] = json!({ "type": "token", "id": token });
        check["claims"] = claims.clone();
        assert!(claims["iss"] == provider.origin);
    } else {
        let user = *random.pick(&USERS);
        let groups: Vec<&str> = (0..random.below(4))
            .map(|_| *random.pick(&GROUPS))
            .collect();
        question["subject"] =
            json!({ "type": "user", "id": user, "properties": { "groups": groups } });
        check["identity"] = json!({ "user": user, "groups": groups });
    }
    if random.once_in(2) {
        let host = *random.pick(&HOSTS);
        question["context"] = json!({ "host": host, "now": 0, "ignore_expiry": true });
        check["host"] = host.into();
    }
    let (kind, name) = (*random.pick(&TYPES), *random.pick(&NAMES));
    if random.once_in(4) {
        let (api, call) = *random.pick(&REQUESTS);
        question["action"] = json!({ "name": format!("{api}:{call}") });
        question["resource"] = json!({ "type": kind.to_lowercase(), "id": name });
        let mut resources = json!({});
        match kind {
            "CLUSTER" if !["", "kafka-cluster"].contains(&name) => {
                resources["another_cluster"] = json!([name]);
            }
            "CLUSTER" | "REGISTRY" => {}
            kind => resources[kind.to_lowercase()] = json!([name]),
        }
        check["request"] = json!({ "api": api, "name": call, "resources": resources });
    } else {
        let operation = *random.pick(&OPERATIONS);
        question["action"] = json!({ "name": if random.once_in(2) { operation.to_lowercase() } else { format!("OPERATION_{operation}") } });
        question["resource"] = json!({ "type": format!("RESOURCE_TYPE_{kind}"), "id": name });
        check["operation"] = operation.into();
        check["resource_type"] = kind.into();
        check["resource_name"] = name.into();
    }
    Pair {
        question,
        check,
        is_token,
    }
}

/// The answer of the engine to a check; none where it has none. Who came with a token was verified.
fn expected(policy: &Policy, pair: &Pair) -> Option<Value> {
    let check = check_from_value(&pair.check).ok()?;
    let found = answer(policy, &check, None, At::seconds(NOW)).ok()?;
    let mut found = json!(AnswerJson::from(&found));
    if pair.is_token {
        verified(&mut found);
    }
    Some(found)
}

fn verified(answer: &mut Value) {
    match answer {
        Value::Object(members) => {
            members
                .entry("verified")
                .and_modify(|verified| *verified = true.into());
            members.remove("assumed");
            members.values_mut().for_each(verified);
        }
        Value::Array(all) => all.iter_mut().for_each(verified),
        _ => {}
    }
}

#[tokio::test]
async fn evaluation_is_consistent() {
    let mut random = Random::seeded(20_270_115);
    let provider = Provider::start().await;
    let service = Own::with(|_| {});
    let mut cases = number("GBAC_CASES", 6_000);
    let (mut answered, mut allowed, mut expired) = (0, 0, 0);
    while cases > 0 {
        let document = document(&mut random);
        put(&service, &document).await;
        let set = json!({ "upsert": { "oidc_discovery_url": provider.discovery(), "oidc_token_audience": AUDIENCE }, "remove": [] });
        assert_eq!(
            service
                .send(Method::PUT, "/v1/cluster_config", &set)
                .await
                .status,
            200
        );
        let policy = policy_from_value(&document).unwrap();
        // Clocks may differ by 30 seconds where a token is verified; a decision knows no tolerance.
        let tokens: Vec<(String, Value)> = [-20.0, -1.0, 0.0, 60.0]
            .into_iter()
            .flat_map(|left| USERS.map(|user| (left, user)))
            .map(|(left, user)| {
                let claims = json!({ "iss": provider.origin, "aud": AUDIENCE, "sub": user, "exp": NOW + left,
                    "groups": [*random.pick(&GROUPS), *random.pick(&GROUPS)] });
                (provider.sign("a", &claims), claims)
            })
            .collect();
        let pairs: Vec<Pair> = (0..500)
            .map(|_| pair(&mut random, &provider, &tokens))
            .collect();
        let questions: Vec<&Value> = pairs.iter().map(|pair| &pair.question).collect();
        let answer = service
            .send(
                Method::POST,
                "/access/v1/evaluations",
                &json!({ "evaluations": questions }),
            )
            .await;
        assert_eq!(answer.status, 200, "{:?}", answer.body);
        let answers = answer.json()["evaluations"].as_array().unwrap().clone();
        assert_eq!(answers.len(), pairs.len());
        for (pair, found) in pairs.iter().zip(answers) {
            match expected(&policy, pair) {
                Some(wanted) => {
                    assert_eq!(found["context"], wanted, "{} {}", pair.question, pair.check);
                    assert_eq!(
                        found["decision"],
                        wanted["outcome"] == "allow",
                        "{}",
                        pair.question
                    );
                    answered += 1;
                    allowed += u32::from(wanted["outcome"] == "allow");
                    expired += u32::from(wanted["reason"] == "expired");
                }
                None => {
                    assert_eq!(found["decision"], false, "{}", pair.question);
                    let context = &found["context"];
                    let is_refused = pair.is_token && context["reason"] == "token_refused";
                    let code = if is_refused {
                        &context["code"]
                    } else {
                        &context["error"]["code"]
                    };
                    assert!(code.is_string(), "{found}");
                }
            }
        }
        cases = cases.saturating_sub(500);
    }
    assert!(
        answered > 1_000 && allowed > 300 && expired > 100,
        "{answered} {allowed} {expired}"
    );
}

async fn put(service: &Service, document: &Value) {
    let mut put = request(
        Method::PUT,
        "/gbac/v1/policy",
        &admin(),
        &document.to_string(),
    );
    put.headers_mut().insert("if-match", "*".parse().unwrap());
    let answer = service.ask(put).await;
    assert_eq!(answer.status, 204, "{:?}", answer.body);
}

#[tokio::test]
async fn questions_are_evaluated_at_the_time_of_the_service() {
    let provider = Provider::start().await;
    let service = Own::with(|_| {});
    let acl = json!({ "resource_type": "RESOURCE_TYPE_CLUSTER", "resource_name": "", "resource_pattern_type": "RESOURCE_PATTERN_TYPE_LITERAL",
        "principal": "User:alice", "host": "*", "operation": "OPERATION_ALTER", "permission_type": "PERMISSION_TYPE_ALLOW" });
    put(
        &service,
        &json!({ "version": 1, "acls": [acl], "settings": { "superusers": ["admin"] } }),
    )
    .await;
    let set = json!({ "upsert": { "oidc_discovery_url": provider.discovery(), "oidc_token_audience": AUDIENCE }, "remove": [] });
    assert_eq!(
        service
            .send(Method::PUT, "/v1/cluster_config", &set)
            .await
            .status,
        200
    );
    let ask = async |exp: Value, name: &str| {
        let token = provider.sign(
            "a",
            &json!({ "iss": provider.origin, "aud": AUDIENCE, "sub": "alice", "exp": exp }),
        );
        let question = json!({ "subject": { "type": "token", "id": token }, "action": { "name": "alter" },
            "resource": { "type": "cluster", "id": name }, "context": { "now": 1, "ignore_expiry": true, "at": 1 }, "now": 1 });
        let answer = service
            .send(Method::POST, "/access/v1/evaluation", &question)
            .await
            .json();
        let context = &answer["context"];
        let told = context["code"]
            .as_str()
            .or(context["reason"].as_str())
            .unwrap()
            .to_owned();
        (answer["decision"].as_bool().unwrap(), told)
    };
    for name in ["", "kafka-cluster"] {
        assert_eq!(
            ask(json!(NOW), name).await,
            (true, "allow_rule".into()),
            "at its expiry a token still counts"
        );
        assert_eq!(
            ask(json!(NOW - 1.0), name).await,
            (false, "expired".into()),
            "after it no more, whatever was asked"
        );
        assert_eq!(
            ask(json!(NOW - 31.0), name).await,
            (false, "token_expired".into())
        );
        assert!(!ask(json!("soon"), name).await.0 && !ask(Value::Null, name).await.0);
    }
    assert_eq!(
        ask(json!(NOW + 60.0), "another").await,
        (false, "no_match".into())
    );
}
