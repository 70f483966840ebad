//! Tests that every call with an outcome requires a time, and that all calls treat expired
//! identities alike (D-20, D-32).

use gbac_analysis::check::{Check, Query, answer, evaluate, evaluate_with};
use gbac_analysis::requests::ResourceNames;
use gbac_engine::decide::{
    At, Outcome, PreparedIdentity, PreparedResource, Reason, Request, decide, explain,
};
use gbac_engine::model::{CLUSTER_NAME, Operation, ResourceType};
use gbac_engine::policy::Policy;
use gbac_engine::warning::WarningCode;
use gbac_engine::{ClaimSet, Coded, Subject, resolve};
use gbac_json::{assertions_from_json, check_from_json, policy_from_json};
use serde_json::{Value, json};

const END: f64 = 1_700_000_000.0;

fn policy() -> Policy {
    let acl = |resource_type: &str, name: &str, operation: &str| {
        json!({ "resource_type": resource_type, "resource_name": name, "resource_pattern_type": "RESOURCE_PATTERN_TYPE_LITERAL",
                "principal": "User:alice", "host": "*", "operation": operation, "permission_type": "PERMISSION_TYPE_ALLOW" })
    };
    let document = json!({ "version": 1, "acls": [
        acl("RESOURCE_TYPE_TOPIC", "orders", "OPERATION_READ"),
        acl("RESOURCE_TYPE_CLUSTER", CLUSTER_NAME, "OPERATION_READ"),
    ] });
    policy_from_json(&document.to_string()).expect("a policy")
}

fn claims(exp: Option<Value>) -> Subject {
    let mut claims = json!({ "sub": "alice" });
    if let (Some(exp), Some(members)) = (exp, claims.as_object_mut()) {
        members.insert("exp".into(), exp);
    }
    Subject::Claims {
        claims: ClaimSet::from(claims.as_object().cloned().unwrap_or_default()),
        userinfo: None,
    }
}

/// The outcomes of all calls for one operation on one resource.
fn outcomes(
    policy: &Policy,
    subject: &Subject,
    resource_type: ResourceType,
    name: &str,
    at: At,
) -> Vec<(&'static str, Outcome)> {
    let identity = resolve(policy, subject, None)
        .expect("an identity")
        .identity;
    let mut prepared = PreparedIdentity::new(policy, identity.clone());
    let request = Request::new(Operation::Read, resource_type, name, at);
    let resource = PreparedResource::new(policy, resource_type, name);
    let question = Query::Access {
        operation: Operation::Read,
        resource_type,
        resource_name: name.to_owned(),
    };
    let stated = Check {
        id: None,
        subject: subject.clone(),
        query: question,
        host: None,
        at: Some(at),
    };
    // The time of the check takes precedence over the caller's.
    let other = if at == At::IgnoringExpiry {
        At::seconds(f64::INFINITY)
    } else {
        At::IgnoringExpiry
    };
    let unstated = Check {
        at: None,
        ..stated.clone()
    };
    let listed = prepared.filter(policy, Operation::Read, resource_type, [name], None, at);
    let filtered = if listed.is_empty() {
        Outcome::Deny
    } else {
        Outcome::Allow
    };
    vec![
        ("decide", decide(policy, &identity, &request).outcome),
        (
            "explain",
            explain(policy, &identity, &request).decision.outcome,
        ),
        ("outcome", prepared.outcome(policy, &request)),
        (
            "decide, prepared",
            prepared.decide(policy, &request).outcome,
        ),
        (
            "outcome_on",
            prepared.outcome_on(policy, Operation::Read, &resource, None, at),
        ),
        ("filter", filtered),
        (
            "ask, stated",
            evaluate(policy, &identity, &stated, other)
                .expect("an answer")
                .outcome(),
        ),
        (
            "ask, unstated",
            evaluate(policy, &identity, &unstated, at)
                .expect("an answer")
                .outcome(),
        ),
        (
            "ask_open",
            evaluate_with(policy, &mut prepared, &unstated, at)
                .expect("an answer")
                .outcome(),
        ),
        (
            "answer",
            answer(policy, &unstated, None, at)
                .expect("an answer")
                .outcome(),
        ),
    ]
}

