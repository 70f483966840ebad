//! Tests of the difference between two policies.

use gbac_analysis::{
    AccessEffect, AccessRegion, Counterexample, Diff, Difference, Relation, Scope, diff,
};
use gbac_engine::Coded;
use gbac_engine::decide::Outcome;
use gbac_engine::model::{
    Acl, Host, Operation, PatternType, Permission, Principal, PrincipalType, ResourceType, Role,
};
use gbac_tests::oracle::Facts;
use proptest::collection::{btree_set, vec};
use proptest::prelude::*;
use proptest::sample::select;

use super::world::{
    FEW, GROUPS, NOBODY, Question, ROLES, USERS, acl, allows, alone, config, facts, holders,
    member, once, policy, questions, roles, verdict,
};

/// A change of small facts.
#[derive(Debug, Clone)]
enum Step {
    Add(Acl),
    Remove(prop::sample::Index),
    Member(&'static str, Principal),
    Roles(Vec<Role>),
    Superusers(Vec<String>),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => acl(FEW).prop_map(Step::Add),
        4 => any::<prop::sample::Index>().prop_map(Step::Remove),
        2 => (select(ROLES), member()).prop_map(|(role, member)| Step::Member(role, member)),
        1 => roles().prop_map(Step::Roles),
        1 => btree_set(select(USERS), 0..2).prop_map(|users| Step::Superusers(users.into_iter().map(String::from).collect())),
    ]
}

fn changed(facts: &Facts, steps: &[Step]) -> Facts {
    let mut facts = facts.clone();
    for step in steps {
        match step {
            Step::Add(acl) => {
                facts.acls = once(facts.acls.iter().cloned().chain([acl.clone()]).collect());
            }
            Step::Remove(index) if !facts.acls.is_empty() => {
                drop(facts.acls.remove(index.index(facts.acls.len())));
            }
            Step::Remove(_) => {}
            Step::Member(name, member) => {
                for role in facts.roles.iter_mut().filter(|role| role.name == *name) {
                    if !role.members.remove(member) {
                        role.members.insert(member.clone());
                    }
                }
            }
            Step::Roles(roles) => facts.roles.clone_from(roles),
            Step::Superusers(users) => facts.superusers.clone_from(users),
        }
    }
    facts
}

/// Whether a region contains a query.
fn is_in(extent: &AccessRegion, question: &Question) -> bool {
    extent.hosts.covers(question.host)
        && extent.resource_type == question.resource_type
        && extent.operations.contains(&question.operation)
        && extent.pattern.covers(&question.name)
        && !extent
            .except
            .iter()
            .any(|except| except.covers(&question.name))
}

/// Whether an effect allows more.
fn is_more(effect: AccessEffect) -> bool {
    matches!(effect, AccessEffect::Gains | AccessEffect::CanGain)
}

/// An identity: a user and some of the groups.
type Person = (&'static str, Vec<String>);

fn people() -> Vec<Person> {
    let mut people = Vec::new();
    for user in USERS.iter().chain(&[NOBODY]) {
        for chosen in 0_usize..1 << GROUPS.len() {
            let of = GROUPS
                .iter()
                .enumerate()
                .filter(|(place, _)| chosen >> place & 1 == 1);
            people.push((*user, of.map(|(_, group)| String::from(*group)).collect()));
        }
    }
    people
}

fn holds((user, groups): &Person, holder: &Scope) -> bool {
    match holder {
        Scope::Everyone => true,
        Scope::One(principal) if principal.kind() == PrincipalType::User => {
            principal.name() == *user
        }
        Scope::One(principal) => groups.iter().any(|group| group == principal.name()),
    }
}

/// Two sets of facts and every query; a result is a `bool` for each of them.
struct Both<'a> {
    facts: [&'a Facts; 2],
    questions: Vec<Question>,
}

impl Both<'_> {
    fn ask(
        &self,
        holder: &Scope,
        answer: impl Fn(&Facts, &str, &[String], &Question) -> bool,
    ) -> [Vec<bool>; 2] {
        self.facts.map(|facts| {
            let (facts, user, groups) = alone(facts, holder);
            self.questions
                .iter()
                .map(|question| answer(&facts, &user, &groups, question))
                .collect()
        })
    }

    /// The changes for a scope: gained, lost, and allowed by a new ACL but blocked by its own
    /// denies.
    fn turns(&self, holder: &Scope) -> Vec<[bool; 3]> {
        let [was, is] = self.ask(holder, allows);
        let [had, has] = self.ask(holder, |facts, user, groups, question| {
            let acls = facts
                .acls
                .iter()
                .filter(|acl| acl.permission == Permission::Allow)
                .cloned()
                .collect();
            allows(
                &Facts {
                    acls,
                    ..facts.clone()
                },
                user,
                groups,
                question,
            )
        });
        let [_, denied] = self.ask(holder, |facts, user, groups, question| {
            verdict(facts, user, groups, question).reason == "deny_rule"
        });
        (0..self.questions.len())
            .map(|q| {
                [
                    is[q] && !was[q],
                    was[q] && !is[q],
                    has[q] && !had[q] && denied[q],
                ]
            })
            .collect()
    }

    /// The queries in a scope's differences with one effect.
    fn told(&self, differences: &[Difference], holder: &Scope, effect: AccessEffect) -> Vec<bool> {
        let of =
            |difference: &&Difference| difference.scope == *holder && difference.effect == effect;
        let extents: Vec<&AccessRegion> = differences
            .iter()
            .filter(of)
            .flat_map(|difference| &difference.regions)
            .collect();
        self.questions
            .iter()
            .map(|question| extents.iter().any(|extent| is_in(extent, question)))
            .collect()
    }

    fn same(&self, told: &[bool], expected: &[bool], what: &str) -> Result<(), TestCaseError> {
        for (question, (told, expected)) in self.questions.iter().zip(told.iter().zip(expected)) {
            prop_assert_eq!(told, expected, "{} {:?}", what, question);
        }
        Ok(())
    }
}

