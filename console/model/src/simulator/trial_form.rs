//! The form that adds a hypothetical change: its choices, and the change that it makes.

use std::sync::Arc;

use gbac_analysis::HypotheticalChange;
use gbac_engine::decide::{At, explain};
use gbac_engine::groups::NestedGroupBehavior;
use gbac_engine::identity::Identity;
use gbac_engine::model::{
    Acl, Host, Operation, PatternType, Permission, Principal, ResourceType, check_member,
};
use gbac_engine::policy::{Change, GroupSource, Policy};
use gbac_words::pages::simulator::CLAIM_PATH_MISSING;
use gbac_words::rich_text::RichText;

use crate::simulator::question::AccessRequest;
use crate::simulator::trial::{with_claim_path, with_nested};

/// The kinds of changes that can be tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TrialKind {
    /// Another group in the token.
    #[default]
    Join,
    /// A group less in the token.
    Leave,
    /// A member more in a role.
    AddMember,
    /// A member less in a role.
    RemoveMember,
    /// An ACL more.
    AddAcl,
    /// An ACL less.
    RemoveAcl,
    /// The other behaviour for nested names.
    Nested,
    /// Another claim path.
    ClaimPath,
}

impl TrialKind {
    /// Every kind.
    pub const ALL: [Self; 8] = [
        Self::Join,
        Self::Leave,
        Self::AddMember,
        Self::RemoveMember,
        Self::AddAcl,
        Self::RemoveAcl,
        Self::Nested,
        Self::ClaimPath,
    ];

    /// The value in a form.
    pub const fn code(self) -> &'static str {
        match self {
            Self::Join => "join",
            Self::Leave => "leave",
            Self::AddMember => "add-member",
            Self::RemoveMember => "remove-member",
            Self::AddAcl => "add-acl",
            Self::RemoveAcl => "remove-acl",
            Self::Nested => "nested",
            Self::ClaimPath => "claim-path",
        }
    }

    /// The label of the choice.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Join => "Add a group to the user",
            Self::Leave => "Remove a group from the user",
            Self::AddMember => "Add a member to a role",
            Self::RemoveMember => "Remove a member from a role",
            Self::AddAcl => "Add an ACL",
            Self::RemoveAcl => "Remove an ACL",
            Self::Nested => "Change nested names",
            Self::ClaimPath => "Change the group claim",
        }
    }

    /// Reads the value of a form.
    pub fn from_code(code: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.code() == code)
    }
}

/// What can be chosen for a person under a policy.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Options {
    /// The person and the groups.
    pub members: Vec<Principal>,
    /// These and their roles: whose ACLs count.
    pub principals: Vec<Principal>,
    /// The memberships through which roles are held: member and role.
    pub memberships: Vec<(Principal, String)>,
    /// The ACLs for the requested resource that apply to the user.
    pub rows: Vec<Acl>,
    /// What is done with nested names; none where an SSO connection reads groups.
    pub nested: Option<NestedGroupBehavior>,
}

impl Options {
    /// What can be chosen.
    #[must_use]
    pub fn for_identity(
        policy: &Policy,
        identity: &Identity,
        access: Option<&AccessRequest>,
    ) -> Self {
        let mut members = vec![Principal::user(identity.user())];
        members.extend(identity.groups().iter().map(Principal::group));
        let mut memberships = Vec::new();
        for member in &members {
            for role in policy.roles_of(member) {
                memberships.push((member.clone(), role.to_owned()));
            }
        }
        let mut principals = members.clone();
        for (_, role) in &memberships {
            let role = Principal::role(role.as_str());
            if !principals.contains(&role) {
                principals.push(role);
            }
        }
        let mut rows = Vec::new();
        if let Some(access) = access {
            let request = access.request(At::IgnoringExpiry);
            for candidate in explain(policy, identity, &request).candidates {
                if !candidate.paths.is_empty() && candidate.is_on_resource() {
                    rows.push(Arc::unwrap_or_clone(candidate.acl));
                }
            }
        }
        let nested = match &policy.settings().groups {
            GroupSource::Properties { nested, .. } => Some(*nested),
            GroupSource::Sso { .. } => None,
        };
        Self {
            members,
            principals,
            memberships,
            rows,
            nested,
        }
    }
}

