//! Changes on their way: one at once, or a whole draft.

use gbac_engine::policy::{Change, Policy, Settings};
use leptos::prelude::*;

use super::{Failure, Service};
use crate::backend;

impl Service {
    /// Sends one change through the documented APIs, and reads the service again so that every page sees it.
    ///
    /// # Errors
    /// What the service or the browser said. Nothing was lost: the caller still has the change.
    pub async fn change(self, change: &Change) -> Result<(), Failure> {
        let sent = backend::send(change, &self.settings(), &self.target()).await;
        // Read again after a failure too: the service may have done it, and the answer got lost.
        self.read().await;
        sent
    }

    /// Applies changes in order and says of each how it went, then reads the service again.
    ///
    /// Where there is a whole policy document they go in one request, over the state that was read last: all of them or
    /// none, and none when the state is another one by now ([`Failure::is_changed`]). Elsewhere they go one after the
    /// other, and go on after one that failed.
    pub async fn apply(self, changes: &[Change]) -> Vec<Result<(), Failure>> {
        let target = self.target();
        let outcomes = if target.is_own {
            let (policy, tag) = (self.held.policy.get_untracked(), self.held.tag.get_value());
            match policy.zip(tag) {
                Some((policy, tag)) => {
                    let (wanted, mut outcomes) = stage(&policy, changes);
                    if let Err(failure) = backend::replace(&wanted, &tag, target.credentials.as_ref()).await {
                        outcomes.iter_mut().filter(|outcome| outcome.is_ok()).for_each(|outcome| {
                            *outcome = Err(failure.clone());
                        });
                    }
                    outcomes
                }
                None => {
                    let unread = Failure::impossible("nothing_read", "nothing was read yet; read the service first");
                    vec![Err(unread); changes.len()]
                }
            }
        } else {
            let mut held = self.settings();
            let mut outcomes = Vec::with_capacity(changes.len());
            for change in changes {
                let outcome = backend::send(change, &held, &target).await;
                if let (Ok(()), Change::Settings(settings)) = (&outcome, change) {
                    held = (**settings).clone();
                }
                outcomes.push(outcome);
            }
            outcomes
        };
        self.read().await;
        outcomes
    }

    /// The settings that were read.
    fn settings(self) -> Settings {
        let settings =
            |policy: &Option<std::sync::Arc<Policy>>| policy.as_ref().map(|policy| policy.settings().clone());
        self.held.policy.with_untracked(settings).unwrap_or_default()
    }
}

/// The policy with the changes that can be made, and what of the others is in the way.
fn stage(policy: &Policy, changes: &[Change]) -> (Policy, Vec<Result<(), Failure>>) {
    let mut wanted = policy.clone();
    let outcomes = changes
        .iter()
        .map(|change| match wanted.apply(change.clone()) {
            Ok(_) => Ok(()),
            Err(error) => Err(Failure::impossible(error.code(), error.to_string())),
        })
        .collect();
    (wanted, outcomes)
}

#[cfg(test)]
mod tests {
    use gbac_engine::model::Principal;

    use super::*;

    #[test]
    fn what_cannot_be_made_is_named_and_the_rest_is_staged() {
        let join = |role: &str| Change::AddMember { role: role.into(), member: Principal::group("eng") };
        let changes = [Change::CreateRole("R".into()), join("R"), join("gone")];
        let (wanted, outcomes) = stage(&Policy::default(), &changes);
        assert_eq!(wanted.roles_of(&Principal::group("eng")).collect::<Vec<_>>(), ["R"]);
        assert!(outcomes[0].is_ok() && outcomes[1].is_ok());
        assert_eq!(outcomes[2].as_ref().unwrap_err().to_string(), "there is no role `gone`");
    }
}
