//! The least that turns the verdict, each way to be tried.

use gbac_analysis::HypotheticalChange;
use leptos::prelude::*;

use super::more::{nobody, sign_in_first};
use super::parts::sentence;
use super::{Bench, Part};
use crate::dom;
use crate::state::simulator::ways::{Kind, Way, Ways, ways};
use crate::ui::Button;

/// The part.
#[component]
pub(super) fn LeastWays(bench: Bench) -> impl IntoView {
    let (identity, asked, instant, refusal) = (bench.identity(), bench.asked(), bench.instant(), bench.refusal());
    let found = Memo::new(move |_| {
        let (identity, asked, policy) = (identity.get()?, asked.get()?, bench.service.policy.get()?);
        let now = instant.get();
        Some(dom::measured("simulator: least change", || ways(&policy, &identity, std::slice::from_ref(&asked), now)))
    });
    move || match found.get() {
        _ if refusal.with(Option::is_some) => refusal.get().as_ref().map(sign_in_first).into_any(),
        Some(found) => view! { <Found bench=bench found=found /> }.into_any(),
        None if identity.with(Option::is_none) => nobody().into_any(),
        None => view! { <p class="quiet">"Complete the check first."</p> }.into_any(),
    }
}

/// Ways that were found.
#[component]
pub(super) fn Found(bench: Bench, found: Ways) -> impl IntoView {
    view! {
        <p>{sentence(&found.about)}</p>
        {found.kinds.into_iter().map(|kind| view! { <OneKind bench=bench kind=kind /> }).collect_view()}
    }
}

#[component]
fn OneKind(bench: Bench, kind: Kind) -> impl IntoView {
    let title = kind.title;
    view! {
        <div>
            <h3>{title}</h3>
            <p class="quiet">{sentence(&kind.about)}</p>
            <ul class="ways" aria-label=title>
                {kind.ways.into_iter().map(|way| view! { <OneWay bench=bench way=way /> }).collect_view()}
            </ul>
            {(kind.more > 0).then(|| view! { <p class="quiet">{format!("and {} more", kind.more)}</p> })}
        </div>
    }
}

#[component]
fn OneWay(bench: Bench, way: Way) -> impl IntoView {
    let words = way.words.iter().map(|words| view! { <span>{sentence(words)}</span> }).collect_view();
    let label = format!("Try: {}", way.words.iter().map(|words| words.plain()).collect::<Vec<_>>().join(", "));
    let trials = way.trials;
    view! {
        <li>
            <span class="way">{words}</span>
            <Button small=true on_press=move |()| try_out(bench, trials.clone()) attr:aria-label=label>"Try"</Button>
        </li>
    }
}

/// Puts changes into What if, and goes there.
pub(super) fn try_out(bench: Bench, trials: Vec<HypotheticalChange>) {
    let mut added = 0;
    bench.trials.update(|held| {
        for trial in trials {
            added += usize::from(held.add(trial));
        }
    });
    bench.show(Part::WhatIf);
    dom::focus_later("tried");
    dom::announce(if added == 0 { "It is tried already." } else { "Tried under What if." });
}
