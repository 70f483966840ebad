//! The results of commands as JSON. What `--format json` and `--format yaml` write is declared here
//! or in the libraries, once: docs/command-line.schema.json is made from these types.

mod documents;
mod questions;
#[cfg(all(test, feature = "schema"))]
mod schema;
mod service;

pub(crate) use documents::*;
pub(crate) use questions::*;
pub(crate) use service::*;

use gbac_json::Problems;
#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

/// A result, and the state of the policy that it was decided at.
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[derive(Debug, Serialize)]
pub(crate) struct AtState<'a, T> {
    /// The result.
    #[serde(flatten)]
    pub(crate) result: T,
    /// The state of the service's policy that the result was decided at; absent without `--online`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) policy_state: Option<&'a str>,
}

/// The result of one check of `--requests`.
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[derive(Debug, Serialize)]
pub(crate) struct OfRequest<T> {
    /// The result.
    #[serde(flatten)]
    pub(crate) result: T,
    /// The member `id` of the check, if it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) id: Option<Value>,
}

/// The failure of a command, or of one check of `--requests`.
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[derive(Debug, Serialize)]
pub(crate) struct ErrorResult<'a> {
    /// The error.
    pub(crate) error: CommandError<'a>,
}

/// An error.
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[derive(Debug, Serialize)]
pub(crate) struct CommandError<'a> {
    /// The stable code.
    pub(crate) code: &'a str,
    /// The error and what to do.
    pub(crate) message: &'a str,
    /// The problems of a document, if the error is about one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) problems: Option<&'a Problems>,
}
