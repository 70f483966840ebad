//! The tests that are stored with the service (D-107).

use std::collections::BTreeSet;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::random;

/// The tests, in order, as they are in their file. A copy of the configuration shares them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Vec<Value>", into = "Vec<Value>")]
pub(crate) struct StoredTests(Arc<Vec<Value>>);

impl StoredTests {
    pub(crate) fn as_slice(&self) -> &[Value] {
        &self.0
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The tests that another list does not have.
    pub(crate) fn missing_in(&self, other: &Self) -> Vec<&Value> {
        let others: BTreeSet<String> = other.0.iter().map(Value::to_string).collect();
        let mut missing = Vec::new();
        for test in self.as_slice() {
            if !others.contains(&test.to_string()) {
                missing.push(test);
            }
        }
        missing
    }

    /// The names of the tests, in order.
    pub(crate) fn names(&self) -> Value {
        self.0.iter().map(test_name).collect()
    }

    /// The entity tag (RFC 9110 8.8.3); the same tests have the same one.
    pub(crate) fn etag(&self) -> String {
        let digest = Sha256::digest(serde_json::to_vec(&*self.0).unwrap_or_default());
        let (tag, _) = digest.split_at(16);
        format!("\"{}\"", random::hex(tag))
    }
}

/// The name of a test.
pub(crate) fn test_name(test: &Value) -> &str {
    test.get("name").and_then(Value::as_str).unwrap_or_default()
}

impl From<Vec<Value>> for StoredTests {
    fn from(tests: Vec<Value>) -> Self {
        Self(Arc::new(tests))
    }
}

impl From<StoredTests> for Vec<Value> {
    fn from(tests: StoredTests) -> Self {
        Arc::unwrap_or_clone(tests.0)
    }
}
