//! The differences: the filters, and a table by principal.

use std::collections::BTreeSet;
use std::sync::Arc;

use gbac_analysis::Scope;
use gbac_console_model::compare_clusters::{
    CellOutcome, ClusterComparison, DifferenceCell, DifferenceFilter, DifferenceRow,
    DifferenceSide, LeastBreadth, PAGE, RowAccess, RowGroup, UNPAGED,
};
use gbac_engine::model::Operation;
use gbac_engine::policy::Policy;
use gbac_words::breadth;
use gbac_words::pages::compare_clusters as words;
use gbac_words::phrases::{count, thousands};
use leptos::prelude::*;

use super::context::CompareContext;
use crate::pages::effect::{HolderName, Limits};
use crate::pages::opening::opened;
use crate::pages::rich_text::sentence;
use crate::pages::roles::pager::Pager;
use crate::store::service::Service;
use crate::ui::{
    Button, Choice, Empty, Field, Glyph, Heads, Mark, Mono, Segmented, Select, Table, VerdictWord,
};

#[component]
pub(super) fn Differences(comparison: Arc<ClusterComparison>) -> impl IntoView {
    let (context, service) = (
        expect_context::<CompareContext>(),
        expect_context::<Service>(),
    );
    let filtered = Arc::clone(&comparison);
    let shown = Memo::new(move |_| context.filter.with(|filter| filtered.shown(filter)));
    let number = Memo::new(move |_| shown.with(Vec::len));
    let page = RwSignal::new(0_usize);
    // Another filter begins at its first page.
    Effect::new(move |_| {
        context.filter.track();
        page.set(0);
    });
    let is_paged = Memo::new(move |_| number.get() > UNPAGED);
    let here = Memo::new(move |_| {
        shown.with(|shown| match is_paged.get() {
            true => shown
                .iter()
                .skip(page.get() * PAGE)
                .take(PAGE)
                .copied()
                .collect(),
            false => shown.clone(),
        })
    });
    let at = Memo::new(move |_| page.get());
    let turn = Callback::new(move |to| page.set(to));
    let pager = move |place| {
        is_paged
            .get()
            .then(|| view! { <Pager place=place page=at found=number on_page=turn /> })
    };
    let all = comparison.rows.len();
    let rows = Arc::clone(&comparison);
    let table = move || {
        let groups = here.with(|here| rows.groups(here));
        let policies = context.policies.get_untracked()?;
        let rows = Arc::clone(&rows);
        let mut heads = Heads::default()
            .and_view(view! { <SelectAll shown=shown /> })
            .and(["Can do"]);
        for side in context.sides {
            heads = heads.and_view(view! {
                <th role="columnheader" scope="col" class="w-ab">
                    <span class="ab-k">{side.side.letter()}</span> " "
                    {move || view! { <Mono text=side.name(service.named_cluster().as_deref()) /> }}
                </th>
            });
        }
        Some(view! {
            <Table label="Differences" caption=words::DIFFERENCES class="cmp" heads=heads>
                <tbody role="rowgroup">
                    {groups.into_iter().map(|group| view! { <Group group=group comparison=Arc::clone(&rows) policies=policies.clone() /> }).collect_view()}
                </tbody>
            </Table>
        })
    };
    let counted = move || {
        let differences = words::differences(number.get(), all);
        match context.same.get() {
            Some(same) => format!("{differences}, {}", words::same(same)),
            None => differences,
        }
    };
    view! {
        <Filters comparison=comparison />
        <p class="count" role="status">{counted}</p>
        {move || match number.get() {
            0 => view! {
                <div class="panel flat">
                    <Empty glyph=Glyph::Search title=words::NO_MATCH>
                        <Button on_press=move |()| context.filter.set(DifferenceFilter::default())>"Clear filters"</Button>
                    </Empty>
                </div>
            }
            .into_any(),
            _ => view! {
                {pager("above")}
                <div class="panel flat">{table.clone()} {pager("below")}</div>
            }
            .into_any(),
        }}
    }
}

#[component]
fn Filters(comparison: Arc<ClusterComparison>) -> impl IntoView {
    let filter = expect_context::<CompareContext>().filter;
    let side = Signal::derive(move || filter.with(|filter| filter.side.id().to_owned()));
    let least = Signal::derive(move || filter.with(|filter| filter.least.id().to_owned()));
    let text = Signal::derive(move || filter.with(|filter| filter.text.clone()));
    let operation = Signal::derive(move || {
        let operation = filter.with(|filter| filter.operation);
        operation
            .map_or("", |operation| operation.spelling().label)
            .to_owned()
    });
    let sides = Choice::each(DifferenceSide::ALL, |side| {
        let label = format!("{} {}", side.label(), thousands(comparison.count(side)));
        (side.id(), label)
    });
    let mut choices = vec![Choice::new("", "Any operation")];
    for operation in comparison.operations() {
        let label = operation.spelling().label;
        choices.push(Choice::new(label, label));
    }
    let named = |label: &str| {
        let mut all = Operation::ALL.iter();
        all.find(|operation| operation.spelling().label == label)
            .copied()
    };
    view! {
        <div class="filters cmp-f" role="search" aria-label="Filter differences">
            <Segmented name="difference-side" legend="Differences" value=side choices=sides
                on_change=move |id: String| filter.update(|filter| filter.side = DifferenceSide::find(&id)) />
            <Field id="difference-text" label="Principal or resource" mono=true kind="search" value=text
                on_input=move |text| filter.update(|filter| filter.text = text) />
            <Select id="difference-operation" label="Operation" value=operation choices=Signal::stored(choices)
                on_change=move |label: String| filter.update(|filter| filter.operation = named(&label)) />
            <Select id="difference-opens" label="Opens" value=least
                choices=Signal::stored(Choice::each(LeastBreadth::ALL, |least| (least.id(), least.label())))
                on_change=move |id: String| filter.update(|filter| filter.least = LeastBreadth::find(&id)) />
        </div>
    }
}

