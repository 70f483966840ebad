//! Sections of the extraction: the diagnosis of its steps, compared with what the service reads from
//! the token, and names that become the same group.

use gbac_analysis::doctor::{DiagnosticStep, ServiceResolution};
use gbac_console_model::collisions::{CollisionPanel, collision_report};
use gbac_console_model::simulator::identity::SimulatedIdentity;
use gbac_console_model::simulator::token_checks::platform_differences;
use gbac_console_model::simulator::troubleshoot;
use gbac_console_model::simulator::troubleshoot::{steps, summary};
use gbac_engine::Coded;
use gbac_engine::groups::NestedGroupBehavior;
use gbac_words::common::POLICY_NOT_READ;
use gbac_words::extraction::kept_names;
use gbac_words::pages::simulator as words;
use gbac_words::rich_text::RichText;
use leptos::prelude::*;
use leptos::task::spawn_local;

use super::fields::{mark, nobody};
use super::state::{SimulatorState, TroubleshootingState};
use crate::dom;
use crate::pages::collision::CollisionList;
use crate::pages::rich_text::{items, sentence};
use crate::ui::{Button, Choice, Icon, Mono, Segmented, TextArea};

/// The section below the extraction's steps: the summary, expected groups, and other readers of the
/// token.
#[component]
pub(super) fn Troubleshooting(state: SimulatorState) -> impl IntoView {
    let who = state.who();
    let TroubleshootingState {
        expected,
        resolved,
        steps: diagnosis,
    } = state.troubleshooting;
    // An answer about another token is none.
    Effect::new(move |before: Option<()>| {
        who.track();
        if before.is_some() {
            resolved.set(None);
        }
    });
    let userinfo = state.input(|inputs| inputs.userinfo.clone());
    Effect::new(move |_| {
        let (who, policy) = (who.get(), state.service.policy.get());
        let (accepted, userinfo, expected) = (state.accepted.get(), userinfo.get(), expected.get());
        let found = match (who, policy) {
            (Some(who), Some(policy)) => steps(
                &who,
                &policy,
                &userinfo,
                &expected,
                resolved.read().as_ref(),
                &accepted,
                state.now.get(),
            ),
            _ => None,
        };
        if diagnosis.with_untracked(|held| *held != found) {
            diagnosis.set(found);
        }
    });
    view! {
        {move || match (diagnosis.get(), who.with(Option::is_none)) {
            (_, true) => nobody().into_any(),
            (None, false) => view! { <p class="quiet">{words::TROUBLESHOOTING_NEEDS_TOKEN}</p> }.into_any(),
            (Some(steps), false) => view! { <p role="status"><b>"Diagnosis: "</b>{summary(&steps)}</p> }.into_any(),
        }}
        <TextArea
            id="missed" label=words::EXPECTED_GROUPS rows=2 help=words::EXPECTED_GROUPS_SEARCHED
            value=Signal::derive(move || expected.get()) on_input=move |text| expected.set(text)
        />
        <Rules state=state />
        <Ask state=state resolved=resolved />
    }
}

/// The diagnosis of an extraction step.
#[component]
pub(super) fn Diagnosis(state: SimulatorState, code: &'static str) -> impl IntoView {
    let step = Memo::new(move |_| {
        let steps = state.troubleshooting.steps.read();
        let mut steps = steps.as_ref()?.iter();
        steps.find(|step| step.code == code).cloned()
    });
    move || step.get().map(|step| view! { <OneStep step=step /> })
}

#[component]
fn OneStep(step: DiagnosticStep) -> impl IntoView {
    let DiagnosticStep {
        title,
        state,
        findings,
        next,
        ..
    } = step;
    let (kind, word) = troubleshoot::mark(state);
    let (class, glyph) = mark(kind);
    view! {
        <div class="diagnosis" role="group" aria-label=format!("Diagnosis: {title}")>
            <p><b>{title}</b> " " <span class=format!("v {class}")><Icon glyph=glyph />{word}</span></p>
            {(!findings.is_empty()).then(|| view! { <ul class="facts">{lines(&findings)}</ul> })}
            {(!next.is_empty()).then(|| view! {
                <p><b>"Next"</b></p>
                <ul class="facts">{lines(&next)}</ul>
            })}
        </div>
    }
}

fn lines(texts: &[String]) -> impl IntoView + use<> {
    texts
        .iter()
        .map(|text| view! { <li><span>{sentence(&RichText::with_hint(text, ""))}</span></li> })
        .collect_view()
}

