//! What the verdict rests on: one bar above it, with a chip for each thing that nobody checked or
//! that is only tried.

use gbac_console_model::simulator::hypothesis::{Hypothesis, Removal};
use gbac_console_model::simulator::identity::SimulatedIdentity;
use gbac_words::hypothesis as words;
use gbac_words::rich_text::RichText;
use leptos::prelude::*;

use super::state::SimulatorState;
use crate::dom;
use crate::pages::rich_text::sentence;
use crate::ui::{Glyph, Icon, IconSize, LinkButton, Mark, VerdictWord};

/// The id of the bar's heading, where focus goes when a chip is gone.
const HEADING: &str = "h-hyp";

/// The bar, once there is a verdict.
#[component]
pub(super) fn HypothesisBar(state: SimulatorState) -> impl IntoView {
    let some = state.shown(|shown| shown.verdict.is_some());
    let all = state.all_hypotheses();
    let is_empty = Memo::new(move |_| all.read().is_empty());
    move || {
        some.get().then(|| {
            view! {
                <div class="hyps" role="group" aria-labelledby=HEADING>
                    <p id=HEADING class="focus-only" tabindex="-1"><b>"Assumptions"</b></p>
                    {move || match is_empty.get() {
                        true => view! { <Nothing state=state /> }.into_any(),
                        false => view! { <Chips state=state all=all /> }.into_any(),
                    }}
                </div>
            }
        })
    }
}

/// That nothing is assumed, and why.
#[component]
fn Nothing(state: SimulatorState) -> impl IntoView {
    let who = state.who();
    let why = Memo::new(move |_| reason(who.read().as_deref()?));
    move || {
        match why.get() {
        Some(why) => view! {
            <p><VerdictWord mark=Mark::Allow word=words::NONE /> " " <span class="quiet">{sentence(&why)}</span></p>
        }
        .into_any(),
        None => view! { <p class="quiet">{words::NONE}</p> }.into_any(),
    }
    }
}

/// Why nothing is assumed; none of a token that is refused.
fn reason(who: &SimulatedIdentity) -> Option<RichText> {
    let identity = who.identity.as_ref().ok()?;
    match who.rules() {
        Some(_) if identity.is_verified() => Some(words::checked(who.key_id())),
        Some(_) => None,
        None => Some(words::ENTERED_BY_HAND.into()),
    }
}

#[component]
fn Chips(state: SimulatorState, all: Memo<Vec<Hypothesis>>) -> impl IntoView {
    let removable = Memo::new(move |_| {
        let service = state.of_service();
        let mut removable = all.get();
        removable.retain(|one| one.removal(&service) != Removal::Verify);
        removable
    });
    let clear = move |()| {
        for hypothesis in removable.get_untracked() {
            state.take_back(&hypothesis);
        }
        dom::focus_later(HEADING);
    };
    view! {
        <ul class="chips">
            {move || all.get().into_iter().map(|hypothesis| view! { <li><Chip state=state hypothesis=hypothesis /></li> }).collect_view()}
        </ul>
        {move || (removable.read().len() > 1).then(|| view! { <LinkButton on_press=clear>"Clear all"</LinkButton> })}
    }
}

#[component]
fn Chip(state: SimulatorState, hypothesis: Hypothesis) -> impl IntoView {
    let short = hypothesis.words().short;
    let can_verify = state.input(|inputs| !inputs.as_claims);
    if hypothesis.removal(&state.of_service()) == Removal::Verify {
        let verify = move || {
            let hypothesis = hypothesis.clone();
            can_verify.get().then(|| view! {
                <LinkButton on_press=move |()| state.take_back(&hypothesis)>"Verify"<span class="sr">" the token"</span></LinkButton>
            })
        };
        return view! { <span class="hyp"><span>{sentence(&short)}</span>{verify}</span> }
            .into_any();
    }
    let label = words::remove(&short);
    let remove = move |_| {
        state.take_back(&hypothesis);
        dom::focus_later(HEADING);
    };
    view! {
        <span class="hyp">
            <span>{sentence(&short)}</span>
            <button type="button" aria-label=label.clone() title=label on:click=remove><Icon glyph=Glyph::Close size=IconSize::Small /></button>
        </span>
    }
    .into_any()
}
