//! *Save as test*: stores the check with its verdict with the service, or downloads it where that is
//! not possible.

use gbac_console_model::connection::Connection;
use gbac_console_model::simulator::sharing::DecidedCheck;
use gbac_words::common::file_not_saved;
use gbac_words::escape::plain;
use gbac_words::pages::simulator as words;
use gbac_words::rich_text::RichText;
use leptos::prelude::*;
use leptos::task::spawn_local;

use super::state::SimulatorState;
use crate::chunk::Work;
use crate::dom;
use crate::pages::chunk::{ChunkError, chunk_fn};
use crate::pages::rich_text::sentence;
use crate::store::service::{Service, ServiceStatus};
use crate::ui::{Button, ButtonKind, Dialog, DialogActions, LinkButton, Note, NoteKind};

/// What became of a test.
#[derive(Clone)]
pub(super) struct SaveNotice {
    kind: NoteKind,
    title: String,
    text: RichText,
    /// What can be downloaded; none if it was.
    check: Option<DecidedCheck>,
}

impl SaveNotice {
    fn error(title: &str, text: RichText) -> Self {
        Self {
            kind: NoteKind::Error,
            title: title.to_owned(),
            text,
            check: None,
        }
    }
}

/// The check that is entered, with the changes that are tried.
///
/// # Errors
/// Why no test can be made of it.
pub(super) fn decided_check(state: SimulatorState) -> Result<DecidedCheck, RichText> {
    let policy = state.service.policy.get_untracked().unwrap_or_default();
    DecidedCheck::new(
        &state.inputs.read_untracked(),
        &state.trials.read_untracked(),
        &state.hypotheses().read_untracked(),
        &policy,
        state.now.get_untracked(),
    )
}

/// Stores a test with the service, if the account may, and downloads it otherwise.
async fn store(check: DecidedCheck, service: Service) -> SaveNotice {
    if service.connection.get_untracked() != Connection::Service {
        return to_file(&check, service, words::TESTS_OF_SERVICE_ONLY);
    }
    let Some(test) = check.test("") else {
        return to_file(&check, service, "");
    };
    match service.store_test(&test).await {
        Ok((number, is_new)) => SaveNotice {
            kind: NoteKind::Info,
            title: words::test_stored(number, is_new),
            text: RichText::from(plain(test.name()))
                .text(". ")
                .then(RichText::message(words::TEST_STORED)),
            check: Some(check),
        },
        Err(failure) if failure.is_forbidden() || failure.is_unauthenticated() => {
            to_file(&check, service, words::STORING_NEEDS_SUPERUSER)
        }
        Err(failure) => SaveNotice {
            check: Some(check),
            ..SaveNotice::error(
                words::TEST_NOT_STORED,
                RichText::message(&failure.to_string()),
            )
        },
    }
}

/// Saves a test as a file with its policy.
fn to_file(check: &DecidedCheck, service: Service, why: &str) -> SaveNotice {
    let (file, content) = check.file();
    match dom::save_file(&file, "application/json", &content) {
        Ok(()) => SaveNotice {
            kind: NoteKind::Info,
            title: words::test_saved(&file),
            text: words::test_downloaded(&file, &cluster_name(service), check.has_other_policy())
                .text(" ")
                .text(why),
            check: None,
        },
        Err(reason) => SaveNotice::error(&file_not_saved(&file, &reason), RichText::new()),
    }
}

fn cluster_name(service: Service) -> String {
    match service.status.get_untracked() {
        ServiceStatus::Connected { name, .. } => name,
        ServiceStatus::Loading | ServiceStatus::Away { .. } => "service".to_owned(),
    }
}

/// What the button shows. Its work is code of the chunk, because it decides the check.
#[derive(Clone, Copy)]
struct Saving {
    busy: RwSignal<bool>,
    /// A check whose verdict rests on assumptions, and what becomes of them in a test.
    asking: RwSignal<Option<(DecidedCheck, RichText)>>,
    notice: RwSignal<Option<SaveNotice>>,
}

