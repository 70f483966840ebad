//! `gbac import`: replaces the policy of a running service with a document, or adds to it.

mod merge;

use std::path::PathBuf;

use clap::Args;
use gbac_analysis::Relation;
use gbac_engine::policy::{Change, Policy};
use gbac_formats::script::changes_between;
use gbac_words::commands::{cluster as cluster_words, policy as words};

use crate::client::brokers::{self, BrokerArgs, Cluster};
use crate::client::connection::{ConnectArgs, ReasonArgs};
use crate::client::{Client, cluster_changes, platform};
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
    #[command(flatten)]
    brokers: BrokerArgs,
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
    let (url, profile) = (args.connect.url.as_deref(), args.connect.profile.as_deref());
    if let Some(brokers) = brokers::selected(process, &args.brokers, url, profile)? {
        let cluster = Cluster::open(process, &brokers)?;
        return import_to_cluster(process, args, cluster, &policy, format);
    }
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

/// Sends the ACLs that a Kafka cluster lacks and, without --merge, removes those that the document
/// does not have.
fn import_to_cluster(
    process: &Process,
    args: &ImportArgs,
    mut cluster: Cluster,
    document: &Policy,
    format: Format,
) -> Result<u8, Failure> {
    if args.if_match.is_some() {
        return Err(Failure::usage(cluster_words::NO_STATES));
    }
    cluster_changes::note_reason(process, &args.reason);
    if document.role_count() > 0 {
        let roles = cluster_words::roles_not_sent(document.role_count());
        output::note(process, &roles);
    }
    let before = cluster.policy(process)?;
    before.warn_of_unknown(process);
    let mut needed = changes_between(&before.policy, document);
    needed.retain(|change| match change {
        Change::AddAcl(_) => true,
        Change::RemoveAcl(_) => !args.merge,
        _ => false,
    });
    let mut after = before.policy.clone();
    for change in &needed {
        after
            .apply(change.clone())
            .map_err(|error| Failure::new(error.code(), error.to_string()))?;
    }
    if args.dry_run {
        output::note(process, cluster_words::PERMISSION_NOT_CHECKED);
        let relation = policy_transfer::show_dry_run(process, &before.policy, &after, format)?;
        let differs = args.exit_code && relation != Relation::Equal;
        return Ok(output::exit_code(!differs));
    }
    let changes = AddsAndRemoves::between(&before.policy, &after);
    if changes.removes_something() {
        policy_transfer::show_effect(process, &before.policy, &after, format)?;
        if !args.no_confirm {
            confirm(process, cluster_words::REPLACE_ACLS)?;
        }
    }
    let sent = cluster_changes::send(process, &mut cluster, &before, &needed)?;
    let done = cluster_changes::show(process, &sent, format)?;
    Ok(output::exit_code(done))
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
