//! Troubleshooting: four steps in order, each with its result and what to do next; one of them asks the service itself.

use gbac_analysis::doctor::{DiagnosticStep, ServiceResolution};
use leptos::prelude::*;
use leptos::task::spawn_local;

use super::Bench;
use super::more::nobody;
use super::parts::{mark, sentence};
use crate::dom;
use crate::state::simulator::inputs::sentence as in_words;
use crate::state::simulator::platform;
use crate::state::simulator::troubleshoot::{self, steps, summary};
use crate::state::simulator::words::Words;
use crate::ui::{Button, Choice, Icon, Mono, Segmented, TextArea};

/// The part.
#[component]
pub(super) fn Troubleshoot(bench: Bench) -> impl IntoView {
    let who = bench.who();
    let missed = RwSignal::new(String::new());
    let resolved = RwSignal::new(None::<ServiceResolution>);
    // An answer about another token is none.
    Effect::new(move |before: Option<()>| {
        who.track();
        if before.is_some() {
            resolved.set(None);
        }
    });
    let userinfo = bench.input(|inputs| inputs.userinfo.clone());
    let found = Memo::new(move |_| {
        let (who, policy) = (who.get()?, bench.service.policy.get()?);
        let accepted = bench.accepted.get();
        resolved.with(|resolved| {
            steps(&who, &policy, &userinfo.get(), &missed.get(), resolved.as_ref(), &accepted, bench.now.get())
        })
    });
    view! {
        {move || match (found.get(), who.with(Option::is_none)) {
            (_, true) => nobody().into_any(),
            (None, false) => view! { <p class="quiet">"This looks at a token. By hand, groups are used as they are."</p> }.into_any(),
            (Some(found), false) => {
                let words = summary(&found);
                view! {
                    <p role="status">{words}</p>
                    <ol class="procedure" aria-label="Troubleshooting steps">
                        {found.into_iter().enumerate().map(|(place, step)| view! { <OneStep place=place step=step /> }).collect_view()}
                    </ol>
                }
                .into_any()
            }
        }}
        <TextArea
            id="missed" label="Groups that are missed, one per line" rows=2 help="Each is looked for in what comes out of the token."
            value=Signal::derive(move || missed.get()) on_input=move |text| missed.set(text)
        />
        <Rules bench=bench />
        <Ask bench=bench resolved=resolved />
    }
}

#[component]
fn OneStep(place: usize, step: DiagnosticStep) -> impl IntoView {
    let DiagnosticStep { title, state, findings, next, .. } = step;
    let (kind, word) = troubleshoot::mark(state);
    let (class, glyph) = mark(kind);
    let lines = |texts: &[String]| {
        texts.iter().map(|text| view! { <li><span>{sentence(&in_words(text, ""))}</span></li> }).collect_view()
    };
    view! {
        <li>
            <h3>{place + 1} ". " {title}</h3>
            <p><span class=format!("v {class}")><Icon glyph=glyph />{word}</span></p>
            {(!findings.is_empty()).then(|| view! { <ul class="facts">{lines(&findings)}</ul> })}
            {(!next.is_empty()).then(|| view! {
                <p><b>"Next"</b></p>
                <ul class="facts">{lines(&next)}</ul>
            })}
        </li>
    }
}

/// Whose rules read the token: ours, or those of the platform of today where ours are wider.
#[component]
fn Rules(bench: Bench) -> impl IntoView {
    let who = bench.who();
    let is_platform = bench.input(|inputs| inputs.platform);
    let differences = Memo::new(move |_| who.with(|who| who.as_deref().map(platform::differences).unwrap_or_default()));
    view! {
        <Segmented
            name="rules" legend="Rules that read the token" small=true
            value=Signal::derive(move || if is_platform.get() { "platform" } else { "own" }.to_owned())
            choices=vec![Choice::new("own", "GBAC"), Choice::new("platform", "The platform, version 26.1")]
            on_change=move |code: String| bench.edit(|inputs| inputs.platform = code == "platform")
        />
        {move || {
            let found = differences.get();
            if found.is_empty() {
                return view! { <p class="help">"The platform reads this token with these settings alike."</p> }.into_any();
            }
            let items = found.iter().map(|words| view! { <li><span>{sentence(words)}</span></li> }).collect_view();
            view! { <ul class="facts" aria-label="What the platform does otherwise">{items}</ul> }.into_any()
        }}
    }
}

/// Asks the service whom it sees in the token, after saying what is sent.
#[component]
fn Ask(bench: Bench, resolved: RwSignal<Option<ServiceResolution>>) -> impl IntoView {
    let who = bench.who();
    let busy = RwSignal::new(false);
    let is_token =
        Memo::new(move |_| who.with(|who| who.as_deref().is_some_and(|who| troubleshoot::token(who).is_some())));
    let ask = move |()| {
        let asked = who.get_untracked();
        let token = asked.as_deref().and_then(troubleshoot::token).map(str::to_owned);
        let Some(token) = token.filter(|_| !busy.get_untracked()) else { return };
        busy.set(true);
        spawn_local(async move {
            let answer = match bench.service.resolve(token).await {
                Ok(identity) => ServiceResolution::Identity(identity.principal, identity.groups),
                Err(failure) => ServiceResolution::Refused(failure.to_string()),
            };
            let _ = busy.try_set(false);
            // The field may hold another token by now.
            if who.try_get_untracked() == Some(asked) {
                let _ = resolved.try_set(Some(answer));
                dom::announce("The service has answered; step 2 compares.");
            }
        });
    };
    let settings = move || {
        let page = who.with(|who| who.as_deref().and_then(|who| who.rules().cloned()))?;
        let service =
            bench.service.policy.with(|policy| policy.as_ref().map(|policy| policy.settings().identity_rules()))?;
        Some((page, service))
    };
    view! {
        {move || is_token.get().then(|| view! {
            <div class="stack">
                <p class="help">
                    "Asking the service sends this token to " <Mono text=dom::origin() />
                    ", once, in the header of one request (ResolveOidcIdentity). Nothing else here sends it anywhere."
                </p>
                <div class="row"><Button busy=busy on_press=ask>"Send the token and compare"</Button></div>
                {move || resolved.with(Option::is_some).then(settings).flatten().map(|(page, service)| {
                    let same = page == service;
                    view! {
                        <table class="map">
                            <caption class="sr">"Settings of this page and of the service"</caption>
                            <thead><tr><th scope="col">"Setting"</th><th scope="col">"This page"</th><th scope="col">"The service"</th></tr></thead>
                            <tbody>
                                <tr><th scope="row">"Group claim"</th><td><Mono text=page.extraction.source.to_string() /></td><td><Mono text=service.extraction.source.to_string() /></td></tr>
                                <tr><th scope="row">"Nested names"</th><td><Mono text=page.extraction.nested.as_str() /></td><td><Mono text=service.extraction.nested.as_str() /></td></tr>
                                <tr><th scope="row">"User claim"</th><td><Mono text=page.mapping.as_str() /></td><td><Mono text=service.mapping.as_str() /></td></tr>
                            </tbody>
                        </table>
                        {(!same).then(|| view! { <p class="quiet">{sentence(&Words::from("This page tries other settings than the service has."))}</p> })}
                    }
                })}
            </div>
        })}
    }
}
