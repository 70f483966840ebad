//! The simulator's state: inputs, and the values computed from them.

use std::sync::Arc;

use gbac_analysis::HypotheticalChanges;
use gbac_analysis::doctor::{DiagnosticStep, ServiceResolution};
use gbac_analysis::provider::AcceptedTokens;
use gbac_console_model::simulator::evaluator;
use gbac_console_model::simulator::inputs::{InputEdit, InputField, InputProblem, Inputs};
use gbac_console_model::simulator::panel::Panel;
use gbac_console_model::simulator::question::{self, AccessRequest};
use gbac_console_model::simulator::request::RequestForm;
use gbac_console_model::simulator::saved::Saved;
use gbac_console_model::simulator::suggestions::Offers;
use gbac_console_model::simulator::verdict::{Judged, VerdictKind};
use gbac_console_model::simulator::{Shared, SimulatedIdentity, Simulation, View};
use gbac_engine::decide::At;
use gbac_engine::identity::Identity;
use gbac_engine::model::ResourceType;
use gbac_words::rich_text::RichText;
use leptos::prelude::*;
use serde_json::{Map, Value};

use super::{evaluation, verifier};
use crate::dom;
use crate::store::service::Service;
use crate::store::simulator::SimulatorSession;

/// How often what depends on the time is computed again, in seconds.
const CLOCK_STEP_S: f64 = 5.0;

/// What is entered for troubleshooting, and its result.
#[derive(Clone, Copy)]
pub(super) struct TroubleshootingState {
    /// Groups that the user expects, one per line.
    pub(super) expected: RwSignal<String>,
    /// What the service reads from the token, once it was asked.
    pub(super) resolved: RwSignal<Option<ServiceResolution>>,
    /// The diagnosis; none without a token.
    pub(super) steps: RwSignal<Option<[DiagnosticStep; 4]>>,
}

impl TroubleshootingState {
    fn new() -> Self {
        Self {
            expected: RwSignal::new(String::new()),
            resolved: RwSignal::new(None),
            steps: RwSignal::new(None),
        }
    }
}

/// The verdict with the changes that are tried.
#[derive(Clone, PartialEq)]
pub(super) struct TriedVerdict {
    /// The request as it is decided then.
    pub(super) judged: Shared<Judged>,
    /// The verdict then.
    pub(super) kind: VerdictKind,
    /// Its title, beside the verdict of today.
    pub(super) title: &'static str,
}

/// The page's state: what is entered and what follows from it.
#[derive(Clone, Copy)]
pub(super) struct SimulatorState {
    pub(super) inputs: RwSignal<Inputs>,
    pub(super) other: RwSignal<Inputs>,
    pub(super) trials: RwSignal<HypotheticalChanges>,
    pub(super) request: RwSignal<RequestForm>,
    pub(super) saved: RwSignal<Vec<Saved>>,
    pub(super) open: RwSignal<Vec<Panel>>,
    /// The names that were asked about, the last first.
    pub(super) recent: RwSignal<Vec<(ResourceType, String)>>,
    /// Whether a request of the policy was filled in to begin with.
    pub(super) began: RwSignal<bool>,
    /// What the fields suggest.
    pub(super) offers: RwSignal<Offers>,
    /// The verdict with the changes that are tried, while there are any.
    pub(super) tried: RwSignal<Option<TriedVerdict>>,
    /// Whether the sheet with the fixes is open.
    pub(super) fixing: RwSignal<bool>,
    pub(super) troubleshooting: TroubleshootingState,
    pub(super) properties: RwSignal<Map<String, Value>>,
    /// Whose tokens the service accepts, as far as it is known.
    pub(super) accepted: Memo<AcceptedTokens>,
    pub(super) view: Memo<View>,
    /// The instant that counts, in seconds since 1970; looked at in steps.
    pub(super) now: Memo<f64>,
    pub(super) service: Service,
}

