//! The review: the changes of the draft, their effects, and the result of applying them.

mod applied;
mod apply;
mod lost_denies;
mod people;
mod request;
mod rows;
mod stored_tests;
mod undo;

use std::sync::Arc;
use std::time::Duration;

use gbac_api::reason::ChangeReason;
use gbac_console_model::address;
use gbac_console_model::apply::{ApplyProgress, drift, read_reason};
use gbac_console_model::draft::{ChangeStatus, role_of};
use gbac_console_model::group_tokens::GroupTokens;
use gbac_console_model::review::{Effects, effects, join_edits, reason_needed, remark, sections};
use gbac_console_model::stored_draft::DraftOwner;
use gbac_engine::policy::Policy;
use gbac_words::pages::review as words;
use gbac_words::phrases::count;
use leptos::prelude::*;

use self::applied::{Applied, Lost};
use self::apply::Apply;
use self::people::People;
use self::rows::{Drift, Sections, SentNote, Unanswered};
use self::stored_tests::{ConfirmFailing, StoredTests, TestList, TestResults};
use crate::dom;
use crate::pages::cluster_gaps::ClusterGaps;
use crate::pages::cluster_notes::OneByOne;
use crate::pages::commands::DraftCommands;
use crate::pages::link::AddressLink;
use crate::pages::provider_gap::ProviderGap;
use crate::pages::rich_text::sentence;
use crate::store::draft::Draft;
use crate::store::seen_groups::SeenGroups;
use crate::store::service::{Service, ServiceStatus};
use crate::store::simulator::SimulatorSession;
use crate::store::visited::Visited;
use crate::ui::{Button, ButtonKind, Empty, Field, Glyph, Note, NoteKind, ResourceName};

/// The page.
#[component]
pub fn ReviewPage() -> impl IntoView {
    dom::set_title("Review");
    let service = expect_context::<Service>();
    let draft = expect_context::<Draft>();
    // What was read when the review began: what is looked at here is about this and no other state.
    let base = RwSignal::new(service.policy.get_untracked());
    let drift = Memo::new(move |_| {
        let (base, now) = (base.get()?, service.policy.get()?);
        let changes = drift(&base, &now);
        (!changes.is_empty()).then_some(changes)
    });
    // A first read, and one that found the same, are taken as they are, and so is any while there
    // is no draft.
    Effect::new(move |_| {
        let now = service.policy.get();
        if draft.count() == 0 {
            base.set(now);
            return;
        }
        let is_same = base.with_untracked(|base| match (base, &now) {
            (Some(base), Some(now)) => Arc::ptr_eq(base, now),
            (_, None) => true,
            (None, Some(_)) => false,
        });
        if !is_same && drift.with(Option::is_none) {
            base.set(now);
        }
    });
    let review_again = Callback::new(move |()| {
        base.set(service.policy.get_untracked());
        dom::announce(words::REVIEWING_AGAIN);
        dom::focus_heading();
    });
    let tokens = expect_context::<SimulatorSession>().group_tokens();
    let effect = effects_of(service, draft, base, tokens);
    let apply = Apply::new(base, effect);
    let progress = apply.progress.clone();
    let result = Memo::new(move |_| progress.with(|progress| progress.result().cloned()));
    let progress = apply.progress.clone();
    let busy = Signal::derive(move || progress.with(ApplyProgress::is_busy));
    let typed = RwSignal::new(String::new());
    let reason = ReasonField {
        typed,
        refused: RwSignal::new(None),
        needed: Memo::new(move |_| why_needed(service, draft, base)),
    };
    let tests = StoredTests::new(service, draft, base);
    let confirming = RwSignal::new(None::<usize>);
    let send = Callback::new(move |()| {
        if let Some(reason) = reason.read() {
            apply.press(reason);
        }
    });
    let on_apply = Callback::new(move |()| match tests.failing() {
        0 => send.run(()),
        failing if reason.read().is_some() => confirming.set(Some(failing)),
        _ => {}
    });
    let is_empty = Memo::new(move |_| draft.count() == 0);
    // The next draft, and that of another account, has a reason of its own.
    Effect::new(move |before: Option<Option<DraftOwner>>| {
        let owner = draft.owner.get();
        let is_other = before.is_some_and(|before| before != owner);
        if is_empty.get() || is_other {
            typed.set(String::new());
        }
        owner
    });
    let applied = Memo::new(move |_| draft.applied.get().filter(|_| is_empty.get()));
    view! {
        <nav aria-label="Breadcrumb">
            <ol class="crumbs"><li>"Security"</li><li aria-current="page">"Review"</li></ol>
        </nav>
        {move || (!is_empty.get() || applied.with(Option::is_none)).then(|| view! {
            <div class="head">
                <div>
                    <h1>{move || if is_empty.get() { "Review".to_owned() } else { format!("Review {}", count(draft.count(), "change")) }}</h1>
                    {move || (!is_empty.get()).then(|| view! { <p><ReadFrom /></p> })}
                </div>
            </div>
        })}
        {move || (!is_empty.get()).then(|| view! { <TestResults tests=tests /> })}
        {move || draft.unanswered.with(Option::is_some).then(|| view! { <Unanswered /> })}
        {move || result.get().map(|sent| view! { <SentNote sent=sent /> })}
        {move || (!is_empty.get()).then(|| view! { <ClusterGaps /><ProviderGap /><OneByOne /> })}
        <Lost />
        {move || {
            let (changes, base) = (drift.get()?, base.get()?);
            Some(view! { <Drift changes=changes base=base on_take=review_again /> })
        }}
        {move || if let Some(applied) = applied.get() {
            view! { <Applied applied=applied /> }.into_any()
        } else if is_empty.get() {
            view! { <NothingToReview /> }.into_any()
        } else {
            view! {
                <div class="panel split review">
                    <Left base=base reason=reason />
                    <People effect=effect base=base tokens=tokens />
                </div>
                <Actions busy=busy is_held=Signal::derive(move || drift.with(Option::is_some) || tests.is_reading.get()) on_apply=on_apply />
            }
            .into_any()
        }}
        <TestList tests=tests />
        <ConfirmFailing failing=confirming tests=tests on_apply=send />
    }
}

