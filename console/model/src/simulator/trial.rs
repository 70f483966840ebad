//! What if: hypothetical changes, the verdict with them, and their effect on one user.

use std::sync::Arc;

use gbac_analysis::provider::AcceptedTokens;
use gbac_analysis::{Comparison, HypotheticalChanges, compare};
use gbac_engine::claim_path::ClaimPath;
use gbac_engine::decide::{At, explain};
use gbac_engine::groups::NestedGroupBehavior;
use gbac_engine::identity::Identity;
use gbac_engine::policy::{GroupSource, Policy, Settings};
use gbac_words::change;
use gbac_words::hypothesis::ALLOWED_IF;
use gbac_words::rich_text::RichText;

use crate::simulator::hypothesis::Hypothesis;
use crate::simulator::identity::SimulatedIdentity;
use crate::simulator::inputs::{Inputs, identity_error};
use crate::simulator::pipeline::identify;
use crate::simulator::question::AccessRequest;
use crate::simulator::unknown_groups::denying_groups;
use crate::simulator::verdict::{self, Judged, VerdictKind, Why};

/// The policy and the person with the changes.
#[derive(Debug, Clone)]
pub struct Tried {
    /// The policy with the changes.
    pub policy: Arc<Policy>,
    /// The person with the changes, or why nobody could sign in.
    pub identity: Result<Arc<Identity>, RichText>,
    /// What cannot be applied, and why.
    pub faults: Vec<RichText>,
}

/// Equal to itself only: a policy is not compared.
impl PartialEq for Tried {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.policy, &other.policy)
            && self.identity == other.identity
            && self.faults == other.faults
    }
}

/// Applies the changes to a policy and to who the inputs name. `now` is in seconds since 1970.
pub fn attempt(
    trials: &HypotheticalChanges,
    inputs: &Inputs,
    policy: &Arc<Policy>,
    now: f64,
) -> Tried {
    let mut after = Arc::clone(policy);
    // A policy is copied only where it is changed.
    let mut idle = if trials.changes().next().is_some() {
        trials.apply(Arc::make_mut(&mut after))
    } else {
        Vec::new()
    };
    // Who it is does not depend on whose tokens are accepted, nor on who signed them.
    let who = identify(
        inputs,
        after.settings(),
        &AcceptedTokens::default(),
        now,
        None,
    );
    let identity = match who.as_deref().map(|who| &who.identity) {
        Some(Ok(identity)) => {
            let (then, more) = trials.person(identity);
            idle.extend(more);
            Ok(if then == **identity {
                Arc::clone(identity)
            } else {
                Arc::new(then)
            })
        }
        Some(Err(error)) => Err(identity_error(error)),
        None => Err(RichText::from("Enter a user or paste a token.")),
    };
    let faults = idle.iter().map(change::no_op).collect();
    Tried {
        policy: after,
        identity,
        faults,
    }
}

/// One side of the comparison: a verdict in short.
#[derive(Debug, Clone, PartialEq)]
pub struct Side {
    /// The verdict.
    pub kind: VerdictKind,
    /// Who may or may not do what.
    pub sentence: RichText,
    /// What decided it, hop by hop; empty where no ACL did.
    pub by: Vec<RichText>,
    /// Why, where no ACL decided.
    pub because: Option<RichText>,
}

/// The title of the verdict with changes, beside that of today.
pub fn title_if(today: VerdictKind, then: VerdictKind) -> &'static str {
    match (today.is_allowed(), then.is_allowed()) {
        (false, true) => ALLOWED_IF,
        (true, true) => "Still allowed, if…",
        (false, false) => "Still denied, if…",
        (true, false) => "Denied, if…",
    }
}

/// The verdict on a question at an instant, for one side, with what it rests on.
pub fn side(
    policy: &Policy,
    who: &SimulatedIdentity,
    identity: &Arc<Identity>,
    access: &AccessRequest,
    at: At,
    hypotheses: &[Hypothesis],
) -> Side {
    let judged = judge(policy, who, identity, access, at);
    summary(&judged, at, hypotheses)
}

/// A question as it is decided with the changes; none while something is missing or cannot be
/// applied.
pub fn judge_with(
    tried: &Tried,
    who: &SimulatedIdentity,
    access: &AccessRequest,
    at: At,
) -> Option<Arc<Judged>> {
    let identity = tried
        .identity
        .as_ref()
        .ok()
        .filter(|_| tried.faults.is_empty())?;
    Some(Arc::new(judge(&tried.policy, who, identity, access, at)))
}

