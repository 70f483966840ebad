//! `gbac policy apply`: makes changes of a file in a running service.

use std::path::PathBuf;

use clap::Args;
use gbac_api::reason::ChangeReason;
use gbac_engine::policy::Change;
use gbac_formats::script::changes_between;
use gbac_json::{ChangeList, POLICY_CHANGES, Problem, Problems, changes_from_json};
use gbac_words::commands::{cluster as cluster_words, policy as words};
use gbac_words::common;

use crate::client::Client;
use crate::client::brokers::{self, BrokerArgs, Cluster};
use crate::client::cluster_changes;
use crate::client::connection::{ConnectArgs, ReasonArgs};
use crate::confirm::confirm;
use crate::input;
use crate::output::{self, Failure, Format};
use crate::process::Process;
use crate::render::adds_and_removes::AddsAndRemoves;
use crate::render::policy_transfer;
use crate::render::proposed_changes::{self, CHANGES_HELP};

#[derive(Debug, Args)]
pub(crate) struct ApplyArgs {
    #[command(flatten)]
    connect: ConnectArgs,
    #[command(flatten)]
    brokers: BrokerArgs,
    /// File with the changes, a JSON array, `-` for standard input.
    #[arg(long, value_name = "FILE", long_help = CHANGES_HELP)]
    changes: PathBuf,
    /// Change nothing. Run every check, and show who would gain or lose access.
    #[arg(short, long, alias = "dry")]
    dry_run: bool,
    /// Do not ask for confirmation.
    #[arg(long)]
    no_confirm: bool,
    #[command(flatten)]
    reason: ReasonArgs,
}

/// Reads an array of changes, or an object with the member `changes`, as the service accepts it.
fn read(text: &str) -> Result<ChangeList, Problems> {
    if !text.trim_start().starts_with('[') {
        return changes_from_json(text);
    }
    changes_from_json(&format!("{{\"changes\":{text}}}")).map_err(|mut problems| {
        for Problem { path, .. } in &mut problems.0 {
            if let Some(place) = path.strip_prefix("/changes") {
                *path = place.to_owned();
            }
        }
        problems
    })
}

/// Shows the effect of the changes, and makes all of them or none.
pub(super) fn run(process: &Process, args: &ApplyArgs, format: Format) -> Result<bool, Failure> {
    let file = args.changes.display().to_string();
    let ChangeList { changes, reason } =
        read(&input::document(process, &args.changes)?).map_err(|problems| {
            Failure::problems(
                &file,
                proposed_changes::with_kinds(problems, &POLICY_CHANGES),
            )
        })?;
    let reason = match (&args.reason.reason, reason) {
        (Some(reason), _) => Some(reason.clone()),
        (None, Some(text)) => {
            let read = ChangeReason::parse(&text)
                .map_err(|error| Failure::new(error.code(), format!("{file}: /reason: {error}")))?;
            Some(read)
        }
        (None, None) => None,
    };
    let (url, profile) = (args.connect.url.as_deref(), args.connect.profile.as_deref());
    if let Some(brokers) = brokers::selected(process, &args.brokers, url, profile)? {
        let cluster = Cluster::open(process, &brokers)?;
        return apply_to_cluster(process, args, cluster, &changes, format);
    }
    let client = Client::open(process, &args.connect)?.with_reason(reason);
    let (before, tag) = client.policy()?;
    let mut after = before.clone();
    for (place, change) in changes.into_iter().enumerate() {
        // Settings that a change omits stay as they are.
        let change = match change {
            Change::Settings(settings) => {
                Change::Settings(Box::new(settings.filled_from(after.settings())))
            }
            change => change,
        };
        after.apply(change).map_err(|error| {
            Failure::new(
                error.code(),
                format!("{file}: /{place}: {error}; the policy of the service was not changed"),
            )
        })?;
    }
    if args.dry_run {
        client.validate_policy(&after, &tag)?;
        policy_transfer::show_dry_run(process, &before, &after, format)?;
        return Ok(true);
    }
    if AddsAndRemoves::between(&before, &after).is_empty() {
        match format {
            Format::Text => output::text(process, &format!("{}\n", common::NOTHING_TO_CHANGE))?,
            Format::Json | Format::Yaml => {
                policy_transfer::report(process, "", &file, &after, Some(&tag), format)?;
            }
        }
        return Ok(true);
    }
    policy_transfer::show_effect(process, &before, &after, format)?;
    if !args.no_confirm {
        confirm(process, words::MAKE_CHANGES)?;
    }
    let tag = client.replace_policy(&after, &tag)?;
    policy_transfer::report(process, "Applied", &file, &after, tag.as_deref(), format)?;
    Ok(true)
}

/// Shows the effect of changes on a Kafka cluster, and sends them one by one.
fn apply_to_cluster(
    process: &Process,
    args: &ApplyArgs,
    mut cluster: Cluster,
    changes: &[Change],
    format: Format,
) -> Result<bool, Failure> {
    cluster_changes::require_acls(changes)?;
    cluster_changes::note_reason(process, &args.reason);
    let before = cluster.policy(process)?;
    before.warn_of_unknown(process);
    let mut after = before.policy.clone();
    for (place, change) in changes.iter().enumerate() {
        after.apply(change.clone()).map_err(|error| {
            Failure::new(error.code(), format!("/{place}: {error}; nothing was sent"))
        })?;
    }
    if args.dry_run {
        output::note(process, cluster_words::PERMISSION_NOT_CHECKED);
        policy_transfer::show_dry_run(process, &before.policy, &after, format)?;
        return Ok(true);
    }
    let needed = changes_between(&before.policy, &after);
    if needed.is_empty() && format == Format::Text {
        output::text(process, &format!("{}\n", common::NOTHING_TO_CHANGE))?;
        return Ok(true);
    }
    if !needed.is_empty() {
        policy_transfer::show_effect(process, &before.policy, &after, format)?;
        if !args.no_confirm {
            confirm(process, words::MAKE_CHANGES)?;
        }
    }
    let sent = cluster_changes::send(process, &mut cluster, &before, &needed)?;
    cluster_changes::show(process, &sent, format)
}
