//! From the token to the verdict: the checks of the token and the verification of its signature, the
//! path, and the extraction step by step with its diagnosis.

use gbac_console_model::simulator::extraction::{ExtractionStage, StepState, Steps};
use gbac_console_model::simulator::inputs::{InputField, Panel};
use gbac_console_model::simulator::token::FactMark;
use gbac_console_model::simulator::troubleshoot::diagnosed_by;
use gbac_console_model::simulator::{claims, extraction};
use gbac_engine::token::CheckName;
use gbac_words::common::file_too_large;
use gbac_words::pages::simulator as words;
use gbac_words::rich_text::RichText;
use leptos::context::Provider;
use leptos::prelude::*;

use super::fields::{Entry, mark};
use super::panels::{content, diagnosis, path};
use super::state::{SimulatorState, VERIFICATION_ID};
use crate::dom;
use crate::pages::chunk::{Chunk, ChunkError, Lazy, chunk};
use crate::pages::given_file::{self, DropTarget};
use crate::pages::rich_text::sentence;
use crate::ui::{Disclosure, Glyph, Icon, IconSize};

/// The pane.
#[component]
pub(super) fn PathPane(state: SimulatorState) -> impl IntoView {
    let steps = state.shown(|shown| shown.steps.clone());
    let stale = state.shown(|shown| shown.steps_stale);
    let has_steps = Memo::new(move |_| steps.with(Option::is_some));
    let (has_judged, supposed) = (state.has_judged(), state.supposed());
    let has_path = Memo::new(move |_| has_judged.get() || supposed.read().is_some());
    let is_refused = state.is_refused();
    let troubleshooting = state.is_open(Panel::Troubleshooting);
    let is_open = state.is_open(Panel::Steps);
    let shows_steps = Memo::new(move |_| is_open.get() || troubleshooting.get());
    view! {
        <section class="flow" aria-labelledby="h-ext">
            <h2 class="sr" id="h-ext">"Path"</h2>
            <Checks state=state />
            {move || stale.get().map(|of| view! {
                <p class="msg msg-warn flow-m"><Icon glyph=Glyph::Warn size=IconSize::Small /><span>"Shown for " {of}</span></p>
            })}
            {move || match has_steps.get() {
                true => path(state).into_any(),
                false => outline(state).into_any(),
            }}
            <div id=Panel::Steps.id() class="flow-s" hidden=move || !has_steps.get() || !shows_steps.get()>
                {move || Some(list(state, steps.read().as_deref()?))}
            </div>
            <div id=Panel::Troubleshooting.id() class="flow-s" hidden=move || !troubleshooting.get()>
                {move || troubleshooting.get().then(|| view! {
                    <div class="stack" role="group" aria-label="Troubleshooting">{content(state, Panel::Troubleshooting)}</div>
                })}
            </div>
            <div class="flow-f">
                <span class="count">{move || Some(steps.read().as_ref()?.summary.clone())}</span>
                {move || has_path.get().then(|| words::path_help(is_refused.get()))}
                <span class="row-end row">
                    {move || (has_steps.get() && !troubleshooting.get()).then(|| view! { <Toggle state=state part=Panel::Steps label="How groups are read" /> })}
                    <Toggle state=state part=Panel::Troubleshooting label="Troubleshoot" />
                </span>
            </div>
        </section>
    }
}

