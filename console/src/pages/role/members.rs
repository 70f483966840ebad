//! The table of a role's principals, and the form that adds one.

use gbac_console_model::role::members::{
    MemberDraft, MemberPreview, TypedMembers, with_pasted_lines,
};
use gbac_console_model::role::{MemberRow, RowStatus};
use gbac_engine::model::{Principal, PrincipalType};
use gbac_engine::policy::Change;
use gbac_words::escape::plain;
use gbac_words::pages::role as words;
use gbac_words::phrases::{count, list_up_to};
use leptos::prelude::*;

use super::context::{
    RoleContext, Sign, focus_row, neighbor, not_applied, row_class, rows_words, sign_word,
};
use crate::dom;
use crate::store::service::Service;
use crate::ui::{
    Button, Choice, Empty, Field, Glyph, Heads, Icon, IconButton, IconSize, LinkButton, Message,
    MessageKind, PrincipalName, Segmented, Table, Tag, Words,
};

/// How many names and messages of a list are shown.
const NAMED: usize = 10;

/// The section; without `is_open` nothing can be edited.
#[component]
pub(super) fn Members(is_open: bool) -> impl IntoView {
    let context = expect_context::<RoleContext>();
    let is_empty = Memo::new(move |_| context.members.with(Vec::is_empty));
    let name = context.name.get_value();
    view! {
        <section class="section" aria-labelledby="h-members">
            <div class="row">
                <h2 id="h-members" tabindex="-1">"Principals"</h2>
                <span class="count">{move || rows_words(context.members.read().iter().map(|row| row.status), 0)}</span>
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
                    .into_any()
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
        let role = context.name.get_value();
        let mut reading = match context.draft.after() {
            Some(after) => draft.with(|draft| draft.read(&after, &role)),
            None => MemberPreview::empty(),
        };
        // What is almost a name that the draft takes away is worth a look, too.
        if reading.error.is_none()
            && reading.offer.is_none()
            && let Some(before) = service.policy.get()
        {
            let before = draft.with(|draft| draft.read(&before, &role));
            if before.error.is_none() {
                reading.offer = before.offer;
            }
        }
        reading
    });
    let list = Memo::new(move |_| {
        let after = context.draft.after()?;
        draft.with(|draft| draft.list(&after, &context.name.get_value()))
    });
    // It stands in the table, so the field is free for the next.
    let added = Callback::new(move |()| {
        draft.update(|draft| *draft = draft.next());
        sent.set(false);
        dom::focus("member-name");
    });
    let error = Signal::derive(move || {
        if list.read().is_some() {
            return None;
        }
        let reading = reading.read();
        if reading.error.is_none() && reading.stored.is_none() && sent.get() {
            return Some("Enter a name".to_owned());
        }
        reading.error.clone()
    });
    let described = Signal::derive(move || {
        if list.read().is_some() {
            return "member-list".to_owned();
        }
        let reading = reading.read();
        let mut ids = Vec::new();
        let is_wrong = error.read().is_some();
        if is_wrong {
            ids.push("member-error");
        } else if reading.stored.is_some() {
            ids.push("member-stored");
        }
        if reading.offer.is_some() {
            ids.push("member-offer");
        }
        if !is_wrong && !reading.remarks.is_empty() {
            ids.push("member-remarks");
        }
        ids.join(" ")
    });
    view! {
        <form
            class="add-member"
            aria-label="Add a principal"
            on:submit=move |event| {
                event.prevent_default();
                sent.set(true);
                if list.read_untracked().is_some() {
                    dom::focus_first(vec!["member-each".into(), "member-one".into()]);
                    return;
                }
                if let MemberPreview { stored: Some(member), error: None, .. } = reading.get_untracked() {
                    add(context, vec![member]);
                    added.run(());
                }
                dom::focus("member-name");
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
                    described_by=described
                    invalid=Signal::derive(move || error.get().is_some())
                    {..}
                    on:paste=move |event| {
                        let Some(lines) = dom::pasted_lines(&event) else { return };
                        event.prevent_default();
                        sent.set(false);
                        draft.update(|draft| *draft = draft.with_text(with_pasted_lines(&draft.text, &lines)));
                    }
                />
            </div>
            <Button submit=true>"Add principal"</Button>
        </form>
        {move || list.get().map(|list| several(context, list, reading, added))}
        <div class="under-form" hidden=move || list.read().is_some()>
            {move || error.get().map(|text| view! {
                <p class="msg msg-err" id="member-error"><Icon glyph=Glyph::Deny size=IconSize::Small /><span><Words text=text /></span></p>
            })}
            {move || {
                let stored = reading.get().stored?;
                error.read().is_none().then(|| view! {
                    <p class="help stored" id="member-stored">"Will be stored as " <PrincipalName principal=stored /></p>
                })
            }}
            {move || {
                let found = reading.with(|reading| reading.remarks.clone());
                (!found.is_empty() && error.read().is_none()).then(|| view! { <div id="member-remarks">{remarks(found)}</div> })
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

/// Asks whether what was typed is several names or one.
fn several(
    context: RoleContext,
    list: TypedMembers,
    reading: Memo<MemberPreview>,
    added: Callback<()>,
) -> impl IntoView {
    let TypedMembers {
        members,
        refused,
        remarks: found,
    } = list;
    let each = (!members.is_empty()).then(|| {
        let (label, rest) = (
            words::add_members(members.len()),
            members.len().saturating_sub(NAMED),
        );
        let mut names = Vec::new();
        for (place, member) in members.iter().take(NAMED).enumerate() {
            let comma = (place > 0).then_some(", ");
            names.push(view! { {comma} <PrincipalName principal=member.clone() /> });
        }
        let rest = (rest > 0).then(|| format!(" and {rest} more"));
        view! {
            <p class="row">
                <Button id="member-each" small=true on_press=move |()| {
                    add(context, members.clone());
                    added.run(());
                } {..} aria-describedby="member-each-names">{label}</Button>
                <span class="brk" id="member-each-names">{names} {rest}</span>
            </p>
        }
    });
    let MemberPreview { stored, error, .. } = reading.get();
    let one = stored.filter(|_| error.is_none()).map(|one| {
        let shown = one.clone();
        view! {
            <p class="row">
                <Button id="member-one" small=true on_press=move |()| {
                    add(context, vec![one.clone()]);
                    added.run(());
                } {..} aria-describedby="member-one-name">{words::ADD_ONE_MEMBER}</Button>
                <span class="brk" id="member-one-name">"named " <PrincipalName principal=shown /></span>
            </p>
        }
    });
    let refused = refused.into_iter().take(NAMED).map(|text| {
        view! { <Message kind=MessageKind::Error>{words::OTHERS_NOT_ADDED} ": " <Words text=text /> "."</Message> }
    });
    let found = found.into_iter().take(NAMED).collect();
    view! {
        <div class="under-form" role="group" aria-labelledby="member-list">
            <p class="help" id="member-list">{words::SEVERAL_NAMES}</p>
            {each}
            {one}
            {refused.collect_view()}
            {remarks(found)}
        </div>
    }
}

/// Adds members to the draft.
fn add(context: RoleContext, members: Vec<Principal>) {
    let said = match members.as_slice() {
        [member] => words::member_added(member),
        members => words::members_added(members),
    };
    let role = context.name.get_value();
    let changes = members.into_iter().map(|member| Change::AddMember {
        role: role.clone(),
        member,
    });
    context.draft.add_all(changes);
    dom::announce(&said);
}

/// What is worth a look.
fn remarks(texts: Vec<String>) -> impl IntoView {
    texts
        .into_iter()
        .map(|text| view! { <Message kind=MessageKind::Warn><Words text=text /> "."</Message> })
        .collect_view()
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
        remarks: found,
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
    let (id, kind) = (button_id(&principal), principal.kind().prefix());
    view! {
        <tr role="row" class=row_class(status)>
            <td role="cell" class="sel"><span class="sign-h"><Sign status=status /></span></td>
            <td role="cell" data-l="Type"><Tag glyph=glyph>{kind}</Tag></td>
            <th role="rowheader" scope="row"><PrincipalName principal=principal /></th>
            <td role="cell" data-l="Also in">
                <span class="quiet brk">{also}</span>
                {remarks(found)}
                {not_applied(failure)}
            </td>
            <td role="cell" class="act">
                <span class="row acts">
                    {sign_word(status)}
                    {is_open.then(|| view! {
                        <IconButton id=id glyph=sign label=label on_press=move |()| {
                            let next = context.members.with_untracked(|rows| {
                                Some(button_id(&neighbor(rows, |row| row.principal == member)?.principal))
                            });
                            context.draft.add(change.clone());
                            dom::announce(&format!("{text} {said}"));
                            focus_row(button_id(&member), next, "h-members");
                        } />
                    })}
                </span>
            </td>
        </tr>
    }
}
