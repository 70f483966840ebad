//! The draft: changes that are not applied yet, and the policy with them.

use std::ops::Deref;
use std::sync::Arc;

use gbac_console_model::applied::{AppliedDraft, LostChange};
use gbac_console_model::draft::{self, ChangeStatus, Staged, rebased, role_of};
use gbac_console_model::sending::{SendOutcome, UnansweredChanges};
use gbac_console_model::stored_draft::{DraftOwner, StoredDraft};
use gbac_engine::model::Acl;
use gbac_engine::policy::{Change, Policy, Settings};
use leptos::prelude::*;

/// The changes of this tab that are not applied yet; a context of every page:
/// `expect_context::<Draft>()`.
///
/// It belongs to the account that made it, and [`draft_storage`](super::draft_storage) keeps it in
/// the tab's session storage. No route changes it, and a read of the service only what it says
/// about settings (D-69).
#[derive(Clone, Copy)]
pub struct Draft {
    /// The changes with what became of them when they were sent.
    pub staged: DraftValue<Vec<Staged>>,
    /// The changes, in the order in which they are made.
    pub changes: Signal<Vec<Change>>,
    /// What the changes come to on what was read last.
    pub evaluation: Memo<DraftEvaluation>,
    /// What was applied last.
    pub applied: DraftValue<Option<AppliedDraft>>,
    /// What the last undo could not put into the draft.
    pub lost: DraftValue<Vec<LostChange>>,
    /// Changes that were sent, and of which it is not known yet whether they were made.
    pub unanswered: DraftValue<Option<UnansweredChanges>>,
    /// Whose draft it is; none while that is not known.
    pub owner: DraftValue<Option<DraftOwner>>,
    /// The settings from which staged settings were made.
    settings_base: StoredValue<Option<Settings>>,
    /// The drafts of others: of other accounts, clusters and services.
    aside: StoredValue<Vec<StoredDraft>>,
}

/// A value that every page reads, and only the draft writes.
pub struct DraftValue<T: 'static> {
    read: ReadSignal<T>,
    write: WriteSignal<T>,
}

impl<T> Clone for DraftValue<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for DraftValue<T> {}

impl<T> Deref for DraftValue<T> {
    type Target = ReadSignal<T>;

    fn deref(&self) -> &Self::Target {
        &self.read
    }
}

impl<T: Default + Send + Sync + 'static> DraftValue<T> {
    fn new() -> Self {
        let (read, write) = signal(T::default());
        Self { read, write }
    }

    fn set(self, value: T) {
        self.write.set(value);
    }

    fn update(self, change: impl FnOnce(&mut T)) {
        self.write.update(change);
    }
}

/// The draft on the policy that was read last.
#[derive(Debug, Clone)]
pub struct DraftEvaluation {
    /// The policy that was read; none while nothing was.
    pub before: Option<Arc<Policy>>,
    /// The same with the changes applied; without any it is the policy itself.
    pub after: Option<Arc<Policy>>,
    /// What each change comes to; one that cannot be made any more is named here and left out of
    /// the policy. Empty while nothing was read.
    pub statuses: Vec<ChangeStatus>,
}

impl DraftEvaluation {
    fn new(before: Option<Arc<Policy>>, changes: &[Change]) -> Self {
        let (after, statuses) = match &before {
            Some(before) if !changes.is_empty() => {
                let mut after = (**before).clone();
                let statuses = draft::apply(&mut after, changes);
                (Some(Arc::new(after)), statuses)
            }
            unchanged => (unchanged.clone(), Vec::new()),
        };
        Self {
            before,
            after,
            statuses,
        }
    }
}

impl Draft {
    /// An empty draft over the policy that was read.
    #[must_use]
    pub fn new(policy: Signal<Option<Arc<Policy>>>) -> Self {
        let staged = DraftValue::<Vec<Staged>>::new();
        let changes = Memo::new(move |_| {
            let mut changes = Vec::new();
            for staged in staged.read().iter() {
                changes.push(staged.change.clone());
            }
            changes
        });
        // Each read and each edit makes another policy.
        let evaluation = Memo::new_with_compare(
            move |_| DraftEvaluation::new(policy.get(), &changes.read()),
            |_, _| true,
        );
        Self {
            staged,
            changes: changes.into(),
            evaluation,
            applied: DraftValue::new(),
            lost: DraftValue::new(),
            unanswered: DraftValue::new(),
            owner: DraftValue::new(),
            settings_base: StoredValue::new(None),
            aside: StoredValue::new(Vec::new()),
        }
    }

    /// The policy that was read with the changes applied.
    #[must_use]
    pub fn after(self) -> Option<Arc<Policy>> {
        self.evaluation.read().after.clone()
    }

    /// The same, for code that does not run again when it changes; none where the page was left.
    #[must_use]
    pub fn after_untracked(self) -> Option<Arc<Policy>> {
        self.evaluation.try_read_untracked()?.after.clone()
    }