/// What the token says about itself, and the verification. A check that fails decides: the path
/// ends there.
#[component]
fn Checks(state: SimulatorState) -> impl IntoView {
    let facts = state.sign_in(|sign_in| sign_in.facts.clone());
    let some = Memo::new(move |_| facts.with(|facts| !facts.is_empty()));
    let is_refused = state.is_refused();
    let open = state.verifying;
    let can_verify = state.input(|inputs| !inputs.as_claims);
    view! {
        {move || {
            some.get().then(|| view! {
                <div class="token-checks" class:stop=move || is_refused.get()>
                    <ul aria-label="Token checks">
                        {move || {
                            facts
                                .get()
                                .into_iter()
                                .map(|fact| {
                                    let (class, glyph) = mark(fact.mark);
                                    let verify = (fact.about == CheckName::Signature && can_verify.get()).then(|| view! {
                                        <button
                                            class="link" type="button" id="verify-open" aria-controls=VERIFICATION_ID
                                            aria-expanded=move || if open.get() { "true" } else { "false" }
                                            on:click=move |_| open.update(|open| *open = !*open)
                                        >{move || if open.get() { "Close" } else { "Verify" }}</button>
                                    });
                                    let loud = match (fact.about, fact.mark) {
                                        (_, FactMark::Assumed) => "v-info",
                                        (_, FactMark::Bad) => "v-deny",
                                        _ => "",
                                    };
                                    view! {
                                        <li class=loud>
                                            <span class=class><Icon glyph=glyph /></span>
                                            <span>{sentence(&fact.words)}</span>
                                            {verify}
                                        </li>
                                    }
                                })
                                .collect_view()
                        }}
                    </ul>
                    <span class="edge" aria-hidden="true"></span>
                </div>
                <div class="verify stack focus-only" id=VERIFICATION_ID tabindex="-1" hidden=move || !open.get() || !can_verify.get()>
                    <Provider value=state><Lazy chunk=VERIFICATION part=true /></Provider>
                </div>
            })
        }}
    }
}

/// The decoded token, below the path.
#[component]
pub(super) fn Decoded(state: SimulatorState) -> impl IntoView {
    let some = state.sign_in(|sign_in| !sign_in.facts.is_empty());
    move || {
        some.get().then(|| view! {
            <div class="dec">
                <Disclosure
                    id=Panel::Decoded.id() open=state.is_open(Panel::Decoded)
                    on_toggle=move |is_open| state.toggle(Panel::Decoded, is_open)
                    summary=|| view! { <span><b>"Decoded token"</b> " " <span class="quiet">{words::TOKEN_PARTS}</span></span> }
                >
                    <div class="dec-b">{content(state, Panel::Decoded)}</div>
                </Disclosure>
            </div>
        })
    }
}

