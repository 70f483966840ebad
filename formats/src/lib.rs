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

mod acl_list;
mod columns;
mod csv;
mod document;
pub mod encoding;
mod entry;
pub mod export;
pub mod format;
pub mod import;
mod kafka_acls;
mod kubernetes;
pub mod name_list;
mod printed_table;
pub mod quote;
mod role_list;
pub mod script;
pub mod table;
mod terraform;
pub mod yaml;
