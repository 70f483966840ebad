//! The changes of a draft that cause an effect.

use gbac_analysis::Scope;
use gbac_engine::model::{Acl, Permission, Principal, PrincipalType};
use gbac_engine::policy::{Change, Policy};

use crate::review::effects::{AffectedHolder, EffectLine, LOSES, overlaps, pattern};

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
    let acls = |policy: &Policy, roles: &[String]| -> Vec<(String, Vec<Acl>)> {
        roles
            .iter()
            .map(|role| (role.clone(), policy.acls_of(&Principal::role(role))))
            .collect()
    };
    let (joined, left) = (
        acls(after, &person.roles_gained),
        acls(before, &person.roles_lost),
    );
    let is_held = |acl: &Acl| match &person.holder {
        holder if Scope::from_principal(&acl.principal) == *holder => true,
        Scope::One(principal) if acl.principal.kind() == PrincipalType::Role => {
            after.roles_of(principal).any(|role| {
                role == acl.principal.name() && !person.roles_gained.iter().any(|of| of == role)
            })
        }
        _ => false,
    };
    let of_line = |line: &EffectLine| {
        let touches = |acl: &Acl| {
            acl.resource_type == line.extent.resource_type
                && overlaps(&line.extent.pattern, &pattern(acl))
        };
        // A loss comes of what a gain does not.
        let (by, not) = match LOSES.contains(&line.effect) {
            true => (Permission::Deny, Permission::Allow),
            false => (Permission::Allow, Permission::Deny),
        };
        let has = |acls: &[Acl], permission| {
            acls.iter()
                .any(|acl| acl.permission == permission && touches(acl))
        };
        let joins = joined
            .iter()
            .filter(|(_, acls)| has(acls, by))
            .map(|(role, _)| EffectReason::Joins(role.clone()));
        let leaves = left
            .iter()
            .filter(|(_, acls)| has(acls, not))
            .map(|(role, _)| EffectReason::Leaves(role.clone()));
        let counts =
            |acl: &Acl, permission| acl.permission == permission && touches(acl) && is_held(acl);
        let added = changes
            .iter()
            .filter(|change| matches!(change, Change::AddAcl(acl) if counts(acl, by)))
            .count();
        let removed = changes
            .iter()
            .filter(|change| matches!(change, Change::RemoveAcl(acl) if counts(acl, not)))
            .count();
        let mut reasons: Vec<EffectReason> = joins.chain(leaves).collect();
        reasons.extend((added > 0).then_some(EffectReason::Added(added)));
        reasons.extend((removed > 0).then_some(EffectReason::Removed(removed)));
        reasons
    };
    person.lines.iter().map(of_line).collect()
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
        let found = effects(&before, &after, &changes, None);
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
