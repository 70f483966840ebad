//! Decodes tokens (compact JWS) strictly into header and claims (RFC 7515, RFC 7519, D-19).
//!
//! Decoding a token does not verify it, and returns [`UnverifiedClaims`]. Only the verifier returns
//! [`Claims`] (feature `verify`).

mod algorithm;
pub(crate) mod base64url;
pub mod claim_checks;
mod claims;
mod error;
mod header;
mod input_kind;
mod normalize;
mod verify_error;

use serde_json::{Map, Value};

pub use algorithm::Algorithm;
pub use claim_checks::CheckName;
pub use claims::{Claims, UnverifiedClaims};
pub use error::{InputKind, TokenError, TokenPart};
pub use header::Header;
pub use normalize::{NormalizedToken, normalize_pasted};
pub use verify_error::{CLOCK_SKEW_SECONDS, MessageWithoutSkew, VerifyError};

use crate::claims::ClaimSet;
use crate::json;

/// The maximum length of a token, in bytes: 1 MiB, enough for about ten thousand groups.
pub const MAX_TOKEN_BYTES: usize = 1 << 20;

/// A decoded token whose signature is not verified.
#[derive(Debug, Clone, PartialEq)]
pub struct UnverifiedToken {
    /// The header.
    pub header: Header,
    /// The claims.
    pub claims: UnverifiedClaims,
}

impl UnverifiedToken {
    /// Decodes a compact JWS of at most [`MAX_TOKEN_BYTES`] strictly: three parts in base64url
    /// without padding or nonzero trailing bits, header and payload JSON objects in UTF-8 without
    /// duplicate members, an accepted `alg`, no `crit`, and no `b64` other than `true`. For pasted
    /// text, call [`normalize_pasted()`] first.
    ///
    /// # Errors
    /// The text is anything else; the error says what it looks like (D-19).
    ///
    /// ```
    /// use gbac_engine::token::UnverifiedToken;
    /// let token = UnverifiedToken::decode("eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJhbGljZSJ9.c2ln")?;
    /// assert_eq!(token.claims.subject(), Some("alice"));
    /// # Ok::<(), gbac_engine::token::TokenError>(())
    /// ```
    pub fn decode(text: &str) -> Result<Self, TokenError> {
        Signed::read(text).map(|signed| signed.token)
    }
}

/// A decoded token with its signature and the signed text.
#[derive(Debug)]
pub(crate) struct Signed<'t> {
    pub(crate) token: UnverifiedToken,
    /// The signed text: header, dot and payload (RFC 7515 section 5.2).
    #[cfg_attr(
        not(feature = "verify"),
        expect(dead_code, reason = "only the verifier uses it")
    )]
    pub(crate) input: &'t str,
    /// The signature's bytes.
    #[cfg_attr(
        not(feature = "verify"),
        expect(dead_code, reason = "only the verifier uses it")
    )]
    pub(crate) signature: Vec<u8>,
}

impl<'t> Signed<'t> {
    /// Decodes a compact JWS; see [`UnverifiedToken::decode`].
    ///
    /// Not inlined, so that wasm engines compile it only if a token is decoded.
    #[inline(never)]
    pub(crate) fn read(text: &'t str) -> Result<Self, TokenError> {
        let (header, payload, signature) = split(text)?;
        let payload_start = header.len() + 1;
        let signature_start = payload_start + payload.len() + 1;
        let header = Header::from_members(object(TokenPart::Header, header, 0)?)?;
        let claims = match object(TokenPart::Payload, payload, payload_start) {
            Err(TokenError::Json(..) | TokenError::NotUtf8(_)) if is_nested(&header) => {
                return Err(TokenError::Nested);
            }
            claims => UnverifiedClaims::from(ClaimSet(claims?)),
        };
        let signature_bytes = decode_base64(TokenPart::Signature, signature, signature_start)?;
        let input = text.get(..signature_start - 1).unwrap_or(text);
        Ok(Self {
            token: UnverifiedToken { header, claims },
            input,
            signature: signature_bytes,
        })
    }
}

