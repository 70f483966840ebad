//! The GBAC service: the engine behind HTTP APIs, with its state, sign-in, the console's files, and
//! a demo (specification 4 to 7).
//!
//! [`serve()`] runs the service; [`open`] and [`router`] give the same service without a port, for
//! tests.
//!
//! Each folder may only use those below it:
//!
//! - `serve`: options, listening, TLS, start and stop
//! - `routes`: the routes, one file for each API, each with its API and the access that it requires
//! - `middleware`: what every request passes, such as host checks, authorization and logging
//! - `http`: what handlers and middleware share, such as bodies, problems and credentials
//! - `identity`: tokens, passwords and sign-in
//! - `state`: policy, configuration, store and audit log; it knows no HTTP
//! - at the bottom: `client_address` (whose address counts as the caller's), `console` (files),
//!   `demo`, `upstream` (the client for a relayed cluster), and single files such as `clock`

#![cfg_attr(
    not(test),
    warn(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::indexing_slicing
    )
)]

mod client_address;
mod clock;
mod compression;
mod console;
mod demo;
mod fair_map;
#[cfg(any(test, feature = "fuzz"))]
pub mod fuzz;
mod http;
mod http_client;
mod identity;
mod lock;
mod logging;
mod metrics;
mod middleware;
pub mod private_file;
mod random;
mod rate_limit;
mod routes;
mod serve;
mod state;
mod upstream;

pub use client_address::TrustedProxyError;
pub use console::EmbeddedFiles;
pub use demo::DemoKey;
pub use gbac_api::address::{AddressError, BaseUrlError};
pub use http::access::{Access, ReadMethods};
pub use identity::oidc::OidcRules;
pub use logging::{LogFormat, LogLevelError, LogOptions};
pub use routes::app::App;
pub use routes::{declared_access, router};
pub use serve::{
    ConnectionLimitError, ConnectionOptions, DataOptions, DemoOptions, OidcClientOptions,
    ServeError, ServeMode, ServeOptions, Server, TlsError, TlsFiles, faults, open, serve,
};
pub use state::audit::{
    AuditFileLimits, AuditVerifyError, VerifiedChain, verify_audit_files, verify_audit_folder,
};
pub use state::cluster::ClusterOptionError;
pub use state::public_endpoint::{PublicEndpointError, PublicEndpointOptions};
pub use state::store::{
    BackupContents, BackupError, HistoryLimits, StoreError, restore_backup, verify_backup,
};
pub use upstream::UpstreamOptions;
