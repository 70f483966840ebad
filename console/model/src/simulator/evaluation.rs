//! The evaluation of the simulator's inputs: extraction, verdict and trace, as values.
//!
//! [`evaluate`] is a pure function of the inputs, a policy and the time. [`Simulation`] gives the
//! same result, keeps what did not change, and shows the last valid result while an input is
//! invalid.

use gbac_engine::ClaimSet;
use std::sync::Arc;

use gbac_analysis::provider::AcceptedTokens;
use gbac_analysis::sign_in::check_sign_in;
use gbac_engine::ResolveError;
use gbac_engine::Subject;
use gbac_engine::decide::{self, At, Decision, Explainer};
use gbac_engine::groups::{self, Suggestion, suggest_paths};
use gbac_engine::identity::{Identity, IdentityRules};

use gbac_engine::policy::Policy;
use gbac_engine::token::Claims;
use gbac_engine::verify::KeySet;
use serde_json::Value;

use crate::settings::is_sso;
use crate::simulator::accepted::SignInRefusal;
use crate::simulator::extraction::{ExtractionInput, Origins, Steps};
use crate::simulator::inputs::{
    IdentityMode, InputField, InputProblem, Inputs, Weight, WhatIfSettings, identity_error,
};
use crate::simulator::question::AccessRequest;
use crate::simulator::shared::Shared;
use crate::simulator::token::{DecodedToken, TokenFact, TokenReading};
use crate::simulator::verdict::{Judged, Verdict};
use crate::simulator::verification::Report;
use crate::simulator::{
    accepted, by_hand, extraction, question, settings, token, verdict, verification,
};

/// What is shown where no verdict is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Waiting {
    /// For an identity: a token, or names by hand.
    Identity,
    /// For the question to be complete.
    Question,
    /// For the policy.
    Policy,
    /// For the code of the evaluation.
    Evaluation,
}

/// Everything that the page shows. Fields that are shared are the same value as before when nothing
/// changed.
#[derive(Debug, Clone, PartialEq)]
pub struct View {
    /// What is wrong with fields, or worth knowing about them.
    pub problems: Vec<InputProblem>,
    /// What the token says about itself; empty without a token.
    pub facts: Vec<TokenFact>,
    /// What became of the verification; none when no keys were given.
    pub report: Option<Shared<Report>>,
    /// Why sign-in fails with the token; none where nothing that is known speaks against it, and by
    /// hand.
    pub refusal: Option<SignInRefusal>,
    /// The settings of the service, as they would be entered.
    pub service: WhatIfSettings,
    /// Whether the settings of the service are those of an SSO connection.
    pub sso: bool,
    /// Whether the rules in force read the user-info document.
    pub needs_userinfo: bool,
    /// Who asks, when that came out of what is entered now.
    pub who: Option<Shared<SimulatedIdentity>>,
    /// The steps from token to principals.
    pub steps: Option<Shared<Steps>>,
    /// What the steps are of, when it is not what is entered now: `the last readable token`.
    pub steps_stale: Option<&'static str>,
    /// The verdict.
    pub verdict: Option<Verdict>,
    /// What the verdict is for, when it is not what is entered now.
    pub verdict_stale: Option<&'static str>,
    /// The decided question, for the trace.
    pub judged: Option<Shared<Judged>>,
    /// Where sign-in fails: the question as it would be decided if the token were accepted.
    pub supposed: Option<Shared<Judged>>,
    /// What is waited for, when there is no verdict.
    pub waiting: Waiting,
}

impl View {
    /// The problem of a field that matters most.
    pub fn problem(&self, field: InputField) -> Option<&InputProblem> {
        self.problems
            .iter()
            .filter(|problem| problem.field == field)
            .max_by_key(|problem| problem.weight)
    }

    /// The announcement of the verdict for assistive technology; may be empty.
    pub fn announcement(&self) -> String {
        let wrong = self
            .problems
            .iter()
            .find(|problem| problem.weight == Weight::Error);
        match (&self.verdict, wrong) {
            (_, Some(wrong)) => wrong.words.plain(),
            (Some(verdict), None) if self.verdict_stale.is_none() => {
                format!("{}: {}", verdict.kind.title(), verdict.sentence.plain())
            }
            _ => String::new(),
        }
    }
}

/// Who asks, as far as it came out of the inputs.
pub struct SimulatedIdentity {
    /// The identity, or why the claims name no user.
    pub identity: Result<Arc<Identity>, ResolveError>,
    /// Where its groups came from.
    pub origins: Arc<Origins>,
    /// None by hand.
    pub(super) taken: Option<FromToken>,
}

