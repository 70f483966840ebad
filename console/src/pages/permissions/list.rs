//! The list of principals.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use gbac_analysis::PolicySummary;
use gbac_console_model::address;
use gbac_console_model::permissions::card::in_draft;
use gbac_console_model::permissions::findings::{FindingMark, by_principal};
use gbac_console_model::permissions::list::{
    AccessFilter, Finder, ListQuery, PAGE, PrincipalKind, denies, exactly, summary,
    summary_with_draft,
};
use gbac_console_model::roles::Search;
use gbac_engine::model::{Principal, PrincipalType};
use gbac_words::common::{SEARCHED_AS_TEXT, no_results};
use gbac_words::escape::plain;
use gbac_words::pages::permissions as words;
use gbac_words::pages::roles::IMPORT_FIRST;
use gbac_words::phrases::{count, thousands};
use leptos::leptos_dom::helpers::debounce;
use leptos::prelude::*;
use leptos_router::NavigateOptions;
use leptos_router::hooks::use_location;

use super::card::CardView;
use super::delete::{DeleteAcls, Deletion};
use super::frame::{Context, Frame};
use crate::dom;
use crate::pages::rich_text::sentence;
use crate::pages::roles::pager::Pager;
use crate::store::draft::Draft;
use crate::ui::{
    Button, Choice, Empty, Glyph, Icon, IconSize, Mark, PrincipalName, Segmented, Tag, TagKind,
    VerdictWord,
};

/// How many names are searched in one go, so that no step takes longer than a frame.
const STEP: usize = 4000;

/// The page.
#[component]
pub fn PermissionsPage() -> impl IntoView {
    view! {
        <Frame lead=words::PRINCIPALS_PURPOSE>
            <Principals />
        </Frame>
    }
}

/// The search and filters in the address, and the search text while it is typed.
fn asked_in_address() -> (Memo<ListQuery>, RwSignal<String>, Callback<ListQuery>) {
    let location = use_location();
    let (path, search_part) = (location.pathname, location.search);
    let navigate = dom::use_navigate();
    let query =
        Memo::new(move |_| search_part.with(|search_part| ListQuery::from_query(search_part)));
    let search = RwSignal::new(query.with_untracked(|query| query.search.clone()));
    // What this page wrote last, so that its own writing is not taken for a visitor's going back.
    let written = StoredValue::new(search.get_untracked());
    let go = Callback::new(move |query: ListQuery| {
        // The page may have been left since the key was pressed.
        if path.get_untracked() == address::PERMISSIONS {
            let _ = written.try_update_value(|written| written.clone_from(&query.search));
            let options = NavigateOptions {
                replace: true,
                scroll: false,
                ..NavigateOptions::default()
            };
            navigate(&query.address(), options);
        }
    });
    let mut write = debounce(Duration::from_millis(200), move |text: String| {
        if let Some(written) = written.try_get_value()
            && written != text
        {
            go.run(ListQuery {
                search: text,
                page: 0,
                ..query.get_untracked()
            });
        }
    });
    Effect::new(move |_| write(search.get()));
    Effect::new(move |_| {
        let query = query.with(|query| query.search.clone());
        if query != written.get_value() {
            written.set_value(query.clone());
            search.set(query);
        }
    });
    (query, search, go)
}

/// Searches in steps; the last result stays until the next one is there.
fn search_in_steps(
    holdings: Memo<Option<Arc<PolicySummary>>>,
    text: Memo<String>,
) -> RwSignal<Option<Arc<Vec<usize>>>> {
    let found = RwSignal::new(None);
    let turn = StoredValue::new(0_u64);
    Effect::new(move |_| {
        let (Some(holdings), text) = (holdings.get(), text.get()) else {
            return;
        };
        turn.update_value(|turn| *turn += 1);
        if text.is_empty() {
            found.set(Some(Arc::new((0..holdings.all.len()).collect())));
        } else {
            step(
                Finder::new(&holdings, &text),
                holdings,
                (turn, turn.get_value()),
                found,
            );
        }
    });
    found
}

