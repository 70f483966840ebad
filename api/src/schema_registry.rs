//! The ACLs of the platform's Schema Registry: `/security/acls` (D-93).

use std::collections::BTreeMap;

use gbac_engine::model::{Acl, ResourceType};
use serde::{Deserialize, Serialize};

use crate::acls::{AclBody, AclFilter};
use crate::paging::quoted;
use crate::problem::{FieldViolation, MAX_VIOLATIONS};

/// The members of an ACL: their names here and in the Data Plane API, and the prefix of the values
/// there.
const MEMBERS: [(&str, &str, &str); 7] = [
    ("principal", "principal", ""),
    ("resource", "resource_name", ""),
    ("resource_type", "resource_type", "RESOURCE_TYPE_"),
    (
        "pattern_type",
        "resource_pattern_type",
        "RESOURCE_PATTERN_TYPE_",
    ),
    ("host", "host", ""),
    ("operation", "operation", "OPERATION_"),
    ("permission", "permission_type", "PERMISSION_TYPE_"),
];

/// An ACL of the Schema Registry or of a subject. All members are required.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RegistryAcl {
    /// `Type:name`.
    pub principal: String,
    /// The subject or the beginning of its name; of the registry none.
    pub resource: String,
    /// `REGISTRY` or `SUBJECT`.
    pub resource_type: String,
    /// `LITERAL` or `PREFIXED`.
    pub pattern_type: String,
    /// `*` or an address.
    pub host: String,
    /// The operation, such as `READ`.
    pub operation: String,
    /// `ALLOW` or `DENY`.
    pub permission: String,
}

impl From<&Acl> for RegistryAcl {
    fn from(acl: &Acl) -> Self {
        let body = AclBody::in_request(acl);
        Self {
            principal: body.principal,
            resource: body.resource_name,
            resource_type: without_prefix(&body.resource_type, "RESOURCE_TYPE_"),
            pattern_type: without_prefix(&body.resource_pattern_type, "RESOURCE_PATTERN_TYPE_"),
            host: body.host,
            operation: without_prefix(&body.operation, "OPERATION_"),
            permission: without_prefix(&body.permission_type, "PERMISSION_TYPE_"),
        }
    }
}

/// Whether an ACL is one of the Schema Registry.
#[must_use]
pub fn is_of_registry(acl: &Acl) -> bool {
    matches!(
        acl.resource_type,
        ResourceType::Registry | ResourceType::Subject
    )
}

/// Parses ACLs to create.
///
/// # Errors
/// The errors of all ACLs, by their index and member, until there are [`MAX_VIOLATIONS`].
pub fn check_create(acls: Vec<RegistryAcl>) -> Result<Vec<Acl>, Vec<FieldViolation>> {
    let mut faults = Vec::new();
    let mut checked = Vec::new();
    for (place, acl) in acls.into_iter().enumerate() {
        if faults.len() >= MAX_VIOLATIONS {
            break;
        }
        let is_registry = acl.resource_type == "REGISTRY";
        let fault = kind_fault(&acl);
        let body = AclBody {
            resource_type: format!("RESOURCE_TYPE_{}", acl.resource_type),
            // Clients write `*` for the registry, which has no name.
            resource_name: if is_registry {
                String::new()
            } else {
                acl.resource
            },
            resource_pattern_type: format!("RESOURCE_PATTERN_TYPE_{}", acl.pattern_type),
            principal: acl.principal,
            host: acl.host,
            operation: format!("OPERATION_{}", acl.operation),
            permission_type: format!("PERMISSION_TYPE_{}", acl.permission),
        };
        let result = match fault {
            Some(fault) => Err(vec![fault]),
            None => body.check_create(),
        };
        match result {
            Ok(acl) => checked.push(acl),
            Err(found) => {
                for fault in found {
                    let field = format!("[{place}].{}", member_name(&fault.field));
                    faults.push(FieldViolation::new(field, fault.description));
                }
            }
        }
    }
    if faults.is_empty() {
        Ok(checked)
    } else {
        Err(faults)
    }
}

fn kind_fault(acl: &RegistryAcl) -> Option<FieldViolation> {
    let (field, text) = match acl.resource_type.as_str() {
        "REGISTRY" if acl.pattern_type == "PREFIXED" => (
            "resource_pattern_type",
            "can be `PREFIXED` for `SUBJECT` only",
        ),
        "REGISTRY" | "SUBJECT" => return None,
        _ => ("resource_type", "must be `REGISTRY` or `SUBJECT`"),
    };
    Some(FieldViolation::new(field, text))
}

fn without_prefix(value: &str, prefix: &str) -> String {
    value.strip_prefix(prefix).unwrap_or(value).to_owned()
}

/// The name here of a field of the Data Plane API.
fn member_name(field: &str) -> &str {
    let field = field.strip_prefix("filter.").unwrap_or(field);
    match MEMBERS.iter().find(|(_, known, _)| *known == field) {
        Some((name, ..)) => name,
        None => field,
    }
}

