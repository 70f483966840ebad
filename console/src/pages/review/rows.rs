//! The changes of a review, concurrent changes, and the result of each change.

use std::sync::Arc;

use gbac_console_model::address;
use gbac_console_model::apply::SentChanges;
use gbac_console_model::draft::Staged;
use gbac_console_model::review::{ChangeRow, ChangedItem, Section, SectionTarget, sections};
use gbac_console_model::sending::SendOutcome;
use gbac_engine::policy::{Change, Policy};
use gbac_words::acl;
use gbac_words::pages::cluster::PARTLY;
use gbac_words::pages::review as words;
use gbac_words::phrases::{capitalized, count};
use leptos::prelude::*;

use super::undo::UndoButton;
use crate::dom;
use crate::pages::cluster_notes::connected;
use crate::pages::link::RoleLink;
use crate::pages::opening::opens;
use crate::store::draft::Draft;
use crate::ui::{
    AclPhrase, Button, Disclosure, Glyph, IconButton, Message, MessageKind, Mono, Note, NoteKind,
    PrincipalName, ResourceName, Words,
};

/// The number of rows of a section that are shown at first.
const SHOWN: usize = 100;

/// The rows of the draft, each with a way back.
#[component]
pub(super) fn Sections(
    /// The rows.
    sections: Memo<Vec<Section>>,
) -> impl IntoView {
    let draft = expect_context::<Draft>();
    let take_out = Callback::new(move |index: usize| {
        let gone = draft.remove(index);
        dom::announce(&words::removed_from_draft(gone));
        if !dom::focus("h-send") {
            dom::focus_heading();
        }
    });
    move || {
        sections
            .get()
            .into_iter()
            .map(|section| view! { <OneSection section=section on_undo=Some(take_out) /> })
            .collect_view()
    }
}

#[component]
pub(super) fn OneSection(section: Section, on_undo: Option<Callback<usize>>) -> impl IntoView {
    let Section { about, rows } = section;
    let head = match about {
        SectionTarget::Settings => "Settings".into_any(),
        SectionTarget::Role(name) => view! {
            "Role " <RoleLink href=address::role(&name)><ResourceName name=name.clone() /></RoleLink>
        }
        .into_any(),
        SectionTarget::Principal(principal) => view! { "ACLs of " <PrincipalName principal=principal /> }.into_any(),
    };
    let open = RwSignal::new(false);
    let rest = rows.len().saturating_sub(SHOWN);
    let rows = StoredValue::new(rows);
    let some = move |from: usize, to: usize| {
        rows.with_value(|rows| {
            let part = rows.iter().skip(from).take(to - from).cloned();
            part.map(|row| view! { <OneRow row=row on_undo=on_undo /> })
                .collect_view()
        })
    };
    view! {
        <h3 class="diff-h">{head}</h3>
        <ul class="diff">{some(0, SHOWN)}</ul>
        {(rest > 0).then(|| view! {
            <ul class="diff">{move || open.get().then(|| some(SHOWN, usize::MAX))}</ul>
            {move || (!open.get()).then(|| view! {
                <Button small=true on_press=move |()| open.set(true)>{format!("Show {rest} more")}</Button>
            })}
        })}
    }
}

#[component]
fn OneRow(row: ChangeRow, on_undo: Option<Callback<usize>>) -> impl IntoView {
    let ChangeRow {
        index,
        adds,
        what,
        edited_from,
        obstacle,
        failure,
        opening,
        remarks,
    } = row;
    let verb = match (&what, adds) {
        (ChangedItem::Role { .. }, true) => "Create",
        (ChangedItem::Role { .. }, false) => "Delete",
        (ChangedItem::Settings(_), _) => "Change",
        _ if edited_from.is_some() => "Edit",
        (_, true) => "Add",
        (_, false) => "Remove",
    };
    let sign = match (adds, &edited_from) {
        (true, Some(_)) => "→",
        (true, None) => "+",
        (false, _) => "−",
    };
    let label = format!("Undo: {}", spoken(verb, &what));
    view! {
        <li class=if adds { "plus" } else { "minus" }>
            <b aria-hidden="true">{sign}</b>
            <div class="diff-row">
                <div class="brk">
                    <span class="sr">{verb} " "</span>
                    {edited_from.map(|from| view! { <AclPhrase acl=from /> " → " })}
                    <Said what=what adds=adds />
                    {obstacle.map(|text| view! {
                        <Message kind=MessageKind::Warn><Words text=capitalized(&text) /></Message>
                    })}
                    {opens(&opening)}
                    {remarks.into_iter().map(|text| view! {
                        <Message kind=MessageKind::Warn><Words text=text /> "."</Message>
                    }).collect_view()}
                    {failure.map(|text| view! {
                        <Message kind=MessageKind::Error>"Not applied: " <Words text=text /></Message>
                    })}
                </div>
                {on_undo.map(|undo| view! { <IconButton glyph=Glyph::Undo label=label on_press=move |()| undo.run(index) /> })}
            </div>
        </li>
    }
}