/// Whether the header says that the payload is another token.
fn is_nested(header: &Header) -> bool {
    let cty = header.members().text("cty");
    cty.is_some_and(|cty| {
        cty.eq_ignore_ascii_case("JWT") || cty.eq_ignore_ascii_case("application/jwt")
    })
}

/// Splits a token into its three parts, none of them empty.
fn split(text: &str) -> Result<(&str, &str, &str), TokenError> {
    if text.trim().is_empty() {
        return Err(TokenError::Empty);
    }
    if text.len() > MAX_TOKEN_BYTES {
        return Err(TokenError::TooLong(text.len()));
    }
    let is_token_character = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    let dots = text.bytes().filter(|byte| *byte == b'.').count();
    // Standard base64 and padding pass here in a text with three parts, so that decoding reports
    // the part.
    let is_allowed = |c: char| is_token_character(c) || dots == 2 && matches!(c, '+' | '/' | '=');
    if let Some(offset) = text.find(|c| !is_allowed(c)) {
        return Err(TokenError::NotAToken(
            input_kind::input_kind(text),
            Some(offset),
        ));
    }
    let mut parts = text.split('.');
    match (parts.next(), parts.next(), parts.next(), dots) {
        (Some(_), ..) if dots == 4 => Err(TokenError::Encrypted),
        (Some(header), Some(payload), Some(signature), 2) => match (header, payload, signature) {
            ("", ..) => Err(TokenError::EmptyPart(TokenPart::Header)),
            (_, "", _) => Err(TokenError::EmptyPart(TokenPart::Payload)),
            (.., "") => Err(TokenError::Unsigned),
            parts => Ok(parts),
        },
        (Some(header), ..) if dots == 1 && object(TokenPart::Header, header, 0).is_ok() => {
            Err(TokenError::Unsigned)
        }
        (Some(only), ..) if dots < 2 && input_kind::is_saml(only) => {
            Err(TokenError::NotAToken(InputKind::Saml, None))
        }
        (Some(only), ..) if dots < 2 && !only.starts_with("eyJ") => {
            Err(TokenError::NotAToken(InputKind::Opaque, None))
        }
        _ => Err(TokenError::Parts(dots + 1)),
    }
}

fn object(part: TokenPart, encoded: &str, start: usize) -> Result<Map<String, Value>, TokenError> {
    let text = String::from_utf8(decode_base64(part, encoded, start)?)
        .map_err(|_| TokenError::NotUtf8(part))?;
    match json::parse(&text) {
        Ok(Value::Object(members)) => Ok(members),
        Ok(_) => Err(TokenError::NotAnObject(part)),
        Err(error) => Err(TokenError::Json(part, error)),
    }
}

/// Decodes strict base64url (RFC 7515 section 2): no padding, no blanks, and trailing bits of zero.
/// `start` is the offset of the part in the token.
fn decode_base64(part: TokenPart, encoded: &str, start: usize) -> Result<Vec<u8>, TokenError> {
    base64url::decode_strict(encoded).map_err(|offset| TokenError::Base64(part, start + offset))
}

#[cfg(test)]
mod tests {
    use base64::Engine as _;
    use base64::engine::general_purpose::URL_SAFE_NO_PAD;

    use super::*;
    use crate::Coded;
    use serde_json::json;

    fn encode(text: impl AsRef<[u8]>) -> String {
        URL_SAFE_NO_PAD.encode(text)
    }

    fn refused(text: &str) -> TokenError {
        let error = UnverifiedToken::decode(text).expect_err(text);
        let message = error.to_string();
        assert!(
            !message.ends_with('.') && !message.contains('\n') && !error.hint().is_empty(),
            "{message}"
        );
        error
    }

    fn header(header: &Value) -> Result<Header, TokenError> {
        UnverifiedToken::decode(&format!("{}.e30.c2ln", encode(header.to_string())))
            .map(|token| token.header)
    }