/// Without what it was made from: that is a token.
impl std::fmt::Debug for SimulatedIdentity {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Opened").finish_non_exhaustive()
    }
}

impl SimulatedIdentity {
    /// The names of the claim as the token has them, before anything is cut off; the groups by
    /// hand.
    pub fn names(&self) -> Vec<&str> {
        match (&self.taken, &self.identity) {
            (Some(taken), _) => taken
                .extraction
                .elements
                .iter()
                .map(|element| element.raw.as_str())
                .collect(),
            (None, Ok(identity)) => identity.groups().iter().map(String::as_str).collect(),
            (None, Err(_)) => Vec::new(),
        }
    }

    /// The rules that made it; none by hand.
    pub fn rules(&self) -> Option<&IdentityRules> {
        self.taken.as_ref().map(|taken| &taken.rules)
    }
}

/// What an identity was made from, for the steps.
pub(super) struct FromToken {
    pub(super) read: Shared<DecodedToken>,
    pub(super) rules: IdentityRules,
    pub(super) extraction: groups::Extraction,
    pub(super) suggestions: Vec<Suggestion>,
}

/// What an identity is made from.
#[derive(Clone, PartialEq)]
enum Source {
    ByHand {
        user: String,
        groups: String,
    },
    Token {
        read: Shared<DecodedToken>,
        rules: Box<IdentityRules>,
        userinfo: Option<Shared<ClaimSet>>,
        verified: bool,
    },
}

/// A value and what it was made from.
struct Memo<K, V>(Option<(K, V)>);

impl<K, V> Default for Memo<K, V> {
    fn default() -> Self {
        Self(None)
    }
}

impl<K: PartialEq, V: Clone> Memo<K, V> {
    /// The value for a key: the one before when the key is.
    fn get(&mut self, key: K, make: impl FnOnce(&K) -> V) -> V {
        match &self.0 {
            Some((known, value)) if *known == key => value.clone(),
            _ => {
                let value = make(&key);
                self.0 = Some((key, value.clone()));
                value
            }
        }
    }
}

/// What the token field holds: something that was read, or what is wrong with it; nothing when it
/// is empty.
type TokenField = Result<Shared<DecodedToken>, Option<InputProblem>>;
/// What a report depends on: token, keys, what the service accepts, time.
type ReportKey = (Shared<DecodedToken>, Shared<KeySet>, AcceptedTokens, f64);
/// What a judgement depends on.
type JudgedKey = (
    Shared<SimulatedIdentity>,
    Shared<Policy>,
    AccessRequest,
    Decision,
);

/// An evaluation that remembers: what did not change is not done again, and what was last good
/// stays in sight.
///
/// It holds the token as long as the page does; [`Simulation::default`] holds nothing.
#[derive(Default)]
pub struct Simulation {
    policy: Option<Shared<Policy>>,
    reading: Memo<(String, bool), TokenField>,
    userinfo: Memo<String, Result<Shared<ClaimSet>, InputProblem>>,
    keys: Memo<String, Result<Shared<KeySet>, InputProblem>>,
    report: Memo<ReportKey, Shared<Report>>,
    opened: Memo<Source, Shared<SimulatedIdentity>>,
    steps: Memo<(Shared<SimulatedIdentity>, Shared<Policy>), Shared<Steps>>,
    explainer: Memo<(Shared<SimulatedIdentity>, Shared<Policy>), Shared<Explainer>>,
    judged: Memo<JudgedKey, Shared<Judged>>,
    last: Option<Last>,
}

/// The last good result.
struct Last {
    mode: IdentityMode,
    steps: Shared<Steps>,
    verdict: Option<(Verdict, Option<Shared<Judged>>)>,
}

/// Evaluates inputs once. `policy` is none while it is not known; `accepted` is what the service
/// says about whose tokens it accepts; `now` is in seconds since 1970.
pub fn evaluate(
    inputs: &Inputs,
    policy: Option<&Arc<Policy>>,
    accepted: &AcceptedTokens,
    now: f64,
) -> View {
    Simulation::default().evaluate(inputs, policy, accepted, now)
}

