//! Checks that values exist in the dialect of a policy (D-71).

use crate::Coded;
use std::fmt;

use super::{Dialect, Host, HostError, Operation, PrincipalError, PrincipalType, ResourceType};

impl Dialect {
    /// Checks that all values of an ACL exist in this dialect.
    ///
    /// # Errors
    /// The resource type, the operation, the type of the principal or the host exists only in the
    /// other dialect.
    #[inline]
    pub fn check(
        self,
        resource_type: ResourceType,
        operation: Operation,
        principal: (PrincipalType, &str),
        host: &Host,
    ) -> Result<(), DialectError> {
        self.check_resource_type(resource_type)?;
        self.check_operation(operation)?;
        self.check_principal(principal)?;
        self.check_host(host)
    }

    /// Checks that a resource type exists in this dialect.
    ///
    /// # Errors
    /// It exists only in the other dialect.
    #[inline]
    pub fn check_resource_type(self, resource_type: ResourceType) -> Result<(), DialectError> {
        let exists = self.resource_types().contains(&resource_type);
        exists
            .then_some(())
            .ok_or(DialectError::ResourceType(resource_type))
    }

    /// Checks that an operation exists in this dialect.
    ///
    /// # Errors
    /// It exists only in the other dialect.
    #[inline]
    pub fn check_operation(self, operation: Operation) -> Result<(), DialectError> {
        let exists = self.operations().contains(&operation);
        exists
            .then_some(())
            .ok_or(DialectError::Operation(operation))
    }

    /// Checks that the type of a principal exists in this dialect.
    ///
    /// # Errors
    /// It exists only in Kafka.
    #[inline]
    pub fn check_principal(self, (kind, name): (PrincipalType, &str)) -> Result<(), DialectError> {
        if self == Self::Kafka || kind != PrincipalType::Other {
            return Ok(());
        }
        let prefix = name.split_once(':').map_or(name, |(prefix, _)| prefix);
        Err(DialectError::Principal(PrincipalError::UnknownType(
            prefix.into(),
        )))
    }

    /// Checks that a host is not a range or a name if the dialect has none.
    ///
    /// # Errors
    /// Ranges and names exist only in Kafka.
    #[inline]
    pub fn check_host(self, host: &Host) -> Result<(), DialectError> {
        match (self, host) {
            (Self::Platform, Host::Range(_) | Host::Name(_)) => {
                Err(DialectError::Host(HostError::new(&host.to_string())))
            }
            _ => Ok(()),
        }
    }
}

/// A value that does not exist in the dialect of a policy.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum DialectError {
    /// A resource type.
    ResourceType(ResourceType),
    /// An operation.
    Operation(Operation),
    /// The type of a principal.
    Principal(PrincipalError),
    /// A range of hosts, or the name of one.
    Host(HostError),
}

codes! {
    pub DialectError {
        Self::ResourceType(_) => "not_in_dialect",
        Self::Operation(_) => "not_in_dialect",
    } of {
        Self::Principal(error) => error: PrincipalError,
        Self::Host(error) => error: HostError,
    }
}

impl DialectError {
    /// What to do about it.
    #[must_use]
    pub fn hint(&self) -> String {
        match self {
            Self::ResourceType(_) | Self::Operation(_) => {
                "remove it, or correct `dialect` in the settings of the policy".into()
            }
            Self::Principal(error) => error.hint(),
            Self::Host(error) => error.hint().into(),
        }
    }
}

impl fmt::Display for DialectError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let only_in = |dialect: Option<&Dialect>| dialect.copied().unwrap_or_default().code();
        match self {
            Self::ResourceType(of) => {
                let dialect = Dialect::ALL
                    .iter()
                    .find(|dialect| dialect.resource_types().contains(of));
                write!(
                    f,
                    "`{}` exists only in the dialect `{}`",
                    of.spelling().data_plane,
                    only_in(dialect)
                )
            }
            Self::Operation(of) => {
                let dialect = Dialect::ALL
                    .iter()
                    .find(|dialect| dialect.operations().contains(of));
                write!(
                    f,
                    "`{}` exists only in the dialect `{}`",
                    of.spelling().data_plane,
                    only_in(dialect)
                )
            }
            Self::Principal(error) => error.fmt(f),
            Self::Host(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for DialectError {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Principal;

    #[test]
    fn each_dialect_lacks_what_only_the_other_has() {
        let code = |dialect: Dialect, of, operation, principal: &Principal, host| {
            let checked = dialect.check(of, operation, (principal.kind(), principal.name()), &host);
            checked.map_err(|error| error.code())
        };
        let (user, service) = (
            Principal::user("alice"),
            Principal::new(PrincipalType::Other, "Service:billing"),
        );
        let host = |text| Host::parse_in(Dialect::Kafka, text).unwrap();
        let (topic, read) = (ResourceType::Topic, Operation::Read);
        for dialect in Dialect::ALL {
            assert_eq!(Dialect::from_code(dialect.code()), Some(*dialect));
            assert_eq!(code(*dialect, topic, read, &user, Host::Any), Ok(()));
        }
        let (platform, kafka) = (Dialect::Platform, Dialect::Kafka);
        assert_eq!(
            code(platform, ResourceType::User, read, &user, Host::Any),
            Err("not_in_dialect")
        );
        assert_eq!(
            code(platform, topic, Operation::TwoPhaseCommit, &user, Host::Any),
            Err("not_in_dialect")
        );
        assert_eq!(
            code(platform, topic, read, &service, Host::Any),
            Err("principal_type_unknown")
        );
        for only_in_kafka in ["10.0.0.0/8", "broker1.example.com"] {
            assert_eq!(
                code(platform, topic, read, &user, host(only_in_kafka)),
                Err("host_invalid")
            );
            assert_eq!(code(kafka, topic, read, &user, host(only_in_kafka)), Ok(()));
        }
        assert_eq!(
            code(kafka, ResourceType::Subject, read, &user, Host::Any),
            Err("not_in_dialect")
        );
        assert_eq!(
            code(
                kafka,
                ResourceType::User,
                Operation::CreateTokens,
                &service,
                Host::Any
            ),
            Ok(())
        );
    }

    #[test]
    fn every_value_is_in_a_dialect() {
        let both = |of: &ResourceType| {
            Dialect::ALL
                .iter()
                .any(|dialect| dialect.resource_types().contains(of))
        };
        assert!(ResourceType::ALL.iter().all(both));
        assert_eq!(
            Dialect::Platform.operations().last(),
            Some(&Operation::IdempotentWrite)
        );
        assert_eq!(
            DialectError::ResourceType(ResourceType::User).to_string(),
            "`RESOURCE_TYPE_USER` exists only in the dialect `kafka`"
        );
        assert_eq!(
            DialectError::ResourceType(ResourceType::Subject).to_string(),
            "`RESOURCE_TYPE_SUBJECT` exists only in the dialect `platform`"
        );
    }
}