fn step(
    mut finder: Finder,
    holdings: Arc<PolicySummary>,
    (turn, mine): (StoredValue<u64>, u64),
    found: RwSignal<Option<Arc<Vec<usize>>>>,
) {
    if turn.try_get_value() != Some(mine) {
        return;
    }
    if finder.step(&holdings, STEP) {
        set_timeout(
            move || step(finder, holdings, (turn, mine), found),
            Duration::ZERO,
        );
    } else {
        let _ = found.try_set(Some(Arc::new(finder.finish(&holdings))));
    }
}

/// The list with its search and filters.
#[component]
fn Principals() -> impl IntoView {
    let context = expect_context::<Context>();
    let draft = expect_context::<Draft>();
    let (query, search, go) = asked_in_address();
    let text = Memo::new(move |_| query.with(|query| query.search.clone()));
    let found = search_in_steps(context.holdings, text);
    let marks = Memo::new(move |_| match context.findings.all.get() {
        Some(all) => Arc::new(by_principal(&all)),
        None => Arc::default(),
    });
    let shown = Memo::new(move |_| {
        let (Some(holdings), Some(found)) = (context.holdings.get(), found.get()) else {
            return Vec::new();
        };
        let (kind, with) = query.with(|query| (query.kind, query.with));
        let mut shown = Vec::new();
        for place in found.iter().copied() {
            let Some(holding) = holdings.all.get(place) else {
                continue;
            };
            let held = match with {
                AccessFilter::Any => true,
                AccessFilter::Deny => denies(holding) > 0,
                AccessFilter::Finding => marks.with(|marks| marks.contains_key(&holding.principal)),
            };
            if held && kind.takes(holding.principal.kind()) {
                shown.push(place);
            }
        }
        shown
    });
    let number = Memo::new(move |_| shown.with(Vec::len));
    let page = Memo::new(move |_| {
        query
            .with(|query| query.page)
            .min(number.get().saturating_sub(1) / PAGE)
    });
    let rows = Memo::new(move |_| {
        let Some(holdings) = context.holdings.get() else {
            return Vec::new();
        };
        let (shown, marks) = (shown.read(), marks.read());
        let here = shown.iter().skip(page.get() * PAGE).take(PAGE);
        here.filter_map(|place| Row::new(&holdings, &marks, *place))
            .collect::<Vec<Row>>()
    });
    let deletion = RwSignal::new(None::<Deletion>);
    provide_context(deletion);
    let is_found = Memo::new(move |_| number.get() > 0);
    let nobody = Memo::new(
        move |_| matches!(&*context.holdings.read(), Some(holdings) if holdings.all.is_empty()),
    );
    let turn = Callback::new(move |page| {
        go.run(ListQuery {
            page,
            ..query.get_untracked()
        });
    });
    view! {
        <Tools query=query search=search go=go number=number />
        {move || match (is_found.get(), found.with(Option::is_some), nobody.get()) {
            (true, ..) => {
                // Open already: the only one that was found, and the one that a link names. Letter
                // case makes no difference to a search, but to principals.
                let alone = number.get_untracked() == 1;
                view! {
                    <Pager place="above" page=page found=number on_page=turn />
                    <div class="panel flat">
                        <ul class="disc">
                            // By principal alone: a row that the visitor opened stays open when its
                            // findings or its ACLs change.
                            <For each=move || rows.get() key=|row| row.principal.clone() let:row>
                                {
                                    let open = alone || text.with_untracked(|text| *text == exactly(&row.principal));
                                    view! { <RowView first=row rows=rows open=open draft=draft /> }
                                }
                            </For>
                        </ul>
                        <Pager place="below" page=page found=number on_page=turn />
                    </div>
                }
                .into_any()
            }
            (false, _, true) => view! {
                <div class="panel flat">
                    <Empty glyph=Glyph::Group title="No permissions yet">
                        <p>{words::NO_PRINCIPALS}</p>
                        <div class="row">
                            <a class="btn" href=address::EXCHANGE>{IMPORT_FIRST}</a>
                            <a class="btn" href=address::ROLES>"All roles"</a>
                        </div>
                    </Empty>
                </div>
            }
            .into_any(),
            (false, true, false) => view! { <NoMatch query=query search=search go=go /> }.into_any(),
            (false, false, false) => ().into_any(),
        }}
        <DeleteAcls deletion=deletion />
    }
}

