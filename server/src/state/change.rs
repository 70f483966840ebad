//! How a change comes about, step by step. The store then commits it with its events.

use std::collections::BTreeMap;

use gbac_api::changes::refusal;
use gbac_engine::model::{Acl, Dialect, Principal};
use gbac_engine::policy::{Change, Policy};
use gbac_log::EntryOrigin;

use super::audit::{ChangeRecorder, WrittenEvents};
use super::change_events::{StateBefore, change_events};
use super::config::Config;
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
    Ok((answer, make(batch, recorder, change)?))
}

/// Makes a change that others have made already, which therefore no license and no plan refuses.
///
/// # Errors
/// The change is invalid, or its events cannot be written.
pub(crate) fn make_outside_change<T>(
    batch: &mut Batch,
    recorder: &ChangeRecorder,
    plan: impl FnOnce(&Snapshot) -> (StateChange, T),
) -> Result<(T, RecordedChange), WriteError> {
    let (change, answer) = plan(batch.state());
    Ok((answer, make(batch, recorder, change)?))
}

/// Takes over the configuration that the clusters of a service share. It has no events: those of
/// the service are there.
pub(crate) fn use_shared_config(
    batch: &mut Batch,
    service: &Config,
    origin: EntryOrigin,
) -> RecordedChange {
    let config = service.of_cluster(&batch.state().config);
    RecordedChange {
        change: batch.make(StateChange::Configure(Vec::new(), config)),
        origin,
        events: WrittenEvents::none(),
    }
}

fn make(
    batch: &mut Batch,
    recorder: &ChangeRecorder,
    change: StateChange,
) -> Result<RecordedChange, WriteError> {
    let before = StateBefore::new(batch.state(), &change);
    let change = batch.make(change);
    check_outcomes(&before, &change)?;
    let events = change_events(recorder, &before, &change);
    let keep = before.only_disables_auditing(&change);
    let events = recorder
        .write(events, keep)
        .map_err(|AuditError| WriteError::NotRecorded)?;
    Ok(RecordedChange {
        change,
        origin: recorder.origin(),
        events,
    })
}

/// A valid change that is not made yet, and what it does to ACLs.
pub(crate) struct Rehearsal {
    pub(crate) change: StateChange,
    /// The ACLs that it creates.
    pub(crate) created: Vec<Acl>,
    /// The ACLs that it deletes.
    pub(crate) deleted: Vec<Acl>,
    /// Where a client lists a change of an ACL.
    pub(crate) places: BTreeMap<Acl, usize>,
    /// Whether it also changes something else.
    pub(crate) has_more: bool,
    /// The dialect of the policy with it.
    pub(crate) dialect: Dialect,
}

/// Makes a change where nobody sees it, and finds out what it does to ACLs.
///
/// # Errors
/// The change is invalid or requires a license.
pub(crate) fn rehearse(current: &Snapshot, change: StateChange) -> Result<Rehearsal, WriteError> {
    license::check(current, &change)?;
    let before = StateBefore::new(current, &change);
    let mut batch = Batch::rehearsal(current);
    let made = batch.make(change);
    check_outcomes(&before, &made)?;
    let after = match &made.change {
        StateChange::Replace(policy) => policy,
        StateChange::Changes(_) | StateChange::Attempt(_) | StateChange::Configure(..) => {
            &batch.state().policy
        }
    };
    let (mut created, mut deleted) = (Vec::new(), Vec::new());
    let touched = touched_acls(&current.policy, after, &made.change);
    for acl in touched.keys().cloned() {
        match (current.policy.has_acl(&acl), after.has_acl(&acl)) {
            (false, true) => created.push(acl),
            (true, false) => deleted.push(acl),
            (true, true) | (false, false) => {}
        }
    }
    let is_acl = |change: &Change| matches!(change, Change::AddAcl(_) | Change::RemoveAcl(_));
    Ok(Rehearsal {
        created,
        deleted,
        has_more: matches!(
            made.change,
            StateChange::Replace(_) | StateChange::Configure(..)
        ) || made.effective().any(|(_, change)| !is_acl(change)),
        dialect: after.settings().dialect,
        places: match &made.change {
            StateChange::Attempt(_) => touched,
            _ => BTreeMap::new(),
        },
        change: made.change,
    })
}

/// The ACLs that a change can create or delete, each with its index in the list of changes.
fn touched_acls(before: &Policy, after: &Policy, change: &StateChange) -> BTreeMap<Acl, usize> {
    let mut touched = BTreeMap::new();
    if matches!(change, StateChange::Replace(_)) {
        let gone = before.acls().filter(|acl| !after.has_acl(acl));
        let new = after.acls().filter(|acl| !before.has_acl(acl));
        touched.extend(gone.chain(new).map(|acl| (acl, 0)));
    }
    for (index, change) in change.policy_changes().iter().enumerate() {
        match change {
            Change::AddAcl(acl) | Change::RemoveAcl(acl) => {
                touched.insert(acl.clone().normalized(), index);
            }
            Change::DeleteRole { name, .. } => {
                let acls = before.acls_of(&Principal::role(name));
                touched.extend(acls.into_iter().map(|acl| (acl, index)));
            }
            Change::CreateRole(_)
            | Change::AddMember { .. }
            | Change::RemoveMember { .. }
            | Change::Settings(_) => {}
        }
    }
    touched
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
