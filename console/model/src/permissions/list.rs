//! The list of principals: a summary of each, filters, and a search with bounded cost.

use gbac_analysis::{PolicySummary, PrincipalSummary, policy_excerpt, policy_summary};
use gbac_api::encode::{decode, query};
use gbac_engine::model::{Principal, PrincipalType};
use gbac_engine::policy::Policy;
use gbac_words::phrases::count;

use crate::address::{self, value};
use crate::roles::Search;

/// How many principals are on a page.
pub const PAGE: usize = 50;

/// Which principals are shown.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum PrincipalKind {
    /// All of them.
    #[default]
    All,
    /// Users, `User:*` among them.
    Users,
    /// Groups of the identity provider.
    Groups,
    /// Roles.
    Roles,
}

impl PrincipalKind {
    /// Every choice.
    pub const ALL: [Self; 4] = [Self::All, Self::Users, Self::Groups, Self::Roles];

    /// The value in the form and the address.
    pub const fn id(self) -> &'static str {
        match self {
            Self::All => "",
            Self::Users => "user",
            Self::Groups => "group",
            Self::Roles => "role",
        }
    }

    /// The word on the page.
    pub const fn word(self) -> &'static str {
        match self {
            Self::All => "All",
            Self::Users => "Users",
            Self::Groups => "Groups",
            Self::Roles => "Roles",
        }
    }

    /// Whether a principal of this type is shown.
    pub const fn takes(self, kind: PrincipalType) -> bool {
        match self {
            Self::All => true,
            Self::Users => matches!(kind, PrincipalType::User | PrincipalType::Other),
            Self::Groups => matches!(kind, PrincipalType::Group),
            Self::Roles => matches!(kind, PrincipalType::Role),
        }
    }
}

/// What a principal has to hold to be shown.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum AccessFilter {
    /// Anything, or nothing.
    #[default]
    Any,
    /// An ACL that denies.
    Deny,
    /// Something that lint found.
    Finding,
}

impl AccessFilter {
    /// Every choice.
    pub const ALL: [Self; 3] = [Self::Any, Self::Deny, Self::Finding];

    /// The value in the form and the address.
    pub const fn id(self) -> &'static str {
        match self {
            Self::Any => "",
            Self::Deny => "deny",
            Self::Finding => "finding",
        }
    }

    /// The words on the page.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Any => "Any",
            Self::Deny => "With deny",
            Self::Finding => "With finding",
        }
    }
}

/// The search, the filters and the page, from the address of the list.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ListQuery {
    /// The search over principals, resources and roles.
    pub search: String,
    /// The type of principal.
    pub kind: PrincipalKind,
    /// What it has to hold.
    pub with: AccessFilter,
    /// The page, from 0.
    pub page: usize,
}

/// The search that finds one principal.
pub fn exactly(principal: &Principal) -> String {
    format!("^{}$", regex_lite::escape(&principal.to_string()))
}

impl ListQuery {
    /// The list with one principal, which is open.
    #[must_use]
    pub fn one(principal: &Principal) -> Self {
        Self {
            search: exactly(principal),
            ..Self::default()
        }
    }

    /// Reads the query of an address, without the `?`.
    #[must_use]
    pub fn from_query(query: &str) -> Self {
        let kind = value(query, "type").unwrap_or_default();
        let with = value(query, "with").unwrap_or_default();
        let page = value(query, "page")
            .and_then(|page| page.parse::<usize>().ok())
            .unwrap_or_default();
        Self {
            search: value(query, "search").unwrap_or_default(),
            kind: PrincipalKind::ALL
                .into_iter()
                .find(|choice| choice.id() == kind)
                .unwrap_or_default(),
            with: AccessFilter::ALL
                .into_iter()
                .find(|choice| choice.id() == with)
                .unwrap_or_default(),
            page: page.saturating_sub(1),
        }
    }

    /// The list for an address of the platform's console, which has lists of users, ACLs and
    /// permissions.
    pub fn of_platform(path: &str, query: &str) -> Option<Self> {
        let search = |names: &[&str]| {
            names
                .iter()
                .find_map(|name| value(query, name))
                .unwrap_or_default()
        };
        match path
            .trim_matches('/')
            .split('/')
            .collect::<Vec<_>>()
            .as_slice()
        {
            ["security", "users"] => Some(Self {
                search: search(&["q", "name"]),
                kind: PrincipalKind::Users,
                ..Self::default()
            }),
            ["security", "users", user, ..] => {
                let user = decode(user).ok()?;
                Some(Self::one(
                    &Principal::parse(&user).unwrap_or_else(|_| Principal::user(&user)),
                ))
            }
            ["security", "acls" | "permissions-list"] => Some(Self {
                search: search(&["search", "q", "name"]),
                ..Self::default()
            }),
            _ => None,
        }
    }

