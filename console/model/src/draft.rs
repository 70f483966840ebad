//! The draft's rules: how a change joins those that are staged. What it undoes or makes unnecessary
//! goes, and equal changes stay once.

use gbac_engine::model::{Acl, PrincipalType};
use gbac_engine::policy::{
    Change, ChangeError, ChangeOutcome, GroupSource, Policy, Settings, apply_each,
};

use crate::failure::Failure;

/// A change that was not sent yet, or was refused.
#[derive(Debug, Clone, PartialEq)]
pub struct Staged {
    /// The change.
    pub change: Change,
    /// Why the service did not make it when it was sent.
    pub failure: Option<Failure>,
}

/// What a staged change comes to on the policy that was read and the changes before it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ChangeStatus {
    /// It changes something.
    Ready,
    /// The service is so already.
    Done,
    /// It cannot be made any more.
    Impossible(ChangeError),
}

/// The role that a change is about: its own name, members or ACLs.
pub fn role_of(change: &Change) -> Option<&str> {
    match change {
        Change::AddAcl(acl) | Change::RemoveAcl(acl) => {
            (acl.principal.kind() == PrincipalType::Role).then(|| acl.principal.name())
        }
        Change::CreateRole(name) | Change::DeleteRole { name, .. } => Some(name),
        Change::AddMember { role, .. } | Change::RemoveMember { role, .. } => Some(role),
        Change::Settings(_) => None,
    }
}

/// The change with its ACL as a policy holds it, so that equal ones are equal.
pub fn normalized(change: Change) -> Change {
    match change {
        Change::AddAcl(acl) => Change::AddAcl(acl.normalized()),
        Change::RemoveAcl(acl) => Change::RemoveAcl(acl.normalized()),
        other => other,
    }
}

/// What becomes of the staged changes when this one joins them: the places of those that go, from
/// the last to the first, and whether the new one stays.
pub fn stage(staged: &[&Change], change: &Change) -> (Vec<usize>, bool) {
    if let Some(at) = staged.iter().rposition(|old| undoes(change, old)) {
        return (with_dependents(staged, at), false);
    }
    if staged.contains(&change) {
        return (Vec::new(), false);
    }
    let goes: Vec<usize> = (0..staged.len())
        .rev()
        .filter(|at| staged.get(*at).is_some_and(|old| moot(old, change)))
        .collect();
    (goes, true)
}

/// The places of a staged change and of those after it that cannot be made without it, from the
/// last to the first.
pub fn with_dependents(staged: &[&Change], at: usize) -> Vec<usize> {
    let mut places = vec![at];
    if let Some(Change::CreateRole(name)) = staged.get(at).copied() {
        let needs = |old: &Change| {
            let adds = matches!(
                old,
                Change::AddAcl(_) | Change::AddMember { .. } | Change::RemoveMember { .. }
            );
            adds && role_of(old) == Some(name)
        };
        let after = staged
            .iter()
            .enumerate()
            .skip(at + 1)
            .filter(|(_, old)| needs(old));
        places.extend(after.map(|(place, _)| place));
    }
    places.reverse();
    places
}

/// The same, for somebody who takes a staged change out: of an edit, what it removes goes, too.
pub fn with_edit(staged: &[&Change], at: usize) -> Vec<usize> {
    let mut places = with_dependents(staged, at);
    let first = at.saturating_sub(1);
    if at > 0 && !edits(staged.iter().skip(first).take(2).copied()).is_empty() {
        places.push(first);
    }
    places
}

/// An ACL and the one that takes its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AclReplacement<'a> {
    /// The ACL that goes.
    pub from: &'a Acl,
    /// The ACL that comes.
    pub to: &'a Acl,
}

/// The edits among staged changes: an ACL is removed, and the next change adds one of the same
/// principal on the same type of resource.
pub fn edits<'a>(staged: impl Iterator<Item = &'a Change>) -> Vec<AclReplacement<'a>> {
    let mut edits = Vec::new();
    let mut removed: Option<&Acl> = None;
    for change in staged {
        if let (Some(from), Change::AddAcl(to)) = (removed, change)
            && from.principal == to.principal
            && from.resource_type == to.resource_type
        {
            edits.push(AclReplacement { from, to });
        }
        removed = match change {
            Change::RemoveAcl(acl) => Some(acl),
            _ => None,
        };
    }
    edits
}

