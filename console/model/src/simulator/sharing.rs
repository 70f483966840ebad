//! What leaves the page as a file: checks as assertion files and as saved tests, and a check with the
//! user, groups and request, never the token.

use gbac_analysis::check::Query;
use gbac_engine::decide::{self, At};
use gbac_engine::identity::Identity;
use gbac_engine::policy::Policy;
use gbac_engine::{Coded, Subject};
use gbac_json::{check_from_json, check_to_value};
use gbac_words::hypothesis::if_all;
use gbac_words::rich_text::RichText;
use serde_json::{Value, json};

use crate::saved_tests::{SavedTest, file_name, read_tests, tests_file};
use crate::simulator::hypothesis::{Hypothesis, conditions};
use crate::simulator::inputs::{IdentityMode, Inputs};
use crate::simulator::question::AccessRequest;
use crate::simulator::verdict::Judged;

/// An assertion file of one test, and a name for it; `gbac test` runs it. The test is about the
/// names: its own name tells what the verdict on the token rests on.
pub fn assertion_file(
    judged: &Judged,
    policy: &Policy,
    hypotheses: &[Hypothesis],
) -> (String, String) {
    let test = assertion_test(judged, policy, hypotheses);
    let name = test
        .get("name")
        .and_then(Value::as_str)
        .map_or_else(|| "check".into(), file_name);
    (format!("{name}.json"), tests_file([&test], policy))
}

/// A test as an assertion file has it. It expects what the policy says now of these names, whether
/// or not the token had expired.
fn assertion_test(judged: &Judged, policy: &Policy, hypotheses: &[Hypothesis]) -> Value {
    let Judged {
        access, identity, ..
    } = judged;
    let named = Identity::new(identity.user(), identity.groups().iter().cloned());
    // Names have no expiry.
    let request = access.request(At::IgnoringExpiry);
    let decision = decide::decide(policy, &named, &request);
    let may = if decision.outcome == decide::Outcome::Allow {
        "may"
    } else {
        "may not"
    };
    let mut name = RichText::from(format!("{} {may} ", identity.user())).then(access.deed());
    if !hypotheses.is_empty() {
        name = if_all(name, conditions(hypotheses));
    }
    let name = name.plain();
    let check = check_to_value(identity, &request);
    let mut expect =
        json!({ "outcome": decision.outcome.code(), "reason": decision.reason.code() });
    if let (Some(source), Value::Object(members)) = (decision.source, &mut expect) {
        members.insert("source".into(), json!(source.code()));
    }
    json!({ "name": name, "check": check, "expect": expect })
}

/// A test of what was just decided, under a name; it expects what the policy says now. The token is
/// not in it.
pub fn test_of_check(
    judged: &Judged,
    policy: &Policy,
    hypotheses: &[Hypothesis],
    name: &str,
) -> Option<SavedTest> {
    let mut test = assertion_test(judged, policy, hypotheses);
    if let (false, Value::Object(members)) = (name.trim().is_empty(), &mut test) {
        members.insert("name".into(), json!(name.trim()));
    }
    read_tests(&[test]).ok()?.pop()
}

/// A check as a file, and a name for it: one line, which `gbac check --checks` answers too.
pub fn check_file(identity: &Identity, access: &AccessRequest) -> (String, String) {
    let check = check_to_value(identity, &access.request(At::IgnoringExpiry));
    let name = file_name(&format!("{} {}", identity.user(), access.deed().plain()));
    (format!("{name}.check.json"), format!("{check}\n"))
}

/// Reads such a file.
///
/// # Errors
/// What is wrong with it.
pub fn open_check_file(text: &str) -> Result<Inputs, RichText> {
    let check = check_from_json(text.trim())
        .map_err(|problems| RichText::message(&problems.to_string()))?;
    let Subject::Names { user, groups } = check.subject else {
        return Err(
            "Only checks with a user and groups can be opened. Paste a token in its own field."
                .into(),
        );
    };
    let Query::Access {
        operation,
        resource_type,
        resource_name,
    } = check.query
    else {
        return Err(
            "Only checks of one operation on one resource can be opened. This is an API request."
                .into(),
        );
    };
    // A group is a line of its field.
    if groups.iter().any(|name| name.contains(['\n', '\r'])) {
        return Err("A group name contains a line break, which can't be entered.".into());
    }
    Ok(Inputs {
        mode: IdentityMode::ByHand,
        user,
        groups: groups.join("\n"),
        operation,
        resource_type,
        resource_name,
        host: check.host.map(|host| host.to_string()).unwrap_or_default(),
        ..Inputs::default()
    })
}

