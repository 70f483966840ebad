//! `gbac compare`: two people side by side.

use std::fmt::Write;
use std::process::ExitCode;

use gbac_analysis::check::Answer;
use gbac_analysis::{IdentityComparison, compare_identities};
use gbac_engine::ResolvedIdentity;
use gbac_engine::decide::At;
use gbac_engine::model::Acl;
use gbac_json::{AnswerJson, IdentityComparisonJson};
use serde_json::json;

use super::differences::extents;
use super::explain::{expired, rule, token};
use super::what_if::verdicts;
use crate::args::Format;
use crate::args::simulate::CompareArgs;
use crate::input::{self, Verifier};
use crate::output::{self, Failure, plain};
use crate::question;

pub(crate) fn run(args: &CompareArgs, format: Format) -> Result<ExitCode, Failure> {
    let policy = input::policy(&args.policy)?;
    let seconds = args.who.seconds();
    let (verifier, at) = (Verifier::of(&args.who.keys, seconds)?, At::seconds(seconds));
    let both = [question::who_of(&args.who, verifier.is_some())?, question::other_of(&args.other, verifier.is_some())?];
    let mut opened = Vec::with_capacity(2);
    let mut answers = Vec::with_capacity(2);
    for who in &both {
        let person = question::open(&policy, who, verifier.as_ref()).map_err(|error| question::refused(&error))?;
        if let Some(check) = question::asked(who, &args.question)? {
            let answer = gbac_analysis::check::evaluate(&policy, &person.identity, &check, at);
            answers.push(answer.map_err(|error| question::refused(&error))?);
        }
        opened.push(person);
    }
    let (Ok(opened), answers) = (<[ResolvedIdentity; 2]>::try_from(opened), <[Answer; 2]>::try_from(answers).ok())
    else {
        return Err(Failure::new("people", "two people are compared"));
    };
    let [first, second] = &opened;
    let found = compare_identities(&policy, &first.identity, &second.identity);
    match format {
        Format::Json | Format::Yaml => {
            let answers = answers.as_ref().map(|answers| answers.each_ref().map(AnswerJson::from));
            output::value(format, &json!(IdentityComparisonJson { answers, ..IdentityComparisonJson::from(&found) }))?;
        }
        Format::Text => output::text(&words(&opened, &found, answers.as_ref(), at))?,
    }
    Ok(ExitCode::SUCCESS)
}

fn words(opened: &[ResolvedIdentity; 2], found: &IdentityComparison, answers: Option<&[Answer; 2]>, at: At) -> String {
    let [first, second] = opened.each_ref().map(|person| format!("User:{}", plain(person.identity.user())));
    let mut text = String::new();
    for (name, person) in [&first, &second].into_iter().zip(opened) {
        let _ = write!(text, "{name}\n{}", token(person));
    }
    text.push('\n');
    for (whose, groups) in [
        (format!("{first} only"), &found.groups_first),
        (format!("{second} only"), &found.groups_second),
        ("both".to_owned(), &found.groups_both),
    ] {
        let _ = writeln!(text, "Groups of {whose}: {}", listed(groups));
    }
    if let Some(answers) = answers {
        let sides = [(first.as_str(), &opened[0]), (second.as_str(), &opened[1])];
        let _ = write!(text, "\n{}", verdicts("PERSON", sides, answers));
    }
    for person in opened {
        text.push_str(&expired(person, at));
    }
    for (name, acls) in [(&first, &found.acls_first), (&second, &found.acls_second)] {
        let _ = write!(text, "\n{}", rows(name, acls));
    }
    if found.comparison.is_equal() {
        text.push_str("\nBoth have identical permissions.\n");
    }
    for (one, other, what) in [(&second, &first, &found.comparison.gains), (&first, &second, &found.comparison.loses)] {
        if !what.is_empty() {
            let _ = write!(text, "\n{one} may, and {other} may not:\n{}", extents(what, "  "));
        }
    }
    text
}

fn rows(name: &str, acls: &[Acl]) -> String {
    if acls.is_empty() {
        return format!("No ACL reaches {name} only.\n");
    }
    let mut text = format!("ACLs that reach {name} only:\n");
    for acl in acls {
        let _ = writeln!(text, "  {} > {}", plain(&acl.principal.to_string()), rule(acl, None));
    }
    text
}

/// Groups in a line.
pub(super) fn listed(groups: &[String]) -> String {
    if groups.is_empty() {
        return "none".into();
    }
    groups.iter().map(|group| format!("Group:{}", plain(group))).collect::<Vec<_>>().join(", ")
}
