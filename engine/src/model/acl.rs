//! ACLs (specification 2.4, D-03).

use std::fmt;
use std::net::IpAddr;

use super::{Host, Operation, PatternType, Permission, Principal, PrincipalError, ResourceType};
use crate::escape::{escaped, visible, visible_character};

/// The name of the cluster, the only resource of its type.
pub const CLUSTER_NAME: &str = "kafka-cluster";
/// The maximum length of a topic name, in bytes.
pub const MAX_TOPIC_BYTES: usize = 249;
/// The maximum length of the name of any other resource, in bytes.
pub const MAX_NAME_BYTES: usize = 4096;

/// An ACL with the seven fields of specification 2.4. A policy contains a set of ACLs (D-17).
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Acl {
    /// The type of the resource.
    pub resource_type: ResourceType,
    /// The name or prefix of the resource.
    pub resource_name: String,
    /// How the name is compared.
    pub pattern_type: PatternType,
    /// The principal.
    pub principal: Principal,
    /// The host that requests come from.
    pub host: Host,
    /// The operation.
    pub operation: Operation,
    /// Deny or allow.
    pub permission: Permission,
}

impl Acl {
    /// Creates an ACL that allows an operation on one resource from any host.
    ///
    /// ```
    /// use gbac_engine::{Acl, Operation, Principal, ResourceType};
    ///
    /// let acl = Acl::allow(Principal::group("analysts"), Operation::Read, ResourceType::Topic, "orders-").prefixed();
    /// assert!(acl.covers_name("orders-eu"));
    /// ```
    pub fn allow(
        principal: Principal,
        operation: Operation,
        resource_type: ResourceType,
        name: impl Into<String>,
    ) -> Self {
        Self {
            resource_type,
            resource_name: name.into(),
            pattern_type: PatternType::Literal,
            principal,
            host: Host::Any,
            operation,
            permission: Permission::Allow,
        }
    }

    /// Creates an ACL that denies an operation on one resource from any host.
    pub fn deny(
        principal: Principal,
        operation: Operation,
        resource_type: ResourceType,
        name: impl Into<String>,
    ) -> Self {
        Self {
            permission: Permission::Deny,
            ..Self::allow(principal, operation, resource_type, name)
        }
    }

    /// Changes the pattern to every resource whose name starts with the ACL's resource name.
    #[must_use]
    pub fn prefixed(mut self) -> Self {
        self.pattern_type = PatternType::Prefixed;
        self
    }

    /// Restricts the ACL to requests from one address.
    #[must_use]
    pub fn with_host(mut self, address: IpAddr) -> Self {
        self.host = Host::Address(address);
        self
    }
}

/// The field of an ACL that an error is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AclField {
    /// `resource_name`.
    ResourceName,
    /// `principal`.
    Principal,
}

impl AclField {
    /// The field's name in the Data Plane API.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::ResourceName => "resource_name",
            Self::Principal => "principal",
        }
    }
}

/// Why an ACL cannot be created.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AclError {
    /// The principal is not valid.
    Principal(PrincipalError),
    /// The name is empty.
    EmptyName,
    /// The name is not that of the cluster.
    ClusterName(String),
    /// The name is longer than this limit, in bytes.
    NameTooLong(usize),
    /// The name is not a valid topic name or prefix.
    TopicName(String),
    /// The name contains a control character.
    ControlCharacter(char),
}

codes! {
    pub AclError {
        Self::EmptyName => "resource_name_empty",
        Self::ClusterName(_) => "cluster_name",
        Self::NameTooLong(_) => "resource_name_too_long",
        Self::TopicName(_) => "topic_name",
        Self::ControlCharacter(_) => "resource_name_control_character",
    } of {
        Self::Principal(error) => error: PrincipalError,
    }
}

impl AclError {
    /// The field that the error is about.
    #[must_use]
    pub const fn field(&self) -> AclField {
        match self {
            Self::Principal(_) => AclField::Principal,
            _ => AclField::ResourceName,
        }
    }

    /// What to do about it.
    #[must_use]
    pub fn hint(&self) -> String {
        match self {
            Self::Principal(error) => error.hint(),
            Self::EmptyName => {
                "name the resource, or `*` with the literal pattern for every name".into()
            }
            Self::ClusterName(_) => format!("write `{CLUSTER_NAME}` or leave the name out"),
            Self::NameTooLong(limit) => format!("at most {limit} bytes"),
            Self::TopicName(text) if !text.is_empty() && text.bytes().all(|byte| byte == b'*') => {
                "write `*` with the literal pattern for every name".into()
            }
            Self::TopicName(text) if text.ends_with('*') => {
                format!(
                    "write `{}` with the prefixed pattern",
                    text.trim_end_matches('*')
                )
            }
            Self::TopicName(_) => {
                "topic names contain only letters, digits, `.`, `_` and `-`".into()
            }
            Self::ControlCharacter(_) => "remove the character".into(),
        }
    }
}