#[component]
fn Tools(
    query: Memo<ListQuery>,
    search: RwSignal<String>,
    go: Callback<ListQuery>,
    number: Memo<usize>,
) -> impl IntoView {
    let context = expect_context::<Context>();
    let kind = Signal::derive(move || query.with(|query| query.kind.id().to_owned()));
    let with = Signal::derive(move || query.with(|query| query.with.id().to_owned()));
    view! {
        <div class="tools">
            <div class="search">
                <Icon glyph=Glyph::Search />
                <label class="sr" for="principals-search">{words::SEARCH_PRINCIPALS}</label>
                <input
                    class="in mono"
                    id="principals-search"
                    type="search"
                    placeholder="Principal, resource or role"
                    autocomplete="off"
                    autocapitalize="off"
                    spellcheck="false"
                    aria-describedby="principals-search-how"
                    prop:value=move || search.get()
                    on:input=move |event| search.set(event_target_value(&event))
                />
            </div>
            <Segmented name="principal-type" legend="Type" hide_legend=true value=kind
                choices=Choice::each(PrincipalKind::ALL, |kind| (kind.id(), kind.word()))
                on_change=move |id: String| {
                    let kind = PrincipalKind::ALL.into_iter().find(|kind| kind.id() == id).unwrap_or_default();
                    go.run(ListQuery { kind, page: 0, ..query.get_untracked() });
                } />
            <Segmented name="principal-with" legend="Filter" hide_legend=true value=with
                choices=Choice::each(AccessFilter::ALL, |with| (with.id(), with.word()))
                on_change=move |id: String| {
                    let with = AccessFilter::ALL.into_iter().find(|with| with.id() == id).unwrap_or_default();
                    go.run(ListQuery { with, page: 0, ..query.get_untracked() });
                } />
            <span class="help" id="principals-search-how">
                {move || Search::new(&search.get()).is_broken().then_some(SEARCHED_AS_TEXT)}
            </span>
            <p class="count row-end" role="status">
                {move || {
                    let shown = number.get();
                    let all = match &*context.holdings.read() {
                        Some(holdings) => holdings.all.len(),
                        None => 0,
                    };
                    if shown == all { count(all, "principal") } else { format!("{} of {}", thousands(shown), count(all, "principal")) }
                }}
            </p>
        </div>
    }
}

#[component]
fn NoMatch(
    query: Memo<ListQuery>,
    search: RwSignal<String>,
    go: Callback<ListQuery>,
) -> impl IntoView {
    view! {
        <div class="panel flat">
            <Empty glyph=Glyph::Search title=words::NO_PRINCIPALS_MATCH>
                <p class="brk">{move || sentence(&no_results(&query_words(query.get())))}</p>
                <div class="row">
                    <Button on_press=move |()| {
                        search.set(String::new());
                        go.run(ListQuery::default());
                        dom::focus("principals-search");
                    }>"Clear search"</Button>
                </div>
            </Empty>
        </div>
    }
}

/// What is searched for.
fn query_words(query: ListQuery) -> String {
    let mut parts = Vec::new();
    if !query.search.is_empty() {
        parts.push(query.search);
    }
    if query.kind != PrincipalKind::All {
        parts.push(query.kind.word().to_lowercase());
    }
    if query.with != AccessFilter::Any {
        parts.push(query.with.word().to_lowercase());
    }
    parts.join(", ")
}