/// Checks scopes alone: exactly the gains and losses of each beyond those of everyone.
fn check_alone(both: &Both<'_>, found: &Diff) -> Result<(), TestCaseError> {
    let everyone = both.turns(&Scope::Everyone);
    for holder in holders() {
        let is_role =
            matches!(&holder, Scope::One(principal) if principal.kind() == PrincipalType::Role);
        let list = if is_role {
            &found.roles
        } else {
            &found.differences
        };
        let turns = both.turns(&holder);
        for (place, effect) in [
            AccessEffect::Gains,
            AccessEffect::Loses,
            AccessEffect::StillDenied,
        ]
        .into_iter()
        .enumerate()
        {
            let turned = turns.iter().zip(&everyone);
            let expected: Vec<bool> = if holder.is_everyone() {
                turned.map(|(turn, _)| turn[place]).collect()
            } else {
                turned
                    .map(|(turn, everyone)| turn[place] && !everyone[place])
                    .collect()
            };
            both.same(
                &both.told(list, &holder, effect),
                &expected,
                &format!("{holder} {effect:?}"),
            )?;
        }
    }
    Ok(())
}

/// Checks combinations: every difference of every identity is reported, and every reported
/// difference occurs for an identity.
fn check_together(both: &Both<'_>, found: &Diff) -> Result<(), TestCaseError> {
    let people = people();
    // For each identity and query, the results before and after.
    let answers: Vec<[Vec<bool>; 2]> = people
        .iter()
        .map(|(user, groups)| {
            both.facts.map(|facts| {
                both.questions
                    .iter()
                    .map(|question| allows(facts, user, groups, question))
                    .collect()
            })
        })
        .collect();
    let (mut more, mut less) = (false, false);
    for alone_and_with in [
        [AccessEffect::Gains, AccessEffect::CanGain],
        [AccessEffect::Loses, AccessEffect::CanLose],
    ] {
        let is_more = is_more(alone_and_with[0]);
        let turned = |[was, is]: &[Vec<bool>; 2], q: usize| was[q] != is[q] && is[q] == is_more;
        let any = answers
            .iter()
            .any(|answers| (0..both.questions.len()).any(|q| turned(answers, q)));
        if is_more {
            more = any;
        } else {
            less = any;
        }
        let holders: Vec<Scope> = holders()
            .into_iter()
            .filter(|holder| people.iter().any(|person| holds(person, holder)))
            .collect();
        let told: Vec<[Vec<bool>; 2]> = holders
            .iter()
            .map(|holder| {
                alone_and_with.map(|effect| both.told(&found.differences, holder, effect))
            })
            .collect();
        for q in 0..both.questions.len() {
            for (person, _) in people
                .iter()
                .zip(&answers)
                .filter(|(_, answers)| turned(answers, q))
            {
                let by = |(holder, [alone, with]): (&Scope, &[Vec<bool>; 2])| {
                    holds(person, holder) && (alone[q] || with[q])
                };
                prop_assert!(
                    holders.iter().zip(&told).any(by),
                    "{:?} {:?}",
                    person,
                    both.questions[q]
                );
            }
            for (holder, [_, with]) in holders.iter().zip(&told).filter(|(_, [_, with])| with[q]) {
                let is_so = |(person, answers): (&Person, &[Vec<bool>; 2])| {
                    holds(person, holder) && turned(answers, q)
                };
                prop_assert!(
                    people.iter().zip(&answers).any(is_so),
                    "{} {} {:?}",
                    holder,
                    with[q],
                    both.questions[q]
                );
            }
        }
    }
    let relation = match (more, less) {
        (false, false) => Relation::Equal,
        (true, false) => Relation::Wider,
        (false, true) => Relation::Narrower,
        (true, true) => Relation::Mixed,
    };
    prop_assert_eq!(found.relation, relation);
    Ok(())
}

