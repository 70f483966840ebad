//! The roles of the Data Plane API: bodies and queries (specification 2.5, 4.2, D-21).

use std::collections::BTreeSet;

use gbac_engine::escape::escaped;
use gbac_engine::model::{Principal, PrincipalError, Role, check_member, check_role_name};
use gbac_engine::policy::Policy;
use serde::{Deserialize, Serialize};

use crate::paging::{Page, Parameters};
use crate::problem::{FieldViolation, MAX_VIOLATIONS};
use crate::wire::or_default;

/// The most characters of a name filter.
const MAX_FILTER_CHARS: usize = 128;
/// What is wrong with a token that no page can have.
const NO_TOKEN: &str = "is not the token of a page";

/// A role by its name; the request body of POST.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct RoleName {
    /// The name.
    #[serde(deserialize_with = "or_default")]
    pub name: String,
}

/// A member of a role.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(default)]
pub struct Member {
    /// `User:<name>` or `Group:<name>`.
    #[serde(deserialize_with = "or_default")]
    pub principal: String,
}

impl From<&Principal> for Member {
    fn from(principal: &Principal) -> Self {
        Self {
            principal: principal.to_string(),
        }
    }
}

/// The response of POST.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CreatedRole {
    /// The role.
    pub role: RoleName,
}

/// The response of GET: sorted names.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ListRoles {
    /// The roles of this page.
    pub roles: Vec<RoleName>,
    /// The token of the next page; empty if there is none.
    pub next_page_token: String,
}

/// The response of GET for one role.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GetRole {
    /// The role.
    pub role: RoleName,
    /// Its members, users first.
    #[serde(default)]
    pub members: Vec<Member>,
}

impl From<&Role> for GetRole {
    fn from(role: &Role) -> Self {
        Self {
            role: RoleName {
                name: role.name.clone(),
            },
            members: role.members.iter().map(Member::from).collect(),
        }
    }
}

/// The request body of PUT: the members to add and remove.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct UpdateRole {
    /// Whether to create the role if it does not exist. A new role has no members to remove.
    #[serde(deserialize_with = "or_default")]
    pub create: bool,
    /// The members to add.
    #[serde(deserialize_with = "or_default")]
    pub add: Vec<Member>,
    /// The members to remove.
    #[serde(deserialize_with = "or_default")]
    pub remove: Vec<Member>,
}

/// The parsed members to add and remove.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Membership {
    /// The members to add, in the given order.
    pub add: Vec<Principal>,
    /// The members to remove, in the given order.
    pub remove: Vec<Principal>,
}

impl UpdateRole {
    /// Parses the members. Every possible member can be removed (D-27).
    ///
    /// # Errors
    /// The errors, by field, including principals in both lists, up to [`MAX_VIOLATIONS`] for each
    /// list.
    pub fn members(&self) -> Result<Membership, Vec<FieldViolation>> {
        let mut faults = Vec::new();
        let add = read_members(&self.add, "add", MemberAction::Add, &mut faults);
        let remove = read_members(&self.remove, "remove", MemberAction::Remove, &mut faults);
        if let Some(both) = first_of_both(&add, &remove) {
            let text = format!(
                "Conflict between 'add' and 'remove' lists: `{}`",
                escaped(&both.to_string())
            );
            faults.push(FieldViolation::new("remove", text));
        }
        if faults.is_empty() {
            Ok(Membership { add, remove })
        } else {
            Err(faults)
        }
    }
}

/// The first member that is in both lists.
pub(crate) fn first_of_both<'m>(
    add: &'m [Principal],
    remove: &[Principal],
) -> Option<&'m Principal> {
    let remove: BTreeSet<&Principal> = remove.iter().collect();
    add.iter().find(|member| remove.contains(member))
}

fn read_members(
    list: &[Member],
    name: &str,
    action: MemberAction,
    faults: &mut Vec<FieldViolation>,
) -> Vec<Principal> {
    let mut principals = Vec::new();
    let before = faults.len();
    for (place, member) in list.iter().enumerate() {
        match read_member(member, action) {
            Ok(principal) => principals.push(principal),
            Err(text) => {
                let field = format!("{name}[{place}].principal");
                faults.push(FieldViolation::new(field, text));
            }
        }
        if faults.len() - before == MAX_VIOLATIONS {
            break;
        }
    }
    principals
}

fn read_member(member: &Member, action: MemberAction) -> Result<Principal, String> {
    let principal = parse_principal(&member.principal)?;
    check_member_action(&principal, action)?;
    Ok(principal)
}

