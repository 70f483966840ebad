//! The request and its verdict, with its reasons and what can be done about it.

use gbac_console_model::address;
use gbac_console_model::settings::service::provider_gap;
use gbac_console_model::simulator::inputs::{InputField, Inputs, Panel, Weight};
use gbac_console_model::simulator::pipeline::Waiting;
use gbac_console_model::simulator::verdict::{Verdict, VerdictKind, Why};
use gbac_engine::model::{CLUSTER_NAME, Dialect, Operation, ResourceType};
use gbac_words::common::POLICY_NOT_READ;
use gbac_words::pages::simulator as words;
use leptos::prelude::*;

use super::assumed::Assumed;
use super::fields::{Entry, FIX_BUTTON, FIX_SHEET, Names, ProblemOf, ResourceNames, actions, look};
use super::hypothesis_bar::HypothesisBar;
use super::panels::{tried, unknown_groups};
use super::state::SimulatorState;
use crate::dom;
use crate::pages::rich_text::{items, sentence};
use crate::ui::{Button, ButtonKind, Glyph, Icon, IconSize};

/// The request, and the verdict beside the path that leads to it.
#[component]
pub(super) fn CheckPane(state: SimulatorState) -> impl IntoView {
    let resource_type = state.input(|inputs| inputs.resource_type);
    view! {
        <section class="check" aria-label="Check">
            <div class="pane">
                <div class="lab"><h2 id="h-chk">"Request"</h2></div>
                <div class="req">
                    <Operations state=state />
                    <ResourceTypes state=state />
                    {move || {
                        if Inputs::is_nameless(resource_type.get()) {
                            view! { <Nameless resource_type=resource_type.get() /> }.into_any()
                        } else {
                            view! {
                                <Entry
                                    state=state id="rn" label="Resource name" field=Some(InputField::ResourceName)
                                    get=|inputs| &inputs.resource_name set=|inputs, text| inputs.resource_name = text
                                    list="resource-names"
                                />
                            }
                            .into_any()
                        }
                    }}
                    <Entry
                        state=state id="ho" label="Host" field=Some(InputField::Host) get=|inputs| &inputs.host
                        set=|inputs, text| inputs.host = text placeholder="Any host" list="host-names"
                    />
                </div>
                <ResourceNames id="resource-names" names=state.offered(|offers| offers.resources.clone()) />
                <Names id="host-names" names=state.offered(|offers| offers.hosts.clone()) />
                <Requests state=state />
            </div>
            <HypothesisBar state=state />
            <VerdictPane state=state />
        </section>
    }
}

/// Requests that the policy is about; a press fills in the fields.
#[component]
fn Requests(state: SimulatorState) -> impl IntoView {
    let requests = state.offered(|offers| offers.requests.clone());
    move || {
        (!requests.with(Vec::is_empty)).then(|| {
            let chips = requests
                .get()
                .into_iter()
                .map(|request| {
                    let words = request.short();
                    view! {
                        <li><button type="button" class="chip plain" on:click=move |_| state.edit(|inputs| request.fill(inputs))><span>{sentence(&words)}</span></button></li>
                    }
                })
                .collect_view();
            view! {
                <div class="under">
                    <span id="requests-l">"From the policy"</span>
                    <ul class="chips" aria-labelledby="requests-l">{chips}</ul>
                </div>
            }
        })
    }
}

/// The name of what has one name only, for reading.
#[component]
fn Nameless(resource_type: ResourceType) -> impl IntoView {
    let (value, help) = match resource_type {
        ResourceType::Cluster => (CLUSTER_NAME, words::CLUSTER_NAME_FIXED),
        _ => ("", words::REGISTRY_NAMELESS),
    };
    view! {
        <div class="field">
            <label for="rn">"Resource name"</label>
            <input class="in mono" id="rn" type="text" readonly=true aria-describedby="rn-help" prop:value=value />
            <p class="help" id="rn-help">{help}</p>
        </div>
    }
}

#[component]
fn Operations(state: SimulatorState) -> impl IntoView {
    let operation = state.input(|inputs| inputs.operation);
    let resource_type = state.input(|inputs| inputs.resource_type);
    let problem = state.problem(Some(InputField::Operation));
    view! {
        <div class="field">
            <label for="op">"Operation"</label>
            <select
                class="in" id="op" aria-describedby=move || problem.read().is_some().then_some("op-msg")
                on:change=move |event| if let Ok(operation) = event_target_value(&event).parse() {
                    state.edit(|inputs| inputs.operation = operation);
                }
            >
                {move || {
                    let known = resource_type.get().operations();
                    let (mut own, mut others) = (Vec::new(), Vec::new());
                    for choice in known {
                        own.push(option(*choice, operation));
                    }
                    for choice in Dialect::Platform.operations() {
                        if !known.contains(choice) {
                            others.push(option(*choice, operation));
                        }
                    }
                    view! { {own} <optgroup label=format!("Not for a {}", resource_type.get().noun())>{others}</optgroup> }
                }}
            </select>
            <ProblemOf state=state id="op" field=InputField::Operation />
        </div>
    }
}

