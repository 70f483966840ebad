//! Finds rules of a policy that probably don't do what their author intended.

mod acls;
mod clients;
mod contexts;
mod fix;
mod migration;
mod names;
mod principals;

pub use fix::{Fix, neutral_fixes};
pub use migration::migration_findings;
pub use principals::{NameIndex, name_findings};

use gbac_engine::model::{
    Acl, AclError, Permission, Principal, PrincipalError, PrincipalType, RoleError,
};
use gbac_engine::order::sort;
use gbac_engine::policy::{Policy, index::PrincipalId};
use strum::{IntoStaticStr, VariantArray, VariantNames};

use crate::breadth::Opening;

/// The severity of a finding.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    IntoStaticStr,
    VariantArray,
    VariantNames,
)]
#[strum(serialize_all = "snake_case")]
pub enum Severity {
    /// Users may have unintended access.
    Error,
    /// A rule has no effect, or not the apparent one.
    Warning,
    /// A rule is redundant or incomplete.
    Notice,
}

impl Severity {
    /// Every value, the most severe first.
    pub const ALL: &'static [Self] = <Self as VariantArray>::VARIANTS;
}

/// The code of a finding. ACLs, members and roles that could not be created today have the code of
/// that error.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, IntoStaticStr, VariantArray, VariantNames,
)]
#[strum(serialize_all = "snake_case")]
#[expect(
    missing_docs,
    reason = "docs/analysis.md and docs/policy-document.md describe each code"
)]
pub enum FindingCode {
    AccessGroupUnknown,
    AclBeginsToMatch,
    AclCovered,
    AclOpenToEveryone,
    AclUnreachable,
    ClusterName,
    ConsumerGroupMissing,
    DuplicateAcl,
    DuplicateMember,
    DuplicateSuperuser,
    GroupPathWithSuffix,
    HostName,
    HostRangeUnsupported,
    MemberIsEveryone,
    MemberIsRole,
    NameWithType,
    OperationUnsupported,
    PrincipalControlCharacter,
    PrincipalEdgeWhitespace,
    PrincipalLetterCase,
    PrincipalNameEmpty,
    PrincipalNotIdentity,
    PrincipalSlashes,
    PrincipalTypeTwice,
    PrincipalTypeUnknown,
    PrincipalWildcard,
    PrincipalWithoutType,
    ResourceNameControlCharacter,
    ResourceNameEmpty,
    ResourceNameTooLong,
    ResourceNameWildcard,
    RoleMissing,
    RoleNameCharacter,
    RoleNameEmpty,
    RoleNameNotAscii,
    RoleNameTooLong,
    RoleWithoutAcls,
    RoleWithoutMembers,
    SchemaReaderWithoutConfigs,
    SubjectContext,
    SuperuserUnreachable,
    TopicName,
    UserClaimEditable,
}

impl From<&AclError> for FindingCode {
    fn from(error: &AclError) -> Self {
        match error {
            AclError::Principal(error) => error.into(),
            AclError::EmptyName => Self::ResourceNameEmpty,
            AclError::ClusterName(_) => Self::ClusterName,
            AclError::NameTooLong(_) => Self::ResourceNameTooLong,
            AclError::TopicName(_) => Self::TopicName,
            AclError::ControlCharacter(_) => Self::ResourceNameControlCharacter,
        }
    }
}

impl From<&PrincipalError> for FindingCode {
    fn from(error: &PrincipalError) -> Self {
        match error {
            PrincipalError::NoType(_) => Self::PrincipalWithoutType,
            PrincipalError::UnknownType(_) => Self::PrincipalTypeUnknown,
            PrincipalError::EmptyName(_) => Self::PrincipalNameEmpty,
            PrincipalError::ControlCharacter(_) => Self::PrincipalControlCharacter,
            PrincipalError::Wildcard(_) => Self::PrincipalWildcard,
            PrincipalError::TypeInName(_) => Self::PrincipalTypeTwice,
            PrincipalError::WithType(..) => Self::NameWithType,
            PrincipalError::NotAnIdentity(_) => Self::PrincipalNotIdentity,
        }
    }
}

impl From<&RoleError> for FindingCode {
    fn from(error: &RoleError) -> Self {
        match error {
            RoleError::EmptyName => Self::RoleNameEmpty,
            RoleError::NameTooLong => Self::RoleNameTooLong,
            RoleError::NameCharacter(_) => Self::RoleNameCharacter,
            RoleError::RoleAsMember(_) => Self::MemberIsRole,
            RoleError::EveryoneAsMember => Self::MemberIsEveryone,
            RoleError::Member(error) => error.into(),
        }
    }
}