/// A row in words.
#[component]
pub(super) fn Said(what: ChangedItem, adds: bool) -> impl IntoView {
    match what {
        ChangedItem::Acl(acl) => view! { <AclPhrase acl=acl /> }.into_any(),
        ChangedItem::Member(principal) => {
            view! { "Principal " <PrincipalName principal=principal /> }.into_any()
        }
        ChangedItem::Role { .. } if adds => "Role".into_any(),
        ChangedItem::Role { members, acls } => {
            let (of_members, of_acls) =
                (count(members.len(), "principal"), count(acls.len(), "ACL"));
            let is_empty = members.is_empty() && acls.is_empty();
            let open = RwSignal::new(false);
            let (members, acls) = (StoredValue::new(members), StoredValue::new(acls));
            view! {
                "Role"
                {(!is_empty).then(|| view! {
                    ", with " {of_members.clone()} " and " {of_acls.clone()}
                    <Disclosure id="deleted-with" open=open on_toggle=move |is_open| open.set(is_open) summary=|| "Which">
                        <ul class="facts">
                            {members.get_value().into_iter().map(|member| view! { <li><PrincipalName principal=member /></li> }).collect_view()}
                            {acls.get_value().into_iter().map(|acl| view! { <li><AclPhrase acl=acl /></li> }).collect_view()}
                        </ul>
                    </Disclosure>
                })}
            }
            .into_any()
        }
        ChangedItem::Settings(rows) => rows
            .into_iter()
            .map(|(name, was, is)| {
                view! {
                    <p><Mono text=name />": " {value(was)} " → " {value(is)}</p>
                }
            })
            .collect_view()
            .into_any(),
    }
}

fn value(text: String) -> AnyView {
    if text.is_empty() {
        view! { <span class="quiet">"none"</span> }.into_any()
    } else {
        view! { <Mono text=text /> }.into_any()
    }
}

/// A row as the name of its button.
fn spoken(verb: &str, what: &ChangedItem) -> String {
    use gbac_words::escape::plain;
    let what = match what {
        ChangedItem::Acl(acl) => acl::rule(acl).plain(),
        ChangedItem::Member(principal) => plain(&principal.to_string()),
        ChangedItem::Role { .. } => "the role".to_owned(),
        ChangedItem::Settings(_) => "settings".to_owned(),
    };
    format!("{} {what}", verb.to_lowercase())
}

/// What somebody else changed since the review began, with the way on.
#[component]
pub(super) fn Drift(
    /// What turns the reviewed state into the one that was read now.
    changes: Vec<Change>,
    /// The reviewed state.
    base: Arc<Policy>,
    /// Asked to review over the new state.
    #[prop(into)]
    on_take: Callback<()>,
) -> impl IntoView {
    let number = changes.len();
    let staged: Vec<Staged> = changes
        .into_iter()
        .map(|change| Staged {
            change,
            failure: None,
        })
        .collect();
    let rows = StoredValue::new({
        let base = base;
        sections(&base, &staged, &[])
    });
    let open = RwSignal::new(true);
    view! {
        <div class="banner" id="h-drift" tabindex="-1">
            <Note kind=NoteKind::Warn title="The policy changed" level=2>
                <p>{words::changed_by_others(number)}</p>
                <Disclosure id="drift-rows" open=open on_toggle=move |is_open| open.set(is_open) summary=|| "Changes">
                    {rows.get_value().into_iter().map(|section| view! { <OneSection section=section on_undo=None /> }).collect_view()}
                </Disclosure>
                <div class="row">
                    <Button on_press=on_take>{words::REVIEW_AGAIN}</Button>
                </div>
            </Note>
        </div>
    }
}

/// That it is not known yet whether the service made the changes that were sent.
#[component]
pub(super) fn Unanswered() -> impl IntoView {
    let cluster = connected();
    let told = move || {
        if cluster.with(Option::is_some) {
            PARTLY
        } else {
            words::ALL_OR_NONE
        }
    };
    view! {
        <div class="banner" id="h-outcome" tabindex="-1" role="status">
            <Note kind=NoteKind::Warn title=words::NO_ANSWER level=2>
                <p>{told}</p>
            </Note>
        </div>
    }
}

/// How it went: each change that was sent.
#[component]
pub(super) fn SentNote(
    /// What was sent.
    sent: SentChanges,
) -> impl IntoView {
    let SentChanges { changes, report } = sent;
    let kind = if report.made() == changes.len() {
        NoteKind::Info
    } else {
        NoteKind::Error
    };
    let (title, told) = report.title_and_text();
    let expired = report.is_unauthenticated();
    let made: Vec<Staged> = (changes.into_iter().zip(report.outcomes))
        .filter(|(_, outcome)| *outcome == SendOutcome::Made)
        .map(|(change, _)| Staged {
            change,
            failure: None,
        })
        .collect();
    let rows = StoredValue::new(sections(&Policy::default(), &made, &[]));
    let open = RwSignal::new(false);
    let (number, has_made) = (made.len(), !made.is_empty());
    view! {
        <div class="banner" id="h-outcome" tabindex="-1">
            <Note kind=kind title=title level=2>
                {told.map(|text| view! { <p><Words text=text /></p> })}
                {expired.then(|| view! { <div class="row"><a class="btn btn-sm" href=address::CONNECTION>"Sign in"</a></div> })}
                {has_made.then(|| view! {
                    <Disclosure id="outcome-rows" open=open on_toggle=move |is_open| open.set(is_open) summary=|| "Applied changes">
                        {rows.get_value().into_iter().map(|section| view! { <OneSection section=section on_undo=None /> }).collect_view()}
                    </Disclosure>
                    <div class="row"><UndoButton number=number /></div>
                })}
            </Note>
        </div>
    }
}
