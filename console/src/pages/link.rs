//! Links to roles, whatever characters are in their names.

use leptos::ev;
use leptos::prelude::*;
use leptos_router::hooks::use_navigate;

use crate::state::address;
use crate::ui::ResourceName;

/// The name of a role, as a link to its page.
#[component]
pub fn RoleLink(
    /// The role's name.
    #[prop(into)]
    name: String,
) -> impl IntoView {
    let href = address::role(&name);
    let navigate = use_navigate();
    let follow = {
        let href = href.clone();
        move |event: ev::MouseEvent| {
            // The router would decode the address once more: it would take the role `a%2Fb` for `a/b`.
            let is_plain =
                event.button() == 0 && !event.ctrl_key() && !event.meta_key() && !event.shift_key() && !event.alt_key();
            if is_plain {
                event.prevent_default();
                navigate(&href, leptos_router::NavigateOptions::default());
            }
        }
    };
    view! { <a class="rs" href=href on:click=follow><ResourceName name=name /></a> }
}
