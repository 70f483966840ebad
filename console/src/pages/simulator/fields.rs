//! Shared parts of the simulator: fields with problems and with what they suggest, action buttons,
//! messages.

use std::sync::Arc;
use std::time::Duration;

use gbac_console_model::simulator::inputs::{Action, InputField, InputProblem, Inputs, Weight};
use gbac_console_model::simulator::suggestions::{PolicyNames, SuggestedName, begin};
use gbac_console_model::simulator::token::FactMark;
use gbac_console_model::simulator::verdict::VerdictKind;
use gbac_engine::policy::Policy;
use gbac_words::pages::simulator as words;
use gbac_words::rich_text::RichText;
use leptos::prelude::*;
use leptos::task::spawn_local;

use super::state::SimulatorState;
use crate::dom;
use crate::pages::chunk::{ChunkError, chunk_fn};
use crate::pages::rich_text::sentence;
use crate::ui::{Glyph, Icon, IconSize, LinkButton, Mark as VerdictMark, VerdictWord};

/// The id of the button that opens the sheet with the fixes.
pub(super) const FIX_BUTTON: &str = "fix-this";
/// The id of that sheet.
pub(super) const FIX_SHEET: &str = "fix";

/// The shape and colour of a fact.
pub(super) const fn mark(mark: FactMark) -> (&'static str, Glyph) {
    match mark {
        FactMark::Good => ("v-allow", Glyph::Allow),
        FactMark::Assumed => ("v-info", Glyph::Assumed),
        FactMark::Warn => ("v-warn", Glyph::Warn),
        FactMark::Bad => ("v-deny", Glyph::Deny),
        FactMark::Plain => ("dim", Glyph::Info),
    }
}

/// The shape and color of a verdict: the classes of its panel and of its words, and its icon.
pub(super) const fn look(kind: VerdictKind) -> (&'static str, &'static str, Glyph) {
    match kind {
        VerdictKind::Allowed => ("verdict verdict-allow", "v v-allow", Glyph::Allow),
        VerdictKind::AllowedIf => ("verdict verdict-try", "v v-info", Glyph::AllowIf),
        VerdictKind::DeniedByRule => ("verdict verdict-deny", "v v-deny", Glyph::Deny),
        VerdictKind::SignInFails => ("verdict verdict-deny", "v v-deny", Glyph::Deny),
        VerdictKind::NothingAllows | VerdictKind::Expired => {
            ("verdict verdict-none", "v v-none", Glyph::NoRule)
        }
    }
}

/// Buttons that change the inputs.
pub(super) fn actions(state: SimulatorState, actions: &[Action]) -> Option<impl IntoView + use<>> {
    let buttons: Vec<Action> = actions.to_vec();
    (!buttons.is_empty()).then(|| {
        let buttons = buttons
            .into_iter()
            .map(|Action { label, change }| {
                let press = move |()| state.apply(change.clone());
                view! { <LinkButton on_press=press>{label}</LinkButton> }
            })
            .collect_view();
        view! { <div class="row actions">{buttons}</div> }
    })
}

/// What is wrong with a field, under it; its id is `<id>-msg`.
fn message(state: SimulatorState, id: &str, problem: &InputProblem) -> AnyView {
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
        {actions(state, &problem.actions)}
    }
    .into_any()
}

/// A field of the inputs with its label, its help and its problem.
#[component]
pub(super) fn Entry(
    /// The page's state.
    state: SimulatorState,
    /// The id of the control.
    id: &'static str,
    /// The label.
    #[prop(into)]
    label: Signal<String>,
    /// For assistive technology only, where a heading says the same.
    #[prop(optional)]
    hide_label: bool,
    /// The field, for its problem.
    field: Option<InputField>,
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
    let value = Memo::new(move |_| state.inputs.with(|inputs| get(inputs).to_owned()));
    let problem = state.problem(field);
    let invalid = move || match problem.read().as_ref() {
        Some(problem) if problem.weight == Weight::Error => Some("true"),
        _ => None,
    };
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
                on:input=move |event| state.edit(|inputs| set(inputs, event_target_value(&event)))
            ></textarea>
        }
        .into_any()
    } else {
        view! {
            <input
                class="in mono" id=id type="text" placeholder=placeholder autocomplete="off" autocapitalize="off"
                list=(!list.is_empty()).then_some(list) spellcheck="false" aria-invalid=invalid aria-describedby=described
                prop:value=move || value.get()
                on:input=move |event| state.edit(|inputs| set(inputs, event_target_value(&event)))
            />
        }
        .into_any()
    };
    view! {
        <div class="field">
            <label for=id class:sr=hide_label>{move || label.get()}</label>
            {control}
            {move || problem.with(|problem| problem.as_ref().map(|problem| message(state, id, problem)))}
            {(!help.is_empty()).then(|| view! { <p class="help" id=format!("{id}-help")>{help}</p> })}
        </div>
    }
}

