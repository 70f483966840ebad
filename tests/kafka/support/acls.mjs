// ACLs in one line, as members of a policy document.

/** `allow read topic literal orders for Group:eng`, and optionally `from 10.0.0.7`. */
export function acl(text) {
  const [permission, operation, type, pattern, name, , principal, , host = '*'] = text.split(' ');
  const word = (prefix, value) => `${prefix}_${value.toUpperCase()}`;
  return {
    resource_type: word('RESOURCE_TYPE', type),
    resource_name: name,
    resource_pattern_type: word('RESOURCE_PATTERN_TYPE', pattern),
    principal,
    host,
    operation: word('OPERATION', operation),
    permission_type: word('PERMISSION_TYPE', permission),
  };
}
