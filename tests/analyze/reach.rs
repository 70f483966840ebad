//! Tests of the ACLs that apply to a principal, the access matrix, and the summary of all
//! principals.

use std::collections::BTreeSet;

use gbac_analysis::{
    DenyExtent, NamePattern, ReachSubject, Scope, matrix_cell, matrix_resources, policy_summary,
    reach, who_can_on_prefix,
};
use gbac_engine::Coded;
use gbac_engine::decide::{At, Outcome, Reason, Request, decide};
use gbac_engine::identity::Identity;
use gbac_engine::model::{
    Acl, Operation, PatternType, Permission, Principal, PrincipalType, ResourceType,
};
use gbac_tests::oracle::Facts;
use proptest::prelude::*;
use proptest::sample::select;

use super::world::{
    FEW, NOBODY, USERS, alone, config, facts, groups, holders, hosts, policy, questions, verdict,
};

/// Every subject that a world tells apart.
fn subjects(user: &str, groups: &[String]) -> Vec<ReachSubject> {
    let identity = ReachSubject::Identity(Identity::new(user, groups));
    holders()
        .into_iter()
        .map(ReachSubject::Scope)
        .chain([identity])
        .collect()
}

/// The world in which a subject is a user with groups, and this user.
fn as_identity(facts: &Facts, subject: &ReachSubject) -> (Facts, String, Vec<String>) {
    match subject {
        ReachSubject::Scope(holder) => alone(facts, holder),
        ReachSubject::Identity(identity) => (
            facts.clone(),
            identity.user().to_owned(),
            identity.groups().to_vec(),
        ),
    }
}

