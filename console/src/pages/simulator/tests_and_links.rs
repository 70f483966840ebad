//! Saved tests, evaluated after every edit and exchanged as assertion files, and a check as a link or
//! file without the token.

use std::sync::Arc;

use gbac_console_model::address;
use gbac_console_model::saved_tests::{SavedTest, import_tests, tests_file};
use gbac_console_model::simulator::hypothesis::conditions;
use gbac_console_model::simulator::link::{LONGEST, Opened, check_link, open_link};
use gbac_console_model::simulator::sharing::{check_file, open_check_file, test_assumptions};
use gbac_engine::policy::Policy;
use gbac_words::common::{file_not_saved, file_too_large};
use gbac_words::pages::simulator as words;
use gbac_words::rich_text::RichText;
use leptos::prelude::*;

use super::save_test::decided_check;
use super::state::SimulatorState;
use crate::dom;
use crate::pages::given_file;
use crate::pages::rich_text::sentence;
use crate::ui::{
    Button, CopyBlock, Field, Glyph, IconButton, LinkButton, Mark, Note, NoteKind, VerdictWord,
};

/// The largest file that is read, in bytes.
const LARGEST_TESTS: f64 = 20_000_000.0;

/// The policy with the changes that are tried.
fn policy(state: SimulatorState) -> Option<Arc<Policy>> {
    let mut policy = state.service.policy.get()?;
    state.trials.with(|trials| {
        if trials.changes().next().is_some() {
            // What cannot be applied is named under What if.
            let _ = trials.apply(Arc::make_mut(&mut policy));
        }
    });
    Some(policy)
}

/// How many of the tests hold, for the head of the panel.
pub(super) fn results(state: SimulatorState) -> String {
    let all = state.saved.with(Vec::len);
    let failing = match policy(state) {
        Some(policy) => {
            let saved = state.saved.read();
            let failing = saved.iter().filter(|test| test.run(&policy).is_some());
            failing.count()
        }
        None => 0,
    };
    words::test_results(all, failing)
}

/// The part.
#[component]
pub(super) fn Tests(state: SimulatorState) -> impl IntoView {
    let name = RwSignal::new(String::new());
    let refused = RwSignal::new(None::<RichText>);
    let (ready, hypotheses) = (state.is_decided(), state.all_hypotheses());
    let assumptions = move || test_assumptions(&hypotheses.read());
    let tried = Memo::new(move |_| {
        state
            .trials
            .with(|trials| trials.changes().next().is_some())
    });
    view! {
        <form class="row test-form" on:submit=move |event| {
            event.prevent_default();
            match decided_check(state) {
                Ok(check) => if let Some(saved) = check.test(&name.get_untracked()) {
                    dom::announce(&format!("Test added: {}", saved.name()));
                    state.saved.update(|tests| tests.push(saved));
                    name.set(String::new());
                },
                Err(why) => dom::announce_error(&why.plain()),
            }
        }>
            <Field id="test-name" label="Test name" value=Signal::derive(move || name.get())
                on_input=move |text| name.set(text) placeholder=words::TEST_EXAMPLE />
            <Button submit=true disabled=Signal::derive(move || !ready.get())>"Add test"</Button>
        </form>
        {move || assumptions().map(|words| view! { <p class="quiet">{sentence(&words)}</p> })}
        {move || tried.get().then(|| view! { <p class="quiet">{words::TESTS_WITH_CHANGES}</p> })}
        <Results state=state />
        <div class="row">
            {move || state.saved.with(|saved| !saved.is_empty()).then(|| view! { <Button on_press=move |()| export(state)>"Export tests"</Button> })}
            {given_file::input("tests-file", move |given| {
                given_file::take(given, LARGEST_TESTS, file_too_large, refused, move |name, text| {
                    let tests = import_tests(&text)?;
                    dom::announce(&words::tests_read(name, tests.len()));
                    let _ = state.saved.try_update(|saved| saved.extend(tests));
                    Ok(())
                });
            })}
            <Button on_press=move |()| dom::click("tests-file")>"Import an assertion file"</Button>
        </div>
        {given_file::refusal(refused)}
        <p class="help">{words::TEST_CONTENT}</p>
    }
}

#[component]
fn Results(state: SimulatorState) -> impl IntoView {
    let results = Memo::new(move |_| {
        let policy = policy(state)?;
        Some(state.saved.with(|saved| {
            saved
                .iter()
                .map(|test| {
                    (
                        test.name().to_owned(),
                        test.expected(),
                        test.found(&policy),
                        test.run(&policy),
                    )
                })
                .collect::<Vec<_>>()
        }))
    });
    view! {
        <ul class="ways" aria-label="Saved tests">
            {move || results.get().unwrap_or_default().into_iter().enumerate().map(|(place, (name, expected, found, difference))| {
                let holds = difference.is_none();
                let (mark, word) = if holds { (Mark::Allow, "Passed") } else { (Mark::Deny, "Failed") };
                let told = if holds { format!("expected {expected}") } else { format!("expected {expected}, found {found}") };
                let label = format!("Remove the test {name}");
                view! {
                    <li>
                        <VerdictWord mark=mark word=word small=true />
                        <span class="way">
                            <b>{name}</b>
                            <span class="quiet">{told}</span>
                            {difference.map(|text| view! { <span class="quiet">{text}</span> })}
                        </span>
                        {(!holds).then(|| view! { <LinkButton on_press=move |()| report(state, place)>"Bug report"</LinkButton> })}
                        <IconButton glyph=Glyph::Close label=label on_press=move |()| {
                            state.saved.update(|saved| if place < saved.len() { saved.remove(place); });
                            dom::focus_later("test-name");
                        } />
                    </li>
                }
            }).collect_view()}
        </ul>
    }
}

