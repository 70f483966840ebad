//! The service: a router over the engine, with the console's files and the demo (specification 4 to 7).
//!
//! [`serve`] is the whole of it on a port; [`router`] is the same without one, for tests. The one lock is in `store`.
//! Every surface has a file: `acls`, `roles`, `security_service`, `cluster_config`, `policy_document`, `service_info`,
//! `demo_provider`, `console`. What all of them share is in `gate` (hosts, origins, headers, time), `auth` (who may
//! what, D-26), `body` (reading and draining) and `fault` (each surface's error body, D-21).

#![cfg_attr(not(test), warn(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing))]

mod acls;
mod app;
mod auth;
mod body;
mod clock;
mod cluster_config;
mod console;
mod demo;
mod demo_provider;
mod fault;
mod gate;
mod listen;
mod password;
mod policy_document;
mod random;
mod roles;
mod security_service;
mod serve;
mod service_info;
mod store;

pub use app::{App, Demo, router};
pub use demo::DemoKey;
pub use serve::{ServeError, ServeOptions, Server, serve};
