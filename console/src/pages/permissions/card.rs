//! The ACLs that apply to one principal, grouped by path.

use std::collections::BTreeSet;

use gbac_analysis::DenyExtent;
use gbac_console_model::address;
use gbac_console_model::draft::edited_to;
use gbac_console_model::permissions::card::{
    AccessSource, Card, Marks, SHOWN, SourceKind, card, group_kept,
};
use gbac_console_model::permissions::{list, matrix};
use gbac_engine::model::{Acl, Permission, Principal, PrincipalType};
use gbac_engine::policy::Change;
use gbac_words::acl;
use gbac_words::common::SUPERUSERS_ALLOWED;
use gbac_words::escape::plain;
use gbac_words::pages::permissions as words;
use gbac_words::phrases::{count, list_up_to as join};
use leptos::prelude::*;

use super::cli_call::CliCall;
use super::delete::Deletion;
use super::frame::Context;
use crate::dom;
use crate::pages::acl_editor::{AclEditor, EditAcl, edit_id};
use crate::pages::link::{AddressLink, RoleLink, WhoCanLink};
use crate::store::draft::Draft;
use crate::ui::{
    AclPhrase, Button, ButtonKind, Glyph, Heads, IconButton, LinkButton, PermissionWord,
    PrincipalName, ResourceName, Table, Tag, TagKind, resource_words,
};

/// The columns of the table.
const COLUMNS: &str = "7";

/// Everything about a principal.
#[component]
pub(super) fn CardView(
    /// Which.
    principal: Principal,
) -> impl IntoView {
    let context = expect_context::<Context>();
    let found = Memo::new_with_compare(
        move |_| Some(card(&context.policy(), &principal)),
        |_, _| true,
    );
    view! {
        <div class="open">
            {move || found.get().map(|card| view! { <Open card=card /> })}
        </div>
    }
}

#[component]
fn Open(card: Card) -> impl IntoView {
    let caption = words::acls_of(&card.principal);
    let name = caption.clone();
    let card = StoredValue::new(card);
    let sources = card.with_value(|card| card.sources.clone());
    let is_empty = sources
        .iter()
        .all(|access| access.acls.is_empty() && access.source != SourceKind::Role);
    let nothing = card.with_value(nothing);
    let sources = sources
        .into_iter()
        .map(|access| view! { <SourceRows access=access card=card /> })
        .collect_view();
    view! {
        {card.with_value(remark).map(|remark| view! { <p>{remark}</p> })}
        <GroupKept card=card />
        <Members card=card />
        {if is_empty {
            view! { <p class="quiet">{nothing}</p> }.into_any()
        } else {
            view! {
                <div class="panel">
                    <Table
                        label=name caption=caption class="cards no-sel"
                        heads=Heads::from(["Resource type", "Resource", "Pattern", "Operation", "Permission", "Host"]).and_unseen("Actions")
                    >
                        {sources}
                    </Table>
                </div>
            }
            .into_any()
        }}
        <Actions card=card />
    }
}

/// What is to be known before reading the rows.
fn remark(card: &Card) -> Option<&'static str> {
    match card.principal.kind() {
        _ if card.is_superuser => Some(SUPERUSERS_ALLOWED),
        PrincipalType::Role if card.is_missing => Some(words::ROLE_MISSING),
        PrincipalType::User if card.principal.is_everyone() => Some(words::ACLS_OF_EVERYONE),
        _ => None,
    }
}

/// Until when those who leave a group keep it.
#[component]
fn GroupKept(card: StoredValue<Card>) -> impl IntoView {
    let service = expect_context::<Context>().service;
    let is_group = card.with_value(|card| card.principal.kind() == PrincipalType::Group);
    is_group.then(|| view! {
        <p class="quiet">{move || group_kept(service.info.with(|info| info.as_ref()?.tokens.max_lifetime))}</p>
    })
}

/// What to say where no ACL reaches somebody.
fn nothing(card: &Card) -> &'static str {
    match card.principal.kind() {
        PrincipalType::Role => words::ROLE_WITHOUT_ACLS,
        _ if card.is_superuser => words::USER_WITHOUT_ACLS,
        _ => words::PRINCIPAL_WITHOUT_ACLS,
    }
}

/// The members of a role.
#[component]
fn Members(card: StoredValue<Card>) -> impl IntoView {
    let members = card.with_value(|card| card.members.clone());
    let more = members.len().saturating_sub(SHOWN);
    (!members.is_empty()).then(|| {
        let names = members.into_iter().take(SHOWN).map(|member| {
            let href = list::ListQuery::one(&member).address();
            view! { <li><AddressLink href=href class="pr"><PrincipalName principal=member /></AddressLink></li> }
        });
        view! {
            <div class="row">
                <b>"Principals"</b>
                <ul class="row names">{names.collect_view()}</ul>
                {(more > 0).then(|| view! { <span class="quiet">{format!("and {more} more")}</span> })}
            </div>
        }
    })
}

