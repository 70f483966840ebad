//! Links to roles, whatever characters are in their names.

use leptos::ev;
use leptos::prelude::*;
use leptos_router::hooks::use_navigate;

/// A link to the page of a role.
#[component]
pub fn RoleLink(
    /// The page's address, of [`address::role`](crate::state::address::role).
    href: String,
    /// How it looks: `rs` as a name, `pr` as a principal.
    #[prop(default = "rs")]
    class: &'static str,
    /// The role's name as it is shown.
    children: Children,
) -> impl IntoView {
    let navigate = use_navigate();
    let follow = {
        let href = href.clone();
        move |event: ev::MouseEvent| {
            // The router would write the address decoded: on loading it again the role `a%2Fb` would be `a/b`.
            let is_plain =
                event.button() == 0 && !event.ctrl_key() && !event.meta_key() && !event.shift_key() && !event.alt_key();
            if is_plain {
                event.prevent_default();
                navigate(&href, leptos_router::NavigateOptions::default());
            }
        }
    };
    view! { <a class=class href=href on:click=follow>{children()}</a> }
}
