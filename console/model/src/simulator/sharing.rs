//! What leaves the page as a file: checks as assertion files and as saved tests, and a check with the
//! user, groups and request, never the token.

use std::sync::Arc;

use gbac_analysis::check::Query;
use gbac_analysis::{HypotheticalChange, HypotheticalChanges};
use gbac_engine::decide::{self, At};
use gbac_engine::identity::Identity;
use gbac_engine::policy::Policy;
use gbac_engine::{Coded, Subject};
use gbac_json::{check_from_json, check_to_value};
use gbac_words::hypothesis::if_all;
use gbac_words::pages::simulator as words;
use gbac_words::rich_text::RichText;
use serde_json::{Value, json};

use crate::saved_tests::{SavedTest, file_name, read_tests, tests_file};
use crate::simulator::hypothesis::{Hypothesis, InTest, conditions, with_changes};
use crate::simulator::inputs::{IdentityMode, Inputs};
use crate::simulator::question::{self, AccessRequest};
use crate::simulator::trial::attempt;

/// A check as it is decided with the changes that are tried: what a test of it says.
#[derive(Debug, Clone)]
pub struct DecidedCheck {
    access: AccessRequest,
    identity: Arc<Identity>,
    policy: Arc<Policy>,
    hypotheses: Vec<Hypothesis>,
}

impl DecidedCheck {
    /// The check that is entered. `of_token` is what its verdict rests on without the changes; `now`
    /// is in seconds since 1970.
    ///
    /// # Errors
    /// What is missing of the check, or which change cannot be applied.
    pub fn new(
        inputs: &Inputs,
        trials: &HypotheticalChanges,
        of_token: &[Hypothesis],
        policy: &Arc<Policy>,
        now: f64,
    ) -> Result<Self, RichText> {
        let access = question::read(inputs).0.ok_or(words::CHECK_TO_SHARE)?;
        let tried = attempt(trials, inputs, policy, now);
        if let Some(fault) = tried.faults.into_iter().next() {
            return Err(fault);
        }
        Ok(Self {
            access,
            identity: tried.identity?,
            policy: tried.policy,
            hypotheses: with_changes(of_token, trials),
        })
    }

    /// What becomes of the assumptions in the test; none without any.
    pub fn assumptions(&self) -> Option<RichText> {
        test_assumptions(&self.hypotheses)
    }

    /// Whether it is decided on another policy than that of the service.
    pub fn has_other_policy(&self) -> bool {
        let mut all = self.hypotheses.iter();
        all.any(|one| matches!(one, Hypothesis::Change(HypotheticalChange::Policy(_))))
    }

    /// An assertion file of one test, and a name for it; `gbac test` runs it. The test is about the
    /// names: its own name tells what the verdict on the token rests on.
    pub fn file(&self) -> (String, String) {
        let test = self.json();
        let name = test
            .get("name")
            .and_then(Value::as_str)
            .map_or_else(|| "check".into(), file_name);
        (format!("{name}.json"), tests_file([&test], &self.policy))
    }

    /// A test under a name; under one of its own if that is empty. It expects what the policy with
    /// the changes says. The token is not in it.
    pub fn test(&self, name: &str) -> Option<SavedTest> {
        let mut test = self.json();
        if let (false, Value::Object(members)) = (name.trim().is_empty(), &mut test) {
            members.insert("name".into(), json!(name.trim()));
        }
        read_tests(&[test]).ok()?.pop()
    }

