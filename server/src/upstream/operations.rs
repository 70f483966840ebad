//! The operations that are relayed: the documented ones of each API (specification 4).

use axum::http::Method;
use gbac_api::encode::{component, decode};

/// An API of a cluster.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Api {
    Admin,
    DataPlane,
    ControlPlane,
}

/// The path of an operation, with `{}` for a name, and its methods.
type Operation = (&'static str, &'static [Method]);

const ADMIN: &[Operation] = &[
    ("/v1/cluster_config", &[Method::GET, Method::PUT]),
    ("/v1/cluster_config/schema", &[Method::GET]),
    ("/v1/loggers", &[Method::GET]),
    ("/v1/config/log_level/{}", &[Method::GET, Method::PUT]),
];
/// The operations of the SecurityService, under both of its names; all use POST.
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

/// The result of looking up an operation.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Lookup {
    /// The operation exists; its path, encoded again.
    Path(String),
    /// The path exists, but only with these methods.
    OtherMethods(&'static [Method]),
    /// There is no such path.
    NotFound,
}

impl Api {
    /// Looks up a path, which is percent-encoded.
    pub(crate) fn find(self, method: &Method, path: &str) -> Lookup {
        const POST: &[Method] = &[Method::POST];
        let operations = match self {
            Self::Admin => ADMIN,
            Self::DataPlane => DATA_PLANE,
            Self::ControlPlane => CONTROL_PLANE,
        };
        let found = operations
            .iter()
            .find_map(|(template, methods)| Some((fill(template, path)?, *methods)));
        let found = match found {
            None if self == Self::Admin => security(path).map(|path| (path, POST)),
            found => found,
        };
        match found {
            Some((path, methods)) if methods.contains(method) => Lookup::Path(path),
            Some((_, methods)) => Lookup::OtherMethods(methods),
            None => Lookup::NotFound,
        }
    }
}

/// The path of an operation of the SecurityService, under the only one of its names that the
/// platform serves. The console and this service use both.
fn security(path: &str) -> Option<String> {
    use gbac_api::paths::{PLATFORM_SECURITY_SERVICE, SECURITY_SERVICE};
    let (service, operation) = path.strip_prefix('/')?.split_once('/')?;
    let is_known = [SECURITY_SERVICE, PLATFORM_SECURITY_SERVICE].contains(&service)
        && SECURITY.contains(&operation);
    is_known.then(|| format!("/{PLATFORM_SECURITY_SERVICE}/{operation}"))
}

/// The path if it matches the template. Its names are encoded again, so that none of them can lead
/// to another path.
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
            (
                Api::Admin,
                Method::POST,
                "/redpanda.core.admin.v2.SecurityService/GetRole",
            ),
            (Api::Admin, Method::PUT, "/v1/cluster_config"),
            (Api::Admin, Method::PUT, "/v1/config/log_level/security"),
            (Api::DataPlane, Method::DELETE, "/v1/acls"),
            (Api::DataPlane, Method::GET, "/v1/roles/a%2Fb/members"),
            (Api::ControlPlane, Method::GET, "/v1/clusters/c1"),
        ] {
            assert_eq!(api.find(&method, path), Lookup::Path(path.into()), "{path}");
        }
        let translated = Lookup::Path("/redpanda.core.admin.v2.SecurityService/ListRoles".into());
        assert_eq!(
            Api::Admin.find(
                &Method::POST,
                "/service.core.admin.v2.SecurityService/ListRoles"
            ),
            translated
        );
        let encoded = Lookup::Path("/v1/roles/a%3Bb%25".into());
        assert_eq!(
            Api::DataPlane.find(&Method::GET, "/v1/roles/a;b%25"),
            encoded,
            "names are encoded again"
        );
    }

    #[test]
    fn other_operations_are_not_found() {
        for (api, path) in [
            (Api::Admin, "/v1/users"),
            (Api::Admin, "/v1/acls"),
            (
                Api::Admin,
                "/service.core.admin.v2.SecurityService/CreateScramCredential",
            ),
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
            assert_eq!(api.find(&Method::GET, path), Lookup::NotFound, "{path}");
            assert_eq!(api.find(&Method::POST, path), Lookup::NotFound, "{path}");
        }
        let found = Api::ControlPlane.find(&Method::DELETE, "/v1/clusters/x");
        assert_eq!(found, Lookup::OtherMethods(&[Method::GET]));
    }
}