/// The effect, worked out after the rows are on the screen, and again when draft or state change.
fn effects_of(
    service: Service,
    draft: Draft,
    base: RwSignal<Option<Arc<Policy>>>,
    tokens: Memo<GroupTokens>,
) -> RwSignal<Option<Effects>> {
    let effect = RwSignal::new(None);
    Effect::new(move |_| {
        base.track();
        draft.changes.track();
        // Read, since what nobody reads is never worked out, and tells nobody.
        drop(tokens.read());
        set_timeout(
            move || {
                // The page may have been left, or have been asked before anything was read.
                if let Some(found) = find_effects(service, draft, base, tokens) {
                    let _ = effect.try_set(Some(found));
                }
            },
            Duration::from_millis(20),
        );
    });
    effect
}

/// The effect now; none while the state is another one than was reviewed.
fn find_effects(
    service: Service,
    draft: Draft,
    base: RwSignal<Option<Arc<Policy>>>,
    tokens: Memo<GroupTokens>,
) -> Option<Effects> {
    let before = base.try_get_untracked()??;
    let now = service.policy.try_get_untracked()??;
    let after = draft.after_untracked()?;
    let changes = draft.changes.try_get_untracked()?;
    if !Arc::ptr_eq(&before, &now) {
        return None;
    }
    let tokens = tokens.try_get_untracked()?;
    Some(dom::measured("review: effect", || {
        effects(&before, &after, &changes, &tokens.claims())
    }))
}

/// From where the facts are, and how old they are.
#[component]
fn ReadFrom() -> impl IntoView {
    let service = expect_context::<Service>();
    move || match service.status.get() {
        ServiceStatus::Connected {
            name, read_at_ms, ..
        } => (move || sentence(&words::compared_with(&name, service.now.get() - read_at_ms)))
            .into_any(),
        ServiceStatus::Loading => words::COMPARED_WITH_LAST.into_any(),
        ServiceStatus::Away { sign_in: true, .. } => words::COMPARED_SIGNED_OUT.into_any(),
        ServiceStatus::Away { .. } => words::COMPARED_UNREACHABLE.into_any(),
    }
}

#[component]
fn NothingToReview() -> impl IntoView {
    view! {
        <div class="panel flat">
            <Empty glyph=Glyph::Same title="Nothing to review">
                <p>{words::EMPTY_DRAFT}</p>
                <div class="row"><a class="btn" href=address::ROLES>"Roles"</a></div>
            </Empty>
        </div>
    }
}

/// The page from which the review was opened; otherwise the list of roles, at the role that was
/// changed last.
#[component]
fn Back() -> impl IntoView {
    let draft = expect_context::<Draft>();
    let before = expect_context::<Visited>().last().unwrap_or_default();
    let (path, query) = before.split_once('?').unwrap_or((&before, ""));
    if !path.is_empty() && path != address::ROLES {
        let words = match address::role_at(path, query) {
            Some(name) => view! { <ResourceName name=name /> }.into_any(),
            None => address::page_name(path).into_any(),
        };
        let href = before.clone();
        return view! { <AddressLink href=href class="btn">"Back to " {words}</AddressLink> }
            .into_any();
    }
    view! {
        <a class="btn" href=move || address::roles_at_role(draft.changes.read().iter().rev().find_map(role_of))>"Back to Roles"</a>
    }
    .into_any()
}

