//! The list of roles.

use leptos::prelude::*;

/// The page.
#[component]
pub fn RolesPage() -> impl IntoView {
    view! { <h1>"Roles"</h1> }
}
