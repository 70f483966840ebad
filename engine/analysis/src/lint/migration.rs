//! ACLs that Apache Kafka stores without matching them, and that match when GBAC decides in its
//! brokers (D-78).

use super::principals::path_with_suffix;
use super::{Finding, FindingCode, Severity, sort_findings};
use gbac_engine::model::{Acl, Permission, PrincipalType};
use gbac_engine::policy::Policy;
use gbac_engine::policy::index::{PrincipalId, Row};

/// The ACLs of a Kafka cluster that begin to match when GBAC decides in its brokers: those of
/// groups, and those of roles with members. Kafka itself matches only ACLs of the session's
/// principal and of `User:*`.
///
/// ```
/// use gbac_analysis::migration_findings;
/// use gbac_json::policy_from_json;
///
/// let policy = policy_from_json(r#"{ "version": 1, "settings": { "dialect": "kafka" }, "acls": [{
///     "resource_type": "RESOURCE_TYPE_TOPIC", "resource_name": "orders", "resource_pattern_type": "RESOURCE_PATTERN_TYPE_LITERAL",
///     "principal": "Group:eng", "host": "*", "operation": "OPERATION_READ", "permission_type": "PERMISSION_TYPE_ALLOW" }] }"#)?;
/// let findings = migration_findings(&policy);
/// assert_eq!(findings[0].message, "the ACL `Allow Read, topic orders literal, of Group:eng` begins to match");
/// # Ok::<(), gbac_json::Problems>(())
/// ```
#[must_use]
pub fn migration_findings(policy: &Policy) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (_, pattern) in policy.patterns() {
        for row in pattern
            .rows()
            .iter()
            .filter(|row| begins_to_match(policy, row))
        {
            row.acls(|operation, permission| {
                findings.push(finding(policy.acl(pattern, row, operation, permission)));
            });
        }
    }
    sort_findings(&mut findings);
    findings
}

/// Whether the ACLs of a row match somebody, and did not in Kafka.
fn begins_to_match(policy: &Policy, row: &Row) -> bool {
    let matches = |id: PrincipalId| {
        policy
            .principal(id)
            .is_some_and(|principal| match principal.kind() {
                PrincipalType::Group => path_with_suffix(policy, principal).is_none(),
                PrincipalType::Role => !policy.links(id).is_empty(),
                PrincipalType::User | PrincipalType::Other => false,
            })
    };
    policy.host_can_match(row.host) && matches(row.principal)
}

fn finding(acl: Acl) -> Finding {
    let message = format!("the ACL `{acl}` begins to match");
    let hint = match acl.permission {
        Permission::Allow => {
            "check that its users should have this access, or remove it before you install the plugin"
        }
        Permission::Deny => {
            "check that its users should lose this access, or remove it before you install the plugin"
        }
    };
    Finding::new(
        FindingCode::AclBeginsToMatch,
        Severity::Warning,
        message,
        hint,
    )
    .with_acls(vec![acl])
}
