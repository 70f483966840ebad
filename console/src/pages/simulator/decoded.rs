//! The decoded token: its header, and its claims, each of which can become the claim path.

use gbac_console_model::simulator::decoded::{DecodedClaim, decoded};
use gbac_console_model::simulator::inputs::InputEdit;
use gbac_words::escape::plain;
use gbac_words::pages::simulator as words;
use leptos::prelude::*;

use super::parts::nobody;
use super::state::SimulatorState;
use crate::dom;

/// The part.
#[component]
pub(super) fn DecodedClaims(state: SimulatorState) -> impl IntoView {
    let who = state.who();
    let found = Memo::new(move |_| who.with(|who| who.as_deref().and_then(decoded)));
    move || {
        match found.get() {
        None => nobody().into_any(),
        Some(found) => view! {
            <div class="decoded">
                {found.header.map(|header| view! {
                    <div>
                        <h3>"Header"</h3>
                        <pre class="code" tabindex="0" role="region" aria-label="Decoded header"><code>{header}</code></pre>
                    </div>
                })}
                <div>
                    <h3>"Payload"</h3>
                    <p class="help">{found.summary} ". " {words::PRESS_CLAIM}</p>
                    <ul class="claims" aria-label="Claims">
                        {found.claims.into_iter().map(|claim| view! { <Claim state=state claim=claim /> }).collect_view()}
                    </ul>
                </div>
            </div>
        }
        .into_any(),
    }
    }
}

#[component]
fn Claim(state: SimulatorState, claim: DecodedClaim) -> impl IntoView {
    let DecodedClaim {
        depth,
        name,
        path,
        value,
        is_claim_path,
    } = claim;
    let name = plain(&name);
    let class = format!("claim-{depth}");
    let button = match path {
        Some(path) => {
            let title = format!("Read groups from {}", plain(&path));
            let press = move |_| {
                state.apply(InputEdit::TryClaimPath(path.clone()));
                dom::announce(&words::groups_read_from(&path));
            };
            let pressed = if is_claim_path { "true" } else { "false" };
            view! { <button class="link claim" type="button" aria-pressed=pressed title=title on:click=press>{name}</button> }.into_any()
        }
        None => view! { <span class="cl">{name}</span> }.into_any(),
    };
    view! {
        <li class=class>
            {button} " " <span class="cl">{value}</span>
            {is_claim_path.then(|| view! { " " <span class="tag">"Claim path"</span> })}
        </li>
    }
}
