//! What a sign-in checks of a token: its signature with keys that are entered, its header and claims
//! with what the service accepts, and the narrower rules of the platform (D-29).

use std::sync::Arc;

use gbac_analysis::provider::AcceptedTokens;
use gbac_analysis::sign_in::{SignInCheck, first_failure};
use gbac_engine::Coded;
use gbac_engine::token::{CheckName, Claims, Header, VerifyError};
use gbac_engine::verify::{self, KeySet, Validation, VerificationOutcome, VerificationStep};
use gbac_words::rich_text::RichText;
use gbac_words::sign_in;

use crate::simulator::identity::SimulatedIdentity;
use crate::simulator::inputs::{Action, InputEdit, InputField, InputProblem, Weight};
use crate::simulator::token::{DecodedToken, Expected, FactMark, TokenFact, TokenReading};

/// The functions that reach the code of signatures. It is called through values of this type only,
/// so that it can be a file of its own: one that contains no call of [`Verifier::new`] is without
/// it.
#[derive(Clone)]
pub struct Verifier {
    read_keys: fn(&str) -> Result<KeySet, InputProblem>,
    report: fn(&str, &KeySet, &AcceptedTokens, f64) -> Report,
    /// The keys of the service's identity provider, as far as they are known.
    provider: Option<Arc<KeySet>>,
}

impl Verifier {
    /// The checks of the engine (D-19).
    #[expect(
        clippy::new_without_default,
        reason = "a default would be made where nobody asks for the code"
    )]
    #[must_use]
    pub fn new() -> Self {
        Self {
            read_keys,
            report: verification_report,
            provider: None,
        }
    }

    /// With the keys of the service's identity provider, a JWKS. One that cannot be read is none.
    #[must_use]
    pub fn with_provider_keys(self, jwks: &str) -> Self {
        let provider = (self.read_keys)(jwks).ok().map(Arc::new);
        Self { provider, ..self }
    }
}

/// The keys that are entered; where none are, those of the service's identity provider.
#[derive(Clone, Default)]
pub enum Keys {
    /// None.
    #[default]
    Missing,
    /// A text that nobody can read yet: the code that checks signatures is not here.
    NotLoaded,
    /// A text that is no set of keys. It is not in the way: the token is as unverified as without
    /// keys.
    Wrong(InputProblem),
    /// A set of keys that is entered, and what verifies with it.
    Read(Arc<KeySet>, Verifier),
    /// The keys of the service's identity provider, and what verifies with them.
    OfProvider(Arc<KeySet>, Verifier),
}

impl Keys {
    /// Reads a JWKS.
    #[must_use]
    pub fn read(text: &str, verifier: Option<Verifier>) -> Self {
        let is_entered = !text.trim().is_empty();
        let Some(verifier) = verifier else {
            return match is_entered {
                true => Self::NotLoaded,
                false => Self::Missing,
            };
        };
        if is_entered {
            return match (verifier.read_keys)(text) {
                Ok(keys) => Self::Read(Arc::new(keys), verifier),
                Err(problem) => Self::Wrong(problem),
            };
        }
        match verifier.provider.clone() {
            Some(keys) => Self::OfProvider(keys, verifier),
            None => Self::Missing,
        }
    }

    /// Why a token is not verified although keys are entered; none for claims, which have no
    /// signature.
    pub fn problem(&self, read: &DecodedToken) -> Option<InputProblem> {
        read.token.as_ref()?;
        match self {
            Self::Missing | Self::Read(..) | Self::OfProvider(..) => None,
            Self::NotLoaded => Some(InputProblem::new(
                InputField::Keys,
                "checks_not_loaded",
                Weight::Missing,
                "Signature verification is still loading. The token is not verified yet.",
            )),
            Self::Wrong(problem) => Some(problem.clone()),
        }
    }

