//! The table of a role's ACLs.

use std::collections::BTreeSet;

use gbac_console_model::role::preset::AclPreset;
use gbac_console_model::role::{AclRow, Remark, RowStatus};
use gbac_engine::model::{Acl, ResourceType};
use gbac_engine::policy::Change;
use gbac_words::acl;
use gbac_words::escape::plain;
use gbac_words::pages::role as words;
use leptos::prelude::*;

use super::context::{
    RoleContext, Sign, edited_rows, edited_word, focus_row, neighbor, not_applied, row_class,
    rows_words, sign_word,
};
use crate::dom;
use crate::pages::acl_editor::{AclEditor, EditAcl, edit_id};
use crate::ui::{
    AclPhrase, Button, ButtonKind, Empty, Glyph, Heads, IconButton, PermissionWord, ResourceName,
    Table, Tag, TagKind, resource_words,
};

/// The columns of the table.
const COLUMNS: &str = "8";

/// The section. `adding` says whether the form beside it is open; without `is_open` nothing can be
/// edited.
#[component]
pub(super) fn Acls(adding: RwSignal<bool>, is_open: bool) -> impl IntoView {
    let context = expect_context::<RoleContext>();
    let is_empty = Memo::new(move |_| context.acls.with(Vec::is_empty));
    // What was selected and is no row any more does not count.
    let selected = Memo::new(move |_| {
        let selected = context.selected.read();
        let mut acls = open_rows(context);
        acls.retain(|acl| selected.contains(acl));
        acls
    });
    view! {
        <section class="section" aria-labelledby="h-acl">
            <div class="row">
                <h2 id="h-acl" tabindex="-1">"ACLs"</h2>
                <span class="count">{move || {
                    let acls = context.acls.read();
                    rows_words(acls.iter().map(|row| row.status), edited_rows(&acls))
                }}</span>
                {is_open.then(|| view! {
                    <span class="row row-end">
                        {move || (!selected.read().is_empty()).then(|| view! {
                            <Button kind=ButtonKind::Danger glyph=Glyph::Bin on_press=move |()| remove(context, selected.get_untracked())>
                                {move || format!("Delete selected ({})", selected.read().len())}
                            </Button>
                        })}
                        <Button on_press=move |()| {
                            context.preset.set(Some(AclPreset::Everything));
                            adding.set(true);
                            dom::focus_later("acl-preset");
                        }>"Allow all operations"</Button>
                        <Button
                            id="add-acl-open"
                            glyph=Glyph::Plus
                            on_press=move |()| {
                                adding.set(true);
                                dom::focus_later("acl-preset");
                            }
                            {..}
                            aria-expanded=move || if adding.get() { "true" } else { "false" }
                            aria-controls="add-acl"
                        >
                            "Add ACL"
                        </Button>
                    </span>
                })}
            </div>
            {move || if is_empty.get() {
                view! {
                    <div class="panel flat">
                        <Empty glyph=Glyph::NoRule title="No ACLs yet" level=3>
                            <p>{words::NO_ACLS}</p>
                        </Empty>
                    </div>
                }
                .into_any()
            } else {
                view! { <AclTable is_open=is_open /> }.into_any()
            }}
        </section>
    }
}

/// The ACLs that the role will have.
pub(super) fn open_rows(context: RoleContext) -> Vec<Acl> {
    let mut acls = Vec::new();
    for row in context.acls.read().iter() {
        if row.status != RowStatus::Removed {
            acls.push(row.acl.clone());
        }
    }
    acls
}

/// Removes the selected ACLs in the draft.
fn remove(context: RoleContext, selected: Vec<Acl>) {
    let gone = context
        .draft
        .add_all(selected.into_iter().map(Change::RemoveAcl));
    context.selected.set(BTreeSet::new());
    dom::announce(&words::acls_removed(gone));
    dom::focus_later("h-acl");
}

#[component]
fn AclTable(is_open: bool) -> impl IntoView {
    let context = expect_context::<RoleContext>();
    let name = context.name.get_value();
    let all = Memo::new(move |_| {
        let rows = open_rows(context);
        !rows.is_empty()
            && context
                .selected
                .with(|selected| rows.iter().all(|acl| selected.contains(acl)))
    });
    let some = Memo::new(move |_| {
        !all.get()
            && context
                .selected
                .with(|selected| open_rows(context).iter().any(|acl| selected.contains(acl)))
    });
    let first = view! {
        <th role="columnheader" scope="col" class="sel">
            {is_open.then(|| view! {
                <label class="check-hit">
                    <span class="sr">"Select all ACLs"</span>
                    <input class="check" type="checkbox" prop:checked=move || all.get()
                        prop:indeterminate=move || some.get()
                        on:change=move |_| {
                            let rows = if all.get_untracked() { Vec::new() } else { open_rows(context) };
                            context.selected.set(rows.into_iter().collect());
                        } />
                </label>
            })}
            {(!is_open).then(|| view! { <span class="sr">"Draft"</span> })}
        </th>
    };
    view! {
        <div class="panel flat">
            <Table
                label="ACL table" caption=format!("ACLs of role {}", plain(&name)) class="cards"
                heads=Heads::default()
                    .and_view(first)
                    .and(["Resource type", "Resource", "Pattern", "Operation", "Permission", "Host"])
                    .and_unseen("Actions")
            >
                <tbody role="rowgroup">
                    <For each=move || context.acls.get() key=AclRow::clone let:row>
                        <Row row=row is_open=is_open />
                    </For>
                </tbody>
            </Table>
        </div>
    }
}

