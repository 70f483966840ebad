//! The way of a token to its verdict: one pure function for each step, in their order.
//!
//! [`evaluate`] walks it once, from what is entered to the verdict in words. The console's store
//! (`console/src/store/evaluation.rs`) holds each step in a memo, so that only what an edit changes
//! is made again.

use std::sync::Arc;

use gbac_analysis::provider::AcceptedTokens;
use gbac_analysis::sign_in::check_sign_in;
use gbac_engine::decide::{self, At, Decision, Explainer};
use gbac_engine::identity::Identity;
use gbac_engine::policy::{Policy, Settings};

use crate::simulator::extraction::{self, ExtractionInput, Origins, Steps};
use crate::simulator::hypothesis::{self, Hypothesis};
use crate::simulator::identity::{RulesInForce, SimulatedIdentity};
use crate::simulator::inputs::{
    EnteredIdentity, IdentityMode, InputField, InputProblem, Inputs, Weight, identity_error,
};
use crate::simulator::question::{self, AccessRequest};
use crate::simulator::token::{self, Expected, TokenFact, TokenReading};
use crate::simulator::token_checks::{self, KeyFindings, Keys, Report, SignInRefusal, Verifier};
use crate::simulator::unknown_groups::denying_groups;
use crate::simulator::verdict::{self, Judged, Verdict, VerdictKind};

/// What is shown where no verdict is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Waiting {
    /// For an identity: a token, or names by hand.
    #[default]
    Identity,
    /// For the question to be complete.
    Question,
    /// For the policy.
    Policy,
    /// For the code of the evaluation.
    Evaluation,
}

/// Everything that comes out of what is entered.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct View {
    /// What is wrong with fields, or worth knowing about them.
    pub problems: Vec<InputProblem>,
    /// What the token says about itself; empty without a token.
    pub facts: Vec<TokenFact>,
    /// What became of the verification; none when no keys were given.
    pub report: Option<Arc<Report>>,
    /// Why sign-in fails; none where nothing that is known speaks against it.
    pub refusal: Option<SignInRefusal>,
    /// Whether the rules in force read the user-info document.
    pub needs_userinfo: bool,
    /// Who asks.
    pub who: Option<Arc<SimulatedIdentity>>,
    /// The steps from token to principals.
    pub steps: Option<Arc<Steps>>,
    /// What a verdict on the token rests on.
    pub hypotheses: Vec<Hypothesis>,
    /// The verdict.
    pub verdict: Option<Verdict>,
    /// The decided question, for the trace.
    pub judged: Option<Arc<Judged>>,
    /// Where sign-in fails: the question as it would be decided if the token were accepted.
    pub supposed: Option<Arc<Judged>>,
    /// What is waited for, when there is no verdict.
    pub waiting: Waiting,
}

impl View {
    /// The problem of a field that matters most.
    pub fn problem(&self, field: InputField) -> Option<&InputProblem> {
        weightiest(&self.problems, field)
    }
}

/// The problem of a field that matters most.
pub fn weightiest(problems: &[InputProblem], field: InputField) -> Option<&InputProblem> {
    problems
        .iter()
        .filter(|problem| problem.field == field)
        .max_by_key(|problem| problem.weight)
}

