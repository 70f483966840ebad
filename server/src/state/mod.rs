//! The state of the service: its policy and configuration, the store that keeps both, the audit
//! log, and the rules for changing them. Nothing here knows HTTP.

pub(crate) mod audit;
pub(crate) mod change;
mod change_events;
pub(crate) mod cluster;
pub(crate) mod cluster_property;
pub(crate) mod config;
pub(crate) mod config_change;
pub(crate) mod error;
pub(crate) mod license;
pub(crate) mod log_levels;
pub(crate) mod name_warnings;
mod property_value;
pub(crate) mod public_endpoint;
mod recorded_property;
pub(crate) mod role_changes;
pub(crate) mod service;
pub(crate) mod store;
pub(crate) mod stored_tests;
pub(crate) mod superusers;
