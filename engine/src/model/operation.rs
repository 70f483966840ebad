//! The operations that an allow implies, and the operations of each resource type.

use super::{Operation, ResourceType};

impl Operation {
    /// The operations whose ALLOW also allows this one, in the order in which they are reported
    /// (D-02).
    ///
    /// [`Operation::All`] is not in the list, because it covers every operation, also in a DENY.
    #[must_use]
    pub const fn implied_by(self) -> &'static [Self] {
        match self {
            Self::Describe => &[Self::Read, Self::Write, Self::Delete, Self::Alter],
            Self::DescribeConfigs => &[Self::AlterConfigs],
            _ => &[],
        }
    }
}

impl ResourceType {
    /// The operations that apply to this resource type, besides `ALL` (platform-facts of D-01).
    ///
    /// An ACL may name any other operation: it is stored, has no effect, and lint reports it
    /// (D-27).
    #[must_use]
    pub const fn operations(self) -> &'static [Operation] {
        use Operation::{
            Alter, AlterConfigs, ClusterAction, Create, Delete, Describe, DescribeConfigs,
            IdempotentWrite, Read, Write,
        };
        match self {
            Self::Topic => &[
                Read,
                Write,
                Create,
                Delete,
                Alter,
                Describe,
                DescribeConfigs,
                AlterConfigs,
            ],
            Self::Group => &[Read, Delete, Describe],
            Self::Cluster => &[
                Create,
                Alter,
                Describe,
                ClusterAction,
                DescribeConfigs,
                AlterConfigs,
                IdempotentWrite,
            ],
            Self::TransactionalId => &[Write, Describe],
            Self::Registry => &[Read, Describe, DescribeConfigs, AlterConfigs],
            Self::Subject => &[Read, Write, Delete, Describe, DescribeConfigs, AlterConfigs],
            Self::DelegationToken | Self::User => &[],
        }
    }
}
