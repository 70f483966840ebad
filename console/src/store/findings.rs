//! The findings of the policy that was last read, computed once for all pages.

use std::sync::Arc;

use gbac_analysis::{Finding, lint};
use gbac_engine::policy::Policy;
use leptos::prelude::*;

/// The findings of the policy; a context of the console.
///
/// Linting a large policy takes a while, so it begins only when it is wanted, and not before the
/// page is seen.
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
        Self {
            all: held.into(),
            held,
            of: StoredValue::new(None),
        }
    }

    /// Finds what is odd in a policy, unless it is the one that was looked at last.
    pub fn look_at(self, policy: &Arc<Policy>) {
        if self
            .of
            .with_value(|of| of.as_ref().is_some_and(|of| Arc::ptr_eq(of, policy)))
        {
            return;
        }
        self.of.set_value(Some(Arc::clone(policy)));
        self.held.set(Some(Arc::new(lint(policy))));
    }
}