    /// Verifies a token; nothing without keys, and for claims. The keys of the service's provider
    /// verify only tokens of its issuer, and a token with a key that they lack is as unverified as
    /// without them: the service would fetch new ones for it.
    pub fn findings(&self, token: &TokenReading, expected: &Expected, now: f64) -> KeyFindings {
        let mut findings = KeyFindings::default();
        let TokenReading::Read(read) = token else {
            return findings;
        };
        let Some(text) = read.token.as_deref() else {
            return findings;
        };
        match self {
            Self::Missing | Self::NotLoaded | Self::Wrong(_) => {}
            Self::Read(keys, verifier) => {
                let report = (verifier.report)(text, keys, &expected.accepted, now);
                findings.report = Some(Arc::new(report));
            }
            Self::OfProvider(keys, verifier) => {
                let issuer = expected.accepted.issuer.as_deref();
                let is_its_token = issuer.is_some() && issuer == read.claims.issuer();
                if expected.issuer.is_none() && is_its_token {
                    let report = (verifier.report)(text, keys, &expected.accepted, now);
                    findings.lacks_key = report.signature == Signature::Unknown;
                    findings.report = (!findings.lacks_key).then(|| Arc::new(report));
                }
            }
        }
        findings
    }
}

/// What keys say about a token.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct KeyFindings {
    /// The checks of the token; none where nothing could verify it.
    pub report: Option<Arc<Report>>,
    /// Whether the keys of the service's provider, as the service has them, lack that of the token.
    pub lacks_key: bool,
}

/// One check.
#[derive(Debug, Clone, PartialEq)]
pub struct VerificationLine {
    /// What was checked, in words.
    pub name: &'static str,
    /// What became of it.
    pub mark: FactMark,
    /// About it.
    pub words: RichText,
}

/// What became of the signature.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Signature {
    /// It is the key's.
    Good,
    /// The key is there, and the signature is not its own.
    Forged,
    /// It could not be compared with a key.
    Unknown,
}

/// What became of the verification.
#[derive(Debug, Clone, PartialEq)]
pub struct Report {
    /// Every check, in order.
    pub lines: Vec<VerificationLine>,
    /// The claims, when every check passed.
    pub claims: Option<Claims>,
    /// What became of the signature itself.
    pub signature: Signature,
    /// Why the signature, or the key that should have made it, is not accepted, and what to do,
    /// with the code of the reason.
    pub signature_fault: Option<(&'static str, RichText)>,
    /// Keys of the set that cannot be used, and why.
    pub unusable: Vec<RichText>,
}

fn read_keys(text: &str) -> Result<KeySet, InputProblem> {
    KeySet::parse(text.trim()).map_err(|error| {
        InputProblem::fault(
            InputField::Keys,
            error.code(),
            &error.to_string(),
            error.hint(),
        )
    })
}

fn verification_report(token: &str, keys: &KeySet, accepted: &AcceptedTokens, now: f64) -> Report {
    let expect = Validation {
        issuer: accepted.issuer.as_deref(),
        audience: accepted.audience.as_deref(),
        now: now.into(),
    };
    let lines = verify::verification_steps_with_rules(token, keys, expect, accepted.rules());
    let of_signature = lines
        .iter()
        .find(|line| line.name == CheckName::Signature)
        .map(|line| line.outcome);
    let verified = verify::verify_with_rules(token, keys, expect, accepted.rules());
    // The signature is the first check, so what the verifier stops at is its fault.
    let signature = match (of_signature, verified.as_ref().err()) {
        (Some(VerificationOutcome::Passed), _) => Signature::Good,
        (_, Some(VerifyError::Signature)) => Signature::Forged,
        _ => Signature::Unknown,
    };
    let has_failed = of_signature == Some(VerificationOutcome::Failed);
    let signature_fault = match &verified {
        Err(error) if has_failed => {
            let words = RichText::with_hint(&error.to_string(), error.hint());
            Some((error.code(), words))
        }
        _ => None,
    };
    Report {
        lines: lines.iter().map(verification_line).collect(),
        signature,
        signature_fault,
        claims: verified.ok().map(|verified| verified.claims),
        unusable: keys
            .problems()
            .iter()
            .map(|problem| RichText::with_hint(&problem.to_string(), ""))
            .collect(),
    }
}

fn verification_line(line: &VerificationStep) -> VerificationLine {
    let mark = match line.outcome {
        VerificationOutcome::Passed => FactMark::Good,
        VerificationOutcome::Failed => FactMark::Bad,
        VerificationOutcome::NotChecked => FactMark::Plain,
    };
    VerificationLine {
        name: sign_in::check(line.name),
        mark,
        words: RichText::message(&line.detail),
    }
}

/// The first fact about a token: whether its signature was verified.
pub fn fact(read: &DecodedToken, report: Option<&Report>, lacks_key: bool) -> TokenFact {
    let (mark, words) = match (read.token.is_some(), report) {
        (false, _) => (FactMark::Assumed, sign_in::CLAIMS_ONLY),
        (true, None) if lacks_key => (FactMark::Assumed, sign_in::KEY_NOT_OF_PROVIDER),
        (true, None) => (FactMark::Assumed, sign_in::SIGNATURE_NOT_VERIFIED),
        (true, Some(report)) if report.claims.is_some() => {
            (FactMark::Good, sign_in::SIGNATURE_VERIFIED)
        }
        (true, Some(report)) => (FactMark::Bad, refused_words(report.signature)),
    };
    TokenFact {
        about: CheckName::Signature,
        mark,
        words: words.into(),
    }
}

const fn refused_words(signature: Signature) -> &'static str {
    match signature {
        Signature::Good => sign_in::REFUSED_WITH_SIGNATURE,
        Signature::Forged => sign_in::SIGNATURE_INVALID,
        Signature::Unknown => sign_in::SIGNATURE_UNKNOWN,
    }
}