#[test]
fn every_call_judges_the_expiry_in_the_same_way() {
    let policy = policy();
    let number = |seconds: f64| Some(json!(seconds));
    for (exp, at, expected) in [
        (None, At::seconds(f64::MAX), Outcome::Allow),
        (None, At::seconds(f64::NAN), Outcome::Allow),
        (None, At::IgnoringExpiry, Outcome::Allow),
        (number(END), At::seconds(END), Outcome::Allow),
        (number(END), At::seconds(END + 0.5), Outcome::Deny),
        (number(END), At::seconds(f64::NAN), Outcome::Deny),
        (number(END), At::seconds(f64::INFINITY), Outcome::Deny),
        (number(END), At::seconds(f64::NEG_INFINITY), Outcome::Allow),
        (number(END), At::IgnoringExpiry, Outcome::Allow),
        (Some(json!("1900000000")), At::seconds(0.0), Outcome::Deny),
        (
            Some(Value::Null),
            At::seconds(f64::NEG_INFINITY),
            Outcome::Deny,
        ),
        (Some(json!([1])), At::IgnoringExpiry, Outcome::Allow),
    ] {
        let subject = claims(exp.clone());
        for (resource_type, name) in [
            (ResourceType::Topic, "orders"),
            (ResourceType::Cluster, ""),
            (ResourceType::Cluster, CLUSTER_NAME),
        ] {
            for (call, outcome) in outcomes(&policy, &subject, resource_type, name, at) {
                assert_eq!(
                    outcome, expected,
                    "{call} of exp {exp:?} at {at:?} on {resource_type:?} `{name}`"
                );
            }
        }
        let whole = |name: &str| {
            let question = Query::Api {
                api: "schema_registry".into(),
                name: name.into(),
                resources: ResourceNames::default(),
            };
            Check {
                id: None,
                subject: subject.clone(),
                query: question,
                host: None,
                at: Some(at),
            }
        };
        let free = answer(
            &policy,
            &whole("GET /schemas/types"),
            None,
            At::IgnoringExpiry,
        )
        .expect("an answer");
        assert_eq!(
            free.outcome(),
            expected,
            "a request that needs no ACL, exp {exp:?} at {at:?}"
        );
    }
}

#[test]
fn an_unreadable_exp_is_told() {
    let policy = policy();
    for exp in [json!("soon"), json!(END * 1000.0), json!(1e300)] {
        let opened = resolve(&policy, &claims(Some(exp.clone())), None).expect("an identity");
        let codes: Vec<&str> = opened
            .warnings()
            .map(|warning| warning.code.code())
            .collect();
        assert!(codes.contains(&"expiry_unreadable"), "{exp}: {codes:?}");
        assert_eq!(
            opened
                .identity
                .expires_at()
                .map(gbac_engine::Timestamp::as_seconds),
            None
        );
        let request = Request::new(
            Operation::Read,
            ResourceType::Topic,
            "orders",
            At::seconds(0.0),
        );
        assert_eq!(
            decide(&policy, &opened.identity, &request).reason,
            Reason::Expired,
            "{exp}"
        );
    }
    let readable = resolve(&policy, &claims(Some(json!(END))), None).expect("an identity");
    assert!(
        readable
            .warnings()
            .all(|warning| warning.code != WarningCode::ExpiryUnreadable)
    );
}

#[test]
fn a_check_states_one_instant_at_most() {
    let check = |more: &str| {
        let text = format!(
            r#"{{ "identity": {{ "user": "alice", "groups": [] }}, "operation": "read", "resource_type": "topic", "resource_name": "orders"{more} }}"#
        );
        check_from_json(&text)
            .map(|check| check.at)
            .map_err(|problems| problems.0[0].path.clone())
    };
    assert_eq!(check(""), Ok(None));
    assert_eq!(check(r#", "now": 5"#), Ok(Some(At::seconds(5.0))));
    assert_eq!(
        check(r#", "ignore_expiry": true"#),
        Ok(Some(At::IgnoringExpiry))
    );
    assert_eq!(check(r#", "ignore_expiry": false"#), Ok(None));
    assert_eq!(
        check(r#", "ignore_expiry": false, "now": 5"#),
        Ok(Some(At::seconds(5.0)))
    );
    assert_eq!(
        check(r#", "ignore_expiry": true, "now": 5"#),
        Err("/ignore_expiry".into())
    );
    assert_eq!(
        check(r#", "ignore_expiry": "true""#),
        Err("/ignore_expiry".into())
    );
    assert_eq!(check(r#", "now": "5""#), Err("/now".into()));
}

#[test]
fn an_assertion_file_never_needs_the_clock() {
    let token = "eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJhbGljZSIsImV4cCI6MX0.c2ln";
    for (subject, needs) in [
        (
            json!({ "identity": { "user": "alice", "groups": [] } }),
            false,
        ),
        (json!({ "claims": { "sub": "alice" } }), false),
        (json!({ "claims": { "sub": "alice", "exp": 1 } }), true),
        (json!({ "claims": { "sub": "alice", "exp": null } }), true),
        (json!({ "unverified_token": token }), true),
        (json!({ "token": token }), true),
    ] {
        for stated in [
            json!({}),
            json!({ "now": 5 }),
            json!({ "ignore_expiry": true }),
            json!({ "ignore_expiry": false }),
        ] {
            let mut check =
                json!({ "operation": "read", "resource_type": "topic", "resource_name": "orders" });
            let members = check.as_object_mut().expect("an object");
            members.extend(subject.as_object().expect("an object").clone());
            members.extend(stated.as_object().expect("an object").clone());
            let file = json!({ "version": 1, "policy": { "version": 1 },
                "tests": [{ "name": "t", "check": check, "expect": { "outcome": "deny" } }] });
            let read = assertions_from_json(&file.to_string());
            let says_when =
                stated.get("now").is_some() || stated.get("ignore_expiry") == Some(&json!(true));
            if needs && !says_when {
                let problems = read.expect_err("no instant").0;
                let [problem] = problems.as_slice() else {
                    panic!("{problems:?}")
                };
                assert_eq!(
                    (problem.path.as_str(), problem.code.as_str()),
                    ("/tests/0/check", "now_missing")
                );
            } else {
                assert!(read.is_ok(), "{file}: {read:?}");
            }
        }
    }
}
