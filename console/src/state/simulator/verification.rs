//! The check of a token against pasted or fetched keys, each check on its own line.

use std::hint::black_box;
use std::sync::OnceLock;

use gbac_engine::token::Claims;
use gbac_engine::verify::{self, CheckLine, Expect, KeySet, Outcome};

use super::inputs::{Field, Problem, sentence};
use super::token::{Fact, Mark, Read};
use super::words::Words;

/// The two functions that reach the code of the checks. They are called through here only, so that the code can be a file
/// of its own.
#[derive(Clone, Copy)]
pub struct Checks {
    /// Reads a JWKS, or says what is wrong with the text.
    pub keys: fn(&str) -> Result<KeySet, Problem>,
    /// Runs every check (D-19) of a token against keys. An empty issuer or audience, which follow, is not compared. The
    /// time is in seconds since 1970.
    pub report: fn(&str, &KeySet, &str, &str, f64) -> Report,
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
    /// Keys of the set that cannot be used, and why.
    pub unusable: Vec<Words>,
}

fn read_keys(text: &str) -> Result<KeySet, Problem> {
    KeySet::parse(text.trim())
        .map_err(|error| Problem::fault(Field::Keys, error.code(), &error.to_string(), error.hint()))
}

fn run(token: &str, keys: &KeySet, issuer: &str, audience: &str, now: f64) -> Report {
    let expect = Expect { issuer: given(issuer), audience: given(audience), now };
    let lines = verify::report(token, keys, expect);
    let signature = match lines.iter().find(|line| line.name == "signature") {
        Some(CheckLine { outcome: Outcome::Passed, .. }) => Signature::Good,
        Some(CheckLine { code: Some("signature_invalid"), .. }) => Signature::Forged,
        _ => Signature::Unknown,
    };
    Report {
        lines: lines.iter().map(line).collect(),
        claims: verify::verify(token, keys, expect).ok().map(|verified| verified.claims),
        signature,
        unusable: keys.problems().iter().map(|problem| sentence(&problem.to_string(), "")).collect(),
    }
}

/// What a field says, if anything.
fn given(text: &str) -> Option<&str> {
    Some(text.trim()).filter(|text| !text.is_empty())
}

fn line(line: &CheckLine) -> Line {
    let name = match line.name {
        "form" => "Form",
        "signature" => "Signature",
        "issuer" => "Issuer",
        "audience" => "Audience",
        "expires" => "Expiry",
        "not_before" => "Not before",
        "issued_at" => "Issued at",
        "type" => "Type",
        other => other,
    };
    let mark = match line.outcome {
        Outcome::Passed => Mark::Good,
        Outcome::Failed => Mark::Bad,
        Outcome::NotChecked => Mark::Plain,
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
