//! The draft: changes that are not applied yet, and the policy with them.

use std::sync::Arc;

use gbac_console_model::connection::Connection;
use gbac_console_model::draft::{self, ChangeStatus, Staged, role_of};
use gbac_console_model::sending::SendOutcome;
use gbac_engine::policy::{Change, Policy};
use leptos::prelude::*;

/// The changes of this tab that are not sent yet; a context of every page: `expect_context::<Draft>()`.
///
/// It lives in the tab's memory, and no route and no read of the service changes it.
#[derive(Clone, Copy)]
pub struct Draft {
    /// The changes, in the order in which they are made.
    pub changes: Signal<Vec<Change>>,
    /// The changes with what became of them when they were sent.
    pub staged: Signal<Vec<Staged>>,
    /// How many changes there are.
    pub count: Signal<usize>,
    /// The policy that was read with the changes applied; without any it is the policy itself.
    pub after: Signal<Option<Arc<Policy>>>,
    /// What each change comes to on what was read last; one that cannot be made any more is named here and left out
    /// of [`Draft::after`]. Empty while nothing was read.
    pub standing: Signal<Vec<ChangeStatus>>,
    held: RwSignal<Vec<Staged>>,
    /// The drafts of the other clusters that the pages were about.
    aside: StoredValue<Vec<(Connection, Vec<Staged>)>>,
}

/// The policy with the changes, and what each came to.
#[derive(Debug, Clone)]
struct Applied {
    policy: Option<Arc<Policy>>,
    standing: Vec<ChangeStatus>,
}

impl Draft {
    /// An empty draft over the policy that was read.
    #[must_use]
    pub fn new(policy: Signal<Option<Arc<Policy>>>) -> Self {
        let held = RwSignal::new(Vec::<Staged>::new());
        let changes = Memo::new(move |_| {
            held.with(|staged| staged.iter().map(|staged| staged.change.clone()).collect::<Vec<_>>())
        });
        // Two policies are compared by their places in memory: each read and each edit makes a new one.
        let applied = Memo::new_with_compare(
            move |_| {
                let read = policy.get();
                changes.with(|changes| match read {
                    Some(read) if !changes.is_empty() => {
                        let mut after = (*read).clone();
                        let standing = draft::apply(&mut after, changes);
                        Applied { policy: Some(Arc::new(after)), standing }
                    }
                    read => Applied { policy: read, standing: Vec::new() },
                })
            },
            |_, _| true,
        );
        Self {
            changes: changes.into(),
            staged: held.into(),
            count: Signal::derive(move || held.with(Vec::len)),
            after: Signal::derive(move || applied.with(|applied| applied.policy.clone())),
            standing: Signal::derive(move || applied.with(|applied| applied.standing.clone())),
            held,
            aside: StoredValue::new(Vec::new()),
        }
    }

    /// Stages a change. What undoes a staged change removes that one; a duplicate, and what is so already, does nothing.
    /// Says whether the draft is another one now.
    #[expect(clippy::should_implement_trait, reason = "nothing is summed: a change joins the draft")]
    pub fn add(self, change: Change) -> bool {
        self.add_all([change]) > 0
    }

    /// Stages several changes, and says how many of them made a difference to the draft.
    pub fn add_all(self, changes: impl IntoIterator<Item = Change>) -> usize {
        let mut staged = self.held.get_untracked();
        let after = self.after.get_untracked();
        let mut made = 0;
        // The roles that these very changes make or delete: what was read says nothing about them.
        let mut remade: Vec<String> = Vec::new();
        for change in changes {
            let change = draft::normalized(change);
            let (goes, stays) = draft::stage(&staged.iter().map(|staged| &staged.change).collect::<Vec<_>>(), &change);
            let is_known = role_of(&change).is_none_or(|role| !remade.iter().any(|other| other == role));
            let is_done = || is_known && after.as_ref().is_some_and(|after| draft::is_done(after, &change));
            if goes.is_empty() && (!stays || is_done()) {
                continue;
            }
            made += 1;
            if let Change::CreateRole(name) | Change::DeleteRole { name, .. } = &change {
                remade.push(name.clone());
            }
            for at in goes {
                staged.remove(at);
            }
            if stays {
                staged.push(Staged { change, failure: None });
            }
        }
        if made > 0 {
            self.held.set(staged);
        }
        made
    }

    /// Takes a change out, and with the creation of a role what needs that role. Says how many went.
    pub fn remove(self, index: usize) -> usize {
        let goes = self.held.with_untracked(|staged| {
            let changes: Vec<&Change> = staged.iter().map(|staged| &staged.change).collect();
            if index < changes.len() { draft::with_dependents(&changes, index) } else { Vec::new() }
        });
        self.held.update(|staged| {
            for at in &goes {
                staged.remove(*at);
            }
        });
        goes.len()
    }

    /// Takes every change out.
    pub fn clear(self) {
        self.held.set(Vec::new());
    }

    /// Takes a change out where it is staged, as [`Draft::remove`] does.
    pub fn take_back(self, change: &Change) -> usize {
        let at = self.held.with_untracked(|staged| staged.iter().position(|staged| staged.change == *change));
        at.map_or(0, |at| self.remove(at))
    }

    /// Takes those out that cannot be made any more, and those that the service has already.
    pub fn take_out_idle(self) {
        let standing = self.standing.get_untracked();
        let mut at = 0;
        self.held.update(|staged| {
            staged.retain(|_| {
                let is_ready = standing.get(at).is_none_or(|standing| *standing == ChangeStatus::Ready);
                at += 1;
                is_ready
            });
        });
    }

