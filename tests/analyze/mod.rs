//! The analysis against the oracle: every claim over every name, operation and host of small worlds.

mod collisions;
mod compare;
mod diff;
mod expiry;
mod least_grant;
mod lint;
mod near;
mod people;
mod permissions;
mod reach;
mod revoke;
mod roles;
mod settings;
mod world;
