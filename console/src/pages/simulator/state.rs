//! The simulator's state: inputs, and the values computed from them.

use std::sync::Arc;

use gbac_analysis::HypotheticalChanges;
use gbac_analysis::doctor::{DiagnosticStep, ServiceResolution};
use gbac_analysis::provider::AcceptedTokens;
use gbac_console_model::saved_tests::SavedTest;
use gbac_console_model::settings::is_sso;
use gbac_console_model::simulator::chips::RemovedHypotheses;
use gbac_console_model::simulator::hypothesis::{self, Hypothesis};
use gbac_console_model::simulator::identity::{SimulatedIdentity, of_service};
use gbac_console_model::simulator::inputs::{
    InputEdit, InputField, InputProblem, Inputs, Panel, WhatIfSettings,
};
use gbac_console_model::simulator::pipeline::{self, Shown, SignInFindings, Waiting, weightiest};
use gbac_console_model::simulator::question::{self, AccessRequest};
use gbac_console_model::simulator::request::RequestForm;
use gbac_console_model::simulator::suggestions::Offers;
use gbac_console_model::simulator::token_checks::{Report, SignInRefusal, Verifier};
use gbac_console_model::simulator::verdict::{Judged, VerdictKind};
use gbac_console_model::simulator::without::RealAnswer;
use gbac_engine::decide::At;
use gbac_engine::identity::Identity;
use gbac_engine::model::ResourceType;
use gbac_words::rich_text::RichText;
use leptos::prelude::*;
use serde_json::{Map, Value};

use crate::dom;
use crate::pages::chunk::{Chunk, ChunkError, chunk, fetch_when};
use crate::store::evaluation::{EvaluationSources, Evaluator, Question, SimulatorEvaluation};
use crate::store::service::Service;
use crate::store::simulator::SimulatorSession;

/// The id of the fields that a signature is verified with.
pub(super) const VERIFICATION_ID: &str = "verify";

/// How often what depends on the time is computed again, in seconds.
const CLOCK_STEP_S: f64 = 5.0;

chunk!(pub(crate) EVALUATOR, "The evaluation", evaluate, fetch_evaluator, draw_evaluator, {
    expect_context::<SimulatorSession>().evaluator.set(Some(Evaluator::with_code()));
    ().into_any()
});

