//! Finds rules of a policy that probably don't do what their author intended.

mod acls;
mod fix;
mod names;
mod principals;

pub use fix::Fix;
pub use principals::{NameIndex, name_findings};

use gbac_engine::internal::sort;
use gbac_engine::model::{Acl, AclError, Principal, PrincipalError, PrincipalType, RoleError};
use gbac_engine::{internal::PrincipalId, policy::Policy};

/// How much a finding matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Somebody may get what nobody meant to give.
    Error,
    /// Something does nothing, or not what it says.
    Warning,
    /// Something could be left out.
    Notice,
}

impl Severity {
    /// Every value, the gravest first.
    pub const ALL: &'static [Self] = &[Self::Error, Self::Warning, Self::Notice];

    /// The stable name in JSON.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Notice => "notice",
        }
    }
}

gbac_engine::code_table! {
    /// The code of a finding; docs/analysis.md says what each means. What could not be created today has the code of its error.
    FindingCode {
        SUPERUSER_NAME_CHOSEN = "superuser_name_chosen",
        SUPERUSER_UNREACHABLE = "superuser_unreachable",
        ACCESS_GROUP_UNKNOWN = "access_group_unknown",
        ACL_UNREACHABLE = "acl_unreachable",
        HOST_RANGE_UNSUPPORTED = "host_range_unsupported",
        OPERATION_FOREIGN = "operation_foreign",
        ROLE_MISSING = "role_missing",
        NAME_LETTER_CASE = "name_letter_case",
        NAME_LEADING_SLASH = "name_leading_slash",
        GROUP_PATH_WITH_SUFFIX = "group_path_with_suffix",
        ACL_COVERED = "acl_covered",
        ROLE_WITHOUT_MEMBERS = "role_without_members",
        ROLE_WITHOUT_ACLS = "role_without_acls",
        ROLE_NAME_NOT_ASCII = "role_name_not_ascii",
        DUPLICATE_ACL = "duplicate_acl",
        DUPLICATE_MEMBER = "duplicate_member",
        DUPLICATE_SUPERUSER = "duplicate_superuser",
    } of { AclError, PrincipalError, RoleError }
}

/// Something odd.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The stable code of its kind.
    pub code: FindingCode,
    /// How much it matters.
    pub severity: Severity,
    /// One sentence, lower case, without a final period; names are in backticks and escaped.
    pub message: String,
    /// What to do about it.
    pub hint: String,
    /// The ACL that it is about, then those that make it so.
    pub acls: Vec<Acl>,
    /// The principals that it is about; a role as `Role:<name>`.
    pub principals: Vec<Principal>,
    /// Where it is in the document that was read, as JSON Pointers (D-34); none of a policy that came from elsewhere.
    pub places: Vec<String>,
}

impl Finding {
    /// A finding about no ACL, principal or place yet.
    pub fn new(code: FindingCode, severity: Severity, message: String, hint: impl Into<String>) -> Self {
        let (acls, principals, places) = Default::default();
        Self { code, severity, message, hint: hint.into(), acls, principals, places }
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

/// Finds what is odd, the gravest first, then by code and by what it is about.
///
/// A policy is a set of ACLs and cannot hold one twice (D-17); what a document holds twice is found where it is read
/// (`gbac_json::lint_from_json`).
///
/// Cost: for each row a look at those of the same and of broader principals on the patterns that cover its own.
///
/// ```
/// use gbac_analysis::lint;
/// use gbac_json::policy_from_json;
///
/// let policy = policy_from_json(r#"{ "version": 1, "roles": [{ "name": "empty" }] }"#)?;
/// let codes: Vec<&str> = lint(&policy).iter().map(|finding| finding.code.as_str()).collect();
/// assert_eq!(codes, ["role_without_acls", "role_without_members"]);
/// # Ok::<(), gbac_json::Problems>(())
/// ```
#[must_use]
pub fn lint(policy: &Policy) -> Vec<Finding> {
    let mut findings = Vec::new();
    acls::lint(policy, None, &mut findings);
    principals::lint_acl_principals(policy, None, &mut findings);
    names::lint(policy, &mut findings);
    sort_findings(&mut findings);
    findings
}

/// Finds what is odd about these roles: their own names, their members and their ACLs, in the order of [`lint`]. What names have
/// to do with each other is not looked at: [`name_findings`] says it of each member.
///
/// Cost: one look at each row, and for each of the roles' what [`lint`] costs.
///
/// ```
/// use gbac_analysis::lint_roles;
/// use gbac_json::policy_from_json;
///
/// let policy = policy_from_json(r#"{ "version": 1, "roles": [{ "name": "a" }, { "name": "b" }] }"#)?;
/// let found = lint_roles(&policy, ["b"]);
/// assert!(found.iter().all(|finding| finding.principals[0].name() == "b"));
/// assert_eq!(found.len(), 2);
/// # Ok::<(), gbac_json::Problems>(())
/// ```
#[must_use]
pub fn lint_roles<'a>(policy: &Policy, names: impl IntoIterator<Item = &'a str>) -> Vec<Finding> {
    let mut ids: Vec<PrincipalId> =
        names.into_iter().filter_map(|name| policy.principal_id(PrincipalType::Role, name)).collect();
    sort(&mut ids, |a, b| a.0.cmp(&b.0));
    ids.dedup();
    let mut findings = Vec::new();
    acls::lint(policy, Some(&ids), &mut findings);
    principals::lint_acl_principals(policy, Some(&ids), &mut findings);
    names::lint_roles(policy, &ids, &mut findings);
    sort_findings(&mut findings);
    findings
}

/// Sorts findings by severity, code and what they are about.
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
