//! The paths of specification 4 and of the service's own endpoints.

use crate::acls::AclFilter;
use crate::audit::AuditQuery;
use crate::encode::{component, query};
use crate::history::HistoryQuery;
use crate::roles::{MemberQuery, RoleQuery};

/// The ACLs of the Data Plane API (specification 4.2).
pub const ACLS: &str = "/v1/acls";
/// The roles of the Data Plane API (specification 4.2).
pub const ROLES: &str = "/v1/roles";
/// The name of the Admin API's service (specification 4.3).
pub const SECURITY_SERVICE: &str = "service.core.admin.v2.SecurityService";
/// The name of the same service in the platform's own clients.
pub const PLATFORM_SECURITY_SERVICE: &str = "redpanda.core.admin.v2.SecurityService";
/// The operation that returns the identity of a token (specification 4.3).
pub const RESOLVE_OIDC_IDENTITY: &str = "ResolveOidcIdentity";
/// The operation that returns the caller's own roles.
pub const LIST_CURRENT_USER_ROLES: &str = "ListCurrentUserRoles";
/// The ACLs of the platform's Schema Registry; for browsers a page of the console.
pub const REGISTRY_ACLS: &str = "/security/acls";
/// The roles of the Admin API v1.
pub const ADMIN_ROLES: &str = "/v1/security/roles";
/// The roles of the caller in the Admin API v1.
pub const ADMIN_OWN_ROLES: &str = "/v1/security/users/roles";
/// The user of a token in the Admin API v1.
pub const OIDC_WHOAMI: &str = "/v1/security/oidc/whoami";
/// Ends the sessions of users of the identity provider.
pub const OIDC_REVOKE: &str = "/v1/security/oidc/revoke";
/// The nodes of the cluster.
pub const BROKERS: &str = "/v1/brokers";
/// The license, as the platform's Admin API states it.
pub const FEATURES_LICENSE: &str = "/v1/features/license";
/// The enterprise features that are in use.
pub const FEATURES_ENTERPRISE: &str = "/v1/features/enterprise";
/// The cluster properties (specification 2.2).
pub const CLUSTER_CONFIG: &str = "/v1/cluster_config";
/// The schema of the cluster properties.
pub const CLUSTER_CONFIG_SCHEMA: &str = "/v1/cluster_config/schema";
/// The configuration status of each node; there is one.
pub const CLUSTER_CONFIG_STATUS: &str = "/v1/cluster_config/status";
/// The names of the loggers.
pub const LOGGERS: &str = "/v1/loggers";
/// The level of one logger, whose name follows.
pub const LOG_LEVEL: &str = "/v1/config/log_level";
/// The license (D-16).
pub const LICENSE: &str = "/gbac/v1/license";
/// The whole policy document.
pub const POLICY: &str = "/gbac/v1/policy";
/// Policy changes, applied completely or not at all.
pub const POLICY_CHANGES: &str = "/gbac/v1/policy/changes";
/// The tests that are stored with the service.
pub const TESTS: &str = "/gbac/v1/tests";
/// The accounts with access to the service itself.
pub const ACCOUNTS: &str = "/gbac/v1/accounts";
/// A backup of everything that the service stores.
pub const BACKUP: &str = "/gbac/v1/backup";
/// The changes that were made.
pub const CHANGES: &str = "/gbac/v1/changes";
/// The last audit events.
pub const AUDIT: &str = "/gbac/v1/audit";
/// One evaluation for a gateway (AuthZEN 1.0).
pub const ACCESS_EVALUATION: &str = "/access/v1/evaluation";
/// Several evaluations for a gateway (AuthZEN 1.0).
pub const ACCESS_EVALUATIONS: &str = "/access/v1/evaluations";
/// The configuration with both endpoints (AuthZEN 1.0).
pub const AUTHZEN_CONFIGURATION: &str = "/.well-known/authzen-configuration";
/// The clusters of the Control Plane API (specification 4.1).
pub const CLUSTERS: &str = "/v1/clusters";
/// The relay to another cluster, followed by `admin`, `dataplane`, `controlplane` or
/// `clusters/<id>`.
pub const UPSTREAM: &str = "/gbac/v1/upstream";
/// What the cluster behind the relay has.
pub const UPSTREAM_TARGET: &str = "/gbac/v1/upstream/target";
/// What other settings of the brokers would change for who was seen.
pub const CLUSTER_WHAT_IF: &str = "/gbac/v1/cluster/what-if";
/// Whether the service runs.
pub const HEALTH: &str = "/healthz";
/// Whether the service can store a change.
pub const READY: &str = "/readyz";
/// The metrics, for Prometheus.
pub const METRICS: &str = "/metrics";
/// Information about the service.
pub const SERVICE: &str = "/gbac/v1/service";
/// The Kafka clusters of the service; below a name, the paths of that cluster.
pub const KAFKA_CLUSTERS: &str = "/gbac/v1/clusters";
/// The public keys of the identity provider, as the service fetched them last (RFC 7517).
pub const PROVIDER_KEYS: &str = "/gbac/v1/provider/keys";
/// Starts a sign-in with the identity provider; for GET in a browser.
pub const SIGN_IN: &str = "/gbac/v1/sign-in";
/// Where the identity provider sends the browser back.
pub const SIGN_IN_CALLBACK: &str = "/gbac/v1/sign-in/callback";
/// The session of the browser: GET reads it, DELETE ends it.
pub const SESSION: &str = "/gbac/v1/session";
/// The page of the console on which users sign in.
pub const SIGN_IN_PAGE: &str = "/sign-in";
/// The demo identity provider; its URL is its issuer.
pub const DEMO_PROVIDER: &str = "/demo/idp";
/// Its discovery document.
pub const DEMO_DISCOVERY: &str = "/demo/idp/.well-known/openid-configuration";
/// Its keys.
pub const DEMO_JWKS: &str = "/demo/idp/jwks";
/// Its users, each with a new token.
pub const DEMO_PEOPLE: &str = "/demo/idp/people";