/// Whose rules read the token: ours, or those of the platform of today where ours are wider.
#[component]
fn Rules(state: SimulatorState) -> impl IntoView {
    let who = state.who();
    let is_platform = state.input(|inputs| inputs.platform);
    let differences = Memo::new(move |_| match who.read().as_deref() {
        Some(who) => platform_differences(who),
        None => Vec::new(),
    });
    view! {
        <Segmented
            name="rules" legend=words::TOKEN_RULES small=true
            value=Signal::derive(move || if is_platform.get() { "platform" } else { "own" }.to_owned())
            choices=vec![Choice::new("own", "GBAC"), Choice::new("platform", words::RULES_OF_PLATFORM)]
            on_change=move |code: String| state.edit(|inputs| inputs.platform = code == "platform")
        />
        {move || {
            let found = differences.get();
            if found.is_empty() {
                return view! { <p class="help">{words::SAME_ON_PLATFORM}</p> }.into_any();
            }
            view! { <ul class="facts" aria-label="Differences of these brokers">{items(&found)}</ul> }.into_any()
        }}
    }
}

/// Asks the service whom it sees in the token, after saying what is sent.
#[component]
fn Ask(state: SimulatorState, resolved: RwSignal<Option<ServiceResolution>>) -> impl IntoView {
    let who = state.who();
    let busy = RwSignal::new(false);
    let is_token = Memo::new(move |_| {
        let who = who.read();
        who.as_deref().and_then(troubleshoot::token).is_some()
    });
    let ask = Callback::new(move |()| {
        let subject = who.get_untracked();
        let Some(token) = subject.as_deref().and_then(troubleshoot::token) else {
            return;
        };
        if busy.get_untracked() {
            return;
        }
        let token = token.to_owned();
        busy.set(true);
        spawn_local(async move {
            let answer = match state.service.resolve(token).await {
                Ok(identity) => ServiceResolution::Identity(identity.principal, identity.groups),
                Err(failure) => ServiceResolution::Refused(failure.to_string()),
            };
            let _ = busy.try_set(false);
            // The field may hold another token by now.
            if who.try_get_untracked() == Some(subject) {
                let _ = resolved.try_set(Some(answer));
                dom::announce(words::RESPONSE_RECEIVED);
            }
        });
    });
    view! {
        {move || is_token.get().then(|| view! {
            <div class="stack">
                <p class="help">{sentence(&words::token_goes_to(&dom::origin()))}</p>
                <div class="row"><Button busy=busy on_press=ask>{words::SEND_TOKEN}</Button></div>
                {move || {
                    if resolved.with(Option::is_none) {
                        return None;
                    }
                    let page = who.read().as_deref()?.rules()?.clone();
                    let service = state.service.policy.get()?.settings().identity_rules();
                    let same = page == service;
                    Some(view! {
                        <table class="map">
                            <caption class="sr">{words::COMPARED_SETTINGS}</caption>
                            <thead><tr><th scope="col">"Setting"</th><th scope="col">"This page"</th><th scope="col">"The service"</th></tr></thead>
                            <tbody>
                                <tr><th scope="row">"Group claim"</th><td><Mono text=page.extraction.source.to_string() /></td><td><Mono text=service.extraction.source.to_string() /></td></tr>
                                <tr><th scope="row">"Nested names"</th><td><Mono text=page.extraction.nested.code() /></td><td><Mono text=service.extraction.nested.code() /></td></tr>
                                <tr><th scope="row">"User claim"</th><td><Mono text=page.mapping.as_str() /></td><td><Mono text=service.mapping.as_str() /></td></tr>
                            </tbody>
                        </table>
                        {(!same).then(|| view! { <p class="quiet">{words::SETTINGS_DIFFER}</p> })}
                    })
                }}
            </div>
        })}
    }
}

/// The section of the extraction: both values of the setting, the one in force first.
#[component]
pub(super) fn Collisions(state: SimulatorState) -> impl IntoView {
    let who = state.who();
    let in_force = Memo::new(move |_| {
        let who = who.read();
        if let Some(rules) = who.as_deref().and_then(SimulatedIdentity::rules) {
            return rules.extraction.nested;
        }
        match state.service.policy.get() {
            Some(policy) => policy.settings().identity_rules().extraction.nested,
            None => NestedGroupBehavior::default(),
        }
    });
    let reports = Memo::new(move |_| {
        let policy = state.service.policy.get()?;
        let mut all = NestedGroupBehavior::ALL.to_vec();
        all.sort_by_key(|nested| *nested != in_force.get());
        let who = who.read();
        let names = match who.as_deref() {
            Some(who) => who.names(),
            None => Default::default(),
        };
        let mut reports = Vec::new();
        for nested in all {
            reports.push(collision_report(&policy, nested, &names));
        }
        Some(reports)
    });
    move || match reports.get() {
        None => view! { <p class="quiet">{POLICY_NOT_READ}</p> }.into_any(),
        Some(reports) => reports
            .into_iter()
            .enumerate()
            .map(|(place, report)| collisions_with(place, report))
            .collect_view()
            .into_any(),
    }
}

/// The collisions with one value of the setting; the first is the one in force.
fn collisions_with(place: usize, report: CollisionPanel) -> impl IntoView {
    let about = if place == 0 {
        ", the current setting"
    } else {
        ", which is not set"
    };
    view! {
        <h4>"With " {kept_names(report.nested)} <span class="quiet">{about}</span></h4>
        <CollisionList report=report of_token=true />
    }
}
