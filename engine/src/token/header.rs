//! The header of a token: which key and algorithm signed it (RFC 7515 section 4).

use serde_json::{Map, Value};

use super::{Algorithm, TokenError};
use crate::claims::ClaimSet;
use crate::json::quote;
use crate::warning::{Warning, WarningCode, warn};

/// A token's header. Members that bring keys along (`jku`, `jwk`, `x5u`, `x5c`) are kept for display and never used.
#[derive(Debug, Clone, PartialEq)]
pub struct Header {
    algorithm: Algorithm,
    alg: String,
    kid: Option<String>,
    typ: Option<String>,
    members: ClaimSet,
}

impl Header {
    /// Checks what D-19 asks of a header on its own; `typ` is the verifier's to judge.
    pub(super) fn from_members(members: Map<String, Value>) -> Result<Self, TokenError> {
        let alg = members.get("alg").and_then(Value::as_str).filter(|alg| !alg.is_empty());
        let alg = alg.ok_or(TokenError::AlgMissing)?.to_owned();
        let algorithm = Algorithm::parse(&alg).ok_or_else(|| TokenError::AlgRefused(alg.clone()))?;
        // Even an empty `crit` is against RFC 7515; a known one would have to be understood, and we understand none.
        if members.contains_key("crit") {
            return Err(TokenError::Crit);
        }
        if members.get("b64").is_some_and(|b64| b64.as_bool() != Some(true)) {
            return Err(TokenError::B64);
        }
        let kid = text(&members, "kid")?;
        let typ = text(&members, "typ")?;
        Ok(Self { algorithm, alg, kid, typ, members: ClaimSet(members) })
    }

    /// The algorithm.
    #[must_use]
    pub const fn algorithm(&self) -> Algorithm {
        self.algorithm
    }

    /// `alg` as written.
    #[must_use]
    pub fn alg(&self) -> &str {
        &self.alg
    }

    /// `kid`: the name of the key; `None` when it is absent or empty.
    #[must_use]
    pub fn kid(&self) -> Option<&str> {
        self.kid.as_deref().filter(|kid| !kid.is_empty())
    }

    /// `typ`: what kind of token it says it is.
    #[must_use]
    pub fn typ(&self) -> Option<&str> {
        self.typ.as_deref()
    }

    /// Every member, as in the token.
    #[must_use]
    pub const fn members(&self) -> &ClaimSet {
        &self.members
    }

    /// Whether `typ` is that of an access token: absent, `JWT`, `at+jwt` or `application/at+jwt`, in any case (D-19).
    #[must_use]
    pub fn is_access_token_type(&self) -> bool {
        self.typ.as_deref().is_none_or(|typ| {
            ["JWT", "at+jwt", "application/at+jwt"].iter().any(|accepted| typ.eq_ignore_ascii_case(accepted))
        })
    }

    /// Whether `typ` says that the token is an access token (RFC 9068, section 4): `at+jwt` or `application/at+jwt`, in any case.
    #[must_use]
    pub fn is_typed_access_token(&self) -> bool {
        let is = |typ: &str| ["at+jwt", "application/at+jwt"].iter().any(|wanted| typ.eq_ignore_ascii_case(wanted));
        self.typ.as_deref().is_some_and(is)
    }

    /// What a cluster, or a check against keys, would say to this header although it reads well: `platform_alg` and
    /// `platform_typ` (D-29), `typ_refused` and `kid_missing` (D-19).
    #[must_use]
    pub fn warnings(&self) -> Vec<Warning> {
        let mut warnings = Vec::new();
        if self.algorithm != Algorithm::Rs256 {
            let message = format!("signed with {}: version 26.1 of the platform accepts only RS256", self.alg);
            warn(&mut warnings, WarningCode::PLATFORM_ALG, message, None);
        }
        if let Some(typ) = self.typ() {
            if !self.is_access_token_type() {
                let message = format!(
                    "the type {} is not a type of access tokens; verification will refuse the token",
                    quote(typ)
                );
                warn(&mut warnings, WarningCode::TYP_REFUSED, message, None);
            } else if typ != "JWT" {
                let message = format!("the type {}: version 26.1 of the platform accepts only `JWT`", quote(typ));
                warn(&mut warnings, WarningCode::PLATFORM_TYP, message, None);
            }
        }
        if self.kid().is_none() {
            warn(
                &mut warnings,
                WarningCode::KID_MISSING,
                "the header has no key ID (`kid`); verification will refuse the token".to_owned(),
                None,
            );
        }
        warnings
    }

    /// Why version 26.1 of the platform refuses every token with this header, although it is read here (D-29).
    #[must_use]
    pub fn platform_refusal(&self) -> Option<Warning> {
        self.warnings()
            .into_iter()
            .find(|warning| matches!(warning.code, WarningCode::PLATFORM_ALG | WarningCode::PLATFORM_TYP))
    }
}

fn text(members: &Map<String, Value>, name: &'static str) -> Result<Option<String>, TokenError> {
    match members.get(name) {
        None => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.clone())),
        Some(_) => Err(TokenError::HeaderType(name)),
    }
}
