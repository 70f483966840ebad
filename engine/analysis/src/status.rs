//! The status of a diagnostic step or of a check of a token.

/// The status of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StepStatus {
    /// No problem was found.
    Passed,
    /// A possible problem was found.
    Attention,
    /// A problem was found.
    Failed,
    /// It was not done; the next actions explain how.
    NotDone,
}

impl StepStatus {
    /// The stable name.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::Passed => "passed",
            Self::Attention => "attention",
            Self::Failed => "failed",
            Self::NotDone => "not_done",
        }
    }
}
