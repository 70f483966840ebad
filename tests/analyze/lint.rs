//! Tests of findings and their suggested fixes.

use std::collections::BTreeSet;

use gbac_analysis::{FindingCode, NameIndex, Relation, Severity, diff, lint, name_findings};
use gbac_engine::Coded;
use gbac_engine::model::{
    Acl, Host, Operation, PatternType, Permission, Principal, PrincipalType, Role,
};
use gbac_engine::policy::Change;
use gbac_json::{FindingJson, lint_from_json, policy_from_json};
use gbac_tests::oracle::Facts;
use proptest::prelude::*;

use super::lint_document::{acl_json, document};
use super::world::{FEW, NOBODY, USERS, allows, config, facts, policy, questions};

/// Whether an ACL applies wherever another, different one does.
fn applies_wherever(facts: &Facts, one: &Acl, other: &Acl) -> bool {
    let is_all = |acl: &Acl| match acl.pattern_type {
        PatternType::Literal => acl.resource_name == "*",
        PatternType::Prefixed => acl.resource_name.is_empty(),
    };
    let (all, other_all) = (is_all(one), is_all(other));
    let name = if all {
        true
    } else if other_all {
        false
    } else {
        match one.pattern_type {
            PatternType::Prefixed => other.resource_name.starts_with(&one.resource_name),
            PatternType::Literal => {
                other.pattern_type == PatternType::Literal
                    && one.resource_name == other.resource_name
            }
        }
    };
    let role = |role: &Role| {
        Principal::role(&role.name) == one.principal
            && role.members.contains(&other.principal)
            && !other.principal.is_everyone()
    };
    let principal = one.principal == other.principal
        || one.principal.is_everyone()
        || facts.roles.iter().any(role);
    one.resource_type == other.resource_type
        && name
        && principal
        && (one.host == Host::Any || one.host == other.host)
}

/// The operations that an ACL allows or denies.
fn answers(acl: &Acl) -> Vec<Operation> {
    gbac_engine::Dialect::Platform
        .operations()
        .iter()
        .copied()
        .filter(|asked| {
            acl.operation == Operation::All
                || acl.operation == *asked
                || acl.permission == Permission::Allow
                    && asked.implied_by().contains(&acl.operation)
        })
        .collect()
}

proptest! {
    #![proptest_config(config(100))]

    /// ACLs that are reported to have no effect have none, and every ACL that a single other ACL
    /// makes redundant is reported.
    #[test]
    fn what_lint_calls_useless_is(facts in facts(FEW)) {
        let policy = policy(&facts);
        let findings = lint(&policy);
        let of = |code| findings.iter().filter(move |finding| finding.code.code() == code).map(|finding| finding.acls[0].clone()).collect::<BTreeSet<Acl>>();
        let (covered, unreachable) = (of("acl_covered"), of("acl_unreachable"));
        let missing: BTreeSet<Acl> = findings.iter().filter(|finding| finding.code == FindingCode::RoleMissing).flat_map(|finding| finding.acls.clone()).collect();
        for acl in &facts.acls {
            let role_missing = acl.principal.kind() == PrincipalType::Role && !facts.roles.iter().any(|role| role.name == acl.principal.name());
            prop_assert_eq!(missing.contains(acl), role_missing);
            let is_unreachable = !role_missing && acl.permission == Permission::Allow && answers(acl).iter().all(|operation| {
                facts.acls.iter().any(|deny| deny.permission == Permission::Deny && applies_wherever(&facts, deny, acl) && answers(deny).contains(operation))
            });
            prop_assert_eq!(unreachable.contains(acl), is_unreachable, "{:?}", acl);
            let by = |other: &Acl| {
                let equal_but_spelled = applies_wherever(&facts, acl, other) && acl.operation == other.operation;
                other != acl && other.permission == acl.permission && applies_wherever(&facts, other, acl)
                    && answers(acl).iter().all(|operation| answers(other).contains(operation))
                    && (!equal_but_spelled || other.pattern_type == PatternType::Literal)
            };
            let is_covered = !role_missing && !is_unreachable && facts.acls.iter().any(by);
            prop_assert_eq!(covered.contains(acl), is_covered, "{:?}", acl);
        }
        // Without all of them, no decision changes.
        let mut less = facts.clone();
        less.acls.retain(|acl| !covered.contains(acl) && !unreachable.contains(acl) && !missing.contains(acl));
        prop_assert_eq!(diff(&policy, &super::world::policy(&less)).relation, Relation::Equal);
        for user in USERS.iter().chain(&[NOBODY]) {
            for groups in [&[][..], &["g"], &["h", "u"]] {
                let groups: Vec<String> = groups.iter().map(|group| String::from(*group)).collect();
                for question in questions(FEW) {
                    prop_assert_eq!(allows(&facts, user, &groups, &question), allows(&less, user, &groups, &question));
                }
            }
        }
    }
}

