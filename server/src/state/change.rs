//! How a change comes about, step by step. The store then commits it with its events.

use gbac_api::changes::refusal;

use super::audit::ChangeRecorder;
use super::change_events::{StateBefore, change_events};
use super::error::{AuditError, WriteError};
use super::license;
use super::store::{Batch, MadeChange, RecordedChange, Snapshot, StateChange};

/// Plans a change on the state with the writes before it, makes it where no reader sees it, and
/// writes its events. Returns it with what was planned to answer.
///
/// # Errors
/// Those of the plan, the change is invalid or requires a license, or its events cannot be written.
pub(crate) fn make_change<T, E: From<WriteError>>(
    batch: &mut Batch,
    recorder: &ChangeRecorder,
    plan: impl FnOnce(&Snapshot) -> Result<(StateChange, T), E>,
) -> Result<(T, RecordedChange), E> {
    let (change, answer) = plan(batch.state())?;
    license::check(batch.state(), &change)?;
    let before = StateBefore::new(batch.state(), &change);
    let change = batch.make(change);
    check_outcomes(&before, &change)?;
    let events = change_events(recorder, &before, &change);
    let keep = before.only_disables_auditing(&change);
    let events = recorder
        .write(events, keep)
        .map_err(|AuditError| WriteError::NotRecorded)?;
    Ok((answer, RecordedChange { change, events }))
}

/// Checks what a change did.
///
/// # Errors
/// Some of it was refused, or requires a license. Of the changes that a client lists, every such
/// change is reported.
fn check_outcomes(before: &StateBefore, made: &MadeChange) -> Result<(), WriteError> {
    if !matches!(made.change, StateChange::Attempt(_)) {
        return match made.refused().next() {
            Some((_, error)) => Err(error.clone().into()),
            None => Ok(()),
        };
    }
    let mut invalid = Vec::new();
    for (index, error) in made.refused() {
        invalid.push(refusal(index, error));
    }
    let unlicensed = license::unlicensed_changes(before.values(), made);
    match (invalid.is_empty(), unlicensed.is_empty()) {
        (true, true) => Ok(()),
        (true, false) => Err(WriteError::UnlicensedChanges(unlicensed)),
        (false, _) => {
            invalid.extend(unlicensed);
            Err(WriteError::InvalidChanges(invalid))
        }
    }
}
