//! Warnings about the names that a change adds, such as near misses of existing names.

use std::collections::BTreeSet;

use gbac_analysis::audit::without_credentials;
use gbac_analysis::{NameIndex, name_findings};
use gbac_api::warning::ChangeWarning;
use gbac_engine::model::Principal;
use gbac_engine::policy::{Change, Policy};

/// If a policy contains more principals than this, names are not compared, because a write must not
/// wait for a long search.
const MAX_PRINCIPALS: usize = 20_000;
/// The number of warnings in a response.
const MAX_WARNINGS: usize = 100;

/// The warnings about these principals of a policy.
pub(crate) fn name_warnings<'p>(
    policy: &Policy,
    principals: impl IntoIterator<Item = &'p Principal>,
) -> Vec<ChangeWarning> {
    let principals: BTreeSet<&Principal> = principals.into_iter().collect();
    let compared = (!is_large(policy)).then(|| principals.iter().copied());
    let index = NameIndex::near_to(policy, compared.into_iter().flatten());
    let mut warnings: Vec<ChangeWarning> = Vec::new();
    for finding in principals
        .into_iter()
        .flat_map(|principal| name_findings(policy, principal, &index))
    {
        let mut warning = ChangeWarning::from(&finding);
        warning.message = without_credentials(&warning.message);
        // Two new names that are near misses of each other cause the same warning.
        if !warnings.contains(&warning) {
            warnings.push(warning);
        }
        if warnings.len() == MAX_WARNINGS {
            break;
        }
    }
    warnings
}

/// Whether a policy contains too many principals to compare.
fn is_large(policy: &Policy) -> bool {
    policy.known_principals().nth(MAX_PRINCIPALS).is_some()
}

/// The principals of a policy; `None` if there are too many to compare.
pub(crate) fn principals(policy: &Policy) -> Option<BTreeSet<Principal>> {
    (!is_large(policy)).then(|| policy.known_principals().cloned().collect())
}

/// The principals that changes add.
pub(crate) fn added_principals(changes: &[Change]) -> BTreeSet<Principal> {
    changes.iter().filter_map(added_principal).collect()
}

/// The principal that a change adds.
pub(crate) fn added_principal(change: &Change) -> Option<Principal> {
    match change {
        Change::AddAcl(acl) => Some(acl.principal.clone()),
        Change::CreateRole(name) => Some(Principal::role(name)),
        Change::AddMember { member, .. } => Some(member.clone()),
        Change::RemoveAcl(_)
        | Change::RemoveMember { .. }
        | Change::DeleteRole { .. }
        | Change::Settings(_) => None,
    }
}