chunk!(pub(crate) VERIFIER, "Signature verification", verify, fetch_verifier, draw_verifier, {
    expect_context::<SimulatorSession>().signature_checks.set(Some(Verifier::new()));
    ().into_any()
});

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
    pub(super) judged: Arc<Judged>,
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
    pub(super) saved: RwSignal<Vec<SavedTest>>,
    pub(super) open: RwSignal<Vec<Panel>>,
    /// The names that were asked about, the last first.
    pub(super) recent: RwSignal<Vec<(ResourceType, String)>>,
    /// Whether a request of the policy was filled in to begin with.
    pub(super) began: RwSignal<bool>,
    /// What the fields suggest.
    pub(super) offers: RwSignal<Offers>,
    /// The verdict with the changes that are tried, while there are any.
    pub(super) tried: RwSignal<Option<TriedVerdict>>,
    /// What the verdict rested on and what was taken back.
    pub(super) removed: RwSignal<RemovedHypotheses>,
    /// Whether the sheet with the fixes is open.
    pub(super) fixing: RwSignal<bool>,
    /// Whether the fields that a signature is verified with are open.
    pub(super) verifying: RwSignal<bool>,
    pub(super) troubleshooting: TroubleshootingState,
    pub(super) properties: RwSignal<Map<String, Value>>,
    /// Whose tokens the service accepts, as far as it is known.
    pub(super) accepted: Memo<AcceptedTokens>,
    /// What checks signatures, once its code is here.
    pub(super) verifier: Signal<Option<Verifier>>,
    /// The instant that counts, in seconds since 1970; looked at in steps.
    pub(super) now: Memo<f64>,
    pub(super) service: Service,
    question: Memo<Question>,
    /// The steps from what is entered to the verdict; none while their code is not here.
    evaluation: Memo<Option<SimulatorEvaluation>>,
    evaluator: RwSignal<Option<Evaluator>>,
    sources: EvaluationSources,
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
            evaluator,
            signature_checks,
            pasted_tokens: _,
        } = session;
        let (accepted, verifier) = (session.accepted(service), session.verifier(service));
        let now =
            Memo::new(move |_| (service.now.get() / 1000.0 / CLOCK_STEP_S).floor() * CLOCK_STEP_S);
        let question = Memo::new(move |_| question::read(&inputs.read()));
        let sources = EvaluationSources {
            inputs,
            question,
            policy: service.policy,
            accepted,
            verifier,
            now,
        };
        let evaluation = Memo::new(move |_| Some(evaluator.get()?.evaluation(sources)));
        fetch_when(move || evaluator.read().is_none(), EVALUATOR, now);
        let has_keys = Memo::new(move |_| {
            let inputs = inputs.read();
            let is_verified = !inputs.token().is_empty() && service.keys.read().is_some();
            is_verified || !inputs.keys.trim().is_empty()
        });
        fetch_when(
            move || has_keys.get() && signature_checks.read().is_none(),
            VERIFIER,
            now,
        );
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
            removed: RwSignal::new(RemovedHypotheses::default()),
            fixing: RwSignal::new(false),
            verifying: RwSignal::new(false),
            troubleshooting: TroubleshootingState::new(),
            properties,
            accepted,
            verifier,
            now,
            service,
            question,
            evaluation,
            evaluator,
            sources,
        }
    }

    /// The answer without what is assumed.
    pub(super) fn without(self, hypotheses: Memo<Vec<Hypothesis>>) -> Memo<Option<RealAnswer>> {
        let (evaluator, sources) = (self.evaluator, self.sources);
        Memo::new(move |_| evaluator.get()?.without(&hypotheses.read(), sources))
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

    /// Takes an edit of a field, and evaluates it at once, before anything is drawn.
    pub(super) fn edit(self, change: impl FnOnce(&mut Inputs)) {
        self.inputs.update(change);
        dom::measured("simulator: verdict", || {
            if let Some(evaluation) = self.evaluation.get_untracked() {
                let _ = evaluation.shown.read_untracked();
            }
        });
    }

    /// Makes a change that a button offers.
    pub(super) fn apply(self, change: InputEdit) {
        let service = self.of_service();
        self.edit(|inputs| change.apply(inputs, &service));
    }

    /// Takes back some of all that a verdict rests on.
    pub(super) fn remove(self, some: &[Hypothesis], all: &[Hypothesis]) {
        let service = self.of_service();
        self.change_assumptions(|removed, inputs, trials| {
            removed.remove(some, all, inputs, trials, &service);
        });
    }

    /// Assumes again what was taken back, only this or all of it.
    pub(super) fn restore(self, only: Option<&Hypothesis>) {
        let service = self.of_service();
        self.change_assumptions(|removed, inputs, trials| {
            removed.restore(only, inputs, trials, &service);
        });
    }

    fn change_assumptions(
        self,
        change: impl FnOnce(&mut RemovedHypotheses, &mut Inputs, &mut HypotheticalChanges),
    ) {
        let (mut inputs, mut trials) = (self.inputs.get_untracked(), self.trials.get_untracked());
        let mut removed = self.removed.get_untracked();
        change(&mut removed, &mut inputs, &mut trials);
        self.removed.set(removed);
        if self.trials.with_untracked(|held| *held != trials) {
            self.trials.set(trials);
        }
        self.edit(|held| *held = inputs);
    }

    /// Opens what verifies the token.
    pub(super) fn verify(self) {
        self.verifying.set(true);
        dom::focus_later(VERIFICATION_ID);
    }

    /// The settings of the service, as they would be entered; what is tried starts from them.
    pub(super) fn of_service(self) -> WhatIfSettings {
        let policy = self.service.policy.get_untracked().unwrap_or_default();
        of_service(policy.settings())
    }

    /// The settings of the service, as they would be entered, and whether they are those of an SSO
    /// connection.
    pub(super) fn settings(self) -> Memo<(WhatIfSettings, bool)> {
        Memo::new(move |_| {
            let policy = self.service.policy.get().unwrap_or_default();
            (of_service(policy.settings()), is_sso(policy.settings()))
        })
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

    /// A part of what a step of the evaluation comes to, which notifies only when it changed; of
    /// nothing while its code is not here.
    fn step<S, T>(self, step: fn(SimulatorEvaluation) -> Memo<S>, part: fn(&S) -> T) -> Memo<T>
    where
        S: Default + Send + Sync + 'static,
        T: PartialEq + Send + Sync + 'static,
    {
        Memo::new(move |_| match self.evaluation.get() {
            Some(evaluation) => part(&step(evaluation).read()),
            None => part(&S::default()),
        })
    }

    /// A part of what stays in sight of steps and verdict.
    pub(super) fn shown<T: PartialEq + Send + Sync + 'static>(
        self,
        part: fn(&Shown) -> T,
    ) -> Memo<T> {
        self.step(|evaluation| evaluation.shown, part)
    }

    /// The verdict that stays in sight, without its words.
    pub(super) fn kind(self) -> Memo<Option<VerdictKind>> {
        self.shown(|shown| Some(shown.verdict.as_ref()?.kind))
    }

    /// What a verdict on what is entered now rests on, without the changes that are tried.
    pub(super) fn hypotheses(self) -> Memo<Vec<Hypothesis>> {
        self.step(|evaluation| evaluation.hypotheses, Vec::clone)
    }

    /// What the verdict that stays in sight rests on, with the changes that are tried.
    pub(super) fn all_hypotheses(self) -> Memo<Vec<Hypothesis>> {
        let of_token = self.shown(|shown| match &shown.verdict {
            Some(verdict) => verdict.hypotheses.clone(),
            None => Vec::new(),
        });
        Memo::new(move |_| hypothesis::with_changes(&of_token.read(), &self.trials.read()))
    }

    /// The decided question that stays in sight.
    pub(super) fn judged(self) -> Memo<Option<Arc<Judged>>> {
        self.shown(|shown| shown.judged.clone())
    }

    /// Whether a decided question is in sight.
    pub(super) fn has_judged(self) -> Memo<bool> {
        self.shown(|shown| shown.judged.is_some())
    }

    /// Whether what is entered now is decided.
    pub(super) fn is_decided(self) -> Memo<bool> {
        self.shown(|shown| shown.judged.is_some() && shown.verdict_stale.is_none())
    }

    /// The decided question that is in sight at this moment.
    pub(super) fn judged_now(self) -> Option<Arc<Judged>> {
        let evaluation = self.evaluation.get_untracked()?;
        evaluation.shown.read_untracked().judged.clone()
    }

    /// A part of what the checks of a sign-in find in the token.
    pub(super) fn sign_in<T: PartialEq + Send + Sync + 'static>(
        self,
        part: fn(&SignInFindings) -> T,
    ) -> Memo<T> {
        self.step(|evaluation| evaluation.sign_in, part)
    }

    /// What became of the verification; none when no keys were given.
    pub(super) fn report(self) -> Memo<Option<Arc<Report>>> {
        self.step(|evaluation| evaluation.report, Option::clone)
    }

    /// Whether the rules in force read the user-info document.
    pub(super) fn needs_userinfo(self) -> Memo<bool> {
        self.step(|evaluation| evaluation.rules, |rules| rules.needs_userinfo)
    }

    /// What is wrong with fields, or worth knowing about them.
    pub(super) fn problems(self) -> Memo<Vec<InputProblem>> {
        self.step(|evaluation| evaluation.problems, Vec::clone)
    }

    /// What is wrong with a field.
    pub(super) fn problem(self, field: Option<InputField>) -> Memo<Option<InputProblem>> {
        Memo::new(move |_| {
            let problems = self.evaluation.get()?.problems;
            weightiest(&problems.read(), field?).cloned()
        })
    }

    /// Who asks, while what is entered names somebody.
    pub(super) fn who(self) -> Memo<Option<Arc<SimulatedIdentity>>> {
        self.step(|evaluation| evaluation.who, Option::clone)
    }

    /// The identity of who asks.
    pub(super) fn identity(self) -> Memo<Option<Arc<Identity>>> {
        self.step(
            |evaluation| evaluation.who,
            |who| who.as_ref()?.identity.as_ref().ok().map(Arc::clone),
        )
    }

    /// Why sign-in fails, and what to fix first.
    pub(super) fn refusal(self) -> Memo<Option<SignInRefusal>> {
        self.step(|evaluation| evaluation.refusal, Option::clone)
    }

    /// What to fix first where sign-in fails.
    pub(super) fn fix_first(self) -> Memo<Option<RichText>> {
        self.step(
            |evaluation| evaluation.refusal,
            |refusal| Some(refusal.as_ref()?.words.clone()),
        )
    }

    /// Whether sign-in fails.
    pub(super) fn is_refused(self) -> Memo<bool> {
        self.step(|evaluation| evaluation.refusal, Option::is_some)
    }

    /// Where sign-in fails, the question as it would be decided if the token were accepted.
    pub(super) fn supposed(self) -> Memo<Option<Arc<Judged>>> {
        Memo::new(move |_| {
            let evaluation = self.evaluation.get()?;
            let is_refused = evaluation.refusal.read().is_some();
            evaluation.judged.get().filter(|_| is_refused)
        })
    }

    /// What is waited for, where no verdict is.
    pub(super) fn waiting(self) -> Memo<Waiting> {
        Memo::new(move |_| match self.evaluation.get() {
            Some(evaluation) => pipeline::waiting(
                evaluation.who.read().is_some(),
                self.service.policy.read().is_some(),
            ),
            None if self.inputs.read().is_anonymous() => Waiting::Identity,
            None => Waiting::Evaluation,
        })
    }

    /// Whether the verdict is one with changes: where sign-in fails, no change of the policy helps.
    pub(super) fn is_trying(self) -> Memo<bool> {
        let has_trials =
            Memo::new(move |_| self.trials.with(|trials| !trials.as_slice().is_empty()));
        let is_refused = self.is_refused();
        Memo::new(move |_| has_trials.get() && !is_refused.get())
    }

    /// The request, if it is complete.
    pub(super) fn access(self) -> Memo<Option<AccessRequest>> {
        Memo::new(move |_| self.question.read().0.clone())
    }

    /// The time of the decision: the page's clock, unless the user chose to ignore the expiry.
    pub(super) fn instant(self) -> Memo<At> {
        Memo::new(move |_| match self.inputs.read().ignore_expiry {
            true => At::IgnoringExpiry,
            false => At::seconds(self.now.get()),
        })
    }
}