fn judge(
    policy: &Policy,
    who: &SimulatedIdentity,
    identity: &Arc<Identity>,
    access: &AccessRequest,
    at: At,
) -> Judged {
    let explanation = explain(policy, identity, &access.request(at));
    Judged {
        access: access.clone(),
        identity: Arc::clone(identity),
        origins: Arc::clone(&who.origins),
        denying_groups: denying_groups(policy, who, access, &explanation.decision),
        explanation,
    }
}

/// A decided question in short, with what the verdict rests on.
pub fn summary(judged: &Judged, at: At, hypotheses: &[Hypothesis]) -> Side {
    let verdict = match at {
        At::Instant(now) => verdict::verdict(judged, now.as_seconds(), false, hypotheses),
        At::IgnoringExpiry => verdict::verdict(judged, 0.0, true, hypotheses),
    };
    let first = verdict
        .why
        .into_iter()
        .find(|(label, _)| matches!(*label, "Decided by" | "ACLs considered"));
    let (by, because) = match first {
        Some((_, Why::Paths(paths))) => (paths.into_iter().next().unwrap_or_default(), None),
        Some((_, Why::RichText(words))) => (Vec::new(), Some(words)),
        _ => (Vec::new(), None),
    };
    Side {
        kind: verdict.kind,
        sentence: verdict.sentence,
        by,
        because,
    }
}

/// Everything that is different for a person: what they gain and what they lose.
pub fn difference(policy: &Policy, identity: &Identity, tried: &Tried) -> Option<Comparison> {
    let then = tried.identity.as_ref().ok()?;
    Some(compare((policy, identity), (&tried.policy, then)))
}

/// The settings with another way to read groups; none where an SSO connection reads them.
pub fn with_nested(settings: &Settings, nested: NestedGroupBehavior) -> Option<Settings> {
    let mut settings = settings.clone();
    match &mut settings.groups {
        GroupSource::Properties { nested: held, .. } => *held = nested,
        GroupSource::Sso { .. } => return None,
    }
    Some(settings)
}

/// The settings with another claim path.
///
/// # Errors
/// Why the path cannot be used.
pub fn with_claim_path(settings: &Settings, text: &str) -> Result<Settings, RichText> {
    let path = ClaimPath::parse(text.trim()).map_err(|error| {
        RichText::with_hint(&error.to_string(), &error.hint().unwrap_or_default())
    })?;
    let mut settings = settings.clone();
    match &mut settings.groups {
        GroupSource::Properties { claim_path, .. } => *claim_path = path,
        GroupSource::Sso { .. } => {
            return Err(
                "Groups come from the mapping of the SSO connection; change them there.".into(),
            );
        }
    }
    Ok(settings)
}

#[cfg(test)]
mod tests {
    use gbac_analysis::{HypotheticalChange, groups_between};
    use gbac_engine::model::{
        Acl, Host, Operation, PatternType, Permission, Principal, ResourceType,
    };
    use gbac_engine::policy::Change;

    use super::*;
    use crate::simulator::hypothesis::with_changes;
    use crate::simulator::inputs::IdentityMode;
    use crate::simulator::tests::{evaluate, policy};

    const NOW: f64 = 1_795_243_000.0;

    fn maya(groups: &str) -> Inputs {
        Inputs {
            mode: IdentityMode::ByHand,
            user: "maya".into(),
            groups: groups.into(),
            ..Inputs::default()
        }
    }

    fn write() -> AccessRequest {
        AccessRequest {
            operation: Operation::Write,
            resource_type: ResourceType::Topic,
            resource_name: "payments-settled".into(),
            host: None,
        }
    }

    fn who(inputs: &Inputs, policy: &Arc<Policy>) -> Arc<SimulatedIdentity> {
        evaluate(inputs, Some(policy), &AcceptedTokens::default(), NOW)
            .who
            .unwrap()
    }

    fn deny() -> Acl {
        Acl {
            resource_type: ResourceType::Topic,
            resource_name: "payments-".into(),
            pattern_type: PatternType::Prefixed,
            principal: Principal::group("read-only"),
            host: Host::Any,
            operation: Operation::Write,
            permission: Permission::Deny,
        }
    }