/// Why sign-in fails, and the first thing to fix.
#[derive(Debug, Clone, PartialEq)]
pub struct SignInRefusal {
    /// The stable code of the first reason, as `gbac check` states it (D-119).
    pub code: &'static str,
    /// What was found and what to do.
    pub words: RichText,
    /// What else fails, by the names of the checks.
    pub more: Vec<&'static str>,
    /// What can be tried at once.
    pub actions: Vec<Action>,
}

impl SignInRefusal {
    /// A refusal for one reason.
    #[must_use]
    pub const fn new(code: &'static str, words: RichText) -> Self {
        Self {
            code,
            words,
            more: Vec::new(),
            actions: Vec::new(),
        }
    }
}

/// Why the service refuses a token, in the order of its checks: form, signature where keys were
/// given, header and claims. None where nothing that is known speaks against it.
pub fn refusal(
    read: &DecodedToken,
    report: Option<&Report>,
    checks: &[SignInCheck],
    ignore_expiry: bool,
) -> Option<SignInRefusal> {
    let mut names = Vec::new();
    let mut first = None;
    if let Some(problem) = &read.refused {
        names.push(sign_in::check(CheckName::Form));
        first = Some((problem.code, problem.words.clone()));
    }
    if let Some(fault) = report.and_then(|report| report.signature_fault.clone()) {
        names.push(sign_in::check(CheckName::Signature));
        first = first.or(Some(fault));
    }
    // The user chose to ignore the expiry.
    let mut kept = checks.to_vec();
    kept.retain(|check| !(ignore_expiry && is_expired(check)));
    for check in &kept {
        if check.error.is_some() {
            names.push(sign_in::check(check.about));
        }
    }
    let (code, words, actions) = match (first, first_failure(&kept)) {
        (Some((code, words)), _) => (code, words, Vec::new()),
        (None, Some(check)) => (
            check.error.as_ref()?.code(),
            sign_in::finding(check),
            actions(check, read),
        ),
        (None, None) => return None,
    };
    Some(SignInRefusal {
        code,
        words,
        more: names.into_iter().skip(1).collect(),
        actions,
    })
}

/// Why the platform of today refuses the token at sign-in, although it is read here.
pub fn platform_refusal(read: &DecodedToken) -> Option<SignInRefusal> {
    let warning = read.header.as_ref()?.platform_refusal()?;
    Some(SignInRefusal::new(
        warning.code.code(),
        RichText::with_hint(&warning.message, ""),
    ))
}

fn action(label: &str, change: InputEdit) -> Vec<Action> {
    vec![Action {
        label: label.into(),
        change,
    }]
}

