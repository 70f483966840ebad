//! Icons of the page's sprite.

use leptos::prelude::*;

/// One symbol of the sprite. Each verdict has a shape of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Glyph {
    /// The product's mark.
    Product,
    /// A filled circle with a tick: allow.
    Allow,
    /// A dashed circle with a tick: allowed if hypotheses hold.
    AllowIf,
    /// A dashed circle: assumed.
    Assumed,
    /// A filled octagon with a bar: deny.
    Deny,
    /// A dashed circle: no rule spoke.
    NoRule,
    /// A hollow circle with a tick: overridden.
    Overridden,
    /// A diamond: a near miss.
    Near,
    /// A square with a question mark: nobody can know.
    Unknown,
    /// A triangle: look again.
    Warn,
    /// A circle with an i.
    Info,
    /// A user.
    User,
    /// A group of the identity provider.
    Group,
    /// A role.
    Role,
    /// A thin tick.
    Tick,
    /// A thin cross.
    Cross,
    /// An angle that points to the right.
    Chevron,
    /// An angle that points to the left.
    Previous,
    /// An angle that points left at a bar.
    First,
    /// An angle that points right at a bar.
    Last,
    /// A triangle that points up.
    Up,
    /// A triangle that points down.
    Down,
    /// Two bars: the same as before.
    Same,
    /// A lens.
    Search,
    /// A plus.
    Plus,
    /// An arrow back.
    Undo,
    /// A bin.
    Bin,
    /// A pencil.
    Edit,
    /// Three dots.
    Dots,
    /// A large cross that closes.
    Close,
    /// A lock.
    Lock,
    /// A half-filled circle: light and dark.
    Theme,
    /// A broken connection.
    Off,
    /// A circle that closes: again.
    Again,
    /// A page with a question mark: not found.
    Missing,
    /// Lines: a topic.
    Topic,
    /// A page.
    Page,
    /// A bolt: something to do.
    Action,
}

impl Glyph {
    /// The address of the symbol inside the page.
    #[must_use]
    pub const fn href(self) -> &'static str {
        match self {
            Self::Product => "#i-mark",
            Self::Allow => "#i-allow",
            Self::AllowIf => "#i-allow-if",
            Self::Assumed => "#i-as",
            Self::Deny => "#i-deny",
            Self::NoRule => "#i-none",
            Self::Overridden => "#i-over",
            Self::Near => "#i-near",
            Self::Unknown => "#i-unk",
            Self::Warn => "#i-warn",
            Self::Info => "#i-info",
            Self::User => "#i-user",
            Self::Group => "#i-group",
            Self::Role => "#i-role",
            Self::Tick => "#i-tick",
            Self::Cross => "#i-cross",
            Self::Chevron => "#i-chev",
            Self::Previous => "#i-prev",
            Self::First => "#i-first",
            Self::Last => "#i-last",
            Self::Up => "#i-up",
            Self::Down => "#i-down",
            Self::Same => "#i-same",
            Self::Search => "#i-search",
            Self::Plus => "#i-plus",
            Self::Undo => "#i-undo",
            Self::Bin => "#i-bin",
            Self::Edit => "#i-edit",
            Self::Dots => "#i-dots",
            Self::Close => "#i-close",
            Self::Lock => "#i-lock",
            Self::Theme => "#i-theme",
            Self::Off => "#i-off",
            Self::Again => "#i-again",
            Self::Missing => "#i-missing",
            Self::Topic => "#i-topic",
            Self::Page => "#i-page",
            Self::Action => "#i-act",
        }
    }
}

/// How large an icon is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum IconSize {
    /// 14 px, beside small text.
    Small,
    /// 16 px.
    #[default]
    Normal,
    /// 24 px.
    Large,
}

/// An icon without a meaning of its own: the word stands beside it, or the control has a label.
#[component]
pub fn Icon(
    /// Which one; may change.
    #[prop(into)]
    glyph: Signal<Glyph>,
    /// How large.
    #[prop(optional)]
    size: IconSize,
    /// More classes, such as `chev`.
    #[prop(optional)]
    class: &'static str,
) -> impl IntoView {
    let size = match size {
        IconSize::Small => "i i-sm",
        IconSize::Normal => "i",
        IconSize::Large => "i i-lg",
    };
    let class = if class.is_empty() {
        size.to_owned()
    } else {
        format!("{size} {class}")
    };
    view! {
        <svg class=class aria-hidden="true">
            <use_ href=move || glyph.get().href()></use_>
        </svg>
    }
}
