//! The laws: a format changes no decision, and neither do two formats in turn.

use std::cell::Cell;
use std::collections::BTreeMap;

use gbac_engine::decide::{At, Request, decide};
use gbac_engine::identity::Identity;
use gbac_engine::model::Acl;
use gbac_engine::policy::{Change, Policy};
use gbac_formats::script::{self, ScriptTarget};
use gbac_tests::oracle::OracleQuestion;
use gbac_tests::world;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::TestRunner;

use super::exports::acls_of_calls;
use super::{Tool, all, content, exported, imported};

/// What is asked about each policy and format, each with every operation of its resource.
const QUESTIONS: usize = 40;

impl Tool {
    /// The policy after it was written and read again.
    fn through(&self, policy: &Policy) -> Policy {
        // A text without entries has no recognizable format.
        if policy.acl_count() + policy.role_count() == 0 {
            return policy.clone();
        }
        imported(&(self.write)(policy), self.format)
    }
}

/// A policy with the roles of another one, so that ACLs of roles decide something.
fn with_roles(policy: &Policy, roles: &Policy) -> Policy {
    let mut policy = policy.clone();
    for role in roles.roles() {
        // A format with roles has created it.
        let _ = policy.apply(Change::CreateRole(role.name.clone()));
        for member in role.members {
            let _ = policy.apply(Change::AddMember {
                role: role.name.clone(),
                member,
            });
        }
    }
    policy
}

/// Asks two policies every operation of the resource of each question; returns how many questions
/// these are.
pub(crate) fn assert_alike(
    name: &str,
    policy: &Policy,
    other: &Policy,
    questions: &[OracleQuestion],
) -> usize {
    let mut count = 0;
    for question in questions {
        let identity = Identity::new(&question.user, &question.groups);
        for operation in question.resource_type.operations() {
            let request = Request::new(
                *operation,
                question.resource_type,
                &question.name,
                At::IgnoringExpiry,
            );
            let request = request.with_host(question.host);
            let [ours, theirs] =
                [policy, other].map(|policy| decide(policy, &identity, &request).outcome);
            assert_eq!(ours, theirs, "{name}: {question:?} {operation:?}");
            count += 1;
        }
    }
    count
}

#[test]
fn a_format_changes_no_decision() {
    let asked: BTreeMap<&str, Cell<usize>> = all()
        .iter()
        .map(|format| (format.name, Cell::default()))
        .collect();
    // 40 resources with about seven operations each: a hundred thousand questions.
    let cases = world::config(world::cases() / 12);
    let run = TestRunner::new(cases).run(
        &(world::facts(), vec(world::asked(), QUESTIONS)),
        |(facts, questions)| {
            let whole = world::policy(&facts);
            for format in all() {
                let policy = (format.expressible)(&whole);
                let back = format.through(&policy);
                let [ours, theirs] = [&policy, &back].map(|policy| with_roles(policy, &whole));
                let count = assert_alike(format.name, &ours, &theirs, &questions);
                let total = &asked[format.name];
                total.set(total.get() + count);
            }
            Ok(())
        },
    );
    if let Err(error) = run {
        panic!("{error}");
    }
    if world::cases() >= 5_000 {
        assert!(
            asked.values().all(|count| count.get() >= 100_000),
            "{asked:?}"
        );
    }
}

proptest! {
    // Each case writes and reads two texts.
    #![proptest_config(world::config(world::cases() / 10))]

    #[test]
    fn two_formats_in_turn_change_no_decision(
        facts in world::facts(),
        questions in vec(world::asked(), QUESTIONS),
        first in select(all()),
        second in select(all()),
    ) {
        let whole = world::policy(&facts);
        let policy = (first.expressible)(&whole);
        let between = with_roles(&first.through(&policy), &whole);
        let policy = with_roles(&policy, &whole);
        let last = (second.expressible)(&between);
        // The second format has its own limits, which are not those of this law.
        if last.acl_count() < between.acl_count() {
            return Ok(());
        }
        let back = with_roles(&second.through(&last), &between);
        assert_alike(&format!("{}, then {}", first.name, second.name), &policy, &back, &questions);
    }

    #[test]
    fn a_list_has_every_acl_and_a_document_every_role(facts in world::facts()) {
        let whole = world::policy(&facts);
        for format in all().iter().filter(|format| format.name != "resources of the operator") {
            let policy = (format.expressible)(&whole);
            prop_assert_eq!(content(&format.through(&policy)), content(&policy), "{}", format.name);
        }
    }
}

proptest! {
    // Each case starts a shell.
    #![proptest_config(world::config(world::cases() / 20))]

    #[test]
    fn what_a_format_without_roles_or_types_cannot_express_is_named(facts in world::facts()) {
        let policy = world::policy(&facts);
        let notes = exported(&policy, None, "csv").notes;
        prop_assert_eq!(notes.iter().filter(|note| note.code == "not_written").count(), policy.role_count());

        let written = script::script(&script::changes(&policy), ScriptTarget::Kafka);
        let (made, wanted) = (acls_of_calls(&written.text), content(&policy).0);
        prop_assert!(made.is_subset(&wanted), "{:?}", made.difference(&wanted));
        // Once for each ACL.
        let is_named = |acl: &Acl| {
            let steps = script::steps(&[Change::AddAcl(acl.clone())], ScriptTarget::Kafka);
            steps.iter().flat_map(|step| &step.notes).any(|note| note.code == "not_written")
        };
        prop_assert!(wanted.difference(&made).all(is_named), "{:?}", written.notes);
        prop_assert!(!made.iter().any(is_named));
    }
}
