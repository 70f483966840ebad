//! The request and its verdict.

use gbac_console_model::simulator::inputs::{InputField, Inputs};
use gbac_console_model::simulator::question::AccessRequest;
use gbac_engine::model::{CLUSTER_NAME, Dialect, Operation, ResourceType};
use gbac_words::pages::simulator as words;
use leptos::prelude::*;

use super::names::{Names, ResourceNames};
use super::parts::{Entry, ProblemOf};
use super::state::SimulatorState;
use super::verdict::VerdictPane;
use crate::pages::rich_text::sentence;

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
            <VerdictPane state=state />
        </section>
    }
}

/// Requests that the policy is about; a press fills in the fields.
#[component]
fn Requests(state: SimulatorState) -> impl IntoView {
    let requests = state.offered(|offers| offers.requests.clone());
    let ask = move |request: &AccessRequest| state.edit(|inputs| request.fill(inputs));
    move || {
        (!requests.with(Vec::is_empty)).then(|| {
            let chips = requests
                .get()
                .into_iter()
                .map(|request| {
                    let words = request.short();
                    view! {
                        <li><button type="button" class="chip plain" on:click=move |_| ask(&request)><span>{sentence(&words)}</span></button></li>
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
                        <optgroup label=format!("Not for a {}", resource_type.get().noun())>
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
