//! Writes the results of the simulator: comparisons, revocations, collisions, and effects of
//! hypothetical changes.

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
#[cfg(feature = "typescript")]
use ts_rs::TS;

use super::acl::AclJson;
use super::analysis::{AccessRegionJson, IdentityJson, strings};
use super::code::Code;
use super::decision::{AnswerJson, DecisionJson};
use super::document::SettingsJson;
use gbac_analysis::{
    AccessRegion, CollidingName, Collision, CollisionReason, CollisionReport, Comparison, Gain,
    HypotheticalChange, IdentityComparison, NoOp, Revocation, RoleGrant, WhatIf,
};
use gbac_engine::policy::Change;

fn regions(regions: &[AccessRegion]) -> Vec<AccessRegionJson> {
    regions.iter().map(AccessRegionJson::from).collect()
}

/// The requests that are allowed to only one of two identities.
#[cfg_attr(
    feature = "typescript",
    derive(TS),
    ts(rename = "Comparison", optional_fields)
)]
#[cfg_attr(
    feature = "schema",
    derive(JsonSchema),
    schemars(rename = "Comparison")
)]
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ComparisonJson {
    /// Whether each identity is a superuser, whose requests are all allowed.
    pub superusers: [bool; 2],
    /// The requests that are allowed to the second, but not to the first.
    pub gains: Vec<AccessRegionJson>,
    /// The requests that are allowed to the first, but not to the second.
    pub loses: Vec<AccessRegionJson>,
}

impl From<&Comparison> for ComparisonJson {
    fn from(comparison: &Comparison) -> Self {
        Self {
            superusers: comparison.superusers,
            gains: regions(&comparison.gains),
            loses: regions(&comparison.loses),
        }
    }
}

/// The comparison of two identities.
#[cfg_attr(
    feature = "typescript",
    derive(TS),
    ts(rename = "IdentityComparison", optional_fields)
)]
#[cfg_attr(
    feature = "schema",
    derive(JsonSchema),
    schemars(rename = "IdentityComparison")
)]
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct IdentityComparisonJson {
    /// The groups of only the first.
    pub groups_first: Vec<String>,
    /// The groups of only the second.
    pub groups_second: Vec<String>,
    /// The groups of both.
    pub groups_both: Vec<String>,
    /// The ACLs that apply only to the first.
    pub acls_first: Vec<AclJson>,
    /// The ACLs that apply only to the second.
    pub acls_second: Vec<AclJson>,
    /// The requests that are allowed to only one of them.
    #[serde(flatten)]
    pub comparison: ComparisonJson,
    /// The decisions on the query, for the first and the second.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decisions: Option<[AnswerJson; 2]>,
}

impl From<&IdentityComparison> for IdentityComparisonJson {
    fn from(identities: &IdentityComparison) -> Self {
        Self {
            groups_first: identities.groups_first.clone(),
            groups_second: identities.groups_second.clone(),
            groups_both: identities.groups_both.clone(),
            acls_first: identities.acls_first.iter().map(AclJson::from).collect(),
            acls_second: identities.acls_second.iter().map(AclJson::from).collect(),
            comparison: (&identities.comparison).into(),
            decisions: None,
        }
    }
}

/// The changes after which an allowed request is denied.
#[cfg_attr(
    feature = "typescript",
    derive(TS),
    ts(rename = "Revocation", optional_fields)
)]
#[cfg_attr(
    feature = "schema",
    derive(JsonSchema),
    schemars(rename = "Revocation")
)]
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RevocationJson {
    /// The current decision.
    pub decision: DecisionJson,
    /// The ACLs, other than those of roles, that must all be removed.
    pub direct_acls: Vec<AclJson>,
    /// The roles of which either all memberships or all ACLs must be removed.
    pub roles: Vec<RoleGrantJson>,
    /// The fewest changes after which the request is denied; absent if it is denied already, or
    /// allowed to a superuser.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub smallest_changes: Option<Vec<ChangeJson>>,
    /// The groups and roles that the user could leave instead; absent if leaving does not help.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(
        feature = "typescript",
        ts(as = "Option<Vec<crate::literal::AclPrincipal>>")
    )]
    pub memberships_to_leave: Option<Vec<String>>,
    /// A single ACL that denies only this request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deny_acl: Option<AclJson>,
}

