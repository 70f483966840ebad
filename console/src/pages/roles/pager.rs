//! The pager of a long list.

use gbac_console_model::roles::PAGE;
use gbac_words::common;
use gbac_words::phrases::thousands;
use leptos::prelude::*;

use crate::ui::{Glyph, IconButton};

/// Which rows are shown, and the buttons to the other pages; nothing where all rows are on one.
#[component]
pub fn Pager(
    /// Where it stands, for the names of its parts: `above` or `below` the list.
    place: &'static str,
    /// The page, from 0.
    page: Memo<usize>,
    /// How many rows there are on all pages.
    found: Memo<usize>,
    /// Asked for a page.
    #[prop(into)]
    on_page: Callback<usize>,
) -> impl IntoView {
    let last = Memo::new(move |_| found.get().saturating_sub(1) / PAGE);
    let is_needed = Memo::new(move |_| last.get() > 0);
    let is_first = Signal::derive(move || page.get() == 0);
    let is_last = Signal::derive(move || page.get() == last.get());
    let rows = move || {
        let first = page.get() * PAGE;
        let last = (first + PAGE).min(found.get());
        common::rows(first + 1, last, found.get())
    };
    move || {
        is_needed.get().then(|| view! {
            <nav class=if place == "below" { "t-foot pager" } else { "pager" } aria-label=format!("Pages, {place} the list")>
                <span>{rows}</span>
                <span class="row">
                    <IconButton glyph=Glyph::First label="First page" busy=is_first on_press=move |()| on_page.run(0) />
                    <IconButton glyph=Glyph::Previous label="Previous page" busy=is_first
                        on_press=move |()| on_page.run(page.get_untracked().saturating_sub(1)) />
                    <span class="quiet">{move || format!("{} of {}", thousands(page.get() + 1), thousands(last.get() + 1))}</span>
                    <IconButton glyph=Glyph::Chevron label="Next page" busy=is_last
                        on_press=move |()| on_page.run(page.get_untracked() + 1) />
                    <IconButton glyph=Glyph::Last label="Last page" busy=is_last on_press=move |()| on_page.run(last.get_untracked()) />
                </span>
            </nav>
        })
    }
}
