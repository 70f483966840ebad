//! Tests that a policy that is changed in place equals the policy of its document, after every
//! change.

use gbac_engine::policy::{ChangeError, Policy, Settings};
use gbac_json::{policy_from_json, policy_to_text};
use gbac_tests::changes::{apply, step};
use gbac_tests::oracle::{self, Facts};
use gbac_tests::session::Session;
use gbac_tests::world::{asked, cases, config, facts, identity, policy};
use proptest::collection::vec;
use proptest::prelude::*;

proptest! {
    #![proptest_config(config((cases() / 50).max(500)))]

    /// Each change has the same effect and result as on plain lists; then the policy, its document,
    /// a policy rebuilt from that document, and the identities that were opened before the first
    /// change agree with the oracle.
    #[test]
    fn changes_in_place_are_a_rebuild(start in facts(), steps in vec(step(), 1..24), asked in vec(asked(), 1..4)) {
        let mut facts = Facts { acls: Vec::new(), ..start.clone() };
        for acl in start.acls {
            // A document contains no empty name, and a set contains each ACL once.
            if !acl.resource_name.is_empty() && !facts.acls.contains(&acl) {
                facts.acls.push(acl);
            }
        }
        let mut settings = Settings { superusers: facts.superusers.iter().cloned().collect(), ..Settings::default() };
        let mut policy = policy(&facts);
        let mut open: Vec<Session> = asked.iter().map(|asked| Session::open(&policy, identity(asked))).collect();
        for step in steps {
            let Some(change) = step.on(&facts) else { continue };
            let before = facts.clone();
            let applied = policy.apply(change.clone()).map_err(|error: ChangeError| error.code());
            prop_assert_eq!(applied, apply(&mut facts, &mut settings, &change), "{:?}", change);
            if applied.is_err() {
                prop_assert_eq!(&facts.acls, &before.acls);
                prop_assert_eq!(&facts.roles, &before.roles);
            }
            let rebuilt = policy_from_json(&policy_to_text(&policy)).unwrap();
            same(&policy, &rebuilt, &facts, &settings)?;
            for (asked, open) in asked.iter().zip(&mut open) {
                let expected = oracle::decide(&facts, asked);
                let mut fresh = Session::open(&rebuilt, identity(asked));
                // Identities opened before or after the changes; evaluated with the changed or the
                // rebuilt policy.
                for policy in [&policy, &rebuilt, &policy] {
                    for session in [&mut *open, &mut fresh] {
                        let difference = session.difference(policy, asked, &expected);
                        prop_assert!(difference.is_none(), "{:?} then {}", change, difference.unwrap_or_default());
                    }
                }
                let difference = open.explained_difference(&policy, asked, &expected);
                prop_assert!(difference.is_none(), "{:?} then {}", change, difference.unwrap_or_default());
            }
        }
    }
}

/// Checks that the policy contains the facts, and equals the rebuilt one in all observable results.
fn same(
    policy: &Policy,
    rebuilt: &Policy,
    facts: &Facts,
    settings: &Settings,
) -> Result<(), TestCaseError> {
    prop_assert_eq!(policy, rebuilt);
    prop_assert_eq!(policy_to_text(policy), policy_to_text(rebuilt));
    prop_assert_eq!(policy.settings(), settings);
    let mut acls = facts.acls.clone();
    acls.sort();
    prop_assert_eq!(policy.acls().collect::<Vec<_>>(), acls);
    let mut roles = facts.roles.clone();
    roles.sort_by(|a, b| a.name.cmp(&b.name));
    prop_assert_eq!(policy.roles().collect::<Vec<_>>(), roles.clone());
    for acl in &facts.acls {
        prop_assert!(policy.has_acl(acl));
        let of_role = roles
            .iter()
            .filter(|role| role.members.contains(&acl.principal))
            .map(|role| role.name.as_str());
        prop_assert!(policy.roles_of(&acl.principal).eq(of_role));
    }
    Ok(())
}
