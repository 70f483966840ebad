//! The least that turns a verdict: what would allow what is denied, and what takes away what is allowed.

use gbac_analysis::{AclMatch, HypotheticalChange, LeastGrant, Revocation, least_grant, revoke};
use gbac_engine::decide::{At, Outcome, Reason, Request};
use gbac_engine::identity::Identity;
use gbac_engine::model::{Principal, PrincipalType};
use gbac_engine::policy::{Change, Policy};

use super::question::Asked;
use super::trial::{acl_words, trial_words};
use super::words::{Words, listed};
use crate::state::words::count;

/// One way to turn a verdict: what it takes, as changes that can be tried together.
#[derive(Debug, Clone, PartialEq)]
pub struct Way {
    /// What it takes.
    pub words: Vec<Words>,
    /// The same, to be tried.
    pub trials: Vec<HypotheticalChange>,
}

impl Way {
    fn of(trials: Vec<HypotheticalChange>) -> Self {
        Self { words: trials.iter().map(trial_words).collect(), trials }
    }
}

/// Ways of one kind.
#[derive(Debug, Clone, PartialEq)]
pub struct Kind {
    /// Their title.
    pub title: &'static str,
    /// What they have in common.
    pub about: Words,
    /// The ways; each of them is enough.
    pub ways: Vec<Way>,
    /// How many more there are.
    pub more: usize,
}

/// What turns a verdict.
#[derive(Debug, Clone, PartialEq)]
pub struct Ways {
    /// What is to be reached, or why nothing reaches it.
    pub about: Words,
    /// The kinds of ways.
    pub kinds: Vec<Kind>,
}

/// How many ways of a kind are told.
const SHOWN: usize = 12;
/// How many names a sentence lists.
const LISTED: usize = 4;

/// What would allow all of these, where one is denied; what would deny the only one, where it is allowed. All of it
/// is decided at the same instant.
#[must_use]
pub fn ways(policy: &Policy, identity: &Identity, asked: &[Asked], at: At) -> Ways {
    let requests: Vec<Request<'_>> = asked.iter().map(|asked| asked.request(at)).collect();
    let found = least_grant(policy, identity, &requests);
    let is_allowed = found.decisions.iter().all(|decision| decision.outcome == Outcome::Allow);
    match requests.as_slice() {
        _ if !is_allowed => to_allow(&found, identity, asked.len()),
        [only] => to_deny(&revoke(policy, identity, only), identity),
        _ => Ways { about: "Everything that it needs is allowed.".into(), kinds: Vec::new() },
    }
}

fn to_allow(found: &LeastGrant, identity: &Identity, asked: usize) -> Ways {
    let user = Principal::user(identity.user());
    if found.decisions.iter().any(|decision| decision.reason == Reason::Expired) {
        let about = "The token has expired, and no grant helps: the person has to sign in again.";
        return Ways { about: about.into(), kinds: Vec::new() };
    }
    if !found.denied_by.is_empty() {
        return around_denies(&found.denied_by, identity);
    }
    let mut kinds = Vec::new();
    let as_trial = |principal: &Principal| match principal.kind() {
        PrincipalType::Role => {
            HypotheticalChange::Policy(Change::AddMember { role: principal.name().into(), member: user.clone() })
        }
        PrincipalType::Group | PrincipalType::User => HypotheticalChange::Join(principal.name().into()),
    };
    let sets: Vec<Way> = found.sets.iter().take(SHOWN).map(|set| Way::of(set.iter().map(as_trial).collect())).collect();
    if !sets.is_empty() {
        let about = if found.complete {
            "Each of these is enough, and nothing smaller is."
        } else {
            "Each of these is enough. There are too many groups and roles to look at every set of them."
        };
        let more = found.sets.len().saturating_sub(SHOWN);
        kinds.push(Kind { title: "A group or role that is there", about: about.into(), ways: sets, more });
    }
    if !found.acls.is_empty() {
        let trials: Vec<HypotheticalChange> =
            found.acls.iter().cloned().map(|acl| HypotheticalChange::Policy(Change::AddAcl(acl))).collect();
        let about = "For this user alone, and for nothing but what was asked.";
        kinds.push(Kind { title: "A new ACL", about: about.into(), ways: vec![Way::of(trials)], more: 0 });
    }
    let about = if asked == 1 {
        "What would allow it, the least first."
    } else {
        "What would allow all of it, the least first."
    };
    Ways { about: about.into(), kinds }
}

