//! One role: its ACLs and members as they are shown, with the changes that are on their way.

use gbac_engine::model::{Acl, Principal, PrincipalType};
use gbac_engine::policy::{Change, Policy};

use super::roles::acls_of;

/// Whether a row is on the service, or is a failed addition that is kept for a retry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Standing {
    /// On the service.
    Stored,
    /// Not on the service: adding it is on its way or failed.
    Added,
}

/// One ACL of the role.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct AclRow {
    /// The ACL.
    pub acl: Acl,
    /// Whether it is stored.
    pub standing: Standing,
}

/// One member of the role.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct MemberRow {
    /// The member.
    pub principal: Principal,
    /// Whether it is stored.
    pub standing: Standing,
    /// The names of its other roles.
    pub other_roles: Vec<String>,
    /// How many ACLs name it without a role.
    pub direct_acls: usize,
}

/// The ACLs of a role in order of their fields, among them those that `changes` would add.
#[must_use]
pub fn acl_rows(policy: &Policy, role: &str, changes: &[Change]) -> Vec<AclRow> {
    let stored = acls_of(policy, role);
    let principal = Principal::role(role);
    let added = changes.iter().filter_map(|change| match change {
        Change::AddAcl(acl) if acl.principal == principal && !policy.has_acl(acl) => Some(acl.clone()),
        _ => None,
    });
    let mut rows: Vec<AclRow> = stored.into_iter().map(|acl| AclRow { acl, standing: Standing::Stored }).collect();
    rows.extend(added.map(|acl| AclRow { acl, standing: Standing::Added }));
    rows.sort();
    rows
}

/// The members of a role, groups first, among them those that `changes` would add.
#[must_use]
pub fn member_rows(policy: &Policy, role: &str, changes: &[Change]) -> Vec<MemberRow> {
    let Some(stored) = policy.role(role).map(|role| role.members) else { return Vec::new() };
    let added = changes.iter().filter_map(|change| match change {
        Change::AddMember { role: of, member } if of == role && !stored.contains(member) => Some(member),
        _ => None,
    });
    let mut all: Vec<(&Principal, Standing)> = stored.iter().map(|member| (member, Standing::Stored)).collect();
    all.extend(added.map(|member| (member, Standing::Added)));
    all.sort_by_key(|(member, _)| (member.kind() != PrincipalType::Group, member.name()));
    all.into_iter()
        .map(|(member, standing)| MemberRow {
            principal: member.clone(),
            standing,
            other_roles: policy.roles_of(member).filter(|other| *other != role).map(str::to_owned).collect(),
            direct_acls: policy.acls_of(member).len(),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use gbac_engine::wire::policy_from_value;
    use serde_json::json;

    use super::*;

    #[test]
    fn rows_hold_what_is_stored_and_what_failed_to_be_added() {
        let acl = json!({ "resource_type": "RESOURCE_TYPE_TOPIC", "resource_name": "b",
            "resource_pattern_type": "RESOURCE_PATTERN_TYPE_LITERAL", "principal": "Role:R", "host": "*",
            "operation": "OPERATION_READ", "permission_type": "PERMISSION_TYPE_ALLOW" });
        let mut direct = acl.clone();
        direct["principal"] = "Group:eng".into();
        let policy = policy_from_value(&json!({ "version": 1, "acls": [acl, direct],
            "roles": [{ "name": "R", "members": [{ "principal": "User:ann" }, { "principal": "Group:eng" }] },
                      { "name": "S", "members": [{ "principal": "Group:eng" }] }] }))
        .unwrap();
        let stored = acls_of(&policy, "R").remove(0);
        let new = Acl { resource_name: "a".into(), ..stored.clone() };
        let other = Acl { principal: Principal::role("S"), ..new.clone() };
        let member = |role: &str, member| Change::AddMember { role: role.into(), member };
        let changes = [
            Change::AddAcl(new.clone()),
            Change::AddAcl(stored.clone()),
            Change::AddAcl(other),
            member("R", Principal::group("ops")),
            member("R", Principal::user("ann")),
            member("S", Principal::user("bob")),
        ];
        assert_eq!(
            acl_rows(&policy, "R", &changes),
            [AclRow { acl: new, standing: Standing::Added }, AclRow { acl: stored, standing: Standing::Stored }]
        );
        let members = member_rows(&policy, "R", &changes);
        let names: Vec<String> = members.iter().map(|row| row.principal.to_string()).collect();
        assert_eq!(names, ["Group:eng", "Group:ops", "User:ann"]);
        assert_eq!((members[0].other_roles.as_slice(), members[0].direct_acls), (["S".to_owned()].as_slice(), 1));
        assert_eq!(members[1].standing, Standing::Added);
        assert!(member_rows(&policy, "Gone", &changes).is_empty());
    }
}