/// Whether the first segment of a path is the name of a service of the Connect protocol or gRPC, as
/// `package.v1.Service` is.
///
/// ```
/// use gbac_api::paths::is_service;
/// assert!(is_service("redpanda.api.dataplane.v1.ACLService"));
/// assert!(!is_service("index.html") && !is_service("security") && !is_service(".well-known"));
/// ```
#[must_use]
pub fn is_service(segment: &str) -> bool {
    let Some((package, service)) = segment.rsplit_once('.') else {
        return false;
    };
    package.split('.').all(is_word)
        && is_word(service)
        && service.starts_with(|first: char| first.is_ascii_uppercase())
}

fn is_word(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_alphabetic())
        && text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// The policy document as it was after a change; for GET.
#[must_use]
pub fn policy_at(seq: u64) -> String {
    format!("{POLICY}?at={seq}")
}

/// The changes that were made; for GET.
#[must_use]
pub fn changes(request: HistoryQuery) -> String {
    format!("{CHANGES}?{}", request.to_query())
}

/// One change that was made; for GET.
#[must_use]
pub fn change(seq: u64) -> String {
    format!("{CHANGES}/{seq}")
}

/// The whole policy document, for a dry run of a replacement.
#[must_use]
pub fn policy_dry_run() -> String {
    format!("{POLICY}?dry_run=true")
}

/// `/v1/acls` with a filter; for GET.
#[must_use]
pub fn acls(filter: &AclFilter) -> String {
    format!("{ACLS}{}", query(filter.pairs()))
}

/// `/v1/acls` with a filter; for DELETE, which requires four of its parts, even if they are `ANY`.
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
    format!(
        "{ROLES}/{}/members{}",
        component(name),
        query(request.pairs())
    )
}

/// The path below which every path of the service is about one of its Kafka clusters.
#[must_use]
pub fn of_cluster(name: &str) -> String {
    format!("{KAFKA_CLUSTERS}/{}", component(name))
}

/// An operation of the SecurityService (specification 4.3); for POST.
#[must_use]
pub fn security(operation: &str) -> String {
    format!("/{SECURITY_SERVICE}/{operation}")
}

/// The same operation under the only name that the platform serves.
#[must_use]
pub fn platform_security(operation: &str) -> String {
    format!("/{PLATFORM_SECURITY_SERVICE}/{operation}")
}

/// The last audit events, up to a limit.
#[must_use]
pub fn audit(request: AuditQuery) -> String {
    format!("{AUDIT}?limit={}", request.limit)
}

/// One cluster of the Control Plane API (specification 4.1).
#[must_use]
pub fn cluster(id: &str) -> String {
    format!("{CLUSTERS}/{}", component(id))
}

/// What the cluster behind the relay has; with an ID, a cluster of the Control Plane.
#[must_use]
pub fn upstream_target(cluster: Option<&str>) -> String {
    format!(
        "{UPSTREAM_TARGET}{}",
        query(cluster.map(|id| ("cluster", id.to_owned())))
    )
}

/// The loggers with their levels.
#[must_use]
pub fn loggers() -> String {
    format!("{LOGGERS}?include-levels=true")
}

/// The level of one logger; for GET, and for PUT with a level and the seconds until it reverts.
#[must_use]
pub fn log_level(name: &str, level: Option<(&str, Option<u32>)>) -> String {
    let mut pairs = Vec::new();
    if let Some((level, expires)) = level {
        pairs.push(("level", level.to_owned()));
        if let Some(seconds) = expires {
            pairs.push(("expires", seconds.to_string()));
        }
    }
    format!("{LOG_LEVEL}/{}{}", component(name), query(pairs))
}

/// One cluster property, or all of them.
#[must_use]
pub fn cluster_config(key: Option<&str>) -> String {
    format!(
        "{CLUSTER_CONFIG}{}",
        query(key.map(|key| ("key", key.to_owned())))
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_encoded() {
        assert_eq!(role("a/b"), "/v1/roles/a%2Fb");
        assert_eq!(
            role_members("a b+c", &MemberQuery::default()),
            "/v1/roles/a%20b%2Bc/members"
        );
        assert_eq!(delete_role("ü", true), "/v1/roles/%C3%BC?delete_acls=true");
        assert_eq!(
            security(RESOLVE_OIDC_IDENTITY),
            "/service.core.admin.v2.SecurityService/ResolveOidcIdentity"
        );
        assert_eq!(
            cluster_config(Some("superusers")),
            "/v1/cluster_config?key=superusers"
        );
        assert_eq!(log_level("security", None), "/v1/config/log_level/security");
        let set = log_level("a/b", Some(("debug", Some(0))));
        assert_eq!(set, "/v1/config/log_level/a%2Fb?level=debug&expires=0");
    }
}
