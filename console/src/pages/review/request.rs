//! What the draft does to the request in the simulator.

use gbac_console_model::applied::CheckedRequest;
use gbac_words::pages::review::simulated_request;
use leptos::prelude::*;

use super::applied::accepted;
use crate::dom;
use crate::store::draft::Draft;
use crate::store::service::Service;
use crate::store::simulator::SimulatorSession;

/// The verdicts without and with the draft; nothing if the simulator has none.
#[component]
pub(super) fn SimulatedRequest() -> impl IntoView {
    let (service, session, draft) = (
        expect_context::<Service>(),
        expect_context::<SimulatorSession>(),
        expect_context::<Draft>(),
    );
    let verifier = session.verifier(service);
    move || {
        let (before, after) = (service.policy.get()?, draft.after()?);
        let (accepted, now) = (accepted(service, session), dom::now_ms() / 1000.0);
        let verdict = |policy| {
            let (inputs, verifier) = (session.inputs.read(), verifier.get());
            let checked = CheckedRequest::from_inputs(&inputs, policy, &accepted, now, verifier)?;
            Some(checked.before.title())
        };
        let (before, after) = (verdict(&before)?, verdict(&after)?);
        Some(view! {
            <p class="then">{simulated_request(before, after)}</p>
        })
    }
}
