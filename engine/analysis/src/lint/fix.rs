//! Suggested fixes of a finding, as changes of the policy.

use super::{Finding, FindingCode};
use crate::breadth::Opening;
use crate::diff::{Relation, diff};
use gbac_engine::escape::escaped;
use gbac_engine::model::{Acl, CLUSTER_NAME, PatternType, Principal, PrincipalType, ResourceType};
use gbac_engine::policy::{Change, Policy};

/// A suggested fix.
#[derive(Debug, Clone, PartialEq)]
pub struct Fix {
    /// The label of a button: capitalized, names in backticks and escaped.
    pub title: String,
    /// The changes in order.
    pub changes: Vec<Change>,
    /// Whether the fix leaves all effective access unchanged.
    pub is_neutral: bool,
}

impl Fix {
    fn new(title: impl Into<String>, is_neutral: bool, changes: Vec<Change>) -> Self {
        Self {
            title: title.into(),
            changes,
            is_neutral,
        }
    }

    /// What the fix opens; nothing if it leaves all effective access unchanged.
    #[must_use]
    pub fn opening(&self, policy: &Policy) -> Opening {
        if self.is_neutral {
            return Opening::default();
        }
        let changes = self.changes.iter();
        Opening::joined(changes.map(|change| Opening::of_change(policy, policy, change)))
    }
}

impl Finding {
    /// Suggested fixes for the policy with this finding, the safest first; empty if only a person
    /// can decide. No fix adds an ACL for a group, because groups get access through roles
    /// (specification 4.4).
    ///
    /// ```
    /// use gbac_analysis::lint;
    /// use gbac_json::policy_from_json;
    ///
    /// let mut policy = policy_from_json(r#"{ "version": 1, "roles": [{ "name": "empty" }] }"#)?;
    /// for change in lint(&policy)[0].suggested_fixes(&policy)[0].changes.clone() {
    ///     policy.apply(change).unwrap();
    /// }
    /// assert!(lint(&policy).is_empty());
    /// # Ok::<(), gbac_json::Problems>(())
    /// ```
    #[must_use]
    pub fn suggested_fixes(&self, policy: &Policy) -> Vec<Fix> {
        match self.code {
            FindingCode::HostName | FindingCode::HostRangeUnsupported => {
                vec![removal(&self.acls, true)]
            }
            // The other ACLs of the finding are its causes.
            FindingCode::AclCovered | FindingCode::AclUnreachable => self
                .acls
                .first()
                .map(|acl| removal(std::slice::from_ref(acl), true))
                .into_iter()
                .collect(),
            FindingCode::RoleMissing => {
                let create = self.principals.first().map(|role| {
                    let title = format!("Create the role `{}`", escaped(role.name()));
                    Fix::new(
                        title,
                        true,
                        vec![Change::CreateRole(role.name().to_owned())],
                    )
                });
                std::iter::once(removal(&self.acls, true))
                    .chain(create)
                    .collect()
            }
            // No identity has the role, or it has no ACLs.
            FindingCode::RoleWithoutMembers | FindingCode::RoleWithoutAcls => {
                self.role_deletion()
            }
            FindingCode::GroupPathWithSuffix => self
                .principals
                .first()
                .and_then(|group| last_segment(policy, group))
                .into_iter()
                .collect(),
            // Only a person knows the right name or the right claim.
            FindingCode::PrincipalLetterCase
            | FindingCode::PrincipalSlashes
            | FindingCode::RoleNameNotAscii
            | FindingCode::UserClaimEditable
            | FindingCode::SuperuserUnreachable
            | FindingCode::AccessGroupUnknown
            | FindingCode::AclOpenToEveryone
            | FindingCode::ConsumerGroupMissing
            | FindingCode::SchemaReaderWithoutConfigs
            | FindingCode::SubjectContext
            // What stands twice in a document is once in the policy.
            | FindingCode::DuplicateAcl
            | FindingCode::DuplicateMember
            | FindingCode::DuplicateSuperuser => Vec::new(),
            FindingCode::AclBeginsToMatch
            | FindingCode::ClusterName
            | FindingCode::MemberIsEveryone
            | FindingCode::MemberIsRole
            | FindingCode::NameWithType
            | FindingCode::OperationUnsupported
            | FindingCode::PrincipalControlCharacter
            | FindingCode::PrincipalEdgeWhitespace
            | FindingCode::PrincipalNameEmpty
            | FindingCode::PrincipalNotIdentity
            | FindingCode::PrincipalTypeTwice
            | FindingCode::PrincipalTypeUnknown
            | FindingCode::PrincipalWildcard
            | FindingCode::PrincipalWithoutType
            | FindingCode::ResourceNameControlCharacter
            | FindingCode::ResourceNameEmpty
            | FindingCode::ResourceNameTooLong
            | FindingCode::ResourceNameWildcard
            | FindingCode::RoleNameCharacter
            | FindingCode::RoleNameEmpty
            | FindingCode::RoleNameTooLong
            | FindingCode::TopicName => self.refused_fixes(),
        }
    }

