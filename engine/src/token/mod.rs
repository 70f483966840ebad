//! Tokens: compact JWS text to header and claims, strictly (RFC 7515, RFC 7519, D-19).
//!
//! Reading a token proves nothing: [`UnverifiedClaims`] are what somebody wrote. [`Claims`] come from the verifier only
//! (feature `verify`).

mod claims;
mod error;
mod header;
mod look;
mod paste;

use base64::DecodeError;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Map, Value};

pub use claims::{Claims, UnverifiedClaims};
pub use error::{Look, Part, TokenError};
pub use header::{Algorithm, Header};
pub use paste::{Pasted, paste};

use crate::json;

/// The longest token text, in bytes: 1 MiB, some ten thousand groups.
pub const MAX_TOKEN_BYTES: usize = 1 << 20;

/// Something that a reader of a token should know.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// A stable name.
    pub code: &'static str,
    /// The same as a sentence.
    pub message: String,
}

impl Note {
    const fn new(code: &'static str, message: String) -> Self {
        Self { code, message }
    }
}

/// A token that was read, and whose signature nobody checked.
#[derive(Debug, Clone, PartialEq)]
pub struct UnverifiedToken {
    /// What signed it, as it says itself.
    pub header: Header,
    /// What it says.
    pub claims: UnverifiedClaims,
}

impl UnverifiedToken {
    /// Reads a compact JWS of at most [`MAX_TOKEN_BYTES`], strictly: three parts in base64url without padding or stray
    /// bits, header and payload JSON objects in UTF-8 without duplicate members, an accepted `alg`, no `crit`, no
    /// `b64`. What was pasted goes through [`paste()`] first.
    ///
    /// # Errors
    /// Everything else, with what the text looks like (D-19).
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

/// A token with what its signature is over.
#[derive(Debug)]
pub(crate) struct Signed<'t> {
    pub(crate) token: UnverifiedToken,
    /// Header, dot and payload as in the text: what was signed (RFC 7515 section 5.2).
    #[cfg_attr(not(feature = "verify"), expect(dead_code, reason = "only the verifier looks at it"))]
    pub(crate) input: &'t str,
    /// The signature's bytes.
    #[cfg_attr(not(feature = "verify"), expect(dead_code, reason = "only the verifier looks at it"))]
    pub(crate) signature: Vec<u8>,
}

impl<'t> Signed<'t> {
    /// Reads a compact JWS; see [`UnverifiedToken::decode`].
    pub(crate) fn read(text: &'t str) -> Result<Self, TokenError> {
        let (header, payload, signature) = split(text)?;
        let payload_at = header.len() + 1;
        let signature_at = payload_at + payload.len() + 1;
        let header = Header::from_members(object(Part::Header, header, 0)?)?;
        let claims = match object(Part::Payload, payload, payload_at) {
            Err(TokenError::Json(..) | TokenError::NotUtf8(_)) if holds_token(&header) => return Err(TokenError::Nested),
            claims => UnverifiedClaims::from_object(claims?),
        };
        let signature_bytes = decode_base64(Part::Signature, signature, signature_at)?;
        let input = text.get(..signature_at - 1).unwrap_or(text);
        Ok(Self { token: UnverifiedToken { header, claims }, input, signature: signature_bytes })
    }
}

fn holds_token(header: &Header) -> bool {
    let cty = header.members().get("cty").and_then(Value::as_str);
    cty.is_some_and(|cty| cty.eq_ignore_ascii_case("JWT") || cty.eq_ignore_ascii_case("application/jwt"))
}

/// The three parts, none of them empty.
fn split(text: &str) -> Result<(&str, &str, &str), TokenError> {
    if text.trim().is_empty() {
        return Err(TokenError::Empty);
    }
    if text.len() > MAX_TOKEN_BYTES {
        return Err(TokenError::TooLong(text.len()));
    }
    let is_ours = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    let dots = text.bytes().filter(|byte| *byte == b'.').count();
    // The other base64 alphabet and padding get the message of the part that they are in.
    let is_near = |c: char| is_ours(c) || dots == 2 && matches!(c, '+' | '/' | '=');
    if let Some(at) = text.find(|c| !is_near(c)) {
        return Err(TokenError::NotAToken(look::look(text), Some(at)));
    }
    let mut parts = text.split('.');
    match (parts.next(), parts.next(), parts.next(), dots) {
        (Some(_), ..) if dots == 4 => Err(TokenError::Encrypted),
        (Some(header), Some(payload), Some(signature), 2) => match (header, payload, signature) {
            ("", ..) => Err(TokenError::EmptyPart(Part::Header)),
            (_, "", _) => Err(TokenError::EmptyPart(Part::Payload)),
            (.., "") => Err(TokenError::Unsigned),
            parts => Ok(parts),
        },
        (Some(header), ..) if dots == 1 && object(Part::Header, header, 0).is_ok() => Err(TokenError::Unsigned),
        (Some(only), ..) if dots < 2 && look::is_saml(only) => Err(TokenError::NotAToken(Look::Saml, None)),
        (Some(only), ..) if dots < 2 && !only.starts_with("eyJ") => Err(TokenError::NotAToken(Look::Opaque, None)),
        _ => Err(TokenError::Parts(dots + 1)),
    }
}

fn object(part: Part, encoded: &str, at: usize) -> Result<Map<String, Value>, TokenError> {
    let text = String::from_utf8(decode_base64(part, encoded, at)?).map_err(|_| TokenError::NotUtf8(part))?;
    match json::parse(&text) {
        Ok(Value::Object(members)) => Ok(members),
        Ok(_) => Err(TokenError::NotAnObject(part)),
        Err(error) => Err(TokenError::Json(part, error)),
    }
}

/// Strict base64url (RFC 7515 section 2): no padding, no blanks, no bits that do not count. `at` is where the part
/// starts in the token.
fn decode_base64(part: Part, encoded: &str, at: usize) -> Result<Vec<u8>, TokenError> {
    URL_SAFE_NO_PAD.decode(encoded).map_err(|error| {
        let offset = match error {
            DecodeError::InvalidByte(offset, _) | DecodeError::InvalidLastSymbol(offset, _) => offset,
            DecodeError::InvalidLength(_) | DecodeError::InvalidPadding => encoded.len(),
        };
        TokenError::Base64(part, at + offset)
    })
}
