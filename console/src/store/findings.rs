//! The findings of the policy that was last read, computed once for all pages.

use std::sync::Arc;

use gbac_analysis::{Finding, lint};
use gbac_engine::policy::Policy;
use leptos::prelude::*;

/// The findings of the policy; a context of the console.
///
/// Linting a large policy takes a while, so it begins only when it is wanted, and not before the page is seen.
#[derive(Clone, Copy)]
pub struct Findings {
    /// The findings; none while nobody wanted them or they are not there yet.
    pub all: Signal<Option<Arc<Vec<Finding>>>>,
    held: RwSignal<Option<Arc<Vec<Finding>>>>,
    /// Of which policy they are.
    of: StoredValue<Option<Arc<Policy>>>,
}

impl Default for Findings {
    fn default() -> Self {
        Self::new()
    }
}

impl Findings {
    /// Nothing yet.
    #[must_use]
    pub fn new() -> Self {
        let held = RwSignal::new(None);
        Self { all: held.into(), held, of: StoredValue::new(None) }
    }

    /// Finds what is odd in a policy, unless it is the one that was looked at last.
    pub fn look_at(self, policy: &Arc<Policy>) {
        if self.of.with_value(|of| of.as_ref().is_some_and(|of| Arc::ptr_eq(of, policy))) {
            return;
        }
        self.of.set_value(Some(Arc::clone(policy)));
        self.held.set(Some(Arc::new(lint(policy))));
    }
}

#[cfg(test)]
mod tests {
    use gbac_engine::policy::Change;

    use super::*;

    #[test]
    fn a_policy_is_looked_at_once() {
        Owner::new().with(|| {
            let findings = Findings::new();
            let mut policy = Policy::default();
            policy.apply(Change::CreateRole("Empty".into())).unwrap();
            let policy = Arc::new(policy);
            findings.look_at(&policy);
            let first = findings.all.get_untracked().unwrap();
            findings.look_at(&policy);
            assert!(Arc::ptr_eq(&first, &findings.all.get_untracked().unwrap()));
            findings.look_at(&Arc::new(Policy::default()));
            assert!(findings.all.get_untracked().unwrap().is_empty());
        });
    }
}
