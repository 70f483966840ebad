//! Tests of the analysis of policies of Kafka, whose hosts can be ranges.

use gbac_analysis::{
    FindingCode, FixKind, HypotheticalChanges, Scope, access_fixes, compare, diff, lint,
    migration_findings, permissions, who_can,
};
use gbac_engine::decide::{At, Outcome, PreparedIdentity, Reason, Request, decide};
use gbac_engine::identity::Identity;
use gbac_engine::model::{
    Acl, Dialect, Host, Operation, Permission, Principal, PrincipalType, ResourceType,
};
use gbac_engine::policy::{Change, Policy, Settings};
use gbac_json::{lint_from_json, lint_in_dialect};
use gbac_tests::kafka::{kafka_asked, kafka_facts, kafka_policy, version};
use gbac_tests::oracle::OracleQuestion;
use gbac_tests::world::{identity, request};
use proptest::prelude::*;

use super::lint_document::document;
use super::world::config;

proptest! {
    #![proptest_config(config(400))]

    /// What somebody may do is what is decided.
    #[test]
    fn permissions_of_kafka_are_what_is_decided(version in version(), facts in kafka_facts(), asked in kafka_asked()) {
        let policy = kafka_policy(version, &facts);
        let identity = identity(&asked);
        let found = permissions(&policy, &identity);
        prop_assert_eq!(found.outcome(&request(&asked)), decide(&policy, &identity, &request(&asked)).outcome, "{:#?}", found);
    }

    /// Who can do it is decided so, and by the same ACL.
    #[test]
    fn who_can_in_kafka_is_what_is_decided(version in version(), facts in kafka_facts(), asked in kafka_asked()) {
        let policy = kafka_policy(version, &facts);
        for entry in who_can(&policy, &request(&asked)).entries {
            let Scope::One(principal) = &entry.scope else { continue };
            let groups: &[&str] = if principal.kind() == PrincipalType::Group { &[principal.name()] } else { &[] };
            let identity = match principal.kind() {
                PrincipalType::User | PrincipalType::Other => gbac_engine::Identity::of_principal(principal, groups.iter().copied()).unwrap().0,
                PrincipalType::Group => gbac_engine::Identity::new("nobody", groups.iter().copied()),
                PrincipalType::Role => continue,
            };
            let decision = decide(&policy, &identity, &request(&asked));
            prop_assert_eq!(entry.outcome, decision.outcome, "{:?}", entry);
            prop_assert_eq!(entry.host_unknown, decision.host_unknown, "{:?}", entry);
            let told = if decision.reason == Reason::AllowRule { entry.granted_by.as_ref() } else { entry.denied_by.first() };
            prop_assert_eq!(told.map(|by| &by.acl), decision.acl.as_ref());
        }
    }

    /// What two policies allow differs as told.
    #[test]
    fn two_policies_of_kafka_differ_as_told(facts in (kafka_facts(), kafka_facts()), version in version(), asked in kafka_asked()) {
        let policies = [&facts.0, &facts.1].map(|facts| kafka_policy(version, facts));
        let identity = identity(&asked);
        let request = request(&asked);
        let found = compare((&policies[0], &identity), (&policies[1], &identity));
        let [before, after] = policies.each_ref().map(|policy| decide(policy, &identity, &request).outcome == Outcome::Allow);
        let told = |regions: &[gbac_analysis::AccessRegion]| regions.iter().any(|region| {
            region.hosts.covers(request.host)
                && region.resource_type == request.resource_type
                && region.operations.contains(&request.operation)
                && region.pattern.covers(request.resource_name)
                && !region.except.iter().any(|except| except.covers(request.resource_name))
        });
        prop_assert_eq!((told(&found.gains), told(&found.loses)), (!before && after, before && !after), "{:#?}", found);
    }

    /// Every example of a difference is one.
    #[test]
    fn examples_of_differences_in_kafka_are_real(facts in (kafka_facts(), kafka_facts()), version in version()) {
        let policies = [&facts.0, &facts.1].map(|facts| kafka_policy(version, facts));
        let found = diff(&policies[0], &policies[1]);
        for example in found.differences.iter().filter_map(|difference| difference.counterexample.as_ref()) {
            let request = Request::new(example.operation, example.resource_type, &example.resource_name, At::IgnoringExpiry)
                .with_host(example.host);
            let outcomes = policies.each_ref().map(|policy| PreparedIdentity::new(policy, example.identity.clone()).outcome(policy, &request));
            prop_assert_ne!(outcomes[0], outcomes[1], "{:?}", example);
        }
    }

    /// Lint reports each name of a host, and each range in a version that does not know ranges, and
    /// only there; what it says can go, goes without effect.
    #[test]
    fn hosts_that_never_match_are_reported(version in version(), facts in kafka_facts(), asked in kafka_asked()) {
        let mut policy = kafka_policy(version, &facts);
        let before = decide(&policy, &identity(&asked), &request(&asked));
        let ranges_match = policy.settings().ranges_match();
        let code_of = |acl: &Acl| match acl.host {
            Host::Name(_) => Some(FindingCode::HostName),
            Host::Range(_) if !ranges_match => Some(FindingCode::HostRangeUnsupported),
            _ => None,
        };
        let mut unmatched: Vec<_> = policy.acls().filter_map(|acl| Some((code_of(&acl)?, acl))).collect();
        let findings: Vec<_> = lint(&policy)
            .into_iter()
            .filter(|finding| matches!(finding.code, FindingCode::HostName | FindingCode::HostRangeUnsupported))
            .collect();
        let mut reported = Vec::new();
        for finding in &findings {
            reported.extend(finding.acls.iter().map(|acl| (finding.code, acl.clone())));
        }
        reported.sort();
        unmatched.sort();
        prop_assert_eq!(reported, unmatched);
        for finding in &findings {
            for change in finding.suggested_fixes(&policy)[0].changes.clone() {
                policy.apply(change).unwrap();
            }
        }
        prop_assert_eq!(decide(&policy, &identity(&asked), &request(&asked)), before);
    }
}

