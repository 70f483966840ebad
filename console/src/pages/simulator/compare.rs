//! The comparison of two users: groups, ACLs, verdicts and effective access.

use std::sync::Arc;

use gbac_analysis::{AccessEffect, IdentityComparison, compare_identities as side_by_side};
use gbac_console_model::simulator::hypothesis::Hypothesis;
use gbac_console_model::simulator::identity::SimulatedIdentity;
use gbac_console_model::simulator::inputs::{IdentityMode, InputField};
use gbac_console_model::simulator::pipeline::{View, evaluate};
use gbac_console_model::simulator::trial::side;
use gbac_console_model::simulator::verdict::VerdictKind;
use gbac_engine::identity::Identity;
use gbac_engine::model::{Acl, Principal};
use gbac_words::acl;
use gbac_words::common::IDENTICAL_PERMISSIONS;
use gbac_words::pages::simulator as words;
use gbac_words::rich_text::RichText;
use leptos::prelude::*;

use super::fields::{look, nobody};
use super::state::SimulatorState;
use crate::dom;
use crate::pages::effect::Extents;
use crate::pages::rich_text::sentence;
use crate::ui::{Choice, Field, Icon, LinkButton, PrincipalName, Segmented, TextArea};

/// How many rows of one person are listed.
const ROWS: usize = 50;

/// The part.
#[component]
pub(super) fn Compare(state: SimulatorState) -> impl IntoView {
    let other = state.other;
    let mode = Memo::new(move |_| other.with(|other| other.mode));
    // The same settings turn both tokens into people, and the same provider is accepted.
    let settings = state.input(|inputs| (inputs.source, inputs.what_if.clone()));
    let expected = state.input(|inputs| {
        (
            inputs.keys.clone(),
            inputs.issuer.clone(),
            inputs.audience.clone(),
        )
    });
    let view = Memo::new(move |_| {
        let policy = state.service.policy.get()?;
        let (source, what_if) = settings.get();
        let mut inputs = other.get();
        inputs.source = source;
        inputs.what_if = what_if;
        (inputs.keys, inputs.issuer, inputs.audience) = expected.get();
        Some(evaluate(
            &inputs,
            Some(&policy),
            &state.accepted.read(),
            state.now.get(),
            state.verifier.get(),
        ))
    });
    let second = Memo::new(move |_| view.read().as_ref()?.who.clone());
    let first = state.who();
    let (fix_first, of_first) = (state.fix_first(), state.hypotheses());
    let refusals = Memo::new(move |_| {
        let of_second = match &*view.read() {
            Some(View {
                refusal: Some(refusal),
                ..
            }) => Some(refusal.words.clone()),
            _ => None,
        };
        [fix_first.get(), of_second]
    });
    let hypotheses = Memo::new(move |_| {
        let of_second = match &*view.read() {
            Some(view) => view.hypotheses.clone(),
            None => Vec::new(),
        };
        [of_first.get(), of_second]
    });
    view! {
        <div class="stack">
            <Segmented
                name="cmp-mode" legend="Other user" small=true
                value=Signal::derive(move || if mode.get() == IdentityMode::Token { "token" } else { "hand" }.to_owned())
                choices=vec![Choice::new("token", "Token"), Choice::new("hand", "Groups by hand")]
                on_change=move |code: String| other.update(|other| other.mode = if code == "token" { IdentityMode::Token } else { IdentityMode::ByHand })
            />
            {move || match mode.get() {
                IdentityMode::Token => view! {
                    <TextArea id="cmp-token" label=words::OTHER_TOKEN rows=3 placeholder="eyJhbGciOi…"
                        help=words::TOKEN_STAYS
                        value=Signal::derive(move || other.with(|other| other.token.clone()))
                        on_input=move |text: String| other.update(|other| other.put_token(&text)) />
                }.into_any(),
                IdentityMode::ByHand => view! {
                    <div class="grid-2">
                        <Field id="cmp-user" label=words::OTHER_NAME mono=true
                            value=Signal::derive(move || other.with(|other| other.user.clone()))
                            on_input=move |text| other.update(|other| other.user = text) />
                        <TextArea id="cmp-groups" label="Groups, one per line" rows=3
                            value=Signal::derive(move || other.with(|other| other.groups.clone()))
                            on_input=move |text| other.update(|other| other.groups = text) />
                    </div>
                }.into_any(),
            }}
            <div class="row">
                {move || state.service.people.get().into_iter().map(|person| {
                    let (name, token) = (person.name.clone(), person.token.clone());
                    view! { <LinkButton on_press=move |()| other.update(|other| other.put_token(&token))>{format!("Compare with {name}")}</LinkButton> }
                }).collect_view()}
                {move || other.with(|other| !other.token.is_empty()).then(|| view! {
                    <LinkButton on_press=move |()| other.update(|other| other.clear_token())>"Clear the other token"</LinkButton>
                })}
            </div>
            {move || view.read().as_ref().and_then(problem_of_person).map(|words| view! { <p class="quiet">{sentence(&words)}</p> })}
        </div>
        {move || match (first.get(), second.get()) {
            (None, _) => nobody().into_any(),
            (Some(_), None) => view! { <p class="quiet">{words::ENTER_OTHER}</p> }.into_any(),
            (Some(first), Some(second)) => view! { <Both state=state first=first second=second refusals=refusals hypotheses=hypotheses /> }.into_any(),
        }}
    }
}

