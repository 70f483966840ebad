//! The search of every page: names, pages, actions, and answers to typed questions.

mod answer;
mod answer_context;
mod answer_parts;
mod fuzzy;
mod index;
mod label;
mod question;
mod results;
mod shortcuts;
mod target;
mod who_answer;

pub use answer_context::{AnswerContext, IdentityOrigin, KnownIdentity};
pub use answer_parts::{AnswerChoice, AnswerMark, SearchAnswer};
pub use index::SearchIndex;
pub use label::{Label, LabelPart};
pub use results::{SearchGroup, SearchItem, SearchKind, SearchResults, find};
pub use shortcuts::{SHORTCUTS, Shortcut};
pub use target::SearchTarget;

#[cfg(test)]
mod tests;
