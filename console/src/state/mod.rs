//! What the pages know: no markup, tested natively.

pub mod acl_form;
pub mod address;
pub mod audit;
pub mod connection;
pub mod cover;
pub mod draft;
pub mod escape;
pub mod exchange;
pub mod group_changes;
pub mod member;
pub mod names;
pub mod permissions;
pub mod preset;
pub mod properties;
pub mod review;
pub mod role;
pub mod roles;
pub mod service;
pub mod settings;
pub mod simulator;
pub mod words;
