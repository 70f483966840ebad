//! Decisions in words.

use std::fmt::Write;

use gbac_analysis::check::{Answer, Check, Query};
use gbac_engine::ResolvedIdentity;
use gbac_engine::decide::{
    AccessPath, At, Candidate, CandidateStatus, Decision, Explanation, HostFacet, NearMiss, Reason,
};
use gbac_engine::model::{Acl, Operation, PatternType, ResourceType};

use crate::output::{BAD, GOOD, counted, paint, plain, table, tone};

/// The verdict, what decided, and every candidate on the resource.
pub(crate) fn explanation(opened: &ResolvedIdentity, check: &Check, explanation: &Explanation) -> String {
    let mut text = String::new();
    let decision = &explanation.decision;
    let Query::Access { operation, resource_type, resource_name } = &check.query else { return text };
    let asked = format!("{} on {}", operation.spelling().label, resource(*resource_type, resource_name));
    let verdict =
        tone(verdict(decision)).map_or_else(|| verdict(decision).into(), |style| paint(style, verdict(decision)));
    let _ = writeln!(text, "{verdict}: User:{} {asked}", plain(opened.identity.user()));
    let _ = writeln!(text, "{}", because(opened, decision));
    if decision.host_unknown {
        let _ = writeln!(text, "The host is not known; another answer is possible once --host is given.");
    }
    text.push_str(&token(opened));
    let rows: Vec<Vec<String>> =
        explanation.candidates.iter().filter(|candidate| candidate.is_on_resource()).map(row).collect();
    if !rows.is_empty() {
        let head = ["RESULT", "PERMISSION", "PRINCIPAL", "RESOURCE", "OPERATION", "HOST"];
        let _ = write!(text, "\n{}", table(&head, &rows));
    }
    let folded = explanation.candidates.len() - rows.len();
    if folded > 0 {
        let acls = counted(folded, "ACL");
        let _ = writeln!(text, "Not listed: {acls} of the same principals on other resources.");
    }
    text
}

/// Whether a token was verified, the groups that it gives, and what is to be said about them.
pub(super) fn token(opened: &ResolvedIdentity) -> String {
    let mut text = String::new();
    if opened.header.is_some() || opened.extraction.is_some() {
        let state = if opened.identity.is_verified() { "verified" } else { "not verified" };
        let groups: Vec<String> =
            opened.identity.groups().iter().map(|group| format!("Group:{}", plain(group))).collect();
        let groups = if groups.is_empty() { "no groups".into() } else { groups.join(", ") };
        let _ = writeln!(text, "Signature {state}; the token gives {groups}.");
    }
    for warning in opened.warnings() {
        let _ = writeln!(text, "warning: {} ({})", plain(&warning.message), warning.code);
    }
    text
}

/// That a token has expired, where what follows does not depend on it.
pub(super) fn expired(opened: &ResolvedIdentity, at: At) -> String {
    if !opened.identity.is_expired(at) {
        return String::new();
    }
    let user = plain(opened.identity.user());
    format!("\nThe token of User:{user} has expired, so everything is denied. With a new token:\n")
}

/// The verdict on a whole request, and each check that it needs.
pub(crate) fn request(opened: &ResolvedIdentity, answer: &Answer) -> String {
    let Answer::Api { outcome, decisions, .. } = answer else { return String::new() };
    let mut text = format!(
        "{}: User:{}\n",
        if outcome.code() == "allow" { paint(GOOD, "Allowed") } else { paint(BAD, "Denied") },
        plain(opened.identity.user())
    );
    text.push_str(&token(opened));
    let rows: Vec<Vec<String>> = decisions
        .iter()
        .map(|(check, decision)| {
            vec![
                verdict(decision).into(),
                check.operation.spelling().label.into(),
                resource(check.resource_type, &check.resource_name),
                because(opened, decision),
            ]
        })
        .collect();
    if rows.is_empty() {
        text.push_str("This request needs no permission.\n");
    } else {
        text.push_str(&table(&["VERDICT", "OPERATION", "RESOURCE", "BECAUSE"], &rows));
    }
    text
}

/// The verdict in the words that are used everywhere.
pub(super) const fn verdict(decision: &Decision) -> &'static str {
    match decision.reason {
        Reason::AllowRule | Reason::Superuser => "Allowed",
        Reason::DenyRule => "Denied by rule",
        Reason::NoMatch => "Denied, nothing allows it",
        Reason::Expired => "Denied, expired",
    }
}