/// The ACL that takes the place of this one in staged changes.
pub fn edited_to<'a>(staged: &'a [Change], from: &Acl) -> Option<&'a Acl> {
    let edits = edits(staged.iter());
    let edit = edits.into_iter().find(|edit| edit.from == from)?;
    Some(edit.to)
}

/// The ACL whose place this one takes in staged changes.
pub fn edited_from<'a>(staged: &'a [Change], to: &Acl) -> Option<&'a Acl> {
    let edits = edits(staged.iter());
    let edit = edits.into_iter().find(|edit| edit.to == to)?;
    Some(edit.from)
}

/// Whether a change takes a staged one back.
fn undoes(change: &Change, old: &Change) -> bool {
    match (change, old) {
        (Change::AddAcl(new), Change::RemoveAcl(old))
        | (Change::RemoveAcl(new), Change::AddAcl(old)) => new == old,
        (Change::DeleteRole { name, .. }, Change::CreateRole(old)) => name == old,
        (
            Change::AddMember { role, member },
            Change::RemoveMember {
                role: of,
                member: old,
            },
        )
        | (
            Change::RemoveMember { role, member },
            Change::AddMember {
                role: of,
                member: old,
            },
        ) => role == of && member == old,
        _ => false,
    }
}

/// Whether a staged change makes no difference any more once this one is made.
fn moot(old: &Change, change: &Change) -> bool {
    match change {
        Change::Settings(_) => matches!(old, Change::Settings(_)),
        Change::DeleteRole { name, delete_acls } => match old {
            Change::AddMember { role, .. } | Change::RemoveMember { role, .. } => role == name,
            Change::AddAcl(_) | Change::RemoveAcl(_) => *delete_acls && role_of(old) == Some(name),
            Change::DeleteRole { name: other, .. } => other == name,
            Change::CreateRole(_) | Change::Settings(_) => false,
        },
        _ => false,
    }
}

/// Whether the policy is so already.
pub fn is_done(policy: &Policy, change: &Change) -> bool {
    let has = |role: &str, member| policy.roles_of(member).any(|of| of == role);
    match change {
        Change::AddAcl(acl) => policy.has_acl(acl),
        Change::RemoveAcl(acl) => !policy.has_acl(acl),
        Change::CreateRole(_) => false,
        Change::AddMember { role, member } => has(role, member),
        Change::RemoveMember { role, member } => policy.has_role(role) && !has(role, member),
        Change::DeleteRole { name, .. } => !policy.has_role(name),
        Change::Settings(settings) => **settings == *policy.settings(),
    }
}

/// Wanted settings over the present ones: what they left as it was in `base`, from which they were
/// made, stays as it is now.
pub fn rebased(wanted: &Settings, base: &Settings, now: &Settings) -> Settings {
    fn pick<T: Clone + PartialEq>(wanted: &T, base: &T, now: &T) -> T {
        if wanted == base {
            now.clone()
        } else {
            wanted.clone()
        }
    }
    let groups = match (&wanted.groups, &base.groups, &now.groups) {
        (
            GroupSource::Properties { claim_path, nested },
            GroupSource::Properties {
                claim_path: base_path,
                nested: base_nested,
            },
            GroupSource::Properties {
                claim_path: path_now,
                nested: nested_now,
            },
        ) => GroupSource::Properties {
            claim_path: pick(claim_path, base_path, path_now),
            nested: pick(nested, base_nested, nested_now),
        },
        _ => pick(&wanted.groups, &base.groups, &now.groups),
    };
    Settings {
        groups,
        principal_mapping: pick(
            &wanted.principal_mapping,
            &base.principal_mapping,
            &now.principal_mapping,
        ),
        superusers: pick(&wanted.superusers, &base.superusers, &now.superusers),
        access: pick(&wanted.access, &base.access, &now.access),
        dialect: pick(&wanted.dialect, &base.dialect, &now.dialect),
        kafka_version: pick(
            &wanted.kafka_version,
            &base.kafka_version,
            &now.kafka_version,
        ),
        stated: wanted.stated,
    }
}

