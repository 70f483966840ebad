//! The classes in a real browser: answers, explanations, and bad arguments that must leave the module in order.

#![cfg(target_arch = "wasm32")]

use gbac_wasm::Policy;
use js_sys::{Function, JSON, Object, Reflect};
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
    Policy::new(&JSON::parse(POLICY).expect("the policy is JSON")).expect("the policy loads")
}

fn member(value: &JsValue, name: &str) -> JsValue {
    Reflect::get(value, &name.into()).expect("a member can be read")
}

fn text(value: &JsValue, name: &str) -> String {
    member(value, name).as_string().unwrap_or_default()
}

#[wasm_bindgen_test]
fn a_check_is_answered_with_its_source() {
    let answer = policy().check(&JSON::parse(CHECK).unwrap()).unwrap();
    assert_eq!(text(&answer, "outcome"), "allow");
    assert_eq!(text(&answer, "source"), "group_role_acl");
    assert_eq!(text(&answer, "group"), "engineering");
    assert_eq!(text(&answer, "role"), "DataEngineers");
    assert!(member(&answer, "implied_by").is_undefined());
}

#[wasm_bindgen_test]
fn an_explanation_names_its_candidates() {
    let explanation = policy().explain(&CHECK.into()).unwrap();
    let candidates = js_sys::Array::from(&member(&explanation, "candidates"));
    assert_eq!(candidates.length(), 1);
    assert_eq!(text(&candidates.get(0), "standing"), "decides");
}

#[wasm_bindgen_test]
fn an_export_loads_again() {
    let exported = policy().export().unwrap();
    let again = Policy::new(&exported).unwrap().export().unwrap();
    assert_eq!(JSON::stringify(&exported).unwrap(), JSON::stringify(&again).unwrap());
}

#[wasm_bindgen_test]
fn bad_arguments_are_errors_with_a_code() {
    let cyclic = Object::new();
    Reflect::set(&cyclic, &"self".into(), &cyclic).unwrap();
    let throwing =
        Function::new_no_args("return { get version() { throw new Error('no') } }").call0(&JsValue::NULL).unwrap();
    for (bad, code) in [
        (JsValue::from(&cyclic), "not_json"),
        (throwing, "not_json"),
        (JsValue::UNDEFINED, "not_json"),
        (JsValue::from_f64(f64::NAN), "policy_invalid"),
        (JsValue::from("{"), "policy_invalid"),
        (JsValue::from("\u{0}"), "policy_invalid"),
        (Object::new().into(), "policy_invalid"),
    ] {
        let error = Policy::new(&bad).map(|_| ()).unwrap_err();
        assert_eq!(text(&error, "code"), code, "{bad:?}");
        assert!(!text(&error, "message").is_empty());
    }
}

#[wasm_bindgen_test]
fn twenty_thousand_bad_calls_leave_the_engine_in_order() {
    let policy = policy();
    let bad = [JsValue::from("{\"identity\":1}"), JsValue::from_f64(1.0), Object::new().into(), JsValue::from("[[[[")];
    for call in &bad {
        let _ = policy.check(call);
    }
    let before = memory_bytes();
    for round in 0..20_000 {
        assert!(policy.check(&bad[round % bad.len()]).is_err());
    }
    assert_eq!(memory_bytes(), before, "memory grew");
    assert_eq!(text(&policy.check(&CHECK.into()).unwrap(), "outcome"), "allow");
}

/// The size of the module's memory in bytes.
fn memory_bytes() -> f64 {
    member(&member(&wasm_bindgen::memory(), "buffer"), "byteLength").as_f64().unwrap_or_default()
}