/// Checks that each counterexample is correct and has the direction of its effect.
fn check_examples(both: &Both<'_>, found: &Diff) -> Result<(), TestCaseError> {
    for difference in &found.differences {
        if difference.effect == AccessEffect::StillDenied {
            let is_deny =
                |acl: &Acl| acl.permission == Permission::Deny && both.facts[1].acls.contains(acl);
            prop_assert!(
                !difference.denied_by.is_empty() && difference.denied_by.iter().all(is_deny)
            );
            prop_assert!(difference.counterexample.is_none());
            continue;
        }
        prop_assert!(difference.counterexample.is_some(), "{:?}", difference);
        let example = difference.counterexample.as_ref().unwrap();
        let question = Question {
            operation: example.operation,
            resource_type: example.resource_type,
            name: example.resource_name.clone(),
            host: example.host,
        };
        let groups = example.identity.groups().to_vec();
        let [was, is] = both
            .facts
            .map(|facts| allows(facts, example.identity.user(), &groups, &question));
        prop_assert_eq!(
            (was, is),
            (!is_more(difference.effect), is_more(difference.effect)),
            "{:?}",
            difference
        );
        prop_assert_eq!(
            (
                example.before.outcome == Outcome::Allow,
                example.after.outcome == Outcome::Allow
            ),
            (was, is)
        );
        prop_assert!(
            difference
                .regions
                .iter()
                .any(|extent| is_in(extent, &question)),
            "{:?}",
            difference
        );
    }
    Ok(())
}

fn check(before: &Facts, after: &Facts) -> Result<(), TestCaseError> {
    let found = diff(&policy(before), &policy(after));
    let mut questions = questions(FEW);
    // A type without ACLs has no differences.
    let named: Vec<_> = before
        .acls
        .iter()
        .chain(&after.acls)
        .map(|acl| acl.resource_type)
        .collect();
    questions.retain(|question| question.name == "a" || named.contains(&question.resource_type));
    let both = Both {
        facts: [before, after],
        questions,
    };
    check_alone(&both, &found)?;
    check_together(&both, &found)?;
    check_examples(&both, &found)?;
    // The reverse comparison is the mirror image.
    let mirrored = match found.relation {
        Relation::Wider => Relation::Narrower,
        Relation::Narrower => Relation::Wider,
        other => other,
    };
    prop_assert_eq!(diff(&policy(after), &policy(before)).relation, mirrored);
    Ok(())
}

proptest! {
    #![proptest_config(config(400))]

    /// The difference between a policy and a changed one contains exactly the oracle's different
    /// decisions.
    #[test]
    fn the_diff_is_what_is_decided_differently(before in facts(FEW), steps in vec(step(), 0..4)) {
        check(&before, &changed(&before, &steps))?;
    }

    /// The same holds for two unrelated policies.
    #[test]
    fn the_diff_of_strangers_is_what_is_decided_differently(before in facts(FEW), after in facts(FEW)) {
        check(&before, &after)?;
    }
}

/// Facts with these roles (`name: member`), superusers and ACLs on the topic `a` (`principal`, or
/// `!principal` for a deny).
fn told_world(roles: &[&str], superusers: &[&str], acls: &[&str]) -> Facts {
    let acl = |text: &&str| Acl {
        resource_type: ResourceType::Topic,
        resource_name: "a".into(),
        pattern_type: PatternType::Literal,
        principal: Principal::parse(text.trim_start_matches('!')).unwrap(),
        host: Host::Any,
        operation: Operation::Read,
        permission: if text.starts_with('!') {
            Permission::Deny
        } else {
            Permission::Allow
        },
    };
    let role = |text: &&str| {
        let (name, member) = text.split_once(": ").unwrap();
        Role {
            name: name.into(),
            members: [Principal::parse(member).unwrap()].into(),
        }
    };
    Facts {
        acls: acls.iter().map(acl).collect(),
        roles: roles.iter().map(role).collect(),
        superusers: superusers.iter().map(|user| String::from(*user)).collect(),
    }
}