/// Parses a filter: its members, each with a value. An absent member and `ANY` match everything.
///
/// # Errors
/// All errors, by member. Unknown members and empty values are refused, because ignoring them would
/// delete more than intended; only the resource of the registry is empty.
pub fn filter(members: &BTreeMap<String, String>) -> Result<AclFilter, Vec<FieldViolation>> {
    let is_registry = matches!(members.get("resource_type"), Some(kind) if kind == "REGISTRY");
    let mut faults = Vec::new();
    let mut pairs = Vec::new();
    for (name, value) in members {
        let Some((_, field, prefix)) = MEMBERS.iter().find(|(known, ..)| known == name) else {
            let known = quoted(MEMBERS.iter().map(|(name, ..)| name));
            let text = format!("is unknown; the members are {known}");
            faults.push(FieldViolation::new(name, text));
            continue;
        };
        if *field == "resource_name" && is_registry {
            continue;
        }
        if value.is_empty() && *field != "resource_name" {
            faults.push(FieldViolation::new(
                name,
                "is empty; leave it out to match everything",
            ));
        } else if *field == "resource_type"
            && !["REGISTRY", "SUBJECT", "ANY"].contains(&value.as_str())
        {
            faults.push(FieldViolation::new(
                name,
                "must be `REGISTRY`, `SUBJECT` or `ANY`",
            ));
        } else if *field == "resource_pattern_type"
            && !["LITERAL", "PREFIXED", "ANY"].contains(&value.as_str())
        {
            faults.push(FieldViolation::new(
                name,
                "must be `LITERAL`, `PREFIXED` or `ANY`",
            ));
        } else {
            pairs.push((format!("filter.{field}"), format!("{prefix}{value}")));
        }
    }
    match AclFilter::from_query(&pairs) {
        Ok(filter) if faults.is_empty() => return Ok(filter),
        Ok(_) => {}
        Err(found) => {
            for fault in found {
                let field = member_name(&fault.field);
                faults.push(FieldViolation::new(field, fault.description));
            }
        }
    }
    Err(faults)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn acl() -> RegistryAcl {
        RegistryAcl {
            principal: "RedpandaRole:r".into(),
            resource: "orders-".into(),
            resource_type: "SUBJECT".into(),
            pattern_type: "PREFIXED".into(),
            host: "*".into(),
            operation: "DESCRIBE_CONFIGS".into(),
            permission: "ALLOW".into(),
        }
    }

    fn filtered(members: &[(&str, &str)]) -> Result<AclFilter, Vec<FieldViolation>> {
        filter(
            &members
                .iter()
                .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
                .collect(),
        )
    }

    #[test]
    fn acls_read_back() {
        let registry = RegistryAcl {
            resource: "*".into(),
            resource_type: "REGISTRY".into(),
            pattern_type: "LITERAL".into(),
            ..acl()
        };
        let read = check_create(vec![acl(), registry.clone()]).unwrap();
        assert!(read.iter().all(is_of_registry));
        assert_eq!(RegistryAcl::from(&read[0]), acl());
        assert_eq!(
            RegistryAcl::from(&read[1]),
            RegistryAcl {
                resource: String::new(),
                ..registry
            }
        );
    }

    #[test]
    fn faults_are_named_by_place_and_member() {
        let faults = |acls: Vec<RegistryAcl>| -> Vec<String> {
            check_create(acls)
                .unwrap_err()
                .into_iter()
                .map(|fault| fault.field)
                .collect()
        };
        let wrong = RegistryAcl {
            operation: "SING".into(),
            permission: "ANY".into(),
            resource: String::new(),
            ..acl()
        };
        assert_eq!(
            faults(vec![acl(), wrong]),
            ["[1].resource", "[1].operation", "[1].permission"]
        );
        let topic = RegistryAcl {
            resource_type: "TOPIC".into(),
            ..acl()
        };
        let prefixed = RegistryAcl {
            resource_type: "REGISTRY".into(),
            ..acl()
        };
        assert_eq!(
            faults(vec![topic, prefixed]),
            ["[0].resource_type", "[1].pattern_type"]
        );
    }

    #[test]
    fn a_filter_never_matches_more_than_it_says() {
        let all = filtered(&[("resource_type", "ANY"), ("operation", "ANY")]).unwrap();
        assert_eq!(all, filtered(&[]).unwrap());
        let acl = check_create(vec![acl()]).unwrap().remove(0);
        assert!(
            filtered(&[("resource", "orders-"), ("pattern_type", "PREFIXED")])
                .unwrap()
                .matches(&acl)
        );
        assert!(
            !filtered(&[("resource", "orders-"), ("pattern_type", "LITERAL")])
                .unwrap()
                .matches(&acl)
        );
        assert!(
            filtered(&[("principal", "Role:r"), ("permission", "ALLOW")])
                .unwrap()
                .matches(&acl)
        );
        for (name, value) in [
            ("princpal", "User:a"),
            ("principal", ""),
            ("operation", ""),
            ("resource_type", "TOPIC"),
            ("host", "x"),
            ("pattern_type", "MATCH"),
        ] {
            let faults = filtered(&[(name, value)]).unwrap_err();
            assert_eq!(faults[0].field, name, "{name}={value}");
        }
    }
}
