//! The parts of the simulator that open: panels below the panes, and sections of panels and panes.

/// A part that opens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Panel {
    /// Hypothetical changes, and a comparison with another user.
    WhatIf,
    /// The least change that allows or denies; in [`Panel::WhatIf`].
    LeastChange,
    /// A whole API request.
    Request,
    /// Saved tests, and links to this check.
    Tests,
    /// The steps of the extraction; above the path.
    Steps,
    /// Names that become one group; in the extraction.
    Collisions,
    /// The diagnosis of each step; in the extraction.
    Troubleshooting,
    /// The decoded token; in the token's pane.
    Decoded,
}

impl Panel {
    /// The panels below the panes, in order.
    pub const BELOW: [Self; 3] = [Self::WhatIf, Self::Request, Self::Tests];

    /// The id of its content.
    pub const fn id(self) -> &'static str {
        match self {
            Self::WhatIf => "part-what-if",
            Self::LeastChange => "part-least-change",
            Self::Request => "part-request",
            Self::Tests => "part-tests",
            Self::Steps => "part-steps",
            Self::Collisions => "part-collisions",
            Self::Troubleshooting => "part-troubleshooting",
            Self::Decoded => "part-decoded",
        }
    }

    /// Its title.
    pub const fn title(self) -> &'static str {
        match self {
            Self::WhatIf => "What if and compare",
            Self::LeastChange => "Least change",
            Self::Request => "Whole request",
            Self::Tests => "Tests and sharing",
            Self::Steps => "Extraction steps",
            Self::Collisions => "Collisions",
            Self::Troubleshooting => "Troubleshoot",
            Self::Decoded => "Decoded token",
        }
    }
}
