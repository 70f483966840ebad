//! The closed enumerations with the spellings of their values: in APIs, on the command line, in
//! audit events and for display.

use std::fmt;
use std::str::FromStr;

use strum::{IntoStaticStr, VariantArray, VariantNames};

use crate::code::Coded;

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

codes! {
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

impl Spelling {
    /// The value with this spelling: the short or audit form in any letter case, with or without
    /// `_` and `-`, or the Data Plane API's.
    fn read<T: Coded + VariantArray + Copy>(
        text: &str,
        spelling: fn(T) -> Self,
        expected: &'static str,
    ) -> Result<T, UnknownValue> {
        if let Some(value) = T::from_code(text) {
            return Ok(value);
        }
        for value in T::VARIANTS {
            let Self { cli, audit, .. } = spelling(*value);
            if folded(cli).eq(folded(text)) || folded(audit).eq(folded(text)) {
                return Ok(*value);
            }
        }
        Err(UnknownValue { expected })
    }
}

/// A short form in lower case without `_` and `-`, for comparison.
fn folded(text: &str) -> impl Iterator<Item = char> {
    text.chars()
        .filter(|c| !matches!(c, '_' | '-'))
        .map(|c| c.to_ascii_lowercase())
}

/// The type of a resource (specification 2.4).
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    IntoStaticStr,
    VariantArray,
    VariantNames,
)]
#[strum(serialize_all = "SCREAMING_SNAKE_CASE", prefix = "RESOURCE_TYPE_")]
pub enum ResourceType {
    /// A topic.
    Topic,
    /// A consumer group; not a group of the identity provider.
    Group,
    /// The cluster itself; its only name is [`super::CLUSTER_NAME`].
    Cluster,
    /// A transactional ID.
    TransactionalId,
    /// The Schema Registry as a whole, which has no name.
    Registry,
    /// A Schema Registry subject.
    Subject,
    /// A delegation token, by its ID (dialect `kafka`).
    DelegationToken,
    /// A user for whom others create or describe delegation tokens (dialect `kafka`).
    User,
}

impl ResourceType {
    /// Every value, in the order of the wire format.
    pub const ALL: &'static [Self] = <Self as VariantArray>::VARIANTS;

    /// The spellings of this value.
    #[must_use]
    pub fn spelling(self) -> Spelling {
        let (cli, audit, label) = match self {
            Self::Topic => ("topic", "topic", "Topic"),
            Self::Group => ("group", "group", "Consumer group"),
            Self::Cluster => ("cluster", "cluster", "Cluster"),
            Self::TransactionalId => ("transactional-id", "transactional_id", "Transactional ID"),
            Self::Registry => ("registry-global", "registry", "Schema Registry"),
            Self::Subject => ("registry-subject", "subject", "Subject"),
            Self::DelegationToken => ("delegation-token", "delegation_token", "Delegation token"),
            Self::User => ("user-principal", "user", "User"),
        };
        let data_plane = self.code();
        Spelling {
            data_plane,
            cli,
            audit,
            label,
        }
    }
}

/// Parses any spelling, as [`Spelling::read`].
impl FromStr for ResourceType {
    type Err = UnknownValue;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Spelling::read(text, Self::spelling, "ResourceType")
    }
}

/// How an ACL's resource name is compared (specification 2.4, D-03).
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    IntoStaticStr,
    VariantArray,
    VariantNames,
)]
#[strum(
    serialize_all = "SCREAMING_SNAKE_CASE",
    prefix = "RESOURCE_PATTERN_TYPE_"
)]
pub enum PatternType {
    /// The name itself; `*` matches every name.
    Literal,
    /// Every name that starts with the prefix; `*` has no special meaning.
    Prefixed,
}

impl PatternType {
    /// Every value, in the order of the wire format.
    pub const ALL: &'static [Self] = <Self as VariantArray>::VARIANTS;

    /// The spellings of this value.
    #[must_use]
    pub fn spelling(self) -> Spelling {
        let (cli, audit, label) = match self {
            Self::Literal => ("literal", "literal", "literal"),
            Self::Prefixed => ("prefixed", "prefixed", "prefixed"),
        };
        let data_plane = self.code();
        Spelling {
            data_plane,
            cli,
            audit,
            label,
        }
    }
}

