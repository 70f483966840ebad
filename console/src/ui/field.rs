//! Fields: a label, a control, help and messages.

use leptos::prelude::*;

use super::{Glyph, Icon, IconSize, Words};

/// One choice of a [`Select`] or [`Segmented`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    /// What the callback gets.
    pub value: String,
    /// What is shown.
    pub label: String,
}

impl Choice {
    /// A choice.
    pub fn new(value: impl Into<String>, label: impl Into<String>) -> Self {
        Self {
            value: value.into(),
            label: label.into(),
        }
    }

    /// One for each of these: its value and its label.
    pub fn each<T, V: Into<String>, L: Into<String>>(
        all: impl IntoIterator<Item = T>,
        choice: impl Fn(T) -> (V, L),
    ) -> Vec<Self> {
        let mut choices = Vec::new();
        for one in all {
            let (value, label) = choice(one);
            choices.push(Self::new(value, label));
        }
        choices
    }
}

/// What a message under a field says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MessageKind {
    /// The value is refused.
    Error,
    /// The value is taken, but look again.
    Warn,
    /// A confirmation.
    Good,
}

/// A message under a field or a form; give its id to `described_by` of the control.
#[component]
pub fn Message(
    /// What it says.
    kind: MessageKind,
    /// The id.
    #[prop(optional, into)]
    id: Option<String>,
    /// The words.
    children: Children,
) -> impl IntoView {
    let (class, glyph) = match kind {
        MessageKind::Error => ("msg msg-err", Glyph::Deny),
        MessageKind::Warn => ("msg msg-warn", Glyph::Warn),
        MessageKind::Good => ("msg msg-ok", Glyph::Tick),
    };
    view! {
        <p class=class id=id>
            <Icon glyph=glyph size=IconSize::Small />
            <span>{children()}</span>
        </p>
    }
}

/// The ids that describe a control, of those that are shown.
fn described(id: &str, help: bool, message: bool, more: &str) -> Option<String> {
    let mut ids: Vec<String> = Vec::new();
    if message {
        ids.push(format!("{id}-msg"));
    }
    if help {
        ids.push(format!("{id}-help"));
    }
    if !more.is_empty() {
        ids.push(more.to_owned());
    }
    (!ids.is_empty()).then(|| ids.join(" "))
}

/// What stands under a control.
fn under(
    id: &str,
    help: MaybeProp<String>,
    error: MaybeProp<String>,
    warning: MaybeProp<String>,
) -> impl IntoView + use<> {
    let (message_id, help_id) = (format!("{id}-msg"), format!("{id}-help"));
    view! {
        {move || {
            let id = message_id.clone();
            match (error.get(), warning.get()) {
                (Some(text), _) => Some(view! { <Message kind=MessageKind::Error id=id><Words text=text /></Message> }),
                (None, Some(text)) => Some(view! { <Message kind=MessageKind::Warn id=id><Words text=text /></Message> }),
                (None, None) => None,
            }
        }}
        {move || {
            let id = help_id.clone();
            help.get().map(|text| view! { <p class="help" id=id><Words text=text /></p> })
        }}
    }
}

/// A line of text. `error` marks it invalid; `warning` is shown when there is no error.
#[component]
pub fn Field(
    /// The id of the control; help and message get ids from it.
    #[prop(into)]
    id: String,
    /// The label.
    #[prop(into)]
    label: String,
    /// The text.
    #[prop(into)]
    value: Signal<String>,
    /// Each edit.
    #[prop(into)]
    on_input: Callback<String>,
    /// Monospace, without spelling help: for names.
    #[prop(optional)]
    mono: bool,
    /// What is shown while empty; an example, never the label.
    #[prop(optional, into)]
    placeholder: String,
    /// What to enter.
    #[prop(optional, into)]
    help: MaybeProp<String>,
    /// Why the text is refused.
    #[prop(optional, into)]
    error: MaybeProp<String>,
    /// Why to look again.
    #[prop(optional, into)]
    warning: MaybeProp<String>,
    /// Marks it invalid if the reason is elsewhere, in an element of `described_by`.
    #[prop(optional, into)]
    invalid: Signal<bool>,
    /// Ids of more text about it.
    #[prop(optional, into)]
    described_by: Signal<String>,
    /// Out of reach.
    #[prop(optional, into)]
    disabled: Signal<bool>,
    /// Gets focus when its dialog opens.
    #[prop(optional)]
    autofocus: bool,
    /// `text`, `search` or `password`.
    #[prop(default = "text")]
    kind: &'static str,
    /// The id of a `datalist` of suggestions.
    #[prop(optional)]
    list: &'static str,
    /// What a browser may fill in, such as `username`; nothing by default.
    #[prop(default = "off")]
    autocomplete: &'static str,
) -> impl IntoView {
    let below = under(&id, help, error, warning);
    let control = id.clone();
    let described_id = id.clone();
    view! {
        <div class="field">
            <label for=id>{label}</label>
            <input
                class=if mono { "in mono" } else { "in" }
                id=control
                type=kind
                placeholder=placeholder
                autocomplete=autocomplete
                list=(!list.is_empty()).then_some(list)
                autocapitalize="off"
                spellcheck="false"
                autofocus=autofocus
                disabled=move || disabled.get()
                aria-invalid=move || (invalid.get() || error.get().is_some()).then_some("true")
                aria-describedby=move || {
                    let message = error.get().is_some() || warning.get().is_some();
                    described(&described_id, help.get().is_some(), message, &described_by.get())
                }
                prop:value=move || value.get()
                on:input=move |event| on_input.run(event_target_value(&event))
            />
            {below}
        </div>
    }
}

