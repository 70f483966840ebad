//! What the name fields suggest, read from the policy while nobody waits for it, and the request to
//! begin with.

use std::sync::Arc;
use std::time::Duration;

use gbac_console_model::simulator::suggestions::{PolicyNames, SuggestedName, begin};
use gbac_engine::policy::Policy;
use leptos::prelude::*;
use leptos::task::spawn_local;

use super::state::SimulatorState;
use crate::dom;
use crate::pages::chunk::{ChunkError, chunk_fn};

/// How long typing has to rest before names are looked up again.
const REST: Duration = Duration::from_millis(150);

/// The names of the policy that was looked at last.
type Known = StoredValue<Option<(Arc<Policy>, Arc<PolicyNames>)>>;

/// Suggestions for a field, as its `list`.
#[component]
pub(super) fn Names(id: &'static str, #[prop(into)] names: Signal<Vec<String>>) -> impl IntoView {
    view! {
        <datalist id=id>
            {move || names.get().into_iter().map(|name| view! { <option value=name></option> }).collect_view()}
        </datalist>
    }
}

/// Suggestions with what is known about each.
#[component]
pub(super) fn ResourceNames(
    id: &'static str,
    #[prop(into)] names: Signal<Vec<SuggestedName>>,
) -> impl IntoView {
    let option = |SuggestedName { name, about }| view! { <option value=name label=about></option> };
    view! { <datalist id=id>{move || names.get().into_iter().map(option).collect_view()}</datalist> }
}

/// Keeps the suggestions up to date: at once for another policy, and after a rest while somebody
/// types.
pub(super) fn suggest(state: SimulatorState) {
    let known: Known = StoredValue::new(None);
    let typed = Memo::new(move |_| {
        state.inputs.with(|inputs| {
            (
                inputs.resource_type,
                inputs.resource_name.clone(),
                inputs.user.clone(),
                inputs.host.clone(),
            )
        })
    });
    let waiting = StoredValue::new(None::<TimeoutHandle>);
    let stop = move || {
        waiting.update_value(|waiting| {
            if let Some(handle) = waiting.take() {
                handle.clear();
            }
        });
    };
    Effect::new(move |_| {
        let policy = state.service.policy.get();
        // Read and not only tracked: what nobody reads does not look at what it is made from.
        typed.with(|_| ());
        state.recent.track();
        stop();
        let Some(policy) = policy else { return };
        let is_known = known.with_value(|known| {
            known
                .as_ref()
                .is_some_and(|(of, _)| Arc::ptr_eq(of, &policy))
        });
        let look = move || {
            spawn_local(async move {
                // Without the code, nothing is suggested.
                let _ = look_up(state, policy, known).await;
            });
        };
        if is_known {
            waiting.set_value(set_timeout_with_handle(look, REST).ok());
        } else {
            dom::after_paint(look);
        }
    });
    on_cleanup(stop);
}

chunk_fn!(rest, look_up(state: SimulatorState, policy: Arc<Policy>, known: Known) {
    // The page may be gone by now.
    let names = known.try_update_value(|known| match known {
        Some((of, names)) if Arc::ptr_eq(of, &policy) => Arc::clone(names),
        _ => {
            let names = Arc::new(dom::measured("simulator: names", || PolicyNames::from_policy(&policy)));
            *known = Some((policy, Arc::clone(&names)));
            names
        }
    });
    if let Some(names) = names {
        offer(state, &names);
    }
});

fn offer(state: SimulatorState, names: &PolicyNames) {
    let recent = state.recent.get_untracked();
    let offers = state
        .inputs
        .with_untracked(|inputs| names.offers(inputs, &recent));
    if !offers.requests.is_empty() && !state.began.get_untracked() {
        state.began.set(true);
        state.edit(|inputs| begin(inputs, &offers.requests));
    }
    let _ = state.offers.try_update(|held| *held = offers);
}
