//! The status of a diagnostic step or of a check of a token.

use strum::{IntoStaticStr, VariantNames};

/// The status of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, IntoStaticStr, VariantNames)]
#[strum(serialize_all = "snake_case")]
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