impl From<&Revocation> for RevocationJson {
    fn from(revocation: &Revocation) -> Self {
        Self {
            decision: (&revocation.decision).into(),
            direct_acls: revocation.acls.iter().map(AclJson::from).collect(),
            roles: revocation.roles.iter().map(RoleGrantJson::from).collect(),
            smallest_changes: revocation
                .changes()
                .map(|changes| changes.iter().map(ChangeJson::from).collect()),
            memberships_to_leave: revocation.memberships_to_leave.as_deref().map(strings),
            deny_acl: revocation.deny.as_ref().map(AclJson::from),
        }
    }
}

/// A role that allows a request.
#[cfg_attr(
    feature = "typescript",
    derive(TS),
    ts(rename = "RoleGrant", optional_fields)
)]
#[cfg_attr(feature = "schema", derive(JsonSchema), schemars(rename = "RoleGrant"))]
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RoleGrantJson {
    /// Its bare name.
    pub role: String,
    /// The members through which the user has the role.
    #[cfg_attr(feature = "typescript", ts(as = "Vec<crate::literal::AclPrincipal>"))]
    pub members: Vec<String>,
    /// The ACLs of the role that allow the request.
    pub acls: Vec<AclJson>,
}

impl From<&RoleGrant> for RoleGrantJson {
    fn from(grant: &RoleGrant) -> Self {
        Self {
            role: grant.role.clone(),
            members: strings(&grant.members),
            acls: grant.acls.iter().map(AclJson::from).collect(),
        }
    }
}

/// A change of a policy.
#[cfg_attr(feature = "typescript", derive(TS), ts(rename = "Change"))]
#[cfg_attr(feature = "schema", derive(JsonSchema), schemars(rename = "Change"))]
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "change", rename_all = "snake_case")]
pub enum ChangeJson {
    /// Adds an ACL.
    AddAcl {
        /// The ACL.
        #[cfg_attr(feature = "typescript", ts(as = "crate::input::AclInput"))]
        acl: AclJson,
    },
    /// Removes an ACL.
    RemoveAcl {
        /// The ACL.
        #[cfg_attr(feature = "typescript", ts(as = "crate::input::AclInput"))]
        acl: AclJson,
    },
    /// Creates a role.
    CreateRole {
        /// Its bare name.
        role: String,
    },
    /// Deletes a role, but not its ACLs.
    DeleteRole {
        /// Its bare name.
        role: String,
    },
    /// Deletes a role and its ACLs.
    DeleteRoleAndAcls {
        /// Its bare name.
        role: String,
    },
    /// Adds a member to a role.
    AddMember {
        /// The role's bare name.
        role: String,
        /// The member.
        #[cfg_attr(feature = "typescript", ts(as = "crate::literal::MemberPrincipal"))]
        principal: String,
    },
    /// Removes a member from a role.
    RemoveMember {
        /// The role's bare name.
        role: String,
        /// The member.
        #[cfg_attr(feature = "typescript", ts(as = "crate::literal::MemberPrincipal"))]
        principal: String,
    },
    /// Replaces the settings.
    Settings {
        /// The new settings.
        #[cfg_attr(feature = "typescript", ts(as = "crate::input::SettingsInput"))]
        #[cfg_attr(feature = "schema", schemars(schema_with = "crate::schema::settings"))]
        settings: Value,
    },
}