/// Applies the changes one after the other, and returns the result of each.
pub fn apply(policy: &mut Policy, changes: &[Change]) -> Vec<ChangeStatus> {
    let status = |effect| match effect {
        ChangeOutcome::Changed => ChangeStatus::Ready,
        ChangeOutcome::Unchanged => ChangeStatus::Done,
        ChangeOutcome::Refused(error) => ChangeStatus::Impossible(error),
    };
    apply_each(policy, changes)
        .into_iter()
        .map(status)
        .collect()
}

#[cfg(test)]
mod tests {
    use gbac_engine::claim_path::ClaimPath;
    use gbac_engine::groups::NestedGroupBehavior;
    use gbac_engine::model::{
        Acl, Host, Operation, PatternType, Permission, Principal, ResourceType,
    };

    use super::*;

    fn acl(role: &str, name: &str) -> Acl {
        Acl {
            resource_type: ResourceType::Topic,
            resource_name: name.into(),
            pattern_type: PatternType::Literal,
            principal: Principal::role(role),
            host: Host::Any,
            operation: Operation::Read,
            permission: Permission::Allow,
        }
    }

    fn member(role: &str, name: &str) -> Change {
        Change::AddMember {
            role: role.into(),
            member: Principal::group(name),
        }
    }

    fn delete(role: &str) -> Change {
        Change::DeleteRole {
            name: role.into(),
            delete_acls: true,
        }
    }

    /// Stages the changes one after the other.
    fn staged(changes: &[Change]) -> Vec<Change> {
        let mut all: Vec<Change> = Vec::new();
        for change in changes {
            let (goes, stays) = stage(&all.iter().collect::<Vec<_>>(), change);
            for at in goes {
                all.remove(at);
            }
            if stays {
                all.push(change.clone());
            }
        }
        all
    }

    #[test]
    fn what_undoes_a_staged_change_removes_it_and_stays_out() {
        let (add, remove) = (
            Change::AddAcl(acl("R", "a")),
            Change::RemoveAcl(acl("R", "a")),
        );
        assert_eq!(staged(&[add.clone(), remove.clone()]), []);
        assert_eq!(staged(&[remove.clone(), add.clone()]), []);
        assert_eq!(
            staged(&[add.clone(), add.clone()]),
            std::slice::from_ref(&add)
        );
        let leave = Change::RemoveMember {
            role: "R".into(),
            member: Principal::group("eng"),
        };
        assert_eq!(
            staged(&[member("R", "eng"), member("S", "eng"), leave]),
            [member("S", "eng")]
        );
        let other = Change::RemoveAcl(acl("R", "b"));
        assert_eq!(staged(&[add.clone(), other.clone()]), [add, other]);
    }

    #[test]
    fn an_acl_that_another_replaces_is_one_edit() {
        let (old, new) = (acl("R", "a"), acl("R", "b"));
        let [remove, add] = [Change::RemoveAcl(old.clone()), Change::AddAcl(new.clone())];
        let pair = [member("R", "eng"), remove.clone(), add.clone()];
        assert_eq!(edited_to(&pair, &old), Some(&new));
        assert_eq!(edited_from(&pair, &new), Some(&old));
        assert_eq!(edited_to(&pair, &new), None);
        let of_another = Change::AddAcl(acl("S", "b"));
        for apart in [
            [add.clone(), remove.clone(), delete("S")],
            [remove.clone(), member("R", "eng"), add],
            [remove.clone(), of_another, remove],
        ] {
            assert!(edits(apart.iter()).is_empty(), "{apart:?}");
        }
    }

