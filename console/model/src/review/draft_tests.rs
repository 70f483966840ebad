//! The tests that are stored with the service, evaluated with a draft.

use gbac_engine::policy::Policy;
use gbac_words::pages::review as words;

use crate::saved_tests::SavedTest;

/// What the stored tests say about a draft.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DraftTests {
    /// The number of tests.
    pub total: usize,
    /// Those that fail with the draft, in order.
    pub failing: Vec<FailingTest>,
}

/// A stored test that fails with a draft.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FailingTest {
    /// Its name.
    pub name: String,
    /// What it expects and what comes out.
    pub difference: String,
    /// Whether it fails without the draft, too.
    pub fails_without: bool,
}

impl DraftTests {
    /// Evaluates tests with the policy after a draft; `before` is the policy without it.
    pub fn run(tests: &[SavedTest], before: &Policy, after: &Policy) -> Self {
        let mut failing = Vec::new();
        for test in tests {
            let Some(difference) = test.run(after) else {
                continue;
            };
            let (expected, found) = (test.expected(), test.found(after));
            failing.push(FailingTest {
                name: test.name().to_owned(),
                difference: words::expected_and_found(&expected, &found, &difference),
                fails_without: test.run(before).is_some(),
            });
        }
        Self {
            total: tests.len(),
            failing,
        }
    }
}

#[cfg(test)]
mod tests {
    use gbac_engine::model::{Acl, Operation, Principal, ResourceType};
    use gbac_engine::policy::{Change, apply_each};
    use serde_json::{Value, json};

    use super::*;
    use crate::saved_tests::read_tests;

    fn test(name: &str, user: &str, expect: &Value) -> Value {
        json!({ "name": name, "expect": expect, "check": { "identity": { "user": user, "groups": ["eng"] },
            "operation": "read", "resource_type": "topic", "resource_name": "orders" } })
    }

    #[test]
    fn what_fails_with_a_draft_says_what_it_expects_and_what_comes_out() {
        let allow = |principal| {
            let acl = Acl::allow(principal, Operation::Read, ResourceType::Topic, "orders");
            Change::AddAcl(acl)
        };
        let mut before = Policy::default();
        apply_each(&mut before, &[allow(Principal::group("eng"))]);
        let by_group = json!({ "outcome": "allow", "source": "group_acl" });
        let tests = read_tests(&[
            test("maya reads", "maya", &by_group),
            test("bob reads", "bob", &json!({ "outcome": "allow" })),
            test("eve never reads", "eve", &json!({ "outcome": "deny" })),
        ])
        .unwrap();
        let unchanged = DraftTests::run(&tests, &before, &before);
        assert_eq!((unchanged.total, unchanged.failing.len()), (3, 1));

        let mut after = Policy::default();
        apply_each(&mut after, &[allow(Principal::user("maya"))]);
        let found = DraftTests::run(&tests, &before, &after);
        let said: Vec<(&str, &str, bool)> = found
            .failing
            .iter()
            .map(|test| {
                (
                    test.name.as_str(),
                    test.difference.as_str(),
                    test.fails_without,
                )
            })
            .collect();
        assert_eq!(
            said,
            [
                (
                    "maya reads",
                    "source is \"user_acl\", expected \"group_acl\"",
                    false
                ),
                ("bob reads", "Expected allow, found deny", false),
            ]
        );
        let fails_anyway = DraftTests::run(&tests[2..], &before, &before);
        assert_eq!(
            fails_anyway.failing,
            [FailingTest {
                name: "eve never reads".into(),
                difference: "Expected deny, found allow".into(),
                fails_without: true,
            }]
        );
    }
}
