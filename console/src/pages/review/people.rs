//! The effects of a draft on users, groups and roles.

use std::sync::Arc;

use gbac_analysis::AccessEffect;
use gbac_console_model::group_changes::GroupChanges;
use gbac_console_model::group_tokens::GroupTokens;
use gbac_console_model::review::{
    AffectedHolder, BLOCKED, EffectGroup, EffectLine, EffectReason, Effects, GAINS, LOSES, alike,
    reasons,
};
use gbac_engine::model::Principal;
use gbac_engine::policy::Policy;
use gbac_words::escape::plain;
use gbac_words::pages::review as words;
use gbac_words::phrases::{agree, count, list_up_to, thousands};
use leptos::prelude::*;

use super::lost_denies::lost_denies;
use super::request::SimulatedRequest;
use crate::pages::effect::{EffectWord, ExtentNames, HolderName, Limits, operations};
use crate::pages::group_changes::{TokensField, counts, effects_table, names_table, warning};
use crate::pages::rich_text::sentence;
use crate::store::draft::Draft;
use crate::ui::{AclPhrase, Button, Glyph, Icon, PrincipalName, ResourceName, Table};

/// How many people are shown at first, and how many more at a time.
const PEOPLE: usize = 20;
/// How many names of those with the same effect are shown.
const NAMES: usize = 20;
/// How many lines of one of them are shown.
const LINES: usize = 40;

/// The section.
#[component]
pub(super) fn People(
    /// The effect; none while it is worked out.
    effect: RwSignal<Option<Effects>>,
    /// The policy that it was worked out over.
    base: RwSignal<Option<Arc<Policy>>>,
    /// The tokens that changed settings are tried on.
    tokens: Memo<GroupTokens>,
) -> impl IntoView {
    // Outside of what is drawn again for each token, so that the field stays while it is typed in.
    let groups = Memo::new(move |_| match &*effect.read() {
        Some(effect) => effect.groups.clone(),
        None => GroupChanges::default(),
    });
    let needs_token = Memo::new(move |_| groups.read().needs_token());
    view! {
        <section aria-labelledby="h-people" class="stack">
            <div class="row">
                <h2 id="h-people">"Change in effective access"</h2>
                <span class="count">{move || Some(format!("{} compared", count(effect.read().as_ref()?.compared, "known principal")))}</span>
            </div>
            <SimulatedRequest />
            {move || needs_token.get().then(|| view! { <TokensField id="review-token" tokens=tokens changes=groups /> })}
            {move || match effect.get() {
                None => view! { <p class="quiet" role="status">"Comparing"</p> }.into_any(),
                Some(effect) => view! { <Found effect=effect base=base /> }.into_any(),
            }}
        </section>
    }
}