proptest! {
    #![proptest_config(config(20))]

    /// Who can do something on all names of a prefix is what the matrix says of each holder; who is
    /// not told is decided as everyone is.
    #[test]
    fn who_can_on_a_prefix_is_its_cells(facts in facts(FEW), prefix in select(&["", "a", "ab", "b"][..])) {
        let policy = policy(&facts);
        for resource_type in [ResourceType::Topic, ResourceType::Group] {
            for (operation, host) in FEW.iter().flat_map(|operation| hosts().map(|host| (*operation, host))) {
                let pattern = NamePattern { pattern_type: PatternType::Prefixed, name: prefix.to_owned() };
                let cell = |scope: Scope| {
                    let subject = ReachSubject::Scope(scope);
                    matrix_cell(&policy, &subject, (resource_type, &pattern), operation, host, At::IgnoringExpiry)
                };
                let request = Request::new(operation, resource_type, prefix, At::IgnoringExpiry).with_host(host);
                let found = who_can_on_prefix(&policy, &request);
                for entry in &found.entries {
                    let is_of_all = entry.only_on.is_empty() && (entry.not_on.is_empty() || entry.outcome == Outcome::Allow);
                    if is_of_all {
                        let cell = cell(entry.scope.clone());
                        prop_assert_eq!((cell.outcome, &cell.granted_by, &cell.denied_by), (entry.outcome, &entry.granted_by, &entry.denied_by));
                    }
                    // On some of the names, it is what the cells of these say.
                    let narrower = |names: &NamePattern| {
                        let subject = ReachSubject::Scope(entry.scope.clone());
                        matrix_cell(&policy, &subject, (resource_type, names), operation, host, At::IgnoringExpiry)
                    };
                    for names in &entry.only_on {
                        let cell = narrower(names);
                        prop_assert!(names.name.starts_with(prefix));
                        prop_assert!(cell.outcome == Outcome::Allow || cell.host_unknown, "{:?} on {:?}", entry, names);
                    }
                    for names in &entry.not_on {
                        let cell = narrower(names);
                        prop_assert!(cell.outcome == Outcome::Deny && !cell.denied_by.is_empty(), "{:?} on {:?}", entry, names);
                    }
                }
                let is_superuser = |scope: &Scope| {
                    matches!(scope, Scope::One(principal) if principal.kind() == PrincipalType::User && found.superusers.iter().any(|name| name == principal.name()))
                };
                let told: Vec<&Scope> = found.entries.iter().map(|entry| &entry.scope).collect();
                for scope in holders().into_iter().filter(|scope| !told.contains(&scope) && !is_superuser(scope)) {
                    prop_assert_eq!(cell(scope).outcome, cell(Scope::Everyone).outcome);
                }
            }
        }
    }

    /// A cell of a literal name is the decision about it, its rows are those of the decision, and
    /// every name that an ACL of somebody covers has a row in the matrix.
    #[test]
    fn a_cell_is_the_decision(facts in facts(gbac_engine::Dialect::Platform.operations()), user in select(USERS), groups in groups()) {
        let policy = policy(&facts);
        for subject in subjects(user, &groups) {
            let (facts, user, groups) = as_identity(&facts, &subject);
            for (resource_type, pattern) in matrix_resources(&policy, &subject) {
                if pattern.pattern_type != PatternType::Literal || pattern.name == "*" {
                    continue;
                }
                for operation in gbac_engine::Dialect::Platform.operations() {
                    for host in hosts() {
                        let found = matrix_cell(&policy, &subject, (resource_type, &pattern), *operation, host, At::IgnoringExpiry);
                        let question = super::world::Question { operation: *operation, resource_type, name: pattern.name.clone(), host };
                        let expected = verdict(&facts, &user, &groups, &question);
                        prop_assert_eq!(found.outcome.code(), expected.outcome, "{:?} {:?}", subject, question);
                        if expected.reason == "superuser" {
                            prop_assert!(found.granted_by.is_none() && found.denied_by.is_empty());
                            continue;
                        }
                        prop_assert_eq!(found.host_unknown, expected.host_unknown);
                        let told = found.denied_by.first().or(found.granted_by.as_ref());
                        prop_assert_eq!(told.map(|by| &by.acl), expected.acl.as_ref());
                        prop_assert_eq!(told.and_then(|by| by.role.as_ref()), expected.role.as_ref());
                    }
                }
            }
        }
    }

    /// A cell of a prefix is how each name is decided that no narrower row of the matrix covers.
    #[test]
    fn a_cell_of_a_prefix_is_for_the_names_without_a_row_of_their_own(facts in facts(gbac_engine::Dialect::Platform.operations()), user in select(USERS), groups in groups()) {
        let policy = policy(&facts);
        for subject in subjects(user, &groups) {
            let (facts, user, groups) = as_identity(&facts, &subject);
            let rows = matrix_resources(&policy, &subject);
            for question in questions(&[Operation::Read, Operation::Describe]) {
                let mut covering = rows.iter().filter(|(of, pattern)| *of == question.resource_type && pattern.covers(&question.name));
                // They come broader before narrower.
                let Some((resource_type, pattern)) = covering.next_back() else {
                    prop_assert!(verdict(&facts, &user, &groups, &question).reason != "allow_rule");
                    continue;
                };
                let found = matrix_cell(&policy, &subject, (*resource_type, pattern), question.operation, question.host, At::IgnoringExpiry);
                prop_assert_eq!(found.outcome.code(), verdict(&facts, &user, &groups, &question).outcome, "{:?} {:?}", subject, question);
            }
        }
    }

    /// The ACLs that reach a user are complete: with only them, every decision is the same, and a
    /// deny is reported to take something from an allow when there is a request that meets both,
    /// all of it when there is none that meets the allow alone.
    #[test]
    fn what_reaches_somebody_decides(facts in facts(gbac_engine::Dialect::Platform.operations()), user in select(USERS), groups in groups()) {
        let policy = policy(&facts);
        for subject in subjects(user, &groups) {
            let found = reach(&policy, &subject);
            let (facts, user, groups) = as_identity(&facts, &subject);
            let acls: Vec<Acl> = found.principals.iter().flat_map(|way| way.acls.clone()).collect();
            let only = Facts { acls: acls.clone(), ..facts.clone() };
            for question in questions(&[Operation::Read, Operation::Describe]) {
                prop_assert_eq!(verdict(&only, &user, &groups, &question), verdict(&facts, &user, &groups, &question));
            }
            prop_assert_eq!(found.superuser, facts.superusers.contains(&user));
        }
    }
}

