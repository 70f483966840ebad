//! The ACLs of a role, one row each, with the pattern in words.

use gbac_engine::model::{Acl, ResourceType};
use gbac_engine::policy::Change;
use leptos::prelude::*;

use super::RoleContext;
use super::failed::{FailedLine, Progress, row_class};
use super::remove::Removal;
use crate::dom;
use crate::state::escape::plain;
use crate::state::role::{AclRow, Standing};
use crate::state::words::{acl_line, count};
use crate::ui::{Button, Empty, Glyph, IconButton, PermissionWord, ResourceName, Tag, TagKind, resource_words};

/// The section. `adding` says whether the form beside it is open.
#[component]
pub(super) fn Acls(adding: RwSignal<bool>) -> impl IntoView {
    let context = expect_context::<RoleContext>();
    let number = move || context.acls.with(Vec::len);
    let is_empty = Memo::new(move |_| number() == 0);
    let name = context.name.get_value();
    let table = move || {
        view! {
            <div class="panel flat">
                <div class="scroll" tabindex="0" role="region" aria-label="ACL table">
                    <table class="t fold cards no-sel" role="table">
                        <caption class="sr">{format!("ACLs of role {}", plain(&name))}</caption>
                        <thead role="rowgroup">
                            <tr role="row">
                                <th role="columnheader" scope="col">"Resource type"</th>
                                <th role="columnheader" scope="col">"Resource"</th>
                                <th role="columnheader" scope="col">"Pattern"</th>
                                <th role="columnheader" scope="col">"Operation"</th>
                                <th role="columnheader" scope="col">"Permission"</th>
                                <th role="columnheader" scope="col">"Host"</th>
                                <th role="columnheader" scope="col"><span class="sr">"Actions"</span></th>
                            </tr>
                        </thead>
                        <tbody role="rowgroup">
                            <For each=move || context.acls.get() key=AclRow::clone let:row>
                                <Row row=row />
                            </For>
                        </tbody>
                    </table>
                </div>
            </div>
        }
    };
    view! {
        <section class="section" aria-labelledby="h-acl">
            <div class="row">
                <h2 id="h-acl" tabindex="-1">"ACLs"</h2>
                <span class="count">{move || count(number(), "row")}</span>
                <span class="row row-end">
                    <Button
                        id="add-acl-open"
                        glyph=Glyph::Plus
                        on_press=move |()| {
                            adding.set(true);
                            dom::focus_later("acl-type");
                        }
                        {..}
                        aria-expanded=move || if adding.get() { "true" } else { "false" }
                        aria-controls="add-acl"
                    >
                        "Add ACL"
                    </Button>
                </span>
            </div>
            {move || if is_empty.get() {
                view! {
                    <div class="panel flat">
                        <Empty glyph=Glyph::NoRule title="No ACLs yet" level=3>
                            <p>"Whoever has this role gets nothing through it until an ACL is added."</p>
                        </Empty>
                    </div>
                }
                .into_any()
            } else {
                table().into_any()
            }}
        </section>
    }
}

/// The id of the button that removes an ACL, made of what is in it.
fn button_id(acl: &Acl) -> String {
    format!("rm-{}", gbac_api::encode::component(&acl_line(acl)))
}

#[component]
fn Row(row: AclRow) -> impl IntoView {
    let context = expect_context::<RoleContext>();
    let AclRow { acl, standing } = row;
    let change = match standing {
        Standing::Stored => Change::RemoveAcl(acl.clone()),
        Standing::Added => Change::AddAcl(acl.clone()),
    };
    let progress = context.progress(change.clone());
    let (retried, dropped) = (change.clone(), change);
    let line = acl_line(&acl);
    let word = if standing == Standing::Stored { "Not removed" } else { "Not added" };
    let resource = match acl.resource_type {
        ResourceType::Registry => None,
        _ => Some(acl.resource_name.clone()),
    };
    let id = button_id(&acl);
    let host = acl.host.to_string();
    let asked = acl.clone();
    let remove = move |()| {
        let focus_after = context.acls.with(|rows| {
            let place = rows.iter().position(|row| row.acl == asked).unwrap_or_default();
            let next = rows.get(place + 1).or_else(|| place.checked_sub(1).and_then(|before| rows.get(before)));
            next.map(|row| button_id(&row.acl)).into_iter().chain(["h-acl".to_owned()]).collect()
        });
        context.removal.set(Some(Removal::Acl { acl: asked.clone(), focus_after }));
    };
    let described = line.clone();
    let what = format!("ACL {line}");
    let retry = move |()| {
        let done = if matches!(retried, Change::AddAcl(_)) { "added" } else { "removed" };
        context.send(retried.clone(), done, format!("ACL {described}"), || dom::focus_later("h-acl"));
    };
    view! {
        <tr role="row" class=move || row_class(&progress.get())>
            <td role="cell" data-l="Type"><Tag>{acl.resource_type.spelling().words}</Tag></td>
            <td role="cell" data-l="Resource">
                {match resource {
                    Some(name) => view! { <ResourceName name=name /> }.into_any(),
                    None => view! { <span class="quiet">"the registry itself"</span> }.into_any(),
                }}
            </td>
            <td role="cell" data-l="Pattern"><span class="pat">{resource_words(&acl)}</span></td>
            <td role="cell" data-l="Operation"><span class="op">{acl.operation.spelling().words}</span></td>
            <td role="cell" data-l="Permission">
                <span class="marks">
                    <PermissionWord permission=acl.permission />
                    {(standing == Standing::Added).then(|| view! { <Tag kind=TagKind::Draft>"Not on the service"</Tag> })}
                </span>
            </td>
            <td role="cell" data-l="Host"><ResourceName name=host /></td>
            <td role="cell" class="act">
                {(standing == Standing::Stored).then(|| view! {
                    <IconButton
                        id=id
                        glyph=Glyph::Bin
                        label=format!("Remove ACL {line}")
                        busy=Signal::derive(move || progress.get() == Progress::Sending)
                        on_press=remove
                    />
                })}
            </td>
        </tr>
        <FailedLine progress=progress word=word what=what columns=7 on_retry=retry on_drop=move |()| {
            context.attempts.drop_change(&dropped);
            dom::focus_later("h-acl");
        } />
    }
}
