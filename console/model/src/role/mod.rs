//! One role: its ACLs and members, stored and in the draft, with their findings.

pub mod acl_edit;
pub mod acl_form;
pub mod cover;
pub mod members;
pub mod preset;

use gbac_analysis::{FindingCode, NameIndex, ReachSubject, Scope, acl_counts, lint_roles, reach};
use gbac_engine::model::{Acl, Permission, Principal, PrincipalType};
use gbac_engine::policy::{Change, Policy};
use gbac_words::phrases::count;

use crate::draft::{Staged, edits};
use crate::names::remarks;
pub use crate::roles::RowStatus;
use crate::roles::acls_of;

/// One ACL of the role.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct AclRow {
    /// The ACL.
    pub acl: Acl,
    /// Whether it is on the service.
    pub status: RowStatus,
    /// Its finding, in a few words and in one sentence.
    pub remark: Option<(Remark, String)>,
    /// Why the service did not add or remove it.
    pub failure: Option<String>,
    /// The ACL whose place it takes, where the draft edits one.
    pub edited_from: Option<Acl>,
}

/// A finding for an ACL of a role.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Remark {
    /// Another ACL covers all of it.
    AddsNothing,
    /// A deny blocks all of it.
    NeverAllows,
    /// It is a deny that blocks this number of allows of the role.
    Overrides(usize),
    /// It could not be created today, or has no effect.
    Odd,
}

impl Remark {
    /// The label of the remark.
    pub fn label(&self) -> String {
        match self {
            Self::AddsNothing => "Redundant".into(),
            Self::NeverAllows => "Never allows: a deny overrides it".into(),
            Self::Overrides(allows) => format!("Overrides {}", count(*allows, "allow")),
            Self::Odd => "Check this".into(),
        }
    }
}

/// One member of the role.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct MemberRow {
    /// The member.
    pub principal: Principal,
    /// Whether it is on the service.
    pub status: RowStatus,
    /// The names of its other roles, as they will be.
    pub other_roles: Vec<String>,
    /// How many ACLs name it without a role.
    pub direct_acls: usize,
    /// The findings for its name, each without a final period.
    pub remarks: Vec<String>,
    /// Why the service did not add or remove it.
    pub failure: Option<String>,
}

/// What is in one of two ordered lists or both.
fn merged<T: Ord>(before: Vec<T>, after: Vec<T>) -> Vec<(T, RowStatus)> {
    let (mut before, mut after) = (before.into_iter().peekable(), after.into_iter().peekable());
    let mut merged = Vec::new();
    loop {
        let order = match (before.peek(), after.peek()) {
            (None, None) => return merged,
            (Some(_), None) => std::cmp::Ordering::Less,
            (None, Some(_)) => std::cmp::Ordering::Greater,
            (Some(old), Some(new)) => old.cmp(new),
        };
        let (taken, status) = match order {
            std::cmp::Ordering::Less => (before.next(), RowStatus::Removed),
            std::cmp::Ordering::Greater => (after.next(), RowStatus::Added),
            std::cmp::Ordering::Equal => {
                before.next();
                (after.next(), RowStatus::Stored)
            }
        };
        merged.extend(taken.map(|taken| (taken, status)));
    }
}

fn failure(staged: &[Staged], is: impl Fn(&Change) -> bool) -> Option<String> {
    staged
        .iter()
        .find(|staged| is(&staged.change))?
        .failure
        .as_ref()
        .map(ToString::to_string)
}