/// What is in the way of knowing who the other person is.
fn problem_of_person(view: &View) -> Option<RichText> {
    let problem = view
        .problems
        .iter()
        .find(|problem| problem.weight.blocks_evaluation() && is_of_person(problem.field))?;
    Some(problem.words.clone())
}

/// Whether a problem is about who the other person is: the check is that of the first.
fn is_of_person(field: InputField) -> bool {
    matches!(
        field,
        InputField::Token | InputField::UserInfo | InputField::User | InputField::Groups
    )
}

#[component]
fn Both(
    state: SimulatorState,
    first: Arc<SimulatedIdentity>,
    second: Arc<SimulatedIdentity>,
    /// What to fix first, for each of the two, where sign-in fails.
    refusals: Memo<[Option<RichText>; 2]>,
    /// What the verdicts of the two rest on.
    hypotheses: Memo<[Vec<Hypothesis>; 2]>,
) -> impl IntoView {
    let (Ok(one), Ok(other)) = (&first.identity, &second.identity) else {
        return view! { <p class="quiet">{words::TOKEN_WITHOUT_USER}</p> }.into_any();
    };
    let identities = StoredValue::new((Arc::clone(one), Arc::clone(other)));
    let people = StoredValue::new((first, second));
    let found = Memo::new(move |_| {
        let policy = state.service.policy.get()?;
        Some(identities.with_value(|(one, other)| {
            dom::measured("simulator: two people", || {
                side_by_side(&policy, one, other)
            })
        }))
    });
    let (access, instant) = (state.access(), state.instant());
    let verdicts = Signal::derive(move || {
        let (policy, access) = (state.service.policy.get()?, access.get()?);
        let [of_first, of_second] = refusals.get();
        let [first_rests_on, second_rests_on] = hypotheses.get();
        people.with_value(|(first, second)| {
            let verdict = |who: &Arc<SimulatedIdentity>,
                           refusal: Option<RichText>,
                           hypotheses: &[Hypothesis]| {
                let identity = who.identity.as_ref().ok()?;
                let (kind, sentence) = match refusal {
                    Some(words) => (VerdictKind::SignInFails, words),
                    None => {
                        let side = side(&policy, who, identity, &access, instant.get(), hypotheses);
                        (side.kind, side.sentence)
                    }
                };
                Some((Principal::user(identity.user()), kind, sentence))
            };
            Some([
                verdict(first, of_first, &first_rests_on)?,
                verdict(second, of_second, &second_rests_on)?,
            ])
        })
    });
    let is_refused =
        Memo::new(move |_| refusals.with(|refusals| refusals.iter().any(Option::is_some)));
    view! {
        <div class="sides" role="group" aria-label="Verdicts of both users">
            {move || verdicts.get().map(|verdicts| verdicts.map(|(user, kind, words)| {
                let (_, class, glyph) = look(kind);
                view! {
                    <div class="side">
                        <h3><PrincipalName principal=user /></h3>
                        <p class=class><Icon glyph=glyph /><b>{kind.title()}</b></p>
                        <p>{sentence(&words)}</p>
                    </div>
                }
            }).collect_view())}
        </div>
        {move || is_refused.get().then(|| view! {
            <p class="quiet">{words::FIX_BOTH_SIGN_INS}</p>
        })}
        {move || found.get().map(|found| identities.with_value(|(one, other)| differences(one, other, found)))}
    }
    .into_any()
}

fn differences(
    one: &Identity,
    other: &Identity,
    found: IdentityComparison,
) -> impl IntoView + use<> {
    let [one, other] = [one, other].map(|identity| Principal::user(identity.user()));
    let equal = found.comparison.is_equal();
    view! {
        <dl class="kv groups">
            <dt>"Groups of " <PrincipalName principal=one.clone() /> " only"</dt>
            <dd>{groups(found.groups_first)}</dd>
            <dt>"Groups of " <PrincipalName principal=other.clone() /> " only"</dt>
            <dd>{groups(found.groups_second)}</dd>
            <dt>"Groups of both"</dt>
            <dd>{groups(found.groups_both)}</dd>
        </dl>
        {rows(&one, &found.acls_first)}
        {rows(&other, &found.acls_second)}
        <div role="region" aria-label="Differences in effective access">
            <h3><PrincipalName principal=other.clone() /> " compared with " <PrincipalName principal=one.clone() /></h3>
            {equal.then(|| view! { <p>{IDENTICAL_PERMISSIONS}</p> })}
            <Extents extents=found.comparison.gains effect=AccessEffect::Gains />
            <Extents extents=found.comparison.loses effect=AccessEffect::Loses />
        </div>
    }
}

fn groups(names: Vec<String>) -> AnyView {
    if names.is_empty() {
        return view! { <span class="quiet">"none"</span> }.into_any();
    }
    names
        .into_iter()
        .map(|name| view! { <PrincipalName principal=Principal::group(name) /> " " })
        .collect_view()
        .into_any()
}

fn rows(of: &Principal, rows: &[Acl]) -> impl IntoView + use<> {
    let more = rows.len().saturating_sub(ROWS);
    let title = words::acls_only_of(of, rows.len());
    let items = rows
        .iter()
        .take(ROWS)
        .map(|acl| view! { <li><span>{sentence(&acl::sentence(acl))}</span></li> })
        .collect_view();
    view! {
        <h3>{sentence(&title)}</h3>
        <ul class="facts">{items} {(more > 0).then(|| view! { <li>{format!("and {more} more")}</li> })}</ul>
    }
}
