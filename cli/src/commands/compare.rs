//! `gbac compare`: the access of two users, side by side.

use std::fmt::Write;
use std::path::PathBuf;

use clap::Args;
use gbac_analysis::check::{Answer, evaluate};
use gbac_analysis::{IdentityComparison, compare_identities};
use gbac_engine::decide::At;
use gbac_engine::policy::Policy;
use gbac_engine::{ResolvedIdentity, Subject};
use gbac_json::{AnswerJson, IdentityComparisonJson};
use gbac_words::commands::access;
use gbac_words::common::IDENTICAL_PERMISSIONS;

use crate::args::policy_source::{self, LoadedPolicy, PolicySourceArgs};
use crate::args::question::{self, QueryArgs, SignIn, SubjectArgs};
use crate::output::{self, Failure, Format, plain, sentence};
use crate::process::Process;
use crate::render::gains_and_losses::regions;
use crate::render::verdicts;

#[derive(Debug, Args)]
pub(crate) struct CompareArgs {
    #[command(flatten)]
    policy: PolicySourceArgs,
    #[command(flatten)]
    subject: SubjectArgs,
    #[command(flatten)]
    other: OtherSubjectArgs,
    #[command(flatten)]
    query: QueryArgs,
}

/// The second of two users.
#[derive(Debug, Args)]
pub(crate) struct OtherSubjectArgs {
    /// File with the other user's access token, `-` for standard input.
    #[arg(
        long,
        value_name = "FILE",
        conflicts_with = "other_user",
        required_unless_present = "other_user"
    )]
    other_token_file: Option<PathBuf>,
    /// Name of the other user, instead of a token.
    #[arg(long, value_name = "NAME")]
    other_user: Option<String>,
    /// Groups of --other-user, comma-separated like --group.
    #[arg(
        long = "other-group",
        alias = "other-member-of",
        value_name = "GROUPS",
        requires = "other_user"
    )]
    other_groups: Vec<String>,
    /// User-info document of the other user, if the policy's SSO mapping reads groups or the user
    /// from it.
    #[arg(long, value_name = "FILE", conflicts_with = "other_user")]
    other_userinfo: Option<PathBuf>,
}

pub(crate) fn run(process: &Process, args: &CompareArgs, format: Format) -> Result<u8, Failure> {
    let LoadedPolicy { policy, state, .. } = policy_source::load(process, &args.policy)?;
    let (verifier, at) = question::verifier(process, &args.subject)?;
    let sign_in = SignIn::new(verifier.as_ref(), state.as_ref());
    let first = question::subject(process, &args.subject, sign_in.has_keys())?;
    let second = other_subject(process, &args.other, sign_in.has_keys())?;
    let (first, first_answer) = evaluated(&policy, sign_in, &first, &args.query, at)?;
    let (second, second_answer) = evaluated(&policy, sign_in, &second, &args.query, at)?;
    let comparison = compare_identities(&policy, &first.identity, &second.identity);
    let decisions = match (first_answer, second_answer) {
        (Some(first), Some(second)) => Some([first, second]),
        _ => None,
    };
    let users = [first, second];
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
            let text = render(
                process,
                &policy,
                &users,
                &comparison,
                decisions.as_ref(),
                at,
            );
            policy_source::write_text(process, state.as_ref(), &text)?;
        }
    }
    Ok(output::SUCCESS)
}

/// The other user of the flags.
fn other_subject(
    process: &Process,
    args: &OtherSubjectArgs,
    verified: bool,
) -> Result<Subject, Failure> {
    match &args.other_user {
        Some(user) => question::by_name(process, "--other-", user, &args.other_groups),
        None => question::by_token(
            process,
            args.other_token_file.as_deref(),
            args.other_userinfo.as_deref(),
            verified,
        ),
    }
}

/// A user, and the answer to the question of the flags, if they contain one.
fn evaluated(
    policy: &Policy,
    sign_in: SignIn<'_>,
    subject: &Subject,
    query: &QueryArgs,
    at: At,
) -> Result<(ResolvedIdentity, Option<Answer>), Failure> {
    let resolved = sign_in.accepted(policy, subject)?;
    let answer = match question::optional_check(subject, query)? {
        Some(check) => Some(evaluate(policy, &resolved.identity, &check, at)?),
        None => None,
    };
    Ok((resolved, answer))
}

fn render(
    process: &Process,
    policy: &Policy,
    opened: &[ResolvedIdentity; 2],
    comparison: &IdentityComparison,
    decisions: Option<&[Answer; 2]>,
    at: At,
) -> String {
    let users = opened.each_ref().map(|user| user.identity.principal());
    let [first, second] = users.each_ref().map(|user| plain(&user.to_string()));
    let mut text = String::new();
    let dialect = policy.settings().dialect;
    for (name, user) in [&first, &second].into_iter().zip(opened) {
        let _ = write!(text, "{name}\n{}", verdicts::token(user, dialect));
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
