//! The formats in which policies are imported and exported: policy documents, lists and resources
//! of other tools, tables, and scripts.

#![cfg_attr(
    not(test),
    warn(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::indexing_slicing
    )
)]

pub mod import;
pub mod manifest;
pub mod name_list;
pub mod script;
pub mod yaml;
