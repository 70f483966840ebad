//! `gbac revoke`: what has to go for something that is allowed to be denied.

use std::fmt::Write;
use std::process::ExitCode;

use gbac_analysis::{Revocation, revoke};
use gbac_engine::ResolvedIdentity;
use gbac_engine::decide::{Outcome, Request};
use gbac_engine::model::PrincipalType;
use gbac_json::RevocationJson;
use serde_json::json;

use super::explain::{because, resource, rule, token, verdict};
use super::what_if::change;
use crate::args::{AskArgs, Format};
use crate::output::{self, Failure, plain, table};
use crate::question::Answered;

pub(crate) fn run(args: &AskArgs, format: Format) -> Result<ExitCode, Failure> {
    let asked = Answered::to(args)?;
    let requests = asked.requests()?;
    let [request] = requests.as_slice() else {
        return Err(Failure::usage(
            "--request: it takes several permissions, and one that is taken away is enough; ask about it with --operation and a resource",
        ));
    };
    let found = revoke(&asked.policy, &asked.opened.identity, request);
    match format {
        Format::Json | Format::Yaml => output::value(format, &json!(RevocationJson::from(&found)))?,
        Format::Text => output::text(&words(&asked.opened, request, &found))?,
    }
    Ok(ExitCode::SUCCESS)
}

fn words(opened: &ResolvedIdentity, request: &Request<'_>, found: &Revocation) -> String {
    let mut text = format!("User:{}\n{}", plain(opened.identity.user()), token(opened));
    let row = vec![
        verdict(&found.decision).to_owned(),
        request.operation.spelling().label.into(),
        resource(request.resource_type, request.resource_name),
        because(opened, &found.decision),
    ];
    let _ = write!(text, "\n{}\n", table(&["VERDICT", "OPERATION", "RESOURCE", "BECAUSE"], &[row]));
    if found.decision.outcome == Outcome::Deny {
        text.push_str("It is denied already: nothing has to go.\n");
        return text;
    }
    let Some(least) = found.changes() else {
        text.push_str("A superuser: no ACL is asked. Only taking the name from the superusers takes anything away.\n");
        return text;
    };
    text.push_str(
        "It would be denied without these rows of the policy, and no fewer; whoever else has them loses them too:\n",
    );
    for row in &least {
        let _ = writeln!(text, "  {}", change(row));
    }
    if let Some(leave) = &found.leave {
        text.push_str("The policy can stay where the person leaves all of:\n");
        for principal in leave {
            let by = if principal.kind() == PrincipalType::Group {
                "the identity provider says who is in it"
            } else {
                "the membership of the user"
            };
            let _ = writeln!(text, "  {} ({by})", plain(&principal.to_string()));
        }
    }
    if let Some(deny) = &found.deny {
        let _ = writeln!(
            text,
            "Or one deny, while everything else stays:\n  {} > {}",
            plain(&deny.principal.to_string()),
            rule(deny, None)
        );
    }
    text
}
