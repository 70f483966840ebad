//! Parts of the simulator's page: sentences with names in them, fields with their problem, notes.

use gbac_console_model::address;
use gbac_console_model::rich_text::{Word, Words};
use gbac_console_model::simulator::inputs::{Action, Field, Inputs, Problem, Weight};
use gbac_console_model::simulator::token::Mark;
use gbac_engine::model::PrincipalType;
use leptos::prelude::*;

use super::Bench;
use crate::pages::link::RoleLink;
use crate::ui::{Glyph, Icon, IconSize, LinkButton, Mono, PermissionWord, Piece, PrincipalName, ResourceName, pieces};

/// A sentence, its names as names.
pub(in crate::pages) fn sentence(words: &Words) -> impl IntoView + use<> {
    words.0.iter().map(word).collect_view()
}

fn word(word: &Word) -> AnyView {
    match word {
        Word::Text(text) if text == " → " => view! { <span class="hop">" → "</span> }.into_any(),
        Word::Text(text) => text.clone().into_any(),
        Word::Quiet(text) => view! { <span class="dim">{text.clone()}</span> }.into_any(),
        Word::Code(text) => view! { <Mono text=text.clone() /> }.into_any(),
        Word::Principal(principal) if principal.kind() == PrincipalType::Role => {
            let (href, principal) = (address::role(principal.name()), principal.clone());
            view! { <RoleLink href=href class="pr"><PrincipalName principal=principal /></RoleLink> }.into_any()
        }
        Word::Principal(principal) => view! { <PrincipalName principal=principal.clone() /> }.into_any(),
        Word::Resource(name) => view! { <ResourceName name=name.clone() /> }.into_any(),
        Word::Pattern(words) => view! { <span class="pat">{*words}</span> }.into_any(),
        Word::Permission(permission) => view! { <PermissionWord permission=*permission /> }.into_any(),
        Word::Overridden => {
            view! { <span class="v v-over"><Icon glyph=Glyph::Overridden /><b>"Allow"</b></span> }.into_any()
        }
        Word::Differs(kind, parts) => {
            let parts = parts
                .iter()
                .map(|(part, differs)| {
                    let shown = shown(part);
                    if *differs { view! { <mark>{shown}</mark> }.into_any() } else { shown.into_any() }
                })
                .collect_view();
            view! { <bdi class="rs"><span class="pr-t">{kind.clone()}</span>{parts}</bdi> }.into_any()
        }
    }
}

/// A name whose characters that cannot be seen are shown by their code.
pub(super) fn shown(name: &str) -> impl IntoView + use<> {
    pieces(name)
        .into_iter()
        .map(|piece| match piece {
            Piece::Text(text) => text.into_any(),
            Piece::Code(c) => {
                let code = format!("U+{:04X}", u32::from(c));
                view! { <span class="esc">{code}</span> }.into_any()
            }
        })
        .collect_view()
}

/// The shape and colour of a fact.
pub(super) const fn mark(mark: Mark) -> (&'static str, Glyph) {
    match mark {
        Mark::Good => ("v-allow", Glyph::Allow),
        Mark::Warn => ("v-warn", Glyph::Warn),
        Mark::Bad => ("v-deny", Glyph::Deny),
        Mark::Plain => ("dim", Glyph::Info),
    }
}

/// Buttons that change the inputs.
pub(super) fn actions(bench: Bench, actions: &[Action]) -> Option<impl IntoView + use<>> {
    let buttons: Vec<Action> = actions.to_vec();
    (!buttons.is_empty()).then(|| {
        let buttons = buttons
            .into_iter()
            .map(|Action { label, change }| {
                let press = move |()| bench.apply(change.clone());
                view! { <LinkButton on_press=press>{label}</LinkButton> }
            })
            .collect_view();
        view! { <div class="row actions">{buttons}</div> }
    })
}

