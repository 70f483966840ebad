//! Banners, tags and empty states.

use leptos::prelude::*;

use super::{Glyph, Icon, IconSize};

/// What a banner or a message is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoteKind {
    /// Look again.
    Warn,
    /// Something failed.
    Error,
    /// A remark.
    Info,
}

/// A banner with a title; the children are its text and, in a `div.row`, its buttons.
#[component]
pub fn Note(
    /// What it is about.
    kind: NoteKind,
    /// The title; a `h3` unless `level` says otherwise.
    #[prop(into)]
    title: Signal<String>,
    /// The level of the heading, 2 or 3.
    #[prop(default = 3)]
    level: u8,
    /// The text.
    children: Children,
) -> impl IntoView {
    let (class, glyph) = match kind {
        NoteKind::Warn => ("note note-warn", Glyph::Warn),
        NoteKind::Error => ("note note-err", Glyph::Deny),
        NoteKind::Info => ("note note-info", Glyph::Info),
    };
    let heading = if level == 2 {
        view! { <h2>{move || title.get()}</h2> }.into_any()
    } else {
        view! { <h3>{move || title.get()}</h3> }.into_any()
    };
    view! {
        <div class=class>
            <Icon glyph=glyph />
            <div>{heading}{children()}</div>
        </div>
    }
}

/// The colour of a tag.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum TagKind {
    /// Neutral.
    #[default]
    Plain,
    /// A change that is not on the service.
    Draft,
    /// Look again.
    Warn,
    /// A failure, or a deny.
    Deny,
    /// An allow.
    Allow,
}

/// A small word in a frame, with an icon where it has one.
#[component]
pub fn Tag(
    /// The colour.
    #[prop(optional)]
    kind: TagKind,
    /// The icon.
    #[prop(optional, into)]
    glyph: Option<Glyph>,
    /// The word.
    children: Children,
) -> impl IntoView {
    let class = match kind {
        TagKind::Plain => "tag",
        TagKind::Draft => "tag tag-draft",
        TagKind::Warn => "tag tag-warn",
        TagKind::Deny => "tag tag-deny",
        TagKind::Allow => "tag tag-allow",
    };
    view! {
        <span class=class>
            {glyph.map(|glyph| view! { <Icon glyph=glyph size=IconSize::Small /> })}
            {children()}
        </span>
    }
}

/// A place where nothing is, with the reason and, in a `div.row`, what to do.
#[component]
pub fn Empty(
    /// The icon.
    glyph: Glyph,
    /// What is missing.
    #[prop(into)]
    title: String,
    /// The level of the heading, 2 or 3.
    #[prop(default = 2)]
    level: u8,
    /// The reason, and the buttons.
    children: Children,
) -> impl IntoView {
    view! {
        <div class="empty">
            <Icon glyph=glyph />
            {if level == 2 { view! { <h2>{title}</h2> }.into_any() } else { view! { <h3>{title}</h3> }.into_any() }}
            {children()}
        </div>
    }
}
