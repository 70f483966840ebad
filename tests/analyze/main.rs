//! The analysis against the naive oracle: every claim over every name, operation and host of small worlds.

mod diff;
mod least_grant;
mod lint;
mod permissions;
mod world;