/// What is wrong with a field, under it; its id is `<id>-msg`.
fn message(bench: Bench, id: &str, problem: &Problem) -> AnyView {
    let id = format!("{id}-msg");
    let (class, glyph) = match problem.weight {
        Weight::Error => ("msg msg-err", Glyph::Deny),
        Weight::Warning => ("msg msg-warn", Glyph::Warn),
        Weight::Missing | Weight::Info => ("msg", Glyph::Info),
    };
    view! {
        <p class=class id=id>
            <Icon glyph=glyph size=IconSize::Small />
            <span>{sentence(&problem.words)}</span>
        </p>
        {actions(bench, &problem.actions)}
    }
    .into_any()
}

/// A field of the inputs with its label, its help and its problem.
#[component]
pub(super) fn Entry(
    /// The page's state.
    bench: Bench,
    /// The id of the control.
    id: &'static str,
    /// The label.
    #[prop(into)]
    label: Signal<String>,
    /// The field, for its problem.
    field: Option<Field>,
    /// Reads the text.
    get: fn(&Inputs) -> &str,
    /// Takes an edit.
    set: fn(&mut Inputs, String),
    /// How many lines; one is a line of text, more are a text area.
    #[prop(default = 1)]
    rows: u32,
    /// An example, shown while empty.
    #[prop(optional)]
    placeholder: &'static str,
    /// What to enter, under the field.
    #[prop(optional)]
    help: &'static str,
    /// The id of more text about it.
    #[prop(optional)]
    described_by: &'static str,
    /// The id of a `datalist` of suggestions, for a line of text.
    #[prop(optional)]
    list: &'static str,
) -> impl IntoView {
    let value = Memo::new(move |_| bench.inputs.with(|inputs| get(inputs).to_owned()));
    let problem = bench.problem(field);
    let invalid =
        move || problem.with(|problem| problem.as_ref().is_some_and(|problem| problem.weight == Weight::Error));
    let invalid = move || invalid().then_some("true");
    let described = move || {
        let mut ids: Vec<String> = Vec::new();
        if problem.with(Option::is_some) {
            ids.push(format!("{id}-msg"));
        }
        if !help.is_empty() {
            ids.push(format!("{id}-help"));
        }
        if !described_by.is_empty() {
            ids.push(described_by.into());
        }
        (!ids.is_empty()).then(|| ids.join(" "))
    };
    let control = if rows > 1 {
        view! {
            <textarea
                class="in mono" id=id rows=rows placeholder=placeholder autocomplete="off" autocapitalize="off"
                spellcheck="false" aria-invalid=invalid aria-describedby=described
                prop:value=move || value.get()
                on:input=move |event| bench.edit(|inputs| set(inputs, event_target_value(&event)))
            ></textarea>
        }
        .into_any()
    } else {
        view! {
            <input
                class="in mono" id=id type="text" placeholder=placeholder autocomplete="off" autocapitalize="off"
                list=(!list.is_empty()).then_some(list) spellcheck="false" aria-invalid=invalid aria-describedby=described
                prop:value=move || value.get()
                on:input=move |event| bench.edit(|inputs| set(inputs, event_target_value(&event)))
            />
        }
        .into_any()
    };
    view! {
        <div class="field">
            <label for=id>{move || label.get()}</label>
            {control}
            {move || problem.with(|problem| problem.as_ref().map(|problem| message(bench, id, problem)))}
            {(!help.is_empty()).then(|| view! { <p class="help" id=format!("{id}-help")>{help}</p> })}
        </div>
    }
}

/// The problem of a control that is not an [`Entry`].
#[component]
pub(super) fn ProblemOf(
    /// The page's state.
    bench: Bench,
    /// The id of the control.
    id: &'static str,
    /// The field.
    field: Field,
) -> impl IntoView {
    let problem = bench.problem(Some(field));
    move || problem.with(|problem| problem.as_ref().map(|problem| message(bench, id, problem)))
}
