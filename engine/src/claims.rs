//! A set of claims: the members of a JSON object, such as a token's payload or a user-info
//! document.

use std::fmt;

use serde_json::{Map, Value};

use crate::json::{self, JsonError};
use crate::time::claim_time;

/// The members of a JSON object: a token's payload or header, or a user-info document.
///
/// ```
/// use gbac_engine::ClaimSet;
///
/// let claims = ClaimSet::parse(r#"{ "sub": "alice", "groups": ["eng"] }"#)?;
/// assert_eq!(claims.text("sub"), Some("alice"));
/// assert!(claims.contains("groups"));
/// assert_eq!(claims.to_string(), r#"{"groups":["eng"],"sub":"alice"}"#);
/// # Ok::<(), gbac_engine::ClaimSetError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ClaimSet(pub(crate) Map<String, Value>);

impl ClaimSet {
    /// Parses a JSON object strictly.
    ///
    /// # Errors
    /// The text is not strict JSON (a duplicate member is an error), or not an object.
    pub fn parse(text: &str) -> Result<Self, ClaimSetError> {
        match json::parse(text) {
            Ok(Value::Object(members)) => Ok(Self(members)),
            Ok(_) => Err(ClaimSetError::NotAnObject),
            Err(error) => Err(ClaimSetError::Json(error)),
        }
    }

    /// Whether a claim with this name exists.
    #[must_use]
    pub fn contains(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    /// The claim with this name if it is a string.
    #[must_use]
    pub fn text(&self, name: &str) -> Option<&str> {
        self.0.get(name).and_then(Value::as_str)
    }

    /// The claim with this name if it is a time: a number of seconds since 1970, and not of
    /// milliseconds (D-32).
    #[must_use]
    pub fn time(&self, name: &str) -> Option<f64> {
        self.0.get(name).and_then(claim_time)
    }

    /// The names of the claims, sorted.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    /// The number of claims.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are no claims.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The members of a JSON object.
    #[cfg(test)]
    pub(crate) fn from_value(value: Value) -> Self {
        match value {
            Value::Object(members) => Self(members),
            other => panic!("not an object: {other}"),
        }
    }

    /// The claims as the members of a JSON object.
    #[must_use]
    pub const fn members(&self) -> &Map<String, Value> {
        &self.0
    }
}

impl From<Map<String, Value>> for ClaimSet {
    fn from(members: Map<String, Value>) -> Self {
        Self(members)
    }
}

/// Writes the claims as JSON.
impl fmt::Display for ClaimSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&serde_json::to_string(&self.0).unwrap_or_default())
    }
}

/// Why a text is not a set of claims.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ClaimSetError {
    /// The text is not strict JSON.
    #[error("{0}")]
    Json(#[source] JsonError),
    /// The JSON value is not an object.
    #[error("the claims are not a JSON object")]
    NotAnObject,
}

codes! {
    pub ClaimSetError {
        Self::NotAnObject => "claims_not_an_object",
    } of {
        Self::Json(error) => error: JsonError,
    }
}
