//! The bodies of the Admin API's SecurityService, in the JSON of the Connect protocol (specification 4.3, D-22).

use serde::{Deserialize, Serialize};

/// The answer of ResolveOidcIdentity: bare names, without `User:` and `Group:`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResolvedIdentity {
    /// The user's name.
    #[serde(default)]
    pub principal: String,
    /// When the token expires: RFC 3339 in UTC.
    #[serde(default)]
    pub expire: String,
    /// The groups that came out of the token, in its order.
    #[serde(default)]
    pub groups: Vec<String>,
}
