//! The answer without the assumptions, and what it takes for them to hold; under the verdict.

use gbac_console_model::address;
use gbac_console_model::simulator::hypothesis::{Hypothesis, Remedy};
use gbac_engine::policy::Change;
use gbac_words::hypothesis as words;
use leptos::prelude::*;

use super::fields::look;
use super::state::SimulatorState;
use crate::dom;
use crate::pages::rich_text::sentence;
use crate::store::draft::Draft;
use crate::ui::{Button, Icon, LinkButton, Tag, TagKind};

/// The rows; nothing while nothing is assumed, or while the verdict is of something else.
#[component]
pub(super) fn Assumed(state: SimulatorState) -> impl IntoView {
    let all = state.all_hypotheses();
    let is_stale = state.shown(|shown| shown.verdict_stale.is_some());
    let verdict = state.kind();
    let is_allowed = Memo::new(move |_| {
        let tried = state.tried.read();
        let kind = tried.as_ref().map(|tried| tried.kind).or(verdict.get());
        kind.is_some_and(|kind| kind.is_allowed())
    });
    let real = state.without(all);
    let without = move || {
        let real = real.get()?;
        let (_, class, glyph) = look(real.kind);
        Some(view! {
            <div>
                <dt>{words::WITHOUT}</dt>
                <dd>
                    <span class=class><Icon glyph=glyph />{real.kind.title()}</span>
                    {real.words.map(|words| view! { " " <span>{sentence(&words)}</span> })}
                </dd>
            </div>
        })
    };
    let takes = move || {
        let all = all.get();
        (is_allowed.get() && !all.is_empty()).then(|| view! {
            <div>
                <dt>{words::TAKES}</dt>
                <dd><ol class="todo">
                    {all.into_iter().map(|one| view! { <li><OneRemedy state=state hypothesis=one /></li> }).collect_view()}
                </ol></dd>
            </div>
        })
    };
    let has_rows = Memo::new(move |_| {
        let takes = is_allowed.get() && !all.read().is_empty();
        !is_stale.get() && (takes || real.read().is_some())
    });
    move || {
        has_rows
            .get()
            .then(|| view! { <dl class="why assumed">{without} {takes}</dl> })
    }
}

/// What makes a hypothesis so, with the control that does it.
#[component]
fn OneRemedy(state: SimulatorState, hypothesis: Hypothesis) -> impl IntoView {
    let takes = hypothesis.words().takes;
    let control = match hypothesis.remedy() {
        Remedy::Outside => ().into_any(),
        Remedy::Settings => view! {
            " " <Tag kind=TagKind::Warn>{words::AFFECTS_EVERYONE}</Tag> " " <a href=address::SETTINGS>"Open settings"</a>
        }
        .into_any(),
        Remedy::Verify => {
            let can_verify = state.input(|inputs| !inputs.as_claims);
            (move || can_verify.get().then(|| view! { " " <LinkButton on_press=move |()| state.verify()>"Verify"</LinkButton> }))
                .into_any()
        }
        Remedy::Draft(change) => view! { " " <ToDraft change=change label=words::add_to_draft(&takes) /> }.into_any(),
    };
    view! { <span>{sentence(&takes)}{control}</span> }
}

/// Adds a change to the draft, or says that it is there.
#[component]
fn ToDraft(change: Change, label: String) -> impl IntoView {
    let draft = expect_context::<Draft>();
    let known = change.clone();
    let is_staged = Memo::new(move |_| draft.changes.with(|changes| changes.contains(&known)));
    move || match is_staged.get() {
        true => view! { <Tag kind=TagKind::Draft>"In draft"</Tag> }.into_any(),
        false => {
            let change = change.clone();
            view! {
                <Button small=true attr:aria-label=label.clone() on_press=move |()| {
                    draft.add(change.clone());
                    dom::announce("Added to the draft");
                }>"Add to draft"</Button>
            }
            .into_any()
        }
    }
}
