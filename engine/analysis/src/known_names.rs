//! The names of resources in the ACLs of a policy.

use gbac_engine::model::{PatternType, ResourceType};
use gbac_engine::order::sort;
use gbac_engine::policy::Policy;

/// The literal names of this type in ACLs, sorted. Prefixes and the literal `*` are not names of
/// resources.
///
/// Cost: one pass over all patterns.
///
/// ```
/// use gbac_analysis::known_names;
/// use gbac_engine::model::ResourceType;
/// use gbac_json::policy_from_json;
///
/// let policy = policy_from_json(r#"{ "version": 1, "acls": [{
///     "resource_type": "RESOURCE_TYPE_TOPIC", "resource_name": "orders", "resource_pattern_type": "RESOURCE_PATTERN_TYPE_LITERAL",
///     "principal": "Group:eng", "host": "*", "operation": "OPERATION_READ", "permission_type": "PERMISSION_TYPE_ALLOW" }] }"#)?;
/// assert_eq!(known_names(&policy, ResourceType::Topic), ["orders"]);
/// assert!(known_names(&policy, ResourceType::Group).is_empty());
/// # Ok::<(), gbac_json::Problems>(())
/// ```
#[must_use]
pub fn known_names(policy: &Policy, resource_type: ResourceType) -> Vec<&str> {
    let mut names: Vec<&str> = (policy.patterns())
        .map(|(_, pattern)| pattern)
        .filter(|pattern| {
            pattern.resource_type == resource_type && pattern.pattern_type == PatternType::Literal
        })
        .filter(|pattern| !pattern.is_all_names() && !pattern.rows().is_empty())
        .map(|pattern| pattern.name())
        .collect();
    sort(&mut names, |a, b| a.cmp(b));
    names
}
