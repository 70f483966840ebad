//! What if: hypothetical changes, the verdict with them beside that of today, what they change for
//! this user, and the smallest change that turns the verdict.

use std::sync::Arc;

use gbac_analysis::{AccessEffect, HypotheticalChange, groups_between};
use gbac_console_model::address;
use gbac_console_model::simulator::hypothesis::with_changes;
use gbac_console_model::simulator::inputs::Panel;
use gbac_console_model::simulator::smallest_change::{
    SmallestChange, SmallestChangeGroup, SmallestChanges, smallest_changes,
};
use gbac_console_model::simulator::trial::{
    Side, Tried, attempt, difference, judge_with, side, summary, title_if,
};
use gbac_console_model::simulator::trial_form::{Options, TrialForm, TrialKind, other};
use gbac_engine::identity::Identity;
use gbac_engine::model::{Dialect, Operation, Permission, Principal};
use gbac_words::common::{
    COMPLETE_CHECK_FIRST, NO_CHANGE_IN_ACCESS, POLICY_NOT_READ, add_to_draft, added_to_draft,
};
use gbac_words::escape::plain;
use gbac_words::pages::simulator as words;
use gbac_words::rich_text::RichText;
use gbac_words::{acl, change};
use leptos::prelude::*;

use super::fields::{look, nobody, sign_in_first};
use super::state::{SimulatorState, TriedVerdict};
use crate::dom;
use crate::pages::effect::Extents;
use crate::pages::opening::opened;
use crate::pages::rich_text::{items, sentence};
use crate::store::draft::Draft;
use crate::ui::{
    Button, Choice, Field, Glyph, Icon, IconButton, Message, MessageKind, PrincipalName, Segmented,
    Select, Words,
};

/// The most roles, groups or rows that a list offers; more are named by hand.
const MOST: usize = 200;

/// The part's state.
#[derive(Clone, Copy)]
struct WhatIfContext {
    state: SimulatorState,
    /// The policy and the person with the changes; none while nobody is named or nothing is read.
    tried: Memo<Option<Tried>>,
    options: Memo<Options>,
    form: RwSignal<TrialForm>,
}

/// The part.
#[component]
pub(super) fn WhatIf(state: SimulatorState) -> impl IntoView {
    let who = state.who();
    let tried = Memo::new(move |_| {
        // What is entered counts as far as it names somebody else: each key of the check does not.
        let (_, policy) = (who.get()?, state.service.policy.get()?);
        let now = state.now.get_untracked();
        Some(state.trials.with(|trials| {
            state.inputs.with_untracked(|inputs| {
                dom::measured("simulator: tried", || attempt(trials, inputs, &policy, now))
            })
        }))
    });
    let access = state.access();
    let form = RwSignal::new(TrialForm::default());
    // Only the ACLs to remove depend on the check; the other choices are not listed anew with every
    // key.
    let lists_acls = Memo::new(move |_| form.with(|form| form.kind == TrialKind::RemoveAcl));
    let options = Memo::new(move |_| {
        let access = if lists_acls.get() { access.get() } else { None };
        tried.with(|tried| match tried {
            Some(Tried {
                policy,
                identity: Ok(identity),
                ..
            }) => Options::for_identity(policy, identity, access.as_ref()),
            _ => Options::default(),
        })
    });
    let context = WhatIfContext {
        state,
        tried,
        options,
        form,
    };
    let some = Memo::new(move |_| tried.with(Option::is_some));
    move || {
        if some.get() {
            view! {
                <AddTrial context=context />
                <HypotheticalChangeList context=context />
                <VerdictComparison context=context />
                <AccessComparison context=context />
            }
            .into_any()
        } else {
            nobody().into_any()
        }
    }
}

