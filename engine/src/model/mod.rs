//! The types of a policy: principals, ACLs, roles, and enumerations with their spellings.

mod acl;
mod dialect;
mod dialect_check;
mod host;
mod kafka_version;
mod operation;
mod principal;
mod role;
mod role_spelling;
mod spelling;

pub use acl::{
    Acl, AclError, AclField, CLUSTER_NAME, MAX_NAME_BYTES, MAX_TOPIC_BYTES, normalized_name,
};
pub use dialect::Dialect;
pub use dialect_check::DialectError;
pub use host::{Host, HostError, HostName, HostRange};
pub use kafka_version::{KafkaVersion, KafkaVersionError};
pub use principal::{Principal, PrincipalError, PrincipalType};
pub use role::{
    MAX_ROLE_NAME_CHARS, Role, RoleError, check_member, check_role_name, role_name_warning,
};
pub use role_spelling::RoleSpelling;
pub use spelling::{Operation, PatternType, Permission, ResourceType, Spelling, UnknownValue};
