//! The spellings of role principals (D-06): both are read, and one of them is written.

use std::fmt;

use super::{Principal, PrincipalType};

impl PrincipalType {
    /// The words before the colon that are read, without those of types that only Kafka has.
    pub const PREFIXES: &'static [&'static str] = &["User", "Group", "Role", "RedpandaRole"];

    /// The type with this word before the colon.
    #[must_use]
    pub fn from_prefix(text: &str) -> Option<Self> {
        match text {
            "User" => Some(Self::User),
            "Group" => Some(Self::Group),
            "Role" | "RedpandaRole" => Some(Self::Role),
            _ => None,
        }
    }
}

/// The prefix of a role's name in output.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum RoleSpelling {
    /// `Role:<name>`.
    #[default]
    Role,
    /// `RedpandaRole:<name>`, as the platform writes and reads it.
    RedpandaRole,
}

impl RoleSpelling {
    /// The spelling in requests and responses of the platform's APIs: the platform has only this
    /// one, and this service reads both.
    pub const IN_REQUESTS: Self = Self::RedpandaRole;
    /// Every spelling.
    pub const ALL: &'static [Self] = &[Self::Role, Self::RedpandaRole];

    /// The prefix, without the colon.
    #[must_use]
    pub const fn prefix(self) -> &'static str {
        match self {
            Self::Role => "Role",
            Self::RedpandaRole => "RedpandaRole",
        }
    }

    /// A principal in this spelling.
    ///
    /// ```
    /// use gbac_engine::model::{Principal, RoleSpelling};
    /// assert_eq!(RoleSpelling::RedpandaRole.principal(&Principal::role("dev")), "RedpandaRole:dev");
    /// assert_eq!(RoleSpelling::RedpandaRole.principal(&Principal::group("dev")), "Group:dev");
    /// ```
    #[must_use]
    pub fn principal(self, principal: &Principal) -> String {
        match principal.kind() {
            PrincipalType::Role => format!("{self}:{}", principal.name()),
            PrincipalType::User | PrincipalType::Group | PrincipalType::Other => {
                principal.to_string()
            }
        }
    }
}

impl fmt::Display for RoleSpelling {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.prefix())
    }
}