impl From<&Change> for ChangeJson {
    fn from(change: &Change) -> Self {
        match change {
            Change::AddAcl(acl) => Self::AddAcl { acl: acl.into() },
            Change::RemoveAcl(acl) => Self::RemoveAcl { acl: acl.into() },
            Change::CreateRole(role) => Self::CreateRole { role: role.clone() },
            Change::DeleteRole {
                name,
                delete_acls: false,
            } => Self::DeleteRole { role: name.clone() },
            Change::DeleteRole {
                name,
                delete_acls: true,
            } => Self::DeleteRoleAndAcls { role: name.clone() },
            Change::AddMember { role, member } => Self::AddMember {
                role: role.clone(),
                principal: member.to_string(),
            },
            Change::RemoveMember { role, member } => Self::RemoveMember {
                role: role.clone(),
                principal: member.to_string(),
            },
            Change::Settings(settings) => {
                let settings =
                    serde_json::to_value(SettingsJson::from(&**settings)).unwrap_or_default();
                Self::Settings { settings }
            }
        }
    }
}

/// A hypothetical change: of the policy, or of the user's groups in the identity provider.
#[cfg_attr(feature = "typescript", derive(TS), ts(rename = "HypotheticalChange"))]
#[cfg_attr(
    feature = "schema",
    derive(JsonSchema),
    schemars(rename = "HypotheticalChange")
)]
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum HypotheticalChangeJson {
    /// A change of the policy.
    Policy(ChangeJson),
    /// A change of the user's groups.
    Membership(MembershipChangeJson),
}

/// A change of the user's groups in the identity provider.
#[cfg_attr(feature = "typescript", derive(TS), ts(rename = "MembershipChange"))]
#[cfg_attr(
    feature = "schema",
    derive(JsonSchema),
    schemars(rename = "MembershipChange")
)]
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "change", rename_all = "snake_case")]
pub enum MembershipChangeJson {
    /// Adds the user to a group.
    AddToGroup {
        /// Its bare name.
        group: String,
    },
    /// Removes the user from a group.
    RemoveFromGroup {
        /// Its bare name.
        group: String,
    },
}

impl From<&HypotheticalChange> for HypotheticalChangeJson {
    fn from(change: &HypotheticalChange) -> Self {
        match change {
            HypotheticalChange::Policy(change) => Self::Policy(change.into()),
            HypotheticalChange::Join(group) => Self::Membership(MembershipChangeJson::AddToGroup {
                group: group.clone(),
            }),
            HypotheticalChange::Leave(group) => {
                Self::Membership(MembershipChangeJson::RemoveFromGroup {
                    group: group.clone(),
                })
            }
        }
    }
}

/// Names that become the same group.
#[cfg_attr(
    feature = "typescript",
    derive(TS),
    ts(rename = "CollisionReport", optional_fields)
)]
#[cfg_attr(
    feature = "schema",
    derive(JsonSchema),
    schemars(rename = "CollisionReport")
)]
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CollisionReportJson {
    /// The collisions, those of names in the token first.
    pub collisions: Vec<CollisionJson>,
    /// The number of further collisions.
    #[serde(skip_serializing_if = "is_zero")]
    #[cfg_attr(feature = "typescript", ts(as = "Option<_>"))]
    pub omitted: usize,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde calls it by reference"
)]
const fn is_zero(number: &usize) -> bool {
    *number == 0
}

impl From<&CollisionReport> for CollisionReportJson {
    fn from(report: &CollisionReport) -> Self {
        Self {
            collisions: report
                .collisions
                .iter()
                .map(|(collision, gains)| CollisionJson::new(collision, gains))
                .collect(),
            omitted: report.omitted,
        }
    }
}

/// Several names that become the same group.
#[cfg_attr(
    feature = "typescript",
    derive(TS),
    ts(rename = "Collision", optional_fields)
)]
#[cfg_attr(feature = "schema", derive(JsonSchema), schemars(rename = "Collision"))]
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CollisionJson {
    /// The bare name of the group.
    pub group: String,
    /// The reason: `suffix` or `comma`.
    pub collision_reason: Code<CollisionReason>,
    /// The names.
    pub names: Vec<CollidingNameJson>,
    /// The access that users with only one of the names gain.
    pub gains: Vec<GainJson>,
}

