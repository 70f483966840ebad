//! What other settings do to groups, the same on the page of the settings and in the review: names
//! before and after, and who gains and loses.

use gbac_analysis::{AccessEffect, GroupChange};
use gbac_console_model::group_changes::{AccessLine, GroupChanges, is_changed};
use gbac_console_model::group_tokens::{GroupTokens, MOST_TOKENS};
use gbac_engine::model::Principal;
use gbac_words::common::{file_too_large, not_shown};
use gbac_words::escape::plain;
use gbac_words::group_change::{self, GroupOutcome};
use gbac_words::phrases::{capitalized, count, list_up_to, thousands};
use gbac_words::rich_text::RichText;
use leptos::prelude::*;

use super::effect::{EffectWord, ExtentNames, Limits, operations};
use super::given_file::{self, DropTarget};
use super::rich_text::sentence;
use crate::dom::{self, GivenFile};
use crate::store::simulator::SimulatorSession;
use crate::ui::{Glyph, Icon, IconSize, Mono, Note, NoteKind, PrincipalName, Table, TextArea};

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

/// The largest file that is read as a token, in bytes.
const LARGEST_TOKEN: f64 = 1_000_000.0;

/// Tokens of several kinds of users, for which the effect of other settings is worked out, and how
/// many groups they settle. `changes` are those with these tokens.
#[component]
pub(super) fn TokensField(
    id: &'static str,
    tokens: Memo<GroupTokens>,
    #[prop(into)] changes: Signal<GroupChanges>,
) -> impl IntoView {
    let session = expect_context::<SimulatorSession>();
    let text = Memo::new(move |_| session.group_tokens_text());
    let error = Memo::new(move |_| tokens.read().problem());
    let settled = Memo::new(move |_| {
        let (changes, read) = (changes.read(), tokens.read().readable().count());
        let settles = read > 0 && changes.needs_token();
        settles.then(|| group_change::settled(read, changes.settled, changes.unknown()))
    });
    let refused = RwSignal::new(None::<RichText>);
    let add = move |given: GivenFile| {
        given_file::take(
            given,
            LARGEST_TOKEN,
            file_too_large,
            refused,
            move |name, added| {
                // The page may be gone by now.
                if let Some(before) = text.try_get_untracked() {
                    let all = format!("{}\n{}", before.trim_end(), added.trim());
                    session.pasted_tokens.set(Some(all.trim_start().to_owned()));
                }
                dom::announce(&format!("{name} was read"));
                Ok(())
            },
        );
    };
    view! {
        <DropTarget on_drop=add most=MOST_TOKENS>
            <TextArea id=id label=group_change::TOKENS rows=3 value=text error=error
                placeholder="eyJ.." help=group_change::TOKENS_STAY
                on_input=move |text: String| session.pasted_tokens.set(Some(text)) />
            {given_file::refusal(refused)}
            {move || settled.get().map(|words| view! { <p class="quiet">{words}</p> })}
        </DropTarget>
    }
}

/// The names before and after; none where nothing is different and no name is in a token.
pub(super) fn names_table(changes: &GroupChanges) -> Option<impl IntoView + use<>> {
    let shown: Vec<&GroupChange> = changes
        .changes
        .iter()
        .filter(|change| change.in_token() || is_changed(change))
        .take(SHOWN)
        .collect();
    let more = changes.changes.len() - shown.len();
    if shown.is_empty() {
        return None;
    }
    let differing = changes.differing();
    let lines: Vec<_> = shown
        .into_iter()
        .map(|change| {
            let [today, then] = changes.becomes(change);
            let happens = happens(change);
            let name = match change.name.is_empty() {
                true => view! { <span class="quiet">{group_change::EMPTY_NAME}</span> }.into_any(),
                false => view! { <Mono text=change.name.clone() /> }.into_any(),
            };
            let from = if !change.in_token() {
                Some(group_change::KNOWN.to_owned())
            } else if differing.contains(change.name.as_str()) {
                Some(group_change::in_tokens(&change.tokens))
            } else {
                None
            };
            let from = from.map(|from| view! { " " <span class="quiet">{from}</span> });
            view! {
                <tr role="row">
                    <th role="rowheader" scope="row">{name}{from}</th>
                    <td role="cell" data-l="Today"><BecomesName becomes=today /></td>
                    <td role="cell" data-l="After"><BecomesName becomes=then /></td>
                    <td role="cell" data-l="What happens">{happens}</td>
                </tr>
            }
        })
        .collect();
    Some(view! {
        <div class="panel flat">
            <Table
                label="Names before and after" caption=group_change::NAMES_AND_GROUPS class="names"
                heads=["Name in the token", "Today", "After", "What happens"]
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
