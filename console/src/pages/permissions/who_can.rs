//! Who can: a query, and the principals that its ACLs concern.

use std::sync::Arc;

use gbac_analysis::{Scope, WhoCanEntry};
use gbac_console_model::address;
use gbac_console_model::permissions::list;
use gbac_console_model::permissions::who_can::{
    PAGE, Tally, WhoCanAnswer, WhoCanGroup, WhoCanPrincipal, WhoCanQuery, answer, only_host,
};
use gbac_engine::model::{Dialect, Operation, PatternType, PrincipalType, ResourceType};
use gbac_words::common::ACLS_NOT_EVALUATED;
use gbac_words::pages::permissions as words;
use gbac_words::phrases::capitalized;
use gbac_words::{acl, hosts};
use leptos::prelude::*;
use leptos_router::NavigateOptions;
use leptos_router::hooks::use_location;

use super::frame::{Context, Frame};
use super::reasons::{Denies, Path};
use crate::dom;
use crate::pages::link::AddressLink;
use crate::pages::rich_text::sentence;
use crate::ui::{
    Button, ButtonKind, Choice, Empty, Field, Glyph, LinkButton, Mark, PrincipalName, ResourceName,
    Select, Table, VerdictWord,
};

/// The page.
#[component]
pub fn WhoCanPage() -> impl IntoView {
    view! {
        <Frame lead=words::WHO_CAN_PURPOSE>
            <Ask />
        </Frame>
    }
}

/// The question in the address, and the form that asks another.
#[component]
fn Ask() -> impl IntoView {
    let context = expect_context::<Context>();
    let search_part = use_location().search;
    let query =
        Memo::new(move |_| search_part.with(|search_part| WhoCanQuery::from_query(search_part)));
    let form = RwSignal::new(query.get_untracked().unwrap_or_default());
    Effect::new(move |_| {
        if let Some(query) = query.get() {
            form.set(query);
        }
    });
    let result = Memo::new_with_compare(
        move |_| {
            let query = query.get()?;
            let host = query.check().ok()?;
            let policy = context.policy();
            Some(Arc::new((
                query.clone(),
                dom::measured("permissions: who can", || answer(&policy, &query, host)),
            )))
        },
        |_, _| true,
    );
    view! {
        <div class="panel flat">
            <Form form=form />
            {move || match (query.get(), result.get()) {
                (_, Some(result)) => view! { <QueryResult result=result /> }.into_any(),
                (Some(_), None) => ().into_any(),
                (None, None) => view! {
                    <div class="t-line">
                        <Empty glyph=Glyph::Search title="Enter a resource" level=2>
                            <p>{words::ENTER_RESOURCE}</p>
                        </Empty>
                    </div>
                }
                .into_any(),
            }}
        </div>
    }
}

#[component]
fn Form(form: RwSignal<WhoCanQuery>) -> impl IntoView {
    let navigate = dom::use_navigate();
    let sent = RwSignal::new(false);
    let faults = Memo::new(move |_| form.with(|form| form.check().err().unwrap_or_default()));
    let name_fault = Signal::derive(move || if sent.get() { faults.get().name } else { None });
    let host_fault = Signal::derive(move || faults.get().host);
    let operation =
        Signal::derive(move || form.with(|form| form.operation.spelling().cli.to_owned()));
    let resource_type =
        Signal::derive(move || form.with(|form| form.resource_type.spelling().cli.to_owned()));
    let operations = Signal::derive(move || {
        let mut operations = form.read().resource_type.operations().to_vec();
        operations.push(Operation::All);
        Choice::each(operations, |of| (of.spelling().cli, of.spelling().label))
    });
    let pattern = Signal::derive(move || form.with(|form| form.pattern.spelling().cli.to_owned()));
    let patterns = Choice::each(PatternType::ALL, |of| {
        (of.spelling().cli, capitalized(of.spelling().label))
    });
    let types = Choice::each(Dialect::Platform.resource_types(), |of| {
        (of.spelling().cli, of.spelling().label)
    });
    let has_name = Memo::new(move |_| form.with(WhoCanQuery::has_name));
    view! {
        <form class="ask" aria-label="Who can" on:submit=move |event| {
            event.prevent_default();
            sent.set(true);
            let query = form.get_untracked();
            match query.check() {
                Ok(_) => navigate(&query.address(), NavigateOptions { scroll: false, ..NavigateOptions::default() }),
                Err(faults) => {
                    dom::focus(if faults.name.is_some() { "who-name" } else { "who-host" });
                }
            }
        }>
            <Select id="who-operation" label="Operation" value=operation choices=operations on_change=move |id: String| {
                if let Ok(operation) = id.parse::<Operation>() {
                    form.update(|form| form.operation = operation);
                }
            } />
            <Select id="who-type" label="Resource type" value=resource_type choices=types on_change=move |id: String| {
                if let Ok(resource_type) = id.parse::<ResourceType>() {
                    form.update(|form| *form = WhoCanQuery { resource_type, ..form.clone() }.fitting());
                }
            } />
            <Select id="who-pattern" label="Pattern type" value=pattern choices=patterns
                disabled=Signal::derive(move || !has_name.get())
                on_change=move |id: String| {
                    if let Ok(pattern) = id.parse::<PatternType>() {
                        form.update(|form| form.pattern = pattern);
                    }
                } />
            <Field id="who-name" label="Resource name" mono=true
                value=Signal::derive(move || form.with(|form| form.resource_name().to_owned()))
                disabled=Signal::derive(move || !has_name.get())
                error=name_fault on_input=move |name| form.update(|form| form.name = name) />
            <Field id="who-host" label="Host" mono=true placeholder="Any host"
                value=Signal::derive(move || form.with(|form| form.host.clone()))
                error=host_fault on_input=move |host| form.update(|form| form.host = host) />
            <Button kind=ButtonKind::Primary submit=true>"Find"</Button>
        </form>
    }
}

