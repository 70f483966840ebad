//! One file per command.

pub(crate) mod backup;
pub(crate) mod check;
pub(crate) mod cluster;
pub(crate) mod collisions;
pub(crate) mod compare;
pub(crate) mod completions;
mod differences;
pub(crate) mod doctor;
pub(crate) mod document;
mod explain;
pub(crate) mod inspect;
pub(crate) mod least_grant;
mod merge;
pub(crate) mod permissions;
pub(crate) mod policy;
pub(crate) mod profile;
pub(crate) mod restore;
pub(crate) mod revoke;
pub(crate) mod security;
pub(crate) mod serve;
pub(crate) mod test;
mod verdicts;
pub(crate) mod what_if;
pub(crate) mod who_can;
