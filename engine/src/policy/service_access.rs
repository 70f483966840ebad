//! Limited access to the service itself (D-58): read-only, or to evaluate requests as a gateway.

use std::fmt;

use strum::{IntoStaticStr, VariantNames};

use crate::escape::escaped;
use crate::identity::Identity;
use crate::model::{Principal, PrincipalType};

/// A level of access to the service below that of a superuser. Neither includes the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, IntoStaticStr, VariantNames)]
#[strum(serialize_all = "snake_case")]
pub enum AccessLevel {
    /// Reads the policy, the configuration, the audit log and the metrics.
    ReadOnly,
    /// Evaluates requests of others, as a gateway does.
    Evaluate,
}

impl AccessLevel {
    /// Every level, in the order of policy documents.
    pub const ALL: [Self; 2] = [Self::ReadOnly, Self::Evaluate];
}

/// Why access to the service cannot be granted.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum GrantError {
    /// A role. Access is for users and groups of the identity provider only.
    Role(String),
    /// A wildcard.
    Wildcard(Principal),
}

codes! {
    pub GrantError {
        Self::Role(_) => "access_role",
        Self::Wildcard(_) => "access_wildcard",
    }
}

impl GrantError {
    /// What to do about it.
    #[must_use]
    pub const fn hint(&self) -> &'static str {
        match self {
            Self::Role(_) => "name users and groups of the identity provider",
            Self::Wildcard(_) => "name each user or group",
        }
    }
}

impl fmt::Display for GrantError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Role(name) => write!(
                f,
                "the role `{}` cannot have access to the service",
                escaped(name)
            ),
            Self::Wildcard(principal) => {
                write!(
                    f,
                    "access to the service cannot be granted to `{}`",
                    escaped(&principal.to_string())
                )
            }
        }
    }
}

impl std::error::Error for GrantError {}

/// The users and groups of the identity provider that have limited access to the service. Decisions
/// never depend on it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ServiceAccess {
    read_only: Vec<Principal>,
    evaluate: Vec<Principal>,
}

impl ServiceAccess {
    /// The users and groups with a level, sorted, without duplicates.
    #[must_use]
    pub fn grantees(&self, level: AccessLevel) -> &[Principal] {
        match level {
            AccessLevel::ReadOnly => &self.read_only,
            AccessLevel::Evaluate => &self.evaluate,
        }
    }

    /// Grants a level to a user or a group. No change if it has the level already.
    ///
    /// # Errors
    /// A role, or a wildcard.
    ///
    /// ```
    /// use gbac_engine::policy::{AccessLevel, ServiceAccess};
    /// use gbac_engine::{Identity, Principal};
    ///
    /// let mut access = ServiceAccess::default();
    /// access.grant(AccessLevel::ReadOnly, Principal::group("auditors"))?;
    /// assert!(access.permits(AccessLevel::ReadOnly, &Identity::new("carol", ["auditors"])));
    /// assert!(access.grant(AccessLevel::ReadOnly, Principal::user("*")).is_err());
    /// # Ok::<(), gbac_engine::policy::GrantError>(())
    /// ```
    pub fn grant(&mut self, level: AccessLevel, grantee: Principal) -> Result<(), GrantError> {
        if grantee.kind() == PrincipalType::Role {
            return Err(GrantError::Role(grantee.name().into()));
        }
        if grantee.name() == "*" {
            return Err(GrantError::Wildcard(grantee));
        }
        let grantees = match level {
            AccessLevel::ReadOnly => &mut self.read_only,
            AccessLevel::Evaluate => &mut self.evaluate,
        };
        if let Err(index) = grantees.binary_search_by(|existing| existing.cmp(&grantee)) {
            grantees.insert(index, grantee);
        }
        Ok(())
    }

    /// Whether an identity has a level, by its user or one of its groups.
    #[must_use]
    pub fn permits(&self, level: AccessLevel, identity: &Identity) -> bool {
        self.grantees(level)
            .iter()
            .any(|grantee| match grantee.kind() {
                PrincipalType::User => *grantee == identity.principal(),
                PrincipalType::Group => identity
                    .groups()
                    .iter()
                    .any(|group| group == grantee.name()),
                PrincipalType::Role | PrincipalType::Other => false,
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn users_and_groups_have_their_levels() {
        let mut access = ServiceAccess::default();
        access
            .grant(AccessLevel::ReadOnly, Principal::group("auditors"))
            .unwrap();
        access
            .grant(AccessLevel::Evaluate, Principal::user("gateway"))
            .unwrap();
        access
            .grant(AccessLevel::Evaluate, Principal::user("gateway"))
            .unwrap();
        assert_eq!(
            access.grantees(AccessLevel::Evaluate),
            [Principal::user("gateway")]
        );
        let permits = |user: &str, groups: &[&str]| {
            let identity = Identity::new(user, groups.iter().copied());
            AccessLevel::ALL.map(|level| access.permits(level, &identity))
        };
        assert_eq!(permits("ana", &["eng", "auditors"]), [true, false]);
        assert_eq!(permits("gateway", &[]), [false, true]);
        assert_eq!(permits("gateway", &["auditors"]), [true, true]);
        assert_eq!(
            permits("auditors", &["gateway"]),
            [false, false],
            "a user is not a group"
        );
        assert_eq!(permits("Gateway", &["Auditors"]), [false, false]);
    }

    #[test]
    fn roles_and_wildcards_have_no_access() {
        let mut access = ServiceAccess::default();
        for (grantee, code) in [
            (Principal::role("r"), "access_role"),
            (Principal::user("*"), "access_wildcard"),
            (Principal::group("*"), "access_wildcard"),
        ] {
            assert_eq!(
                access
                    .grant(AccessLevel::ReadOnly, grantee)
                    .unwrap_err()
                    .code(),
                code
            );
        }
        assert_eq!(access, ServiceAccess::default());
    }
}
