//! The loggers: levels, their duration, and logging of token claims.

use gbac_console_model::failure::Failure;
use gbac_console_model::settings::service::{DEFAULT_LEVEL, LEVELS, LoggerRow, TIMES, left};
use gbac_words::pages::settings as words;
use gbac_words::phrases;
use leptos::prelude::*;
use leptos::task::spawn_local;

use super::service::Failed;
use crate::dom;
use crate::store::service::Service;
use crate::ui::{Button, Choice, Message, MessageKind, Mono, Select, Words};

/// The logger that writes claims at `debug` (D-24).
const SECURITY: &str = "security";

#[component]
pub(super) fn Loggers() -> impl IntoView {
    let service = expect_context::<Service>();
    let rows = RwSignal::new(None::<Result<Vec<LoggerRow>, Failure>>);
    let can = Memo::new(move |_| service.can.with(|can| can.loggers.clone()));
    service.on_connection(move || {
        if can.get_untracked().is_yes() {
            ask(service, rows);
        }
    });
    // A level whose time is over is another one by now.
    let over = Memo::new(move |_| {
        let now = service.now.get();
        rows.with(|rows| match rows {
            Some(Ok(rows)) => rows
                .iter()
                .any(|row| matches!(row.reverts_at, Some(at) if at < now)),
            Some(Err(_)) | None => false,
        })
    });
    Effect::new(move |_| {
        if over.get() {
            ask(service, rows);
        }
    });
    let failed = RwSignal::new(None::<Failure>);
    let busy = RwSignal::new(false);
    let set = Callback::new(move |(name, level, seconds): (String, String, u32)| {
        busy.set(true);
        spawn_local(async move {
            let sent = service.set_log_level(&name, &level, seconds).await;
            match &sent {
                Ok(()) => dom::announce(&format!("{name} writes {level}")),
                Err(failure) => dom::announce_error(&failure.to_string()),
            }
            failed.set(sent.err());
            busy.set(false);
            rows.set(Some(read(service).await));
        });
    });
    view! {
        <section aria-label="Loggers">
            {move || match (can.get().reason(), rows.get()) {
                (Some(reason), _) => view! { <p class="quiet">{reason}</p> }.into_any(),
                (None, None) => view! { <p class="quiet" role="status">"Reading"</p> }.into_any(),
                (None, Some(Err(failure))) => {
                    view! { <p class="quiet brk"><Words text=phrases::capitalized(&failure.to_string()) />"."</p> }.into_any()
                }
                (None, Some(Ok(list))) => view! { <Table list=list busy=busy on_set=set /> }.into_any(),
            }}
            <Failed failed=failed />
        </section>
    }
}

fn ask(service: Service, rows: RwSignal<Option<Result<Vec<LoggerRow>, Failure>>>) {
    spawn_local(async move {
        rows.set(Some(read(service).await));
    });
}

/// The loggers with their levels, and of those that revert in how many seconds.
async fn read(service: Service) -> Result<Vec<LoggerRow>, Failure> {
    let mut rows = Vec::new();
    for logger in service.loggers().await? {
        let row = LoggerRow::from_logger(logger);
        // One that has the usual level may have been given it for a time, too; who did so knows.
        if row.is_changed() {
            let level = service.log_level(&row.name).await?;
            rows.push(row.reverting(level.expiration, dom::now_ms()));
        } else {
            rows.push(row);
        }
    }
    Ok(rows)
}

#[component]
fn Table(
    list: Vec<LoggerRow>,
    busy: RwSignal<bool>,
    on_set: Callback<(String, String, u32)>,
) -> impl IntoView {
    let service = expect_context::<Service>();
    let names = Choice::each(&list, |row| (row.name.clone(), row.name.clone()));
    let name = match list.first() {
        _ if list.iter().any(|row| row.name == SECURITY) => SECURITY.to_owned(),
        Some(first) => first.name.clone(),
        None => String::new(),
    };
    let name = RwSignal::new(name);
    let level = RwSignal::new("debug".to_owned());
    let seconds = RwSignal::new("300".to_owned());
    let (changed, unchanged): (Vec<_>, Vec<_>) = list.into_iter().partition(LoggerRow::is_changed);
    let lines: Vec<_> = changed
        .into_iter()
        .map(|row| {
            let LoggerRow { name, level, reverts_at } = row;
            let back = name.clone();
            view! {
                <li>
                    <div>
                        <Mono text=name.clone() /> " at " <Mono text=level /> <span class="num">{move || match reverts_at {
                            Some(at) => format!(", reverts in {}", left(at, service.now.get())),
                            None => ", until changed".to_owned(),
                        }}</span> ". "
                        <Button small=true busy=busy on_press=move |()| on_set.run((back.clone(), DEFAULT_LEVEL.into(), 0))>
                            "Back to info" <span class="sr">" for " {name}</span>
                        </Button>
                    </div>
                </li>
            }
        })
        .collect();
    let others = words::unchanged_loggers(lines.len(), unchanged.len(), DEFAULT_LEVEL);
    view! {
        <div class="stack">
            <div>
                <ul class="facts">{lines}</ul>
                <p class="quiet">{others}</p>
            </div>
            <form class="stack tight" aria-label="Set a log level" on:submit=move |event| {
                event.prevent_default();
                let seconds = seconds.with_untracked(|seconds| seconds.parse().unwrap_or(300));
                on_set.run((name.get_untracked(), level.get_untracked(), seconds));
            }>
                <div class="grid-3">
                    <Select id="logger-name" label="Logger" value=name choices=Signal::stored(names) on_change=move |value| name.set(value) />
                    <Select id="logger-level" label="Level" value=level
                        choices=Signal::stored(Choice::each(LEVELS, |level| (level, level)))
                        on_change=move |value| level.set(value) />
                    <Select id="logger-time" label="Duration" value=seconds
                        choices=Signal::stored(Choice::each(TIMES, |(seconds, words)| (seconds.to_string(), words)))
                        on_change=move |value| seconds.set(value) />
                </div>
                {move || {
                    let is_verbose = level.with(|level| matches!(level.as_str(), "debug" | "trace"));
                    (is_verbose && name.with(|name| name == SECURITY)).then(|| view! {
                        <Message kind=MessageKind::Warn>{words::LOGS_CLAIMS}</Message>
                    })
                }}
                <div class="row"><Button submit=true small=true busy=busy>"Set level"</Button></div>
            </form>
        </div>
    }
}
