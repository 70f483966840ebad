//! The list of roles: counts, search, order, pages, and the losses of a deletion.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use gbac_analysis::{Finding, FindingCode, RoleCounts, lint_roles, role_counts};
use gbac_engine::model::{Acl, Principal, PrincipalType, check_role_name, role_name_warning};
use gbac_engine::near::name_difference;
use gbac_engine::policy::{Change, Policy};
use gbac_words::escape::plain;
use gbac_words::pages::roles as words;
use gbac_words::phrases::{self, count};
use regex_lite::{Regex, RegexBuilder};

use crate::draft::role_of;

/// How many roles are on a page.
pub const PAGE: usize = 50;

/// Whether something is on the service, or only in the draft.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum RowStatus {
    /// On the service, and stays.
    Stored,
    /// Not on the service yet.
    Added,
    /// On the service, and goes.
    Removed,
}

/// One line of the list.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct RoleRow {
    /// Its name and counts, as they will be.
    pub counts: RoleCounts,
    /// Whether it is on the service.
    pub status: RowStatus,
    /// How many staged changes are about it.
    pub changes: usize,
}

/// Every role with its counts, by name: those that will be, and those that go.
pub fn rows(before: &Policy, after: &Policy, changes: &[Change]) -> Vec<RoleRow> {
    let mut about: BTreeMap<&str, usize> = BTreeMap::new();
    for name in changes.iter().filter_map(role_of) {
        *about.entry(name).or_default() += 1;
    }
    let mut rows = Vec::new();
    for counts in role_counts(after) {
        let status = if about.is_empty() || before.has_role(&counts.name) {
            RowStatus::Stored
        } else {
            RowStatus::Added
        };
        rows.push(row(counts, status, &about));
    }
    let goes = |name: &str| before.has_role(name) && !after.has_role(name);
    if about.keys().any(|name| goes(name)) {
        for counts in role_counts(before) {
            if goes(&counts.name) {
                rows.push(row(counts, RowStatus::Removed, &about));
            }
        }
        rows.sort_by(|a, b| a.counts.name.cmp(&b.counts.name));
    }
    rows
}

fn row(counts: RoleCounts, status: RowStatus, about: &BTreeMap<&str, usize>) -> RoleRow {
    RoleRow {
        changes: about.get(counts.name.as_str()).copied().unwrap_or_default(),
        counts,
        status,
    }
}

/// The columns that the list can be sorted by.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Column {
    /// The name.
    #[default]
    Name,
    /// The members.
    Principals,
    /// The groups among them.
    Groups,
    /// The ACLs.
    Acls,
}

impl Column {
    /// Every column.
    pub const ALL: [Self; 4] = [Self::Name, Self::Principals, Self::Groups, Self::Acls];

    /// The word in the address.
    pub const fn id(self) -> &'static str {
        match self {
            Self::Name => "name",
            Self::Principals => "principals",
            Self::Groups => "groups",
            Self::Acls => "acls",
        }
    }

    /// Reads the word of an address.
    pub fn from_id(id: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|column| column.id() == id)
    }

    /// The number in it; the name is none.
    const fn number(self, row: &RoleRow) -> usize {
        match self {
            Self::Name => 0,
            Self::Principals => row.counts.members,
            Self::Groups => row.counts.groups,
            Self::Acls => row.counts.acls,
        }
    }
}

/// The places of the roles that a search finds, in order of a column; ties stay in order of the
/// name.
pub fn matching_rows(
    rows: &[RoleRow],
    search: &Search,
    column: Column,
    descending: bool,
) -> Vec<usize> {
    let mut found: Vec<(usize, &RoleRow)> = rows
        .iter()
        .enumerate()
        .filter(|(_, row)| search.finds(&row.counts.name))
        .collect();
    // The rows are in order of the names, and sorting keeps what is equal where it is.
    match column {
        Column::Name if descending => found.reverse(),
        Column::Name => {}
        _ if descending => found.sort_by_key(|(_, row)| Reverse(column.number(row))),
        _ => found.sort_by_key(|(_, row)| column.number(row)),
    }
    found.into_iter().map(|(place, _)| place).collect()
}

