//! The verdict with its reasons and what can be done about it.

use gbac_console_model::address;
use gbac_console_model::settings::service::provider_gap;
use gbac_console_model::simulator::Waiting;
use gbac_console_model::simulator::inputs::Weight;
use gbac_console_model::simulator::panel::Panel;
use gbac_console_model::simulator::verdict::{Verdict, VerdictKind, Why};
use gbac_words::common::POLICY_NOT_READ;
use gbac_words::pages::simulator as words;
use leptos::prelude::*;

use super::panels::tried;
use super::parts::{FIX_BUTTON, FIX_SHEET, actions, look};
use super::state::SimulatorState;
use crate::pages::rich_text::sentence;
use crate::ui::{Button, ButtonKind, Glyph, Icon, IconSize};

/// The pane.
#[component]
pub(super) fn VerdictPane(state: SimulatorState) -> impl IntoView {
    let verdict = state.part(|view| view.verdict.clone());
    let stale = state.part(|view| view.verdict_stale);
    let waiting = state.part(|view| view.waiting);
    let resource_type = state.input(|inputs| inputs.resource_type);
    let is_trying = state.is_trying();
    let gap = Memo::new(move |_| state.properties.with(provider_gap));
    let class = Memo::new(move |_| {
        let kind = verdict.with(|verdict| verdict.as_ref().map(|verdict| verdict.kind));
        match kind {
            Some(_) if is_trying.get() => "vd verdict verdict-try".to_owned(),
            Some(kind) if stale.get().is_some() => format!("vd {} stale", look(kind).0),
            Some(kind) => format!("vd {}", look(kind).0),
            None => "vd".to_owned(),
        }
    });
    // Focus comes here from the bar at the bottom. The actions stay while the verdict changes with
    // every key.
    view! {
        <div class=move || class.get() id="verdict" tabindex="-1">
            {move || match (is_trying.get(), verdict.get()) {
                (true, Some(_)) => tried(state).into_any(),
                (false, Some(verdict)) => head(state, &verdict).into_any(),
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
            <VerdictActions state=state />
            {move || verdict.get().filter(|_| !is_trying.get()).map(|verdict| why(&verdict, stale.get()))}
            {move || gap.get().filter(|_| verdict.with(Option::is_some)).map(|words| view! {
                <p class="msg msg-warn vd-note">
                    <Icon glyph=Glyph::Warn size=IconSize::Small />
                    <span>{words} " " <a href=address::SETTINGS>"Open settings"</a></span>
                </p>
            })}
        </div>
    }
}

fn head(state: SimulatorState, verdict: &Verdict) -> impl IntoView + use<> {
    let (_, _, glyph) = look(verdict.kind);
    view! {
        <div class="verdict-h">
            <Icon glyph=glyph />
            <h3>{verdict.kind.title()}</h3>
            <p>{sentence(&verdict.sentence)}</p>
        </div>
        {actions(state, &verdict.actions).map(|actions| view! { <div class="why-actions">{actions}</div> })}
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

/// What can be done about the verdict.
#[component]
fn VerdictActions(state: SimulatorState) -> impl IntoView {
    let fixing = state.fixing;
    let is_denied = state.part(|view| {
        view.verdict
            .as_ref()
            .map(|verdict| verdict.kind != VerdictKind::Allowed)
    });
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
                let hops = hops
                    .iter()
                    .map(|hop| view! { <li><span>{sentence(hop)}</span></li> })
                    .collect_view();
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
    let verdict = state.part(|view| {
        view.verdict
            .as_ref()
            .map(|verdict| (verdict.kind, verdict.short.clone()))
    });
    let tried = Memo::new(move |_| {
        state.tried.with(|tried| {
            tried
                .as_ref()
                .map(|tried| (tried.kind, tried.title, tried.judged.access.short()))
        })
    });
    let stale = state.part(|view| view.verdict_stale.is_some());
    let wrong = state.part(|view| {
        view.problems
            .iter()
            .any(|problem| problem.weight == Weight::Error)
    });
    let go = |event: leptos::ev::MouseEvent| {
        event.prevent_default();
        crate::dom::focus("verdict");
    };
    move || {
        verdict.get().map(|(kind, short)| {
            let today = kind;
            let (kind, title, short) = tried.get().unwrap_or((kind, kind.title(), short));
            let (_, class, glyph) = look(kind);
            let bar = match (stale.get(), kind) {
                (true, _) => "vbar vbar-stale",
                (_, VerdictKind::Allowed) => "vbar vbar-allow",
                (_, VerdictKind::DeniedByRule | VerdictKind::SignInFails) => "vbar",
                _ => "vbar vbar-none",
            };
            let label = words::to_verdict(title, &short);
            let request = if stale.get() && wrong.get() {
                view! { <span class="quiet">"an input is invalid"</span> }.into_any()
            } else {
                view! { <span class="quiet">{sentence(&short)}</span> }.into_any()
            };
            view! {
                <div class=bar role="region" aria-label="Verdict in short">
                    <a href="#verdict" rel="external" aria-label=label on:click=go>
                        <span class=class><Icon glyph=glyph />{title}</span>
                        {request}
                        <Icon glyph=Glyph::Chevron size=IconSize::Small class="chev" />
                    </a>
                    {(today != VerdictKind::Allowed).then(|| view! {
                        <Button on_press=move |()| state.fixing.set(true)>"Fix this"</Button>
                    })}
                </div>
            }
        })
    }
}
