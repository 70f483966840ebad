//! The smallest change that allows a denied request, or denies an allowed one.

use gbac_analysis::{
    AclMatch, HypotheticalChange, LeastGrant, Opening, Revocation, least_grant, revoke,
};
use gbac_engine::decide::{At, Outcome, Reason, Request};
use gbac_engine::identity::Identity;
use gbac_engine::model::{Principal, PrincipalType};
use gbac_engine::policy::{Change, Policy};
use gbac_words::change;
use gbac_words::rich_text::RichText;
use gbac_words::smallest_change as words;

use crate::simulator::question::AccessRequest;

/// A change that turns a verdict: what it takes, as changes that can be tried together.
#[derive(Debug, Clone, PartialEq)]
pub struct SmallestChange {
    /// What it takes.
    pub words: Vec<RichText>,
    /// The same, to be tried.
    pub trials: Vec<HypotheticalChange>,
    /// What it opens.
    pub opening: Opening,
}

impl SmallestChange {
    fn from_trials(policy: &Policy, trials: Vec<HypotheticalChange>) -> Self {
        Self {
            words: trials.iter().map(change::hypothetical).collect(),
            opening: Opening::of_changes(policy, &trials),
            trials,
        }
    }
}

/// Ways of one kind.
#[derive(Debug, Clone, PartialEq)]
pub struct SmallestChangeGroup {
    /// Their title.
    pub title: &'static str,
    /// What they have in common.
    pub about: RichText,
    /// The changes; each of them is enough.
    pub changes: Vec<SmallestChange>,
    /// How many more there are.
    pub more: usize,
}

/// What turns a verdict.
#[derive(Debug, Clone, PartialEq)]
pub struct SmallestChanges {
    /// What is to be reached, or why nothing reaches it.
    pub about: RichText,
    /// The kinds of changes.
    pub kinds: Vec<SmallestChangeGroup>,
}

/// The most changes of a kind that are listed.
const SHOWN: usize = 12;

/// What would allow all of these, where one is denied; what would deny the only one, where it is
/// allowed. All of it is decided at the same instant.
pub fn smallest_changes(
    policy: &Policy,
    identity: &Identity,
    access: &[AccessRequest],
    at: At,
) -> SmallestChanges {
    let requests: Vec<Request<'_>> = access.iter().map(|access| access.request(at)).collect();
    let found = least_grant(policy, identity, &requests);
    let is_allowed = found
        .decisions
        .iter()
        .all(|decision| decision.outcome == Outcome::Allow);
    match requests.as_slice() {
        _ if !is_allowed => to_allow(policy, &found, identity, access.len()),
        [only] => to_deny(policy, &revoke(policy, identity, only), identity),
        _ => SmallestChanges {
            about: words::ALL_GRANTED.into(),
            kinds: Vec::new(),
        },
    }
}

fn to_allow(
    policy: &Policy,
    found: &LeastGrant,
    identity: &Identity,
    access: usize,
) -> SmallestChanges {
    let user = Principal::user(identity.user());
    if found
        .decisions
        .iter()
        .any(|decision| decision.reason == Reason::Expired)
    {
        return SmallestChanges {
            about: words::TOKEN_EXPIRED.into(),
            kinds: Vec::new(),
        };
    }
    if !found.denied_by.is_empty() {
        return around_denies(policy, &found.denied_by, identity);
    }
    let mut kinds = Vec::new();
    let as_trial = |principal: &Principal| match principal.kind() {
        PrincipalType::Role => HypotheticalChange::Policy(Change::AddMember {
            role: principal.name().into(),
            member: user.clone(),
        }),
        PrincipalType::Group | PrincipalType::User | PrincipalType::Other => {
            HypotheticalChange::Join(principal.name().into())
        }
    };
    let sets: Vec<SmallestChange> = found
        .memberships_to_add
        .iter()
        .take(SHOWN)
        .map(|set| SmallestChange::from_trials(policy, set.iter().map(as_trial).collect()))
        .collect();
    if !sets.is_empty() {
        let more = found.memberships_to_add.len().saturating_sub(SHOWN);
        kinds.push(SmallestChangeGroup {
            title: "Existing group or role",
            about: words::memberships(&found.memberships_to_add, found.complete).into(),
            changes: sets,
            more,
        });
    }
    if !found.acls.is_empty() {
        let trials: Vec<HypotheticalChange> = found
            .acls
            .iter()
            .cloned()
            .map(|acl| HypotheticalChange::Policy(Change::AddAcl(acl)))
            .collect();
        kinds.push(SmallestChangeGroup {
            title: "New ACL",
            about: words::FOR_USER_ONLY.into(),
            changes: vec![SmallestChange::from_trials(policy, trials)],
            more: 0,
        });
    }
    SmallestChanges {
        about: words::to_allow(access).into(),
        kinds,
    }
}

