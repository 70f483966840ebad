//! Names that cannot mean what they seem to: near misses, wildcards, roles without content, superusers anyone could be.

use super::{Finding, Severity};
use crate::groups::NestedGroupBehavior;
use crate::model::{Principal, PrincipalType, RoleError, check_member, role_name_warning};
use crate::order::sort;
use crate::policy::{GroupSource, Policy, PrincipalId};
use crate::text::{escaped, lower};

/// Claims that people can often set for themselves, or that are given again after somebody left (OpenID Connect Core,
/// section 5.7, names `sub` with `iss` as the only ones to rely on).
const CHOSEN: &[&str] = &[
    "display_name",
    "email",
    "family_name",
    "given_name",
    "middle_name",
    "name",
    "nickname",
    "phone_number",
    "preferred_username",
    "profile",
    "unique_name",
    "upn",
    "user_name",
    "username",
    "website",
];

pub(super) fn lint(policy: &Policy, findings: &mut Vec<Finding>) {
    let mut principals: Vec<(Option<PrincipalId>, &Principal)> =
        policy.principals().map(|(id, principal)| (Some(id), principal)).collect();
    sort(&mut principals, |a, b| a.1.cmp(b.1));
    for (id, principal) in &principals {
        if let Some(id) = id.filter(|id| policy.is_role(*id)) {
            role(policy, id, principal, findings);
        }
        group(policy, principal, findings);
    }
    let superusers: Vec<Principal> = policy.settings().superusers.iter().map(Principal::user).collect();
    for superuser in &superusers {
        if policy.principal_id(PrincipalType::User, superuser.name()).is_none() {
            principals.push((None, superuser));
        }
    }
    near_misses(principals.into_iter().map(|(_, principal)| principal).collect(), findings);
    chosen_superusers(policy, superusers, findings);
}

/// What is odd about these roles by themselves.
pub(super) fn lint_roles(policy: &Policy, ids: &[PrincipalId], findings: &mut Vec<Finding>) {
    for id in ids.iter().filter(|id| policy.is_role(**id)) {
        if let Some(principal) = policy.principal(*id) {
            role(policy, *id, principal, findings);
        }
    }
}

fn role(policy: &Policy, id: PrincipalId, principal: &Principal, findings: &mut Vec<Finding>) {
    let name = escaped(principal.name());
    let mut find = |code, severity, message: String, hint: String, more: Option<&Principal>| {
        let about = std::iter::once(principal).chain(more).cloned().collect();
        findings.push(Finding::new(code, severity, message, hint).with_principals(about));
    };
    if policy.links(id).is_empty() {
        let hint = "add members, or delete the role";
        find("role_without_members", Severity::Notice, format!("the role `{name}` has no members"), hint.into(), None);
    }
    if policy.row_count(id) == 0 {
        let hint = "add ACLs, or delete the role: it permits and denies nothing";
        find("role_without_acls", Severity::Notice, format!("the role `{name}` has no ACLs"), hint.into(), None);
    }
    if let Some(warning) = role_name_warning(principal.name()) {
        let hint = "use ASCII characters in the names of roles".into();
        find("role_name_not_ascii", Severity::Notice, format!("the role `{name}`: {warning}"), hint, None);
    }
    let mut members: Vec<&Principal> = policy.links(id).iter().filter_map(|id| policy.principal(*id)).collect();
    sort(&mut members, |a, b| a.cmp(b));
    for member in members {
        if let Err(error) = check_member(member) {
            let message = match error {
                // D-33: the one user of that name, not everyone.
                RoleError::EveryoneAsMember => {
                    format!("the member `User:*` of the role `{name}` is the user named `*`")
                }
                _ => format!("a member of the role `{name}` could not be added today: {error}"),
            };
            find(error.code(), Severity::Warning, message, error.hint(), Some(member));
        }
    }
}

/// A path where only last segments arrive can never match (specification 2.2).
fn group(policy: &Policy, principal: &Principal, findings: &mut Vec<Finding>) {
    let suffix =
        matches!(policy.settings().groups, GroupSource::Properties { nested: NestedGroupBehavior::Suffix, .. });
    if suffix && principal.kind() == PrincipalType::Group && principal.name().contains('/') {
        let last = principal.name().rsplit('/').find(|segment| !segment.is_empty()).unwrap_or_default();
        let message =
            format!("no token makes the group `{}`: with `suffix`, groups have no slash", escaped(principal.name()));
        let hint = format!("name `Group:{}`, or set `nested_group_behavior` to `none`", escaped(last));
        let finding = Finding::new("group_path_with_suffix", Severity::Warning, message, hint);
        findings.push(finding.with_principals(vec![principal.clone()]));
    }
}

/// Names of one kind that differ by letter case or a leading slash only.
fn near_misses(principals: Vec<&Principal>, findings: &mut Vec<Finding>) {
    let mut folded: Vec<(PrincipalType, String, &Principal)> = principals
        .into_iter()
        .filter(|principal| !principal.is_everyone())
        .map(|principal| (principal.kind(), lower(principal.name().trim_start_matches('/')), principal))
        .collect();
    sort(&mut folded, |a, b| (a.0, &a.1, a.2).cmp(&(b.0, &b.1, b.2)));
    for near in folded.chunk_by(|a, b| (a.0, &a.1) == (b.0, &b.1)) {
        let [(_, _, first), _, ..] = near else { continue };
        let names: Vec<String> =
            near.iter().map(|(_, _, principal)| format!("`{}`", escaped(&principal.to_string()))).collect();
        let by_case = near.iter().all(|(_, _, principal)| lower(principal.name()) == lower(first.name()));
        let (code, by) =
            if by_case { ("name_letter_case", "letter case") } else { ("name_leading_slash", "a leading slash") };
        let message = format!("{} differ by {by} only, and are not the same", names.join(" and "));
        let hint = "names are compared byte by byte: write each as the identity provider does";
        let about = near.iter().map(|(_, _, principal)| (*principal).clone()).collect();
        findings.push(Finding::new(code, Severity::Warning, message, hint).with_principals(about));
    }
}

/// D-14: whoever can choose a superuser's name is one.
fn chosen_superusers(policy: &Policy, superusers: Vec<Principal>, findings: &mut Vec<Finding>) {
    let mapping = policy.settings().principal_mapping.as_str();
    let path = mapping.split('/').next().unwrap_or_default();
    let claim = path.split('.').find(|name| CHOSEN.contains(name));
    if let Some(claim) = claim.filter(|_| !superusers.is_empty()) {
        let message = format!(
            "users are named by `{claim}`, which people can often choose: who chooses a superuser's name is one"
        );
        let hint = "set `oidc_principal_mapping` to `$.sub`, or make sure that the identity provider never gives these \
                    names to others";
        let finding = Finding::new("superuser_name_chosen", Severity::Error, message, hint);
        findings.push(finding.with_principals(superusers));
    }
}
