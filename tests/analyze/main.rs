//! The analysis against the naive oracle: every claim over every name, operation and host of small worlds.

mod collisions;
mod compare;
mod diff;
mod least_grant;
mod lint;
mod people;
mod permissions;
mod reach;
mod revoke;
mod roles;
mod world;
