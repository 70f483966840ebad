//! What if: the access of a user before and after hypothetical changes.

use crate::check::{Answer, Check, CheckError, evaluate};
use crate::compare::{Comparison, compare};
use crate::hypothetical::{HypotheticalChanges, NoOp};
use crate::identities::groups_between;
use gbac_engine::decide::At;
use gbac_engine::identity::Identity;
use gbac_engine::policy::Policy;
use gbac_engine::{ResolvedIdentity, Subject, TokenVerifier, resolve};

/// What changes do to one person.
#[derive(Debug, Clone, PartialEq)]
pub struct WhatIf {
    /// The person as it is.
    pub before: ResolvedIdentity,
    /// The person with the changes, whose settings may read other groups out of the same token.
    pub after: Identity,
    /// Groups that come, and groups that go.
    pub groups: (Vec<String>, Vec<String>),
    /// Changes that do nothing, and why.
    pub no_ops: Vec<NoOp>,
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
/// As [`gbac_engine::resolve`], before or after the changes: with other settings a token may name nobody. As
/// [`evaluate`](crate::check::evaluate).
///
/// ```
/// use gbac_analysis::{HypotheticalChange, HypotheticalChanges, what_if};
/// use gbac_engine::Subject;
/// use gbac_engine::decide::At;
/// use gbac_json::policy_from_json;
///
/// let policy = policy_from_json(r#"{ "version": 1, "acls": [{
///     "resource_type": "RESOURCE_TYPE_TOPIC", "resource_name": "orders", "resource_pattern_type": "RESOURCE_PATTERN_TYPE_LITERAL",
///     "principal": "Group:eng", "host": "*", "operation": "OPERATION_READ", "permission_type": "PERMISSION_TYPE_ALLOW" }] }"#)?;
/// let alice = Subject::Names { user: "alice".into(), groups: vec!["ops".into()] };
/// let hypothetical: HypotheticalChanges = [HypotheticalChange::Join("eng".into())].into_iter().collect();
/// let found = what_if(&policy, &alice, &hypothetical, None, None, At::IgnoringExpiry)?;
/// assert_eq!(found.comparison.gains[0].pattern.name, "orders");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn what_if(
    policy: &Policy,
    who: &Subject,
    hypothetical: &HypotheticalChanges,
    question: Option<&Check>,
    verify: TokenVerifier<'_>,
    otherwise: At,
) -> Result<WhatIf, CheckError> {
    let before = resolve(policy, who, verify)?;
    let mut changed = policy.clone();
    let mut no_ops = hypothetical.apply(&mut changed);
    let then = resolve(&changed, who, verify)?;
    let (after, more) = hypothetical.person(&then.identity);
    no_ops.extend(more);
    let answers = match question {
        Some(check) => {
            Some([evaluate(policy, &before.identity, check, otherwise)?, evaluate(&changed, &after, check, otherwise)?])
        }
        None => None,
    };
    Ok(WhatIf {
        groups: groups_between(&before.identity, &after),
        no_ops,
        answers,
        comparison: compare((policy, &before.identity), (&changed, &after)),
        before,
        after,
        policy: changed,
    })
}
