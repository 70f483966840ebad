//! What the commands of `gbac` say.

#![expect(missing_docs, reason = "the text of an item is its description")]

pub mod access;
pub mod cluster;
pub mod denial;
pub mod files;
pub mod policy;
pub mod security;
pub mod service;
