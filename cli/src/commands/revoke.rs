//! `gbac revoke`: the smallest change that denies an allowed request.

use std::fmt::Write;

use gbac_analysis::{Revocation, revoke};
use gbac_engine::ResolvedIdentity;
use gbac_engine::decide::{Outcome, Request};
use gbac_engine::model::{Acl, PrincipalType};
use gbac_engine::policy::Change;
use gbac_json::RevocationJson;
use gbac_words::phrases::{ACLS_NOT_EVALUATED, count};

use super::changes;
use super::verdicts::{self, because, resource, subject, token, verdict};
use crate::args::{Format, PolicyQueryArgs};
use crate::output::{self, Failure, plain};
use crate::policy_source;
use crate::process::Process;
use crate::query::{self, EvaluatedQuery};
use crate::table::table;

pub(crate) fn run(
    process: &Process,
    args: &PolicyQueryArgs,
    format: Format,
) -> Result<u8, Failure> {
    let query = EvaluatedQuery::evaluate(process, args)?;
    let requests = query.requests()?;
    let [request] = requests.as_slice() else {
        return Err(Failure::usage(
            "--request: this request needs several permissions, and losing any one denies it; name one with --operation and a resource",
        ));
    };
    let mut revocation = revoke(&query.policy, &query.opened.identity, request);
    if let Some(group) = query::group_alone(&query.opened.identity) {
        // A group leaves no group, and the memberships of its roles are among the removals.
        revocation.memberships_to_leave = None;
        revocation.deny = revocation.deny.map(|deny| Acl {
            principal: group,
            ..deny
        });
    }
    if let Some(path) = &args.out {
        let removals = revocation.changes().unwrap_or_default();
        changes::write(process, path, &removals)?;
        changes::announce(
            process,
            path,
            &removals,
            &format!("{}, and not the deny ACL", count(removals.len(), "removal")),
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
        Format::Text => policy_source::write_text(
            process,
            query.state.as_ref(),
            &render(process, &query.opened, request, &revocation),
        )?,
    }
    Ok(output::SUCCESS)
}

fn render(
    process: &Process,
    opened: &ResolvedIdentity,
    request: &Request<'_>,
    revocation: &Revocation,
) -> String {
    let mut text = format!("{}\n{}", subject(opened), token(opened));
    let row = vec![
        verdict(&revocation.decision),
        request.operation.spelling().label.into(),
        resource(request.resource_type, request.resource_name).into(),
        because(opened, &revocation.decision).into(),
    ];
    let _ = write!(
        text,
        "\n{}\n",
        table(
            process,
            &["VERDICT", "OPERATION", "RESOURCE", "REASON"],
            vec![row]
        )
    );
    if revocation.decision.outcome == Outcome::Deny {
        text.push_str("Already denied.\n");
        return text;
    }
    let Some(least) = revocation.changes() else {
        let _ = writeln!(
            text,
            "A superuser; {ACLS_NOT_EVALUATED}. To deny the request, remove the user from the superusers."
        );
        return text;
    };
    text.push_str(match query::group_alone(&opened.identity) {
        Some(_) => {
            "The smallest set of removals from the policy that denies it to the group alone. Others can lose access too, and \
             members who have access through another group, a role or their own ACLs keep it:\n"
        }
        None => "The smallest set of removals from the policy that denies it; other users can lose access too:\n",
    });
    for row in &least {
        let _ = writeln!(text, "  {}", verdicts::change(row));
    }
    text.push_str(&changes::as_commands(
        "To remove these in a running service:",
        &least,
    ));
    if let Some(leave) = &revocation.memberships_to_leave {
        text.push_str("Or, without changing ACLs, remove the user from all of these:\n");
        for principal in leave {
            let by = if principal.kind() == PrincipalType::Group {
                "in the identity provider"
            } else {
                "in the members of the role"
            };
            let _ = writeln!(text, "  {} ({by})", plain(&principal.to_string()));
        }
    }
    if let Some(deny) = &revocation.deny {
        let whom = if query::group_alone(&opened.identity).is_some() {
            ", which denies it to every member"
        } else {
            ""
        };
        let _ = writeln!(
            text,
            "Or add one deny ACL{whom}:\n  {}",
            verdicts::acl(deny)
        );
        let add = [Change::AddAcl(deny.clone())];
        text.push_str(&changes::as_commands(
            "To create it in a running service:",
            &add,
        ));
    }
    text
}
