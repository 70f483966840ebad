//! Reads and writes ACLs in the form of the Data Plane API (specification 2.4).

use std::str::FromStr;

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use strum::VariantArray;
#[cfg(feature = "typescript")]
use ts_rs::TS;

use super::code::Code;
use super::reader::{Fields, Place, Problems};
use super::tables::ProblemCode;
use gbac_engine::Coded;
use gbac_engine::escape::escaped;
use gbac_engine::model::{
    Acl, AclError, Dialect, DialectError, Host, MAX_NAME_BYTES, MAX_TOPIC_BYTES, Operation,
    PatternType, Permission, Principal, ResourceType,
};

/// An ACL with all of its members.
#[cfg_attr(
    feature = "typescript",
    derive(TS),
    ts(rename = "FullAcl", optional_fields)
)]
#[cfg_attr(feature = "schema", derive(JsonSchema), schemars(rename = "FullAcl"))]
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AclJson {
    /// The resource's type.
    pub resource_type: Code<ResourceType>,
    /// The name or prefix.
    pub resource_name: String,
    /// How the name is compared.
    pub resource_pattern_type: Code<PatternType>,
    /// The principal, as `Type:name`.
    #[cfg_attr(feature = "typescript", ts(as = "crate::literal::AclPrincipal"))]
    pub principal: String,
    /// `*` for any host, or an address.
    pub host: String,
    /// The operation.
    pub operation: Code<Operation>,
    /// Whether the ACL allows or denies.
    pub permission_type: Code<Permission>,
}

impl From<&Acl> for AclJson {
    fn from(acl: &Acl) -> Self {
        Self {
            resource_type: acl.resource_type.into(),
            resource_name: acl.resource_name.clone(),
            resource_pattern_type: acl.pattern_type.into(),
            principal: acl.principal.to_string(),
            host: acl.host.to_string(),
            operation: acl.operation.into(),
            permission_type: acl.permission.into(),
        }
    }
}

/// Reads an ACL of a stored policy (D-27). [`Acl::check_create`] checks whether it can be created.
///
/// # Errors
/// All problems at once, with locations relative to the ACL.
///
/// ```
/// use gbac_json::{acl_from_value, parse};
///
/// let acl = acl_from_value(&parse(
///     r#"{ "resource_type": "RESOURCE_TYPE_TOPIC", "resource_name": "orders-", "principal": "Group:eng",
///          "resource_pattern_type": "RESOURCE_PATTERN_TYPE_PREFIXED", "host": "*",
///          "operation": "OPERATION_READ", "permission_type": "PERMISSION_TYPE_ALLOW" }"#,
/// )?)?;
/// assert!(acl.covers_name("orders-eu"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn acl_from_value(value: &Value) -> Result<Acl, Problems> {
    acl_in_dialect(value, Dialect::Platform)
}

/// Reads an ACL of a stored policy of a dialect, as [`acl_from_value`] does.
///
/// # Errors
/// All problems at once, with locations relative to the ACL.
pub fn acl_in_dialect(value: &Value, dialect: Dialect) -> Result<Acl, Problems> {
    let mut problems = Problems::default();
    let acl = read(value, Some(dialect), &Place::Root, &mut problems);
    problems.or(acl)
}

