//! The ways from an identity to the principals that ACLs may name, in the order of D-20.

use super::Source;
use crate::identity::Identity;
use crate::model::PrincipalType;
use crate::policy::{Policy, PrincipalId};

/// One way: to the user, one of its roles, a group, or a role of a group.
pub(super) struct Way<'a> {
    pub(super) source: Source,
    /// The place of the group that it goes through.
    pub(super) group: Option<u32>,
    pub(super) kind: PrincipalType,
    pub(super) name: &'a str,
    /// None when the policy does not speak of the principal.
    pub(super) principal: Option<PrincipalId>,
}

/// Goes every way; a role that several lead to is reached once by each.
pub(super) fn ways<'a>(policy: &'a Policy, identity: &'a Identity, visit: &mut dyn FnMut(Way<'a>)) {
    let mut go = |kind, name: &'a str, group, source, source_of_roles| {
        let principal = policy.principal_id(kind, name);
        visit(Way { source, group, kind, name, principal });
        for role in principal.map_or(&[][..], |principal| policy.links(principal)) {
            let name = policy.principal(*role).map_or("", |role| role.name());
            visit(Way { source: source_of_roles, group, kind: PrincipalType::Role, name, principal: Some(*role) });
        }
    };
    go(PrincipalType::User, identity.user(), None, Source::User, Source::Role);
    for (group, place) in identity.groups().iter().zip(0..) {
        go(PrincipalType::Group, group, Some(place), Source::Group, Source::GroupRole);
    }
}
