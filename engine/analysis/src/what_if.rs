//! The access of a user before and after hypothetical changes.

use crate::check::{Answer, Check, CheckError, evaluate};
use crate::compare::{Comparison, compare};
use crate::hypothetical::{HypotheticalChanges, NoOp};
use crate::identities::groups_between;
use gbac_engine::decide::At;
use gbac_engine::identity::Identity;
use gbac_engine::policy::Policy;
use gbac_engine::{ResolvedIdentity, Subject, TokenVerifier, resolve};

/// The effect of hypothetical changes on one identity.
#[derive(Debug, Clone, PartialEq)]
pub struct WhatIf {
    /// The identity without the changes.
    pub before: ResolvedIdentity,
    /// The identity with the changes. Changed settings may read other groups from the same token.
    pub after: Identity,
    /// The groups gained, and the groups lost.
    pub groups: (Vec<String>, Vec<String>),
    /// The changes without effect.
    pub no_ops: Vec<NoOp>,
    /// The decisions on the check before and after; `None` without a check.
    pub decisions: Option<[Answer; 2]>,
    /// The permissions gained and lost.
    pub comparison: Comparison,
    /// The policy with the changes.
    pub policy: Policy,
}

/// Evaluates hypothetical changes for an identity, and for a check of it if there is one (the
/// check's own `who` is ignored).
///
/// # Errors
/// The errors of [`gbac_engine::resolve`] before or after the changes, because other settings may
/// read no user from a token; and those of [`evaluate`](crate::check::evaluate).
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
/// let result = what_if(&policy, &alice, &hypothetical, None, None, At::IgnoringExpiry)?;
/// assert_eq!(result.comparison.gains[0].pattern.name, "orders");
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
    let resolved = resolve(&changed, who, verify)?;
    let (after, group_no_ops) = hypothetical.person(&resolved.identity);
    no_ops.extend(group_no_ops);
    let decisions = match question {
        Some(check) => Some([
            evaluate(policy, &before.identity, check, otherwise)?,
            evaluate(&changed, &after, check, otherwise)?,
        ]),
        None => None,
    };
    Ok(WhatIf {
        groups: groups_between(&before.identity, &after),
        no_ops,
        decisions,
        comparison: compare((policy, &before.identity), (&changed, &after)),
        before,
        after,
        policy: changed,
    })
}
