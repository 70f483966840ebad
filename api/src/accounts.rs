//! Who has access to the service itself.

use serde::{Deserialize, Serialize};

/// The answer of `/gbac/v1/accounts`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Accounts {
    /// The name of the local account: the user with a password, who is a superuser.
    pub local: String,
    /// The superusers among the users of the identity provider.
    pub superusers: Vec<SuperuserStatus>,
    /// The `Type:name` of each user and group that may read.
    pub read_only: Vec<String>,
    /// The `Type:name` of each user and group that may evaluate requests of others.
    pub evaluate: Vec<String>,
}

/// A superuser among the users of the identity provider.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SuperuserStatus {
    /// The user's name.
    pub name: String,
    /// What is wrong with it, such as that nobody can sign in as this user.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<AccountProblem>,
}

/// What is wrong with an account.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AccountProblem {
    /// A stable code.
    pub code: String,
    /// What is wrong.
    pub message: String,
}
