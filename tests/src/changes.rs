//! A policy as plain lists with its own implementation of every change, independent of the engine's
//! `apply`.

use gbac_engine::claim_path::ClaimPath;
use gbac_engine::groups::NestedGroupBehavior;
use gbac_engine::model::{Acl, Principal, PrincipalType, Role};
use gbac_engine::policy::{Change, GroupSource, Settings};
use proptest::prelude::*;
use proptest::sample::{Index, select};

use crate::oracle::Facts;
use crate::world::{ROLES, acl, member};

/// One step of a sequence; an index refers to the policy at that point.
#[derive(Debug, Clone)]
pub enum Step {
    /// A change that is independent of the policy.
    Any(Change),
    /// Removes an existing ACL.
    RemoveAcl(Index),
    /// Adds an existing ACL again, or its opposite.
    AgainOrOpposite(Index, bool),
}

/// Any step: every kind of change, with few names, so that most have an effect.
pub fn step() -> impl Strategy<Value = Step> {
    // A document contains no empty resource names.
    let acl = || {
        acl().prop_filter("a document can hold it", |acl| {
            !acl.resource_name.is_empty()
        })
    };
    let role = || select(ROLES).prop_map(String::from);
    let unusual = prop_oneof![
        select(vec!["", "a,b", "x\u{7}"]).prop_map(|name| Change::CreateRole(name.into())),
        role().prop_map(|role| Change::AddMember {
            role,
            member: Principal::role("r")
        }),
    ];
    prop_oneof![
        6 => acl().prop_map(|acl| Step::Any(Change::AddAcl(acl))),
        1 => acl().prop_map(|acl| Step::Any(Change::RemoveAcl(acl))),
        4 => any::<Index>().prop_map(Step::RemoveAcl),
        2 => (any::<Index>(), any::<bool>()).prop_map(|(index, opposite)| Step::AgainOrOpposite(index, opposite)),
        2 => role().prop_map(|name| Step::Any(Change::CreateRole(name))),
        2 => (role(), any::<bool>()).prop_map(|(name, delete_acls)| Step::Any(Change::DeleteRole { name, delete_acls })),
        4 => (role(), member()).prop_map(|(role, member)| Step::Any(Change::AddMember { role, member })),
        2 => (role(), member()).prop_map(|(role, member)| Step::Any(Change::RemoveMember { role, member })),
        1 => settings().prop_map(|settings| Step::Any(Change::Settings(Box::new(settings)))),
        1 => unusual.prop_map(Step::Any),
    ]
}

fn settings() -> impl Strategy<Value = Settings> {
    let superusers = select(vec![&[][..], &["v"], &["u", "v"], &["*"]]);
    let path = select(vec!["$.groups", "$.a.b"]);
    (superusers, path, select(NestedGroupBehavior::ALL)).prop_map(|(superusers, path, nested)| {
        Settings {
            groups: GroupSource::Properties {
                claim_path: ClaimPath::parse(path).expect("a claim path"),
                nested,
            },
            superusers: superusers.iter().map(|name| String::from(*name)).collect(),
            ..Settings::default()
        }
    })
}

impl Step {
    /// The change of this step for these facts; `None` if there is nothing to remove.
    #[must_use]
    pub fn on(&self, facts: &Facts) -> Option<Change> {
        let at = |index: &Index| {
            (!facts.acls.is_empty()).then(|| facts.acls[index.index(facts.acls.len())].clone())
        };
        match self {
            Self::Any(change) => Some(change.clone()),
            Self::RemoveAcl(index) => at(index).map(Change::RemoveAcl),
            Self::AgainOrOpposite(index, false) => at(index).map(Change::AddAcl),
            Self::AgainOrOpposite(index, true) => {
                use gbac_engine::model::Permission::{Allow, Deny};
                at(index).map(|acl| {
                    let permission = if acl.permission == Allow { Deny } else { Allow };
                    Change::AddAcl(Acl { permission, ..acl })
                })
            }
        }
    }
}

/// Applies a change to plain facts; returns whether it changed anything, or the code of the error
/// (D-17, D-18, D-28, D-33).
///
/// # Errors
/// Changes that the engine must refuse, too.
pub fn apply(
    facts: &mut Facts,
    settings: &mut Settings,
    change: &Change,
) -> Result<bool, &'static str> {
    match change {
        Change::AddAcl(acl) => {
            let is_new = !facts.acls.contains(acl);
            if is_new {
                facts.acls.push(acl.clone());
            }
            Ok(is_new)
        }
        Change::RemoveAcl(acl) => {
            let before = facts.acls.len();
            facts.acls.retain(|other| other != acl);
            Ok(facts.acls.len() < before)
        }
        Change::CreateRole(name) if name.is_empty() => Err("role_name_empty"),
        Change::CreateRole(name)
            if name.contains([',', '=']) || name.contains(char::is_control) =>
        {
            Err("role_name_character")
        }
        Change::CreateRole(name) if facts.roles.iter().any(|role| role.name == *name) => {
            Err("role_exists")
        }
        Change::CreateRole(name) => {
            facts.roles.push(Role {
                name: name.clone(),
                members: [].into(),
            });
            Ok(true)
        }
        Change::AddMember { member, .. } if member.kind() == PrincipalType::Role => {
            Err("member_is_role")
        }
        Change::AddMember { role, member } => {
            Ok(role_of(facts, role)?.members.insert(member.clone()))
        }
        Change::RemoveMember { role, member } => Ok(role_of(facts, role)?.members.remove(member)),
        Change::DeleteRole { name, delete_acls } => {
            role_of(facts, name)?;
            facts.roles.retain(|role| role.name != *name);
            if *delete_acls {
                facts
                    .acls
                    .retain(|acl| acl.principal != Principal::role(name));
            }
            Ok(true)
        }
        Change::Settings(new) => {
            let is_new = *settings != **new;
            settings.clone_from(new);
            facts.superusers = settings.superusers.iter().cloned().collect();
            Ok(is_new)
        }
    }
}

fn role_of<'a>(facts: &'a mut Facts, name: &str) -> Result<&'a mut Role, &'static str> {
    facts
        .roles
        .iter_mut()
        .find(|role| role.name == name)
        .ok_or("role_unknown")
}
