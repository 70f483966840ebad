//! The evaluation of the simulator: the way of a token to its verdict as memos over the pure
//! functions of `gbac_console_model::simulator::pipeline`, one for each step, in their order.
//!
//! An edit makes only those steps again that read what it changed: a name in the request leaves the
//! token decoded, and a new policy leaves it verified. Nothing is kept beside the memos, and they
//! end with the page.

use std::sync::Arc;

use gbac_analysis::provider::AcceptedTokens;
use gbac_console_model::simulator::hypothesis::{self, Hypothesis};
use gbac_console_model::simulator::identity::{RulesInForce, SimulatedIdentity};
use gbac_console_model::simulator::inputs::{InputProblem, Inputs};
use gbac_console_model::simulator::pipeline::{self, Shown, SignInFindings};
use gbac_console_model::simulator::question::AccessRequest;
use gbac_console_model::simulator::token::{self, Expected};
use gbac_console_model::simulator::token_checks::{Keys, Report, SignInRefusal, Verifier};
use gbac_console_model::simulator::verdict::Judged;
use gbac_console_model::simulator::without::{RealAnswer, real_answer};
use gbac_engine::policy::Policy;
use leptos::prelude::*;

/// The request of a check as it is entered, and what is wrong with it.
pub type Question = (Option<AccessRequest>, Vec<InputProblem>);

/// The code that evaluates; a value, so that a page can be here before it.
#[derive(Clone, Copy)]
pub struct Evaluator {
    evaluation: fn(EvaluationSources) -> SimulatorEvaluation,
    without: fn(&[Hypothesis], EvaluationSources) -> Option<RealAnswer>,
}

impl Evaluator {
    /// All of it; only code that comes with it may call this.
    pub const fn with_code() -> Self {
        Self {
            evaluation: SimulatorEvaluation::new,
            without,
        }
    }

    /// The evaluation of what is entered.
    #[must_use]
    pub fn evaluation(self, sources: EvaluationSources) -> SimulatorEvaluation {
        (self.evaluation)(sources)
    }

    /// The answer without what is assumed; see [`real_answer`].
    #[must_use]
    pub fn without(
        self,
        hypotheses: &[Hypothesis],
        sources: EvaluationSources,
    ) -> Option<RealAnswer> {
        (self.without)(hypotheses, sources)
    }
}

fn without(hypotheses: &[Hypothesis], sources: EvaluationSources) -> Option<RealAnswer> {
    real_answer(
        hypotheses,
        &sources.inputs.read(),
        &*sources.policy.get()?,
        &sources.accepted.read(),
        sources.now.get(),
        sources.verifier.get(),
    )
}

/// What the evaluation is made from.
#[derive(Clone, Copy)]
pub struct EvaluationSources {
    /// What is entered.
    pub inputs: RwSignal<Inputs>,
    /// The request of it.
    pub question: Memo<Question>,
    /// The policy; none while it is not known.
    pub policy: Signal<Option<Arc<Policy>>>,
    /// Whose tokens the service accepts, as far as it is known.
    pub accepted: Memo<AcceptedTokens>,
    /// What checks signatures, once its code is here.
    pub verifier: Signal<Option<Verifier>>,
    /// The instant that counts, in seconds since 1970.
    pub now: Memo<f64>,
}

/// The steps that a page reads.
#[derive(Clone, Copy, PartialEq)]
pub struct SimulatorEvaluation {
    /// What became of the verification; none when no keys were given.
    pub report: Memo<Option<Arc<Report>>>,
    /// What the checks of a sign-in find in the token.
    pub sign_in: Memo<SignInFindings>,
    /// The rules that make an identity of claims.
    pub rules: Memo<RulesInForce>,
    /// Who asks, while what is entered names somebody.
    pub who: Memo<Option<Arc<SimulatedIdentity>>>,
    /// Why sign-in fails.
    pub refusal: Memo<Option<SignInRefusal>>,
    /// What a verdict on the token rests on.
    pub hypotheses: Memo<Vec<Hypothesis>>,
    /// The decided question; where sign-in fails, as if the token were accepted.
    pub judged: Memo<Option<Arc<Judged>>>,
    /// What is wrong with fields, or worth knowing about them.
    pub problems: Memo<Vec<InputProblem>>,
    /// What stays in sight of steps and verdict.
    pub shown: Memo<Shown>,
}