impl Simulation {
    /// As [`evaluate`], with what is remembered.
    pub fn evaluate(
        &mut self,
        inputs: &Inputs,
        policy: Option<&Arc<Policy>>,
        accepted: &AcceptedTokens,
        now: f64,
    ) -> View {
        if inputs.is_anonymous() {
            // Nothing of a token is held once it was taken out.
            *self = Self {
                policy: self.policy.take(),
                ..Self::default()
            };
        } else if self
            .last
            .as_ref()
            .is_some_and(|last| last.mode != inputs.mode)
        {
            self.last = None;
        }
        let known = policy.is_some();
        let policy = self.policy(policy);
        let (rules, mut problems) = settings::read(inputs, policy.settings());
        let (access, of_question) = question::read(inputs);
        let needs_userinfo = inputs.mode == IdentityMode::Token
            && rules.as_ref().is_some_and(|rules| {
                matches!(rules.extraction.source, groups::ClaimSource::UserInfo(_))
            });

        let accepted = accepted::in_force(inputs, accepted);
        let mut facts = Vec::new();
        let mut report = None;
        let mut refusal = None;
        let who = match inputs.mode {
            IdentityMode::ByHand => by_hand::read(inputs, inputs.is_anonymous(), &mut problems)
                .then(|| Source::ByHand {
                    user: inputs.user.clone(),
                    groups: inputs.groups.clone(),
                }),
            IdentityMode::Token => match self.read_token(inputs) {
                Err(None) => None,
                Err(Some(problem)) => {
                    problems.insert(0, problem);
                    None
                }
                Ok(read) => {
                    problems.splice(..0, read.refused.clone());
                    report = self.verify(inputs, &read, &accepted, now, &mut problems);
                    let checks = check_sign_in(
                        read.header.as_ref(),
                        &read.claims,
                        &accepted,
                        Some(now.into()),
                    );
                    refusal =
                        accepted::refusal(&read, report.as_deref(), &checks, inputs.ignore_expiry);
                    facts.push(verification::fact(&read, report.as_deref()));
                    facts.extend(token::facts(&read, inputs, &checks, now));
                    let verified = report
                        .as_ref()
                        .is_some_and(|report| report.claims.is_some());
                    let userinfo = self.read_userinfo(inputs, needs_userinfo, &mut problems);
                    rules.zip(userinfo).map(|(rules, userinfo)| Source::Token {
                        read,
                        rules: Box::new(rules),
                        userinfo,
                        verified,
                    })
                }
            },
        };
        let stale = (who.is_none() && self.last.is_some()).then(|| stale_words(&problems));
        let claims = report.as_ref().and_then(|report| report.claims.as_ref());
        let opened = who.map(|who| self.opened.get(who, |who| Shared::new(open(who, claims))));
        let steps = opened.as_ref().map(|opened| {
            self.steps
                .get((opened.clone(), policy.clone()), |(opened, policy)| {
                    Shared::new(steps(opened, policy))
                })
        });
        problems.extend(of_question);
        if let Some(opened) = &opened {
            let taken = opened.taken.as_ref().filter(|_| inputs.platform);
            let of_platform = || taken.and_then(|taken| accepted::platform_refusal(&taken.read));
            let of_claims =
                |error: &ResolveError| SignInRefusal::new(error.code(), identity_error(error));
            refusal = refusal
                .or_else(of_platform)
                .or_else(|| opened.identity.as_ref().err().map(of_claims));
        }
        let identity = opened
            .as_ref()
            .and_then(|opened| opened.identity.as_ref().ok());
        let mut supposed = None;
        let verdict = match (&refusal, &opened, identity, &access) {
            (Some(refusal), opened, identity, access) => {
                let complete = opened
                    .as_ref()
                    .zip(identity)
                    .zip(access.as_ref())
                    .filter(|_| known);
                supposed = complete.and_then(|((opened, identity), access)| {
                    self.judge(opened, identity, &policy, access, true, now).1
                });
                let accepted = supposed
                    .as_ref()
                    .map(|judged| (judged.identity.user(), judged.explanation.decision.reason));
                Some((
                    verdict::sign_in_fails(refusal, access.as_ref(), accepted),
                    None,
                ))
            }
            (None, Some(opened), Some(identity), Some(access)) if known => {
                Some(self.judge(opened, identity, &policy, access, inputs.ignore_expiry, now))
            }
            _ => None,
        };
        let waiting = match (&opened, known) {
            (None, _) => Waiting::Identity,
            (Some(_), false) => Waiting::Policy,
            (Some(_), true) => Waiting::Question,
        };
        let view = View {
            problems,
            facts,
            report,
            refusal,
            service: settings::of_service(policy.settings()),
            sso: is_sso(policy.settings()),
            needs_userinfo,
            who: opened,
            steps,
            steps_stale: None,
            verdict: None,
            verdict_stale: None,
            judged: None,
            supposed,
            waiting,
        };
        // Nothing of another token stays in sight beside one that is refused.
        let refused = verdict
            .clone()
            .filter(|(verdict, _)| verdict.kind == verdict::VerdictKind::SignInFails);
        let mut view = self.keep(view, inputs.mode, verdict, stale);
        if let Some((verdict, _)) = refused {
            view.verdict = Some(verdict);
            view.verdict_stale = None;
            view.judged = None;
        }
        view
    }

