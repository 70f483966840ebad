//! The service: a router over the engine, with the console's files and the demo (specification 4 to 7).
//!
//! [`serve`] is the whole of it on a port; [`router`] is the same without one, for tests. Locks are in `store` and `lock`.
//! Every surface has a file: `acls`, `roles`, `security_service`, `cluster_config`, `policy_document`, `policy_changes`, `service_info`,
//! `control_plane`, `authzen`, `audit`, `upstream`, `demo_provider`, `console`. What all of them share is in `gate`
//! (hosts, origins, headers, time), `auth` (who may what, D-26), `body` (reading and draining), `parameters` (those of changes), `warnings` (odd names in changes) and `fault` (each
//! surface's error body, D-21).

#![cfg_attr(not(test), warn(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing))]

mod access;
mod acls;
mod app;
mod audit;
mod auth;
mod authzen;
mod body;
mod bucket;
mod clock;
mod cluster_config;
mod config;
mod console;
mod control_plane;
mod demo;
mod demo_provider;
mod failures;
mod fault;
mod gate;
mod health;
mod license;
mod listen;
mod lock;
mod log;
mod loggers;
mod metrics;
mod objects;
mod oidc;
mod outward;
mod panics;
mod parameters;
mod password;
mod policy_changes;
mod policy_document;
mod random;
mod role_changes;
mod roles;
mod security_service;
mod serve;
mod service_info;
mod site;
mod stalls;
mod start;
mod store;
mod tls;
mod upstream;
mod warnings;

pub use access::{Access, Reads};
pub use app::{App, Demo, Service, declared_access, router};
pub use config::License;
pub use demo::DemoKey;
pub use gbac_api::address::{AddressError, BaseUrlError};
pub use serve::{DataOptions, Mode, ServeError, ServeOptions, Server, serve};
pub use site::SiteOptions;
pub use store::StoreError;
pub use tls::{TlsError, TlsFiles};
pub use upstream::UpstreamOptions;
