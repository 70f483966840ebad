//! One role.

use leptos::prelude::*;

/// The page.
#[component]
pub fn RolePage() -> impl IntoView {
    view! { <h1>"Role"</h1> }
}
