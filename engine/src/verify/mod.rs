//! The checks of a token against the keys of its issuer (feature `verify`, D-19).
//!
//! [`verify()`] is the only maker of [`Claims`]. [`verification_steps()`] runs the same checks for a reader, one line each.

mod crypto;
mod keys;
mod roca;
#[cfg(test)]
mod wycheproof;

pub use keys::{Key, KeyProblem, KeySet, KeySetError, MAX_KEY_SET_BYTES};

pub use crate::token::claim_checks::TokenRules;
pub use crate::token::{CLOCK_SKEW_SECONDS, VerifyError};

use crate::json::quote;
use crate::time::Timestamp;
use crate::token::claim_checks::{self, CHECKS, ClaimCheck, Requirements, Stated};
use crate::token::{Claims, Header, Signed};

/// What a token has to say besides having a good signature.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Validation<'a> {
    /// The exact `iss`; `None` leaves it unchecked.
    pub issuer: Option<&'a str>,
    /// What `aud` has to be or hold; `None` leaves it unchecked.
    pub audience: Option<&'a str>,
    /// The time of the check.
    pub now: Timestamp,
}

/// A token that passed every check.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Verified {
    /// What signed it.
    pub header: Header,
    /// What it says, and may be believed.
    pub claims: Claims,
}

/// What became of one check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VerificationOutcome {
    /// As it should be.
    Passed,
    /// The token is refused for this.
    Failed,
    /// Nothing to check, or nothing to check it with.
    NotChecked,
}

/// One check of a token, for a reader.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct VerificationStep {
    /// `form`, `signature`, `issuer`, `audience`, `expires`, `not_before`, `issued_at` or `type`.
    pub name: &'static str,
    /// What became of it.
    pub outcome: VerificationOutcome,
    /// The stable name of the fault when it failed.
    pub code: Option<&'static str>,
    /// A sentence about it.
    pub detail: String,
}

/// Checks a token: form, signature, issuer, audience, times, type (D-19).
///
/// # Errors
/// The first check that failed, in that order.
pub fn verify(token: &str, keys: &KeySet, validation: Validation<'_>) -> Result<Verified, VerifyError> {
    verify_with_rules(token, keys, validation, TokenRules::default())
}

/// As [`verify()`], for clocks that may be `skew` seconds apart: what the service's setting says.
///
/// # Errors
/// As [`verify()`].
pub fn verify_with_skew(
    token: &str,
    keys: &KeySet,
    validation: Validation<'_>,
    skew: f64,
) -> Result<Verified, VerifyError> {
    verify_with_rules(token, keys, validation, TokenRules::with_skew(skew))
}

/// As [`verify()`], with the rules of a service.
///
/// # Errors
/// As [`verify()`]; and a token that is not typed as an access token, or that is valid for too long, if the rules say so.
pub fn verify_with_rules(
    token: &str,
    keys: &KeySet,
    validation: Validation<'_>,
    rules: TokenRules,
) -> Result<Verified, VerifyError> {
    let signed = Signed::read(token).map_err(VerifyError::Token)?;
    check_signature(&signed, keys)?;
    for (_, check) in CHECKS {
        check(stated(&signed), validation.requirements(rules))?;
    }
    Ok(Verified { header: signed.token.header, claims: signed.token.claims.into_verified() })
}

/// Runs the same checks as [`verify()`] and reports each on its own line; `verify` accepts the token exactly when no
/// line failed. After a failure the lines that follow are about what the token says, not about what is true.
#[must_use]
pub fn verification_steps(token: &str, keys: &KeySet, validation: Validation<'_>) -> Vec<VerificationStep> {
    verification_steps_with_rules(token, keys, validation, TokenRules::default())
}

/// As [`verification_steps()`], with the rules of a service.
#[must_use]
pub fn verification_steps_with_rules(
    token: &str,
    keys: &KeySet,
    validation: Validation<'_>,
    rules: TokenRules,
) -> Vec<VerificationStep> {
    let signed = Signed::read(token).map_err(VerifyError::Token);
    let form = signed.as_ref().map(|_| ClaimCheck::Passed("a signed JWT in compact form".to_owned()));
    let unread = || Ok(ClaimCheck::NotChecked("the token could not be read".to_owned()));
    let mut lines = vec![step("form", form.map_err(Clone::clone))];
    lines.push(step("signature", signed.as_ref().map_or_else(|_| unread(), |signed| check_signature(signed, keys))));
    for (name, check) in CHECKS {
        let found =
            signed.as_ref().map_or_else(|_| unread(), |signed| check(stated(signed), validation.requirements(rules)));
        lines.push(step(name, found));
    }
    lines
}

fn step(name: &'static str, found: Result<ClaimCheck, VerifyError>) -> VerificationStep {
    match found {
        Ok(ClaimCheck::Passed(detail)) => {
            VerificationStep { name, outcome: VerificationOutcome::Passed, code: None, detail }
        }
        Ok(ClaimCheck::NotChecked(detail)) => {
            VerificationStep { name, outcome: VerificationOutcome::NotChecked, code: None, detail }
        }
        Err(error) => VerificationStep {
            name,
            outcome: VerificationOutcome::Failed,
            code: Some(error.code()),
            detail: error.to_string(),
        },
    }
}

impl<'a> Validation<'a> {
    const fn requirements(&self, rules: TokenRules) -> Requirements<'a> {
        Requirements { issuer: self.issuer, audience: self.audience, now: Some(self.now.as_seconds()), rules }
    }
}

const fn stated<'s>(signed: &'s Signed<'_>) -> Stated<'s> {
    Stated { header: Some(&signed.token.header), claims: &signed.token.claims }
}

fn check_signature(signed: &Signed<'_>, keys: &KeySet) -> Result<ClaimCheck, VerifyError> {
    let kid = claim_checks::key_id(&signed.token.header)?;
    let wanted = signed.token.header.algorithm();
    // The token's header chooses among the keys, but the key alone says with which algorithm it is used.
    let mut named = keys.keys().iter().filter(|key| key.kid() == kid).peekable();
    let first = named.peek().map(|key| key.algorithm()).ok_or_else(|| VerifyError::KidUnknown(kid.to_owned()))?;
    let key = named
        .find(|key| key.algorithm() == wanted)
        .ok_or(VerifyError::AlgorithmMismatch { token: wanted, key: first })?;
    if key.verifies(signed.input.as_bytes(), &signed.signature) {
        Ok(ClaimCheck::Passed(format!("{} by the key {}", wanted.name(), quote(kid))))
    } else {
        Err(VerifyError::Signature)
    }
}
