//! One file per command.

pub(crate) mod check;
pub(crate) mod cluster;
mod differences;
pub(crate) mod doctor;
pub(crate) mod document;
pub(crate) mod explain;
pub(crate) mod inspect;
pub(crate) mod least_grant;
mod merge;
pub(crate) mod permissions;
pub(crate) mod policy;
pub(crate) mod profile;
pub(crate) mod security;
pub(crate) mod serve;
pub(crate) mod test;
pub(crate) mod who_can;
