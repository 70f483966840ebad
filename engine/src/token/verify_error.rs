//! The errors of verifying a token (D-19).

use std::fmt;

use super::{Algorithm, TokenError};
use crate::json::quote;

/// The default allowed clock skew for `exp`, `nbf` and `iat`, in seconds (D-19).
pub const CLOCK_SKEW_SECONDS: f64 = 30.0;

/// Why a token is refused.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum VerifyError {
    /// The token cannot be decoded.
    Token(TokenError),
    /// The header has no key ID.
    KidMissing,
    /// No usable key has this ID. The key set may be out of date.
    KidUnknown(String),
    /// The key is for another algorithm than the header's.
    AlgorithmMismatch {
        /// The header's algorithm.
        token: Algorithm,
        /// The key's algorithm.
        key: Algorithm,
    },
    /// The signature does not match the key.
    Signature,
    /// `iss` is absent or not a string.
    IssuerMissing,
    /// `iss` is not the expected issuer.
    IssuerMismatch {
        /// The token's issuer.
        found: String,
        /// The expected issuer.
        expected: String,
    },
    /// `aud` is absent, or neither a string nor an array of strings.
    AudienceMissing,
    /// `aud` does not contain the expected audience.
    AudienceMismatch {
        /// The token's audiences.
        found: Vec<String>,
        /// The expected audience.
        expected: String,
    },
    /// The time of the check is not a finite number.
    ClockInvalid,
    /// `exp` is absent.
    ExpiryMissing,
    /// A time claim is not a number of seconds since 1970; its name.
    TimeInvalid(&'static str),
    /// `exp` is in the past.
    Expired {
        /// `exp`, in seconds since 1970.
        expires_at: f64,
        /// The time of the check.
        now: f64,
    },
    /// `nbf` is in the future.
    NotYetValid {
        /// `nbf`, in seconds since 1970.
        not_before: f64,
        /// The time of the check.
        now: f64,
    },
    /// `iat` is in the future.
    IssuedInTheFuture {
        /// `iat`, in seconds since 1970.
        issued_at: f64,
        /// The time of the check.
        now: f64,
    },
    /// `typ` is not accepted for access tokens.
    TypeRefused(String),
    /// Only typed access tokens are accepted (RFC 9068), and `typ` is absent or another type.
    NotAccessToken(Option<String>),
    /// The lifetime of tokens is limited, but the token has no `iat`.
    IssuedAtMissing,
    /// The lifetime of the token exceeds the limit.
    LifetimeTooLong {
        /// The time from `iat` to `exp`, in seconds.
        lifetime: f64,
        /// The maximum lifetime, in seconds.
        longest: f64,
    },
}

codes! {
    pub VerifyError {
        Self::KidMissing => "kid_missing",
        Self::KidUnknown(_) => "kid_unknown",
        Self::AlgorithmMismatch { .. } => "alg_mismatch",
        Self::Signature => "signature_invalid",
        Self::IssuerMissing => "issuer_missing",
        Self::IssuerMismatch { .. } => "issuer_mismatch",
        Self::AudienceMissing => "audience_missing",
        Self::AudienceMismatch { .. } => "audience_mismatch",
        Self::ClockInvalid => "clock_invalid",
        Self::ExpiryMissing => "exp_missing",
        Self::TimeInvalid(_) => "time_invalid",
        Self::Expired { .. } => "token_expired",
        Self::NotYetValid { .. } => "token_not_yet_valid",
        Self::IssuedInTheFuture { .. } => "token_issued_in_future",
        Self::TypeRefused(_) => "typ_refused",
        Self::NotAccessToken(_) => "typ_not_access_token",
        Self::IssuedAtMissing => "iat_missing",
        Self::LifetimeTooLong { .. } => "token_lifetime_too_long",
    } of {
        Self::Token(error) => error: TokenError,
    }
}

impl VerifyError {
    /// What to do about it.
    #[must_use]
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Token(error) => error.hint(),
            Self::KidMissing => {
                "configure the identity provider to name its signing key in the header's `kid`"
            }
            Self::KidUnknown(_) => {
                "check that the token is from this identity provider and that the keys are current"
            }
            Self::AlgorithmMismatch { .. } => {
                "a key allows only one algorithm: its `alg`, or RS256 for an RSA key without `alg`"
            }
            Self::Signature => {
                "the token was changed after it was signed, or another key signed it"
            }
            Self::IssuerMissing | Self::IssuerMismatch { .. } => {
                "the issuer has to be identical, including a slash at the end"
            }
            Self::AudienceMissing | Self::AudienceMismatch { .. } => {
                "request a token for this audience, or change the required audience"
            }
            Self::ClockInvalid => "write the time in seconds since 1970",
            Self::ExpiryMissing => {
                "configure the identity provider to add `exp`; tokens that never expire are not accepted"
            }
            Self::TimeInvalid(_) => {
                "configure the identity provider to write seconds since 1970, as a number"
            }
            Self::Expired { .. } => "get a new token",
            Self::NotYetValid { .. } | Self::IssuedInTheFuture { .. } => {
                "check the clocks of both machines"
            }
            Self::TypeRefused(_) => "use an access token; its `typ` is absent, `JWT` or `at+jwt`",
            Self::NotAccessToken(_) => "use an access token; its `typ` is `at+jwt`",
            Self::IssuedAtMissing => {
                "configure the identity provider to add `iat`; the lifetime of tokens is limited"
            }
            Self::LifetimeTooLong { .. } => {
                "configure the identity provider to issue tokens for a shorter time"
            }
        }
    }
}

