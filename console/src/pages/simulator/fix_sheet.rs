//! The sheet with the fixes of a denied request, and the draft that they make.

use std::sync::Arc;
use std::time::Duration;

use gbac_console_model::address;
use gbac_console_model::applied::CheckedRequest;
use gbac_console_model::audit::EventRow;
use gbac_console_model::review::{BLOCKED, DraftBrief, GAINS, LOSES, brief};
use gbac_console_model::simulator::fixes::{
    FixAxisStep, FixEffect, FixList, FixSection, ListedFix, SeenUsers, are_staged, fixes,
};
use gbac_console_model::simulator::verdict::VerdictKind;
use gbac_engine::policy::Change;
use gbac_words::common::{COMPLETE_CHECK_FIRST, NO_CHANGE_IN_ACCESS};
use gbac_words::pages::simulator as words;
use gbac_words::phrases::{capitalized, count};
use gbac_words::rich_text::RichText;
use gbac_words::smallest_change::TOKEN_EXPIRED;
use leptos::prelude::*;
use leptos::task::spawn_local;

use super::fields::{FIX_BUTTON, FIX_SHEET, actions, look, nobody};
use super::state::SimulatorState;
use crate::dom;
use crate::pages::commands::CommandBlock;
use crate::pages::effect::{EffectList, Extents};
use crate::pages::opening::opens;
use crate::pages::rich_text::{items, sentence};
use crate::store::draft::Draft;
use crate::store::seen_groups::SeenGroups;
use crate::ui::{
    BreadthBar, Button, Choice, CopyButton, Disclosure, Glyph, Icon, IconButton, IconSize, Message,
    MessageKind, Segmented, Sheet, Tag, TagKind,
};

/// How many audit events are read to tell who was seen with a group.
const EVENTS: usize = 1000;
/// How long the fixes wait for these events, which put groups with few users first.
const EVENTS_WAIT: Duration = Duration::from_millis(400);

/// The sheet; in the page while it is open.
#[component]
pub(super) fn FixSheet(state: SimulatorState) -> impl IntoView {
    let draft = expect_context::<Draft>();
    let fixing = state.fixing;
    let verdict = state.shown(|shown| {
        let verdict = shown.verdict.as_ref()?;
        Some((verdict.kind, verdict.short.clone()))
    });
    let about = move || {
        let (kind, short) = verdict.get()?;
        let (_, class, glyph) = look(kind);
        Some(
            view! { <span class=class><Icon glyph=glyph />{kind.title()}</span> " " <span>{sentence(&short)}</span> },
        )
    };
    view! {
        <Sheet
            id=FIX_SHEET title="Fix this" about=move || view! { {about} }
            on_close=move |()| {
                fixing.set(false);
                if !dom::focus(FIX_BUTTON) {
                    dom::focus("verdict");
                }
            }
        >
            <div class="sheet-b" tabindex="0" role="region" aria-label="Fixes"><Fixes state=state /></div>
            {move || (draft.count() > 0).then(|| view! {
                <div class="sheet-f">
                    <p>{move || words::changes_in_draft(draft.count())}</p>
                    <a class="btn btn-main" href=address::REVIEW>{move || format!("Review {}", count(draft.count(), "change"))}</a>
                </div>
            })}
        </Sheet>
    }
}

