//! Principal names that never match what their author intended: wildcards, types inside a name,
//! paths, near misses.

use super::{Finding, FindingCode, Severity, sort_findings};
use gbac_engine::escape::escaped;
use gbac_engine::groups::NestedGroupBehavior;
use gbac_engine::model::{Acl, Principal, PrincipalError, PrincipalType};
use gbac_engine::near::{NameDifference, fold_name, name_difference};
use gbac_engine::order::{run, sort};
use gbac_engine::{
    policy::index::PrincipalId,
    policy::{AccessLevel, GroupSource, Policy},
};

/// The principals, superusers, and users and groups with access to the service that a policy names,
/// indexed for finding near misses.
///
/// ```
/// use gbac_analysis::NameIndex;
/// use gbac_engine::model::Principal;
/// use gbac_json::policy_from_json;
///
/// let policy = policy_from_json(r#"{ "version": 1, "roles": [{ "name": "r", "members": [{ "principal": "Group:eng" }] }] }"#)?;
/// let known = NameIndex::new(&policy);
/// assert!(known.near(&Principal::group("/Eng")).eq([&Principal::group("eng")]));
/// assert_eq!(known.near(&Principal::user("eng")).count(), 0);
/// # Ok::<(), gbac_json::Problems>(())
/// ```
#[derive(Debug, Clone)]
pub struct NameIndex {
    /// Sorted by type and folded name.
    names: Vec<(PrincipalType, String, Principal)>,
}

impl NameIndex {
    /// All names of a policy.
    ///
    /// Cost: visits each principal once.
    #[must_use]
    pub fn new(policy: &Policy) -> Self {
        Self::with_keys(policy, None)
    }

    /// Only the names of a policy that are near misses of these; cheaper to keep for a few lookups.
    ///
    /// Cost: visits each principal once.
    #[must_use]
    pub fn near_to<'a>(
        policy: &Policy,
        principals: impl IntoIterator<Item = &'a Principal>,
    ) -> Self {
        let mut keys: Vec<(PrincipalType, String)> = principals
            .into_iter()
            .map(|principal| (principal.kind(), fold_name(principal.name())))
            .collect();
        sort(&mut keys, |a, b| a.cmp(b));
        Self::with_keys(policy, Some(&keys))
    }

    fn with_keys(policy: &Policy, keys: Option<&[(PrincipalType, String)]>) -> Self {
        let mut names = Vec::new();
        let mut add = |principal: &Principal| {
            let key = (principal.kind(), fold_name(principal.name()));
            let is_selected = keys.is_none_or(|keys| keys.binary_search(&key).is_ok());
            if is_selected && !principal.is_everyone() && !key.1.is_empty() {
                names.push((key.0, key.1, principal.clone()));
            }
        };
        policy.known_principals().for_each(&mut add);
        policy
            .settings()
            .superusers
            .iter()
            .map(Principal::user)
            .for_each(|user| add(&user));
        let access = &policy.settings().access;
        AccessLevel::ALL
            .iter()
            .flat_map(|level| access.grantees(*level))
            .for_each(&mut add);
        sort(&mut names, |a, b| a.cmp(b));
        names.dedup();
        Self { names }
    }

    /// The known names that are near misses of this one, in order, without the name itself.
    pub fn near(&self, principal: &Principal) -> impl Iterator<Item = &Principal> {
        let folded = fold_name(principal.name());
        let same = run(&self.names, |(kind, name, _)| {
            (*kind, name).cmp(&(principal.kind(), &folded))
        });
        same.iter()
            .map(|(.., known)| known)
            .filter(move |known| *known != principal && !principal.is_everyone())
    }

    /// The names that are near misses of each other, as sorted groups.
    fn groups(&self) -> impl Iterator<Item = Vec<&Principal>> {
        let groups = self
            .names
            .chunk_by(|a, b| (a.0, &a.1) == (b.0, &b.1))
            .filter(|group| group.len() > 1);
        groups.map(|group| group.iter().map(|(.., name)| name).collect())
    }
}

