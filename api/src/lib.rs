//! The HTTP contract of the service: paths, bodies, filters and errors (specification 4 to 7,
//! D-21).
//!
//! The server writes these types, and the console, the command line and the tests read them. The
//! crate contains no transport and no runtime, so it also builds for the browser. Parsed ACLs,
//! principals and role names have the engine's types; in bodies they are strings.
//!
//! ```
//! use gbac_api::{acls::AclFilter, paths};
//! use gbac_engine::model::Principal;
//!
//! assert_eq!(paths::role("a b+c"), "/v1/roles/a%20b%2Bc");
//! let filter = AclFilter { principal: Some(Principal::group("/departments/eng")), ..AclFilter::default() };
//! assert_eq!(paths::acls(&filter), "/v1/acls?filter.principal=Group%3A%2Fdepartments%2Feng");
//! ```

#![cfg_attr(
    not(test),
    warn(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::indexing_slicing
    )
)]

pub mod accounts;
pub mod acls;
#[cfg(feature = "address")]
pub mod address;
pub mod admin;
pub mod audit;
pub mod authzen;
pub mod changes;
pub mod cluster_config;
pub mod clusters;
pub mod encode;
pub mod history;
pub mod license;
pub mod loggers;
pub mod paging;
pub mod paths;
pub mod problem;
pub mod reason;
pub mod roles;
pub mod schema_registry;
pub mod security;
pub mod service;
pub mod session;
pub mod stored_tests;
pub mod target;
pub mod warning;
pub mod what_if;
pub mod wire;
