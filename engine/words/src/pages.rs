//! What the console's pages say.

#![expect(missing_docs, reason = "the text of an item is its description")]

pub mod app;
pub mod backend;
pub mod simulator;