/// A search over names: a regular expression, or plain text when it is none. Letter case does not
/// matter.
#[derive(Debug, Clone)]
pub struct Search {
    text: String,
    pattern: Option<Regex>,
    is_broken: bool,
}

impl Search {
    /// Reads what was typed.
    #[must_use]
    pub fn new(text: &str) -> Self {
        // Text without signs is found as text, which is the same and several times faster.
        let has_signs = text.contains([
            '\\', '.', '+', '*', '?', '(', ')', '|', '[', ']', '{', '}', '^', '$',
        ]);
        let pattern = if has_signs {
            RegexBuilder::new(text).case_insensitive(true).build().ok()
        } else {
            None
        };
        Self {
            text: text.to_lowercase(),
            is_broken: has_signs && pattern.is_none(),
            pattern,
        }
    }

    /// Whether it was meant as a regular expression and is none, so that it is taken as plain text.
    pub fn is_broken(&self) -> bool {
        self.is_broken
    }

    /// Whether a name is found.
    pub fn finds(&self, name: &str) -> bool {
        match &self.pattern {
            _ if self.text.is_empty() => true,
            Some(pattern) => pattern.is_match(name),
            None => name.to_lowercase().contains(&self.text),
        }
    }
}

/// The findings of these roles, in a few words for each role that has any.
pub fn marks(policy: &Policy, names: &[String]) -> BTreeMap<String, String> {
    let mut by_role: BTreeMap<String, Vec<FindingCode>> = BTreeMap::new();
    for finding in lint_roles(policy, names.iter().map(String::as_str)) {
        let Some(name) = role_in(&finding) else {
            continue;
        };
        by_role
            .entry(name.to_owned())
            .or_default()
            .push(finding.code);
    }
    by_role
        .into_iter()
        .map(|(name, codes)| (name, mark(&codes)))
        .collect()
}

/// The role that a finding is about.
fn role_in(finding: &Finding) -> Option<&str> {
    let about = match finding.acls.first() {
        Some(acl) => &acl.principal,
        None => finding.principals.first()?,
    };
    (about.kind() == PrincipalType::Role).then(|| about.name())
}

/// The gravest first, and how many more there are.
fn mark(codes: &[FindingCode]) -> String {
    let number = |code: FindingCode| codes.iter().filter(|other| **other == code).count();
    let (never, nothing) = (
        number(FindingCode::AclUnreachable),
        number(FindingCode::AclCovered),
    );
    let both =
        number(FindingCode::RoleWithoutMembers) > 0 && number(FindingCode::RoleWithoutAcls) > 0;
    let told = match (never, nothing) {
        (1.., _) => (format!("{} blocked by a deny", count(never, "ACL")), never),
        (_, 1..) => (format!("{} redundant", count(nothing, "ACL")), nothing),
        _ if both => ("No members, no ACLs".to_owned(), 2),
        _ if number(FindingCode::RoleWithoutMembers) > 0 => ("No members".to_owned(), 1),
        _ if number(FindingCode::RoleWithoutAcls) > 0 => ("No ACLs".to_owned(), 1),
        _ => (count(codes.len(), "finding"), codes.len()),
    };
    match codes.len().saturating_sub(told.1) {
        0 => told.0,
        more => format!("{}, {more} more", told.0),
    }
}

/// Whether nothing was granted or imported yet: there is no ACL and no role.
pub fn is_new(policy: &Policy) -> bool {
    policy.acl_count() == 0 && policy.role_count() == 0
}

/// Why a role of this name cannot be created: what was found, then what to do.
pub fn name_error(policy: &Policy, name: &str) -> Option<String> {
    if let Err(error) = check_role_name(name) {
        return Some(phrases::with_hint(&error.to_string(), &error.hint()));
    }
    if policy.has_role(name) {
        return Some("A role with this name already exists".into());
    }
    mistyped_name(name)
}

/// What the service accepts as the name of a role, but nobody means: with what to write instead.
fn mistyped_name(name: &str) -> Option<String> {
    let trimmed = name.trim();
    if let Some((prefix, rest)) = trimmed.split_once(':') {
        let kinds = PrincipalType::ALL.iter();
        let mut prefixes = kinds.map(|kind| kind.prefix()).chain(["RedpandaRole"]);
        if let Some(prefix) = prefixes.find(|known| known.eq_ignore_ascii_case(prefix)) {
            return Some(words::type_in_name(prefix, &one_spaced(rest)));
        }
    }
    let meant = one_spaced(name);
    if trimmed != name {
        return Some(words::space_at_edge(&meant));
    }
    (meant != name).then(|| words::spaces_in_row(&meant))
}