fn actions(check: &SignInCheck, read: &DecodedToken) -> Vec<Action> {
    match check.about {
        _ if is_expired(check) => action("Ignore the expiry", InputEdit::IgnoreExpiry(true)),
        CheckName::Issuer | CheckName::Audience => {
            let issuer = read.claims.issuer().map(str::to_owned);
            let audience = read
                .claims
                .audiences()
                .and_then(|all| all.first().map(|first| (*first).to_owned()));
            match (issuer, audience) {
                (None, None) => Vec::new(),
                (issuer, audience) => {
                    let change =
                        InputEdit::Expect(issuer.unwrap_or_default(), audience.unwrap_or_default());
                    action(
                        "Assume that the service accepts its issuer and audience",
                        change,
                    )
                }
            }
        }
        CheckName::Form
        | CheckName::Signature
        | CheckName::Key
        | CheckName::Expires
        | CheckName::NotBefore
        | CheckName::IssuedAt
        | CheckName::Type => Vec::new(),
    }
}

const fn is_expired(check: &SignInCheck) -> bool {
    matches!(check.error, Some(VerifyError::Expired { .. }))
}

/// Every point where the platform does something else with this token and these settings; none by
/// hand.
pub fn platform_differences(who: &SimulatedIdentity) -> Vec<RichText> {
    let Some(taken) = &who.taken else {
        return Vec::new();
    };
    let of_header = taken
        .read
        .header
        .as_ref()
        .map(Header::warnings)
        .unwrap_or_default();
    let all = of_header.iter().chain(&taken.extraction.warnings);
    all.filter(|warning| warning.code.is_of_platform())
        .map(|warning| RichText::with_hint(&warning.message, ""))
        .collect()
}

#[cfg(test)]
mod tests {
    use gbac_api::service::accepted_tokens;
    use serde_json::{Map, Value, json};

    use super::*;
    use crate::simulator::inputs::{Inputs, SettingsSource, WhatIfSettings};
    use crate::simulator::pipeline::View;
    use crate::simulator::tests::{compact, evaluate, policy};
    use crate::simulator::token::FactMark;
    use crate::simulator::verdict::VerdictKind;

    const NOW: f64 = 1_795_243_000.0;

    fn access(claims: &Value) -> Inputs {
        Inputs {
            token: claims.to_string(),
            as_claims: true,
            resource_name: "x".into(),
            ..Inputs::default()
        }
    }

    fn service() -> AcceptedTokens {
        let properties = json!({
            "oidc_discovery_url": "https://idp.example/.well-known/openid-configuration", "oidc_token_audience": "orders",
        });
        accepted_tokens(properties.as_object().unwrap(), None)
    }

    fn facts(view: &View, about: CheckName) -> Vec<(FactMark, String)> {
        let facts = view.facts.iter().filter(|fact| fact.about == about);
        facts.map(|fact| (fact.mark, fact.words.plain())).collect()
    }

