//! Tokens that are verified before anybody is let in (feature `verify`).

use gbac_engine::token::Claims;
use gbac_engine::verify::{Validation, verify};
use wasm_bindgen::prelude::*;

use crate::fault::{Fault, given};
use crate::{Identity, Policy, parsed};

/// The keys of an identity provider (RFC 7517).
#[wasm_bindgen]
pub struct KeySet(gbac_engine::verify::KeySet);

/// The claims of a token that passed every check. Only `KeySet.verify` makes them, and they stay in here.
#[wasm_bindgen]
pub struct VerifiedClaims(Claims);

#[wasm_bindgen]
impl KeySet {
    /// Reads a JWKS in which at least one key can be used.
    #[must_use]
    pub fn read(jwks: &str) -> Option<Self> {
        let keys = gbac_engine::verify::KeySet::parse(jwks);
        given(keys.map(Self).map_err(|error| Fault::from(&error)))
    }

    /// Checks a token against the keys, and the issuer and the audience where they are given, at `now`, in seconds since
    /// 1970; none when a check fails.
    #[expect(clippy::needless_pass_by_value, reason = "wasm-bindgen hands over optional strings by value only")]
    #[must_use]
    pub fn verify(
        &self,
        token: &str,
        issuer: Option<String>,
        audience: Option<String>,
        now: f64,
    ) -> Option<VerifiedClaims> {
        let expect = Validation { issuer: issuer.as_deref(), audience: audience.as_deref(), now: now.into() };
        let verified = verify(token, &self.0, expect).map(|verified| VerifiedClaims(verified.claims));
        given(verified.map_err(|error| Fault::from(&error)))
    }
}

#[wasm_bindgen]
impl VerifiedClaims {
    /// The claims, to be read.
    #[must_use]
    pub fn members(&self) -> JsValue {
        parsed(&self.0.members().to_string())
    }
}

#[wasm_bindgen]
impl Policy {
    /// Opens the identity of a verified token; `who` is `{ token, userinfo }`, and its token is not looked at again.
    #[wasm_bindgen(js_name = openVerified)]
    #[must_use]
    pub fn open_verified(&self, claims: &VerifiedClaims, who: &str) -> Option<Identity> {
        self.open_by(who, Some(&|_| Ok(claims.0.clone())))
    }
}
