//! Tables, their heads, and rows that are loading.

use std::borrow::Cow;

use leptos::prelude::*;

use super::{Glyph, Icon, IconSize};

/// The heads of a table's columns, from the left.
#[derive(Default)]
pub struct Heads(Vec<AnyView>);

impl<T: Into<Cow<'static, str>>, const N: usize> From<[T; N]> for Heads {
    fn from(words: [T; N]) -> Self {
        Self::default().and(words)
    }
}

impl Heads {
    /// With heads of words after these.
    #[must_use]
    pub fn and<T: Into<Cow<'static, str>>, const N: usize>(self, words: [T; N]) -> Self {
        words.into_iter().fold(self, |heads, word| {
            let word: Cow<'static, str> = word.into();
            heads.and_view(view! { <th role="columnheader" scope="col">{word}</th> })
        })
    }

    /// With a head that is only heard, for a column that explains itself to the eye.
    #[must_use]
    pub fn and_unseen(self, word: &'static str) -> Self {
        self.and_view(
            view! { <th role="columnheader" scope="col"><span class="sr">{word}</span></th> },
        )
    }

    /// With a cell of one's own, such as a [`SortHead`].
    #[must_use]
    pub fn and_view(mut self, cell: impl IntoView + 'static) -> Self {
        self.0.push(cell.into_any());
        self
    }
}

/// A table that scrolls sideways in a region of its own, and whose rows fold where there is no room
/// for columns.
#[component]
pub fn Table(
    /// The name of the region.
    #[prop(into)]
    label: String,
    /// What the rows are, for those who do not see it.
    #[prop(into)]
    caption: String,
    /// The heads.
    #[prop(into)]
    heads: Heads,
    /// How the rows fold, as a class of the table.
    #[prop(optional)]
    class: &'static str,
    /// With a line above, under other parts of the same panel.
    #[prop(optional)]
    line: bool,
    /// The id of the region, where something moves the focus to it.
    #[prop(optional)]
    id: Option<&'static str>,
    /// The bodies.
    children: Children,
) -> impl IntoView {
    view! {
        <div class="scroll" class:t-line=line tabindex="0" role="region" aria-label=label id=id>
            <table class=format!("t fold {class}") role="table">
                <caption class="sr">{caption}</caption>
                <thead role="rowgroup"><tr role="row">{heads.0}</tr></thead>
                {children()}
            </table>
        </div>
    }
}

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
