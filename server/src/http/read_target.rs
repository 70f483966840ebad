//! What a request reads whose message says so, for its audit event.

use std::sync::{Arc, OnceLock};

use axum::extract::Request;
use gbac_api::encode::component;

use super::request_head::sanitized;

/// The parameters of a read, which its handler finds in the body.
#[derive(Clone, Default)]
pub(crate) struct ReadTarget(Arc<OnceLock<String>>);

impl ReadTarget {
    /// That of a request; `None` if its path names everything.
    pub(crate) fn from_request(request: &Request) -> Option<Self> {
        request.extensions().get().cloned()
    }

    /// Notes the parameters.
    pub(crate) fn set<'p>(&self, parameters: impl IntoIterator<Item = (&'p str, &'p str)>) {
        let pairs: Vec<String> = parameters
            .into_iter()
            .map(|(name, value)| format!("{}={}", component(name), component(value)))
            .collect();
        if !pairs.is_empty() {
            // A request has one message.
            let _ = self.0.set(pairs.join("&"));
        }
    }

    /// The path with the parameters as its query.
    pub(crate) fn named(&self, path: &str) -> String {
        match self.0.get() {
            Some(query) => sanitized(&format!(
                "{path}{}{query}",
                if path.contains('?') { '&' } else { '?' }
            )),
            None => path.to_owned(),
        }
    }
}
