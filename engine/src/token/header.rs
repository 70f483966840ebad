//! The header of a token: which key and algorithm signed it (RFC 7515 section 4).

use serde_json::{Map, Value};

use super::{Algorithm, TokenError};
use crate::claims::ClaimSet;
use crate::json::quote;
use crate::warning::{Warning, WarningCode, warn};

/// A token's header. Members with keys (`jku`, `jwk`, `x5u`, `x5c`) are kept for display and never
/// used.
#[derive(Debug, Clone, PartialEq)]
pub struct Header {
    algorithm: Algorithm,
    alg: String,
    kid: Option<String>,
    typ: Option<String>,
    members: ClaimSet,
}

impl Header {
    /// Checks the header as required by D-19, except `typ`, which the verifier checks.
    pub(super) fn from_members(members: Map<String, Value>) -> Result<Self, TokenError> {
        let alg = members
            .get("alg")
            .and_then(Value::as_str)
            .filter(|alg| !alg.is_empty());
        let alg = alg.ok_or(TokenError::AlgMissing)?.to_owned();
        let algorithm =
            Algorithm::parse(&alg).ok_or_else(|| TokenError::AlgRefused(alg.clone()))?;
        // `crit` lists extensions that a reader must support, and none is supported. An empty list
        // violates RFC 7515.
        if members.contains_key("crit") {
            return Err(TokenError::Crit);
        }
        if members
            .get("b64")
            .is_some_and(|b64| b64.as_bool() != Some(true))
        {
            return Err(TokenError::B64);
        }
        let kid = text(&members, "kid")?;
        let typ = text(&members, "typ")?;
        Ok(Self {
            algorithm,
            alg,
            kid,
            typ,
            members: ClaimSet(members),
        })
    }

    /// The algorithm.
    #[must_use]
    pub const fn algorithm(&self) -> Algorithm {
        self.algorithm
    }

    /// `alg`, unchanged.
    #[must_use]
    pub fn alg(&self) -> &str {
        &self.alg
    }

    /// `kid`, the ID of the key; `None` if it is absent or empty.
    #[must_use]
    pub fn kid(&self) -> Option<&str> {
        self.kid.as_deref().filter(|kid| !kid.is_empty())
    }

    /// `typ`, the declared type of the token.
    #[must_use]
    pub fn typ(&self) -> Option<&str> {
        self.typ.as_deref()
    }

    /// All members.
    #[must_use]
    pub const fn members(&self) -> &ClaimSet {
        &self.members
    }

    /// Whether `typ` is accepted for access tokens: absent, `JWT`, `at+jwt` or
    /// `application/at+jwt`, in any case (D-19).
    #[must_use]
    pub fn is_access_token_type(&self) -> bool {
        self.typ.as_deref().is_none_or(|typ| {
            ["JWT", "at+jwt", "application/at+jwt"]
                .iter()
                .any(|accepted| typ.eq_ignore_ascii_case(accepted))
        })
    }

    /// Whether `typ` marks an access token (RFC 9068, section 4): `at+jwt` or `application/at+jwt`,
    /// in any case.
    #[must_use]
    pub fn is_typed_access_token(&self) -> bool {
        self.typ.as_deref().is_some_and(|typ| {
            ["at+jwt", "application/at+jwt"]
                .iter()
                .any(|accepted| typ.eq_ignore_ascii_case(accepted))
        })
    }

    /// Warnings about properties that a cluster would refuse (`platform_alg` and `platform_typ`,
    /// D-29) or that verification will refuse (`typ_refused` and `kid_missing`, D-19).
    #[must_use]
    pub fn warnings(&self) -> Vec<Warning> {
        let mut warnings = Vec::new();
        if self.algorithm != Algorithm::Rs256 {
            let message = format!(
                "signed with {}; brokers managed with `rpk` accept only RS256",
                self.alg
            );
            warn(&mut warnings, WarningCode::PlatformAlg, message, None);
        }
        if let Some(typ) = self.typ() {
            if !self.is_access_token_type() {
                let message = format!(
                    "the type {} is not a type of access tokens; verification will refuse the token",
                    quote(typ)
                );
                warn(&mut warnings, WarningCode::TypRefused, message, None);
            } else if typ != "JWT" {
                let message = format!(
                    "the type {}; brokers managed with `rpk` accept only `JWT`",
                    quote(typ)
                );
                warn(&mut warnings, WarningCode::PlatformTyp, message, None);
            }
        }
        if self.kid().is_none() {
            warn(
                &mut warnings,
                WarningCode::KidMissing,
                "the header has no key ID (`kid`); verification will refuse the token".to_owned(),
                None,
            );
        }
        warnings
    }

    /// The warning that the platform refuses tokens with this header, if it does
    /// (D-29).
    #[must_use]
    pub fn platform_refusal(&self) -> Option<Warning> {
        let mut warnings = self.warnings().into_iter();
        warnings.find(|warning| warning.code.is_of_platform())
    }
}

fn text(members: &Map<String, Value>, name: &'static str) -> Result<Option<String>, TokenError> {
    match members.get(name) {
        None => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.clone())),
        Some(_) => Err(TokenError::HeaderType(name)),
    }
}
