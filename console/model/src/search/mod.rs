//! The search of every page: names, pages, actions, and answers to typed questions.

mod answer;
mod fuzzy;
mod index;
mod label;
mod question;
mod results;
mod shortcuts;
mod target;

pub use answer::{
    AnswerChoice, AnswerContext, AnswerMark, IdentityOrigin, KnownIdentity, SearchAnswer,
};
pub use index::SearchIndex;
pub use label::{Label, LabelPart};
pub use results::{SearchGroup, SearchItem, SearchKind, SearchResults, find};
pub use shortcuts::{SHORTCUTS, Shortcut};
pub use target::SearchTarget;

#[cfg(test)]
mod tests;
