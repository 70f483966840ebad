//! The trace: every candidate ACL in evaluation order, with what matched and what did not.

use gbac_console_model::simulator::trace;
use gbac_console_model::simulator::trace::{EvaluationStep, Facet, TraceFilter, TraceRow};
use gbac_console_model::simulator::verdict::Judged;
use gbac_engine::decide::{CandidateStatus, Reason};
use gbac_words::pages::simulator as words;
use gbac_words::phrases::thousands;
use leptos::context::Provider;
use leptos::prelude::*;

use super::state::SimulatorState;
use crate::pages::chunk::{Chunk, ChunkError, Lazy, chunk};
use crate::pages::rich_text::sentence;
use crate::ui::{
    Button, Choice, Glyph, Icon, Mark, PermissionWord, Segmented, Table, Tag, TagKind, VerdictWord,
};

/// How many more rows a press shows.
const STEP: usize = 200;
/// How many rows are shown at first: each is drawn anew while one types.
const FIRST: usize = 100;

/// The trace, as soon as there is a verdict.
#[component]
pub(super) fn Trace(state: SimulatorState) -> impl IntoView {
    let some = state.has_judged();
    move || {
        some.get()
            .then(|| view! { <Provider value=state><Lazy chunk=ROWS part=true /></Provider> })
    }
}

chunk!(ROWS, "The trace", rest, fetch_rows, draw_rows, {
    let state = expect_context::<SimulatorState>();
    view! { <Shown state=state /> }.into_any()
});

#[component]
fn Shown(state: SimulatorState) -> impl IntoView {
    // With changes that are tried, it is the trace of the request as it is decided then.
    let own = state.judged();
    let judged = Memo::new(move |_| {
        state
            .tried
            .with(|tried| tried.as_ref().map(|tried| tried.judged.clone()))
            .or_else(|| own.get())
    });
    let is_tried = Memo::new(move |_| state.tried.with(Option::is_some));
    let stale = state.shown(|shown| shown.verdict_stale);
    let filter = RwSignal::new(TraceFilter::default());
    let limit = RwSignal::new(FIRST);
    // Other rows start from their top again.
    Effect::new(move |before: Option<()>| {
        judged.track();
        filter.track();
        if before.is_some() && limit.get_untracked() != FIRST {
            limit.set(FIRST);
        }
    });
    let value = Signal::derive(move || filter.get().code().to_owned());
    let number = Memo::new(move |_| {
        judged.with(|judged| {
            judged
                .as_ref()
                .map_or(0, |judged| judged.explanation.candidates.len())
        })
    });
    let shown = Memo::new(move |_| {
        judged.with(|judged| {
            judged
                .as_ref()
                .map(|judged| trace::visible_rows(judged, filter.get(), limit.get()))
        })
    });
    let some = Memo::new(move |_| judged.with(Option::is_some));
    view! {
        {move || {
            some.get().then(|| view! {
                <section class="section trace" aria-labelledby="h-tr">
                    <div class="row">
                        <h2 id="h-tr">"Trace"</h2>
                        <span class="count">
                            {move || judged.with(|judged| judged.as_ref().map(|judged| gbac_words::trace::summary(&judged.explanation)))}
                        </span>
                        {move || is_tried.get().then(|| view! { <Tag kind=TagKind::Draft>"With the changes"</Tag> })}
                        {move || stale.get().map(|of| view! { <VerdictWord mark=Mark::Warn word=format!("of {of}") small=true /> })}
                        <span class="row-end">
                            {move || {
                                let all = format!("All {}", thousands(number.get()));
                                let choices = vec![
                                    Choice::new(TraceFilter::Deciding.code(), "Deciding"),
                                    Choice::new(TraceFilter::OnResource.code(), "On this resource"),
                                    Choice::new(TraceFilter::All.code(), all),
                                ];
                                view! {
                                    <Segmented
                                        name="rows" legend="Rows shown" hide_legend=true small=true value=value choices=choices
                                        on_change=move |code: String| filter.set(TraceFilter::from_code(&code))
                                    />
                                }
                            }}
                        </span>
                    </div>
                    <div class="panel flat">
                        <Table
                            label="Trace table" caption=words::CANDIDATES
                            heads=["Principal", "Permission", "Resource", "Operation", "Host", "Result"]
                        >
                            {move || shown.with(|shown| shown.as_ref().map(|shown| {
                                shown.passes.iter().enumerate().map(|(place, found)| pass(place, found)).collect_view()
                            }))}
                        </Table>
                        <div class="t-foot">
                            {move || judged.with(|judged| judged.as_ref().map(|judged| foot(judged)))}
                            {move || shown.with(|shown| shown.as_ref().map(|shown| {
                                let folded = (shown.hidden > 0).then(|| {
                                    let words = words::hidden_candidates(shown.hidden, filter.get() == TraceFilter::OnResource);
                                    view! { <span>{words}</span> }
                                });
                                let more = shown.rows.saturating_sub(limit.get());
                                let more = (more > 0).then(|| view! {
                                    <span class="row-end row">
                                        <span>{format!("{} of {} rows", thousands(limit.get()), thousands(shown.rows))}</span>
                                        <Button small=true on_press=move |()| limit.update(|limit| *limit += STEP)>
                                            {format!("Show {} more", thousands(more.min(STEP)))}
                                        </Button>
                                    </span>
                                });
                                view! { {folded} {more} }
                            }))}
                        </div>
                    </div>
                </section>
            })
        }}
    }
}

