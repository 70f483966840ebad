//! Tests of effective permissions and of who-can.

use gbac_analysis::{
    Grant, GrantException, NamePattern, Scope, permissions, permissions_of, who_can,
};
use gbac_engine::Coded;
use gbac_engine::decide::{At, Outcome, Request};
use gbac_engine::identity::Identity;
use gbac_engine::model::{
    Acl, Host, Operation, PatternType, Permission, Principal, PrincipalType, ResourceType, Role,
};
use gbac_json::WhoCanJson;
use gbac_tests::oracle::Facts;
use proptest::prelude::*;
use proptest::sample::select;

use super::world::{
    USERS, allows, alone, config, facts, groups, holders, policy, question, questions, verdict,
};

fn broader(one: &NamePattern, other: &NamePattern) -> bool {
    match (one.pattern_type, other.pattern_type) {
        (PatternType::Prefixed, _)
            if !(other.pattern_type == PatternType::Literal && other.name == "*") =>
        {
            other.name.starts_with(&one.name)
        }
        _ => one.pattern_type == PatternType::Literal && (one.name == "*" || one == other),
    }
}

/// Checks that grants do not overlap, and neither do exceptions.
fn is_compressed(grants: &[Grant]) -> bool {
    let absorbed = |(place, grant): (usize, &Grant)| {
        grants.iter().enumerate().any(|(other_place, other)| {
            place != other_place
                && other.resource_type == grant.resource_type
                && broader(&other.pattern, &grant.pattern)
                && (other.host == Host::Any || other.host == grant.host)
                && grant
                    .operations
                    .iter()
                    .any(|operation| other.operations.contains(operation))
                && !other
                    .except
                    .iter()
                    .any(|except| broader(&except.pattern, &grant.pattern))
        })
    };
    let excepted_twice = |excepts: &[GrantException]| {
        excepts.iter().enumerate().any(|(place, except)| {
            excepts.iter().enumerate().any(|(other_place, other)| {
                place != other_place
                    && broader(&other.pattern, &except.pattern)
                    && (other.host == Host::Any || other.host == except.host)
            })
        })
    };
    !grants.iter().enumerate().any(absorbed)
        && !grants.iter().any(|grant| excepted_twice(&grant.except))
}

proptest! {
    #![proptest_config(config(100))]

    /// The permissions of an identity and of each scope equal exactly the oracle's allowed queries.
    #[test]
    fn permissions_are_what_is_allowed(facts in facts(gbac_engine::Dialect::Platform.operations()), user in select(USERS), groups in groups(), holder in select(holders())) {
        let policy = policy(&facts);
        let found = permissions(&policy, &Identity::new(user, &groups));
        prop_assert!(is_compressed(&found.grants), "{:#?}", found);
        let (facts_of_holder, holder_user, holder_groups) = alone(&facts, &holder);
        let of_holder = permissions_of(&policy, &holder);
        prop_assert!(is_compressed(&of_holder.grants), "{:#?}", of_holder);
        for question in questions(gbac_engine::Dialect::Platform.operations()) {
            let is = |outcome| outcome == Outcome::Allow;
            prop_assert_eq!(is(found.outcome(&question.request())), allows(&facts, user, &groups, &question), "{:?}", question);
            prop_assert_eq!(
                is(of_holder.outcome(&question.request())),
                allows(&facts_of_holder, &holder_user, &holder_groups, &question),
                "{} {:?}", holder, question
            );
        }
    }
}

