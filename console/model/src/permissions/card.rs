//! One principal: each ACL that applies to it, the denies that override it, and the changes of the
//! draft.

use gbac_analysis::{DenyExtent, Reach, ReachSubject, Scope, reach};
use gbac_engine::model::{Acl, Permission, Principal, PrincipalType};
use gbac_engine::policy::{Change, Policy};
use gbac_words::phrases::{count, duration};

/// How many rows of one source are shown at first.
pub const SHOWN: usize = 50;

/// How ACLs reach a principal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SourceKind {
    /// They name it.
    Direct,
    /// They name a role of it.
    Role,
    /// They name `User:*`.
    Everyone,
}

/// The ACLs of one source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccessSource {
    /// Which source.
    pub source: SourceKind,
    /// The principal that they name.
    pub principal: Principal,
    /// Every one of them, in order.
    pub acls: Vec<Acl>,
}

/// A principal with everything that reaches it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Card {
    /// The principal.
    pub principal: Principal,
    /// The sources of its ACLs: direct, through roles by name, for everyone.
    pub sources: Vec<AccessSource>,
    /// The members, of a role.
    pub members: Vec<Principal>,
    /// Whether it is a role that ACLs name and that does not exist: they have no effect.
    pub is_missing: bool,
    /// A superuser, who is allowed without any ACL.
    pub is_superuser: bool,
    reach: Reach,
}

/// How denies and allows affect an ACL.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Marks {
    /// The denies that block a part of this allow.
    pub denied_by: Vec<(Acl, DenyExtent)>,
    /// How many allows this deny blocks in part.
    pub overrides: usize,
}

/// The card of a principal.
pub fn card(policy: &Policy, principal: &Principal) -> Card {
    let is_missing = principal.kind() == PrincipalType::Role && !policy.has_role(principal.name());
    // `User:*` may also be a user named `*`, with roles. The card shows both.
    let reach = reach(policy, &ReachSubject::Scope(Scope::One(principal.clone())));
    let mut sources = Vec::new();
    for access in &reach.principals {
        let source = if access.principal == *principal {
            SourceKind::Direct
        } else if access.principal.kind() == PrincipalType::Role {
            SourceKind::Role
        } else {
            SourceKind::Everyone
        };
        sources.push(AccessSource {
            source,
            principal: access.principal.clone(),
            acls: access.acls.clone(),
        });
    }
    if is_missing {
        sources = vec![AccessSource {
            source: SourceKind::Direct,
            principal: principal.clone(),
            acls: policy.acls_of(principal),
        }];
    }
    // Roles without ACLs have no part in a decision, but the principal is a member of them.
    for role in policy.roles_of(principal) {
        let role = Principal::role(role);
        if !sources.iter().any(|access| access.principal == role) {
            sources.push(AccessSource {
                source: SourceKind::Role,
                principal: role,
                acls: Vec::new(),
            });
        }
    }
    // The access of everyone is shown for the members of a role, not for the role.
    sources.retain(|access| {
        principal.kind() != PrincipalType::Role || access.source == SourceKind::Direct
    });
    sources.sort_by(|a, b| (a.source, &a.principal).cmp(&(b.source, &b.principal)));
    let members = match principal.kind() {
        PrincipalType::Role => policy
            .role(principal.name())
            .map(|role| role.members.into_iter().collect()),
        PrincipalType::User | PrincipalType::Group | PrincipalType::Other => None,
    };
    Card {
        principal: principal.clone(),
        sources,
        members: members.unwrap_or_default(),
        is_missing,
        is_superuser: reach.superuser,
        reach,
    }
}

impl Card {
    /// How denies and allows affect one of its ACLs.
    pub fn marks(&self, acl: &Acl) -> Marks {
        if self.is_missing || self.is_superuser {
            return Marks::default();
        }
        match acl.permission {
            Permission::Allow => {
                let denied_by = self
                    .reach
                    .blocking(acl)
                    .map(|(deny, much)| (deny.clone(), much))
                    .collect();
                Marks {
                    denied_by,
                    overrides: 0,
                }
            }
            Permission::Deny => Marks {
                denied_by: Vec::new(),
                overrides: self.reach.blocked(acl).count(),
            },
        }
    }

    /// The ACLs that name it.
    pub fn direct(&self) -> &[Acl] {
        match self.sources.first() {
            Some(access) if access.source == SourceKind::Direct => &access.acls,
            _ => &[],
        }
    }
}

/// Until when somebody keeps a group that the identity provider took away, as a sentence.
/// `max_lifetime` is the longest lifetime of tokens that the service accepts, in seconds.
pub fn group_kept(max_lifetime: Option<u32>) -> String {
    let limit = max_lifetime
        .map(|seconds| format!(", at most {}", duration(f64::from(seconds))))
        .unwrap_or_default();
    format!("A user who leaves this group keeps these ACLs until the user’s token expires{limit}.")
}

/// Who holds a principal's ACLs and so loses them: the members of a role, or the principal itself.
pub fn losers(card: &Card) -> Vec<Principal> {
    if card.principal.kind() == PrincipalType::Role {
        card.members.clone()
    } else {
        vec![card.principal.clone()]
    }
}