impl SimulatorState {
    pub(super) fn new(service: Service, session: SimulatorSession) -> Self {
        let SimulatorSession {
            inputs,
            other,
            trials,
            request,
            saved,
            open,
            recent,
            began,
            properties,
        } = session;
        let accepted = session.accepted(service);
        let simulation = StoredValue::new(Simulation::default());
        let now =
            Memo::new(move |_| (service.now.get() / 1000.0 / CLOCK_STEP_S).floor() * CLOCK_STEP_S);
        let verifier = verifier::wanted(inputs, now);
        let code = evaluation::fetched(now);
        let view = Memo::new(move |_| {
            let (policy, accepted, now) = (service.policy.get(), accepted.get(), now.get());
            verifier.track();
            code.track();
            let evaluated = evaluator::loaded().and_then(|evaluate| {
                dom::measured("simulator: verdict", || {
                    simulation.try_update_value(|simulation| {
                        inputs.with(|inputs| {
                            evaluate(simulation, inputs, policy.as_ref(), &accepted, now)
                        })
                    })
                })
            });
            // The store lives as long as the page; after that nobody looks.
            evaluated.unwrap_or_else(|| {
                inputs.with(|inputs| evaluator::unevaluated(inputs, policy.as_deref()))
            })
        });
        Self {
            inputs,
            other,
            trials,
            request,
            saved,
            open,
            recent,
            began,
            offers: RwSignal::new(Offers::default()),
            tried: RwSignal::new(None),
            fixing: RwSignal::new(false),
            troubleshooting: TroubleshootingState::new(),
            properties,
            accepted,
            view,
            now,
            service,
        }
    }

    /// Opens or closes a part.
    pub(super) fn toggle(self, panel: Panel, is_open: bool) {
        self.open.update(|open| {
            open.retain(|known| *known != panel);
            if is_open {
                open.push(panel);
            }
        });
    }

    /// Opens a part.
    pub(super) fn show(self, panel: Panel) {
        if !self.open.with_untracked(|open| open.contains(&panel)) {
            self.toggle(panel, true);
        }
    }

    /// Whether a part is open.
    pub(super) fn is_open(self, panel: Panel) -> Signal<bool> {
        Memo::new(move |_| self.open.with(|open| open.contains(&panel))).into()
    }

    /// Takes an edit of a field.
    pub(super) fn edit(self, change: impl FnOnce(&mut Inputs)) {
        self.inputs.update(change);
    }

    /// Makes a change that a button offers.
    pub(super) fn apply(self, change: InputEdit) {
        let service = self.view.with_untracked(|view| view.service.clone());
        self.edit(|inputs| change.apply(inputs, &service));
    }

    /// A part of the inputs, which notifies only when it changed.
    pub(super) fn input<T: PartialEq + Send + Sync + 'static>(
        self,
        part: fn(&Inputs) -> T,
    ) -> Memo<T> {
        Memo::new(move |_| self.inputs.with(part))
    }

    /// A part of the suggestions, which notifies only when it changed.
    pub(super) fn offered<T: PartialEq + Send + Sync + 'static>(
        self,
        part: fn(&Offers) -> T,
    ) -> Memo<T> {
        Memo::new(move |_| self.offers.with(part))
    }

    /// A part of the view, which notifies only when it changed.
    pub(super) fn part<T: PartialEq + Send + Sync + 'static>(
        self,
        part: fn(&View) -> T,
    ) -> Memo<T> {
        Memo::new(move |_| self.view.with(part))
    }

    /// Whether the verdict is one with changes: where sign-in fails, no change of the policy helps.
    pub(super) fn is_trying(self) -> Memo<bool> {
        let has_trials =
            Memo::new(move |_| self.trials.with(|trials| !trials.as_slice().is_empty()));
        let is_refused = self.part(|view| view.refusal.is_some());
        Memo::new(move |_| has_trials.get() && !is_refused.get())
    }

    /// What is wrong with a field.
    pub(super) fn problem(self, field: Option<InputField>) -> Memo<Option<InputProblem>> {
        Memo::new(move |_| {
            field.and_then(|field| self.view.with(|view| view.problem(field).cloned()))
        })
    }

    /// Who asks, while what is entered names somebody.
    pub(super) fn who(self) -> Memo<Option<Shared<SimulatedIdentity>>> {
        self.part(|view| view.who.clone())
    }

    /// The identity of who asks.
    pub(super) fn identity(self) -> Memo<Option<Arc<Identity>>> {
        self.part(|view| {
            view.who
                .as_deref()
                .and_then(|who| who.identity.as_ref().ok().map(Arc::clone))
        })
    }

    /// What to fix first where sign-in fails.
    pub(super) fn refusal(self) -> Memo<Option<RichText>> {
        self.part(|view| view.refusal.as_ref().map(|refusal| refusal.words.clone()))
    }

    /// The request, if it is complete.
    pub(super) fn access(self) -> Memo<Option<AccessRequest>> {
        Memo::new(move |_| self.inputs.with(|inputs| question::read(inputs).0))
    }

    /// The time of the decision: the page's clock, unless the user chose to ignore the expiry.
    pub(super) fn instant(self) -> Memo<At> {
        Memo::new(
            move |_| match self.inputs.with(|inputs| inputs.ignore_expiry) {
                true => At::IgnoringExpiry,
                false => At::seconds(self.now.get()),
            },
        )
    }
}
