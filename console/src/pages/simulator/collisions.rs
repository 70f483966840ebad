//! Names that become one group, in this token and over all known groups, and what each person gains by it.

use gbac_analysis::{AccessEffect, CollidingName, Collision, CollisionKind, Gain};
use gbac_engine::groups::NestedGroupBehavior;
use gbac_engine::model::Principal;
use leptos::prelude::*;

use super::Bench;
use super::more::Extents;
use crate::state::simulator::collisions::{Found, found};
use crate::state::words::count;
use crate::ui::{Choice, Mono, PrincipalName, Segmented};

/// The part.
#[component]
pub(super) fn Collisions(bench: Bench) -> impl IntoView {
    let who = bench.who();
    let in_force = Memo::new(move |_| {
        who.with(|who| who.as_deref().and_then(|who| who.rules().map(|rules| rules.extraction.nested)))
            .or_else(|| {
                bench
                    .service
                    .policy
                    .with(|policy| policy.as_ref().map(|policy| policy.settings().identity_rules().extraction.nested))
            })
            .unwrap_or_default()
    });
    let chosen = RwSignal::new(None::<NestedGroupBehavior>);
    let nested = Memo::new(move |_| chosen.get().unwrap_or_else(|| in_force.get()));
    let found = Memo::new(move |_| {
        let policy = bench.service.policy.get()?;
        who.with(|who| {
            let names = who.as_deref().map(crate::state::simulator::Opened::names).unwrap_or_default();
            Some(found(&policy, nested.get(), &names))
        })
    });
    view! {
        <Segmented
            name="col-nested" legend="Nested names" small=true
            value=Signal::derive(move || nested.get().as_str().to_owned())
            choices=vec![Choice::new("none", "none"), Choice::new("suffix", "suffix")]
            on_change=move |code: String| chosen.set(code.parse().ok())
        />
        <p class="help">{move || if nested.get() == in_force.get() { "As it is in force." } else { "Tried here only." }}</p>
        {move || match found.get() {
            None => view! { <p class="quiet">"The service’s policy is not read yet."</p> }.into_any(),
            Some(found) => view! { <Rows found=found /> }.into_any(),
        }}
    }
}

#[component]
fn Rows(found: Found) -> impl IntoView {
    let known = count(found.known, "known group");
    let more = found.merged.more;
    let rows = found.merged.found;
    if rows.is_empty() {
        return view! { <p>{format!("No two names become one group: not in this token, and not among {known}.")}</p> }
            .into_any();
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
        CollisionKind::Comma => "are taken apart at the comma, where the claim is one string",
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
                    view! { <p class="quiet">"Somebody with " <Mono text=name /> " alone gains nothing by it."</p> }.into_any()
                } else {
                    view! {
                        <p>"Somebody with " <Mono text=name /> " alone gains:"</p>
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
