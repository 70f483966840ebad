//! Changes of ACLs that are sent to a Kafka cluster, one by one, because Kafka has no transactions
//! for them.

use std::fmt::Write;

use gbac_cluster::{AclOutcome, BATCH, RawAcl, StoredAcls};
use gbac_engine::model::Permission;
use gbac_engine::policy::Change;
use gbac_words::change;
use gbac_words::commands::cluster as words;
#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;

use super::brokers::{Cluster, ClusterPolicy};
use super::connection::ReasonArgs;
use crate::output::{self, Failure, Format, sentence};
use crate::process::Process;
use crate::progress::Progress;

/// The changes of ACLs that were sent to a Kafka cluster.
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[derive(Debug, Serialize)]
pub(crate) struct SentChanges {
    /// The number of changes.
    changes: usize,
    /// The number of changes that were made.
    applied: usize,
    /// The others, with the reason.
    not_applied: Vec<UnsentChange>,
}

/// A change that was not made, or may not have been.
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[derive(Debug, Serialize)]
pub(crate) struct UnsentChange {
    /// The change, as a sentence.
    change: String,
    /// Why.
    message: String,
}

/// The phases in which changes are sent: new denies first, old ones last.
const PHASES: [(bool, Permission); 4] = [
    (true, Permission::Deny),
    (false, Permission::Allow),
    (true, Permission::Allow),
    (false, Permission::Deny),
];

/// Whether a change belongs to a phase.
fn is_in(change: &Change, (adds, permission): (bool, Permission)) -> bool {
    match change {
        Change::AddAcl(acl) => adds && acl.permission == permission,
        Change::RemoveAcl(acl) => !adds && acl.permission == permission,
        _ => false,
    }
}

/// Says that a cluster does not keep the reason of a change.
pub(crate) fn note_reason(process: &Process, args: &ReasonArgs) {
    if args.reason.is_some() {
        output::note(process, words::NO_REASON);
    }
}

/// Refuses changes that a Kafka cluster cannot have.
pub(crate) fn require_acls(changes: &[Change]) -> Result<(), Failure> {
    let is_acl = |change: &Change| matches!(change, Change::AddAcl(_) | Change::RemoveAcl(_));
    let others = changes.iter().filter(|change| !is_acl(change)).count();
    match others {
        0 => Ok(()),
        others => Err(Failure::new("not_of_kafka", words::not_of_kafka(others))),
    }
}

/// What became of each change: nothing, or why it was not made.
pub(crate) type Outcomes = Vec<(Change, Option<String>)>;

/// Sends the changes, if the cluster still has the ACLs that they were compared with.
pub(crate) fn send(
    process: &Process,
    cluster: &mut Cluster,
    compared: &ClusterPolicy,
    changes: &[Change],
) -> Result<Outcomes, Failure> {
    output::note(process, words::NOT_ATOMIC);
    let stored = cluster.acls(process)?;
    // A cluster lists its ACLs in any order.
    let sorted = |stored: &StoredAcls| {
        let (mut known, mut unknown) = (stored.known.clone(), stored.unknown.clone());
        known.sort_unstable();
        unknown.sort_unstable();
        (known, unknown)
    };
    if sorted(&stored) != sorted(&compared.stored) {
        return Err(Failure::new("policy_changed", words::CHANGED_MEANWHILE));
    }
    let (mut outcomes, mut has_failed) = (Vec::new(), false);
    let mut progress = Progress::new(process, changes.len(), "change");
    for phase in PHASES {
        let mut of_phase: Vec<&Change> = changes.iter().collect();
        of_phase.retain(|change| is_in(change, phase));
        for batch in of_phase.chunks(BATCH) {
            let problems = match has_failed {
                false => send_batch(cluster, &stored, batch),
                // What follows can depend on what failed, such as an allow on its deny.
                true => vec![Some(words::NOT_SENT.to_owned()); batch.len()],
            };
            for (change, problem) in batch.iter().zip(problems) {
                progress.step();
                has_failed |= problem.is_some();
                outcomes.push(((*change).clone(), problem));
            }
        }
    }
    Ok(outcomes)
}

/// Sends changes of one kind; returns what went wrong with each.
fn send_batch(
    cluster: &mut Cluster,
    stored: &StoredAcls,
    batch: &[&Change],
) -> Vec<Option<String>> {
    let (mut new, mut old, mut problems) = (Vec::new(), Vec::new(), Vec::new());
    for (place, change) in batch.iter().enumerate() {
        problems.push(None);
        let raw: Vec<RawAcl> = match change {
            Change::AddAcl(acl) => cluster.raw(acl).into_iter().collect(),
            Change::RemoveAcl(acl) => stored.spellings(acl),
            _ => Vec::new(),
        };
        if raw.is_empty() {
            set(&mut problems, place, words::NOT_IN_PROTOCOL.to_owned());
        }
        let list = match change {
            Change::AddAcl(_) => &mut new,
            _ => &mut old,
        };
        for acl in raw {
            list.push((place, acl));
        }
    }
    for (list, is_new) in [(new, true), (old, false)] {
        let (places, acls): (Vec<usize>, Vec<RawAcl>) = list.into_iter().unzip();
        if acls.is_empty() {
            continue;
        }
        let outcomes = match is_new {
            true => cluster.create(&acls),
            false => cluster.delete(&acls),
        };
        for (place, outcome) in places.into_iter().zip(outcomes) {
            let problem = match outcome {
                AclOutcome::Applied | AclOutcome::Absent => continue,
                AclOutcome::Refused(refusal) => refusal.to_string(),
                AclOutcome::Unknown(error) | AclOutcome::NotSent(error) => error.to_string(),
            };
            set(&mut problems, place, problem);
        }
    }
    problems
}

fn set(problems: &mut [Option<String>], place: usize, problem: String) {
    if let Some(of_change) = problems.get_mut(place) {
        *of_change = Some(problem);
    }
}

/// Shows what was made and what was not; returns whether everything was.
pub(crate) fn show(
    process: &Process,
    outcomes: &Outcomes,
    format: Format,
) -> Result<bool, Failure> {
    let mut sent = SentChanges {
        changes: outcomes.len(),
        applied: 0,
        not_applied: Vec::new(),
    };
    for (change, problem) in outcomes {
        match problem {
            None => sent.applied += 1,
            Some(message) => sent.not_applied.push(UnsentChange {
                change: sentence(&change::sentence(change)),
                message: message.clone(),
            }),
        }
    }
    match format {
        Format::Json | Format::Yaml => output::value(process, format, &sent)?,
        Format::Text => {
            let mut text = String::new();
            for UnsentChange { change, message } in &sent.not_applied {
                let _ = writeln!(text, "{change}: {}", output::plain(message));
            }
            let _ = writeln!(text, "{}", words::applied(sent.applied, sent.changes));
            if !sent.not_applied.is_empty() {
                let _ = writeln!(text, "{}", words::SEND_AGAIN);
            }
            output::text(process, &text)?;
        }
    }
    Ok(sent.not_applied.is_empty())
}
