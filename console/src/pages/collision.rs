//! Collisions as a list: the names that become one group, and what a user with one of them gains.

use gbac_analysis::{AccessEffect, CollidingName, Collision, CollisionReason, Gain};
use gbac_console_model::collisions::CollisionPanel;
use gbac_engine::Coded;
use gbac_engine::model::Principal;
use gbac_words::phrases::count;
use leptos::prelude::*;

use crate::pages::effect::Extents;
use crate::ui::{Mono, PrincipalName};

/// The list.
#[component]
pub(super) fn CollisionList(
    /// The collisions.
    report: CollisionPanel,
    /// Whether names of a token were looked at, beside those that the policy names.
    of_token: bool,
) -> impl IntoView {
    let known = count(report.known, "known group");
    let more = report.merged.omitted;
    let rows = report.merged.collisions;
    let matches: Vec<_> = report
        .matches
        .into_iter()
        .map(|(name, group)| view! {
            <p><Mono text=name /> " becomes " <PrincipalName principal=Principal::group(group) /> ", which the policy names."</p>
        })
        .collect();
    if rows.is_empty() {
        let words = if of_token {
            "in this token or among"
        } else {
            "among"
        };
        return view! { <p>{format!("No collisions {words} {known}.")}</p> {matches} }.into_any();
    }
    let number = rows.len() + more;
    let label = if of_token {
        format!("Collisions with {}", report.nested.code())
    } else {
        "Collisions".to_owned()
    };
    view! {
        <p>{format!("{} among {}{known}.", count(number, "collision"), if of_token { "the token’s names and " } else { "" })}</p>
        {matches}
        <ul class="stack" aria-label=label>
            {rows.into_iter().map(|(collision, gains)| view! { <OneRow collision=collision gains=gains /> }).collect_view()}
        </ul>
        {(more > 0).then(|| view! { <p class="quiet">{format!("and {more} more")}</p> })}
    }
    .into_any()
}

#[component]
fn OneRow(collision: Collision, gains: Vec<Gain>) -> impl IntoView {
    let by = match collision.reason {
        CollisionReason::Suffix => "only their last segment is kept",
        CollisionReason::Comma => "they are split at the comma if the claim is one string",
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
            <p>{names} {format!(" become this group, because {by}.")}</p>
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
    match (name.in_token, name.named_by_policy) {
        (true, true) => "(in the token and in the policy)",
        (true, false) => "(in the token)",
        (false, _) => "(in the policy)",
    }
}