proptest! {
    #![proptest_config(config(200))]

    #[test]
    fn a_block_is_a_request_that_meets_both(facts in facts(gbac_engine::Dialect::Platform.operations()), user in select(USERS), groups in groups()) {
        let policy = policy(&facts);
        let identity = Identity::new(user, &groups);
        let found = reach(&policy, &ReachSubject::Identity(identity));
        let asked = questions(gbac_engine::Dialect::Platform.operations());
        // As if for one user: who holds them does not matter here.
        let meets = |acl: &Acl, of: usize| {
            let acl = Acl { principal: Principal::user(NOBODY), ..acl.clone() };
            let alone = Facts { acls: vec![acl], roles: Vec::new(), superusers: Vec::new() };
            asked.get(of).is_some_and(|question| question.host.is_some() && verdict(&alone, NOBODY, &[], question).acl.is_some())
        };
        let all = |permission| found.principals.iter().flat_map(|way| &way.acls).filter(move |acl| acl.permission == permission);
        for allow in all(Permission::Allow) {
            let blocking: Vec<(&Acl, DenyExtent)> = found.blocking(allow).collect();
            for deny in all(Permission::Deny) {
                let both = (0..asked.len()).any(|of| meets(allow, of) && meets(deny, of));
                let is_left = |own: bool| {
                    (0..asked.len()).any(|of| {
                        let is_own = asked.get(of).is_some_and(|question| question.operation == allow.operation);
                        (is_own || !own) && meets(allow, of) && !meets(deny, of)
                    })
                };
                let told = blocking.iter().find(|(acl, _)| *acl == deny).map(|(_, much)| *much);
                let much = if is_left(true) { DenyExtent::Part } else if is_left(false) { DenyExtent::Itself } else { DenyExtent::Whole };
                let expected = both.then_some(much);
                prop_assert_eq!(told, expected, "{:?} {:?}", allow, deny);
                prop_assert_eq!(found.blocked(deny).any(|blocked| blocked == allow), both);
            }
        }
    }

    /// Everybody is there once, and the counts are those of the ACLs.
    #[test]
    fn holdings_count_every_acl_once(facts in facts(gbac_engine::Dialect::Platform.operations())) {
        let policy = policy(&facts);
        let found = policy_summary(&policy);
        let members = facts.roles.iter().flat_map(|role| role.members.iter().cloned());
        let roles = facts.roles.iter().map(|role| Principal::role(&role.name));
        let superusers = facts.superusers.iter().map(Principal::user);
        let everybody: BTreeSet<Principal> =
            facts.acls.iter().map(|acl| acl.principal.clone()).chain(members).chain(roles).chain(superusers).collect();
        prop_assert_eq!(found.all.iter().map(|holding| holding.principal.clone()).collect::<Vec<_>>(), everybody.into_iter().collect::<Vec<_>>());
        let acls_of = |principal: &Principal| facts.acls.iter().filter(|acl| acl.principal == *principal).count();
        for (place, holding) in found.all.iter().enumerate() {
            prop_assert_eq!(found.place(&holding.principal), Some(place));
            prop_assert_eq!(holding.direct.acls, acls_of(&holding.principal));
            let roles = facts.roles.iter().filter(|role| role.members.contains(&holding.principal));
            let through: usize = roles.map(|role| acls_of(&Principal::role(&role.name))).sum();
            prop_assert_eq!(holding.through.acls, if holding.principal.kind() == PrincipalType::Role { 0 } else { through });
            for linked in &holding.links {
                prop_assert!(found.all[*linked].links.contains(&place), "links lead both ways");
            }
        }
        for named in &found.named {
            for holder in &named.scopes {
                let principal = &found.all[*holder].principal;
                prop_assert!(facts.acls.iter().any(|acl| acl.principal == *principal && acl.resource_name == named.name));
            }
        }
        prop_assert_eq!(found.named.iter().flat_map(|named| &named.scopes).count(), {
            let key = |acl: &Acl| (acl.resource_type, acl.pattern_type, acl.resource_name.clone(), acl.principal.clone());
            facts.acls.iter().map(key).collect::<BTreeSet<_>>().len()
        });
    }
}

#[test]
fn a_superuser_is_allowed_by_no_acl() {
    let facts = Facts {
        acls: Vec::new(),
        roles: Vec::new(),
        superusers: vec!["root".into()],
    };
    let policy = policy(&facts);
    let root = ReachSubject::Scope(Scope::One(Principal::user("root")));
    let pattern = gbac_analysis::NamePattern {
        pattern_type: PatternType::Literal,
        name: "x".into(),
    };
    let found = matrix_cell(
        &policy,
        &root,
        (gbac_engine::model::ResourceType::Topic, &pattern),
        Operation::Read,
        None,
        At::IgnoringExpiry,
    );
    assert_eq!((found.outcome, found.granted_by), (Outcome::Allow, None));
    let request = Request::new(
        Operation::Read,
        gbac_engine::model::ResourceType::Topic,
        "x",
        At::IgnoringExpiry,
    );
    assert_eq!(
        decide(&policy, &Identity::new("root", [""; 0]), &request).reason,
        Reason::Superuser
    );
    assert!(policy_summary(&policy).all[0].is_superuser && reach(&policy, &root).superuser);
}
