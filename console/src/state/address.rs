//! The addresses of the pages.

use gbac_api::encode::{component, decode, parse_query};

/// The list of roles.
pub const ROLES: &str = "/security/roles";
/// The simulator.
pub const SIMULATOR: &str = "/security/simulator";

/// Whether a path can hold this name: a browser takes the parts `.` and `..` out of every path, in whatever spelling.
#[must_use]
pub fn is_in_path(name: &str) -> bool {
    !matches!(name, "." | "..")
}

/// The page of a role; a name that no path can hold is told in the query.
#[must_use]
pub fn role(name: &str) -> String {
    if is_in_path(name) {
        format!("{ROLES}/{}/details", component(name))
    } else {
        format!("{ROLES}/-/details?role={name}")
    }
}

/// The role that an address of [`role`] is about, from its path and its query without the `?`; none for other pages.
///
/// The router's parameters cannot tell: they are decoded twice, so that the role `a%2Fb` becomes `a/b`.
#[must_use]
pub fn role_at(path: &str, query: &str) -> Option<String> {
    let name = path.strip_prefix(ROLES)?.strip_prefix('/')?.trim_end_matches('/').strip_suffix("/details")?;
    let told = value(query, "role").filter(|told| name == "-" && !is_in_path(told));
    Some(told.unwrap_or_else(|| decode(name).unwrap_or_else(|_| name.to_owned())))
}

/// The list of roles with a search in it.
#[must_use]
pub fn roles_search(search: &str) -> String {
    if search.is_empty() { ROLES.into() } else { format!("{ROLES}?name={}", component(search)) }
}

/// The search in the query of an address of [`roles_search`], without the `?`.
#[must_use]
pub fn search_at(query: &str) -> String {
    value(query, "name").unwrap_or_default()
}

fn value(query: &str, name: &str) -> Option<String> {
    let mut pairs = query.split('&').filter_map(|pair| parse_query(pair).ok()).flatten();
    pairs.find(|(key, _)| key == name).map(|(_, value)| value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_role_name_has_an_address() {
        assert_eq!(role("DataEngineers"), "/security/roles/DataEngineers/details");
        assert_eq!(role("a/b"), "/security/roles/a%2Fb/details");
        assert_eq!(role(".."), "/security/roles/-/details?role=..");
        assert_eq!(role("-"), "/security/roles/-/details");
        assert_eq!(roles_search(""), ROLES);
        assert_eq!(roles_search("^a+"), "/security/roles?name=%5Ea%2B");
    }

    #[test]
    fn every_address_leads_back_to_its_name() {
        for name in
            ["DataEngineers", "a/b", "a%2Fb", "a%252Fb", "100%", "team: platform", "Zürich", "-", ".", "..", "?"]
        {
            let address = role(name);
            let (path, query) = address.split_once('?').unwrap_or((&address, ""));
            assert_eq!(role_at(path, query).as_deref(), Some(name));
            let address = roles_search(name);
            assert_eq!(search_at(address.split_once('?').unwrap().1), name);
        }
        assert_eq!(role_at("/security/roles/a/details/", "role=b").as_deref(), Some("a"));
        assert_eq!(role_at("/security/roles/-/details", "role=b").as_deref(), Some("-"));
        assert_eq!(role_at("/security/roles/100%/details", "").as_deref(), Some("100%"));
        assert_eq!(role_at(ROLES, "role=.."), None);
        assert_eq!(search_at("other=%&name=a"), "a");
        assert_eq!(search_at(""), "");
    }
}
