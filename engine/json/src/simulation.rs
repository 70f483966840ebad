//! What the simulator answers besides, as JSON: two people, revocations, collisions, and what if.

use serde::Serialize;
use serde_json::Value;
#[cfg(feature = "typescript")]
use ts_rs::TS;

use super::acl::AclJson;
use super::analysis::{AccessRegionJson, IdentityJson};
use super::code::Code;
use super::decision::{AnswerJson, DecisionJson};
use super::document::SettingsJson;
use gbac_analysis::{
    AccessRegion, CollidingName, Collision, CollisionKind, CollisionReport, Comparison, Gain, HypotheticalChange,
    IdentityComparison, NoOp, Revocation, RoleGrant, WhatIf,
};
use gbac_engine::identity::Identity;
use gbac_engine::model::Principal;
use gbac_engine::policy::Change;

fn extents(extents: &[AccessRegion]) -> Vec<AccessRegionJson> {
    extents.iter().map(AccessRegionJson::from).collect()
}

fn names(principals: &[Principal]) -> Vec<String> {
    principals.iter().map(ToString::to_string).collect()
}

fn identity(identity: &Identity) -> IdentityJson {
    IdentityJson { user: identity.user().to_owned(), groups: identity.groups().to_vec() }
}

/// What one identity is allowed and another is not.
#[cfg_attr(feature = "typescript", derive(TS), ts(rename = "Comparison", optional_fields))]
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ComparisonJson {
    /// Whether each is a superuser, who may do everything.
    pub superusers: [bool; 2],
    /// What the second is allowed and the first is not.
    pub gains: Vec<AccessRegionJson>,
    /// What the first is allowed and the second is not.
    pub loses: Vec<AccessRegionJson>,
}

impl From<&Comparison> for ComparisonJson {
    fn from(comparison: &Comparison) -> Self {
        Self { superusers: comparison.superusers, gains: extents(&comparison.gains), loses: extents(&comparison.loses) }
    }
}

/// Two identities side by side.
#[cfg_attr(feature = "typescript", derive(TS), ts(rename = "IdentityComparison", optional_fields))]
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct IdentityComparisonJson {
    /// Groups of the first alone.
    pub groups_first: Vec<String>,
    /// Groups of the second alone.
    pub groups_second: Vec<String>,
    /// Groups of both.
    pub groups_both: Vec<String>,
    /// ACLs that reach the first alone.
    pub acls_first: Vec<AclJson>,
    /// ACLs that reach the second alone.
    pub acls_second: Vec<AclJson>,
    /// What the second may and the first may not, and the reverse.
    #[serde(flatten)]
    pub comparison: ComparisonJson,
    /// The answers to what is asked, of the first and the second.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answers: Option<[AnswerJson; 2]>,
}

impl From<&IdentityComparison> for IdentityComparisonJson {
    fn from(people: &IdentityComparison) -> Self {
        Self {
            groups_first: people.groups_first.clone(),
            groups_second: people.groups_second.clone(),
            groups_both: people.groups_both.clone(),
            acls_first: people.acls_first.iter().map(AclJson::from).collect(),
            acls_second: people.acls_second.iter().map(AclJson::from).collect(),
            comparison: (&people.comparison).into(),
            answers: None,
        }
    }
}

/// What to remove so that a request is denied.
#[cfg_attr(feature = "typescript", derive(TS), ts(rename = "Revocation", optional_fields))]
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RevocationJson {
    /// How the request is decided now.
    pub decision: DecisionJson,
    /// ACLs that all have to be removed.
    pub acls: Vec<AclJson>,
    /// Roles of which either all memberships or all ACLs have to be removed.
    pub roles: Vec<RoleGrantJson>,
    /// The fewest changes that deny it; absent if it is denied, or allowed to a superuser.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub least: Option<Vec<ChangeJson>>,
    /// Groups and roles to leave instead; absent if leaving does not help.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(as = "Option<Vec<crate::literal::AclPrincipal>>"))]
    pub leave: Option<Vec<String>>,
    /// One ACL that denies it and nothing else.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deny: Option<AclJson>,
}