impl fmt::Display for AclError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Principal(error) => error.fmt(f),
            Self::EmptyName => f.write_str("the resource name is empty"),
            Self::ClusterName(text) => write!(f, "`{}` is not the cluster's name", escaped(text)),
            Self::NameTooLong(limit) => write!(f, "the resource name is longer than {limit} bytes"),
            Self::TopicName(text) => write!(f, "`{}` is not a topic name", escaped(text)),
            Self::ControlCharacter(c) => {
                write!(
                    f,
                    "the resource name contains the control character `{}`",
                    visible_character(*c)
                )
            }
        }
    }
}

impl std::error::Error for AclError {}

/// An ACL in a sentence. The host follows where it is not any. A name that could be read as a part
/// of the sentence is in quotation marks, and hidden characters are escaped.
///
/// ```
/// use gbac_engine::model::{Acl, Operation, Principal, ResourceType};
///
/// let write = Acl::allow(Principal::group("eng"), Operation::Write, ResourceType::Topic, "payments-").prefixed();
/// assert_eq!(write.to_string(), "Allow Write, topic payments- prefixed, of Group:eng");
/// let local = write.with_host([10, 0, 0, 1].into());
/// assert_eq!(local.to_string(), "Allow Write, topic payments- prefixed, host 10.0.0.1, of Group:eng");
/// let odd = Acl::deny(Principal::group("a, of User:b"), Operation::Read, ResourceType::Group, "*");
/// assert_eq!(odd.to_string(), r#"Deny Read, consumer group * all names, of "Group:a, of User:b""#);
/// ```
impl fmt::Display for Acl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let permission = self.permission.spelling().label;
        let operation = self.operation.spelling().label;
        write!(f, "{permission} {operation}, {}", self.resource_type.noun())?;
        if self.resource_type.has_names() {
            let pattern = self.pattern_type.label_for(&self.resource_name);
            write!(f, " {} {pattern}", in_sentence(&self.resource_name))?;
        }
        if self.host != Host::Any {
            write!(f, ", host {}", self.host)?;
        }
        write!(f, ", of {}", in_sentence(&self.principal.to_string()))
    }
}

/// A name inside a sentence.
fn in_sentence(name: &str) -> String {
    let is_part = |c: char| c.is_whitespace() || matches!(c, ',' | '"' | '`');
    match name.is_empty() || name.contains(is_part) {
        true => format!("\"{}\"", escaped(name)),
        false => visible(name),
    }
}

impl ResourceType {
    /// The name of the type inside a sentence.
    #[must_use]
    pub const fn noun(self) -> &'static str {
        match self {
            Self::Topic => "topic",
            Self::Group => "consumer group",
            Self::Cluster => "cluster",
            Self::TransactionalId => "transactional ID",
            Self::Registry => "Schema Registry",
            Self::Subject => "subject",
            Self::DelegationToken => "delegation token",
            Self::User => "user",
        }
    }

    /// Whether there is more than one resource of the type, so that a sentence names it.
    #[must_use]
    pub const fn has_names(self) -> bool {
        !matches!(self, Self::Cluster | Self::Registry)
    }
}

impl PatternType {
    /// How a name is compared, inside a sentence.
    #[must_use]
    pub fn label_for(self, name: &str) -> &'static str {
        match self {
            Self::Literal if name == "*" => "all names",
            Self::Literal => "literal",
            Self::Prefixed => "prefixed",
        }
    }
}

impl Acl {
    /// Sets the name of the cluster if it is empty, so that both forms are the same ACL.
    #[must_use]
    pub fn normalized(mut self) -> Self {
        if normalized_name(self.resource_type, &self.resource_name) != self.resource_name {
            self.resource_name = CLUSTER_NAME.into();
        }
        self
    }

    /// Whether the ACL covers a resource of the same type with this name (D-03).
    ///
    /// ```
    /// use gbac_engine::{Acl, Operation, Principal, ResourceType};
    ///
    /// let acl = Acl::allow(Principal::group("eng"), Operation::Read, ResourceType::Topic, "orders-");
    /// assert!(!acl.covers_name("orders-eu"));
    /// assert!(acl.prefixed().covers_name("orders-eu"));
    /// ```
    #[must_use]
    pub fn covers_name(&self, name: &str) -> bool {
        match self.pattern_type {
            PatternType::Literal => self.resource_name == "*" || self.resource_name == name,
            PatternType::Prefixed => name.starts_with(&self.resource_name),
        }
    }