/// Walks the whole way once. `policy` is none while it is not known; `accepted` is what the service
/// says about whose tokens it accepts; `now` is in seconds since 1970; `verifier` is none while the
/// code that checks signatures is not here.
pub fn evaluate(
    inputs: &Inputs,
    policy: Option<&Policy>,
    accepted: &AcceptedTokens,
    now: f64,
    verifier: Option<Verifier>,
) -> View {
    let (default, ignore_expiry) = (Policy::default(), inputs.ignore_expiry);
    let of_service = policy.unwrap_or(&default);
    let entered = inputs.identity();
    let token = token::read(inputs.token(), inputs.as_claims);
    let keys = Keys::read(inputs.keys(), verifier);
    let expected = Expected::read(&inputs.issuer, &inputs.audience, accepted);
    let findings = keys.findings(&token, &expected, now);
    let sign_in = sign_in(&token, &findings, &expected, ignore_expiry, now);
    let report = findings.report;
    let settings = of_service.settings();
    let rules = RulesInForce::read(inputs.tried_settings(), inputs.userinfo(), settings);
    let who = identity(&entered, &token, report.as_deref(), &rules);
    let steps = who.as_deref().map(|who| Arc::new(steps(who, of_service)));
    let (access, of_question) = question::read(inputs);
    let refusal = refusal(&sign_in, who.as_deref(), inputs.platform);
    let at = instant(ignore_expiry || refusal.is_some(), now);
    let decided = decision(who.as_deref(), policy, access.as_ref(), at);
    let judged = match &decided {
        Some(decided) => explainer(who.as_deref(), policy)
            .map(|explainer| Arc::new(explanation(decided, &explainer))),
        None => None,
    };
    let hypotheses = hypothesis::of_token(
        who.as_deref(),
        &inputs.carried,
        &expected,
        report.as_deref().map(|report| report.signature),
        ignore_expiry,
        inputs.tried_settings(),
        settings,
    );
    let verdict = verdict(
        refusal.as_ref(),
        access.as_ref(),
        judged.as_deref(),
        ignore_expiry,
        &hypotheses,
        now,
    );
    let (judged, supposed) = match refusal.is_some() {
        true => (None, judged),
        false => (judged, None),
    };
    View {
        problems: problems(&entered, &token, &keys, &rules, of_question),
        waiting: waiting(who.is_some(), policy.is_some()),
        facts: sign_in.facts,
        report,
        refusal,
        needs_userinfo: rules.needs_userinfo,
        who,
        steps,
        hypotheses,
        verdict,
        judged,
        supposed,
    }
}

/// Walks the way up to who asks.
pub fn identify(
    inputs: &Inputs,
    settings: &Settings,
    accepted: &AcceptedTokens,
    now: f64,
    verifier: Option<Verifier>,
) -> Option<Arc<SimulatedIdentity>> {
    let token = token::read(inputs.token(), inputs.as_claims);
    let keys = Keys::read(inputs.keys(), verifier);
    let expected = Expected::read(&inputs.issuer, &inputs.audience, accepted);
    let report = keys.findings(&token, &expected, now).report;
    let rules = RulesInForce::read(inputs.tried_settings(), inputs.userinfo(), settings);
    identity(&inputs.identity(), &token, report.as_deref(), &rules)
}

/// What the checks of a sign-in find in a token.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SignInFindings {
    /// What the token says about itself, marked as the checks found it.
    pub facts: Vec<TokenFact>,
    /// Why the service refuses the token.
    pub refusal: Option<SignInRefusal>,
}

/// Token and keys: the checks that the service makes at a sign-in, after the verification with keys.
pub fn sign_in(
    token: &TokenReading,
    findings: &KeyFindings,
    expected: &Expected,
    ignore_expiry: bool,
    now: f64,
) -> SignInFindings {
    let TokenReading::Read(read) = token else {
        return SignInFindings::default();
    };
    let checks = check_sign_in(
        read.header.as_ref(),
        &read.claims,
        &expected.accepted,
        Some(now.into()),
    );
    let report = findings.report.as_deref();
    let mut facts = vec![token_checks::fact(read, report, findings.lacks_key)];
    facts.extend(token::facts(read, expected, ignore_expiry, &checks, now));
    SignInFindings {
        refusal: token_checks::refusal(read, report, &checks, ignore_expiry),
        facts,
    }
}

/// Extraction and identity: who asks, once nothing is in the way. A user without a name, and claims
/// without a user, are somebody too.
pub fn identity(
    entered: &EnteredIdentity,
    token: &TokenReading,
    report: Option<&Report>,
    rules: &RulesInForce,
) -> Option<Arc<SimulatedIdentity>> {
    let (read, in_force) = match (entered, token, &rules.in_force) {
        (EnteredIdentity::Names { user, .. }, ..) if user.is_empty() => return None,
        (EnteredIdentity::Names { user, groups }, ..) => {
            return Some(Arc::new(SimulatedIdentity::named(user, groups)));
        }
        (EnteredIdentity::Token, TokenReading::Read(read), Some(in_force)) => (read, in_force),
        (EnteredIdentity::Token, ..) => return None,
    };
    if rules.userinfo_problem.is_some() {
        return None;
    }
    let verified = report.and_then(|report| report.claims.as_ref());
    let who = SimulatedIdentity::from_token(read, in_force, rules.userinfo.as_ref(), verified);
    Some(Arc::new(who))
}

