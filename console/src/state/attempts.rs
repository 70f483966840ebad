//! Changes on their way to the service; one that failed stays, with the service's words, until it is retried or dropped.

use gbac_engine::policy::Change;
use leptos::prelude::*;
use leptos::task::spawn_local;

use super::service::{Failure, Service};

/// One change on its way.
#[derive(Debug, Clone, PartialEq)]
pub struct Attempt {
    /// Tells attempts apart.
    pub id: u64,
    /// The change.
    pub change: Change,
    /// Why it failed; none while it is on its way.
    pub failure: Option<Failure>,
}

/// The attempts of this tab; a context of every page, so that leaving a page loses none.
#[derive(Debug, Clone, Copy)]
pub struct Attempts {
    list: RwSignal<Vec<Attempt>>,
    next: StoredValue<u64>,
}

impl Default for Attempts {
    fn default() -> Self {
        Self::new()
    }
}

impl Attempts {
    /// None yet.
    #[must_use]
    pub fn new() -> Self {
        Self { list: RwSignal::new(Vec::new()), next: StoredValue::new(0) }
    }

    /// The attempt of this very change, if there is one.
    #[must_use]
    pub fn of(self, change: &Change) -> Option<Attempt> {
        self.list.with(|list| list.iter().find(|attempt| attempt.change == *change).cloned())
    }

    /// The attempts that `wanted` picks, oldest first.
    #[must_use]
    pub fn pick<T>(self, wanted: impl FnMut(&Attempt) -> Option<T>) -> Vec<T> {
        self.list.with(|list| list.iter().filter_map(wanted).collect())
    }

    /// Notes that a change is on its way; the same change is one attempt.
    pub fn start(self, change: &Change) -> u64 {
        let id = self.next.get_value();
        self.next.set_value(id + 1);
        self.list.update(|list| {
            list.retain(|attempt| attempt.change != *change);
            list.push(Attempt { id, change: change.clone(), failure: None });
        });
        id
    }

    /// Notes how it went: a success leaves nothing behind, a failure stays.
    pub fn finish(self, id: u64, outcome: &Result<(), Failure>) {
        self.list.update(|list| match outcome {
            Ok(()) => list.retain(|attempt| attempt.id != id),
            Err(failure) => {
                for attempt in list.iter_mut().filter(|attempt| attempt.id == id) {
                    attempt.failure = Some(failure.clone());
                }
            }
        });
    }

    /// Drops a failed change for good.
    pub fn drop_change(self, change: &Change) {
        self.list.update(|list| list.retain(|attempt| attempt.change != *change || attempt.failure.is_none()));
    }

    /// Sends a change in the background, then tells how it went.
    pub fn send(self, service: Service, change: Change, done: impl FnOnce(Result<(), Failure>) + 'static) {
        let id = self.start(&change);
        spawn_local(async move {
            let outcome = service.change(&change).await;
            self.finish(id, &outcome);
            done(outcome);
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_change_stays_until_it_is_retried_or_dropped() {
        let owner = Owner::new();
        owner.with(|| {
            let attempts = Attempts::new();
            let change = Change::CreateRole("R".into());
            let refused = Err(Failure::NoAnswer("offline".into()));
            let id = attempts.start(&change);
            assert_eq!(attempts.of(&change).unwrap().failure, None);
            attempts.finish(id, &refused);
            assert!(attempts.of(&change).unwrap().failure.is_some());

            let again = attempts.start(&change);
            assert_eq!(attempts.pick(|attempt| Some(attempt.id)), [again]);
            attempts.drop_change(&change);
            assert_eq!(attempts.pick(|attempt| Some(attempt.id)), [again], "what is on its way is not dropped");
            attempts.finish(again, &Ok(()));
            assert_eq!(attempts.of(&change), None);

            let id = attempts.start(&change);
            attempts.finish(id, &refused);
            attempts.drop_change(&change);
            assert_eq!(attempts.of(&change), None);
        });
    }
}
