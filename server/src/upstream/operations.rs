//! What is relayed: the documented operations of each API, and nothing else (specification 4).

use axum::http::Method;
use gbac_api::encode::{component, decode};

/// An API of a cluster.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Api {
    Admin,
    DataPlane,
    ControlPlane,
}

/// An operation's path, with `{}` for a name, and its methods.
type Operation = (&'static str, &'static [Method]);

const ADMIN: &[Operation] = &[
    ("/v1/cluster_config", &[Method::GET, Method::PUT]),
    ("/v1/cluster_config/schema", &[Method::GET]),
    ("/v1/loggers", &[Method::GET]),
    ("/v1/config/log_level/{}", &[Method::GET, Method::PUT]),
];
/// The operations of the SecurityService, under both of its names; each is a POST.
const SECURITY: &[&str] = &[
    "AddRoleMembers",
    "CreateRole",
    "DeleteRole",
    "GetRole",
    "ListCurrentUserRoles",
    "ListRoles",
    "RefreshOidcKeys",
    "RemoveRoleMembers",
    "ResolveOidcIdentity",
    "RevokeOidcSessions",
];
const DATA_PLANE: &[Operation] = &[
    ("/v1/acls", &[Method::GET, Method::POST, Method::DELETE]),
    ("/v1/roles", &[Method::GET, Method::POST]),
    ("/v1/roles/{}", &[Method::GET, Method::PUT, Method::DELETE]),
    ("/v1/roles/{}/members", &[Method::GET]),
];
const CONTROL_PLANE: &[Operation] = &[("/v1/clusters/{}", &[Method::GET])];

/// Whether an API has an operation.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Found {
    /// It has; this is its path, encoded anew.
    Path(String),
    /// Not with this method; those are the methods that it has.
    Methods(&'static [Method]),
    /// It has not.
    Nothing,
}

impl Api {
    /// Looks a path up that is still percent-encoded.
    pub(super) fn find(self, method: &Method, path: &str) -> Found {
        const POST: &[Method] = &[Method::POST];
        let operations = match self {
            Self::Admin => ADMIN,
            Self::DataPlane => DATA_PLANE,
            Self::ControlPlane => CONTROL_PLANE,
        };
        let found = operations.iter().find_map(|(template, methods)| Some((fill(template, path)?, *methods)));
        let found = found.or_else(|| (self == Self::Admin && is_security(path)).then(|| (path.to_owned(), POST)));
        match found {
            Some((path, methods)) if methods.contains(method) => Found::Path(path),
            Some((_, methods)) => Found::Methods(methods),
            None => Found::Nothing,
        }
    }
}

fn is_security(path: &str) -> bool {
    use gbac_api::paths::{PLATFORM_SECURITY_SERVICE, SECURITY_SERVICE};
    path.strip_prefix('/').and_then(|path| path.split_once('/')).is_some_and(|(service, operation)| {
        [SECURITY_SERVICE, PLATFORM_SECURITY_SERVICE].contains(&service) && SECURITY.contains(&operation)
    })
}

/// The path when it fits the template. Its names are encoded anew, so that none can lead anywhere else.
fn fill(template: &str, path: &str) -> Option<String> {
    let mut filled = String::with_capacity(path.len());
    let (mut wanted, mut given) = (template.split('/'), path.split('/'));
    loop {
        match (wanted.next(), given.next()) {
            (None, None) => return filled.strip_prefix('/').map(str::to_owned),
            (Some("{}"), Some(name)) => {
                let name = decode(name).ok()?;
                if ["", ".", ".."].contains(&name.as_str()) {
                    return None;
                }
                filled.push('/');
                filled.push_str(&component(&name));
            }
            (Some(wanted), Some(given)) if wanted == given => {
                filled.push('/');
                filled.push_str(given);
            }
            _ => return None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documented_operations_are_found() {
        for (api, method, path) in [
            (Api::Admin, Method::POST, "/service.core.admin.v2.SecurityService/ListRoles"),
            (Api::Admin, Method::POST, "/redpanda.core.admin.v2.SecurityService/GetRole"),
            (Api::Admin, Method::PUT, "/v1/cluster_config"),
            (Api::Admin, Method::PUT, "/v1/config/log_level/security"),
            (Api::DataPlane, Method::DELETE, "/v1/acls"),
            (Api::DataPlane, Method::GET, "/v1/roles/a%2Fb/members"),
            (Api::ControlPlane, Method::GET, "/v1/clusters/c1"),
        ] {
            assert_eq!(api.find(&method, path), Found::Path(path.into()), "{path}");
        }
        let encoded = Found::Path("/v1/roles/a%3Bb%25".into());
        assert_eq!(Api::DataPlane.find(&Method::GET, "/v1/roles/a;b%25"), encoded, "names are encoded anew");
    }

    #[test]
    fn nothing_else_is() {
        for (api, path) in [
            (Api::Admin, "/v1/users"),
            (Api::Admin, "/v1/acls"),
            (Api::Admin, "/service.core.admin.v2.SecurityService/CreateScramCredential"),
            (Api::Admin, "/service.core.admin.v2.SecurityService/"),
            (Api::Admin, "/service.core.admin.v2.BrokerService/ListRoles"),
            (Api::Admin, "/v1/config/log_level/"),
            (Api::DataPlane, ""),
            (Api::DataPlane, "/"),
            (Api::DataPlane, "/v1/acls/"),
            (Api::DataPlane, "//v1/acls"),
            (Api::DataPlane, "/v1/roles/.."),
            (Api::DataPlane, "/v1/roles/%2e%2E"),
            (Api::DataPlane, "/v1/roles/%2E/members"),
            (Api::DataPlane, "/v1/roles/a/b"),
            (Api::DataPlane, "/v1/roles/%zz"),
            (Api::DataPlane, "/v1/cluster_config"),
            (Api::ControlPlane, "/v1/clusters"),
            (Api::ControlPlane, "/v1/organizations/x"),
        ] {
            assert_eq!(api.find(&Method::GET, path), Found::Nothing, "{path}");
            assert_eq!(api.find(&Method::POST, path), Found::Nothing, "{path}");
        }
        let found = Api::ControlPlane.find(&Method::DELETE, "/v1/clusters/x");
        assert_eq!(found, Found::Methods(&[Method::GET]));
    }
}
