//! The checks of a token's header and claims, without the signature (D-19).
//!
//! The verifier runs these checks after the signature; the sign-in checks of gbac-analysis run them
//! if no key is known. A token that passes them is not verified.
//!
//! ```
//! use gbac_engine::token::UnverifiedClaims;
//! use gbac_engine::token::claim_checks::{CHECKS, Requirements, TokenContent, TokenRules};
//!
//! let claims = UnverifiedClaims::parse(r#"{ "iss": "https://idp.example", "exp": 100 }"#)?;
//! let content = TokenContent { header: None, claims: &claims };
//! let required = Requirements {
//!     issuer: Some("https://idp.example"),
//!     audience: Some("orders"),
//!     now: Some(99.0),
//!     rules: TokenRules::default(),
//! };
//! let failed = CHECKS.iter().find_map(|(_, check)| check(content, required).err());
//! assert_eq!(failed.map(|error| error.code()), Some("audience_missing"));
//! # Ok::<(), gbac_engine::TokenError>(())
//! ```

use strum::{IntoStaticStr, VariantNames};

use super::verify_error::{CLOCK_SKEW_SECONDS, span};
use super::{Header, UnverifiedClaims, VerifyError};
use crate::json::quote;

/// A check of a token, by what it is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, IntoStaticStr, VariantNames)]
#[strum(serialize_all = "snake_case")]
pub enum CheckName {
    /// The compact form.
    Form,
    /// The signature.
    Signature,
    /// The ID of the key in the header.
    Key,
    /// `iss`.
    Issuer,
    /// `aud`.
    Audience,
    /// `exp`.
    Expires,
    /// `nbf`.
    NotBefore,
    /// `iat`.
    IssuedAt,
    /// `typ` of the header.
    Type,
}

/// The requirements of a service. Absent values are not checked.
#[derive(Debug, Clone, Copy)]
pub struct Requirements<'a> {
    /// The exact `iss`.
    pub issuer: Option<&'a str>,
    /// The value that `aud` must be or contain.
    pub audience: Option<&'a str>,
    /// The time of the check, in seconds since 1970.
    pub now: Option<f64>,
    /// Further requirements.
    pub rules: TokenRules,
}

/// Requirements for tokens besides issuer, audience and time of the check. [`TokenRules::default`]
/// has the defaults of a service.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TokenRules {
    /// The allowed clock skew, in seconds.
    pub skew: f64,
    /// Whether `typ` must be that of an access token (RFC 9068, section 4).
    pub access_tokens_only: bool,
    /// The maximum time from `iat` to `exp`, in seconds. If set, `iat` is required.
    pub max_lifetime: Option<f64>,
}

impl TokenRules {
    /// The default requirements with another allowed clock skew.
    #[must_use]
    pub const fn with_skew(skew: f64) -> Self {
        Self {
            skew,
            access_tokens_only: false,
            max_lifetime: None,
        }
    }
}

impl Default for TokenRules {
    fn default() -> Self {
        Self::with_skew(CLOCK_SKEW_SECONDS)
    }
}

/// The header and claims to check.
#[derive(Debug, Clone, Copy)]
pub struct TokenContent<'a> {
    /// The header; `None` if only the claims are known.
    pub header: Option<&'a Header>,
    /// The claims.
    pub claims: &'a UnverifiedClaims,
}

/// The result of a check that did not fail.
pub enum ClaimCheck {
    /// The claim is as required; with the finding.
    Passed(String),
    /// There was nothing to compare; with the reason.
    NotChecked(String),
}

type Check = fn(TokenContent<'_>, Requirements<'_>) -> Result<ClaimCheck, VerifyError>;

/// The checks of the claims and the type, in the order in which a service runs them.
pub const CHECKS: [(CheckName, Check); 6] = [
    (CheckName::Issuer, issuer),
    (CheckName::Audience, audience),
    (CheckName::Expires, expiry),
    (CheckName::NotBefore, not_before),
    (CheckName::IssuedAt, issued_at),
    (CheckName::Type, access_token_type),
];

/// The ID of the key that signed the token. Signature verification requires it.
///
/// # Errors
/// The header has no `kid`.
pub fn key_id(header: &Header) -> Result<&str, VerifyError> {
    header.kid().ok_or(VerifyError::KidMissing)
}

fn issuer(
    content: TokenContent<'_>,
    required: Requirements<'_>,
) -> Result<ClaimCheck, VerifyError> {
    let Some(expected) = required.issuer else {
        return Ok(ClaimCheck::NotChecked("no issuer is expected".to_owned()));
    };
    match content.claims.issuer() {
        None => Err(VerifyError::IssuerMissing),
        Some(issuer) if issuer == expected => Ok(ClaimCheck::Passed(quote(issuer))),
        Some(issuer) => Err(VerifyError::IssuerMismatch {
            found: issuer.to_owned(),
            expected: expected.to_owned(),
        }),
    }
}

fn audience(
    content: TokenContent<'_>,
    required: Requirements<'_>,
) -> Result<ClaimCheck, VerifyError> {
    let Some(expected) = required.audience else {
        return Ok(ClaimCheck::NotChecked("no audience is expected".to_owned()));
    };
    let audiences = content
        .claims
        .audiences()
        .ok_or(VerifyError::AudienceMissing)?;
    if audiences.contains(&expected) {
        return Ok(ClaimCheck::Passed(quote(expected)));
    }
    let found = audiences.into_iter().map(str::to_owned).collect();
    Err(VerifyError::AudienceMismatch {
        found,
        expected: expected.to_owned(),
    })
}

