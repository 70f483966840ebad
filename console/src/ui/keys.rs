//! Keys of the keyboard, as they are shown.

use leptos::prelude::*;

use crate::dom;

/// One key. `Ctrl` is the command key on a Mac.
#[component]
pub fn Key(
    /// What is printed on it.
    name: &'static str,
) -> impl IntoView {
    let name = if name == "Ctrl" && dom::is_mac() {
        "⌘"
    } else {
        name
    };
    view! { <kbd class="kbd">{name}</kbd> }
}