#[component]
fn QueryResult(result: Arc<(WhoCanQuery, WhoCanAnswer)>) -> impl IntoView {
    let (query, answer) = (*result).clone();
    let operation = query.operation.spelling().label.to_lowercase();
    let operation = if query.operation == Operation::All {
        "use the operation All".to_owned()
    } else {
        operation
    };
    let can = answer.tally(WhoCanGroup::Can);
    let name = (query.has_name()).then(|| query.name.clone());
    let nobody = answer.groups.is_empty();
    let caption = format!("Who can {operation}");
    let blocked = answer.tally(WhoCanGroup::Blocked).total();
    let on_some = answer.tally(WhoCanGroup::CanOnSome);
    let (one_host, from_some_host) = (
        answer.one_host_only(),
        answer.tally(WhoCanGroup::FromSomeHost).total(),
    );
    let remark = remark(&query, &answer);
    let can_do = format!(" {} ", query.can());
    view! {
        <p class="answer" role="status">
            <span>
                <b>{capitalized(&can.text())}</b>
                {can_do}
                {name.map(|name| view! { <ResourceName name=name /> })}
                "."
            </span>
            {(on_some.total() > 0).then(|| view! { <VerdictWord mark=Mark::Warn small=true word=words::can_on_some(&on_some.text()) /> })}
            {(one_host > 0).then(|| view! { <VerdictWord mark=Mark::Warn small=true word=words::only_from_one_host(one_host) /> })}
            {(from_some_host > 0).then(|| view! { <VerdictWord mark=Mark::Warn small=true word=words::host_decides(from_some_host) /> })}
            {(blocked > 0).then(|| view! { <VerdictWord mark=Mark::Deny small=true word=words::blocked(blocked) /> })}
        </p>
        {if nobody {
            view! { <div class="t-foot"><span>{words::DENIED_FOR_EVERYONE}</span></div> }.into_any()
        } else {
            view! {
                <Table
                    label="Principals found" caption=caption line=true
                    heads=["Principal", "Verdict", "Granted by", "Limits"]
                >
                    {answer.groups.into_iter().map(|(group, entries)| view! { <Rows group=group entries=entries /> }).collect_view()}
                </Table>
            }
            .into_any()
        }}
        <div class="t-foot">
            <span>{words::EVALUATED_ALONE} " " <a href=address::SIMULATOR>"Simulator"</a></span>
            {remark.map(|remark| view! { <span>{remark}</span> })}
        </div>
    }
}

/// What the answer does not say about longer or other names.
fn remark(query: &WhoCanQuery, answer: &WhoCanAnswer) -> Option<&'static str> {
    match (query.name.as_str(), answer.is_prefix) {
        _ if !query.has_name() => None,
        _ if query.is_prefix() => Some(words::PREFIX),
        ("*", _) => Some(words::ALL_NAMES_ONLY),
        (_, true) => Some(words::ALSO_A_PREFIX),
        _ => None,
    }
}

