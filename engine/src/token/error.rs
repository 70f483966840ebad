//! The errors of decoding a token (RFC 7515, RFC 7519, D-19).

use std::fmt;

use super::{Algorithm, MAX_TOKEN_BYTES};
use crate::json::{JsonError, quote};

/// One of the three parts of a compact JWS (RFC 7515 section 7.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokenPart {
    /// The first part: key ID and algorithm.
    Header,
    /// The second part: the claims.
    Payload,
    /// The third part.
    Signature,
}

impl TokenPart {
    /// The part's name in messages.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Header => "header",
            Self::Payload => "payload",
            Self::Signature => "signature",
        }
    }
}

/// The probable kind of a text that is not a compact JWS.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InputKind {
    /// XML or HTML, perhaps a SAML response or a sign-in page.
    Markup,
    /// A SAML message in base64.
    Saml,
    /// A JWS or JWE in the JSON serialization (RFC 7515 section 7.2).
    JsonSerialization,
    /// The response of a token endpoint, with the token in one of its members.
    TokenResponse,
    /// A JSON object: the claims without a signature.
    Claims,
    /// `Authorization: Bearer ...`, or a part of it.
    HttpHeader,
    /// A key or a certificate in PEM.
    Pem,
    /// More than one token.
    TwoTokens,
    /// A token with blanks, line breaks or quotes in or around it.
    Untidy,
    /// An opaque token, which only its issuer can read (RFC 6749 section 1.4).
    Opaque,
    /// Anything else.
    Unknown,
}

impl InputKind {
    const fn describe(self) -> &'static str {
        match self {
            Self::Markup => "it looks like XML or HTML",
            Self::Saml => "it looks like a SAML message",
            Self::JsonSerialization => "it is in the JSON serialization",
            Self::TokenResponse => "it looks like the whole response of a token endpoint",
            Self::Claims => "it looks like a JSON object",
            Self::HttpHeader => "it looks like a whole HTTP header",
            Self::Pem => "it looks like a key or a certificate",
            Self::TwoTokens => "it looks like more than one token",
            Self::Untidy => "it contains spaces, line breaks or quotes",
            Self::Opaque => "it looks like an opaque token",
            Self::Unknown => "it contains characters that no token has",
        }
    }

    const fn hint(self) -> &'static str {
        match self {
            Self::Markup | Self::Saml => {
                "paste an access token; SAML messages and sign-in pages do not contain one"
            }
            Self::JsonSerialization => {
                "use the compact serialization: three parts separated by dots"
            }
            Self::TokenResponse => "copy the value of its field `access_token`",
            Self::Claims => "use claims without a signature as claims, not as a token",
            Self::HttpHeader => "remove everything up to and including `Bearer `",
            Self::Pem => "keys create and verify signatures; the token itself starts with `eyJ`",
            Self::TwoTokens => "paste one token, the access token",
            Self::Untidy => "remove everything but the token, on one line",
            Self::Opaque => {
                "ask the identity provider for access tokens in JWT form (often by naming an audience or an API); \
                 only its issuer can read an opaque one"
            }
            Self::Unknown => "a token has three parts of `A-Z a-z 0-9 - _`, separated by dots",
        }
    }
}

/// Why a token cannot be decoded.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum TokenError {
    /// The text is empty or blank.
    Empty,
    /// The text is longer than [`MAX_TOKEN_BYTES`]; its length.
    TooLong(usize),
    /// The text is not a compact JWS; its probable kind, and the offset of the first character that
    /// no token has.
    NotAToken(InputKind, Option<usize>),
    /// The token has five parts, so it is encrypted (JWE, RFC 7516).
    Encrypted,
    /// The token does not have three parts; their number.
    Parts(usize),
    /// The token has two parts, or an empty third one.
    Unsigned,
    /// The header or the payload is empty.
    EmptyPart(TokenPart),
    /// The part is not strict base64url; the offset of the first wrong byte in the token.
    Base64(TokenPart, usize),
    /// The part is not UTF-8 text.
    NotUtf8(TokenPart),
    /// The part is not strict JSON.
    Json(TokenPart, JsonError),
    /// The part is JSON, but not an object.
    NotAnObject(TokenPart),
    /// The payload is another token (`cty` is `JWT`, RFC 7519 section 5.2).
    Nested,
    /// The header has no `alg`, or one that is not a string.
    AlgMissing,
    /// The header's `alg` is not accepted (D-19).
    AlgRefused(String),
    /// A header member that must be a string is not one: `kid` or `typ`.
    HeaderType(&'static str),
    /// The header has `crit`, which requires extensions; none is supported (RFC 7515 section
    /// 4.1.11).
    Crit,
    /// The header says that the payload is not base64url (RFC 7797).
    B64,
}

