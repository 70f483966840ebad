//! All tests of this crate in one program, so that they are linked once. `cargo test -p gbac-tests
//! NAME::` runs one module.

mod abi;
mod analyze;
mod apply;
mod architecture;
mod attacks;
mod audit;
mod backup;
mod bad_input;
mod bad_requests;
mod broker_settings;
mod cli;
mod command_schemas;
#[cfg(unix)]
mod completions;
mod conformance;
mod connections;
mod crash;
mod denial_of_service;
mod denials;
mod differential;
#[cfg(target_os = "linux")]
mod disk_faults;
mod documents;
mod edge_cases;
#[cfg(unix)]
mod endless;
mod exhaustive;
mod expiry;
mod formats;
mod full_disk;
mod fuzz;
mod help;
mod import_export;
mod incremental;
mod kafka_clusters;
mod laws;
mod live_questions;
mod malformed;
mod manifests;
mod ocsf;
mod online;
mod orientation;
mod pages;
mod pipeline;
mod platform;
mod profiles;
mod recipes;
mod serve;
mod serve_options;
mod simulate;
mod support;
mod terminal;
mod test_command;
mod tokens;
mod two_clusters;
mod usage;
mod watch;