/// The content of the sheet.
#[component]
fn Fixes(state: SimulatorState) -> impl IntoView {
    let draft = expect_context::<Draft>();
    let (who, access, refusal) = (state.who(), state.access(), state.refusal());
    let kind = state.kind();
    let (seen, is_ready) = seen_users(state);
    let found = Memo::new(move |_| {
        let (who, access, policy) = (who.get()?, access.get()?, state.service.policy.get()?);
        // A fix stays in the list while it is in the draft. Its place does not change when events
        // arrive late.
        let staged = draft.changes.get_untracked();
        if !is_ready.get() {
            return None;
        }
        let found = dom::measured("simulator: fixes", || {
            seen.with_untracked(|seen| fixes(&policy, &who, &access, &staged, seen.as_ref()))
        });
        Some(Arc::new(found?))
    });
    move || match (refusal.get(), found.get()) {
        (Some(refusal), _) => view! {
            <h3>"Fix the token first"</h3>
            <section class="fx"><div class="fx-h">
                <p>{sentence(&refusal.words)}</p>
                {actions(state, &refusal.actions)}
                {(!refusal.more.is_empty()).then(|| view! {
                    <p class="quiet">{words::failed_checks(&refusal.more)}</p>
                })}
            </div></section>
            <p class="quiet">{words::TOKEN_REFUSED}</p>
        }
        .into_any(),
        (None, _) if kind.get() == Some(VerdictKind::Expired) => view! {
            <h3>"Fix the token first"</h3>
            <p>{TOKEN_EXPIRED}</p>
        }
        .into_any(),
        (None, Some(found)) => view! { <List found=found seen=seen state=state /> }.into_any(),
        (None, None) if who.with(Option::is_none) => nobody().into_any(),
        (None, None) if !is_ready.get() => {
            view! { <p class="quiet">{words::READING_AUDIT_LOG}</p> }.into_any()
        }
        (None, None) => view! { <p class="quiet">{COMPLETE_CHECK_FIRST}</p> }.into_any(),
    }
}

/// Who was seen with which group, read when the sheet opens, and whether that is known or takes too
/// long; nothing is seen where no audit events can be read.
fn seen_users(state: SimulatorState) -> (RwSignal<Option<SeenUsers>>, RwSignal<bool>) {
    let seen = RwSignal::new(None);
    let service = state.service;
    let is_readable = service.can.with_untracked(|can| can.audit.is_yes());
    let is_ready = RwSignal::new(!is_readable);
    if is_readable {
        // The sheet may be closed when this ends.
        set_timeout(
            move || {
                let _ = is_ready.try_set(true);
            },
            EVENTS_WAIT,
        );
        spawn_local(async move {
            // Without events, the effect is shown without the users.
            if let Ok(events) = service.events(EVENTS).await {
                let rows: Vec<EventRow> = events.iter().filter_map(EventRow::read).collect();
                let _ = seen.try_set(SeenUsers::from_events(&rows));
            }
            let _ = is_ready.try_set(true);
        });
    }
    (seen, is_ready)
}

#[component]
fn List(
    found: Arc<FixList>,
    seen: RwSignal<Option<SeenUsers>>,
    state: SimulatorState,
) -> impl IntoView {
    let draft = expect_context::<Draft>();
    let all: Vec<ListedFix> = found
        .sections
        .iter()
        .flat_map(|section| section.fixes.clone())
        .collect();
    // The first fix that is in the draft shows what the whole draft does.
    let first = Memo::new(move |_| {
        let changes = draft.changes.read();
        Some(
            all.iter()
                .find(|fix| fix.staged(&changes).is_some())?
                .number,
        )
    });
    let about = found
        .about
        .as_ref()
        .map(|about| view! { <p class="sheet-p">{sentence(about)}</p> });
    let sections = found
        .sections
        .iter()
        .cloned()
        .map(|FixSection { place, fixes }| {
            let cards = fixes
                .into_iter()
                .map(|fix| view! { <Card fix=fix seen=seen first=first state=state /> });
            view! { <h3>{place.title()}</h3> {cards.collect_view()} }
        })
        .collect_view();
    view! { {about} {axis(&found.axis)} {sections} }
}

