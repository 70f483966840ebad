//! The text of `gbac check`: the verdict with every candidate ACL, or a whole API request.

use std::fmt::Write;

use gbac_analysis::check::{Answer, Check, Query, TokenRefusal};
use gbac_engine::ResolvedIdentity;
use gbac_engine::decide::{
    AccessPath, Candidate, CandidateStatus, Explanation, HostFacet, NearMiss, PrincipalFacet,
    Reason,
};
use gbac_json::TokenRefusalJson;
use gbac_words::phrases::count;
use gbac_words::{acl, decision};

use super::verdicts::{because, resource, subject, token, verdict};
use crate::args::Format;
use crate::output::{self, BAD, Failure, paint, plain};
use crate::policy_source::{self, PolicyState};
use crate::process::Process;
use crate::table::{Cell, table};

/// Writes the denial of a check whose token is refused.
pub(super) fn deny_refused(
    process: &Process,
    refusal: &TokenRefusal,
    state: Option<&PolicyState>,
    format: Format,
) -> Result<u8, Failure> {
    match format {
        Format::Json | Format::Yaml => {
            policy_source::write_value(process, state, format, TokenRefusalJson::from(refusal))?;
        }
        Format::Text => {
            let TokenRefusal { code, message } = refusal;
            let text = format!(
                "{}: the token is refused\n{} ({})\n",
                paint(BAD, "Denied"),
                plain(message),
                plain(code)
            );
            policy_source::write_text(process, state, &text)?;
        }
    }
    Ok(output::DENIED)
}

/// The verdict, its reason, and every candidate ACL on the resource.
pub(crate) fn explanation(
    process: &Process,
    resolved: &ResolvedIdentity,
    check: &Check,
    explanation: &Explanation,
) -> String {
    let mut text = String::new();
    let decision = &explanation.decision;
    let Query::Access {
        operation,
        resource_type,
        resource_name,
    } = &check.query
    else {
        return text;
    };
    let request = format!(
        "{} on {}",
        operation.spelling().label,
        resource(*resource_type, resource_name)
    );
    let verdict = paint(
        output::outcome_style(decision.outcome),
        decision::verdict(decision.reason),
    );
    let _ = writeln!(text, "{verdict}: {} {request}", subject(resolved));
    let _ = writeln!(text, "{}", because(resolved, decision));
    if decision.host_unknown {
        let _ = writeln!(
            text,
            "The client's host is unknown; the verdict can change with --host."
        );
    }
    text.push_str(&token(resolved));
    let rows: Vec<Vec<Cell>> = explanation
        .candidates
        .iter()
        .filter(|candidate| candidate.is_on_resource())
        .map(row)
        .collect();
    let unlisted = explanation.candidates.len() - rows.len();
    if !rows.is_empty() {
        let head = [
            "RESULT",
            "PERMISSION",
            "PRINCIPAL",
            "RESOURCE",
            "OPERATION",
            "HOST",
        ];
        let _ = write!(text, "\n{}", table(process, &head, rows));
    }
    if explanation.omitted > 0 {
        let acls = count(unlisted + explanation.omitted, "ACL");
        let _ = writeln!(
            text,
            "Not listed: {acls} of the same principals; --limit sets how many are listed."
        );
    } else if unlisted > 0 {
        let acls = count(unlisted, "ACL");
        let _ = writeln!(
            text,
            "Not listed: {acls} of the same principals on other resources; see `gbac permissions`."
        );
    }
    text.push_str(next(decision.reason));
    text
}

/// What to do about a denial that a grant can lift.
const fn next(reason: Reason) -> &'static str {
    match reason {
        Reason::NoMatch => {
            "`gbac least-grant` with the same flags finds the smallest grant that allows it.\n"
        }
        _ => "",
    }
}

/// The verdict on an API request, with each permission that it requires.
pub(crate) fn request(process: &Process, resolved: &ResolvedIdentity, answer: &Answer) -> String {
    let Answer::Api {
        outcome, decisions, ..
    } = answer
    else {
        return String::new();
    };
    let mut text = format!("{}: {}\n", output::outcome(*outcome), subject(resolved));
    text.push_str(&token(resolved));
    let rows: Vec<Vec<Cell>> = decisions
        .iter()
        .map(|(check, decision)| {
            vec![
                verdict(decision),
                check.operation.spelling().label.into(),
                resource(check.resource_type, &check.resource_name).into(),
                because(resolved, decision).into(),
            ]
        })
        .collect();
    if rows.is_empty() {
        text.push_str("This request needs no permission.\n");
    } else {
        text.push_str(&table(
            process,
            &["VERDICT", "OPERATION", "RESOURCE", "REASON"],
            rows,
        ));
    }
    text
}

fn row(candidate: &Candidate) -> Vec<Cell> {
    let acl = &candidate.acl;
    let paths: Vec<String> = candidate.paths.iter().map(access_path).collect();
    let principal = match &candidate.principal {
        PrincipalFacet::MemberLetterCase(near) | PrincipalFacet::MemberSlashes(near) => {
            format!(
                "{} > {}",
                plain(&near.member.to_string()),
                plain(&acl.principal.to_string())
            )
        }
        _ if paths.is_empty() => plain(&acl.principal.to_string()),
        _ => paths.join("; "),
    };
    let host = match candidate.host {
        HostFacet::Unknown => format!("{} (client host unknown)", acl.host),
        _ => acl.host.to_string(),
    };
    vec![
        status_label(candidate.status).into(),
        Cell::styled(
            acl.permission.spelling().label,
            output::permission_style(acl.permission),
        ),
        principal.into(),
        output::sentence(&acl::pattern(acl)).into(),
        acl.operation.spelling().label.into(),
        host.into(),
    ]
}

fn access_path(path: &AccessPath) -> String {
    match (&path.group, &path.role) {
        (Some(group), Some(role)) => format!("Group:{} > Role:{}", plain(group), plain(role)),
        (None, Some(role)) => format!("User > Role:{}", plain(role)),
        _ => plain(&path.principal.to_string()),
    }
}

fn status_label(status: CandidateStatus) -> String {
    match status {
        CandidateStatus::Decides => "decides".into(),
        CandidateStatus::Agrees => "agrees".into(),
        CandidateStatus::Overridden => "overridden".into(),
        CandidateStatus::NotReached => "not evaluated".into(),
        CandidateStatus::Near(near) => format!("near miss: {}", near_miss_label(near)),
        CandidateStatus::NoMatch => "no match".into(),
    }
}

const fn near_miss_label(near: NearMiss) -> &'static str {
    match near {
        NearMiss::Host => "host",
        NearMiss::PrincipalLetterCase => "letter case of the principal",
        NearMiss::PrincipalSlashes => "leading or trailing slashes of the principal",
        NearMiss::MemberLetterCase => "letter case of a role member",
        NearMiss::MemberSlashes => "leading or trailing slashes of a role member",
        NearMiss::NameLetterCase => "letter case of the resource name",
        NearMiss::NameSlashes => "leading or trailing slashes of the resource name",
    }
}
