//! What handlers and middleware share: request bodies, queries and credentials, problem responses,
//! and access declarations.

pub(crate) mod access;
pub(crate) mod body;
pub(crate) mod cookies;
pub(crate) mod credentials;
mod descriptors;
pub(crate) mod etag;
#[cfg(any(test, feature = "fuzz"))]
pub(crate) mod fuzz;
pub(crate) mod long_read;
pub(crate) mod messages;
mod named_fields;
pub(crate) mod placement;
pub(crate) mod policy_copies;
pub(crate) mod problem;
pub(crate) mod query;
pub(crate) mod read_target;
pub(crate) mod reject;
pub(crate) mod request_head;
pub(crate) mod route_table;
pub(crate) mod surface;
mod transcode;
pub(crate) mod warning_headers;
