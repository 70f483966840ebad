//! Warnings about the names that a change adds: in the response bodies of our own API, and in headers for the platform's
//! APIs.

use std::collections::BTreeSet;

use axum::http::{HeaderName, HeaderValue};
use axum::response::Response;
use gbac_analysis::audit::without_credentials;
use gbac_analysis::{NameIndex, name_findings};
use gbac_api::warning::{HEADER, Warning};
use gbac_engine::model::Principal;
use gbac_engine::policy::{Change, Policy};

/// If a policy names more principals than this, names are not compared, because a write must not wait for a long search.
const PRINCIPALS: usize = 20_000;
/// How many warnings an answer has, and how many bytes of them its headers: clients take few.
const COUNT: usize = 100;
const HEADER_BYTES: usize = 4 << 10;

/// The warnings about these names in a policy.
pub(crate) fn about<'p>(policy: &Policy, principals: impl IntoIterator<Item = &'p Principal>) -> Vec<Warning> {
    let principals: BTreeSet<&Principal> = principals.into_iter().collect();
    let near = (!is_large(policy)).then(|| principals.iter().copied());
    let index = NameIndex::near_to(policy, near.into_iter().flatten());
    let mut warnings: Vec<Warning> = Vec::new();
    for finding in principals.into_iter().flat_map(|principal| name_findings(policy, principal, &index)) {
        let mut warning = Warning::from(&finding);
        warning.message = without_credentials(&warning.message);
        // Two names that are near each other are one warning.
        if !warnings.contains(&warning) {
            warnings.push(warning);
        }
        if warnings.len() == COUNT {
            break;
        }
    }
    warnings
}

/// Whether a policy speaks of too many principals to look at all of them.
fn is_large(policy: &Policy) -> bool {
    policy.known_principals().nth(PRINCIPALS).is_some()
}

/// The principals of a policy; none of one that is too large.
pub(crate) fn known(policy: &Policy) -> Option<BTreeSet<Principal>> {
    (!is_large(policy)).then(|| policy.known_principals().cloned().collect())
}

/// The names that changes add.
pub(crate) fn brought<'c>(changes: impl IntoIterator<Item = &'c Change>) -> BTreeSet<Principal> {
    let name = |change: &Change| match change {
        Change::AddAcl(acl) => Some(acl.principal.clone()),
        Change::CreateRole(name) => Some(Principal::role(name)),
        Change::AddMember { member, .. } => Some(member.clone()),
        Change::RemoveAcl(_) | Change::RemoveMember { .. } | Change::DeleteRole { .. } | Change::Settings(_) => None,
    };
    changes.into_iter().filter_map(name).collect()
}

/// An answer with warnings in its headers; those that do not fit are left out.
pub(crate) fn with_headers(mut response: Response, warnings: &[Warning]) -> Response {
    let mut left = HEADER_BYTES;
    for warning in warnings {
        let text = warning.to_header();
        let Some(rest) = left.checked_sub(text.len()) else { continue };
        if let Ok(value) = HeaderValue::from_str(&text) {
            left = rest;
            response.headers_mut().append(HeaderName::from_static(HEADER), value);
        }
    }
    response
}
