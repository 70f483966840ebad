//! The panels under the simulator's panes.

/// A panel under the panes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Panel {
    /// Changes to try.
    WhatIf,
    /// The least change that allows or denies.
    Ways,
    /// A whole API request.
    Request,
    /// Names that become one group.
    Collisions,
    /// Two identities side by side.
    Compare,
    /// Steps from the token to its groups.
    Troubleshoot,
    /// Saved tests.
    Tests,
    /// A link to this check.
    Share,
}

impl Panel {
    /// The id of its heading's button.
    #[must_use]
    pub const fn id(self) -> &'static str {
        match self {
            Self::WhatIf => "part-what-if",
            Self::Ways => "part-ways",
            Self::Request => "part-request",
            Self::Collisions => "part-collisions",
            Self::Compare => "part-compare",
            Self::Troubleshoot => "part-troubleshoot",
            Self::Tests => "part-tests",
            Self::Share => "part-share",
        }
    }

    /// Its title.
    #[must_use]
    pub const fn title(self) -> &'static str {
        match self {
            Self::WhatIf => "What if",
            Self::Ways => "Least change",
            Self::Request => "Whole request",
            Self::Collisions => "Collisions",
            Self::Compare => "Compare two users",
            Self::Troubleshoot => "Troubleshoot",
            Self::Tests => "Tests",
            Self::Share => "Share",
        }
    }
}
