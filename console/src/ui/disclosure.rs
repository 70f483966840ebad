//! A button that opens and closes a section.

use leptos::prelude::*;

use super::{Glyph, Icon, IconSize};

/// A button that opens and closes what follows it.
#[component]
pub fn Disclosure(
    /// The id of what opens.
    #[prop(into)]
    id: String,
    /// Whether it is open.
    #[prop(into)]
    open: Signal<bool>,
    /// Asked to open (`true`) or close.
    #[prop(into)]
    on_toggle: Callback<bool>,
    /// What the button says.
    #[prop(into)]
    summary: ViewFn,
    /// What opens; made when it opens.
    children: ChildrenFn,
) -> impl IntoView {
    let controls = id.clone();
    view! {
        <button
            type="button"
            class="disc-b"
            aria-expanded=move || if open.get() { "true" } else { "false" }
            aria-controls=controls
            on:click=move |_| on_toggle.run(!open.get_untracked())
        >
            <Icon glyph=Glyph::Chevron size=IconSize::Small class="chev" />
            {move || summary.run()}
        </button>
        <div id=id hidden=move || !open.get()>
            {move || open.get().then(|| children())}
        </div>
    }
}
