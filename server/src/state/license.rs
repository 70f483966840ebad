//! The changes that require an enterprise license (D-16).

use gbac_api::license::LicenseStatus;
use gbac_api::problem::DocumentFault;
use gbac_engine::claim_path::ClaimPath;
use gbac_engine::groups::NestedGroupBehavior;
use gbac_engine::model::{Acl, PrincipalType};
use gbac_engine::policy::{Change, GroupSource, Policy, Settings};

use super::cluster_property::PropertyValues;
use super::error::{LicensedFeature, WriteError};
use super::store::{MadeChange, Snapshot, StateChange};

/// Checks that a change does not require a license, or there is a valid one.
///
/// # Errors
/// [`WriteError::Unlicensed`]. What the changes that a client lists do is only known once they are
/// made; see [`unlicensed_changes`].
pub(crate) fn check(current: &Snapshot, change: &StateChange) -> Result<(), WriteError> {
    if current.config.license == LicenseStatus::Valid {
        return Ok(());
    }
    let policy = &current.policy;
    let feature = match change {
        StateChange::Changes(changes) | StateChange::Configure(changes, _) => changes
            .iter()
            .find_map(|change| licensed_change(policy, change)),
        StateChange::Replace(replacement) => licensed_policy(policy, replacement),
        StateChange::Attempt(_) => None,
    };
    match feature {
        Some(feature) => Err(WriteError::Unlicensed(feature)),
        None => Ok(()),
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
    if let Some(property) = licensed_property(current.settings(), policy.settings()) {
        return Some(LicensedFeature::Property(property));
    }
    if policy
        .roles()
        .any(|role| current.role(&role.name).as_ref() != Some(&role))
    {
        return Some(LicensedFeature::Role);
    }
    policy.acls().find_map(|acl| licensed_acl(current, &acl))
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

/// The changes with an effect that require a license, if there is no valid one.
pub(crate) fn unlicensed_changes(before: &PropertyValues, made: &MadeChange) -> Vec<DocumentFault> {
    let mut faults = Vec::new();
    if before.config.license == LicenseStatus::Valid {
        return faults;
    }
    for (index, change) in made.effective() {
        let feature = match change {
            Change::AddAcl(acl) => {
                (acl.principal.kind() != PrincipalType::User).then_some(LicensedFeature::Acl)
            }
            Change::CreateRole(_) | Change::AddMember { .. } | Change::RemoveMember { .. } => {
                Some(LicensedFeature::Role)
            }
            Change::Settings(settings) => {
                licensed_property(&before.settings, settings).map(LicensedFeature::Property)
            }
            Change::RemoveAcl(_) | Change::DeleteRole { .. } => None,
        };
        if let Some(feature) = feature {
            faults.push(DocumentFault {
                path: format!("/changes/{index}"),
                code: "license_required".into(),
                message: feature.message(),
            });
        }
    }
    faults
}
