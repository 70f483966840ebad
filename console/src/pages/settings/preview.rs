//! What the entered properties would do: names before and after, and who gains and loses.

use gbac_engine::analyze::Effect;
use gbac_engine::groups::NestedGroupBehavior;
use gbac_engine::model::Principal;
use leptos::prelude::*;

use super::Edit;
use crate::dom;
use crate::pages::effect::{EffectWord, ExtentNames, Limits, operations};
use crate::pages::simulator::{Kept, sentence};
use crate::state::settings::preview::{Becomes, Line, Preview, Row};
use crate::state::simulator::token::Reading;
use crate::state::words::{count, list};
use crate::ui::{Glyph, Heads, Icon, IconSize, LinkButton, Mono, Note, NoteKind, PrincipalName, Table, TextArea};

/// How many names and how many effects are shown.
const SHOWN: usize = 200;
const GAINS: [Effect; 2] = [Effect::Gains, Effect::GainsWithOthers];
const LOSES: [Effect; 2] = [Effect::Loses, Effect::LosesWithOthers];

#[component]
pub(super) fn PreviewOf(edit: Edit) -> impl IntoView {
    let counts = move || {
        edit.preview.with(|preview| {
            let known = count(preview.known, "known group");
            match preview.of_token {
                0 => known,
                names => format!("{} of the pasted token and {known}", count(names, "group")),
            }
        })
    };
    view! {
        <section aria-labelledby="settings-preview" class="stack">
            <div class="row"><h2 id="settings-preview">"Preview"</h2><span class="count" role="status">{counts}</span></div>
            <Token edit=edit />
            {move || edit.preview.with(warning)}
            {move || {
                let (rows, more) = edit.preview.with(|preview| {
                    let wanted = |row: &&Row| row.of_token || row.is_changed();
                    let rows: Vec<Row> = preview.rows.iter().filter(wanted).take(SHOWN).cloned().collect();
                    let more = preview.rows.len() - rows.len();
                    (rows, more)
                });
                let nested = edit.wanted.get().and_then(Result::ok).map_or(NestedGroupBehavior::None, |wanted| {
                    wanted.identity_rules().extraction.nested
                });
                if rows.is_empty() {
                    let words = if edit.changes.get() == 0 {
                        "Change a property, or paste a token, to see what becomes of groups."
                    } else {
                        "No group that the policy knows changes."
                    };
                    view! { <p class="quiet">{words}</p> }.into_any()
                } else {
                    view! { <Names rows=rows more=more nested=nested /> }.into_any()
                }
            }}
            <Effects edit=edit />
        </section>
    }
}

#[component]
fn Token(edit: Edit) -> impl IntoView {
    let inputs = expect_context::<Kept>().inputs();
    let text = Memo::new(move |_| inputs.with(|inputs| inputs.token.clone()));
    let error = Signal::derive(move || {
        edit.token.with(|reading| match reading {
            Reading::Wrong(problem) => Some(problem.words.plain()),
            Reading::Empty | Reading::Read(_) => None,
        })
    });
    view! {
        <TextArea id="settings-token" label="Access token to try it on, optional" rows=3 value=text error=error
            placeholder="eyJ.." help="The same as in the simulator; it stays in this tab"
            on_input=move |text: String| inputs.update(|inputs| inputs.token = text) />
    }
}

/// What the change comes to, before any row.
fn warning(preview: &Preview) -> Option<impl IntoView + use<>> {
    let (merging, dropped, members) = (preview.merging(), preview.dropped(), preview.members());
    let parts: Vec<String> = [
        (
            merging,
            if merging == 1 {
                "name becomes the same group as another"
            } else {
                "names become the same group as others"
            },
        ),
        (dropped, if dropped == 1 { "name gives no group any more" } else { "names give no group any more" }),
        (members, if members == 1 { "role member will match nobody" } else { "role members will match nobody" }),
    ]
    .into_iter()
    .filter(|(number, _)| *number > 0)
    .map(|(number, words)| format!("{number} {words}"))
    .collect();
    (!parts.is_empty()).then(|| {
        view! {
            <Note kind=NoteKind::Warn title="This change moves people between permissions">
                <p>{list(&parts, 3)} "."</p>
            </Note>
        }
    })
}

#[component]
fn Names(rows: Vec<Row>, more: usize, nested: NestedGroupBehavior) -> impl IntoView {
    let then = format!("With {}", nested.as_str());
    let label = then.clone();
    let lines: Vec<_> = rows
        .into_iter()
        .map(|row| {
            let (today, after) = (row.today.clone(), row.then.clone());
            let from = (!row.of_token).then(|| view! { " " <span class="quiet">"known"</span> });
            view! {
                <tr role="row">
                    <th role="rowheader" scope="row"><Mono text=row.name.clone() />{from}</th>
                    <td role="cell" data-l="Today"><BecomesName becomes=today /></td>
                    <td role="cell" data-l=label.clone()><BecomesName becomes=after /></td>
                    <td role="cell" data-l="What happens"><Happens row=row /></td>
                </tr>
            }
        })
        .collect();
    view! {
        <div class="panel flat">
            <Table
                label="Names before and after" caption="Names in tokens and the groups that they become" class="names"
                heads=Heads::from(["Name in the token", "Today"]).and([then]).and(["What happens"])
            >
                <tbody role="rowgroup">{lines}</tbody>
            </Table>
            {(more > 0).then(|| view! { <div class="t-foot">{count(more, "other name")} " not shown: they stay the same, or come after these."</div> })}
        </div>
    }
}

