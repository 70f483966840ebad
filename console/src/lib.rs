//! The console: roles, and what a token may do, decided in the browser by the engine.
//!
//! `ui` takes props and gives callbacks, `state` holds no markup and is tested natively, `backend` is the only file that
//! fetches, `dom` the only one that touches the browser's own interfaces.

#![expect(
    unreachable_pub,
    reason = "the component macro makes items public inside a private module, whatever they are written as"
)]

pub mod app;
pub mod backend;
pub mod dom;
pub mod pages;
pub mod state;
#[expect(clippy::needless_pass_by_value, reason = "components own their props")]
pub mod ui;