/// Saves the check that is entered; asks first where its verdict rests on assumptions.
async fn begin(state: SimulatorState, saving: Saving) {
    let check = match decided_check(state) {
        Ok(check) => check,
        Err(why) => {
            let notice = SaveNotice::error(words::TEST_NOT_MADE, why);
            return tell(saving.notice, notice);
        }
    };
    match check.assumptions() {
        Some(assumptions) => {
            let _ = saving.asking.try_set(Some((check, assumptions)));
        }
        None => tell(saving.notice, store(check, state.service).await),
    }
}

chunk_fn!(rest, press(state: SimulatorState, saving: Saving) -> () { begin(state, saving) });
chunk_fn!(rest, confirm(check: DecidedCheck, service: Service, saving: Saving) -> () {
    async move { tell(saving.notice, store(check, service).await) }
});
chunk_fn!(rest, download(check: DecidedCheck, service: Service, notice: RwSignal<Option<SaveNotice>>) {
    tell(notice, to_file(&check, service, ""));
});

/// Shows and announces what became of a test; the page may be gone by now.
fn tell(notice: RwSignal<Option<SaveNotice>>, told: SaveNotice) {
    match told.kind {
        NoteKind::Error => dom::announce_error(&told.title),
        NoteKind::Info | NoteKind::Warn => dom::announce(&told.title),
    }
    let _ = notice.try_set(Some(told));
}

/// Runs code of the chunk while the button is busy.
fn run(saving: Saving, work: impl Future<Output = Result<Work<()>, ChunkError>> + 'static) {
    saving.busy.set(true);
    spawn_local(async move {
        match work.await {
            Ok(work) => work.await,
            Err(ChunkError) => dom::announce_error(words::TEST_NOT_SAVED),
        }
        let _ = saving.busy.try_set(false);
    });
}

/// The button. Where the verdict rests on assumptions, it first says what becomes of them.
#[component]
pub(super) fn SaveAsTest(
    state: SimulatorState,
    notice: RwSignal<Option<SaveNotice>>,
) -> impl IntoView {
    let ready = state.is_decided();
    let saving = Saving {
        busy: RwSignal::new(false),
        asking: RwSignal::new(None),
        notice,
    };
    let asking = saving.asking;
    let press = move |()| run(saving, press(state, saving));
    let assumptions = move || Some(asking.read().as_ref()?.1.clone());
    view! {
        <Button on_press=press busy=saving.busy disabled=Signal::derive(move || !ready.get())>"Save as test"</Button>
        <Dialog open=Signal::derive(move || asking.with(Option::is_some)) on_close=move |()| asking.set(None)
            id="save-test" title=move || words::SAVE_WITH_ASSUMPTIONS.to_owned() small=true>
            <div class="dlg-b dlg-pad"><p>{move || assumptions().map(|words| sentence(&words))}</p></div>
            <DialogActions>
                <Button on_press=move |()| asking.set(None)>"Cancel"</Button>
                <Button kind=ButtonKind::Primary on_press=move |()| {
                    let check = asking.get_untracked();
                    asking.set(None);
                    if let Some((check, _)) = check {
                        run(saving, confirm(check, state.service, saving));
                    }
                }>"Save test"</Button>
            </DialogActions>
        </Dialog>
    }
}

/// What became of the test that was saved last, until something else is entered.
#[component]
pub(super) fn Saved(state: SimulatorState, notice: RwSignal<Option<SaveNotice>>) -> impl IntoView {
    let (identity, access) = (state.identity(), state.access());
    Effect::new(move |before: Option<()>| {
        identity.track();
        access.track();
        if before.is_some() {
            notice.set(None);
        }
    });
    move || {
        let SaveNotice {
            kind,
            title,
            text,
            check,
        } = notice.get()?;
        let press = check.map(|check| {
            Callback::new(move |()| {
                let check = check.clone();
                spawn_local(async move {
                    if download(check, state.service, notice).await.is_err() {
                        dom::announce_error(words::TEST_NOT_SAVED);
                    }
                });
            })
        });
        Some(view! {
            <Note kind=kind title=title level=2>
                <p>{sentence(&text)}</p>
                {press.map(|press| view! { <div class="row"><LinkButton on_press=press>{words::DOWNLOAD_TEST}</LinkButton></div> })}
            </Note>
        })
    }
}
