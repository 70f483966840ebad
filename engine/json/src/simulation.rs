//! What the simulator answers besides, as JSON: two people, revocations, collisions, and what if.

use serde::Serialize;
use serde_json::Value;

use super::acl::AclJson;
use super::analysis::{AccessRegionJson, IdentityJson};
use super::decision::{AnswerJson, DecisionJson};
use super::document::SettingsJson;
use gbac_analysis::WhatIf;
use gbac_analysis::{
    AccessRegion, CollidingName, Collision, CollisionReport, Comparison, Gain, HypotheticalChange, IdentityComparison,
    NoOp, Revocation, RoleGrant,
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

/// What one may and the other may not.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ComparisonJson {
    /// Whether each is a superuser, who may do everything.
    pub superusers: [bool; 2],
    /// What the second may and the first may not.
    pub gains: Vec<AccessRegionJson>,
    /// What the first may and the second may not.
    pub loses: Vec<AccessRegionJson>,
}

impl From<&Comparison> for ComparisonJson {
    fn from(comparison: &Comparison) -> Self {
        Self { superusers: comparison.superusers, gains: extents(&comparison.gains), loses: extents(&comparison.loses) }
    }
}

/// Two people side by side.
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

/// What has to go for a request to be denied.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RevocationJson {
    /// How the request is decided now.
    pub decision: DecisionJson,
    /// ACLs that all have to go.
    pub acls: Vec<AclJson>,
    /// Roles, of each of which all memberships or all ACLs have to go.
    pub roles: Vec<RoleGrantJson>,
    /// The least rows that have to go; absent where it is denied, or allowed to a superuser.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub least: Option<Vec<ChangeJson>>,
    /// Groups and roles that the person has to leave, where that helps.
    #[serde(skip_serializing_if = "Option::is_none")]
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
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RoleGrantJson {
    /// Its bare name.
    pub role: String,
    /// The members through which the person has it.
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

/// A change as it is read.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ChangeJson {
    /// What is done.
    pub change: &'static str,
    /// Of an ACL.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub acl: Option<AclJson>,
    /// Of a role.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
    /// Of a member of the role.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub principal: Option<String>,
    /// Of the settings.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub settings: Option<Value>,
    /// Of a group of the person.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
}

impl ChangeJson {
    const fn new(change: &'static str) -> Self {
        Self { change, acl: None, role: None, principal: None, settings: None, group: None }
    }
}

impl From<&Change> for ChangeJson {
    fn from(change: &Change) -> Self {
        let of_role = |change, role: &String| Self { role: Some(role.clone()), ..Self::new(change) };
        match change {
            Change::AddAcl(acl) => Self { acl: Some(acl.into()), ..Self::new("add_acl") },
            Change::RemoveAcl(acl) => Self { acl: Some(acl.into()), ..Self::new("remove_acl") },
            Change::CreateRole(role) => of_role("create_role", role),
            Change::DeleteRole { name, delete_acls: false } => of_role("delete_role", name),
            Change::DeleteRole { name, delete_acls: true } => of_role("delete_role_and_acls", name),
            Change::AddMember { role, member } => {
                Self { principal: Some(member.to_string()), ..of_role("add_member", role) }
            }
            Change::RemoveMember { role, member } => {
                Self { principal: Some(member.to_string()), ..of_role("remove_member", role) }
            }
            Change::Settings(settings) => {
                let settings = serde_json::to_value(SettingsJson::from(&**settings)).unwrap_or_default();
                Self { settings: Some(settings), ..Self::new("settings") }
            }
        }
    }
}

impl From<&HypotheticalChange> for ChangeJson {
    fn from(trial: &HypotheticalChange) -> Self {
        let of_group = |change, group: &String| Self { group: Some(group.clone()), ..Self::new(change) };
        match trial {
            HypotheticalChange::Policy(change) => change.into(),
            HypotheticalChange::Join(group) => of_group("join_group", group),
            HypotheticalChange::Leave(group) => of_group("leave_group", group),
        }
    }
}

/// Names that become one group.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CollisionReportJson {
    /// The collisions, those of names in the token first.
    pub collisions: Vec<CollisionJson>,
    /// How many more there are.
    #[serde(skip_serializing_if = "is_zero")]
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
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CollisionJson {
    /// Its bare name.
    pub group: String,
    /// `suffix` or `comma`.
    pub merging: &'static str,
    /// The names.
    pub names: Vec<CollidingNameJson>,
    /// What somebody in one of the names only gains by it.
    pub gains: Vec<GainJson>,
}

impl CollisionJson {
    fn new(collision: &Collision, gains: &[Gain]) -> Self {
        Self {
            group: collision.group.clone(),
            merging: collision.kind.code(),
            names: collision.names.iter().map(CollidingNameJson::from).collect(),
            gains: gains.iter().map(GainJson::from).collect(),
        }
    }
}

/// A name that becomes the group of another.
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

/// What somebody gains who is in this name only.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct GainJson {
    /// The name.
    pub name: String,
    /// On what.
    pub extents: Vec<AccessRegionJson>,
}

impl From<&Gain> for GainJson {
    fn from(gain: &Gain) -> Self {
        Self { name: gain.name.clone(), extents: extents(&gain.regions) }
    }
}

/// One person before and after changes.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct WhatIfJson {
    /// The person as it is.
    pub before: IdentityJson,
    /// The person with the changes.
    pub after: IdentityJson,
    /// Groups that come.
    pub groups_gained: Vec<String>,
    /// Groups that go.
    pub groups_lost: Vec<String>,
    /// Changes that do nothing, and why.
    #[serde(skip_serializing_if = "Vec::is_empty")]
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
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct NoOpJson {
    /// The change.
    pub change: ChangeJson,
    /// A stable name of the reason.
    pub code: &'static str,
    /// The reason.
    pub message: String,
}

impl From<&NoOp> for NoOpJson {
    fn from(no_op: &NoOp) -> Self {
        Self { change: (&no_op.change).into(), code: no_op.code(), message: no_op.to_string() }
    }
}