    #[test]
    fn what_takes_back_removes_and_settings_replace() {
        let mut trials = HypotheticalChanges::default();
        assert!(
            trials.add(HypotheticalChange::Join("a".into()))
                && !trials.add(HypotheticalChange::Join("a".into()))
        );
        assert!(trials.add(HypotheticalChange::Leave("a".into())));
        assert!(trials.as_slice().is_empty());
        let settings = Settings::default();
        let suffix = with_nested(&settings, NestedGroupBehavior::Suffix).unwrap();
        trials.add(HypotheticalChange::Policy(Change::Settings(Box::new(
            suffix.clone(),
        ))));
        let other = with_claim_path(&suffix, "$.roles").unwrap();
        trials.add(HypotheticalChange::Policy(Change::Settings(Box::new(
            other.clone(),
        ))));
        assert_eq!(
            trials.changes().collect::<Vec<_>>(),
            [&Change::Settings(Box::new(other))]
        );
        assert_eq!(
            change::hypothetical(&trials.as_slice()[0]).plain(),
            "Read groups from $.roles, nested group behavior suffix"
        );
        assert!(with_claim_path(&settings, "$.[").is_err());
        trials.remove(7);
        trials.remove(0);
        assert_eq!(trials, HypotheticalChanges::default());
        let member = |name: &str| (name.to_owned(), Principal::group("g"));
        let (role, group) = member("R");
        trials.add(HypotheticalChange::Policy(Change::AddMember {
            role: role.clone(),
            member: group.clone(),
        }));
        trials.add(HypotheticalChange::Policy(Change::RemoveMember {
            role,
            member: group,
        }));
        assert_eq!(trials, HypotheticalChanges::default());
    }

    #[test]
    fn a_tried_change_turns_the_verdict_and_tells_what_else_it_does() {
        let (policy, inputs) = (policy(), maya("payments\nread-only"));
        let opened = who(&inputs, &policy);
        let identity = opened.identity.as_ref().unwrap();
        assert_eq!(
            side(&policy, &opened, identity, &write(), At::seconds(NOW), &[]).kind,
            VerdictKind::DeniedByRule
        );

        let mut trials = HypotheticalChanges::default();
        trials.add(HypotheticalChange::Policy(Change::RemoveAcl(deny())));
        let tried = attempt(&trials, &inputs, &policy, NOW);
        let then = side(
            &tried.policy,
            &opened,
            tried.identity.as_ref().unwrap(),
            &write(),
            At::seconds(NOW),
            &with_changes(&[], &trials),
        );
        assert_eq!(then.kind, VerdictKind::AllowedIf);
        assert_eq!(
            then.sentence.plain(),
            "User:maya can write to topic payments-settled, if the ACL Deny Write, topic payments- \
             prefixed, of Group:read-only is removed"
        );
        assert_eq!(then.by.len(), 3, "{:?}", then.by);
        let found = difference(&policy, identity, &tried).unwrap();
        assert!(found.loses.is_empty());
        assert_eq!(found.gains[0].pattern.name, "payments-");
        // Nothing is sent, and the policy that was read is as it was.
        assert!(policy.has_acl(&deny()));

        // The provider could drop the group as well.
        let mut trials = HypotheticalChanges::default();
        trials.add(HypotheticalChange::Leave("read-only".into()));
        let tried = attempt(&trials, &inputs, &policy, NOW);
        assert_eq!(trials.changes().count(), 0);
        let then = tried.identity.unwrap();
        assert_eq!(
            groups_between(identity, &then),
            (vec![], vec!["read-only".to_owned()])
        );
    }

    #[test]
    fn a_setting_is_tried_with_the_token() {
        let claims = serde_json::json!({ "sub": "maya", "groups": ["/eng/payments"] });
        let inputs = Inputs {
            token: claims.to_string(),
            as_claims: true,
            ..Inputs::default()
        };
        let policy = policy();
        let none = with_nested(policy.settings(), NestedGroupBehavior::None).unwrap();
        let mut trials = HypotheticalChanges::default();
        trials.add(HypotheticalChange::Policy(Change::Settings(Box::new(none))));
        trials.add(HypotheticalChange::Join("x".into()));
        let tried = attempt(&trials, &inputs, &policy, NOW);
        assert_eq!(
            tried.identity.as_ref().unwrap().groups(),
            ["/eng/payments", "x"]
        );
        let opened = who(&inputs, &policy);
        let found = difference(&policy, opened.identity.as_ref().unwrap(), &tried).unwrap();
        assert!(found.gains.is_empty() && !found.loses.is_empty());
    }

    #[test]
    fn what_cannot_be_applied_is_named() {
        let mut trials = HypotheticalChanges::default();
        trials.add(HypotheticalChange::Policy(Change::AddMember {
            role: "Nowhere".into(),
            member: Principal::group("g"),
        }));
        trials.add(HypotheticalChange::Policy(Change::AddAcl(deny())));
        let tried = attempt(&trials, &maya("g"), &policy(), NOW);
        let said: Vec<String> = tried.faults.iter().map(RichText::plain).collect();
        assert_eq!(said.len(), 2, "{said:?}");
        assert!(
            said[0].starts_with("Add Group:g to Role:Nowhere: ")
                && said[1].ends_with(": no change"),
            "{said:?}"
        );
        let nobody = attempt(
            &HypotheticalChanges::default(),
            &Inputs::default(),
            &policy(),
            NOW,
        );
        assert!(nobody.identity.is_err());
    }
}