/// How many fixes open how much.
fn axis(steps: &[FixAxisStep]) -> Option<impl IntoView + use<>> {
    if steps.is_empty() {
        return None;
    }
    let mut shown = Vec::new();
    for FixAxisStep {
        breadth,
        label,
        fixes,
    } in steps.iter().cloned()
    {
        let label = match breadth {
            Some(breadth) => view! { <BreadthBar breadth=breadth>{label}</BreadthBar> }.into_any(),
            None => view! { <span class="brw everyone"><b>{label}</b></span> }.into_any(),
        };
        shown.push(view! { <div><dt>{label}</dt><dd>{count(fixes, "fix")}</dd></div> });
    }
    Some(view! { <dl class="axis" aria-label=words::FIXES_BY_OPENING>{shown}</dl> })
}

#[component]
fn Card(
    fix: ListedFix,
    seen: RwSignal<Option<SeenUsers>>,
    first: Memo<Option<usize>>,
    state: SimulatorState,
) -> impl IntoView {
    let draft = expect_context::<Draft>();
    let number = fix.number;
    let (add_id, undo_id) = (format!("fix-add-{number}"), format!("fix-undo-{number}"));
    let is_manual = fix.changes.is_empty();
    let tries = actions(state, &fix.actions);
    // What is in the draft is chosen to begin with.
    let staged = draft.changes.with_untracked(|changes| fix.staged(changes));
    let choice = RwSignal::new(staged.unwrap_or_default());
    let listed = fix;
    let narrowing = narrowing(&listed, choice, draft, state);
    let (who, access) = (state.who(), state.access());
    let fix = Memo::new(move |_| {
        let (who, access) = (who.get_untracked(), access.get_untracked());
        let policy = state.service.policy.get_untracked();
        let other = match (choice.get(), who, access, policy) {
            (0, ..) => None,
            (choice, Some(who), Some(access), Some(policy)) => {
                listed.on_choice(choice, &policy, &who, &access)
            }
            _ => None,
        };
        other.unwrap_or_else(|| listed.clone())
    });
    let in_draft = Memo::new(move |_| {
        let staged = draft.changes.read();
        fix.with(|fix| are_staged(&fix.changes, &staged))
    });
    let buttons = {
        let (add_id, undo_id) = (add_id.clone(), undo_id.clone());
        move || {
            let (add, undo) = (add_id.clone(), undo_id.clone());
            let text = fix.with(|fix| fix.request.clone());
            match text {
                None if is_manual => view! { <span class="fx-a"><Tag>"Manual step"</Tag></span> }.into_any(),
                Some(text) => view! {
                    <span class="fx-a"><Tag>"Manual step"</Tag> <CopyButton text=text label="Copy request" attr:aria-label=words::copy_request(number) /></span>
                }
                .into_any(),
                None if in_draft.get() => {
                    let focus = add.clone();
                    view! {
                        <span class="fx-a">
                            <Tag kind=TagKind::Draft>"In draft"</Tag>
                            <IconButton glyph=Glyph::Undo label=words::remove_fix(number) id=undo on_press=move |()| {
                                fix.with_untracked(|fix| take_back(draft, &fix.changes));
                                dom::announce("Removed from the draft");
                                dom::focus_later(focus.clone());
                            } />
                        </span>
                    }
                    .into_any()
                }
                None => view! {
                    <span class="fx-a">
                        <Button small=true id=add attr:aria-label=words::add_fix(number) on_press=move |()| {
                            let made = fix.with_untracked(|fix| draft.add_all(fix.changes.clone()));
                            dom::announce(if made > 0 { "Added to the draft" } else { words::FIX_IN_DRAFT });
                            dom::focus_later(undo.clone());
                        }>"Add to draft"</Button>
                    </span>
                }
                .into_any(),
            }
        }
    };
    let title = format!("fix-title-{number}");
    let labelled_by = title.clone();
    let request = fix.with_untracked(|fix| fix.request.clone());
    let is_wide = Memo::new(move |_| fix.read().opening.is_wide());
    let shows_request = RwSignal::new(false);
    view! {
        <section class="fx" class:on=move || in_draft.get() class:wide=move || is_wide.get() aria-labelledby=labelled_by>
            <div class="fx-h">
                <h4 id=title><span class="rank">{format!("{number}. ")}</span>{move || sentence(&fix.read().title)}</h4>
                {buttons}
                <p>{move || sentence(&fix.read().about)}</p>
                {tries}
                {request.map(|text| view! {
                    <div class="fx-r">
                        <Disclosure
                            id=format!("fix-request-{number}") open=shows_request on_toggle=move |is_open| shows_request.set(is_open)
                            summary=move || view! { "See the request" <span class="sr">{format!(" of fix {number}")}</span> }
                        >
                            <pre class="code" tabindex="0" role="region" aria-label="Request">{text.clone()}</pre>
                        </Disclosure>
                    </div>
                })}
            </div>
            {narrowing}
            <Effect fix=fix seen=seen state=state />
            {move || (first.get() == Some(number)).then(|| view! { <InDraft state=state /> })}
        </section>
    }
}

