//! The list of roles.

mod create;
mod delete;
pub mod pager;
mod row;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

pub use create::CreateRole;
pub use delete::{DeleteRole, Deletion};
use gbac_console_model::address::{self, RolesView};
use gbac_console_model::roles::{
    Column, PAGE, RoleRow, RowStatus, Search, is_new, marks, matching_rows, rows,
};
use gbac_engine::policy::Policy;
use gbac_words::common::{SEARCHED_AS_TEXT, no_results};
use gbac_words::pages::roles as words;
use gbac_words::phrases::{count, thousands};
use leptos::leptos_dom::helpers::debounce;
use leptos::prelude::*;
use leptos::task::spawn_local;
use leptos_router::NavigateOptions;
use leptos_router::hooks::use_location;

use self::pager::Pager;
use self::row::{Row, link_id};
use crate::dom;
use crate::pages::chunk::{ChunkError, chunk_fn};
use crate::pages::cluster_notes::ClusterNotes;
use crate::pages::provider_gap::ProviderGap;
use crate::pages::rich_text::sentence;
use crate::pages::unread::Unread;
use crate::store::draft::Draft;
use crate::store::search::SearchSession;
use crate::store::service::Service;
use crate::ui::{Button, ButtonKind, Empty, Glyph, Heads, Icon, SortHead, SortOrder, Table};

/// How many rows are drawn before the others; a tall screen has room for them.
const AT_ONCE: usize = 20;
/// How long until the code of the findings is fetched again, if that failed.
const RETRY: Duration = Duration::from_secs(5);

/// The page.
#[component]
pub fn RolesPage() -> impl IntoView {
    dom::set_title("Roles");
    let service = expect_context::<Service>();
    let draft = expect_context::<Draft>();
    let creating = RwSignal::new(false);
    let new_name = RwSignal::new(String::new());
    let deleting = RwSignal::new(None::<String>);
    let (view, search) = view_in_address();
    let all = Memo::new(move |_| {
        let (before, after) = (service.policy.get()?, draft.after()?);
        Some(Arc::new(dom::measured("roles: rows", || {
            draft.changes.with(|changes| rows(&before, &after, changes))
        })))
    });
    let state = Memo::new(move |_| Some(all.read().as_ref()?.is_empty()));
    let has_none = Memo::new(move |_| service.can.with(|can| can.roles.reason()));
    // The search asks for a role of this name.
    let wanted = expect_context::<SearchSession>().new_role;
    Effect::new(move |_| {
        if state.get().is_some()
            && has_none.get().is_none()
            && let Some(name) = wanted.get()
        {
            wanted.set(None);
            new_name.set(name);
            creating.set(true);
        }
    });
    view! {
        <div class="head">
            <div>
                <h1>"Roles"</h1>
                <p>{words::PURPOSE}</p>
            </div>
            <div class="row">
                {move || {
                    (state.get() == Some(false) && has_none.get().is_none()).then(|| view! {
                        <Button kind=ButtonKind::Primary glyph=Glyph::Plus on_press=move |()| creating.set(true)>"Create role"</Button>
                    })
                }}
            </div>
        </div>
        <ClusterNotes />
        <ProviderGap />
        {move || match state.get() {
            _ if has_none.get().is_some() => view! {
                <div class="panel flat">
                    <Empty glyph=Glyph::Lock title=words::NO_ROLES_HERE><p>{has_none.get()}</p></Empty>
                </div>
            }
            .into_any(),
            Some(true) => view! { <NoRoles creating=creating /> }.into_any(),
            Some(false) => view! { <List all=all view=view search=search deleting=deleting /> }.into_any(),
            None => view! { <Unread what="roles" /> }.into_any(),
        }}
        <CreateRole open=creating name=new_name />
        <DeleteRole deletion=Deletion { name: deleting, focus_after: "roles-search".into() } on_deleted=|_| () />
    }
}

/// The part of the list that the address names, and the search as it is typed: a link leads to the
/// same list.
fn view_in_address() -> (Memo<RolesView>, RwSignal<String>) {
    let location = use_location();
    let (path, query) = (location.pathname, location.search);
    let navigate = dom::use_navigate();
    let view = Memo::new(move |_| query.with(|query| address::roles_at(query)));
    let search = RwSignal::new(view.with_untracked(|view| view.search.clone()));
    // What this page wrote last, so that its own writing is not taken for a visitor's going back.
    let written = StoredValue::new(search.get_untracked());
    let mut write = debounce(Duration::from_millis(250), move |text: String| {
        // The page may have been left, and entered again, since the key was pressed.
        if path.get_untracked() == address::ROLES
            && let Some(last) = written.try_get_value()
            && last != text
        {
            written.set_value(text.clone());
            let options = NavigateOptions {
                replace: true,
                scroll: false,
                ..NavigateOptions::default()
            };
            // Another search begins with its first page.
            let view = RolesView {
                search: text,
                page: 0,
                ..view.get_untracked()
            };
            navigate(&address::roles(&view), options);
        }
    });
    Effect::new(move |_| write(search.get()));
    Effect::new(move |_| {
        let wanted = view.with(|view| view.search.clone());
        if wanted != written.get_value() {
            written.set_value(wanted.clone());
            search.set(wanted);
        }
    });
    (view, search)
}