/// Reports findings about the name of one principal, whether or not the policy contains it: an
/// asterisk that is not a wildcard, a type inside the name, a path although only last segments
/// become groups, and known names that differ only in letter case or in leading or trailing
/// slashes.
///
/// `User:*` means everyone here; [`gbac_engine::model::check_member`] refuses it as a member of a
/// role.
///
/// ```
/// use gbac_analysis::{NameIndex, name_findings};
/// use gbac_engine::Coded;
/// use gbac_engine::model::Principal;
/// use gbac_engine::policy::Policy;
///
/// let policy = Policy::default();
/// let codes = |principal: &str| -> Vec<&str> {
///     let principal = Principal::parse(principal).expect("a principal");
///     name_findings(&policy, &principal, &NameIndex::new(&policy)).iter().map(|finding| finding.code.code()).collect()
/// };
/// assert_eq!(codes("Group:eng*"), ["principal_wildcard"]);
/// assert_eq!(codes("Group:Group:eng"), ["principal_type_twice"]);
/// assert!(codes("User:*").is_empty());
/// ```
#[must_use]
pub fn name_findings(policy: &Policy, principal: &Principal, known: &NameIndex) -> Vec<Finding> {
    let name_finding = name_fault(principal).map(NameFault::into_finding);
    let path_finding = path_with_suffix(policy, principal);
    let mut findings: Vec<Finding> = name_finding.into_iter().chain(path_finding).collect();
    for finding in &mut findings {
        finding.principals = vec![principal.clone()];
    }
    let mut near: Vec<&Principal> = known.near(principal).collect();
    if !near.is_empty() {
        near.push(principal);
        sort(&mut near, |a, b| a.cmp(b));
        findings.push(near_names(&near));
    }
    sort_findings(&mut findings);
    findings
}

/// A problem of a principal's name.
pub(super) struct NameFault {
    pub(super) code: FindingCode,
    pub(super) message: String,
    pub(super) hint: String,
}

impl NameFault {
    pub(super) fn into_finding(self) -> Finding {
        Finding::new(self.code, Severity::Warning, self.message, self.hint)
    }
}

/// Blanks around a name are a part of it, and usually come from a list that was split.
pub(super) fn edge_whitespace(principal: &Principal) -> NameFault {
    let (label, name) = (
        escaped(&principal.to_string()),
        escaped(principal.name().trim()),
    );
    NameFault {
        code: FindingCode::PrincipalEdgeWhitespace,
        message: format!("the name of `{label}` starts or ends with a space, which is part of it"),
        hint: format!("write `{name}` if you mean that name"),
    }
}

/// The problem of a name by itself: it could not be created today (D-27), or it never matches.
pub(super) fn name_fault(principal: &Principal) -> Option<NameFault> {
    let (kind, name) = (principal.kind(), principal.name());
    // Roles can have any name; [`FindingCode::RoleMissing`] reports ACLs for roles that do not
    // exist.
    let is_person = kind != PrincipalType::Role;
    let error = match principal.check_create() {
        Err(error) => error,
        Ok(()) if name.trim() != name => return Some(edge_whitespace(principal)),
        Ok(()) if is_person && !principal.is_everyone() && name.contains('*') => {
            PrincipalError::Wildcard(kind)
        }
        Ok(()) if is_person && Principal::split(name).is_ok() && name.contains(':') => {
            PrincipalError::TypeInName(name.to_owned())
        }
        Ok(()) => return None,
    };
    let label = escaped(&principal.to_string());
    let type_name = kind.prefix().to_lowercase();
    let (message, hint) = match &error {
        PrincipalError::Wildcard(_) => (
            format!("`{label}` is not a wildcard: it is the one {type_name} with this exact name"),
            format!("only `User:*` means everyone; name each {type_name}"),
        ),
        PrincipalError::TypeInName(name) => {
            let name = escaped(name);
            (
                format!("`{label}` is the {type_name} named `{name}`"),
                format!("write `{name}` if you mean that {type_name}"),
            )
        }
        error => (
            format!("`{label}` could not be created today: {error}"),
            error.hint(),
        ),
    };
    Some(NameFault {
        code: (&error).into(),
        message,
        hint,
    })
}

