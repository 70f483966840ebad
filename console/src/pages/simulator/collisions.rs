//! Collisions in the extraction: names of this token and known groups that become the same group.

use gbac_console_model::collisions::collision_report;
use gbac_engine::Coded;
use gbac_engine::groups::NestedGroupBehavior;
use gbac_words::common::POLICY_NOT_READ;
use leptos::prelude::*;

use super::state::SimulatorState;
use crate::pages::collision::CollisionList;
use crate::ui::Mono;

/// The section of the extraction: both values of the setting, the one in force first.
#[component]
pub(super) fn Collisions(state: SimulatorState) -> impl IntoView {
    let who = state.who();
    let in_force = Memo::new(move |_| {
        who.with(|who| {
            who.as_deref()
                .and_then(|who| who.rules().map(|rules| rules.extraction.nested))
        })
        .or_else(|| {
            state.service.policy.with(|policy| {
                policy
                    .as_ref()
                    .map(|policy| policy.settings().identity_rules().extraction.nested)
            })
        })
        .unwrap_or_default()
    });
    let reports = Memo::new(move |_| {
        let policy = state.service.policy.get()?;
        let mut all = NestedGroupBehavior::ALL.to_vec();
        all.sort_by_key(|nested| *nested != in_force.get());
        who.with(|who| {
            let names = who
                .as_deref()
                .map(gbac_console_model::simulator::SimulatedIdentity::names)
                .unwrap_or_default();
            Some(
                all.into_iter()
                    .map(|nested| collision_report(&policy, nested, &names))
                    .collect::<Vec<_>>(),
            )
        })
    });
    let section = |place: usize, report: gbac_console_model::collisions::CollisionPanel| {
        let about = if place == 0 {
            ", the current setting"
        } else {
            ", which is not set"
        };
        view! {
            <h4>"With " <Mono text=report.nested.code() /> <span class="quiet">{about}</span></h4>
            <CollisionList report=report of_token=true />
        }
    };
    move || match reports.get() {
        None => view! { <p class="quiet">{POLICY_NOT_READ}</p> }.into_any(),
        Some(reports) => reports
            .into_iter()
            .enumerate()
            .map(|(place, report)| section(place, report))
            .collect_view()
            .into_any(),
    }
}