#[component]
fn BecomesName(becomes: Becomes) -> impl IntoView {
    match becomes {
        Becomes::Group(name) => view! { <PrincipalName principal=Principal::group(name) /> }.into_any(),
        Becomes::Nothing => view! { <span class="dim">"dropped"</span> }.into_any(),
        Becomes::Unread => view! { <span class="dim">"not read"</span> }.into_any(),
    }
}

/// What happens to a name, in words.
#[component]
fn Happens(row: Row) -> impl IntoView {
    if !row.is_changed() {
        return view! { <span class="quiet">"Same"</span> }.into_any();
    }
    let mut parts = Vec::new();
    if !row.merges.is_empty() {
        parts.push(format!("merges with {}", list(&row.merges, 2)));
    }
    match (&row.today, &row.then) {
        (Becomes::Group(_), Becomes::Nothing) => parts.push("nothing is left of the name".to_owned()),
        (Becomes::Group(_), Becomes::Unread) => parts.push("is not read any more".to_owned()),
        (Becomes::Unread, Becomes::Group(_)) => parts.push("is read".to_owned()),
        _ => {}
    }
    if !row.leaves.is_empty() {
        parts.push(format!("leaves {}", list(&row.leaves, 2)));
    }
    if !row.joins.is_empty() {
        parts.push(format!("joins {}", list(&row.joins, 2)));
    }
    if parts.is_empty() {
        parts.push("another name".to_owned());
    }
    let words = crate::state::near::sentence(&list(&parts, 4));
    let words = crate::state::escape::plain(&words);
    view! { <span class="f-warn"><Icon glyph=Glyph::Warn size=IconSize::Small /><span>{words}</span></span> }.into_any()
}

#[component]
fn Effects(edit: Edit) -> impl IntoView {
    let lines = move || edit.preview.with(|preview| preview.lines.clone());
    let counts = move || {
        edit.preview.with(|preview| {
            let ((gains, _), (losses, _)) = (preview.total(&GAINS), preview.total(&LOSES));
            let (_, names) = preview.total(Effect::ALL);
            let losses = if losses == 1 { "1 loss".to_owned() } else { format!("{losses} losses") };
            format!("{}, {losses} for {}", count(gains, "gain"), count(names, "name"))
        })
    };
    move || {
        let lines = lines();
        if lines.is_empty() {
            let same = edit.changes.get() > 0;
            return same.then(|| view! { <p class="quiet">"Nobody gains or loses anything."</p> }.into_any());
        }
        let more = lines.len().saturating_sub(SHOWN);
        let rows: Vec<_> = lines.into_iter().take(SHOWN).map(|line| view! { <EffectRow line=line /> }).collect();
        Some(
            view! {
                <div class="row section"><h2 id="settings-effects">"Who gains and loses"</h2><span class="count">{counts}</span></div>
                <div class="panel flat">
                    <Table
                        label="Gains and losses" caption="Who gains and loses by the change" class="names"
                        heads=["Name in the token", "Effect", "What", "Because"]
                    >
                        <tbody role="rowgroup">{rows}</tbody>
                    </Table>
                    {(more > 0).then(|| view! { <div class="t-foot">{count(more, "more line")} " not shown."</div> })}
                    <Renames edit=edit />
                </div>
            }
            .into_any(),
        )
    }
}

#[component]
fn EffectRow(line: Line) -> impl IntoView {
    let Line { name, effect, extent, because } = line;
    let words = operations(&extent);
    view! {
        <tr role="row">
            <th role="rowheader" scope="row"><Mono text=name /></th>
            <td role="cell" data-l="Effect"><EffectWord effect=effect /></td>
            <td role="cell" data-l="What">
                <div>{words} ", " <ExtentNames extent=extent.clone() /> " " <span class="quiet"><Limits extent=extent /></span></div>
            </td>
            <td role="cell" data-l="Because"><span class="quiet">{sentence(&because)}</span></td>
        </tr>
    }
}

/// Offers a draft in which role members have the names that they will have.
#[component]
fn Renames(edit: Edit) -> impl IntoView {
    move || {
        let (renames, stranded, members) =
            edit.preview.with(|preview| (preview.renames.clone(), preview.stranded.clone(), preview.members()));
        (members > 0).then(|| {
            let number = renames.len() / 2;
            let all = count(members, "role member");
            let words = if number == members { format!("Rename {all} in the draft") } else { format!("Rename {number} of {all} in the draft") };
            let press = move |()| {
                let made = edit.draft.add_all(renames.clone());
                dom::announce(&format!("{} in the draft", count(made, "change")));
            };
            let left: Vec<_> = stranded
                .into_iter()
                .map(|(role, name, why)| {
                    view! {
                        <li><PrincipalName principal=Principal::group(name) /> " of " <PrincipalName principal=Principal::role(role) /> " " {why} "."</li>
                    }
                })
                .collect();
            view! {
                <div class="t-foot">
                    {(number > 0).then(|| view! { <LinkButton on_press=press>{words}</LinkButton> })}
                    <ul>{left}</ul>
                </div>
            }
        })
    }
}
