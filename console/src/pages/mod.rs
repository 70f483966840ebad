//! The pages.

pub mod link;
pub mod not_found;
pub mod role;
pub mod roles;
pub mod simulator;
