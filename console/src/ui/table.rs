//! Table heads that sort, and rows that are still on their way.

use leptos::prelude::*;

use super::{Glyph, Icon, IconSize};

/// The order of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SortOrder {
    /// Smallest first.
    Ascending,
    /// Largest first.
    Descending,
}

/// The head of a column that can be sorted by; `order` is none while another column is.
#[component]
pub fn SortHead(
    /// The words.
    #[prop(into)]
    label: String,
    /// Whether and how the table is sorted by this column.
    #[prop(into)]
    order: Signal<Option<SortOrder>>,
    /// What a press does.
    #[prop(into)]
    on_press: Callback<()>,
    /// Classes of the cell, such as `num`.
    #[prop(optional)]
    class: &'static str,
) -> impl IntoView {
    view! {
        <th
            role="columnheader"
            scope="col"
            class=class
            aria-sort=move || {
                order.get().map(|order| match order {
                    SortOrder::Ascending => "ascending",
                    SortOrder::Descending => "descending",
                })
            }
        >
            <button type="button" on:click=move |_| on_press.run(())>
                {label}
                <span class="sort-mark">
                    {move || {
                        order.get().map(|order| {
                            let glyph = if order == SortOrder::Ascending { Glyph::Up } else { Glyph::Down };
                            view! { <Icon glyph=glyph size=IconSize::Small class="i-sort" /> }
                        })
                    }}
                </span>
            </button>
        </th>
    }
}

/// Grey bars where rows will be; assistive technology hears `what` instead ("Reading roles").
#[component]
pub fn SkeletonRows(
    /// What is being read.
    #[prop(into)]
    what: String,
    /// How many rows.
    #[prop(default = 6)]
    rows: usize,
) -> impl IntoView {
    view! {
        <div class="panel flat" aria-busy="true">
            <p class="sr" role="status">{what}</p>
            <div class="sk-rows" aria-hidden="true">
                {(0..rows)
                    .map(|row| {
                        let class = ["sk sk-a", "sk sk-b", "sk sk-c", "sk sk-d"].get(row % 4).copied().unwrap_or("sk");
                        view! { <div class="sk-row"><span class=class></span><span class="sk sk-n"></span><span class="sk sk-n"></span></div> }
                    })
                    .collect_view()}
            </div>
        </div>
    }
}
