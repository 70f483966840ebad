//! Verdicts, reasons, ACLs and changes as text, for every command that shows them.

use std::fmt::Write;

use gbac_analysis::AclMatch;
use gbac_analysis::check::Answer;
use gbac_engine::decide::{At, Decision, Reason};
use gbac_engine::model::{Acl, Dialect, Operation, PatternType, ResourceType};
use gbac_engine::policy::{Change, GroupSource};
use gbac_engine::{Coded, ResolvedIdentity};
use gbac_words::phrases::{ACLS_NOT_EVALUATED, list};
use gbac_words::{acl, decision};

use crate::output::{self, plain};
use crate::process::Process;
use crate::query;
use crate::table::{Cell, table};

/// The user that a question is about, or the group alone.
pub(super) fn subject(resolved: &ResolvedIdentity) -> String {
    let alone = if query::group_alone(&resolved.identity).is_some() {
        " alone"
    } else {
        ""
    };
    format!(
        "{}{alone}",
        plain(&query::principal_of(&resolved.identity).to_string())
    )
}

/// Whether a token was verified, the groups that it produces, and its warnings.
pub(super) fn token(resolved: &ResolvedIdentity) -> String {
    let mut text = String::new();
    if resolved.header.is_some() || resolved.extraction.is_some() {
        let state = match (resolved.identity.is_verified(), &resolved.header) {
            (true, _) => "verified",
            (false, Some(_)) => "not verified (no --jwks)",
            // Claims alone have no signature.
            (false, None) => "not verified",
        };
        let _ = writeln!(
            text,
            "Signature {state}. Groups in the token: {}.",
            groups(resolved.identity.groups())
        );
    }
    for warning in resolved.warnings() {
        let _ = writeln!(
            text,
            "warning: {} ({})",
            plain(&warning.message),
            warning.code.code()
        );
    }
    text
}

/// A note that a token has expired, for results that do not depend on its expiry.
pub(super) fn expired(resolved: &ResolvedIdentity, at: At) -> String {
    if !resolved.identity.is_expired(at) {
        return String::new();
    }
    let user = plain(resolved.identity.user());
    format!("\nThe token of User:{user} has expired, so everything is denied. With a new token:\n")
}

/// The verdict as a cell of a table.
pub(super) fn verdict(decision: &Decision) -> Cell {
    let text = decision::verdict(decision.reason);
    Cell::styled(text, output::outcome_style(decision.outcome))
}

/// A resource, such as `topic orders`.
pub(super) fn resource(kind: ResourceType, name: &str) -> String {
    output::sentence(&acl::resource(kind, name))
}

/// A resource pattern, such as `topic orders- prefixed`.
pub(super) fn names(kind: ResourceType, pattern: PatternType, name: &str) -> String {
    output::sentence(&acl::named_pattern(kind, name, pattern))
}

/// The reason of a decision: the deciding ACL with its access path.
pub(super) fn because(resolved: &ResolvedIdentity, decision: &Decision) -> String {
    match (&decision.reason, &decision.acl) {
        (Reason::Superuser, _) => format!("a superuser; {ACLS_NOT_EVALUATED}"),
        (Reason::Expired, _) => ACLS_NOT_EVALUATED.into(),
        (_, Some(acl)) => {
            let mut path = Vec::new();
            if let Some(group) = &decision.group {
                let found = resolved
                    .extraction
                    .iter()
                    .flat_map(|extraction| &extraction.groups);
                path.extend(
                    found
                        .filter(|of_token| of_token.name == *group)
                        .map(|group| plain(&group.location)),
                );
                path.push(format!("Group:{}", plain(group)));
            }
            path.extend(
                decision
                    .role
                    .as_ref()
                    .map(|role| format!("Role:{}", plain(role))),
            );
            if path.is_empty() {
                path.push(plain(&acl.principal.to_string()));
            }
            path.push(output::sentence(&acl::deciding_rule(
                acl,
                decision.implied_by,
            )));
            path.join(" > ")
        }
        (_, None) if query::group_alone(&resolved.identity).is_some() => {
            "no ACL of the group or its roles allows it".into()
        }
        (_, None) => "no ACL of the user, its roles, its groups or their roles allows it".into(),
    }
}

