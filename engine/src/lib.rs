//! Decides group-based access for streaming platforms: token to groups to verdict, with reasons.
//!
//! A pure core: values in, values out, no clock, disk, network, thread or random.
//!
//! ```text
//! token text ─▶ claims ─▶ groups ─▶ identity ─┐
//!                                             ├─▶ decide ─▶ decision + explanation
//! ACLs, roles, settings ─▶ policy ─▶ index ───┘
//! ```

#![cfg_attr(
    not(test),
    warn(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, clippy::string_slice)
)]

pub mod analyze;
pub mod audit;
pub mod check;
pub mod claim_path;
pub mod decide;
pub mod groups;
mod hash;
pub mod identity;
pub mod json;
pub mod mapping;
pub mod model;
mod name;
pub mod near;
mod order;
pub mod policy;
pub mod requests;
pub mod text;
pub mod token;
#[cfg(feature = "verify")]
pub mod verify;
pub mod warning;
pub mod wire;
