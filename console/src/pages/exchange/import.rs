//! The import of text into the draft, with a place for each problem.

use std::sync::Arc;
use std::time::Duration;

use gbac_console_model::address;
use gbac_console_model::connection::Connection;
use gbac_console_model::exchange::{
    ImportMode, ImportPreview, LargeImport, MOST, import_command, read, summary,
};
use gbac_formats::format::Format;
use gbac_formats::import::UnreadEntry;
use gbac_formats::table::InputFormat;
use gbac_words::common::add_to_draft;
use gbac_words::pages::exchange as words;
use gbac_words::phrases::{capitalized, count, thousands};
use gbac_words::rich_text::RichText;
use leptos::leptos_dom::helpers::debounce;
use leptos::prelude::*;

use crate::dom::{self, GivenFile};
use crate::pages::given_file::{self, DropTarget};
use crate::store::draft::Draft;
use crate::store::service::Service;
use crate::ui::{
    Button, ButtonKind, Choice, CopyBlock, Field, Message, MessageKind, Note, NoteKind, Segmented,
    TextArea, Words,
};

/// How many problems are shown.
const PROBLEMS: usize = 200;
/// The largest file that is read, in bytes.
const LARGEST: f64 = 20_000_000.0;

#[component]
pub(super) fn ImportView() -> impl IntoView {
    let text = RwSignal::new(String::new());
    let role = RwSignal::new(String::new());
    let file = RwSignal::new(None::<String>);
    let refused = RwSignal::new(None::<RichText>);
    let large = RwSignal::new(None::<String>);
    // Reading a large text for each key would be felt.
    let settled = RwSignal::new((String::new(), String::new()));
    let mut settle = debounce(
        Duration::from_millis(200),
        move |given: (String, String)| {
            let _ = settled.try_set(given);
        },
    );
    Effect::new(move |_| settle((text.get(), role.get())));
    let incoming = Memo::new_with_compare(
        move |_| {
            settled
                .with(|(text, role)| (!text.trim().is_empty()).then(|| Arc::new(read(text, role))))
        },
        |_, _| true,
    );
    let take = move |given: GivenFile| {
        large.set((given.size() > LARGEST).then(|| given.name()));
        given_file::take(
            given,
            LARGEST,
            words::too_large,
            refused,
            move |name, content| {
                let _ = text.try_set(content);
                let _ = file.try_set(Some(name.to_owned()));
                dom::announce(&format!("{name} was read"));
                Ok(())
            },
        );
    };
    let wants_role = Memo::new(move |_| {
        !role.read().is_empty()
            || matches!(&*incoming.read(), Some(incoming) if incoming.wants_role())
    });
    view! {
        <section class="panel flat pad" aria-labelledby="h-import">
            <DropTarget on_drop=take>
                <h2 id="h-import" tabindex="-1">"Import"</h2>
                <TextArea id="import-text" label=words::IMPORTED_TEXT rows=8 value=text
                    placeholder="{ \"version\": 1, \"roles\": [..], \"acls\": [..] }"
                    help=words::paste_or_drop(&InputFormat::labels())
                    on_input=move |typed| {
                        file.set(None);
                        large.set(None);
                        text.set(typed);
                    } />
                <div class="row">
                    {given_file::input("import-file", take)}
                    <Button on_press=move |()| dom::click("import-file")>"Choose a file"</Button>
                    {move || file.get().map(|name| view! { <span class="mono brk">{name}</span> })}
                </div>
                {given_file::refusal(refused)}
                {move || large.get().map(|name| {
                    command(&LargeImport { file: Some(&name), ..LargeImport::default() })
                })}
                {move || wants_role.get().then(|| view! {
                    <Field id="import-role" label="Role name" mono=true value=role on_input=move |name| role.set(name) />
                })}
                {move || incoming.get().map(|incoming| view! { <Read incoming=incoming text=text role=role file=file /> })}
            </DropTarget>
        </section>
    }
}

#[component]
fn Read(
    incoming: Arc<ImportPreview>,
    text: RwSignal<String>,
    role: RwSignal<String>,
    file: RwSignal<Option<String>>,
) -> impl IntoView {
    let unread = incoming.unread.clone();
    let is_refused = incoming.modes.is_empty();
    let format = incoming.format;
    let notes = incoming
        .notes
        .iter()
        .map(|note| view! { <p class="help"><Words text=format!("{}.", capitalized(note)) /></p> })
        .collect_view();
    let holds = match (format, is_refused) {
        (None, _) | (Some(Format::Document), true) => None,
        _ => Some(format!(
            "{}: {}.",
            capitalized(incoming.label),
            incoming.holds
        )),
    };
    view! {
        <div role="status">{holds.map(|holds| view! { <p>{holds}</p> })} {notes}</div>
        {(!unread.is_empty()).then(|| view! { <Problems unread=unread format=format is_refused=is_refused /> })}
        {(!is_refused).then(|| view! { <Take incoming=incoming text=text role=role file=file /> })}
    }
}

