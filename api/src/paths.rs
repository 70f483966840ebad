//! Where each operation is: the paths of specification 4 and of the service's own additions.

use crate::acls::AclFilter;
use crate::encode::{component, query};
use crate::roles::{MemberQuery, RoleQuery};

/// The Data Plane's ACLs (specification 4.2).
pub const ACLS: &str = "/v1/acls";
/// The Data Plane's roles (specification 4.2).
pub const ROLES: &str = "/v1/roles";
/// The name of the Admin API's service (specification 4.3).
pub const SECURITY_SERVICE: &str = "service.core.admin.v2.SecurityService";
/// The name under which the platform's own clients call the same service.
pub const PLATFORM_SECURITY_SERVICE: &str = "redpanda.core.admin.v2.SecurityService";
/// The operation that tells whom the service sees in a token (specification 4.3).
pub const RESOLVE_OIDC_IDENTITY: &str = "ResolveOidcIdentity";
/// The cluster properties (specification 2.2).
pub const CLUSTER_CONFIG: &str = "/v1/cluster_config";
/// What the cluster properties are.
pub const CLUSTER_CONFIG_SCHEMA: &str = "/v1/cluster_config/schema";
/// The whole policy document at once.
pub const POLICY: &str = "/gbac/v1/policy";
/// What this service is.
pub const SERVICE: &str = "/gbac/v1/service";
/// The development identity provider; its address is its issuer.
pub const DEMO_PROVIDER: &str = "/demo/idp";
/// Its discovery document.
pub const DEMO_DISCOVERY: &str = "/demo/idp/.well-known/openid-configuration";
/// Its keys.
pub const DEMO_JWKS: &str = "/demo/idp/jwks";
/// Its people, each with a token that was just signed.
pub const DEMO_PEOPLE: &str = "/demo/idp/people";

/// `/v1/acls` with a filter; for GET.
#[must_use]
pub fn acls(filter: &AclFilter) -> String {
    format!("{ACLS}{}", query(filter.pairs()))
}

/// `/v1/acls` with a filter; for DELETE, which wants four of its parts even where they are `ANY`.
#[must_use]
pub fn delete_acls(filter: &AclFilter) -> String {
    format!("{ACLS}{}", query(filter.delete_pairs()))
}

/// `/v1/roles` with a filter and a page.
#[must_use]
pub fn roles(request: &RoleQuery) -> String {
    format!("{ROLES}{}", query(request.pairs()))
}

/// One role; for GET and PUT.
#[must_use]
pub fn role(name: &str) -> String {
    format!("{ROLES}/{}", component(name))
}

/// One role; for DELETE, with or without its ACLs (D-18).
#[must_use]
pub fn delete_role(name: &str, delete_acls: bool) -> String {
    format!("{ROLES}/{}?delete_acls={delete_acls}", component(name))
}

/// The members of one role.
#[must_use]
pub fn role_members(name: &str, request: &MemberQuery) -> String {
    format!("{ROLES}/{}/members{}", component(name), query(request.pairs()))
}

/// An operation of the SecurityService (specification 4.3); for POST.
#[must_use]
pub fn security(operation: &str) -> String {
    format!("/{SECURITY_SERVICE}/{operation}")
}

/// One cluster property, or all of them.
#[must_use]
pub fn cluster_config(key: Option<&str>) -> String {
    format!("{CLUSTER_CONFIG}{}", query(key.map(|key| ("key", key.to_owned()))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_encoded() {
        assert_eq!(role("a/b"), "/v1/roles/a%2Fb");
        assert_eq!(role_members("a b+c", &MemberQuery::default()), "/v1/roles/a%20b%2Bc/members");
        assert_eq!(delete_role("ü", true), "/v1/roles/%C3%BC?delete_acls=true");
        assert_eq!(security(RESOLVE_OIDC_IDENTITY), "/service.core.admin.v2.SecurityService/ResolveOidcIdentity");
        assert_eq!(cluster_config(Some("superusers")), "/v1/cluster_config?key=superusers");
    }
}
