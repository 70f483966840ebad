//! The panels below the panes: what if and compare, whole requests, tests and sharing.

use gbac_console_model::simulator::panel::Panel;
use gbac_words::pages::simulator as words;
use leptos::context::Provider;
use leptos::prelude::*;

use super::state::SimulatorState;
use super::{
    collisions, compare, decoded, fix, least_change, path, request, saved, share, tried,
    troubleshoot, what_if,
};
use crate::pages::chunk::{Chunk, ChunkError, Lazy, chunk};
use crate::ui::Disclosure;

/// The panels.
#[component]
pub(super) fn Panels(state: SimulatorState) -> impl IntoView {
    let number = Memo::new(move |_| state.trials.with(|trials| trials.as_slice().len()));
    view! {
        <section class="section" aria-labelledby="h-more">
            <div class="row"><h2 id="h-more">"Further analysis"</h2></div>
            <ul class="panel flat parts">
                <Row state=state panel=Panel::WhatIf about=move || words::hypothetical_changes(number.get()) />
                <Row state=state panel=Panel::Request about=|| words::API_REQUESTS />
                <Row state=state panel=Panel::Tests about=move || about_tests(state) />
            </ul>
        </section>
    }
}

/// The head of the panel with the tests. Their results need the engine, so the chunk draws them;
/// tests come from it, so it is here.
fn about_tests(state: SimulatorState) -> AnyView {
    if state.saved.with(Vec::is_empty) {
        return words::TESTS_AND_LINKS.into_any();
    }
    drawn(state, Content::TestResults).into_any()
}

/// What the chunk draws.
#[derive(Clone, Copy)]
enum Content {
    /// The content of a part that opens.
    Part(Panel),
    /// One step of the diagnosis, by its code.
    Diagnosis(&'static str),
    /// How many of the saved tests hold.
    TestResults,
    /// The sheet with the fixes of a denied request.
    Fixes,
    /// The verdict with the changes that are tried.
    Tried,
    /// The path from the token to the verdict.
    Path,
}

/// The context of what the chunk draws.
#[derive(Clone, Copy)]
struct Drawn(SimulatorState, Content);

chunk!(CONTENT, "This panel", rest, fetch_content, draw_content, {
    let Drawn(state, content) = expect_context::<Drawn>();
    match content {
        Content::Part(Panel::WhatIf) => view! { <WhatIfAndCompare state=state /> }.into_any(),
        Content::Part(Panel::LeastChange) => view! { <least_change::LeastChangePanel state=state /> }.into_any(),
        Content::Part(Panel::Request) => {
            view! { <section class="stack focus-only" id="whole-request" tabindex="-1" aria-label="Whole request"><request::WholeRequest state=state /></section> }
                .into_any()
        }
        Content::Part(Panel::Tests) => view! { <TestsAndSharing state=state /> }.into_any(),
        Content::Part(Panel::Collisions) => view! { <collisions::Collisions state=state /> }.into_any(),
        Content::Part(Panel::Troubleshooting) => view! { <troubleshoot::Troubleshooting state=state /> }.into_any(),
        // The steps are drawn with the pane.
        Content::Part(Panel::Steps) => ().into_any(),
        Content::Part(Panel::Decoded) => view! { <decoded::DecodedClaims state=state /> }.into_any(),
        Content::Diagnosis(code) => view! { <troubleshoot::Diagnosis state=state code=code /> }.into_any(),
        Content::TestResults => (move || saved::results(state)).into_any(),
        Content::Fixes => view! { <fix::FixSheet state=state /> }.into_any(),
        Content::Tried => view! { <tried::TriedPanel state=state /> }.into_any(),
        Content::Path => view! { <path::Path state=state /> }.into_any(),
    }
});

/// The content of a part, from the chunk.
pub(super) fn content(state: SimulatorState, part: Panel) -> impl IntoView {
    drawn(state, Content::Part(part))
}

/// One step of the diagnosis, from the chunk.
pub(super) fn diagnosis(state: SimulatorState, code: &'static str) -> impl IntoView {
    drawn(state, Content::Diagnosis(code))
}

/// The sheet with the fixes, from the chunk.
pub(super) fn fixes(state: SimulatorState) -> impl IntoView {
    drawn(state, Content::Fixes)
}

/// The verdict with the changes that are tried, from the chunk.
pub(super) fn tried(state: SimulatorState) -> impl IntoView {
    drawn(state, Content::Tried)
}

/// The path from the token to the verdict, from the chunk.
pub(super) fn path(state: SimulatorState) -> impl IntoView {
    drawn(state, Content::Path)
}

fn drawn(state: SimulatorState, content: Content) -> impl IntoView {
    view! { <Provider value=Drawn(state, content)><Lazy chunk=CONTENT part=true /></Provider> }
}

#[component]
fn Row(state: SimulatorState, panel: Panel, #[prop(into)] about: ViewFn) -> impl IntoView {
    view! {
        <li class="part">
            <Disclosure
                id=panel.id() open=state.is_open(panel) on_toggle=move |is_open| state.toggle(panel, is_open)
                summary=move || view! { <span class="part-t"><b>{panel.title()}</b> <span class="quiet">{about.run()}</span></span> }
            >
                <div class="part-b stack">{content(state, panel)}</div>
            </Disclosure>
        </li>
    }
}

#[component]
fn WhatIfAndCompare(state: SimulatorState) -> impl IntoView {
    let panel = Panel::LeastChange;
    view! {
        <div class="columns">
            <div class="stack">
                <section class="stack" aria-labelledby="h-what-if">
                    <h3 class="h-md focus-only" id="h-what-if" tabindex="-1">"What if"</h3>
                    <what_if::WhatIf state=state />
                </section>
                <div class="nested">
                    <Disclosure
                        id=panel.id() open=state.is_open(panel) on_toggle=move |is_open| state.toggle(panel, is_open)
                        summary=move || view! {
                            <span class="part-t"><b>{panel.title()}</b> <span class="quiet">{words::LEAST_CHANGE}</span></span>
                        }
                    >
                        <section class="stack" aria-label=panel.title()>{content(state, panel)}</section>
                    </Disclosure>
                </div>
            </div>
            <section class="stack" aria-labelledby="h-compare">
                <h3 class="h-md focus-only" id="h-compare" tabindex="-1">"Compare two users"</h3>
                <compare::Compare state=state />
            </section>
        </div>
    }
}

#[component]
fn TestsAndSharing(state: SimulatorState) -> impl IntoView {
    view! {
        <div class="columns">
            <section class="stack" aria-labelledby="h-tests">
                <h3 class="h-md focus-only" id="h-tests" tabindex="-1">"Tests"</h3>
                <saved::Tests state=state />
            </section>
            <section class="stack" aria-labelledby="h-share">
                <h3 class="h-md focus-only" id="h-share" tabindex="-1">"Share"</h3>
                <share::Share state=state />
            </section>
        </div>
    }
}
