//! The addresses of the pages.

use gbac_api::encode::{component, decode, parse_query};

use crate::roles::Column;

/// The list of roles.
pub const ROLES: &str = "/security/roles";
/// The review of the draft.
pub const REVIEW: &str = "/security/review";
/// Every principal with what it holds.
pub const PERMISSIONS: &str = "/security/permissions";
/// The simulator.
pub const SIMULATOR: &str = "/security/simulator";
/// The settings.
pub const SETTINGS: &str = "/security/settings";
/// The last audit events.
pub const AUDIT: &str = "/security/audit";
/// The policy as a file, a script or requests, out and in.
pub const EXCHANGE: &str = "/security/exchange";
/// Two clusters side by side.
pub const COMPARE: &str = "/security/compare";
/// Which cluster the pages are about.
pub const CONNECTION: &str = "/connection";
/// Signing in, where no other page is to be shown.
pub const SIGN_IN: &str = gbac_api::paths::SIGN_IN_PAGE;
/// Every user with what it holds.
pub const USERS: &str = "/security/permissions?type=user";
/// Every group with what it holds.
pub const GROUPS: &str = "/security/permissions?type=group";
/// What one principal or person may do, resource by operation.
pub const MATRIX: &str = "/security/permissions/matrix";
/// Who may do one thing.
pub const WHO_CAN: &str = "/security/permissions/who-can";
/// The findings of the policy.
pub const FINDINGS: &str = "/security/permissions/findings";

/// Whether a path can hold this name: a browser takes the parts `.` and `..` out of every path, in
/// whatever spelling.
pub fn is_in_path(name: &str) -> bool {
    !matches!(name, "." | "..")
}

/// The page of a role. A name that a path cannot contain is in the query.
pub fn role(name: &str) -> String {
    if is_in_path(name) {
        format!("{ROLES}/{}/details", component(name))
    } else {
        format!("{ROLES}/-/details?role={name}")
    }
}

/// The role that an address of [`role`] is about, from its path and its query without the `?`; none
/// for other pages.
///
/// The router's parameters cannot tell: they are decoded twice, so that the role `a%2Fb` becomes
/// `a/b`.
pub fn role_at(path: &str, query: &str) -> Option<String> {
    let name = path
        .strip_prefix(ROLES)?
        .strip_prefix('/')?
        .trim_end_matches('/')
        .strip_suffix("/details")?;
    let told = value(query, "role").filter(|told| name == "-" && !is_in_path(told));
    Some(told.unwrap_or_else(|| decode(name).unwrap_or_else(|_| name.to_owned())))
}

/// Which part of the list of roles is shown, in which order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RolesView {
    /// What is searched for.
    pub search: String,
    /// What it is sorted by.
    pub column: Column,
    /// Whether the largest come first.
    pub descending: bool,
    /// The page, from 0.
    pub page: usize,
}

/// The list of roles, this part of it.
pub fn roles(view: &RolesView) -> String {
    let mut parts = Vec::new();
    if !view.search.is_empty() {
        parts.push(format!("name={}", component(&view.search)));
    }
    if view.column != Column::Name || view.descending {
        parts.push(format!("sort={}", view.column.id()));
    }
    if view.descending {
        parts.push("order=desc".into());
    }
    if view.page > 0 {
        parts.push(format!("page={}", view.page + 1));
    }
    if parts.is_empty() {
        ROLES.into()
    } else {
        format!("{ROLES}?{}", parts.join("&"))
    }
}

/// Reads the query of an address of [`roles`], without the `?`.
pub fn roles_at(query: &str) -> RolesView {
    RolesView {
        search: value(query, "name").unwrap_or_default(),
        column: value(query, "sort")
            .and_then(|id| Column::from_id(&id))
            .unwrap_or_default(),
        descending: value(query, "order").is_some_and(|order| order == "desc"),
        page: value(query, "page")
            .and_then(|page| page.parse::<usize>().ok())
            .unwrap_or_default()
            .saturating_sub(1),
    }
}

/// The list of roles, at one of them: focus goes to it.
pub fn roles_at_role(name: Option<&str>) -> String {
    name.map_or_else(
        || ROLES.to_owned(),
        |name| format!("{ROLES}#role={}", component(name)),
    )
}

/// The role that the fragment of an address of [`roles_at_role`] names, without the `#`.
pub fn role_in_fragment(fragment: &str) -> Option<String> {
    fragment
        .strip_prefix("role=")
        .and_then(|name| decode(name).ok())
}

/// What a page of the console is called in a sentence.
pub fn page_name(path: &str) -> &'static str {
    let is = |page: &str| {
        path == page
            || path
                .strip_prefix(page)
                .is_some_and(|rest| rest.starts_with('/'))
    };
    match () {
        () if path == ROLES => "Roles",
        () if is(ROLES) => "the role",
        () if is(REVIEW) => "Review",
        () if is(PERMISSIONS) => "Permissions",
        () if is(SETTINGS) => "Settings",
        () if is(AUDIT) => "Audit",
        () if is(EXCHANGE) => "Import and export",
        () if is(COMPARE) => "Compare clusters",
        () if is(CONNECTION) => "Connection",
        () => "the simulator",
    }
}

/// The name in the query of an address that says which Kafka cluster of the service it is about.
const CLUSTER: &str = "cluster";

/// The Kafka cluster that an address is about, from its query.
pub fn cluster_at(query: &str) -> Option<String> {
    value(query.trim_start_matches('?'), CLUSTER).filter(|name| !name.is_empty())
}