    /// The address of the list.
    pub fn address(&self) -> String {
        let page = if self.page == 0 {
            String::new()
        } else {
            (self.page + 1).to_string()
        };
        let parts = [
            ("search", self.search.clone()),
            ("type", self.kind.id().to_owned()),
            ("with", self.with.id().to_owned()),
            ("page", page),
        ];
        format!(
            "{}{}",
            address::PERMISSIONS,
            query(parts.into_iter().filter(|(_, value)| !value.is_empty()))
        )
    }
}

/// A search over everything that has to do with a principal: its name, its roles, and the resources
/// that ACLs of either name.
///
/// It is done in steps, so that a page stays in motion over 100,000 names.
#[derive(Debug, Clone)]
pub struct Finder {
    search: Search,
    at: usize,
    is_found: Vec<bool>,
}

impl Finder {
    /// Begins a search.
    #[must_use]
    pub fn new(holdings: &PolicySummary, text: &str) -> Self {
        Self {
            search: Search::new(text),
            at: 0,
            is_found: vec![false; holdings.all.len()],
        }
    }

    /// Searches the next names; returns whether there are more.
    pub fn step(&mut self, holdings: &PolicySummary, names: usize) -> bool {
        let end = self.at.saturating_add(names);
        let first = self.at;
        for (holding, is_found) in holdings
            .all
            .iter()
            .zip(&mut self.is_found)
            .take(end)
            .skip(first)
        {
            *is_found |= self.search.finds(&holding.principal.to_string());
        }
        let of_named = |at: usize| at.saturating_sub(holdings.all.len());
        let looked = holdings
            .named
            .iter()
            .take(of_named(end))
            .skip(of_named(first));
        for named in looked {
            if self.search.finds(&named.name) {
                for holder in &named.scopes {
                    if let Some(is_found) = self.is_found.get_mut(*holder) {
                        *is_found = true;
                    }
                }
            }
        }
        self.at = end;
        end < holdings.all.len() + holdings.named.len()
    }

    /// What was found: with a role, its members.
    pub fn finish(self, holdings: &PolicySummary) -> Vec<usize> {
        let mut is_found = self.is_found.clone();
        let roles = holdings.all.iter().zip(&self.is_found);
        for (role, _) in
            roles.filter(|(of, found)| **found && of.principal.kind() == PrincipalType::Role)
        {
            for member in &role.links {
                if let Some(is_found) = is_found.get_mut(*member) {
                    *is_found = true;
                }
            }
        }
        is_found
            .into_iter()
            .enumerate()
            .filter(|(_, is_found)| *is_found)
            .map(|(place, _)| place)
            .collect()
    }
}

/// What a principal holds, in a line: `2 direct ACLs, 13 via 2 roles`.
pub fn summary(holding: &PrincipalSummary) -> String {
    let PrincipalSummary {
        principal,
        direct,
        links,
        through,
        from_one_host,
        ..
    } = holding;
    let direct_acls = count(direct.acls, "direct ACL");
    let mut text = match (principal.kind(), direct.acls, links.len(), through.acls) {
        (PrincipalType::Role, ..) if holding.is_missing => {
            format!("{}, no such role", count(direct.acls, "ACL"))
        }
        (PrincipalType::Role, 0, 0, _) => "No ACLs, no principals".into(),
        (PrincipalType::Role, 0, members, _) => format!("No ACLs, {}", count(members, "principal")),
        (PrincipalType::Role, acls, 0, _) => format!("{}, no principals", count(acls, "ACL")),
        (PrincipalType::Role, acls, members, _) => {
            format!("{}, {}", count(acls, "ACL"), count(members, "principal"))
        }
        (_, 0, 0, _) => "No ACLs".into(),
        (_, _, 0, _) => direct_acls,
        (_, 0, roles, acls) => format!("{} via {}", count(acls, "ACL"), count(roles, "role")),
        (_, _, roles, acls) => format!("{direct_acls}, {acls} via {}", count(roles, "role")),
    };
    if principal.is_everyone() && direct.acls > 0 {
        text.push_str(", for every user");
    }
    if *from_one_host > 0 {
        let all = *from_one_host == direct.acls + through.acls;
        text.push_str(&if all {
            ", from one host".to_owned()
        } else {
            format!(", {from_one_host} from one host")
        });
    }
    if holding.is_superuser {
        format!("Superuser: allowed everything. {text}")
    } else {
        text
    }
}

/// What a principal holds with the draft, as [`summary`]; none where the draft leaves nothing of
/// it.
pub fn summary_with_draft(after: &Policy, principal: &Principal) -> Option<String> {
    let part = policy_summary(&policy_excerpt(after, &[], std::slice::from_ref(principal)));
    part.all
        .iter()
        .find(|holding| holding.principal == *principal)
        .map(summary)
}

/// How many of its ACLs, direct or through roles, deny.
pub const fn denies(holding: &PrincipalSummary) -> usize {
    holding.direct.denies + holding.through.denies
}

