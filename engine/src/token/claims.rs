//! The claims of a token, unverified or verified (RFC 7519 section 4).

use serde_json::Value;

use super::error::{TokenError, TokenPart};
use crate::assumption::Assumptions;
use crate::claims::{ClaimSet, ClaimSetError};
use crate::time::Timestamp;

/// Unverified claims: for display and for trying out a policy, never to grant access.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct UnverifiedClaims(ClaimSet);

/// Claims of a verified token: signature, times, and issuer and audience as required are checked.
/// Only the verifier creates them.
#[derive(Debug, Clone, PartialEq)]
pub struct Claims(ClaimSet, Assumptions);

impl Claims {
    /// What the verifier did not check.
    #[must_use]
    pub const fn assumed(&self) -> Assumptions {
        self.1
    }
}

impl UnverifiedClaims {
    /// Reads a JSON object as the claims of a token, strictly.
    ///
    /// # Errors
    /// The text is not strict JSON (a duplicate member is an error), or not an object.
    pub fn parse(text: &str) -> Result<Self, TokenError> {
        match ClaimSet::parse(text) {
            Ok(claims) => Ok(Self(claims)),
            Err(ClaimSetError::NotAnObject) => Err(TokenError::NotAnObject(TokenPart::Payload)),
            Err(ClaimSetError::Json(error)) => Err(TokenError::Json(TokenPart::Payload, error)),
        }
    }

    /// Marks the claims as verified. Only the verifier calls this, after the checks of D-19, and
    /// says what it did not check.
    #[cfg(feature = "verify")]
    pub(crate) fn into_verified(self, assumed: Assumptions) -> Claims {
        Claims(self.0, assumed)
    }
}

impl From<ClaimSet> for UnverifiedClaims {
    fn from(claims: ClaimSet) -> Self {
        Self(claims)
    }
}

/// The accessors for the registered claims of RFC 7519 section 4.1, for both types.
macro_rules! registered_claims {
    ($type:ty) => {
        impl $type {
            /// Every claim.
            #[must_use]
            pub const fn members(&self) -> &ClaimSet {
                &self.0
            }

            /// `exp`; `None` if it is absent or not a time.
            #[must_use]
            pub fn expires_at(&self) -> Option<Timestamp> {
                self.0.time("exp").map(Timestamp::from_seconds)
            }

            /// `nbf`; `None` if it is absent or not a time.
            #[must_use]
            pub fn not_before(&self) -> Option<Timestamp> {
                self.0.time("nbf").map(Timestamp::from_seconds)
            }

            /// `iat`; `None` if it is absent or not a time.
            #[must_use]
            pub fn issued_at(&self) -> Option<Timestamp> {
                self.0.time("iat").map(Timestamp::from_seconds)
            }

            /// `iss`; `None` if it is absent or not a string.
            #[must_use]
            pub fn issuer(&self) -> Option<&str> {
                self.0.text("iss")
            }

            /// `sub`; `None` if it is absent or not a string.
            #[must_use]
            pub fn subject(&self) -> Option<&str> {
                self.0.text("sub")
            }

            /// `aud`, a string or an array of strings; `None` if it is absent or anything else.
            #[must_use]
            pub fn audiences(&self) -> Option<Vec<&str>> {
                match self.0.members().get("aud")? {
                    Value::String(audience) => Some(vec![audience]),
                    Value::Array(audiences) => audiences.iter().map(Value::as_str).collect(),
                    _ => None,
                }
            }
        }
    };
}

registered_claims!(UnverifiedClaims);
registered_claims!(Claims);