fn around_denies(denies: &[AclMatch], identity: &Identity) -> Ways {
    let remove: Vec<HypotheticalChange> =
        denies.iter().map(|found| HypotheticalChange::Policy(Change::RemoveAcl(found.acl.clone()))).collect();
    let mut kinds = vec![Kind {
        title: "Without the denies",
        about: format!("{} in the way, and no grant helps while one of them is there.", are(denies.len())).into(),
        ways: vec![Way::of(remove)],
        more: 0,
    }];
    // Leaving helps where every deny is reached through a group or role that the person can leave.
    let user = Principal::user(identity.user());
    let leave = denies.iter().map(|found| match (&found.group, &found.role) {
        (Some(group), _) => Some(HypotheticalChange::Leave(group.clone())),
        (None, Some(role)) => {
            Some(HypotheticalChange::Policy(Change::RemoveMember { role: role.clone(), member: user.clone() }))
        }
        (None, None) => None,
    });
    if let Some(mut leave) = leave.collect::<Option<Vec<HypotheticalChange>>>() {
        let mut kept: Vec<HypotheticalChange> = Vec::new();
        leave.retain(|trial| {
            let is_new = !kept.contains(trial);
            kept.push(trial.clone());
            is_new
        });
        let about = "The denies stay for everyone else. Another group may lead to the same role: try it to see.";
        kinds.push(Kind { title: "Without the way to them", about: about.into(), ways: vec![Way::of(leave)], more: 0 });
    }
    Ways { about: "What denies it has to go first; trying it shows what is allowed then.".into(), kinds }
}

/// `1 deny is`, `2 denies are`.
fn are(number: usize) -> String {
    format!("{} {}", count(number, "deny"), if number == 1 { "is" } else { "are" })
}

fn to_deny(found: &Revocation, identity: &Identity) -> Ways {
    let user = Principal::user(identity.user());
    let Some(least) = found.changes() else {
        let about = Words::new().principal(&user).text(
            " is a superuser, and no ACL is asked. Only taking the name from the superusers takes anything away.",
        );
        return Ways { about, kinds: Vec::new() };
    };
    let rows: Vec<HypotheticalChange> = least.into_iter().map(HypotheticalChange::Policy).collect();
    let about = match rows.len() {
        1 => "The one row that allows it. Whoever else has it loses it too.".to_owned(),
        least => format!("No fewer than these {least} rows. Whoever else has them loses them too."),
    };
    let mut kinds = vec![Kind { title: "Rows of the policy", about: about.into(), ways: vec![Way::of(rows)], more: 0 }];
    if let Some(leave) = &found.leave {
        let trials: Vec<HypotheticalChange> = leave
            .iter()
            .map(|principal| match principal.kind() {
                PrincipalType::Role => HypotheticalChange::Policy(Change::RemoveMember {
                    role: principal.name().into(),
                    member: user.clone(),
                }),
                PrincipalType::Group | PrincipalType::User => HypotheticalChange::Leave(principal.name().into()),
            })
            .collect();
        let about = Words::new()
            .text("The policy stays, and ")
            .principal(&user)
            .text(" leaves ")
            .then(listed(leave.iter().map(|principal| Words::new().principal(principal)).collect(), LISTED))
            .text(".");
        kinds.push(Kind { title: "What the person holds", about, ways: vec![Way::of(trials)], more: 0 });
    }
    if let Some(deny) = &found.deny {
        let about = Words::from("Everything else stays. A deny is easily forgotten: ").then(acl_words(deny)).text(".");
        let way = Way::of(vec![HypotheticalChange::Policy(Change::AddAcl(deny.clone()))]);
        kinds.push(Kind { title: "One deny", about, ways: vec![way], more: 0 });
    }
    Ways { about: "What would take it away.".into(), kinds }
}

