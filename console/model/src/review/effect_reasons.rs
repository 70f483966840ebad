//! The changes of a draft that cause an effect.

use gbac_analysis::Scope;
use gbac_engine::model::{Acl, Permission, Principal, PrincipalType};
use gbac_engine::policy::{Change, Policy};

use crate::review::effects::{AffectedHolder, EffectLine, LOSES, pattern};

/// The reason for an effect, if it is in the draft.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EffectReason {
    /// The principal joins a role.
    Joins(String),
    /// The principal leaves a role.
    Leaves(String),
    /// So many ACLs come, of the holder or a role that it keeps.
    Added(usize),
    /// So many go.
    Removed(usize),
}

/// Why each line of a person is so; of people that are looked at, since it takes a look at the ACLs
/// of their roles.
pub fn reasons(
    before: &Policy,
    after: &Policy,
    changes: &[Change],
    person: &AffectedHolder,
) -> Vec<Vec<EffectReason>> {
    let joined = acls_of(after, &person.roles_gained);
    let left = acls_of(before, &person.roles_lost);
    let mut reasons = Vec::new();
    for line in &person.lines {
        // A loss comes of what a gain does not.
        let (by, not) = match LOSES.contains(&line.effect) {
            true => (Permission::Deny, Permission::Allow),
            false => (Permission::Allow, Permission::Deny),
        };
        let mut of_line = Vec::new();
        for (role, acls) in &joined {
            if acls.iter().any(|acl| is_about(line, acl, by)) {
                of_line.push(EffectReason::Joins(role.clone()));
            }
        }
        for (role, acls) in &left {
            if acls.iter().any(|acl| is_about(line, acl, not)) {
                of_line.push(EffectReason::Leaves(role.clone()));
            }
        }
        let (mut added, mut removed) = (0, 0);
        for change in changes {
            match change {
                Change::AddAcl(acl) if is_about(line, acl, by) && is_held(after, person, acl) => {
                    added += 1;
                }
                Change::RemoveAcl(acl)
                    if is_about(line, acl, not) && is_held(after, person, acl) =>
                {
                    removed += 1;
                }
                _ => {}
            }
        }
        if added > 0 {
            of_line.push(EffectReason::Added(added));
        }
        if removed > 0 {
            of_line.push(EffectReason::Removed(removed));
        }
        reasons.push(of_line);
    }
    reasons
}

fn acls_of(policy: &Policy, roles: &[String]) -> Vec<(String, Vec<Acl>)> {
    roles
        .iter()
        .map(|role| (role.clone(), policy.acls_of(&Principal::role(role))))
        .collect()
}

/// Whether an ACL of this permission is about the names of an effect.
fn is_about(line: &EffectLine, acl: &Acl, permission: Permission) -> bool {
    acl.permission == permission
        && acl.resource_type == line.extent.resource_type
        && line.extent.pattern.overlaps(&pattern(acl))
}

/// Whether an ACL is of the holder, or of a role that it keeps.
fn is_held(after: &Policy, person: &AffectedHolder, acl: &Acl) -> bool {
    match &person.holder {
        holder if Scope::from_principal(&acl.principal) == *holder => true,
        Scope::One(principal) if acl.principal.kind() == PrincipalType::Role => {
            after.roles_of(principal).any(|role| {
                role == acl.principal.name() && !person.roles_gained.iter().any(|of| of == role)
            })
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::review::effects::effects;
    use crate::review::effects::tests::{allow, changed, join, policy};

    #[test]
    fn an_effect_names_the_changes_that_cause_it() {
        let start = [
            Change::CreateRole("R".into()),
            join("R", "leaves"),
            join("R", "stays"),
            allow("R", "ledger-"),
        ];
        let before = policy(&start);
        let changes = [
            Change::RemoveMember {
                role: "R".into(),
                member: Principal::group("leaves"),
            },
            join("R", "joins"),
            allow("R", "refunds-"),
        ];
        let after = changed(&before, &changes);
        let found = effects(&before, &after, &changes, &[]);
        let why = |name: &str| {
            let person = found
                .people
                .iter()
                .find(|person| person.holder.to_string() == name)
                .unwrap();
            reasons(&before, &after, &changes, person).concat()
        };
        assert_eq!(why("Group:leaves"), [EffectReason::Leaves("R".into())]);
        assert_eq!(why("Group:stays"), [EffectReason::Added(1)]);
        assert!(
            why("Group:joins")
                .iter()
                .all(|reason| *reason == EffectReason::Joins("R".into()))
        );
        assert_eq!(why("Role:R"), [EffectReason::Added(1)]);
    }
}
