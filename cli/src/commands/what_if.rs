//! `gbac what-if`: one person before and after changes that are tried.

use std::fmt::Write;
use std::process::ExitCode;

use gbac_analysis::{HypotheticalChange, HypotheticalChanges};
use gbac_analysis::{WhatIf, check::Answer};
use gbac_engine::ResolvedIdentity;
use gbac_engine::decide::{At, Outcome};
use gbac_engine::policy::{Change, GroupSource};
use gbac_json::{WhatIfJson, hypothetical_changes_from_json};
use serde_json::json;

use super::compare::listed;
use super::differences::extents;
use super::explain::{because, expired, resource, rule, token, verdict};
use crate::args::Format;
use crate::args::simulate::WhatIfArgs;
use crate::input::{self, Verifier};
use crate::output::{self, Failure, plain, table};
use crate::question;

pub(crate) fn run(args: &WhatIfArgs, format: Format) -> Result<ExitCode, Failure> {
    let policy = input::policy(&args.policy)?;
    let trials = trials(args)?;
    let seconds = args.who.seconds();
    let verifier = Verifier::of(&args.who.keys, seconds)?;
    let who = question::who_of(&args.who, verifier.is_some())?;
    let check = question::asked(&who, &args.question)?;
    let verify = verifier.as_ref().map(|verifier| |token: &str| verifier.verify(token));
    let verify = verify.as_ref().map(|verify| verify as &dyn Fn(&str) -> _);
    let found = gbac_analysis::what_if(&policy, &who, &trials, check.as_ref(), verify, At::seconds(seconds))
        .map_err(|error| question::refused(&error))?;
    match format {
        Format::Json | Format::Yaml => output::value(format, &json!(WhatIfJson::from(&found)))?,
        Format::Text => output::text(&words(&trials, &found, At::seconds(seconds)))?,
    }
    let is_refused = found.no_ops.iter().any(|idle| idle.error.is_some());
    Ok(if is_refused { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

fn trials(args: &WhatIfArgs) -> Result<HypotheticalChanges, Failure> {
    let mut trials = match &args.changes {
        None => HypotheticalChanges::default(),
        Some(path) => hypothetical_changes_from_json(&input::document(path)?)
            .map_err(|problems| Failure::problems(&path.display().to_string(), problems))?,
    };
    for (flag, names, trial) in [
        ("--join", &args.join, HypotheticalChange::Join as fn(String) -> HypotheticalChange),
        ("--leave", &args.leave, HypotheticalChange::Leave),
    ] {
        for name in question::group_names(flag, names)? {
            trials.add(trial(name));
        }
    }
    if trials.as_slice().is_empty() {
        return Err(Failure::usage("no changes given; pass --changes, --join or --leave"));
    }
    Ok(trials)
}

fn words(trials: &HypotheticalChanges, found: &WhatIf, at: At) -> String {
    let user = format!("User:{}", plain(found.before.identity.user()));
    let then = format!("User:{}", plain(found.after.user()));
    let mut text = format!("{user}\n{}\nTried:\n", token(&found.before));
    for trial in trials.as_slice() {
        let _ = writeln!(text, "  {}", tried(trial));
    }
    for idle in &found.no_ops {
        let _ = writeln!(text, "note: {}: {}", tried(&idle.change), plain(&idle.to_string()));
    }
    if then != user {
        let _ = writeln!(text, "The person is another user then: {then}");
    }
    let (come, go) = &found.groups;
    if !come.is_empty() || !go.is_empty() {
        let _ = writeln!(text, "Groups that come: {}\nGroups that go: {}", listed(come), listed(go));
    }
    if let Some(answers) = &found.answers {
        // What is said about a way does not depend on the token but for the element's place.
        let sides = [("today", &found.before), ("with the changes", &found.before)];
        let _ = write!(text, "\n{}", verdicts("WHEN", sides, answers));
    }
    text.push_str(&expired(&found.before, at));
    if found.comparison.is_equal() {
        text.push_str("\nNo change in effective access.\n");
    }
    for (what, list) in [("gains", &found.comparison.gains), ("loses", &found.comparison.loses)] {
        if !list.is_empty() {
            let _ = write!(text, "\nThe person {what}:\n{}", extents(list, "  "));
        }
    }
    text
}

/// Verdicts of two sides, check by check.
pub(super) fn verdicts(head: &str, sides: [(&str, &ResolvedIdentity); 2], answers: &[Answer; 2]) -> String {
    let mut rows = Vec::new();
    for ((name, opened), answer) in sides.into_iter().zip(answers) {
        match answer {
            Answer::Access(decision) => {
                rows.push(vec![name.to_owned(), verdict(decision).into(), because(opened, decision)]);
            }
            Answer::Api { outcome, decisions, .. } => {
                let whole = if *outcome == Outcome::Allow { "Allowed" } else { "Denied" };
                rows.push(vec![name.to_owned(), whole.into(), "the whole request".into()]);
                for (check, decision) in decisions {
                    let asked = format!(
                        "{} on {}: {}",
                        check.operation.spelling().label,
                        resource(check.resource_type, &check.resource_name),
                        because(opened, decision)
                    );
                    rows.push(vec![String::new(), verdict(decision).into(), asked]);
                }
            }
        }
    }
    table(&[head, "VERDICT", "BECAUSE"], &rows)
}

fn tried(trial: &HypotheticalChange) -> String {
    match trial {
        HypotheticalChange::Join(group) => format!("the identity provider adds Group:{}", plain(group)),
        HypotheticalChange::Leave(group) => format!("the identity provider drops Group:{}", plain(group)),
        HypotheticalChange::Policy(of_policy) => change(of_policy),
    }
}

/// A change of a policy in words.
pub(super) fn change(change: &Change) -> String {
    let acl = |acl: &gbac_engine::model::Acl| format!("{} > {}", plain(&acl.principal.to_string()), rule(acl, None));
    match change {
        Change::AddAcl(of) => format!("add {}", acl(of)),
        Change::RemoveAcl(of) => format!("remove {}", acl(of)),
        Change::CreateRole(role) => format!("create Role:{}", plain(role)),
        Change::DeleteRole { name, delete_acls: false } => format!("delete Role:{}", plain(name)),
        Change::DeleteRole { name, delete_acls: true } => format!("delete Role:{} and its ACLs", plain(name)),
        Change::AddMember { role, member } => {
            format!("add {} to Role:{}", plain(&member.to_string()), plain(role))
        }
        Change::RemoveMember { role, member } => {
            format!("remove {} from Role:{}", plain(&member.to_string()), plain(role))
        }
        Change::Settings(settings) => match &settings.groups {
            GroupSource::Properties { claim_path, nested } => {
                format!("read groups at {}, nested names {}", plain(claim_path.as_str()), nested.as_str())
            }
            GroupSource::Sso { groups, .. } => format!("read groups at {}", plain(&groups.to_string())),
        },
    }
}
