//! Verdicts and marks: a shape, a word and a color.

use gbac_engine::model::Permission;
use leptos::prelude::*;

use super::{Glyph, Icon, IconSize};

/// What a row or a verdict says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mark {
    /// Allow.
    Allow,
    /// Allowed if hypotheses hold.
    AllowIf,
    /// Deny by a rule.
    Deny,
    /// No rule spoke.
    NoRule,
    /// An allow that a deny overrode.
    Overridden,
    /// A near miss.
    Near,
    /// A warning.
    Warn,
    /// A remark.
    Info,
}

impl Mark {
    /// The shape.
    #[must_use]
    pub const fn glyph(self) -> Glyph {
        match self {
            Self::Allow => Glyph::Allow,
            Self::AllowIf => Glyph::AllowIf,
            Self::Deny => Glyph::Deny,
            Self::NoRule => Glyph::NoRule,
            Self::Overridden => Glyph::Overridden,
            Self::Near => Glyph::Near,
            Self::Warn => Glyph::Warn,
            Self::Info => Glyph::Info,
        }
    }

    const fn class(self) -> &'static str {
        match self {
            Self::Allow => "v v-allow",
            Self::AllowIf => "v v-info",
            Self::Deny => "v v-deny",
            Self::NoRule => "v v-none",
            Self::Overridden => "v v-over",
            Self::Near => "v v-near",
            Self::Warn => "v v-warn",
            Self::Info => "v v-info",
        }
    }
}

/// A shape with its word. With [`Mark::Overridden`] the word is struck and "overridden" follows.
#[component]
pub fn VerdictWord(
    /// The shape and colour.
    mark: Mark,
    /// The word, such as `Allow`, `Near miss` or `2 deny`.
    #[prop(into)]
    word: String,
    /// The small icon.
    #[prop(optional)]
    small: bool,
) -> impl IntoView {
    let size = if small {
        IconSize::Small
    } else {
        IconSize::Normal
    };
    let word = match mark {
        Mark::Overridden => view! { <b>{word}</b>" overridden" }.into_any(),
        _ => word.into_any(),
    };
    view! { <span class=mark.class()><Icon glyph=mark.glyph() size=size />{word}</span> }
}

/// `Allow` or `Deny` of an ACL.
#[component]
pub fn PermissionWord(
    /// Which.
    permission: Permission,
    /// The small icon.
    #[prop(optional)]
    small: bool,
) -> impl IntoView {
    let mark = match permission {
        Permission::Allow => Mark::Allow,
        Permission::Deny => Mark::Deny,
    };
    view! { <VerdictWord mark=mark word=permission.spelling().label small=small /> }
}