/// The form that adds a change.
#[component]
fn AddTrial(context: WhatIfContext) -> impl IntoView {
    let WhatIfContext {
        state,
        tried,
        options,
        form,
    } = context;
    let access = state.access();
    let sent = RwSignal::new(false);
    let kind = Memo::new(move |_| form.with(|form| form.kind));
    let made = Memo::new(move |_| {
        let policy = match &*tried.read() {
            Some(tried) => Arc::clone(&tried.policy),
            None => Arc::default(),
        };
        form.read()
            .trial(&options.read(), &policy, access.read().as_ref())
    });
    view! {
        <form class="try stack" aria-label="Hypothetical change" on:submit=move |event| {
            event.prevent_default();
            sent.set(true);
            if let Ok(trial) = made.get_untracked() {
                add(context, trial);
                sent.set(false);
            }
        }>
            <div class="grid-3">
                <Select
                    id="try-kind" label="Change"
                    value=Signal::derive(move || kind.get().code().to_owned())
                    choices=Choice::each(TrialKind::ALL, |kind| (kind.code(), kind.label()))
                    on_change=move |code: String| {
                        if let Some(kind) = TrialKind::from_code(&code) {
                            sent.set(false);
                            form.update(|form| form.kind = kind);
                        }
                    }
                />
                {move || fields(context, kind.get())}
            </div>
            {move || match made.get() {
                Err(words) if sent.get() => Some(view! { <Message kind=MessageKind::Error id="try-msg">{words.plain()}</Message> }),
                _ => None,
            }}
            <div class="row"><Button submit=true>"Add change"</Button></div>
        </form>
    }
}

/// Tries a change, and empties the form.
fn add(context: WhatIfContext, trial: HypotheticalChange) {
    let words = change::hypothetical(&trial).plain();
    context.state.trials.update(|trials| {
        trials.add(trial);
    });
    // The places of what can be chosen are others now.
    context.form.update(|form| {
        *form = TrialForm {
            kind: form.kind,
            ..TrialForm::default()
        }
    });
    dom::announce(&format!("Added: {words}"));
}

/// The fields of a kind of change.
fn fields(context: WhatIfContext, kind: TrialKind) -> AnyView {
    let WhatIfContext { form, options, .. } = context;
    match kind {
        TrialKind::Join => view! {
            <Field id="try-group" label="Group" mono=true placeholder="payments"
                value=Signal::derive(move || form.with(|form| form.group.clone()))
                on_input=move |text| form.update(|form| form.group = text) />
        }
        .into_any(),
        TrialKind::Leave => place(form, "try-left", "Group", |form| form.left, |form, at| form.left = at, move || {
            options.with(|options| options.members.iter().skip(1).map(shown).collect())
        }),
        TrialKind::AddMember => view! {
            {place(form, "try-member", "Member", |form| form.member, |form, at| form.member = at, move || {
                options.with(|options| options.members.iter().map(shown).collect())
            })}
            <Field id="try-role" label="Role" mono=true list="try-roles"
                value=Signal::derive(move || form.with(|form| form.role.clone()))
                on_input=move |text| form.update(|form| form.role = text) />
            <datalist id="try-roles">
                {move || {
                    let tried = context.tried.read();
                    let names = tried.as_ref()?.policy.role_names().take(MOST);
                    Some(names.map(|name| view! { <option value=name.to_owned()></option> }).collect_view())
                }}
            </datalist>
        }
        .into_any(),
        TrialKind::RemoveMember => {
            place(form, "try-membership", "Membership", |form| form.membership, |form, at| form.membership = at, move || {
                options.with(|options| {
                    options
                        .memberships
                        .iter()
                        .map(|(member, role)| format!("{} in {}", shown(member), plain(role)))
                        .collect()
                })
            })
        }
        TrialKind::AddAcl => view! {
            {place(form, "try-principal", "Principal", |form| form.principal, |form, at| form.principal = at, move || {
                options.with(|options| options.principals.iter().map(shown).collect())
            })}
            <Operations context=context />
            <Segmented
                name="try-permission" legend="Permission" small=true
                value=Signal::derive(move || form.with(|form| form.permission.spelling().cli.to_owned()))
                choices=Choice::each([Permission::Allow, Permission::Deny], |it| (it.spelling().cli, it.spelling().label))
                on_change=move |code: String| {
                    if let Ok(permission) = code.parse::<Permission>() {
                        form.update(|form| form.permission = permission);
                    }
                }
            />
            <Segmented
                name="try-pattern" legend="Pattern type" small=true
                value=Signal::derive(move || if form.with(|form| form.prefixed) { "prefixed" } else { "literal" }.to_owned())
                choices=vec![Choice::new("literal", "Literal"), Choice::new("prefixed", "Prefixed")]
                on_change=move |code: String| form.update(|form| form.prefixed = code == "prefixed")
            />
            <Field id="try-name" label="Resource name" mono=true help=words::NAME_OF_CHECK
                value=Signal::derive(move || form.with(|form| form.name.clone()))
                on_input=move |text| form.update(|form| form.name = text) />
        }
        .into_any(),
        TrialKind::RemoveAcl => place(form, "try-row", "ACL on this resource", |form| form.row, |form, at| form.row = at, move || {
            options.with(|options| options.rows.iter().take(MOST).map(|acl| acl::sentence(acl).plain()).collect())
        }),
        TrialKind::Nested => view! {
            <p class="help">{move || options.with(|options| words::nested_change(options.nested.map(|nested| [nested, other(nested)])))}</p>
        }
        .into_any(),
        TrialKind::ClaimPath => view! {
            <Field id="try-path" label="Claim path" mono=true placeholder="$.groups"
                value=Signal::derive(move || form.with(|form| form.path.clone()))
                on_input=move |text| form.update(|form| form.path = text) />
        }
        .into_any(),
    }
}

