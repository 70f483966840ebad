//! `gbac revoke`: the smallest change that denies an allowed request.

use std::fmt::Write;

use gbac_analysis::{Revocation, revoke};
use gbac_engine::decide::{Outcome, Request};
use gbac_engine::policy::Change;
use gbac_json::RevocationJson;
use gbac_words::commands::access;
use gbac_words::{common, smallest_change};

use crate::args::policy_question::{EvaluatedQuery, PolicyQueryArgs};
use crate::args::policy_source;
use crate::args::question;
use crate::output::{self, Failure, Format, sentence};
use crate::process::Process;
use crate::render::proposed_changes;
use crate::render::table::table;
use crate::render::verdicts::{self, because, resource, subject, token, verdict};

pub(crate) fn run(
    process: &Process,
    args: &PolicyQueryArgs,
    format: Format,
) -> Result<u8, Failure> {
    let query = EvaluatedQuery::evaluate(process, args)?;
    let requests = query.requests()?;
    let [request] = requests.as_slice() else {
        return Err(Failure::usage(access::SEVERAL_PERMISSIONS));
    };
    let mut revocation = revoke(&query.policy, &query.opened.identity, request);
    if let Some(group) = question::group_alone(&query.opened.identity) {
        // A group leaves no group, and the memberships of its roles are among the removals.
        revocation.memberships_to_leave = None;
        if let Some(deny) = &mut revocation.deny {
            deny.principal = group;
        }
    }
    if let Some(path) = &args.out {
        let removals = revocation.changes().unwrap_or_default();
        proposed_changes::write(process, path, &removals)?;
        proposed_changes::announce(
            process,
            path,
            &removals,
            &access::removals(removals.len()),
            &args.policy,
        );
    }
    match format {
        Format::Json | Format::Yaml => {
            policy_source::write_value(
                process,
                query.state.as_ref(),
                format,
                RevocationJson::from(&revocation),
            )?;
        }
        Format::Text => {
            let text = render(process, &query, request, &revocation);
            policy_source::write_text(process, query.state.as_ref(), &text)?;
        }
    }
    Ok(output::SUCCESS)
}

fn render(
    process: &Process,
    query: &EvaluatedQuery,
    request: &Request<'_>,
    revocation: &Revocation,
) -> String {
    let EvaluatedQuery { policy, opened, .. } = query;
    let dialect = policy.settings().dialect;
    let mut text = format!("{}\n{}", subject(opened), token(opened, dialect));
    let row = vec![
        verdict(&revocation.decision),
        request.operation.spelling().label.into(),
        resource(request.resource_type, request.resource_name).into(),
        because(opened, &revocation.decision).into(),
    ];
    let head = ["VERDICT", "OPERATION", "RESOURCE", "REASON"];
    let _ = write!(text, "\n{}\n", table(process, &head, vec![row]));
    if revocation.decision.outcome == Outcome::Deny {
        let _ = writeln!(text, "{}", common::ALREADY_DENIED);
        return text;
    }
    let Some(least) = revocation.changes() else {
        let superuser = smallest_change::superuser(&opened.identity.principal());
        let _ = writeln!(text, "{}", sentence(&superuser));
        return text;
    };
    let is_group = question::group_alone(&opened.identity).is_some();
    let removals = match is_group {
        true => access::REMOVALS_OF_GROUP,
        false => access::REMOVALS,
    };
    let _ = writeln!(text, "{removals}");
    for row in &least {
        let _ = writeln!(text, "  {}", verdicts::change(row));
    }
    text.push_str(&proposed_changes::as_commands(access::REMOVE, &least));
    if let Some(leave) = &revocation.memberships_to_leave {
        let _ = writeln!(text, "{}", access::LEAVE);
        for principal in leave {
            let _ = writeln!(text, "  {}", sentence(&access::membership(principal)));
        }
    }
    if let Some(deny) = &revocation.deny {
        let add_deny = match is_group {
            true => access::ADD_DENY_TO_GROUP,
            false => access::ADD_DENY,
        };
        let _ = writeln!(text, "{add_deny}\n  {}", verdicts::acl(deny));
        let add = [Change::AddAcl(deny.clone())];
        text.push_str(&proposed_changes::as_commands(access::CREATE_ACL, &add));
    }
    text
}
