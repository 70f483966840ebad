//! The table of a role's principals, and the form that adds one.

use std::sync::Arc;

use gbac_console_model::role::members::{MemberDraft, MemberPreview};
use gbac_console_model::role::{MemberRow, RowStatus};
use gbac_engine::model::{Principal, PrincipalType};
use gbac_engine::policy::{Change, Policy};
use gbac_words::escape::plain;
use gbac_words::pages::role as words;
use gbac_words::phrases::{count, list_up_to};
use leptos::prelude::*;

use super::context::{RoleContext, Sign, row_class, rows_words, sign_word};
use crate::dom;
use crate::store::service::Service;
use crate::ui::{
    Button, Choice, Empty, Field, Glyph, Heads, Icon, IconButton, IconSize, LinkButton, Message,
    MessageKind, PrincipalName, Segmented, Table, Tag, Words,
};

/// The section; without `is_open` nothing can be edited.
#[component]
pub(super) fn Members(is_open: bool) -> impl IntoView {
    let context = expect_context::<RoleContext>();
    let is_empty = Memo::new(move |_| context.members.with(Vec::is_empty));
    let words = move || {
        context
            .members
            .with(|rows| rows_words(rows.iter().map(|row| row.status)))
    };
    let name = context.name.get_value();
    let table = move || {
        view! {
            <Table
                label="Principal table" caption=format!("Principals of role {}", plain(&name)) class="cards" line=true
                heads=Heads::default().and_unseen("Draft").and(["Type", "Name", "Also in"]).and_unseen("Actions")
            >
                <tbody role="rowgroup">
                    <For each=move || context.members.get() key=MemberRow::clone let:row>
                        <Row row=row is_open=is_open />
                    </For>
                </tbody>
            </Table>
        }
    };
    view! {
        <section class="section" aria-labelledby="h-members">
            <div class="row">
                <h2 id="h-members" tabindex="-1">"Principals"</h2>
                <span class="count">{words}</span>
            </div>
            <div class="panel flat">
                {is_open.then(|| view! { <AddMember /> })}
                {move || if is_empty.get() {
                    view! {
                        <div class="t-line">
                            <Empty glyph=Glyph::Group title="No members yet" level=3>
                                <p>{words::NO_MEMBERS}</p>
                            </Empty>
                        </div>
                    }
                    .into_any()
                } else {
                    table().into_any()
                }}
            </div>
        </section>
    }
}

#[component]
fn AddMember() -> impl IntoView {
    let context = expect_context::<RoleContext>();
    let service = expect_context::<Service>();
    let draft = RwSignal::new(MemberDraft::new(PrincipalType::Group));
    let sent = RwSignal::new(false);
    let reading = Memo::new(move |_| {
        let read = |policy: &Signal<Option<Arc<Policy>>>| {
            policy.with(|policy| {
                let role = context.name.get_value();
                policy
                    .as_ref()
                    .map(|policy| draft.with(|draft| draft.read(policy, &role)))
            })
        };
        let mut reading = read(&context.draft.after).unwrap_or_else(MemberPreview::empty);
        // What is almost a name that the draft takes away is worth a look, too.
        if reading.error.is_none() && reading.offer.is_none() {
            reading.offer = read(&service.policy)
                .filter(|before| before.error.is_none())
                .and_then(|before| before.offer);
        }
        reading
    });
    let error = Signal::derive(move || {
        let missing = || {
            sent.get()
                .then(|| "Enter a name".to_owned())
                .filter(|_| reading.with(|reading| reading.stored.is_none()))
        };
        reading
            .with(|reading| reading.error.clone())
            .or_else(missing)
    });
    let described = Signal::derive(move || {
        reading.with(|reading| {
            let wrong = error.get().is_some();
            let shown = [
                (wrong, "member-error"),
                (reading.stored.is_some() && !wrong, "member-stored"),
                (reading.offer.is_some(), "member-offer"),
                (!reading.remarks.is_empty() && !wrong, "member-remarks"),
            ];
            shown
                .into_iter()
                .filter(|(shown, _)| *shown)
                .map(|(_, id)| id)
                .collect::<Vec<_>>()
                .join(" ")
        })
    });
    let add = move || {
        sent.set(true);
        let MemberPreview {
            stored: Some(member),
            error: None,
            ..
        } = reading.get_untracked()
        else {
            dom::focus("member-name");
            return;
        };
        let said = words::member_added(&member);
        let change = Change::AddMember {
            role: context.name.get_value(),
            member,
        };
        context.draft.add(change);
        // It stands in the table, so the field is free for the next.
        draft.update(|draft| *draft = draft.next());
        sent.set(false);
        dom::announce(&said);
        dom::focus("member-name");
    };
    view! {
        <form
            class="add-member"
            aria-label="Add a principal"
            on:submit=move |event| {
                event.prevent_default();
                add();
            }
        >
            <Segmented
                name="member-type"
                legend="Type"
                value=Signal::derive(move || draft.with(|draft| draft.kind().prefix().to_owned()))
                choices=vec![Choice::new("User", "User"), Choice::new("Group", "Group")]
                on_change=move |kind: String| {
                    let kind = if kind == "User" { PrincipalType::User } else { PrincipalType::Group };
                    draft.update(|draft| *draft = draft.with_kind(kind));
                }
            />
            <div class="grow">
                <Field
                    id="member-name"
                    label=words::MEMBER_NAME
                    mono=true
                    value=Signal::derive(move || draft.with(|draft| draft.text.clone()))
                    on_input=move |text| {
                        sent.set(false);
                        draft.update(|draft| *draft = draft.with_text(text));
                    }
                    invalid=Signal::derive(move || error.get().is_some())
                    described_by=described
                />
            </div>
            <Button submit=true>"Add principal"</Button>
        </form>
        <div class="under-form">
            {move || error.get().map(|text| view! {
                <p class="msg msg-err" id="member-error"><Icon glyph=Glyph::Deny size=IconSize::Small /><span><Words text=text /></span></p>
            })}
            {move || reading.get().stored.filter(|_| error.get().is_none()).map(|stored| view! {
                <p class="help stored" id="member-stored">"Will be stored as " <PrincipalName principal=stored /></p>
            })}
            {move || {
                let remarks = reading.with(|reading| reading.remarks.clone());
                (!remarks.is_empty() && error.get().is_none()).then(|| view! {
                    <div id="member-remarks">
                        {remarks.into_iter().map(|text| view! { <Message kind=MessageKind::Warn><Words text=text /> "."</Message> }).collect_view()}
                    </div>
                })
            }}
            {move || reading.get().offer.map(|offer| {
                let meant = offer.principal.clone();
                let shown = offer.principal.clone();
                view! {
                    <p class="msg msg-warn" id="member-offer">
                        <Icon glyph=Glyph::Warn size=IconSize::Small />
                        <span>
                            <Words text=offer.reason /> ". "
                            <LinkButton on_press=move |()| {
                                draft.update(|draft| *draft = draft.with_text(meant.to_string()));
                                dom::focus("member-name");
                            }>"Use " <PrincipalName principal=shown /></LinkButton>
                        </span>
                    </p>
                }
            })}
        </div>
    }
}