    /// Fixes for what could not be created today.
    fn refused_fixes(&self) -> Vec<Fix> {
        if self.acls.is_empty() {
            return self.member_fixes();
        }
        std::iter::once(removal(&self.acls, false))
            .chain(self.replacement())
            .collect()
    }

    fn role_deletion(&self) -> Vec<Fix> {
        let delete = |role: &Principal| {
            let change = Change::DeleteRole {
                name: role.name().to_owned(),
                delete_acls: true,
            };
            Fix::new(
                format!("Delete the role `{}`", escaped(role.name())),
                true,
                vec![change],
            )
        };
        self.principals.first().map(delete).into_iter().collect()
    }

    /// Fixes for a member that could not be added today: remove it, or replace it with the intended
    /// principal.
    fn member_fixes(&self) -> Vec<Fix> {
        let [role, member] = self.principals.as_slice() else {
            return Vec::new();
        };
        let remove = Change::RemoveMember {
            role: role.name().to_owned(),
            member: member.clone(),
        };
        let title = format!("Remove `{}` from the role", escaped(&member.to_string()));
        let mut fixes = vec![Fix::new(title, false, vec![remove.clone()])];
        let intended = match self.code {
            FindingCode::PrincipalTypeTwice => Principal::parse(member.name()).ok(),
            FindingCode::PrincipalEdgeWhitespace => without_edge_whitespace(member),
            _ => None,
        };
        if let Some(intended) = intended.filter(|intended| intended.kind() != PrincipalType::Role) {
            let title = format!("Replace it with `{}`", escaped(&intended.to_string()));
            let add = Change::AddMember {
                role: role.name().to_owned(),
                member: intended,
            };
            fixes.push(Fix::new(title, false, vec![remove, add]));
        }
        fixes
    }

    /// Replaces the ACLs with the name that the hint suggests.
    fn replacement(&self) -> Option<Fix> {
        let first = self.acls.first()?;
        let intended = |acl: &Acl| match (self.code, acl.resource_type) {
            (FindingCode::ClusterName, ResourceType::Cluster) => Some(Acl {
                resource_name: CLUSTER_NAME.into(),
                ..acl.clone()
            }),
            (FindingCode::TopicName, ResourceType::Topic)
            | (FindingCode::ResourceNameWildcard, _) => {
                let prefix = acl.resource_name.trim_end_matches('*');
                let ends_with_asterisk = acl.resource_name.ends_with('*');
                let acl = if prefix.is_empty() {
                    Acl {
                        resource_name: "*".into(),
                        pattern_type: PatternType::Literal,
                        ..acl.clone()
                    }
                } else {
                    Acl {
                        resource_name: prefix.to_owned(),
                        pattern_type: PatternType::Prefixed,
                        ..acl.clone()
                    }
                };
                (ends_with_asterisk && acl.check_create().is_empty()).then_some(acl)
            }
            _ => None,
        };
        if first.principal.kind() == PrincipalType::Group {
            return None;
        }
        let new: Vec<Acl> = self.acls.iter().map(intended).collect::<Option<_>>()?;
        let first_new = new.first()?;
        let title = format!(
            "Replace the name with the {} `{}`",
            first_new.pattern_type.spelling().label,
            escaped(&first_new.resource_name)
        );
        let remove = self.acls.iter().cloned().map(Change::RemoveAcl);
        let changes = remove
            .chain(new.iter().cloned().map(Change::AddAcl))
            .collect();
        Some(Fix::new(title, false, changes))
    }
}