/// Finds problems of the principals of ACLs, of these or of all: one finding for each problem, with
/// all ACLs of the principal.
pub(super) fn lint_acl_principals(
    policy: &Policy,
    only: Option<&[PrincipalId]>,
    findings: &mut Vec<Finding>,
) {
    let is_selected = |id: PrincipalId| {
        only.is_none_or(|only| only.binary_search_by(|other| other.0.cmp(&id.0)).is_ok())
    };
    let (mut ids, mut problems) = (Vec::new(), Vec::new());
    for (id, principal) in policy.principals() {
        if policy.row_count(id) > 0 && is_selected(id) {
            let fault = name_fault(principal);
            let is_missing = principal.kind() == PrincipalType::Role && !policy.is_role(id);
            if fault.is_some() || is_missing {
                ids.push(id);
                problems.push((principal, fault, is_missing, Vec::<Acl>::new()));
            }
        }
    }
    policy.rows_of(&ids, &mut |pattern, row| {
        let place = ids.binary_search_by(|id| id.0.cmp(&row.principal.0)).ok();
        if let Some((.., acls)) = place.and_then(|place| problems.get_mut(place)) {
            row.acls(|operation, permission| {
                acls.push(policy.acl(pattern, row, operation, permission));
            });
        }
    });
    for (principal, fault, is_missing, mut acls) in problems {
        sort(&mut acls, Acl::cmp);
        let missing = is_missing.then(|| role_missing(principal, acls.len()));
        for finding in missing
            .into_iter()
            .chain(fault.map(NameFault::into_finding))
        {
            findings.push(
                finding
                    .with_acls(acls.clone())
                    .with_principals(vec![principal.clone()]),
            );
        }
    }
}

fn role_missing(role: &Principal, acls: usize) -> Finding {
    let consequence = if acls == 1 {
        "its ACL has no effect".to_owned()
    } else {
        format!("its {acls} ACLs have no effect")
    };
    let message = format!(
        "there is no role `{}`, so {consequence}",
        escaped(role.name())
    );
    let hint = "create the role, or remove its ACLs: they take effect again if a role with that name is created";
    Finding::new(FindingCode::RoleMissing, Severity::Warning, message, hint)
}

/// With `suffix`, a group whose name is a path never matches (specification 2.2).
pub(super) fn path_with_suffix(policy: &Policy, principal: &Principal) -> Option<Finding> {
    let suffix = matches!(
        policy.settings().groups,
        GroupSource::Properties {
            nested: NestedGroupBehavior::Suffix,
            ..
        }
    );
    if !suffix || principal.kind() != PrincipalType::Group || !principal.name().contains('/') {
        return None;
    }
    let last = principal
        .name()
        .rsplit('/')
        .find(|segment| !segment.is_empty())
        .unwrap_or_default();
    let message = format!(
        "no token produces the group `{}`: with `suffix`, groups have no slash",
        escaped(principal.name())
    );
    let hint = format!(
        "name `Group:{}`, or set `nested_group_behavior` to `none`",
        escaped(last)
    );
    let finding = Finding::new(
        FindingCode::GroupPathWithSuffix,
        Severity::Warning,
        message,
        hint,
    );
    Some(finding.with_principals(vec![principal.clone()]))
}

/// Finds names of the same type that are near misses of each other.
pub(super) fn lint_near_names(policy: &Policy, findings: &mut Vec<Finding>) {
    findings.extend(
        NameIndex::new(policy)
            .groups()
            .map(|names| near_names(&names)),
    );
}

/// The finding for at least two sorted names that are near misses of each other.
fn near_names(names: &[&Principal]) -> Finding {
    let label: Vec<String> = names
        .iter()
        .map(|principal| format!("`{}`", escaped(&principal.to_string())))
        .collect();
    let first = names.first().map_or("", |first| first.name());
    let mut differences = names
        .iter()
        .filter_map(|other| name_difference(first, other.name()));
    let (code, by) = match differences.next() {
        Some(only)
            if differences.all(|difference| difference == only) && only != NameDifference::Both =>
        {
            (only, only)
        }
        _ => (NameDifference::Slashes, NameDifference::Both),
    };
    let code = if code == NameDifference::LetterCase {
        FindingCode::PrincipalLetterCase
    } else {
        FindingCode::PrincipalSlashes
    };
    let message = format!(
        "{} differ only in {}, but are different principals",
        label.join(" and "),
        by.label()
    );
    let hint = "names are compared byte by byte: use the spelling of the identity provider";
    let principals = names.iter().map(|principal| (*principal).clone()).collect();
    Finding::new(code, Severity::Warning, message, hint).with_principals(principals)
}