/// The command that imports what is too large for this page.
fn command(import: &LargeImport<'_>) -> impl IntoView + use<> {
    let service = expect_context::<Service>();
    let is_own = service
        .connection
        .with_untracked(|connection| *connection == Connection::Service);
    let url = service.url();
    let text = import_command(&LargeImport {
        url: is_own.then_some(url.as_str()),
        ..*import
    });
    let help = match import.mode {
        ImportMode::Add => words::COMMAND_ADDS,
        ImportMode::Replace => words::COMMAND_REPLACES,
    };
    view! {
        <CopyBlock text=text what="the command" />
        <p class="help">{help}</p>
    }
}

#[component]
fn Problems(unread: Vec<UnreadEntry>, format: Option<Format>, is_refused: bool) -> impl IntoView {
    let number = unread.len();
    let problems = count(number, "problem");
    let (note, title) = match (format, is_refused) {
        (None, _) => (NoteKind::Error, "Unrecognized format".to_owned()),
        (_, true) => (NoteKind::Error, format!("Nothing was imported: {problems}")),
        (_, false) => (NoteKind::Warn, words::entries_not_read(number)),
    };
    view! {
        <Note kind=note title=title>
            <div class="problems" tabindex="0" role="group" aria-label="Problems">
                <ul class="plain">
                    {unread.into_iter().take(PROBLEMS).map(|UnreadEntry { place, message, .. }| view! {
                        <li class="brk">
                            {(!place.is_empty()).then(|| view! { <span class="mono place">{place}</span> ": " })}
                            <Words text=message />
                        </li>
                    }).collect_view()}
                    {(number > PROBLEMS).then(|| view! { <li>{format!("and {} more", thousands(number - PROBLEMS))}</li> })}
                </ul>
            </div>
        </Note>
    }
}

/// The difference to what is there, and the button that takes it into the draft.
#[component]
fn Take(
    incoming: Arc<ImportPreview>,
    text: RwSignal<String>,
    role: RwSignal<String>,
    file: RwSignal<Option<String>>,
) -> impl IntoView {
    let draft = expect_context::<Draft>();
    let mode = RwSignal::new(incoming.modes.first().copied().unwrap_or_default());
    let has_choice = incoming.modes.len() > 1;
    let about = Arc::clone(&incoming);
    let is_document = incoming.format == Some(Format::Document);
    let skipping = incoming.skipping();
    let skips_unread = RwSignal::new(false);
    let can_be_taken = {
        let incoming = Arc::clone(&incoming);
        Memo::new(move |_| incoming.can_be_taken(skips_unread.get()))
    };
    let changes = Memo::new(move |_| match draft.after() {
        Some(after) => incoming.changes(&after, mode.get()),
        None => Vec::new(),
    });
    let number = Memo::new(move |_| changes.with(Vec::len));
    let value = Signal::derive(move || {
        if mode.get() == ImportMode::Replace {
            "replace"
        } else {
            "add"
        }
        .to_owned()
    });
    let is_too_much = Memo::new(move |_| number.get() > MOST);
    view! {
        {has_choice.then(|| view! {
            <Segmented name="import-mode" legend="Existing rules" value=value
                choices=vec![Choice::new("add", "Keep and add"), Choice::new("replace", "Replace")]
                on_change=move |id: String| mode.set(if id == "replace" { ImportMode::Replace } else { ImportMode::Add }) />
        })}
        <p role="status">
            {move || match number.get() {
                0 => words::IDENTICAL.to_owned(),
                _ => words::compared(&changes.with(|changes| summary(changes))),
            }}
        </p>
        {move || match draft.after() {
            Some(after) if about.leaves_settings(&after, mode.get()) => {
                Some(view! { <Message kind=MessageKind::Warn>{words::KEEPS_SETTINGS}</Message> })
            }
            _ => None,
        }}
        {move || is_too_much.get().then(|| view! {
            <Message kind=MessageKind::Warn>{words::draft_limit(MOST)}</Message>
            {command(&LargeImport {
                file: file.get().as_deref(),
                role: &role.get(),
                is_document,
                mode: mode.get(),
                url: None,
            })}
        })}
        {skipping.map(|label| view! {
            <label class="check-l">
                <input class="check" type="checkbox" aria-describedby="import-skipped" prop:checked=move || skips_unread.get()
                    on:change=move |event| skips_unread.set(event_target_checked(&event)) />
                <span>{label}</span>
            </label>
            <p class="help" id="import-skipped">{words::SKIPPED_MAY_DENY}</p>
        })}
        <div class="row">
            <Button kind=ButtonKind::Secondary
                disabled=Signal::derive(move || number.get() == 0 || is_too_much.get() || !can_be_taken.get())
                on_press=move |()| {
                    let taken = changes.get_untracked();
                    let number = taken.len();
                    draft.add_all(taken);
                    text.set(String::new());
                    role.set(String::new());
                    dom::announce(&format!("{} in the draft", count(number, "change")));
                    dom::focus_later("h-import");
                }>
                {move || add_to_draft(number.get())}
            </Button>
            {move || (draft.count() > 0).then(|| view! {
                <a class="btn" href=address::REVIEW>{move || format!("Review {}", count(draft.count(), "change"))}</a>
            })}
        </div>
    }
}
