//! *Save as test*: stores the check with its verdict with the service, or downloads it where that is
//! not possible.

use std::sync::Arc;

use gbac_console_model::connection::Connection;
use gbac_console_model::simulator::hypothesis::Hypothesis;
use gbac_console_model::simulator::sharing::{assertion_file, test_of_check};
use gbac_console_model::simulator::verdict::Judged;
use gbac_engine::policy::Policy;
use gbac_words::common::file_not_saved;
use gbac_words::escape::plain;
use gbac_words::pages::simulator as words;
use gbac_words::rich_text::RichText;
use leptos::prelude::*;
use leptos::task::spawn_local;

use super::state::SimulatorState;
use crate::dom;
use crate::pages::chunk::{ChunkError, chunk_fn};
use crate::pages::rich_text::sentence;
use crate::store::service::{Service, ServiceStatus};
use crate::ui::{Button, LinkButton, Note, NoteKind};

/// A check with its verdict, and the policy that it was decided on.
#[derive(Clone)]
pub(super) struct DecidedCheck {
    judged: Arc<Judged>,
    policy: Arc<Policy>,
    hypotheses: Vec<Hypothesis>,
}

/// What became of a test.
#[derive(Clone)]
pub(super) struct SaveNotice {
    kind: NoteKind,
    title: String,
    text: RichText,
    /// What can be downloaded; none if it was.
    check: Option<DecidedCheck>,
}

impl DecidedCheck {
    fn now(state: SimulatorState, hypotheses: Memo<Vec<Hypothesis>>) -> Option<Self> {
        Some(Self {
            judged: state.judged_now()?,
            policy: state.service.policy.get_untracked()?,
            hypotheses: hypotheses.get_untracked(),
        })
    }

    /// Stores it with the service, if the account may, and downloads it otherwise.
    async fn save(self, service: Service) -> SaveNotice {
        if service.connection.get_untracked() != Connection::Service {
            return self.download(service, words::TESTS_OF_SERVICE_ONLY);
        }
        let test = test_of_check(&self.judged, &self.policy, &self.hypotheses, "");
        let Some(test) = test else {
            return self.download(service, "");
        };
        match service.store_test(&test).await {
            Ok((number, is_new)) => SaveNotice {
                kind: NoteKind::Info,
                title: words::test_stored(number, is_new),
                text: RichText::from(plain(test.name()))
                    .text(". ")
                    .then(RichText::message(words::TEST_STORED)),
                check: Some(self),
            },
            Err(failure) if failure.is_forbidden() || failure.is_unauthenticated() => {
                self.download(service, words::STORING_NEEDS_SUPERUSER)
            }
            Err(failure) => SaveNotice {
                kind: NoteKind::Error,
                title: words::TEST_NOT_STORED.to_owned(),
                text: RichText::message(&failure.to_string()),
                check: Some(self),
            },
        }
    }

    /// Saves it as a file with its policy.
    fn download(&self, service: Service, why: &str) -> SaveNotice {
        let (file, content) = assertion_file(&self.judged, &self.policy, &self.hypotheses);
        match dom::save_file(&file, "application/json", &content) {
            Ok(()) => SaveNotice {
                kind: NoteKind::Info,
                title: words::test_saved(&file),
                text: words::test_downloaded(&file, &cluster_name(service))
                    .text(" ")
                    .text(why),
                check: None,
            },
            Err(reason) => SaveNotice {
                kind: NoteKind::Error,
                title: file_not_saved(&file, &reason),
                text: RichText::new(),
                check: None,
            },
        }
    }
}

fn cluster_name(service: Service) -> String {
    match service.status.get_untracked() {
        ServiceStatus::Connected { name, .. } => name,
        ServiceStatus::Loading | ServiceStatus::Away { .. } => "service".to_owned(),
    }
}

chunk_fn!(rest, save(check: DecidedCheck, service: Service) -> SaveNotice { check.save(service) });
chunk_fn!(rest, download(check: DecidedCheck, service: Service, notice: RwSignal<Option<SaveNotice>>) {
    tell(notice, check.download(service, ""));
});

/// Shows and announces what became of a test; the page may be gone by now.
fn tell(notice: RwSignal<Option<SaveNotice>>, told: SaveNotice) {
    match told.kind {
        NoteKind::Error => dom::announce_error(&told.title),
        NoteKind::Info | NoteKind::Warn => dom::announce(&told.title),
    }
    let _ = notice.try_set(Some(told));
}

/// The button.
#[component]
pub(super) fn SaveAsTest(
    state: SimulatorState,
    notice: RwSignal<Option<SaveNotice>>,
) -> impl IntoView {
    let (ready, hypotheses) = (state.is_decided(), state.hypotheses());
    let busy = RwSignal::new(false);
    let press = move |()| {
        let Some(check) = DecidedCheck::now(state, hypotheses) else {
            return;
        };
        busy.set(true);
        spawn_local(async move {
            match save(check, state.service).await {
                Ok(work) => tell(notice, work.await),
                Err(ChunkError) => dom::announce_error(words::TEST_NOT_SAVED),
            }
            let _ = busy.try_set(false);
        });
    };
    view! { <Button on_press=press busy=busy disabled=Signal::derive(move || !ready.get())>"Save as test"</Button> }
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