#[cfg(test)]
mod tests {
    use gbac_engine::model::{Operation, ResourceType};
    use gbac_engine::policy::Change;
    use gbac_json::{PolicySource, assertions_from_json};

    use super::*;
    use crate::saved_tests::import_tests;
    use crate::simulator::tests::{judged_views, policy};

    #[test]
    fn a_saved_check_holds_when_it_is_run() {
        for view in judged_views() {
            let judged = view.judged.as_ref().unwrap();
            let (name, text) = assertion_file(judged, &policy(), &view.hypotheses);
            assert!(name.ends_with(".json"));
            assert!(text.contains(", if the signature is valid\""), "{text}");
            let saved = assertions_from_json(&text).unwrap();
            let Some(PolicySource::Inline(policy)) = saved.policy else {
                panic!("no policy in {text}")
            };
            let test = &saved.tests[0];
            let answer =
                gbac_analysis::check::answer(&policy, &test.check, None, At::IgnoringExpiry)
                    .unwrap();
            let groups = judged.identity.groups();
            assert_eq!(
                test.expect.difference(&Ok((&answer, groups))),
                None,
                "{text}"
            );
        }
    }

    fn saved() -> Vec<SavedTest> {
        let judged = judged_views();
        judged
            .iter()
            .enumerate()
            .map(|(place, view)| {
                test_of_check(
                    view.judged.as_ref().unwrap(),
                    &policy(),
                    &view.hypotheses,
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
        let text = tests_file(tests.iter().map(SavedTest::json), &policy());
        assert_eq!(
            assertions_from_json(&text).unwrap().tests.len(),
            tests.len()
        );
        assert_eq!(import_tests(&text).unwrap(), tests);
        assert_eq!(tests[0].name(), "test 0");
        for wrong in ["", "[]", "{\"tests\":[{}]}", "{\"tests\":7}"] {
            assert!(import_tests(wrong).is_err(), "{wrong}");
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
        let fails: Vec<&SavedTest> = tests
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
        assert_eq!(import_tests(&report).unwrap(), [fails[0].clone()]);
        let read = assertions_from_json(gbac_json::find_assertions(&report)).unwrap();
        assert!(
            matches!(read.policy, Some(PolicySource::Inline(policy)) if policy.acl_count() == after.acl_count())
        );
    }

    fn access(host: Option<&str>) -> AccessRequest {
        AccessRequest {
            operation: Operation::Write,
            resource_type: ResourceType::Topic,
            resource_name: "a#b &ü".into(),
            host: host.map(|host| host.parse().unwrap()),
        }
    }

    #[test]
    fn a_file_opens_as_the_same_check_and_holds_no_more() {
        let identity = Identity::new("maya", ["/eng/a", "b,c", "日本 %"]);
        let (name, text) = check_file(&identity, &access(Some("10.0.0.1")));
        assert_eq!(name, "maya-write-to-topic-a-b.check.json");
        assert_eq!(text.lines().count(), 1);
        let inputs = open_check_file(&text).unwrap();
        assert!(inputs.mode == IdentityMode::ByHand && inputs.token.is_empty());
        assert_eq!(
            (inputs.user.as_str(), inputs.groups.as_str()),
            ("maya", "/eng/a\nb,c\n日本 %")
        );
        assert_eq!(
            (inputs.resource_name.as_str(), inputs.host.as_str()),
            ("a#b &ü", "10.0.0.1")
        );
        let (_, without) = check_file(&Identity::new("a", ["two\nlines"]), &access(None));
        for wrong in [
            "",
            "[]",
            "{}",
            r#"{"unverified_token":"x","operation":"read","resource_type":"topic","resource_name":"a"}"#,
            &without,
        ] {
            assert!(open_check_file(wrong).is_err(), "{wrong}");
        }
    }
}