/// Extraction in words: the steps from token to principals, with what to know about them.
pub fn steps(who: &SimulatedIdentity, policy: &Policy) -> Steps {
    match (&who.taken, &who.identity) {
        (Some(taken), identity) => extraction::of_token(&ExtractionInput {
            read: &taken.read,
            rules: &taken.rules,
            extraction: &taken.extraction,
            user: identity.as_ref().map(|identity| identity.user()),
            suggestions: &taken.suggestions,
            policy,
        }),
        (None, Ok(identity)) => extraction::by_hand(identity),
        (None, Err(_)) => Steps::default(),
    }
}

/// Why sign-in fails: by the checks of the token, for the platform of today where its rules are
/// tried, or since the claims name no user.
pub fn refusal(
    sign_in: &SignInFindings,
    who: Option<&SimulatedIdentity>,
    platform: bool,
) -> Option<SignInRefusal> {
    let who = match (&sign_in.refusal, who) {
        (Some(refusal), _) => return Some(refusal.clone()),
        (None, who) => who?,
    };
    let of_platform = match &who.taken {
        Some(taken) if platform => token_checks::platform_refusal(&taken.read),
        _ => None,
    };
    match &who.identity {
        _ if of_platform.is_some() => of_platform,
        Err(error) => Some(SignInRefusal::new(error.code(), identity_error(error))),
        Ok(_) => None,
    }
}

/// The instant of a decision.
pub fn instant(ignore_expiry: bool, now: f64) -> At {
    match ignore_expiry {
        true => At::IgnoringExpiry,
        false => At::seconds(now),
    }
}

/// A decision, on which question of whom.
#[derive(Debug, Clone, PartialEq)]
pub struct Decided {
    access: AccessRequest,
    identity: Arc<Identity>,
    origins: Arc<Origins>,
    denying_groups: Vec<String>,
    decision: Decision,
}

/// Decision: once the question is complete, and it is known who asks under which policy.
pub fn decision(
    who: Option<&SimulatedIdentity>,
    policy: Option<&Policy>,
    access: Option<&AccessRequest>,
    at: At,
) -> Option<Decided> {
    let (who, policy, access) = (who?, policy?, access?);
    let identity = who.identity.as_ref().ok()?;
    let decision = decide::decide(policy, identity, &access.request(at));
    Some(Decided {
        access: access.clone(),
        identity: Arc::clone(identity),
        origins: Arc::clone(&who.origins),
        denying_groups: denying_groups(policy, who, access, &decision),
        decision,
    })
}

/// What explains every decision about an identity; it takes the longest of all steps, and no
/// question changes it.
pub fn explainer(who: Option<&SimulatedIdentity>, policy: Option<&Policy>) -> Option<Explainer> {
    let (who, policy) = (who?, policy?);
    let identity = who.identity.as_deref().ok()?;
    Some(Explainer::new(policy, identity))
}

/// Explanation: the decision with every candidate. The instant counts in the decision only.
pub fn explanation(decided: &Decided, explainer: &Explainer) -> Judged {
    let request = decided.access.request(At::IgnoringExpiry);
    Judged {
        access: decided.access.clone(),
        identity: Arc::clone(&decided.identity),
        origins: Arc::clone(&decided.origins),
        denying_groups: decided.denying_groups.clone(),
        explanation: explainer.explain(&request, decided.decision.clone()),
    }
}

/// Text: the verdict in words. Where sign-in fails, what is judged is no more than a remark.
pub fn verdict(
    refusal: Option<&SignInRefusal>,
    access: Option<&AccessRequest>,
    judged: Option<&Judged>,
    ignore_expiry: bool,
    hypotheses: &[Hypothesis],
    now: f64,
) -> Option<Verdict> {
    let Some(refusal) = refusal else {
        let verdict = verdict::verdict(judged?, now, ignore_expiry, hypotheses);
        return Some(verdict);
    };
    let accepted =
        judged.map(|judged| (judged.identity.user(), judged.explanation.decision.reason));
    let verdict = verdict::sign_in_fails(refusal, access, accepted, hypotheses);
    Some(verdict)
}

