//! The path from the token to the verdict: claim, element, principal, role, ACL. Each arrow can be
//! pressed to see the verdict without what it leads to, and each claim to read groups from it,
//! here and in the decoded token.

use std::sync::Arc;

use gbac_analysis::HypotheticalChange;
use gbac_console_model::simulator::claims::{DecodedClaim, decoded};
use gbac_console_model::simulator::extraction::{
    ElementRow, ExtractionNote, GroupClaim, RowOutcome, Steps, UserSource,
};
use gbac_console_model::simulator::inputs::{InputEdit, Weight};
use gbac_console_model::simulator::path::{
    Branch, BranchAcl, Branches, Edge, EndStatus, RowOrder, group_edge,
};
use gbac_engine::decide::CandidateStatus;
use gbac_engine::model::Permission;
use gbac_words::escape::plain;
use gbac_words::pages::simulator as words;
use gbac_words::rich_text::RichText;
use leptos::prelude::*;

use super::fields::{actions, nobody};
use super::state::SimulatorState;
use crate::dom;
use crate::pages::rich_text::{sentence, shown};
use crate::ui::{Glyph, Icon, IconSize, LinkButton, Mono, PrincipalName, Tag, Words};

/// The branches of the last decided request; none before one is complete.
type BranchesMemo = Memo<Option<Arc<Branches>>>;

/// The path, with what is to know about it.
#[component]
pub(super) fn Path(state: SimulatorState) -> impl IntoView {
    let steps = state.shown(|shown| shown.steps.clone());
    // Where sign-in fails, the path is the one that an accepted token would take.
    let (own, supposed) = (state.judged(), state.supposed());
    let judged = Memo::new(move |_| own.get().or_else(|| supposed.get()));
    let is_supposed = Memo::new(move |_| own.read().is_none() && supposed.read().is_some());
    let decided: BranchesMemo = Memo::new(move |before: Option<&Option<Arc<Branches>>>| {
        let (tried, judged) = (state.tried.read(), judged.read());
        let judged = judged.as_deref()?;
        let tried = match &*tried {
            Some(tried) => Some(&*tried.judged),
            None if is_supposed.get() => Some(judged),
            None => None,
        };
        let now = Branches::from_judged(judged, tried);
        // What is the same is not drawn again.
        match before {
            Some(Some(before)) if **before == now => Some(Arc::clone(before)),
            _ => Some(Arc::new(now)),
        }
    });
    // Rows stay where they are while changes are tried.
    let today: BranchesMemo = Memo::new(move |_| {
        let judged = judged.read();
        Some(Arc::new(Branches::from_judged(judged.as_deref()?, None)))
    });
    move || {
        let steps = steps.get()?;
        let is_empty = steps.user.is_none() && steps.claim.is_none() && steps.table.is_none();
        let lines = remarks(&steps);
        Some(view! {
            {(!is_empty).then(|| view! { <Table state=state steps=steps.clone() decided=decided today=today is_supposed=is_supposed /> })}
            {banners(state, &steps).map(|banners| view! { <div class="flow-n">{banners}</div> })}
            {lines}
        })
    }
}