/// Reads an ACL of a dialect; without one what any dialect has, for a policy that refuses what its
/// own lacks.
pub(super) fn read(
    value: &Value,
    dialect: Option<Dialect>,
    at: &Place<'_>,
    problems: &mut Problems,
) -> Option<Acl> {
    let mut fields = Fields::from_value(value, at, problems)?;
    let resource_type = closed(
        &mut fields,
        "resource_type",
        at,
        problems,
        dialect.unwrap_or_default().resource_types(),
    );
    let lacks = |error: Result<(), DialectError>, member, problems: &mut Problems| {
        if let Err(error) = error {
            problems.refused(&Place::Member(at, member), &error, &error.hint());
        }
    };
    if let (Some(dialect), Some(resource_type)) = (dialect, resource_type) {
        lacks(
            dialect.check_resource_type(resource_type),
            "resource_type",
            problems,
        );
    }
    let nameless = matches!(
        resource_type,
        Some(ResourceType::Cluster | ResourceType::Registry)
    );
    let resource_name = if nameless {
        Some(
            fields
                .optional_string("resource_name", at, problems)
                .unwrap_or_default(),
        )
    } else {
        fields.string("resource_name", at, problems)
    };
    if let Some(name) = resource_name {
        check_name(
            resource_type,
            name,
            &Place::Member(at, "resource_name"),
            problems,
        );
    }
    let pattern_type = closed(
        &mut fields,
        "resource_pattern_type",
        at,
        problems,
        PatternType::ALL,
    );
    let principal = fields
        .string("principal", at, problems)
        .and_then(|text| principal(text, dialect, &Place::Member(at, "principal"), problems));
    let widest = dialect.unwrap_or(Dialect::Kafka);
    let host =
        fields
            .string("host", at, problems)
            .and_then(|text| match Host::parse_in(widest, text) {
                Ok(host) => Some(host),
                Err(error) => {
                    problems.refused(&Place::Member(at, "host"), &error, error.hint());
                    None
                }
            });
    let operation = closed(
        &mut fields,
        "operation",
        at,
        problems,
        dialect.unwrap_or_default().operations(),
    );
    if let (Some(dialect), Some(operation)) = (dialect, operation) {
        lacks(dialect.check_operation(operation), "operation", problems);
    }
    let permission = closed(
        &mut fields,
        "permission_type",
        at,
        problems,
        Permission::ALL,
    );
    fields.finish(at, problems);
    let acl = Acl {
        resource_type: resource_type?,
        resource_name: resource_name?.into(),
        pattern_type: pattern_type?,
        principal: principal?,
        host: host?,
        operation: operation?,
        permission: permission?,
    };
    Some(acl.normalized())
}

pub(super) fn check_name(
    resource_type: Option<ResourceType>,
    name: &str,
    at: &Place<'_>,
    problems: &mut Problems,
) {
    let limit = if resource_type == Some(ResourceType::Topic) {
        MAX_TOPIC_BYTES
    } else {
        MAX_NAME_BYTES
    };
    if name.len() > limit {
        let error = AclError::NameTooLong(limit);
        problems.push(at, &error, error.to_string());
    }
    let nameless = matches!(
        resource_type,
        Some(ResourceType::Cluster | ResourceType::Registry)
    );
    if name.is_empty() && !nameless {
        problems.push(
            at,
            &AclError::EmptyName,
            "the resource name is empty; write `*` with the literal pattern for every name",
        );
    }
}

/// Reads a principal of a dialect; without one any that a dialect has.
pub(super) fn principal(
    text: &str,
    dialect: Option<Dialect>,
    at: &Place<'_>,
    problems: &mut Problems,
) -> Option<Principal> {
    match Principal::parse_in(dialect.unwrap_or(Dialect::Kafka), text) {
        Ok(principal) => Some(principal),
        Err(error) => {
            problems.refused(at, &error, &error.hint());
            None
        }
    }
}

/// Reads a value of a closed enumeration, which must have the spelling of the Data Plane API. For
/// any other spelling of a value, the message has the right one.
fn closed<T: Coded + VariantArray + Copy + FromStr>(
    fields: &mut Fields<'_>,
    name: &'static str,
    at: &Place<'_>,
    problems: &mut Problems,
    all: &[T],
) -> Option<T> {
    let text = fields.string(name, at, problems)?;
    let value = T::from_code(text);
    if value.is_none() {
        let meant = text.parse::<T>().ok().map(|value| value.code());
        let all: Vec<&str> = all.iter().map(Coded::code).collect();
        unknown_value(text, meant, &all, &Place::Member(at, name), problems);
    }
    value
}

/// Adds the problem that a text is not a value of an enumeration, with what to write instead.
fn unknown_value(
    text: &str,
    suggestion: Option<&str>,
    spellings: &[&str],
    at: &Place<'_>,
    problems: &mut Problems,
) {
    let advice = match suggestion {
        Some(suggestion) => format!("write `{suggestion}`"),
        None => format!("the values are `{}`", spellings.join("`, `")),
    };
    let short: String = text.chars().take(80).collect();
    let message = format!(
        "`{}` is not a value of `{}`; {advice}",
        escaped(&short),
        at.name()
    );
    problems.push(at, ProblemCode::UnknownValue, message);
}