/// Several lines of text.
#[component]
pub fn TextArea(
    /// The id of the control; help and message get ids from it.
    #[prop(into)]
    id: String,
    /// The label.
    #[prop(into)]
    label: String,
    /// The text.
    #[prop(into)]
    value: Signal<String>,
    /// Each edit.
    #[prop(into)]
    on_input: Callback<String>,
    /// How many lines are seen.
    #[prop(default = 6)]
    rows: u32,
    /// What is shown while empty.
    #[prop(optional, into)]
    placeholder: String,
    /// What to enter.
    #[prop(optional, into)]
    help: MaybeProp<String>,
    /// Why the text is refused.
    #[prop(optional, into)]
    error: MaybeProp<String>,
    /// Why to look again.
    #[prop(optional, into)]
    warning: MaybeProp<String>,
    /// Ids of more text about it.
    #[prop(optional, into)]
    described_by: Signal<String>,
) -> impl IntoView {
    let below = under(&id, help, error, warning);
    let control = id.clone();
    let described_id = id.clone();
    view! {
        <div class="field">
            <label for=id>{label}</label>
            <textarea
                class="in mono"
                id=control
                rows=rows
                placeholder=placeholder
                autocomplete="off"
                autocapitalize="off"
                spellcheck="false"
                aria-invalid=move || error.get().is_some().then_some("true")
                aria-describedby=move || {
                    let message = error.get().is_some() || warning.get().is_some();
                    described(&described_id, help.get().is_some(), message, &described_by.get())
                }
                prop:value=move || value.get()
                on:input=move |event| on_input.run(event_target_value(&event))
            ></textarea>
            {below}
        </div>
    }
}

/// One of many, as a list that opens.
#[component]
pub fn Select(
    /// The id of the control; help and message get ids from it.
    #[prop(into)]
    id: String,
    /// The label.
    #[prop(into)]
    label: String,
    /// The chosen value.
    #[prop(into)]
    value: Signal<String>,
    /// The choices; may change.
    #[prop(into)]
    choices: Signal<Vec<Choice>>,
    /// A new choice.
    #[prop(into)]
    on_change: Callback<String>,
    /// What to choose.
    #[prop(optional, into)]
    help: MaybeProp<String>,
    /// Why the choice is refused.
    #[prop(optional, into)]
    error: MaybeProp<String>,
    /// Why to look again.
    #[prop(optional, into)]
    warning: MaybeProp<String>,
    /// Out of reach.
    #[prop(optional, into)]
    disabled: Signal<bool>,
) -> impl IntoView {
    let below = under(&id, help, error, warning);
    let control = id.clone();
    let described_id = id.clone();
    view! {
        <div class="field">
            <label for=id>{label}</label>
            <select
                class="in"
                id=control
                disabled=move || disabled.get()
                aria-invalid=move || error.get().is_some().then_some("true")
                aria-describedby=move || {
                    let message = error.get().is_some() || warning.get().is_some();
                    described(&described_id, help.get().is_some(), message, "")
                }
                on:change=move |event| on_change.run(event_target_value(&event))
            >
                {move || {
                    choices
                        .get()
                        .into_iter()
                        .map(|choice| {
                            let this = choice.value.clone();
                            view! {
                                <option value=choice.value prop:selected=move || value.get() == this>
                                    {choice.label}
                                </option>
                            }
                        })
                        .collect_view()
                }}
            </select>
            {below}
        </div>
    }
}

/// One of few, side by side; arrow keys move between them.
#[component]
pub fn Segmented(
    /// The name of the radio group; unique in the page.
    #[prop(into)]
    name: String,
    /// What is chosen here.
    #[prop(into)]
    legend: String,
    /// The chosen value.
    #[prop(into)]
    value: Signal<String>,
    /// The choices.
    choices: Vec<Choice>,
    /// A new choice.
    #[prop(into)]
    on_change: Callback<String>,
    /// For assistive technology only, where the place says what is chosen.
    #[prop(optional)]
    hide_legend: bool,
    /// 28 px high instead of 32.
    #[prop(optional)]
    small: bool,
    /// What to know before choosing.
    #[prop(optional, into)]
    help: MaybeProp<String>,
) -> impl IntoView {
    let help_id = format!("{name}-help");
    let described_id = help_id.clone();
    view! {
        <fieldset aria-describedby=move || help.get().map(|_| described_id.clone())>
            <legend class=if hide_legend { "sr" } else { "legend" }>{legend}</legend>
            <div class=if small { "seg seg-sm" } else { "seg" }>
                {choices
                    .into_iter()
                    .map(|choice| {
                        let (this, given) = (choice.value.clone(), choice.value.clone());
                        view! {
                            <label>
                                <input
                                    type="radio"
                                    name=name.clone()
                                    value=choice.value
                                    prop:checked=move || value.get() == this
                                    on:change=move |_| on_change.run(given.clone())
                                />
                                <span>{choice.label}</span>
                            </label>
                        }
                    })
                    .collect_view()}
            </div>
            {move || {
                let id = help_id.clone();
                help.get().map(|text| view! { <p class="help" id=id><Words text=text /></p> })
            }}
        </fieldset>
    }
}
