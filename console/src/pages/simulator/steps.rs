//! The middle pane: from the token to principals, step by step, with collisions and the diagnosis of each step.

use gbac_console_model::simulator::extraction;
use gbac_console_model::simulator::extraction::{ElementRow, ExtractionNote, RowOutcome, StepState, Steps, Table};
use gbac_console_model::simulator::inputs::Weight;
use gbac_console_model::simulator::panel::Panel;
use gbac_console_model::simulator::troubleshoot::diagnosed_by;
use leptos::prelude::*;

use super::panels::{content, diagnosis};
use super::parts::actions;
use super::state::SimulatorState;
use crate::pages::rich_text::{sentence, shown};
use crate::ui::{Glyph, Icon, IconSize, LinkButton, PrincipalName};

/// The step that collisions stand in.
const NESTED_NAMES: &str = "Nested names";
/// How many elements are shown at first.
const FIRST_ROWS: usize = 50;

/// The pane.
#[component]
pub(super) fn StepsPane(state: SimulatorState) -> impl IntoView {
    let steps = state.part(|view| view.steps.clone());
    let stale = state.part(|view| view.steps_stale);
    let troubleshooting = state.is_open(Panel::Troubleshooting);
    view! {
        <section class="pane" aria-labelledby="h-ext">
            <div class="pane-h">
                <h2 id="h-ext">"Extraction"</h2>
                <span class="count">{move || steps.with(|steps| steps.as_ref().map(|steps| steps.summary.clone()))}</span>
                <span class="row-end"><Toggle state=state part=Panel::Troubleshooting label="Troubleshoot" /></span>
            </div>
            {move || stale.get().map(|of| view! {
                <p class="msg msg-warn"><Icon glyph=Glyph::Warn size=IconSize::Small /><span>"Shown for " {of}</span></p>
            })}
            {move || steps.with(|steps| match steps {
                Some(steps) => view(state, steps).into_any(),
                None => outline(state).into_any(),
            })}
            <div id=Panel::Troubleshooting.id() hidden=move || !troubleshooting.get()>
                {move || troubleshooting.get().then(|| view! {
                    <hr class="sep" />
                    <div class="stack" role="group" aria-label="Troubleshooting">{content(state, Panel::Troubleshooting)}</div>
                })}
            </div>
        </section>
    }
}

/// The steps before there is anything to take.
fn outline(state: SimulatorState) -> impl IntoView {
    let items = extraction::outline()
        .into_iter()
        .map(|(title, words)| {
            let collisions = (title == NESTED_NAMES).then(|| collisions(state));
            view! { <li><h3 class="quiet">{title}</h3><div><p>{sentence(&words)}</p>{collisions}</div></li> }
        })
        .collect_view();
    view! { <ol class="steps">{items}</ol> }
}

/// A button that opens and closes a section of the pane.
#[component]
fn Toggle(state: SimulatorState, part: Panel, label: &'static str) -> impl IntoView {
    let open = state.is_open(part);
    view! {
        <button
            class="link" type="button" aria-controls=part.id()
            aria-expanded=move || if open.get() { "true" } else { "false" }
            on:click=move |_| state.toggle(part, !open.get_untracked())
        >{label}</button>
    }
}

/// The collisions, once somebody asks for them: what they give away takes a comparison of the whole policy.
fn collisions(state: SimulatorState) -> impl IntoView {
    let open = state.is_open(Panel::Collisions);
    view! {
        <p><Toggle state=state part=Panel::Collisions label="Check for collisions" /></p>
        <div id=Panel::Collisions.id() hidden=move || !open.get()>
            {move || open.get().then(|| view! {
                <div class="diagnosis stack" role="region" aria-label="Group name collisions">{content(state, Panel::Collisions)}</div>
            })}
        </div>
    }
}

/// The diagnosis of a step, while troubleshooting is open.
fn diagnoses(state: SimulatorState, title: &str) -> impl IntoView + use<> {
    let open = state.is_open(Panel::Troubleshooting);
    let codes = diagnosed_by(title);
    move || open.get().then(|| codes.iter().map(|code| diagnosis(state, code)).collect_view())
}

