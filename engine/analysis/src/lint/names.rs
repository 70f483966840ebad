//! Roles without members or ACLs, members that could not be added, unreachable or freely chosen
//! superusers, and access to the service.

use super::principals::{
    NameFault, edge_whitespace, lint_near_names, name_fault, path_with_suffix,
};
use super::{Finding, FindingCode, Severity};
use gbac_engine::escape::escaped;
use gbac_engine::model::{
    Principal, PrincipalError, PrincipalType, RoleError, check_member, role_name_warning,
};
use gbac_engine::order::sort;
use gbac_engine::{
    policy::index::PrincipalId,
    policy::{AccessLevel, Policy},
};

/// Claims that users can often edit, or that are reassigned after a user leaves. OpenID Connect
/// Core, section 5.7, names `sub` with `iss` as the only reliable ones.
const EDITABLE_CLAIMS: &[&str] = &[
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
    let mut principals: Vec<(PrincipalId, &Principal)> = policy.principals().collect();
    sort(&mut principals, |a, b| a.1.cmp(b.1));
    for (id, principal) in principals {
        if policy.is_role(id) {
            role(policy, id, principal, findings);
        }
        findings.extend(path_with_suffix(policy, principal));
    }
    let superusers: Vec<Principal> = policy
        .settings()
        .superusers
        .iter()
        .map(Principal::user)
        .collect();
    findings.extend(superusers.iter().filter_map(superuser));
    findings.extend(
        superusers
            .iter()
            .filter_map(|superuser| unreachable_superuser(policy, superuser)),
    );
    service_access(policy, findings);
    lint_near_names(policy, findings);
    chosen_superusers(policy, superusers, findings);
}

/// The findings about these roles, without similar names.
pub(super) fn lint_roles(policy: &Policy, ids: &[PrincipalId], findings: &mut Vec<Finding>) {
    for id in ids.iter().filter(|id| policy.is_role(**id)) {
        if let Some(principal) = policy.principal(*id) {
            role(policy, *id, principal, findings);
        }
    }
}

fn role(policy: &Policy, id: PrincipalId, principal: &Principal, findings: &mut Vec<Finding>) {
    let name = escaped(principal.name());
    let mut report = |code, severity, message: String, hint: String, more: Option<&Principal>| {
        let principals = std::iter::once(principal).chain(more).cloned().collect();
        findings.push(Finding::new(code, severity, message, hint).with_principals(principals));
    };
    if policy.links(id).is_empty() {
        let hint = "add members, or delete the role";
        report(
            FindingCode::RoleWithoutMembers,
            Severity::Notice,
            format!("the role `{name}` has no members"),
            hint.into(),
            None,
        );
    }
    if policy.row_count(id) == 0 {
        let hint = "add ACLs, or delete the role: it permits and denies nothing";
        report(
            FindingCode::RoleWithoutAcls,
            Severity::Notice,
            format!("the role `{name}` has no ACLs"),
            hint.into(),
            None,
        );
    }
    if let Some(warning) = role_name_warning(principal.name()) {
        let hint = "use ASCII characters in the names of roles".into();
        report(
            FindingCode::RoleNameNotAscii,
            Severity::Notice,
            format!("the role `{name}`: {warning}"),
            hint,
            None,
        );
    }
    let mut members: Vec<&Principal> = policy
        .links(id)
        .iter()
        .filter_map(|id| policy.principal(*id))
        .collect();
    sort(&mut members, |a, b| a.cmp(b));
    for member in members {
        let problem = match (check_member(member), name_fault(member)) {
            // This is the user named `*`, not everyone (D-33).
            (Err(error @ RoleError::EveryoneAsMember), _) => {
                let message =
                    format!("the member `User:*` of the role `{name}` is the user named `*`");
                Some((FindingCode::from(&error), message, error.hint()))
            }
            (
                _,
                Some(NameFault {
                    code,
                    message,
                    hint,
                }),
            ) => Some((
                code,
                format!("a member of the role `{name}`: {message}"),
                hint,
            )),
            (Err(error), None) => {
                let message =
                    format!("a member of the role `{name}` could not be added today: {error}");
                Some((FindingCode::from(&error), message, error.hint()))
            }
            (Ok(()), None) => None,
        };
        if let Some((code, message, hint)) = problem {
            report(code, Severity::Warning, message, hint, Some(member));
        }
    }
}

