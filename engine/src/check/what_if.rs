//! What if: one person under a policy as it is and with changes that are tried, side by side.

use super::{Answer, Check, CheckError, Opened, Verify, Who, ask, open};
use crate::analyze::{Comparison, Idle, Trials, compare, groups_between};
use crate::decide::At;
use crate::identity::Identity;
use crate::policy::Policy;

/// What changes do to one person.
#[derive(Debug, Clone, PartialEq)]
pub struct WhatIf {
    /// The person as it is.
    pub before: Opened,
    /// The person with the changes, whose settings may read other groups out of the same token.
    pub after: Identity,
    /// Groups that come, and groups that go.
    pub groups: (Vec<String>, Vec<String>),
    /// Changes that do nothing, and why.
    pub idle: Vec<Idle>,
    /// The answers to what is asked, before and after; none where nothing was asked.
    pub answers: Option<[Answer; 2]>,
    /// Everything that the person gains and loses.
    pub comparison: Comparison,
    /// The policy with the changes.
    pub policy: Policy,
}

/// Tries changes on a person, and on a question of theirs where there is one (whose own `who` is not looked at).
///
/// # Errors
/// As [`open`], before or after the changes: with other settings a token may name nobody. As [`ask`].
///
/// ```
/// use gbac_engine::analyze::{Trial, Trials};
/// use gbac_engine::check::{Who, what_if};
/// use gbac_engine::decide::At;
/// use gbac_engine::wire::policy_from_json;
///
/// let policy = policy_from_json(r#"{ "version": 1, "acls": [{
///     "resource_type": "RESOURCE_TYPE_TOPIC", "resource_name": "orders", "resource_pattern_type": "RESOURCE_PATTERN_TYPE_LITERAL",
///     "principal": "Group:eng", "host": "*", "operation": "OPERATION_READ", "permission_type": "PERMISSION_TYPE_ALLOW" }] }"#)?;
/// let alice = Who::Names { user: "alice".into(), groups: vec!["ops".into()] };
/// let trials: Trials = [Trial::Join("eng".into())].into_iter().collect();
/// let found = what_if(&policy, &alice, &trials, None, None, At::IgnoringExpiry)?;
/// assert_eq!(found.comparison.gains[0].pattern.name, "orders");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn what_if(
    policy: &Policy,
    who: &Who,
    trials: &Trials,
    question: Option<&Check>,
    verify: Verify<'_>,
    otherwise: At,
) -> Result<WhatIf, CheckError> {
    let before = open(policy, who, verify)?;
    let mut changed = policy.clone();
    let mut idle = trials.apply(&mut changed);
    let then = open(&changed, who, verify)?;
    let (after, more) = trials.person(&then.identity);
    idle.extend(more);
    let answers = match question {
        Some(check) => {
            Some([ask(policy, &before.identity, check, otherwise)?, ask(&changed, &after, check, otherwise)?])
        }
        None => None,
    };
    Ok(WhatIf {
        groups: groups_between(&before.identity, &after),
        idle,
        answers,
        comparison: compare((policy, &before.identity), (&changed, &after)),
        before,
        after,
        policy: changed,
    })
}