fn view(state: SimulatorState, steps: &Steps) -> impl IntoView + use<> {
    let last = steps.steps.len().saturating_sub(1);
    let table = steps.table.clone();
    // Groups that were entered by hand have no such step.
    let nested = steps.steps.iter().position(|step| step.title == NESTED_NAMES).unwrap_or(last);
    let items = steps
        .steps
        .iter()
        .enumerate()
        .map(|(place, step)| {
            let class = match step.state {
                StepState::Done => "",
                StepState::Warn => "warn",
                StepState::Bad => "bad",
            };
            let icon = match step.state {
                StepState::Done => None,
                StepState::Warn => Some(view! { <span class="sr">"check this: "</span> }),
                StepState::Bad => Some(view! { <span class="sr">"failed: "</span> }),
            };
            let count = (!step.count.is_empty()).then(|| view! { <span class="count">{step.count.clone()}</span> });
            let body = step.body.iter().map(|words| view! { <p>{sentence(words)}</p> }).collect_view();
            let table = table.as_ref().filter(|_| place == last).cloned();
            let collisions = (place == nested).then(|| collisions(state));
            let diagnoses = diagnoses(state, step.title);
            view! {
                <li class=class>
                    <h3>{icon}{step.title}" "{count}</h3>
                    <div>{body}{table.map(|table| view! { <Elements table=table /> })}{collisions}{diagnoses}</div>
                </li>
            }
        })
        .collect_view();
    let (lines, banners): (Vec<&ExtractionNote>, Vec<&ExtractionNote>) =
        steps.notes.iter().partition(|note| note.weight == Weight::Info);
    let banners = banners.into_iter().map(|note| banner(state, note)).collect_view();
    let lines = (!lines.is_empty()).then(|| {
        let lines = lines
            .into_iter()
            .map(|note| {
                view! {
                    <li>
                        <span class="dim"><Icon glyph=Glyph::Info size=IconSize::Small /></span>
                        <span class="quiet">{sentence(&note.words)}</span>
                    </li>
                }
            })
            .collect_view();
        view! { <ul class="facts remarks" aria-label="Notes">{lines}</ul> }
    });
    view! { <ol class="steps">{items}</ol> {banners} {lines} }
}

fn banner(state: SimulatorState, note: &ExtractionNote) -> impl IntoView + use<> {
    view! {
        <div class="note note-warn">
            <Icon glyph=Glyph::Warn />
            <div>
                <h3>{note.title.clone()}</h3>
                <p>{sentence(&note.words)}</p>
                {actions(state, &note.actions)}
            </div>
        </div>
    }
}

#[component]
fn Elements(table: Table) -> impl IntoView {
    let all = RwSignal::new(false);
    let (number, numbered) = (table.rows.len(), table.numbered);
    let rows = StoredValue::new(table.rows);
    let head = if table.source == "by hand" {
        "Name entered by hand".to_owned()
    } else {
        format!("Element of {}", table.source)
    };
    view! {
        <table class="map">
            <caption class="sr">"Claim elements and the principals they become"</caption>
            <thead>
                <tr>
                    <th scope="col" class=if numbered { "num" } else { "" }>{if numbered { "#" } else { "Place" }}</th>
                    <th scope="col">{head}</th>
                    <th scope="col">"Principal"</th>
                </tr>
            </thead>
            <tbody>
                {move || {
                    let most = if all.get() { usize::MAX } else { FIRST_ROWS };
                    rows.with_value(|rows| rows.iter().take(most).map(|row| element(row, numbered)).collect_view())
                }}
            </tbody>
        </table>
        {move || {
            (number > FIRST_ROWS && !all.get())
                .then(|| view! { <LinkButton on_press=move |()| all.set(true)>{format!("Show all {number}")}</LinkButton> })
        }}
    }
}

fn element(row: &ElementRow, numbered: bool) -> impl IntoView + use<> {
    let (before, marked) = row.raw.clone();
    let marked = (!marked.is_empty()).then(|| view! { <mark>{shown(&marked)}</mark> });
    let warned = |words: &'static str| {
        view! {
            " " <span class="v v-warn"><Icon glyph=Glyph::Warn size=IconSize::Small /><span class="sr">{words}</span></span>
        }
    };
    let outcome = match &row.outcome {
        RowOutcome::Principal(principal) => view! { <PrincipalName principal=principal.clone() /> }.into_any(),
        RowOutcome::Merged(principal) => {
            view! { <PrincipalName principal=principal.clone() />{warned("merged with another group")} }.into_any()
        }
        RowOutcome::Repeated(principal) => {
            view! { <PrincipalName principal=principal.clone() /> " " <span class="quiet">"again"</span> }.into_any()
        }
        RowOutcome::Dropped(why) => view! { <span class="quiet">{*why}</span>{warned("")} }.into_any(),
    };
    view! {
        <tr>
            <td class=if numbered { "cl dim num" } else { "cl dim" }>{row.place.clone()}</td>
            <td><bdi class="cl">{shown(&before)}{marked}</bdi></td>
            <td>{outcome}</td>
        </tr>
    }
}
