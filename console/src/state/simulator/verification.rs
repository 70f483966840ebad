//! The check of a token against pasted or fetched keys, each check on its own line.

use std::hint::black_box;
use std::sync::OnceLock;

use gbac_analysis::provider::AcceptedTokens;
use gbac_engine::token::Claims;
use gbac_engine::verify::{
    self, CLOCK_SKEW_SECONDS, KeySet, Validation, VerificationOutcome, VerificationStep, VerifyError,
};

use super::accepted::check_name;
use super::inputs::{Field, Problem, sentence};
use super::token::{Fact, Mark, Read};
use super::words::Words;

/// The two functions that reach the code of the checks. They are called through here only, so that the code can be a file
/// of its own.
#[derive(Clone, Copy)]
pub struct Checks {
    /// Reads a JWKS, or says what is wrong with the text.
    pub keys: fn(&str) -> Result<KeySet, Problem>,
    /// Runs every check (D-19) of a token against keys and what the service accepts. The time is in seconds since 1970.
    pub report: fn(&str, &KeySet, &AcceptedTokens, f64) -> Report,
}

static CHECKS: OnceLock<Checks> = OnceLock::new();

/// Makes the checks available. Whoever calls this holds their code.
pub fn provide() {
    // The compiler must not see which functions these are: it would call them, and so hold them, where they are used.
    CHECKS.get_or_init(|| Checks { keys: black_box(read_keys), report: black_box(run) });
}

/// The checks; none while their code is not here.
#[must_use]
pub fn checks() -> Option<&'static Checks> {
    #[cfg(not(feature = "split"))]
    provide();
    CHECKS.get()
}

/// One check.
#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    /// What was checked, in words.
    pub name: &'static str,
    /// What became of it.
    pub mark: Mark,
    /// About it.
    pub words: Words,
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
    pub lines: Vec<Line>,
    /// The claims, when every check passed.
    pub claims: Option<Claims>,
    /// What became of the signature itself.
    pub signature: Signature,
    /// Why the signature, or the key that should have made it, is not accepted, and what to do.
    pub signature_fault: Option<Words>,
    /// Keys of the set that cannot be used, and why.
    pub unusable: Vec<Words>,
}

fn read_keys(text: &str) -> Result<KeySet, Problem> {
    KeySet::parse(text.trim())
        .map_err(|error| Problem::fault(Field::Keys, error.code(), &error.to_string(), error.hint()))
}

fn run(token: &str, keys: &KeySet, accepted: &AcceptedTokens, now: f64) -> Report {
    let expect =
        Validation { issuer: accepted.issuer.as_deref(), audience: accepted.audience.as_deref(), now: now.into() };
    let skew = accepted.clock_skew.map_or(CLOCK_SKEW_SECONDS, f64::from);
    let lines = verify::verification_steps_with_skew(token, keys, expect, skew);
    let of_signature = lines.iter().find(|line| line.name == "signature");
    let signature = match of_signature {
        Some(VerificationStep { outcome: VerificationOutcome::Passed, .. }) => Signature::Good,
        Some(VerificationStep { code: Some("signature_invalid"), .. }) => Signature::Forged,
        _ => Signature::Unknown,
    };
    let verified = verify::verify_with_skew(token, keys, expect, skew);
    // The signature is the first check, so what the verifier stops at is its fault.
    let has_failed = of_signature.is_some_and(|line| line.outcome == VerificationOutcome::Failed);
    let fault = |error: &VerifyError| sentence(&error.to_string(), error.hint());
    Report {
        lines: lines.iter().map(line).collect(),
        signature,
        signature_fault: verified.as_ref().err().filter(|_| has_failed).map(fault),
        claims: verified.ok().map(|verified| verified.claims),
        unusable: keys.problems().iter().map(|problem| sentence(&problem.to_string(), "")).collect(),
    }
}

fn line(line: &VerificationStep) -> Line {
    let name = check_name(line.name);
    let mark = match line.outcome {
        VerificationOutcome::Passed => Mark::Good,
        VerificationOutcome::Failed => Mark::Bad,
        VerificationOutcome::NotChecked => Mark::Plain,
    };
    Line { name, mark, words: Words::message(&line.detail) }
}

/// The first fact about a token: whether its signature was verified.
#[must_use]
pub fn fact(read: &Read, report: Option<&Report>) -> Fact {
    let (mark, words) = match (read.token.is_some(), report) {
        (false, _) => (Mark::Warn, "Claims only: there is no signature"),
        (true, None) => (Mark::Warn, "Signature not verified"),
        (true, Some(Report { claims: Some(_), .. })) => (Mark::Good, "Signature verified"),
        (true, Some(Report { signature: Signature::Good, .. })) => {
            (Mark::Bad, "The signature is valid, but the token is refused")
        }
        (true, Some(Report { signature: Signature::Forged, .. })) => (Mark::Bad, "The signature is not valid"),
        (true, Some(Report { signature: Signature::Unknown, .. })) => {
            (Mark::Bad, "The signature could not be verified")
        }
    };
    Fact { about: "signature", mark, words: words.into() }
}
