//! What the pages know: no markup, tested natively.

pub mod address;
pub mod service;
pub mod simulator;
pub mod words;
