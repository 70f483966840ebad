//! The paths from an identity to the principals that ACLs may name, in the order of D-20.

use super::Source;
use crate::identity::Identity;
use crate::model::PrincipalType;
use crate::policy::{Policy, PrincipalId};

/// One path: to the user, one of its roles, a group, or a role of a group.
pub(super) struct PrincipalPath<'a> {
    pub(super) source: Source,
    /// The index of the group on the path.
    pub(super) group: Option<u32>,
    pub(super) to: Target<'a>,
}

/// Where a path ends.
#[derive(Clone, Copy)]
pub(super) enum Target<'a> {
    /// At a user or group; the id is `None` if the policy does not mention it.
    Named(PrincipalType, &'a str, Option<PrincipalId>),
    /// At a role. Only its id, because reading the names of many roles would be slow.
    Role(PrincipalId),
}

impl Target<'_> {
    /// The id of the principal; `None` if the policy does not mention it.
    pub(super) const fn id(self) -> Option<PrincipalId> {
        match self {
            Self::Named(.., id) => id,
            Self::Role(id) => Some(id),
        }
    }
}

/// Visits every path. A role that several paths end at is visited once for each.
pub(super) fn visit_paths<'a>(
    policy: &Policy,
    identity: &'a Identity,
    visit: &mut dyn FnMut(PrincipalPath<'a>),
) {
    visit_paths_through(policy, identity, groups(policy, identity), visit);
}

/// The ids of the identity's groups.
pub(super) fn groups(policy: &Policy, identity: &Identity) -> Vec<Option<PrincipalId>> {
    policy.principal_ids(PrincipalType::Group, identity.groups())
}

/// As [`visit_paths`], with the groups already looked up.
pub(super) fn visit_paths_through<'a>(
    policy: &Policy,
    identity: &'a Identity,
    groups: Vec<Option<PrincipalId>>,
    visit: &mut dyn FnMut(PrincipalPath<'a>),
) {
    let mut visit_principal =
        |kind, name: &'a str, principal: Option<PrincipalId>, group, source, source_of_roles| {
            visit(PrincipalPath {
                source,
                group,
                to: Target::Named(kind, name, principal),
            });
            for role in principal.map_or(&[][..], |principal| policy.links(principal)) {
                visit(PrincipalPath {
                    source: source_of_roles,
                    group,
                    to: Target::Role(*role),
                });
            }
        };
    let (kind, user) = (identity.principal_type(), identity.user());
    visit_principal(
        kind,
        user,
        policy.principal_id(kind, user),
        None,
        Source::User,
        Source::Role,
    );
    for ((group, principal), index) in identity.groups().iter().zip(groups).zip(0..) {
        visit_principal(
            PrincipalType::Group,
            group,
            principal,
            Some(index),
            Source::Group,
            Source::GroupRole,
        );
    }
}