impl From<&Revocation> for RevocationJson {
    fn from(found: &Revocation) -> Self {
        Self {
            decision: (&found.decision).into(),
            acls: found.acls.iter().map(AclJson::from).collect(),
            roles: found.roles.iter().map(RoleGrantJson::from).collect(),
            least: found.changes().map(|changes| changes.iter().map(ChangeJson::from).collect()),
            leave: found.leave.as_deref().map(names),
            deny: found.deny.as_ref().map(AclJson::from),
        }
    }
}

/// A role through which something is allowed.
#[cfg_attr(feature = "typescript", derive(TS), ts(rename = "RoleGrant", optional_fields))]
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RoleGrantJson {
    /// Its bare name.
    pub role: String,
    /// The members through which the person has it.
    #[cfg_attr(feature = "typescript", ts(as = "Vec<crate::literal::AclPrincipal>"))]
    pub members: Vec<String>,
    /// Its ACLs that allow it.
    pub acls: Vec<AclJson>,
}

impl From<&RoleGrant> for RoleGrantJson {
    fn from(grant: &RoleGrant) -> Self {
        Self {
            role: grant.role.clone(),
            members: names(&grant.members),
            acls: grant.acls.iter().map(AclJson::from).collect(),
        }
    }
}

/// A change of a policy, as it is written and read.
#[cfg_attr(feature = "typescript", derive(TS), ts(rename = "Change"))]
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
    /// Deletes a role. Its ACLs stay.
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
        settings: Value,
    },
}

impl From<&Change> for ChangeJson {
    fn from(change: &Change) -> Self {
        match change {
            Change::AddAcl(acl) => Self::AddAcl { acl: acl.into() },
            Change::RemoveAcl(acl) => Self::RemoveAcl { acl: acl.into() },
            Change::CreateRole(role) => Self::CreateRole { role: role.clone() },
            Change::DeleteRole { name, delete_acls: false } => Self::DeleteRole { role: name.clone() },
            Change::DeleteRole { name, delete_acls: true } => Self::DeleteRoleAndAcls { role: name.clone() },
            Change::AddMember { role, member } => Self::AddMember { role: role.clone(), principal: member.to_string() },
            Change::RemoveMember { role, member } => {
                Self::RemoveMember { role: role.clone(), principal: member.to_string() }
            }
            Change::Settings(settings) => {
                let settings = serde_json::to_value(SettingsJson::from(&**settings)).unwrap_or_default();
                Self::Settings { settings }
            }
        }
    }
}

/// A change that is tried: of the policy, or of what the identity provider says of the person.
#[cfg_attr(feature = "typescript", derive(TS), ts(rename = "HypotheticalChange"))]
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum HypotheticalChangeJson {
    /// A change of the policy.
    Policy(ChangeJson),
    /// A change of the person's groups.
    Membership(MembershipChangeJson),
}

/// A change of a person's groups, by the identity provider.
#[cfg_attr(feature = "typescript", derive(TS), ts(rename = "MembershipChange"))]
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "change", rename_all = "snake_case")]
pub enum MembershipChangeJson {
    /// Adds the person to a group.
    JoinGroup {
        /// Its bare name.
        group: String,
    },
    /// Removes the person from a group.
    LeaveGroup {
        /// Its bare name.
        group: String,
    },
}

impl From<&HypotheticalChange> for HypotheticalChangeJson {
    fn from(change: &HypotheticalChange) -> Self {
        match change {
            HypotheticalChange::Policy(change) => Self::Policy(change.into()),
            HypotheticalChange::Join(group) => {
                Self::Membership(MembershipChangeJson::JoinGroup { group: group.clone() })
            }
            HypotheticalChange::Leave(group) => {
                Self::Membership(MembershipChangeJson::LeaveGroup { group: group.clone() })
            }
        }
    }
}