/// The problem of a control that is not an [`Entry`].
#[component]
pub(super) fn ProblemOf(
    /// The page's state.
    state: SimulatorState,
    /// The id of the control.
    id: &'static str,
    /// The field.
    field: InputField,
) -> impl IntoView {
    let problem = state.problem(Some(field));
    move || problem.with(|problem| problem.as_ref().map(|problem| message(state, id, problem)))
}

/// Why no change of the policy helps: sign-in fails, so that no ACL is evaluated.
/// `words` say what to fix.
pub(super) fn sign_in_first(words: &RichText) -> impl IntoView + use<> {
    view! {
        <p><VerdictWord mark=VerdictMark::Deny word="Sign-in fails" /> ". " {words::FIX_SIGN_IN}</p>
        <p>{sentence(words)}</p>
    }
}

/// The hint while no user is entered.
pub(super) fn nobody() -> impl IntoView {
    view! { <p class="quiet">{words::SUBJECT_MISSING}</p> }
}

/// How long typing has to rest before names are looked up again.
const REST: Duration = Duration::from_millis(150);

/// The names of the policy that was looked at last.
type Known = StoredValue<Option<(Arc<Policy>, Arc<PolicyNames>)>>;

/// Suggestions for a field, as its `list`.
#[component]
pub(super) fn Names(id: &'static str, #[prop(into)] names: Signal<Vec<String>>) -> impl IntoView {
    view! {
        <datalist id=id>
            {move || names.get().into_iter().map(|name| view! { <option value=name></option> }).collect_view()}
        </datalist>
    }
}

/// Suggestions with what is known about each.
#[component]
pub(super) fn ResourceNames(
    id: &'static str,
    #[prop(into)] names: Signal<Vec<SuggestedName>>,
) -> impl IntoView {
    view! {
        <datalist id=id>
            {move || {
                names
                    .get()
                    .into_iter()
                    .map(|SuggestedName { name, about }| view! { <option value=name label=about></option> })
                    .collect_view()
            }}
        </datalist>
    }
}

/// Keeps the suggestions up to date: at once for another policy, and after a rest while somebody
/// types.
pub(super) fn suggest(state: SimulatorState) {
    let known: Known = StoredValue::new(None);
    let typed = Memo::new(move |_| {
        state.inputs.with(|inputs| {
            (
                inputs.resource_type,
                inputs.resource_name.clone(),
                inputs.user.clone(),
                inputs.host.clone(),
            )
        })
    });
    let waiting = StoredValue::new(None::<TimeoutHandle>);
    let stop = move || {
        waiting.update_value(|waiting| {
            if let Some(handle) = waiting.take() {
                handle.clear();
            }
        });
    };
    Effect::new(move |_| {
        let policy = state.service.policy.get();
        // Read and not only tracked: what nobody reads does not look at what it is made from.
        typed.with(|_| ());
        state.recent.track();
        stop();
        let Some(policy) = policy else { return };
        let is_known = known.with_value(|known| {
            known
                .as_ref()
                .is_some_and(|(of, _)| Arc::ptr_eq(of, &policy))
        });
        let look = move || {
            spawn_local(async move {
                // Without the code, nothing is suggested.
                let _ = look_up(state, policy, known).await;
            });
        };
        if is_known {
            waiting.set_value(set_timeout_with_handle(look, REST).ok());
        } else {
            dom::after_paint(look);
        }
    });
    on_cleanup(stop);
}

chunk_fn!(rest, look_up(state: SimulatorState, policy: Arc<Policy>, known: Known) {
    // The page may be gone by now.
    let names = known.try_update_value(|known| match known {
        Some((of, names)) if Arc::ptr_eq(of, &policy) => Arc::clone(names),
        _ => {
            let names = Arc::new(dom::measured("simulator: names", || PolicyNames::from_policy(&policy)));
            *known = Some((policy, Arc::clone(&names)));
            names
        }
    });
    if let Some(names) = names {
        offer(state, &names);
    }
});

fn offer(state: SimulatorState, names: &PolicyNames) {
    let recent = state.recent.get_untracked();
    let offers = state
        .inputs
        .with_untracked(|inputs| names.offers(inputs, &recent));
    if !offers.requests.is_empty() && !state.began.get_untracked() {
        state.began.set(true);
        state.edit(|inputs| begin(inputs, &offers.requests));
    }
    let _ = state.offers.try_update(|held| *held = offers);
}