/// The words of a name with one space between them.
fn one_spaced(name: &str) -> String {
    let words: Vec<&str> = name.split_whitespace().collect();
    words.join(" ")
}

/// Why to look at the name again before creating the role.
pub fn name_warning(policy: &Policy, name: &str) -> Option<String> {
    let near = policy
        .role_names()
        .find_map(|other| Some((other, name_difference(name, other)?)));
    if let Some((other, difference)) = near {
        let how = difference.label();
        return Some(format!(
            "The role `{}` already exists and differs only in {how}",
            plain(other)
        ));
    }
    role_name_warning(name).map(phrases::capitalized)
}

/// What is lost if a role is deleted together with its ACLs (D-18).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RoleDeletion {
    /// The members, each with its other roles.
    pub members: Vec<(Principal, Vec<String>)>,
    /// The ACLs.
    pub acls: Vec<Acl>,
}

/// What is lost if this role is deleted; none if it does not exist.
pub fn deletion(policy: &Policy, name: &str) -> Option<RoleDeletion> {
    let role = policy.role(name)?;
    let members = role
        .members
        .iter()
        .map(|member| {
            let others = policy
                .roles_of(member)
                .filter(|other| *other != name)
                .map(str::to_owned)
                .collect();
            (member.clone(), others)
        })
        .collect();
    Some(RoleDeletion {
        members,
        acls: acls_of(policy, name),
    })
}

/// The ACLs of a role, in order of their fields.
pub fn acls_of(policy: &Policy, name: &str) -> Vec<Acl> {
    policy.acls_of(&Principal::role(name))
}

#[cfg(test)]
mod tests {
    use gbac_json::policy_from_value;
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

