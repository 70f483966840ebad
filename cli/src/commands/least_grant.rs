//! `gbac least-grant`: the smallest grant that allows a denied request.

use std::fmt::Write;

use gbac_analysis::{LeastGrant, Opening, least_grant, membership_gains};
use gbac_engine::ResolvedIdentity;
use gbac_engine::decide::{Outcome, Reason, Request};
use gbac_engine::model::{Principal, PrincipalType};
use gbac_engine::policy::Change;
use gbac_json::LeastGrantJson;
use gbac_words::commands::access;
use gbac_words::rich_text::listed;
use gbac_words::{breadth, common, smallest_change};

use crate::args::policy_question::{EvaluatedQuery, PolicyQueryArgs};
use crate::args::policy_source;
use crate::args::question;
use crate::output::{self, Failure, Format, sentence};
use crate::process::Process;
use crate::render::gains_and_losses::regions;
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
    let mut least = least_grant(&query.policy, &query.opened.identity, &requests);
    if let Some(group) = question::group_alone(&query.opened.identity) {
        for_group(&mut least, &group);
    }
    let grants: Vec<Change> = least.acls.iter().cloned().map(Change::AddAcl).collect();
    if let Some(path) = &args.out {
        proposed_changes::write(process, path, &grants)?;
        proposed_changes::announce(
            process,
            path,
            &grants,
            &access::new_acls(grants.len()),
            &args.policy,
        );
    }
    match format {
        Format::Json | Format::Yaml => {
            policy_source::write_value(
                process,
                query.state.as_ref(),
                format,
                LeastGrantJson::from(&least),
            )?;
        }
        Format::Text => {
            let text = render(process, &query, &requests, &least, &grants);
            policy_source::write_text(process, query.state.as_ref(), &text)?;
        }
    }
    Ok(output::SUCCESS)
}

/// The grants for a whole group: ACLs of the group, and roles. No group is a member of another one.
fn for_group(least: &mut LeastGrant, group: &Principal) {
    for acl in &mut least.acls {
        acl.principal = group.clone();
    }
    let sets = std::mem::take(&mut least.memberships_to_add);
    let openings = std::mem::take(&mut least.openings);
    for (set, opening) in sets.into_iter().zip(openings) {
        if set.iter().all(|of| of.kind() == PrincipalType::Role) {
            least.memberships_to_add.push(set);
            least.openings.push(opening);
        }
    }
}

/// The command that makes the user, or the group alone, a member of the first role that is enough.
fn command_to_join(opened: &ResolvedIdentity, least: &LeastGrant) -> String {
    for set in &least.memberships_to_add {
        if let [role] = set.as_slice()
            && role.kind() == PrincipalType::Role
        {
            let member = question::principal_of(&opened.identity);
            let role = role.name().to_owned();
            let title = sentence(&access::join(&member, &role));
            return proposed_changes::as_commands(&title, &[Change::AddMember { role, member }]);
        }
    }
    String::new()
}

/// What something opens, on an indented line of its own.
fn opens(opening: &Opening, indent: &str) -> String {
    match breadth::opens(opening) {
        Some(words) => format!("{indent}{}\n", sentence(&words)),
        None => String::new(),
    }
}

/// The number of sets of memberships whose whole access is listed.
const COMPARED: usize = 5;

fn render(
    process: &Process,
    query: &EvaluatedQuery,
    requests: &[Request<'_>],
    least: &LeastGrant,
    grants: &[Change],
) -> String {
    let EvaluatedQuery { policy, opened, .. } = query;
    let (mut rows, mut all_allowed, mut is_expired) = (Vec::new(), true, false);
    for (request, decision) in requests.iter().zip(&least.decisions) {
        all_allowed &= decision.outcome == Outcome::Allow;
        is_expired |= decision.reason == Reason::Expired;
        rows.push(vec![
            verdict(decision),
            request.operation.spelling().label.into(),
            resource(request.resource_type, request.resource_name).into(),
            because(opened, decision).into(),
        ]);
    }
    let dialect = policy.settings().dialect;
    let mut text = format!("{}\n{}", subject(opened), token(opened, dialect));
    let head = ["VERDICT", "OPERATION", "RESOURCE", "REASON"];
    let _ = write!(text, "\n{}\n", table(process, &head, rows));
    if all_allowed {
        let _ = writeln!(text, "{}", common::ALREADY_ALLOWED);
        return text;
    }
    if is_expired {
        let _ = writeln!(text, "{}", smallest_change::TOKEN_EXPIRED);
        return text;
    }
    if !least.denied_by.is_empty() {
        let denies = least.denied_by.len();
        let _ = writeln!(text, "{}", smallest_change::denies(denies));
        for found in &least.denied_by {
            let _ = writeln!(text, "  {}", verdicts::access_path(found));
        }
        return text;
    }
    let identity = &opened.identity;
    let member = question::principal_of(identity);
    if least.memberships_to_add.is_empty() {
        let none = match question::group_alone(identity) {
            Some(_) => access::NO_ROLE,
            None => access::NO_MEMBERSHIP,
        };
        let _ = writeln!(text, "{none}");
    } else {
        let memberships = smallest_change::memberships(&least.memberships_to_add, least.complete);
        let listed_below = access::grants_listed(least.memberships_to_add.len());
        let _ = writeln!(text, "{memberships} {listed_below}");
        let sets = least.memberships_to_add.iter().zip(&least.openings);
        for (place, (set, opening)) in sets.enumerate() {
            let set_words = set.iter().map(access::membership).collect();
            let _ = writeln!(text, "  {}", sentence(&listed(set_words, usize::MAX)));
            text.push_str(&opens(opening, "    "));
            if place < COMPARED {
                let gains = membership_gains(policy, identity, &member, set);
                text.push_str(&regions(process, &gains, "    "));
            }
        }
    }
    if !least.acls.is_empty() {
        let _ = writeln!(text, "{}", access::narrowest_acls(least.acls.len()));
        for acl in &least.acls {
            let _ = writeln!(text, "  {}", verdicts::acl(acl));
        }
        text.push_str(&opens(&Opening::of_acls(least.acls.iter().cloned()), "  "));
    }
    text.push_str(&command_to_join(opened, least));
    text.push_str(&proposed_changes::as_commands(access::CREATE_ACLS, grants));
    text
}
