//! The matrix of resources and operations for a principal, or for a user with groups.

use std::net::IpAddr;

use gbac_analysis::{
    AclMatch, MatrixCell, NamePattern, ReachSubject, Scope, matrix_cell, matrix_resources,
};
use gbac_api::encode::query;
use gbac_engine::decide::{At, Outcome};
use gbac_engine::identity::Identity;
use gbac_engine::model::{
    Dialect, Host, Operation, PatternType, Principal, PrincipalType, ResourceType,
};
use gbac_engine::policy::Policy;
use gbac_words::phrases::{count, with_hint};

use crate::address::{self, value, values};
use crate::names::entered;

/// How many resources are on a page.
pub const PAGE: usize = 50;

/// The query, as entered in the form.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MatrixQuery {
    /// `Type:name`, as typed.
    pub of: String,
    /// The groups of a user, one a line.
    pub groups: String,
    /// The host, as typed; empty or `*` is not known.
    pub host: String,
}

/// What is wrong, by field.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MatrixFaults {
    /// About the principal.
    pub of: Option<String>,
    /// About the host.
    pub host: Option<String>,
}

/// The subject of a matrix.
#[derive(Debug, Clone, PartialEq)]
pub struct MatrixSubject {
    /// The principal.
    pub principal: Principal,
    /// The principal alone, or with groups.
    pub subject: ReachSubject,
    /// From where.
    pub host: Option<IpAddr>,
}

impl MatrixQuery {
    /// The matrix of one principal.
    #[must_use]
    pub fn for_principal(principal: &Principal) -> Self {
        Self {
            of: principal.to_string(),
            ..Self::default()
        }
    }

    /// Reads the query of an address, without the `?`.
    #[must_use]
    pub fn from_query(query: &str) -> Self {
        Self {
            of: value(query, "of").unwrap_or_default(),
            groups: values(query, "group").join("\n"),
            host: value(query, "host").unwrap_or_default(),
        }
    }

    /// The address of the matrix.
    pub fn address(&self) -> String {
        let mut parts = vec![("of", self.of.clone())];
        for group in self.group_names() {
            parts.push(("group", group));
        }
        parts.push(("host", self.host.clone()));
        parts.retain(|(_, value)| !value.is_empty());
        format!("{}{}", address::MATRIX, query(parts))
    }

    fn group_names(&self) -> Vec<String> {
        if self.is_user() {
            entered(&self.groups)
        } else {
            Vec::new()
        }
    }

    /// Whether a user is meant, who may have groups.
    pub fn is_user(&self) -> bool {
        match Principal::parse(&self.of) {
            Ok(principal) => principal.kind() == PrincipalType::User && !principal.is_everyone(),
            Err(_) => false,
        }
    }

    /// The subject of the matrix; none without a principal.
    ///
    /// # Errors
    /// What is wrong, by field.
    pub fn check(&self) -> Result<Option<MatrixSubject>, MatrixFaults> {
        let mut faults = MatrixFaults::default();
        let host = match self.host.trim() {
            "" | "*" => None,
            text => match Host::parse_address(text) {
                Ok(host) => Some(host),
                Err(error) => {
                    faults.host = Some(with_hint(&error.to_string(), error.hint()));
                    None
                }
            },
        };
        let principal = match self.of.as_str() {
            "" => None,
            text => match Principal::parse(text) {
                Ok(principal) => Some(principal),
                Err(error) => {
                    faults.of = Some(with_hint(&error.to_string(), &error.hint()));
                    None
                }
            },
        };
        if faults != MatrixFaults::default() {
            return Err(faults);
        }
        let groups = self.group_names();
        Ok(principal.map(|principal| {
            let subject = if groups.is_empty() {
                ReachSubject::Scope(Scope::from_principal(&principal))
            } else {
                ReachSubject::Identity(Identity::new(principal.name(), groups))
            };
            MatrixSubject {
                principal,
                subject,
                host,
            }
        }))
    }
}

/// One row: the names of a pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MatrixRow {
    /// The resource's type.
    pub resource_type: ResourceType,
    /// The names.
    pub pattern: NamePattern,
    /// By operation of the columns; none where the resource does not have it.
    pub cells: Vec<Option<MatrixCell>>,
}

/// The rows of a page, with all that is above them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Matrix {
    /// The operations of the columns.
    pub columns: Vec<Operation>,
    /// The rows of this page.
    pub rows: Vec<MatrixRow>,
    /// How many rows there are.
    pub total: usize,
}