#[component]
fn Table(
    state: SimulatorState,
    steps: Arc<Steps>,
    decided: BranchesMemo,
    /// The branches without the changes that are tried.
    today: BranchesMemo,
    is_supposed: Memo<bool>,
) -> impl IntoView {
    let user = steps.user.clone();
    // A user without an ACL on the resource comes last.
    let is_user_first = Memo::new(move |_| match &*today.read() {
        Some(today) => today.has_acl(None),
        None => true,
    });
    let rows_of_user = move |is_first: bool| {
        let user = user.clone().filter(|_| is_user_first.get() == is_first);
        user.map(|user| user_rows(state, decided, user))
    };
    let first = rows_of_user.clone();
    let claim = steps.claim.clone();
    let table = steps.table.clone();
    let numbered = table.as_ref().is_none_or(|table| table.numbered);
    let rows = StoredValue::new(table.map_or_else(Vec::new, |table| table.rows));
    let all = RwSignal::new(false);
    let order = Memo::new(move |_| {
        let (rows, today) = (rows.read_value(), today.read());
        match &*today {
            Some(today) => {
                let groups: Vec<Option<&str>> = rows.iter().map(group_of).collect();
                today.order(&groups)
            }
            None => Branches::undecided_order(rows.len()),
        }
    });
    let visible = Memo::new(move |_| {
        let RowOrder {
            mut shown, hidden, ..
        } = order.get();
        if all.get() {
            shown.extend(hidden);
        }
        shown
    });
    let rest = move || {
        let RowOrder {
            hidden,
            is_rest_idle,
            ..
        } = order.get();
        let hidden = hidden.len();
        (hidden > 0 && !all.get()).then(|| {
            let words = match &*decided.read() {
                Some(decided) if is_rest_idle => decided.idle_words(hidden),
                _ => words::more_groups_in_token(hidden),
            };
            view! {
                <tbody role="rowgroup" data-of="rest">
                    <tr role="row" class="rest"><td role="cell" colspan="4">
                        <span class="quiet">{words}</span> " " <LinkButton on_press=move |()| all.set(true)>"Show them"</LinkButton>
                    </td></tr>
                </tbody>
            }
        })
    };
    view! {
        <table class="rails" class:if=move || is_supposed.get() role="table">
            <caption class="sr">{words::TOKEN_TO_VERDICT}</caption>
            <thead role="rowgroup">
                <tr role="row">
                    <th role="columnheader" scope="col">"Claim"</th>
                    <th role="columnheader" scope="col">"Principal"</th>
                    <th role="columnheader" scope="col">"Role"</th>
                    <th role="columnheader" scope="col">"ACL"</th>
                </tr>
            </thead>
            {move || first(true)}
            {claim.map(|claim| view! { <Claim state=state claim=claim /> })}
            <For each=move || visible.get() key=|place| *place children=move |place| {
                rows.with_value(|rows| rows.get(place).map(|row| element(state, decided, row, numbered)))
            } />
            {rest}
            {move || rows_of_user(false)}
        </table>
    }
}

/// The claim that groups are read from, and the others that could be.
#[component]
fn Claim(state: SimulatorState, claim: GroupClaim) -> impl IntoView {
    let GroupClaim {
        path,
        found,
        is_there,
        others,
    } = claim;
    let others = (!others.is_empty()).then(|| {
        let buttons = others.into_iter().map(|other| view! { <ClaimButton state=state path=other /> }).collect_view();
        view! { <span class="others" role="group" aria-label="Other claims with names"><span class="quiet">"Other claims"</span>{buttons}</span> }
    });
    view! {
        <tbody role="rowgroup" data-of="claim">
            <tr role="row" class=if is_there { "arr" } else { "arr broken" }>
                <th role="rowheader" colspan="4" scope="rowgroup">
                    <div>
                        <ClaimButton state=state path=path.clone() in_force=true />
                        <span class=if is_there { "quiet" } else { "v-warn" }>{if is_there { found } else { "no names found".to_owned() }}</span>
                        <Tag>"Claim path " <Mono text=path /></Tag>
                        {others}
                    </div>
                </th>
            </tr>
        </tbody>
    }
}

/// A claim: pressed, groups are read from it.
#[component]
fn ClaimButton(
    state: SimulatorState,
    path: String,
    #[prop(optional)] in_force: bool,
) -> impl IntoView {
    let name = path.strip_prefix("$.").unwrap_or(&path).to_owned();
    let title = match in_force {
        true => words::groups_read_from(&path),
        false => format!("Read groups from {}", plain(&path)),
    };
    view! {
        <button class="claim" type="button" title=title aria-pressed=if in_force { "true" } else { "false" } on:click=move |_| {
            if !in_force {
                read_groups_from(state, &path);
            }
        }>
            <bdi>{shown(&name)}</bdi>
        </button>
    }
}

