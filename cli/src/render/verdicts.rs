//! Verdicts, reasons, ACLs and changes as text, for every command that shows them.

use std::fmt::Write;

use gbac_analysis::AclMatch;
use gbac_analysis::check::Answer;
use gbac_engine::decide::{At, Decision, Outcome};
use gbac_engine::model::{Acl, Dialect, Operation, PatternType, ResourceType};
use gbac_engine::policy::Change;
use gbac_engine::{Assumptions, Coded, ResolvedIdentity};
use gbac_words::commands::access;
use gbac_words::{acl, change, decision};

use super::table::{Cell, table};
use crate::args::question;
use crate::output::{self, plain, sentence};
use crate::process::Process;

/// The user that a question is about, or the group alone.
pub(crate) fn subject(resolved: &ResolvedIdentity) -> String {
    let alone = if question::group_alone(&resolved.identity).is_some() {
        " alone"
    } else {
        ""
    };
    format!(
        "{}{alone}",
        plain(&question::principal_of(&resolved.identity).to_string())
    )
}

/// Whether a token was verified, the groups that it produces, and its warnings. Those about the
/// platform do not apply to Apache Kafka.
pub(crate) fn token(resolved: &ResolvedIdentity, dialect: Dialect) -> String {
    let mut text = String::new();
    if resolved.header.is_some() || resolved.extraction.is_some() {
        let groups = resolved.identity.groups();
        let verified = resolved.identity.is_verified();
        let token = access::token(verified, resolved.header.is_some(), groups);
        let _ = writeln!(text, "{}", sentence(&token));
    }
    for warning in resolved.warnings() {
        if dialect == Dialect::Kafka && warning.code.is_of_platform() {
            continue;
        }
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
pub(crate) fn expired(resolved: &ResolvedIdentity, at: At) -> String {
    if !resolved.identity.is_expired(at) {
        return String::new();
    }
    let user = resolved.identity.principal();
    format!("\n{}\n", sentence(&access::token_expired(&user)))
}

/// The verdict with what it takes for granted, as a cell of a table.
pub(crate) fn whole_verdict(verdict: &str, outcome: Outcome, assumed: Assumptions) -> Cell {
    let (text, style) = output::assuming(verdict, outcome, assumed);
    Cell::styled(text, style)
}

/// The verdict as a cell of a table.
pub(crate) fn verdict(decision: &Decision) -> Cell {
    let text = decision::verdict_of(decision);
    Cell::styled(text, output::outcome_style(decision.outcome))
}

/// A resource, such as `topic orders`.
pub(crate) fn resource(kind: ResourceType, name: &str) -> String {
    sentence(&acl::resource(kind, name))
}

/// A resource pattern, such as `topic orders- prefixed`.
pub(crate) fn names(kind: ResourceType, pattern: PatternType, name: &str) -> String {
    sentence(&acl::named_pattern(kind, name, pattern))
}

/// The reason of a decision: the deciding ACL with its access path.
pub(crate) fn because(resolved: &ResolvedIdentity, decision: &Decision) -> String {
    let Some(acl) = &decision.acl else {
        return decision::without_acl(decision, &resolved.identity);
    };
    let mut path = Vec::new();
    if let Some(group) = &decision.group {
        if let Some(extraction) = &resolved.extraction {
            for of_token in &extraction.groups {
                if of_token.name == *group {
                    path.push(plain(&of_token.location));
                }
            }
        }
        path.push(format!("Group:{}", plain(group)));
    }
    if let Some(role) = &decision.role {
        path.push(format!("Role:{}", plain(role)));
    }
    if path.is_empty() {
        path.push(plain(&acl.principal.to_string()));
    }
    let rule = acl::deciding_rule(acl, decision.implied_by);
    path.push(sentence(&rule));
    path.join(" > ")
}

/// A list of operations, or `All`.
pub(crate) fn operations(operations: &[Operation]) -> String {
    if Dialect::are_all_operations(operations) {
        return Operation::All.spelling().label.into();
    }
    let mut labels = Vec::new();
    for operation in operations {
        labels.push(operation.spelling().label);
    }
    labels.join(", ")
}

/// An ACL with its principal.
pub(crate) fn acl(acl: &Acl) -> String {
    format!(
        "{} > {}",
        plain(&acl.principal.to_string()),
        sentence(&acl::rule(acl))
    )
}

/// An ACL with the group and role through which it applies.
pub(crate) fn access_path(access: &AclMatch) -> String {
    let mut path = Vec::new();
    if let Some(group) = &access.group {
        path.push(format!("Group:{}", plain(group)));
    }
    if let Some(role) = &access.role {
        path.push(format!("Role:{}", plain(role)));
    }
    if path.is_empty() {
        return acl(&access.acl);
    }
    path.push(sentence(&acl::rule(&access.acl)));
    path.join(" > ")
}

/// Groups in a line.
pub(crate) fn groups(groups: &[String]) -> String {
    sentence(&access::group_list(groups))
}

/// The verdicts of two sides, check by check.
pub(crate) fn two_sides(
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
                let text = decision::verdict(decision.reason);
                let cell = whole_verdict(text, decision.outcome, decision.assumed);
                rows.push(vec![name.into(), cell, reason]);
            }
            Answer::Api {
                outcome,
                decisions,
                assumed,
                ..
            } => {
                let whole = whole_verdict(decision::outcome(*outcome), *outcome, *assumed);
                rows.push(vec![name.into(), whole, "the whole request".into()]);
                for (check, decision) in decisions {
                    let name = check.resource_name.as_deref();
                    let request = access::request(check.operation, check.resource_type, name);
                    let because = because(resolved, decision);
                    let reason = format!("{}: {because}", sentence(&request));
                    rows.push(vec!["".into(), verdict(decision), reason.into()]);
                }
            }
        }
    }
    table(process, &[head, "VERDICT", "REASON"], rows)
}

/// A change of a policy.
pub(crate) fn change(of: &Change) -> String {
    sentence(&change::sentence(of))
}
