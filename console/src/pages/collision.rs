//! Collisions as a list: the names that become one group, and what a user with one of them gains.

use gbac_analysis::{AccessEffect, Collision, Gain};
use gbac_console_model::collisions::CollisionPanel;
use gbac_engine::model::Principal;
use gbac_words::collision;
use gbac_words::extraction::kept_names;
use leptos::prelude::*;

use crate::pages::effect::Extents;
use crate::pages::rich_text::sentence;
use crate::ui::PrincipalName;

/// The list.
#[component]
pub(super) fn CollisionList(
    /// The collisions.
    report: CollisionPanel,
    /// Whether names of a token were looked at, beside those that the policy names.
    of_token: bool,
) -> impl IntoView {
    let more = report.merged.omitted;
    let rows = report.merged.collisions;
    let number = rows.len() + more;
    let total = collision::total(number, report.known, of_token);
    let matches: Vec<_> = report
        .matches
        .iter()
        .map(|(name, group)| view! { <p>{sentence(&collision::matched(name, group))}</p> })
        .collect();
    if rows.is_empty() {
        return view! { <p>{total}</p> {matches} }.into_any();
    }
    let label = if of_token {
        format!("Collisions with {}", kept_names(report.nested))
    } else {
        "Collisions".to_owned()
    };
    view! {
        <p>{total}</p>
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
    let words = collision::sentence(&collision);
    let gains = gains.into_iter().map(|gain| {
        let words = sentence(&collision::gain(&gain));
        if gain.regions.is_empty() {
            view! { <p class="quiet">{words}</p> }.into_any()
        } else {
            view! {
                <p>{words}</p>
                <Extents extents=gain.regions effect=AccessEffect::Gains />
            }
            .into_any()
        }
    });
    view! {
        <li class="collision">
            <h3><PrincipalName principal=Principal::group(collision.group) /></h3>
            <p>{sentence(&words)}</p>
            {gains.collect_view()}
        </li>
    }
}
