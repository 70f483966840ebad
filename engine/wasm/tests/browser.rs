//! Tests of the wasm classes in a browser: results, changes, and invalid arguments.

#![cfg(target_arch = "wasm32")]

use gbac_wasm::{Policy, instant, take_fault};
use js_sys::{JSON, Reflect};
use wasm_bindgen::JsValue;
use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};

wasm_bindgen_test_configure!(run_in_browser);

const POLICY: &str = r#"{ "version": 1,
    "roles": [{ "name": "DataEngineers", "members": [{ "principal": "Group:engineering" }] }],
    "acls": [{ "resource_type": "RESOURCE_TYPE_TOPIC", "resource_name": "analytics-",
        "resource_pattern_type": "RESOURCE_PATTERN_TYPE_PREFIXED", "principal": "Role:DataEngineers", "host": "*",
        "operation": "OPERATION_READ", "permission_type": "PERMISSION_TYPE_ALLOW" }] }"#;

const CHECK: &str = r#"{ "identity": { "user": "alice", "groups": ["engineering"] }, "operation": "OPERATION_READ",
    "resource_type": "RESOURCE_TYPE_TOPIC", "resource_name": "analytics-events" }"#;

/// A time. The identities in these checks do not expire.
const NOW: f64 = 1_800_000_000.0;

fn policy() -> Policy {
    Policy::load(POLICY.as_bytes()).expect("the policy loads")
}

fn parsed(text: &str) -> JsValue {
    JSON::parse(text).expect("what comes out is JSON")
}

fn member(value: &JsValue, name: &str) -> JsValue {
    Reflect::get(value, &name.into()).expect("a member can be read")
}

fn text(value: &JsValue, name: &str) -> String {
    member(value, name).as_string().unwrap_or_default()
}

#[wasm_bindgen_test]
fn a_check_is_answered_with_its_source() {
    let answer = policy().ask(CHECK, None, NOW).unwrap();
    assert_eq!(text(&answer, "outcome"), "allow");
    assert_eq!(text(&answer, "source"), "group_role_acl");
    assert_eq!(text(&answer, "group"), "engineering");
    assert_eq!(text(&answer, "role"), "DataEngineers");
    assert!(member(&answer, "implied_by").is_undefined());
}

#[wasm_bindgen_test]
fn an_explanation_names_its_candidates() {
    let explanation = policy().ask(CHECK, Some(50), NOW).unwrap();
    let candidates = js_sys::Array::from(&member(&explanation, "candidates"));
    assert_eq!(candidates.length(), 1);
    assert_eq!(text(&candidates.get(0), "status"), "decides");
}

#[wasm_bindgen_test]
fn an_export_loads_again() {
    let written = |policy: &Policy| {
        String::from(JSON::stringify(&policy.export()).expect("what comes out is plain"))
    };
    let exported = written(&policy());
    assert_eq!(
        written(&Policy::load(exported.as_bytes()).unwrap()),
        exported
    );
}

#[wasm_bindgen_test]
fn a_change_counts_for_identities_that_are_open() {
    let policy = policy();
    let mut alice = policy
        .open(r#"{ "identity": { "user": "alice", "groups": ["engineering"] } }"#)
        .unwrap();
    let found = policy.find(0, "analytics-events").unwrap();
    assert!(alice.check(1, found, None));
    let gone = r#"{ "change": "remove_member", "role": "DataEngineers", "principal": "Group:engineering" }"#;
    assert_eq!(policy.apply(gone), Some(true));
    assert!(!alice.check(1, found, None));
    assert_eq!(policy.apply(gone), Some(false));
}

#[wasm_bindgen_test]
fn an_identity_that_expires_is_denied_without_a_time_and_after_its_expiry() {
    let policy = policy();
    let mut alice = policy
        .open(r#"{ "claims": { "sub": "alice", "groups": ["engineering"], "exp": 5 } }"#)
        .unwrap();
    let found = policy.find(0, "analytics-events").unwrap();
    assert!(alice.has_expiry());
    assert!(alice.check(1, found, Some(5.0)));
    assert!(!alice.check(1, found, Some(6.0)));
    assert!(!alice.check(1, found, Some(f64::NAN)));
    assert!(!alice.check(1, found, None), "no time, no decision");
    assert!(
        alice.check(1, found, Some(f64::NEG_INFINITY)),
        "the expiry is ignored"
    );
    assert_eq!(instant(5.0), Some(5.0));
    assert_eq!(instant(1e12), None);
    assert_eq!(
        text(&parsed(&take_fault()), "code"),
        "clock_in_milliseconds"
    );
}

#[wasm_bindgen_test]
fn a_long_name_is_good_for_one_check() {
    let policy = policy();
    let mut alice = policy
        .open(r#"{ "identity": { "user": "alice", "groups": ["engineering"] } }"#)
        .unwrap();
    let long = format!("analytics-{}", "x".repeat(5000));
    let found = policy.find(0, &long).unwrap();
    assert!(alice.check(1, found, None));
    assert!(!alice.check(1, found, None), "nothing is remembered");
    let other = policy.find(0, "analytics-events").unwrap();
    assert_ne!(other, found);
    assert!(alice.check(1, other, None));
}

#[wasm_bindgen_test]
fn failed_calls_have_an_error() {
    for (bad, code) in [
        ("{", "policy_invalid"),
        ("\u{0}", "policy_invalid"),
        ("{}", "policy_invalid"),
        ("", "policy_invalid"),
    ] {
        assert!(Policy::load(bad.as_bytes()).is_none(), "{bad:?}");
        let fault = parsed(&take_fault());
        assert_eq!(text(&fault, "code"), code, "{bad:?}");
        assert!(!text(&fault, "message").is_empty());
        assert!(js_sys::Array::from(&member(&fault, "problems")).length() > 0);
    }
}

#[wasm_bindgen_test]
fn twenty_thousand_bad_calls_leave_the_engine_in_order() {
    let policy = policy();
    let bad = ["{\"identity\":1}", "1", "{}", "[[[["];
    for call in bad {
        assert!(policy.ask(call, None, NOW).is_none());
    }
    let before = memory_bytes();
    for round in 0..20_000 {
        assert!(policy.ask(bad[round % bad.len()], None, NOW).is_none());
    }
    assert_eq!(memory_bytes(), before, "memory grew");
    assert_eq!(
        text(&policy.ask(CHECK, None, NOW).unwrap(), "outcome"),
        "allow"
    );
}

/// The size of the module's memory in bytes.
fn memory_bytes() -> f64 {
    member(&member(&wasm_bindgen::memory(), "buffer"), "byteLength")
        .as_f64()
        .unwrap_or_default()
}
