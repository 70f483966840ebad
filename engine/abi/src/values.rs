//! The numbers of enumerations: those of Kafka's protocol, so that a broker passes on what it has.

use gbac_engine::{Dialect, Operation, PatternType, Permission, ResourceType};

use crate::AbiError;

/// The number of a resource type. Kafka has no numbers for the platform's Schema Registry; those
/// here are far from its own.
#[must_use]
pub const fn resource_type_code(resource_type: ResourceType) -> u8 {
    match resource_type {
        ResourceType::Topic => 2,
        ResourceType::Group => 3,
        ResourceType::Cluster => 4,
        ResourceType::TransactionalId => 5,
        ResourceType::DelegationToken => 6,
        ResourceType::User => 7,
        ResourceType::Registry => 64,
        ResourceType::Subject => 65,
    }
}

/// The number of a pattern type.
#[must_use]
pub const fn pattern_code(pattern_type: PatternType) -> u8 {
    match pattern_type {
        PatternType::Literal => 3,
        PatternType::Prefixed => 4,
    }
}

/// The number of an operation, and of its bit in a mask.
#[must_use]
pub const fn operation_code(operation: Operation) -> u8 {
    match operation {
        Operation::All => 2,
        Operation::Read => 3,
        Operation::Write => 4,
        Operation::Create => 5,
        Operation::Delete => 6,
        Operation::Alter => 7,
        Operation::Describe => 8,
        Operation::ClusterAction => 9,
        Operation::DescribeConfigs => 10,
        Operation::AlterConfigs => 11,
        Operation::IdempotentWrite => 12,
        Operation::CreateTokens => 13,
        Operation::DescribeTokens => 14,
        Operation::TwoPhaseCommit => 15,
    }
}

/// The number of a permission.
#[must_use]
pub const fn permission_code(permission: Permission) -> u8 {
    match permission {
        Permission::Deny => 2,
        Permission::Allow => 3,
    }
}

/// Reads the number of a resource type of a dialect.
pub(crate) fn resource_type(code: i32, dialect: Dialect) -> Result<ResourceType, AbiError> {
    find(dialect.resource_types(), code, resource_type_code)
}

/// Reads the number of an operation of a dialect.
pub(crate) fn operation(code: i32, dialect: Dialect) -> Result<Operation, AbiError> {
    find(dialect.operations(), code, operation_code)
}

/// Reads the number of a pattern type.
pub(crate) fn pattern_type(code: i32) -> Result<PatternType, AbiError> {
    find(PatternType::ALL, code, pattern_code)
}

/// Reads the number of a permission.
pub(crate) fn permission(code: i32) -> Result<Permission, AbiError> {
    find(Permission::ALL, code, permission_code)
}

fn find<T: Copy>(all: &[T], code: i32, code_of: fn(T) -> u8) -> Result<T, AbiError> {
    all.iter()
        .copied()
        .find(|value| i32::from(code_of(*value)) == code)
        .ok_or(AbiError::Value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_has_a_number_of_its_own() {
        for dialect in Dialect::ALL {
            for value in dialect.resource_types() {
                assert_eq!(
                    resource_type(resource_type_code(*value).into(), *dialect),
                    Ok(*value)
                );
            }
            for value in dialect.operations() {
                assert_eq!(
                    operation(operation_code(*value).into(), *dialect),
                    Ok(*value)
                );
            }
        }
        let (registry, tokens) = (
            resource_type_code(ResourceType::Registry),
            operation_code(Operation::CreateTokens),
        );
        assert_eq!(
            resource_type(registry.into(), Dialect::Kafka),
            Err(AbiError::Value)
        );
        assert_eq!(
            operation(tokens.into(), Dialect::Platform),
            Err(AbiError::Value)
        );
        for code in [i32::MIN, -1, 0, 1, 16, 63, 66, 256 + 2, i32::MAX] {
            assert_eq!(resource_type(code, Dialect::Platform), Err(AbiError::Value));
            assert_eq!(operation(code, Dialect::Kafka), Err(AbiError::Value));
        }
    }
}