proptest! {
    #![proptest_config(config(400))]

    /// Without the ACLs that begin to match, groups and roles give and deny nothing, as in Kafka.
    #[test]
    fn acls_that_begin_to_match_are_those_that_kafka_ignores(version in version(), facts in kafka_facts(), asked in kafka_asked()) {
        let mut without = kafka_policy(version, &facts);
        let mut kafka = without.clone();
        for acl in migration_findings(&without).into_iter().flat_map(|finding| finding.acls) {
            prop_assert!(matches!(acl.principal.kind(), PrincipalType::Group | PrincipalType::Role), "{:?}", acl);
            prop_assert!(without.apply(Change::RemoveAcl(acl)).unwrap());
        }
        for role in &facts.roles {
            kafka.apply(Change::DeleteRole { name: role.name.clone(), delete_acls: false }).unwrap();
        }
        let alone = OracleQuestion { groups: Vec::new(), ..asked.clone() };
        let outcome = |policy, asked| decide(policy, &identity(asked), &request(asked)).outcome;
        prop_assert_eq!(outcome(&without, &asked), outcome(&kafka, &alone));
    }
}

/// ACLs that begin to match in a document of any dialect, which is read as one of Kafka.
#[test]
fn the_migration_check_lists_acls_of_groups_and_of_roles_with_members() {
    let acls = [
        "TOPIC a LITERAL Group:eng * READ ALLOW",
        "TOPIC a LITERAL Group:eng * WRITE DENY",
        "TOPIC a LITERAL Group:eng 10.0.0.0/8 DELETE ALLOW",
        "TOPIC a PREFIXED Role:r * READ ALLOW",
        "TOPIC b LITERAL Role:empty * READ ALLOW",
        "TOPIC b LITERAL Role:gone * READ ALLOW",
        "TOPIC c LITERAL User:eng * READ ALLOW",
        "TOPIC c LITERAL User:* * READ ALLOW",
        "TOPIC c LITERAL Service:x * READ ALLOW",
    ];
    let listed = |settings: serde_json::Value| -> Vec<String> {
        let document = document(&settings, &["r:Group:eng", "empty:"], &acls);
        let findings = lint_in_dialect(&document, Dialect::Kafka).unwrap();
        let begins = findings
            .into_iter()
            .filter(|finding| finding.code == FindingCode::AclBeginsToMatch);
        begins
            .map(|finding| finding.message.replace(" begins to match", ""))
            .collect()
    };
    let any_host = [
        "the ACL `Deny Write, topic a literal, of Group:eng`",
        "the ACL `Allow Read, topic a literal, of Group:eng`",
        "the ACL `Allow Read, topic a prefixed, of Role:r`",
    ];
    let mut found = listed(serde_json::json!({ "dialect": "kafka", "kafka_version": "4.3" }));
    found.sort();
    let mut expected = any_host.map(str::to_owned).to_vec();
    expected.sort();
    assert_eq!(found, expected, "ranges do not match before 4.4");
    let mut found = listed(serde_json::json!({}));
    found.sort();
    expected
        .push("the ACL `Allow Delete, topic a literal, host 10.0.0.0/8, of Group:eng`".to_owned());
    expected.sort();
    assert_eq!(found, expected);

    let document = document(
        &serde_json::json!({ "dialect": "kafka", "kafka_version": "4.3" }),
        &[],
        &acls[..2],
    );
    assert_eq!(lint_in_dialect(&document, Dialect::Platform).unwrap(), []);
    assert_eq!(lint_from_json(&document).unwrap(), [], "only on request");
}