fn read_groups_from(state: SimulatorState, path: &str) {
    state.apply(InputEdit::TryClaimPath(path.to_owned()));
    dom::announce(&words::groups_read_from(path));
}

/// The group that an element became.
fn group_of(row: &ElementRow) -> Option<&str> {
    match &row.outcome {
        RowOutcome::Principal(principal) | RowOutcome::Merged(principal) => Some(principal.name()),
        RowOutcome::Repeated(_) | RowOutcome::Dropped(_) => None,
    }
}

fn user_rows(state: SimulatorState, decided: BranchesMemo, user: UserSource) -> impl IntoView {
    let UserSource {
        rule,
        path,
        principal,
    } = user;
    let lead = move || {
        let name = principal.name().to_owned();
        let claim = match path.clone() {
            Some(path) => {
                view! { <ClaimButton state=state path=path /> <bdi class="cl">{shown(&name)}</bdi> }
                    .into_any()
            }
            None => view! { <bdi class="cl">{shown(&rule)}</bdi> }.into_any(),
        };
        view! {
            <td role="cell"><span>{claim}</span></td>
            <td role="cell"><div class="leads"><span class="edge" aria-hidden="true"></span><span><PrincipalName principal=principal.clone() /></span></div></td>
        }
        .into_any()
    };
    view! { <PathRows state=state decided=decided group=None lead=ViewFn::from(lead) of="user" /> }
}

fn element(
    state: SimulatorState,
    decided: BranchesMemo,
    row: &ElementRow,
    numbered: bool,
) -> impl IntoView + use<> {
    let group = group_of(row).map(str::to_owned);
    let (row, place) = (row.clone(), row.place.clone());
    let edge = group.as_deref().map(group_edge);
    let lead = move || {
        let (before, marked) = row.raw.clone();
        let marked = (!marked.is_empty()).then(|| view! { <mark>{shown(&marked)}</mark> });
        let arrow = match edge
            .clone()
            .filter(|_| decided.with_untracked(Option::is_some))
        {
            Some(edge) => view! { <Arrow state=state edge=edge /> }.into_any(),
            None => plain_edge().into_any(),
        };
        view! {
            <td role="cell" class="leaf">
                <span><span class="place cl dim">{if numbered { format!("[{place}]") } else { place.clone() }}</span> " " <bdi class="el cl">{shown(&before)}{marked}</bdi></span>
            </td>
            <td role="cell"><div class="leads">{arrow}<span>{outcome(&row.outcome)}</span></div></td>
        }
        .into_any()
    };
    view! { <PathRows state=state decided=decided group=group lead=ViewFn::from(lead) of="element" /> }
}

fn outcome(outcome: &RowOutcome) -> AnyView {
    match outcome {
        RowOutcome::Principal(principal) => view! { <PrincipalName principal=principal.clone() /> }.into_any(),
        RowOutcome::Merged(principal) => {
            view! { <PrincipalName principal=principal.clone() />{warned("merged with another group")} }.into_any()
        }
        RowOutcome::Repeated(principal) => {
            view! { <PrincipalName principal=principal.clone() /> " " <span class="quiet">"again"</span> }.into_any()
        }
        RowOutcome::Dropped(why) => view! { <span class="quiet">{*why}</span>{warned("")} }.into_any(),
    }
}

/// A warning sign, with words for assistive technology.
fn warned(words: &'static str) -> impl IntoView {
    view! {
        " " <span class="v v-warn"><Icon glyph=Glyph::Warn size=IconSize::Small /><span class="sr">{words}</span></span>
    }
}

