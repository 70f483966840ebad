//! The search of every page: whether it is open, and what it asks pages to do.

use std::sync::Arc;

use gbac_console_model::search::SearchIndex;
use gbac_engine::policy::Policy;
use leptos::prelude::*;

/// The search; a context of the console.
#[derive(Clone, Copy)]
pub struct SearchSession {
    /// Whether the search is open.
    pub is_open: RwSignal<bool>,
    /// Whether the list of shortcuts is open.
    pub has_shortcuts: RwSignal<bool>,
    /// The name of a role to create, until the list of roles opens its form with it.
    pub new_role: RwSignal<Option<String>>,
    /// How often the theme was switched from here.
    pub themes: RwSignal<u32>,
    index: StoredValue<Option<Arc<SearchIndex>>>,
}

impl Default for SearchSession {
    fn default() -> Self {
        Self::new()
    }
}

impl SearchSession {
    /// Closed, with nothing prepared.
    #[must_use]
    pub fn new() -> Self {
        Self {
            is_open: RwSignal::new(false),
            has_shortcuts: RwSignal::new(false),
            new_role: RwSignal::new(None),
            themes: RwSignal::new(0),
            index: StoredValue::new(None),
        }
    }

    /// The names of a policy, prepared; made once for each policy.
    pub fn index(
        self,
        policy: &Arc<Policy>,
        make: impl FnOnce(&Arc<Policy>) -> SearchIndex,
    ) -> Arc<SearchIndex> {
        let known = self.index.with_value(|known| {
            known
                .as_ref()
                .filter(|known| known.is_of(policy))
                .map(Arc::clone)
        });
        known.unwrap_or_else(|| {
            let made = Arc::new(make(policy));
            self.index.set_value(Some(Arc::clone(&made)));
            made
        })
    }
}
