//! The service from outside: each surface with its answers and its refusals, and once on a real port.

mod access;
mod acls;
mod cluster_config;
mod console;
mod demo;
mod harness;
mod limits;
mod policy_document;
mod port;
mod roles;
mod security_service;
