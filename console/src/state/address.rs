//! The addresses of the pages.

use gbac_api::encode::component;

/// The list of roles.
pub const ROLES: &str = "/security/roles";
/// The simulator.
pub const SIMULATOR: &str = "/security/simulator";

/// The page of a role.
///
/// A browser takes the parts `.` and `..` out of every path, in whatever spelling; roles of these names are told in the
/// query.
#[must_use]
pub fn role(name: &str) -> String {
    match name {
        "." | ".." => format!("{ROLES}/-/details?role={name}"),
        _ => format!("{ROLES}/{}/details", component(name)),
    }
}

/// The list of roles with a search in it.
#[must_use]
pub fn roles_search(search: &str) -> String {
    if search.is_empty() { ROLES.into() } else { format!("{ROLES}?name={}", component(search)) }
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
}
