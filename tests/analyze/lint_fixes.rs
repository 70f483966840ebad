//! Tests of single fixes of findings.

use gbac_analysis::{FindingCode, lint, neutral_fixes};
use gbac_engine::model::Principal;
use gbac_json::{lint_from_json, policy_from_json};

use super::lint_document::document;

#[test]
fn what_everyone_covers_is_not_removed() {
    let acls = |acls: &[&str]| document(&serde_json::json!({}), &[], acls);
    let everyone = "TOPIC * LITERAL User:* * ALL ALLOW";
    let policy = policy_from_json(&acls(&[
        everyone,
        "TOPIC orders LITERAL Group:eng * READ ALLOW",
    ]))
    .unwrap();
    let findings = lint(&policy);
    assert!(
        findings
            .iter()
            .any(|finding| finding.code == FindingCode::AclCovered),
        "{findings:?}"
    );
    assert_eq!(neutral_fixes(&policy, &findings), (Vec::new(), 0));
    let twice = policy_from_json(&acls(&[
        everyone,
        "TOPIC orders LITERAL User:* * READ ALLOW",
    ]))
    .unwrap();
    assert_eq!(
        neutral_fixes(&twice, &lint(&twice)).1,
        1,
        "of two for everyone, the narrower one is redundant"
    );
}

#[test]
fn a_path_in_roles_becomes_its_last_segment() {
    let suffix = serde_json::json!({ "nested_group_behavior": "suffix" });
    let mut policy = policy_from_json(&document(
        &suffix,
        &["r: Group:/a/eng"],
        &["TOPIC t LITERAL Role:r * READ ALLOW"],
    ))
    .unwrap();
    let [finding] = lint(&policy).try_into().unwrap();
    let [fix] = finding.suggested_fixes(&policy).try_into().unwrap();
    for change in fix.changes {
        policy.apply(change).unwrap();
    }
    assert_eq!(
        policy
            .role("r")
            .unwrap()
            .members
            .into_iter()
            .collect::<Vec<_>>(),
        [Principal::group("eng")]
    );
    assert_eq!(lint(&policy), []);
}

#[test]
fn a_member_that_names_a_type_twice_becomes_what_was_meant() {
    let with = document(
        &serde_json::json!({}),
        &["r: User:Group:eng"],
        &["TOPIC t LITERAL Role:r * READ ALLOW"],
    );
    let mut policy = policy_from_json(&with).unwrap();
    let [finding] = lint(&policy).try_into().unwrap();
    let [remove, replace] = finding.suggested_fixes(&policy).try_into().unwrap();
    assert_eq!(
        (remove.title.as_str(), replace.title.as_str()),
        (
            "Remove `User:Group:eng` from the role",
            "Replace it with `Group:eng`"
        )
    );
    for change in replace.changes {
        policy.apply(change).unwrap();
    }
    assert_eq!(
        policy
            .role("r")
            .unwrap()
            .members
            .into_iter()
            .collect::<Vec<_>>(),
        [Principal::group("eng")]
    );
}

/// The policy has it once, so removing it would remove the access.
#[test]
fn what_stands_twice_in_a_document_has_no_fix() {
    let acl = "TOPIC t LITERAL Role:r * READ ALLOW";
    let with = document(
        &serde_json::json!({ "superusers": ["root", "root"] }),
        &["r: User:ada User:ada"],
        &[acl, acl],
    );
    let policy = policy_from_json(&with).unwrap();
    let findings = lint_from_json(&with).unwrap();
    let codes: Vec<FindingCode> = findings.iter().map(|finding| finding.code).collect();
    assert_eq!(
        codes,
        [
            FindingCode::DuplicateAcl,
            FindingCode::DuplicateMember,
            FindingCode::DuplicateSuperuser
        ]
    );
    for finding in findings {
        assert_eq!(finding.suggested_fixes(&policy), [], "{finding:?}");
    }
}
