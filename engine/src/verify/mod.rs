//! The checks of a token against the keys of its issuer (feature `verify`, D-19).
//!
//! [`verify()`] is the only maker of [`Claims`]. [`report()`] runs the same checks for a reader, one line each.

mod crypto;
mod error;
mod keys;

use serde_json::Value;

pub use error::VerifyError;
pub use keys::{Key, KeyProblem, KeySet, KeySetError, MAX_KEY_SET_BYTES};

use crate::json::quote;
use crate::token::{Claims, Header, Signed, UnverifiedClaims};
use error::span;

/// How far two clocks may be apart, in seconds: `exp`, `nbf` and `iat` are missed by less than this without harm (D-19).
pub const CLOCK_SKEW_SECONDS: f64 = 30.0;

/// What a token has to say besides having a good signature.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Expect<'a> {
    /// The exact `iss`; `None` leaves it unchecked.
    pub issuer: Option<&'a str>,
    /// What `aud` has to be or hold; `None` leaves it unchecked.
    pub audience: Option<&'a str>,
    /// The time of the check, in seconds since 1970.
    pub now: f64,
}

/// A token that passed every check.
#[derive(Debug, Clone, PartialEq)]
pub struct Verified {
    /// What signed it.
    pub header: Header,
    /// What it says, and may be believed.
    pub claims: Claims,
}

/// What became of one check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// As it should be.
    Passed,
    /// The token is refused for this.
    Failed,
    /// Nothing to check, or nothing to check it with.
    NotChecked,
}

/// One check of a token, for a reader.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckLine {
    /// `form`, `signature`, `issuer`, `audience`, `expires`, `not_before`, `issued_at` or `type`.
    pub name: &'static str,
    /// What became of it.
    pub outcome: Outcome,
    /// The stable name of the fault when it failed.
    pub code: Option<&'static str>,
    /// A sentence about it.
    pub detail: String,
}

/// Checks a token: form, signature, issuer, audience, times, type (D-19).
///
/// # Errors
/// The first check that failed, in that order.
pub fn verify(token: &str, keys: &KeySet, expect: Expect<'_>) -> Result<Verified, VerifyError> {
    verify_within(token, keys, expect, CLOCK_SKEW_SECONDS)
}

/// As [`verify()`], for clocks that may be `skew` seconds apart: what the service's setting says.
///
/// # Errors
/// As [`verify()`].
pub fn verify_within(token: &str, keys: &KeySet, expect: Expect<'_>, skew: f64) -> Result<Verified, VerifyError> {
    let signed = Signed::read(token).map_err(VerifyError::Token)?;
    for (_, check) in CHECKS {
        check(&Subject { signed: &signed, keys, expect, skew })?;
    }
    Ok(Verified { header: signed.token.header, claims: signed.token.claims.into_verified() })
}

/// Runs the same checks as [`verify()`] and reports each on its own line; `verify` accepts the token exactly when no
/// line failed. After a failure the lines that follow are about what the token says, not about what is true.
#[must_use]
pub fn report(token: &str, keys: &KeySet, expect: Expect<'_>) -> Vec<CheckLine> {
    let signed = Signed::read(token).map_err(VerifyError::Token);
    let form = signed.as_ref().map(|_| Finding::Passed("a signed JWT in compact form".to_owned()));
    let mut lines = vec![line("form", form.map_err(Clone::clone))];
    for (name, check) in CHECKS {
        lines.push(line(
            name,
            match &signed {
                Ok(signed) => check(&Subject { signed, keys, expect, skew: CLOCK_SKEW_SECONDS }),
                Err(_) => Ok(Finding::NotChecked("the token could not be read".to_owned())),
            },
        ));
    }
    lines
}

fn line(name: &'static str, found: Result<Finding, VerifyError>) -> CheckLine {
    match found {
        Ok(Finding::Passed(detail)) => CheckLine { name, outcome: Outcome::Passed, code: None, detail },
        Ok(Finding::NotChecked(detail)) => CheckLine { name, outcome: Outcome::NotChecked, code: None, detail },
        Err(error) => CheckLine { name, outcome: Outcome::Failed, code: Some(error.code()), detail: error.to_string() },
    }
}

/// A check that did not fail.
enum Finding {
    Passed(String),
    NotChecked(String),
}

struct Subject<'s> {
    signed: &'s Signed<'s>,
    keys: &'s KeySet,
    expect: Expect<'s>,
    skew: f64,
}

impl Subject<'_> {
    const fn header(&self) -> &Header {
        &self.signed.token.header
    }

    const fn claims(&self) -> &UnverifiedClaims {
        &self.signed.token.claims
    }
}