fn around_denies(policy: &Policy, denies: &[AclMatch], identity: &Identity) -> SmallestChanges {
    let remove: Vec<HypotheticalChange> = denies
        .iter()
        .map(|found| HypotheticalChange::Policy(Change::RemoveAcl(found.acl.clone())))
        .collect();
    let mut kinds = vec![SmallestChangeGroup {
        title: "Remove the denies",
        about: words::denies(denies.len()).into(),
        changes: vec![SmallestChange::from_trials(policy, remove)],
        more: 0,
    }];
    // Leaving helps where every deny is reached through a group or role that the person can leave.
    let user = Principal::user(identity.user());
    let leave = denies
        .iter()
        .map(|found| match (&found.group, &found.role) {
            (Some(group), _) => Some(HypotheticalChange::Leave(group.clone())),
            (None, Some(role)) => Some(HypotheticalChange::Policy(Change::RemoveMember {
                role: role.clone(),
                member: user.clone(),
            })),
            (None, None) => None,
        });
    if let Some(mut leave) = leave.collect::<Option<Vec<HypotheticalChange>>>() {
        let mut kept: Vec<HypotheticalChange> = Vec::new();
        leave.retain(|trial| {
            let is_new = !kept.contains(trial);
            kept.push(trial.clone());
            is_new
        });
        kinds.push(SmallestChangeGroup {
            title: words::LEAVE,
            about: words::DENIES_STAY.into(),
            changes: vec![SmallestChange::from_trials(policy, leave)],
            more: 0,
        });
    }
    SmallestChanges {
        about: words::BLOCKED.into(),
        kinds,
    }
}

fn to_deny(policy: &Policy, found: &Revocation, identity: &Identity) -> SmallestChanges {
    let user = Principal::user(identity.user());
    let Some(least) = found.changes() else {
        return SmallestChanges {
            about: words::superuser(&user),
            kinds: Vec::new(),
        };
    };
    let rows: Vec<HypotheticalChange> = least.into_iter().map(HypotheticalChange::Policy).collect();
    let mut kinds = vec![SmallestChangeGroup {
        title: "ACLs to remove",
        about: words::removals(rows.len()).into(),
        changes: vec![SmallestChange::from_trials(policy, rows)],
        more: 0,
    }];
    if let Some(leave) = &found.memberships_to_leave {
        let trials: Vec<HypotheticalChange> = leave
            .iter()
            .map(|principal| match principal.kind() {
                PrincipalType::Role => HypotheticalChange::Policy(Change::RemoveMember {
                    role: principal.name().into(),
                    member: user.clone(),
                }),
                PrincipalType::Group | PrincipalType::User | PrincipalType::Other => {
                    HypotheticalChange::Leave(principal.name().into())
                }
            })
            .collect();
        kinds.push(SmallestChangeGroup {
            title: "Memberships to remove",
            about: words::leaving(&user, leave),
            changes: vec![SmallestChange::from_trials(policy, trials)],
            more: 0,
        });
    }
    if let Some(deny) = &found.deny {
        let change = SmallestChange::from_trials(
            policy,
            vec![HypotheticalChange::Policy(Change::AddAcl(deny.clone()))],
        );
        kinds.push(SmallestChangeGroup {
            title: "One deny",
            about: words::one_deny(deny),
            changes: vec![change],
            more: 0,
        });
    }
    SmallestChanges {
        about: words::TO_DENY.into(),
        kinds,
    }
}