fn option(choice: Operation, chosen: Memo<Operation>) -> impl IntoView {
    view! {
        <option value=choice.spelling().cli prop:selected=move || chosen.get() == choice>
            {choice.spelling().label}
        </option>
    }
}

fn set_resource_type(inputs: &mut Inputs, resource_type: ResourceType) {
    inputs.resource_type = resource_type;
    // An operation that the new type does not have is not what was meant.
    if !resource_type.operations().contains(&inputs.operation)
        && let Some(first) = resource_type.operations().first()
    {
        inputs.operation = *first;
    }
}

#[component]
fn ResourceTypes(state: SimulatorState) -> impl IntoView {
    let resource_type = state.input(|inputs| inputs.resource_type);
    view! {
        <div class="field">
            <label for="rt">"Resource type"</label>
            <select class="in" id="rt" on:change=move |event| if let Ok(chosen) = event_target_value(&event).parse() {
                state.edit(|inputs| set_resource_type(inputs, chosen));
            }>
                {Dialect::Platform.resource_types()
                    .iter()
                    .map(|choice| view! {
                        <option value=choice.spelling().cli prop:selected=move || resource_type.get() == *choice>
                            {choice.spelling().label}
                        </option>
                    })
                    .collect_view()}
            </select>
        </div>
    }
}

/// The pane.
#[component]
pub(super) fn VerdictPane(state: SimulatorState) -> impl IntoView {
    let verdict = state.shown(|shown| shown.verdict.clone());
    let stale = state.shown(|shown| shown.verdict_stale);
    let waiting = state.waiting();
    let resource_type = state.input(|inputs| inputs.resource_type);
    let is_trying = state.is_trying();
    let gap = Memo::new(move |_| state.properties.with(provider_gap));
    let class = Memo::new(move |_| match &*verdict.read() {
        Some(_) if is_trying.get() => "vd verdict verdict-try".to_owned(),
        Some(verdict) if stale.get().is_some() => format!("vd {} stale", look(verdict.kind).0),
        Some(verdict) => format!("vd {}", look(verdict.kind).0),
        None => "vd".to_owned(),
    });
    // Focus comes here from the bar at the bottom. The actions stay while the verdict changes with
    // every key.
    view! {
        <div class=move || class.get() id="verdict" tabindex="-1">
            {move || match (is_trying.get(), verdict.get()) {
                (true, Some(_)) => tried(state).into_any(),
                (false, Some(verdict)) => head(&verdict).into_any(),
                (_, None) => {
                    let words = match waiting.get() {
                        Waiting::Identity => words::PASTE_TOKEN.to_owned(),
                        Waiting::Question => words::enter_resource(resource_type.get()),
                        Waiting::Policy => POLICY_NOT_READ.to_owned(),
                        Waiting::Evaluation => words::LOADING_EVALUATION.to_owned(),
                    };
                    view! { <p class="quiet waiting">{words}</p> }.into_any()
                }
            }}
            <Overage state=state />
            <Assumed state=state />
            <VerdictActions state=state />
            {move || {
                let verdict = verdict.get().filter(|_| !is_trying.get())?;
                // What only assumes something stands below what fixes it.
                let assume = actions(state, &verdict.actions).map(|actions| view! { <div class="why-actions">{actions}</div> });
                Some(view! { {assume} {why(&verdict, stale.get())} })
            }}
            {move || {
                let words = gap.get()?;
                verdict.with(Option::is_some).then(|| view! {
                    <p class="msg msg-warn vd-note">
                        <Icon glyph=Glyph::Warn size=IconSize::Small />
                        <span>{words} " " <a href=address::SETTINGS>"Open settings"</a></span>
                    </p>
                })
            }}
        </div>
    }
}

/// That the groups are unknown, where the token has a link in their place.
#[component]
fn Overage(state: SimulatorState) -> impl IntoView {
    let note = state.shown(|shown| {
        let steps = shown.steps.as_ref()?;
        steps.notes.iter().find(|note| note.is_overage()).cloned()
    });
    move || {
        let note = note.get()?;
        Some(view! {
            <div class="note note-warn" role="group" aria-label=note.title.clone()>
                <Icon glyph=Glyph::Warn />
                <div>
                    <p><b>{note.title.clone()}</b></p>
                    <p>{sentence(&note.words)}</p>
                    {unknown_groups(state)}
                    {actions(state, &note.actions)}
                </div>
            </div>
        })
    }
}

fn head(verdict: &Verdict) -> impl IntoView + use<> {
    let (_, _, glyph) = look(verdict.kind);
    view! {
        <div class="verdict-h">
            <Icon glyph=glyph />
            <h3>{verdict.kind.title()}</h3>
            <p>{sentence(&verdict.sentence)}</p>
        </div>
    }
}

