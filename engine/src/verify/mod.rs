//! Verifies tokens with the keys of their issuer (feature `verify`, D-19).
//!
//! Only [`verify()`] and its variants create [`Claims`]. [`verification_steps()`] runs the same
//! checks and reports each one.

mod crypto;
mod keys;
mod roca;
#[cfg(test)]
mod wycheproof;

pub use keys::{Key, KeyProblem, KeySet, KeySetError, MAX_KEY_SET_BYTES};

use crate::assumption::{Assumption, Assumptions};
pub use crate::token::claim_checks::TokenRules;
pub use crate::token::{CLOCK_SKEW_SECONDS, VerifyError};

use crate::json::quote;
use crate::time::Timestamp;
use crate::token::claim_checks::{self, CHECKS, ClaimCheck, Requirements, TokenContent};
use crate::token::{CheckName, Claims, Header, Signed};

/// The requirements for a token besides a valid signature.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Validation<'a> {
    /// The exact `iss`; `None` to skip the check.
    pub issuer: Option<&'a str>,
    /// The value that `aud` must be or contain; `None` to skip the check.
    pub audience: Option<&'a str>,
    /// The time of the check.
    pub now: Timestamp,
}

/// A token that passed every check.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Verified {
    /// The header.
    pub header: Header,
    /// The verified claims.
    pub claims: Claims,
}

/// The outcome of one check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VerificationOutcome {
    /// The check passed.
    Passed,
    /// The check failed, so the token is refused.
    Failed,
    /// The check was skipped: the claim is absent, or nothing is required.
    NotChecked,
}

/// One check of a token and its outcome, for display.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct VerificationStep {
    /// What was checked.
    pub name: CheckName,
    /// The outcome.
    pub outcome: VerificationOutcome,
    /// The stable code of the error, if the check failed.
    pub code: Option<&'static str>,
    /// The details, as a short text.
    pub detail: String,
}

/// Verifies a token: form, signature, issuer, audience, times, type (D-19).
///
/// # Errors
/// The first check that failed, in that order.
pub fn verify(
    token: &str,
    keys: &KeySet,
    validation: Validation<'_>,
) -> Result<Verified, VerifyError> {
    verify_with_rules(token, keys, validation, TokenRules::default())
}

/// As [`verify()`], with an allowed clock skew in seconds.
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
/// As [`verify()`], and a token that does not satisfy the rules.
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
    Ok(Verified {
        header: signed.token.header,
        claims: signed.token.claims.into_verified(validation.unchecked()),
    })
}

/// Runs the same checks as [`verify()`] and reports each one. `verify` accepts the token if and
/// only if no check failed. If the signature check failed, the results of the later checks are
/// about unverified claims.
#[must_use]
pub fn verification_steps(
    token: &str,
    keys: &KeySet,
    validation: Validation<'_>,
) -> Vec<VerificationStep> {
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
    let form = signed
        .as_ref()
        .map(|_| ClaimCheck::Passed("a signed JWT in compact form".to_owned()));
    let unread = || {
        Ok(ClaimCheck::NotChecked(
            "the token could not be read".to_owned(),
        ))
    };
    let mut steps = vec![step(CheckName::Form, form.map_err(Clone::clone))];
    steps.push(step(
        CheckName::Signature,
        signed
            .as_ref()
            .map_or_else(|_| unread(), |signed| check_signature(signed, keys)),
    ));
    for (name, check) in CHECKS {
        let result = signed.as_ref().map_or_else(
            |_| unread(),
            |signed| check(stated(signed), validation.requirements(rules)),
        );
        steps.push(step(name, result));
    }
    steps
}

fn step(name: CheckName, result: Result<ClaimCheck, VerifyError>) -> VerificationStep {
    match result {
        Ok(ClaimCheck::Passed(detail)) => VerificationStep {
            name,
            outcome: VerificationOutcome::Passed,
            code: None,
            detail,
        },
        Ok(ClaimCheck::NotChecked(detail)) => VerificationStep {
            name,
            outcome: VerificationOutcome::NotChecked,
            code: None,
            detail,
        },
        Err(error) => VerificationStep {
            name,
            outcome: VerificationOutcome::Failed,
            code: Some(error.code()),
            detail: error.to_string(),
        },
    }
}

impl<'a> Validation<'a> {
    /// What it does not check.
    fn unchecked(&self) -> Assumptions {
        Assumptions::default()
            .with_if(self.issuer.is_none(), Assumption::Issuer)
            .with_if(self.audience.is_none(), Assumption::Audience)
    }

    const fn requirements(&self, rules: TokenRules) -> Requirements<'a> {
        Requirements {
            issuer: self.issuer,
            audience: self.audience,
            now: Some(self.now.as_seconds()),
            rules,
        }
    }
}

const fn stated<'s>(signed: &'s Signed<'_>) -> TokenContent<'s> {
    TokenContent {
        header: Some(&signed.token.header),
        claims: &signed.token.claims,
    }
}

fn check_signature(signed: &Signed<'_>, keys: &KeySet) -> Result<ClaimCheck, VerifyError> {
    let kid = claim_checks::key_id(&signed.token.header)?;
    let algorithm = signed.token.header.algorithm();
    // The header selects the key, but never the algorithm that a key is used with.
    let mut candidates = keys.keys().iter().filter(|key| key.kid() == kid).peekable();
    let first = candidates
        .peek()
        .map(|key| key.algorithm())
        .ok_or_else(|| VerifyError::KidUnknown(kid.to_owned()))?;
    let key = candidates.find(|key| key.algorithm() == algorithm).ok_or(
        VerifyError::AlgorithmMismatch {
            token: algorithm,
            key: first,
        },
    )?;
    if key.verifies(signed.input.as_bytes(), &signed.signature) {
        Ok(ClaimCheck::Passed(format!(
            "{} by the key {}",
            algorithm.name(),
            quote(kid)
        )))
    } else {
        Err(VerifyError::Signature)
    }
}