proptest! {
    #![proptest_config(config(4))]

    /// Entries have the oracle's decision, and scopes without an entry that of everyone; the
    /// reported ACLs are those that decide.
    #[test]
    fn who_can_is_what_is_decided(facts in facts(gbac_engine::Dialect::Platform.operations()), question in question(gbac_engine::Dialect::Platform.operations())) {
        let policy = policy(&facts);
        let found = who_can(&policy, &question.request());
        prop_assert_eq!(&found.superusers, &facts.superusers);
        let entry = |holder: &Scope| found.entries.iter().find(|entry| entry.scope == *holder);
        for holder in holders() {
            if let Scope::One(principal) = &holder
                && principal.kind() == PrincipalType::User
                && found.superusers.iter().any(|user| user == principal.name())
            {
                prop_assert!(entry(&holder).is_none());
                continue;
            }
            let (facts, user, groups) = alone(&facts, &holder);
            let expected = verdict(&facts, &user, &groups, &question);
            let told = entry(&holder).or_else(|| entry(&Scope::Everyone));
            prop_assert_eq!(told.map_or("deny", |entry| entry.outcome.code()), expected.outcome, "{}", holder);
            let Some(told) = told else { continue };
            prop_assert_eq!(told.host_unknown, expected.host_unknown);
            let allow_only = Facts { acls: facts.acls.iter().filter(|acl| acl.permission == Permission::Allow).cloned().collect(), ..facts.clone() };
            let grants = verdict(&allow_only, &user, &groups, &question);
            prop_assert_eq!(told.granted_by.as_ref().map(|by| &by.acl), grants.acl.as_ref());
            prop_assert_eq!(told.granted_by.as_ref().and_then(|by| by.role.as_ref()), grants.role.as_ref());
            if !told.denied_by.is_empty() {
                prop_assert_eq!(Some(&told.denied_by[0].acl), expected.acl.as_ref());
            }
            // Each deny blocks it, and without all of them nothing does.
            let mut left = facts.clone();
            for by in &told.denied_by {
                let only = Facts { acls: vec![by.acl.clone()], ..facts.clone() };
                prop_assert_eq!(verdict(&only, &user, &groups, &question).reason, "deny_rule");
                left.acls.retain(|acl| *acl != by.acl);
            }
            prop_assert!(verdict(&left, &user, &groups, &question).reason != "deny_rule");
        }
        // Each of these principals blocks an allowed scope, and no other one does.
        for entry in found.entries.iter().filter(|entry| entry.outcome == Outcome::Allow) {
            let (facts, user, groups) = alone(&facts, &entry.scope);
            for other in holders().iter().filter_map(|other| match other { Scope::One(other) => Some(other), Scope::Everyone => None }) {
                let mut facts = facts.clone();
                let mut groups = groups.clone();
                match other.kind() {
                    PrincipalType::Group => if !groups.iter().any(|group| group == other.name()) { groups.push(other.name().into()) },
                    PrincipalType::Role => {
                        let user = Principal::user(&user);
                        facts.roles.iter_mut().filter(|role| role.name == other.name()).for_each(|role| role.members.extend([user.clone()]));
                    }
                    PrincipalType::User | PrincipalType::Other => continue,
                }
                let roles = facts.roles.iter().filter(|role| role.members.contains(other)).map(|role| Principal::role(&role.name));
                let blocked = roles.chain([other.clone()]).any(|principal| found.denied_principals.contains(&principal));
                prop_assert_eq!(allows(&facts, &user, &groups, &question), !blocked, "{} with {}", entry.scope, other);
            }
        }
    }
}

/// The member `User:*` is one user; entries for everyone contain what everyone is allowed (D-33).
#[test]
fn a_member_named_by_an_asterisk_is_told_from_everyone() {
    let acl = |principal, operation| Acl {
        resource_type: ResourceType::Topic,
        resource_name: "orders".into(),
        pattern_type: PatternType::Literal,
        principal,
        host: Host::Any,
        operation,
        permission: Permission::Allow,
    };
    let told = |operation| {
        let facts = Facts {
            acls: vec![
                acl(Principal::role("r"), Operation::Read),
                acl(Principal::user("*"), Operation::Write),
            ],
            roles: vec![Role {
                name: "r".into(),
                members: [Principal::user("*"), Principal::group("eng")].into(),
            }],
            superusers: Vec::new(),
        };
        let request = Request::new(operation, ResourceType::Topic, "orders", At::IgnoringExpiry);
        let found =
            serde_json::to_value(WhoCanJson::from(&who_can(&policy(&facts), &request))).unwrap();
        let entries = found["entries"].as_array().unwrap().iter();
        let is = |entry: &serde_json::Value, name| entry.get(name) == Some(&true.into());
        entries
            .map(|entry| {
                (
                    entry["principal"].as_str().unwrap().to_owned(),
                    is(entry, "everyone"),
                    is(entry, "literal"),
                )
            })
            .collect::<Vec<_>>()
    };
    let entry = |name: &str, everyone, literal| (name.to_owned(), everyone, literal);
    assert_eq!(
        told(Operation::Read),
        [
            entry("User:*", false, true),
            entry("Group:eng", false, false),
            entry("Role:r", false, true)
        ]
    );
    assert_eq!(told(Operation::Write), [entry("User:*", true, false)]);
}
