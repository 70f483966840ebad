//! Applies the draft: does what [`ApplyProgress`] says, and tells it what happens.

use std::sync::Arc;

use gbac_api::reason::ChangeReason;
use gbac_console_model::applied::summary;
use gbac_console_model::apply::{ApplyEffect, ApplyEvent, ApplyProgress, DraftToApply};
use gbac_console_model::failure::Failure;
use gbac_console_model::review::Effects;
use gbac_console_model::stored_draft::DraftOwner;
use gbac_engine::policy::{Change, Policy};
use gbac_words::pages::backend as words;
use leptos::prelude::*;
use leptos::task::spawn_local;

use super::applied::checked_request;
use crate::dom;
use crate::store::draft::Draft;
use crate::store::service::{Service, ServiceStatus};
use crate::store::simulator::SimulatorSession;

/// The application of the draft. What is under way goes on when the page is left.
#[derive(Clone)]
pub(super) struct Apply {
    pub(super) progress: ArcRwSignal<ApplyProgress>,
    service: Service,
    draft: Draft,
    session: SimulatorSession,
    /// The policy that is reviewed.
    base: RwSignal<Option<Arc<Policy>>>,
    /// The effect of the draft on it.
    effect: RwSignal<Option<Effects>>,
    /// Why the changes are made.
    reason: RwSignal<Option<ChangeReason>>,
}

impl Apply {
    pub(super) fn new(
        base: RwSignal<Option<Arc<Policy>>>,
        effect: RwSignal<Option<Effects>>,
    ) -> Self {
        let draft = expect_context::<Draft>();
        let apply = Self {
            progress: ArcRwSignal::new(ApplyProgress::new(draft.unanswered.get_untracked())),
            service: expect_context(),
            draft,
            session: expect_context(),
            base,
            effect,
            reason: RwSignal::new(None),
        };
        apply.watch_draft();
        apply.watch_service();
        apply
    }

    /// Applies the draft as it was reviewed, for this reason.
    pub(super) fn press(&self, reason: Option<ChangeReason>) {
        self.reason.set(reason);
        let reviewed = self.base.get_untracked();
        self.tell(ApplyEvent::Pressed { reviewed });
    }

    fn watch_draft(&self) {
        let (apply, draft) = (self.clone(), self.draft);
        Effect::new(move |before: Option<Option<DraftOwner>>| {
            let owner = draft.owner.get();
            let is_answered = draft.unanswered.with(Option::is_none);
            // Until it is known whose they are, the changes are those of whoever is known next.
            let before = before.flatten();
            if before.is_some() && before != owner {
                apply.tell(ApplyEvent::OwnerChanged);
            } else if is_answered {
                let applied_at_ms = draft
                    .applied
                    .with_untracked(|applied| applied.as_ref().map(|applied| applied.at_ms));
                apply.tell(ApplyEvent::Found { applied_at_ms });
            }
            owner
        });
    }

    fn watch_service(&self) {
        let (apply, status) = (self.clone(), self.service.status);
        Effect::new(move |_| {
            if status.with(|status| matches!(status, ServiceStatus::Connected { .. })) {
                apply.tell(ApplyEvent::Connected);
            }
        });
    }

    fn tell(&self, event: ApplyEvent) {
        let effects = self.progress.try_update(|progress| progress.on(event));
        for effect in effects.unwrap_or_default() {
            self.perform(effect);
        }
    }

    fn perform(&self, effect: ApplyEffect) {
        match effect {
            ApplyEffect::Read => spawn_local(self.clone().read()),
            ApplyEffect::Send(changes) => spawn_local(self.clone().send(changes)),
            ApplyEffect::Settle(sent) => {
                self.draft.settle(&sent.changes, &sent.report.outcomes);
            }
            ApplyEffect::Await(unanswered) => self.draft.await_answer(unanswered),
            ApplyEffect::NoteApplied(applied) => self.draft.note_applied(*applied),
            ApplyEffect::Rebase => {
                let _ = self.base.try_set(self.service.policy.get_untracked());
            }
            ApplyEffect::Announce(text) => dom::announce(&text),
            ApplyEffect::Alert(text) => dom::announce_error(&text),
            ApplyEffect::FocusDrift => dom::focus_later("h-drift"),
            ApplyEffect::FocusResult => dom::focus_later("h-outcome"),
        }
    }

    async fn read(self) {
        let owner = self.draft.owner.get_untracked();
        self.service.read().await;
        // The user who signed in meanwhile has another draft.
        self.draft.follow(self.service.owner.get_untracked());
        let event = ApplyEvent::Read {
            policy: self.policy(),
            draft: Box::new(self.draft_to_apply()),
        };
        self.tell_owner(owner.as_ref(), event);
    }

    async fn send(self, changes: Vec<Change>) {
        let owner = self.draft.owner.get_untracked();
        let reason = self.reason.try_get_untracked().flatten();
        let report = self.service.apply(&changes, reason.as_ref()).await;
        self.tell_owner(owner.as_ref(), ApplyEvent::Answered(report));
    }

    /// Tells an event, unless the pages show the draft of somebody else by now.
    fn tell_owner(&self, owner: Option<&DraftOwner>, event: ApplyEvent) {
        let now = self.draft.owner.get_untracked();
        let is_same = owner.is_none() || owner == now.as_ref();
        self.tell(if is_same {
            event
        } else {
            ApplyEvent::OwnerChanged
        });
    }

    /// The policy that was read just now, or why nothing can be sent.
    fn policy(&self) -> Result<Arc<Policy>, Failure> {
        if let ServiceStatus::Away {
            reason, sign_in, ..
        } = self.service.status.get_untracked()
        {
            return Err(if sign_in {
                Failure::unauthenticated(reason)
            } else {
                Failure::impossible("not_sent", reason)
            });
        }
        let policy = self.service.policy.get_untracked();
        policy.ok_or_else(|| Failure::impossible("nothing_read", words::POLICY_NOT_READ))
    }

    fn draft_to_apply(&self) -> DraftToApply {
        let before = self.service.policy.get_untracked();
        let effect = self.effect.try_get_untracked().flatten();
        DraftToApply {
            changes: self.draft.changes.get_untracked(),
            at_ms: dom::now_ms(),
            summary: effect.as_ref().map(summary),
            request: before.and_then(|before| checked_request(self.service, self.session, &before)),
        }
    }
}
