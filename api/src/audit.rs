//! The last audit events of a service (specification 6).

use gbac_engine::escape::escaped;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::paging::Parameters;
use crate::problem::FieldViolation;

/// The number of events that a service keeps in memory, and the most in one response.
pub const MAX_EVENTS: usize = 1000;
/// The default number of events in a response.
pub const DEFAULT_EVENTS: usize = 100;

/// The response of `/gbac/v1/audit`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct AuditEvents {
    /// Events of OCSF 1.0.0, newest first.
    pub events: Vec<Value>,
}

/// The query of events.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AuditQuery {
    /// 1 to [`MAX_EVENTS`].
    pub limit: usize,
}

impl Default for AuditQuery {
    fn default() -> Self {
        Self {
            limit: DEFAULT_EVENTS,
        }
    }
}

impl AuditQuery {
    /// Parses a query.
    ///
    /// # Errors
    /// The limit is not 1 to [`MAX_EVENTS`].
    pub fn from_query(pairs: &[(String, String)]) -> Result<Self, Vec<FieldViolation>> {
        let mut parameters = Parameters::from_pairs(pairs);
        let mut query = Self::default();
        if let Some(text) = parameters.take("limit") {
            match text.parse() {
                Ok(limit @ 1..=MAX_EVENTS) => query.limit = limit,
                _ => parameters.refuse(
                    "limit",
                    format!("`{}` is not 1 to {MAX_EVENTS}", escaped(text)),
                ),
            }
        }
        parameters.finish(query)
    }
}
