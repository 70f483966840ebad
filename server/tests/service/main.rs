//! The service from outside: each surface with its answers and its refusals, and once on a real port.

mod access;
mod acls;
mod audit;
mod authzen;
mod cluster_config;
mod console;
mod control_plane;
mod data;
mod demo;
mod harness;
mod identity_provider;
mod license;
mod limits;
mod loggers;
mod oidc;
mod operation;
mod policy_document;
mod port;
mod roles;
mod roles_over_connect;
mod security_service;
mod sign_in;
mod tls;
mod upstream;
