//! Sends changes: a whole draft in one request, or one change after another where a cluster has no
//! such request.

use std::sync::Arc;

use gbac_api::reason::ChangeReason;
use gbac_console_model::failure::Failure;
use gbac_console_model::sending::{SendOutcome, SendReport};
use gbac_engine::policy::{Change, Policy, Settings};
use gbac_words::pages::backend as words;
use leptos::prelude::*;

use super::Service;
use crate::backend;

impl Service {
    /// Applies changes and says of each how it went, then reads the service again.
    ///
    /// The service itself takes them in one request, over the state that was read last: all of them
    /// or none, or with a Kafka cluster some of the ACLs, and none when the state is another one by
    /// now ([`Failure::is_changed`]). A cluster
    /// behind it has no such request: there they go one after the other, and go on after one that
    /// failed. The reason goes to the service itself only, which records it.
    pub async fn apply(self, changes: &[Change], reason: Option<&ChangeReason>) -> SendReport {
        let target = self.target();
        let sending = if target.is_own {
            let read = self
                .held
                .policy
                .get_untracked()
                .zip(self.held.tag.get_value());
            let answer = match read {
                Some((held, tag)) => backend::apply(changes, reason, &held, &tag, &target).await,
                None => Err(Failure::impossible("nothing_read", words::POLICY_NOT_READ)),
            };
            SendReport::of_service(changes, answer)
        } else {
            let mut held = self.settings();
            let mut outcomes = Vec::with_capacity(changes.len());
            for change in changes {
                let answer = backend::send(change, &held, &target).await;
                if let (Ok(()), Change::Settings(settings)) = (&answer, change) {
                    held = (**settings).clone();
                }
                outcomes.push(answer.map_or_else(SendOutcome::Failed, |()| SendOutcome::Made));
            }
            SendReport {
                outcomes,
                whole: None,
            }
        };
        // After a failure too: the service may have done it, and the answer got lost.
        self.read().await;
        sending
    }

    /// The settings that were read.
    fn settings(self) -> Settings {
        let settings =
            |policy: &Option<Arc<Policy>>| policy.as_ref().map(|policy| policy.settings().clone());
        self.held
            .policy
            .with_untracked(settings)
            .unwrap_or_default()
    }
}
