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
    let ask = move || {
        spawn_local(async move {
            rows.set(Some(read(service).await));
        });
    };
    let can = Memo::new(move |_| service.can.with(|can| can.loggers.clone()));
    service.on_connection(move || {
        if can.get_untracked().is_yes() {
            ask();
        }
    });
    // A level whose time is over is another one by now.
    let over = Memo::new(move |_| {
        let now = service.now.get();
        rows.with(|rows| match rows {
            Some(Ok(rows)) => rows
                .iter()
                .any(|row| row.reverts_at.is_some_and(|at| at < now)),
            Some(Err(_)) | None => false,
        })
    });
    Effect::new(move |_| {
        if over.get() {
            ask();
        }
    });
    let failed = RwSignal::new(None::<Failure>);
    let busy = RwSignal::new(false);
    let set = move |name: String, level: String, seconds: u32| {
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
    };
    view! {
        <section aria-label="Loggers">
            {move || match (can.get().reason(), rows.get()) {
                (Some(reason), _) => view! { <p class="quiet">{reason}</p> }.into_any(),
                (None, None) => view! { <p class="quiet" role="status">"Reading"</p> }.into_any(),
                (None, Some(Err(failure))) => {
                    view! { <p class="quiet brk"><Words text=phrases::capitalized(&failure.to_string()) />"."</p> }.into_any()
                }
                (None, Some(Ok(list))) => view! { <Table list=list busy=busy on_set=Callback::new(move |(name, level, seconds)| set(name, level, seconds)) /> }.into_any(),
            }}
            <Failed failed=failed />
        </section>
    }
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
    let names: Vec<Choice> = list
        .iter()
        .map(|row| Choice::new(row.name.clone(), row.name.clone()))
        .collect();
    let first = names
        .iter()
        .find(|choice| choice.value == SECURITY)
        .or_else(|| names.first());
    let name = RwSignal::new(first.map(|choice| choice.value.clone()).unwrap_or_default());
    let level = RwSignal::new("debug".to_owned());
    let seconds = RwSignal::new("300".to_owned());
    let changed: Vec<LoggerRow> = list
        .iter()
        .filter(|row| row.is_changed())
        .cloned()
        .collect();
    let rest = list.len() - changed.len();
    let lines: Vec<_> = changed
        .into_iter()
        .map(|row| {
            let LoggerRow { name, level, reverts_at } = row;
            let back = name.clone();
            let time = move || match reverts_at {
                Some(at) => format!(", reverts in {}", left(at, service.now.get())),
                None => ", until changed".to_owned(),
            };
            view! {
                <li>
                    <div>
                        <Mono text=name.clone() /> " at " <Mono text=level /> <span class="num">{time}</span> ". "
                        <Button small=true busy=busy on_press=move |()| on_set.run((back.clone(), DEFAULT_LEVEL.into(), 0))>
                            "Back to info" <span class="sr">" for " {name}</span>
                        </Button>
                    </div>
                </li>
            }
        })
        .collect();
    let others = words::unchanged_loggers(lines.len(), rest, DEFAULT_LEVEL);
    let claims = move || {
        let verbose = level.with(|level| matches!(level.as_str(), "debug" | "trace"));
        (verbose && name.with(|name| name == SECURITY)).then(|| {
            view! {
                <Message kind=MessageKind::Warn>{words::LOGS_CLAIMS}</Message>
            }
        })
    };
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
                        choices=Signal::stored(LEVELS.iter().map(|level| Choice::new(*level, *level)).collect::<Vec<_>>())
                        on_change=move |value| level.set(value) />
                    <Select id="logger-time" label="Duration" value=seconds
                        choices=Signal::stored(TIMES.iter().map(|(seconds, words)| Choice::new(seconds.to_string(), *words)).collect::<Vec<_>>())
                        on_change=move |value| seconds.set(value) />
                </div>
                {claims}
                <div class="row"><Button submit=true small=true busy=busy>"Set level"</Button></div>
            </form>
        </div>
    }
}