/// What is entered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrialForm {
    /// The kind of change.
    pub kind: TrialKind,
    /// The group to add.
    pub group: String,
    /// The group to drop, by its place among the groups.
    pub left: usize,
    /// The member, by its place.
    pub member: usize,
    /// The role's name.
    pub role: String,
    /// The membership, by its place.
    pub membership: usize,
    /// The principal of the ACL, by its place.
    pub principal: usize,
    /// Its permission.
    pub permission: Permission,
    /// Whether its name is a prefix.
    pub prefixed: bool,
    /// Its resource's name; empty for the requested one.
    pub name: String,
    /// Its operation; the requested one if none is chosen.
    pub operation: Option<Operation>,
    /// The ACL to remove, by its place.
    pub row: usize,
    /// The claim path.
    pub path: String,
}

impl Default for TrialForm {
    fn default() -> Self {
        Self {
            kind: TrialKind::Join,
            group: String::new(),
            left: 0,
            member: 0,
            role: String::new(),
            membership: 0,
            principal: 0,
            permission: Permission::Allow,
            prefixed: false,
            name: String::new(),
            operation: None,
            row: 0,
            path: String::new(),
        }
    }
}

impl TrialForm {
    /// The change that is entered.
    ///
    /// # Errors
    /// What is missing or wrong.
    pub fn trial(
        &self,
        options: &Options,
        policy: &Policy,
        access: Option<&AccessRequest>,
    ) -> Result<HypotheticalChange, RichText> {
        match self.kind {
            TrialKind::Join => {
                let name = self.group.strip_prefix("Group:").unwrap_or(&self.group);
                if name.is_empty() {
                    Err("Enter a group.".into())
                } else {
                    Ok(HypotheticalChange::Join(name.to_owned()))
                }
            }
            TrialKind::Leave => {
                // The first member is the user.
                let Some(group) = options.members.get(self.left + 1) else {
                    return Err("This user has no groups.".into());
                };
                Ok(HypotheticalChange::Leave(group.name().to_owned()))
            }
            TrialKind::AddMember => {
                let role = self.role.strip_prefix("Role:").unwrap_or(&self.role);
                let Some(member) = options.members.get(self.member) else {
                    return Err("Choose a member.".into());
                };
                check_member(member)
                    .map_err(|error| RichText::with_hint(&error.to_string(), &error.hint()))?;
                if role.is_empty() {
                    return Err("Enter a role.".into());
                }
                if !policy.has_role(role) {
                    return Err(RichText::new()
                        .text("There is no role ")
                        .code(role)
                        .text("."));
                }
                Ok(HypotheticalChange::Policy(Change::AddMember {
                    role: role.to_owned(),
                    member: member.clone(),
                }))
            }
            TrialKind::RemoveMember => {
                let Some((member, role)) = options.memberships.get(self.membership).cloned() else {
                    return Err("This user has no role.".into());
                };
                Ok(HypotheticalChange::Policy(Change::RemoveMember {
                    role,
                    member,
                }))
            }
            TrialKind::AddAcl => {
                let acl = self.acl(options, access)?;
                Ok(HypotheticalChange::Policy(Change::AddAcl(acl)))
            }
            TrialKind::RemoveAcl => match (options.rows.get(self.row), access) {
                (Some(acl), _) => Ok(HypotheticalChange::Policy(Change::RemoveAcl(acl.clone()))),
                (None, Some(_)) => Err("No ACL on this resource applies to this user.".into()),
                (None, None) => Err("Complete the check first.".into()),
            },
            TrialKind::Nested => {
                let settings = options
                    .nested
                    .and_then(|nested| with_nested(policy.settings(), other(nested)));
                let Some(settings) = settings else {
                    let words = "The mapping of an SSO connection keeps names as they are.";
                    return Err(words.into());
                };
                Ok(HypotheticalChange::Policy(Change::Settings(Box::new(
                    settings,
                ))))
            }
            TrialKind::ClaimPath => {
                if self.path.trim().is_empty() {
                    return Err(CLAIM_PATH_MISSING.into());
                }
                let settings = with_claim_path(policy.settings(), &self.path)?;
                Ok(HypotheticalChange::Policy(Change::Settings(Box::new(
                    settings,
                ))))
            }
        }
    }

    fn acl(&self, options: &Options, access: Option<&AccessRequest>) -> Result<Acl, RichText> {
        let Some(access) = access else {
            return Err("Complete the check first.".into());
        };
        let Some(principal) = options.principals.get(self.principal) else {
            return Err("Choose a principal.".into());
        };
        let nameless = matches!(
            access.resource_type,
            ResourceType::Cluster | ResourceType::Registry
        );
        let name = if self.name.is_empty() || nameless {
            &access.resource_name
        } else {
            &self.name
        };
        Ok(Acl {
            resource_type: access.resource_type,
            resource_name: name.clone(),
            pattern_type: if self.prefixed && !nameless {
                PatternType::Prefixed
            } else {
                PatternType::Literal
            },
            principal: principal.clone(),
            host: Host::Any,
            operation: self.operation.unwrap_or(access.operation),
            permission: self.permission,
        })
    }
}