fn shown(principal: &Principal) -> String {
    plain(&principal.to_string())
}

/// A choice by its place in a list.
fn place(
    form: RwSignal<TrialForm>,
    id: &'static str,
    label: &'static str,
    get: fn(&TrialForm) -> usize,
    set: fn(&mut TrialForm, usize),
    words: impl Fn() -> Vec<String> + Copy + Send + Sync + 'static,
) -> AnyView {
    let choices = Signal::derive(move || {
        let words = words();
        if words.is_empty() {
            return vec![Choice::new("", "None")];
        }
        Choice::each(words.into_iter().enumerate(), |(at, words)| {
            (at.to_string(), words)
        })
    });
    view! {
        <Select
            id=id label=label choices=choices
            value=Signal::derive(move || form.with(get).to_string())
            on_change=move |at: String| form.update(|form| set(form, at.parse().unwrap_or_default()))
        />
    }
    .into_any()
}

#[component]
fn Operations(context: WhatIfContext) -> impl IntoView {
    let form = context.form;
    let access = context.state.access();
    let operation = Signal::derive(move || {
        let operation = match (form.read().operation, &*access.read()) {
            (Some(operation), _) => operation,
            (None, Some(access)) => access.operation,
            (None, None) => Operation::Read,
        };
        operation.spelling().cli.to_owned()
    });
    let choices = Choice::each(Dialect::Platform.operations(), |it| {
        (it.spelling().cli, it.spelling().label)
    });
    view! {
        <Select
            id="try-operation" label="Operation of the ACL"
            value=operation
            choices=choices
            on_change=move |code: String| form.update(|form| form.operation = code.parse::<Operation>().ok())
        />
    }
}

/// The changes that are tried, and where they go.
#[component]
fn HypotheticalChangeList(context: WhatIfContext) -> impl IntoView {
    let state = context.state;
    let draft = expect_context::<Draft>();
    let number = Memo::new(move |_| state.trials.with(|trials| trials.changes().count()));
    view! {
        <div id="tried" tabindex="-1">
            <ul class="ways" aria-label="Tried">{move || tried_changes(state, "Remove", Glyph::Close, "tried")}</ul>
            {move || {
                let tried = context.tried.read();
                let faults = tried.as_ref()?.faults.iter();
                Some(faults.map(|words| view! {
                    <p class="msg msg-warn"><Icon glyph=Glyph::Warn /><span>{sentence(words)}</span></p>
                }).collect_view())
            }}
            {move || (state.trials.with(|trials| !trials.as_slice().is_empty())).then(|| view! {
                <div class="row">
                    {move || (number.get() > 0).then(|| view! {
                        <Button on_press=move |()| hand_over(state, draft)>{move || add_to_draft(number.get())}</Button>
                        <a class="btn" href=address::REVIEW>"Review"</a>
                    })}
                    <Button on_press=move |()| remove_all(state, "try-kind")>"Remove all"</Button>
                </div>
                {move || state.trials.with(|trials| trials.as_slice().len() > number.get()).then(|| view! {
                    <p class="help">{words::GROUPS_IN_PROVIDER}</p>
                })}
            })}
        </div>
    }
}

