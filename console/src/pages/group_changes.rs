//! What other settings do to groups, the same on the page of the settings and in the review: names
//! before and after, and who gains and loses.

use gbac_analysis::{AccessEffect, GroupChange};
use gbac_console_model::group_changes::{AccessLine, GroupChanges, GroupOutcome, is_changed};
use gbac_console_model::simulator::token;
use gbac_engine::model::Principal;
use gbac_words::common::not_shown;
use gbac_words::escape::plain;
use gbac_words::group_change;
use gbac_words::pages::settings as words;
use gbac_words::phrases::{capitalized, count, list_up_to, thousands};
use leptos::prelude::*;

use super::effect::{EffectWord, ExtentNames, Limits, operations};
use super::rich_text::sentence;
use crate::store::simulator::SimulatorSession;
use crate::ui::{
    Glyph, Heads, Icon, IconSize, Mono, Note, NoteKind, PrincipalName, Table, TextArea,
};

/// How many names and how many effects are shown.
const SHOWN: usize = 200;
/// How many names with the same effect are shown.
const NAMES: usize = 20;
const GAINS: [AccessEffect; 2] = [AccessEffect::Gains, AccessEffect::CanGain];
const LOSES: [AccessEffect; 2] = [AccessEffect::Loses, AccessEffect::CanLose];

/// What the change comes to, before any row.
pub(super) fn warning(changes: &GroupChanges) -> Option<impl IntoView + use<>> {
    let (renames, unrenamed) = changes.renames();
    let members = renames.len() / 2 + unrenamed.len();
    let parts: Vec<String> = [
        group_change::merging(changes.merging()),
        group_change::dropped(changes.dropped()),
        group_change::unmatched_members(members),
    ]
    .into_iter()
    .flatten()
    .collect();
    let unknown = group_change::unknown(changes.unknown());
    (!parts.is_empty() || unknown.is_some()).then(|| {
        view! {
            <Note kind=NoteKind::Warn title=group_change::CHANGES_PERMISSIONS>
                {(!parts.is_empty()).then(|| view! { <p>{capitalized(&list_up_to(&parts, 3))} "."</p> })}
                {unknown.map(|unknown| view! { <p>{capitalized(&unknown)} ". " {group_change::UNKNOWN_UNTIL_TOKEN}</p> })}
            </Note>
        }
    })
}

/// The token of the simulator, whose names the effect of other settings is worked out for, and how
/// many groups it settles. `changes` are those with this token.
#[component]
pub(super) fn TokenField(
    id: &'static str,
    #[prop(into)] changes: Signal<GroupChanges>,
) -> impl IntoView {
    let inputs = expect_context::<SimulatorSession>().inputs;
    let text = Memo::new(move |_| inputs.with(|inputs| inputs.token.clone()));
    let reading =
        Memo::new(move |_| inputs.with(|inputs| token::read(&inputs.token, inputs.as_claims)));
    let error = Memo::new(move |_| {
        let reading = reading.read();
        reading.problem().map(|problem| problem.words.plain())
    });
    let settled = Memo::new(move |_| {
        let changes = changes.read();
        let is_read = reading.read().claims().is_some() && changes.needs_token();
        is_read.then(|| group_change::settled(changes.settled, changes.unknown()))
    });
    view! {
        <TextArea id=id label=words::PREVIEW_TOKEN rows=3 value=text error=error
            placeholder="eyJ.." help=words::PREVIEW_TOKEN_HELP
            on_input=move |text: String| inputs.update(|inputs| inputs.token = text) />
        {move || settled.get().map(|words| view! { <p class="quiet">{words}</p> })}
    }
}

