//! Policy documents for tests of findings, from short texts.

/// An ACL of a document: resource type, name (`-` is none), pattern, principal, host, operation,
/// permission.
pub(super) fn acl_json(text: &str) -> serde_json::Value {
    let parts: Vec<&str> = text.split_whitespace().collect();
    let [
        resource_type,
        name,
        pattern,
        principal,
        host,
        operation,
        permission,
    ] = parts[..]
    else {
        panic!("{text}")
    };
    serde_json::json!({
        "resource_type": format!("RESOURCE_TYPE_{resource_type}"),
        "resource_name": if name == "-" { "" } else { name },
        "resource_pattern_type": format!("RESOURCE_PATTERN_TYPE_{pattern}"),
        "principal": principal,
        "host": host,
        "operation": format!("OPERATION_{operation}"),
        "permission_type": format!("PERMISSION_TYPE_{permission}"),
    })
}

/// A document of these settings, roles (`name: member member`) and ACLs.
pub(super) fn document(settings: &serde_json::Value, roles: &[&str], acls: &[&str]) -> String {
    let role = |text: &&str| {
        let (name, members) = text.split_once(':').unwrap();
        let members: Vec<_> = members
            .split_whitespace()
            .map(|member| serde_json::json!({ "principal": member }))
            .collect();
        serde_json::json!({ "name": name, "members": members })
    };
    let roles: Vec<_> = roles.iter().map(role).collect();
    let acls: Vec<_> = acls.iter().map(|acl| acl_json(acl)).collect();
    serde_json::json!({ "version": 1, "settings": settings, "roles": roles, "acls": acls })
        .to_string()
}
