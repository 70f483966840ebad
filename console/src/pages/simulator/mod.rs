//! The simulator: what a token may do, and why.

use leptos::prelude::*;

/// The page.
#[component]
pub fn Simulator() -> impl IntoView {
    view! { <div class="head"><div><h1>"Simulator"</h1></div></div> }
}