/// A code, a document with one finding of this code, and a similar document without one.
struct Vector {
    code: &'static str,
    severity: Severity,
    with: String,
    without: String,
}

fn vectors() -> Vec<Vector> {
    use Severity::{Error, Notice, Warning};
    let none = || serde_json::json!({});
    let acls = |acls: &[&str]| document(&none(), &[], acls);
    let vector = |code, severity, with: String, without: String| Vector {
        code,
        severity,
        with,
        without,
    };
    let read = "TOPIC orders LITERAL Group:eng * READ ALLOW";
    let role_acl = "TOPIC orders LITERAL Role:r * READ ALLOW";
    let superusers = |mapping: &str, names: &[&str]| {
        document(
            &serde_json::json!({ "oidc_principal_mapping": mapping, "superusers": names }),
            &[],
            &[],
        )
    };
    let access = |grantee: &str| serde_json::json!({ "access": { "evaluate": [grantee] } });
    let suffix = |nested: &str| {
        document(
            &serde_json::json!({ "nested_group_behavior": nested }),
            &[],
            &["TOPIC a LITERAL Group:/a/eng * READ ALLOW"],
        )
    };
    vec![
        vector(
            "duplicate_acl",
            Notice,
            acls(&[read, read]),
            acls(&[read, "TOPIC orders LITERAL Group:eng * READ DENY"]),
        ),
        vector(
            "duplicate_member",
            Notice,
            document(&none(), &["r:User:u User:u"], &[]),
            document(&none(), &["r:User:u Group:u"], &[]),
        ),
        vector(
            "duplicate_superuser",
            Notice,
            superusers("$.sub", &["a", "a"]),
            superusers("$.sub", &["a", "A"]),
        ),
        vector(
            "acl_covered",
            Notice,
            acls(&[read, "TOPIC ord PREFIXED Group:eng * ALL ALLOW"]),
            acls(&[read, "TOPIC ord PREFIXED Group:eng 10.0.0.1 ALL ALLOW"]),
        ),
        // An allow includes implied operations; a deny does not (D-02).
        vector(
            "acl_covered",
            Notice,
            acls(&[read, "TOPIC orders LITERAL Group:eng * DESCRIBE ALLOW"]),
            acls(&[
                "TOPIC orders LITERAL Group:eng * READ DENY",
                "TOPIC orders LITERAL Group:eng * DESCRIBE DENY",
            ]),
        ),
        // Blocked for everyone or for a role of the group, but not for another role.
        vector(
            "acl_covered",
            Notice,
            acls(&[read, "TOPIC * LITERAL User:* * READ ALLOW"]),
            acls(&[read, "TOPIC * LITERAL User:x * READ ALLOW"]),
        ),
        vector(
            "acl_covered",
            Notice,
            document(&none(), &["r:Group:eng"], &[read, role_acl]),
            document(&none(), &["r:Group:ops"], &[read, role_acl]),
        ),
        // One of two spellings of every name stays.
        vector(
            "acl_covered",
            Notice,
            acls(&[
                "REGISTRY * LITERAL User:u * READ ALLOW",
                "REGISTRY - PREFIXED User:u * READ ALLOW",
            ]),
            acls(&[
                "REGISTRY * LITERAL User:u * READ ALLOW",
                "REGISTRY - PREFIXED User:v * READ ALLOW",
            ]),
        ),
        vector(
            "acl_unreachable",
            Warning,
            acls(&[read, "TOPIC * LITERAL User:* * ALL DENY"]),
            // Describe is still allowed.
            acls(&[read, "TOPIC * LITERAL User:* * READ DENY"]),
        ),
        vector(
            "acl_unreachable",
            Warning,
            acls(&[
                read,
                "TOPIC o PREFIXED User:* * READ DENY",
                "TOPIC orders LITERAL Group:eng * DESCRIBE DENY",
            ]),
            acls(&[
                read,
                "TOPIC o PREFIXED User:* * READ DENY",
                "TOPIC orders LITERAL Group:eng 10.0.0.1 DESCRIBE DENY",
            ]),
        ),
        vector(
            "operation_unsupported",
            Warning,
            acls(&["GROUP g LITERAL User:u * WRITE ALLOW"]),
            acls(&["GROUP g LITERAL User:u * DELETE ALLOW"]),
        ),
        vector(
            "role_missing",
            Warning,
            // One finding for all ACLs of the role.
            document(
                &none(),
                &["R:User:u"],
                &[
                    "TOPIC a LITERAL Role:r * READ ALLOW",
                    "TOPIC b LITERAL Role:r * WRITE DENY",
                    "GROUP g LITERAL Role:r * READ ALLOW",
                ],
            ),
            document(
                &none(),
                &["r:User:u"],
                &["TOPIC a LITERAL Role:r * READ ALLOW"],
            ),
        ),
        vector(
            "role_without_members",
            Notice,
            document(&none(), &["r:"], &[role_acl]),
            document(&none(), &["r:User:u"], &[role_acl]),
        ),
        vector(
            "role_without_acls",
            Notice,
            document(&none(), &["r:User:u"], &[]),
            document(&none(), &["r:User:u"], &[role_acl]),
        ),
        vector(
            "role_name_not_ascii",
            Notice,
            document(&none(), &["é:User:u"], &[]),
            document(&none(), &["e:User:u"], &[]),
        ),
        vector(
            "principal_letter_case",
            Warning,
            acls(&[read, "TOPIC b LITERAL Group:Eng * READ ALLOW"]),
            // A user and a group never match each other.
            acls(&[read, "TOPIC b LITERAL User:Eng * READ ALLOW"]),
        ),
        vector(
            "principal_letter_case",
            Warning,
            document(
                &serde_json::json!({ "superusers": ["Admin"] }),
                &["r:User:admin"],
                &[],
            ),
            document(
                &serde_json::json!({ "superusers": ["Admin"] }),
                &["r:User:admin2"],
                &[],
            ),
        ),
        vector(
            "host_name",
            Warning,
            document(
                &serde_json::json!({ "dialect": "kafka" }),
                &[],
                &["TOPIC b LITERAL Group:eng localhost READ DENY"],
            ),
            document(
                &serde_json::json!({ "dialect": "kafka" }),
                &[],
                &["TOPIC b LITERAL Group:eng 127.0.0.1 READ DENY"],
            ),
        ),
        vector(
            "host_range_unsupported",
            Warning,
            document(
                &serde_json::json!({ "dialect": "kafka", "kafka_version": "4.3" }),
                &[],
                &["TOPIC b LITERAL Group:eng 10.0.0.0/8 READ ALLOW"],
            ),
            document(
                &serde_json::json!({ "dialect": "kafka", "kafka_version": "4.4" }),
                &[],
                &["TOPIC b LITERAL Group:eng 10.0.0.0/8 READ ALLOW"],
            ),
        ),
        vector(
            "superuser_unreachable",
            Warning,
            superusers("$.sub/(.*)/$1/L", &["Root"]),
            superusers("$.sub/(.*)/$1/L", &["root"]),
        ),
        vector(
            "superuser_unreachable",
            Warning,
            superusers("$.sub", &["ro\not"]),
            superusers("$.sub", &["Root"]),
        ),
        vector(
            "access_group_unknown",
            Warning,
            document(&access("Group:auditors"), &["r:Group:audit"], &[]),
            document(&access("Group:auditors"), &["r:Group:auditors"], &[]),
        ),
        vector(
            "access_group_unknown",
            Warning,
            document(&access("Group:gateway"), &["r:User:gateway"], &[]),
            document(&access("User:gateway"), &["r:Group:gateway"], &[]),
        ),
        // Names with access to the service are compared with the others, and checked by themselves.
        vector(
            "principal_letter_case",
            Warning,
            document(&access("User:Gateway"), &["r:User:gateway"], &[]),
            document(&access("User:gateway"), &["r:User:gateway"], &[]),
        ),
        vector(
            "principal_wildcard",
            Warning,
            document(&access("User:gw*"), &[], &[]),
            document(&access("User:gw"), &[], &[]),
        ),
        vector(
            "principal_slashes",
            Warning,
            document(&none(), &["r:Group:/eng"], &[read]),
            document(&none(), &["r:Group:/a/eng"], &[read]),
        ),
        vector(
            "group_path_with_suffix",
            Warning,
            suffix("suffix"),
            suffix("none"),
        ),
        vector(
            "principal_wildcard",
            Warning,
            acls(&["TOPIC a LITERAL Group:* * READ ALLOW"]),
            acls(&["TOPIC a LITERAL User:* * READ ALLOW"]),
        ),
        vector(
            "principal_wildcard",
            Warning,
            acls(&["TOPIC a LITERAL Role:* * READ ALLOW"]),
            acls(&["TOPIC a LITERAL Role:*a * READ ALLOW"]),
        ),
        vector(
            "principal_wildcard",
            Warning,
            document(&none(), &["r:Group:*"], &[]),
            document(&none(), &["r:Group:eng"], &[]),
        ),
        // Also at the end of or inside a name, of a group or a user.
        vector(
            "principal_wildcard",
            Warning,
            acls(&[
                "TOPIC a LITERAL Group:eng* * READ ALLOW",
                "TOPIC b LITERAL Group:eng* * READ ALLOW",
            ]),
            acls(&[
                "TOPIC a LITERAL Group:eng * READ ALLOW",
                "TOPIC b PREFIXED Group:eng * READ ALLOW",
            ]),
        ),
        vector(
            "principal_wildcard",
            Warning,
            document(&none(), &["r:User:svc-*-eu"], &[]),
            document(&none(), &["r:User:svc-eu"], &[]),
        ),
        vector(
            "principal_wildcard",
            Warning,
            superusers("$.sub", &["*"]),
            superusers("$.sub", &["root"]),
        ),
        vector(
            "principal_type_twice",
            Warning,
            document(&none(), &["r:Group:Group:eng"], &[]),
            document(&none(), &["r:Group:group:eng"], &[]),
        ),
        vector(
            "principal_type_twice",
            Warning,
            acls(&[
                "TOPIC a LITERAL Group:Role:r * READ ALLOW",
                "TOPIC b LITERAL Group:Role:r * READ ALLOW",
            ]),
            acls(&["TOPIC a LITERAL Role:r * READ ALLOW"]),
        ),
        vector(
            "member_is_everyone",
            Warning,
            document(&none(), &["r:User:*"], &[]),
            acls(&["TOPIC a LITERAL User:* * READ ALLOW"]),
        ),
        vector(
            "principal_type_twice",
            Warning,
            acls(&["TOPIC a LITERAL User:Group:eng * READ ALLOW"]),
            acls(&["TOPIC a LITERAL User:group:eng * READ ALLOW"]),
        ),
        vector(
            "topic_name",
            Warning,
            acls(&["TOPIC a* PREFIXED User:u * READ ALLOW"]),
            acls(&["TOPIC a PREFIXED User:u * READ ALLOW"]),
        ),
        // No other resource has a wildcard within its name either (D-05).
        vector(
            "resource_name_wildcard",
            Warning,
            acls(&["GROUP a* PREFIXED User:u * READ ALLOW"]),
            acls(&["GROUP * LITERAL User:u * READ ALLOW"]),
        ),
        vector(
            "resource_name_wildcard",
            Warning,
            acls(&["TRANSACTIONAL_ID a-*-b LITERAL User:u * WRITE ALLOW"]),
            acls(&["TRANSACTIONAL_ID a- PREFIXED User:u * WRITE ALLOW"]),
        ),
        vector(
            "resource_name_wildcard",
            Warning,
            acls(&["GROUP * PREFIXED User:u * READ ALLOW"]),
            acls(&["GROUP a PREFIXED User:u * READ ALLOW"]),
        ),
        vector(
            "principal_edge_whitespace",
            Warning,
            acls(&["TOPIC a LITERAL Group:eng * READ ALLOW"]).replace("Group:eng", "Group:eng "),
            acls(&["TOPIC a LITERAL Group:eng * READ ALLOW"]),
        ),
        vector(
            "principal_edge_whitespace",
            Warning,
            superusers("$.sub", &["root "]),
            superusers("$.sub", &["root"]),
        ),
        vector(
            "principal_edge_whitespace",
            Warning,
            document(&none(), &["r:Group:eng"], &[]).replace("Group:eng", "Group: eng"),
            document(&none(), &["r:Group:eng"], &[]),
        ),
        vector(
            "principal_edge_whitespace",
            Warning,
            document(&none(), &["r:User:bob"], &[]).replace("User:bob", "User:bob "),
            document(&none(), &["r:User:bob"], &[]),
        ),
        vector(
            "cluster_name",
            Warning,
            acls(&["CLUSTER c LITERAL User:u * CREATE ALLOW"]),
            acls(&["CLUSTER kafka-cluster LITERAL User:u * CREATE ALLOW"]),
        ),
        // D-68: who can read topics, and no consumer group, of itself, through a role or as
        // everyone.
        vector(
            "consumer_group_missing",
            Notice,
            acls(&[read, "GROUP g LITERAL Group:ops * READ ALLOW"]),
            acls(&[read, "GROUP g LITERAL Group:eng * READ ALLOW"]),
        ),
        vector(
            "consumer_group_missing",
            Notice,
            document(
                &none(),
                &["r:Group:eng Group:ops"],
                &[role_acl, "GROUP g LITERAL Group:eng * READ ALLOW"],
            ),
            document(
                &none(),
                &["r:Group:eng"],
                &[role_acl, "GROUP g LITERAL Group:eng * READ ALLOW"],
            ),
        ),
        vector(
            "consumer_group_missing",
            Notice,
            // Describe is not enough, a deny allows nothing, and All is.
            acls(&[
                read,
                "GROUP g LITERAL User:u * ALL ALLOW",
                "GROUP g LITERAL Group:eng * DESCRIBE ALLOW",
            ]),
            acls(&[
                read,
                "GROUP g LITERAL User:* * ALL ALLOW",
                "GROUP g LITERAL Group:eng * READ DENY",
            ]),
        ),
        // Without any ACL for consumer groups they are not what ACLs are used for; everyone and
        // superusers are no clients.
        vector(
            "consumer_group_missing",
            Notice,
            document(
                &none(),
                &[],
                &[
                    "TOPIC t LITERAL User:u * ALL ALLOW",
                    "GROUP g LITERAL User:v * READ ALLOW",
                ],
            ),
            document(
                &serde_json::json!({ "superusers": ["u"] }),
                &["r:"],
                &[
                    "TOPIC t LITERAL User:u * READ ALLOW",
                    "TOPIC t LITERAL User:* * READ ALLOW",
                    role_acl,
                    "GROUP g LITERAL User:v * READ ALLOW",
                ],
            ),
        ),
        vector(
            "consumer_group_missing",
            Notice,
            acls(&[read, "GROUP g LITERAL User:v * READ ALLOW"]),
            acls(&[read]),
        ),
        vector(
            "schema_reader_without_configs",
            Notice,
            acls(&[
                "SUBJECT s LITERAL User:u * READ ALLOW",
                "SUBJECT s LITERAL User:u * DESCRIBE_CONFIGS ALLOW",
            ]),
            acls(&[
                "SUBJECT s LITERAL User:u * READ ALLOW",
                "SUBJECT s LITERAL User:u * DESCRIBE_CONFIGS ALLOW",
                "REGISTRY * LITERAL User:* * ALTER_CONFIGS ALLOW",
            ]),
        ),
        vector(
            "subject_context",
            Warning,
            acls(&[
                "SUBJECT orders- PREFIXED User:u * ALTER DENY",
                "SUBJECT :.prod:orders-value LITERAL User:v * WRITE ALLOW",
            ]),
            acls(&[
                "SUBJECT orders- PREFIXED User:u * ALTER DENY",
                "SUBJECT orders-key LITERAL User:w * WRITE ALLOW",
                "SUBJECT :.prod:orders- PREFIXED User:u * ALTER DENY",
                "SUBJECT :.prod:payments-value LITERAL User:v * WRITE ALLOW",
                "SUBJECT * LITERAL User:x * DELETE ALLOW",
            ]),
        ),
        vector(
            "acl_open_to_everyone",
            Error,
            acls(&[
                "TOPIC * LITERAL User:* * WRITE ALLOW",
                "TOPIC * LITERAL User:* * READ ALLOW",
            ]),
            acls(&[
                "TOPIC public- PREFIXED User:* * READ ALLOW",
                "TOPIC * LITERAL User:* * DESCRIBE ALLOW",
                "TOPIC * LITERAL User:* * WRITE DENY",
                "TOPIC * LITERAL User:u * ALL ALLOW",
                "GROUP * LITERAL User:* * READ ALLOW",
                "CLUSTER kafka-cluster LITERAL User:* * IDEMPOTENT_WRITE ALLOW",
            ]),
        ),
        vector(
            "acl_open_to_everyone",
            Error,
            acls(&["CLUSTER kafka-cluster LITERAL User:* * ALL ALLOW"]),
            acls(&["CLUSTER kafka-cluster LITERAL User:* * DESCRIBE ALLOW"]),
        ),
        vector(
            "user_claim_editable",
            Error,
            superusers("$.email", &["a"]),
            superusers("$.email", &[]),
        ),
        vector(
            "user_claim_editable",
            Error,
            superusers("$.user.preferred_username/(.*)@x/$1/", &["a"]),
            superusers("$.sub/(email).*/$1/", &["a"]),
        ),
    ]
}