/// The ACLs of a role in order of their fields: those that are, and those that will be.
pub fn acl_rows(before: &Policy, after: &Policy, role: &str, staged: &[Staged]) -> Vec<AclRow> {
    let mut rows: Vec<AclRow> = merged(acls_of(before, role), acls_of(after, role))
        .into_iter()
        .map(|(acl, status)| {
            let failure = failure(
                staged,
                |change| matches!(change, Change::AddAcl(of) | Change::RemoveAcl(of) if *of == acl),
            );
            AclRow {
                acl,
                status,
                remark: None,
                failure,
                edited_from: None,
            }
        })
        .collect();
    join_edits(&mut rows, staged);
    for finding in lint_roles(after, [role]) {
        let Some(acl) = finding.acls.first() else {
            continue;
        };
        let remark = if finding.code == FindingCode::AclCovered {
            Remark::AddsNothing
        } else if finding.code == FindingCode::AclUnreachable {
            Remark::NeverAllows
        } else {
            Remark::Odd
        };
        let about = rows
            .iter_mut()
            .filter(|row| row.acl == *acl && row.status != RowStatus::Removed);
        about.for_each(|row| row.remark = Some((remark.clone(), finding.message.clone())));
    }
    let is_deny = |row: &&mut AclRow| {
        row.acl.permission == Permission::Deny
            && row.status != RowStatus::Removed
            && row.remark.is_none()
    };
    if rows
        .iter()
        .any(|row| row.acl.permission == Permission::Deny)
    {
        let found = reach(
            after,
            &ReachSubject::Scope(Scope::One(Principal::role(role))),
        );
        for row in rows.iter_mut().filter(is_deny) {
            let allows = found.blocked(&row.acl).count();
            let message = "the deny overrides these allows on the same names";
            row.remark = (allows > 0).then(|| (Remark::Overrides(allows), message.to_owned()));
        }
    }
    rows
}

/// Makes one row of an ACL and of the one that takes its place in the draft.
fn join_edits(rows: &mut Vec<AclRow>, staged: &[Staged]) {
    for edit in edits(staged.iter().map(|staged| &staged.change)) {
        let place = |status: RowStatus, acl: &Acl| {
            rows.iter()
                .position(|row| row.status == status && row.acl == *acl)
        };
        let (Some(old), Some(new)) = (
            place(RowStatus::Removed, edit.from),
            place(RowStatus::Added, edit.to),
        ) else {
            continue;
        };
        let failure = rows.get(old).and_then(|row| row.failure.clone());
        if let Some(row) = rows.get_mut(new) {
            row.edited_from = Some(edit.from.clone());
            row.failure = row.failure.take().or(failure);
        }
        rows.remove(old);
    }
}