#[component]
fn Rows(group: WhoCanGroup, entries: Vec<WhoCanPrincipal>) -> impl IntoView {
    let number = entries.len();
    let limit = RwSignal::new(PAGE);
    let remark = match group {
        WhoCanGroup::Can | WhoCanGroup::CanOnSome | WhoCanGroup::Blocked => {
            Tally::from_principals(&entries).text()
        }
        WhoCanGroup::FromSomeHost => format!(
            "{}; enter the host",
            Tally::from_principals(&entries).text()
        ),
        WhoCanGroup::Carries => words::BLOCKS_OTHERS.into(),
    };
    view! {
        <tbody role="rowgroup">
            <tr role="row" class="g">
                <th role="rowheader" scope="rowgroup" colspan="4">
                    <span class="src">
                        <b>{group.label()}</b>
                        <span>{remark}</span>
                        {move || (number > limit.get()).then(|| {
                            let more = (number - limit.get()).min(PAGE);
                            view! {
                                <span>{format!("rows 1 to {}", limit.get())}</span>
                                <LinkButton on_press=move |()| limit.update(|limit| *limit += PAGE)>{format!("Show {more} more")}</LinkButton>
                            }
                        })}
                    </span>
                </th>
            </tr>
            {move || {
                let shown = entries.iter().take(limit.get()).cloned();
                shown.map(|entry| view! { <Row group=group entry=entry /> }).collect_view()
            }}
        </tbody>
    }
}

#[component]
fn Row(group: WhoCanGroup, entry: WhoCanPrincipal) -> impl IntoView {
    let principal = entry.principal();
    let href = list::ListQuery::one(&principal).address();
    let is_everyone =
        matches!(&entry, WhoCanPrincipal::Entry(entry) if entry.scope == Scope::Everyone);
    let (mark, word) = match group {
        WhoCanGroup::Can => (Mark::Allow, "Allowed"),
        WhoCanGroup::CanOnSome => (Mark::Allow, "Allowed on some names"),
        WhoCanGroup::FromSomeHost => (Mark::NoRule, "Denied, unknown host"),
        WhoCanGroup::Blocked | WhoCanGroup::Carries => (Mark::Deny, "Denied by rule"),
    };
    view! {
        <tr role="row">
            <th role="rowheader" scope="row">
                <AddressLink href=href class="pr"><PrincipalName principal=principal /></AddressLink>
                {is_everyone.then(|| view! { " " <span class="quiet">"everyone"</span> })}
            </th>
            <td role="cell" data-l="Verdict"><VerdictWord mark=mark word=word /></td>
            {match entry {
                WhoCanPrincipal::Superuser(_) => view! {
                    <td role="cell" data-l="Granted by">"superuser, " {ACLS_NOT_EVALUATED}</td>
                    <td role="cell" data-l="Limits"><span class="quiet">"denies do not apply"</span></td>
                }
                .into_any(),
                WhoCanPrincipal::Entry(entry) => view! { <Reasons entry=*entry /> }.into_any(),
            }}
        </tr>
    }
}

#[component]
fn Reasons(mut entry: WhoCanEntry) -> impl IntoView {
    let is_blocked = !entry.denied_by.is_empty();
    let host = only_host(&entry);
    let is_role =
        matches!(&entry.scope, Scope::One(principal) if principal.kind() == PrincipalType::Role);
    if is_role {
        // The way to a role's own ACLs has no hop.
        entry
            .granted_by
            .iter_mut()
            .chain(&mut entry.denied_by)
            .for_each(|by| by.role = None);
    }
    let members = is_role.then(|| words::held_by(&entry.members));
    let host_unknown = entry.host_unknown;
    let names = acl::coverage(&entry.only_on, &entry.not_on);
    let granted = match entry.granted_by {
        Some(by) if is_blocked => view! {
            <span class="marks"><VerdictWord mark=Mark::Overridden word="Allow" /><Path by=by /></span>
        }
        .into_any(),
        Some(by) => view! { <Path by=by /> }.into_any(),
        None => view! { <span class="dim">"nothing"</span> }.into_any(),
    };
    view! {
        <td role="cell" data-l="Granted by">{granted}</td>
        <td role="cell" data-l="Limits">
            <Denies denied_by=entry.denied_by />
            {names.map(|names| view! { <span class="v v-warn wrap">{sentence(&names)}</span> " " })}
            {host.map(|host| view! { <span class="v v-warn wrap">{sentence(&hosts::only(&host))}</span> })}
            {host_unknown.then(|| view! { <span class="quiet">{words::OTHER_HOSTS_DIFFER}</span> })}
            {members.map(|members| view! { <span class="quiet brk">{members}</span> })}
        </td>
    }
}
