//! The shared context of a role's page: rows, selection, marks of rows.

use std::collections::BTreeSet;

use gbac_console_model::role::preset::AclPreset;
use gbac_console_model::role::{AclRow, MemberRow, RowStatus};
use gbac_engine::model::Acl;
use gbac_words::phrases::count;
use leptos::prelude::*;

use crate::dom;
use crate::store::draft::Draft;
use crate::ui::{Message, MessageKind, Words};

/// What the parts of the page share.
#[derive(Clone, Copy)]
pub(super) struct RoleContext {
    pub(super) draft: Draft,
    /// The role's name.
    pub(super) name: StoredValue<String>,
    /// The ACLs, those that are and those that will be.
    pub(super) acls: Memo<Vec<AclRow>>,
    /// The members, those that are and those that will be.
    pub(super) members: Memo<Vec<MemberRow>>,
    /// What the form for ACLs starts from; none is an empty row.
    pub(super) preset: RwSignal<Option<AclPreset>>,
    /// The ACLs that are selected.
    pub(super) selected: RwSignal<BTreeSet<Acl>>,
    /// How the role itself stands; none when there is no such role, or nothing was read.
    pub(super) status: Memo<Option<RowStatus>>,
}

/// The class of a row of either table.
pub(super) const fn row_class(status: RowStatus) -> &'static str {
    match status {
        RowStatus::Stored => "",
        RowStatus::Added => "add",
        RowStatus::Removed => "del",
    }
}

/// `+`, `−` or nothing, at the head of a row.
#[component]
pub(super) fn Sign(status: RowStatus) -> impl IntoView {
    let sign = match status {
        RowStatus::Stored => return ().into_any(),
        RowStatus::Added => "+",
        RowStatus::Removed => "−",
    };
    view! { <span class="sign" aria-hidden="true">{sign}</span> }.into_any()
}

/// `Added` or `Removed`, before the button that undoes it.
pub(super) fn sign_word(status: RowStatus) -> Option<impl IntoView> {
    let word = match status {
        RowStatus::Stored => return None,
        RowStatus::Added => "Added",
        RowStatus::Removed => "Removed",
    };
    Some(view! { <span class="sign-w">{word}</span> })
}

/// `Edited`, in place of [`sign_word`].
pub(super) fn edited_word() -> impl IntoView {
    view! { <span class="sign-w">"Edited"</span> }
}

/// Why the change of a row was not applied.
pub(super) fn not_applied(failure: Option<String>) -> Option<impl IntoView> {
    let text = failure?;
    Some(view! { <Message kind=MessageKind::Error>"Not applied: " <Words text=text /></Message> })
}

/// The row after this one, or else the one before it.
pub(super) fn neighbor<T>(rows: &[T], is_this: impl Fn(&T) -> bool) -> Option<&T> {
    let place = rows.iter().position(is_this).unwrap_or_default();
    rows.get(place + 1)
        .or_else(|| rows.get(place.checked_sub(1)?))
}

/// Moves focus from a row that may go to its own button, which is another one then; else to that of
/// its neighbor, or to the heading.
pub(super) fn focus_row(own: String, neighbor: Option<String>, heading: &str) {
    let mut ids = vec![own];
    ids.extend(neighbor);
    ids.push(heading.to_owned());
    dom::focus_first(ids);
}

/// How many ACLs the draft edits.
pub(super) fn edited_rows(acls: &[AclRow]) -> usize {
    acls.iter().filter(|row| row.edited_from.is_some()).count()
}

/// How many rows there are, and how many come, are edited and go: `9 rows, 2 added, 1 removed`.
pub(super) fn rows_words(statuses: impl Iterator<Item = RowStatus>, edited: usize) -> String {
    let (mut all, mut added, mut removed) = (0, 0, 0);
    for status in statuses {
        all += 1;
        added += usize::from(status == RowStatus::Added);
        removed += usize::from(status == RowStatus::Removed);
    }
    let mut text = count(all, "row");
    let numbers = [
        (added - edited, "added"),
        (edited, "edited"),
        (removed, "removed"),
    ];
    for (number, word) in numbers {
        if number > 0 {
            text = format!("{text}, {number} {word}");
        }
    }
    text
}
