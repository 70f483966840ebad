//! What the pages share while they are open: signals over the values of the model.

pub mod draft;
pub mod draft_storage;
pub mod evaluation;
pub mod findings;
pub mod search;
pub mod seen_groups;
pub mod service;
pub mod simulator;
pub mod tabs;
pub mod unanswered;
pub mod unsaved;
pub mod visited;