pub(super) fn because(opened: &ResolvedIdentity, decision: &Decision) -> String {
    match (&decision.reason, &decision.acl) {
        (Reason::Superuser, _) => "a superuser; no ACL is asked".into(),
        (Reason::Expired, _) => "the token's expiry is past".into(),
        (_, Some(acl)) => {
            let mut way = Vec::new();
            if let Some(group) = &decision.group {
                let found = opened.extraction.iter().flat_map(|extraction| &extraction.groups);
                way.extend(found.filter(|of_token| of_token.name == *group).map(|group| plain(&group.location)));
                way.push(format!("Group:{}", plain(group)));
            }
            way.extend(decision.role.as_ref().map(|role| format!("Role:{}", plain(role))));
            if way.is_empty() {
                way.push(plain(&acl.principal.to_string()));
            }
            way.push(rule(acl, decision.implied_by));
            way.join(" > ")
        }
        (_, None) => "no ACL of the user, its roles, its groups or their roles allows it".into(),
    }
}

pub(super) fn rule(acl: &Acl, implied_by: Option<Operation>) -> String {
    let implied = if implied_by.is_some() { " (which covers it)" } else { "" };
    format!(
        "{} {}{implied}, {}, host {}",
        acl.permission.spelling().label,
        acl.operation.spelling().label,
        pattern(acl),
        acl.host
    )
}

fn pattern(acl: &Acl) -> String {
    names(acl.resource_type, acl.pattern_type, &acl.resource_name)
}

/// The names of a pattern of a resource type.
pub(super) fn names(of: ResourceType, pattern: PatternType, name: &str) -> String {
    let kind = of.spelling().label;
    match pattern {
        _ if of == ResourceType::Registry => kind.into(),
        PatternType::Literal if name == "*" => format!("{kind} * all names"),
        pattern => format!("{kind} {} {}", plain(name), pattern.spelling().label),
    }
}

/// Operations in words; one word where they are all of them.
pub(super) fn operations(operations: &[Operation]) -> String {
    if operations.len() == Operation::ALL.len() {
        return Operation::All.spelling().label.into();
    }
    operations.iter().map(|operation| operation.spelling().label).collect::<Vec<_>>().join(", ")
}

pub(super) fn resource(kind: ResourceType, name: &str) -> String {
    let words = kind.spelling().label;
    if name.is_empty() { words.into() } else { format!("{words} {}", plain(name)) }
}

fn row(candidate: &Candidate) -> Vec<String> {
    use gbac_engine::decide::PrincipalFacet;

    let acl = &candidate.acl;
    let ways: Vec<String> = candidate.paths.iter().map(way).collect();
    let principal = match &candidate.principal {
        PrincipalFacet::MemberLetterCase(near) | PrincipalFacet::MemberLeadingSlash(near) => {
            format!("{} > {}", plain(&near.member.to_string()), plain(&acl.principal.to_string()))
        }
        _ if ways.is_empty() => plain(&acl.principal.to_string()),
        _ => ways.join("; "),
    };
    let host = match candidate.host {
        HostFacet::Unknown => format!("{} (not known)", acl.host),
        _ => acl.host.to_string(),
    };
    vec![
        standing(candidate.status),
        acl.permission.spelling().label.into(),
        principal,
        pattern(acl),
        acl.operation.spelling().label.into(),
        host,
    ]
}

fn way(path: &AccessPath) -> String {
    match (&path.group, &path.role) {
        (Some(group), Some(role)) => format!("Group:{} > Role:{}", plain(group), plain(role)),
        (None, Some(role)) => format!("User > Role:{}", plain(role)),
        _ => plain(&path.principal.to_string()),
    }
}

fn standing(standing: CandidateStatus) -> String {
    match standing {
        CandidateStatus::Decides => "decides".into(),
        CandidateStatus::Agrees => "agrees".into(),
        CandidateStatus::Overridden => "overridden".into(),
        CandidateStatus::NotEvaluated => "not reached".into(),
        CandidateStatus::Near(near) => format!("near miss: {}", by(near)),
        CandidateStatus::NoMatch => "no match".into(),
    }
}

const fn by(near: NearMiss) -> &'static str {
    match near {
        NearMiss::Host => "host",
        NearMiss::PrincipalLetterCase => "letter case of the principal",
        NearMiss::PrincipalLeadingSlash => "slashes at the edges of the principal",
        NearMiss::MemberLetterCase => "letter case of a member of the role",
        NearMiss::MemberLeadingSlash => "slashes at the edges of a member of the role",
        NearMiss::NameLetterCase => "letter case of the name",
        NearMiss::NameLeadingSlash => "slashes at the edges of the name",
    }
}
