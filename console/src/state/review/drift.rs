//! What turns one policy into another, change by change: what somebody else did between two reads.

use std::cmp::Ordering;

use gbac_engine::policy::{Change, Policy};

/// The changes that turn one policy into the other: roles, their members, ACLs, then settings.
///
/// A role that went takes its members and ACLs along, as the changes of its deletion say.
#[must_use]
pub fn between(before: &Policy, after: &Policy) -> Vec<Change> {
    let mut changes = Vec::new();
    each(
        before.roles(),
        after.roles(),
        |a, b| a.name.cmp(&b.name),
        |old, new| match (old, new) {
            (Some(old), None) => changes.push(Change::DeleteRole { name: old.name, delete_acls: false }),
            (old, Some(new)) => {
                let role = &new.name;
                if old.is_none() {
                    changes.push(Change::CreateRole(role.clone()));
                }
                let held = old.map(|old| old.members).unwrap_or_default();
                let gone = held.difference(&new.members).cloned();
                changes.extend(gone.map(|member| Change::RemoveMember { role: role.clone(), member }));
                let come = new.members.difference(&held).cloned();
                changes.extend(come.map(|member| Change::AddMember { role: role.clone(), member }));
            }
            (None, None) => {}
        },
    );
    each(before.acls(), after.acls(), Ord::cmp, |old, new| match (old, new) {
        (Some(old), None) => changes.push(Change::RemoveAcl(old)),
        (None, Some(new)) => changes.push(Change::AddAcl(new)),
        _ => {}
    });
    if before.settings() != after.settings() {
        changes.push(Change::Settings(Box::new(after.settings().clone())));
    }
    changes
}

/// Visits what is in two ordered lists, together where it is in both.
fn each<T>(
    before: impl Iterator<Item = T>,
    after: impl Iterator<Item = T>,
    order: impl Fn(&T, &T) -> Ordering,
    mut visit: impl FnMut(Option<T>, Option<T>),
) {
    let (mut before, mut after) = (before.peekable(), after.peekable());
    loop {
        let next = match (before.peek(), after.peek()) {
            (None, None) => return,
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (Some(old), Some(new)) => order(old, new),
        };
        match next {
            Ordering::Less => visit(before.next(), None),
            Ordering::Greater => visit(None, after.next()),
            Ordering::Equal => visit(before.next(), after.next()),
        }
    }
}

#[cfg(test)]
mod tests {
    use gbac_engine::wire::policy_from_value;
    use serde_json::json;

    use super::*;

    #[test]
    fn the_changes_turn_one_policy_into_the_other() {
        let acl = |principal: &str, name: &str| {
            json!({ "resource_type": "RESOURCE_TYPE_TOPIC", "resource_name": name,
                "resource_pattern_type": "RESOURCE_PATTERN_TYPE_LITERAL", "principal": principal, "host": "*",
                "operation": "OPERATION_READ", "permission_type": "PERMISSION_TYPE_ALLOW" })
        };
        let role = |name: &str, members: &[&str]| {
            let members: Vec<_> = members.iter().map(|principal| json!({ "principal": principal })).collect();
            json!({ "name": name, "members": members })
        };
        let before = policy_from_value(&json!({ "version": 1,
            "roles": [role("A", &["Group:a", "Group:b"]), role("B", &["User:x"]), role("C", &[])],
            "acls": [acl("Role:A", "a"), acl("Role:B", "b"), acl("User:x", "c")] }))
        .unwrap();
        let mut after = policy_from_value(&json!({ "version": 1,
            "roles": [role("A", &["Group:b", "Group:c"]), role("C", &[]), role("D", &["User:x"])],
            "acls": [acl("Role:A", "a"), acl("Role:D", "d")] }))
        .unwrap();
        let mut settings = after.settings().clone();
        settings.superusers.insert("root".into());
        after.apply(Change::Settings(Box::new(settings))).unwrap();

        let changes = between(&before, &after);
        assert_eq!(changes.len(), 9, "{changes:?}");
        let mut made = before.clone();
        for change in changes {
            assert_eq!(made.apply(change.clone()), Ok(true), "{change:?}");
        }
        assert_eq!(made, after);
        assert_eq!(between(&after, &made), []);
    }
}
