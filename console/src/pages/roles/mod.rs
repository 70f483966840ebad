//! The list of roles.

mod create;
mod delete;

use std::time::Duration;

pub use create::CreateRole;
pub use delete::{DeleteRole, Deletion};
use leptos::leptos_dom::helpers::debounce;
use leptos::prelude::*;
use leptos_router::NavigateOptions;
use leptos_router::hooks::{use_location, use_navigate};

use super::link::RoleLink;
use crate::dom;
use crate::state::address;
use crate::state::escape::plain;
use crate::state::roles::{Column, RoleRow, Search, rows, sort};
use crate::state::service::{Service, ServiceStatus};
use crate::state::words::count;
use crate::ui::{
    Button, ButtonKind, Empty, Glyph, Icon, IconButton, Mark, ResourceName, SkeletonRows, SortHead, SortOrder,
    VerdictWord,
};

/// How many rows are shown at first, and how many more at a time.
const PAGE: usize = 100;

/// The page.
#[component]
pub fn RolesPage() -> impl IntoView {
    dom::set_title("Roles");
    let service = expect_context::<Service>();
    let creating = RwSignal::new(false);
    let deleting = RwSignal::new(None::<String>);
    let search = search_in_address();
    let all = Memo::new(move |_| service.policy.with(|policy| policy.as_ref().map(|policy| rows(policy))));
    let has_roles = Memo::new(move |_| all.with(|all| all.as_ref().is_some_and(|all| !all.is_empty())));
    let content = move || match all.with(|all| all.as_ref().map(Vec::len)) {
        Some(0) => view! { <NoRoles creating=creating /> }.into_any(),
        Some(_) => view! { <List all=all search=search deleting=deleting /> }.into_any(),
        None => view! { <NothingRead /> }.into_any(),
    };
    view! {
        <div class="head">
            <div>
                <h1>"Roles"</h1>
                <p>"A role carries ACLs. Every user and IdP group assigned to it inherits them."</p>
            </div>
            <div class="row">
                {move || {
                    has_roles.get().then(|| view! {
                        <Button kind=ButtonKind::Primary glyph=Glyph::Plus on_press=move |()| creating.set(true)>"Create role"</Button>
                    })
                }}
            </div>
        </div>
        {content}
        <CreateRole open=creating />
        <DeleteRole deletion=Deletion { name: deleting, focus_after: "roles-search".into() } on_deleted=|_| () />
    }
}

/// The search, kept in the address: a link leads to the same list.
fn search_in_address() -> RwSignal<String> {
    let location = use_location();
    let (path, query) = (location.pathname, location.search);
    let navigate = use_navigate();
    let asked = move || query.with(|query| address::search_at(query));
    let search = RwSignal::new(untrack(asked));
    // What this page wrote last, so that its own writing is not taken for a visitor's going back.
    let written = StoredValue::new(search.get_untracked());
    let mut write = debounce(Duration::from_millis(250), move |text: String| {
        // The page may have been left, and entered again, since the key was pressed.
        if path.get_untracked() == address::ROLES && written.try_get_value().is_some_and(|written| written != text) {
            written.set_value(text.clone());
            let options = NavigateOptions { replace: true, scroll: false, ..NavigateOptions::default() };
            navigate(&address::roles_search(&text), options);
        }
    });
    Effect::new(move |_| write(search.get()));
    Effect::new(move |_| {
        let asked = asked();
        if asked != written.get_value() {
            written.set_value(asked.clone());
            search.set(asked);
        }
    });
    search
}

/// Before the first read, and when it did not succeed.
#[component]
fn NothingRead() -> impl IntoView {
    let service = expect_context::<Service>();
    move || match service.status.get() {
        ServiceStatus::Loading | ServiceStatus::Connected { .. } => {
            view! { <SkeletonRows what="Reading roles" /> }.into_any()
        }
        ServiceStatus::Away { sign_in: true, .. } => ().into_any(),
        ServiceStatus::Away { .. } => view! {
            <div class="panel flat">
                <Empty glyph=Glyph::Off title="No roles could be read">
                    <p>"They are shown as soon as the service answers."</p>
                </Empty>
            </div>
        }
        .into_any(),
    }
}

#[component]
fn NoRoles(creating: RwSignal<bool>) -> impl IntoView {
    view! {
        <div class="panel flat">
            <Empty glyph=Glyph::Role title="No roles yet">
                <p>"A role carries ACLs for its users and IdP groups. Start with one that reads a topic."</p>
                <div class="row">
                    <Button kind=ButtonKind::Primary glyph=Glyph::Plus on_press=move |()| creating.set(true)>"Create role"</Button>
                </div>
            </Empty>
        </div>
    }
}

