//! The end of the page: what the selected differences need, and the way to the review.

use gbac_console_model::address;
use gbac_console_model::compare_clusters::{
    ConvergeDirection, ConvergeObstacle, ConvergePlan, PlanOf, changes_file, plan,
};
use gbac_words::common::{added_to_draft, file_not_saved};
use gbac_words::convergence;
use gbac_words::pages::compare_clusters as words;
use gbac_words::phrases::count;
use leptos::prelude::*;
use leptos_router::NavigateOptions;

use super::context::CompareContext;
use crate::dom;
use crate::pages::rich_text::items;
use crate::store::draft::Draft;
use crate::ui::{Button, ButtonKind, Choice, Disclosure, Segmented};

/// How many changes are listed.
const LISTED: usize = 200;
/// The name of the file with the changes.
const FILE: &str = "converge.json";

#[component]
pub(super) fn ConvergeBar() -> impl IntoView {
    let context = expect_context::<CompareContext>();
    let draft = expect_context::<Draft>();
    let direction = RwSignal::new(ConvergeDirection::default());
    let planned = Memo::new(move |_| {
        let (policies, comparison) = (context.policies.read(), context.comparison.get());
        let (Some([a, b]), Some(comparison)) = (policies.as_ref(), comparison) else {
            return ConvergePlan::default();
        };
        plan(PlanOf {
            policies: [a, b],
            comparison: &comparison,
            direction: direction.get(),
            selected: &context.selected.read(),
        })
    });
    let selected = Memo::new(move |_| context.selected.read().len());
    let obstacle = Memo::new(move |_| {
        let sources = context.sides.map(|side| side.source.get());
        let plan = planned.read();
        ConvergeObstacle::find(
            &plan,
            selected.get(),
            direction.get(),
            &sources,
            draft.count(),
        )
    });
    let value = Signal::derive(move || match direction.get() {
        ConvergeDirection::BToA => "b".to_owned(),
        ConvergeDirection::AToB => "a".to_owned(),
    });
    let choices = Choice::each(
        [ConvergeDirection::BToA, ConvergeDirection::AToB],
        |direction| {
            let (to, from) = (direction.changes().letter(), direction.follows().letter());
            (to.to_lowercase(), words::direction(to, from))
        },
    );
    let navigate = dom::use_navigate();
    let converge = move |()| {
        let Some(policies) = context.policies.get_untracked() else {
            return;
        };
        let changes = match policies.get(direction.get_untracked().changes().index()) {
            Some(policy) => planned.read_untracked().for_draft(policy),
            None => return,
        };
        let added = draft.add_all(changes);
        dom::announce(&added_to_draft(added));
        navigate(address::REVIEW, NavigateOptions::default());
    };
    let save = move |()| {
        let text = changes_file(&planned.read_untracked().changes);
        match dom::save_file(FILE, "application/json", &text) {
            Ok(()) => dom::announce(&format!("{FILE} saved")),
            Err(reason) => dom::announce_error(&file_not_saved(FILE, &reason)),
        }
    };
    let button = move || {
        let direction = direction.get();
        words::converge(direction.changes().letter(), direction.follows().letter())
    };
    view! {
        <section class="converge" class:review-end=move || draft.count() == 0 aria-labelledby="h-converge">
            <h2 class="sr" id="h-converge">"Converge"</h2>
            <Summary planned=planned selected=selected direction=direction />
            <div class="row">
                <Segmented name="direction" legend="Direction" hide_legend=true value=value choices=choices
                    on_change=move |id: String| direction.set(if id == "a" { ConvergeDirection::AToB } else { ConvergeDirection::BToA }) />
                {move || obstacle.read().as_ref().is_some_and(ConvergeObstacle::offers_file).then(|| view! {
                    <Button on_press=save>"Save the changes"</Button>
                })}
                <Button kind=ButtonKind::Primary on_press=converge
                    disabled=Signal::derive(move || obstacle.get().is_some() || planned.with(|plan| plan.changes.is_empty()))
                    attr:aria-describedby="converge-reason">{button}</Button>
            </div>
            <p class="help" id="converge-reason">
                {move || match obstacle.get() {
                    Some(obstacle) => obstacle.reason(),
                    None => words::DRAFT_REVIEWED.to_owned(),
                }}
            </p>
        </section>
    }
}

/// What is selected, and what it needs.
#[component]
fn Summary(
    planned: Memo<ConvergePlan>,
    selected: Memo<usize>,
    direction: RwSignal<ConvergeDirection>,
) -> impl IntoView {
    let context = expect_context::<CompareContext>();
    let open = RwSignal::new(false);
    let all = move || {
        context
            .comparison
            .get()
            .map_or(0, |comparison| comparison.rows.len())
    };
    let said = move || {
        let plan = planned.read();
        let mut said = vec![words::selected(selected.get(), all())];
        if !plan.sentences.is_empty() {
            let (to, from) = (direction.get().changes(), direction.get().follows());
            said.push(words::makes(
                plan.sentences.len(),
                to.letter(),
                from.letter(),
            ));
        }
        said.extend(words::also(plan.also));
        said.extend(words::stay(plan.stay));
        said.join(" ")
    };
    let number = Memo::new(move |_| planned.with(|plan| plan.sentences.len()));
    let left = Memo::new(move |_| planned.with(|plan| plan.left.clone()));
    view! {
        <p role="status">{said}</p>
        {move || (number.get() > 0).then(|| view! {
            <Disclosure id="converge-changes" open=open on_toggle=move |is_open| open.set(is_open)
                summary=move || count(number.get(), "change")>
                <div class="problems" tabindex="0" role="group" aria-label="Changes">
                    <ul class="facts">
                        {move || planned.with(|plan| items(plan.sentences.get(..LISTED).unwrap_or(&plan.sentences)))}
                    </ul>
                    {move || (number.get() > LISTED).then(|| view! { <p>{format!("and {} more", number.get() - LISTED)}</p> })}
                </div>
            </Disclosure>
        })}
        {move || (!left.read().is_empty()).then(|| view! {
            <div class="small">
                <p>{convergence::remain(direction.get().changes().letter())}</p>
                <ul class="facts">{left.with(|left| items(left))}</ul>
            </div>
        })}
    }
}