/// The members of a role, groups first: those that are, and those that will be.
pub fn member_rows(
    before: &Policy,
    after: &Policy,
    role: &str,
    staged: &[Staged],
) -> Vec<MemberRow> {
    let members = |policy: &Policy| -> Vec<Principal> {
        policy
            .role(role)
            .map(|role| role.members.into_iter().collect())
            .unwrap_or_default()
    };
    let mut all = merged(members(before), members(after));
    all.sort_by(|(a, _), (b, _)| {
        let key = |member: &Principal| member.kind() != PrincipalType::Group;
        key(a).cmp(&key(b)).then_with(|| a.name().cmp(b.name()))
    });
    let counts = acl_counts(after, all.iter().map(|(member, _)| member));
    let known = NameIndex::near_to(after, all.iter().map(|(member, _)| member));
    all.into_iter()
        .zip(counts)
        .map(|((member, status), direct_acls)| MemberRow {
            status,
            direct_acls,
            remarks: if status == RowStatus::Removed { Vec::new() } else { remarks(after, &known, &member) },
            other_roles: after.roles_of(&member).filter(|other| *other != role).map(str::to_owned).collect(),
            failure: failure(staged, |change| {
                matches!(change, Change::AddMember { role: of, member: who } | Change::RemoveMember { role: of, member: who }
                    if of == role && *who == member)
            }),
            principal: member,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use std::slice::from_ref;

    use gbac_json::policy_from_value;
    use serde_json::json;

    use super::*;
    use crate::failure::Failure;

    fn policy() -> Policy {
        let acl = |principal: &str, operation: &str, permission: &str| {
            json!({ "resource_type": "RESOURCE_TYPE_TOPIC", "resource_name": "b",
                "resource_pattern_type": "RESOURCE_PATTERN_TYPE_LITERAL", "principal": principal, "host": "*",
                "operation": operation, "permission_type": permission })
        };
        policy_from_value(&json!({ "version": 1,
            "acls": [acl("Role:R", "OPERATION_WRITE", "PERMISSION_TYPE_ALLOW"),
                     acl("Role:R", "OPERATION_DESCRIBE", "PERMISSION_TYPE_ALLOW"),
                     acl("Group:eng", "OPERATION_READ", "PERMISSION_TYPE_ALLOW")],
            "roles": [{ "name": "R", "members": [{ "principal": "User:ann" }, { "principal": "Group:eng" }] },
                      { "name": "S", "members": [{ "principal": "Group:eng" }] }] }))
        .unwrap()
    }

    fn after(changes: &[Change]) -> Policy {
        let mut policy = policy();
        for change in changes {
            policy.apply(change.clone()).unwrap();
        }
        policy
    }

    #[test]
    fn rows_hold_what_is_and_what_will_be() {
        let stored = acls_of(&policy(), "R");
        let write = stored
            .iter()
            .find(|acl| acl.operation == gbac_engine::model::Operation::Write)
            .unwrap()
            .clone();
        let new = Acl {
            resource_name: "a".into(),
            ..write.clone()
        };
        let changes = [
            Change::RemoveAcl(write.clone()),
            Change::AddAcl(new.clone()),
        ];
        let failed = Staged {
            change: changes[0].clone(),
            failure: Some(Failure::NoAnswer("offline".into())),
        };
        let rows = acl_rows(&policy(), &after(&changes), "R", from_ref(&failed));
        let shown: Vec<_> = rows
            .iter()
            .map(|row| (row.acl.resource_name.as_str(), row.status))
            .collect();
        assert_eq!(
            shown,
            [
                ("a", RowStatus::Added),
                ("b", RowStatus::Removed),
                ("b", RowStatus::Stored)
            ]
        );
        let removed = rows
            .iter()
            .find(|row| row.status == RowStatus::Removed)
            .unwrap();
        assert_eq!(removed.failure.as_deref(), Some("can't reach the service"));
        assert!(rows.iter().all(|row| row.remark.is_none()));

        // Both together are one edit, and one row.
        let both = changes.clone().map(|change| Staged {
            change,
            failure: None,
        });
        let rows = acl_rows(&policy(), &after(&changes), "R", &both);
        let shown: Vec<_> = rows
            .iter()
            .map(|row| (&row.acl, row.status, row.edited_from.as_ref()))
            .collect();
        assert_eq!(shown.len(), 2);
        assert_eq!(shown[0], (&new, RowStatus::Added, Some(&write)));
        assert_eq!((shown[1].1, shown[1].2), (RowStatus::Stored, None));
    }

    #[test]
    fn what_is_odd_about_a_row_is_at_the_row() {
        let rows = acl_rows(&policy(), &policy(), "R", &[]);
        let words: Vec<_> = rows
            .iter()
            .map(|row| row.remark.as_ref().map(|(remark, _)| remark.label()))
            .collect();
        assert_eq!(words, [None, Some("Redundant".into())]);

        let write = rows[0].acl.clone();
        let deny = Acl {
            permission: gbac_engine::model::Permission::Deny,
            ..write
        };
        let rows = acl_rows(&policy(), &after(&[Change::AddAcl(deny)]), "R", &[]);
        let remarks: Vec<_> = rows
            .iter()
            .filter_map(|row| row.remark.as_ref().map(|(remark, _)| remark))
            .collect();
        assert!(remarks.contains(&&Remark::Overrides(1)), "{remarks:?}");
    }

    #[test]
    fn members_are_listed_with_what_else_they_hold() {
        let changes = [
            Change::AddMember {
                role: "R".into(),
                member: Principal::group("ops"),
            },
            Change::RemoveMember {
                role: "R".into(),
                member: Principal::user("ann"),
            },
        ];
        let rows = member_rows(&policy(), &after(&changes), "R", &[]);
        let shown: Vec<_> = rows
            .iter()
            .map(|row| (row.principal.to_string(), row.status))
            .collect();
        let expected = [
            ("Group:eng".to_owned(), RowStatus::Stored),
            ("Group:ops".to_owned(), RowStatus::Added),
            ("User:ann".to_owned(), RowStatus::Removed),
        ];
        assert_eq!(shown, expected);
        assert_eq!(
            (rows[0].other_roles.as_slice(), rows[0].direct_acls),
            (["S".to_owned()].as_slice(), 1)
        );
        assert!(member_rows(&policy(), &policy(), "Gone", &[]).is_empty());
    }
}
