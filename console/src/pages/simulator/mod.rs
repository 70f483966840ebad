//! The simulator: what a token may do and why, decided in this browser.

use leptos::prelude::*;

use crate::dom;

/// The page.
#[component]
pub fn Simulator() -> impl IntoView {
    dom::set_title("Simulator");
    view! { <div class="head"><div><h1>"Simulator"</h1></div></div> }
}