#[component]
fn Found(effect: Effects, base: RwSignal<Option<Arc<Policy>>>) -> impl IntoView {
    let (gains, loses, blocked) = (
        effect.total(GAINS),
        effect.total(LOSES),
        effect.total(BLOCKED),
    );
    let (idle, lost) = (effect.idle.len(), effect.lost_denies.len());
    let blocked_class = if blocked.operations == 0 {
        "quiet"
    } else {
        "v-deny"
    };
    let lost_class = if lost == 0 { "quiet" } else { "v-warn" };
    let settings = effect.settings.clone();
    let (is_empty, has_people) = (effect.is_empty(), !effect.people.is_empty());
    let (groups, users) = (effect.groups, effect.users);
    let unknown = groups.unknown();
    let number = move |operations: usize| match operations {
        0 if unknown > 0 => "?".to_owned(),
        _ => thousands(operations),
    };
    let shown = RwSignal::new(PEOPLE);
    let groups_of_people = alike(effect.people);
    let all = groups_of_people.len();
    let people = StoredValue::new(groups_of_people);
    view! {
        <dl class="sum">
            <div>
                <dt>{words::gained_or_lost("gained", gains.operations, gains.people, unknown > 0)}</dt>
                <dd class="v-info"><Icon glyph=Glyph::Up />{number(gains.operations)}</dd>
            </div>
            <div>
                <dt>{words::gained_or_lost("lost", loses.operations, loses.people, unknown > 0)}</dt>
                <dd><Icon glyph=Glyph::Down />{number(loses.operations)}</dd>
            </div>
            {(unknown > 0).then(|| view! {
                <div>
                    <dt>{agree(unknown, "group unknown", "groups unknown")}</dt>
                    <dd class="v-warn"><Icon glyph=Glyph::Unknown />{thousands(unknown)}</dd>
                </div>
            })}
            <div>
                <dt>{agree(blocked.operations, "gain still denied", "gains still denied")}</dt>
                <dd class=blocked_class><Icon glyph=Glyph::Deny />{thousands(blocked.operations)}</dd>
            </div>
            <div>
                <dt>{agree(lost, "deny that stops applying", "denies that stop applying")}</dt>
                <dd class=lost_class><Icon glyph=Glyph::Warn />{thousands(lost)}</dd>
            </div>
        </dl>
        {(idle > 0).then(|| view! {
            <p class="quiet">{words::no_effect(idle)}</p>
        })}
        {(!settings.is_empty()).then(|| view! {
            <p class="quiet">{sentence(&words::changed_settings(&settings))}</p>
        })}
        {(users > 0).then(|| view! {
            <p class="msg msg-warn"><Icon glyph=Glyph::Warn /><span>{words::users_not_named(users)}</span></p>
        })}
        {lost_denies(effect.lost_denies)}
        {(!groups.is_empty()).then(|| {
            let numbers = counts(&groups);
            let has_effects = groups.total(AccessEffect::ALL).1 > 0;
            view! {
                <div class="row"><h3>{words::EFFECT_ON_GROUPS}</h3><span class="count">{numbers}</span></div>
                {warning(&groups)}
                {names_table(&groups)}
                {has_effects.then(|| effects_table(&groups, None))}
            }
        })}
        {if is_empty {
            view! { <p>{words::NO_CHANGE_FOR_KNOWN}</p> }.into_any()
        } else if !has_people {
            ().into_any()
        } else {
            view! {
                <div class="panel">
                    <Table
                        label="Effective difference table" caption="Effective difference by principal"
                        heads=["Effect", "Operation", "Resource", "Because"]
                    >
                        <For each=move || 0..shown.get().min(all) key=|place| *place let:place>
                            {people.with_value(|people| people.get(place).cloned()).map(|group| view! { <OneGroup group=group base=base /> })}
                        </For>
                    </Table>
                    {move || (shown.get() < all).then(|| view! {
                        <div class="t-foot">
                            <span>{format!("{} of {}", shown.get(), count(all, "entry"))}</span>
                            <Button small=true on_press=move |()| shown.update(|shown| *shown += PEOPLE)>
                                {format!("Show {} more", PEOPLE.min(all - shown.get()))}
                            </Button>
                        </div>
                    })}
                </div>
            }
            .into_any()
        }}
    }
}

/// What happens to holders in a few words: `joins R, gains 5 operations, loses 1 operation`.
fn summary(holder: &AffectedHolder, number_of: usize) -> String {
    let mut parts = Vec::new();
    for (roles, one, many) in [
        (&holder.roles_gained, "joins", "join"),
        (&holder.roles_lost, "leaves", "leave"),
    ] {
        if !roles.is_empty() {
            let names: Vec<String> = roles.iter().map(|name| plain(name)).collect();
            let verb = agree(number_of, one, many);
            parts.push(format!("{verb} {}", list_up_to(&names, 3)));
        }
    }
    for (effects, one, many) in [
        (GAINS, "gains", "gain"),
        (LOSES, "loses", "lose"),
        (BLOCKED, "still denied", "still denied"),
    ] {
        let operations = holder.operations(effects);
        if operations > 0 {
            let verb = agree(number_of, one, many);
            parts.push(format!("{verb} {}", count(operations, "operation")));
        }
    }
    let text = parts.join(", ");
    match holder.is_role() {
        false => text,
        true => words::holders_of(number_of, &text),
    }
}