    #[test]
    fn what_the_service_accepts_is_compared_unless_something_else_is_entered() {
        let claims = json!({ "sub": "maya", "iss": "https://idp.example", "aud": "billing", "exp": NOW, "groups": [] });
        let mut inputs = access(&claims);
        let view = evaluate(&inputs, Some(&policy()), &service(), NOW);
        let issuer = (
            FactMark::Good,
            "The issuer is https://idp.example, as the service requires.".to_owned(),
        );
        assert_eq!(facts(&view, CheckName::Issuer), [issuer]);
        let audience = facts(&view, CheckName::Audience);
        assert_eq!(audience.len(), 1);
        assert!(
            audience[0].0 == FactMark::Bad
                && audience[0].1.contains("the service accepts only orders"),
            "{audience:?}"
        );
        assert_eq!(
            view.verdict.as_ref().unwrap().kind,
            VerdictKind::SignInFails
        );
        inputs.audience = "billing".into();
        let view = evaluate(&inputs, Some(&policy()), &service(), NOW);
        assert_eq!(
            facts(&view, CheckName::Audience),
            [(FactMark::Assumed, "Audience billing, assumed".to_owned())]
        );
        assert_eq!(
            view.verdict.as_ref().unwrap().kind,
            VerdictKind::NothingAllows
        );
        // The issuer as well: nobody said that the service requires it.
        let mut other = inputs.clone();
        let mut claims = claims.clone();
        claims["iss"] = json!("https://acme.okta.com");
        other.token = claims.to_string();
        other.issuer = "https://acme.okta.com".into();
        let view = evaluate(&other, Some(&policy()), &service(), NOW);
        assert_eq!(
            facts(&view, CheckName::Issuer),
            [(
                FactMark::Assumed,
                "Issuer https://acme.okta.com, assumed".to_owned()
            )]
        );
        // What is entered as the service has it is no assumption.
        inputs.issuer = "https://idp.example".into();
        let known = AcceptedTokens {
            issuer: Some(inputs.issuer.clone()),
            ..service()
        };
        let view = evaluate(&inputs, Some(&policy()), &known, NOW);
        assert_eq!(facts(&view, CheckName::Issuer)[0].0, FactMark::Good);
        inputs.issuer.clear();
        // Of a service that says nothing, nothing is held against the token.
        inputs.audience.clear();
        let silent = accepted_tokens(&Map::new(), None);
        let view = evaluate(&inputs, Some(&policy()), &silent, NOW);
        assert_eq!(
            (facts(&view, CheckName::Issuer), view.refusal),
            (vec![], None)
        );
    }

    #[test]
    fn the_first_fault_is_told_with_the_others_and_a_way_to_try_it() {
        let claims = json!({ "sub": "maya", "iss": "https://idp.example", "aud": "billing", "exp": 1, "nbf": 9e9 });
        let mut inputs = access(&claims);
        let view = evaluate(&inputs, Some(&policy()), &service(), NOW);
        let refusal = view.refusal.unwrap();
        assert!(
            refusal
                .words
                .plain()
                .starts_with("The token is for billing, and"),
            "{}",
            refusal.words.plain()
        );
        assert_eq!(refusal.more, ["Expiry", "Not before"]);
        refusal.actions[0]
            .change
            .clone()
            .apply(&mut inputs, &WhatIfSettings::default());
        let view = evaluate(&inputs, Some(&policy()), &service(), NOW);
        let refusal = view.refusal.unwrap();
        assert_eq!(
            (refusal.more.as_slice(), refusal.actions.len()),
            (["Not before"].as_slice(), 1)
        );
        refusal.actions[0]
            .change
            .clone()
            .apply(&mut inputs, &WhatIfSettings::default());
        let view = evaluate(&inputs, Some(&policy()), &service(), NOW);
        let words = view.refusal.unwrap().words.plain();
        assert!(words.starts_with("The token is not valid yet"), "{words}");
    }

    fn kind(header: &serde_json::Value, platform: bool) -> (VerdictKind, usize) {
        let claims = json!({ "sub": "a", "exp": 9e9, "groups": ["analysts"] });
        let what_if = WhatIfSettings {
            claim_path: "$['groups']".into(),
            ..WhatIfSettings::default()
        };
        let inputs = Inputs {
            token: compact(header, &claims),
            resource_name: "payments-x".into(),
            source: SettingsSource::WhatIf,
            what_if,
            platform,
            ..Inputs::default()
        };
        let view = evaluate(&inputs, Some(&policy()), &AcceptedTokens::default(), 0.0);
        let differences = platform_differences(view.who.as_deref().unwrap());
        (view.verdict.unwrap().kind, differences.len())
    }

    #[test]
    fn the_platform_refuses_what_it_does_not_read() {
        let usual = json!({ "alg": "RS256", "typ": "JWT", "kid": "k" });
        let wider = json!({ "alg": "ES256", "typ": "at+jwt", "kid": "k" });
        assert_eq!(kind(&usual, false), (VerdictKind::AllowedIf, 1), "the path");
        assert_eq!(kind(&usual, true), (VerdictKind::AllowedIf, 1));
        assert_eq!(kind(&wider, false), (VerdictKind::AllowedIf, 3));
        assert_eq!(kind(&wider, true), (VerdictKind::SignInFails, 3));
    }
}
