//! Verification of tokens (feature `verify`).

use gbac_engine::token::Claims;
use gbac_engine::verify::{Validation, verify};
use wasm_bindgen::prelude::*;

use crate::fault::{Fault, ok_or_store};
use crate::{Identity, Policy, parsed};

/// The keys of an identity provider (RFC 7517).
#[wasm_bindgen]
pub struct KeySet(gbac_engine::verify::KeySet);

/// The claims of a verified token. Only `KeySet.verify` creates them, and JavaScript can only read
/// them.
#[wasm_bindgen]
pub struct VerifiedClaims(Claims);

#[wasm_bindgen]
impl KeySet {
    /// Parses a JWKS with at least one usable key.
    #[must_use]
    pub fn read(jwks: &str) -> Option<Self> {
        let keys = gbac_engine::verify::KeySet::parse(jwks);
        ok_or_store(keys.map(Self).map_err(|error| Fault::from(&error)))
    }

    /// Verifies a token with the keys, and with the issuer and the audience if they are given.
    /// `now` is in seconds since 1970. `None` if a check fails.
    #[expect(
        clippy::needless_pass_by_value,
        reason = "wasm-bindgen passes optional strings only by value"
    )]
    #[must_use]
    pub fn verify(
        &self,
        token: &str,
        issuer: Option<String>,
        audience: Option<String>,
        now: f64,
    ) -> Option<VerifiedClaims> {
        let validation = Validation {
            issuer: issuer.as_deref(),
            audience: audience.as_deref(),
            now: now.into(),
        };
        let verified =
            verify(token, &self.0, validation).map(|verified| VerifiedClaims(verified.claims));
        ok_or_store(verified.map_err(|error| Fault::from(&error)))
    }
}

#[wasm_bindgen]
impl VerifiedClaims {
    /// A copy of the claims.
    #[must_use]
    pub fn members(&self) -> JsValue {
        parsed(&self.0.members().to_string())
    }
}

#[wasm_bindgen]
impl Policy {
    /// Opens the identity of a verified token. `who` is `{ token, userinfo }`; its token is not
    /// verified again.
    #[wasm_bindgen(js_name = openVerified)]
    #[must_use]
    pub fn open_verified(&self, claims: &VerifiedClaims, who: &str) -> Option<Identity> {
        self.open_by(who, Some(&|_| Ok(claims.0.clone())))
    }
}