    /// The policy that was read, for code that does not run again when it changes.
    fn before_untracked(self) -> Option<Arc<Policy>> {
        self.evaluation.read_untracked().before.clone()
    }

    /// How many changes there are.
    #[must_use]
    pub fn count(self) -> usize {
        self.staged.with(Vec::len)
    }

    /// The same, for code that does not run again when it changes.
    #[must_use]
    pub fn count_untracked(self) -> usize {
        self.staged.with_untracked(Vec::len)
    }

    /// Stages a change. What undoes a staged change removes that one; a duplicate, and what is so
    /// already, does nothing. Says whether the draft is another one now.
    #[expect(
        clippy::should_implement_trait,
        reason = "nothing is summed: a change joins the draft"
    )]
    pub fn add(self, change: Change) -> bool {
        self.add_all([change]) > 0
    }

    /// Stages several changes, and says how many of them made a difference to the draft.
    pub fn add_all(self, changes: impl IntoIterator<Item = Change>) -> usize {
        let mut staged = self.staged.get_untracked();
        let (before, after) = (self.before_untracked(), self.after_untracked());
        let mut made = 0;
        // The roles that these very changes make or delete: what was read says nothing about them.
        let mut remade: Vec<String> = Vec::new();
        for change in changes {
            let change = draft::normalized(change);
            let held: Vec<&Change> = staged.iter().map(|staged| &staged.change).collect();
            let (goes, stays) = draft::stage(&held, &change);
            if goes.is_empty() {
                let is_remade = match role_of(&change) {
                    Some(role) => remade.iter().any(|other| other == role),
                    None => false,
                };
                let is_idle = match &after {
                    Some(after) if stays && !is_remade => draft::is_done(after, &change),
                    _ => !stays,
                };
                if is_idle {
                    continue;
                }
            }
            made += 1;
            if let Change::CreateRole(name) | Change::DeleteRole { name, .. } = &change {
                remade.push(name.clone());
            }
            for at in goes {
                staged.remove(at);
            }
            // Settings as the service has them take staged ones back, and are no change themselves.
            let is_in_force = match (&change, &before) {
                (Change::Settings(_), Some(before)) => draft::is_done(before, &change),
                _ => false,
            };
            if stays && !is_in_force {
                staged.push(Staged {
                    change,
                    failure: None,
                });
            }
        }
        if made > 0 {
            let has_settings = staged
                .iter()
                .any(|staged| matches!(staged.change, Change::Settings(_)));
            let is_based = self.settings_base.with_value(Option::is_some);
            if has_settings != is_based {
                let base = match self.before_untracked() {
                    Some(before) if has_settings => Some(before.settings().clone()),
                    _ => None,
                };
                self.settings_base.set_value(base);
            }
            self.staged.set(staged);
        }
        made
    }

    /// Carries staged settings over to the policy that was read last: what they do not change is as
    /// it is there.
    pub fn rebase(self) {
        let (Some(before), Some(base)) = (self.before_untracked(), self.settings_base.get_value())
        else {
            return;
        };
        let now = before.settings();
        if *now == base {
            return;
        }
        self.staged.update(|staged| {
            for staged in staged {
                if let Change::Settings(wanted) = &mut staged.change {
                    **wanted = rebased(wanted, &base, now);
                }
            }
        });
        self.settings_base.set_value(Some(now.clone()));
    }

    /// Takes a change out, and with the creation of a role what needs that role. Says how many
    /// went.
    pub fn remove(self, index: usize) -> usize {
        let goes = self.staged.with_untracked(|staged| {
            let changes: Vec<&Change> = staged.iter().map(|staged| &staged.change).collect();
            if index < changes.len() {
                draft::with_edit(&changes, index)
            } else {
                Vec::new()
            }
        });
        self.staged.update(|staged| {
            for at in &goes {
                staged.remove(*at);
            }
        });
        goes.len()
    }

    /// Takes every change out.
    pub fn clear(self) {
        self.staged.set(Vec::new());
        self.lost.set(Vec::new());
    }

    /// Takes a change out where it is staged, as [`Draft::remove`] does.
    pub fn take_back(self, change: &Change) -> usize {
        let at = self
            .staged
            .with_untracked(|staged| staged.iter().position(|staged| staged.change == *change));
        match at {
            Some(at) => self.remove(at),
            None => 0,
        }
    }

    /// Puts an ACL in the place of another. Both changes stand together, so they are one edit.
    pub fn edit_acl(self, from: Acl, to: Acl) {
        let origin = self
            .changes
            .with_untracked(|changes| draft::edited_from(changes, &from).cloned());
        // What was edited before is edited again from how it was.
        let first = match origin {
            Some(origin) => {
                self.undo_edit(&origin, &from);
                origin
            }
            None => from,
        };
        if first != to {
            self.add_all([Change::RemoveAcl(first), Change::AddAcl(to)]);
        }
    }

    /// Takes an edit of an ACL out.
    pub fn undo_edit(self, from: &Acl, to: &Acl) {
        self.take_back(&Change::RemoveAcl(from.clone()));
        self.take_back(&Change::AddAcl(to.clone()));
    }

    /// Takes those out that cannot be made any more, and those that the service has already.
    pub fn take_out_idle(self) {
        let statuses = self.evaluation.read_untracked().statuses.clone();
        let mut statuses = statuses.into_iter();
        self.staged.update(|staged| {
            staged.retain(|_| matches!(statuses.next(), Some(ChangeStatus::Ready) | None));
        });
    }

    /// Puts the draft aside, and takes up that of somebody else, or of the same account at another
    /// cluster. What nobody who is known has made goes to whoever signs in next.
    pub fn follow(self, to: Option<DraftOwner>) {
        let from = self.owner.get_untracked();
        if from == to {
            return;
        }
        let mut carried = Vec::new();
        let mut last = None;
        match &from {
            Some(owner)
                if !(owner.account.is_empty()
                    && to.as_ref().is_some_and(|to| to.has_policy_of(owner))) =>
            {
                let mine = self.of_owner(owner.clone());
                self.aside.update_value(|aside| aside.push(mine));
            }
            _ => {
                carried = self.changes.get_untracked();
                last = self.applied.get_untracked();
            }
        }
        let taken = self.aside.try_update_value(|aside| {
            let to = to.as_ref()?;
            let place = aside.iter().position(|draft| draft.owner == *to)?;
            Some(aside.remove(place))
        });
        let (staged, base, applied) = match taken.flatten() {
            Some(draft) => (draft.staged, draft.settings_base, draft.applied),
            None => (Vec::new(), None, None),
        };
        self.settings_base.set_value(base);
        self.lost.set(Vec::new());
        self.unanswered.set(None);
        self.applied.set(applied.or(last));
        self.staged.set(staged);
        self.owner.set(to);
        self.add_all(carried);
        self.rebase();
    }

    fn of_owner(self, owner: DraftOwner) -> StoredDraft {
        StoredDraft {
            owner,
            staged: self.staged.get_untracked(),
            settings_base: self.settings_base.get_value(),
            applied: self.applied.get_untracked(),
        }
    }

    /// Every draft with its owner, that of the present one last.
    #[must_use]
    pub fn all(self) -> Vec<StoredDraft> {
        let mut all = self.aside.get_value();
        all.extend(self.owner.get_untracked().map(|owner| self.of_owner(owner)));
        all
    }

    /// Takes over drafts that were kept before the page was loaded; each is seen only by its owner.
    pub fn restore(self, drafts: Vec<StoredDraft>) {
        self.aside.set_value(drafts);
    }

    /// Notes what was applied.
    pub fn note_applied(self, applied: AppliedDraft) {
        self.lost.set(Vec::new());
        self.applied.set(Some(applied));
    }

    /// Puts what undoes the changes that were applied last into the draft; what can no longer be
    /// undone is in [`Draft::lost`]. Says how many changes joined the draft.
    pub fn undo_applied(self) -> usize {
        let (Some(applied), Some(now)) = (self.applied.get_untracked(), self.before_untracked())
        else {
            return 0;
        };
        let undo = applied.undo(&now);
        self.lost.set(undo.lost);
        self.add_all(undo.changes)
    }

    /// Takes the list of what could not be undone away.
    pub fn forget_lost(self) {
        self.lost.set(Vec::new());
    }

    /// Notes that nobody knows yet what became of changes that were sent.
    pub fn await_answer(self, unanswered: UnansweredChanges) {
        self.unanswered.set(Some(unanswered));
    }

    /// Looks in the policy that was read last whether the service made the changes whose answer is
    /// missing. If it did, they leave the draft and are those that were applied last.
    pub fn find_unanswered(self) {
        let (Some(unanswered), Some(now)) =
            (self.unanswered.get_untracked(), self.before_untracked())
        else {
            return;
        };
        if unanswered.are_in(&now) {
            let UnansweredChanges {
                changes,
                before,
                at_ms,
            } = unanswered;
            self.settle(&changes, &vec![SendOutcome::Made; changes.len()]);
            self.note_applied(AppliedDraft::new(&before, changes, at_ms));
        }
        self.unanswered.set(None);
    }

    /// Notes how sent changes went: those that were made leave the draft, the others stay, with the
    /// reason where it is about them.
    pub fn settle(self, sent: &[Change], outcomes: &[SendOutcome]) {
        self.staged.update(|staged| {
            for (change, outcome) in sent.iter().zip(outcomes) {
                let failure = match outcome {
                    SendOutcome::Made => {
                        staged.retain(|staged| staged.change != *change);
                        continue;
                    }
                    SendOutcome::Kept => None,
                    SendOutcome::Failed(failure) => Some(failure),
                };
                for staged in staged.iter_mut() {
                    if staged.change == *change {
                        staged.failure = failure.cloned();
                    }
                }
            }
        });
    }
}