/// The differences, as `scope effect user+group+group`.
fn in_short(before: &Facts, after: &Facts) -> Vec<String> {
    check(before, after).unwrap();
    let found = diff(&policy(before), &policy(after));
    let short = |difference: &Difference| {
        let of = |example: &Counterexample| {
            format!(
                " {}",
                [
                    &[example.identity.user().to_owned()],
                    example.identity.groups()
                ]
                .concat()
                .join("+")
            )
        };
        let example = difference
            .counterexample
            .as_deref()
            .map(of)
            .unwrap_or_default();
        format!("{} {}{example}", difference.scope, difference.effect.code())
    };
    found.differences.iter().map(short).collect()
}

#[test]
fn a_deny_counts_for_those_who_can_be_the_same_person() {
    let world = |acls: &[&str]| told_world(&[], &[], acls);
    // Nothing is allowed, so a deny makes no difference.
    assert!(in_short(&world(&[]), &world(&["!Group:g"])).is_empty());
    // A user, or a member of another group, may be in the group.
    let [user, group] = ["User:u", "Group:h"];
    assert_eq!(
        in_short(&world(&[user]), &world(&[user, "!Group:g"])),
        ["Group:g can_lose u+g"]
    );
    assert_eq!(
        in_short(&world(&[user, "!Group:g"]), &world(&[user])),
        ["Group:g can_gain u+g"]
    );
    assert_eq!(
        in_short(&world(&[group]), &world(&[group, "!Group:g"])),
        ["Group:g can_lose someone+g+h"]
    );
    assert_eq!(
        in_short(&world(&[group]), &world(&[group, "!User:u"])),
        ["User:u can_lose u+h"]
    );
    // An identity has only one user.
    assert!(in_short(&world(&[user]), &world(&[user, "!User:v"])).is_empty());
    // A superuser in both policies is unaffected.
    let superuser = |acls: &[&str]| told_world(&[], &["u"], acls);
    assert!(in_short(&superuser(&[user]), &superuser(&[user, "!Group:g"])).is_empty());
}

#[test]
fn a_superuser_is_past_the_denies_of_groups() {
    let acls = &["User:u", "!Group:g"];
    let (before, after) = (told_world(&[], &["u"], acls), told_world(&[], &[], acls));
    let lost = in_short(&before, &after);
    assert_eq!(lost, ["User:u loses u", "User:u can_lose u+g"]);
    assert_eq!(
        in_short(&after, &before),
        ["User:u gains u", "User:u can_gain u+g"]
    );
    // A new superuser is not a counterexample for a loss of a group.
    let (before, after) = (
        told_world(&[], &[], &["Group:h", "!User:v"]),
        told_world(&[], &["v"], &["!Group:g"]),
    );
    assert!(in_short(&before, &after).contains(&"Group:g can_lose someone+g+h".to_owned()));
}

#[test]
fn an_allow_that_a_deny_blocks_is_told() {
    let (before, after) = (
        told_world(&["r: Group:g"], &[], &["!Role:r"]),
        told_world(&["r: Group:g"], &[], &["!Role:r", "Group:g"]),
    );
    // Reading is blocked, but not describing, which the allow implies and the deny does not (D-02).
    assert_eq!(
        in_short(&before, &after),
        ["Group:g gains someone+g", "Group:g still_denied"]
    );
    let found = diff(&policy(&before), &policy(&after));
    let [gains, blocked] = &found.differences[..] else {
        panic!("{found:?}")
    };
    assert_eq!(gains.regions[0].operations, [Operation::Describe]);
    assert_eq!(
        (&blocked.regions[0].operations[..], &blocked.denied_by),
        (&[Operation::Read][..], &before.acls)
    );
}

#[test]
fn what_is_lost_outside_every_prefix_is_told() {
    // Not reading, which would imply describing if only reading is denied.
    let operation = Operation::Describe;
    let acl = |acl: Acl, name: &str, pattern_type| Acl {
        resource_name: name.into(),
        pattern_type,
        operation,
        ..acl
    };
    let [allow, deny, everyone] =
        ["Group:g", "!Group:g", "User:*"].map(|text| told_world(&[], &[], &[text]).acls.remove(0));
    let (literal, prefixed) = (PatternType::Literal, PatternType::Prefixed);
    let denies = [("", literal), ("a", prefixed), ("b", prefixed)];
    let before = std::iter::once(acl(allow, "*", literal));
    let before = before
        .chain(denies.map(|(name, pattern_type)| acl(deny.clone(), name, pattern_type)))
        .collect();
    let before = Facts {
        acls: before,
        ..Facts::default()
    };
    let after = Facts {
        acls: vec![acl(everyone, "*", prefixed)],
        ..Facts::default()
    };
    assert!(in_short(&before, &after).contains(&"Group:g loses someone+g".to_owned()));
    assert_eq!(
        diff(&policy(&before), &policy(&after)).relation,
        Relation::Mixed
    );
}