/// The steps before there is anything to take.
fn outline(state: SimulatorState) -> impl IntoView {
    let items = extraction::outline()
        .into_iter()
        .map(|(stage, words)| {
            let collisions = (stage == ExtractionStage::NestedNames).then(|| collisions(state));
            view! { <li><h3 class="quiet">{stage.title()}</h3><div><p>{sentence(&words)}</p>{collisions}</div></li> }
        })
        .collect_view();
    view! { <div class="flow-s"><ol class="steps" aria-label="How groups are read">{items}</ol></div> }
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

/// The collisions, once somebody asks for them: what they give away takes a comparison of the whole
/// policy.
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
fn diagnoses(state: SimulatorState, stage: ExtractionStage) -> impl IntoView + use<> {
    let open = state.is_open(Panel::Troubleshooting);
    let codes = diagnosed_by(stage);
    move || {
        open.get().then(|| {
            codes
                .iter()
                .map(|code| diagnosis(state, code))
                .collect_view()
        })
    }
}

/// The steps, each with its collisions or its diagnosis.
fn list(state: SimulatorState, steps: &Steps) -> impl IntoView + use<> {
    let last = steps.steps.len().saturating_sub(1);
    // What is read, not only looked at, stands in one column.
    let parts = [Panel::Troubleshooting, Panel::Collisions].map(|part| state.is_open(part));
    // Groups that were entered by hand have no such step.
    let nested = steps
        .steps
        .iter()
        .position(|step| step.stage == ExtractionStage::NestedNames)
        .unwrap_or(last);
    let items = steps
        .steps
        .iter()
        .enumerate()
        .map(|(place, step)| {
            let (class, outcome) = match step.state {
                StepState::Done => ("", None),
                StepState::Warn => ("warn", Some("check this: ")),
                StepState::Bad => ("bad", Some("failed: ")),
            };
            let outcome = outcome.map(|words| view! { <span class="sr">{words}</span> });
            let count = (!step.count.is_empty())
                .then(|| view! { <span class="count">{step.count.clone()}</span> });
            let body = step
                .body
                .iter()
                .map(|words| view! { <p>{sentence(words)}</p> })
                .collect_view();
            let collisions = (place == nested).then(|| collisions(state));
            let diagnoses = diagnoses(state, step.stage);
            view! {
                <li class=class>
                    <h3>{outcome}{step.stage.title()}" "{count}</h3>
                    <div>{body}{collisions}{diagnoses}</div>
                </li>
            }
        })
        .collect_view();
    view! { <ol class="steps" class:read=move || parts.iter().any(Get::get) aria-label="How groups are read">{items}</ol> }
}

/// The largest file that is read as keys, in bytes.
const LARGEST_KEYS: f64 = 1_000_000.0;

chunk!(pub(super) VERIFICATION, "Signature verification", verify, fetch_verification, draw_verification, {
    let state = expect_context::<SimulatorState>();
    view! { <Verification state=state /> }.into_any()
});

fn keys_too_large(name: &str, limit: f64) -> RichText {
    file_too_large(name, limit)
        .text(" ")
        .text(words::KEYS_ARE_SMALLER)
}

#[component]
fn Verification(state: SimulatorState) -> impl IntoView {
    let service = state.service;
    let has_provider_keys = Memo::new(move |_| service.keys.with(Option::is_some));
    let report = state.report();
    let who = state.who();
    let discovery = Memo::new(move |_| claims::discovery(who.read().as_deref()?));
    let refused = RwSignal::new(None::<RichText>);
    let take_keys = move |given| {
        given_file::take(
            given,
            LARGEST_KEYS,
            keys_too_large,
            refused,
            move |name, text| {
                // The page may be gone by now.
                let _ = state.inputs.try_update(|inputs| inputs.keys = text);
                dom::announce(&format!("{name} was read"));
                Ok(())
            },
        );
    };
    view! {
        {move || has_provider_keys.get().then(|| view! { <p class="help">{words::PROVIDER_KEYS_COUNT}</p> })}
        <DropTarget on_drop=take_keys>
        <Entry
            state=state id="keys" label="Keys (JWKS)" field=Some(InputField::Keys) get=|inputs| &inputs.keys
            set=|inputs, text| inputs.keys = text rows=4 placeholder="{ \"keys\": [ … ] }"
            help=words::PASTE_KEYS
        />
        {given_file::refusal(refused)}
        {move || discovery.get().map(|address| view! {
            <p class="help brk">{sentence(&words::keys_address(&address))}</p>
        })}
        </DropTarget>
        <div class="grid-2">
            <Entry
                state=state id="issuer" label="Issuer, optional" field=None get=|inputs| &inputs.issuer
                set=|inputs, text| inputs.issuer = text
            />
            <Entry
                state=state id="audience" label="Audience, optional" field=None get=|inputs| &inputs.audience
                set=|inputs, text| inputs.audience = text
            />
        </div>
        {move || {
            report.get().map(|report| {
                let lines = report
                    .lines
                    .iter()
                    .map(|line| {
                        let (class, glyph) = mark(line.mark);
                        let outcome = match line.mark {
                            FactMark::Good => "passed: ",
                            FactMark::Bad => "failed: ",
                            FactMark::Assumed | FactMark::Warn | FactMark::Plain => "not checked: ",
                        };
                        view! {
                            <li>
                                <span class=class><Icon glyph=glyph size=IconSize::Small /></span>
                                <span><b>{line.name}</b> " " <span class="quiet">{outcome} {sentence(&line.words)}</span></span>
                            </li>
                        }
                    })
                    .collect_view();
                let unusable = report.unusable.iter().map(|words| view! { <p class="help">{sentence(words)}</p> }).collect_view();
                view! { <ul class="facts" aria-label="Verification, check by check">{lines}</ul>{unusable} }
            })
        }}
    }
}