#[component]
fn OneGroup(group: EffectGroup, base: RwSignal<Option<Arc<Policy>>>) -> impl IntoView {
    let draft = expect_context::<Draft>();
    let noun = group.noun();
    let number = group.people.len();
    let Some(person) = group.first().cloned() else {
        return ().into_any();
    };
    let text = summary(&person, number);
    let why = why_of(base, draft, &person);
    // A reason is shown if it is the same for all; for very many principals, if it is that of the
    // visible ones.
    let is_shared = group
        .people
        .iter()
        .skip(1)
        .take(NAMES)
        .all(|other| why_of(base, draft, other) == why);
    let why = if is_shared { why } else { Vec::new() };
    let why = why.into_iter().chain(std::iter::repeat(Vec::new()));
    let more = person.lines.len().saturating_sub(LINES);
    let people = group.people.into_iter().take(NAMES);
    let names = people
        .map(|person| view! { <HolderName holder=person.holder /> " " })
        .collect_view();
    let names_more = number.saturating_sub(NAMES);
    view! {
        <tbody role="rowgroup">
            <tr role="row" class="g">
                <th role="rowheader" scope="rowgroup" colspan="4">
                    <span class="src">
                        {noun.map(|noun| view! { <b>{noun}</b> })}
                        {(number > 1).then(|| view! { <span>{format!("{text}:")}</span> })}
                        <span class="names">{names} {(names_more > 0).then(|| format!("and {} more", thousands(names_more)))}</span>
                        {(number == 1).then(|| view! { <span>{text.clone()}</span> })}
                    </span>
                </th>
            </tr>
            {person.lines.into_iter().take(LINES).zip(why).map(|(line, why)| view! { <OneLine line=line why=why /> }).collect_view()}
            {(more > 0).then(|| view! {
                <tr role="row"><td role="cell" colspan="4" class="quiet">{format!("and {}", count(more, "more line"))}</td></tr>
            })}
        </tbody>
    }
    .into_any()
}

/// What makes the effect on somebody.
fn why_of(
    base: RwSignal<Option<Arc<Policy>>>,
    draft: Draft,
    person: &AffectedHolder,
) -> Vec<Vec<EffectReason>> {
    match (base.get_untracked(), draft.after_untracked()) {
        (Some(before), Some(after)) => {
            reasons(&before, &after, &draft.changes.read_untracked(), person)
        }
        _ => Vec::new(),
    }
}

#[component]
fn OneLine(line: EffectLine, why: Vec<EffectReason>) -> impl IntoView {
    let EffectLine {
        effect,
        extent,
        denied_by,
    } = line;
    let operations = operations(&extent);
    let (names, limits) = (extent.clone(), extent);
    view! {
        <tr role="row">
            <td role="cell" data-l="Effect"><EffectWord effect=effect /></td>
            <td role="cell" data-l="Operation">{operations}</td>
            <th role="rowheader" scope="row"><ExtentNames extent=names /></th>
            <td role="cell" data-l="Because">
                <span class="quiet because">
                    {why.into_iter().map(|reason| view! { <Why reason=reason /> }).collect_view()}
                    {words::through_others(effect).map(|words| view! { <span>{words}</span> })}
                    <Limits extent=limits />
                    {denied_by.into_iter().map(|acl| {
                        let principal: Principal = acl.principal.clone();
                        view! { <span><AclPhrase acl=acl /> ", of " <PrincipalName principal=principal /></span> }
                    }).collect_view()}
                </span>
            </td>
        </tr>
    }
}

#[component]
fn Why(reason: EffectReason) -> impl IntoView {
    match reason {
        EffectReason::Joins(role) => {
            view! { <span>"joins " <ResourceName name=role /></span> }.into_any()
        }
        EffectReason::Leaves(role) => {
            view! { <span>"leaves " <ResourceName name=role /></span> }.into_any()
        }
        EffectReason::Added(rows) => {
            view! { <span>{format!("{} added", count(rows, "ACL"))}</span> }.into_any()
        }
        EffectReason::Removed(rows) => {
            view! { <span>{format!("{} removed", count(rows, "ACL"))}</span> }.into_any()
        }
    }
}
