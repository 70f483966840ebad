//! Whole requests: the checks that a client requires.

use gbac_console_model::simulator::least_change::least_changes;
use gbac_console_model::simulator::question::AccessRequest;
use gbac_console_model::simulator::request::{
    RequestAnswer, RequestCatalog, RequestForm, RequestRow, answer,
};
use gbac_console_model::simulator::verdict::VerdictKind;
use gbac_engine::decide::Outcome;
use gbac_words::common::POLICY_NOT_READ;
use gbac_words::pages::simulator as words;
use leptos::prelude::*;

use super::least_change::Found;
use super::parts::{look, nobody, sign_in_first};
use super::state::SimulatorState;
use crate::dom;
use crate::pages::rich_text::sentence;
use crate::ui::{
    Button, Choice, Heads, Icon, Mark, Segmented, Select, Table, TextArea, VerdictWord,
};
use gbac_console_model::simulator::panel::Panel;

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
    let (identity, instant, refusal) = (state.identity(), state.instant(), state.refusal());
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
        .filter(|row| row.kind != VerdictKind::Allowed)
        .count();
    let summary = words::request_outcome(found.outcome(), found.rows.len(), denied);
    let mark = if found.outcome() == Outcome::Allow {
        Mark::Allow
    } else {
        Mark::Deny
    };
    let choice = found.choice.clone();
    let all = found.all();
    let (identity, instant) = (state.identity(), state.instant());
    let least = move || {
        let (identity, policy) = (identity.get()?, state.service.policy.get()?);
        all.as_ref()
            .map(|all| least_changes(&policy, &identity, all, instant.get()))
    };
    let requests = found
        .requests
        .iter()
        .map(|(name, outcome)| {
            let (mark, word) =
                if *outcome == Outcome::Allow { (Mark::Allow, "Allowed") } else { (Mark::Deny, "Denied") };
            view! { <li><VerdictWord mark=mark word=word small=true /> " " <span class="cl">{name.clone()}</span></li> }
        })
        .collect_view();
    view! {
        <p role="status"><VerdictWord mark=mark word=summary /></p>
        {choice.map(|words| view! { <p class="quiet">{words::one_is_enough(&words)}</p> })}
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

#[component]
fn Check(state: SimulatorState, row: RequestRow) -> impl IntoView {
    let RequestRow { access, kind, of } = row;
    let (_, class, glyph) = look(kind);
    let label = format!("Open check: {}", access.deed().plain());
    let of = match of.as_slice() {
        [] => String::new(),
        [only] => only.clone(),
        [first, rest @ ..] => format!("{first} and {} more", rest.len()),
    };
    let deed = access.deed();
    view! {
        <tr role="row">
            <th role="rowheader" scope="row">{sentence(&deed)}</th>
            <td role="cell" data-l="Verdict"><span class=class><Icon glyph=glyph />{kind.title()}</span></td>
            <td role="cell" data-l="Required by"><span class="quiet">{of}</span></td>
            <td role="cell" data-l="">
                <Button small=true on_press=move |()| ask(state, &access) attr:aria-label=label>"Open check"</Button>
            </td>
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