/// The operations that a resource of one of these types has, in the order of the specification.
fn columns(
    dialect: Dialect,
    types: &(impl Iterator<Item = ResourceType> + Clone),
) -> Vec<Operation> {
    let mut columns = Operation::ALL.to_vec();
    columns.retain(|operation| {
        let mut types = types.clone();
        types.any(|of| dialect.operations_of(of).contains(operation))
    });
    columns
}

/// One page of the matrix of a subject.
pub fn matrix(policy: &Policy, whose: &MatrixSubject, page: usize) -> Matrix {
    let all = matrix_resources(policy, &whose.subject);
    let columns = columns(policy.settings().dialect, &all.iter().map(|(of, _)| *of));
    let rows = all.iter().skip(page.saturating_mul(PAGE)).take(PAGE);
    Matrix {
        rows: rows
            .map(|(of, pattern)| row(policy, whose, &columns, *of, pattern))
            .collect(),
        total: all.len(),
        columns,
    }
}

fn row(
    policy: &Policy,
    whose: &MatrixSubject,
    columns: &[Operation],
    resource_type: ResourceType,
    pattern: &NamePattern,
) -> MatrixRow {
    let mut cells = Vec::new();
    for operation in columns {
        let is_there = resource_type.operations().contains(operation);
        cells.push(is_there.then(|| {
            // Names that are typed have no end.
            let at = At::IgnoringExpiry;
            let on = (resource_type, pattern);
            matrix_cell(policy, &whose.subject, on, *operation, whose.host, at)
        }));
    }
    MatrixRow {
        resource_type,
        pattern: pattern.clone(),
        cells,
    }
}

/// The verdict that a cell shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CellVerdict {
    /// An ACL of this operation or `ALL` allows it.
    Allow,
    /// An ACL of another operation allows it.
    Implied(Operation),
    /// An ACL denies it.
    Deny,
    /// No ACL allows or denies it.
    Nothing,
    /// No ACL covers every host.
    FromSomeHost,
    /// A superuser.
    Superuser,
}

/// The verdict of a cell for an operation.
pub fn cell_verdict(cell: &MatrixCell, operation: Operation) -> CellVerdict {
    match (cell.outcome, &cell.granted_by) {
        (Outcome::Allow, Some(by))
            if by.acl.operation == operation || by.acl.operation == Operation::All =>
        {
            CellVerdict::Allow
        }
        (Outcome::Allow, Some(by)) => CellVerdict::Implied(by.acl.operation),
        (Outcome::Allow, None) => CellVerdict::Superuser,
        (Outcome::Deny, _) if !cell.denied_by.is_empty() => CellVerdict::Deny,
        (Outcome::Deny, _) if cell.host_unknown => CellVerdict::FromSomeHost,
        (Outcome::Deny, _) => CellVerdict::Nothing,
    }
}

/// What an ACL applies through, for the second line of a cell: the role, the group of a user, or
/// `direct`.
pub fn granted_through(by: &AclMatch, whose: &MatrixSubject) -> String {
    match (&by.role, &by.group) {
        (Some(role), _) => role.clone(),
        (None, Some(group)) if whose.principal.kind() == PrincipalType::User => {
            format!("Group:{group}")
        }
        _ if by.acl.principal.is_everyone() && !whose.principal.is_everyone() => "User:*".into(),
        _ => "direct".into(),
    }
}

/// The words for a pattern type, which follow the name.
pub fn pattern_words(resource_type: ResourceType, pattern: &NamePattern) -> &'static str {
    match (resource_type, pattern.pattern_type) {
        (ResourceType::Cluster | ResourceType::Registry, _) => "",
        (_, PatternType::Literal) if pattern.name == "*" => "all names",
        (_, pattern) => pattern.spelling().label,
    }
}

/// What is in a matrix, in a line.
pub fn summary(matrix: &Matrix, page: usize) -> String {
    let (mut allowed, mut denied) = (0, 0);
    for row in &matrix.rows {
        for cell in row.cells.iter().flatten() {
            allowed += usize::from(cell.outcome == Outcome::Allow);
            denied += usize::from(!cell.denied_by.is_empty());
        }
    }
    let shown = if matrix.total > matrix.rows.len() {
        let first = page * PAGE;
        format!(
            "Rows {} to {} of {}",
            first + 1,
            first + matrix.rows.len(),
            matrix.total
        )
    } else {
        count(matrix.total, "resource")
    };
    format!("{shown}: {allowed} allowed, {denied} denied by rule")
}

