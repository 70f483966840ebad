//! The simulator: evaluates a token's access in the browser, after every edit.
//!
//! The token stays in this tab's memory: it is in no address, no storage, no log and no request.

mod assumed;
mod check_pane;
mod compare;
mod diagnosis;
mod fields;
mod fix_sheet;
mod hypothesis_bar;
mod identity_pane;
mod keys;
mod panels;
mod path_pane;
mod path_table;
mod save_test;
mod state;
mod tests_and_links;
mod trace_table;
mod unknown_groups;
mod what_if;

pub(super) use state::{EVALUATOR, VERIFIER};

use std::time::Duration;

use gbac_console_model::simulator::pipeline::{Shown, announcement};
use gbac_console_model::simulator::suggestions::remember;
use gbac_words::pages::simulator as words;
use leptos::prelude::*;
use leptos::task::spawn_local;

use self::state::SimulatorState;
use crate::dom;
use crate::store::seen_groups::SeenGroups;
use crate::store::service::Service;
use crate::store::simulator::SimulatorSession;

/// How long a verdict has to rest before it is announced.
const REST: Duration = Duration::from_millis(500);
/// The page.
#[component]
pub fn Simulator() -> impl IntoView {
    dom::set_title("Simulator");
    let service = expect_context::<Service>();
    let state = SimulatorState::new(service, expect_context::<SimulatorSession>());
    let arrived = tests_and_links::arrive(state);
    announce(state);
    keys::listen(state);
    fields::suggest(state);
    ask_accepted(state);
    remember_groups(state, expect_context::<SeenGroups>());
    let notice = RwSignal::new(None);
    let about = move || {
        service
            .policy
            .with(|policy| words::purpose(policy.as_deref()))
    };
    view! {
        <div class="head sim-head">
            <div>
                <h1>"Simulator"</h1>
                <p>{about} " " <span id="tok-stays">{words::TOKEN_STAYS}</span></p>
            </div>
            <div class="row"><save_test::SaveAsTest state=state notice=notice /></div>
        </div>
        <save_test::Saved state=state notice=notice />
        {arrived.map(|arrived| view! { <tests_and_links::Arrived arrived=arrived /> })}
        <div class="bench">
            <identity_pane::IdentityPane state=state />
            <check_pane::CheckPane state=state />
            <path_pane::PathPane state=state />
            <path_pane::Decoded state=state />
        </div>
        <panels::Panels state=state />
        <trace_table::Trace state=state />
        <panels::SavedTests state=state />
        <check_pane::VerdictBar state=state />
        {move || state.fixing.get().then(|| panels::fixes(state))}
    }
}

/// Asks the service whose tokens it accepts; what it does not say is not compared. Nothing of a
/// token goes with it.
fn ask_accepted(state: SimulatorState) {
    let service = state.service;
    service.on_connection(move || {
        spawn_local(async move {
            let asked = service.opened.get_untracked();
            let properties = match service.can.with_untracked(|can| can.settings.is_yes()) {
                true => service.properties().await.unwrap_or_default(),
                false => Default::default(),
            };
            // What was read before stays if this fails.
            let _ = service.read_info().await;
            // The page may be gone by now, or another cluster open.
            if service.opened.get_untracked() == asked {
                let _ = state.properties.try_set(properties);
            }
        });
    });
}

/// Remembers which groups tokens had, so that a review can say of a new one that nobody was seen in
/// it.
fn remember_groups(state: SimulatorState, seen: SeenGroups) {
    let who = state.who();
    Effect::new(move |_| {
        who.with(|who| {
            if let Some(who) = who.as_deref().filter(|who| who.rules().is_some()) {
                seen.add(who.names());
                seen.add(
                    who.identity
                        .iter()
                        .flat_map(|identity| identity.groups())
                        .map(String::as_str),
                );
            }
        });
    });
}

/// Says the verdict, or what is in its way, once nothing has changed for a moment.
fn announce(state: SimulatorState) {
    // With changes that are tried, it is the verdict that the page shows then.
    let (problems, shown) = (state.problems(), state.shown(Shown::clone));
    let text = Memo::new(move |_| match state.tried.read().as_ref() {
        Some(tried) => tried.title.to_owned(),
        None => announcement(&problems.read(), &shown.read()),
    });
    let access = state.access();
    let waiting = StoredValue::new(None::<TimeoutHandle>);
    let stop = move || {
        waiting.update_value(|waiting| {
            if let Some(handle) = waiting.take() {
                handle.clear();
            }
        });
    };
    Effect::new(move |before: Option<()>| {
        let text = text.get();
        access.with(|_| ());
        stop();
        // What is there when the page opens is read like the rest of the page.
        if before.is_some() && !text.is_empty() {
            let rest = move || {
                dom::announce(&text);
                // What a verdict rested on is suggested from now on.
                let asked = access
                    .try_get_untracked()
                    .flatten()
                    .filter(|_| state.judged_now().is_some());
                if let Some(asked) = asked {
                    state.recent.update(|recent| remember(recent, &asked));
                }
            };
            waiting.set_value(set_timeout_with_handle(rest, REST).ok());
        }
    });
    on_cleanup(stop);
}
