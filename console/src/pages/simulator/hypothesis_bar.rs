//! What the verdict rests on: one bar above it, with a chip for each thing that nobody checked or
//! that is only tried. What is taken back stays as a ghost until something else is entered.

use gbac_console_model::simulator::chips::{Chip, RemovedHypotheses};
use gbac_console_model::simulator::hypothesis::{Hypothesis, Removal};
use gbac_console_model::simulator::identity::SimulatedIdentity;
use gbac_words::hypothesis as words;
use gbac_words::rich_text::RichText;
use leptos::ev::KeyboardEvent;
use leptos::prelude::*;

use super::state::SimulatorState;
use crate::dom;
use crate::pages::rich_text::sentence;
use crate::ui::{Glyph, Icon, IconSize, LinkButton, Mark, VerdictWord};

/// The id of the bar's heading, where focus goes when all chips change.
const HEADING: &str = "h-hyp";

/// The bar, once there is a verdict.
#[component]
pub(super) fn HypothesisBar(state: SimulatorState) -> impl IntoView {
    let some = state.shown(|shown| shown.verdict.is_some());
    let all = state.all_hypotheses();
    let removed = state.removed;
    // Something else was entered or tried: what was taken back is of the past.
    Effect::new(move |_| {
        let is_past = removed.with(|removed| {
            let inputs = state.inputs.read();
            !removed.is_empty() && !removed.is_current(&inputs, &state.trials.read())
        });
        if is_past {
            removed.set(RemovedHypotheses::default());
        }
    });
    let chips = Memo::new(move |_| removed.read().chips(&all.read()));
    let is_empty = Memo::new(move |_| chips.read().is_empty());
    move || {
        some.get().then(|| {
            view! {
                <div class="hyps" role="group" aria-labelledby=HEADING>
                    <p id=HEADING class="focus-only" tabindex="-1"><b>"Assumptions"</b></p>
                    {move || match is_empty.get() {
                        true => view! { <Nothing state=state /> }.into_any(),
                        false => view! { <Chips state=state all=all chips=chips /> }.into_any(),
                    }}
                </div>
            }
        })
    }
}

/// The id of a chip, by its place.
pub(super) fn chip_id(place: usize) -> String {
    format!("hyp-{place}")
}

/// That nothing is assumed, and why; or that the groups, which could deny it, are unknown.
#[component]
fn Nothing(state: SimulatorState) -> impl IntoView {
    let who = state.who();
    let why = Memo::new(move |_| reason(who.read().as_deref()?));
    let is_open = state.shown(|shown| {
        let verdict = shown.verdict.as_ref();
        verdict.is_some_and(|verdict| !verdict.denying_groups.is_empty())
    });
    move || {
        match why.get() {
        _ if is_open.get() => view! { <span class="hyp">{words::GROUPS_UNKNOWN}</span> }.into_any(),
        Some(why) => view! {
            <p><VerdictWord mark=Mark::Allow word=words::NONE /> " " <span class="quiet">{sentence(&why)}</span></p>
        }
        .into_any(),
        None => view! { <p class="quiet">{words::NONE}</p> }.into_any(),
    }
    }
}

/// Why nothing is assumed; none of a token that is refused.
fn reason(who: &SimulatedIdentity) -> Option<RichText> {
    let identity = who.identity.as_ref().ok()?;
    match who.rules() {
        Some(_) if identity.is_verified() => Some(words::checked(who.key_id())),
        Some(_) => None,
        None => Some(words::ENTERED_BY_HAND.into()),
    }
}

#[component]
fn Chips(
    state: SimulatorState,
    all: Memo<Vec<Hypothesis>>,
    chips: Memo<Vec<Chip>>,
) -> impl IntoView {
    let removable = Memo::new(move |_| {
        let service = state.of_service();
        let mut removable = all.get();
        removable.retain(|one| one.removal(&service) != Removal::Verify);
        removable
    });
    let has_ghosts = Memo::new(move |_| chips.read().iter().any(|chip| chip.is_removed));
    let clear = move |()| {
        state.remove(&removable.get_untracked(), &all.get_untracked());
        dom::focus_later(HEADING);
    };
    let restore = move |()| {
        state.restore(None);
        dom::focus_later(HEADING);
    };
    view! {
        <ul class="chips">
            {move || {
                let number = chips.read().len();
                let each = chips.get().into_iter().enumerate();
                each.map(|(place, chip)| view! {
                    <li><ChipView state=state all=all chip=chip place=place number=number /></li>
                }).collect_view()
            }}
        </ul>
        {move || match has_ghosts.get() {
            true => Some(view! { <LinkButton on_press=restore>"Restore all"</LinkButton> }.into_any()),
            false => (removable.read().len() > 1).then(|| view! { <LinkButton on_press=clear>"Clear all"</LinkButton> }.into_any()),
        }}
    }
}

#[component]
fn ChipView(
    state: SimulatorState,
    all: Memo<Vec<Hypothesis>>,
    chip: Chip,
    place: usize,
    number: usize,
) -> impl IntoView {
    let Chip {
        hypothesis,
        is_removed,
    } = chip;
    let short = hypothesis.words().short;
    if hypothesis.removal(&state.of_service()) == Removal::Verify {
        let can_verify = state.input(|inputs| !inputs.as_claims);
        let keys = move |event: KeyboardEvent| {
            step(&event, place, number);
        };
        let verify = move || {
            can_verify.get().then(|| view! {
                <LinkButton attr:id=chip_id(place) on_press=move |()| state.verify()>"Verify"<span class="sr">" the token"</span></LinkButton>
            })
        };
        return view! { <span class="hyp" on:keydown=keys><span>{sentence(&short)}</span>{verify}</span> }
            .into_any();
    }
    let (label, glyph, class) = match is_removed {
        true => (words::restore(&short), Glyph::Plus, "hyp hyp-ghost"),
        false => (words::remove(&short), Glyph::Close, "hyp"),
    };
    let press = Callback::new(move |()| {
        match is_removed {
            true => state.restore(Some(&hypothesis)),
            false => state.remove(std::slice::from_ref(&hypothesis), &all.get_untracked()),
        }
        dom::focus_first(vec![chip_id(place), HEADING.to_owned()]);
    });
    let keys = move |event: KeyboardEvent| {
        if event.key() == "Delete" && !is_removed {
            event.prevent_default();
            press.run(());
        } else {
            step(&event, place, number);
        }
    };
    view! {
        <span class=class on:keydown=keys>
            <span>{sentence(&short)}</span>
            <button type="button" id=chip_id(place) aria-label=label.clone() title=label on:click=move |_| press.run(())>
                <Icon glyph=glyph size=IconSize::Small />
            </button>
        </span>
    }
    .into_any()
}

/// Goes from a chip to the one beside it.
fn step(event: &KeyboardEvent, place: usize, number: usize) {
    let to = match event.key().as_str() {
        "ArrowRight" => (place + 1) % number,
        "ArrowLeft" => (place + number - 1) % number,
        _ => return,
    };
    event.prevent_default();
    dom::focus(&chip_id(to));
}
