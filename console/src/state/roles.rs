//! The list of roles: counts, search, order, and what a deletion takes away.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use gbac_engine::model::{Acl, Permission, Principal, PrincipalType, check_role_name, role_name_warning};
use gbac_engine::policy::Policy;
use regex_lite::{Regex, RegexBuilder};

use super::escape::plain;
use super::near::{self, Difference};

/// One line of the list.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct RoleRow {
    /// The role's name.
    pub name: String,
    /// How many members it has.
    pub principals: usize,
    /// How many of them are groups of the identity provider.
    pub groups: usize,
    /// How many ACLs name it.
    pub acls: usize,
    /// How many of them deny.
    pub denies: usize,
}

/// Every role with its counts, by name; one pass over the ACLs.
#[must_use]
pub fn rows(policy: &Policy) -> Vec<RoleRow> {
    let mut counts: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    for acl in policy.acls().filter(|acl| acl.principal.kind() == PrincipalType::Role) {
        let (acls, denies) = counts.entry(acl.principal.name().to_owned()).or_default();
        *acls += 1;
        *denies += usize::from(acl.permission == Permission::Deny);
    }
    policy
        .roles()
        .map(|role| {
            let (acls, denies) = counts.get(role.name.as_str()).copied().unwrap_or_default();
            RoleRow {
                name: role.name.clone(),
                principals: role.members.len(),
                groups: role.members.iter().filter(|member| member.kind() == PrincipalType::Group).count(),
                acls,
                denies,
            }
        })
        .collect()
}

/// The columns that the list can be sorted by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Column {
    /// The name.
    Name,
    /// The members.
    Principals,
    /// The groups among them.
    Groups,
    /// The ACLs.
    Acls,
}

/// Sorts the list; ties stay in order of the name.
pub fn sort(rows: &mut [RoleRow], column: Column, descending: bool) {
    rows.sort_by(|a, b| {
        let order = match column {
            Column::Name => a.name.cmp(&b.name),
            Column::Principals => a.principals.cmp(&b.principals),
            Column::Groups => a.groups.cmp(&b.groups),
            Column::Acls => a.acls.cmp(&b.acls),
        };
        let order = if descending { order.reverse() } else { order };
        if order == Ordering::Equal { a.name.cmp(&b.name) } else { order }
    });
}

/// A search over names: a regular expression, or plain text when it is none. Letter case does not matter.
#[derive(Debug, Clone)]
pub struct Search {
    text: String,
    pattern: Option<Regex>,
}

impl Search {
    /// Reads what was typed.
    #[must_use]
    pub fn new(text: &str) -> Self {
        Self { text: text.to_lowercase(), pattern: RegexBuilder::new(text).case_insensitive(true).build().ok() }
    }

    /// Whether it is taken as a regular expression.
    #[must_use]
    pub fn is_pattern(&self) -> bool {
        self.pattern.is_some()
    }

    /// Whether a name is found.
    #[must_use]
    pub fn finds(&self, name: &str) -> bool {
        match &self.pattern {
            Some(pattern) => pattern.is_match(name),
            None => name.to_lowercase().contains(&self.text),
        }
    }
}

/// Why a role of this name cannot be created: what was found, then what to do.
#[must_use]
pub fn name_error(policy: &Policy, name: &str) -> Option<String> {
    if let Err(error) = check_role_name(name) {
        return Some(near::fault(&error.to_string(), &error.hint()));
    }
    policy.has_role(name).then(|| "There is a role of this name already".into())
}

/// Why to look at the name again before creating the role.
#[must_use]
pub fn name_warning(policy: &Policy, name: &str) -> Option<String> {
    if name.trim() != name {
        return Some("There is a blank at the edge; it becomes part of the name".into());
    }
    let others = policy.role_names();
    if let Some((other, difference)) = near::find(name, others) {
        let how = match difference {
            Difference::LetterCase => "letter case",
            Difference::Blanks => "blanks",
            Difference::Slash => "a leading slash",
        };
        return Some(format!("The role `{}` is here already and differs in {how} only", plain(other)));
    }
    role_name_warning(name).map(near::sentence)
}

/// What goes when a role is deleted together with its ACLs (D-18).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Loss {
    /// The members, each with its other roles.
    pub members: Vec<(Principal, Vec<String>)>,
    /// The ACLs.
    pub acls: Vec<Acl>,
}