    /// Puts the verdict into the view, or the last good one with what it is for.
    fn keep(
        &mut self,
        mut view: View,
        mode: IdentityMode,
        verdict: Option<(Verdict, Option<Shared<Judged>>)>,
        stale: Option<&'static str>,
    ) -> View {
        match (&view.steps, &mut self.last) {
            (Some(steps), Some(last)) => last.steps = steps.clone(),
            (Some(steps), last @ None) => {
                *last = Some(Last {
                    mode,
                    steps: steps.clone(),
                    verdict: None,
                });
            }
            (None, Some(last)) => {
                view.steps = Some(last.steps.clone());
                view.steps_stale = stale;
            }
            (None, None) => {}
        }
        if let Some(last) = &mut self.last {
            match verdict {
                Some(verdict) => last.verdict = Some(verdict),
                None => view.verdict_stale = stale.or(Some("the last complete check")),
            }
            if let Some((verdict, judged)) = &last.verdict {
                view.verdict = Some(verdict.clone());
                view.judged = judged.clone();
            } else {
                view.verdict_stale = None;
            }
        }
        view
    }

    /// The policy, the same shared value while the service's is the same; without one the defaults.
    fn policy(&mut self, policy: Option<&Arc<Policy>>) -> Shared<Policy> {
        match (&self.policy, policy) {
            (Some(held), Some(given)) if Arc::ptr_eq(&held.0, given) => held.clone(),
            (Some(held), None) => held.clone(),
            (_, given) => {
                let shared = given.map_or_else(
                    || Shared::new(Policy::default()),
                    |given| Shared(Arc::clone(given)),
                );
                self.policy = Some(shared.clone());
                shared
            }
        }
    }

    fn read_token(&mut self, inputs: &Inputs) -> TokenField {
        self.reading.get(
            (inputs.token.clone(), inputs.as_claims),
            |(text, as_claims)| match token::read(text, *as_claims) {
                TokenReading::Empty => Err(None),
                TokenReading::Read(read) => Ok(Shared(read)),
                TokenReading::Wrong(problem) => Err(Some(problem)),
            },
        )
    }

