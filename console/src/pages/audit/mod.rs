//! The audit page: recent events of the service, with filters.

mod evidence;
mod table;

use gbac_console_model::address;
use gbac_console_model::audit::{
    AuditFilter, EVENTS_FILE, EventRow, LIMITS, export_events, read_events,
};
use gbac_console_model::failure::Failure;
use gbac_console_model::settings::service::audit;
use gbac_words::audit_event::EventKind;
use gbac_words::common;
use gbac_words::pages::audit as words;
use gbac_words::phrases::{self, count, thousands};
use leptos::prelude::*;
use leptos::task::spawn_local;
use leptos_router::hooks::use_location;

use crate::dom;
use crate::store::seen_groups::SeenGroups;
use crate::store::service::{Service, ServiceStatus};
use crate::ui::{Button, Choice, Empty, Field, Glyph, Note, NoteKind, Select, SkeletonRows, Words};

/// What was read, and when.
#[derive(Clone)]
struct ReadEvents {
    rows: Vec<EventRow>,
    /// How many events are of no class that is known here.
    unknown: usize,
    at_ms: f64,
}

/// The page.
#[component]
pub fn AuditPage() -> impl IntoView {
    dom::set_title("Audit");
    let (service, seen) = (expect_context::<Service>(), expect_context::<SeenGroups>());
    let search = use_location().search.get_untracked();
    let filter = RwSignal::new(AuditFilter::at(search.trim_start_matches('?')));
    Effect::new(move |before: Option<AuditFilter>| {
        let now = filter.get();
        if let Some(before) = before
            && before != now
        {
            dom::replace_address(&now.address());
        }
        now
    });
    let read = RwSignal::new(None::<Result<ReadEvents, Failure>>);
    let is_on = RwSignal::new(None::<bool>);
    let busy = RwSignal::new(false);
    let limit = Memo::new(move |_| filter.with(|filter| filter.limit));
    let ask = Callback::new(move |()| {
        busy.set(true);
        spawn_local(async move {
            if let Ok(properties) = service.properties().await {
                is_on.set(audit(&properties));
            }
            let found = service.events(limit.get_untracked()).await;
            read.set(Some(found.map(|events| {
                let rows = read_events(&events);
                seen.add(
                    rows.iter()
                        .flat_map(|row| &row.event.groups)
                        .map(String::as_str),
                );
                ReadEvents {
                    unknown: events.len() - rows.len(),
                    rows,
                    at_ms: dom::now_ms(),
                }
            })));
            busy.set(false);
        });
    });
    let can = Memo::new(move |_| service.can.with(|can| can.audit.clone()));
    let ready = Memo::new(move |_| {
        let is_connected = service
            .status
            .with(|status| matches!(status, ServiceStatus::Connected { .. }));
        (
            is_connected && can.get().is_yes(),
            service.connection.get(),
            service.opened.get(),
            service.user.get(),
            limit.get(),
        )
    });
    Effect::new(move |_| {
        if ready.get().0 {
            ask.run(());
        }
    });
    view! {
        <div class="head">
            <div>
                <h1>"Audit"</h1>
                <p>{words::PURPOSE}</p>
            </div>
            <div class="row">
                <span class="quiet">
                    {move || match &*read.read() {
                        Some(Ok(read)) => Some(format!("read {}", phrases::ago(service.now.get() - read.at_ms))),
                        Some(Err(_)) | None => None,
                    }}
                </span>
                {move || can.get().is_yes().then(|| view! { <Button on_press=ask busy=busy>"Refresh"</Button> })}
            </div>
        </div>
        {move || (is_on.get() == Some(false) && can.get().is_yes()).then(|| view! {
            <div class="banner">
                <Note kind=NoteKind::Warn title=common::AUDIT_LOG_IS_OFF level=2>
                    <p>{move || read.with(|read| match read {
                        Some(Ok(read)) if !read.rows.is_empty() => words::NO_LONGER_RECORDED,
                        _ => words::NOT_RECORDED,
                    })}</p>
                    <div class="row"><a class="btn btn-sm" href=format!("{}#audit", address::SETTINGS)>{words::TURN_ON_IN_SETTINGS}</a></div>
                </Note>
            </div>
        })}
        {move || match (can.get().reason(), read.get()) {
            (Some(reason), _) => view! {
                <div class="panel flat">
                    <Empty glyph=Glyph::Off title=words::NOT_AVAILABLE>
                        <p>{reason}</p>
                        <div class="row"><a class="btn" href=address::CONNECTION>"Connection"</a></div>
                    </Empty>
                </div>
            }
            .into_any(),
            (None, None) => view! { <SkeletonRows what="Reading audit events" /> }.into_any(),
            (None, Some(Err(failure))) => view! { <Unread failure=failure on_again=ask /> }.into_any(),
            (None, Some(Ok(read))) => view! { <Events read=read filter=filter /> }.into_any(),
        }}
    }
}

#[component]
fn Unread(failure: Failure, on_again: Callback<()>) -> impl IntoView {
    let title = if failure.is_forbidden() {
        common::read_forbidden("audit events")
    } else {
        common::read_failed("the audit events")
    };
    let advice = if failure.is_unauthenticated() || failure.is_forbidden() {
        view! { <a class="btn" href=address::CONNECTION>"Connection"</a> }.into_any()
    } else {
        view! { <Button on_press=on_again>"Try again"</Button> }.into_any()
    };
    view! {
        <div class="panel flat">
            <Empty glyph=Glyph::Lock title=title>
                <p class="brk"><Words text=phrases::capitalized(&failure.to_string()) />"."</p>
                <div class="row">{advice}</div>
            </Empty>
        </div>
    }
}

