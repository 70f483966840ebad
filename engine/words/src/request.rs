//! Requests: an operation on a resource.

use gbac_engine::decide::Request;
use gbac_engine::model::{Operation, ResourceType};

use crate::rich_text::RichText;

/// The resource of a request in a sentence: ``topic `payments` ``, `the cluster`.
pub fn resource(request: &Request<'_>) -> RichText {
    match request.resource_type {
        ResourceType::Cluster => "the cluster".into(),
        ResourceType::Registry => "the Schema Registry".into(),
        other => RichText::from(format!("{} ", other.noun())).resource(request.resource_name),
    }
}

/// What a request does, in a sentence: `write to topic ...`.
pub fn deed(request: &Request<'_>) -> RichText {
    let verb = verb(request.operation, request.resource_type);
    RichText::from(format!("{verb} ")).then(resource(request))
}

/// What a request does on any resource of a type: `write to any topic`.
pub fn deed_on_any(operation: Operation, resource_type: ResourceType) -> String {
    format!(
        "{} any {}",
        verb(operation, resource_type),
        resource_type.noun()
    )
}

/// A request in short: `Write payments`.
pub fn short(request: &Request<'_>) -> RichText {
    let words = RichText::from(request.operation.spelling().label);
    match request.resource_type {
        ResourceType::Cluster | ResourceType::Registry => {
            words.text(format!(", {}", request.resource_type.noun()))
        }
        _ => words.text(" ").resource(request.resource_name),
    }
}

/// An operation as a verb before its resource.
pub const fn verb(operation: Operation, resource_type: ResourceType) -> &'static str {
    match (operation, resource_type) {
        (Operation::All, _) => "do everything on",
        (Operation::Read, ResourceType::Group) => "join",
        (Operation::Read, _) => "read",
        (Operation::Write, ResourceType::TransactionalId) => "use",
        (Operation::Write, _) => "write to",
        (Operation::Create, ResourceType::Cluster) => "create on",
        (Operation::Create, _) => "create",
        (Operation::Delete, _) => "delete",
        (Operation::Alter, _) => "alter",
        (Operation::Describe, _) => "describe",
        (Operation::ClusterAction, _) => "act as a broker on",
        (Operation::DescribeConfigs, _) => "describe the configuration of",
        (Operation::AlterConfigs, _) => "alter the configuration of",
        (Operation::IdempotentWrite, _) => "write idempotently to",
        (Operation::CreateTokens, _) => "create delegation tokens for",
        (Operation::DescribeTokens, _) => "describe the delegation tokens of",
        (Operation::TwoPhaseCommit, _) => "use two-phase commit with",
    }
}

#[cfg(test)]
mod tests {
    use gbac_engine::decide::At;

    use super::*;

    #[test]
    fn deeds_read_as_english() {
        let deed = |operation, resource_type| {
            deed(&Request::new(
                operation,
                resource_type,
                "n",
                At::IgnoringExpiry,
            ))
            .plain()
        };
        for (operation, resource_type, words) in [
            (Operation::Write, ResourceType::Topic, "write to topic n"),
            (
                Operation::Read,
                ResourceType::Group,
                "join consumer group n",
            ),
            (
                Operation::Create,
                ResourceType::Cluster,
                "create on the cluster",
            ),
            (
                Operation::AlterConfigs,
                ResourceType::Registry,
                "alter the configuration of the Schema Registry",
            ),
        ] {
            assert_eq!(deed(operation, resource_type), words);
        }
    }
}