#[test]
fn each_code_is_found_where_it_is_and_not_beside() {
    for Vector {
        code,
        severity,
        with,
        without,
    } in vectors()
    {
        let found: Vec<_> = lint_from_json(&with)
            .unwrap()
            .into_iter()
            .filter(|finding| finding.code.code() == code)
            .collect();
        assert_eq!(found.len(), 1, "{code}: {with}");
        let finding = &found[0];
        assert_eq!(finding.severity, severity, "{code}");
        assert!(!finding.message.is_empty() && !finding.hint.is_empty());
        assert!(
            !finding.acls.is_empty() || !finding.principals.is_empty(),
            "{code} says what it is about"
        );
        let beside: Vec<_> = lint_from_json(&without)
            .unwrap()
            .into_iter()
            .filter(|finding| finding.code.code() == code)
            .collect();
        assert!(beside.is_empty(), "{code}: {beside:?}");
    }
}

#[test]
fn a_fix_removes_its_finding_and_adds_no_acl_of_a_group() {
    let mut fixed = BTreeSet::new();
    for Vector { code, with, .. } in vectors() {
        let policy = policy_from_json(&with).unwrap();
        let Some(finding) = lint(&policy)
            .into_iter()
            .find(|finding| finding.code.code() == code)
        else {
            continue;
        };
        for fix in finding.suggested_fixes(&policy) {
            let mut after = policy.clone();
            for change in fix.changes.clone() {
                if let Change::AddAcl(acl) = &change {
                    assert_ne!(
                        acl.principal.kind(),
                        PrincipalType::Group,
                        "{code}: {fix:?}"
                    );
                }
                assert!(
                    after.apply(change).unwrap(),
                    "{code}: each change changes something"
                );
            }
            assert!(!lint(&after).contains(&finding), "{code}: {fix:?}");
            let relation = diff(&policy, &after).relation;
            assert!(
                !fix.is_neutral || relation == Relation::Equal,
                "{code}: {fix:?} is {relation:?}"
            );
            fixed.insert(code);
        }
    }
    let by_a_person = [
        "group_path_with_suffix",
        "principal_letter_case",
        "principal_slashes",
        "role_name_not_ascii",
        "user_claim_editable",
        "superuser_unreachable",
        "access_group_unknown",
        "acl_open_to_everyone",
        "consumer_group_missing",
        "schema_reader_without_configs",
        "subject_context",
    ];
    let documents = ["duplicate_acl", "duplicate_member", "duplicate_superuser"];
    let codes = vectors().into_iter().map(|vector| vector.code);
    let rest: Vec<_> = codes
        .filter(|code| !fixed.contains(code))
        .filter(|code| !by_a_person.contains(code))
        .collect();
    assert!(
        rest.iter().all(|code| documents.contains(code)),
        "nothing fixes {rest:?}"
    );
}

