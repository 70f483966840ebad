//! The changes that require an enterprise license (D-16).

use gbac_api::license::LicenseStatus;
use gbac_api::problem::DocumentFault;
use gbac_engine::claim_path::ClaimPath;
use gbac_engine::groups::NestedGroupBehavior;
use gbac_engine::model::{Acl, PrincipalType};
use gbac_engine::policy::{Change, GroupSource, Policy, Settings};

use super::error::{LicensedFeature, WriteError};
use super::store::{Attempt, Plan, Snapshot};

/// The first feature in a plan that requires a license.
fn licensed_feature<T>(current: &Policy, plan: &Plan<T>) -> Option<LicensedFeature> {
    match plan {
        Plan::Changes(changes, _) | Plan::Configure(changes, ..) => changes
            .iter()
            .find_map(|change| licensed_change(current, change)),
        Plan::Replace(policy, _) => licensed_policy(current, policy),
        // The effect of each change is only known once it is made.
        Plan::Attempt(..) => None,
    }
}

fn licensed_change(current: &Policy, change: &Change) -> Option<LicensedFeature> {
    match change {
        Change::AddAcl(acl) => licensed_acl(current, acl),
        Change::CreateRole(_) | Change::AddMember { .. } | Change::RemoveMember { .. } => {
            Some(LicensedFeature::Role)
        }
        Change::Settings(settings) => {
            licensed_property(current.settings(), settings).map(LicensedFeature::Property)
        }
        Change::RemoveAcl(_) | Change::DeleteRole { .. } => None,
    }
}

fn licensed_acl(current: &Policy, acl: &Acl) -> Option<LicensedFeature> {
    (acl.principal.kind() != PrincipalType::User && !current.has_acl(acl))
        .then_some(LicensedFeature::Acl)
}

fn licensed_policy(current: &Policy, policy: &Policy) -> Option<LicensedFeature> {
    let property =
        licensed_property(current.settings(), policy.settings()).map(LicensedFeature::Property);
    let role = || {
        let has_changes = policy
            .roles()
            .any(|role| current.role(&role.name).is_none_or(|known| known != role));
        has_changes.then_some(LicensedFeature::Role)
    };
    property
        .or_else(role)
        .or_else(|| policy.acls().find_map(|acl| licensed_acl(current, &acl)))
}

/// The first group property, or the attributes of an SSO connection, whose new value is neither the
/// default nor the current one.
pub(crate) fn licensed_property(current: &Settings, wanted: &Settings) -> Option<&'static str> {
    fn parts(settings: &Settings) -> Option<(&ClaimPath, NestedGroupBehavior)> {
        match &settings.groups {
            GroupSource::Properties { claim_path, nested } => Some((claim_path, *nested)),
            GroupSource::Sso { .. } => None,
        }
    }
    // The attributes of an SSO connection replace the properties, which then have their defaults.
    if matches!(wanted.groups, GroupSource::Sso { .. }) && wanted.groups != current.groups {
        return Some("sso");
    }
    let default = Settings::default();
    let (path, nested) = parts(wanted)?;
    let (default_path, default_nested) = parts(&default)?;
    let (current_path, current_nested) = parts(current).unwrap_or((default_path, default_nested));
    if path != default_path && path != current_path {
        Some("oidc_group_claim_path")
    } else if nested != default_nested && nested != current_nested {
        Some("nested_group_behavior")
    } else {
        None
    }
}

/// Rejects a plan that requires a license if there is no valid one.
///
/// # Errors
/// [`WriteError::Unlicensed`]. The effects of [`Plan::Attempt`] are only known later; its changes
/// are rejected then.
pub(crate) fn check<T: 'static>(current: &Snapshot, plan: Plan<T>) -> Result<Plan<T>, WriteError> {
    if current.config.license == LicenseStatus::Valid {
        return Ok(plan);
    }
    if let Some(feature) = licensed_feature(&current.policy, &plan) {
        return Err(WriteError::Unlicensed(feature));
    }
    let Plan::Attempt(changes, accept) = plan else {
        return Ok(plan);
    };
    let before = current.policy.settings().clone();
    let accept = move |attempt: &Attempt<'_>| {
        let unlicensed = unlicensed_changes(&before, attempt);
        match accept(attempt) {
            Ok(_) if !unlicensed.is_empty() => Err(WriteError::UnlicensedChanges(unlicensed)),
            Err(WriteError::InvalidChanges(mut faults)) => {
                faults.extend(unlicensed);
                Err(WriteError::InvalidChanges(faults))
            }
            accepted => accepted,
        }
    };
    Ok(Plan::Attempt(changes, Box::new(accept)))
}

/// The changes with an effect that require a license.
fn unlicensed_changes(before: &Settings, attempt: &Attempt<'_>) -> Vec<DocumentFault> {
    let fault = |(index, change): (usize, &Change)| {
        let feature = match change {
            Change::AddAcl(acl) => {
                (acl.principal.kind() != PrincipalType::User).then_some(LicensedFeature::Acl)
            }
            Change::CreateRole(_) | Change::AddMember { .. } | Change::RemoveMember { .. } => {
                Some(LicensedFeature::Role)
            }
            Change::Settings(settings) => {
                licensed_property(before, settings).map(LicensedFeature::Property)
            }
            Change::RemoveAcl(_) | Change::DeleteRole { .. } => None,
        };
        feature.map(|feature| DocumentFault {
            path: format!("/changes/{index}"),
            code: "license_required".into(),
            message: feature.message(),
        })
    };
    attempt.effective().filter_map(fault).collect()
}
