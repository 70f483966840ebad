//! The right pane: the request and its verdict.

use gbac_analysis::requests::resource_type_text;
use gbac_console_model::simulator::Waiting;
use gbac_console_model::simulator::inputs::{InputField, Inputs, Weight};
use gbac_console_model::simulator::panel::Panel;
use gbac_console_model::simulator::verdict::{Verdict, VerdictKind, Why};
use gbac_engine::model::{CLUSTER_NAME, Dialect, Operation, ResourceType};
use leptos::prelude::*;

use super::parts::{Entry, FIX_BUTTON, FIX_SHEET, ProblemOf, actions};
use super::state::SimulatorState;
use crate::pages::rich_text::sentence;
use crate::ui::{Button, ButtonKind, Glyph, Icon, IconSize};

/// The pane.
#[component]
pub(super) fn CheckPane(state: SimulatorState) -> impl IntoView {
    let resource_type = state.input(|inputs| inputs.resource_type);
    view! {
        <section class="pane" aria-labelledby="h-chk">
            <div class="pane-h"><h2 id="h-chk">"Check"</h2></div>
            <div class="stack">
                <div class="grid-2">
                    <Operations state=state />
                    <ResourceTypes state=state />
                </div>
                <div class="grid-2">
                    {move || {
                        if Inputs::is_nameless(resource_type.get()) {
                            view! { <Nameless resource_type=resource_type.get() /> }.into_any()
                        } else {
                            view! {
                                <Entry
                                    state=state id="rn" label="Resource name" field=Some(InputField::ResourceName)
                                    get=|inputs| &inputs.resource_name set=|inputs, text| inputs.resource_name = text
                                />
                            }
                            .into_any()
                        }
                    }}
                    <Entry
                        state=state id="ho" label="Host" field=Some(InputField::Host) get=|inputs| &inputs.host
                        set=|inputs, text| inputs.host = text placeholder="Any host"
                    />
                </div>
            </div>
            <VerdictPanel state=state />
        </section>
    }
}

