//! `gbac compare`: the access of two users, side by side.

use std::fmt::Write;

use gbac_analysis::check::Answer;
use gbac_analysis::{IdentityComparison, compare_identities};
use gbac_engine::decide::At;
use gbac_engine::{ResolvedIdentity, Subject};
use gbac_json::{AnswerJson, IdentityComparisonJson};
use gbac_words::commands::access;
use gbac_words::common::IDENTICAL_PERMISSIONS;

use super::differences::regions;
use super::verdicts;
use crate::args::Format;
use crate::args::simulate::CompareArgs;
use crate::output::{self, Failure, plain, sentence};
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
    let users = opened.each_ref().map(|user| user.identity.principal());
    let [first, second] = users.each_ref().map(|user| plain(&user.to_string()));
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
    let [one, other] = &users;
    for (user, acls) in [
        (one, &comparison.acls_first),
        (other, &comparison.acls_second),
    ] {
        let of_one = access::acls_of_one(user, acls.len());
        let _ = writeln!(text, "\n{}", sentence(&of_one));
        for acl in acls {
            let _ = writeln!(text, "  {}", verdicts::acl(acl));
        }
    }
    if comparison.comparison.is_equal() {
        let _ = writeln!(text, "\n{IDENTICAL_PERMISSIONS}");
    }
    for (can, cannot, what) in [
        (other, one, &comparison.comparison.gains),
        (one, other, &comparison.comparison.loses),
    ] {
        if !what.is_empty() {
            let only_one = sentence(&access::only_one_can(can, cannot));
            let regions = regions(process, what, "  ");
            let _ = write!(text, "\n{only_one}\n{regions}");
        }
    }
    text
}