/// What the draft does to a principal, in words for a tag: none when nothing.
pub fn in_draft(changes: &[Change], principal: &Principal) -> Option<String> {
    let role = |name: &str| principal.kind() == PrincipalType::Role && principal.name() == name;
    let about = changes.iter().filter(|change| match change {
        Change::AddAcl(acl) | Change::RemoveAcl(acl) => acl.principal == *principal,
        Change::AddMember { role: of, member } | Change::RemoveMember { role: of, member } => {
            member == principal || role(of)
        }
        Change::CreateRole(name) | Change::DeleteRole { name, .. } => role(name),
        Change::Settings(_) => false,
    });
    match about.count() {
        0 => None,
        number => Some(format!("{} in draft", count(number, "change"))),
    }
}

#[cfg(test)]
mod tests {
    use gbac_json::policy_from_value;
    use serde_json::json;

    use super::*;

    fn policy() -> Policy {
        let acl = |principal: &str, permission: &str, name: &str, pattern: &str| {
            json!({ "resource_type": "RESOURCE_TYPE_TOPIC", "resource_name": name,
                "resource_pattern_type": format!("RESOURCE_PATTERN_TYPE_{pattern}"), "principal": principal, "host": "*",
                "operation": "OPERATION_READ", "permission_type": format!("PERMISSION_TYPE_{permission}") })
        };
        policy_from_value(&json!({ "version": 1, "settings": { "superusers": ["root"] },
            "roles": [{ "name": "Readers", "members": [{ "principal": "Group:eng" }] }],
            "acls": [
                acl("Role:Readers", "ALLOW", "events-", "PREFIXED"), acl("Group:eng", "DENY", "events-pii-", "PREFIXED"),
                acl("Group:eng", "ALLOW", "events-", "LITERAL"), acl("User:*", "ALLOW", "public", "LITERAL"),
                acl("Role:Gone", "ALLOW", "x", "LITERAL"), acl("User:root", "DENY", "x", "LITERAL")] }))
        .unwrap()
    }

    #[test]
    fn everything_that_reaches_a_group_is_there_by_its_way() {
        let card = card(&policy(), &Principal::group("eng"));
        let sources: Vec<(SourceKind, String, usize)> = card
            .sources
            .iter()
            .map(|access| {
                (
                    access.source,
                    access.principal.to_string(),
                    access.acls.len(),
                )
            })
            .collect();
        assert_eq!(
            sources,
            [
                (SourceKind::Direct, "Group:eng".into(), 2),
                (SourceKind::Role, "Role:Readers".into(), 1),
                (SourceKind::Everyone, "User:*".into(), 1)
            ]
        );
        // The deny blocks a part of what the role allows, and nothing of the literal twin.
        let deny = card
            .direct()
            .iter()
            .find(|acl| acl.permission == Permission::Deny)
            .unwrap();
        assert_eq!(card.marks(deny).overrides, 1);
        let allow = &card.sources[1].acls[0];
        assert_eq!(
            card.marks(allow).denied_by,
            [(deny.clone(), DenyExtent::Part)]
        );
        let twin = card
            .direct()
            .iter()
            .find(|acl| acl.permission == Permission::Allow)
            .unwrap();
        assert_eq!(card.marks(twin), Marks::default());
        assert_eq!(losers(&card), [Principal::group("eng")]);
    }

    #[test]
    fn roles_without_acls_are_in_the_cards_of_their_members() {
        let mut policy = policy();
        policy.apply(Change::CreateRole("Empty".into())).unwrap();
        let member = Principal::group("eng");
        policy
            .apply(Change::AddMember {
                role: "Empty".into(),
                member: member.clone(),
            })
            .unwrap();
        let sources: Vec<(String, usize)> = card(&policy, &member)
            .sources
            .iter()
            .map(|of| (of.principal.to_string(), of.acls.len()))
            .collect();
        let expected = [
            ("Group:eng", 2),
            ("Role:Empty", 0),
            ("Role:Readers", 1),
            ("User:*", 1),
        ];
        assert_eq!(
            sources,
            expected.map(|(name, acls)| (name.to_owned(), acls))
        );
        assert!(
            group_kept(Some(3600)).ends_with("expires, at most 1 h."),
            "{}",
            group_kept(Some(3600))
        );
        assert!(group_kept(None).ends_with("token expires."));
    }

    #[test]
    fn roles_that_are_missing_superusers_and_everyone_have_cards_too() {
        let policy = policy();
        let gone = card(&policy, &Principal::role("Gone"));
        assert!(gone.is_missing && gone.direct().len() == 1 && losers(&gone).is_empty());
        assert!(card(&policy, &Principal::user("root")).is_superuser);
        let everyone = card(&policy, &Principal::user("*"));
        assert_eq!(
            (everyone.sources.len(), everyone.sources[0].source),
            (1, SourceKind::Direct)
        );
        let readers = card(&policy, &Principal::role("Readers"));
        assert_eq!(losers(&readers), [Principal::group("eng")]);
    }

    #[test]
    fn the_draft_is_told_beside_whom_it_is_about() {
        let leave = Change::RemoveMember {
            role: "Readers".into(),
            member: Principal::group("eng"),
        };
        let changes = [leave, Change::CreateRole("New".into())];
        assert_eq!(
            in_draft(&changes, &Principal::group("eng")).as_deref(),
            Some("1 change in draft")
        );
        assert_eq!(
            in_draft(&changes, &Principal::role("Readers")).as_deref(),
            Some("1 change in draft")
        );
        assert_eq!(in_draft(&changes, &Principal::user("eng")), None);
    }
}