/// Parses a principal; an error is a sentence.
pub(crate) fn parse_principal(text: &str) -> Result<Principal, String> {
    Principal::parse(text).map_err(|error| format!("{error}; {}", error.hint()))
}

/// Whether a member is added or removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MemberAction {
    /// The member is added.
    Add,
    /// The member is removed; every possible member can be removed (D-27).
    Remove,
}

/// Checks a member to add or remove.
///
/// # Errors
/// The error and the recommended correction.
pub fn check_member_action(member: &Principal, action: MemberAction) -> Result<(), String> {
    match action {
        MemberAction::Add => {
            check_member(member).map_err(|error| format!("{error}; {}", error.hint()))
        }
        MemberAction::Remove if member.name().is_empty() => {
            let error = PrincipalError::EmptyName(member.kind());
            Err(format!("{error}; {}", error.hint()))
        }
        MemberAction::Remove => Ok(()),
    }
}

/// Checks the name of a role to create (D-28).
///
/// # Errors
/// The error of the field.
pub fn check_name(field: &str, name: &str) -> Result<(), FieldViolation> {
    check_role_name(name)
        .map_err(|error| FieldViolation::new(field, format!("{error}; {}", error.hint())))
}

/// The response of PUT: the actual changes.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct UpdatedRole {
    /// The role's name.
    pub role_name: String,
    /// The added members.
    pub added: Vec<Member>,
    /// The removed members.
    pub removed: Vec<Member>,
}

/// The response of GET for the members of one role.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ListMembers {
    /// The role's name.
    pub role_name: String,
    /// The members of this page, users first.
    pub members: Vec<Member>,
    /// The token of the next page; empty if there is none.
    pub next_page_token: String,
}

/// The query of roles.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RoleQuery {
    /// The beginning of the name.
    pub name_prefix: String,
    /// A part of the name.
    pub name_contains: String,
    /// A member.
    pub principal: Option<Principal>,
    /// The page.
    pub page: Page,
}

impl RoleQuery {
    /// Parses the query of GET.
    ///
    /// # Errors
    /// All errors, by parameter. Principals have no length limit (D-21).
    pub fn from_query(pairs: &[(String, String)]) -> Result<Self, Vec<FieldViolation>> {
        let mut from = Parameters::from_pairs(pairs);
        let name_prefix = name_filter(&mut from, "filter.name_prefix", true);
        let name_contains = name_filter(&mut from, "filter.name_contains", true);
        let principal = from.read("filter.principal", parse_principal);
        let page = Page::read(&mut from);
        if !page.token.is_empty() && check_role_name(&page.token).is_err() {
            from.refuse("page_token", NO_TOKEN);
        }
        from.finish(Self {
            name_prefix,
            name_contains,
            principal,
            page,
        })
    }

    /// The matching roles from the page's token on, sorted by name. The cost depends only on the
    /// size of the page, because roles are looked up by name.
    pub fn page_of_names<'a>(&'a self, policy: &'a Policy) -> impl Iterator<Item = &'a str> {
        let token = self.page.token.as_str();
        let from = token.max(&self.name_prefix);
        let names: Box<dyn Iterator<Item = &'a str> + 'a> = match &self.principal {
            None => Box::new(policy.role_names_from(from)),
            Some(member) => Box::new(policy.roles_of(member).skip_while(move |name| *name < from)),
        };
        names
            .filter(move |name| token.is_empty() || *name > token)
            .take_while(|name| name.starts_with(&self.name_prefix))
            .filter(|name| name.contains(&self.name_contains))
    }

    pub(crate) fn pairs(&self) -> Vec<(&'static str, String)> {
        let mut pairs = Vec::new();
        if !self.name_prefix.is_empty() {
            pairs.push(("filter.name_prefix", self.name_prefix.clone()));
        }
        if !self.name_contains.is_empty() {
            pairs.push(("filter.name_contains", self.name_contains.clone()));
        }
        if let Some(principal) = &self.principal {
            pairs.push(("filter.principal", principal.to_string()));
        }
        pairs.extend(self.page.pairs());
        pairs
    }
}

/// The query of members.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MemberQuery {
    /// A part of the member's `Type:name`.
    pub name_contains: String,
    /// The page.
    pub page: Page,
}

