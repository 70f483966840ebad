//! All tests of this crate in one program, so that they are linked once. `cargo test -p gbac-tests NAME::` runs one module.

mod analyze;
mod architecture;
mod bad_input;
mod bad_requests;
mod cli;
mod conformance;
mod corners;
mod crash;
mod denial_of_service;
mod differential;
mod documents;
mod exhaustive;
mod expiry;
mod fuzz;
mod help;
mod home;
mod incremental;
mod laws;
mod malformed;
mod online;
mod readme;
mod serve;
mod simulate;
mod takeover;
mod usage;
