//! Support for the tests of the command line and of a running service.

pub(crate) mod broker;
pub(crate) mod data;
pub(crate) mod program;
pub(crate) mod schemas;
pub(crate) mod service;
pub(crate) mod shell;
