//! The text of `gbac check`: the verdict with every candidate ACL, or a whole API request.

use std::fmt::Write;

use gbac_analysis::check::{Answer, TokenRefusal};
use gbac_engine::ResolvedIdentity;
use gbac_engine::decide::{
    AccessPath, Candidate, CandidateStatus, Explanation, HostFacet, PrincipalFacet, Reason, Request,
};
use gbac_json::TokenRefusalJson;
use gbac_words::commands::access;
use gbac_words::{acl, decision, explanation};

use super::verdicts::{because, resource, subject, token, verdict};
use crate::args::Format;
use crate::output::{self, BAD, Failure, paint, plain, sentence};
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
            let verdict = format!("{}: {}", paint(BAD, "Denied"), access::TOKEN_REFUSED);
            let reason = format!("{} ({})", plain(message), plain(code));
            let text = format!("{verdict}\n{reason}\n");
            policy_source::write_text(process, state, &text)?;
        }
    }
    Ok(output::DENIED)
}

/// The verdict, its reason, and every candidate ACL on the resource.
pub(crate) fn explanation(
    process: &Process,
    resolved: &ResolvedIdentity,
    request: &Request<'_>,
    explanation: &Explanation,
) -> String {
    let mut text = String::new();
    let decision = &explanation.decision;
    let asked = sentence(&access::request(
        request.operation,
        request.resource_type,
        request.resource_name,
    ));
    let verdict = paint(
        output::outcome_style(decision.outcome),
        decision::verdict(decision.reason),
    );
    let _ = writeln!(text, "{verdict}: {} {asked}", subject(resolved));
    let _ = writeln!(text, "{}", because(resolved, decision));
    let host_unknown = explanation::host_unknown(decision.reason, request);
    if let Some(unknown) = host_unknown.filter(|_| decision.host_unknown) {
        let _ = writeln!(text, "{unknown} {}", access::OTHER_HOST);
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
    let acls = unlisted + explanation.omitted;
    if acls > 0 {
        let at_limit = explanation.omitted > 0;
        let _ = writeln!(text, "{}", access::acls_not_listed(acls, at_limit));
    }
    if decision.reason == Reason::NoMatch {
        let _ = writeln!(text, "{}", access::FIND_LEAST_GRANT);
    }
    text
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
        let _ = writeln!(text, "{}", access::NO_PERMISSION_NEEDED);
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
        sentence(&acl::pattern(acl)).into(),
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
    let label = decision::candidate_status(status);
    match status {
        CandidateStatus::Near(near) => format!("{label}: {}", decision::near_miss(near)),
        _ => label.to_owned(),
    }
}
