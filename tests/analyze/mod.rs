//! Tests of the analysis: compares its results with the oracle for every name, operation and host
//! of small policies.

mod collisions;
mod compare;
mod diff;
mod expiry;
mod fixes;
mod kafka;
mod least_grant;
mod lint;
mod lint_document;
mod lint_fixes;
mod near;
mod people;
mod permissions;
mod reach;
mod revoke;
mod roles;
mod settings;
mod world;