/// The id of the button of a member's row.
fn button_id(principal: &Principal) -> String {
    format!(
        "act-{}",
        gbac_api::encode::component(&principal.to_string())
    )
}

#[component]
fn Row(row: MemberRow, is_open: bool) -> impl IntoView {
    let context = expect_context::<RoleContext>();
    let MemberRow {
        principal,
        status,
        other_roles,
        direct_acls,
        remarks,
        failure,
    } = row;
    let glyph = match principal.kind() {
        PrincipalType::User | PrincipalType::Other => Glyph::User,
        PrincipalType::Group => Glyph::Group,
        PrincipalType::Role => Glyph::Role,
    };
    let shown: Vec<String> = other_roles.iter().map(|name| plain(name)).collect();
    let also = match (other_roles.as_slice(), direct_acls) {
        ([], 0) => "no other role".to_owned(),
        ([], direct) => format!("no other role, {}", count(direct, "direct ACL")),
        (_, 0) => list_up_to(&shown, 3),
        (_, direct) => format!(
            "{}, and {}",
            list_up_to(&shown, 3),
            count(direct, "direct ACL")
        ),
    };
    let text = plain(&principal.to_string());
    let role = context.name.get_value();
    let member = principal.clone();
    let remove = Change::RemoveMember {
        role: role.clone(),
        member: member.clone(),
    };
    let (sign, label, said, change) = match status {
        RowStatus::Stored => (
            Glyph::Bin,
            format!("Remove {text}"),
            "removed in the draft",
            remove,
        ),
        RowStatus::Added => (
            Glyph::Undo,
            format!("Undo adding {text}"),
            "not added",
            remove,
        ),
        RowStatus::Removed => (
            Glyph::Undo,
            format!("Undo removing {text}"),
            "kept",
            Change::AddMember {
                role,
                member: member.clone(),
            },
        ),
    };
    let press = move |()| {
        // Where the row itself goes its neighbour gets focus, else its own button, which is another
        // one then.
        let next = context.members.with_untracked(|rows| {
            let place = rows
                .iter()
                .position(|row| row.principal == member)
                .unwrap_or_default();
            let next = rows
                .get(place + 1)
                .or_else(|| place.checked_sub(1).and_then(|before| rows.get(before)));
            next.map(|row| button_id(&row.principal))
        });
        let ids = [button_id(&member)]
            .into_iter()
            .chain(next)
            .chain(["h-members".to_owned()])
            .collect();
        context.draft.add(change.clone());
        dom::announce(&format!("{text} {said}"));
        dom::focus_first(ids);
    };
    let (id, kind) = (button_id(&principal), principal.kind().prefix());
    view! {
        <tr role="row" class=row_class(status)>
            <td role="cell" class="sel"><span class="sign-h"><Sign status=status /></span></td>
            <td role="cell" data-l="Type"><Tag glyph=glyph>{kind}</Tag></td>
            <th role="rowheader" scope="row"><PrincipalName principal=principal /></th>
            <td role="cell" data-l="Also in">
                <span class="quiet brk">{also}</span>
                {remarks.into_iter().map(|text| view! { <Message kind=MessageKind::Warn><Words text=text /> "."</Message> }).collect_view()}
                {failure.map(|text| view! { <Message kind=MessageKind::Error>"Not applied: " <Words text=text /></Message> })}
            </td>
            <td role="cell" class="act">
                <span class="row acts">
                    {sign_word(status).map(|word| view! { <span class="sign-w">{word}</span> })}
                    {is_open.then(|| view! { <IconButton id=id glyph=sign label=label on_press=press /> })}
                </span>
            </td>
        </tr>
    }
}
