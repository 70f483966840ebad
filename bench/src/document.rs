//! The policy document as plain structs, for the generator, the reference, and for comparison with
//! loading.

use serde::{Deserialize, Serialize};

/// A policy document, version 1, without settings.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Document {
    /// Always 1.
    pub version: u8,
    /// The roles, with unique names.
    pub roles: Vec<Role>,
    /// The ACLs, without duplicates, in no particular order.
    pub acls: Vec<Acl>,
}

/// A role with its members.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Role {
    /// The name, without `Role:`.
    pub name: String,
    /// Users and groups.
    pub members: Vec<Member>,
}

/// A member of a role.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Member {
    /// `User:<name>` or `Group:<name>`.
    pub principal: String,
}

/// An ACL: the seven fields.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Acl {
    /// The resource's type.
    pub resource_type: ResourceType,
    /// The resource's name or prefix.
    pub resource_name: String,
    /// Whether the name is a prefix.
    pub resource_pattern_type: PatternType,
    /// `User:<name>`, `Group:<name>` or `Role:<name>`.
    pub principal: String,
    /// Always `*`.
    pub host: String,
    /// The operation.
    pub operation: Operation,
    /// Allow or deny.
    pub permission_type: Permission,
}

/// Declares an enumeration with the document's spelling and the short spelling of the command line
/// and JavaScript.
macro_rules! spelled {
    ($(#[$meta:meta])* $name:ident { $($variant:ident = $long:literal, $short:literal;)+ }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
        #[expect(missing_docs, reason = "the spellings say it")]
        pub enum $name { $(#[serde(rename = $long)] $variant,)+ }

        impl $name {
            /// The short spelling.
            #[must_use]
            pub const fn short(self) -> &'static str {
                match self { $(Self::$variant => $short),+ }
            }
        }
    };
}

spelled! {
    /// The resource types of the workload.
    ResourceType {
        Topic = "RESOURCE_TYPE_TOPIC", "topic";
        Group = "RESOURCE_TYPE_GROUP", "group";
        TransactionalId = "RESOURCE_TYPE_TRANSACTIONAL_ID", "transactional-id";
    }
}

spelled! {
    /// The pattern types.
    PatternType {
        Literal = "RESOURCE_PATTERN_TYPE_LITERAL", "literal";
        Prefixed = "RESOURCE_PATTERN_TYPE_PREFIXED", "prefixed";
    }
}

spelled! {
    /// The operations of the workload's resource types.
    Operation {
        All = "OPERATION_ALL", "all";
        Read = "OPERATION_READ", "read";
        Write = "OPERATION_WRITE", "write";
        Create = "OPERATION_CREATE", "create";
        Delete = "OPERATION_DELETE", "delete";
        Alter = "OPERATION_ALTER", "alter";
        Describe = "OPERATION_DESCRIBE", "describe";
        DescribeConfigs = "OPERATION_DESCRIBE_CONFIGS", "describeconfigs";
        AlterConfigs = "OPERATION_ALTER_CONFIGS", "alterconfigs";
    }
}

spelled! {
    /// Allow or deny.
    Permission {
        Deny = "PERMISSION_TYPE_DENY", "deny";
        Allow = "PERMISSION_TYPE_ALLOW", "allow";
    }
}

impl ResourceType {
    /// The operations of ACLs of this type.
    #[must_use]
    pub const fn operations(self) -> &'static [Operation] {
        use Operation::{
            All, Alter, AlterConfigs, Create, Delete, Describe, DescribeConfigs, Read, Write,
        };
        match self {
            Self::Topic => &[
                All,
                Read,
                Write,
                Create,
                Delete,
                Alter,
                Describe,
                DescribeConfigs,
                AlterConfigs,
            ],
            Self::Group => &[All, Read, Delete, Describe],
            Self::TransactionalId => &[All, Write, Describe],
        }
    }
}

impl Document {
    /// The bytes of all distinct names of the document, which every program must store.
    #[must_use]
    pub fn bytes_of_names(&self) -> usize {
        let members = self
            .roles
            .iter()
            .flat_map(|role| role.members.iter().map(|member| &member.principal));
        let mut principals: Vec<&str> = members
            .chain(self.acls.iter().map(|acl| &acl.principal))
            .map(|text| name_of(text))
            .collect();
        let mut resources: Vec<&str> = self
            .acls
            .iter()
            .map(|acl| acl.resource_name.as_str())
            .collect();
        let sum = |names: &mut Vec<&str>| {
            names.sort_unstable();
            names.dedup();
            names.iter().map(|name| name.len()).sum::<usize>()
        };
        sum(&mut principals) + sum(&mut resources)
    }
}

/// A principal's name without its type.
fn name_of(principal: &str) -> &str {
    principal
        .split_once(':')
        .map_or(principal, |(_, name)| name)
}
