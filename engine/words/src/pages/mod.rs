//! What the console's pages say.

#![expect(missing_docs, reason = "the text of an item is its description")]

pub mod app;
pub mod audit;
pub mod backend;
pub mod claim_doctor;
pub mod cluster;
pub mod compare_clusters;
pub mod connection;
pub mod exchange;
pub mod permissions;
pub mod review;
pub mod role;
pub mod roles;
pub mod search;
pub mod settings;
pub mod simulator;