/// One principal of the list, as it is shown while it is closed.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Row {
    principal: Principal,
    summary: String,
    denies: usize,
    findings: usize,
    near: Option<Principal>,
}

impl Row {
    fn new(
        holdings: &PolicySummary,
        marks: &BTreeMap<Principal, FindingMark>,
        place: usize,
    ) -> Option<Self> {
        let holding = holdings.all.get(place)?;
        let mark = marks.get(&holding.principal).cloned().unwrap_or_default();
        Some(Self {
            principal: holding.principal.clone(),
            summary: summary(holding),
            denies: denies(holding),
            findings: mark.findings,
            near: mark.near,
        })
    }
}

/// The icon of a type.
const fn glyph(kind: PrincipalType) -> Glyph {
    match kind {
        PrincipalType::User | PrincipalType::Other => Glyph::User,
        PrincipalType::Group => Glyph::Group,
        PrincipalType::Role => Glyph::Role,
    }
}

#[component]
fn RowView(
    /// The row as it is when it comes into the list.
    first: Row,
    /// All rows of the page, with this one as it is now.
    rows: Memo<Vec<Row>>,
    /// Whether it is open at first.
    open: bool,
    draft: Draft,
) -> impl IntoView {
    let principal = first.principal.clone();
    let row = Memo::new(move |_| {
        let rows = rows.read();
        let now = rows.iter().find(|row| row.principal == first.principal);
        now.unwrap_or(&first).clone()
    });
    let open = RwSignal::new(open);
    let id = format!(
        "card-{}",
        gbac_api::encode::component(&principal.to_string())
    );
    let controls = id.clone();
    let (shown, about) = (principal.clone(), principal.clone());
    let staged = Memo::new(move |_| draft.changes.with(|changes| in_draft(changes, &about)));
    // With the draft, as the list of roles counts.
    let with_draft = principal.clone();
    let word = match principal.kind() {
        PrincipalType::User => "User",
        PrincipalType::Group => "IdP group",
        PrincipalType::Role => "Role",
        PrincipalType::Other => "Principal",
    };
    view! {
        <li>
            <div class="disc-h">
                <button
                    type="button"
                    class="disc-b"
                    aria-expanded=move || if open.get() { "true" } else { "false" }
                    aria-controls=controls
                    on:click=move |_| open.update(|open| *open = !*open)
                >
                    <Icon glyph=Glyph::Chevron size=IconSize::Small class="chev" />
                    <Icon glyph=glyph(principal.kind()) size=IconSize::Small class="dim" />
                    <span class="sr">{word} " "</span>
                    <PrincipalName principal=shown />
                </button>
                <span class="quiet">
                    {move || {
                        if staged.with(Option::is_some)
                            && let Some(after) = draft.after()
                            && let Some(drafted) = summary_with_draft(&after, &with_draft)
                        {
                            return drafted;
                        }
                        row.with(|row| row.summary.clone())
                    }}
                </span>
                <span>
                    {move || match row.with(|row| row.denies) {
                        0 => None,
                        denies => Some(view! { <VerdictWord mark=Mark::Deny word=format!("{} deny", thousands(denies)) small=true /> }),
                    }}
                </span>
                <span class="marks">
                    {move || {
                        let row = row.read();
                        let (glyph, text) = match (&row.near, row.findings) {
                            (Some(near), _) => (Glyph::Near, format!("Near miss of {}", plain(&near.to_string()))),
                            (None, 0) => return None,
                            (None, findings) => (Glyph::Warn, count(findings, "finding")),
                        };
                        Some(view! { <Tag kind=TagKind::Warn glyph=glyph>{text}</Tag> })
                    }}
                    {move || staged.get().map(|words| view! { <Tag kind=TagKind::Draft>{words}</Tag> })}
                </span>
            </div>
            <div id=id hidden=move || !open.get()>
                {move || open.get().then(|| view! { <CardView principal=principal.clone() /> })}
            </div>
        </li>
    }
}
