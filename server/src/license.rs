//! What takes a licence (D-16), and `/gbac/v1/license`, which says whether there is a valid one.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Request, State};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use gbac_api::license::{LicenseBody, LicenseStatus};
use gbac_api::paths;
use gbac_api::problem::{DocumentFault, RpcCode};
use gbac_engine::claim_path::ClaimPath;
use gbac_engine::groups::NestedGroupBehavior;
use gbac_engine::model::{Acl, PrincipalType};
use gbac_engine::policy::{Change, GroupSource, Policy, Settings};

use crate::access::{Access, Routes};
use crate::app::App;
use crate::body;
use crate::config::{Config, License};
use crate::fault::{Fault, Surface};
use crate::store::{Attempt, Plan, Snapshot};

/// The name of the command-line setting.
const NAME: &str = "license";

/// Something that a change wants and that takes a licence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Licensed {
    /// An ACL of a group or a role.
    Acl,
    /// A role, or its members.
    Role,
    /// A group property away from its default; which one.
    Property(&'static str),
}

impl Licensed {
    /// What is said to who wants it.
    pub(crate) fn message(self) -> String {
        let what = match self {
            Self::Acl => "an ACL of a group or a role cannot be created".to_owned(),
            Self::Role => "roles cannot be created or changed".to_owned(),
            Self::Property(name) => format!("`{name}` cannot leave its default"),
        };
        format!("{what} without a valid enterprise license; what exists goes on counting and can be deleted")
    }
}

/// The first thing in a plan that takes a licence.
fn licensed<T>(held: &Policy, plan: &Plan<T>) -> Option<Licensed> {
    match plan {
        Plan::Changes(changes, _) | Plan::Configure(changes, ..) => {
            changes.iter().find_map(|change| licensed_change(held, change))
        }
        Plan::Replace(policy, _) => licensed_policy(held, policy),
        // What each of them does is known once it is made.
        Plan::Attempt(..) => None,
    }
}

fn licensed_change(held: &Policy, change: &Change) -> Option<Licensed> {
    match change {
        Change::AddAcl(acl) => licensed_acl(held, acl),
        Change::CreateRole(_) | Change::AddMember { .. } | Change::RemoveMember { .. } => Some(Licensed::Role),
        Change::Settings(settings) => licensed_property(held.settings(), settings).map(Licensed::Property),
        Change::RemoveAcl(_) | Change::DeleteRole { .. } => None,
    }
}

fn licensed_acl(held: &Policy, acl: &Acl) -> Option<Licensed> {
    (acl.principal.kind() != PrincipalType::User && !held.has_acl(acl)).then_some(Licensed::Acl)
}

fn licensed_policy(held: &Policy, policy: &Policy) -> Option<Licensed> {
    let property = licensed_property(held.settings(), policy.settings()).map(Licensed::Property);
    let role = || {
        let differs = policy.roles().any(|role| held.role(&role.name).is_none_or(|known| known != role));
        differs.then_some(Licensed::Role)
    };
    property.or_else(role).or_else(|| policy.acls().find_map(|acl| licensed_acl(held, &acl)))
}

/// A group property, or the attributes of an SSO connection in their place, that is to have a value which is neither
/// its default nor the one that it has.
pub(crate) fn licensed_property(held: &Settings, wanted: &Settings) -> Option<&'static str> {
    fn parts(settings: &Settings) -> Option<(&ClaimPath, NestedGroupBehavior)> {
        match &settings.groups {
            GroupSource::Properties { claim_path, nested } => Some((claim_path, *nested)),
            GroupSource::Sso { .. } => None,
        }
    }
    // They stand in the place of the properties; left, they leave these with their defaults.
    if matches!(wanted.groups, GroupSource::Sso { .. }) && wanted.groups != held.groups {
        return Some("sso");
    }
    let default = Settings::default();
    let (path, nested) = parts(wanted)?;
    let (default_path, default_nested) = parts(&default)?;
    let (held_path, held_nested) = parts(held).unwrap_or((default_path, default_nested));
    if path != default_path && path != held_path {
        Some("oidc_group_claim_path")
    } else if nested != default_nested && nested != held_nested {
        Some("nested_group_behavior")
    } else {
        None
    }
}