/// Parses any spelling, as [`Spelling::read`].
impl FromStr for PatternType {
    type Err = UnknownValue;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Spelling::read(text, Self::spelling, "PatternType")
    }
}

/// The operation of a request or an ACL (specification 2.4).
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    IntoStaticStr,
    VariantArray,
    VariantNames,
)]
#[strum(serialize_all = "SCREAMING_SNAKE_CASE", prefix = "OPERATION_")]
pub enum Operation {
    /// Every operation.
    All,
    /// Read.
    Read,
    /// Write.
    Write,
    /// Create.
    Create,
    /// Delete.
    Delete,
    /// Alter.
    Alter,
    /// Describe.
    Describe,
    /// Cluster action.
    ClusterAction,
    /// Describe configs.
    DescribeConfigs,
    /// Alter configs.
    AlterConfigs,
    /// Idempotent write.
    IdempotentWrite,
    /// Create tokens (dialect `kafka`).
    CreateTokens,
    /// Describe tokens (dialect `kafka`).
    DescribeTokens,
    /// Two-phase commit (dialect `kafka`).
    TwoPhaseCommit,
}

impl Operation {
    /// Every value, in the order of the wire format.
    pub const ALL: &'static [Self] = <Self as VariantArray>::VARIANTS;

    /// The spellings of this value.
    #[must_use]
    pub fn spelling(self) -> Spelling {
        let (cli, audit, label) = match self {
            Self::All => ("all", "all", "All"),
            Self::Read => ("read", "read", "Read"),
            Self::Write => ("write", "write", "Write"),
            Self::Create => ("create", "create", "Create"),
            Self::Delete => ("delete", "delete", "Delete"),
            Self::Alter => ("alter", "alter", "Alter"),
            Self::Describe => ("describe", "describe", "Describe"),
            Self::ClusterAction => ("clusteraction", "cluster_action", "Cluster Action"),
            Self::DescribeConfigs => ("describeconfigs", "describe_configs", "Describe Configs"),
            Self::AlterConfigs => ("alterconfigs", "alter_configs", "Alter Configs"),
            Self::IdempotentWrite => ("idempotentwrite", "idempotent_write", "Idempotent Write"),
            Self::CreateTokens => ("createtokens", "create_tokens", "Create Tokens"),
            Self::DescribeTokens => ("describetokens", "describe_tokens", "Describe Tokens"),
            Self::TwoPhaseCommit => ("twophasecommit", "two_phase_commit", "Two Phase Commit"),
        };
        let data_plane = self.code();
        Spelling {
            data_plane,
            cli,
            audit,
            label,
        }
    }
}

/// Parses any spelling, as [`Spelling::read`].
impl FromStr for Operation {
    type Err = UnknownValue;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Spelling::read(text, Self::spelling, "Operation")
    }
}

/// Whether an ACL denies or allows (specification 2.4).
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    IntoStaticStr,
    VariantArray,
    VariantNames,
)]
#[strum(serialize_all = "SCREAMING_SNAKE_CASE", prefix = "PERMISSION_TYPE_")]
pub enum Permission {
    /// Denies.
    Deny,
    /// Allows.
    Allow,
}

impl Permission {
    /// Every value, in the order of the wire format.
    pub const ALL: &'static [Self] = <Self as VariantArray>::VARIANTS;

    /// The spellings of this value.
    #[must_use]
    pub fn spelling(self) -> Spelling {
        let (cli, audit, label) = match self {
            Self::Deny => ("deny", "deny", "Deny"),
            Self::Allow => ("allow", "allow", "Allow"),
        };
        let data_plane = self.code();
        Spelling {
            data_plane,
            cli,
            audit,
            label,
        }
    }
}

/// Parses any spelling, as [`Spelling::read`].
impl FromStr for Permission {
    type Err = UnknownValue;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Spelling::read(text, Self::spelling, "Permission")
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
                ResourceType::from_code(value.spelling().data_plane),
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
        assert_eq!(Operation::from_code("operation_read"), None);
        assert_eq!(
            "PREFIXED".parse::<PatternType>().ok(),
            Some(PatternType::Prefixed)
        );
        assert_eq!("Deny".parse::<Permission>().ok(), Some(Permission::Deny));
    }
}