#[test]
fn every_code_is_in_the_documentation_and_has_a_vector() {
    let page =
        std::fs::read_to_string(gbac_tests::vectors::root().join("docs/analysis.md")).unwrap();
    let rows = page
        .lines()
        .filter_map(|line| line.strip_prefix("| `"))
        .filter(|row| row.matches(" | ").count() == 2);
    let documented: BTreeSet<&str> = rows.filter_map(|row| row.split('`').next()).collect();
    let tested: BTreeSet<&str> = vectors().iter().map(|vector| vector.code).collect();
    assert_eq!(documented, tested);
}

#[test]
fn a_tab_at_the_end_of_a_name_is_a_control_character_and_no_space() {
    let text = document(&serde_json::json!({}), &["r:Group:eng"], &[]);
    let findings = lint_from_json(&text.replace("Group:eng", "Group:eng\\t")).unwrap();
    let codes: Vec<&str> = findings.iter().map(|one| one.code.code()).collect();
    assert!(codes.contains(&"principal_control_character"), "{codes:?}");
    assert!(!codes.contains(&"principal_edge_whitespace"), "{codes:?}");
}

#[test]
fn a_finding_says_what_it_is_about() {
    let read = "TOPIC orders LITERAL Group:eng * READ ALLOW";
    let deny = "TOPIC ord PREFIXED User:* * ALL DENY";
    let finding =
        &lint_from_json(&document(&serde_json::json!({}), &[], &[read, deny])).unwrap()[0];
    let json = serde_json::to_value(FindingJson::from(finding)).unwrap();
    assert_eq!(json["code"], "acl_unreachable");
    assert_eq!(
        json["message"],
        "the ACL `Allow Read, topic orders literal, of Group:eng` never allows anything: a deny wins"
    );
    assert_eq!(
        json["acls"],
        serde_json::json!([acl_json(read), acl_json(deny)])
    );
    assert_eq!(json.get("places"), None);
}

