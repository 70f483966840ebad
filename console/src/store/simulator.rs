//! The simulator's session: its inputs while the tab is open.

use gbac_analysis::HypotheticalChanges;
use gbac_analysis::provider::AcceptedTokens;
use gbac_api::service::accepted_tokens;
use gbac_console_model::group_tokens::GroupTokens;
use gbac_console_model::saved_tests::SavedTest;
use gbac_console_model::simulator::inputs::{Inputs, Panel};
use gbac_console_model::simulator::request::RequestForm;
use gbac_console_model::simulator::token;
use gbac_console_model::simulator::token_checks::Verifier;
use gbac_engine::model::ResourceType;
use leptos::prelude::*;
use serde_json::{Map, Value};

use crate::store::evaluation::Evaluator;
use crate::store::service::Service;

/// What is entered in the simulator, also while other pages are open; a context of the console. It
/// ends with the tab.
#[derive(Clone, Copy)]
pub struct SimulatorSession {
    /// What is entered; other pages try their settings on the same token.
    pub inputs: RwSignal<Inputs>,
    /// Tokens of several kinds of users, as they were pasted where settings change; the token of the
    /// simulator until then.
    pub pasted_tokens: RwSignal<Option<String>>,
    /// The other person, to compare with.
    pub other: RwSignal<Inputs>,
    /// The changes that are tried.
    pub trials: RwSignal<HypotheticalChanges>,
    /// The whole request.
    pub request: RwSignal<RequestForm>,
    /// The saved tests.
    pub saved: RwSignal<Vec<SavedTest>>,
    /// The parts that are open.
    pub open: RwSignal<Vec<Panel>>,
    /// The names that were asked about, the last first.
    pub recent: RwSignal<Vec<(ResourceType, String)>>,
    /// Whether a request of the policy was filled in to begin with.
    pub began: RwSignal<bool>,
    /// The service's properties, as far as it said; they tell whose tokens it accepts.
    pub properties: RwSignal<Map<String, Value>>,
    /// What evaluates the inputs, once its code is here.
    pub evaluator: RwSignal<Option<Evaluator>>,
    /// The code that checks signatures, once it is here: it comes with the first keys.
    pub signature_checks: RwSignal<Option<Verifier>>,
}

impl SimulatorSession {
    /// Nothing entered yet.
    #[must_use]
    pub fn new(service: Service) -> Self {
        let session = Self {
            inputs: RwSignal::new(Inputs::default()),
            pasted_tokens: RwSignal::new(None),
            other: RwSignal::new(Inputs::default()),
            trials: RwSignal::new(HypotheticalChanges::default()),
            request: RwSignal::new(RequestForm::default()),
            saved: RwSignal::new(Vec::new()),
            open: RwSignal::new(Vec::new()),
            recent: RwSignal::new(Vec::new()),
            began: RwSignal::new(false),
            properties: RwSignal::new(Map::new()),
            evaluator: RwSignal::new(None),
            signature_checks: RwSignal::new(None),
        };
        session.follow(service);
        session
    }

    /// Gives each Kafka cluster its own changes and tests; the token and the check stay.
    fn follow(self, service: Service) {
        let aside = StoredValue::new(Vec::<(String, OfCluster)>::new());
        let cluster = Memo::new(move |_| service.cluster());
        Effect::new(move |before: Option<Option<String>>| {
            let now = cluster.get();
            if let (Some(before), Some(now)) = (before.flatten(), &now)
                && before != *now
            {
                let next = aside.try_update_value(|aside| {
                    let place = aside.iter().position(|(name, _)| name == now)?;
                    Some(aside.remove(place).1)
                });
                let last = self.take_of_cluster(next.flatten().unwrap_or_default());
                aside.update_value(|aside| aside.push((before, last)));
            }
            now
        });
    }

    /// Takes over what belongs to a cluster, and gives that of the one before.
    fn take_of_cluster(self, next: OfCluster) -> OfCluster {
        let last = OfCluster {
            trials: self.trials.get_untracked(),
            saved: self.saved.get_untracked(),
            recent: self.recent.get_untracked(),
        };
        self.trials.set(next.trials);
        self.saved.set(next.saved);
        self.recent.set(next.recent);
        self.properties.set(Map::new());
        last
    }

    /// The tokens that changed settings are tried on, as they were pasted.
    pub fn group_tokens_text(self) -> String {
        match self.pasted_tokens.get() {
            Some(text) => text,
            None => self.inputs.with(|inputs| inputs.token.clone()),
        }
    }

    /// The tokens that changed settings are tried on.
    pub fn group_tokens(self) -> Memo<GroupTokens> {
        Memo::new(move |_| {
            let pasted = self.pasted_tokens.read();
            match &*pasted {
                Some(text) => GroupTokens::read(text),
                None => self
                    .inputs
                    .with(|inputs| token::read(&inputs.token, inputs.as_claims))
                    .into(),
            }
        })
    }

    /// Whose tokens the service accepts, as far as it is known.
    pub fn accepted(self, service: Service) -> Memo<AcceptedTokens> {
        Memo::new(move |_| {
            // What the service requires says nothing about another cluster.
            let info = service.info.get().filter(|_| service.is_own());
            self.properties
                .with(|properties| accepted_tokens(properties, info.as_ref()))
        })
    }

    /// What checks signatures, with the keys of the service's identity provider, once its code is
    /// here.
    pub fn verifier(self, service: Service) -> Signal<Option<Verifier>> {
        let verifier = Memo::new_with_compare(
            move |_| {
                let verifier = self.signature_checks.get()?;
                Some(match &*service.keys.read() {
                    Some(keys) => verifier.with_provider_keys(keys),
                    None => verifier,
                })
            },
            |_, _| true,
        );
        verifier.into()
    }
}

/// What of the session belongs to a Kafka cluster.
#[derive(Clone, Default)]
struct OfCluster {
    trials: HypotheticalChanges,
    saved: Vec<SavedTest>,
    recent: Vec<(ResourceType, String)>,
}