/// The changes that are tried, each with a button that takes it out and leaves focus at an element.
fn tried_changes(
    state: SimulatorState,
    verb: &str,
    glyph: Glyph,
    focus: &'static str,
) -> impl IntoView + use<> {
    let trials = state.trials.read();
    let numbered = trials.as_slice().iter().enumerate();
    let items = numbered.map(|(place, trial)| {
        let words = change::hypothetical(trial);
        let label = format!("{verb}: {}", words.plain());
        view! {
            <li>
                <span class="way"><span>{sentence(&words)}</span></span>
                <IconButton glyph=glyph label=label on_press=move |()| {
                    state.trials.update(|trials| trials.remove(place));
                    dom::focus_later(focus);
                } />
            </li>
        }
    });
    items.collect_view()
}

/// Puts the changes that are tried into the draft.
fn hand_over(state: SimulatorState, draft: Draft) {
    let changes: Vec<_> = state.trials.read_untracked().changes().cloned().collect();
    let added = draft.add_all(changes);
    dom::announce(&added_to_draft(added));
}

/// Takes every change out, and leaves focus at an element.
fn remove_all(state: SimulatorState, focus: &'static str) {
    state.trials.set(Default::default());
    dom::focus_later(focus);
    dom::announce(words::CHANGES_REMOVED);
}

/// The verdict of today beside the one with the changes.
#[component]
fn VerdictComparison(context: WhatIfContext) -> impl IntoView {
    let state = context.state;
    let (who, access, instant, refusal) = (
        state.who(),
        state.access(),
        state.instant(),
        state.fix_first(),
    );
    let hypotheses = state.hypotheses();
    let idle = Memo::new(move |_| state.trials.with(|trials| trials.as_slice().is_empty()));
    let sides = Memo::new(move |_| {
        if idle.get() {
            return None;
        }
        let (who, access, policy) = (who.get()?, access.get()?, state.service.policy.get()?);
        let (now, of_token) = (instant.get(), hypotheses.read());
        let all = with_changes(&of_token, &state.trials.read());
        let today = match &who.identity {
            Ok(identity) => Ok(side(&policy, &who, identity, &access, now, &of_token)),
            Err(_) => Err(RichText::from(words::SIGN_IN_FAILS)),
        };
        let then = match &*context.tried.read() {
            None => Err(POLICY_NOT_READ.into()),
            Some(tried) => match &tried.identity {
                Ok(identity) => Ok(side(&tried.policy, &who, identity, &access, now, &all)),
                Err(words) => Err(words.clone()),
            },
        };
        Some((today, then))
    });
    view! {
        <div class="sides" role="group" aria-label=words::COMPARED_VERDICTS>
            {move || match (refusal.get(), sides.get()) {
                (Some(refusal), _) => sign_in_first(&refusal).into_any(),
                (None, Some((today, then))) => view! {
                    <OneSide title="Today" side=today />
                    <OneSide title="With the changes" side=then />
                }
                .into_any(),
                (None, None) if idle.get() => view! { <p class="quiet">{words::ADD_CHANGE}</p> }.into_any(),
                (None, None) => view! { <p class="quiet">{words::COMPLETE_CHECK_TO_TRY}</p> }.into_any(),
            }}
        </div>
    }
}

#[component]
fn OneSide(title: &'static str, side: Result<Side, RichText>) -> impl IntoView {
    match side {
        Ok(side) => {
            let (_, class, glyph) = look(side.kind);
            view! {
                <div class="side" role="group" aria-label=title>
                    <h3>{title}</h3>
                    <p class=class><Icon glyph=glyph /><b>{side.kind.title()}</b></p>
                    <p>{sentence(&side.sentence)}</p>
                    {(!side.by.is_empty()).then(|| view! { <ol class="path">{items(&side.by)}</ol> })}
                    {side.because.map(|words| view! { <p class="quiet">{sentence(&words)}</p> })}
                </div>
            }
            .into_any()
        }
        Err(words) => {
            view! { <div class="side" role="group" aria-label=title><h3>{title}</h3><p>{sentence(&words)}</p></div> }
                .into_any()
        }
    }
}

