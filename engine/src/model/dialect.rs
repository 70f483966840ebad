//! Dialects: the values that the platform and Apache Kafka have (D-71).

use strum::{IntoStaticStr, VariantArray, VariantNames};

use super::{Operation, ResourceType};

/// The system that a policy is for.
#[derive(
    Debug,
    Clone,
    Copy,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    IntoStaticStr,
    VariantArray,
    VariantNames,
)]
#[strum(serialize_all = "snake_case")]
pub enum Dialect {
    /// The platform of the specification.
    #[default]
    Platform,
    /// Apache Kafka.
    Kafka,
}

impl Dialect {
    /// Every dialect.
    pub const ALL: &'static [Self] = <Self as VariantArray>::VARIANTS;

    /// The resource types that exist in this dialect.
    #[must_use]
    pub const fn resource_types(self) -> &'static [ResourceType] {
        use ResourceType::{
            Cluster, DelegationToken, Group, Registry, Subject, Topic, TransactionalId, User,
        };
        match self {
            Self::Platform => &[Topic, Group, Cluster, TransactionalId, Registry, Subject],
            Self::Kafka => &[
                Topic,
                Group,
                Cluster,
                TransactionalId,
                DelegationToken,
                User,
            ],
        }
    }

    /// The operations that exist in this dialect.
    #[must_use]
    pub const fn operations(self) -> &'static [Operation] {
        match self {
            // The operations that only Kafka has are at the end.
            Self::Platform => Operation::ALL.split_at(Operation::CreateTokens as usize).0,
            Self::Kafka => Operation::ALL,
        }
    }

    /// Whether a list contains all operations of a dialect.
    #[must_use]
    pub fn are_all_operations(operations: &[Operation]) -> bool {
        Self::ALL
            .iter()
            .any(|dialect| dialect.operations() == operations)
    }

    /// The operations that apply to a resource type, besides `ALL`.
    #[must_use]
    pub const fn operations_of(self, resource_type: ResourceType) -> &'static [Operation] {
        use Operation::{
            AlterConfigs, CreateTokens, Delete, Describe, DescribeConfigs, DescribeTokens, Read,
            TwoPhaseCommit, Write,
        };
        match (self, resource_type) {
            (Self::Platform, _) => resource_type.operations(),
            (Self::Kafka, ResourceType::Group) => {
                &[Read, Delete, Describe, DescribeConfigs, AlterConfigs]
            }
            (Self::Kafka, ResourceType::TransactionalId) => &[Write, Describe, TwoPhaseCommit],
            (Self::Kafka, ResourceType::DelegationToken) => &[Describe],
            (Self::Kafka, ResourceType::User) => &[CreateTokens, DescribeTokens],
            (Self::Kafka, _) => resource_type.operations(),
        }
    }
}
