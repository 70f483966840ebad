//! The coverage of a new ACL: known names that it matches, and ACLs of the role that make it
//! redundant.

use gbac_analysis::{FindingCode, NamePattern, known_names, lint_roles};
use gbac_engine::model::{Acl, ResourceType};
use gbac_engine::policy::{Change, ChangeOutcome, Policy, apply_each};

/// How many covered names are shown.
const SHOWN: usize = 5;

/// The known names of one type: those in ACLs. The console cannot list the resources of the
/// cluster.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Known(Vec<String>);

/// The known names that a pattern covers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cover {
    /// The number of known names.
    pub known: usize,
    /// The number of covered names.
    pub covered: usize,
    /// Some of those.
    pub names: Vec<String>,
}

impl Known {
    /// The known names of a type.
    #[must_use]
    pub fn new(policy: &Policy, resource_type: ResourceType) -> Self {
        Self(
            known_names(policy, resource_type)
                .into_iter()
                .map(str::to_owned)
                .collect(),
        )
    }

    /// The known names that a pattern covers.
    pub fn cover(&self, pattern: &NamePattern) -> Cover {
        let mut covered = self.0.iter().filter(|name| pattern.covers(name));
        let names: Vec<String> = covered.by_ref().take(SHOWN).cloned().collect();
        Cover {
            known: self.0.len(),
            covered: names.len() + covered.count(),
            names,
        }
    }
}

/// The engine's finding for a new ACL next to the role's other ACLs; none if it adds something.
pub fn remark(role: &str, acls: &[Acl], new: &Acl) -> Option<String> {
    if acls.contains(new) {
        return Some("this role already has this ACL".into());
    }
    // Only the role's own ACLs, even if other principals have the same ones.
    let mut alone = Policy::default();
    let added = acls.iter().chain([new]).cloned().map(Change::AddAcl);
    let changes: Vec<Change> = std::iter::once(Change::CreateRole(role.into()))
        .chain(added)
        .collect();
    if apply_each(&mut alone, &changes)
        .iter()
        .any(|effect| matches!(effect, ChangeOutcome::Refused(_)))
    {
        return None;
    }
    let wanted = [FindingCode::AclCovered, FindingCode::AclUnreachable];
    let mut found = lint_roles(&alone, [role]).into_iter();
    found
        .find(|finding| wanted.contains(&finding.code) && finding.acls.first() == Some(new))
        .map(|finding| finding.message)
}

#[cfg(test)]
mod tests {
    use gbac_engine::model::{Host, Operation, PatternType, Permission, Principal};

    use super::*;

    fn acl(name: &str, operation: Operation, permission: Permission) -> Acl {
        Acl {
            resource_type: ResourceType::Topic,
            resource_name: name.into(),
            pattern_type: PatternType::Literal,
            principal: Principal::role("R"),
            host: Host::Any,
            operation,
            permission,
        }
    }

    #[test]
    fn a_pattern_covers_known_names() {
        let mut policy = Policy::default();
        for name in ["pay-a", "pay-b", "orders", "*"] {
            policy
                .apply(Change::AddAcl(acl(
                    name,
                    Operation::Read,
                    Permission::Allow,
                )))
                .unwrap();
        }
        let known = Known::new(&policy, ResourceType::Topic);
        let pattern = |pattern_type, name: &str| NamePattern {
            pattern_type,
            name: name.into(),
        };
        let cover = known.cover(&pattern(PatternType::Prefixed, "pay-"));
        assert_eq!(
            cover,
            Cover {
                known: 3,
                covered: 2,
                names: vec!["pay-a".into(), "pay-b".into()]
            }
        );
        assert_eq!(known.cover(&pattern(PatternType::Literal, "*")).covered, 3);
        assert_eq!(
            known.cover(&pattern(PatternType::Literal, "pay-")).covered,
            0
        );
    }

    #[test]
    fn what_says_nothing_new_is_remarked() {
        let held = [
            acl("*", Operation::Write, Permission::Allow),
            acl("secret", Operation::All, Permission::Deny),
        ];
        let remark = |name: &str, operation| {
            super::remark("R", &held, &acl(name, operation, Permission::Allow))
        };
        assert!(
            remark("*", Operation::Write).is_some_and(|text| text.contains("already has this ACL"))
        );
        assert!(
            remark("a", Operation::Describe)
                .is_some_and(|text| text.contains("is already covered by"))
        );
        assert!(remark("secret", Operation::Read).is_some_and(|text| text.contains("a deny wins")));
        assert_eq!(remark("a", Operation::Read), None);
    }
}
