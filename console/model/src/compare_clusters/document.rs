//! A document that is compared: read whole, or refused.

use std::sync::Arc;

use gbac_engine::policy::Policy;

use crate::exchange;

/// How many problems are named.
const NAMED: usize = 50;

/// A text of a side.
#[derive(Debug, Clone, PartialEq)]
pub enum ComparedDocument {
    /// Nothing was given yet.
    Missing,
    /// It was read, with what it is.
    Read(Arc<Policy>, &'static str),
    /// It is refused: how many problems it has, and the first of them.
    Refused(usize, Vec<DocumentProblem>),
}

/// What was not understood, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DocumentProblem {
    /// The place; empty if it is the whole text.
    pub place: String,
    /// What is wrong.
    pub message: String,
}

impl ComparedDocument {
    /// Reads a text of any format that an import reads.
    pub fn read(text: &str) -> Self {
        if text.trim().is_empty() {
            return Self::Missing;
        }
        let preview = exchange::read(text, "");
        if let Some(policy) = preview.whole() {
            return Self::Read(Arc::new(policy.clone()), preview.label);
        }
        let mut problems = Vec::new();
        for unread in preview.unread.iter().take(NAMED) {
            problems.push(DocumentProblem {
                place: unread.place.clone(),
                message: unread.message.clone(),
            });
        }
        Self::Refused(preview.unread.len(), problems)
    }

    /// Its policy, if it was read.
    pub fn policy(&self) -> Option<Arc<Policy>> {
        match self {
            Self::Read(policy, _) => Some(Arc::clone(policy)),
            Self::Missing | Self::Refused(..) => None,
        }
    }
}
