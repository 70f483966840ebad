//! The closed enumerations with the spellings of their values: in APIs, on the command line, in
//! audit events and for display.

use std::fmt;
use std::str::FromStr;

use crate::text::equal;

/// The spellings of one enumeration value (D-01).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Spelling {
    /// The Data Plane API's value, such as `RESOURCE_TYPE_TOPIC`.
    pub data_plane: &'static str,
    /// The short form of the command line and of JavaScript, such as `topic`.
    pub cli: &'static str,
    /// The form in audit events and logs, such as `transactional_id`.
    pub audit: &'static str,
    /// The label for display, such as `Transactional ID`.
    pub label: &'static str,
}

/// The error for a text that is not a value of a closed enumeration such as [`Operation`].
///
/// ```
/// use gbac_engine::Operation;
///
/// assert_eq!("describe_configs".parse(), Ok(Operation::DescribeConfigs));
/// assert_eq!("DescribeConfigs".parse(), Ok(Operation::DescribeConfigs));
/// assert_eq!("OPERATION_DESCRIBE_CONFIGS".parse(), Ok(Operation::DescribeConfigs));
/// assert!("peek".parse::<Operation>().is_err());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnknownValue {
    /// The name of the enumeration.
    expected: &'static str,
}

error_codes! {
    pub UnknownValue {
        _ => "unknown_value",
    }
}

impl fmt::Display for UnknownValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the text is not a value of `{}`", self.expected)
    }
}

impl std::error::Error for UnknownValue {}

/// Declares a closed enumeration with its table of spellings.
macro_rules! closed_enum {
    ($(#[$meta:meta])* $name:ident { $($(#[$vmeta:meta])* $variant:ident = $dp:literal, $cli:literal, $audit:literal, $label:literal;)+ }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name { $($(#[$vmeta])* $variant,)+ }

        impl $name {
            /// Every value, in the order of the wire format.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)+];

            /// The spellings of this value.
            #[must_use]
            pub const fn spelling(self) -> &'static Spelling {
                match self {
                    $(Self::$variant => &Spelling { data_plane: $dp, cli: $cli, audit: $audit, label: $label },)+
                }
            }

            /// The value with exactly this spelling in the Data Plane API.
            #[must_use]
            pub fn from_data_plane(text: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|value| equal(value.spelling().data_plane.as_bytes(), text.as_bytes()))
            }
        }

        /// Parses any spelling: the short or audit form in any letter case, with or without `_` and
        /// `-`, or the Data Plane API's.
        impl FromStr for $name {
            type Err = UnknownValue;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                Self::from_data_plane(text)
                    .or_else(|| {
                        let spells = |value: &Self| {
                            let spelling = value.spelling();
                            folded(spelling.cli).eq(folded(text)) || folded(spelling.audit).eq(folded(text))
                        };
                        Self::ALL.iter().copied().find(spells)
                    })
                    .ok_or(UnknownValue { expected: stringify!($name) })
            }
        }
    };
}

/// A short form in lower case without `_` and `-`, for comparison.
fn folded(text: &str) -> impl Iterator<Item = char> {
    text.chars()
        .filter(|c| !matches!(c, '_' | '-'))
        .map(|c| c.to_ascii_lowercase())
}

closed_enum! {
    /// The type of a resource (specification 2.4).
    ResourceType {
        /// A topic.
        Topic = "RESOURCE_TYPE_TOPIC", "topic", "topic", "Topic";
        /// A consumer group; not a group of the identity provider.
        Group = "RESOURCE_TYPE_GROUP", "group", "group", "Consumer group";
        /// The cluster itself; its only name is [`super::CLUSTER_NAME`].
        Cluster = "RESOURCE_TYPE_CLUSTER", "cluster", "cluster", "Cluster";
        /// A transactional ID.
        TransactionalId = "RESOURCE_TYPE_TRANSACTIONAL_ID", "transactional-id", "transactional_id", "Transactional ID";
        /// The Schema Registry as a whole, which has no name.
        Registry = "RESOURCE_TYPE_REGISTRY", "registry-global", "registry", "Schema Registry";
        /// A Schema Registry subject.
        Subject = "RESOURCE_TYPE_SUBJECT", "registry-subject", "subject", "Subject";
        /// A delegation token, by its ID (dialect `kafka`).
        DelegationToken = "RESOURCE_TYPE_DELEGATION_TOKEN", "delegation-token", "delegation_token", "Delegation token";
        /// A user for whom others create or describe delegation tokens (dialect `kafka`).
        User = "RESOURCE_TYPE_USER", "user-principal", "user", "User";
    }
}