#[test]
fn a_document_is_read_in_the_dialect_that_is_asked_for() {
    let registry = ["SUBJECT s LITERAL User:u * READ ALLOW"];
    let codes = |settings: &serde_json::Value, acls: &[&str], dialect| -> Vec<String> {
        let problems = lint_in_dialect(&document(settings, &[], acls), dialect).unwrap_err();
        problems
            .0
            .iter()
            .map(|problem| format!("{} {}", problem.path, problem.code.as_str()))
            .collect()
    };
    let none = serde_json::json!({});
    assert_eq!(
        codes(&none, &registry, Dialect::Kafka),
        ["/acls/0/resource_type not_in_dialect"]
    );
    let token = ["DELEGATION_TOKEN t LITERAL User:u * DESCRIBE ALLOW"];
    let kafka = serde_json::json!({ "dialect": "kafka" });
    assert_eq!(
        codes(&kafka, &token, Dialect::Platform),
        ["/acls/0/resource_type not_in_dialect"]
    );
    assert_eq!(
        codes(&serde_json::json!([]), &[], Dialect::Kafka),
        ["/settings wrong_type"]
    );
    assert!(lint_in_dialect("[]", Dialect::Kafka).is_err());
    assert_eq!(
        lint_in_dialect(r#"{ "version": 1 }"#, Dialect::Kafka).unwrap(),
        []
    );
}

#[test]
fn everyone_of_kafka_is_a_user_only_by_name() {
    let service = Principal::new(PrincipalType::Other, "User*:x");
    assert!(!service.is_everyone());
    assert_eq!(service.type_and_name(), ("User*", "x"));
}

proptest! {
    #![proptest_config(config(1))]

    /// Every fix allows the request, and a deny that is narrowed still denies every other operation
    /// of Kafka.
    #[test]
    fn fixes_in_kafka_allow_the_request_and_nothing_else(version in version(), facts in kafka_facts(), asked in kafka_asked()) {
        let policy = kafka_policy(version, &facts);
        let (identity, request) = (identity(&asked), request(&asked));
        for fix in access_fixes(&policy, &identity, &request, |_, _| true).fixes {
            let changes: HypotheticalChanges = fix.changes().cloned().collect();
            let mut after = policy.clone();
            changes.apply(&mut after);
            let (identity, _) = changes.person(&identity);
            prop_assert_eq!(decide(&after, &identity, &request).outcome, Outcome::Allow, "{:?}", fix);
            if fix.steps.iter().any(|step| step.kind == FixKind::NarrowDenies) {
                for operation in policy.settings().dialect.operations_of(request.resource_type) {
                    if *operation != request.operation {
                        let other = Request::new(*operation, request.resource_type, request.resource_name, request.at).with_host(request.host);
                        prop_assert_eq!(decide(&after, &identity, &other).outcome, Outcome::Deny, "{:?}: {:?}", operation, fix);
                    }
                }
            }
        }
    }
}

#[test]
fn a_narrowed_deny_keeps_the_operations_of_kafka() {
    let user = Principal::user("u");
    let all = |principal: Principal| {
        Acl::allow(
            principal,
            Operation::All,
            ResourceType::TransactionalId,
            "tx",
        )
    };
    let deny = Acl {
        permission: Permission::Deny,
        ..all(Principal::group("g"))
    };
    let mut policy = Policy::new(Settings {
        dialect: Dialect::Kafka,
        ..Settings::default()
    });
    for acl in [all(user), deny] {
        policy.apply(Change::AddAcl(acl)).unwrap();
    }
    let identity = Identity::new("u", ["g"]);
    let request = |operation| {
        Request::new(
            operation,
            ResourceType::TransactionalId,
            "tx",
            At::IgnoringExpiry,
        )
    };
    let fixes = access_fixes(&policy, &identity, &request(Operation::Write), |_, _| true).fixes;
    let narrowing = fixes
        .iter()
        .find(|fix| fix.steps[0].kind == FixKind::NarrowDenies)
        .expect("a deny of all can be narrowed");
    for change in narrowing.policy_changes() {
        assert!(policy.apply(change).unwrap());
    }
    let outcome = |operation| decide(&policy, &identity, &request(operation)).outcome;
    assert_eq!(outcome(Operation::Write), Outcome::Allow);
    for operation in [Operation::Describe, Operation::TwoPhaseCommit] {
        assert_eq!(outcome(operation), Outcome::Deny, "{operation:?}");
    }
}