/// The list, its search and its order.
#[component]
fn List(
    all: Memo<Option<Vec<RoleRow>>>,
    search: RwSignal<String>,
    deleting: RwSignal<Option<String>>,
) -> impl IntoView {
    let order = RwSignal::new((Column::Name, false));
    let limit = RwSignal::new(PAGE);
    let found = Memo::new(move |_| {
        let search = Search::new(&search.get());
        let (column, descending) = order.get();
        let mut found: Vec<RoleRow> =
            all.with(|all| all.iter().flatten().filter(|row| search.finds(&row.name)).cloned().collect());
        sort(&mut found, column, descending);
        found
    });
    let total = move || all.with(|all| all.as_ref().map_or(0, Vec::len));
    let shown = move || found.with(|found| found.iter().take(limit.get()).cloned().collect::<Vec<_>>());
    let status = move || {
        let found = found.with(Vec::len);
        if found == total() {
            let with_group = all.with(|all| all.iter().flatten().filter(|row| row.groups > 0).count());
            format!("{}, {with_group} with an IdP group", count(found, "role"))
        } else {
            format!("{found} of {}", count(total(), "role"))
        }
    };
    let order_of = move |column: Column| {
        Signal::derive(move || {
            let (by, descending) = order.get();
            (by == column).then_some(if descending { SortOrder::Descending } else { SortOrder::Ascending })
        })
    };
    // Counts are looked at from the largest down, names from A.
    let press = move |column: Column| {
        move |()| {
            order.update(|(by, descending)| {
                *descending = if *by == column { !*descending } else { column != Column::Name };
                *by = column;
            });
        }
    };
    let table = move || {
        view! {
            <div class="panel flat">
                <div class="scroll" tabindex="0" role="region" aria-label="Roles">
                    <table class="t fold inline" role="table">
                        <caption class="sr">"Roles"</caption>
                        <thead role="rowgroup">
                            <tr role="row">
                                <SortHead label="Role name" order=order_of(Column::Name) on_press=press(Column::Name) class="w-name" />
                                <SortHead label="Assigned principals" order=order_of(Column::Principals) on_press=press(Column::Principals) class="num w-n" />
                                <SortHead label="IdP groups" order=order_of(Column::Groups) on_press=press(Column::Groups) class="num w-n" />
                                <SortHead label="ACLs" order=order_of(Column::Acls) on_press=press(Column::Acls) class="num w-n" />
                                <th role="columnheader" scope="col" class="w-d">"Denies"</th>
                                <th role="columnheader" scope="col">"Findings"</th>
                                <th role="columnheader" scope="col"><span class="sr">"Actions"</span></th>
                            </tr>
                        </thead>
                        <tbody role="rowgroup">
                            <For each=shown key=RoleRow::clone let:row>
                                <Row row=row deleting=deleting />
                            </For>
                        </tbody>
                    </table>
                </div>
                {move || {
                    let found = found.with(Vec::len);
                    (found > limit.get()).then(|| view! {
                        <div class="t-foot">
                            <span>{format!("Rows 1 to {} of {found}", limit.get())}</span>
                            <Button small=true on_press=move |()| limit.update(|limit| *limit += PAGE)>{format!("Show {} more", PAGE.min(found - limit.get()))}</Button>
                        </div>
                    })
                }}
            </div>
        }
    };
    let no_match = move || {
        view! {
            <div class="panel flat">
                <Empty glyph=Glyph::Search title="No roles match your search">
                    <p><span class="mono brk">{move || search.get()}</span>{move || format!(" matches none of {}.", count(total(), "name"))}</p>
                    <div class="row">
                        <Button on_press=move |()| {
                            search.set(String::new());
                            dom::focus("roles-search");
                        }>"Clear search"</Button>
                    </div>
                </Empty>
            </div>
        }
    };
    let is_found = Memo::new(move |_| found.with(|found| !found.is_empty()));
    view! {
        <div class="tools">
            <div class="search">
                <Icon glyph=Glyph::Search />
                <label class="sr" for="roles-search">"Search roles by name, regular expression"</label>
                <input
                    class="in mono"
                    id="roles-search"
                    type="search"
                    placeholder="Name or regex"
                    autocomplete="off"
                    autocapitalize="off"
                    spellcheck="false"
                    aria-describedby="roles-search-how"
                    prop:value=move || search.get()
                    on:input=move |event| {
                        limit.set(PAGE);
                        search.set(event_target_value(&event));
                    }
                />
            </div>
            <span class="help" id="roles-search-how">
                {move || (!Search::new(&search.get()).is_pattern()).then_some("Not a regular expression, so searched as plain text")}
            </span>
            <p class="count row-end" role="status">{status}</p>
        </div>
        {move || if is_found.get() { table().into_any() } else { no_match().into_any() }}
    }
}

#[component]
fn Row(row: RoleRow, deleting: RwSignal<Option<String>>) -> impl IntoView {
    let RoleRow { name, principals, groups, acls, denies } = row;
    let (href, shown) = (address::role(&name), name.clone());
    let finding = match (principals, acls) {
        (0, 0) => Some("No members, no ACLs"),
        (0, _) => Some("No members"),
        (_, 0) => Some("No ACLs"),
        _ => None,
    };
    let label = format!("Delete role {}", plain(&name));
    // On a narrow page the column's name stands behind its number.
    let noun = |number: usize, one: &'static str, many: &'static str| if number == 1 { one } else { many };
    view! {
        <tr role="row">
            <th role="rowheader" scope="row"><RoleLink href=href><ResourceName name=shown /></RoleLink></th>
            <td role="cell" class="num" data-l=noun(principals, "principal", "principals")>{principals}</td>
            <td role="cell" class="num" data-l=noun(groups, "IdP group", "IdP groups")>{groups}</td>
            <td role="cell" class="num" data-l=noun(acls, "ACL", "ACLs")>{acls}</td>
            <td role="cell" class="w-d" data-l="Denies">
                {(denies > 0).then(|| view! { <VerdictWord mark=Mark::Deny word=format!("{denies} deny") small=true /> })}
            </td>
            <td role="cell" data-l="Findings">
                {finding.map(|finding| view! { <VerdictWord mark=Mark::Warn word=finding small=true /> })}
            </td>
            <td role="cell" class="act">
                <IconButton glyph=Glyph::Bin label=label on_press=move |()| deleting.set(Some(name.clone())) />
            </td>
        </tr>
    }
}
