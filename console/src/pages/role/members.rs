//! The principals of a role, and the form that adds one.

use gbac_engine::model::PrincipalType;
use gbac_engine::policy::Change;
use leptos::prelude::*;

use super::RoleContext;
use super::failed::{FailedLine, Progress, row_class};
use super::remove::Removal;
use crate::dom;
use crate::state::escape::plain;
use crate::state::member::{MemberDraft, Reading};
use crate::state::role::{MemberRow, Standing};
use crate::state::words::{count, list};
use crate::ui::{
    Button, Choice, Empty, Field, Glyph, Icon, IconButton, IconSize, LinkButton, PrincipalName, Segmented, Tag,
    TagKind, Words,
};

/// The section.
#[component]
pub(super) fn Members() -> impl IntoView {
    let context = expect_context::<RoleContext>();
    let number = move || context.members.with(Vec::len);
    let is_empty = Memo::new(move |_| number() == 0);
    let name = context.name.get_value();
    let table = move || {
        view! {
            <div class="scroll t-line" tabindex="0" role="region" aria-label="Principal table">
            <table class="t fold cards no-sel" role="table">
                <caption class="sr">{format!("Principals of role {}", plain(&name))}</caption>
                <thead role="rowgroup">
                    <tr role="row">
                        <th role="columnheader" scope="col">"Type"</th>
                        <th role="columnheader" scope="col">"Name"</th>
                        <th role="columnheader" scope="col">"Also in"</th>
                        <th role="columnheader" scope="col"><span class="sr">"Actions"</span></th>
                    </tr>
                </thead>
                <tbody role="rowgroup">
                    <For each=move || context.members.get() key=MemberRow::clone let:row>
                        <Row row=row />
                    </For>
                </tbody>
            </table>
            </div>
        }
    };
    view! {
        <section class="section" aria-labelledby="h-members">
            <div class="row">
                <h2 id="h-members" tabindex="-1">"Principals"</h2>
                <span class="count">{move || count(number(), "row")}</span>
            </div>
            <div class="panel flat">
                <AddMember />
                {move || if is_empty.get() {
                    view! {
                        <div class="t-line">
                            <Empty glyph=Glyph::Group title="Nobody has this role yet" level=3>
                                <p>"Add a user, or an IdP group: whoever has it in the token then has the role."</p>
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
    let fresh = MemberDraft { kind: PrincipalType::Group, text: String::new() };
    let draft = RwSignal::new(fresh);
    let sent = RwSignal::new(false);
    let reading = Memo::new(move |_| {
        context.service.policy.with(|policy| {
            policy.as_ref().map_or(Reading { stored: None, error: None, offer: None }, |policy| {
                draft.with(|draft| draft.read(policy, &context.name.get_value()))
            })
        })
    });
    let error = Signal::derive(move || {
        let missing = || {
            sent.get().then(|| "Type a name".to_owned()).filter(|_| reading.with(|reading| reading.stored.is_none()))
        };
        reading.with(|reading| reading.error.clone()).or_else(missing)
    });
    let described = Signal::derive(move || {
        reading.with(|reading| {
            let wrong = error.get().is_some();
            let shown = [
                (wrong, "member-error"),
                (reading.stored.is_some() && !wrong, "member-stored"),
                (reading.offer.is_some(), "member-offer"),
            ];
            shown.into_iter().filter(|(shown, _)| *shown).map(|(_, id)| id).collect::<Vec<_>>().join(" ")
        })
    });
    let add = move || {
        sent.set(true);
        let Reading { stored: Some(member), error: None, .. } = reading.get_untracked() else {
            dom::focus("member-name");
            return;
        };
        let what = plain(&member.to_string());
        let change = Change::AddMember { role: context.name.get_value(), member };
        // A failed one stands in the table with its reason, so the field is free for the next.
        draft.update(|draft| draft.text.clear());
        sent.set(false);
        context.send(change, "added", what, || ());
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
                value=Signal::derive(move || draft.with(|draft| draft.kind.prefix().to_owned()))
                choices=vec![Choice::new("User", "User"), Choice::new("Group", "Group")]
                on_change=move |kind: String| {
                    let kind = if kind == "User" { PrincipalType::User } else { PrincipalType::Group };
                    draft.update(|draft| *draft = draft.with_kind(kind));
                }
            />
            <div class="grow">
                <Field
                    id="member-name"
                    label="Name, or paste Group:name"
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
            {move || reading.get().offer.map(|offer| {
                let meant = offer.principal.clone();
                let shown = offer.principal.clone();
                view! {
                    <p class="msg msg-warn" id="member-offer">
                        <Icon glyph=Glyph::Warn size=IconSize::Small />
                        <span>
                            <Words text=offer.reason /> ". "
                            <LinkButton on_press=move |()| {
                                draft.set(MemberDraft { kind: meant.kind(), text: meant.to_string() });
                                dom::focus("member-name");
                            }>"Use " <PrincipalName principal=shown /></LinkButton>
                        </span>
                    </p>
                }
            })}
        </div>
    }
}

/// The id of the button that removes a member.
fn button_id(row: &MemberRow) -> String {
    format!("rm-{}", gbac_api::encode::component(&row.principal.to_string()))
}

#[component]
fn Row(row: MemberRow) -> impl IntoView {
    let context = expect_context::<RoleContext>();
    let role = context.name.get_value();
    let member = row.principal.clone();
    let change = match row.standing {
        Standing::Stored => Change::RemoveMember { role, member },
        Standing::Added => Change::AddMember { role, member },
    };
    let progress = context.progress(change.clone());
    let (retried, dropped) = (change.clone(), change);
    let word = if row.standing == Standing::Stored { "Not removed" } else { "Not added" };
    let glyph = match row.principal.kind() {
        PrincipalType::User => Glyph::User,
        PrincipalType::Group => Glyph::Group,
        PrincipalType::Role => Glyph::Role,
    };
    let shown: Vec<String> = row.other_roles.iter().map(|name| plain(name)).collect();
    let also = match (row.other_roles.as_slice(), row.direct_acls) {
        ([], 0) => "no other role".to_owned(),
        ([], direct) => format!("no other role, {}", count(direct, "direct ACL")),
        (_, 0) => list(&shown, 3),
        (_, direct) => format!("{}, and {}", list(&shown, 3), count(direct, "direct ACL")),
    };
    let text = plain(&row.principal.to_string());
    let label = format!("Remove {text}");
    let (id, standing, principal, kind) =
        (button_id(&row), row.standing, row.principal.clone(), row.principal.kind().prefix());
    let remove = move |()| {
        let focus_after = context.members.with(|rows| {
            let place = rows.iter().position(|other| *other == row).unwrap_or_default();
            let next = rows.get(place + 1).or_else(|| place.checked_sub(1).and_then(|before| rows.get(before)));
            next.map(button_id).into_iter().chain(["h-members".to_owned()]).collect()
        });
        context.removal.set(Some(Removal::Member { row: row.clone(), focus_after }));
    };
    let what = text.clone();
    let retry = move |()| {
        let done = if matches!(retried, Change::AddMember { .. }) { "added" } else { "removed" };
        context.send(retried.clone(), done, text.clone(), || dom::focus_later("h-members"));
    };
    view! {
        <tr role="row" class=move || row_class(&progress.get())>
            <td role="cell" data-l="Type"><Tag glyph=glyph>{kind}</Tag></td>
            <th role="rowheader" scope="row"><PrincipalName principal=principal /></th>
            <td role="cell" data-l="Also in">
                <span class="marks">
                    <span class="quiet brk">{also}</span>
                    {(standing == Standing::Added).then(|| view! { <Tag kind=TagKind::Draft>"Not on the service"</Tag> })}
                </span>
            </td>
            <td role="cell" class="act">
                {(standing == Standing::Stored).then(|| view! {
                    <IconButton
                        id=id
                        glyph=Glyph::Bin
                        label=label
                        busy=Signal::derive(move || progress.get() == Progress::Sending)
                        on_press=remove
                    />
                })}
            </td>
        </tr>
        <FailedLine progress=progress word=word what=what columns=4 on_retry=retry on_drop=move |()| {
            context.attempts.drop_change(&dropped);
            dom::focus_later("h-members");
        } />
    }
}
