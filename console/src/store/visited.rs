//! The page that was shown before the review, to which the review leads back.

use gbac_console_model::address;
use leptos::prelude::*;

/// The address of the last page besides the review; a context of every page.
#[derive(Clone, Copy)]
pub struct Visited(RwSignal<Option<String>>);

impl Default for Visited {
    fn default() -> Self {
        Self::new()
    }
}

impl Visited {
    /// No page yet.
    #[must_use]
    pub fn new() -> Self {
        Self(RwSignal::new(None))
    }

    /// Notes the page that is shown, whatever cluster it is about.
    pub fn note(self, path: &str, query: &str) {
        if path.starts_with("/security/") && path != address::REVIEW {
            let query = query.trim_start_matches('?');
            self.0
                .set(Some(address::in_cluster(&format!("{path}?{query}"), None)));
        }
    }

    /// The address, which stays the same while the review is shown.
    #[must_use]
    pub fn last(self) -> Option<String> {
        self.0.get_untracked()
    }
}
