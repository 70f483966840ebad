//! The bodies of the loggers (specification 4.4, 8, D-24).

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A logger in a list.
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Logger {
    /// Its name.
    pub name: String,
    /// Its level, if requested.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub level: Option<String>,
}

/// The level of one logger.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LogLevel {
    /// The logger's name.
    pub name: String,
    /// `error`, `warn`, `info`, `debug` or `trace`.
    pub level: String,
    /// The seconds until it reverts; 0 if it does not.
    pub expiration: u64,
}

/// The response to a change of a level.
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChangedLogLevel {
    /// The logger's name.
    pub name: String,
    /// The level before.
    pub previous_level: String,
    /// The level after.
    pub new_level: String,
    /// The seconds until it reverts; 0 if it does not.
    pub expiration: u64,
}