/// The rows of the user or of an element: one for each of its branches.
#[component]
fn PathRows(
    state: SimulatorState,
    decided: BranchesMemo,
    /// The group; none for the user, and for an element that became nothing.
    group: Option<String>,
    /// The first cells.
    lead: ViewFn,
    /// `user` or `element`.
    of: &'static str,
) -> impl IntoView {
    let has_branches = of == "user" || group.is_some();
    let branches = Memo::new(move |_| {
        let decided = decided.read();
        let decided = decided.as_ref()?;
        if !has_branches {
            return None;
        }
        let branches = decided.get(group.as_deref()).to_vec();
        Some((branches, decided.nothing.clone()))
    });
    view! {
        <tbody role="rowgroup" data-of=of>
            {move || {
                let (branches, nothing) = branches.get().unwrap_or_default();
                let mut branches = branches.into_iter();
                let (class, first) = match branches.next() {
                    Some(branch) => (row_class(&branch), cells(state, branch, &nothing)),
                    None => ("", view! { <td role="cell" class="none"></td><td role="cell" class="none"></td> }.into_any()),
                };
                view! {
                    <tr role="row" class=class>{lead.run()}{first}</tr>
                    {branches.map(|branch| {
                        let class = row_class(&branch);
                        view! { <tr role="row" class=class><td role="cell" colspan="2" class="none"></td>{cells(state, branch, &nothing)}</tr> }
                    }).collect_view()}
                }
            }}
        </tbody>
    }
}

fn row_class(branch: &Branch) -> &'static str {
    match &branch.acl {
        Some(acl) if acl.status.decides() => match acl.permission {
            Permission::Deny => "hit",
            Permission::Allow => "hit good",
        },
        Some(acl) => match acl.status {
            EndStatus::Traced(CandidateStatus::Overridden) => "beaten",
            EndStatus::LeftOut => "cut",
            EndStatus::Traced(CandidateStatus::Agrees) => "",
            _ => "stop",
        },
        None => "stop",
    }
}

/// The role and the ACL of a branch.
fn cells(state: SimulatorState, branch: Branch, nothing: &str) -> AnyView {
    let Branch { role, acl } = branch;
    let role = match role {
        Some((role, edge)) => view! {
            <div class="leads"><Arrow state=state edge=edge /><span>{sentence(&RichText::new().principal(&role))}</span></div>
        }
        .into_any(),
        None => {
            let words = if acl.is_some() { "direct ACL" } else { "no role" };
            view! { <div class="leads direct">{plain_edge()}<span class="quiet">{words}</span></div> }.into_any()
        }
    };
    let acl = match acl {
        Some(acl) => leads_to(state, acl).into_any(),
        None => {
            view! { <div class="leads">{plain_edge()}<span class="quiet">{nothing.to_owned()}</span></div> }.into_any()
        }
    };
    view! { <td role="cell">{role}</td><td role="cell" class="last">{acl}</td> }.into_any()
}

/// A line that cannot be pressed.
fn plain_edge() -> impl IntoView {
    view! { <span class="edge" aria-hidden="true"></span> }
}

fn leads_to(state: SimulatorState, acl: BranchAcl) -> impl IntoView {
    let BranchAcl {
        words,
        status,
        mismatch,
        edge,
        ..
    } = acl;
    let mismatch = mismatch.map(|words| view! { ", " {sentence(&words)} });
    view! {
        <div class="leads"><Arrow state=state edge=edge /><span>{sentence(&words)} <small>{status.label()}{mismatch}</small></span></div>
    }
}

/// An arrow: pressed, it takes what it leads to out of the request that is tried, and puts it back.
#[component]
fn Arrow(state: SimulatorState, edge: Edge) -> impl IntoView {
    let Edge { without, words } = edge;
    let label = format!("Try without {}", plain(&words.plain()));
    let title = label.clone();
    let without = StoredValue::new(without);
    let is_cut = Memo::new(move |_| {
        state
            .trials
            .with(|trials| without.with_value(|without| trials.as_slice().contains(without)))
    });
    view! {
        <button class="edge" type="button" title=title aria-label=label
            aria-pressed=move || if is_cut.get() { "true" } else { "false" }
            on:click=move |_| {
                let words = words.plain();
                let was_cut = is_cut.get_untracked();
                without.with_value(|without| toggle(state, without));
                dom::announce(&if was_cut { format!("{words} is back") } else { format!("Tried without {words}") });
            }
        ></button>
    }
}