impl MemberQuery {
    /// Parses the query of GET.
    ///
    /// # Errors
    /// All errors, by parameter.
    pub fn from_query(pairs: &[(String, String)]) -> Result<Self, Vec<FieldViolation>> {
        let mut from = Parameters::from_pairs(pairs);
        let name_contains = name_filter(&mut from, "filter.name_contains", false);
        let page = Page::read(&mut from);
        if !page.token.is_empty() && Principal::parse(&page.token).is_err() {
            from.refuse("page_token", NO_TOKEN);
        }
        from.finish(Self {
            name_contains,
            page,
        })
    }

    /// The last member of the previous page.
    #[must_use]
    pub fn after(&self) -> Option<Principal> {
        Principal::parse(&self.page.token).ok()
    }

    pub(crate) fn pairs(&self) -> Vec<(&'static str, String)> {
        let mut pairs = Vec::new();
        if !self.name_contains.is_empty() {
            pairs.push(("filter.name_contains", self.name_contains.clone()));
        }
        pairs.extend(self.page.pairs());
        pairs
    }
}

fn name_filter(from: &mut Parameters<'_>, name: &'static str, of_roles: bool) -> String {
    let text = from.take(name).unwrap_or_default();
    if text.chars().count() > MAX_FILTER_CHARS {
        from.refuse(
            name,
            format!("is longer than {MAX_FILTER_CHARS} characters"),
        );
    } else if of_roles && text.contains([',', '=']) {
        from.refuse(name, "holds `,` or `=`, which no role name has");
    }
    text.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::encode::parse_query;

    fn member(principal: &str) -> Member {
        Member {
            principal: principal.into(),
        }
    }

    #[test]
    fn members_are_checked_all_at_once() {
        let update = UpdateRole {
            create: false,
            add: vec![
                member("Group:a"),
                member("bob"),
                member("Role:x"),
                member("Group:*"),
            ],
            remove: vec![member("Group:*"), member("Group:a"), member("x")],
        };
        let faults: Vec<String> = update
            .members()
            .unwrap_err()
            .into_iter()
            .map(|fault| fault.field)
            .collect();
        assert_eq!(
            faults,
            [
                "add[1].principal",
                "add[2].principal",
                "add[3].principal",
                "remove[2].principal",
                "remove"
            ]
        );
        let many = UpdateRole {
            add: vec![Member::default(); 10 * MAX_VIOLATIONS],
            ..update
        };
        assert_eq!(
            many.members().unwrap_err().len(),
            MAX_VIOLATIONS + 1,
            "the rest of `add` is not checked"
        );
        let update = UpdateRole {
            add: vec![member("Group:/a:b")],
            remove: vec![member("User:*")],
            create: true,
        };
        let members = update.members().unwrap();
        assert_eq!(
            members,
            Membership {
                add: vec![Principal::group("/a:b")],
                remove: vec![Principal::user("*")]
            }
        );
    }

    #[test]
    fn queries_read_back() {
        let query = RoleQuery {
            name_prefix: "A b".into(),
            name_contains: "ü".into(),
            principal: Some(Principal::group("/departments/eng")),
            page: Page {
                size: Some(7),
                token: "x&y".into(),
            },
        };
        let path = crate::paths::roles(&query);
        let (_, text) = path.split_once('?').unwrap();
        assert_eq!(
            RoleQuery::from_query(&parse_query(text).unwrap()).unwrap(),
            query
        );
        assert_eq!(RoleQuery::from_query(&[]).unwrap(), RoleQuery::default());

        let query = MemberQuery {
            name_contains: "a,b".into(),
            page: Page {
                size: None,
                token: "User:x".into(),
            },
        };
        let path = crate::paths::role_members("r", &query);
        let (_, text) = path.split_once('?').unwrap();
        assert_eq!(
            MemberQuery::from_query(&parse_query(text).unwrap()).unwrap(),
            query
        );
        assert_eq!(query.after(), Some(Principal::user("x")));
    }

    #[test]
    fn filters_have_a_small_grammar() {
        let fields = |query: &str| -> Vec<String> {
            let faults = RoleQuery::from_query(&parse_query(query).unwrap()).unwrap_err();
            faults.into_iter().map(|fault| fault.field).collect()
        };
        assert_eq!(
            fields("filter.name_prefix=a,b&filter.name_contains=a%3Db"),
            ["filter.name_prefix", "filter.name_contains"]
        );
        assert_eq!(
            fields(&format!("filter.name_contains={}", "x".repeat(129))),
            ["filter.name_contains"]
        );
        assert_eq!(fields("filter.principal=eng"), ["filter.principal"]);
        let long = format!("filter.principal=Group:{}", "x".repeat(1000));
        assert!(RoleQuery::from_query(&parse_query(&long).unwrap()).is_ok());
    }
}