/// Superuser names are compared byte by byte, so an asterisk is not a wildcard, and a space is part
/// of a name.
fn superuser(superuser: &Principal) -> Option<Finding> {
    if superuser.name().trim() != superuser.name() {
        let fault = edge_whitespace(superuser).into_finding();
        return Some(fault.with_principals(vec![superuser.clone()]));
    }
    if !superuser.name().contains('*') {
        return None;
    }
    let name = escaped(superuser.name());
    let message = format!(
        "the superuser `{name}` is not a wildcard: it is the one user with this exact name"
    );
    let finding = Finding::new(
        FindingCode::from(&PrincipalError::Wildcard(PrincipalType::User)),
        Severity::Warning,
        message,
        "name each superuser",
    );
    Some(finding.with_principals(vec![superuser.clone()]))
}

/// A superuser that no token can produce (D-14).
fn unreachable_superuser(policy: &Policy, superuser: &Principal) -> Option<Finding> {
    let mapping = &policy.settings().principal_mapping;
    if mapping.can_produce(superuser.name()) {
        return None;
    }
    let (name, rule) = (escaped(superuser.name()), escaped(mapping.as_str()));
    let message = format!(
        "nobody can sign in as the superuser `{name}`: no token names this user with the rule `{rule}`"
    );
    let hint = "write the name as it is in tokens, or remove it from the superusers";
    let finding = Finding::new(
        FindingCode::SuperuserUnreachable,
        Severity::Warning,
        message,
        hint,
    );
    Some(finding.with_principals(vec![superuser.clone()]))
}

/// The findings about users and groups with limited access to the service (D-58).
fn service_access(policy: &Policy, findings: &mut Vec<Finding>) {
    let access = &policy.settings().access;
    let mut grantees: Vec<&Principal> = AccessLevel::ALL
        .iter()
        .flat_map(|level| access.grantees(*level))
        .collect();
    sort(&mut grantees, |a, b| a.cmp(b));
    grantees.dedup();
    for grantee in grantees {
        let is_known = policy.known_principals().any(|known| known == grantee);
        if grantee.kind() == PrincipalType::Group && !is_known {
            let message = format!(
                "the group `{}` has access to the service, but no role and no ACL names it",
                escaped(grantee.name())
            );
            let hint = "check that the identity provider has a group with exactly this name";
            let finding = Finding::new(
                FindingCode::AccessGroupUnknown,
                Severity::Warning,
                message,
                hint,
            );
            findings.push(finding.with_principals(vec![grantee.clone()]));
        }
        if let Some(NameFault {
            code,
            message,
            hint,
        }) = name_fault(grantee)
        {
            let finding = Finding::new(
                code,
                Severity::Warning,
                format!("access to the service: {message}"),
                hint,
            );
            findings.push(finding.with_principals(vec![grantee.clone()]));
        }
        if !is_known {
            findings.extend(path_with_suffix(policy, grantee));
        }
    }
}

/// Superusers named by a claim that users can edit: anyone who can choose that name becomes a
/// superuser (D-14).
fn chosen_superusers(policy: &Policy, superusers: Vec<Principal>, findings: &mut Vec<Finding>) {
    let mapping = policy.settings().principal_mapping.as_str();
    let path = mapping.split('/').next().unwrap_or_default();
    let claim = path.split('.').find(|name| EDITABLE_CLAIMS.contains(name));
    if let Some(claim) = claim.filter(|_| !superusers.is_empty()) {
        let message = format!(
            "users are named by `{claim}`, which users can often edit, so anyone could become a superuser"
        );
        let hint = "set `oidc_principal_mapping` to `$.sub`, or make sure that the identity provider never gives these \
                    names to others";
        let finding = Finding::new(
            FindingCode::UserClaimEditable,
            Severity::Error,
            message,
            hint,
        );
        findings.push(finding.with_principals(superusers));
    }
}
