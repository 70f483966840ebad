//! The bodies of the loggers (specification 4.4, 8, D-24).

use serde::{Deserialize, Serialize};

/// A logger in the list of them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Logger {
    /// Its name.
    pub name: String,
    /// Its level, where it was asked for.
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
    /// In how many seconds it reverts; 0 when it does not.
    pub expiration: u64,
}

/// The answer to a change of a level.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChangedLogLevel {
    /// The logger's name.
    pub name: String,
    /// The level that it had.
    pub previous_level: String,
    /// The level that it has now.
    pub new_level: String,
    /// In how many seconds it reverts; 0 when it does not.
    pub expiration: u64,
}
