//! The panels below the panes: what is tried, whole requests, a comparison, a link, and tests.

use gbac_analysis::requests::Requirement;
use gbac_console_model::simulator::hypothesis::conditions;
use gbac_console_model::simulator::inputs::Panel;
use gbac_console_model::simulator::question::AccessRequest;
use gbac_console_model::simulator::request::{
    RequestAnswer, RequestCatalog, RequestForm, RequestRow, answer,
};
use gbac_console_model::simulator::smallest_change::smallest_changes;
use gbac_console_model::simulator::verdict::VerdictKind;
use gbac_engine::decide::Outcome;
use gbac_words::common::POLICY_NOT_READ;
use gbac_words::hypothesis::ALLOWED_IF;
use gbac_words::pages::simulator as words;
use gbac_words::request::needs;
use leptos::context::Provider;
use leptos::prelude::*;

use super::fields::{look, nobody, sign_in_first};
use super::state::SimulatorState;
use super::what_if::Found;
use super::{compare, diagnosis, fix_sheet, path_table, tests_and_links, unknown_groups, what_if};
use crate::dom;
use crate::pages::chunk::{Chunk, ChunkError, Lazy, chunk};
use crate::pages::rich_text::sentence;
use crate::ui::{
    Button, Choice, Disclosure, Heads, Icon, Mark, Segmented, Select, Table, TextArea, VerdictWord,
};

/// The panels that the actions of the verdict open, right below it; nothing while none is open.
#[component]
pub(super) fn Panels(state: SimulatorState) -> impl IntoView {
    let opened = Memo::new(move |_| {
        let open = state.open.read();
        let mut panels = Panel::OF_VERDICT.to_vec();
        panels.retain(|panel| open.contains(panel));
        panels
    });
    view! {
        <section class="section" aria-labelledby="h-more" hidden=move || opened.read().is_empty()>
            <div class="row"><h2 id="h-more">"Further analysis"</h2></div>
            <ul class="panel flat parts">
                <For each=move || opened.get() key=|panel| *panel children=move |panel| {
                    view! { <Row state=state panel=panel about=move || about(state, panel) /> }
                } />
            </ul>
        </section>
    }
}

/// What a panel is for.
fn about(state: SimulatorState, panel: Panel) -> String {
    let tried = state.trials.with(|trials| trials.as_slice().len());
    match panel {
        Panel::Request => words::API_REQUESTS.to_owned(),
        Panel::Compare => words::COMPARISON.to_owned(),
        Panel::Share => words::LINK_OR_FILE.to_owned(),
        _ => words::hypothetical_changes(tried),
    }
}

/// The saved tests.
#[component]
pub(super) fn SavedTests(state: SimulatorState) -> impl IntoView {
    view! {
        <section class="section" aria-label="Saved tests">
            <ul class="panel flat parts">
                <Row state=state panel=Panel::Tests about=move || about_tests(state) />
            </ul>
        </section>
    }
}

/// The head of the panel with the tests. Their results need the engine, so the chunk draws them;
/// tests come from it, so it is here.
fn about_tests(state: SimulatorState) -> AnyView {
    if state.saved.with(Vec::is_empty) {
        return words::SAVED_TESTS.into_any();
    }
    drawn(state, Content::TestResults).into_any()
}