#[cfg(test)]
mod tests {
    use gbac_analysis::HypotheticalChanges;
    use gbac_engine::decide::decide;
    use gbac_engine::model::{Operation, ResourceType};

    use super::super::inputs::{Inputs, Mode};
    use super::super::tests::policy;
    use super::super::trial::attempt;
    use super::*;

    fn asked(operation: Operation, name: &str) -> Asked {
        Asked { operation, resource_type: ResourceType::Topic, resource_name: name.into(), host: None }
    }

    /// Every way that is told does turn the verdict, tried as the page tries it.
    fn each_turns(groups: &str, asked: &Asked) -> Vec<&'static str> {
        let policy = policy();
        let inputs = Inputs { mode: Mode::ByHand, user: "maya".into(), groups: groups.into(), ..Inputs::default() };
        let identity = Identity::new("maya", groups.lines());
        let request = Request::new(asked.operation, asked.resource_type, &asked.resource_name, At::IgnoringExpiry);
        let before = decide(&policy, &identity, &request);
        let found = ways(&policy, &identity, std::slice::from_ref(asked), At::seconds(0.0));
        for kind in &found.kinds {
            for way in &kind.ways {
                let mut trials = HypotheticalChanges::default();
                for trial in &way.trials {
                    assert!(trials.add(trial.clone()), "{trial:?}");
                }
                let tried = attempt(&trials, &inputs, &policy, 0.0);
                assert!(tried.faults.is_empty(), "{:?}", tried.faults);
                let after = decide(&tried.policy, tried.identity.as_ref().unwrap(), &request);
                let still_missing = before.reason == Reason::DenyRule && after.reason == Reason::NoMatch;
                assert!(after.outcome != before.outcome || still_missing, "{}: {after:?}", kind.title);
            }
        }
        found.kinds.iter().map(|kind| kind.title).collect()
    }

    #[test]
    fn every_way_turns_the_verdict() {
        let write = asked(Operation::Write, "payments-settled");
        assert_eq!(each_turns("", &write), ["A group or role that is there", "A new ACL"]);
        assert_eq!(each_turns("payments\nread-only", &write), ["Without the denies", "Without the way to them"]);
        assert_eq!(each_turns("read-only", &write), ["Without the denies", "Without the way to them"]);
        assert_eq!(
            each_turns("payments\nPayments", &write),
            ["Rows of the policy", "What the person holds", "One deny"]
        );
        assert_eq!(each_turns("", &asked(Operation::Alter, "x")), ["A new ACL"]);
    }

    #[test]
    fn superusers_and_the_expired_are_told_why() {
        let policy = policy();
        let write = [asked(Operation::Write, "x")];
        let superuser = ways(&policy, &Identity::new("root", [""; 0]), &write, At::seconds(0.0));
        assert!(superuser.kinds.is_empty() && superuser.about.plain().starts_with("User:root is a superuser"));
        let claims = gbac_engine::token::UnverifiedClaims::parse(r#"{ "sub": "maya", "exp": 1 }"#).unwrap();
        let (expired, _) = Identity::from_unverified(&claims, None, &policy.settings().identity_rules()).unwrap();
        let found = ways(&policy, &expired, &write, At::seconds(2.0));
        assert!(found.kinds.is_empty() && found.about.plain().contains("expired"), "{found:?}");
        // Of several, what is allowed already needs nothing.
        let read = [asked(Operation::Read, "payments-a"), asked(Operation::Read, "payments-b")];
        let allowed = ways(&policy, &Identity::new("a", ["analysts"]), &read, At::seconds(0.0));
        assert!(allowed.kinds.is_empty(), "{allowed:?}");
    }
}
