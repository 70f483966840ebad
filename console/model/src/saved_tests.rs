//! Saved tests: checks with what is expected of them, in files, and stored with a service.

use gbac_analysis::check::{Answer, Check, Query};
use gbac_api::stored_tests::{self, StoredTest, StoredTestsBody};
use gbac_engine::decide::{At, Outcome, decide};
use gbac_engine::policy::Policy;
use gbac_engine::{Coded, Subject};
use gbac_json::{assertion_report, assertions_from_value, find_assertions, policy_to_json};
use gbac_words::acl;
use gbac_words::rich_text::RichText;
use serde_json::{Value, json};

use crate::failure::Failure;

/// The longest file name, without its ending.
const MAX_NAME: usize = 60;

/// A name that every disk takes: letters, digits and single hyphens.
pub(crate) fn file_name(name: &str) -> String {
    let mut out = String::new();
    for c in name.chars() {
        if c.is_ascii_alphanumeric() {
            out.push(c.to_ascii_lowercase());
        } else if !out.is_empty() && !out.ends_with('-') {
            out.push('-');
        }
        if out.len() >= MAX_NAME {
            break;
        }
    }
    let out = out.trim_end_matches('-');
    if out.is_empty() {
        "check".into()
    } else {
        out.into()
    }
}

/// A saved test.
#[derive(Debug, Clone, PartialEq)]
pub struct SavedTest(StoredTest);

impl SavedTest {
    /// As it is in its file.
    pub fn json(&self) -> &Value {
        &self.0.json
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.0.test.name
    }

    /// What it expects: `allow` or `deny`, or the code of an error.
    pub fn expected(&self) -> String {
        for pointer in ["/expect/outcome", "/expect/error"] {
            if let Some(Value::String(expected)) = self.0.json.pointer(pointer) {
                return expected.clone();
            }
        }
        String::new()
    }

    /// Runs it. None where it holds; otherwise what differs.
    pub fn run(&self, policy: &Policy) -> Option<String> {
        let opened = match gbac_engine::resolve(policy, &self.0.test.check.subject, None) {
            Ok(opened) => opened,
            Err(error) => return self.0.test.expect.difference(&Err(error.code())),
        };
        match gbac_analysis::check::evaluate(
            policy,
            &opened.identity,
            &self.0.test.check,
            At::IgnoringExpiry,
        ) {
            Ok(answer) => self
                .0
                .test
                .expect
                .difference(&Ok((&answer, opened.identity.groups()))),
            Err(error) => self.0.test.expect.difference(&Err(error.code())),
        }
    }

    /// What comes out of it now.
    pub fn found(&self, policy: &Policy) -> String {
        match gbac_analysis::check::answer(policy, &self.0.test.check, None, At::IgnoringExpiry)
            .as_ref()
            .map(Answer::outcome)
        {
            Ok(Outcome::Allow) => "allow".into(),
            Ok(Outcome::Deny) => "deny".into(),
            Err(error) => error.code().into(),
        }
    }

    /// A report of a test that fails: what was expected, what came out and why, and the test with
    /// its policy, to be run again with `gbac test`. It names a user and groups, and has no token.
    pub fn report(&self, policy: &Policy) -> Option<(String, String)> {
        let difference = self.run(policy)?;
        let explanation = explained(policy, &self.0.test.check);
        let file = tests_file([self.json()], policy);
        let name = format!("{}.md", file_name(self.name()));
        let words = format!(
            "# {}\n\nExpected: {}\nFound: {}\nDifference: {difference}\n{explanation}\n\
             The test with its policy is below; `gbac test {name}` runs it.",
            self.name(),
            self.expected(),
            self.found(policy),
        );
        Some((name, assertion_report(&words, &file)))
    }
}

/// What decided a single question, in a line.
fn explained(policy: &Policy, check: &Check) -> String {
    let Subject::Names { user, groups } = &check.subject else {
        return String::new();
    };
    let Query::Access { .. } = &check.query else {
        return String::new();
    };
    let identity = gbac_engine::identity::Identity::new(user.as_str(), groups);
    let decision = check
        .access(At::IgnoringExpiry)
        .map(|request| decide(policy, &identity, &request));
    match decision {
        Some(decision) => match &decision.acl {
            Some(acl) => format!("Decided by: {}\n", acl::sentence(acl).plain()),
            None => format!("Decided by: no ACL ({})\n", decision.reason.code()),
        },
        None => String::new(),
    }
}