fn expiry(
    content: TokenContent<'_>,
    required: Requirements<'_>,
) -> Result<ClaimCheck, VerifyError> {
    if required.now.is_some_and(|now| !now.is_finite()) {
        return Err(VerifyError::ClockInvalid);
    }
    let expires_at = time(content, "exp")?.ok_or(VerifyError::ExpiryMissing)?;
    let Some(now) = required.now else {
        return Ok(no_clock());
    };
    if expires_at + required.rules.skew < now {
        return Err(VerifyError::Expired { expires_at, now });
    }
    Ok(ClaimCheck::Passed(if expires_at < now {
        format!(
            "expired {} ago, within the allowed clock skew",
            span(now - expires_at)
        )
    } else {
        format!("in {}", span(expires_at - now))
    }))
}

fn not_before(
    content: TokenContent<'_>,
    required: Requirements<'_>,
) -> Result<ClaimCheck, VerifyError> {
    let Some(not_before) = time(content, "nbf")? else {
        return Ok(ClaimCheck::NotChecked("the token has no `nbf`".to_owned()));
    };
    let Some(now) = required.now else {
        return Ok(no_clock());
    };
    if not_before - required.rules.skew > now {
        return Err(VerifyError::NotYetValid { not_before, now });
    }
    Ok(ClaimCheck::Passed(past("valid", now - not_before)))
}

fn issued_at(
    content: TokenContent<'_>,
    required: Requirements<'_>,
) -> Result<ClaimCheck, VerifyError> {
    let Some(issued_at) = time(content, "iat")? else {
        if required.rules.max_lifetime.is_some() {
            return Err(VerifyError::IssuedAtMissing);
        }
        return Ok(ClaimCheck::NotChecked("the token has no `iat`".to_owned()));
    };
    let Some(now) = required.now else {
        return Ok(no_clock());
    };
    if issued_at - required.rules.skew > now {
        return Err(VerifyError::IssuedInTheFuture { issued_at, now });
    }
    if let Some(longest) = required.rules.max_lifetime
        && let Some(expires_at) = time(content, "exp")?
        && expires_at - issued_at > longest
    {
        return Err(VerifyError::LifetimeTooLong {
            lifetime: expires_at - issued_at,
            longest,
        });
    }
    Ok(ClaimCheck::Passed(past("issued", now - issued_at)))
}

fn access_token_type(
    content: TokenContent<'_>,
    required: Requirements<'_>,
) -> Result<ClaimCheck, VerifyError> {
    if let Some(header) = content
        .header
        .filter(|header| required.rules.access_tokens_only && !header.is_typed_access_token())
    {
        return Err(VerifyError::NotAccessToken(header.typ().map(str::to_owned)));
    }
    match content
        .header
        .map(|header| (header.typ(), header.is_access_token_type()))
    {
        None => Ok(ClaimCheck::NotChecked("the header is not known".to_owned())),
        Some((None, _)) => Ok(ClaimCheck::NotChecked("the header has no `typ`".to_owned())),
        Some((Some(typ), true)) => Ok(ClaimCheck::Passed(quote(typ))),
        Some((Some(typ), false)) => Err(VerifyError::TypeRefused(typ.to_owned())),
    }
}

fn no_clock() -> ClaimCheck {
    ClaimCheck::NotChecked("the time of the check is not known".to_owned())
}

/// The value of a time claim; `None` if it is absent.
fn time(content: TokenContent<'_>, claim: &'static str) -> Result<Option<f64>, VerifyError> {
    let claims = content.claims.members();
    if !claims.contains(claim) {
        return Ok(None);
    }
    claims
        .time(claim)
        .map(Some)
        .ok_or(VerifyError::TimeInvalid(claim))
}

fn past(what: &str, seconds: f64) -> String {
    if seconds < 0.0 {
        format!(
            "{what} in {}, within the allowed clock skew",
            span(-seconds)
        )
    } else {
        format!("{what} since {}", span(seconds))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn details(claims: &str, now: f64) -> Vec<String> {
        let claims = UnverifiedClaims::parse(claims).unwrap();
        let content = TokenContent {
            header: None,
            claims: &claims,
        };
        let required = Requirements {
            issuer: None,
            audience: None,
            now: Some(now),
            rules: TokenRules::default(),
        };
        [expiry, not_before, issued_at]
            .map(|check| match check(content, required) {
                Ok(ClaimCheck::Passed(detail) | ClaimCheck::NotChecked(detail)) => detail,
                Err(error) => panic!("{error}"),
            })
            .into()
    }

    #[test]
    fn times_are_stated_from_the_time_of_the_check() {
        let claims = r#"{"exp":1000,"nbf":400,"iat":340}"#;
        assert_eq!(
            details(claims, 400.0),
            ["in 10 min", "valid since 0 s", "issued since 60 s"]
        );
        assert_eq!(details(claims, 1000.0)[0], "in 0 s");
        assert_eq!(
            details(claims, 1020.0)[0],
            "expired 20 s ago, within the allowed clock skew"
        );
        let ahead = r#"{"exp":1000,"nbf":410,"iat":420}"#;
        let [valid, issued] = ["valid in 10 s", "issued in 20 s"]
            .map(|text| format!("{text}, within the allowed clock skew"));
        assert_eq!(details(ahead, 400.0)[1..], [valid, issued]);
    }
}