/// Tries a change, or takes it out again.
fn toggle(state: SimulatorState, change: &HypotheticalChange) {
    state.trials.update(|trials| {
        match trials.as_slice().iter().position(|known| known == change) {
            Some(place) => trials.remove(place),
            None => {
                trials.add(change.clone());
            }
        }
    });
}

/// Warnings, where the path has them.
fn banners(state: SimulatorState, steps: &Steps) -> Option<impl IntoView + use<>> {
    let banners: Vec<_> = steps
        .notes
        .iter()
        .filter(|note| note.weight != Weight::Info && !note.is_overage())
        .map(|note| banner(state, note))
        .collect();
    (!banners.is_empty()).then_some(banners)
}

fn banner(state: SimulatorState, note: &ExtractionNote) -> impl IntoView + use<> {
    view! {
        <div class="note note-warn">
            <Icon glyph=Glyph::Warn />
            <div>
                <h3><Words text=note.title.clone() /></h3>
                <p>{sentence(&note.words)}</p>
                {actions(state, &note.actions)}
            </div>
        </div>
    }
}

fn remarks(steps: &Steps) -> Option<impl IntoView + use<>> {
    let lines: Vec<_> = steps
        .notes
        .iter()
        .filter(|note| note.weight == Weight::Info)
        .map(|note| {
            view! {
                <li>
                    <span class="dim"><Icon glyph=Glyph::Info size=IconSize::Small /></span>
                    <span class="quiet">{sentence(&note.words)}</span>
                </li>
            }
        })
        .collect();
    (!lines.is_empty()).then(|| view! { <ul class="facts remarks" aria-label="Notes">{lines}</ul> })
}

/// The decoded token: its header, and its claims, each of which can become the claim path.
#[component]
pub(super) fn DecodedClaims(state: SimulatorState) -> impl IntoView {
    let who = state.who();
    let found = Memo::new(move |_| decoded(who.read().as_deref()?));
    move || {
        match found.get() {
        None => nobody().into_any(),
        Some(found) => view! {
            <div class="decoded">
                {found.header.map(|header| view! {
                    <div>
                        <h3>"Header"</h3>
                        <pre class="code" tabindex="0" role="region" aria-label="Decoded header"><code>{header}</code></pre>
                    </div>
                })}
                <div>
                    <h3>"Payload"</h3>
                    <p class="help">{found.summary} ". " {words::PRESS_CLAIM}</p>
                    <ul class="claims" aria-label="Claims">
                        {found.claims.into_iter().map(|claim| view! { <ListedClaim state=state claim=claim /> }).collect_view()}
                    </ul>
                </div>
            </div>
        }
        .into_any(),
    }
    }
}

#[component]
fn ListedClaim(state: SimulatorState, claim: DecodedClaim) -> impl IntoView {
    let DecodedClaim {
        depth,
        name,
        path,
        value,
        is_claim_path,
    } = claim;
    let name = plain(&name);
    let class = format!("claim-{depth}");
    let button = match path {
        Some(path) => {
            let title = format!("Read groups from {}", plain(&path));
            let pressed = if is_claim_path { "true" } else { "false" };
            view! {
                <button
                    class="link claim" type="button" aria-pressed=pressed title=title
                    on:click=move |_| read_groups_from(state, &path)
                >{name}</button>
            }
            .into_any()
        }
        None => view! { <span class="cl">{name}</span> }.into_any(),
    };
    view! {
        <li class=class>
            {button} " " <span class="cl">{value}</span>
            {is_claim_path.then(|| view! { " " <span class="tag">"Claim path"</span> })}
        </li>
    }
}
