//! Buttons.

use leptos::prelude::*;

use super::{Glyph, Icon};

/// How loud a button is. A view has one [`ButtonKind::Primary`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ButtonKind {
    /// The one action of the view.
    Primary,
    /// Any other action.
    #[default]
    Secondary,
    /// An action without an edge.
    Quiet,
    /// Leads to a loss, which is confirmed next.
    Danger,
    /// Does the loss; only inside a confirmation.
    Kill,
}

impl ButtonKind {
    const fn class(self) -> &'static str {
        match self {
            Self::Primary => "btn btn-main",
            Self::Secondary => "btn",
            Self::Quiet => "btn btn-bare",
            Self::Danger => "btn btn-danger",
            Self::Kill => "btn btn-kill",
        }
    }
}

/// A button with words. Other attributes go behind it: `<Button on_press=move |()| open() {..}
/// aria-expanded="true">`.
///
/// While `busy` it stays focusable and does nothing, so that focus is not lost; while `disabled` it
/// is out of reach.
#[component]
pub fn Button(
    /// How loud.
    #[prop(optional)]
    kind: ButtonKind,
    /// 28 px high instead of 32.
    #[prop(optional)]
    small: bool,
    /// An icon before the words.
    #[prop(optional, into)]
    glyph: Option<Glyph>,
    /// What a press does; a submit button needs none.
    #[prop(optional, into)]
    on_press: Option<Callback<()>>,
    /// Submits the form it is in.
    #[prop(optional)]
    submit: bool,
    /// Out of reach.
    #[prop(optional, into)]
    disabled: Signal<bool>,
    /// Waiting for an answer.
    #[prop(optional, into)]
    busy: Signal<bool>,
    /// The element's id, where focus has to find it.
    #[prop(optional, into)]
    id: Option<String>,
    /// The words.
    children: Children,
) -> impl IntoView {
    let class = if small {
        format!("{} btn-sm", kind.class())
    } else {
        kind.class().to_owned()
    };
    view! {
        <button
            class=class
            id=id
            type=if submit { "submit" } else { "button" }
            disabled=move || disabled.get()
            aria-disabled=move || busy.get().then_some("true")
            on:click=move |event| {
                if busy.get_untracked() {
                    event.prevent_default();
                } else if let Some(press) = on_press {
                    press.run(());
                }
            }
        >
            {glyph.map(|glyph| view! { <Icon glyph=glyph /> })}
            {children()}
        </button>
    }
}

/// A button that is an icon; `label` is its name and says what it acts on ("Remove Group:eng").
#[component]
pub fn IconButton(
    /// The icon.
    #[prop(into)]
    glyph: Signal<Glyph>,
    /// The name, with the row in it.
    #[prop(into)]
    label: Signal<String>,
    /// What a press does.
    #[prop(into)]
    on_press: Callback<()>,
    /// The element's id, where focus has to find it.
    #[prop(optional, into)]
    id: Option<String>,
    /// Waiting for an answer.
    #[prop(optional, into)]
    busy: Signal<bool>,
) -> impl IntoView {
    view! {
        <button
            class="icon-btn"
            id=id
            type="button"
            aria-label=move || label.get()
            title=move || label.get()
            aria-disabled=move || busy.get().then_some("true")
            on:click=move |_| {
                if !busy.get_untracked() {
                    on_press.run(());
                }
            }
        >
            <Icon glyph=glyph />
        </button>
    }
}

/// A button that looks like a link: an action inside text ("Use payments").
#[component]
pub fn LinkButton(
    /// What a press does.
    #[prop(into)]
    on_press: Callback<()>,
    /// The words.
    children: Children,
) -> impl IntoView {
    view! {
        <button class="link" type="button" on:click=move |_| on_press.run(())>
            {children()}
        </button>
    }
}