/// The id of the button of an ACL's row, made of what is in it.
fn button_id(acl: &Acl) -> String {
    format!(
        "act-{}",
        gbac_api::encode::component(&acl::rule(acl).plain())
    )
}

#[component]
fn Row(row: AclRow, is_open: bool) -> impl IntoView {
    let context = expect_context::<RoleContext>();
    let AclRow {
        acl,
        status,
        remark,
        failure,
        edited_from,
    } = row;
    let editing = RwSignal::new(false);
    let can_edit = is_open && status != RowStatus::Removed;
    let line = acl::rule(&acl).plain();
    let resource = match acl.resource_type {
        ResourceType::Registry => None,
        _ => Some(acl.resource_name.clone()),
    };
    let host = acl.host.to_string();
    let action = {
        let (acl, line, edited_from) = (acl.clone(), line.clone(), edited_from.clone());
        let (own, id) = (acl.clone(), button_id(&acl));
        let (glyph, label, said, change) = match status {
            RowStatus::Stored => (
                Glyph::Bin,
                format!("Remove ACL {line}"),
                "removed in the draft",
                Change::RemoveAcl(acl),
            ),
            RowStatus::Added if edited_from.is_some() => (
                Glyph::Undo,
                format!("Undo editing {line}"),
                "not edited",
                Change::RemoveAcl(acl),
            ),
            RowStatus::Added => (
                Glyph::Undo,
                format!("Undo adding {line}"),
                "not added",
                Change::RemoveAcl(acl),
            ),
            RowStatus::Removed => (
                Glyph::Undo,
                format!("Undo removing {line}"),
                "kept",
                Change::AddAcl(acl),
            ),
        };
        move || {
            view! {
                <IconButton id=id glyph=glyph label=label on_press=move |()| {
                    if let Some(from) = &edited_from {
                        context.draft.undo_edit(from, &own);
                        dom::announce(&words::acl_edit_undone(&acl::rule(from).plain()));
                        dom::focus_first(vec![button_id(from), "h-acl".into()]);
                        return;
                    }
                    context.draft.add(change.clone());
                    dom::announce(&format!("ACL {line} {said}"));
                    let next = context.acls.with_untracked(|rows| Some(button_id(&neighbor(rows, |row| row.acl == own)?.acl)));
                    focus_row(button_id(&own), next, "h-acl");
                } />
            }
        }
    };
    let select = {
        let (acl, chosen) = (acl.clone(), acl.clone());
        let label = format!("Select ACL {line}");
        move || {
            view! {
                <label class="check-hit">
                    <span class="sr">{label}</span>
                    <input
                        class="check"
                        type="checkbox"
                        prop:checked=move || context.selected.with(|selected| selected.contains(&acl))
                        on:change=move |event| {
                            let is_checked = event_target_checked(&event);
                            context.selected.update(|selected| {
                                if is_checked {
                                    selected.insert(chosen.clone());
                                } else {
                                    selected.remove(&chosen);
                                }
                            });
                        }
                    />
                </label>
            }
        }
    };
    let can_select = is_open && status == RowStatus::Stored;
    view! {
        <tr role="row" class=row_class(status) class:edited=edited_from.is_some()>
            <td role="cell" class="sel">
                {can_select.then(select)}
                <Sign status=status />
            </td>
            <td role="cell" data-l="Type"><Tag>{acl.resource_type.spelling().label}</Tag></td>
            <td role="cell" data-l="Resource">
                {match resource {
                    Some(name) => view! { <ResourceName name=name /> }.into_any(),
                    None => view! { <span class="quiet">"the registry itself"</span> }.into_any(),
                }}
            </td>
            <td role="cell" data-l="Pattern"><span class="pat">{resource_words(&acl)}</span></td>
            <td role="cell" data-l="Operation"><span class="op">{acl.operation.spelling().label}</span></td>
            <td role="cell" data-l="Permission">
                <span class="marks">
                    <PermissionWord permission=acl.permission />
                    {remark.map(|(remark, message)| {
                        // A tooltip has no other type for names.
                        let (words, message) = (remark.label(), message.replace('`', ""));
                        match remark {
                            Remark::Overrides(_) => view! { <Tag {..} title=message>{words}</Tag> }.into_any(),
                            _ => view! { <Tag glyph=Glyph::Warn kind={TagKind::Warn} {..} title=message>{words}</Tag> }.into_any(),
                        }
                    })}
                </span>
                {edited_from.clone().map(|from| view! { <p class="help was">"was " <AclPhrase acl=from /></p> })}
                {not_applied(failure)}
            </td>
            <td role="cell" data-l="Host"><ResourceName name=host /></td>
            <td role="cell" class="act">
                <span class="row acts">
                    {if edited_from.is_some() { edited_word().into_any() } else { sign_word(status).into_any() }}
                    {can_edit.then(|| view! { <EditAcl id=edit_id(&acl) label=format!("Edit ACL {}", acl::rule(&acl).plain()) editing=editing /> })}
                    {is_open.then(action)}
                </span>
            </td>
        </tr>
        {move || editing.get().then(|| view! {
            <AclEditor
                acl=acl.clone()
                editing=editing
                columns=COLUMNS
                on_edited=|new: Acl| dom::focus_first(vec![edit_id(&new), "h-acl".into()])
            />
        })}
    }
}