    #[test]
    fn a_role_that_is_not_created_after_all_takes_what_needs_it_along() {
        let create = Change::CreateRole("R".into());
        let others = [member("S", "eng"), Change::RemoveAcl(acl("R", "ghost"))];
        let mut all = vec![
            others[0].clone(),
            create.clone(),
            member("R", "eng"),
            Change::AddAcl(acl("R", "a")),
        ];
        all.push(others[1].clone());
        assert_eq!(
            with_dependents(&all.iter().collect::<Vec<_>>(), 1),
            [3, 2, 1]
        );
        all.push(delete("R"));
        assert_eq!(staged(&all), others);
    }

    #[test]
    fn a_deletion_makes_earlier_edits_of_the_role_moot() {
        let edits = [
            member("R", "eng"),
            Change::RemoveAcl(acl("R", "a")),
            member("S", "eng"),
            delete("R"),
        ];
        assert_eq!(staged(&edits), [member("S", "eng"), delete("R")]);
        assert_eq!(staged(&[delete("R"), delete("R")]), [delete("R")]);
        // An empty role of the same name in its place, and that one taken back.
        let again = [
            delete("R"),
            Change::CreateRole("R".into()),
            member("R", "eng"),
        ];
        assert_eq!(staged(&again), again);
        assert_eq!(
            staged(&[&again[..], &[delete("R")]].concat()),
            [delete("R")]
        );
    }

    #[test]
    fn the_last_settings_count() {
        let settings = |superuser: &str| {
            let mut settings = gbac_engine::policy::Settings::default();
            settings.superusers.insert(superuser.into());
            Change::Settings(Box::new(settings))
        };
        assert_eq!(staged(&[settings("a"), settings("b")]), [settings("b")]);
    }

    #[test]
    fn settings_that_a_draft_leaves_alone_follow_the_service() {
        let base = Settings::default();
        let with = |nested, superuser: &str| {
            let mut settings = base.clone();
            if let GroupSource::Properties { nested: held, .. } = &mut settings.groups {
                *held = nested;
            }
            settings.superusers.insert(superuser.into());
            settings
        };
        let wanted = Settings {
            superusers: base.superusers.clone(),
            ..with(NestedGroupBehavior::Suffix, "")
        };
        // Another administrator adds a superuser, and changes the claim path beside the nested
        // names.
        let mut now = with(NestedGroupBehavior::None, "root");
        if let GroupSource::Properties { claim_path, .. } = &mut now.groups {
            *claim_path = ClaimPath::parse("$.roles").unwrap();
        }
        let rebased = rebased(&wanted, &base, &now);
        assert!(rebased.superusers.contains("root"));
        let GroupSource::Properties { claim_path, nested } = &rebased.groups else {
            panic!("properties")
        };
        assert_eq!(
            (claim_path.as_str(), *nested),
            ("$.roles", NestedGroupBehavior::Suffix)
        );
        assert_eq!(super::rebased(&wanted, &base, &base), wanted);
        // What both changed is what the draft says; the review shows what it replaces.
        let theirs = with(NestedGroupBehavior::None, "root");
        let mine = with(NestedGroupBehavior::None, "me");
        assert_eq!(super::rebased(&mine, &base, &theirs), mine);
    }

    #[test]
    fn each_change_says_what_it_comes_to() {
        let mut policy = Policy::default();
        let changes = [
            member("R", "eng"),
            Change::CreateRole("R".into()),
            member("R", "eng"),
            member("R", "eng"),
            Change::CreateRole("R".into()),
        ];
        let unknown = ChangeStatus::Impossible(ChangeError::UnknownRole("R".into()));
        let exists = ChangeStatus::Impossible(ChangeError::RoleExists("R".into()));
        assert_eq!(
            apply(&mut policy, &changes),
            [
                unknown,
                ChangeStatus::Ready,
                ChangeStatus::Ready,
                ChangeStatus::Done,
                exists
            ]
        );
        assert!(is_done(&policy, &member("R", "eng")) && !is_done(&policy, &member("R", "ops")));
        assert!(is_done(&policy, &delete("S")) && !is_done(&policy, &delete("R")));
        assert!(is_done(&policy, &Change::RemoveAcl(acl("R", "a"))));
    }
}
