//! Support for the tests: vectors, a simple oracle, small policies whose names collide, and a
//! running service.

pub mod abi_records;
pub mod attack;
pub mod bad_requests;
pub mod bytes;
pub mod changes;
pub mod folder;
pub mod fuzz;
pub mod http2;
pub mod kafka;
pub mod oracle;
pub mod platform;
pub mod samples;
pub mod session;
pub mod vectors;
pub mod world;

/// The Rust in docs/how-to/embed-rust.md is compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../../docs/how-to/embed-rust.md")]
pub struct EmbedInRust;