/// Everything that changes for this person.
#[component]
fn AccessComparison(context: WhatIfContext) -> impl IntoView {
    let state = context.state;
    let (identity, refusal) = (state.identity(), state.fix_first());
    let idle = Memo::new(move |_| state.trials.with(|trials| trials.as_slice().is_empty()));
    let found = Memo::new(move |_| {
        let (identity, policy) = (identity.get()?, state.service.policy.get()?);
        let tried = context.tried.read();
        let tried = tried.as_ref()?;
        let groups = match &tried.identity {
            Ok(then) => groups_between(&identity, then),
            Err(_) => Default::default(),
        };
        let comparison = dom::measured("simulator: what if", || {
            difference(&policy, &identity, tried)
        })?;
        Some((groups, comparison))
    });
    move || {
        if idle.get() || refusal.with(Option::is_some) {
            return None;
        }
        let ((gained, lost), comparison) = found.get()?;
        let user = identity
            .get()
            .map(|identity: Arc<Identity>| Principal::user(identity.user()));
        let equal = comparison.is_equal();
        Some(view! {
            <div role="region" aria-label=words::ACCESS_CHANGE>
                <h3>{user.map(|user| sentence(&words::access_change_of(&user)))}</h3>
                {group_names("Groups gained:", gained)}
                {group_names("Groups lost:", lost)}
                {equal.then(|| view! { <p>{NO_CHANGE_IN_ACCESS}</p> })}
                <Extents extents=comparison.gains effect=AccessEffect::Gains />
                <Extents extents=comparison.loses effect=AccessEffect::Loses />
            </div>
        })
    }
}

/// Groups by name, if there are any.
fn group_names(words: &'static str, names: Vec<String>) -> Option<impl IntoView> {
    (!names.is_empty()).then(|| view! {
        <p>{words} " " {names.into_iter().map(|name| view! { <PrincipalName principal=Principal::group(name) /> " " }).collect_view()}</p>
    })
}

/// The part.
#[component]
pub(super) fn SmallestChangePanel(state: SimulatorState) -> impl IntoView {
    let (identity, access, instant, refusal) = (
        state.identity(),
        state.access(),
        state.instant(),
        state.fix_first(),
    );
    let found = Memo::new(move |_| {
        let (identity, access, policy) =
            (identity.get()?, access.get()?, state.service.policy.get()?);
        let now = instant.get();
        Some(dom::measured("simulator: smallest change", || {
            smallest_changes(&policy, &identity, std::slice::from_ref(&access), now)
        }))
    });
    move || match (refusal.get(), found.get()) {
        (Some(refusal), _) => sign_in_first(&refusal).into_any(),
        (None, Some(found)) => view! { <Found state=state found=found /> }.into_any(),
        (None, None) if identity.with(Option::is_none) => nobody().into_any(),
        (None, None) => view! { <p class="quiet">{COMPLETE_CHECK_FIRST}</p> }.into_any(),
    }
}

/// Ways that were found.
#[component]
pub(super) fn Found(state: SimulatorState, found: SmallestChanges) -> impl IntoView {
    view! {
        <p>{sentence(&found.about)}</p>
        {found.kinds.into_iter().map(|kind| view! { <OneKind state=state kind=kind /> }).collect_view()}
    }
}

#[component]
fn OneKind(state: SimulatorState, kind: SmallestChangeGroup) -> impl IntoView {
    let title = kind.title;
    view! {
        <div>
            <h3>{title}</h3>
            <p class="quiet">{sentence(&kind.about)}</p>
            <ul class="ways" aria-label=title>
                {kind.changes.into_iter().map(|change| view! { <OneChange state=state change=change /> }).collect_view()}
            </ul>
            {(kind.more > 0).then(|| view! { <p class="quiet">{format!("and {} more", kind.more)}</p> })}
        </div>
    }
}

#[component]
fn OneChange(state: SimulatorState, change: SmallestChange) -> impl IntoView {
    let words = change
        .words
        .iter()
        .map(|words| view! { <span>{sentence(words)}</span> })
        .collect_view();
    let plain: Vec<String> = change.words.iter().map(RichText::plain).collect();
    let label = format!("Try: {}", plain.join(", "));
    let opening = opened(&change.opening);
    let trials = change.trials;
    view! {
        <li>
            <span class="way">{words} {opening}</span>
            <Button small=true on_press=move |()| try_out(state, trials.clone()) attr:aria-label=label>"Try"</Button>
        </li>
    }
}