impl SimulatorEvaluation {
    /// The steps of what is entered, from top to bottom.
    #[must_use]
    pub fn new(sources: EvaluationSources) -> Self {
        let EvaluationSources {
            inputs,
            question,
            policy,
            accepted,
            verifier,
            now,
        } = sources;

        // What the steps read of what is entered.
        let token_field = part(inputs, |inputs| {
            (inputs.token().to_owned(), inputs.as_claims)
        });
        let keys_field = part(inputs, |inputs| inputs.keys().to_owned());
        let provider_fields = part(inputs, |inputs| {
            (inputs.issuer.clone(), inputs.audience.clone())
        });
        let rules_fields = part(inputs, |inputs| {
            let userinfo = inputs.userinfo().map(str::to_owned);
            (inputs.tried_settings().cloned(), userinfo)
        });
        let identity_fields = part(inputs, Inputs::identity);
        let entered = part(inputs, Inputs::entered);
        let carried = part(inputs, |inputs| inputs.carried.clone());
        let ignore_expiry = part(inputs, |inputs| inputs.ignore_expiry);
        let platform = part(inputs, |inputs| inputs.platform);

        // Token.
        let token = Memo::new(move |_| {
            let field = token_field.read();
            token::read(&field.0, field.1)
        });

        // Keys, and what they verify.
        let keys = Memo::new_with_compare(
            move |_| Keys::read(&keys_field.read(), verifier.get()),
            is_new,
        );
        let expected = Memo::new(move |_| {
            let fields = provider_fields.read();
            Expected::read(&fields.0, &fields.1, &accepted.read())
        });
        let findings = Memo::new(move |_| {
            keys.read()
                .findings(&token.read(), &expected.read(), now.get())
        });
        let report = Memo::new(move |_| findings.read().report.clone());
        let sign_in = Memo::new(move |_| {
            pipeline::sign_in(
                &token.read(),
                &findings.read(),
                &expected.read(),
                ignore_expiry.get(),
                now.get(),
            )
        });

        // Extraction and identity.
        let rules = Memo::new(move |_| {
            let (fields, policy) = (rules_fields.read(), policy.get().unwrap_or_default());
            RulesInForce::read(fields.0.as_ref(), fields.1.as_deref(), policy.settings())
        });
        let who = Memo::new(move |_| {
            pipeline::identity(
                &identity_fields.read(),
                &token.read(),
                report.read().as_deref(),
                &rules.read(),
            )
        });
        let steps = Memo::new(move |_| {
            let policy = policy.get().unwrap_or_default();
            let steps = pipeline::steps(who.read().as_deref()?, &policy);
            Some(Arc::new(steps))
        });
        let refusal = Memo::new(move |_| {
            pipeline::refusal(&sign_in.read(), who.read().as_deref(), platform.get())
        });

        let hypotheses = Memo::new(move |_| {
            let (fields, policy) = (rules_fields.read(), policy.get().unwrap_or_default());
            hypothesis::of_token(
                who.read().as_deref(),
                &carried.read(),
                &expected.read(),
                report.read().as_deref().map(|report| report.signature),
                ignore_expiry.get(),
                fields.0.as_ref(),
                policy.settings(),
            )
        });

        // Question and decision.
        let decided = Memo::new(move |_| {
            let ignore_expiry = ignore_expiry.get() || refusal.read().is_some();
            pipeline::decision(
                who.read().as_deref(),
                policy.get().as_deref(),
                question.read().0.as_ref(),
                pipeline::instant(ignore_expiry, now.get()),
            )
        });

        // Explanation.
        let explainer = Memo::new_with_compare(
            move |_| pipeline::explainer(who.read().as_deref(), policy.get().as_deref()),
            is_new,
        );
        let judged = Memo::new(move |_| {
            // Both are read, so that neither keeps anything of an identity that was taken out.
            let (decided, explainer) = (decided.read(), explainer.read());
            let judged = pipeline::explanation(decided.as_ref()?, explainer.as_ref()?);
            Some(Arc::new(judged))
        });

        // Text.
        let verdict = Memo::new(move |_| {
            pipeline::verdict(
                refusal.read().as_ref(),
                question.read().0.as_ref(),
                judged.read().as_deref(),
                ignore_expiry.get(),
                &hypotheses.read(),
                now.get(),
            )
        });
        let problems = Memo::new(move |_| {
            pipeline::problems(
                &identity_fields.read(),
                &token.read(),
                &keys.read(),
                &rules.read(),
                question.read().1.clone(),
            )
        });
        let shown = Memo::new(move |before| {
            pipeline::shown(
                before,
                entered.get(),
                steps.get(),
                verdict.get(),
                judged.get(),
                &problems.read(),
            )
        });

        Self {
            report,
            sign_in,
            rules,
            who,
            refusal,
            hypotheses,
            judged,
            problems,
            shown,
        }
    }
}

/// A part of what is entered, which notifies only when it changed.
fn part<T: PartialEq + Send + Sync + 'static>(
    inputs: RwSignal<Inputs>,
    of: fn(&Inputs) -> T,
) -> Memo<T> {
    Memo::new(move |_| of(&inputs.read()))
}

/// What cannot be compared counts as another one each time that it is made.
fn is_new<T>(_: Option<&T>, _: Option<&T>) -> bool {
    true
}