type Check = fn(&Subject<'_>) -> Result<Finding, VerifyError>;

/// Every check after the form, in order: `verify` and `report` both go by this list.
const CHECKS: [(&str, Check); 7] = [
    ("signature", check_signature),
    ("issuer", check_issuer),
    ("audience", check_audience),
    ("expires", check_expiry),
    ("not_before", check_not_before),
    ("issued_at", check_issued_at),
    ("type", check_type),
];

fn check_signature(subject: &Subject<'_>) -> Result<Finding, VerifyError> {
    let kid = subject.header().kid().ok_or(VerifyError::KidMissing)?;
    let wanted = subject.header().algorithm();
    // The token's header chooses among the keys, but the key alone says with which algorithm it is used.
    let mut named = subject.keys.keys().iter().filter(|key| key.kid() == kid).peekable();
    let first = named.peek().map(|key| key.algorithm()).ok_or_else(|| VerifyError::KidUnknown(kid.to_owned()))?;
    let key = named
        .find(|key| key.algorithm() == wanted)
        .ok_or(VerifyError::AlgorithmMismatch { token: wanted, key: first })?;
    if key.verifies(subject.signed.input, &subject.signed.signature) {
        Ok(Finding::Passed(format!("{} by the key {}", wanted.name(), quote(kid))))
    } else {
        Err(VerifyError::Signature)
    }
}

fn check_issuer(subject: &Subject<'_>) -> Result<Finding, VerifyError> {
    let Some(expected) = subject.expect.issuer else {
        return Ok(Finding::NotChecked("no issuer is expected".to_owned()));
    };
    match subject.claims().issuer() {
        None => Err(VerifyError::IssuerMissing),
        Some(found) if found == expected => Ok(Finding::Passed(quote(found))),
        Some(found) => Err(VerifyError::IssuerMismatch { found: found.to_owned(), expected: expected.to_owned() }),
    }
}

fn check_audience(subject: &Subject<'_>) -> Result<Finding, VerifyError> {
    let Some(expected) = subject.expect.audience else {
        return Ok(Finding::NotChecked("no audience is expected".to_owned()));
    };
    let found = subject.claims().audiences().ok_or(VerifyError::AudienceMissing)?;
    if found.contains(&expected) {
        return Ok(Finding::Passed(quote(expected)));
    }
    let found = found.into_iter().map(str::to_owned).collect();
    Err(VerifyError::AudienceMismatch { found, expected: expected.to_owned() })
}

fn check_expiry(subject: &Subject<'_>) -> Result<Finding, VerifyError> {
    let now = subject.expect.now;
    if !now.is_finite() {
        return Err(VerifyError::ClockInvalid);
    }
    let expires_at = time(subject, "exp")?.ok_or(VerifyError::ExpiryMissing)?;
    if expires_at + subject.skew < now {
        return Err(VerifyError::Expired { expires_at, now });
    }
    Ok(Finding::Passed(if expires_at < now {
        format!("expired {} ago, which is forgiven", span(now - expires_at))
    } else {
        format!("in {}", span(expires_at - now))
    }))
}

fn check_not_before(subject: &Subject<'_>) -> Result<Finding, VerifyError> {
    let now = subject.expect.now;
    let Some(not_before) = time(subject, "nbf")? else {
        return Ok(Finding::NotChecked("the token has no `nbf`".to_owned()));
    };
    if not_before - subject.skew > now {
        return Err(VerifyError::NotYetValid { not_before, now });
    }
    Ok(Finding::Passed(past("valid", now - not_before)))
}

fn check_issued_at(subject: &Subject<'_>) -> Result<Finding, VerifyError> {
    let now = subject.expect.now;
    let Some(issued_at) = time(subject, "iat")? else {
        return Ok(Finding::NotChecked("the token has no `iat`".to_owned()));
    };
    if issued_at - subject.skew > now {
        return Err(VerifyError::IssuedInTheFuture { issued_at, now });
    }
    Ok(Finding::Passed(past("issued", now - issued_at)))
}

fn check_type(subject: &Subject<'_>) -> Result<Finding, VerifyError> {
    match subject.header().typ() {
        None => Ok(Finding::NotChecked("the header has no `typ`".to_owned())),
        Some(typ) if subject.header().is_access_token_type() => Ok(Finding::Passed(quote(typ))),
        Some(typ) => Err(VerifyError::TypeRefused(typ.to_owned())),
    }
}

/// A time claim: `None` when it is absent. JSON has no way to write a number that is not finite.
fn time(subject: &Subject<'_>, claim: &'static str) -> Result<Option<f64>, VerifyError> {
    match subject.claims().members().get(claim) {
        None => Ok(None),
        Some(Value::Number(number)) => {
            number.as_f64().filter(|seconds| seconds.is_finite()).map(Some).ok_or(VerifyError::TimeInvalid(claim))
        }
        Some(_) => Err(VerifyError::TimeInvalid(claim)),
    }
}

fn past(what: &str, seconds: f64) -> String {
    if seconds < 0.0 {
        format!("{what} in {}, which is forgiven", span(-seconds))
    } else {
        format!("{what} since {}", span(seconds))
    }
}