/// The same address about this Kafka cluster; about none, it does not name one.
pub fn in_cluster(address: &str, cluster: Option<&str>) -> String {
    let (rest, fragment) = match address.split_once('#') {
        Some((rest, fragment)) => (rest, Some(fragment)),
        None => (address, None),
    };
    let (path, query) = rest.split_once('?').unwrap_or((rest, ""));
    let named = cluster.map(|name| format!("{CLUSTER}={}", component(name)));
    let is_other =
        |pair: &&str| !pair.is_empty() && pair.split('=').next().is_some_and(|key| key != CLUSTER);
    let mut pairs: Vec<&str> = query.split('&').filter(is_other).collect();
    pairs.extend(named.as_deref());
    let mut made = path.to_owned();
    if !pairs.is_empty() {
        made = format!("{made}?{}", pairs.join("&"));
    }
    match fragment {
        Some(fragment) => format!("{made}#{fragment}"),
        None => made,
    }
}

/// Whether a link leads to a page of the console, which is about a cluster.
pub fn is_page(address: &str) -> bool {
    let path = address.split(['?', '#']).next().unwrap_or_default();
    path == "/" || path == CONNECTION || path == "/security" || path.starts_with("/security/")
}

/// The value of a name in a query without the `?`; the first, where there are several.
pub fn value(query: &str, name: &str) -> Option<String> {
    values(query, name).into_iter().next()
}

/// Every value of a name in a query without the `?`.
pub fn values(query: &str, name: &str) -> Vec<String> {
    let pairs = query
        .split('&')
        .filter_map(|pair| parse_query(pair).ok())
        .flatten();
    pairs
        .filter(|(key, _)| key == name)
        .map(|(_, value)| value)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_names_its_cluster_once() {
        let there = in_cluster("/security/roles?name=%5Ea&cluster=x#role=R", Some("dr 1"));
        assert_eq!(there, "/security/roles?name=%5Ea&cluster=dr%201#role=R");
        assert_eq!(
            cluster_at("?name=%5Ea&cluster=dr%201").as_deref(),
            Some("dr 1")
        );
        assert_eq!(in_cluster(&there, None), "/security/roles?name=%5Ea#role=R");
        assert_eq!(in_cluster(ROLES, Some("a")), "/security/roles?cluster=a");
        assert_eq!(in_cluster("/?cluster=a", None), "/");
        assert_eq!(cluster_at("cluster="), None);
        assert!(is_page(&there) && is_page("/?x") && is_page(CONNECTION));
        assert!(!is_page("/gbac/v1/sign-in") && !is_page("//other.example/security"));
    }

    #[test]
    fn every_role_name_has_an_address() {
        assert_eq!(
            role("DataEngineers"),
            "/security/roles/DataEngineers/details"
        );
        assert_eq!(role("a/b"), "/security/roles/a%2Fb/details");
        assert_eq!(role(".."), "/security/roles/-/details?role=..");
        assert_eq!(role("-"), "/security/roles/-/details");
        let view = RolesView {
            search: "^a+".into(),
            column: Column::Acls,
            descending: true,
            page: 2,
        };
        assert_eq!(
            roles(&view),
            "/security/roles?name=%5Ea%2B&sort=acls&order=desc&page=3"
        );
        assert_eq!(roles_at("name=%5Ea%2B&sort=acls&order=desc&page=3"), view);
        assert_eq!(roles(&RolesView::default()), ROLES);
        assert_eq!(roles_at("sort=size&page=0&order=up"), RolesView::default());
    }

    #[test]
    fn every_address_leads_back_to_its_name() {
        for name in [
            "DataEngineers",
            "a/b",
            "a%2Fb",
            "a%252Fb",
            "100%",
            "team: platform",
            "Zürich",
            "-",
            ".",
            "..",
            "?",
        ] {
            let address = role(name);
            let (path, query) = address.split_once('?').unwrap_or((&address, ""));
            assert_eq!(role_at(path, query).as_deref(), Some(name));
            let view = RolesView {
                search: name.into(),
                ..RolesView::default()
            };
            let address = roles_at_role(Some(name));
            let fragment = address.split_once('#').unwrap().1;
            assert_eq!(role_in_fragment(fragment).as_deref(), Some(name));
            assert_eq!(roles_at(roles(&view).split_once('?').unwrap().1), view);
        }
        assert_eq!(
            role_at("/security/roles/a/details/", "role=b").as_deref(),
            Some("a")
        );
        assert_eq!(
            role_at("/security/roles/-/details", "role=b").as_deref(),
            Some("-")
        );
        assert_eq!(
            role_at("/security/roles/100%/details", "").as_deref(),
            Some("100%")
        );
        assert_eq!(role_at(ROLES, "role=.."), None);
        assert_eq!(
            (roles_at_role(None).as_str(), role_in_fragment("h-more")),
            (ROLES, None)
        );
        assert_eq!(roles_at("other=%&name=a").search, "a");
        assert_eq!(roles_at(""), RolesView::default());
    }

    #[test]
    fn every_page_has_a_name() {
        for (path, name) in [
            (ROLES, "Roles"),
            ("/security/roles/a/details", "the role"),
            (WHO_CAN, "Permissions"),
            ("/security/rolesque", "the simulator"),
        ] {
            assert_eq!(page_name(path), name);
        }
    }
}
