//! The pages.

mod acl_editor;
mod acl_fields;
pub mod audit;
pub(crate) mod chunk;
mod cluster_gaps;
mod collision;
mod commands;
pub mod connection;
pub mod draft;
pub mod effect;
pub mod exchange;
pub(crate) mod files;
mod given_file;
mod group_changes;
pub mod link;
pub mod not_found;
pub mod permissions;
mod provider_gap;
pub mod provider_link;
pub mod review;
mod rich_text;
pub mod role;
pub mod roles;
mod search;
pub mod settings;
pub mod simulator;
mod unread;