/// A list of operations, or `All`.
pub(super) fn operations(operations: &[Operation]) -> String {
    if Dialect::are_all_operations(operations) {
        return Operation::All.spelling().label.into();
    }
    operations
        .iter()
        .map(|operation| operation.spelling().label)
        .collect::<Vec<_>>()
        .join(", ")
}

/// An ACL with its principal.
pub(super) fn acl(acl: &Acl) -> String {
    format!(
        "{} > {}",
        plain(&acl.principal.to_string()),
        output::sentence(&acl::rule(acl))
    )
}

/// An ACL with the group and role through which it applies.
pub(super) fn access_path(access: &AclMatch) -> String {
    let mut path: Vec<String> = access
        .group
        .iter()
        .map(|group| format!("Group:{}", plain(group)))
        .collect();
    path.extend(
        access
            .role
            .iter()
            .map(|role| format!("Role:{}", plain(role))),
    );
    if path.is_empty() {
        return acl(&access.acl);
    }
    path.push(output::sentence(&acl::rule(&access.acl)));
    path.join(" > ")
}

/// Groups in a line.
pub(super) fn groups(groups: &[String]) -> String {
    if groups.is_empty() {
        return "none".into();
    }
    list(
        &groups
            .iter()
            .map(|group| format!("Group:{}", plain(group)))
            .collect::<Vec<_>>(),
    )
}

/// The verdicts of two sides, check by check.
pub(super) fn two_sides(
    process: &Process,
    head: &str,
    sides: [(&str, &ResolvedIdentity); 2],
    decisions: &[Answer; 2],
) -> String {
    let mut rows = Vec::new();
    for ((name, resolved), answer) in sides.into_iter().zip(decisions) {
        match answer {
            Answer::Access(decision) => {
                let reason = because(resolved, decision).into();
                rows.push(vec![name.into(), verdict(decision), reason]);
            }
            Answer::Api {
                outcome, decisions, ..
            } => {
                let whole =
                    Cell::styled(decision::outcome(*outcome), output::outcome_style(*outcome));
                rows.push(vec![name.into(), whole, "the whole request".into()]);
                for (check, decision) in decisions {
                    let reason = format!(
                        "{} on {}: {}",
                        check.operation.spelling().label,
                        resource(check.resource_type, &check.resource_name),
                        because(resolved, decision)
                    );
                    rows.push(vec!["".into(), verdict(decision), reason.into()]);
                }
            }
        }
    }
    table(process, &[head, "VERDICT", "REASON"], rows)
}

/// A change of a policy.
pub(super) fn change(change: &Change) -> String {
    match change {
        Change::AddAcl(of) => format!("add {}", acl(of)),
        Change::RemoveAcl(of) => format!("remove {}", acl(of)),
        Change::CreateRole(role) => format!("create Role:{}", plain(role)),
        Change::DeleteRole {
            name,
            delete_acls: false,
        } => format!("delete Role:{}", plain(name)),
        Change::DeleteRole {
            name,
            delete_acls: true,
        } => format!("delete Role:{} and its ACLs", plain(name)),
        Change::AddMember { role, member } => {
            format!("add {} to Role:{}", plain(&member.to_string()), plain(role))
        }
        Change::RemoveMember { role, member } => {
            format!(
                "remove {} from Role:{}",
                plain(&member.to_string()),
                plain(role)
            )
        }
        Change::Settings(settings) => match &settings.groups {
            GroupSource::Properties { claim_path, nested } => {
                format!(
                    "read groups from {}, nested group behavior {}",
                    plain(claim_path.as_str()),
                    nested.code()
                )
            }
            GroupSource::Sso { groups, .. } => {
                format!("read groups from {}", plain(&groups.to_string()))
            }
        },
    }
}
