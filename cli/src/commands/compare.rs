//! `gbac compare`: the access of two users, side by side.

use std::fmt::Write;

use gbac_analysis::check::Answer;
use gbac_analysis::{IdentityComparison, compare_identities};
use gbac_engine::decide::At;
use gbac_engine::model::Acl;
use gbac_engine::{ResolvedIdentity, Subject};
use gbac_json::{AnswerJson, IdentityComparisonJson};

use super::differences::regions;
use super::verdicts;
use crate::args::Format;
use crate::args::simulate::CompareArgs;
use crate::output::{self, Failure, plain};
use crate::policy_source::{self, LoadedPolicy};
use crate::process::Process;
use crate::query::{self, SignIn};

pub(crate) fn run(process: &Process, args: &CompareArgs, format: Format) -> Result<u8, Failure> {
    let LoadedPolicy { policy, state } = policy_source::load(process, &args.policy)?;
    let (verifier, at) = query::verifier(process, &args.subject)?;
    let first = query::subject(process, &args.subject, verifier.is_some())?;
    let second = query::other_subject(process, &args.other, verifier.is_some())?;
    let evaluate = |subject: &Subject| -> Result<(ResolvedIdentity, Option<Answer>), Failure> {
        let opened = SignIn::new(verifier.as_ref(), state.as_ref()).accepted(&policy, subject)?;
        let check = query::optional_check(subject, &args.query)?;
        let answer = check
            .map(|check| gbac_analysis::check::evaluate(&policy, &opened.identity, &check, at))
            .transpose();
        Ok((opened, answer.map_err(|error| query::failure(&error))?))
    };
    let (first, first_answer) = evaluate(&first)?;
    let (second, second_answer) = evaluate(&second)?;
    let decisions = first_answer
        .zip(second_answer)
        .map(|(first, second)| [first, second]);
    let comparison = compare_identities(&policy, &first.identity, &second.identity);
    match format {
        Format::Json | Format::Yaml => {
            let decisions = decisions
                .as_ref()
                .map(|decisions| decisions.each_ref().map(AnswerJson::from));
            policy_source::write_value(
                process,
                state.as_ref(),
                format,
                IdentityComparisonJson {
                    decisions,
                    ..IdentityComparisonJson::from(&comparison)
                },
            )?;
        }
        Format::Text => {
            policy_source::write_text(
                process,
                state.as_ref(),
                &render(
                    process,
                    &[first, second],
                    &comparison,
                    decisions.as_ref(),
                    at,
                ),
            )?;
        }
    }
    Ok(output::SUCCESS)
}

fn render(
    process: &Process,
    opened: &[ResolvedIdentity; 2],
    comparison: &IdentityComparison,
    decisions: Option<&[Answer; 2]>,
    at: At,
) -> String {
    let [first, second] = opened
        .each_ref()
        .map(|user| format!("User:{}", plain(user.identity.user())));
    let mut text = String::new();
    for (name, user) in [&first, &second].into_iter().zip(opened) {
        let _ = write!(text, "{name}\n{}", verdicts::token(user));
    }
    text.push('\n');
    for (whose, groups) in [
        (format!("{first} only"), &comparison.groups_first),
        (format!("{second} only"), &comparison.groups_second),
        ("both".to_owned(), &comparison.groups_both),
    ] {
        let _ = writeln!(text, "Groups of {whose}: {}", verdicts::groups(groups));
    }
    if let Some(decisions) = decisions {
        let sides = [(first.as_str(), &opened[0]), (second.as_str(), &opened[1])];
        let _ = write!(
            text,
            "\n{}",
            verdicts::two_sides(process, "USER", sides, decisions)
        );
    }
    for user in opened {
        text.push_str(&verdicts::expired(user, at));
    }
    for (name, acls) in [
        (&first, &comparison.acls_first),
        (&second, &comparison.acls_second),
    ] {
        let _ = write!(text, "\n{}", acls_of_one(name, acls));
    }
    if comparison.comparison.is_equal() {
        text.push_str("\nBoth have identical permissions.\n");
    }
    for (one, other, what) in [
        (&second, &first, &comparison.comparison.gains),
        (&first, &second, &comparison.comparison.loses),
    ] {
        if !what.is_empty() {
            let _ = write!(
                text,
                "\n{one} can, and {other} cannot:\n{}",
                regions(process, what, "  ")
            );
        }
    }
    text
}

fn acls_of_one(name: &str, acls: &[Acl]) -> String {
    if acls.is_empty() {
        return format!("No ACL applies to {name} only.\n");
    }
    let mut text = format!("ACLs that apply to {name} only:\n");
    for acl in acls {
        let _ = writeln!(text, "  {}", verdicts::acl(acl));
    }
    text
}
