//! Accounts with access to the service itself.

use serde::{Deserialize, Serialize};

/// The response of `/gbac/v1/accounts`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Accounts {
    /// The name of the local account: the user with a password, who is a superuser.
    pub local: String,
    /// The superusers among the users of the identity provider.
    pub superusers: Vec<SuperuserStatus>,
    /// The `Type:name` of each user and group with read access.
    pub read_only: Vec<String>,
    /// The `Type:name` of each user and group that can evaluate requests of other users.
    pub evaluate: Vec<String>,
}

/// A superuser among the users of the identity provider.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SuperuserStatus {
    /// The user's name.
    pub name: String,
    /// The problems, such as that no token can produce this user.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<AccountProblem>,
}

/// A problem of an account.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AccountProblem {
    /// A stable code.
    pub code: String,
    /// The problem.
    pub message: String,
}
