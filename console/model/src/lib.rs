//! Values and texts of the console's pages, without a browser, tested natively.
//!
//! One module for each page; beneath them what several pages share: addresses, phrases, rich texts,
//! the draft's rules and the failures of requests.

pub mod address;
pub mod applied;
pub mod apply;
pub mod audit;
pub mod claim_doctor;
pub mod cluster_choice;
pub mod cluster_notes;
pub mod collisions;
pub mod compare_clusters;
pub mod connection;
pub mod draft;
pub mod exchange;
pub mod failure;
pub mod group_changes;
pub mod group_tokens;
pub mod names;
pub mod permissions;
pub mod properties;
pub mod review;
pub mod role;
pub mod roles;
pub mod saved_tests;
pub mod search;
pub mod sending;
pub mod settings;
pub mod sign_in;
pub mod simulator;
pub mod stored_draft;
pub mod tabs;