/// Tests as an assertion file over a policy.
pub fn tests_file<'t>(tests: impl IntoIterator<Item = &'t Value>, policy: &Policy) -> String {
    let tests: Vec<&Value> = tests.into_iter().collect();
    let document = json!({ "version": 1, "policy": policy_to_json(policy), "tests": tests });
    serde_json::to_string_pretty(&document).unwrap_or_default()
}

/// Reads the tests of an assertion file, or of a bug report; its policy is left out, since they run
/// on the one that is read here.
///
/// # Errors
/// What is wrong with the file.
pub fn import_tests(text: &str) -> Result<Vec<SavedTest>, RichText> {
    let value = gbac_json::parse(find_assertions(text).trim())
        .map_err(|error| RichText::message(&error.to_string()))?;
    let Some(tests) = value.get("tests").and_then(Value::as_array) else {
        return Err(RichText::new()
            .text("An assertion file has ")
            .code("tests")
            .text("."));
    };
    read_tests(tests)
}

pub(crate) fn read_tests(tests: &[Value]) -> Result<Vec<SavedTest>, RichText> {
    let document = json!({ "version": 1, "tests": tests });
    let read = assertions_from_value(&document)
        .map_err(|problems| RichText::message(&problems.to_string()))?;
    let mut saved = Vec::new();
    for (test, json) in std::iter::zip(read.tests, tests) {
        let json = json.clone();
        saved.push(SavedTest(StoredTest { test, json }));
    }
    Ok(saved)
}

/// The tests that are stored with a service, and the state that they were read in.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ServiceTests {
    /// The tests, in order.
    pub tests: Vec<SavedTest>,
    /// The `ETag`.
    pub etag: String,
}

impl ServiceTests {
    /// Reads the answer of a service.
    ///
    /// # Errors
    /// A test that this console cannot read.
    pub fn read(text: &str, etag: String) -> Result<Self, Failure> {
        let faults = match stored_tests::read(text) {
            Ok(tests) => {
                let tests = tests.into_iter().map(SavedTest).collect();
                return Ok(Self { tests, etag });
            }
            Err(faults) => faults,
        };
        let said = faults
            .first()
            .map(|fault| format!("{}: {}", fault.path, fault.message));
        Err(Failure::Unreadable(said.unwrap_or_default()))
    }

    /// The number that a test has or gets, from 1, and the body that stores it; none if it is stored.
    pub fn with(&self, test: &SavedTest) -> (usize, Option<String>) {
        if let Some(place) = self.tests.iter().position(|stored| stored == test) {
            return (place + 1, None);
        }
        let mut tests = self.tests.clone();
        tests.push(test.clone());
        (tests.len(), Some(body(&tests)))
    }

    /// The body that stores the tests without one of them.
    pub fn without(&self, test: &SavedTest) -> String {
        let mut tests = self.tests.clone();
        tests.retain(|stored| stored != test);
        body(&tests)
    }
}

fn body(tests: &[SavedTest]) -> String {
    let tests: Vec<Value> = tests.iter().map(|test| test.json().clone()).collect();
    serde_json::to_string(&StoredTestsBody::new(&tests)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_names_are_plain() {
        assert_eq!(
            file_name("maya may not write to topic a/b:*"),
            "maya-may-not-write-to-topic-a-b"
        );
        assert_eq!(file_name("日本"), "check");
        assert!(file_name(&"x".repeat(500)).len() <= MAX_NAME);
    }

    fn test(name: &str) -> Value {
        json!({ "name": name, "expect": { "outcome": "deny" }, "check": {
            "identity": { "user": "maya" }, "operation": "read", "resource_type": "topic", "resource_name": "orders" } })
    }

    #[test]
    fn a_test_is_stored_once_and_removed() {
        let read = |body: &str| ServiceTests::read(body, "\"1\"".into()).unwrap();
        let none = read(r#"{"version":1,"tests":[]}"#);
        let tests = read_tests(&[test("a"), test("b")]).unwrap();
        let (number, body) = none.with(&tests[0]);
        assert_eq!(number, 1);
        let one = read(&body.unwrap());
        let (number, body) = one.with(&tests[1]);
        assert_eq!(number, 2);
        let two = read(&body.unwrap());
        assert_eq!(two.tests, tests);
        assert_eq!(two.with(&tests[0]), (1, None));
        assert_eq!(read(&two.without(&tests[0])).tests, tests[1..]);
        let refused = ServiceTests::read(r#"{"version":1,"tests":[7]}"#, String::new());
        let said = refused.unwrap_err().to_string();
        let expected = "cannot read the response: /tests/0: expected an object";
        assert!(said.starts_with(expected), "{said}");
    }
}