#[component]
fn Events(read: ReadEvents, filter: RwSignal<AuditFilter>) -> impl IntoView {
    let ReadEvents { rows, unknown, .. } = read;
    let all = rows.len();
    let rows = StoredValue::new(rows);
    let shown = Memo::new(move |_| {
        let filter = filter.get();
        let mut shown = Vec::new();
        for (place, row) in rows.read_value().iter().enumerate() {
            if filter.shows(row) {
                shown.push(place);
            }
        }
        shown
    });
    let shown_rows = Signal::derive(move || {
        let (rows, shown) = (rows.read_value(), shown.read());
        let shown = shown.iter().filter_map(|place| rows.get(*place));
        shown.cloned().collect::<Vec<_>>()
    });
    if all == 0 {
        return view! {
            <div class="panel flat">
                <Empty glyph=Glyph::Search title="No events"><p>{words::NO_EVENTS}</p></Empty>
            </div>
        }
        .into_any();
    }
    view! {
        <Filters filter=filter rows=rows />
        <div class="row count-row">
            <p class="count" role="status">
                {move || match shown.with(Vec::len) {
                    shown if shown == all => count(all, "event"),
                    shown => format!("{shown} of {}", count(all, "event")),
                }}
            </p>
            {move || (!shown.read().is_empty()).then(|| view! {
                <Button small=true on_press=move |()| save(&shown_rows.get_untracked())>"Export events"</Button>
            })}
        </div>
        {move || {
            let shown = shown_rows.get();
            if shown.is_empty() {
                view! {
                    <div class="panel flat">
                        <Empty glyph=Glyph::Search title=words::NO_MATCHES>
                            <p>{words::without_filter(all)}</p>
                            <div class="row">
                                <Button on_press=move |()| filter.update(|filter| *filter = AuditFilter { limit: filter.limit, ..AuditFilter::default() })>
                                    "Clear filter"
                                </Button>
                            </div>
                        </Empty>
                    </div>
                }
                .into_any()
            } else {
                view! { <table::Events rows=shown /> }.into_any()
            }
        }}
        {(unknown > 0).then(|| view! { <p class="quiet">{words::other_types(unknown)}</p> })}
    }
    .into_any()
}

fn save(events: &[EventRow]) {
    match dom::save_file(EVENTS_FILE, "application/jsonl", &export_events(events)) {
        Ok(()) => dom::announce(&words::exported(EVENTS_FILE, events.len())),
        Err(reason) => dom::announce_error(&common::file_not_saved(EVENTS_FILE, &reason)),
    }
}

#[component]
fn Filters(filter: RwSignal<AuditFilter>, rows: StoredValue<Vec<EventRow>>) -> impl IntoView {
    const ANY: &str = "";
    // Each with the number of events that it would show.
    let kinds = Memo::new(move |_| {
        let (filter, rows) = (filter.read(), rows.read_value());
        let all = thousands(filter.count(&rows, None));
        let mut choices = vec![Choice::new(ANY, format!("Everything ({all})"))];
        choices.extend(Choice::each(EventKind::ALL, |kind| {
            let number = thousands(filter.count(&rows, Some(kind)));
            (kind.id(), format!("{} ({number})", kind.label()))
        }));
        choices
    });
    let outcomes = vec![
        Choice::new(ANY, "Any"),
        Choice::new("allow", "Allowed"),
        Choice::new("deny", "Denied, refused"),
    ];
    let limits = Choice::each(LIMITS, |limit| (limit.to_string(), format!("last {limit}")));
    let kind = Signal::derive(move || {
        filter.with(|filter| filter.kind.map_or(ANY, EventKind::id).to_owned())
    });
    let outcome = Signal::derive(move || {
        filter.with(|filter| match filter.allowed {
            None => ANY.to_owned(),
            Some(true) => "allow".to_owned(),
            Some(false) => "deny".to_owned(),
        })
    });
    let user = Signal::derive(move || filter.with(|filter| filter.user.clone()));
    let group = Signal::derive(move || filter.with(|filter| filter.group.clone()));
    let limit = Signal::derive(move || filter.with(|filter| filter.limit.to_string()));
    view! {
        <form class="filters" role="search" aria-label="Filter events" on:submit=move |event| event.prevent_default()>
            <Select id="audit-kind" label="Event type" value=kind choices=kinds
                on_change=move |id: String| filter.update(|filter| filter.kind = EventKind::ALL.into_iter().find(|kind| kind.id() == id)) />
            <Select id="audit-outcome" label="Outcome" value=outcome choices=Signal::stored(outcomes)
                on_change=move |id: String| filter.update(|filter| filter.allowed = match id.as_str() { "allow" => Some(true), "deny" => Some(false), _ => None }) />
            <Field id="audit-user" label="User" value=user mono=true on_input=move |text: String| filter.update(|filter| filter.user = text) />
            <Field id="audit-group" label="IdP group or role" value=group mono=true on_input=move |text: String| filter.update(|filter| filter.group = text) />
            <Select id="audit-limit" label="Number of events" value=limit choices=Signal::stored(limits)
                on_change=move |text: String| filter.update(|filter| filter.limit = text.parse().unwrap_or(filter.limit)) />
        </form>
    }
}