#[cfg(test)]
mod tests {
    use gbac_analysis::HypotheticalChanges;
    use gbac_engine::decide::decide;
    use gbac_engine::model::{Operation, ResourceType};

    use super::*;
    use crate::simulator::inputs::{IdentityMode, Inputs};
    use crate::simulator::tests::policy;
    use crate::simulator::trial::attempt;

    fn access(operation: Operation, name: &str) -> AccessRequest {
        AccessRequest {
            operation,
            resource_type: ResourceType::Topic,
            resource_name: name.into(),
            host: None,
        }
    }

    /// Every listed change turns the verdict, tried as the page tries it.
    fn each_turns(groups: &str, access: &AccessRequest) -> Vec<&'static str> {
        let policy = policy();
        let inputs = Inputs {
            mode: IdentityMode::ByHand,
            user: "maya".into(),
            groups: groups.into(),
            ..Inputs::default()
        };
        let identity = Identity::new("maya", groups.lines());
        let request = Request::new(
            access.operation,
            access.resource_type,
            &access.resource_name,
            At::IgnoringExpiry,
        );
        let before = decide(&policy, &identity, &request);
        let found = smallest_changes(
            &policy,
            &identity,
            std::slice::from_ref(access),
            At::seconds(0.0),
        );
        for kind in &found.kinds {
            for change in &kind.changes {
                let mut trials = HypotheticalChanges::default();
                for trial in &change.trials {
                    assert!(trials.add(trial.clone()), "{trial:?}");
                }
                let tried = attempt(&trials, &inputs, &policy, 0.0);
                assert!(tried.faults.is_empty(), "{:?}", tried.faults);
                let after = decide(&tried.policy, tried.identity.as_ref().unwrap(), &request);
                let still_missing =
                    before.reason == Reason::DenyRule && after.reason == Reason::NoMatch;
                assert!(
                    after.outcome != before.outcome || still_missing,
                    "{}: {after:?}",
                    kind.title
                );
            }
        }
        found.kinds.iter().map(|kind| kind.title).collect()
    }

    #[test]
    fn every_way_turns_the_verdict() {
        let write = access(Operation::Write, "payments-settled");
        assert_eq!(
            each_turns("", &write),
            ["Existing group or role", "New ACL"]
        );
        assert_eq!(
            each_turns("payments\nread-only", &write),
            ["Remove the denies", "Remove the path to the deny"]
        );
        assert_eq!(
            each_turns("read-only", &write),
            ["Remove the denies", "Remove the path to the deny"]
        );
        assert_eq!(
            each_turns("payments\nPayments", &write),
            ["ACLs to remove", "Memberships to remove", "One deny"]
        );
        assert_eq!(each_turns("", &access(Operation::Alter, "x")), ["New ACL"]);
    }

    #[test]
    fn superusers_and_the_expired_are_told_why() {
        let policy = policy();
        let write = [access(Operation::Write, "x")];
        let superuser = smallest_changes(
            &policy,
            &Identity::new("root", [""; 0]),
            &write,
            At::seconds(0.0),
        );
        assert!(
            superuser.kinds.is_empty()
                && superuser
                    .about
                    .plain()
                    .starts_with("User:root is a superuser")
        );
        let claims =
            gbac_engine::token::UnverifiedClaims::parse(r#"{ "sub": "maya", "exp": 1 }"#).unwrap();
        let (expired, _) =
            Identity::from_unverified(&claims, None, &policy.settings().identity_rules()).unwrap();
        let found = smallest_changes(&policy, &expired, &write, At::seconds(2.0));
        assert!(
            found.kinds.is_empty() && found.about.plain().contains("expired"),
            "{found:?}"
        );
        // Of several, what is allowed already needs nothing.
        let read = [
            access(Operation::Read, "payments-a"),
            access(Operation::Read, "payments-b"),
        ];
        let allowed = smallest_changes(
            &policy,
            &Identity::new("a", ["analysts"]),
            &read,
            At::seconds(0.0),
        );
        assert!(allowed.kinds.is_empty(), "{allowed:?}");
    }
}
