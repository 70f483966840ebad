//! `/gbac/v1/tests`: the tests that are stored with the service, as an assertion file without a
//! policy (D-107).

use std::collections::BTreeSet;

use gbac_json::{AssertionTest, assertions_from_json};
use serde::Serialize;
use serde_json::Value;

use crate::problem::DocumentFault;

/// The maximum number of tests of a service.
pub const MAX_TESTS: usize = 1000;

/// The members of a check that contain a token.
const TOKENS: [&str; 2] = ["token", "unverified_token"];

/// The response body of GET, and the request body of PUT.
///
/// ```
/// use gbac_api::stored_tests::{StoredTestsBody, read};
///
/// let body = serde_json::to_string(&StoredTestsBody::new(&[])).unwrap();
/// assert_eq!(body, r#"{"version":1,"tests":[]}"#);
/// assert!(read(&body).unwrap().is_empty());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct StoredTestsBody<'a> {
    /// The version of the format.
    pub version: u32,
    /// The tests, in order.
    pub tests: &'a [Value],
}

impl<'a> StoredTestsBody<'a> {
    /// Creates the body of these tests.
    #[must_use]
    pub const fn new(tests: &'a [Value]) -> Self {
        Self { version: 1, tests }
    }
}

/// A test: as it is evaluated, and as it is in its file.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredTest {
    /// As it is evaluated.
    pub test: AssertionTest,
    /// As it is in its file.
    pub json: Value,
}

/// Parses the tests of a service. A test that is there twice counts once (D-17).
///
/// # Errors
/// All problems at once.
pub fn read(text: &str) -> Result<Vec<StoredTest>, Vec<DocumentFault>> {
    let mut faults = Vec::new();
    let read = match assertions_from_json(text) {
        Ok(read) => read.tests,
        Err(problems) => {
            faults.extend(problems.0.iter().map(DocumentFault::from));
            Vec::new()
        }
    };
    let document = gbac_json::parse(text).unwrap_or_default();
    for member in ["policy", "policy_file"] {
        if document.get(member).is_some() {
            let message = "stored tests run on the policy of their service; leave this out";
            faults.push(fault(&format!("/{member}"), "test_policy", message.into()));
        }
    }
    let tests = document.get("tests").and_then(Value::as_array);
    let tests = tests.map(Vec::as_slice).unwrap_or_default();
    if tests.len() > MAX_TESTS {
        let message = format!(
            "there are {} tests; a service has at most {MAX_TESTS}; run the others from a file with `gbac test`",
            tests.len()
        );
        faults.push(fault("/tests", "too_many_tests", message));
    }
    for (place, test) in tests.iter().enumerate() {
        for member in TOKENS {
            if test.pointer(&format!("/check/{member}")).is_some() {
                let message = "everybody who reads the tests could use this token; state an `identity` or `claims` instead";
                let path = format!("/tests/{place}/check/{member}");
                faults.push(fault(&path, "test_token", message.into()));
            }
        }
    }
    if !faults.is_empty() {
        return Err(faults);
    }
    let (mut stored, mut known) = (Vec::new(), BTreeSet::new());
    for (test, json) in std::iter::zip(read, tests) {
        if known.insert(json.to_string()) {
            let json = json.clone();
            stored.push(StoredTest { test, json });
        }
    }
    Ok(stored)
}

fn fault(path: &str, code: &str, message: String) -> DocumentFault {
    DocumentFault {
        path: path.to_owned(),
        code: code.to_owned(),
        message,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn test(name: &str) -> Value {
        json!({ "name": name, "expect": { "outcome": "deny" }, "check": {
            "identity": { "user": "maya" }, "operation": "read", "resource_type": "topic", "resource_name": "orders" } })
    }

    fn codes(document: &Value) -> Vec<(String, String)> {
        let faults = read(&document.to_string()).unwrap_err();
        let pairs = faults.into_iter().map(|fault| (fault.path, fault.code));
        pairs.collect()
    }

    #[test]
    fn a_test_counts_once_and_is_kept_as_it_is_written() {
        let tests = [test("a"), test("b"), test("a")];
        let read = read(&json!(StoredTestsBody::new(&tests)).to_string()).unwrap();
        let kept: Vec<&Value> = read.iter().map(|test| &test.json).collect();
        assert_eq!(kept, [&tests[0], &tests[1]]);
        assert_eq!(read[0].test.name, "a");
    }

    #[test]
    fn what_a_service_does_not_store_is_refused_with_its_place() {
        let pair = |path: &str, code: &str| (path.to_owned(), code.to_owned());
        let mut with_token = test("b");
        with_token["check"] = json!({ "unverified_token": "e30.e30.", "ignore_expiry": true,
            "operation": "read", "resource_type": "topic", "resource_name": "orders" });
        let document =
            json!({ "version": 1, "policy": { "version": 1 }, "tests": [test("a"), with_token] });
        assert_eq!(
            codes(&document),
            [
                pair("/policy", "test_policy"),
                pair("/tests/1/check/unverified_token", "test_token")
            ]
        );
        let document = json!({ "version": 2, "tests": [{ "name": "a" }] });
        assert_eq!(
            codes(&document),
            [
                pair("/version", "unsupported_version"),
                pair("/tests/0", "missing_member"),
                pair("/tests/0", "missing_member")
            ]
        );
        let many = vec![test("a"); MAX_TESTS + 1];
        assert_eq!(
            codes(&json!({ "version": 1, "tests": many })),
            [pair("/tests", "too_many_tests")]
        );
        assert_eq!(codes(&json!([])), [pair("", "wrong_type")]);
        assert_eq!(read("{").unwrap_err()[0].code, "json_unfinished");
    }
}
