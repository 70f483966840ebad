//! A check saved as a test: an assertion file with the policy, the names that the token gave, and
//! the verdict.
//!
//! The token is not in it: user and groups are, as they came out.

use gbac_engine::Coded;
use gbac_engine::decide::{self, At};
use gbac_engine::identity::Identity;
use gbac_engine::policy::Policy;
use gbac_json::{check_to_value, policy_to_json};
use serde_json::{Value, json};

use crate::simulator::verdict::Judged;

/// The longest file name, without its ending.
const MAX_NAME: usize = 60;

/// An assertion file of one test, and a name for it; `gbac test` runs it.
pub fn file(judged: &Judged, policy: &Policy) -> (String, String) {
    let test = test(judged, policy);
    let name = test
        .get("name")
        .and_then(Value::as_str)
        .map_or_else(|| "check".into(), file_name);
    let document = json!({ "version": 1, "policy": policy_to_json(policy), "tests": [test] });
    let text = serde_json::to_string_pretty(&document).unwrap_or_default();
    (format!("{name}.json"), text)
}

/// A test as an assertion file has it. It expects what the policy says now of these names, whether
/// or not the token had expired.
pub fn test(judged: &Judged, policy: &Policy) -> Value {
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
    let name = format!("{} {may} {}", identity.user(), access.deed().plain());
    let check = check_to_value(identity, &request);
    let mut expect =
        json!({ "outcome": decision.outcome.code(), "reason": decision.reason.code() });
    if let (Some(source), Value::Object(members)) = (decision.source, &mut expect) {
        members.insert("source".into(), json!(source.code()));
    }
    json!({ "name": name, "check": check, "expect": expect })
}

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

#[cfg(test)]
mod tests {

    use gbac_json::{PolicySource, assertions_from_json};

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

    #[test]
    fn a_saved_check_holds_when_it_is_run() {
        for view in super::super::tests::judged_views() {
            let judged = view.judged.as_ref().unwrap();
            let (name, text) = file(judged, &super::super::tests::policy());
            assert!(name.ends_with(".json"));
            let saved = assertions_from_json(&text).unwrap();
            let PolicySource::Inline(policy) = saved.policy else {
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
}
