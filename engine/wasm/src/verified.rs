//! Checks whose token is verified first (feature `verify`).

use gbac_engine::check::{self, CheckError};
use gbac_engine::verify::{Expect, verify};
use gbac_engine::wire::AnswerJson;
use wasm_bindgen::prelude::*;

use crate::{Policy, failed, give, read_check, text_of};

/// The keys of an identity provider (RFC 7517).
#[wasm_bindgen]
pub struct KeySet(gbac_engine::verify::KeySet);

#[wasm_bindgen]
impl KeySet {
    /// Reads a JWKS, given as an object or as JSON text.
    ///
    /// # Errors
    /// An `Error` with `code`: no JSON, no key set, or no key in it that can be used.
    #[wasm_bindgen(constructor)]
    pub fn new(jwks: &JsValue) -> Result<Self, JsValue> {
        gbac_engine::verify::KeySet::parse(&text_of(jwks)?)
            .map(Self)
            .map_err(|error| failed(error.code(), &error.to_string()))
    }
}

#[wasm_bindgen]
impl Policy {
    /// Answers a check with `token` in it: verified against the keys, the issuer and the audience at `now`, in seconds
    /// since 1970, before anything is read from it.
    ///
    /// # Errors
    /// An `Error` with `code`: the check is malformed, or its token is refused.
    #[expect(clippy::needless_pass_by_value, reason = "wasm-bindgen hands over optional strings by value only")]
    #[wasm_bindgen(js_name = checkVerified)]
    pub fn check_verified(
        &self,
        check: &JsValue,
        keys: &KeySet,
        issuer: Option<String>,
        audience: Option<String>,
        now: f64,
    ) -> Result<JsValue, JsValue> {
        let check = read_check(check)?;
        let expect = Expect { issuer: issuer.as_deref(), audience: audience.as_deref(), now };
        let verify = |token: &str| {
            verify(token, &keys.0, expect)
                .map(|verified| verified.claims)
                .map_err(|error| CheckError::Refused(error.code(), error.to_string()))
        };
        let answer = check::answer(&self.policy(), &check, Some(&verify))
            .map_err(|error| failed(error.code(), &error.to_string()))?;
        give(&AnswerJson::from(&answer))
    }
}
