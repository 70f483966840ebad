//! The formats.

/// A format of policies, or of parts of them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Format {
    /// The policy document of this product.
    #[default]
    Document,
    /// A script of this product's command line.
    Gbac,
    /// A script of the platform's command line.
    Rpk,
    /// A script of requests to the documented APIs.
    Curl,
    /// Apache Kafka's command line for ACLs.
    KafkaAcls,
    /// Resources of the platform's Terraform provider.
    Terraform,
    /// Resources of the platform's Kubernetes operator.
    Operator,
    /// Users of Strimzi.
    Strimzi,
    /// Comma-separated values.
    Csv,
    /// Tables of command lines.
    Table,
    /// ACLs in the JSON of command lines and APIs.
    AclList,
    /// Roles in the JSON of command lines and APIs.
    RoleList,
}

impl Format {
    /// Every format. Where a text could be in several, it is in the first of them.
    pub const ALL: [Self; 12] = [
        Self::Document,
        Self::Gbac,
        Self::Rpk,
        Self::Curl,
        Self::KafkaAcls,
        Self::Terraform,
        Self::Operator,
        Self::Strimzi,
        Self::Csv,
        Self::Table,
        Self::AclList,
        Self::RoleList,
    ];
}