closed_enum! {
    /// How an ACL's resource name is compared (specification 2.4, D-03).
    PatternType {
        /// The name itself; `*` matches every name.
        Literal = "RESOURCE_PATTERN_TYPE_LITERAL", "literal", "literal", "literal";
        /// Every name that starts with the prefix; `*` has no special meaning.
        Prefixed = "RESOURCE_PATTERN_TYPE_PREFIXED", "prefixed", "prefixed", "prefixed";
    }
}

closed_enum! {
    /// The operation of a request or an ACL (specification 2.4).
    Operation {
        /// Every operation.
        All = "OPERATION_ALL", "all", "all", "All";
        /// Read.
        Read = "OPERATION_READ", "read", "read", "Read";
        /// Write.
        Write = "OPERATION_WRITE", "write", "write", "Write";
        /// Create.
        Create = "OPERATION_CREATE", "create", "create", "Create";
        /// Delete.
        Delete = "OPERATION_DELETE", "delete", "delete", "Delete";
        /// Alter.
        Alter = "OPERATION_ALTER", "alter", "alter", "Alter";
        /// Describe.
        Describe = "OPERATION_DESCRIBE", "describe", "describe", "Describe";
        /// Cluster action.
        ClusterAction = "OPERATION_CLUSTER_ACTION", "clusteraction", "cluster_action", "Cluster Action";
        /// Describe configs.
        DescribeConfigs = "OPERATION_DESCRIBE_CONFIGS", "describeconfigs", "describe_configs", "Describe Configs";
        /// Alter configs.
        AlterConfigs = "OPERATION_ALTER_CONFIGS", "alterconfigs", "alter_configs", "Alter Configs";
        /// Idempotent write.
        IdempotentWrite = "OPERATION_IDEMPOTENT_WRITE", "idempotentwrite", "idempotent_write", "Idempotent Write";
        /// Create tokens (dialect `kafka`).
        CreateTokens = "OPERATION_CREATE_TOKENS", "createtokens", "create_tokens", "Create Tokens";
        /// Describe tokens (dialect `kafka`).
        DescribeTokens = "OPERATION_DESCRIBE_TOKENS", "describetokens", "describe_tokens", "Describe Tokens";
        /// Two-phase commit (dialect `kafka`).
        TwoPhaseCommit = "OPERATION_TWO_PHASE_COMMIT", "twophasecommit", "two_phase_commit", "Two Phase Commit";
    }
}

closed_enum! {
    /// Whether an ACL denies or allows (specification 2.4).
    Permission {
        /// Denies.
        Deny = "PERMISSION_TYPE_DENY", "deny", "deny", "Deny";
        /// Allows.
        Allow = "PERMISSION_TYPE_ALLOW", "allow", "allow", "Allow";
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_spelling_reads_back() {
        for value in ResourceType::ALL {
            assert_eq!(
                value.spelling().cli.parse::<ResourceType>().ok(),
                Some(*value)
            );
            assert_eq!(
                value.spelling().audit.parse::<ResourceType>().ok(),
                Some(*value)
            );
            assert_eq!(
                ResourceType::from_data_plane(value.spelling().data_plane),
                Some(*value)
            );
        }
        for value in Operation::ALL {
            for text in [
                value.spelling().cli,
                value.spelling().audit,
                value.spelling().data_plane,
            ] {
                assert_eq!(text.parse::<Operation>().ok(), Some(*value), "`{text}`");
            }
        }
        assert_eq!(Operation::from_data_plane("operation_read"), None);
        assert_eq!(
            "PREFIXED".parse::<PatternType>().ok(),
            Some(PatternType::Prefixed)
        );
        assert_eq!("Deny".parse::<Permission>().ok(), Some(Permission::Deny));
    }
}