/// The names before and after; none where nothing is different and no name is in a token. `after`
/// is what the second column of groups is called, such as `With full names`.
pub(super) fn names_table(changes: &GroupChanges, after: String) -> Option<impl IntoView + use<>> {
    let shown: Vec<&GroupChange> = changes
        .changes
        .iter()
        .filter(|change| change.in_token || is_changed(change))
        .take(SHOWN)
        .collect();
    let more = changes.changes.len() - shown.len();
    if shown.is_empty() {
        return None;
    }
    let label = after.clone();
    let lines: Vec<_> = shown
        .into_iter()
        .map(|change| {
            let [today, then] = changes.becomes(change);
            let happens = happens(change);
            let from = (!change.in_token).then(|| view! { " " <span class="quiet">"known"</span> });
            view! {
                <tr role="row">
                    <th role="rowheader" scope="row"><Mono text=change.name.clone() />{from}</th>
                    <td role="cell" data-l="Today"><BecomesName becomes=today /></td>
                    <td role="cell" data-l=label.clone()><BecomesName becomes=then /></td>
                    <td role="cell" data-l="What happens">{happens}</td>
                </tr>
            }
        })
        .collect();
    Some(view! {
        <div class="panel flat">
            <Table
                label="Names before and after" caption=group_change::NAMES_AND_GROUPS class="names"
                heads=Heads::from(["Name in the token", "Today"]).and([after]).and(["What happens"])
            >
                <tbody role="rowgroup">{lines}</tbody>
            </Table>
            {(more > 0).then(|| view! { <div class="t-foot">{group_change::names_not_shown(more)}</div> })}
        </div>
    })
}

#[component]
fn BecomesName(becomes: GroupOutcome) -> impl IntoView {
    match becomes {
        GroupOutcome::Group(name) => {
            view! { <PrincipalName principal=Principal::group(name) /> }.into_any()
        }
        GroupOutcome::Nothing => view! { <span class="dim">"dropped"</span> }.into_any(),
        GroupOutcome::NotRead => view! { <span class="dim">"not read"</span> }.into_any(),
        GroupOutcome::Unknown => view! { <span class="dim">"not known"</span> }.into_any(),
    }
}

/// What happens to a name, in words.
fn happens(change: &GroupChange) -> AnyView {
    if !is_changed(change) {
        return view! { <span class="quiet">"Same"</span> }.into_any();
    }
    let words = plain(&capitalized(&group_change::summary(change)));
    view! { <span class="f-warn"><Icon glyph=Glyph::Warn size=IconSize::Small /><span>{words}</span></span> }.into_any()
}

/// How much is gained and lost: `5 gains, 3 losses for 4 names`.
pub(super) fn counts(changes: &GroupChanges) -> String {
    let ((gains, _), (losses, _)) = (changes.total(&GAINS), changes.total(&LOSES));
    let (_, names) = changes.total(AccessEffect::ALL);
    let losses = count(losses, "loss");
    format!(
        "{}, {losses} for {}",
        count(gains, "gain"),
        count(names, "name")
    )
}

/// Who gains and loses what, with what follows below the table.
pub(super) fn effects_table(
    changes: &GroupChanges,
    below: Option<AnyView>,
) -> impl IntoView + use<> {
    let lines = changes.lines();
    let more = lines.len().saturating_sub(SHOWN);
    let rows: Vec<_> = lines
        .into_iter()
        .take(SHOWN)
        .map(|line| view! { <EffectRow line=line /> })
        .collect();
    view! {
        <div class="panel flat">
            <Table
                label="Gains and losses" caption=group_change::GAINED_AND_LOST class="names"
                heads=["Name in the token", "Effect", "What", "Because"]
            >
                <tbody role="rowgroup">{rows}</tbody>
            </Table>
            {(more > 0).then(|| view! { <div class="t-foot">{not_shown(more, "more line")}</div> })}
            {below}
        </div>
    }
}

#[component]
fn EffectRow(line: AccessLine) -> impl IntoView {
    let AccessLine {
        names,
        effect,
        extent,
        because,
    } = line;
    let words = operations(&extent);
    let more = names.len().saturating_sub(NAMES);
    let names = names
        .into_iter()
        .take(NAMES)
        .map(|name| view! { <span><Mono text=name />" "</span> })
        .collect_view();
    view! {
        <tr role="row">
            <th role="rowheader" scope="row">
                <span class="names">{names}{(more > 0).then(|| format!("and {} more", thousands(more)))}</span>
            </th>
            <td role="cell" data-l="Effect"><EffectWord effect=effect /></td>
            <td role="cell" data-l="What">
                <div>{words} ", " <ExtentNames extent=extent.clone() /> " " <span class="quiet"><Limits extent=extent /></span></div>
            </td>
            <td role="cell" data-l="Because"><span class="quiet">{sentence(&because)}</span></td>
        </tr>
    }
}