/// The other behaviour.
pub const fn other(nested: NestedGroupBehavior) -> NestedGroupBehavior {
    match nested {
        NestedGroupBehavior::None => NestedGroupBehavior::Suffix,
        NestedGroupBehavior::Suffix => NestedGroupBehavior::None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulator::tests::policy;

    fn access() -> AccessRequest {
        AccessRequest {
            operation: Operation::Write,
            resource_type: ResourceType::Topic,
            resource_name: "payments-settled".into(),
            host: None,
        }
    }

    fn words(
        form: &TrialForm,
        groups: &[&str],
        access: Option<&AccessRequest>,
    ) -> Result<String, String> {
        let policy = policy();
        let options = Options::for_identity(
            &policy,
            &Identity::new("maya", groups.iter().copied()),
            access,
        );
        form.trial(&options, &policy, access)
            .map(|trial| gbac_words::change::hypothetical(&trial).plain())
            .map_err(|words| words.plain())
    }

    #[test]
    fn each_kind_comes_to_its_change() {
        let groups = ["payments", "read-only"];
        let form = |kind| TrialForm {
            kind,
            ..TrialForm::default()
        };
        let said = |form: TrialForm| words(&form, &groups, Some(&access())).unwrap();
        assert_eq!(
            said(TrialForm {
                group: "Group:x".into(),
                ..form(TrialKind::Join)
            }),
            "Add the user to Group:x in the identity provider"
        );
        assert_eq!(
            said(TrialForm {
                left: 1,
                ..form(TrialKind::Leave)
            }),
            "Remove the user from Group:read-only in the identity provider"
        );
        let add = TrialForm {
            role: "Auditors".into(),
            ..form(TrialKind::AddMember)
        };
        assert_eq!(said(add), "Add User:maya to Role:Auditors");
        assert_eq!(
            said(form(TrialKind::RemoveMember)),
            "Remove Group:payments from Role:PaymentsWriters"
        );
        let acl = TrialForm {
            principal: 1,
            prefixed: true,
            name: "pay".into(),
            ..form(TrialKind::AddAcl)
        };
        assert_eq!(
            said(acl),
            "Add Allow Write, topic pay prefixed, of Group:payments"
        );
        let rows = TrialForm {
            row: 0,
            ..form(TrialKind::RemoveAcl)
        };
        assert!(said(rows).starts_with("Remove "));
        assert_eq!(
            said(form(TrialKind::Nested)),
            "Read groups from $.groups, nested group behavior none"
        );
        let path = TrialForm {
            path: " $.roles ".into(),
            ..form(TrialKind::ClaimPath)
        };
        assert_eq!(
            said(path),
            "Read groups from $.roles, nested group behavior suffix"
        );
        for kind in TrialKind::ALL {
            assert_eq!(TrialKind::from_code(kind.code()), Some(kind));
        }
    }

    #[test]
    fn what_is_missing_is_said() {
        let form = |kind| TrialForm {
            kind,
            ..TrialForm::default()
        };
        let fault = |form: TrialForm, access: Option<&AccessRequest>| {
            words(&form, &[], access).unwrap_err()
        };
        assert_eq!(fault(form(TrialKind::Join), None), "Enter a group.");
        assert_eq!(
            fault(form(TrialKind::Leave), None),
            "This user has no groups."
        );
        assert_eq!(fault(form(TrialKind::AddMember), None), "Enter a role.");
        let unknown = TrialForm {
            role: "R".into(),
            ..form(TrialKind::AddMember)
        };
        assert_eq!(fault(unknown, None), "There is no role R.");
        assert_eq!(
            fault(form(TrialKind::RemoveMember), None),
            "This user has no role."
        );
        assert!(fault(form(TrialKind::AddAcl), None).starts_with("Complete the check first"));
        assert!(fault(form(TrialKind::RemoveAcl), None).starts_with("Complete the check first"));
        let path = TrialForm {
            path: "$.[".into(),
            ..form(TrialKind::ClaimPath)
        };
        assert!(!fault(path, None).is_empty());
    }
}