codes! {
    pub TokenError {
        Self::Empty => "token_empty",
        Self::TooLong(_) => "token_too_long",
        Self::NotAToken(InputKind::JsonSerialization, _) => "json_serialization",
        Self::NotAToken(InputKind::TwoTokens, _) => "two_tokens",
        Self::NotAToken(InputKind::Opaque, _) => "opaque_token",
        Self::NotAToken(..) => "not_a_token",
        Self::Encrypted => "token_encrypted",
        Self::Parts(_) => "token_parts",
        Self::Unsigned => "token_unsigned",
        Self::EmptyPart(_) => "token_part_empty",
        Self::Base64(..) => "base64_invalid",
        Self::NotUtf8(_) => "utf8_invalid",
        Self::NotAnObject(_) => "not_an_object",
        Self::Nested => "token_nested",
        Self::AlgMissing => "alg_missing",
        Self::AlgRefused(_) => "alg_refused",
        Self::HeaderType(_) => "header_type",
        Self::Crit => "crit_refused",
        Self::B64 => "b64_refused",
    } of {
        Self::Json(_, error) => error: JsonError,
    }
}

impl TokenError {
    /// What to do about it.
    #[must_use]
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Empty => "paste an access token: it starts with `eyJ` and has two dots",
            Self::TooLong(_) => {
                "configure the identity provider to add only the relevant groups to the token"
            }
            Self::NotAToken(input_kind, _) => input_kind.hint(),
            Self::Encrypted => {
                "configure the identity provider to sign access tokens for this audience without encryption"
            }
            Self::Parts(_) => {
                "a token has three parts, separated by dots; copy all of it and nothing else"
            }
            Self::Unsigned => {
                "copy the token with its last part; tokens without a signature are never accepted"
            }
            Self::EmptyPart(_) => "copy the whole token; detached content is not supported",
            Self::Base64(..) => "copy the token again; its encoding is base64url without padding",
            Self::NotUtf8(_) | Self::NotAnObject(_) => {
                "copy the token again; this part has to be a JSON object in UTF-8"
            }
            Self::Json(_, error) => error.hint(),
            Self::Nested => "use the inner token",
            Self::AlgMissing => "copy the token again; every signed token has `alg`",
            Self::AlgRefused(alg) if alg.eq_ignore_ascii_case("none") => {
                "tokens without a signature are never accepted; configure the identity provider to sign them, preferably with RS256"
            }
            Self::AlgRefused(alg) if alg.starts_with("HS") => {
                "anyone who can verify with a shared secret can also forge tokens; configure the identity provider to sign with RS256"
            }
            Self::AlgRefused(_) => Algorithm::ACCEPTED,
            Self::HeaderType(_) => "report it to the identity provider; RFC 7515 requires a string",
            Self::Crit => "configure the identity provider to omit the extension",
            Self::B64 => "configure the identity provider to encode the payload in base64url",
        }
    }
}

impl fmt::Display for TokenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("no token given"),
            Self::TooLong(bytes) => write!(
                f,
                "the token has {bytes} bytes, more than {MAX_TOKEN_BYTES}"
            ),
            Self::NotAToken(input_kind, None) => {
                write!(f, "not a signed JWT: {}", input_kind.describe())
            }
            Self::NotAToken(input_kind, Some(at)) => {
                write!(f, "not a signed JWT: {} (byte {at})", input_kind.describe())
            }
            Self::Encrypted => f.write_str(
                "the token has five parts: it is encrypted (JWE), and cannot be read here",
            ),
            Self::Parts(1) => f.write_str("the token has one part, not three"),
            Self::Parts(count) => write!(f, "the token has {count} parts, not three"),
            Self::Unsigned => f.write_str("the token has no signature"),
            Self::EmptyPart(part) => write!(f, "the {} of the token is empty", part.name()),
            Self::Base64(part, at) => write!(
                f,
                "the {} is not strict base64url at byte {at}",
                part.name()
            ),
            Self::NotUtf8(part) => write!(f, "the {} is not UTF-8 text", part.name()),
            Self::Json(part, error) => write!(f, "the {}: {error}", part.name()),
            Self::NotAnObject(part) => write!(f, "the {} is not a JSON object", part.name()),
            Self::Nested => f.write_str("the payload is another token (`cty` is `JWT`)"),
            Self::AlgMissing => f.write_str("the header has no algorithm (`alg`)"),
            Self::AlgRefused(alg) => write!(f, "the algorithm {} is not accepted", quote(alg)),
            Self::HeaderType(member) => write!(f, "the header's `{member}` is not a string"),
            Self::Crit => {
                f.write_str("the header requires extensions (`crit`) that are not supported")
            }
            Self::B64 => f.write_str("the header says that the payload is not base64url (`b64`)"),
        }
    }
}

impl std::error::Error for TokenError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        if let Self::Json(_, error) = self {
            Some(error)
        } else {
            None
        }
    }
}
