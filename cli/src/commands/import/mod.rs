//! `gbac import`: replaces the policy of a running service with a document, or adds to it.

mod merge;

use std::path::PathBuf;

use clap::Args;
use gbac_analysis::Relation;
use gbac_words::commands::policy as words;

use crate::client::connection::{ConnectArgs, ReasonArgs};
use crate::client::{Client, platform};
use crate::confirm::confirm;
use crate::input;
use crate::output::{self, Failure, Format};
use crate::process::Process;
use crate::render::adds_and_removes::AddsAndRemoves;
use crate::render::policy_transfer;
#[cfg(all(test, feature = "schema"))]
pub(crate) use merge::MergedPolicy;

#[derive(Debug, Args)]
pub(crate) struct ImportArgs {
    #[command(flatten)]
    connect: ConnectArgs,
    /// Policy document, `-` for standard input.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Import only if the service's policy is still in the state that `gbac export --out` printed.
    #[arg(long, value_name = "STATE")]
    if_match: Option<String>,
    /// Change nothing. Run every check, and show who would gain or lose access.
    #[arg(short, long, alias = "dry")]
    dry_run: bool,
    /// With --dry-run, exit with 1 if effective access would change, like `gbac policy diff
    /// --exit-code`.
    #[arg(long, requires = "dry_run")]
    exit_code: bool,
    /// Do not ask for confirmation before removing anything.
    #[arg(long)]
    no_confirm: bool,
    /// Add the missing ACLs, roles and members one by one, with the platform's documented calls.
    /// Removes nothing, keeps the settings, and can be repeated after an interruption.
    #[arg(long, conflicts_with_all = ["if_match", "exit_code"])]
    merge: bool,
    #[command(flatten)]
    reason: ReasonArgs,
}

pub(crate) fn run(process: &Process, args: &ImportArgs, format: Format) -> Result<u8, Failure> {
    let file = args.file.display().to_string();
    let required_tag = match &args.if_match {
        Some(state) => Some(tag_of(state)?),
        None => None,
    };
    let policy = input::policy(process, &args.file)?;
    let reason = args.reason.reason.clone();
    let client = Client::open(process, &args.connect)?.with_reason(reason);
    if args.merge {
        return merge::run(process, &client, &policy, args.dry_run, format);
    }
    let (before, tag) = client
        .policy()
        .map_err(|error| platform::explained(process, &client, error))?;
    if required_tag.is_some_and(|required| required != tag) {
        return Err(Failure::new("policy_changed", words::POLICY_CHANGED));
    }
    let changes = AddsAndRemoves::between(&before, &policy);
    if args.dry_run {
        client.validate_policy(&policy, &tag)?;
        let relation = policy_transfer::show_dry_run(process, &before, &policy, format)?;
        let differs = args.exit_code && relation != Relation::Equal;
        return Ok(output::exit_code(!differs));
    }
    if changes.removes_something() || changes.sets_something() {
        let after = policy_transfer::after_import(&before, &policy)?;
        policy_transfer::show_effect(process, &before, &after, format)?;
    }
    if changes.removes_something() && !args.no_confirm {
        confirm(process, words::REPLACE_POLICY)?;
    }
    let tag = client.replace_policy(&policy, &tag)?;
    policy_transfer::report(process, "Imported", &file, &policy, tag.as_deref(), format)?;
    Ok(output::SUCCESS)
}

/// Converts a printed state to the service's entity tag (RFC 9110 8.8.3).
fn tag_of(state: &str) -> Result<String, Failure> {
    let state = state.trim_matches('"');
    if state.is_empty()
        || !state
            .bytes()
            .all(|byte| byte.is_ascii_graphic() && byte != b'"')
    {
        return Err(Failure::usage(
            "--if-match: invalid state; write one that `gbac export --out` printed",
        ));
    }
    Ok(format!("\"{state}\""))
}
