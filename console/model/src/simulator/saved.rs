//! Saved tests: checks with expected outcomes, evaluated again after each change.

use gbac_analysis::check::{Answer, Check, Query};
use gbac_engine::decide::{At, Outcome, decide};
use gbac_engine::policy::Policy;
use gbac_engine::{Coded, Subject};
use gbac_json::{
    AssertionTest, assertion_report, assertions_from_value, find_assertions, policy_to_json,
};
use gbac_words::acl;
use gbac_words::rich_text::RichText;
use serde_json::{Value, json};

use crate::simulator::assertion;
use crate::simulator::verdict::Judged;

/// A saved test: as it is read, and as it stands in a file.
#[derive(Debug, Clone, PartialEq)]
pub struct Saved {
    test: AssertionTest,
    text: Value,
}

impl Saved {
    /// A test of what was just decided, under a name; it expects what the policy says now. The
    /// token is not in it.
    pub fn from_judged(judged: &Judged, policy: &Policy, name: &str) -> Option<Self> {
        let mut text = assertion::test(judged, policy);
        if let (false, Value::Object(members)) = (name.trim().is_empty(), &mut text) {
            members.insert("name".into(), json!(name.trim()));
        }
        read(vec![text]).ok()?.pop()
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.test.name
    }

    /// What it expects: `allow` or `deny`, or the code of an error.
    pub fn expected(&self) -> String {
        let member = |name| {
            self.text
                .get("expect")
                .and_then(|expect| expect.get(name))
                .and_then(Value::as_str)
        };
        member("outcome")
            .or_else(|| member("error"))
            .unwrap_or_default()
            .to_owned()
    }

    /// Runs it. None where it holds; otherwise what differs.
    pub fn run(&self, policy: &Policy) -> Option<String> {
        let opened = match gbac_engine::resolve(policy, &self.test.check.subject, None) {
            Ok(opened) => opened,
            Err(error) => return self.test.expect.difference(&Err(error.code())),
        };
        match gbac_analysis::check::evaluate(
            policy,
            &opened.identity,
            &self.test.check,
            At::IgnoringExpiry,
        ) {
            Ok(answer) => self
                .test
                .expect
                .difference(&Ok((&answer, opened.identity.groups()))),
            Err(error) => self.test.expect.difference(&Err(error.code())),
        }
    }

    /// What comes out of it now.
    pub fn found(&self, policy: &Policy) -> String {
        match gbac_analysis::check::answer(policy, &self.test.check, None, At::IgnoringExpiry)
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
        let explanation = explained(policy, &self.test.check);
        let file = file(std::slice::from_ref(self), policy);
        let name = format!("{}.md", assertion::file_name(self.name()));
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

/// The tests as an assertion file over a policy.
pub fn file(tests: &[Saved], policy: &Policy) -> String {
    let tests: Vec<&Value> = tests.iter().map(|saved| &saved.text).collect();
    let document = json!({ "version": 1, "policy": policy_to_json(policy), "tests": tests });
    serde_json::to_string_pretty(&document).unwrap_or_default()
}

/// Reads the tests of an assertion file, or of a bug report; its policy is left out, since they run
/// on the one that is read here.
///
/// # Errors
/// What is wrong with the file.
pub fn import(text: &str) -> Result<Vec<Saved>, RichText> {
    let value = gbac_json::parse(find_assertions(text).trim())
        .map_err(|error| RichText::message(&error.to_string()))?;
    let Some(tests) = value.get("tests").and_then(Value::as_array) else {
        return Err(RichText::new()
            .text("An assertion file has ")
            .code("tests")
            .text("."));
    };
    read(tests.clone())
}

fn read(tests: Vec<Value>) -> Result<Vec<Saved>, RichText> {
    let document = json!({ "version": 1, "policy": { "version": 1 }, "tests": tests });
    let read = assertions_from_value(&document)
        .map_err(|problems| RichText::message(&problems.to_string()))?;
    Ok(read
        .tests
        .into_iter()
        .zip(tests)
        .map(|(test, text)| Saved { test, text })
        .collect())
}

#[cfg(test)]
mod tests {
    use gbac_engine::policy::Change;
    use gbac_json::assertions_from_json;

    use super::*;
    use crate::simulator::tests::{judged_views, policy};

    fn saved() -> Vec<Saved> {
        let judged = judged_views();
        judged
            .iter()
            .enumerate()
            .map(|(place, view)| {
                Saved::from_judged(
                    view.judged.as_ref().unwrap(),
                    &policy(),
                    &format!("test {place}"),
                )
                .unwrap()
            })
            .collect()
    }

    #[test]
    fn tests_hold_go_out_and_come_back() {
        let tests = saved();
        assert!(
            tests
                .iter()
                .all(|test| test.run(&policy()).is_none() && test.report(&policy()).is_none())
        );
        let text = file(&tests, &policy());
        assert_eq!(
            assertions_from_json(&text).unwrap().tests.len(),
            tests.len()
        );
        assert_eq!(import(&text).unwrap(), tests);
        assert_eq!(tests[0].name(), "test 0");
        for wrong in ["", "[]", "{\"tests\":[{}]}", "{\"tests\":7}"] {
            assert!(import(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_change_makes_one_fail_and_the_report_says_why() {
        let tests = saved();
        let allowed = tests
            .iter()
            .find(|test| test.expected() == "allow" && test.found(&policy()) == "allow");
        let deny = json!({
            "resource_type": "RESOURCE_TYPE_TOPIC", "resource_name": "*", "resource_pattern_type": "RESOURCE_PATTERN_TYPE_LITERAL",
            "principal": "User:*", "host": "*", "operation": "OPERATION_ALL", "permission_type": "PERMISSION_TYPE_DENY",
        });
        let mut after = (*policy()).clone();
        after
            .apply(Change::AddAcl(gbac_json::acl_from_value(&deny).unwrap()))
            .unwrap();
        let fails: Vec<&Saved> = tests
            .iter()
            .filter(|test| test.run(&after).is_some())
            .collect();
        assert!(!fails.is_empty() && allowed.is_some());
        let (name, report) = fails[0].report(&after).unwrap();
        assert!(
            name.ends_with(".md") && report.contains("Difference: "),
            "{report}"
        );
        assert!(
            report.contains("Decided by: Deny All, topic * all names, of User:*"),
            "{report}"
        );
        // The content makes it a test file, not its name.
        let difference = fails[0].run(&after).unwrap();
        assert!(
            report.contains(&format!("\nDifference: {difference}\n")),
            "{report}"
        );
        assert_eq!(import(&report).unwrap(), [fails[0].clone()]);
        let read = assertions_from_json(gbac_json::find_assertions(&report)).unwrap();
        assert!(
            matches!(read.policy, gbac_json::PolicySource::Inline(policy) if policy.acl_count() == after.acl_count())
        );
    }
}
