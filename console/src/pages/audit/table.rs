//! The table of audit events, each with its JSON on demand, and of a change with what was there
//! before and after.

use gbac_console_model::address;
use gbac_console_model::audit::{EventRow, RepeatedEvent, SimulatedCheck, fold_repeats};
use gbac_console_model::simulator::link::LONGEST;
use gbac_engine::model::{Principal, PrincipalType};
use gbac_words::audit_event::{AuditedAcl, EventKind};
use gbac_words::pages::audit as words;
use gbac_words::phrases;
use leptos::ev;
use leptos::prelude::*;
use leptos_router::NavigateOptions;

use super::evidence::Evidence;
use crate::dom;
use crate::pages::link::RoleLink;
use crate::store::simulator::SimulatorSession;
use crate::ui::{
    Glyph, Heads, Icon, IconSize, Mono, PrincipalName, ResourceName, Table, Tag, Words,
};

/// How many groups of a sign-in are named.
const GROUPS: usize = 4;

#[component]
pub(super) fn Events(rows: Vec<EventRow>) -> impl IntoView {
    let rows: Vec<_> = fold_repeats(rows)
        .into_iter()
        .enumerate()
        .map(|(place, event)| view! { <Event event=event place=place /> })
        .collect();
    view! {
        <div class="panel flat">
            <Table
                label="Events" caption="Audit events, newest first" class="audit"
                heads=Heads::from(["When", "Who", "Action", "Outcome", "Decided by"]).and_unseen("Event")
            >
                <tbody role="rowgroup">{rows}</tbody>
            </Table>
        </div>
    }
}

#[component]
fn Event(event: RepeatedEvent, place: usize) -> impl IntoView {
    let RepeatedEvent {
        row,
        times,
        changes,
        since,
    } = event;
    let open = RwSignal::new(false);
    let id = format!("event-{place}");
    let controls = id.clone();
    let (class, glyph) = if row.event.is_allowed {
        ("v v-allow", Glyph::Allow)
    } else {
        ("v v-deny", Glyph::Deny)
    };
    let who = if row.event.user.is_empty() {
        view! { <span class="quiet">"unknown"</span> }.into_any()
    } else if row.event.is_anonymous() {
        view! { <span class="quiet">"not signed in"</span> }.into_any()
    } else {
        view! { <PrincipalName principal=Principal::user(&row.event.user) /> }.into_any()
    };
    let from = (!row.event.from.is_empty())
        .then(|| view! { <br /><span class="quiet">"from " {row.event.from.clone()}</span> });
    let when = row.event.when();
    let is_change = row.event.kind == EventKind::Change && !row.changed.is_empty();
    let (words, label) = match is_change {
        true => ("Evidence", words::evidence_of_change(&when)),
        false => ("JSON", words::json_of_event(&when)),
    };
    let opened = StoredValue::new(row.clone());
    let simulated = row
        .simulated
        .clone()
        .map(|check| view! { <CheckLink check=check when=when.clone() /> });
    let again = (times > 1)
        .then(|| view! { <p class="quiet">{format!("{times} times since {since}")}</p> });
    let newest =
        (times > 1).then(|| view! { <p class="quiet">{format!("The newest of {times}")}</p> });
    let resource = row.event.resource.clone().map(
        |(kind, name)| view! { " " <span class="dim">{kind}</span> " " <ResourceName name=name /> },
    );
    let what = if row.event.is_request_line() {
        view! { <Mono text=row.event.what.clone() /> }.into_any()
    } else {
        row.event.what.clone().into_any()
    };
    view! {
        <tr role="row" class:has-why=open>
            <th role="rowheader" scope="row"><span class="num when">{when}</span>{again}</th>
            <td role="cell" data-l="Who"><div>{who} {row.event.is_admin.then(|| view! { " " <Tag>"superuser"</Tag> })}{from}</div></td>
            <td role="cell" data-l="Action"><div>{what}{resource}</div></td>
            <td role="cell" data-l="Outcome"><span class=class><Icon glyph=glyph size=IconSize::Small />{row.event.outcome()}</span></td>
            <td role="cell" data-l="Decided by"><div><By row=row /></div></td>
            <td role="cell" class="act">
                <div class="row row-end">
                    {simulated}
                    <button type="button" class="btn btn-sm" aria-label=label aria-expanded=move || if open.get() { "true" } else { "false" }
                        aria-controls=controls on:click=move |_| open.update(|open| *open = !*open)>{words}</button>
                </div>
            </td>
        </tr>
        <tr role="row" id=id hidden=move || !open.get() class="raw">
            <td role="cell" colspan="6">
                {newest}
                {move || open.get().then(|| {
                    let row = opened.get_value();
                    let raw = row.raw.clone();
                    view! {
                        {is_change.then(|| view! { <Evidence row=row changes=changes /> })}
                        <pre class="code" tabindex="0" role="region" aria-label="Event">{raw}</pre>
                    }
                })}
            </td>
        </tr>
    }
}

