//! Names that become one group, in this token and over all known groups, and what each person gains by it.

use gbac_analysis::{AccessEffect, CollidingName, Collision, CollisionKind, Gain};
use gbac_console_model::phrases::count;
use gbac_console_model::simulator::collisions::{CollisionPanel, collision_report};
use gbac_engine::groups::NestedGroupBehavior;
use gbac_engine::model::Principal;
use leptos::prelude::*;

use super::state::SimulatorState;
use crate::pages::effect::Extents;
use crate::ui::{Choice, Mono, PrincipalName, Segmented};

/// The part.
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
    let chosen = RwSignal::new(None::<NestedGroupBehavior>);
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
        <p class="help">{move || if nested.get() == in_force.get() { "The current setting." } else { "Not saved." }}</p>
        {move || match report.get() {
            None => view! { <p class="quiet">"The policy was not read yet."</p> }.into_any(),
            Some(report) => view! { <Rows report=report /> }.into_any(),
        }}
    }
}

#[component]
fn Rows(report: CollisionPanel) -> impl IntoView {
    let known = count(report.known, "known group");
    let more = report.merged.more;
    let rows = report.merged.found;
    if rows.is_empty() {
        return view! { <p>{format!("No collisions in this token or among {known}.")}</p> }.into_any();
    }
    let number = rows.len() + more;
    view! {
        <p>{format!("{} among the token’s names and {known}.", count(number, "collision"))}</p>
        <ul class="stack" aria-label="Collisions">
            {rows.into_iter().map(|(collision, gains)| view! { <OneRow collision=collision gains=gains /> }).collect_view()}
        </ul>
        {(more > 0).then(|| view! { <p class="quiet">{format!("and {more} more")}</p> })}
    }
    .into_any()
}

#[component]
fn OneRow(collision: Collision, gains: Vec<Gain>) -> impl IntoView {
    let by = match collision.kind {
        CollisionKind::Suffix => "keep their last segment only",
        CollisionKind::Comma => "are split at the comma, where the claim is one string",
    };
    let all = collision.names.len();
    let names = collision
        .names
        .iter()
        .enumerate()
        .map(|(place, name)| {
            let between = match place {
                0 => "",
                place if place + 1 == all => " and ",
                _ => ", ",
            };
            view! { {between} <Mono text=name.name.clone() /> " " <span class="quiet">{origin(name)}</span> }
        })
        .collect_view();
    view! {
        <li class="collision">
            <h3><PrincipalName principal=Principal::group(collision.group) /></h3>
            <p>{names} {format!(" become this group: they {by}.")}</p>
            {gains.into_iter().map(|Gain { name, regions: extents }| {
                if extents.is_empty() {
                    view! { <p class="quiet">"A user with " <Mono text=name /> " alone gains no access."</p> }.into_any()
                } else {
                    view! {
                        <p>"A user with " <Mono text=name /> " alone gains:"</p>
                        <Extents extents=extents effect=AccessEffect::Gains />
                    }
                    .into_any()
                }
            }).collect_view()}
        </li>
    }
}

fn origin(name: &CollidingName) -> &'static str {
    match (name.in_token, name.known) {
        (true, true) => "(in the token, known)",
        (true, false) => "(in the token)",
        (false, _) => "(known)",
    }
}
