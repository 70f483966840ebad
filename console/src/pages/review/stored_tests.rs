//! The tests that are stored with the service: what they say about the draft, and their list.

use std::sync::Arc;

use gbac_console_model::review::{DraftTests, FailingTest};
use gbac_console_model::saved_tests::{SavedTest, ServiceTests};
use gbac_engine::policy::Policy;
use gbac_words::escape::plain;
use gbac_words::pages::review as words;
use gbac_words::phrases::count;
use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::dom;
use crate::store::draft::Draft;
use crate::store::service::{Service, ServiceStatus};
use crate::ui::{
    Button, ButtonKind, Dialog, DialogActions, Disclosure, Glyph, IconButton, Note, NoteKind,
};

/// The tests of the service, as they were read last.
#[derive(Clone, Copy)]
pub(super) struct StoredTests {
    read: RwSignal<Option<ServiceTests>>,
    /// Why they could not be read.
    unread: RwSignal<Option<String>>,
    /// Whether they are not known yet, but will be.
    pub(super) is_reading: RwSignal<bool>,
    /// What they say about the draft; none without a draft.
    of_draft: Memo<Option<DraftTests>>,
}

impl StoredTests {
    /// Reads them, and again for another user. A cluster behind the service has none.
    pub(super) fn new(service: Service, draft: Draft, base: RwSignal<Option<Arc<Policy>>>) -> Self {
        let read = RwSignal::new(None::<ServiceTests>);
        let of_draft = Memo::new(move |_| {
            let (base, read) = (base.read(), read.read());
            let evaluation = draft.evaluation.read();
            match (&*base, &evaluation.after, &*read) {
                (Some(before), Some(after), Some(read)) => {
                    Some(DraftTests::run(&read.tests, before, after))
                }
                _ => None,
            }
        });
        let tests = Self {
            read,
            unread: RwSignal::new(None),
            is_reading: RwSignal::new(untrack(|| service.is_own())),
            of_draft,
        };
        let account = Memo::new(move |_| {
            let status = service.status.read();
            let is_connected = matches!(*status, ServiceStatus::Connected { .. });
            let is_loading = *status == ServiceStatus::Loading;
            (
                service.is_own(),
                is_connected,
                is_loading,
                service.user.get(),
            )
        });
        Effect::new(move |_| match account.get() {
            (true, true, ..) => tests.start_reading(service),
            (true, false, is_loading, _) => tests.is_reading.set(is_loading),
            (false, ..) => {
                read.set(None);
                tests.is_reading.set(false);
            }
        });
        tests
    }

    fn start_reading(self, service: Service) {
        self.is_reading.set(true);
        spawn_local(async move {
            // The page may have been left.
            match service.tests().await {
                Ok(tests) => {
                    let _ = self.read.try_set(Some(tests));
                    let _ = self.unread.try_set(None);
                }
                Err(failure) => {
                    let _ = self.unread.try_set(Some(failure.to_string()));
                }
            }
            let _ = self.is_reading.try_set(false);
        });
    }

    /// How many of them fail with the draft.
    pub(super) fn failing(self) -> usize {
        self.of_draft
            .with_untracked(|tests| tests.as_ref().map_or(0, |tests| tests.failing.len()))
    }

    fn delete(self, service: Service, test: SavedTest) {
        spawn_local(async move {
            match service.delete_test(&test).await {
                Ok(tests) => {
                    dom::announce(&words::test_deleted(&plain(test.name())));
                    let _ = self.read.try_set(Some(tests));
                    dom::focus_heading();
                }
                Err(failure) => dom::announce_error(&failure.to_string()),
            }
        });
    }
}

/// How many failing tests the question before *Apply* names.
const NAMED: usize = 5;

/// What the tests say about the draft: those that fail, or one line.
#[component]
pub(super) fn TestResults(tests: StoredTests) -> impl IntoView {
    let unread = move || {
        let reason = tests.unread.get()?;
        Some(view! {
            <Note kind=NoteKind::Warn title=words::TESTS_UNREAD level=2><p>{reason}</p></Note>
        })
    };
    let results = move || {
        let DraftTests { total, failing } = tests.of_draft.get()?;
        match (total, failing.len()) {
            (0, _) => None,
            (_, 0) => Some(view! { <p>{words::tests_pass(total)}</p> }.into_any()),
            (_, number) => Some(
                view! {
                    <Note kind=NoteKind::Error title=words::tests_fail(number, total) level=2>
                        <ul class="facts">{failing.into_iter().map(fact).collect_view()}</ul>
                    </Note>
                }
                .into_any(),
            ),
        }
    };
    view! { {unread} {results} }
}

fn fact(test: FailingTest) -> impl IntoView {
    let FailingTest {
        name,
        difference,
        fails_without,
    } = test;
    view! {
        <li><span>
            <b>{plain(&name)}</b> ". " {plain(&difference)} ". "
            {fails_without.then_some(words::FAILS_WITHOUT)}
        </span></li>
    }
}

/// The list of the tests, from which they are deleted.
#[component]
pub(super) fn TestList(tests: StoredTests) -> impl IntoView {
    let service = expect_context::<Service>();
    let open = RwSignal::new(false);
    let all = move || tests.read.get().unwrap_or_default().tests;
    let number = Memo::new(move |_| all().len());
    move || {
        (number.get() > 0).then(|| view! {
            <div class="panel flat">
                <Disclosure id="stored-tests" open=open on_toggle=move |now| open.set(now)
                    summary=move || count(number.get(), "stored test")>
                    <p class="help">{words::STORED_TESTS_HELP}</p>
                    <ul class="ways" aria-label=words::STORED_TESTS>
                        {move || all().into_iter().map(|test| row(tests, service, test)).collect_view()}
                    </ul>
                </Disclosure>
            </div>
        })
    }
}

fn row(tests: StoredTests, service: Service, test: SavedTest) -> impl IntoView {
    let name = plain(test.name());
    let label = words::delete_test(&name);
    view! {
        <li>
            <span class="way"><b>{name}</b><span class="quiet">{words::expects(&test.expected())}</span></span>
            <IconButton glyph=Glyph::Close label=label on_press=move |()| tests.delete(service, test.clone()) />
        </li>
    }
}

/// Asks whether a draft is applied although tests fail.
#[component]
pub(super) fn ConfirmFailing(
    /// The number of tests that fail, while it is asked.
    failing: RwSignal<Option<usize>>,
    tests: StoredTests,
    on_apply: Callback<()>,
) -> impl IntoView {
    let named = move || {
        let found = tests.of_draft.get().unwrap_or_default();
        found
            .failing
            .into_iter()
            .take(NAMED)
            .map(fact)
            .collect_view()
    };
    let title = move || words::apply_although(failing.get_untracked().unwrap_or_default());
    view! {
        <Dialog open=Signal::derive(move || failing.with(Option::is_some)) on_close=move |()| failing.set(None)
            id="apply-anyway" title=title small=true>
            <div class="dlg-b dlg-pad"><p>{words::TESTS_SAY}</p><ul class="facts">{named}</ul></div>
            <DialogActions>
                <Button on_press=move |()| failing.set(None)>"Cancel"</Button>
                <Button kind=ButtonKind::Kill on_press=move |()| {
                    failing.set(None);
                    on_apply.run(());
                }>{words::APPLY_ANYWAY}</Button>
            </DialogActions>
        </Dialog>
    }
}