#[cfg(test)]
mod tests {
    use gbac_json::policy_from_value;
    use serde_json::json;

    use super::*;

    fn world() -> PolicySummary {
        let acl = |principal: &str, permission: &str, name: &str, host: &str| {
            json!({ "resource_type": "RESOURCE_TYPE_TOPIC", "resource_name": name,
                "resource_pattern_type": "RESOURCE_PATTERN_TYPE_LITERAL", "principal": principal, "host": host,
                "operation": "OPERATION_READ", "permission_type": format!("PERMISSION_TYPE_{permission}") })
        };
        let document = json!({ "version": 1, "settings": { "superusers": ["root"] },
            "roles": [
                { "name": "Readers", "members": [{ "principal": "Group:eng" }, { "principal": "User:ann" }] },
                { "name": "Empty" }],
            "acls": [
                acl("Role:Readers", "ALLOW", "payments", "*"), acl("Role:Readers", "DENY", "cards", "*"),
                acl("Group:eng", "ALLOW", "orders", "*"), acl("Role:Gone", "ALLOW", "ledger", "*"),
                acl("User:*", "ALLOW", "public", "*"), acl("User:bob", "ALLOW", "orders", "10.0.0.7")] });
        policy_summary(&policy_from_value(&document).unwrap())
    }

    fn found(text: &str, step: usize) -> Vec<String> {
        let holdings = world();
        let mut finder = Finder::new(&holdings, text);
        while finder.step(&holdings, step) {}
        finder
            .finish(&holdings)
            .into_iter()
            .map(|place| holdings.all[place].principal.to_string())
            .collect()
    }

    #[test]
    fn everybody_is_there_with_the_right_type() {
        let words: Vec<String> = world()
            .all
            .iter()
            .map(|holding| format!("{}: {}", holding.principal, summary(holding)))
            .collect();
        assert_eq!(
            words,
            [
                "User:*: 1 direct ACL, for every user",
                "User:ann: 2 ACLs via 1 role",
                "User:bob: 1 direct ACL, from one host",
                "User:root: Superuser: allowed everything. No ACLs",
                "Group:eng: 1 direct ACL, 2 via 1 role",
                "Role:Empty: No ACLs, no principals",
                "Role:Gone: 1 ACL, no such role",
                "Role:Readers: 2 ACLs, 2 principals",
            ]
        );
        let eng = world()
            .all
            .into_iter()
            .find(|holding| holding.principal.name() == "eng")
            .unwrap();
        assert_eq!(denies(&eng), 1);
    }

    #[test]
    fn a_search_is_over_principals_resources_and_roles() {
        for step in [1, 3, 1000] {
            assert_eq!(found("^user:a", step), ["User:ann"]);
            assert_eq!(found("orders", step), ["User:bob", "Group:eng"]);
            // Through the role.
            assert_eq!(
                found("payments", step),
                ["User:ann", "Group:eng", "Role:Readers"]
            );
            assert_eq!(
                found("readers", step),
                ["User:ann", "Group:eng", "Role:Readers"]
            );
            assert_eq!(found("led(ger", step), [""; 0]);
            assert_eq!(found("", step).len(), 8);
        }
    }

    #[test]
    fn an_address_leads_back_to_what_was_asked() {
        let wanted = ListQuery {
            search: "a&b=ü".into(),
            kind: PrincipalKind::Groups,
            with: AccessFilter::Deny,
            page: 2,
        };
        let address = wanted.address();
        assert_eq!(
            address,
            "/security/permissions?search=a%26b%3D%C3%BC&type=group&with=deny&page=3"
        );
        assert_eq!(
            ListQuery::from_query(address.split_once('?').unwrap().1),
            wanted
        );
        assert_eq!(ListQuery::default().address(), address::PERMISSIONS);
        assert_eq!(
            ListQuery::from_query("type=what&page=x"),
            ListQuery::default()
        );
    }

    #[test]
    fn addresses_of_the_platform_lead_to_the_list() {
        let of = |path, query| ListQuery::of_platform(path, query).map(|query| query.address());
        let list = |rest: &str| Some(format!("{}{rest}", address::PERMISSIONS));
        assert_eq!(of("/security/users", ""), list("?type=user"));
        assert_eq!(of("/security/users/", "q=al"), list("?search=al&type=user"));
        assert_eq!(
            of("/security/users/a%2Fb/details", ""),
            list("?search=%5EUser%3Aa%2Fb%24")
        );
        assert_eq!(
            of("/security/users/Group%3Aeng/details", ""),
            list("?search=%5EGroup%3Aeng%24")
        );
        assert_eq!(
            of("/security/acls", "search=orders"),
            list("?search=orders")
        );
        assert_eq!(of("/security/permissions-list", ""), list(""));
        assert_eq!(
            (
                of("/security", ""),
                of("/users", ""),
                of("/security/user", "")
            ),
            (None, None, None)
        );
    }
}
