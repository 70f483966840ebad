//! Settings that are entered and not in the draft: they are asked about before their page is left.

use gbac_console_model::address;
use gbac_console_model::settings::GroupSettingsForm;
use gbac_console_model::stored_draft::DraftOwner;
use gbac_engine::policy::Settings;
use leptos::prelude::*;

use crate::dom::{self, Departure};
use crate::store::service::Service;

/// What would be lost when the page of the settings is left; a context of every page.
#[derive(Clone, Copy)]
pub struct Unsaved {
    /// The way off the page that was stopped, until somebody decides.
    pub departure: RwSignal<Option<Departure>>,
    /// What is entered, if it is not in the draft.
    entered: RwSignal<Option<UnsavedSettings>>,
    /// What was entered when the page was left without a question, by its account.
    saved: StoredValue<Option<GroupSettingsForm>>,
}

/// What is entered.
#[derive(Clone, PartialEq)]
pub struct UnsavedSettings {
    /// The names of the settings that differ.
    pub names: Vec<&'static str>,
    /// The settings that it makes; none if something is wrong with it.
    pub settings: Option<Settings>,
}

impl Unsaved {
    /// Nothing entered yet; from now on links and the browser's back and forward ask first.
    #[must_use]
    pub fn watch(owner: Signal<Option<DraftOwner>>, service: Service) -> Self {
        let (departure, entered) = (RwSignal::new(None), RwSignal::new(None));
        let unsaved = Self {
            departure,
            entered,
            saved: StoredValue::new(None),
        };
        // Nobody else sees it.
        Effect::new(move |before: Option<Option<DraftOwner>>| {
            let now = owner.get();
            if before.is_some_and(|before| before != now) {
                unsaved.saved.set_value(None);
            }
            now
        });
        dom::stop_departures(
            move || {
                let cluster = untrack(|| service.named_cluster());
                let settings = address::in_cluster(address::SETTINGS, cluster.as_deref());
                unsaved.is_there().then_some(settings)
            },
            move |departure| unsaved.departure.set(Some(departure)),
        );
        unsaved
    }

    /// Notes what is entered; none when it is all in the draft or the page is left.
    pub fn set(self, entered: Option<UnsavedSettings>) {
        if self.entered.with_untracked(|held| *held != entered) {
            self.entered.set(entered);
        }
    }

    /// Keeps what is entered until the page is opened again.
    pub fn keep(self, entered: Option<GroupSettingsForm>) {
        self.saved.set_value(entered);
    }

    /// What was entered when the page was left.
    #[must_use]
    pub fn take_saved(self) -> Option<GroupSettingsForm> {
        self.saved.try_update_value(Option::take).flatten()
    }

    /// What is entered.
    #[must_use]
    pub fn entered(self) -> Option<UnsavedSettings> {
        self.entered.get()
    }

    /// Whether something would be lost.
    #[must_use]
    pub fn is_there(self) -> bool {
        self.entered.with_untracked(Option::is_some)
    }
}