/// The message of an error without the default clock skew, for services that are configured with
/// another one.
///
/// ```
/// use gbac_engine::token::{MessageWithoutSkew, VerifyError};
///
/// let error = VerifyError::Expired { expires_at: 90.0, now: 100.0 };
/// assert_eq!(MessageWithoutSkew(&error).to_string(), "the token expired 10 s ago");
/// assert!(error.to_string().ends_with("(more than the allowed clock skew of 30 s)"));
/// ```
pub struct MessageWithoutSkew<'a>(pub &'a VerifyError);

impl fmt::Display for VerifyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        MessageWithoutSkew(self).fmt(f)?;
        match self {
            Self::Expired { .. } | Self::NotYetValid { .. } | Self::IssuedInTheFuture { .. } => {
                write!(
                    f,
                    " (more than the allowed clock skew of {CLOCK_SKEW_SECONDS} s)"
                )
            }
            _ => Ok(()),
        }
    }
}

impl fmt::Display for MessageWithoutSkew<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            VerifyError::Token(error) => error.fmt(f),
            VerifyError::KidMissing => f.write_str("the header has no key ID (`kid`)"),
            VerifyError::KidUnknown(kid) => write!(f, "no usable key has the ID {}", quote(kid)),
            VerifyError::AlgorithmMismatch { token, key } => {
                write!(
                    f,
                    "the token is signed with {}, but its key is for {}",
                    token.name(),
                    key.name()
                )
            }
            VerifyError::Signature => f.write_str("the signature is not valid"),
            VerifyError::IssuerMissing => f.write_str("the token has no issuer (`iss`)"),
            VerifyError::IssuerMismatch { found, expected } => {
                write!(f, "the issuer is {}, not {}", quote(found), quote(expected))
            }
            VerifyError::AudienceMissing => f.write_str("the token has no audience (`aud`)"),
            VerifyError::AudienceMismatch { found, expected } => match found.as_slice() {
                [] => write!(
                    f,
                    "the list of audiences is empty, without {}",
                    quote(expected)
                ),
                [audience] => write!(
                    f,
                    "the audience is {}, not {}",
                    quote(audience),
                    quote(expected)
                ),
                [first, rest @ ..] => {
                    write!(
                        f,
                        "the audiences are {} and {} more, without {}",
                        quote(first),
                        rest.len(),
                        quote(expected)
                    )
                }
            },
            VerifyError::ClockInvalid => f.write_str("the time of the check is not a number"),
            VerifyError::ExpiryMissing => f.write_str("the token has no expiry time (`exp`)"),
            VerifyError::TimeInvalid(claim) => {
                write!(f, "the claim `{claim}` is not a time in seconds since 1970")
            }
            VerifyError::Expired { expires_at, now } => {
                write!(f, "the token expired {} ago", span(now - expires_at))
            }
            VerifyError::NotYetValid { not_before, now } => {
                write!(
                    f,
                    "the token is not valid yet; it becomes valid in {}",
                    span(not_before - now)
                )
            }
            VerifyError::IssuedInTheFuture { issued_at, now } => {
                write!(
                    f,
                    "the token was issued {} in the future",
                    span(issued_at - now)
                )
            }
            VerifyError::TypeRefused(typ) => {
                write!(f, "the type {} is not a type of access tokens", quote(typ))
            }
            VerifyError::NotAccessToken(None) => {
                f.write_str("the token has no type (`typ`); only access tokens are accepted")
            }
            VerifyError::NotAccessToken(Some(typ)) => {
                write!(
                    f,
                    "the type is {}; only access tokens are accepted",
                    quote(typ)
                )
            }
            VerifyError::IssuedAtMissing => f.write_str("the token has no time of issue (`iat`)"),
            VerifyError::LifetimeTooLong { lifetime, longest } => {
                write!(
                    f,
                    "the token is valid for {}; at most {} are accepted",
                    span(*lifetime),
                    span(*longest)
                )
            }
        }
    }
}

impl std::error::Error for VerifyError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        if let Self::Token(error) = self {
            Some(error)
        } else {
            None
        }
    }
}

/// Seconds in the largest unit that fits, rounded down.
pub(crate) fn span(seconds: f64) -> String {
    let (amount, unit) = match seconds {
        s if s < 120.0 => (s, "s"),
        s if s < 7_200.0 => (s / 60.0, "min"),
        s if s < 172_800.0 => (s / 3_600.0, "h"),
        s => (s / 86_400.0, "days"),
    };
    if amount > 1e6 {
        "more than a million days".to_owned()
    } else {
        format!("{:.0} {unit}", amount.floor())
    }
}