    /// The user-info document where one is needed; none in the way of the identity when it cannot
    /// be read.
    #[expect(
        clippy::option_option,
        reason = "outer: whether the identity can be made; inner: whether a document is there"
    )]
    fn read_userinfo(
        &mut self,
        inputs: &Inputs,
        needed: bool,
        problems: &mut Vec<InputProblem>,
    ) -> Option<Option<Shared<ClaimSet>>> {
        if !needed || inputs.userinfo.trim().is_empty() {
            return Some(None);
        }
        let read = self.userinfo.get(inputs.userinfo.clone(), |text| match gbac_json::parse(text.trim()) {
            Ok(Value::Object(members)) => Ok(Shared::new(gbac_json::claims_from_object(members))),
            Ok(_) => {
                let hint = "paste the response of the provider's user-info endpoint; it starts with `{`";
                Err(InputProblem::fault(
                    InputField::UserInfo,
                    "not_an_object",
                    "the user-info document is one JSON object",
                    hint,
                ))
            }
            Err(error) => {
                Err(InputProblem::fault(InputField::UserInfo, error.code(), &error.to_string(), error.hint()))
            }
        });
        match read {
            Ok(members) => Some(Some(members)),
            Err(problem) => {
                problems.push(problem);
                None
            }
        }
    }

    fn verify(
        &mut self,
        inputs: &Inputs,
        read: &Shared<DecodedToken>,
        accepted: &AcceptedTokens,
        now: f64,
        problems: &mut Vec<InputProblem>,
    ) -> Option<Shared<Report>> {
        let token = read.token.as_deref()?;
        if inputs.keys.trim().is_empty() {
            return None;
        }
        let Some(checks) = verification::checks() else {
            let words = "Signature verification is still loading. The token is not verified yet.";
            problems.push(InputProblem::new(
                InputField::Keys,
                "checks_not_loaded",
                Weight::Missing,
                words,
            ));
            return None;
        };
        match self.keys.get(inputs.keys.clone(), |text| {
            (checks.keys)(text).map(Shared::new)
        }) {
            Ok(keys) => {
                let key = (read.clone(), keys, accepted.clone(), now);
                Some(self.report.get(key, |(_, keys, accepted, now)| {
                    Shared::new((checks.report)(token, keys, accepted, *now))
                }))
            }
            // The keys are not in the way: the token is as unverified as without them.
            Err(problem) => {
                problems.push(problem);
                None
            }
        }
    }

    fn judge(
        &mut self,
        opened: &Shared<SimulatedIdentity>,
        identity: &Arc<Identity>,
        policy: &Shared<Policy>,
        access: &AccessRequest,
        ignore_expiry: bool,
        now: f64,
    ) -> (Verdict, Option<Shared<Judged>>) {
        let request = access.request(if ignore_expiry {
            At::IgnoringExpiry
        } else {
            At::seconds(now)
        });
        // The decision is cheap and says whether the explanation would be another one.
        let decision = decide::decide(policy, identity, &request);
        let explainer = self.explainer.get((opened.clone(), policy.clone()), |_| {
            Shared::new(Explainer::new(policy, identity))
        });
        let key = (opened.clone(), policy.clone(), access.clone(), decision);
        let judged = self.judged.get(key, |(.., decision)| {
            Shared::new(Judged {
                access: access.clone(),
                identity: Arc::clone(identity),
                origins: Arc::clone(&opened.origins),
                explanation: explainer.explain(&request, decision.clone()),
            })
        });
        (verdict::verdict(&judged, now, ignore_expiry), Some(judged))
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

/// Resolves the identity as every check does (`gbac_engine::resolve_with`), and keeps how its
/// groups were extracted.
fn open(source: &Source, verified: Option<&Claims>) -> SimulatedIdentity {
    let (read, rules, userinfo) = match source {
        Source::ByHand { user, groups } => {
            let groups = groups
                .lines()
                .filter(|line| !line.is_empty())
                .map(str::to_owned)
                .collect();
            let who = Subject::Names {
                user: user.clone(),
                groups,
            };
            let identity = gbac_engine::resolve(&Policy::default(), &who, None)
                .map(|opened| Arc::new(opened.identity));
            return SimulatedIdentity {
                identity,
                origins: Arc::default(),
                taken: None,
            };
        }
        Source::Token {
            read,
            rules,
            userinfo,
            ..
        } => (read, rules, userinfo.as_deref()),
    };
    let (token, claims) = (
        read.token.as_deref().unwrap_or_default(),
        read.claims.members(),
    );
    let who = match verified {
        Some(_) => Subject::Token {
            token: token.to_owned(),
            userinfo: userinfo.cloned(),
        },
        None => Subject::Claims {
            claims: claims.clone(),
            userinfo: userinfo.cloned(),
        },
    };
    // The token's checks ran already, with what they found for the page.
    let verify = |_: &str| verified.cloned().ok_or(ResolveError::NoKeys);
    let (identity, extraction) = match gbac_engine::resolve_with(rules, &who, Some(&verify)) {
        Ok(opened) => (Ok(Arc::new(opened.identity)), opened.extraction),
        Err(error) => (Err(error), None),
    };
    // Without a user there is no identity; the groups are still shown.
    let extraction =
        extraction.unwrap_or_else(|| groups::extract(&rules.extraction, claims, userinfo));
    let document = extraction::document(&rules.extraction.source, claims, userinfo);
    let suggestions = match (&extraction.groups[..], document) {
        ([], Some(document)) => suggest_paths(document),
        _ => Vec::new(),
    };
    SimulatedIdentity {
        identity,
        origins: Arc::new(Origins::from_extraction(&extraction)),
        taken: Some(FromToken {
            read: read.clone(),
            rules: (**rules).clone(),
            extraction,
            suggestions,
        }),
    }
}

/// The steps of an identity, with what to know about them.
pub(super) fn steps(opened: &SimulatedIdentity, policy: &Policy) -> Steps {
    let SimulatedIdentity {
        identity, taken, ..
    } = opened;
    match (taken, identity) {
        (
            Some(FromToken {
                read,
                rules,
                extraction,
                suggestions,
            }),
            identity,
        ) => {
            let user = identity.as_ref().map(|identity| identity.user());
            extraction::of_token(&ExtractionInput {
                read,
                rules,
                extraction,
                user,
                suggestions,
                policy,
            })
        }
        (None, Ok(identity)) => extraction::by_hand(identity),
        (None, Err(_)) => Steps::default(),
    }
}