/// Puts changes into What if, and goes there.
pub(super) fn try_out(state: SimulatorState, trials: Vec<HypotheticalChange>) {
    let mut added = 0;
    state.trials.update(|held| {
        for trial in trials {
            added += usize::from(held.add(trial));
        }
    });
    state.show(Panel::WhatIf);
    dom::focus_later("tried");
    dom::announce(words::added_to_what_if(added));
}

/// What is shown: the verdict with the changes, or why there is none.
type Then = Result<(TriedVerdict, Side), RichText>;

/// The panel; it is drawn only while a change is tried.
#[component]
pub(super) fn TriedPanel(state: SimulatorState) -> impl IntoView {
    let (who, access, instant) = (state.who(), state.access(), state.instant());
    let (today, hypotheses) = (state.kind(), state.hypotheses());
    // Another name is asked about without making the changes again.
    let made = Memo::new(move |_| -> Option<Tried> {
        let policy = state.service.policy.get()?;
        who.with(|_| ());
        Some(state.trials.with(|trials| {
            state.inputs.with_untracked(|inputs| {
                attempt(trials, inputs, &policy, state.now.get_untracked())
            })
        }))
    });
    let then = Memo::new(move |_| -> Option<Then> {
        let (who, access, today, at) = (who.get()?, access.get()?, today.get()?, instant.get());
        made.with(|made| {
            let made = made.as_ref()?;
            if let Some(fault) = made.faults.first() {
                return Some(Err(fault.clone()));
            }
            if let Err(why) = &made.identity {
                return Some(Err(why.clone()));
            }
            let judged = judge_with(made, &who, &access, at)?;
            let all = with_changes(&hypotheses.read(), &state.trials.read());
            let side = summary(&judged, at, &all);
            let verdict = TriedVerdict {
                judged,
                kind: side.kind,
                title: title_if(today, side.kind),
            };
            Some(Ok((verdict, side)))
        })
    });
    // The path, the trace and the bar follow.
    Effect::new(move |_| {
        let tried = then.with(|then| match then {
            Some(Ok((verdict, _))) => Some(verdict.clone()),
            _ => None,
        });
        let _ = state.tried.try_set(tried);
    });
    on_cleanup(move || {
        let _ = state.tried.try_set(None);
    });
    view! {
        <div role="group" aria-label="Verdict with the changes">
            {move || match then.get() {
                Some(Ok((verdict, side))) => {
                    let (_, _, glyph) = look(verdict.kind);
                    view! {
                        <div class="verdict-h">
                            <Icon glyph=glyph />
                            <h3>{verdict.title}</h3>
                            <p>{sentence(&side.sentence)}"."</p>
                        </div>
                    }
                    .into_any()
                }
                Some(Err(words)) => view! { <h3 class="waiting">"No verdict"</h3><p class="waiting"><Words text=words.plain() /></p> }.into_any(),
                None => view! { <p class="quiet waiting">{words::COMPLETE_CHECK_TO_TRY}</p> }.into_any(),
            }}
            <div class="tries">
                <ul class="ways" aria-label="Changes that are tried">{move || tried_changes(state, "Undo", Glyph::Undo, "verdict")}</ul>
                <div class="row">
                    <Button small=true on_press=move |()| remove_all(state, "verdict")>"Undo the try"</Button>
                    <Button small=true on_press=move |()| {
                        state.show(Panel::WhatIf);
                        dom::focus_later(Panel::WhatIf.content_id());
                    }>"All effects"</Button>
                </div>
                <dl class="why">
                    {move || then.with(|then| match then {
                        Some(Ok((_, side))) if !side.by.is_empty() => {
                            Some(view! { <div><dt>"Decided by"</dt><dd><ol class="path">{items(&side.by)}</ol></dd></div> }.into_any())
                        }
                        Some(Ok((_, side))) => side.because.as_ref().map(|words| {
                            view! { <div><dt>"Because"</dt><dd>{sentence(words)}</dd></div> }.into_any()
                        }),
                        _ => None,
                    })}
                </dl>
            </div>
        </div>
    }
}