#[test]
fn a_missing_role_is_told_once_with_all_its_acls() {
    let acls = [
        "TOPIC a LITERAL Role:gone * READ ALLOW",
        "TOPIC b LITERAL Role:gone * WRITE DENY",
        "GROUP g LITERAL Role:too * READ ALLOW",
    ];
    let policy = policy_from_json(&document(&serde_json::json!({}), &[], &acls)).unwrap();
    let found: Vec<_> = lint(&policy)
        .into_iter()
        .filter(|finding| finding.code == FindingCode::RoleMissing)
        .collect();
    let told: Vec<(&str, usize)> = found
        .iter()
        .map(|finding| (finding.message.as_str(), finding.acls.len()))
        .collect();
    assert_eq!(
        told,
        [
            ("there is no role `gone`, so its 2 ACLs have no effect", 2),
            ("there is no role `too`, so its ACL has no effect", 1),
        ]
    );
    let titles: Vec<String> = found[0]
        .suggested_fixes(&policy)
        .into_iter()
        .map(|fix| fix.title)
        .collect();
    assert_eq!(titles, ["Remove its 2 ACLs", "Create the role `gone`"]);
}

/// The findings about one name equal lint's findings for a policy that contains it.
#[test]
fn the_findings_of_one_name_are_those_of_lint() {
    let acls = [
        "TOPIC a LITERAL Group:eng * READ ALLOW",
        "TOPIC a LITERAL Group:ENG * READ ALLOW",
    ];
    for (nested, names) in [("none", 0), ("suffix", 1)] {
        let settings =
            serde_json::json!({ "nested_group_behavior": nested, "superusers": ["Root"] });
        let policy =
            policy_from_json(&document(&settings, &["r: User:ada Group:/b/ops"], &acls)).unwrap();
        let index = NameIndex::new(&policy);
        let codes = |name: &str| -> Vec<&'static str> {
            let principal = Principal::parse(name).unwrap();
            let near_to = name_findings(
                &policy,
                &principal,
                &NameIndex::near_to(&policy, [&principal]),
            );
            let found = name_findings(&policy, &principal, &index);
            assert_eq!(found, near_to, "{name}");
            // Equal to lint's findings for the policy with this name.
            let mut named = policy.clone();
            named
                .apply(Change::AddMember {
                    role: "r".into(),
                    member: principal.clone(),
                })
                .unwrap();
            let of_names = [
                "principal_letter_case",
                "principal_slashes",
                "group_path_with_suffix",
            ];
            let of_lint: Vec<_> = lint(&named)
                .into_iter()
                .filter(|finding| {
                    of_names.contains(&finding.code.code())
                        && finding.principals.contains(&principal)
                })
                .collect();
            let of_one: Vec<_> = found
                .iter()
                .filter(|finding| of_names.contains(&finding.code.code()))
                .cloned()
                .collect();
            assert_eq!(of_one, of_lint, "{name}");
            found.iter().map(|finding| finding.code.code()).collect()
        };
        let none: &[&str] = &[];
        assert_eq!(codes("Group:ops"), none);
        // Also if the name itself is known, and if several are similar.
        assert_eq!(codes("Group:eng"), ["principal_letter_case"]);
        assert_eq!(codes("Group:Eng"), ["principal_letter_case"]);
        assert_eq!(codes("User:root"), ["principal_letter_case"]);
        assert_eq!(codes("User:eng"), none);
        assert_eq!(
            codes("Group:eng/").first(),
            Some(&if names == 0 {
                "principal_slashes"
            } else {
                "group_path_with_suffix"
            })
        );
        assert_eq!(codes("Group:/b/ops"), &["group_path_with_suffix"][..names]);
        assert_eq!(codes("Group:*"), ["principal_wildcard"]);
        assert_eq!(codes("Group:e*ng"), ["principal_wildcard"]);
        assert_eq!(codes("User:svc-*"), ["principal_wildcard"]);
        assert_eq!(codes("Group:User:ada"), ["principal_type_twice"]);
        assert_eq!(codes("User:Group:eng"), ["principal_type_twice"]);
    }
    let policy = policy_from_json(&document(&serde_json::json!({}), &[], &[])).unwrap();
    assert_eq!(
        name_findings(&policy, &Principal::user("*"), &NameIndex::new(&policy)),
        []
    );
}
