//! Groups to assume where a token has a link in their place; each is one press away.

use gbac_analysis::HypotheticalChange;
use gbac_console_model::simulator::unknown_groups::allowing_groups;
use gbac_engine::model::Principal;
use gbac_words::pages::simulator as words;
use leptos::prelude::*;

use super::state::SimulatorState;
use crate::dom;
use crate::ui::{Button, PrincipalName};

/// The groups that would allow the request, without those that are assumed.
#[component]
pub(super) fn UnknownGroups(state: SimulatorState) -> impl IntoView {
    let (identity, access, is_refused) = (state.identity(), state.access(), state.is_refused());
    let found = Memo::new(move |_| {
        let (identity, access, policy) =
            (identity.get()?, access.get()?, state.service.policy.get()?);
        let (mut groups, more) = allowing_groups(&policy, &identity, &access);
        let trials = state.trials.read();
        groups.retain(|name| {
            !trials
                .as_slice()
                .contains(&HypotheticalChange::Join(name.clone()))
        });
        (!is_refused.get() && !groups.is_empty()).then_some((groups, more))
    });
    let assume = move |group: String| {
        state.trials.update(|trials| {
            trials.add(HypotheticalChange::Join(group));
        });
        dom::focus_later("verdict");
    };
    move || {
        let (groups, more) = found.get()?;
        let buttons = groups.into_iter().map(|group| {
            let principal = Principal::group(&group);
            view! {
                <li><Button small=true on_press=move |()| assume(group.clone())>"Assume " <PrincipalName principal=principal /></Button></li>
            }
        });
        Some(view! {
            <p id="assume-l">{words::GROUPS_THAT_ALLOW}</p>
            <ul class="chips" aria-labelledby="assume-l">{buttons.collect_view()}</ul>
            {(more > 0).then(|| view! { <p class="quiet">{words::more_groups(more)}</p> })}
        })
    }
}