/// The names on which the fix allows the request, to choose from. In the draft, the change follows.
fn narrowing(
    listed: &ListedFix,
    choice: RwSignal<usize>,
    draft: Draft,
    state: SimulatorState,
) -> Option<AnyView> {
    if listed.choices.len() < 2 {
        return None;
    }
    let access = state.access().get_untracked()?;
    let number = listed.number;
    let mut labels = Vec::new();
    let mut changes = Vec::new();
    for (place, choice) in listed.choices.iter().enumerate() {
        labels.push(Choice::new(place.to_string(), choice.label.clone()));
        changes.push(choice.changes.clone());
    }
    let choose = move |value: String| {
        let Ok(to) = value.parse::<usize>() else {
            return;
        };
        let from = choice.get_untracked();
        choice.set(to);
        let (Some(old), Some(new)) = (changes.get(from), changes.get(to)) else {
            return;
        };
        let is_staged = draft
            .changes
            .with_untracked(|staged| are_staged(old, staged));
        if is_staged && from != to {
            take_back(draft, old);
            draft.add_all(new.clone());
            dom::announce(words::FIX_ON_OTHER_NAMES);
        }
    };
    Some(
        view! {
            <div class="nar-c">
                <Segmented
                    name=format!("fix-names-{number}") legend=words::allow_on(access.operation) small=true
                    value=Signal::derive(move || choice.get().to_string()) choices=labels on_change=choose
                />
            </div>
        }
        .into_any(),
    )
}

/// Takes the changes of a fix out of the draft, the last first.
fn take_back(draft: Draft, changes: &[Change]) {
    for change in changes.iter().rev() {
        draft.take_back(change);
    }
}

/// What a fix does to whom, and who that is.
#[component]
fn Effect(
    fix: Memo<ListedFix>,
    seen: RwSignal<Option<SeenUsers>>,
    state: SimulatorState,
) -> impl IntoView {
    let open = RwSignal::new(false);
    let number = fix.with_untracked(|fix| fix.number);
    // Where only the group itself can be named, there is nothing to open.
    let who = Memo::new(move |_| {
        let now = state.now.get_untracked();
        seen.with(|seen| fix.read().effect.who(seen.as_ref(), now))
    });
    let has_more = Memo::new(move |_| fix.read().effect.has_more());
    view! {
        <div class="blast">
            {move || opens(&fix.read().opening)}
            {move || fix.read().comparison.clone().map(|words| view! { <p class="opens">{words}</p> })}
            <p>
                <Icon glyph=Glyph::Up size=IconSize::Small />
                <span>
                    {move || {
                        let now = state.now.get_untracked();
                        let words = seen.with(|seen| fix.read().effect.sentences(seen.as_ref(), now));
                        words.iter().map(|words| view! { <span>{sentence(words)} " "</span> }).collect_view()
                    }}
                </span>
            </p>
            {move || (has_more.get() || who.with(|who| !who.is_empty())).then(|| view! {
                <Disclosure
                    id=format!("fix-who-{number}") open=open on_toggle=move |is_open| open.set(is_open)
                    summary=move || {
                        let lists_principals = who.with(|who| !who.is_empty()) || fix.read().effect.principals() > 1;
                        view! {
                            {words::see_affected(lists_principals)}
                            <span class="sr">{words::affected_by(number)}</span>
                        }
                    }
                >
                    {move || affected(&fix.read(), &who.read())}
                </Disclosure>
            })}
        </div>
    }
}

