//! The export of the policy or the draft as text.

use std::sync::Arc;

use gbac_console_model::exchange::{about, beginning};
use gbac_formats::export::{Export, Exported};
use gbac_formats::table::OutputFormat;
use gbac_words::common::file_not_saved;
use gbac_words::pages::exchange as words;
use gbac_words::phrases::count;
use leptos::prelude::*;

use crate::dom;
use crate::store::draft::Draft;
use crate::store::service::Service;
use crate::ui::{Button, ButtonKind, Choice, CopyButton, Note, NoteKind, Segmented, Select, Words};

/// How many notes are shown.
const NOTES: usize = 50;

#[component]
pub(super) fn ExportView() -> impl IntoView {
    let service = expect_context::<Service>();
    let draft = expect_context::<Draft>();
    let format = RwSignal::new(OutputFormat::all().next());
    let of_draft = RwSignal::new(false);
    let has_draft = Memo::new(move |_| draft.count() > 0);
    let value = Signal::derive(move || match format.get() {
        Some(format) => format.word.to_owned(),
        None => String::new(),
    });
    let made = Memo::new_with_compare(
        move |_| {
            let policy = service.policy.get()?;
            let format = format.get()?;
            if !(of_draft.get() && has_draft.get()) {
                return Some(Arc::new(format.write(&Export::new(&policy))));
            }
            let (after, changes) = (draft.after()?, draft.changes.read());
            Some(Arc::new(format.write(&Export {
                changes: Some(&changes),
                ..Export::new(&after)
            })))
        },
        |_, _| true,
    );
    let text = Signal::derive(move || match &*made.read() {
        Some(made) => made.text.clone(),
        None => String::new(),
    });
    let save = move |()| {
        let Some(OutputFormat {
            file: name,
            media_type,
            ..
        }) = format.get_untracked()
        else {
            return;
        };
        match dom::save_file(name, media_type, &text.get_untracked()) {
            Ok(()) => dom::announce(&format!("{name} saved")),
            Err(reason) => dom::announce_error(&file_not_saved(name, &reason)),
        }
    };
    let scope = move || {
        has_draft.get().then(|| {
            let value = Signal::derive(move || if of_draft.get() { "draft" } else { "" }.to_owned());
            let draft_words = move || if format.get().is_some_and(OutputFormat::is_script) { "The draft only" } else { "With the draft" };
            let choices = vec![Choice::new("", "Current policy"), Choice::new("draft", draft_words())];
            view! {
                <Segmented name="export-scope" legend="Content" hide_legend=true value=value choices=choices
                    on_change=move |id: String| of_draft.set(id == "draft") />
            }
        })
    };
    let choices = Signal::stored(
        OutputFormat::all()
            .map(|format| Choice::new(format.word, format.title))
            .collect::<Vec<_>>(),
    );
    let help = Signal::derive(move || format.get().map(about));
    view! {
        <section class="panel flat pad stack" aria-labelledby="h-export">
            <h2 id="h-export">"Export"</h2>
            <Select id="export-form" label="Format" value=value choices=choices help=help
                on_change=move |word: String| format.set(OutputFormat::find(&word)) />
            {scope}
            {move || made.get().map(|made| view! { <Shown made=made /> })}
            <div class="row">
                <Button kind=ButtonKind::Primary on_press=save>{move || format!("Save {}", format.get().map_or("", |it| it.file))}</Button>
                <CopyButton text=text label="Copy all" />
            </div>
        </section>
    }
}

#[component]
fn Shown(made: Arc<Exported>) -> impl IntoView {
    let (shown, more) = beginning(&made.text);
    let lines = made.text.lines().count();
    let (shown, left) = (
        shown.to_owned(),
        lines.saturating_sub(shown.lines().count()),
    );
    let notes = made.notes.clone();
    let number = notes.len();
    view! {
        {(number > 0).then(|| view! {
            <Note kind=NoteKind::Warn title=words::rows_not_applied(number)>
                <ul class="plain">
                    {notes.into_iter().take(NOTES).map(|note| view! { <li class="brk"><Words text=note.message /></li> }).collect_view()}
                    {(number > NOTES).then(|| view! { <li>{words::more_comments(number - NOTES)}</li> })}
                </ul>
            </Note>
        })}
        <pre class="code export-text" tabindex="0" role="region" aria-label="Text"><code>{shown}</code></pre>
        <p class="count" role="status">
            {if more { words::lines_not_shown(left, lines) } else { count(lines, "line") }}
        </p>
    }
}