/// Saves all tests as an assertion file.
fn export(state: SimulatorState) {
    if let Some(policy) = state.service.policy.get_untracked() {
        let saved = state.saved.read_untracked();
        let text = tests_file(saved.iter().map(SavedTest::json), &policy);
        save("tests.json", "application/json", &text);
    }
}

/// Saves the bug report of a test that failed.
fn report(state: SimulatorState, place: usize) {
    let Some(policy) = policy(state) else { return };
    let saved = state.saved.read_untracked();
    if let Some(test) = saved.get(place)
        && let Some((name, text)) = test.report(&policy)
    {
        save(&name, "text/markdown", &text);
    }
}

fn save(name: &str, mime: &str, text: &str) {
    match dom::save_file(name, mime, text) {
        Ok(()) => dom::announce(&words::saved_without_token(name)),
        Err(reason) => dom::announce_error(&file_not_saved(name, &reason)),
    }
}

/// What a link came with.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Came {
    /// A check, which was entered.
    Check,
    /// Something that is not known here.
    Unknown(RichText),
    /// Nothing that can be read.
    Unreadable,
}

/// Takes what the address brings, and takes it out of the address.
pub(super) fn arrive(state: SimulatorState) -> Option<Came> {
    let opened = open_link(&dom::fragment())?;
    dom::replace_address(address::SIMULATOR);
    match opened {
        Opened::Check(inputs, trials) => {
            state.inputs.set(*inputs);
            state.trials.set(trials);
            Some(Came::Check)
        }
        Opened::Unknown(words) => Some(Came::Unknown(words)),
        Opened::Unreadable => Some(Came::Unreadable),
    }
}

/// The notice of a link.
#[component]
pub(super) fn Arrived(arrived: Came) -> impl IntoView {
    match arrived {
        Came::Check => view! {
            <Note kind=NoteKind::Info title=words::LINKED_CHECK level=2>
                <p>{words::LINKED_CHECK_CONTENT}</p>
            </Note>
        }
        .into_any(),
        Came::Unknown(words) => view! {
            <Note kind=NoteKind::Warn title=words::LINK_REFUSED level=2>
                <p>{sentence(&words)}</p>
            </Note>
        }
        .into_any(),
        Came::Unreadable => view! {
            <Note kind=NoteKind::Warn title=words::LINK_UNREADABLE level=2>
                <p>{words::COPY_LINK_AGAIN}</p>
            </Note>
        }
        .into_any(),
    }
}

/// The largest file that is read, in bytes.
const LARGEST_CHECK: f64 = 1_000_000.0;

fn check_too_large(name: &str, limit: f64) -> RichText {
    file_too_large(name, limit)
        .text(" ")
        .text(words::CHECK_IS_SMALLER)
}

/// The part.
#[component]
pub(super) fn Share(state: SimulatorState) -> impl IntoView {
    let (identity, access) = (state.identity(), state.access());
    let hypotheses = state.all_hypotheses();
    let made = Memo::new(move |_| {
        let check = check_link(&*identity.get()?, &access.get()?, &hypotheses.read());
        let cluster = state.service.named_cluster();
        let address = address::in_cluster(&check, cluster.as_deref());
        Some(format!("{}{address}", dom::origin()))
    });
    let text = Signal::derive(move || made.get().unwrap_or_default());
    let refused = RwSignal::new(None::<RichText>);
    view! {
        {move || match made.with(|made| made.as_ref().map(String::len)) {
            None => view! { <p class="quiet">{words::CHECK_TO_SHARE}</p> }.into_any(),
            Some(length) if length > LONGEST => view! {
                <p class="quiet">{words::LINK_TOO_LONG}</p>
            }
            .into_any(),
            Some(_) => view! {
                <CopyBlock text=text what="the link" />
                <p class="help">
                    {words::LINK_CONTENT}
                    {move || (!hypotheses.read().is_empty()).then(|| {
                        let words = words::link_assumptions(conditions(&hypotheses.read()));
                        view! { " " {sentence(&words)} }
                    })}
                </p>
            }
            .into_any(),
        }}
        <div class="row">
            <Button disabled=Signal::derive(move || made.with(Option::is_none)) on_press=move |()| {
                if let (Some(identity), Some(access)) = (identity.get_untracked(), access.get_untracked()) {
                    let (name, text) = check_file(&identity, &access);
                    save(&name, "application/json", &text);
                }
            }>"Save as a file"</Button>
            {given_file::input("check-file", move |given| {
                given_file::take(given, LARGEST_CHECK, check_too_large, refused, move |name, text| {
                    let _ = state.inputs.try_set(open_check_file(&text)?);
                    dom::announce(&words::check_read(name));
                    Ok(())
                });
            })}
            <Button on_press=move |()| dom::click("check-file")>{words::OPEN_CHECK_FILE}</Button>
        </div>
        {given_file::refusal(refused)}
        <p class="help">{sentence(&RichText::message(words::CHECK_FILE_CONTENT))}</p>
    }
}
