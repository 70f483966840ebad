//! Compares the engine with the oracle for every policy and request over a few names.
//!
//! The universe: an identity with user `u` and group `g`; a role `r` with every subset of both as
//! members; the operations read and describe; every name of at most three letters `a` and `b`,
//! including the empty one; ACLs for these principals, operations and names, literal and prefixed,
//! and for the literal `*`, allow and deny.

use std::thread;

use gbac_engine::model::{
    Acl, Host, Operation, PatternType, Permission, Principal, PrincipalType, ResourceType, Role,
};
use gbac_engine::policy::{Change, Policy};
use gbac_tests::oracle::{self, Facts, OracleQuestion};
use gbac_tests::session::Session;
use gbac_tests::world::{identity, policy};

/// The most ACLs of a policy: `GBAC_ACLS`, or 2. With 3, it takes minutes.
fn most_acls() -> usize {
    std::env::var("GBAC_ACLS").map_or(2, |text| text.parse().expect("GBAC_ACLS is a number"))
}

/// Every name of at most three letters `a` and `b`.
fn names() -> Vec<String> {
    let mut names = vec![String::new()];
    let mut longest = names.clone();
    for _ in 0..3 {
        longest = longest
            .iter()
            .flat_map(|name| ["a", "b"].map(|letter| format!("{name}{letter}")))
            .collect();
        names.extend(longest.iter().cloned());
    }
    names
}

/// Every ACL of the universe.
fn acls() -> Vec<Acl> {
    let mut patterns = vec![(PatternType::Literal, "*".to_owned())];
    for name in names() {
        patterns.extend(
            PatternType::ALL
                .iter()
                .map(|pattern| (*pattern, name.clone())),
        );
    }
    let mut acls = Vec::new();
    for (pattern_type, name) in &patterns {
        for principal in [
            Principal::user("u"),
            Principal::group("g"),
            Principal::role("r"),
        ] {
            for operation in [Operation::Read, Operation::Describe] {
                for permission in Permission::ALL {
                    acls.push(Acl {
                        resource_type: ResourceType::Topic,
                        resource_name: name.clone(),
                        pattern_type: *pattern_type,
                        principal: principal.clone(),
                        host: Host::Any,
                        operation,
                        permission: *permission,
                    });
                }
            }
        }
    }
    acls
}

/// Every query of the universe.
fn questions() -> Vec<OracleQuestion> {
    let ask = |name: &String, operation| OracleQuestion {
        user: "u".into(),
        groups: vec!["g".into()],
        operation,
        resource_type: ResourceType::Topic,
        name: name.clone(),
        host: None,
    };
    names()
        .iter()
        .flat_map(|name| {
            [Operation::Read, Operation::Describe].map(|operation| ask(name, operation))
        })
        .collect()
}

/// The index of each ACL after swapping `a` and `b`. Results for a policy also hold for its mirror
/// image.
fn mirror(acls: &[Acl]) -> Vec<usize> {
    let swap = |c| match c {
        'a' => 'b',
        'b' => 'a',
        other => other,
    };
    let mirrored = |acl: &Acl| Acl {
        resource_name: acl.resource_name.chars().map(swap).collect(),
        ..acl.clone()
    };
    acls.iter()
        .map(|acl| {
            acls.iter()
                .position(|other| *other == mirrored(acl))
                .expect("it is there")
        })
        .collect()
}

/// One set of members, with all policies: ACLs are added and removed in place, in the order of
/// [`acls`], so that each set occurs once.
struct Run<'a> {
    acls: &'a [Acl],
    mirror: &'a [usize],
    questions: &'a [OracleQuestion],
    /// Whether equivalent policies are tested once: mirror images, and members of a role without
    /// ACLs.
    same_once: bool,
    policy: Policy,
    facts: Facts,
    session: Session,
    chosen: Vec<usize>,
    policies: u64,
}

impl Run<'_> {
    /// Compares all queries for the current policy.
    fn ask(&mut self) {
        let has_role_acl = self
            .facts
            .acls
            .iter()
            .any(|acl| acl.principal.kind() == PrincipalType::Role);
        if self.same_once && !has_role_acl && !self.facts.roles[0].members.is_empty() {
            return;
        }
        self.policies += 1;
        for asked in self.questions {
            let expected = oracle::decide(&self.facts, asked);
            if let Some(difference) = self.session.difference(&self.policy, asked, &expected) {
                panic!("{difference}\npolicy: {:#?}", self.facts);
            }
        }
    }

    /// Whether the mirror image of the chosen ACLs precedes them. Then it does so for every set
    /// that begins with them.
    fn is_seen(&self) -> bool {
        let mut image: Vec<usize> = self
            .chosen
            .iter()
            .map(|place| self.mirror[*place])
            .collect();
        image.sort_unstable();
        image < self.chosen
    }

    /// Tests every policy with the chosen ACLs and up to `more` further ones, the first of them
    /// from `places`.
    fn extend(&mut self, places: impl Iterator<Item = usize>, more: usize) {
        for place in places {
            self.chosen.push(place);
            if !(self.same_once && self.is_seen()) {
                let acl = &self.acls[place];
                assert_eq!(self.policy.apply(Change::AddAcl(acl.clone())), Ok(true));
                self.facts.acls.push(acl.clone());
                self.ask();
                if more > 1 {
                    self.extend(place + 1..self.acls.len(), more - 1);
                }
                let acl = self.facts.acls.pop().expect("the one that was added");
                assert_eq!(self.policy.apply(Change::RemoveAcl(acl)), Ok(true));
            }
            self.chosen.pop();
        }
    }
}

#[test]
fn every_small_policy_decides_as_the_oracle() {
    let (acls, questions, most) = (acls(), questions(), most_acls());
    assert_eq!((acls.len(), questions.len()), (31 * 3 * 2 * 2, 15 * 2));
    let mirror = mirror(&acls);
    let members = [
        vec![],
        vec![Principal::user("u")],
        vec![Principal::group("g")],
        vec![Principal::user("u"), Principal::group("g")],
    ];
    // Up to two ACLs, all policies are tested, because an index may treat `a` and `b` differently.
    let same_once = most > 2;
    let threads = thread::available_parallelism().map_or(1, usize::from);
    // Each thread begins with different ACLs.
    let run = &|first: usize| {
        let mut policies = 0;
        for members in &members {
            let role = Role {
                name: "r".into(),
                members: members.iter().cloned().collect(),
            };
            let facts = Facts {
                roles: vec![role],
                ..Facts::default()
            };
            let policy = policy(&facts);
            let session = Session::open(&policy, identity(&questions[0]));
            let (acls, mirror, questions) = (&acls, &mirror, &questions);
            let mut run = Run {
                acls,
                mirror,
                questions,
                same_once,
                policy,
                facts,
                session,
                chosen: vec![],
                policies: 0,
            };
            if first == 0 {
                run.ask();
            }
            run.extend((first..acls.len()).step_by(threads), most);
            policies += run.policies;
        }
        policies
    };
    let policies: u64 = thread::scope(|scope| {
        let runs: Vec<_> = (0..threads)
            .map(|first| scope.spawn(move || run(first)))
            .collect();
        runs.into_iter()
            .map(|run| run.join().expect("no difference"))
            .sum()
    });
    println!(
        "at most {most} ACLs: {policies} policies, {} decisions compared",
        policies * questions.len() as u64
    );
    if most == 2 {
        assert_eq!(policies, 4 * (1 + 372 + 372 * 371 / 2));
    }
}