/// What goes when this role is deleted; none when there is no such role.
#[must_use]
pub fn loss(policy: &Policy, name: &str) -> Option<Loss> {
    let role = policy.role(name)?;
    let members = role
        .members
        .iter()
        .map(|member| {
            let others = policy.roles_of(member).filter(|other| *other != name).map(str::to_owned).collect();
            (member.clone(), others)
        })
        .collect();
    Some(Loss { members, acls: acls_of(policy, name) })
}

/// The ACLs of a role, in order of their fields.
#[must_use]
pub fn acls_of(policy: &Policy, name: &str) -> Vec<Acl> {
    policy.acls_of(&Principal::role(name))
}

#[cfg(test)]
mod tests {
    use gbac_engine::wire::policy_from_value;
    use serde_json::json;

    use super::*;

    fn policy() -> Policy {
        let acl = |principal: &str, permission: &str, name: &str| {
            json!({ "resource_type": "RESOURCE_TYPE_TOPIC", "resource_name": name,
                "resource_pattern_type": "RESOURCE_PATTERN_TYPE_LITERAL", "principal": principal, "host": "*",
                "operation": "OPERATION_READ", "permission_type": permission })
        };
        let document = json!({ "version": 1,
            "roles": [
                { "name": "Readers", "members": [{ "principal": "Group:eng" }, { "principal": "User:ann" }] },
                { "name": "Auditors", "members": [{ "principal": "Group:eng" }] },
                { "name": "Empty" }],
            "acls": [
                acl("Role:Readers", "PERMISSION_TYPE_ALLOW", "a"), acl("Role:Readers", "PERMISSION_TYPE_DENY", "b"),
                acl("Group:Readers", "PERMISSION_TYPE_ALLOW", "c"), acl("Role:Gone", "PERMISSION_TYPE_ALLOW", "d")] });
        policy_from_value(&document).unwrap()
    }

    fn names(rows: &[RoleRow]) -> Vec<&str> {
        rows.iter().map(|row| row.name.as_str()).collect()
    }

    #[test]
    fn counts_are_of_the_role_and_of_nothing_of_the_same_name() {
        let rows = rows(&policy());
        assert_eq!(names(&rows), ["Auditors", "Empty", "Readers"]);
        assert_eq!(rows[2], RoleRow { name: "Readers".into(), principals: 2, groups: 1, acls: 2, denies: 1 });
        assert_eq!((rows[1].principals, rows[1].acls), (0, 0));
    }

    #[test]
    fn sorting_keeps_names_in_order() {
        let mut rows = rows(&policy());
        sort(&mut rows, Column::Acls, true);
        assert_eq!(names(&rows), ["Readers", "Auditors", "Empty"]);
        sort(&mut rows, Column::Groups, false);
        assert_eq!(names(&rows), ["Empty", "Auditors", "Readers"]);
        sort(&mut rows, Column::Name, true);
        assert_eq!(names(&rows), ["Readers", "Empty", "Auditors"]);
    }

    #[test]
    fn a_search_is_an_expression_or_else_text() {
        assert!(Search::new("^read").finds("Readers"));
        assert!(!Search::new("^eaders").finds("Readers"));
        let broken = Search::new("a(b");
        assert!(!broken.is_pattern() && broken.finds("xA(Bx") && !broken.finds("ab"));
        assert!(Search::new("").finds("anything"));
    }

    #[test]
    fn a_new_name_is_checked_against_the_others() {
        let policy = policy();
        assert_eq!(name_error(&policy, "Readers").as_deref(), Some("There is a role of this name already"));
        assert!(name_error(&policy, "a,b").is_some_and(|text| text.starts_with("The role name holds `,`")));
        assert_eq!(name_error(&policy, "New"), None);
        assert!(name_warning(&policy, "readers").is_some_and(|text| text.contains("letter case")));
        assert!(name_warning(&policy, "New ").is_some_and(|text| text.contains("blank")));
        assert!(name_warning(&policy, "Zürich").is_some_and(|text| text.contains("ASCII")));
        assert_eq!(name_warning(&policy, "New"), None);
    }

    #[test]
    fn a_loss_is_named() {
        let loss = loss(&policy(), "Readers").unwrap();
        assert_eq!(loss.acls.len(), 2);
        assert_eq!(
            loss.members,
            [(Principal::user("ann"), vec![]), (Principal::group("eng"), vec!["Auditors".into()])]
        );
    }
}