fn why(verdict: &Verdict, stale: Option<&'static str>) -> impl IntoView + use<> {
    let why = verdict
        .why
        .iter()
        .map(|(label, why)| view! { <div><dt>{*label}</dt><dd>{reason(why)}</dd></div> })
        .collect_view();
    let shown_for = stale.map(|of| {
        view! {
            <div>
                <dt>"Shown for"</dt>
                <dd><span class="v v-warn wrap"><Icon glyph=Glyph::Warn size=IconSize::Small />{of}</span></dd>
            </div>
        }
    });
    view! { <dl class="why">{shown_for}{why}</dl> }
}

/// What can be done about the verdict; a check in a file can be opened before there is one.
#[component]
fn VerdictActions(state: SimulatorState) -> impl IntoView {
    let fixing = state.fixing;
    let kind = state.kind();
    let is_denied = Memo::new(move |_| kind.get().is_some_and(|kind| !kind.is_allowed()));
    let panels = Panel::OF_VERDICT.into_iter().map(|panel| {
        let is_open = state.is_open(panel);
        view! {
            <Button
                on_press=move |()| go_to(state, panel)
                attr:aria-expanded=move || if is_open.get() { "true" } else { "false" }
            >{panel.title()}</Button>
        }
    });
    view! {
        <div class="verdict-a" role="group" aria-label="Verdict actions">
            {move || is_denied.get().then(|| view! {
                <Button
                    kind=ButtonKind::Primary id=FIX_BUTTON on_press=move |()| fixing.update(|is_open| *is_open = !*is_open)
                    attr:aria-expanded=move || if fixing.get() { "true" } else { "false" }
                    attr:aria-controls=move || fixing.get().then_some(FIX_SHEET)
                >"Fix this"</Button>
            })}
            {panels.collect_view()}
        </div>
    }
}

/// Opens a panel, and goes to it.
pub(super) fn go_to(state: SimulatorState, panel: Panel) {
    state.show(panel);
    dom::focus_later(panel.content_id());
}

fn reason(why: &Why) -> AnyView {
    match why {
        Why::RichText(words) => sentence(words).into_any(),
        Why::Paths(paths) => paths
            .iter()
            .map(|hops| view! { <ol class="path">{items(hops)}</ol> })
            .collect_view()
            .into_any(),
        Why::Near(count, words) => view! {
            <span class="v v-near"><Icon glyph=Glyph::Near />{count.clone()}</span> " "
            <span class="quiet">{sentence(words)}</span>
        }
        .into_any(),
    }
}

fn go_to_verdict(event: &leptos::ev::MouseEvent) {
    event.prevent_default();
    dom::focus("verdict");
}

/// The verdict in one line at the bottom, where the panes stand one below the other.
#[component]
pub(super) fn VerdictBar(state: SimulatorState) -> impl IntoView {
    let verdict = state.shown(|shown| {
        let verdict = shown.verdict.as_ref()?;
        Some((verdict.kind, verdict.short.clone()))
    });
    let tried = Memo::new(move |_| {
        let tried = state.tried.read();
        let tried = tried.as_ref()?;
        Some((tried.kind, tried.title, tried.judged.access.short()))
    });
    let stale = state.shown(|shown| shown.verdict_stale.is_some());
    let problems = state.problems();
    let wrong = Memo::new(move |_| {
        let problems = problems.read();
        problems
            .iter()
            .any(|problem| problem.weight == Weight::Error)
    });
    move || {
        verdict.get().map(|(kind, short)| {
            let today = kind;
            let (kind, title, short) = tried.get().unwrap_or((kind, kind.title(), short));
            let (_, class, glyph) = look(kind);
            let bar = match (stale.get(), kind) {
                (true, _) => "vbar vbar-stale",
                (_, VerdictKind::Allowed) => "vbar vbar-allow",
                (_, VerdictKind::AllowedIf) => "vbar vbar-if",
                (_, VerdictKind::DeniedByRule | VerdictKind::SignInFails) => "vbar",
                _ => "vbar vbar-none",
            };
            let request = if stale.get() && wrong.get() {
                view! { <span class="quiet">"an input is invalid"</span> }.into_any()
            } else {
                view! { <span class="quiet">{sentence(&short)}</span> }.into_any()
            };
            view! {
                <div class=bar role="region" aria-label="Verdict in short">
                    <a href="#verdict" rel="external" on:click=move |event| go_to_verdict(&event)>
                        <span class="sr">{words::TO_VERDICT}</span>
                        <span class=class><Icon glyph=glyph />{title}</span>
                        {request}
                        <Icon glyph=Glyph::Chevron size=IconSize::Small class="chev" />
                    </a>
                    {(!today.is_allowed()).then(|| view! {
                        <Button on_press=move |()| state.fixing.set(true)>"Fix this"</Button>
                    })}
                </div>
            }
        })
    }
}