/// The box that selects what the filters show, on every page.
#[component]
fn SelectAll(shown: Memo<Vec<usize>>) -> impl IntoView {
    let selected = expect_context::<CompareContext>().selected;
    let number = Memo::new(move |_| {
        let (shown, selected) = (shown.read(), selected.read());
        shown
            .iter()
            .filter(|place| selected.contains(place))
            .count()
    });
    let all = Memo::new(move |_| number.get() == shown.with(Vec::len) && number.get() > 0);
    let some = Memo::new(move |_| number.get() > 0 && !all.get());
    view! {
        <th role="columnheader" scope="col" class="sel">
            <label class="check-hit">
                <span class="sr">{words::SELECT_ALL}</span>
                <input class="check" type="checkbox" prop:checked=move || all.get() prop:indeterminate=move || some.get()
                    on:change=move |_| {
                        let selects = !all.get_untracked();
                        selected.update(|selected| set_all(selected, &shown.get_untracked(), selects));
                    } />
            </label>
        </th>
    }
}

fn set_all(selected: &mut BTreeSet<usize>, places: &[usize], selects: bool) {
    for place in places {
        match selects {
            true => selected.insert(*place),
            false => selected.remove(place),
        };
    }
}

#[component]
fn Group(
    group: RowGroup,
    comparison: Arc<ClusterComparison>,
    policies: [Arc<Policy>; 2],
) -> impl IntoView {
    let number = count(group.rows.len(), "difference");
    let who = holder(group.holder.as_ref());
    view! {
        <tr role="row" class="g">
            <th role="rowheader" colspan="4" scope="rowgroup">
                <span class="src">{who} <span class="row-end">{number}</span></span>
            </th>
        </tr>
        {group.rows.into_iter().filter_map(|place| {
            let row = comparison.rows.get(place)?.clone();
            Some(view! { <Row place=place row=row policies=policies.clone() /> })
        }).collect_view()}
    }
}

fn holder(holder: Option<&Scope>) -> AnyView {
    match holder {
        None => view! { <b>"Everyone"</b> <span>{words::OF_SETTINGS}</span> }.into_any(),
        Some(holder) => view! { <span><HolderName holder=holder.clone() /></span> }.into_any(),
    }
}

#[component]
fn Row(place: usize, row: DifferenceRow, policies: [Arc<Policy>; 2]) -> impl IntoView {
    let selected = expect_context::<CompareContext>().selected;
    let label = spoken(&row);
    let [a, b] = &policies;
    let (what, cells) = match &row.access {
        RowAccess::Setting { name, values } => {
            let cells = values.clone().map(|value| match value.is_empty() {
                true => view! { <span class="quiet">"none"</span> }.into_any(),
                false => view! { <Mono text=value /> }.into_any(),
            });
            (
                view! { <Mono text=(*name).to_owned() /> }.into_any(),
                Some(cells),
            )
        }
        RowAccess::Region(region, _) => {
            let what = view! {
                <span class="opb">
                    <span>{row.operations()}</span>
                    {opened(&row.opening())}
                    <small class="quiet"><Limits extent=region.clone() /></small>
                </span>
            };
            (
                what.into_any(),
                row.cells([a, b]).map(|cells| cells.map(cell)),
            )
        }
    };
    let [in_a, in_b] = cells.unwrap_or_else(|| [().into_any(), ().into_any()]);
    view! {
        <tr role="row">
            <td role="cell" class="sel">
                <label class="check-hit">
                    <span class="sr">{label}</span>
                    <input class="check" type="checkbox" prop:checked=move || selected.with(|selected| selected.contains(&place))
                        on:change=move |event| {
                            let selects = event_target_checked(&event);
                            selected.update(|selected| set_all(selected, &[place], selects));
                        } />
                </label>
            </td>
            <th role="rowheader" scope="row">{what}</th>
            <td role="cell" data-l="A"><div class="c">{in_a}</div></td>
            <td role="cell" data-l="B"><div class="c">{in_b}</div></td>
        </tr>
    }
}

/// A row as the name of its box.
fn spoken(row: &DifferenceRow) -> String {
    match (&row.access, &row.holder) {
        (RowAccess::Region(..), Some(holder)) => {
            let holder = gbac_words::escape::plain(&holder.to_string());
            let names = breadth::opening(&row.opening()).plain();
            format!("Converge: {holder}, {}, {names}", row.operations())
        }
        (RowAccess::Setting { name, .. }, _) => format!("Converge: {name}"),
        (RowAccess::Region(..), None) => String::new(),
    }
}

fn cell(cell: DifferenceCell) -> AnyView {
    let mark = match cell.outcome {
        CellOutcome::Allow => Mark::Allow,
        CellOutcome::Deny => Mark::Deny,
        CellOutcome::Nothing => Mark::NoRule,
    };
    let word = cell.outcome.label();
    view! {
        <div class="vc">
            <VerdictWord mark=mark word=word small=true />
            {cell.through.map(|through| view! { <small>{sentence(&through)}</small> })}
        </div>
    }
    .into_any()
}
