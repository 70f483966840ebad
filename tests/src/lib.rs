//! What the tests share: the vectors, a naive oracle, and small worlds in which names collide.

pub mod bytes;
pub mod changes;
pub mod fuzz;
pub mod oracle;
pub mod session;
pub mod vectors;
pub mod world;

/// The Rust in README.md is compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
pub struct Readme;