    #[test]
    fn reads_header_and_claims() {
        let claims = json!({"iss": "i", "sub": "s", "aud": ["a", "b"], "exp": 2.5, "nbf": 1, "iat": 0, "groups": []});
        let text = format!(
            "{}.{}.c2ln",
            encode(r#"{"alg":"PS384","kid":"k","typ":"at+jwt","x":1}"#),
            encode(claims.to_string())
        );
        let UnverifiedToken { header, claims } = UnverifiedToken::decode(&text).unwrap();
        assert_eq!(
            (header.algorithm(), header.alg(), header.kid(), header.typ()),
            (Algorithm::Ps384, "PS384", Some("k"), Some("at+jwt"))
        );
        assert_eq!(header.members().time("x"), Some(1.0));
        assert_eq!(
            (claims.issuer(), claims.subject(), claims.audiences()),
            (Some("i"), Some("s"), Some(vec!["a", "b"]))
        );
        assert_eq!(
            (claims.expires_at(), claims.not_before(), claims.issued_at()),
            (Some(2.5.into()), Some(1.0.into()), Some(0.0.into()))
        );
        assert_eq!(claims.members().len(), 7);
    }

    #[test]
    fn claims_of_the_wrong_type_are_absent() {
        let claims = UnverifiedClaims::parse(
            r#"{"iss":1,"sub":null,"aud":["a",1],"exp":"5","nbf":[],"iat":true}"#,
        )
        .unwrap();
        assert_eq!(
            (claims.issuer(), claims.subject(), claims.audiences()),
            (None, None, None)
        );
        assert_eq!(
            (claims.expires_at(), claims.not_before(), claims.issued_at()),
            (None, None, None)
        );
        assert_eq!(
            UnverifiedClaims::parse("[]").unwrap_err().code(),
            "not_an_object"
        );
        assert_eq!(
            UnverifiedClaims::parse(r#"{"a":1,"a":1}"#)
                .unwrap_err()
                .code(),
            "duplicate_member"
        );
        assert_eq!(
            UnverifiedClaims::from(ClaimSet::default()),
            UnverifiedClaims::default()
        );
    }

    #[test]
    fn texts_that_are_not_tokens_are_recognized() {
        let token = "eyJhbGciOiJSUzI1NiJ9.e30.c2ln";
        for (text, input_kind) in [
            ("<samlp:Response xmlns:samlp=\"...\">", InputKind::Markup),
            ("  <!DOCTYPE html><html>", InputKind::Markup),
            (
                "PHNhbWxwOlJlc3BvbnNlIHhtbG5zOnNhbWxwPSJ1cm4",
                InputKind::Saml,
            ),
            ("PD94bWwgdmVyc2lvbj0iMS4wIj8+PHNhbWw+", InputKind::Saml),
            (
                r#"{"payload":"e30","signatures":[]}"#,
                InputKind::JsonSerialization,
            ),
            (
                r#"{"protected":"e30","ciphertext":"AA"}"#,
                InputKind::JsonSerialization,
            ),
            (
                r#"{"access_token":"x","token_type":"Bearer"}"#,
                InputKind::TokenResponse,
            ),
            (r#"{"sub":"alice","groups":["a"]}"#, InputKind::Claims),
            ("{broken", InputKind::Claims),
            (
                "Authorization: Bearer eyJhbGciOiJSUzI1NiJ9.e30.c2ln",
                InputKind::HttpHeader,
            ),
            (
                "bearer eyJhbGciOiJSUzI1NiJ9.e30.c2ln",
                InputKind::HttpHeader,
            ),
            (
                "GET / HTTP/1.1\r\nAuthorization: Bearer x",
                InputKind::HttpHeader,
            ),
            ("-----BEGIN PUBLIC KEY-----\nMIIB", InputKind::Pem),
            (&format!("{token}\n{token}"), InputKind::TwoTokens),
            (&format!("{token}, {token}"), InputKind::TwoTokens),
            (&format!("\"{token}\""), InputKind::Untidy),
            (&format!("{token}\n"), InputKind::Untidy),
            (&format!("\u{feff}{token}"), InputKind::Untidy),
            (&token.replace('.', " . "), InputKind::Untidy),
            ("dGhpcyBpcyBvcGFxdWU", InputKind::Opaque),
            ("dGhpcyBpcyBvcGFxdWU+/==", InputKind::Opaque),
            ("ya29.a0AfB_byC-d3", InputKind::Opaque),
            (
                "gho_16C7e42F292c6912E7710c838347Ae178B4a",
                InputKind::Opaque,
            ),
            ("hello world", InputKind::Unknown),
            ("häh", InputKind::Unknown),
        ] {
            match refused(text) {
                TokenError::NotAToken(kind, _) => assert_eq!(kind, input_kind, "{text}"),
                other => panic!("{text}: {other:?}"),
            }
        }
        for (text, code) in [
            ("", "token_empty"),
            (" \n", "token_empty"),
            ("eyJhbGciOiJSUzI1NiJ9", "token_parts"),
            ("eyJhbGciOiJSUzI1NiJ9.e30", "token_unsigned"),
            ("eyJhbGciOiJub25lIn0.e30.", "token_unsigned"),
            (
                "eyJhbGciOiJkaXIiLCJlbmMiOiJBMTI4R0NNIn0..AA.AA.AA",
                "token_encrypted",
            ),
            ("a.b.c.d", "token_parts"),
            ("www.example.com", "utf8_invalid"),
        ] {
            assert_eq!(refused(text).code(), code, "{text}");
        }
    }

    #[test]
    fn base64_faults_are_placed_in_the_token() {
        assert_eq!(
            refused("eyJhbGciOiJSUzI1NiJ9.e3+0.c2ln"),
            TokenError::Base64(TokenPart::Payload, 23)
        );
        assert_eq!(
            refused("eyJhbGciOiJSUzI1NiJ9.e30.c2l=").to_string(),
            "the signature is not strict base64url at byte 28"
        );
        assert_eq!(
            refused("eyJhbGciOiJSUzI1NiJ9.e31.c2ln"),
            TokenError::Base64(TokenPart::Payload, 23)
        );
        assert_eq!(
            refused("eyJhbGciOiJSUzI1NiJ9.e30.c2lnA"),
            TokenError::Base64(TokenPart::Signature, 30)
        );
    }

    #[test]
    fn headers_are_checked() {
        for (members, code) in [
            (json!({}), "alg_missing"),
            (json!({"alg": ""}), "alg_missing"),
            (json!({"alg": "none"}), "alg_refused"),
            (json!({"alg": "HS256"}), "alg_refused"),
            (json!({"alg": "ES512"}), "alg_refused"),
            (json!({"alg": "RS256", "kid": 1}), "header_type"),
            (json!({"alg": "RS256", "typ": null}), "header_type"),
            (json!({"alg": "RS256", "crit": []}), "crit_refused"),
            (json!({"alg": "RS256", "b64": false}), "b64_refused"),
            (json!([]), "not_an_object"),
        ] {
            assert_eq!(header(&members).unwrap_err().code(), code, "{members}");
        }
        let message = header(&json!({"alg": "x\u{1b}[31m"}))
            .unwrap_err()
            .to_string();
        assert_eq!(message, "the algorithm `x\\u{1b}[31m` is not accepted");
    }

    #[test]
    fn notes_say_what_a_cluster_would_not_take() {
        let codes = |members: &Value| -> Vec<&'static str> {
            header(members)
                .unwrap()
                .warnings()
                .iter()
                .map(|warning| warning.code.code())
                .collect()
        };
        assert_eq!(codes(&json!({"alg": "RS256", "kid": "k"})), [""; 0]);
        assert_eq!(
            codes(&json!({"alg": "RS256", "kid": "k", "typ": "JWT"})),
            [""; 0]
        );
        assert_eq!(
            codes(&json!({"alg": "ES256", "kid": "k", "typ": "at+jwt"})),
            ["platform_alg", "platform_typ"]
        );
        assert_eq!(
            codes(&json!({"alg": "RS256", "kid": "", "typ": "logout+jwt"})),
            ["typ_refused", "kid_missing"]
        );
    }

    #[test]
    fn every_algorithm_name_parses() {
        for name in [
            "RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "EdDSA",
        ] {
            assert_eq!(Algorithm::parse(name).unwrap().name(), name);
            assert!(Algorithm::ACCEPTED.contains(name));
        }
        assert_eq!(Algorithm::parse("Ed25519"), Some(Algorithm::EdDsa));
    }
}
