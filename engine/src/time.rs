//! The time of decisions, which is always an argument.

use std::fmt;

use serde_json::Value;

/// A time in seconds since 1970-01-01T00:00:00Z, without leap seconds, as in the claims of a token
/// (RFC 7519, section 2).
///
/// A value that is not a number is allowed, and fails closed: at such a time, every identity with
/// an expiry has expired.
///
/// ```
/// use gbac_engine::Timestamp;
///
/// let now = Timestamp::from_seconds(1_700_000_000.0);
/// assert!(now < Timestamp::from_seconds(1_700_000_000.5));
/// assert_eq!(now.as_seconds(), 1_700_000_000.0);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub struct Timestamp(f64);

impl Timestamp {
    /// Creates a time from seconds since 1970.
    #[must_use]
    pub const fn from_seconds(seconds: f64) -> Self {
        Self(seconds)
    }

    /// The seconds since 1970.
    #[must_use]
    pub const fn as_seconds(self) -> f64 {
        self.0
    }
}

impl From<f64> for Timestamp {
    fn from(seconds: f64) -> Self {
        Self(seconds)
    }
}

/// The time of a decision, for checking an identity's expiry (D-20, D-32).
///
/// Every call that returns an outcome requires one, so callers cannot forget expiry. To ignore it,
/// pass [`At::IgnoringExpiry`].
///
/// ```
/// use gbac_engine::identity::{At, Identity, IdentityRules};
/// use gbac_engine::token::UnverifiedClaims;
///
/// let claims = UnverifiedClaims::parse(r#"{ "sub": "alice", "exp": 1700000000 }"#)?;
/// let (alice, _) = Identity::from_unverified(&claims, None, &IdentityRules::default())?;
/// assert!(!alice.is_expired(At::seconds(1_700_000_000.0)));
/// assert!(alice.is_expired(At::seconds(1_700_000_001.0)));
/// assert!(!alice.is_expired(At::IgnoringExpiry));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum At {
    /// A time.
    Instant(Timestamp),
    /// Ignores expiry: an expired identity still counts. For simulation; never use it to grant
    /// access.
    IgnoringExpiry,
}

/// The greatest number that is accepted as seconds (in the year 5138). As milliseconds, it would be
/// in 1973.
const LATEST: f64 = 1e11;

/// The time that a claim states (RFC 7519, section 2); `None` if it is not a number of seconds
/// since 1970, in milliseconds for example (D-32).
pub(crate) fn claim_time(claim: &Value) -> Option<f64> {
    claim
        .as_f64()
        .filter(|seconds| seconds.is_finite() && *seconds <= LATEST)
}

impl At {
    /// Creates a time from seconds since 1970 without checks. If it is not a number, every identity
    /// with an expiry has expired.
    #[must_use]
    pub const fn seconds(seconds: f64) -> Self {
        Self::Instant(Timestamp::from_seconds(seconds))
    }

    /// Creates a time from seconds since 1970.
    ///
    /// # Errors
    /// The number is not finite, or so large that it is in milliseconds.
    ///
    /// ```
    /// use gbac_engine::identity::At;
    /// assert_eq!(At::from_seconds(1_800_000_000.0), Ok(At::seconds(1_800_000_000.0)));
    /// assert_eq!(At::from_seconds(1_800_000_000_000.0).unwrap_err().code(), "clock_in_milliseconds");
    /// ```
    pub fn from_seconds(seconds: f64) -> Result<Self, InstantError> {
        if !seconds.is_finite() {
            return Err(InstantError::NotFinite);
        }
        if seconds > LATEST {
            Err(InstantError::Milliseconds)
        } else {
            Ok(Self::seconds(seconds))
        }
    }
}

/// Why a number is not a valid time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum InstantError {
    /// The time is infinite or not a number.
    NotFinite,
    /// The time is in milliseconds.
    Milliseconds,
}

codes! {
    pub InstantError {
        Self::NotFinite => "clock_invalid",
        Self::Milliseconds => "clock_in_milliseconds",
    }
}

impl InstantError {
    /// What to do about it.
    #[must_use]
    pub const fn hint(self) -> &'static str {
        match self {
            Self::NotFinite => "write seconds since 1970",
            Self::Milliseconds => "write seconds since 1970: divide it by 1000",
        }
    }
}

impl fmt::Display for InstantError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NotFinite => "the time is not a finite number",
            Self::Milliseconds => "the time is in milliseconds",
        })
    }
}

impl std::error::Error for InstantError {}