impl CollisionJson {
    fn new(collision: &Collision, gains: &[Gain]) -> Self {
        Self {
            group: collision.group.clone(),
            collision_reason: collision.reason.into(),
            names: collision
                .names
                .iter()
                .map(CollidingNameJson::from)
                .collect(),
            gains: gains.iter().map(GainJson::from).collect(),
        }
    }
}

/// A name of a collision.
#[cfg_attr(
    feature = "typescript",
    derive(TS),
    ts(rename = "CollidingName", optional_fields)
)]
#[cfg_attr(
    feature = "schema",
    derive(JsonSchema),
    schemars(rename = "CollidingName")
)]
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CollidingNameJson {
    /// The name in the identity provider.
    pub name: String,
    /// Whether the token contains the name.
    pub in_token: bool,
    /// Whether an ACL or a role mentions the name.
    pub named_by_policy: bool,
}

impl From<&CollidingName> for CollidingNameJson {
    fn from(name: &CollidingName) -> Self {
        Self {
            name: name.name.clone(),
            in_token: name.in_token,
            named_by_policy: name.named_by_policy,
        }
    }
}

/// The access that users with only this name gain from a collision.
#[cfg_attr(
    feature = "typescript",
    derive(TS),
    ts(rename = "Gain", optional_fields)
)]
#[cfg_attr(feature = "schema", derive(JsonSchema), schemars(rename = "Gain"))]
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct GainJson {
    /// The name.
    pub name: String,
    /// The resources and operations.
    pub regions: Vec<AccessRegionJson>,
}

impl From<&Gain> for GainJson {
    fn from(gain: &Gain) -> Self {
        Self {
            name: gain.name.clone(),
            regions: regions(&gain.regions),
        }
    }
}

/// An identity before and after hypothetical changes.
#[cfg_attr(
    feature = "typescript",
    derive(TS),
    ts(rename = "WhatIf", optional_fields)
)]
#[cfg_attr(feature = "schema", derive(JsonSchema), schemars(rename = "WhatIf"))]
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct WhatIfJson {
    /// The current identity.
    pub before: IdentityJson,
    /// The identity after the changes.
    pub after: IdentityJson,
    /// The groups gained.
    pub groups_gained: Vec<String>,
    /// The groups lost.
    pub groups_lost: Vec<String>,
    /// The changes without effect, with the reasons.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "typescript", ts(as = "Option<_>"))]
    pub no_ops: Vec<NoOpJson>,
    /// The decisions on the query, before and after.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decisions: Option<[AnswerJson; 2]>,
    /// The access gained and lost.
    #[serde(flatten)]
    pub comparison: ComparisonJson,
}

impl From<&WhatIf> for WhatIfJson {
    fn from(effect: &WhatIf) -> Self {
        Self {
            before: (&effect.before.identity).into(),
            after: (&effect.after).into(),
            groups_gained: effect.groups.0.clone(),
            groups_lost: effect.groups.1.clone(),
            no_ops: effect.no_ops.iter().map(NoOpJson::from).collect(),
            decisions: effect
                .decisions
                .as_ref()
                .map(|decisions| decisions.each_ref().map(AnswerJson::from)),
            comparison: (&effect.comparison).into(),
        }
    }
}

/// A change without effect.
#[cfg_attr(
    feature = "typescript",
    derive(TS),
    ts(rename = "NoOp", optional_fields)
)]
#[cfg_attr(feature = "schema", derive(JsonSchema), schemars(rename = "NoOp"))]
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct NoOpJson {
    /// The change.
    pub change: HypotheticalChangeJson,
    /// The stable code of the reason.
    pub code: Code<NoOp>,
    /// The reason.
    pub message: String,
}

impl From<&NoOp> for NoOpJson {
    fn from(no_op: &NoOp) -> Self {
        Self {
            change: (&no_op.change).into(),
            code: no_op.into(),
            message: no_op.to_string(),
        }
    }
}
