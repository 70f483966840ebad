//! The verification of a token with pasted or fetched keys, check by check.

use std::hint::black_box;
use std::sync::OnceLock;

use gbac_analysis::provider::AcceptedTokens;
use gbac_engine::token::{CheckName, Claims};
use gbac_engine::verify::{
    self, KeySet, Validation, VerificationOutcome, VerificationStep, VerifyError,
};
use gbac_words::rich_text::RichText;
use gbac_words::sign_in;

use crate::simulator::inputs::{InputField, InputProblem};
use crate::simulator::token::{DecodedToken, FactMark, TokenFact};

/// The two functions that reach the code of the checks. They are called through here only, so that
/// the code can be a file of its own.
#[derive(Clone, Copy)]
pub struct Checks {
    /// Reads a JWKS, or says what is wrong with the text.
    pub keys: fn(&str) -> Result<KeySet, InputProblem>,
    /// Runs every check (D-19) of a token against keys and what the service accepts. The time is in
    /// seconds since 1970.
    pub report: fn(&str, &KeySet, &AcceptedTokens, f64) -> Report,
}

static CHECKS: OnceLock<Checks> = OnceLock::new();

/// Makes the checks available. Only files with a call of this contain the code of the checks.
pub fn provide() {
    // The compiler must not see which functions these are: it would call them, and so hold them,
    // where they are used.
    CHECKS.get_or_init(|| Checks {
        keys: black_box(read_keys),
        report: black_box(run),
    });
}

/// The checks; none while their code is not here.
pub fn checks() -> Option<&'static Checks> {
    #[cfg(not(feature = "split"))]
    provide();
    CHECKS.get()
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

fn run(token: &str, keys: &KeySet, accepted: &AcceptedTokens, now: f64) -> Report {
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
    let fault = |error: &VerifyError| {
        (
            error.code(),
            RichText::with_hint(&error.to_string(), error.hint()),
        )
    };
    Report {
        lines: lines.iter().map(line).collect(),
        signature,
        signature_fault: verified.as_ref().err().filter(|_| has_failed).map(fault),
        claims: verified.ok().map(|verified| verified.claims),
        unusable: keys
            .problems()
            .iter()
            .map(|problem| RichText::with_hint(&problem.to_string(), ""))
            .collect(),
    }
}

fn line(line: &VerificationStep) -> VerificationLine {
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
pub fn fact(read: &DecodedToken, report: Option<&Report>) -> TokenFact {
    let (mark, words) = match (read.token.is_some(), report) {
        (false, _) => (FactMark::Warn, sign_in::CLAIMS_ONLY),
        (true, None) => (FactMark::Warn, sign_in::SIGNATURE_NOT_VERIFIED),
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