/// Refuses a plan with something in it that takes a licence when there is no valid one.
///
/// # Errors
/// As D-16 says, in the form of each surface.
pub(crate) fn check<T: 'static>(held: &Snapshot, plan: Plan<T>) -> Result<Plan<T>, Fault> {
    if held.config.license == License::Valid {
        return Ok(plan);
    }
    if let Some(what) = licensed(&held.policy, &plan) {
        return Err(Fault::license(what.message()));
    }
    let Plan::Attempt(changes, accept) = plan else { return Ok(plan) };
    let before = held.policy.settings().clone();
    let accept = move |attempt: &Attempt<'_>| {
        let refused = attempt_faults(&before, attempt);
        match (accept(attempt), refused.is_empty()) {
            (accepted, true) => accepted,
            (Ok(_), false) => Err(Fault::license("").with_changes(refused)),
            (Err(fault), false) => Err(fault.with_changes(refused)),
        }
    };
    Ok(Plan::Attempt(changes, Box::new(accept)))
}

/// The changes that take a licence and would change something.
fn attempt_faults(before: &Settings, attempt: &Attempt<'_>) -> Vec<DocumentFault> {
    let fault = |(at, change): (usize, &Change)| {
        let what = match change {
            Change::AddAcl(acl) => (acl.principal.kind() != PrincipalType::User).then_some(Licensed::Acl),
            Change::CreateRole(_) | Change::AddMember { .. } | Change::RemoveMember { .. } => Some(Licensed::Role),
            Change::Settings(settings) => licensed_property(before, settings).map(Licensed::Property),
            Change::RemoveAcl(_) | Change::DeleteRole { .. } => None,
        };
        what.map(|what| DocumentFault {
            path: format!("/changes/{at}"),
            code: "license_required".into(),
            message: what.message(),
        })
    };
    attempt.changed().filter_map(fault).collect()
}

pub(crate) fn routes() -> Routes {
    Routes::new().route(paths::LICENSE, Access::SUPERUSER, get(read).put(write))
}

async fn read(State(app): State<App>) -> Json<LicenseBody> {
    Json(body_of(&app.read().config))
}

async fn write(State(app): State<App>, request: Request) -> Response {
    let set = async {
        let LicenseBody { license, .. } = body::json(request).await?;
        let plan = move |held: &Snapshot| {
            if held.config.is_pinned(NAME) {
                let message =
                    "the licence is set on the command line; start the service without `--license` to change it";
                return Err(Fault::with_status(400, RpcCode::FailedPrecondition, "license_pinned", message));
            }
            let config = Config { license: license.into(), ..(*held.config).clone() };
            Ok::<_, Fault>(Plan::Configure(Vec::new(), config, ()))
        };
        let ((), after) = app.change(plan).await?;
        Ok::<_, Fault>(Json(body_of(&after.config)).into_response())
    };
    set.await.unwrap_or_else(|fault| fault.answer(Surface::Own))
}

fn body_of(config: &Arc<Config>) -> LicenseBody {
    LicenseBody { license: config.license.into(), pinned: config.is_pinned(NAME) }
}

impl From<License> for LicenseStatus {
    fn from(license: License) -> Self {
        match license {
            License::Valid => Self::Valid,
            License::Expired => Self::Expired,
            License::Missing => Self::Missing,
        }
    }
}

impl From<LicenseStatus> for License {
    fn from(status: LicenseStatus) -> Self {
        match status {
            LicenseStatus::Valid => Self::Valid,
            LicenseStatus::Expired => Self::Expired,
            LicenseStatus::Missing => Self::Missing,
        }
    }
}
