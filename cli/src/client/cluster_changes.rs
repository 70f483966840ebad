//! Changes of ACLs that are sent to a Kafka cluster, one by one, because Kafka has no transactions
//! for them.

use std::fmt::Write;

use gbac_cluster::{AclOutcome, AclPhase, BATCH, RawAcl, StoredAcls, phases};
use gbac_engine::model::Acl;
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

/// How many changes that were not made are listed.
const LISTED: usize = 20;

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
    require_acls(changes)?;
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
    let (mut created, mut deleted) = (Vec::new(), Vec::new());
    for change in changes {
        match change {
            Change::AddAcl(acl) => created.push(acl.clone()),
            Change::RemoveAcl(acl) => deleted.push(acl.clone()),
            other => {
                return Err(Failure::new(
                    "not_of_kafka",
                    sentence(&change::sentence(other)),
                ));
            }
        }
    }
    let (mut outcomes, mut has_failed) = (Vec::new(), false);
    let mut progress = Progress::new(process, changes.len(), "change");
    for AclPhase { creates, acls } in phases(&created, &deleted) {
        for batch in acls.chunks(BATCH) {
            let problems = match has_failed {
                false => send_batch(cluster, &stored, batch, creates),
                // What follows can depend on what failed, such as an allow on its deny.
                true => vec![Some(words::NOT_SENT.to_owned()); batch.len()],
            };
            for (acl, problem) in batch.iter().zip(problems) {
                progress.step();
                has_failed |= problem.is_some();
                let change = match creates {
                    true => Change::AddAcl(acl.clone()),
                    false => Change::RemoveAcl(acl.clone()),
                };
                outcomes.push((change, problem));
            }
        }
    }
    Ok(outcomes)
}

/// Creates or deletes ACLs; returns what went wrong with each.
fn send_batch(
    cluster: &mut Cluster,
    stored: &StoredAcls,
    batch: &[Acl],
    creates: bool,
) -> Vec<Option<String>> {
    let mut problems = vec![None; batch.len()];
    let (mut places, mut raws): (Vec<usize>, Vec<RawAcl>) = (Vec::new(), Vec::new());
    for (place, acl) in batch.iter().enumerate() {
        let of_acl: Vec<RawAcl> = match creates {
            true => cluster.raw(acl).into_iter().collect(),
            false => stored.spellings(acl),
        };
        if of_acl.is_empty() {
            set(&mut problems, place, words::NOT_IN_PROTOCOL.to_owned());
        }
        for raw in of_acl {
            places.push(place);
            raws.push(raw);
        }
    }
    let outcomes = match creates {
        _ if raws.is_empty() => Vec::new(),
        true => cluster.create(&raws),
        false => cluster.delete(&raws),
    };
    for (place, outcome) in places.into_iter().zip(outcomes) {
        let problem = match outcome {
            AclOutcome::Applied | AclOutcome::Absent => continue,
            AclOutcome::Refused(refusal) => refusal.to_string(),
            AclOutcome::Unknown(error) | AclOutcome::NotSent(error) => error.to_string(),
        };
        set(&mut problems, place, problem);
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
            // What failed comes before what was not sent because of it.
            for UnsentChange { change, message } in sent.not_applied.iter().take(LISTED) {
                let _ = writeln!(text, "{change}: {}", output::plain(message));
            }
            if sent.not_applied.len() > LISTED {
                let more = words::more_not_applied(sent.not_applied.len() - LISTED);
                let _ = writeln!(text, "{more}");
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