/// The rows of one source, the first of them until all are requested.
#[component]
fn SourceRows(access: AccessSource, card: StoredValue<Card>) -> impl IntoView {
    let AccessSource {
        source,
        principal,
        acls,
    } = access;
    let all = RwSignal::new(acls.len() <= SHOWN);
    let number = acls.len();
    let head = match source {
        SourceKind::Direct => {
            let acls = words::direct_acls(number, &principal);
            view! { <b>"Direct"</b> <span>{acls}</span> }.into_any()
        }
        SourceKind::Role => {
            let href = address::role(principal.name());
            let shown = principal.clone();
            view! {
                <b>"Via"</b>
                <RoleLink href=href class="pr"><PrincipalName principal=shown /></RoleLink>
                <span>{if number == 0 { "no ACLs".to_owned() } else { format!("{}, read-only here", count(number, "ACL")) }}</span>
            }
            .into_any()
        }
        SourceKind::Everyone => {
            let href = list::ListQuery::one(&principal).address();
            let shown = principal.clone();
            view! {
                <b>"Via"</b>
                <AddressLink href=href class="pr"><PrincipalName principal=shown /></AddressLink>
                <span>{words::acls_of_everyone(number)}</span>
            }
            .into_any()
        }
    };
    // Deleted here is what names the principal itself; a role's ACLs are changed on its page,
    // unless there is none.
    let is_missing = card.with_value(|card| card.is_missing);
    let deletes =
        source == SourceKind::Direct && (principal.kind() != PrincipalType::Role || is_missing);
    let what = plain(&principal.to_string());
    view! {
        <tbody role="rowgroup">
            <tr role="row" class="g">
                <th role="rowheader" scope="rowgroup" colspan=COLUMNS>
                    <span class="src">
                        {head}
                        {move || (!all.get()).then(|| {
                            let what = what.clone();
                            view! {
                                <LinkButton on_press=move |()| all.set(true)>
                                    {format!("Show all {number}")} <span class="sr">{format!(" of {what}")}</span>
                                </LinkButton>
                            }
                        })}
                    </span>
                </th>
            </tr>
            {move || {
                let shown = if all.get() { acls.len() } else { SHOWN };
                let acls = acls.iter().take(shown);
                acls.map(|acl| view! { <AclRow acl=acl.clone() card=card deletes=deletes /> }).collect_view()
            }}
        </tbody>
    }
}

/// The id of the button that deletes an ACL.
fn button_id(acl: &Acl) -> String {
    format!(
        "del-{}",
        gbac_api::encode::component(&format!("{} {}", acl.principal, acl::rule(acl).plain()))
    )
}

#[component]
fn AclRow(acl: Acl, card: StoredValue<Card>, deletes: bool) -> impl IntoView {
    let draft = expect_context::<Draft>();
    let deletion = expect_context::<RwSignal<Option<Deletion>>>();
    let marks = card.with_value(|card| card.marks(&acl));
    let change = Change::RemoveAcl(acl.clone());
    let staged = Memo::new(move |_| draft.changes.with(|changes| changes.contains(&change)));
    let from = acl.clone();
    let edited = Memo::new(move |_| {
        draft
            .changes
            .with(|changes| edited_to(changes, &from).cloned())
    });
    let editing = RwSignal::new(false);
    let line = acl::rule(&acl).plain();
    let (id, stored) = (button_id(&acl), StoredValue::new(acl.clone()));
    let (shown, words, operation, host) = (
        acl.clone(),
        resource_words(&acl),
        acl.operation.spelling().label,
        acl.host.to_string(),
    );
    let (keep_id, button) = (id.clone(), line.clone());
    view! {
        <tr role="row" class=move || if staged.get() { "del" } else { "" }>
            <td role="cell" data-l="Type"><Tag>{acl.resource_type.spelling().label}</Tag></td>
            <th role="rowheader" scope="row"><WhoCanLink acl=shown /></th>
            <td role="cell" data-l="Pattern"><span class="pat">{words}</span></td>
            <td role="cell" data-l="Operation"><span class="op">{operation}</span></td>
            <td role="cell" data-l="Permission">
                <span class="marks">
                    <PermissionWord permission=acl.permission />
                    <MarkTags marks=marks permission=acl.permission operation=operation />
                    {move || {
                        let word = if edited.read().is_some() { "Edited in draft" } else { "Deleted in draft" };
                        staged.get().then(|| view! { <Tag kind=TagKind::Draft>{word}</Tag> })
                    }}
                </span>
                {move || edited.get().map(|to| view! { <p class="help was">"becomes " <AclPhrase acl=to /></p> })}
            </td>
            <td role="cell" data-l="Host"><ResourceName name=host /></td>
            <td role="cell" class="act">
                {move || deletes.then(|| if staged.get() {
                    let label = if edited.read().is_some() { "Undo editing ACL" } else { "Keep ACL" };
                    view! {
                        <IconButton id=keep_id.clone() glyph=Glyph::Undo label=format!("{label} {button}") on_press=move |()| keep(draft, stored.get_value()) />
                    }
                    .into_any()
                } else {
                    view! {
                        <span class="row acts">
                        <EditAcl id=edit_id(&stored.get_value()) label=format!("Edit ACL {button}") editing=editing />
                        <IconButton id=id.clone() glyph=Glyph::Bin label=format!("Delete ACL {button}") on_press=move |()| {
                            let acl = stored.get_value();
                            deletion.set(Some(Deletion {
                                principal: acl.principal.clone(),
                                focus_after: button_id(&acl),
                                acls: vec![acl],
                            }));
                        } />
                        </span>
                    }
                    .into_any()
                })}
            </td>
        </tr>
        {move || (editing.get() && !staged.get()).then(|| view! {
            <AclEditor
                acl=stored.get_value()
                editing=editing
                columns=COLUMNS
                on_edited=move |_: Acl| dom::focus_first(vec![stored.with_value(button_id), "principals-search".into()])
            />
        })}
    }
}

