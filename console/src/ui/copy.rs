//! A block of text with a copy button.

use std::time::Duration;

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
            <pre class="code" tabindex="0" role="region" aria-label=region><code>{move || text.with(|text| whole_words(text))}</code></pre>
            <CopyButton text=text label=label />
        </div>
    }
}

/// How long the button says that it copied.
const SAID: Duration = Duration::from_secs(2);
/// The longest text whose words are kept whole, in bytes: each of them is an element of the page.
const LONGEST: usize = 40_000;

/// A text that moves words to the next line whole before it breaks them: browsers break at the
/// hyphens of an option.
fn whole_words(text: &str) -> AnyView {
    if text.len() > LONGEST {
        return text.to_owned().into_any();
    }
    text.split_inclusive([' ', '\n'])
        .map(|part| {
            let word = part.trim_end_matches([' ', '\n']);
            let space = part.get(word.len()..).unwrap_or_default().to_owned();
            if word.contains(['-', '/']) {
                view! { <span class="whole">{word.to_owned()}</span> {space} }.into_any()
            } else {
                part.to_owned().into_any()
            }
        })
        .collect_view()
        .into_any()
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
    let is_copied = RwSignal::new(false);
    let copy = move |()| {
        spawn_local(async move {
            match dom::copy(&text.get_untracked()).await {
                Ok(()) => {
                    dom::announce("Copied");
                    let _ = is_copied.try_set(true);
                    let rest = move || {
                        // The button may be gone by now.
                        let _ = is_copied.try_set(false);
                    };
                    set_timeout(rest, SAID);
                }
                Err(reason) => dom::announce_error(&format!("Not copied: {reason}")),
            }
        });
    };
    // The name stays, so that what reads the page aloud finds the button.
    view! {
        <Button small=true on_press=copy>
            <span class:sr=is_copied>{label}</span>
            {move || is_copied.get().then(|| view! { <span aria-hidden="true">"Copied"</span> })}
        </Button>
    }
}
