//! Collisions in the extraction: names of this token and known groups that become the same group.

use gbac_console_model::collisions::collision_report;
use leptos::prelude::*;

use super::state::SimulatorState;
use crate::pages::collision::CollisionList;
use crate::ui::{Choice, Segmented};

/// The section of the extraction.
#[component]
pub(super) fn Collisions(state: SimulatorState) -> impl IntoView {
    let who = state.who();
    let in_force = Memo::new(move |_| {
        who.with(|who| who.as_deref().and_then(|who| who.rules().map(|rules| rules.extraction.nested)))
            .or_else(|| {
                state
                    .service
                    .policy
                    .with(|policy| policy.as_ref().map(|policy| policy.settings().identity_rules().extraction.nested))
            })
            .unwrap_or_default()
    });
    let chosen = state.collisions_under;
    let nested = Memo::new(move |_| chosen.get().unwrap_or_else(|| in_force.get()));
    let report = Memo::new(move |_| {
        let policy = state.service.policy.get()?;
        who.with(|who| {
            let names = who.as_deref().map(gbac_console_model::simulator::SimulatedIdentity::names).unwrap_or_default();
            Some(collision_report(&policy, nested.get(), &names))
        })
    });
    view! {
        <Segmented
            name="col-nested" legend="Nested names" small=true
            value=Signal::derive(move || nested.get().as_str().to_owned())
            choices=vec![Choice::new("none", "none"), Choice::new("suffix", "suffix")]
            on_change=move |code: String| chosen.set(code.parse().ok())
        />
        <p class="help">{move || if nested.get() == in_force.get() { "The current setting." } else { "A hypothetical setting, which is not saved." }}</p>
        {move || match report.get() {
            None => view! { <p class="quiet">"The policy has not been read yet."</p> }.into_any(),
            Some(report) => view! { <CollisionList report=report of_token=true /> }.into_any(),
        }}
    }
}