/// Takes the deletion of an ACL out of the draft.
fn keep(draft: Draft, acl: Acl) {
    let (line, id) = (acl::rule(&acl).plain(), button_id(&acl));
    let to = (draft.changes).with_untracked(|changes| edited_to(changes, &acl).cloned());
    match to {
        Some(to) => draft.undo_edit(&acl, &to),
        None => {
            draft.take_back(&Change::RemoveAcl(acl));
        }
    }
    dom::announce(&format!("ACL {line} stays"));
    dom::focus_later(id);
}

/// What denies take from an allow, or how many allows a deny overrides.
#[component]
fn MarkTags(marks: Marks, permission: Permission, operation: &'static str) -> impl IntoView {
    let Marks {
        denied_by,
        overrides,
    } = marks;
    if permission == Permission::Deny {
        return (overrides > 0).then(|| {
            view! { <Tag>{format!("Overrides {}", count(overrides, "allow"))}</Tag> }.into_any()
        });
    }
    if denied_by.is_empty() {
        return None;
    }
    let has = |of: DenyExtent| denied_by.iter().any(|(_, much)| *much == of);
    let words = if has(DenyExtent::Whole) {
        "Blocked by a deny".to_owned()
    } else if has(DenyExtent::Itself) {
        // What it implies is another operation, which no deny names.
        words::operation_blocked(operation)
    } else {
        let names: BTreeSet<String> = denied_by
            .iter()
            .map(|(deny, _)| blocked_where(deny))
            .collect();
        format!(
            "Blocked {}",
            join(&names.into_iter().collect::<Vec<_>>(), 2)
        )
    };
    Some(view! { <Tag kind=TagKind::Deny glyph=Glyph::Deny>{words}</Tag> }.into_any())
}

/// Where a deny takes something: `on events-pii-`, `from 10.0.0.7`.
fn blocked_where(deny: &Acl) -> String {
    let name = match resource_words(deny) {
        "" => String::new(),
        "all names" => "on all names".into(),
        _ => format!("on {}", plain(&deny.resource_name)),
    };
    match (name.is_empty(), deny.host.to_string().as_str()) {
        (true, "*") => "for some operations".into(),
        (false, "*") => name,
        (true, host) => format!("from {host}"),
        (false, host) => format!("{name} from {host}"),
    }
}

/// What can be done with the principal, and the call that grants to it directly.
#[component]
fn Actions(card: StoredValue<Card>) -> impl IntoView {
    let deletion = expect_context::<RwSignal<Option<Deletion>>>();
    let draft = expect_context::<Draft>();
    let principal = card.with_value(|card| card.principal.clone());
    let is_role = principal.kind() == PrincipalType::Role;
    let is_missing = card.with_value(|card| card.is_missing);
    let href = matrix::MatrixQuery::for_principal(&principal).address();
    let page = (is_role && !is_missing).then(|| address::role(principal.name()));
    let left = Memo::new(move |_| {
        let mut direct = card.with_value(|card| card.direct().to_vec());
        direct.retain(|acl| {
            !draft
                .changes
                .read()
                .contains(&Change::RemoveAcl(acl.clone()))
        });
        direct
    });
    let call = (!is_role).then(|| view! { <CliCall principal=principal.clone() /> });
    view! {
        <div class="row">
            {(!is_missing).then(|| view! { <AddressLink href=href class="btn btn-sm">"Open in matrix"</AddressLink> })}
            {page.map(|page| view! { <RoleLink href=page class="btn btn-sm">"Open the role"</RoleLink> })}
            {move || {
                let acls = left.get();
                ((!is_role || is_missing) && acls.len() > 1).then(|| view! {
                    <Button small=true kind=ButtonKind::Danger glyph=Glyph::Bin on_press=move |()| deletion.set(Some(Deletion {
                        principal: card.with_value(|card| card.principal.clone()),
                        acls: left.get_untracked(),
                        focus_after: "principals-search".to_owned(),
                    }))>{format!("Delete all {}", count(acls.len(), "direct ACL"))}</Button>
                })
            }}
        </div>
        {call}
    }
}
