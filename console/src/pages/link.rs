//! Links to pages whose addresses contain names.

use gbac_console_model::permissions::who_can::WhoCanQuery;
use gbac_engine::model::{Acl, ResourceType};
use gbac_words::escape::plain;
use leptos::ev;
use leptos::prelude::*;

use crate::dom;
use crate::ui::ResourceName;

/// A link to an address that is written as it is: the router would decode it on the way.
#[component]
pub fn AddressLink(
    /// The address.
    #[prop(into)]
    href: String,
    /// How it looks: `rs` as a name, `pr` as a principal, `btn btn-sm` as a button.
    #[prop(default = "rs")]
    class: &'static str,
    /// The element's id, where focus has to find it.
    #[prop(optional, into)]
    id: Option<String>,
    /// What it says to assistive technology, where its own words say too little.
    #[prop(optional, into)]
    label: Option<String>,
    /// The words.
    children: Children,
) -> impl IntoView {
    let navigate = dom::use_navigate();
    let follow = {
        let href = href.clone();
        move |event: ev::MouseEvent| {
            // The router would write the address decoded: on loading it again the role `a%2Fb`
            // would be `a/b`.
            let is_plain = event.button() == 0
                && !event.ctrl_key()
                && !event.meta_key()
                && !event.shift_key()
                && !event.alt_key();
            if is_plain {
                event.prevent_default();
                navigate(&href, leptos_router::NavigateOptions::default());
            }
        }
    };
    view! { <a class=class href=href id=id aria-label=label on:click=follow>{children()}</a> }
}

/// A link to the page of a role.
#[component]
pub fn RoleLink(
    /// The page's address, of [`address::role`](gbac_console_model::address::role).
    href: String,
    /// How it looks: `rs` as a name, `pr` as a principal.
    #[prop(default = "rs")]
    class: &'static str,
    /// The element's id, where focus has to find it.
    #[prop(optional, into)]
    id: Option<String>,
    /// The role's name as it is shown.
    children: Children,
) -> impl IntoView {
    match id {
        Some(id) => {
            view! { <AddressLink href=href class=class id=id>{children()}</AddressLink> }.into_any()
        }
        None => view! { <AddressLink href=href class=class>{children()}</AddressLink> }.into_any(),
    }
}

/// The resource of an ACL, as a link to who else can do the same there.
#[component]
pub fn WhoCanLink(
    /// The ACL.
    acl: Acl,
) -> impl IntoView {
    let query = WhoCanQuery::for_acl(&acl);
    let words = match (acl.resource_type, query.is_prefix()) {
        (ResourceType::Registry, _) => "the registry itself".to_owned(),
        (_, true) => format!("{}, prefixed", plain(&acl.resource_name)),
        (_, false) => plain(&acl.resource_name),
    };
    let label = format!(
        "{words}: who can {}",
        query.operation.spelling().label.to_lowercase()
    );
    view! {
        <AddressLink href=query.address() label=label>
            {match acl.resource_type {
                ResourceType::Registry => "the registry itself".into_any(),
                _ => view! { <ResourceName name=acl.resource_name /> }.into_any(),
            }}
        </AddressLink>
    }
}