    /// All reasons why this ACL cannot be created (D-05, D-07). Loading accepts more (D-27).
    ///
    /// ```
    /// use gbac_engine::{Acl, Operation, Principal, ResourceType};
    ///
    /// let acl = Acl::allow(Principal::group("eng"), Operation::Read, ResourceType::Topic, "all orders");
    /// let faults: Vec<&str> = acl.check_create().iter().map(|fault| fault.code()).collect();
    /// assert_eq!(faults, ["topic_name"]);
    /// ```
    #[must_use]
    pub fn check_create(&self) -> Vec<AclError> {
        let mut faults = Vec::new();
        if let Err(error) = self.principal.check_create() {
            faults.push(AclError::Principal(error));
        }
        let name = self.resource_name.as_str();
        let limit = if self.resource_type == ResourceType::Topic {
            MAX_TOPIC_BYTES
        } else {
            MAX_NAME_BYTES
        };
        if name.len() > limit {
            faults.push(AclError::NameTooLong(limit));
        } else if let Some(c) = name.chars().find(|c| c.is_control()) {
            faults.push(AclError::ControlCharacter(c));
        } else {
            match self.resource_type {
                ResourceType::Registry => {}
                ResourceType::Cluster if name != CLUSTER_NAME => {
                    faults.push(AclError::ClusterName(name.into()));
                }
                ResourceType::Topic
                    if !name.is_empty() && !is_topic_pattern(name, self.pattern_type) =>
                {
                    faults.push(AclError::TopicName(name.into()));
                }
                _ if name.is_empty() => faults.push(AclError::EmptyName),
                _ => {}
            }
        }
        faults
    }
}

/// The stored form of a resource name: an empty name of the cluster becomes [`CLUSTER_NAME`].
///
/// ```
/// use gbac_engine::model::{ResourceType, normalized_name};
/// assert_eq!(normalized_name(ResourceType::Cluster, ""), "kafka-cluster");
/// assert_eq!(normalized_name(ResourceType::Topic, "orders"), "orders");
/// ```
#[must_use]
pub fn normalized_name(resource_type: ResourceType, name: &str) -> &str {
    if resource_type == ResourceType::Cluster && name.is_empty() {
        CLUSTER_NAME
    } else {
        name
    }
}

/// Whether a topic name or prefix is valid: `*` as a literal, or only the characters of topic
/// names.
fn is_topic_pattern(name: &str, pattern: PatternType) -> bool {
    (name == "*" && pattern == PatternType::Literal)
        || name
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_' | b'-'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn acl(resource_type: ResourceType, name: &str, pattern_type: PatternType) -> Acl {
        Acl {
            resource_type,
            resource_name: name.into(),
            pattern_type,
            principal: Principal::group("eng"),
            host: Host::Any,
            operation: Operation::Read,
            permission: Permission::Allow,
        }
    }

    #[test]
    fn covers_as_the_pattern_says() {
        use PatternType::{Literal, Prefixed};
        let covers = |pattern, name: &str, requested: &str| {
            acl(ResourceType::Topic, name, pattern).covers_name(requested)
        };
        assert!(covers(Literal, "*", "") && covers(Literal, "*", "x") && covers(Literal, "a", "a"));
        assert!(!covers(Literal, "a", "ab") && !covers(Literal, "a", "A"));
        assert!(
            covers(Prefixed, "a", "a")
                && covers(Prefixed, "a", "ab")
                && !covers(Prefixed, "ab", "a")
        );
        assert!(covers(Prefixed, "*", "*x") && !covers(Prefixed, "*", "x"));
    }

    #[test]
    fn hints_for_topic_names_are_valid_patterns() {
        let hint = |name, pattern| {
            let faults = acl(ResourceType::Topic, name, pattern).check_create();
            faults.iter().map(AclError::hint).collect::<Vec<_>>()
        };
        for (name, pattern) in [("*", PatternType::Prefixed), ("**", PatternType::Literal)] {
            assert_eq!(
                hint(name, pattern),
                ["write `*` with the literal pattern for every name"],
                "{name}"
            );
        }
        assert_eq!(hint("*", PatternType::Literal), [""; 0]);
        assert_eq!(
            hint("orders-*", PatternType::Literal),
            ["write `orders-` with the prefixed pattern"]
        );
    }

    #[test]
    fn create_names_each_fault() {
        let codes = |resource_type, name: &str, pattern| {
            acl(resource_type, name, pattern)
                .normalized()
                .check_create()
                .iter()
                .map(AclError::code)
                .collect::<Vec<_>>()
        };
        use PatternType::{Literal, Prefixed};
        assert_eq!(codes(ResourceType::Cluster, "", Literal), [""; 0]);
        assert_eq!(codes(ResourceType::Cluster, "x", Literal), ["cluster_name"]);
        assert_eq!(codes(ResourceType::Registry, "", Literal), [""; 0]);
        assert_eq!(
            codes(ResourceType::Topic, "", Literal),
            ["resource_name_empty"]
        );
        assert_eq!(
            codes(ResourceType::Topic, "data-*", Prefixed),
            ["topic_name"]
        );
        assert_eq!(codes(ResourceType::Topic, "*", Literal), [""; 0]);
        assert_eq!(
            codes(ResourceType::Topic, &"x".repeat(250), Literal),
            ["resource_name_too_long"]
        );
        assert_eq!(codes(ResourceType::Group, "any name", Literal), [""; 0]);
        assert_eq!(
            codes(ResourceType::Group, "a\u{7}", Literal),
            ["resource_name_control_character"]
        );
    }
}
