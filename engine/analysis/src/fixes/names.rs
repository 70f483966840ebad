//! The names on which the new ACL of a fix allows: that of the request, a prefix of it, or every
//! name.

use gbac_engine::decide::Request;
use gbac_engine::model::{Acl, PatternType, Principal, check_role_name};
use gbac_engine::policy::{Change, Policy};

use super::role_name::role_name;
use super::{AccessFix, FixKind, FixStep};
use crate::hypothetical::HypotheticalChange;
use crate::least_grant::narrowest_for;
use crate::scope::NamePattern;

/// The characters that end a part of a name.
const SEPARATORS: [char; 3] = ['-', '.', '_'];
/// How many prefixes can be chosen.
const PREFIXES: usize = 3;

/// What an ACL for a request can cover, from the least: the name itself, prefixes of it that end at
/// `-`, `.` or `_`, and every name. Of many prefixes, those of ACLs of the policy are listed, then
/// the longest. Empty where the resource has no name.
///
/// ```
/// use gbac_analysis::name_choices;
/// use gbac_engine::decide::{At, Request};
/// use gbac_engine::model::{Operation, ResourceType};
/// use gbac_engine::policy::Policy;
/// let request = Request::new(Operation::Read, ResourceType::Topic, "orders-eu.created", At::IgnoringExpiry);
/// let choices = name_choices(&Policy::default(), &request);
/// let names: Vec<&str> = choices.iter().map(|names| names.name.as_str()).collect();
/// assert_eq!(names, ["orders-eu.created", "orders-eu.", "orders-", "*"]);
/// ```
#[must_use]
pub fn name_choices(policy: &Policy, request: &Request<'_>) -> Vec<NamePattern> {
    let name = request.resource_name;
    if !request.resource_type.has_names() || name.is_empty() || name == "*" {
        return Vec::new();
    }
    let mut prefixes: Vec<&str> = Vec::new();
    for (end, separator) in name.match_indices(SEPARATORS) {
        let prefix = name.get(..end + separator.len()).unwrap_or_default();
        if prefix.len() < name.len() {
            prefixes.push(prefix);
        }
    }
    // Those that ACLs have come first, then the longest.
    prefixes.sort_by_key(|prefix| {
        let id = policy.pattern_id(request.resource_type, PatternType::Prefixed, prefix);
        let pattern = id.and_then(|id| policy.pattern(id));
        let is_in_use = pattern.is_some_and(|pattern| !pattern.rows().is_empty());
        (!is_in_use, std::cmp::Reverse(prefix.len()))
    });
    prefixes.truncate(PREFIXES);
    prefixes.sort_by_key(|prefix| std::cmp::Reverse(prefix.len()));
    let choice = |pattern_type, name: &str| NamePattern {
        pattern_type,
        name: name.to_owned(),
    };
    let mut choices = vec![choice(PatternType::Literal, name)];
    for prefix in prefixes {
        choices.push(choice(PatternType::Prefixed, prefix));
    }
    choices.push(choice(PatternType::Literal, "*"));
    choices
}

impl AccessFix {
    /// The fix with its new ACL on these names, which must cover that of the request. A role that
    /// it creates is named after them. `None` if it adds no ACL, or if the ACL or the role cannot
    /// be created.
    ///
    /// `is_available` returns whether a new role can have a name, given the changes that create it.
    #[must_use]
    pub fn on_names(
        &self,
        policy: &Policy,
        request: &Request<'_>,
        names: &NamePattern,
        is_available: &impl Fn(&str, &[Change]) -> bool,
    ) -> Option<Self> {
        let mut fix = self.clone();
        let step = fix.steps.iter_mut().find(|step| {
            matches!(
                step.kind,
                FixKind::ExtendRole
                    | FixKind::CreateRole
                    | FixKind::GrantGroup
                    | FixKind::GrantUser
            )
        })?;
        if !request.resource_type.has_names() || !names.covers(request.resource_name) {
            return None;
        }
        if step.kind == FixKind::CreateRole {
            let member = step.changes.iter().find_map(added_member)?.clone();
            *step = new_role(policy, request, names, &member, is_available)?;
            return Some(fix);
        }
        for change in &mut step.changes {
            if let HypotheticalChange::Policy(Change::AddAcl(acl)) = change {
                *acl = on(acl.clone(), names)?;
            }
        }
        Some(fix)
    }

    /// Adds the ACL of a new role to its member instead, for a cluster that has no roles.
    pub fn grant_without_role(&mut self) {
        for step in &mut self.steps {
            if step.kind != FixKind::CreateRole {
                continue;
            }
            let Some(member) = step.changes.iter().find_map(added_member).cloned() else {
                continue;
            };
            step.kind = FixKind::GrantGroup;
            let changes = std::mem::take(&mut step.changes);
            for change in changes {
                if let HypotheticalChange::Policy(Change::AddAcl(mut acl)) = change {
                    acl.principal = member.clone();
                    let added = HypotheticalChange::Policy(Change::AddAcl(acl));
                    step.changes.push(added);
                }
            }
        }
    }
}

const fn added_member(change: &HypotheticalChange) -> Option<&Principal> {
    match change {
        HypotheticalChange::Policy(Change::AddMember { member, .. }) => Some(member),
        _ => None,
    }
}

/// An ACL on other names, if it can be created.
fn on(mut acl: Acl, names: &NamePattern) -> Option<Acl> {
    acl.pattern_type = names.pattern_type;
    acl.resource_name.clone_from(&names.name);
    acl.check_create().is_empty().then_some(acl)
}

/// Creates a role for a member, with an ACL for this request on these names.
pub(super) fn new_role(
    policy: &Policy,
    request: &Request<'_>,
    names: &NamePattern,
    member: &Principal,
    is_available: &impl Fn(&str, &[Change]) -> bool,
) -> Option<FixStep> {
    let stem = role_name(request, &names.name);
    for number in 1..=9 {
        let name = match number {
            1 => stem.clone(),
            _ => format!("{stem}{number}"),
        };
        let role = Principal::role(&name);
        // ACLs without a role would take effect with it.
        if policy.principal_id(role.kind(), role.name()).is_some()
            || check_role_name(&name).is_err()
        {
            continue;
        }
        let acl = on(narrowest_for(role, request), names)?;
        let changes = [
            Change::CreateRole(name.clone()),
            Change::AddAcl(acl),
            Change::AddMember {
                role: name.clone(),
                member: member.clone(),
            },
        ];
        if is_available(&name, &changes) {
            let changes = changes.into_iter().map(HypotheticalChange::Policy);
            return Some(FixStep {
                kind: FixKind::CreateRole,
                changes: changes.collect(),
            });
        }
    }
    None
}