    /// A test as an assertion file has it. It expects what the policy says of these names, whether
    /// or not the token had expired.
    fn json(&self) -> Value {
        let identity = &*self.identity;
        let named = Identity::new(identity.user(), identity.groups().iter().cloned());
        // Names have no expiry.
        let request = self.access.request(At::IgnoringExpiry);
        let decision = decide::decide(&self.policy, &named, &request);
        let may = if decision.outcome == decide::Outcome::Allow {
            "may"
        } else {
            "may not"
        };
        let mut name =
            RichText::from(format!("{} {may} ", identity.user())).then(self.access.deed());
        if !self.hypotheses.is_empty() {
            name = if_all(name, conditions(&self.hypotheses));
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
}

/// What becomes of the assumptions of a check in a test of it; none without any.
pub fn test_assumptions(hypotheses: &[Hypothesis]) -> Option<RichText> {
    let (mut names, mut policy, mut unchecked) = (Vec::new(), Vec::new(), Vec::new());
    for hypothesis in hypotheses {
        let conditions = match hypothesis.in_test() {
            InTest::Names => &mut names,
            InTest::Policy => &mut policy,
            InTest::Unchecked => &mut unchecked,
        };
        conditions.push(hypothesis.words().condition);
    }
    (!hypotheses.is_empty()).then(|| words::test_assumptions([names, policy, unchecked]))
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
    use gbac_analysis::provider::AcceptedTokens;
    use gbac_engine::model::{
        Acl, Host, Operation, PatternType, Permission, Principal, ResourceType,
    };
    use gbac_engine::policy::Change;
    use gbac_json::{PolicySource, assertions_from_json};

    use super::*;
    use crate::saved_tests::import_tests;
    use crate::simulator::tests::{NOW, evaluate, judged_inputs, policy};

    fn decided() -> Vec<DecidedCheck> {
        let mut all = Vec::new();
        for inputs in judged_inputs() {
            let view = evaluate(&inputs, Some(&policy()), &AcceptedTokens::default(), NOW);
            let none = HypotheticalChanges::default();
            let check = DecidedCheck::new(&inputs, &none, &view.hypotheses, &policy(), NOW);
            all.push(check.unwrap());
        }
        all
    }

    /// Whether the test of a file holds on the policy of the file.
    fn holds(text: &str) -> bool {
        let saved = assertions_from_json(text).unwrap();
        let Some(PolicySource::Inline(policy)) = saved.policy else {
            panic!("no policy in {text}")
        };
        import_tests(text).unwrap()[0].run(&policy).is_none()
    }

    #[test]
    fn a_saved_check_holds_when_it_is_run() {
        for check in decided() {
            let (name, text) = check.file();
            assert!(name.ends_with(".json"));
            assert!(text.contains(", if the signature is valid\""), "{text}");
            assert!(holds(&text), "{text}");
            assert!(!check.has_other_policy());
            assert_eq!(
                check.assumptions().unwrap().plain(),
                "The test does not check that the signature is valid."
            );
        }
    }

    #[test]
    fn what_is_tried_is_what_is_saved() {
        let inputs = judged_inputs().remove(3);
        let view = evaluate(&inputs, Some(&policy()), &AcceptedTokens::default(), NOW);
        let check = |trials: &[HypotheticalChange]| {
            let trials = trials.iter().cloned().collect();
            DecidedCheck::new(&inputs, &trials, &view.hypotheses, &policy(), NOW)
        };
        let today = check(&[]).unwrap().test("").unwrap();
        assert_eq!(today.expected(), "deny");

        // A group that is tried is a group of the test, so that it holds today.
        let joined = check(&[HypotheticalChange::Join("payments".into())]).unwrap();
        let test = joined.test("").unwrap();
        assert_eq!(
            test.json()["check"]["identity"]["groups"],
            json!(["payments"])
        );
        assert_eq!(test.expected(), "allow");
        assert!(test.run(&policy()).is_none() && holds(&joined.file().1));
        assert_eq!(
            joined.assumptions().unwrap().plain(),
            "The test takes for granted that the user is in Group:payments, and does not check \
             that the signature is valid."
        );

        // A change of the policy is expected of the policy.
        let acl = Acl {
            resource_type: ResourceType::Topic,
            resource_name: "payments-".into(),
            pattern_type: PatternType::Prefixed,
            principal: Principal::user("nobody"),
            host: Host::Any,
            operation: Operation::Write,
            permission: Permission::Allow,
        };
        let added = HypotheticalChange::Policy(Change::AddAcl(acl));
        let granted = check(std::slice::from_ref(&added)).unwrap();
        let test = granted.test("nobody writes").unwrap();
        assert_eq!(
            (test.name(), test.expected().as_str()),
            ("nobody writes", "allow")
        );
        assert!(test.run(&policy()).is_some() && holds(&granted.file().1));
        assert!(granted.has_other_policy());
        assert_eq!(
            granted.assumptions().unwrap().plain(),
            "The test passes only if the ACL Allow Write, topic payments- prefixed, of User:nobody \
             is added, and does not check that the signature is valid."
        );
        // What cannot be applied is not saved without it.
        assert!(check(&[added.clone(), added]).is_ok());
        let leave = HypotheticalChange::Leave("ops".into());
        assert!(check(&[leave]).unwrap_err().plain().contains("ops"));
    }

    fn saved() -> Vec<SavedTest> {
        let checks = decided();
        let tests = checks.iter().enumerate();
        tests
            .map(|(place, check)| check.test(&format!("test {place}")).unwrap())
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
