//! The state of the settings page: edited values and their effect.

use gbac_console_model::group_changes::{GroupChanges, compared};
use gbac_console_model::group_tokens::GroupTokens;
use gbac_console_model::settings::{GroupSettingsForm, is_sso};
use gbac_console_model::stored_draft::DraftOwner;
use gbac_engine::policy::{Change, Settings, apply_each};
use leptos::prelude::*;

use crate::store::draft::Draft;
use crate::store::service::Service;
use crate::store::simulator::SimulatorSession;
use crate::store::unsaved::{Unsaved, UnsavedSettings};

/// The page's state: what is entered, and what it would do.
#[derive(Clone, Copy)]
pub(super) struct Edit {
    pub(super) service: Service,
    pub(super) draft: Draft,
    /// What is entered; none before the settings were read.
    pub(super) entered: RwSignal<Option<GroupSettingsForm>>,
    /// The settings that it makes, or what is wrong with it.
    pub(super) wanted: Memo<Option<Result<Settings, String>>>,
    /// How many of the two properties are different.
    pub(super) changes: Memo<usize>,
    /// The tokens that the settings are tried on.
    pub(super) tokens: Memo<GroupTokens>,
    pub(super) preview: Memo<GroupChanges>,
}

impl Edit {
    pub(super) fn new(
        service: Service,
        draft: Draft,
        session: SimulatorSession,
        unsaved: Unsaved,
    ) -> Self {
        let entered = RwSignal::new(unsaved.take_saved());
        // What is staged counts as entered; later reads do not overwrite what somebody types, until
        // somebody else signs in.
        Effect::new(move |before: Option<Option<DraftOwner>>| {
            let owner = draft.owner.get();
            let after = draft.after();
            let is_other = match before.flatten() {
                Some(before) => owner.as_ref() != Some(&before),
                None => false,
            };
            if (is_other || entered.with_untracked(Option::is_none))
                && let Some(after) = after
            {
                entered.set(Some(GroupSettingsForm::from_settings(after.settings())));
            }
            owner
        });
        let wanted = Memo::new(move |_| {
            let (entered, policy) = (entered.get()?, service.policy.get()?);
            Some(entered.read(policy.settings()))
        });
        let changes = Memo::new(move |_| match (entered.get(), service.policy.get()) {
            (Some(entered), Some(policy)) => entered.changes(policy.settings()),
            _ => 0,
        });
        // Input that is not in the draft needs a confirmation before the page closes.
        Effect::new(move |_| {
            let names = match (draft.after(), &*entered.read()) {
                (Some(after), Some(entered)) => entered.changed(after.settings()),
                _ => Vec::new(),
            };
            let settings = wanted.get().and_then(Result::ok);
            unsaved.set((!names.is_empty()).then_some(UnsavedSettings { names, settings }));
        });
        // Nobody was asked when a shortcut or a search left the page: what is entered is there
        // again next time.
        on_cleanup(move || {
            let kept = entered.try_get_untracked().flatten();
            unsaved.keep(if unsaved.is_there() { kept } else { None });
            unsaved.set(None);
        });
        let tokens = session.group_tokens();
        let preview = Memo::new(move |_| {
            let policy = service.policy.get();
            let wanted = wanted.get();
            tokens.with(|tokens| {
                let Some(policy) = policy else {
                    return GroupChanges::default();
                };
                let mut after = (*policy).clone();
                // While the path is wrong, what the tokens have today is still shown.
                if let Some(Ok(wanted)) = wanted {
                    apply_each(&mut after, [&Change::Settings(Box::new(wanted))]);
                }
                GroupChanges::from_diff(
                    &compared(&policy, &after, &tokens.claims()),
                    &policy,
                    &after,
                )
            })
        });
        Self {
            service,
            draft,
            entered,
            wanted,
            changes,
            tokens,
            preview,
        }
    }

    /// Whether the managed cloud's mapping stands in the place of the two properties.
    pub(super) fn is_sso(self) -> bool {
        match self.service.policy.get() {
            Some(policy) => is_sso(policy.settings()),
            None => false,
        }
    }
}
