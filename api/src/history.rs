//! `/gbac/v1/changes`: every change that was made, with the values before.

use gbac_engine::escape::escaped;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::paging::Parameters;
use crate::problem::FieldViolation;

/// The most changes in one response.
pub const MAX_CHANGES: usize = 200;
/// The default number of changes in a response.
pub const DEFAULT_CHANGES: usize = 50;

/// The response of `/gbac/v1/changes`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct HistoryPage {
    /// The changes, newest first.
    pub changes: Vec<HistoryEntry>,
    /// `before` of the next page; none if there are no older ones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<u64>,
}

/// A change that was made: everything that one request or one start changed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HistoryEntry {
    /// Its number; the state after it has the same.
    pub seq: u64,
    /// When, as RFC 3339 in UTC.
    pub at: String,
    /// Who made it.
    pub author: HistoryAuthor,
    /// Through which interface.
    pub via: String,
    /// The ID of the request, as its response and its audit events have it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request_id: Option<String>,
    /// Why, in the author's words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// What changed, in an order in which it can be made: changes as in `/gbac/v1/policy/changes`,
    /// and `set_setting` and `set_config` with the value `before` and `after`.
    pub changes: Vec<Value>,
}

/// Who made a change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HistoryAuthor {
    /// The name.
    pub name: String,
    /// `user`, `system` for the service itself, `outside` for others with access to its cluster.
    pub kind: String,
    /// The identity provider.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub issuer: Option<String>,
    /// The groups that gave the access.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub groups: Vec<String>,
    /// How the user signed in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sign_in: Option<String>,
}

/// The query of changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HistoryQuery {
    /// Only changes before this one.
    pub before: Option<u64>,
    /// 1 to [`MAX_CHANGES`].
    pub limit: usize,
}

impl Default for HistoryQuery {
    fn default() -> Self {
        Self {
            before: None,
            limit: DEFAULT_CHANGES,
        }
    }
}

impl HistoryQuery {
    /// Parses a query.
    ///
    /// # Errors
    /// A parameter is not valid.
    pub fn from_query(pairs: &[(String, String)]) -> Result<Self, Vec<FieldViolation>> {
        let mut parameters = Parameters::from_pairs(pairs);
        let before = parameters.read("before", |text| match text.parse() {
            Ok(seq) => Ok(seq),
            Err(_) => Err(format!("`{}` is not the number of a change", escaped(text))),
        });
        let limit = parameters.read("limit", |text| match text.parse() {
            Ok(limit @ 1..=MAX_CHANGES) => Ok(limit),
            _ => Err(format!("`{}` is not 1 to {MAX_CHANGES}", escaped(text))),
        });
        let query = Self {
            before,
            limit: limit.unwrap_or(DEFAULT_CHANGES),
        };
        parameters.finish(query)
    }

    /// The query as text.
    #[must_use]
    pub fn to_query(self) -> String {
        match self.before {
            Some(before) => format!("before={before}&limit={}", self.limit),
            None => format!("limit={}", self.limit),
        }
    }
}

/// The header with the state that an answer has at least: the ID of the data, a dot, and the number
/// of its last change.
pub const STATE: &str = "gbac-state";
/// The header with the state that an answer must have at least, as [`STATE`] of an earlier one.
pub const AT_LEAST: &str = "gbac-at-least";

/// A state of a store.
///
/// ```
/// use gbac_api::history::StateToken;
///
/// let token = StateToken::parse("0f3a.42").unwrap();
/// assert_eq!((token.store.as_str(), token.seq), ("0f3a", 42));
/// assert_eq!(token.to_string(), "0f3a.42");
/// assert!(["", "0f3a", ".1", "a.", "a.b", "a.-1", "a.+1", "a b.1"].iter().all(|text| StateToken::parse(text).is_none()));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StateToken {
    /// The ID of the data.
    pub store: String,
    /// The number of the last change.
    pub seq: u64,
}

impl StateToken {
    /// Reads a state.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (store, seq) = text.trim().rsplit_once('.')?;
        let is_valid = (1..=64).contains(&store.len())
            && store
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
            && seq.bytes().all(|byte| byte.is_ascii_digit());
        if !is_valid {
            return None;
        }
        Some(Self {
            store: store.to_owned(),
            seq: seq.parse().ok()?,
        })
    }
}

impl std::fmt::Display for StateToken {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}.{}", self.store, self.seq)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(pairs: &[(&str, &str)]) -> Result<HistoryQuery, Vec<FieldViolation>> {
        let mut owned = Vec::new();
        for (name, value) in pairs {
            owned.push(((*name).to_owned(), (*value).to_owned()));
        }
        HistoryQuery::from_query(&owned)
    }

    #[test]
    fn queries_are_read_strictly() {
        assert_eq!(read(&[]), Ok(HistoryQuery::default()));
        let query = read(&[("before", "7"), ("limit", "200")]).unwrap();
        assert_eq!(query.to_query(), "before=7&limit=200");
        for pairs in [[("before", "x")], [("limit", "0")], [("limit", "201")]] {
            assert!(read(&pairs).is_err(), "{pairs:?}");
        }
    }
}