    fn names<'a>(rows: &'a [RoleRow], places: &[usize]) -> Vec<&'a str> {
        places
            .iter()
            .map(|place| rows[*place].counts.name.as_str())
            .collect()
    }

    #[test]
    fn counts_are_of_the_role_and_of_nothing_of_the_same_name() {
        let policy = policy();
        let rows = rows(&policy, &policy, &[]);
        assert_eq!(names(&rows, &[0, 1, 2]), ["Auditors", "Empty", "Readers"]);
        let counts = RoleCounts {
            name: "Readers".into(),
            members: 2,
            groups: 1,
            acls: 2,
            denies: 1,
        };
        assert_eq!(
            rows[2],
            RoleRow {
                counts,
                status: RowStatus::Stored,
                changes: 0
            }
        );
        assert_eq!((rows[1].counts.members, rows[1].counts.acls), (0, 0));
    }

    #[test]
    fn the_draft_shows_in_the_rows() {
        let before = policy();
        let mut after = before.clone();
        let changes = [
            Change::CreateRole("New".into()),
            Change::AddMember {
                role: "New".into(),
                member: Principal::group("eng"),
            },
            Change::DeleteRole {
                name: "Readers".into(),
                delete_acls: true,
            },
        ];
        for change in &changes {
            after.apply(change.clone()).unwrap();
        }
        let rows = rows(&before, &after, &changes);
        let shown: Vec<_> = (rows.iter())
            .map(|row| {
                (
                    row.counts.name.as_str(),
                    row.status,
                    row.changes,
                    row.counts.members,
                )
            })
            .collect();
        assert_eq!(
            shown,
            [
                ("Auditors", RowStatus::Stored, 0, 1),
                ("Empty", RowStatus::Stored, 0, 0),
                ("New", RowStatus::Added, 2, 1),
                ("Readers", RowStatus::Removed, 1, 2),
            ]
        );
    }

    #[test]
    fn sorting_keeps_names_in_order() {
        let policy = policy();
        let rows = rows(&policy, &policy, &[]);
        let sorted = |column, descending| {
            names(
                &rows,
                &matching_rows(&rows, &Search::new(""), column, descending),
            )
        };
        assert_eq!(sorted(Column::Acls, true), ["Readers", "Auditors", "Empty"]);
        assert_eq!(
            sorted(Column::Groups, false),
            ["Empty", "Auditors", "Readers"]
        );
        assert_eq!(sorted(Column::Name, true), ["Readers", "Empty", "Auditors"]);
        assert_eq!(
            names(
                &rows,
                &matching_rows(&rows, &Search::new("e.*s$"), Column::Name, false)
            ),
            ["Readers"]
        );
        assert!(
            Column::ALL
                .iter()
                .all(|column| Column::from_id(column.id()) == Some(*column))
        );
    }

    #[test]
    fn a_search_is_an_expression_or_else_text() {
        assert!(Search::new("^read").finds("Readers"));
        assert!(!Search::new("^eaders").finds("Readers"));
        let broken = Search::new("a(b");
        assert!(broken.is_broken() && broken.finds("xA(Bx") && !broken.finds("ab"));
        assert!(Search::new("").finds("anything"));
        assert!(Search::new("ÜR").finds("Zürich") && !Search::new("ead").is_broken());
    }

    #[test]
    fn marks_say_the_gravest_first() {
        let policy = policy();
        let names: Vec<String> = policy.role_names().map(str::to_owned).collect();
        let marks = marks(&policy, &names);
        let shown: Vec<(&str, &str)> = marks
            .iter()
            .map(|(name, mark)| (name.as_str(), mark.as_str()))
            .collect();
        assert_eq!(
            shown,
            [("Auditors", "No ACLs"), ("Empty", "No members, no ACLs")]
        );
        assert_eq!(
            mark(&[
                FindingCode::AclUnreachable,
                FindingCode::AclCovered,
                FindingCode::AclCovered
            ]),
            "1 ACL blocked by a deny, 2 more"
        );
        assert_eq!(
            mark(&[FindingCode::AclCovered, FindingCode::AclCovered]),
            "2 ACLs redundant"
        );
        assert_eq!(mark(&[FindingCode::TopicName]), "1 finding");
    }

    #[test]
    fn a_new_name_is_checked_against_the_others() {
        let policy = policy();
        assert_eq!(
            name_error(&policy, "Readers").as_deref(),
            Some("A role with this name already exists")
        );
        assert!(
            name_error(&policy, "a,b")
                .is_some_and(|text| text.starts_with("The role name contains `,`"))
        );
        assert_eq!(name_error(&policy, "New"), None);
        assert!(name_warning(&policy, "readers").is_some_and(|text| text.contains("letter case")));
        for (name, refused) in [
            ("New ", "The name starts or ends with a space. Write `New`"),
            (
                "Data  team",
                "The name has two spaces in a row. Write `Data team`",
            ),
            (
                "Role:New",
                "`Role:` is not part of the name of a role. Write `New`",
            ),
            (
                " role: New  one",
                "`Role:` is not part of the name of a role. Write `New one`",
            ),
            (
                "Group:eng",
                "`Group:eng` is a principal, not a role. Write the name of the role, and add `Group:eng` as a member on its page",
            ),
            (
                "User:",
                "`User:` is not part of the name of a role. Write the name only",
            ),
            (
                " ",
                "The name starts or ends with a space. Write the name only",
            ),
        ] {
            assert_eq!(
                name_error(&policy, name).as_deref(),
                Some(refused),
                "{name}"
            );
        }
        assert_eq!(name_error(&policy, "team:New one"), None);
        assert!(name_warning(&policy, "Zürich").is_some_and(|text| text.contains("ASCII")));
        assert_eq!(name_warning(&policy, "New"), None);
    }

    #[test]
    fn a_policy_is_new_until_it_has_an_acl_or_a_role() {
        let mut policy = Policy::default();
        assert!(is_new(&policy));
        policy.apply(Change::CreateRole("R".into())).unwrap();
        assert!(!is_new(&policy));
    }

    #[test]
    fn a_deletion_lists_members_and_acls() {
        let deletion = deletion(&policy(), "Readers").unwrap();
        assert_eq!(deletion.acls.len(), 2);
        assert_eq!(
            deletion.members,
            [
                (Principal::user("ann"), vec![]),
                (Principal::group("eng"), vec!["Auditors".into()])
            ]
        );
    }
}
