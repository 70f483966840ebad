//! The console: manages roles and simulates tokens, evaluated in the browser by the engine.
//!
//! What the pages show is computed in `gbac-console-model`. Here `pages` and `ui` draw it, `store`
//! keeps it in signals, `backend` is the only module that fetches, and `dom` the only one that
//! touches the browser's own interfaces.

#![expect(
    unreachable_pub,
    reason = "the component macro makes items public inside a private module, whatever they are written as"
)]

pub mod app;
pub mod backend;
pub(crate) mod chunk;
pub mod dom;
pub mod pages;
pub mod store;
#[expect(clippy::needless_pass_by_value, reason = "components own their props")]
pub mod ui;
