//! What the pages share while they are open: signals over the values of the model.

pub mod draft;
pub mod findings;
pub mod search;
pub mod seen_groups;
pub mod service;
pub mod simulator;