#[component]
fn NoRoles(creating: RwSignal<bool>) -> impl IntoView {
    let service = expect_context::<Service>();
    let is_new = Memo::new(move |_| is_new(&service.policy.get().unwrap_or_default()));
    let create = move |kind: ButtonKind| {
        view! {
            <Button kind=kind glyph=Glyph::Plus on_press=move |()| creating.set(true)>"Create role"</Button>
        }
    };
    move || {
        let is_new = is_new.get();
        let (title, text) = if is_new {
            (words::NOTHING_YET, words::START_WITH_IMPORT)
        } else {
            ("No roles yet", words::NONE_YET)
        };
        view! {
            <div class="panel flat">
                <Empty glyph=Glyph::Role title=title>
                    <p>{text}</p>
                    <div class="row">
                        {if is_new {
                            view! {
                                <a class="btn btn-main" href=address::EXCHANGE>{words::IMPORT_FIRST}</a>
                                {create(ButtonKind::Secondary)}
                            }
                            .into_any()
                        } else {
                            create(ButtonKind::Primary).into_any()
                        }}
                    </div>
                </Empty>
            </div>
        }
    }
}

/// The list, its search and its order.
#[component]
fn List(
    all: Memo<Option<Arc<Vec<RoleRow>>>>,
    view: Memo<RolesView>,
    search: RwSignal<String>,
    deleting: RwSignal<Option<String>>,
) -> impl IntoView {
    let draft = expect_context::<Draft>();
    let rows = Signal::derive(move || all.get().unwrap_or_default());
    let order = Memo::new(move |_| view.with(|view| (view.column, view.descending)));
    let found = Memo::new(move |_| {
        let (column, descending) = order.get();
        let search = Search::new(&search.get());
        dom::measured("roles: search", || {
            matching_rows(&rows.get(), &search, column, descending)
        })
    });
    let number_found = Memo::new(move |_| found.with(Vec::len));
    let page = Memo::new(move |_| {
        // What is typed and not in the address yet begins with its first page.
        let is_typed = search.with(|search| view.with(|view| *search != view.search));
        let last = number_found.get().saturating_sub(1) / PAGE;
        if is_typed {
            0
        } else {
            view.with(|view| view.page).min(last)
        }
    });
    let shown = Memo::new(move |_| {
        let (rows, found) = (rows.get(), found.read());
        let places = found.iter().skip(page.get() * PAGE).take(PAGE);
        places
            .filter_map(|place| rows.get(*place).cloned())
            .collect::<Vec<_>>()
    });
    let drawn = drawn_of(shown);
    let findings = findings_of(draft, shown);
    let total = Memo::new(move |_| rows.get().len());
    let navigate = dom::use_navigate();
    let go = Callback::new(move |to: RolesView| {
        let options = NavigateOptions {
            scroll: false,
            ..NavigateOptions::default()
        };
        navigate(&address::roles(&to), options);
    });
    // The search as it stands, which may not be in the address yet.
    let here = move || RolesView {
        search: search.get_untracked(),
        ..view.get_untracked()
    };
    // Counts are looked at from the largest down, names from A.
    let sort = Callback::new(move |column| {
        let (by, descending) = order.get_untracked();
        let descending = if by == column {
            !descending
        } else {
            column != Column::Name
        };
        go.run(RolesView {
            column,
            descending,
            page: 0,
            ..here()
        });
    });
    let to_page = Callback::new(move |page: usize| go.run(RolesView { page, ..here() }));
    // After a role or the review of its changes, the list continues at that role.
    // The browser's own address follows only when the page is there.
    let fragment = use_location().hash.get_untracked();
    let returning = RwSignal::new(address::role_in_fragment(fragment.trim_start_matches('#')));
    Effect::new(move |_| {
        let rows = rows.get();
        let place = returning.with(|name| {
            let name = name.as_ref()?;
            let mut found = found.get().into_iter();
            found.position(|at| matches!(rows.get(at), Some(row) if row.counts.name == *name))
        });
        if let Some(place) = place
            && place / PAGE != page.get_untracked()
        {
            go.run(RolesView {
                page: place / PAGE,
                ..here()
            });
        }
    });
    Effect::new(move |_| {
        let (drawn, returning_to) = (drawn.read(), returning.get());
        if let Some(name) = returning_to
            && drawn.iter().any(|row| row.counts.name == name)
        {
            returning.set(None);
            dom::after_paint(move || {
                dom::focus(&link_id(&name));
            });
        }
    });
    let is_found = Memo::new(move |_| number_found.get() > 0);
    view! {
        <div class="tools">
            <div class="search">
                <Icon glyph=Glyph::Search />
                <label class="sr" for="roles-search">{words::SEARCH}</label>
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
                    on:input=move |event| search.set(event_target_value(&event))
                />
            </div>
            <span class="help" id="roles-search-how">
                {move || Search::new(&search.get()).is_broken().then_some(SEARCHED_AS_TEXT)}
            </span>
            <p class="count row-end" role="status">
                {move || match number_found.get() {
                    found if found == total.get() => {
                        words::total(found, rows.get().iter().filter(|row| row.counts.groups > 0).count())
                    }
                    found => format!("{} of {}", thousands(found), count(total.get(), "role")),
                }}
            </p>
            <Pager place="above" page=page found=number_found on_page=to_page />
        </div>
        {move || if is_found.get() {
            view! {
                <div class="panel flat">
                    <Table label="Roles" caption="Roles" class="inline opens" id="roles-region" heads=heads(order, sort)>
                        <tbody role="rowgroup">
                            <For each=move || drawn.get() key=RoleRow::clone let:row>
                                <Row row=row findings=findings deleting=deleting />
                            </For>
                        </tbody>
                    </Table>
                    <Pager place="below" page=page found=number_found on_page=move |page| {
                        to_page.run(page);
                        dom::focus("roles-region");
                    } />
                </div>
            }
            .into_any()
        } else {
            view! { <NoMatch search=search /> }.into_any()
        }}
    }
}

