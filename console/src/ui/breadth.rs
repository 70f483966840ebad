//! How much access opens: a bar of four segments, never without its words.

use gbac_analysis::Breadth;
use leptos::prelude::*;

/// The bar with its words; amber where it is every name of a type or more.
#[component]
pub fn BreadthBar(
    /// How much.
    breadth: Breadth,
    /// What opens.
    children: Children,
) -> impl IntoView {
    let class = match breadth {
        Breadth::OneName => "br b1",
        Breadth::Prefix => "br b2",
        Breadth::EveryName => "br b3",
        Breadth::Cluster => "br b4",
    };
    let words = match breadth.is_wide() {
        true => view! { <b>{children()}</b> }.into_any(),
        false => view! { <span>{children()}</span> }.into_any(),
    };
    view! {
        <span class="brw">
            <span class=class aria-hidden="true"><i></i><i></i><i></i><i></i></span>
            {words}
        </span>
    }
}
