//! What there is to know beyond the verdict: parts under the panes, each closed until somebody asks.

use gbac_console_model::phrases::count;
use gbac_console_model::simulator::panel::Panel;
use leptos::context::Provider;
use leptos::prelude::*;

use super::state::SimulatorState;
use super::{collisions, compare, request, saved, share, troubleshoot, ways, what_if};
use crate::pages::chunk::{Chunk, Lazy, Unfetched, chunk};
use crate::ui::Disclosure;

/// The parts.
#[component]
pub(super) fn More(state: SimulatorState) -> impl IntoView {
    let tried = Memo::new(move |_| state.trials.with(|trials| trials.as_slice().len()));
    let about_tried = move || match tried.get() {
        0 => "Effect of hypothetical changes".to_owned(),
        number => format!("{} tried", count(number, "change")),
    };
    view! {
        <section class="section more" aria-labelledby="h-more">
            <div class="row"><h2 id="h-more">"Further analysis"</h2></div>
            <ul class="panel flat parts">
                <Row state=state part=Panel::WhatIf about=about_tried />
                <Row state=state part=Panel::Ways about=|| "Smallest change that allows or denies the request".to_owned() />
                <Row state=state part=Panel::Request about=|| "API requests and the checks they need".to_owned() />
                <Row state=state part=Panel::Collisions about=|| "Names that become the same group".to_owned() />
                <Row state=state part=Panel::Compare about=|| "Differences in effective access between two users".to_owned() />
                <Row state=state part=Panel::Troubleshoot about=|| "Steps from the token to its groups".to_owned() />
                <Row state=state part=Panel::Tests about=move || saved::about(state) />
                <Row state=state part=Panel::Share about=|| "Link to this check, without the token".to_owned() />
            </ul>
        </section>
    }
}

/// The part that is drawn, for the code that draws it.
#[derive(Clone, Copy)]
struct Opening(SimulatorState, Panel);

chunk!(MORE, "This panel", rest, fetch_more, draw_more, {
    let Opening(state, part) = expect_context::<Opening>();
    match part {
        Panel::WhatIf => view! { <what_if::WhatIf state=state /> }.into_any(),
        Panel::Ways => view! { <ways::LeastWays state=state /> }.into_any(),
        Panel::Request => view! { <request::WholeRequest state=state /> }.into_any(),
        Panel::Collisions => view! { <collisions::Collisions state=state /> }.into_any(),
        Panel::Compare => view! { <compare::Compare state=state /> }.into_any(),
        Panel::Troubleshoot => view! { <troubleshoot::Troubleshoot state=state /> }.into_any(),
        Panel::Tests => view! { <saved::Tests state=state /> }.into_any(),
        Panel::Share => view! { <share::Share state=state /> }.into_any(),
    }
});

#[component]
fn Row(state: SimulatorState, part: Panel, #[prop(into)] about: Signal<String>) -> impl IntoView {
    let open = Signal::derive(move || state.open.with(|open| open.contains(&part)));
    let toggle = move |is_open: bool| {
        state.open.update(|open| {
            open.retain(|known| *known != part);
            if is_open {
                open.push(part);
            }
        });
    };
    view! {
        <li class="part">
            <Disclosure
                id=part.id() open=open on_toggle=toggle
                summary=move || view! { <span class="part-t"><b>{part.title()}</b> <span class="quiet">{move || about.get()}</span></span> }
            >
                <div class="part-b stack"><Provider value=Opening(state, part)><Lazy chunk=MORE part=true /></Provider></div>
            </Disclosure>
        </li>
    }
}