/// The heads of the table: the order of the rows, and what is asked for another one.
fn heads(order: Memo<(Column, bool)>, sort: Callback<Column>) -> Heads {
    Heads::default()
        .and_view(sort_head("Role name", Column::Name, "w-name", order, sort))
        .and_view(sort_head(
            "Assigned principals",
            Column::Principals,
            "num w-n",
            order,
            sort,
        ))
        .and_view(sort_head(
            "IdP groups",
            Column::Groups,
            "num w-n",
            order,
            sort,
        ))
        .and_view(sort_head("ACLs", Column::Acls, "num w-n", order, sort))
        .and_view(view! { <th role="columnheader" scope="col" class="w-d">"Denies"</th> })
        .and(["Findings"])
        .and_unseen("Actions")
}

fn sort_head(
    label: &'static str,
    column: Column,
    class: &'static str,
    order: Memo<(Column, bool)>,
    sort: Callback<Column>,
) -> impl IntoView {
    let order = Signal::derive(move || match order.get() {
        (by, true) if by == column => Some(SortOrder::Descending),
        (by, false) if by == column => Some(SortOrder::Ascending),
        _ => None,
    });
    view! { <SortHead label=label order=order on_press=move |()| sort.run(column) class=class /> }
}

#[component]
fn NoMatch(search: RwSignal<String>) -> impl IntoView {
    view! {
        <div class="panel flat">
            <Empty glyph=Glyph::Search title=words::NO_MATCHES>
                <p class="brk">{move || sentence(&no_results(&search.get()))}</p>
                <div class="row">
                    <Button on_press=move |()| {
                        search.set(String::new());
                        dom::focus("roles-search");
                    }>"Clear search"</Button>
                </div>
            </Empty>
        </div>
    }
}

/// Those of the rows that are drawn at once: what a screen shows, and what was there before. The
/// others follow when that is on the screen, so that a key waits for a screen of rows and not for a
/// page of them.
fn drawn_of(shown: Memo<Vec<RoleRow>>) -> Memo<Vec<RoleRow>> {
    let before = RwSignal::new(BTreeSet::new());
    let drawn = Memo::new(move |_| {
        let mut drawn = Vec::new();
        for (place, row) in shown.read().iter().enumerate() {
            if place < AT_ONCE || before.with(|before| before.contains(&row.counts.name)) {
                drawn.push(row.clone());
            }
        }
        drawn
    });
    Effect::new(move |_| {
        shown.track();
        dom::after_paint(move || {
            // The page may have been left.
            let names = shown.try_with_untracked(|shown| {
                shown.iter().map(|row| row.counts.name.clone()).collect()
            });
            if let Some(names) = names {
                before.try_set(names);
            }
        });
    });
    drawn
}

/// What is odd about the roles that are shown, found once they are on the screen.
fn findings_of(draft: Draft, shown: Memo<Vec<RoleRow>>) -> RwSignal<BTreeMap<String, String>> {
    let findings = RwSignal::new(BTreeMap::new());
    let names = Memo::new(move |_| {
        let mut names = Vec::new();
        for row in shown.read().iter() {
            if row.status != RowStatus::Removed {
                names.push(row.counts.name.clone());
            }
        }
        names
    });
    let again = RwSignal::new(());
    // Typing goes first.
    let mut find = debounce(Duration::from_millis(120), move |()| {
        let (Some(policy), Some(names)) = (draft.after_untracked(), names.try_get_untracked())
        else {
            return;
        };
        spawn_local(async move {
            if find_marks(policy, names, findings).await.is_err() {
                set_timeout(
                    move || {
                        let _ = again.try_set(());
                    },
                    RETRY,
                );
            }
        });
    });
    Effect::new(move |_| {
        names.track();
        draft.evaluation.with(|_| ());
        again.track();
        find(());
    });
    findings
}

chunk_fn!(rest, find_marks(policy: Arc<Policy>, names: Vec<String>, findings: RwSignal<BTreeMap<String, String>>) {
    let found = dom::measured("roles: findings", || marks(&policy, &names));
    let _ = findings.try_set(found);
});
