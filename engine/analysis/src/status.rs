//! The status of a diagnostic step or of a check of a token.

/// How a step ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StepStatus {
    /// Nothing is wrong here.
    Passed,
    /// Something to look at.
    Attention,
    /// Here it is wrong.
    Failed,
    /// It was not done; what to do says how.
    NotDone,
}

impl StepStatus {
    /// A stable name.
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