/// The name of what has one name only, for reading.
#[component]
fn Nameless(resource_type: ResourceType) -> impl IntoView {
    let (value, help) = match resource_type {
        ResourceType::Cluster => (CLUSTER_NAME, "A cluster has only this name."),
        _ => ("", "The Schema Registry has no name."),
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
    let described = move || problem.with(|problem| problem.is_some().then_some("op-msg"));
    let change = move |event| {
        let cli = event_target_value(&event);
        if let Ok(operation) = cli.parse::<Operation>() {
            state.edit(|inputs| inputs.operation = operation);
        }
    };
    let option = move |choice: Operation| {
        view! {
            <option value=choice.spelling().cli prop:selected=move || operation.get() == choice>
                {choice.spelling().label}
            </option>
        }
    };
    view! {
        <div class="field">
            <label for="op">"Operation"</label>
            <select class="in" id="op" aria-describedby=described on:change=change>
                {move || {
                    let known = resource_type.get().operations();
                    let others = Dialect::Platform.operations().iter().copied().filter(move |choice| !known.contains(choice));
                    view! {
                        {known.iter().copied().map(option).collect_view()}
                        <optgroup label=format!("Not for a {}", resource_type_text(resource_type.get()))>
                            {others.map(option).collect_view()}
                        </optgroup>
                    }
                }}
            </select>
            <ProblemOf state=state id="op" field=InputField::Operation />
        </div>
    }
}

#[component]
fn ResourceTypes(state: SimulatorState) -> impl IntoView {
    let resource_type = state.input(|inputs| inputs.resource_type);
    let change = move |event| {
        let cli = event_target_value(&event);
        if let Ok(resource_type) = cli.parse::<ResourceType>() {
            state.edit(|inputs| {
                inputs.resource_type = resource_type;
                // An operation that the new type does not have is not what was meant.
                if !resource_type.operations().contains(&inputs.operation)
                    && let Some(first) = resource_type.operations().first()
                {
                    inputs.operation = *first;
                }
            });
        }
    };
    view! {
        <div class="field">
            <label for="rt">"Resource type"</label>
            <select class="in" id="rt" on:change=change>
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

pub(super) const fn look(kind: VerdictKind) -> (&'static str, &'static str, Glyph) {
    match kind {
        VerdictKind::Allowed => ("verdict verdict-allow", "v v-allow", Glyph::Allow),
        VerdictKind::DeniedByRule => ("verdict verdict-deny", "v v-deny", Glyph::Deny),
        VerdictKind::SignInFails => ("verdict verdict-deny", "v v-deny", Glyph::Deny),
        VerdictKind::NothingAllows | VerdictKind::Expired => ("verdict verdict-none", "v v-none", Glyph::NoRule),
    }
}

#[component]
fn VerdictPanel(state: SimulatorState) -> impl IntoView {
    let verdict = state.part(|view| view.verdict.clone());
    let stale = state.part(|view| view.verdict_stale);
    let waiting = state.part(|view| view.waiting);
    let resource_type = state.input(|inputs| inputs.resource_type);
    // Focus comes here from the bar at the bottom.
    view! {
        <div id="verdict" tabindex="-1">
            {move || match verdict.get() {
                Some(verdict) => panel(state, &verdict, stale.get()).into_any(),
                None => {
                    let words = match waiting.get() {
                        Waiting::Identity => "Paste a token to see the verdict.".to_owned(),
                        Waiting::Question => format!("Enter a {}.", resource_type_text(resource_type.get())),
                        Waiting::Policy => "The policy has not been read yet.".to_owned(),
                    };
                    view! { <p class="quiet">{words}</p> }.into_any()
                }
            }}
        </div>
        <VerdictActions state=state />
    }
}

fn panel(state: SimulatorState, verdict: &Verdict, stale: Option<&'static str>) -> impl IntoView + use<> {
    let (class, _, glyph) = look(verdict.kind);
    let class = if stale.is_some() { format!("{class} stale") } else { class.to_owned() };
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
    view! {
        <div class=class>
            <div class="verdict-h">
                <Icon glyph=glyph />
                <div>
                    <h3>{verdict.kind.title()}</h3>
                    <p>{sentence(&verdict.sentence)}</p>
                </div>
            </div>
            <dl class="why">{shown_for}{why}</dl>
            {actions(state, &verdict.actions).map(|actions| view! { <div class="why-actions">{actions}</div> })}
        </div>
    }
}

/// What can be done about the verdict; it stays where it is while the verdict changes with every key.
#[component]
fn VerdictActions(state: SimulatorState) -> impl IntoView {
    let fixing = state.fixing;
    let is_denied = state.part(|view| view.verdict.as_ref().map(|verdict| verdict.kind != VerdictKind::Allowed));
    let to = move |panel: Panel, id: &'static str| {
        state.show(panel);
        crate::dom::focus_later(id);
    };
    move || {
        is_denied.get().map(|is_denied| view! {
            <div class="verdict-a" role="group" aria-label="Verdict actions">
                {is_denied.then(|| view! {
                    <Button
                        kind=ButtonKind::Primary id=FIX_BUTTON on_press=move |()| fixing.update(|is_open| *is_open = !*is_open)
                        attr:aria-expanded=move || if fixing.get() { "true" } else { "false" }
                        attr:aria-controls=move || fixing.get().then_some(FIX_SHEET)
                    >"Fix this"</Button>
                })}
                <Button on_press=move |()| to(Panel::WhatIf, "h-what-if")>"Try a change"</Button>
                <Button on_press=move |()| to(Panel::Request, "whole-request")>"Whole request"</Button>
                <Button on_press=move |()| to(Panel::WhatIf, "h-compare")>"Compare"</Button>
                <Button on_press=move |()| to(Panel::Tests, "h-share")>"Share"</Button>
            </div>
        })
    }
}

fn reason(why: &Why) -> AnyView {
    match why {
        Why::RichText(words) => sentence(words).into_any(),
        Why::Paths(paths) => paths
            .iter()
            .map(|hops| {
                let hops = hops.iter().map(|hop| view! { <li><span>{sentence(hop)}</span></li> }).collect_view();
                view! { <ol class="path">{hops}</ol> }
            })
            .collect_view()
            .into_any(),
        Why::Near(count, words) => view! {
            <span class="v v-near"><Icon glyph=Glyph::Near />{count.clone()}</span> " "
            <span class="quiet">{sentence(words)}</span>
        }
        .into_any(),
    }
}

/// The verdict in one line at the bottom, where the panes stand one below the other.
#[component]
pub(super) fn VerdictBar(state: SimulatorState) -> impl IntoView {
    let verdict = state.part(|view| view.verdict.as_ref().map(|verdict| (verdict.kind, verdict.short.clone())));
    let stale = state.part(|view| view.verdict_stale.is_some());
    let wrong = state.part(|view| view.problems.iter().any(|problem| problem.weight == Weight::Error));
    let go = |event: leptos::ev::MouseEvent| {
        event.prevent_default();
        crate::dom::focus("verdict");
    };
    move || {
        verdict.get().map(|(kind, short)| {
            let (_, class, glyph) = look(kind);
            let bar = match (stale.get(), kind) {
                (true, _) => "vbar vbar-stale",
                (_, VerdictKind::Allowed) => "vbar vbar-allow",
                (_, VerdictKind::DeniedByRule | VerdictKind::SignInFails) => "vbar",
                _ => "vbar vbar-none",
            };
            let label = format!("To the verdict: {}, {}", kind.title().to_lowercase(), short.plain());
            let request = if stale.get() && wrong.get() {
                view! { <span class="quiet">"an input is invalid"</span> }.into_any()
            } else {
                view! { <span class="quiet">{sentence(&short)}</span> }.into_any()
            };
            view! {
                <div class=bar role="region" aria-label="Verdict in short">
                    <a href="#verdict" rel="external" aria-label=label on:click=go>
                        <span class=class><Icon glyph=glyph />{kind.title()}</span>
                        {request}
                        <Icon glyph=Glyph::Chevron size=IconSize::Small class="chev" />
                    </a>
                    {(kind != VerdictKind::Allowed).then(|| view! {
                        <Button on_press=move |()| state.fixing.set(true)>"Fix this"</Button>
                    })}
                </div>
            }
        })
    }
}