    /// Puts the draft of one cluster aside, and takes up that of another, which the pages are about from now on.
    pub fn switch(self, from: Connection, to: &Connection) {
        let mut staged = self.held.get_untracked();
        self.aside.update_value(|aside| {
            let place = aside.iter().position(|(of, _)| of == to);
            let other = place.map(|place| aside.remove(place).1).unwrap_or_default();
            aside.push((from, std::mem::replace(&mut staged, other)));
        });
        self.held.set(staged);
    }

    /// Notes how sent changes went: those that were made leave the draft, the others stay, with the reason where it is
    /// about them.
    pub fn settle(self, sent: &[Change], outcomes: &[SendOutcome]) {
        self.held.update(|staged| {
            for (change, outcome) in sent.iter().zip(outcomes) {
                let failure = match outcome {
                    SendOutcome::Made => {
                        staged.retain(|staged| staged.change != *change);
                        continue;
                    }
                    SendOutcome::Kept => None,
                    SendOutcome::Failed(failure) => Some(failure),
                };
                for staged in staged.iter_mut().filter(|staged| staged.change == *change) {
                    staged.failure = failure.cloned();
                }
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use gbac_console_model::failure::Failure;
    use gbac_engine::model::Principal;

    use super::*;

    fn join(role: &str, group: &str) -> Change {
        Change::AddMember { role: role.into(), member: Principal::group(group) }
    }

    fn create(role: &str) -> Change {
        Change::CreateRole(role.into())
    }

    fn read(changes: &[Change]) -> Option<Arc<Policy>> {
        let mut policy = Policy::default();
        for change in changes {
            policy.apply(change.clone()).unwrap();
        }
        Some(Arc::new(policy))
    }

    #[test]
    fn a_draft_survives_reads_and_names_what_cannot_be_made_any_more() {
        Owner::new().with(|| {
            let policy = RwSignal::new(None);
            let draft = Draft::new(policy.into());
            assert!(draft.add(create("R")) && draft.add(join("R", "eng")));
            assert!(draft.after.get_untracked().is_none() && draft.standing.get_untracked().is_empty());
            policy.set(read(&[]));
            assert!(draft.after.get_untracked().unwrap().has_role("R"));
            assert_eq!(draft.standing.get_untracked(), [ChangeStatus::Ready, ChangeStatus::Ready]);

            // Somebody else creates the role.
            policy.set(read(&[create("R")]));
            assert_eq!(draft.count.get_untracked(), 2, "nothing is dropped");
            let standing = draft.standing.get_untracked();
            assert!(matches!(standing.as_slice(), [ChangeStatus::Impossible(_), ChangeStatus::Ready]), "{standing:?}");
            draft.take_out_idle();
            assert_eq!(draft.changes.get_untracked(), [join("R", "eng")]);
            policy.set(read(&[create("R"), join("R", "eng")]));
            assert_eq!(draft.standing.get_untracked(), [ChangeStatus::Done]);
        });
    }

    #[test]
    fn what_is_so_already_is_no_change() {
        Owner::new().with(|| {
            let draft = Draft::new(RwSignal::new(read(&[create("R"), join("R", "eng")])).into());
            assert!(!draft.add(join("R", "eng")));
            let leave = Change::RemoveMember { role: "R".into(), member: Principal::group("eng") };
            assert!(draft.add(leave.clone()) && !draft.add(leave.clone()));
            assert!(draft.add(join("R", "eng")), "takes the removal back");
            assert_eq!(draft.count.get_untracked(), 0);
            assert_eq!(draft.add_all([join("R", "a"), join("R", "a"), join("R", "b")]), 2);
        });
    }

    #[test]
    fn a_change_is_taken_out_with_what_needs_it() {
        Owner::new().with(|| {
            let draft = Draft::new(RwSignal::new(read(&[])).into());
            draft.add_all([create("R"), join("R", "eng"), create("S")]);
            assert_eq!(draft.remove(0), 2);
            assert_eq!(draft.changes.get_untracked(), [create("S")]);
            assert_eq!((draft.remove(7), draft.take_back(&create("R"))), (0, 0));
            assert_eq!(draft.take_back(&create("S")), 1);
            draft.add(create("S"));
            draft.clear();
            assert_eq!(draft.count.get_untracked(), 0);
        });
    }

    #[test]
    fn each_cluster_has_a_draft_of_its_own() {
        Owner::new().with(|| {
            let draft = Draft::new(RwSignal::new(read(&[])).into());
            let cluster = Connection::Cloud { cluster: "c".into() };
            draft.add(create("R"));
            draft.switch(Connection::Service, &cluster);
            assert_eq!(draft.count.get_untracked(), 0);
            draft.add(create("S"));
            draft.switch(cluster.clone(), &Connection::Service);
            assert_eq!(draft.changes.get_untracked(), [create("R")]);
            draft.switch(Connection::Service, &cluster);
            assert_eq!(draft.changes.get_untracked(), [create("S")]);
        });
    }

    #[test]
    fn what_failed_stays_with_the_reason() {
        Owner::new().with(|| {
            let draft = Draft::new(RwSignal::new(read(&[])).into());
            let sent = [create("R"), create("S"), create("T")];
            draft.add_all(sent.clone());
            let refused = Failure::NoAnswer("offline".into());
            draft.settle(&sent, &[SendOutcome::Made, SendOutcome::Failed(refused.clone()), SendOutcome::Kept]);
            let staged = |name, failure| Staged { change: create(name), failure };
            assert_eq!(draft.staged.get_untracked(), [staged("S", Some(refused)), staged("T", None)]);
            // What was wrong the last time says nothing about this one.
            draft.settle(&sent[1..], &[SendOutcome::Kept, SendOutcome::Kept]);
            assert_eq!(draft.staged.get_untracked(), [staged("S", None), staged("T", None)]);
        });
    }
}