fn without_edge_whitespace(principal: &Principal) -> Option<Principal> {
    Principal::parse(&format!(
        "{}:{}",
        principal.kind().prefix(),
        principal.name().trim()
    ))
    .ok()
}

/// The fixes that together leave all effective access unchanged: the first neutral one of each
/// finding, as long as the changes apply. Returns the changes in order, and how many findings they
/// fix.
///
/// An ACL that is covered by one for `User:*` is kept: the broader one may be the mistake, and
/// whoever removes it later would take the access away (D-104).
///
/// ```
/// use gbac_analysis::{lint, neutral_fixes};
/// use gbac_json::policy_from_json;
///
/// let policy = policy_from_json(r#"{ "version": 1, "roles": [{ "name": "empty" }, { "name": "other" }] }"#)?;
/// let (changes, fixed) = neutral_fixes(&policy, &lint(&policy));
/// // Each role has two findings: it has no members, and no ACLs.
/// assert_eq!((changes.len(), fixed), (2, 4));
/// # Ok::<(), gbac_json::Problems>(())
/// ```
#[must_use]
pub fn neutral_fixes(policy: &Policy, findings: &[Finding]) -> (Vec<Change>, usize) {
    let apply = |checked: bool| {
        let (mut after, mut all, mut fixed) = (policy.clone(), Vec::new(), 0);
        for finding in findings
            .iter()
            .filter(|finding| !is_covered_by_everyone(finding))
        {
            let fix = finding
                .suggested_fixes(policy)
                .into_iter()
                .find(|fix| fix.is_neutral);
            let Some(fix) = fix else { continue };
            let changes: Vec<Change> = fix
                .changes
                .into_iter()
                .filter(|change| !all.contains(change))
                .collect();
            let mut next = after.clone();
            let applies = changes
                .iter()
                .all(|change| next.apply(change.clone()).is_ok());
            // Fixes that are neutral one by one need not be so together.
            if applies && (!checked || diff(policy, &next).acl_relation == Relation::Equal) {
                after = next;
                all.extend(changes);
                fixed += 1;
            }
        }
        (after, all, fixed)
    };
    let (after, all, fixed) = apply(false);
    if diff(policy, &after).acl_relation == Relation::Equal {
        return (all, fixed);
    }
    let (_, all, fixed) = apply(true);
    (all, fixed)
}

fn is_covered_by_everyone(finding: &Finding) -> bool {
    let everyone = |acl: &Acl| acl.principal == Principal::user("*");
    finding.code == FindingCode::AclCovered
        && finding.acls.first().is_some_and(|acl| !everyone(acl))
        && finding.acls.iter().skip(1).any(everyone)
}

fn removal(acls: &[Acl], is_neutral: bool) -> Fix {
    let title = if acls.len() == 1 {
        "Remove the ACL".to_owned()
    } else {
        format!("Remove its {} ACLs", acls.len())
    };
    Fix::new(
        title,
        is_neutral,
        acls.iter().cloned().map(Change::RemoveAcl).collect(),
    )
}

/// Replaces a group whose name is a path with its last segment in its roles. ACLs of the group
/// stay.
fn last_segment(policy: &Policy, group: &Principal) -> Option<Fix> {
    let last = group
        .name()
        .rsplit('/')
        .find(|segment| !segment.is_empty())?;
    let named = Principal::group(last);
    let changes: Vec<Change> = policy
        .roles_of(group)
        .flat_map(|role| {
            let remove = Change::RemoveMember {
                role: role.to_owned(),
                member: group.clone(),
            };
            [
                remove,
                Change::AddMember {
                    role: role.to_owned(),
                    member: named.clone(),
                },
            ]
        })
        .collect();
    let title = format!(
        "Put `{}` in its place in its roles",
        escaped(&named.to_string())
    );
    (!changes.is_empty()).then(|| Fix::new(title, false, changes))
}
