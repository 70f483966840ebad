//! The path from a principal to an ACL, hop by hop.

use gbac_analysis::AclMatch;
use gbac_console_model::address;
use gbac_engine::model::{Permission, Principal};
use leptos::prelude::*;

use crate::pages::link::RoleLink;
use crate::ui::{AclPhrase, PrincipalName};

/// `Group:eng → Role:Readers → Allow Read, topic events- prefixed`; `direct` where there is no hop
/// between.
#[component]
pub(super) fn Path(
    /// The ACL and the way to it.
    by: AclMatch,
    /// Show the group on the way, where the start is not the group itself.
    #[prop(optional)]
    with_group: bool,
    /// Show `Allow` or `Deny`.
    #[prop(optional)]
    with_permission: bool,
) -> impl IntoView {
    let AclMatch { acl, group, role } = by;
    let is_direct =
        role.is_none() && !(with_group && group.is_some()) && !acl.principal.is_everyone();
    let group = group.filter(|_| with_group).map(|group| {
        view! { <li><PrincipalName principal=Principal::group(group) /></li> }
    });
    let role = role.map(|role| {
        let href = address::role(&role);
        view! { <li><RoleLink href=href class="pr"><PrincipalName principal=Principal::role(role) /></RoleLink></li> }
    });
    let everyone = acl
        .principal
        .is_everyone()
        .then(|| view! { <li><PrincipalName principal=Principal::user("*") /></li> });
    view! {
        <ol class="path">
            {group}
            {role}
            {everyone}
            {is_direct.then(|| view! { <li>"direct"</li> })}
            <li><AclPhrase acl=acl small=true with_permission=with_permission /></li>
        </ol>
    }
}

/// The ACLs that deny, each with the way to it, `Deny` in front.
#[component]
pub(super) fn Denies(
    /// The denies.
    denied_by: Vec<AclMatch>,
    /// Show the groups on the way.
    #[prop(optional)]
    with_group: bool,
) -> impl IntoView {
    denied_by
        .into_iter()
        .map(|by| {
            debug_assert_eq!(by.acl.permission, Permission::Deny);
            view! { <Path by=by with_group=with_group with_permission=true /> }
        })
        .collect_view()
}