/// What will be sent.
#[component]
fn Left(base: RwSignal<Option<Arc<Policy>>>, reason: ReasonField) -> impl IntoView {
    let (draft, seen) = (expect_context::<Draft>(), expect_context::<SeenGroups>());
    let shown = Memo::new(move |_| {
        let (staged, evaluation) = (draft.staged.read(), draft.evaluation.read());
        base.with(|base| {
            let Some(base) = base else { return Vec::new() };
            let mut sections = sections(base, &staged, &evaluation.statuses);
            let after = evaluation.after.as_ref().unwrap_or(base);
            seen.with(|seen| remark(&mut sections, &staged, base, after, seen));
            join_edits(&mut sections, &staged);
            sections
        })
    });
    view! {
        <section aria-labelledby="h-send">
            <h2 id="h-send">"Changes to apply"</h2>
            <Sections sections=shown />
            <Reason reason=reason />
            <DraftCommands base=base changes=draft.changes />
        </section>
    }
}

/// The reason that is typed for the changes.
#[derive(Clone, Copy)]
struct ReasonField {
    typed: RwSignal<String>,
    /// Why the text is refused, once it was to be sent.
    refused: RwSignal<Option<String>>,
    /// Why the draft cannot be applied without one.
    needed: Memo<Option<String>>,
}

impl ReasonField {
    /// The reason; without one that can be sent, the field says so and gets focus.
    fn read(self) -> Option<Option<ChangeReason>> {
        let needed = self.needed.get_untracked();
        let read = self
            .typed
            .with_untracked(|typed| read_reason(typed, needed.as_deref()));
        match read {
            Ok(reason) => Some(reason),
            Err(text) => {
                dom::announce_error(&text);
                self.refused.set(Some(text));
                dom::focus("reason");
                None
            }
        }
    }
}

/// Why the draft needs a reason, in the service itself, which records it.
fn why_needed(
    service: Service,
    draft: Draft,
    base: RwSignal<Option<Arc<Policy>>>,
) -> Option<String> {
    let base = base.read();
    let evaluation = draft.evaluation.read();
    match (&*base, &evaluation.after) {
        (Some(base), Some(after)) if service.is_own() => {
            reason_needed(base, after, &draft.changes.read())
        }
        _ => None,
    }
}

/// The field of the reason; none where another service keeps the policy, which records none.
#[component]
fn Reason(reason: ReasonField) -> impl IntoView {
    let service = expect_context::<Service>();
    move || {
        service.is_own().then(|| {
            view! {
                <Field
                    id="reason" label=words::REASON value=reason.typed help=words::REASON_HELP
                    warning=Signal::derive(move || {
                        let is_missing = reason.typed.with(|typed| typed.trim().is_empty());
                        reason.needed.get().filter(|_| is_missing)
                    })
                    error=reason.refused
                    on_input=move |text| {
                        reason.refused.set(None);
                        reason.typed.set(text);
                    }
                />
            }
        })
    }
}

/// The buttons, and why nothing can be sent when it cannot.
#[component]
fn Actions(
    busy: Signal<bool>,
    /// Whether the policy is another one now, or the stored tests are still read.
    is_held: Signal<bool>,
    on_apply: Callback<()>,
) -> impl IntoView {
    let draft = expect_context::<Draft>();
    let impossible = Memo::new(move |_| {
        let statuses = &draft.evaluation.read().statuses;
        let impossible = statuses
            .iter()
            .filter(|one| matches!(one, ChangeStatus::Impossible(_)));
        impossible.count()
    });
    let service = expect_context::<Service>();
    let blocked =
        Signal::derive(move || is_held.get() || impossible.get() > 0 || service.is_example());
    view! {
        <div class="review-end">
            {move || (impossible.get() > 0).then(|| view! {
                <Note kind=NoteKind::Warn title=words::outdated(impossible.get()) level=2>
                    <p>{words::REMOVE_OUTDATED}</p>
                    <div class="row">
                        <Button small=true on_press=move |()| {
                            draft.take_out_idle();
                            dom::announce("Removed from the draft");
                            dom::focus_heading();
                        }>{words::REMOVE_FROM_DRAFT}</Button>
                    </div>
                </Note>
            })}
            {move || service.is_example().then(|| view! {
                <p>{words::NEEDS_SERVICE} <a href=address::EXCHANGE>"Import and export"</a> "."</p>
            })}
            <div class="row row-end">
                <Back />
                <Button kind=ButtonKind::Primary busy=busy disabled=blocked on_press=on_apply>
                    {move || {
                        let verb = if draft.staged.with(|all| all.iter().any(|one| one.failure.is_some())) { "Retry" } else { "Apply" };
                        format!("{verb} {}", count(draft.count(), "change"))
                    }}
                </Button>
            </div>
        </div>
    }
}