/// Opens a denied decision in the simulator.
#[component]
fn CheckLink(check: SimulatedCheck, when: String) -> impl IntoView {
    let (session, navigate) = (expect_context::<SimulatorSession>(), dom::use_navigate());
    let address = check.address();
    // Beyond this, browsers cut an address; the press does not need it.
    let href = if address.len() > LONGEST {
        address::SIMULATOR.to_owned()
    } else {
        address
    };
    let open = move |event: ev::MouseEvent| {
        let is_plain = event.button() == 0
            && !event.ctrl_key()
            && !event.meta_key()
            && !event.shift_key()
            && !event.alt_key();
        if is_plain {
            event.prevent_default();
            session.inputs.set(check.inputs());
            navigate(address::SIMULATOR, NavigateOptions::default());
        }
    };
    let label = words::check_decision(&when);
    view! { <a class="btn btn-sm" href=href aria-label=label on:click=open>"Check in simulator"</a> }
}

/// What settled it: the groups of a token, the ACL with the group and role through which it was
/// reached, or a reason.
#[component]
fn By(row: EventRow) -> impl IntoView {
    let more = row.event.groups.len().saturating_sub(GROUPS);
    let groups: Vec<_> = row
        .event
        .groups
        .iter()
        .take(GROUPS)
        .map(|name| view! { <li><PrincipalName principal=Principal::group(name) /></li> })
        .collect();
    let role = row.event.role.clone().map(|name| {
        view! { <li><RoleLink href=address::role(&name) class="pr"><PrincipalName principal=Principal::role(&name) /></RoleLink></li> }
    });
    let acl = row
        .event
        .matched
        .clone()
        .map(|matched| view! { <li><Acl matched=matched /></li> });
    let class = if row.event.kind == EventKind::Decision {
        "path"
    } else {
        "marks"
    };
    let some = !groups.is_empty() || role.is_some() || acl.is_some();
    // A password has no groups, and nobody wonders why.
    let none = row.event.kind == EventKind::SignIn
        && row.event.is_allowed
        && row.event.groups.is_empty()
        && !row.event.by_password
        && !row.event.is_sign_out;
    view! {
        {some.then(|| view! { <ul class=class>{groups}{(more > 0).then(|| view! { <li class="quiet">{format!("and {more} more")}</li> })}{role}{acl}</ul> })}
        {none.then(|| view! { <span class="quiet">"no groups"</span> })}
        {(!row.event.why.is_empty()).then(|| view! { <span class="quiet brk"><Words text=phrases::capitalized(&row.event.why_words()) /></span> })}
    }
}

/// The ACL that decided; its principal is the last step before it.
#[component]
fn Acl(matched: AuditedAcl) -> impl IntoView {
    let AuditedAcl {
        principal,
        permission,
        operation,
        resource_type,
        resource_name,
        pattern,
    } = matched;
    // A group or role precedes it.
    let principal = principal.filter(|principal| principal.kind() == PrincipalType::User);
    let (class, glyph) = if permission == "allow" {
        ("v v-allow", Glyph::Allow)
    } else {
        ("v v-deny", Glyph::Deny)
    };
    view! {
        <span class="phrase">
            {principal.map(|principal| view! { <PrincipalName principal=principal /> " " })}
            <span class=class><Icon glyph=glyph size=IconSize::Small />{phrases::capitalized(&permission)}</span>
            " " {operation} ", " {resource_type} " " <ResourceName name=resource_name /> " " <span class="pat">{pattern}</span>
        </span>
    }
}