#[cfg(test)]
mod tests {
    use gbac_json::policy_from_value;
    use serde_json::json;

    use super::*;

    fn policy() -> Policy {
        let acl = |principal: &str,
                   operation: &str,
                   permission: &str,
                   name: &str,
                   pattern: &str| {
            json!({ "resource_type": "RESOURCE_TYPE_TOPIC", "resource_name": name,
                "resource_pattern_type": format!("RESOURCE_PATTERN_TYPE_{pattern}"), "principal": principal, "host": "*",
                "operation": format!("OPERATION_{operation}"), "permission_type": format!("PERMISSION_TYPE_{permission}") })
        };
        policy_from_value(&json!({ "version": 1,
            "roles": [{ "name": "Readers", "members": [{ "principal": "Group:eng" }] }],
            "acls": [
                acl("Role:Readers", "READ", "ALLOW", "events-", "PREFIXED"),
                acl("Group:eng", "READ", "DENY", "events-pii-", "PREFIXED"),
                acl("User:ann", "ALL", "ALLOW", "mine", "LITERAL")] }))
        .unwrap()
    }

    fn cells(query: &MatrixQuery) -> Vec<String> {
        let whose = query.check().unwrap().unwrap();
        let matrix = matrix(&policy(), &whose, 0);
        let row = |row: &MatrixRow| {
            let cells = row
                .cells
                .iter()
                .zip(&matrix.columns)
                .filter_map(|(cell, operation)| {
                    let cell = cell.as_ref()?;
                    let by = cell.denied_by.first().or(cell.granted_by.as_ref());
                    Some(format!(
                        "{:?} {:?} {}",
                        operation,
                        cell_verdict(cell, *operation),
                        granted_through(by?, &whose)
                    ))
                });
            format!(
                "{}: {}",
                row.pattern.name,
                cells.collect::<Vec<_>>().join(", ")
            )
        };
        matrix.rows.iter().map(row).collect()
    }

    #[test]
    fn each_cell_says_why() {
        assert_eq!(
            cells(&MatrixQuery::for_principal(&Principal::group("eng"))),
            [
                "events-: Read Allow Readers, Describe Implied(Read) Readers",
                // A deny names its own operation only, so that what it implies stays.
                "events-pii-: Read Deny direct, Describe Implied(Read) Readers",
            ]
        );
        let person = MatrixQuery {
            of: "User:ann".into(),
            groups: "ops\neng\n".into(),
            host: String::new(),
        };
        let all = cells(&person);
        assert_eq!(all.len(), 3);
        assert!(all[1].contains("Read Deny Group:eng"), "{all:?}");
        assert!(all[2].contains("Write Allow direct"), "{all:?}");
    }

    #[test]
    fn who_is_meant_has_an_address() {
        let person = MatrixQuery {
            of: "User:a&b".into(),
            groups: "x,y\nü".into(),
            host: "10.0.0.7".into(),
        };
        let address = person.address();
        assert_eq!(
            address,
            "/security/permissions/matrix?of=User%3Aa%26b&group=x%2Cy&group=%C3%BC&host=10.0.0.7"
        );
        assert_eq!(
            MatrixQuery::from_query(address.split_once('?').unwrap().1),
            person
        );
        let faults = MatrixQuery {
            of: "ann".into(),
            host: "x".into(),
            ..MatrixQuery::default()
        }
        .check()
        .unwrap_err();
        assert!(faults.of.is_some_and(|text| text.contains("User:ann")) && faults.host.is_some());
        assert_eq!(MatrixQuery::default().check(), Ok(None));
        // Groups count for users only.
        let group = MatrixQuery {
            of: "Group:eng".into(),
            groups: "x".into(),
            ..MatrixQuery::default()
        };
        assert_eq!(
            group.address(),
            "/security/permissions/matrix?of=Group%3Aeng"
        );
    }

    #[test]
    fn a_matrix_is_counted() {
        let whose = MatrixQuery::for_principal(&Principal::group("eng"))
            .check()
            .unwrap()
            .unwrap();
        let matrix = matrix(&policy(), &whose, 0);
        assert_eq!(
            summary(&matrix, 0),
            "2 resources: 3 allowed, 1 denied by rule"
        );
        assert_eq!(matrix.columns.len(), ResourceType::Topic.operations().len());
    }
}
