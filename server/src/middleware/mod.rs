//! What every request passes before and after its handler.

pub(crate) mod authorization;
pub(crate) mod cluster_path;
pub(crate) mod compression;
pub(crate) mod data_state;
pub(crate) mod handler_call;
pub(crate) mod host_check;
pub(crate) mod identify_client;
pub(crate) mod message_encoding;
mod query_parameters;
pub(crate) mod request_limit;
pub(crate) mod request_log;
pub(crate) mod response_headers;
pub(crate) mod route_declaration;
pub(crate) mod time_limit;
