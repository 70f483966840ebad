//! The table of a role's ACLs.

use gbac_console_model::role::preset::AclPreset;
use gbac_console_model::role::{AclRow, Remark, RowStatus};
use gbac_engine::model::{Acl, ResourceType};
use gbac_engine::policy::Change;
use gbac_words::acl;
use gbac_words::escape::plain;
use gbac_words::pages::role as words;
use leptos::prelude::*;

use super::context::{RoleContext, Sign, row_class, rows_words, sign_word};
use crate::dom;
use crate::ui::{
    Button, ButtonKind, Empty, Glyph, Heads, IconButton, Message, MessageKind, PermissionWord,
    ResourceName, Table, Tag, TagKind, Words, resource_words,
};

/// The section. `adding` says whether the form beside it is open; without `is_open` nothing can be
/// edited.
#[component]
pub(super) fn Acls(adding: RwSignal<bool>, is_open: bool) -> impl IntoView {
    let context = expect_context::<RoleContext>();
    let is_empty = Memo::new(move |_| context.acls.with(Vec::is_empty));
    let words = move || {
        context
            .acls
            .with(|rows| rows_words(rows.iter().map(|row| row.status)))
    };
    // What was selected and is no row any more does not count.
    let selected = Memo::new(move |_| {
        context.selected.with(|selected| {
            let is_selected =
                |row: &&AclRow| row.status != RowStatus::Removed && selected.contains(&row.acl);
            context.acls.with(|rows| {
                rows.iter()
                    .filter(is_selected)
                    .map(|row| row.acl.clone())
                    .collect::<Vec<_>>()
            })
        })
    });
    let number = move || selected.with(Vec::len);
    let remove_selected = move |()| {
        let gone = context
            .draft
            .add_all(selected.get_untracked().into_iter().map(Change::RemoveAcl));
        context.selected.update(std::collections::BTreeSet::clear);
        dom::announce(&words::acls_removed(gone));
        dom::focus_later("h-acl");
    };
    view! {
        <section class="section" aria-labelledby="h-acl">
            <div class="row">
                <h2 id="h-acl" tabindex="-1">"ACLs"</h2>
                <span class="count">{words}</span>
                {is_open.then(|| view! {
                    <span class="row row-end">
                        {move || (number() > 0).then(|| view! {
                            <Button kind=ButtonKind::Danger glyph=Glyph::Bin on_press=remove_selected>
                                {move || format!("Delete selected ({})", number())}
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

#[component]
fn AclTable(is_open: bool) -> impl IntoView {
    let context = expect_context::<RoleContext>();
    let name = context.name.get_value();
    let open_rows = move || {
        let is_open = |row: &&AclRow| row.status != RowStatus::Removed;
        context.acls.with(|rows| {
            rows.iter()
                .filter(is_open)
                .map(|row| row.acl.clone())
                .collect::<Vec<_>>()
        })
    };
    let all = Memo::new(move |_| {
        let rows = open_rows();
        !rows.is_empty()
            && context
                .selected
                .with(|selected| rows.iter().all(|acl| selected.contains(acl)))
    });
    let some = Memo::new(move |_| {
        !all.get()
            && context
                .selected
                .with(|selected| open_rows().iter().any(|acl| selected.contains(acl)))
    });
    let select_all = move |_| {
        let rows = open_rows();
        let is_all = all.get_untracked();
        context.selected.update(|selected| {
            selected.clear();
            if !is_all {
                selected.extend(rows);
            }
        });
    };
    let first = view! {
        <th role="columnheader" scope="col" class="sel">
            {is_open.then(|| view! {
                <label class="check-hit">
                    <span class="sr">"Select all ACLs"</span>
                    <input class="check" type="checkbox" prop:checked=move || all.get()
                        prop:indeterminate=move || some.get() on:change=select_all />
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
    } = row;
    let line = acl::rule(&acl).plain();
    let resource = match acl.resource_type {
        ResourceType::Registry => None,
        _ => Some(acl.resource_name.clone()),
    };
    let host = acl.host.to_string();
    // Where the row itself goes its neighbour gets focus, else its own button, which is another one
    // then.
    let focus_after = {
        let acl = acl.clone();
        move || {
            let next = context.acls.with_untracked(|rows| {
                let place = rows
                    .iter()
                    .position(|row| row.acl == acl)
                    .unwrap_or_default();
                let next = rows
                    .get(place + 1)
                    .or_else(|| place.checked_sub(1).and_then(|before| rows.get(before)));
                next.map(|row| button_id(&row.acl))
            });
            dom::focus_first(
                [button_id(&acl)]
                    .into_iter()
                    .chain(next)
                    .chain(["h-acl".to_owned()])
                    .collect(),
            );
        }
    };
    let action = {
        let (acl, line) = (acl.clone(), line.clone());
        let id = button_id(&acl);
        let (glyph, label, said, change) = match status {
            RowStatus::Stored => (
                Glyph::Bin,
                format!("Remove ACL {line}"),
                "removed in the draft",
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
        let press = move |()| {
            let focus = focus_after.clone();
            context.draft.add(change.clone());
            dom::announce(&format!("ACL {line} {said}"));
            focus();
        };
        move || view! { <IconButton id=id.clone() glyph=glyph label=label.clone() on_press=press.clone() /> }
    };
    let select = {
        let (acl, chosen) = (acl.clone(), acl.clone());
        let label = format!("Select ACL {line}");
        move || {
            let (acl, chosen) = (acl.clone(), chosen.clone());
            view! {
                <label class="check-hit">
                    <span class="sr">{label.clone()}</span>
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
        <tr role="row" class=row_class(status)>
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
                        let words = remark.label();
                        match remark {
                            Remark::Overrides(_) => view! { <Tag {..} title=message>{words}</Tag> }.into_any(),
                            _ => view! { <Tag glyph=Glyph::Warn kind={TagKind::Warn} {..} title=message>{words}</Tag> }.into_any(),
                        }
                    })}
                </span>
                {failure.map(|text| view! { <Message kind=MessageKind::Error>"Not applied: " <Words text=text /></Message> })}
            </td>
            <td role="cell" data-l="Host"><ResourceName name=host /></td>
            <td role="cell" class="act">
                <span class="row acts">
                    {sign_word(status).map(|word| view! { <span class="sign-w">{word}</span> })}
                    {is_open.then(action)}
                </span>
            </td>
        </tr>
    }
}