/// Text: what is wrong with fields, or worth knowing about them, in the order of the steps.
pub fn problems(
    entered: &EnteredIdentity,
    token: &TokenReading,
    keys: &Keys,
    rules: &RulesInForce,
    of_question: Vec<InputProblem>,
) -> Vec<InputProblem> {
    let mut problems = Vec::new();
    problems.extend(token.problem().cloned());
    problems.extend(rules.problems.iter().cloned());
    problems.extend(entered.problems());
    if let TokenReading::Read(read) = token {
        problems.extend(keys.problem(read));
        problems.extend(rules.userinfo_problem.clone());
    }
    problems.extend(of_question);
    problems
}

/// What is waited for, when there is no verdict.
pub const fn waiting(has_identity: bool, has_policy: bool) -> Waiting {
    match (has_identity, has_policy) {
        (false, _) => Waiting::Identity,
        (true, false) => Waiting::Policy,
        (true, true) => Waiting::Question,
    }
}

/// What stays in sight: the result of what is entered, or the last good one while a part of it is
/// wrong.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Shown {
    /// How the identity is entered; none while nothing is.
    pub entered: Option<IdentityMode>,
    /// The steps from token to principals.
    pub steps: Option<Arc<Steps>>,
    /// What the steps are of, when it is not what is entered now: `the last readable token`.
    pub steps_stale: Option<&'static str>,
    /// The verdict.
    pub verdict: Option<Verdict>,
    /// What the verdict is for, when it is not what is entered now.
    pub verdict_stale: Option<&'static str>,
    /// The decided question, for the trace; none where sign-in fails.
    pub judged: Option<Arc<Judged>>,
}

/// What is shown after what was shown before. Nothing of another token stays in sight beside one
/// that is refused, and nothing at all once the identity was taken out or is entered another way.
pub fn shown(
    before: Option<&Shown>,
    entered: Option<IdentityMode>,
    steps: Option<Arc<Steps>>,
    verdict: Option<Verdict>,
    judged: Option<Arc<Judged>>,
    problems: &[InputProblem],
) -> Shown {
    let last = before.filter(|last| entered.is_some() && last.entered == entered);
    let last = last.filter(|last| last.steps.is_some()).cloned();
    let stale = match (&steps, &last) {
        (None, Some(_)) => Some(stale_words(problems)),
        _ => None,
    };
    let last = last.unwrap_or_default();
    let is_refused = matches!(&verdict, Some(verdict) if verdict.kind == VerdictKind::SignInFails);
    let (verdict, judged, verdict_stale) = match verdict {
        Some(verdict) if is_refused => (Some(verdict), None, None),
        Some(verdict) => (Some(verdict), judged, None),
        None if last.verdict.is_none() => (None, None, None),
        None => {
            let of = stale.unwrap_or("the last complete check");
            (last.verdict, last.judged, Some(of))
        }
    };
    Shown {
        entered,
        steps: steps.or(last.steps),
        steps_stale: stale,
        verdict,
        verdict_stale,
        judged,
    }
}

/// What the last good result is of, told by what is wrong now.
fn stale_words(problems: &[InputProblem]) -> &'static str {
    let field = problems
        .iter()
        .find(|problem| problem.weight.blocks_evaluation())
        .map(|problem| problem.field);
    match field {
        Some(InputField::Token) => "the last readable token",
        Some(InputField::UserInfo) => "the last user-info document that could be read",
        Some(InputField::User | InputField::Groups) => "the last valid user",
        _ => "the last valid settings",
    }
}

/// The announcement of the verdict for assistive technology; may be empty.
pub fn announcement(problems: &[InputProblem], shown: &Shown) -> String {
    let wrong = problems
        .iter()
        .find(|problem| problem.weight == Weight::Error);
    match (&shown.verdict, wrong) {
        (_, Some(wrong)) => wrong.words.plain(),
        (Some(verdict), None) if shown.verdict_stale.is_none() => {
            format!("{}: {}", verdict.kind.title(), verdict.sentence.plain())
        }
        _ => String::new(),
    }
}