/// Names that become one group.
#[cfg_attr(feature = "typescript", derive(TS), ts(rename = "CollisionReport", optional_fields))]
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CollisionReportJson {
    /// The collisions, those of names in the token first.
    pub collisions: Vec<CollisionJson>,
    /// How many more there are.
    #[serde(skip_serializing_if = "is_zero")]
    #[cfg_attr(feature = "typescript", ts(as = "Option<_>"))]
    pub more: usize,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it by reference")]
const fn is_zero(number: &usize) -> bool {
    *number == 0
}

impl From<&CollisionReport> for CollisionReportJson {
    fn from(found: &CollisionReport) -> Self {
        let collision = |(collision, gains): &(Collision, Vec<Gain>)| CollisionJson::new(collision, gains);
        Self { collisions: found.found.iter().map(collision).collect(), more: found.more }
    }
}

/// One group that several names become.
#[cfg_attr(feature = "typescript", derive(TS), ts(rename = "Collision", optional_fields))]
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CollisionJson {
    /// Its bare name.
    pub group: String,
    /// `suffix` or `comma`.
    pub merging: Code<CollisionKind>,
    /// The names.
    pub names: Vec<CollidingNameJson>,
    /// What somebody in only one of the names gains.
    pub gains: Vec<GainJson>,
}

impl CollisionJson {
    fn new(collision: &Collision, gains: &[Gain]) -> Self {
        Self {
            group: collision.group.clone(),
            merging: collision.kind.into(),
            names: collision.names.iter().map(CollidingNameJson::from).collect(),
            gains: gains.iter().map(GainJson::from).collect(),
        }
    }
}

/// A name that becomes the group of another.
#[cfg_attr(feature = "typescript", derive(TS), ts(rename = "CollidingName", optional_fields))]
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CollidingNameJson {
    /// The name as the provider has it.
    pub name: String,
    /// Whether it is in the token.
    pub in_token: bool,
    /// Whether an ACL or a role names it.
    pub known: bool,
}

impl From<&CollidingName> for CollidingNameJson {
    fn from(merged: &CollidingName) -> Self {
        Self { name: merged.name.clone(), in_token: merged.in_token, known: merged.known }
    }
}

/// What somebody in only this name gains.
#[cfg_attr(feature = "typescript", derive(TS), ts(rename = "Gain", optional_fields))]
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct GainJson {
    /// The name.
    pub name: String,
    /// The resources and operations.
    pub extents: Vec<AccessRegionJson>,
}

impl From<&Gain> for GainJson {
    fn from(gain: &Gain) -> Self {
        Self { name: gain.name.clone(), extents: extents(&gain.regions) }
    }
}

/// One person before and after changes.
#[cfg_attr(feature = "typescript", derive(TS), ts(rename = "WhatIf", optional_fields))]
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct WhatIfJson {
    /// The person as it is.
    pub before: IdentityJson,
    /// The person with the changes.
    pub after: IdentityJson,
    /// Groups gained.
    pub groups_gained: Vec<String>,
    /// Groups lost.
    pub groups_lost: Vec<String>,
    /// Changes that do nothing, and why.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "typescript", ts(as = "Option<_>"))]
    pub idle: Vec<NoOpJson>,
    /// The answers to what is asked, before and after.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answers: Option<[AnswerJson; 2]>,
    /// What the person gains and loses.
    #[serde(flatten)]
    pub comparison: ComparisonJson,
}

impl From<&WhatIf> for WhatIfJson {
    fn from(found: &WhatIf) -> Self {
        Self {
            before: identity(&found.before.identity),
            after: identity(&found.after),
            groups_gained: found.groups.0.clone(),
            groups_lost: found.groups.1.clone(),
            idle: found.no_ops.iter().map(NoOpJson::from).collect(),
            answers: found.answers.as_ref().map(|answers| answers.each_ref().map(AnswerJson::from)),
            comparison: (&found.comparison).into(),
        }
    }
}

/// A change that does nothing.
#[cfg_attr(feature = "typescript", derive(TS), ts(rename = "NoOp", optional_fields))]
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
        Self { change: (&no_op.change).into(), code: no_op.into(), message: no_op.to_string() }
    }
}
