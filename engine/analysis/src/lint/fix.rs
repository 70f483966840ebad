//! Suggested fixes of a finding, as changes of the policy.

use super::{Finding, FindingCode};
use gbac_engine::escape::escaped;
use gbac_engine::model::{Acl, CLUSTER_NAME, PatternType, Principal, PrincipalType, ResourceType};
use gbac_engine::policy::{Change, Policy};

/// One way to fix a finding.
#[derive(Debug, Clone, PartialEq)]
pub struct Fix {
    /// What is done, as words for a button: a capital first, names in backticks and escaped.
    pub title: String,
    /// The changes, in the order in which they are made.
    pub changes: Vec<Change>,
    /// Nobody may do more, and nobody less, after it.
    pub is_neutral: bool,
}

impl Fix {
    fn new(title: impl Into<String>, is_neutral: bool, changes: Vec<Change>) -> Self {
        Self { title: title.into(), changes, is_neutral }
    }
}

impl Finding {
    /// The ways to fix this in the policy that it was found in: the safest first; none where only a human can decide. No fix
    /// gives an ACL to a group: that is done through roles (specification 4.4).
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
            // The others of its ACLs are those that make it so.
            FindingCode::HOST_RANGE_UNSUPPORTED => vec![removal(&self.acls, true)],
            FindingCode::ACL_COVERED | FindingCode::ACL_UNREACHABLE => {
                self.acls.first().map(|acl| removal(std::slice::from_ref(acl), true)).into_iter().collect()
            }
            FindingCode::ROLE_MISSING => {
                let create = self.principals.first().map(|role| {
                    let title = format!("Create the role `{}`", escaped(role.name()));
                    Fix::new(title, true, vec![Change::CreateRole(role.name().to_owned())])
                });
                std::iter::once(removal(&self.acls, true)).chain(create).collect()
            }
            // Nobody has it, or it says nothing.
            FindingCode::ROLE_WITHOUT_MEMBERS | FindingCode::ROLE_WITHOUT_ACLS => self.deletion(),
            FindingCode::GROUP_PATH_WITH_SUFFIX => {
                self.principals.first().and_then(|group| last_segment(policy, group)).into_iter().collect()
            }
            // Which of the names is right, or what a user is named by, only a person knows.
            FindingCode::NAME_LETTER_CASE
            | FindingCode::NAME_LEADING_SLASH
            | FindingCode::ROLE_NAME_NOT_ASCII
            | FindingCode::SUPERUSER_NAME_CHOSEN
            | FindingCode::SUPERUSER_UNREACHABLE
            | FindingCode::ACCESS_GROUP_UNKNOWN => Vec::new(),
            _ if self.acls.is_empty() => self.of_member(),
            _ => std::iter::once(removal(&self.acls, false)).chain(self.replacement()).collect(),
        }
    }

    fn deletion(&self) -> Vec<Fix> {
        let delete = |role: &Principal| {
            let change = Change::DeleteRole { name: role.name().to_owned(), delete_acls: true };
            Fix::new(format!("Delete the role `{}`", escaped(role.name())), true, vec![change])
        };
        self.principals.first().map(delete).into_iter().collect()
    }

    /// A member that could not be added today: it goes, or what it was meant to be comes in its place.
    fn of_member(&self) -> Vec<Fix> {
        let [role, member] = self.principals.as_slice() else { return Vec::new() };
        let remove = Change::RemoveMember { role: role.name().to_owned(), member: member.clone() };
        let title = format!("Remove `{}` from the role", escaped(&member.to_string()));
        let mut fixes = vec![Fix::new(title, false, vec![remove.clone()])];
        let meant = if self.code == "principal_type_twice" { Principal::parse(member.name()).ok() } else { None };
        if let Some(meant) = meant.filter(|meant| meant.kind() != PrincipalType::Role) {
            let title = format!("Replace it with `{}`", escaped(&meant.to_string()));
            let add = Change::AddMember { role: role.name().to_owned(), member: meant };
            fixes.push(Fix::new(title, false, vec![remove, add]));
        }
        fixes
    }

    /// The ACLs with a name that can be meant, where a hint names it.
    fn replacement(&self) -> Option<Fix> {
        let first = self.acls.first()?;
        let meant = |acl: &Acl| match (self.code.as_str(), acl.resource_type) {
            ("cluster_name", ResourceType::Cluster) => Some(Acl { resource_name: CLUSTER_NAME.into(), ..acl.clone() }),
            ("topic_name", ResourceType::Topic) => {
                let prefix = acl.resource_name.trim_end_matches('*');
                let is_meant = acl.resource_name.ends_with('*');
                let acl = if prefix.is_empty() {
                    Acl { resource_name: "*".into(), pattern_type: PatternType::Literal, ..acl.clone() }
                } else {
                    Acl { resource_name: prefix.to_owned(), pattern_type: PatternType::Prefixed, ..acl.clone() }
                };
                (is_meant && acl.check_create().is_empty()).then_some(acl)
            }
            _ => None,
        };
        if first.principal.kind() == PrincipalType::Group {
            return None;
        }
        let new: Vec<Acl> = self.acls.iter().map(meant).collect::<Option<_>>()?;
        let first_new = new.first()?;
        let title = format!(
            "Replace the name with the {} `{}`",
            first_new.pattern_type.spelling().label,
            escaped(&first_new.resource_name)
        );
        let remove = self.acls.iter().cloned().map(Change::RemoveAcl);
        let changes = remove.chain(new.iter().cloned().map(Change::AddAcl)).collect();
        Some(Fix::new(title, false, changes))
    }
}

fn removal(acls: &[Acl], is_neutral: bool) -> Fix {
    let title = if acls.len() == 1 { "Remove the ACL".to_owned() } else { format!("Remove its {} ACLs", acls.len()) };
    Fix::new(title, is_neutral, acls.iter().cloned().map(Change::RemoveAcl).collect())
}

/// The last segment of a path takes its place in its roles. An ACL of the group itself stays: nothing here makes another.
fn last_segment(policy: &Policy, group: &Principal) -> Option<Fix> {
    let last = group.name().rsplit('/').find(|segment| !segment.is_empty())?;
    let named = Principal::group(last);
    let changes: Vec<Change> = policy
        .roles_of(group)
        .flat_map(|role| {
            let remove = Change::RemoveMember { role: role.to_owned(), member: group.clone() };
            [remove, Change::AddMember { role: role.to_owned(), member: named.clone() }]
        })
        .collect();
    let title = format!("Put `{}` in its place in its roles", escaped(&named.to_string()));
    (!changes.is_empty()).then(|| Fix::new(title, false, changes))
}
