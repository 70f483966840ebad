//! The header of a token: which key and algorithm signed it (RFC 7515 section 4).

use serde_json::{Map, Value};

use super::TokenError;
use crate::claims::ClaimSet;
use crate::json::quote;
use crate::warning::{Warning, warn};

/// A signature algorithm that is accepted (RFC 7518 section 3.1, RFC 8037, D-19). There is no `none` and no HMAC here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Algorithm {
    /// RSASSA-PKCS1-v1_5 with SHA-256: the one that the platform knows.
    Rs256,
    /// RSASSA-PKCS1-v1_5 with SHA-384.
    Rs384,
    /// RSASSA-PKCS1-v1_5 with SHA-512.
    Rs512,
    /// RSASSA-PSS with SHA-256.
    Ps256,
    /// RSASSA-PSS with SHA-384.
    Ps384,
    /// RSASSA-PSS with SHA-512.
    Ps512,
    /// ECDSA on P-256 with SHA-256.
    Es256,
    /// ECDSA on P-384 with SHA-384.
    Es384,
    /// Ed25519; written `EdDSA`, or `Ed25519` since RFC 9864.
    EdDsa,
}

impl Algorithm {
    /// What is accepted, as a sentence.
    pub const ACCEPTED: &str =
        "accepted are RS256, RS384, RS512, PS256, PS384, PS512, ES256, ES384 and EdDSA (Ed25519)";

    /// The algorithm of a name, which is case-sensitive; `None` for every name that is not accepted.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Some(match name {
            "RS256" => Self::Rs256,
            "RS384" => Self::Rs384,
            "RS512" => Self::Rs512,
            "PS256" => Self::Ps256,
            "PS384" => Self::Ps384,
            "PS512" => Self::Ps512,
            "ES256" => Self::Es256,
            "ES384" => Self::Es384,
            "EdDSA" | "Ed25519" => Self::EdDsa,
            _ => return None,
        })
    }

    /// The algorithm's name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Rs256 => "RS256",
            Self::Rs384 => "RS384",
            Self::Rs512 => "RS512",
            Self::Ps256 => "PS256",
            Self::Ps384 => "PS384",
            Self::Ps512 => "PS512",
            Self::Es256 => "ES256",
            Self::Es384 => "ES384",
            Self::EdDsa => "EdDSA",
        }
    }
}

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

    /// What a cluster, or a check against keys, would say to this header although it reads well: `platform_alg` and
    /// `platform_typ` (D-29), `typ_refused` and `kid_missing` (D-19).
    #[must_use]
    pub fn warnings(&self) -> Vec<Warning> {
        let mut warnings = Vec::new();
        if self.algorithm != Algorithm::Rs256 {
            let message = format!("signed with {}: version 26.1 of the platform accepts only RS256", self.alg);
            warn(&mut warnings, "platform_alg", message, None);
        }
        if let Some(typ) = self.typ() {
            if !self.is_access_token_type() {
                let message = format!(
                    "the type {} is not a type of access tokens; verification will refuse the token",
                    quote(typ)
                );
                warn(&mut warnings, "typ_refused", message, None);
            } else if typ != "JWT" {
                let message = format!("the type {}: version 26.1 of the platform accepts only `JWT`", quote(typ));
                warn(&mut warnings, "platform_typ", message, None);
            }
        }
        if self.kid().is_none() {
            warn(
                &mut warnings,
                "kid_missing",
                "the header has no key ID (`kid`); verification will refuse the token".to_owned(),
                None,
            );
        }
        warnings
    }

    /// Why version 26.1 of the platform refuses every token with this header, although it is read here (D-29).
    #[must_use]
    pub fn platform_refusal(&self) -> Option<Warning> {
        self.warnings().into_iter().find(|warning| matches!(warning.code, "platform_alg" | "platform_typ"))
    }
}

fn text(members: &Map<String, Value>, name: &'static str) -> Result<Option<String>, TokenError> {
    match members.get(name) {
        None => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.clone())),
        Some(_) => Err(TokenError::HeaderType(name)),
    }
}
