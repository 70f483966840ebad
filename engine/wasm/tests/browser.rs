//! The classes in a real browser: answers, explanations, changes, and bad arguments that must leave the module in order.

#![cfg(target_arch = "wasm32")]

use gbac_wasm::{Policy, take_fault};
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
    let answer = parsed(&policy().ask(CHECK, false).unwrap());
    assert_eq!(text(&answer, "outcome"), "allow");
    assert_eq!(text(&answer, "source"), "group_role_acl");
    assert_eq!(text(&answer, "group"), "engineering");
    assert_eq!(text(&answer, "role"), "DataEngineers");
    assert!(member(&answer, "implied_by").is_undefined());
}

#[wasm_bindgen_test]
fn an_explanation_names_its_candidates() {
    let explanation = parsed(&policy().ask(CHECK, true).unwrap());
    let candidates = js_sys::Array::from(&member(&explanation, "candidates"));
    assert_eq!(candidates.length(), 1);
    assert_eq!(text(&candidates.get(0), "standing"), "decides");
}

#[wasm_bindgen_test]
fn an_export_loads_again() {
    let exported = policy().export();
    assert_eq!(Policy::load(exported.as_bytes()).unwrap().export(), exported);
}

#[wasm_bindgen_test]
fn a_change_counts_for_identities_that_are_open() {
    let policy = policy();
    let mut alice = policy.open(r#"{ "identity": { "user": "alice", "groups": ["engineering"] } }"#).unwrap();
    let found = policy.find(0, "analytics-events").unwrap();
    assert!(alice.check(1, found));
    let gone = r#"{ "change": "remove_member", "role": "DataEngineers", "principal": "Group:engineering" }"#;
    assert_eq!(policy.apply(gone), Some(true));
    assert!(!alice.check(1, found));
    assert_eq!(policy.apply(gone), Some(false));
}

#[wasm_bindgen_test]
fn what_gives_nothing_has_a_fault() {
    for (bad, code) in
        [("{", "policy_invalid"), ("\u{0}", "policy_invalid"), ("{}", "policy_invalid"), ("", "policy_invalid")]
    {
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
        assert!(policy.ask(call, false).is_none());
    }
    let before = memory_bytes();
    for round in 0..20_000 {
        assert!(policy.ask(bad[round % bad.len()], false).is_none());
    }
    assert_eq!(memory_bytes(), before, "memory grew");
    assert_eq!(text(&parsed(&policy.ask(CHECK, false).unwrap()), "outcome"), "allow");
}

/// The size of the module's memory in bytes.
fn memory_bytes() -> f64 {
    member(&member(&wasm_bindgen::memory(), "buffer"), "byteLength").as_f64().unwrap_or_default()
}