/// Who is affected by a fix, and what it grants and takes.
fn affected(fix: &ListedFix, who: &[RichText]) -> impl IntoView + use<> {
    use gbac_analysis::AccessEffect::{Gains, Loses};
    let effects = match fix.effect.clone() {
        FixEffect::Principals(effects) => Some(view! { <EffectList effects=effects /> }.into_any()),
        FixEffect::User { gains, loses, .. } => Some(
            view! { <Extents extents=gains effect=Gains /> <Extents extents=loses effect=Loses /> }
                .into_any(),
        ),
        FixEffect::Groups(_) | FixEffect::Sentence(_) => None,
    };
    let users = (!who.is_empty()).then(|| view! { <ul class="facts">{items(who)}</ul> });
    view! { {users} {effects} }
}

/// The draft as the review shows it: its effect, its findings, and the same as commands.
#[component]
fn InDraft(state: SimulatorState) -> impl IntoView {
    let (draft, seen) = (expect_context::<Draft>(), expect_context::<SeenGroups>());
    let found = Memo::new(move |_| {
        let (before, after) = (state.service.policy.get()?, draft.after()?);
        let (staged, evaluation) = (draft.staged.read(), draft.evaluation.read());
        Some(dom::measured("simulator: draft", || {
            seen.with(|seen| brief(&before, &after, &staged, &evaluation.statuses, seen))
        }))
    });
    // The verdict now, and with the draft.
    let kind = state.kind();
    let then = Memo::new(move |_| {
        let (now, after) = (kind.get()?, draft.after()?);
        let checked = CheckedRequest::from_inputs(
            &state.inputs.read(),
            &after,
            &state.accepted.read(),
            state.now.get(),
            state.verifier.get(),
        );
        Some([now.title(), checked?.before.title()])
    });
    view! {
        <div class="fx-d" role="group" aria-label="The draft">
            {move || then.get().map(|[now, then]| view! { <p>{words::verdicts_of_request(now, then)}</p> })}
            {move || found.get().map(|found| view! { <Brief found=found /> })}
        </div>
    }
}

#[component]
fn Brief(found: DraftBrief) -> impl IntoView {
    let DraftBrief {
        summary,
        effects,
        findings,
        commands,
    } = found;
    let kinds = [
        (GAINS, "gained by"),
        (LOSES, "lost by"),
        (BLOCKED, "still denied to"),
    ];
    let mut totals = Vec::new();
    for (kind, verb) in kinds {
        let total = effects.total(kind);
        if total.operations > 0 {
            let operations = count(total.operations, "operation");
            totals.push(format!(
                "{operations} {verb} {}",
                count(total.people, "principal")
            ));
        }
    }
    if totals.is_empty() {
        let is_same = effects.settings.is_empty();
        totals.push(
            if is_same {
                NO_CHANGE_IN_ACCESS
            } else {
                words::GROUPS_CHANGE
            }
            .to_owned(),
        );
    }
    view! {
        <p><b>"Draft:"</b> " " {summary}</p>
        <ul class="facts">
            {totals.into_iter().map(|words| view! { <li><span>{words}</span></li> }).collect_view()}
        </ul>
        {if findings.is_empty() {
            view! { <p class="quiet">{words::DRAFT_WITHOUT_FINDINGS}</p> }.into_any()
        } else {
            findings
                .into_iter()
                .map(|words| view! { <Message kind=MessageKind::Warn>{sentence(&RichText::message(&capitalized(&words)))} "."</Message> })
                .collect_view()
                .into_any()
        }}
        <CommandBlock commands=commands />
    }
}
