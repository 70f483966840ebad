//! A block of text with a copy button.

use leptos::prelude::*;
use leptos::task::spawn_local;

use super::Button;
use crate::dom;

/// A block of text with a button that copies it.
#[component]
pub fn CopyBlock(
    /// The text.
    #[prop(into)]
    text: Signal<String>,
    /// What it is, for the button's name: `the call`.
    #[prop(into)]
    what: String,
) -> impl IntoView {
    let label = format!("Copy {what}");
    let region = what.clone();
    view! {
        <div class="copy">
            <pre class="code" tabindex="0" role="region" aria-label=region><code>{move || text.get()}</code></pre>
            <CopyButton text=text label=label />
        </div>
    }
}

/// A button that copies a text and says so.
#[component]
pub fn CopyButton(
    /// The text.
    #[prop(into)]
    text: Signal<String>,
    /// The words.
    #[prop(into)]
    label: String,
) -> impl IntoView {
    let copy = move |()| {
        spawn_local(async move {
            match dom::copy(&text.get_untracked()).await {
                Ok(()) => dom::announce("Copied"),
                Err(reason) => dom::announce_error(&format!("Not copied: {reason}")),
            }
        });
    };
    view! { <Button small=true on_press=copy>{label}</Button> }
}