fn foot(judged: &Judged) -> impl IntoView + use<> {
    let superuser = judged.explanation.decision.reason == Reason::Superuser;
    let words = if superuser {
        None
    } else {
        Some(sentence(&trace::user_roles(judged)))
    };
    view! { <span>{words}</span> }
}

fn pass(place: usize, pass: &EvaluationStep) -> impl IntoView + use<> {
    let last = pass.rows.len().saturating_sub(1);
    let rows = pass
        .rows
        .iter()
        .enumerate()
        .map(|(place, found)| row(found, place == last))
        .collect_view();
    view! {
        <tbody role="rowgroup">
            <tr role="row" class=if place == 0 { "g" } else { "g pass" }>
                <th role="rowheader" colspan="6" scope="rowgroup">
                    <span class="src"><b>{pass.title}</b><span>{pass.words}</span></span>
                </th>
            </tr>
            {rows}
        </tbody>
    }
}

fn row(row: &TraceRow, last: bool) -> impl IntoView + use<> {
    let decides = row.result == CandidateStatus::Decides;
    let class = match (decides, row.permission, last) {
        (true, gbac_engine::model::Permission::Allow, true) => "hit good end",
        (true, gbac_engine::model::Permission::Allow, false) => "hit good",
        (true, gbac_engine::model::Permission::Deny, true) => "hit end",
        (true, gbac_engine::model::Permission::Deny, false) => "hit",
        (false, _, true) => "end",
        (false, _, false) => "",
    };
    let permission = match row.result {
        CandidateStatus::Overridden => {
            view! { <span class="v v-over"><Icon glyph=Glyph::Overridden /><b>"Allow"</b></span> }
                .into_any()
        }
        _ => view! { <PermissionWord permission=row.permission /> }.into_any(),
    };
    view! {
        <tr role="row" class=class>
            <th role="rowheader" scope="row">{facet(&row.principal)}</th>
            <td role="cell" data-l="Permission">{permission}</td>
            <td role="cell" data-l="Resource">{facet(&row.resource)}</td>
            <td role="cell" data-l="Operation">{facet(&row.operation)}</td>
            <td role="cell" data-l="Host">{facet(&row.host)}</td>
            <td role="cell" data-l="Result">{result(row)}</td>
        </tr>
    }
}

fn facet(facet: &Facet) -> impl IntoView + use<> {
    let (class, glyph, says) = if facet.matches {
        ("f", Glyph::Tick, "matches: ")
    } else {
        ("f no", Glyph::Cross, "does not match: ")
    };
    let small = facet
        .small
        .as_ref()
        .map(|words| view! { <small>{sentence(words)}</small> });
    view! {
        <div class=class>
            <Icon glyph=glyph />
            <span><span class="sr">{says}</span><span class="op">{sentence(&facet.words)}</span></span>
            {small}
        </div>
    }
}

fn result(row: &TraceRow) -> AnyView {
    let allows = row.permission == gbac_engine::model::Permission::Allow;
    match row.result {
        CandidateStatus::Decides => {
            let mark = if allows { Mark::Allow } else { Mark::Deny };
            view! { <VerdictWord mark=mark word="Decides" /> }.into_any()
        }
        CandidateStatus::Agrees => {
            view! { <span class="quiet">{if allows { "Allows too" } else { "Denies too" }}</span> }
                .into_any()
        }
        CandidateStatus::Overridden => {
            view! { <VerdictWord mark=Mark::Overridden word="Allows" /> }.into_any()
        }
        CandidateStatus::NotReached => {
            view! { <span class="quiet">"Not evaluated"</span> }.into_any()
        }
        CandidateStatus::Near(_) => {
            view! { <VerdictWord mark=Mark::Near word="Near miss" /> }.into_any()
        }
        CandidateStatus::NoMatch => view! { <span class="dim">"No match"</span> }.into_any(),
    }
}
