//! The least change that turns the verdict, with a button that tries it.

use gbac_analysis::HypotheticalChange;
use gbac_console_model::simulator::least_change::{
    LeastChange, LeastChangeGroup, LeastChanges, least_changes,
};
use gbac_words::common::COMPLETE_CHECK_FIRST;
use gbac_words::pages::simulator as words;
use leptos::prelude::*;

use super::parts::{nobody, sign_in_first};
use super::state::SimulatorState;
use crate::dom;
use crate::pages::rich_text::sentence;
use crate::ui::Button;
use gbac_console_model::simulator::panel::Panel;

/// The part.
#[component]
pub(super) fn LeastChangePanel(state: SimulatorState) -> impl IntoView {
    let (identity, access, instant, refusal) = (
        state.identity(),
        state.access(),
        state.instant(),
        state.refusal(),
    );
    let found = Memo::new(move |_| {
        let (identity, access, policy) =
            (identity.get()?, access.get()?, state.service.policy.get()?);
        let now = instant.get();
        Some(dom::measured("simulator: least change", || {
            least_changes(&policy, &identity, std::slice::from_ref(&access), now)
        }))
    });
    move || match found.get() {
        _ if refusal.with(Option::is_some) => refusal.get().as_ref().map(sign_in_first).into_any(),
        Some(found) => view! { <Found state=state found=found /> }.into_any(),
        None if identity.with(Option::is_none) => nobody().into_any(),
        None => view! { <p class="quiet">{COMPLETE_CHECK_FIRST}</p> }.into_any(),
    }
}

/// Ways that were found.
#[component]
pub(super) fn Found(state: SimulatorState, found: LeastChanges) -> impl IntoView {
    view! {
        <p>{sentence(&found.about)}</p>
        {found.kinds.into_iter().map(|kind| view! { <OneKind state=state kind=kind /> }).collect_view()}
    }
}

#[component]
fn OneKind(state: SimulatorState, kind: LeastChangeGroup) -> impl IntoView {
    let title = kind.title;
    view! {
        <div>
            <h3>{title}</h3>
            <p class="quiet">{sentence(&kind.about)}</p>
            <ul class="ways" aria-label=title>
                {kind.changes.into_iter().map(|change| view! { <OneChange state=state change=change /> }).collect_view()}
            </ul>
            {(kind.more > 0).then(|| view! { <p class="quiet">{format!("and {} more", kind.more)}</p> })}
        </div>
    }
}

#[component]
fn OneChange(state: SimulatorState, change: LeastChange) -> impl IntoView {
    let words = change
        .words
        .iter()
        .map(|words| view! { <span>{sentence(words)}</span> })
        .collect_view();
    let label = format!(
        "Try: {}",
        change
            .words
            .iter()
            .map(|words| words.plain())
            .collect::<Vec<_>>()
            .join(", ")
    );
    let trials = change.trials;
    view! {
        <li>
            <span class="way">{words}</span>
            <Button small=true on_press=move |()| try_out(state, trials.clone()) attr:aria-label=label>"Try"</Button>
        </li>
    }
}

/// Puts changes into What if, and goes there.
pub(super) fn try_out(state: SimulatorState, trials: Vec<HypotheticalChange>) {
    let mut added = 0;
    state.trials.update(|held| {
        for trial in trials {
            added += usize::from(held.add(trial));
        }
    });
    state.show(Panel::WhatIf);
    dom::focus_later("tried");
    dom::announce(words::added_to_what_if(added));
}
