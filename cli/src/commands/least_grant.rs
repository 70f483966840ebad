//! `gbac least-grant`: what would allow what is denied.

use std::fmt::Write;
use std::process::ExitCode;

use gbac_analysis::{LeastGrant, least_grant};
use gbac_engine::ResolvedIdentity;
use gbac_engine::decide::{Outcome, Reason, Request};
use gbac_json::LeastGrantJson;
use serde_json::json;

use super::explain::{because, resource, rule, token, verdict};
use super::who_can::by;
use crate::args::{AskArgs, Format};
use crate::output::{self, Failure, plain, table};
use crate::question::Answered;

pub(crate) fn run(args: &AskArgs, format: Format) -> Result<ExitCode, Failure> {
    let asked = Answered::to(args)?;
    let requests = asked.requests()?;
    let least = least_grant(&asked.policy, &asked.opened.identity, &requests);
    match format {
        Format::Json | Format::Yaml => output::value(format, &json!(LeastGrantJson::from(&least)))?,
        Format::Text => output::text(&words(&asked.opened, &requests, &least))?,
    }
    Ok(ExitCode::SUCCESS)
}

fn words(opened: &ResolvedIdentity, requests: &[Request<'_>], least: &LeastGrant) -> String {
    let rows: Vec<Vec<String>> = requests
        .iter()
        .zip(&least.decisions)
        .map(|(request, decision)| {
            let operation = request.operation.spelling().label.into();
            let on = resource(request.resource_type, request.resource_name);
            vec![verdict(decision).into(), operation, on, because(opened, decision)]
        })
        .collect();
    let mut text = format!("User:{}\n{}", plain(opened.identity.user()), token(opened));
    let _ = write!(text, "\n{}\n", table(&["VERDICT", "OPERATION", "RESOURCE", "BECAUSE"], &rows));
    if least.decisions.iter().all(|decision| decision.outcome == Outcome::Allow) {
        text.push_str("Nothing is missing.\n");
        return text;
    }
    if least.decisions.iter().any(|decision| decision.reason == Reason::Expired) {
        text.push_str("No grant helps: the token's expiry is past. A new token is needed.\n");
        return text;
    }
    if !least.denied_by.is_empty() {
        text.push_str("No grant helps: each of these denies has to go, or the group or role that leads to it.\n");
        for found in &least.denied_by {
            let _ = writeln!(text, "  {}", by(found));
        }
        return text;
    }
    if least.sets.is_empty() {
        text.push_str("No group or role that is there would allow it.\n");
    } else {
        text.push_str("It would be allowed to the same person with:\n");
        for set in &least.sets {
            let names: Vec<String> = set.iter().map(|principal| plain(&principal.to_string())).collect();
            let _ = writeln!(text, "  {}", names.join(" and "));
        }
        if !least.complete {
            text.push_str("There were too many to look at all; there may be others, and fewer may be enough.\n");
        }
    }
    if !least.acls.is_empty() {
        text.push_str("The narrowest new ACLs that would allow it:\n");
        for acl in &least.acls {
            let _ = writeln!(text, "  {} > {}", plain(&acl.principal.to_string()), rule(acl, None));
        }
    }
    text
}