/// A rule that probably does not do what its author intended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The stable code.
    pub code: FindingCode,
    /// The severity.
    pub severity: Severity,
    /// One sentence, lower case, without a final period; names are in backticks and escaped.
    pub message: String,
    /// The recommended action.
    pub hint: String,
    /// The ACL of the finding, followed by the ACLs that cause it.
    pub acls: Vec<Acl>,
    /// The principals of the finding; a role is `Role:<name>`.
    pub principals: Vec<Principal>,
    /// The places in the document, as JSON Pointers (D-34); empty for a policy from another source.
    pub places: Vec<String>,
}

impl Finding {
    /// What the allows of the finding open to those who have them now, or will have them; nothing
    /// where the finding is not about too much access.
    #[must_use]
    pub fn opening(&self) -> Opening {
        if !matches!(
            self.code,
            FindingCode::AclOpenToEveryone | FindingCode::AclBeginsToMatch
        ) {
            return Opening::default();
        }
        let allows = self.acls.iter();
        Opening::of_acls(
            allows
                .filter(|acl| acl.permission == Permission::Allow)
                .cloned(),
        )
    }

    /// Creates a finding without ACLs, principals and places.
    pub fn new(
        code: FindingCode,
        severity: Severity,
        message: String,
        hint: impl Into<String>,
    ) -> Self {
        let (acls, principals, places) = Default::default();
        Self {
            code,
            severity,
            message,
            hint: hint.into(),
            acls,
            principals,
            places,
        }
    }

    fn with_acls(mut self, acls: Vec<Acl>) -> Self {
        self.acls = acls;
        self
    }

    fn with_principals(mut self, principals: Vec<Principal>) -> Self {
        self.principals = principals;
        self
    }
}

/// Finds rules that probably do not do what their author intended, sorted by severity, code and
/// content.
///
/// A policy is a set of ACLs without duplicates (D-17); `gbac_json::lint_from_json` finds the
/// duplicates in a document.
///
/// Cost: for each row, a comparison with the rows of the same and of broader principals on the
/// patterns that cover its pattern.
///
/// ```
/// use gbac_analysis::lint;
/// use gbac_engine::Coded;
/// use gbac_json::policy_from_json;
///
/// let policy = policy_from_json(r#"{ "version": 1, "roles": [{ "name": "empty" }] }"#)?;
/// let codes: Vec<&str> = lint(&policy).iter().map(|finding| finding.code.code()).collect();
/// assert_eq!(codes, ["role_without_acls", "role_without_members"]);
/// # Ok::<(), gbac_json::Problems>(())
/// ```
#[must_use]
pub fn lint(policy: &Policy) -> Vec<Finding> {
    let mut findings = Vec::new();
    acls::lint(policy, None, &mut findings);
    principals::lint_acl_principals(policy, None, &mut findings);
    names::lint(policy, &mut findings);
    clients::lint(policy, &mut findings);
    contexts::lint(policy, &mut findings);
    sort_findings(&mut findings);
    findings
}

/// The findings of only these roles, their members and their ACLs, in the order of [`lint`].
/// Findings about similar names are excluded; [`name_findings`] returns them for each member.
///
/// Cost: one pass over all rows, and for the rows of these roles the cost of [`lint`].
///
/// ```
/// use gbac_analysis::lint_roles;
/// use gbac_json::policy_from_json;
///
/// let policy = policy_from_json(r#"{ "version": 1, "roles": [{ "name": "a" }, { "name": "b" }] }"#)?;
/// let findings = lint_roles(&policy, ["b"]);
/// assert!(findings.iter().all(|finding| finding.principals[0].name() == "b"));
/// assert_eq!(findings.len(), 2);
/// # Ok::<(), gbac_json::Problems>(())
/// ```
#[must_use]
pub fn lint_roles<'a>(policy: &Policy, names: impl IntoIterator<Item = &'a str>) -> Vec<Finding> {
    let mut ids: Vec<PrincipalId> = names
        .into_iter()
        .filter_map(|name| policy.principal_id(PrincipalType::Role, name))
        .collect();
    sort(&mut ids, |a, b| a.0.cmp(&b.0));
    ids.dedup();
    let mut findings = Vec::new();
    acls::lint(policy, Some(&ids), &mut findings);
    principals::lint_acl_principals(policy, Some(&ids), &mut findings);
    names::lint_roles(policy, &ids, &mut findings);
    sort_findings(&mut findings);
    findings
}

/// Sorts findings by severity, code and content.
pub fn sort_findings(findings: &mut [Finding]) {
    sort(findings, |a, b| {
        let key = |finding: &Finding| (finding.severity, finding.code);
        key(a)
            .cmp(&key(b))
            .then_with(|| a.acls.cmp(&b.acls))
            .then_with(|| a.principals.cmp(&b.principals))
            .then_with(|| a.places.cmp(&b.places))
    });
}