/// What the chunk draws.
#[derive(Clone, Copy)]
enum Content {
    /// The content of a part that opens.
    Part(Panel),
    /// One step of the diagnosis, by its code.
    Diagnosis(&'static str),
    /// How many of the saved tests hold.
    TestResults,
    /// The sheet with the fixes of a denied request.
    Fixes,
    /// The verdict with the changes that are tried.
    Tried,
    /// The path from the token to the verdict.
    Path,
    /// Groups to assume where the token has a link in their place.
    UnknownGroups,
}

/// The context of what the chunk draws.
#[derive(Clone, Copy)]
struct Drawn(SimulatorState, Content);

chunk!(CONTENT, "This panel", rest, fetch_content, draw_content, {
    let Drawn(state, content) = expect_context::<Drawn>();
    match content {
        Content::Part(Panel::WhatIf) => view! { <TryChange state=state /> }.into_any(),
        Content::Part(Panel::SmallestChange) => {
            view! { <what_if::SmallestChangePanel state=state /> }.into_any()
        }
        Content::Part(Panel::Request) => {
            titled(Panel::Request, view! { <WholeRequest state=state /> })
        }
        Content::Part(Panel::Compare) => {
            titled(Panel::Compare, view! { <compare::Compare state=state /> })
        }
        Content::Part(Panel::Share) => titled(
            Panel::Share,
            view! { <tests_and_links::Share state=state /> },
        ),
        Content::Part(Panel::Tests) => titled(
            Panel::Tests,
            view! { <tests_and_links::Tests state=state /> },
        ),
        Content::Part(Panel::Collisions) => {
            view! { <diagnosis::Collisions state=state /> }.into_any()
        }
        Content::Part(Panel::Troubleshooting) => {
            view! { <diagnosis::Troubleshooting state=state /> }.into_any()
        }
        // The steps are drawn with the pane.
        Content::Part(Panel::Steps) => ().into_any(),
        Content::Part(Panel::Decoded) => {
            view! { <path_table::DecodedClaims state=state /> }.into_any()
        }
        Content::Diagnosis(code) => {
            view! { <diagnosis::Diagnosis state=state code=code /> }.into_any()
        }
        Content::TestResults => (move || tests_and_links::results(state)).into_any(),
        Content::Fixes => view! { <fix_sheet::FixSheet state=state /> }.into_any(),
        Content::Tried => view! { <what_if::TriedPanel state=state /> }.into_any(),
        Content::Path => view! { <path_table::Path state=state /> }.into_any(),
        Content::UnknownGroups => {
            view! { <unknown_groups::UnknownGroups state=state /> }.into_any()
        }
    }
});

/// The content of a part, from the chunk.
pub(super) fn content(state: SimulatorState, part: Panel) -> impl IntoView {
    drawn(state, Content::Part(part))
}

/// One step of the diagnosis, from the chunk.
pub(super) fn diagnosis(state: SimulatorState, code: &'static str) -> impl IntoView {
    drawn(state, Content::Diagnosis(code))
}

/// The sheet with the fixes, from the chunk.
pub(super) fn fixes(state: SimulatorState) -> impl IntoView {
    drawn(state, Content::Fixes)
}

/// The verdict with the changes that are tried, from the chunk.
pub(super) fn tried(state: SimulatorState) -> impl IntoView {
    drawn(state, Content::Tried)
}

/// The path from the token to the verdict, from the chunk.
pub(super) fn path(state: SimulatorState) -> impl IntoView {
    drawn(state, Content::Path)
}

/// Groups to assume, from the chunk.
pub(super) fn unknown_groups(state: SimulatorState) -> impl IntoView {
    drawn(state, Content::UnknownGroups)
}

fn drawn(state: SimulatorState, content: Content) -> impl IntoView {
    view! { <Provider value=Drawn(state, content)><Lazy chunk=CONTENT part=true /></Provider> }
}

#[component]
fn Row(state: SimulatorState, panel: Panel, #[prop(into)] about: ViewFn) -> impl IntoView {
    view! {
        <li class="part">
            <Disclosure
                id=panel.id() open=state.is_open(panel)
                on_toggle=move |is_open| {
                    state.toggle(panel, is_open);
                    if Panel::OF_VERDICT.contains(&panel) {
                        dom::focus("verdict");
                    }
                }
                summary=move || view! { <span class="part-t"><b>{panel.title()}</b> <span class="quiet">{about.run()}</span></span> }
            >
                <div class="part-b stack">{content(state, panel)}</div>
            </Disclosure>
        </li>
    }
}

/// The content of a panel, where focus goes when it opens.
fn titled(panel: Panel, content: impl IntoView + 'static) -> AnyView {
    view! {
        <section class="stack focus-only" id=panel.content_id() tabindex="-1" aria-label=panel.title()>{content}</section>
    }
    .into_any()
}

#[component]
fn TryChange(state: SimulatorState) -> impl IntoView {
    let panel = Panel::SmallestChange;
    view! {
        {titled(Panel::WhatIf, view! { <what_if::WhatIf state=state /> })}
        <div class="nested">
            <Disclosure
                id=panel.id() open=state.is_open(panel) on_toggle=move |is_open| state.toggle(panel, is_open)
                summary=move || view! {
                    <span class="part-t"><b>{panel.title()}</b> <span class="quiet">{words::SMALLEST_CHANGE}</span></span>
                }
            >
                <section class="stack" aria-label=panel.title()>{content(state, panel)}</section>
            </Disclosure>
        </div>
    }
}

/// The part.
#[component]
pub(super) fn WholeRequest(state: SimulatorState) -> impl IntoView {
    let form = state.request;
    if let Some(access) = state.access().get_untracked() {
        form.update(|form| form.begin(&access));
    }
    let missing = Memo::new(move |_| form.with(RequestForm::missing));
    let book = Memo::new(move |_| form.with(|form| form.book));
    let chosen = Memo::new(move |_| form.with(RequestForm::chosen));
    let slots = Memo::new(move |_| form.with(RequestForm::slots));
    let needs = Memo::new(move |_| form.with(RequestForm::needs));
    let (identity, instant, refusal) = (state.identity(), state.instant(), state.fix_first());
    let hypotheses = state.hypotheses();
    let host = Memo::new(move |_| {
        state
            .access()
            .with(|access| access.as_ref().and_then(|access| access.host))
    });
    let found = Memo::new(move |_| {
        let (identity, policy) = (identity.get()?, state.service.policy.get()?);
        needs.with(|needs| {
            Some(answer(
                &policy,
                &identity,
                needs.as_ref().ok()?,
                host.get(),
                instant.get(),
                &hypotheses.read(),
            ))
        })
    });
    view! {
        <Segmented
            name="req-book" legend="API" small=true
            value=Signal::derive(move || book.get().code().to_owned())
            choices=RequestCatalog::ALL.map(|book| Choice::new(book.code(), book.label())).to_vec()
            on_change=move |code: String| {
                if let Some(book) = RequestCatalog::from_code(&code) {
                    form.update(|form| form.book = book);
                }
            }
        />
        <Select
            id="req-id" label="Request"
            value=Signal::derive(move || chosen.get().to_owned())
            choices=Signal::derive(move || book.get().entries().into_iter().map(|(id, words)| Choice::new(id, words)).collect::<Vec<_>>())
            on_change=move |id: String| form.update(|form| form.id = id)
        />
        {move || {
            let notes = chosen.with(|_| form.with_untracked(RequestForm::notes));
            (!notes.is_empty()).then(|| view! { <p class="help">{notes}</p> })
        }}
        <div class="grid-2">
            {move || slots.get().into_iter().map(|slot| {
                let key = slot.key;
                view! {
                    <TextArea
                        id=format!("req-{key}") label=slot.label rows=2 help=slot.help
                        value=Signal::derive(move || form.with(|form| form.names.get(key).cloned().unwrap_or_default()))
                        on_input=move |text| form.update(|form| { form.names.insert(key, text); })
                    />
                }
            }).collect_view()}
        </div>
        {move || match (identity.with(Option::is_none), needs.get(), found.get()) {
            _ if refusal.with(Option::is_some) => refusal.get().as_ref().map(sign_in_first).into_any(),
            (true, ..) => nobody().into_any(),
            (_, Err(_), _) if missing.with(|missing| !missing.is_empty()) => view! {
                <p class="quiet">{words::fields_to_fill_in(&missing.get())}</p>
            }.into_any(),
            (_, Err(faults), _) => view! {
                <ul class="facts">{faults.into_iter().map(|words| view! { <li><span class="quiet">{sentence(&words)}</span></li> }).collect_view()}</ul>
            }.into_any(),
            (_, Ok(_), Some(found)) => view! { <Answered state=state found=found /> }.into_any(),
            (_, Ok(_), None) => view! { <p class="quiet">{POLICY_NOT_READ}</p> }.into_any(),
        }}
    }
}

#[component]
fn Answered(state: SimulatorState, found: RequestAnswer) -> impl IntoView {
    let denied = found
        .rows
        .iter()
        .filter(|row| !row.kind.is_allowed())
        .count();
    let (outcome, checks) = (found.outcome(), found.rows.len());
    let is_hypothetical = found
        .rows
        .iter()
        .any(|row| row.kind == VerdictKind::AllowedIf);
    let (mark, _) = outcome_look(outcome, is_hypothetical);
    let summary = match mark {
        Mark::AllowIf => ALLOWED_IF.to_owned(),
        _ => words::request_outcome(outcome, checks, denied),
    };
    let hypotheses = state.hypotheses();
    let assumed = move || {
        let conditions = conditions(&hypotheses.read());
        let has_words = is_hypothetical || outcome == Outcome::Deny && !conditions.is_empty();
        has_words.then(|| {
            let words = words::request_assumes(outcome, conditions);
            view! { <p class="quiet">{sentence(&words)}</p> }
        })
    };
    let is_trying = state.is_trying();
    let choice = found.choice.clone();
    let all = found.all();
    let (identity, instant) = (state.identity(), state.instant());
    let least = move || {
        let (identity, policy) = (identity.get()?, state.service.policy.get()?);
        all.as_ref()
            .map(|all| smallest_changes(&policy, &identity, all, instant.get()))
    };
    let requests = found
        .requests
        .iter()
        .map(|(name, outcome)| {
            let (mark, word) = outcome_look(*outcome, is_hypothetical);
            view! { <li><VerdictWord mark=mark word=word small=true /> " " <span class="cl">{name.clone()}</span></li> }
        })
        .collect_view();
    view! {
        <p role="status"><VerdictWord mark=mark word=summary /></p>
        {assumed}
        {move || is_trying.get().then(|| view! { <p class="quiet">{words::WITHOUT_CHANGES}</p> })}
        {choice.map(|need| needed(&need))}
        {(found.requests.len() > 1).then(|| view! { <ul class="facts requests" aria-label="Requests">{requests}</ul> })}
        <Table
            label="Required checks" caption=words::REQUIRED_CHECKS
            heads=Heads::from(["Check", "Verdict", "Required by"]).and_unseen("Actions")
        >
            <tbody role="rowgroup">
                {found.rows.into_iter().map(|row| view! { <Check state=state row=row /> }).collect_view()}
            </tbody>
        </Table>
        {(denied > 0).then(|| view! {
            <div>{move || least().map(|found| view! { <Found state=state found=found /> })}</div>
        })}
    }
}

/// What a request needs, where one of several checks is enough: a line for each requirement.
fn needed(need: &Requirement) -> impl IntoView + use<> {
    let (title, lines) = needs(need);
    let lines: Vec<_> = lines
        .iter()
        .map(|line| view! { <li><span class="quiet">{sentence(line)}</span></li> })
        .collect();
    view! {
        <p class="quiet">{title}</p>
        <ul class="facts" aria-label=title>{lines}</ul>
    }
}

/// The outcome of a request, which may rest on hypotheses.
const fn outcome_look(outcome: Outcome, is_hypothetical: bool) -> (Mark, &'static str) {
    match (outcome, is_hypothetical) {
        (Outcome::Allow, false) => (Mark::Allow, "Allowed"),
        (Outcome::Allow, true) => (Mark::AllowIf, ALLOWED_IF),
        (Outcome::Deny, _) => (Mark::Deny, "Denied"),
    }
}

#[component]
fn Check(state: SimulatorState, row: RequestRow) -> impl IntoView {
    let (_, class, glyph) = look(row.kind);
    let deed = row.deed();
    let label = format!("Open check: {}", deed.plain());
    let of = match row.of.as_slice() {
        [] => String::new(),
        [only] => only.clone(),
        [first, rest @ ..] => format!("{first} and {} more", rest.len()),
    };
    let open = row.access().map(|access| {
        view! {
            <Button small=true on_press=move |()| ask(state, &access) attr:aria-label=label>"Open check"</Button>
        }
    });
    view! {
        <tr role="row">
            <th role="rowheader" scope="row">{sentence(&deed)}</th>
            <td role="cell" data-l="Verdict"><span class=class><Icon glyph=glyph />{row.kind.title()}</span></td>
            <td role="cell" data-l="Required by"><span class="quiet">{of}</span></td>
            <td role="cell" data-l="">{open}</td>
        </tr>
    }
}

/// Puts a check into the check's pane, and goes to its verdict.
fn ask(state: SimulatorState, access: &AccessRequest) {
    state.edit(|inputs| {
        inputs.operation = access.operation;
        inputs.resource_type = access.resource_type;
        inputs.resource_name.clone_from(&access.resource_name);
    });
    dom::focus("verdict");
    // The part stays open for the next check.
    state.show(Panel::Request);
}
