//! `gbac least-grant`: the smallest grant that allows a denied request.

use std::fmt::Write;

use gbac_analysis::{LeastGrant, least_grant, membership_gains};
use gbac_engine::ResolvedIdentity;
use gbac_engine::decide::{Outcome, Reason, Request};
use gbac_engine::model::{Principal, PrincipalType};
use gbac_engine::policy::{Change, Policy};
use gbac_json::LeastGrantJson;
use gbac_words::phrases::{count, list};

use super::changes;
use super::differences::regions;
use super::verdicts::{self, because, resource, subject, token, verdict};
use crate::args::{Format, PolicyQueryArgs};
use crate::output::{self, Failure, plain};
use crate::policy_source;
use crate::process::Process;
use crate::query::{self, EvaluatedQuery};
use crate::table::{Cell, table};

pub(crate) fn run(
    process: &Process,
    args: &PolicyQueryArgs,
    format: Format,
) -> Result<u8, Failure> {
    let query = EvaluatedQuery::evaluate(process, args)?;
    let requests = query.requests()?;
    let mut least = least_grant(&query.policy, &query.opened.identity, &requests);
    if let Some(group) = query::group_alone(&query.opened.identity) {
        for_group(&mut least, &group);
    }
    let grants: Vec<Change> = least.acls.iter().cloned().map(Change::AddAcl).collect();
    if let Some(path) = &args.out {
        changes::write(process, path, &grants)?;
        changes::announce(
            process,
            path,
            &grants,
            &format!("{}, and no membership", count(grants.len(), "new ACL")),
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
            policy_source::write_text(
                process,
                query.state.as_ref(),
                &render(
                    process,
                    &query.policy,
                    &query.opened,
                    &requests,
                    &least,
                    &grants,
                ),
            )?;
        }
    }
    Ok(output::SUCCESS)
}

/// The grants for a whole group: ACLs of the group, and roles. No group is a member of another one.
fn for_group(least: &mut LeastGrant, group: &Principal) {
    for acl in &mut least.acls {
        acl.principal = group.clone();
    }
    least.memberships_to_add.retain(|set| {
        set.iter()
            .all(|principal| principal.kind() == PrincipalType::Role)
    });
}

/// The command that makes the user, or the group alone, a member of the first role that is enough.
fn command_to_join(opened: &ResolvedIdentity, least: &LeastGrant) -> String {
    let role = least
        .memberships_to_add
        .iter()
        .find_map(|set| match set.as_slice() {
            [role] if role.kind() == PrincipalType::Role => Some(role.name().to_owned()),
            _ => None,
        });
    let Some(role) = role else {
        return String::new();
    };
    let (member, who) = match query::group_alone(&opened.identity) {
        Some(group) => (group, "group"),
        None => (opened.identity.principal(), "user"),
    };
    let title = format!(
        "To make the {who} a member of Role:{} in a running service:",
        plain(&role)
    );
    changes::as_commands(&title, &[Change::AddMember { role, member }])
}

/// The number of sets of memberships whose whole access is listed.
const COMPARED: usize = 5;

/// A membership, and where somebody gets it.
fn membership(principal: &Principal) -> String {
    let name = plain(&principal.to_string());
    if principal.kind() == PrincipalType::Group {
        format!("{name} (in the identity provider)")
    } else {
        name
    }
}

fn render(
    process: &Process,
    policy: &Policy,
    opened: &ResolvedIdentity,
    requests: &[Request<'_>],
    least: &LeastGrant,
    grants: &[Change],
) -> String {
    let rows: Vec<Vec<Cell>> = requests
        .iter()
        .zip(&least.decisions)
        .map(|(request, decision)| {
            let operation = request.operation.spelling().label.into();
            let on = resource(request.resource_type, request.resource_name);
            vec![
                verdict(decision),
                operation,
                on.into(),
                because(opened, decision).into(),
            ]
        })
        .collect();
    let mut text = format!("{}\n{}", subject(opened), token(opened));
    let _ = write!(
        text,
        "\n{}\n",
        table(
            process,
            &["VERDICT", "OPERATION", "RESOURCE", "REASON"],
            rows
        )
    );
    if least
        .decisions
        .iter()
        .all(|decision| decision.outcome == Outcome::Allow)
    {
        text.push_str("Already allowed.\n");
        return text;
    }
    if least
        .decisions
        .iter()
        .any(|decision| decision.reason == Reason::Expired)
    {
        text.push_str("No grant helps: the token has expired. Get a new token.\n");
        return text;
    }
    if !least.denied_by.is_empty() {
        text.push_str(
            "No grant helps: a deny rule blocks this. Remove each of these, or the path to it:\n",
        );
        for found in &least.denied_by {
            let _ = writeln!(text, "  {}", verdicts::access_path(found));
        }
        return text;
    }
    if least.memberships_to_add.is_empty() {
        text.push_str(match query::group_alone(&opened.identity) {
            Some(_) => "No existing role would allow it.\n",
            None => "No existing group or role would allow it.\n",
        });
    } else {
        text.push_str("Any one of these memberships would allow it, and grants all that is listed below it:\n");
        let identity = &opened.identity;
        let member = query::group_alone(identity).unwrap_or_else(|| identity.principal());
        for (place, set) in least.memberships_to_add.iter().enumerate() {
            let names: Vec<String> = set.iter().map(membership).collect();
            let _ = writeln!(text, "  {}", list(&names));
            if place < COMPARED {
                text.push_str(&regions(
                    process,
                    &membership_gains(policy, identity, &member, set),
                    "    ",
                ));
            }
        }
        if !least.complete {
            text.push_str(
                "The search stopped at its limit: there can be others, and smaller ones.\n",
            );
        }
    }
    if !least.acls.is_empty() {
        text.push_str("The narrowest new ACLs that would allow it:\n");
        for acl in &least.acls {
            let _ = writeln!(text, "  {}", verdicts::acl(acl));
        }
    }
    text.push_str(&command_to_join(opened, least));
    text.push_str(&changes::as_commands(
        "To create these ACLs in a running service:",
        grants,
    ));
    text
}
