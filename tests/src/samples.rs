//! A policy and a token for tests of command lines.

/// A role with a group and a user named `*`, a group with commas in its name, and a deny.
pub const POLICY: &str = r#"{ "version": 1,
  "roles": [{ "name": "Writers", "members": [{ "principal": "Group:eng" }, { "principal": "User:*" }] }],
  "acls": [
    { "resource_type": "RESOURCE_TYPE_TOPIC", "resource_name": "orders", "resource_pattern_type": "RESOURCE_PATTERN_TYPE_LITERAL",
      "principal": "Role:Writers", "host": "*", "operation": "OPERATION_WRITE", "permission_type": "PERMISSION_TYPE_ALLOW" },
    { "resource_type": "RESOURCE_TYPE_TOPIC", "resource_name": "orders", "resource_pattern_type": "RESOURCE_PATTERN_TYPE_LITERAL",
      "principal": "Group:CN=a,OU=b", "host": "*", "operation": "OPERATION_READ", "permission_type": "PERMISSION_TYPE_ALLOW" },
    { "resource_type": "RESOURCE_TYPE_TOPIC", "resource_name": "orders", "resource_pattern_type": "RESOURCE_PATTERN_TYPE_LITERAL",
      "principal": "Group:interns", "host": "*", "operation": "OPERATION_WRITE", "permission_type": "PERMISSION_TYPE_DENY" }] }"#;

/// A token that no message may repeat, and its parts.
pub const TOKEN: &str = "eyJhbGciOiJSUzI1NiIsImtpZCI6ImsifQ.eyJzdWIiOiJtYXlhIiwiZ3JvdXBzIjpbImVuZyJdfQ.c2VjcmV0LXNpZ25hdHVyZQ";
