//! `gbac least-grant`: what would allow what is denied.

use std::fmt::Write;
use std::process::ExitCode;

use gbac_engine::analyze::{LeastGrant, least_grant};
use gbac_engine::check::{Answer, Check, Opened, Question};
use gbac_engine::decide::{Outcome, Reason, Request};
use gbac_engine::wire::LeastGrantJson;
use serde_json::json;

use super::explain::{because, resource, rule, token, verdict};
use super::who_can::by;
use crate::args::{AskArgs, Format};
use crate::input::{self, Verifier};
use crate::output::{self, Failure, plain, table};
use crate::question;

pub(crate) fn run(args: &AskArgs, format: Format) -> Result<ExitCode, Failure> {
    let policy = input::policy(&args.policy)?;
    let verifier = Verifier::of(&args.who.keys)?;
    let (check, opened) = question::ask(&args.who, &args.question, &policy, verifier.as_ref())?;
    let answer =
        gbac_engine::check::ask(&policy, &opened.identity, &check).map_err(|error| question::refused(&error))?;
    let requests = requests(&check, &answer)?;
    let least = least_grant(&policy, &opened.identity, &requests);
    match format {
        Format::Json | Format::Yaml => output::value(format, &json!(LeastGrantJson::from(&least)))?,
        Format::Text => output::text(&words(&opened, &requests, &least))?,
    }
    Ok(ExitCode::SUCCESS)
}

/// The questions of a check: one, or those that a request needs, all of them.
pub(super) fn requests<'a>(check: &'a Check, answer: &'a Answer) -> Result<Vec<Request<'a>>, Failure> {
    let at = |request: Request<'a>| Request { host: check.host, now: check.now, ..request };
    match (&check.question, answer) {
        (Question::Access { operation, resource_type, resource_name }, _) => {
            Ok(vec![at(Request::new(*operation, *resource_type, resource_name))])
        }
        (Question::Api { .. }, Answer::Api { need, .. }) if need.has_choice() => Err(Failure::usage(
            "--request: one of several permissions is enough for it; ask about one with --operation and a resource",
        )),
        (Question::Api { .. }, Answer::Api { decisions, .. }) => {
            let ask = |(check, _): &'a (gbac_engine::requests::Check, _)| {
                at(Request::new(check.operation, check.resource_type, &check.resource_name))
            };
            Ok(decisions.iter().map(ask).collect())
        }
        (Question::Api { .. }, Answer::Access(_)) => Ok(Vec::new()),
    }
}

fn words(opened: &Opened, requests: &[Request<'_>], least: &LeastGrant) -> String {
    let rows: Vec<Vec<String>> = requests
        .iter()
        .zip(&least.decisions)
        .map(|(request, decision)| {
            let operation = request.operation.spelling().words.into();
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
