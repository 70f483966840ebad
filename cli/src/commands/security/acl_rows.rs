//! ACLs and filters as rows of a table and as JSON, in the spelling of the platform's command line.

use gbac_api::acls::{AclFilter, PatternFilter};
use gbac_engine::model::{Acl, RoleSpelling};
#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;

use crate::output;
use crate::process::Process;
use crate::render::table::{self, Cell};

/// An ACL or a filter, in the spelling of the platform's command line.
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[derive(Debug, Clone, Serialize)]
pub(crate) struct AclRow {
    /// The principal; of a filter, empty for any.
    principal: String,
    /// The host; of a filter, empty for any.
    host: String,
    /// The resource's type, such as `TOPIC`; of a filter, also `ANY`.
    resource_type: String,
    /// The name or prefix; of a filter, empty for any.
    resource_name: String,
    /// `LITERAL` or `PREFIXED`; of a filter, also `ANY` or `MATCH`.
    resource_pattern_type: String,
    /// The operation, such as `READ`; of a filter, also `ANY`.
    operation: String,
    /// `ALLOW` or `DENY`; of a filter, also `ANY`.
    permission: String,
    /// The error of the call about this ACL; empty if there is none. Absent in lists.
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<String>,
}

impl AclRow {
    /// An ACL, with the given prefix of roles.
    pub(super) fn from_acl(acl: &Acl, roles: RoleSpelling) -> Self {
        Self {
            principal: roles.principal(&acl.principal),
            host: acl.host.to_string(),
            resource_type: acl.resource_type.spelling().audit.to_uppercase(),
            resource_name: acl.resource_name.clone(),
            resource_pattern_type: acl.pattern_type.spelling().audit.to_uppercase(),
            operation: acl.operation.spelling().audit.to_uppercase(),
            permission: acl.permission.spelling().audit.to_uppercase(),
            message: None,
        }
    }

    /// A filter, with the given prefix of roles.
    pub(super) fn from_filter(filter: &AclFilter, roles: RoleSpelling) -> Self {
        let word = |word: Option<&'static str>| word.unwrap_or("any").to_uppercase();
        Self {
            principal: match &filter.principal {
                Some(principal) => roles.principal(principal),
                None => String::new(),
            },
            host: match &filter.host {
                Some(host) => host.to_string(),
                None => String::new(),
            },
            resource_type: word(filter.resource_type.map(|value| value.spelling().audit)),
            resource_name: filter.resource_name.clone().unwrap_or_default(),
            resource_pattern_type: match filter.pattern {
                PatternFilter::Any => "ANY".into(),
                PatternFilter::Match => "MATCH".into(),
                PatternFilter::Exactly(pattern) => pattern.spelling().audit.to_uppercase(),
            },
            operation: word(filter.operation.map(|value| value.spelling().audit)),
            permission: word(filter.permission.map(|value| value.spelling().audit)),
            message: Some(String::new()),
        }
    }

    /// The result of a call for an ACL; the message is empty if it succeeded.
    pub(super) fn with_message(acl: &Acl, roles: RoleSpelling, message: String) -> Self {
        Self {
            message: Some(message),
            ..Self::from_acl(acl, roles)
        }
    }

    /// Whether the call failed.
    pub(super) fn has_failed(&self) -> bool {
        match &self.message {
            Some(message) => !message.is_empty(),
            None => false,
        }
    }

    fn cells(&self) -> Vec<Cell> {
        let Self {
            principal,
            host,
            resource_type,
            resource_name,
            resource_pattern_type,
            operation,
            permission,
            ..
        } = self.clone();
        let message = self
            .message
            .as_deref()
            .unwrap_or_default()
            .replace("\n  ", " ");
        let permission = match permission.parse() {
            Ok(parsed) => Cell::styled(permission, output::permission_style(parsed)),
            Err(_) => permission.into(),
        };
        vec![
            principal.into(),
            host.into(),
            resource_type.into(),
            resource_name.into(),
            resource_pattern_type.into(),
            operation.into(),
            permission,
            message.into(),
        ]
    }
}

/// The rows of ACLs.
pub(super) fn rows<'a>(
    acls: impl IntoIterator<Item = &'a Acl>,
    roles: RoleSpelling,
) -> Vec<AclRow> {
    acls.into_iter()
        .map(|acl| AclRow::from_acl(acl, roles))
        .collect()
}

/// The platform's table.
pub(super) fn table(process: &Process, rows: &[AclRow]) -> String {
    let head = [
        "PRINCIPAL",
        "HOST",
        "RESOURCE-TYPE",
        "RESOURCE-NAME",
        "RESOURCE-PATTERN-TYPE",
        "OPERATION",
        "PERMISSION",
        "ERROR",
    ];
    table::table(process, &head, rows.iter().map(AclRow::cells).collect())
}
