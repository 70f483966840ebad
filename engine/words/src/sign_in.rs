//! Sign-in: the checks of a token, and what it says about itself.

use gbac_analysis::sign_in::SignInCheck;
use gbac_engine::decide::{Reason, Request};
use gbac_engine::model::Principal;
use gbac_engine::token::{CheckName, Header};

use crate::phrases::{duration, instant};
use crate::rich_text::{RichText, listed};
use crate::{decision, explanation, request};

/// Claims without a token around them.
pub const CLAIMS_ONLY: &str = "Claims only, without a signature";
/// A signature that was not compared with keys.
pub const SIGNATURE_NOT_VERIFIED: &str = "Signature not verified";
/// A signature whose key is not among those of the provider that the service has.
pub const KEY_NOT_OF_PROVIDER: &str = "Signature not verified: the keys that the service has lack the key of this token. The service \
     asks the provider for new keys, and refuses the token if they lack it, too";
/// A token that passed every check.
pub const SIGNATURE_VERIFIED: &str = "Signature verified";
/// A good signature of a token that fails another check.
pub const REFUSED_WITH_SIGNATURE: &str = "The signature is valid, but the token is refused";
/// A signature that is not the key's.
pub const SIGNATURE_INVALID: &str = "The signature is not valid";
/// A signature without a key to compare it with.
pub const SIGNATURE_UNKNOWN: &str = "The signature could not be verified";
/// A token that fails at sign-in.
pub const TOKEN_REFUSED: &str = "The service refuses this token";
/// The verdict on such a token.
pub const FAILS: &str = "Denied: sign-in fails";
/// Until when the groups of a token count (specification 1.3).
pub const GROUPS_KEPT: &str =
    "The token keeps its groups until then, even those that the identity provider removes";
/// A token without `exp`.
pub const NO_EXPIRY: &str = "No expiry (`exp`), so the service refuses this token";
/// `exp` of another type.
pub const EXPIRY_NOT_A_NUMBER: &str =
    "The expiry `exp` is not a number, so the service refuses this token";
/// A token without `aud`.
pub const NO_AUDIENCE: &str = "No audience (`aud`)";
/// `aud` of another type.
pub const AUDIENCE_NOT_TEXT: &str = "The audience `aud` is neither a string nor a list of strings";
/// `aud` without a value.
pub const NO_AUDIENCES: &str = "The list of audiences is empty";

/// How many audiences are named.
const NAMED_AUDIENCES: usize = 3;

/// What a check is called.
pub const fn check(name: CheckName) -> &'static str {
    match name {
        CheckName::Form => "Form",
        CheckName::Signature => "Signature",
        CheckName::Key => "Key ID",
        CheckName::Issuer => "Issuer",
        CheckName::Audience => "Audience",
        CheckName::Expires => "Expiry",
        CheckName::NotBefore => "Not before",
        CheckName::IssuedAt => "Issued at",
        CheckName::Type => "Type",
    }
}

/// What a check found, and what to do.
pub fn finding(check: &SignInCheck) -> RichText {
    RichText::with_hint(&check.finding, check.next.as_deref().unwrap_or_default())
}

/// A token whose expiry is past. Times are in seconds since 1970.
pub fn expired(at: f64, now: f64) -> String {
    format!("Expired {}", expired_since(at, now))
}

/// How long a token has been expired. Times are in seconds since 1970.
pub fn expired_since(at: f64, now: f64) -> String {
    format!("{} ago, at {}", duration(now - at), instant(at, now))
}

/// A token that has not expired. Times are in seconds since 1970.
pub fn expires(at: f64, now: f64) -> String {
    format!("Expires {}", expires_in(at, now))
}

/// How long a token is valid. Times are in seconds since 1970.
pub fn expires_in(at: f64, now: f64) -> String {
    format!("in {}, at {}", duration(at - now), instant(at, now))
}

/// A token that is not valid yet. Times are in seconds since 1970.
pub fn not_valid_yet(from: f64, now: f64) -> String {
    format!(
        "Not valid for another {}, before {}",
        duration(from - now),
        instant(from, now)
    )
}

/// A token whose past expiry is ignored. Times are in seconds since 1970.
pub fn expiry_ignored(at: f64, now: f64) -> String {
    format!("{}, ignored", expired(at, now))
}

/// An issuer or an audience that is right only if the service accepts what was entered.
pub fn assumed(name: CheckName, entered: &str) -> RichText {
    RichText::from(format!("{} ", check(name)))
        .code(entered)
        .text(", assumed")
}

/// The audiences of a token, where a service accepts any.
pub fn audiences_not_checked(audiences: &[&str]) -> RichText {
    let names = audiences.iter().map(|name| RichText::new().code(*name));
    RichText::from("Audience ")
        .then(listed(names.collect(), NAMED_AUDIENCES))
        .text(", which the service does not check")
}

/// What kind of token a header belongs to. The claims can look like those of an ID token.
pub fn token_type(header: &Header, looks_like_id_token: bool) -> RichText {
    let is_typed = header
        .typ()
        .is_some_and(|typ| !typ.eq_ignore_ascii_case("JWT"));
    let words = RichText::from(match (header.is_access_token_type(), is_typed) {
        (false, _) => "Not an access token",
        (true, _) if looks_like_id_token => "Looks like an ID token",
        (true, true) => "Access token",
        (true, false) => "JWT",
    });
    match header.typ() {
        Some(typ) => words.text(", ").code(format!("typ {typ}")),
        None => words.text(", no ").code("typ"),
    }
}

/// A refused token, and what nobody can do with it.
pub fn refused(request: Option<&Request<'_>>) -> RichText {
    let words = RichText::from(TOKEN_REFUSED);
    match request {
        Some(request) => words
            .text(", so no one can ")
            .then(request::deed(request))
            .text(" with it"),
        None => words,
    }
}

/// The decision that a refused token would have.
pub fn if_accepted(user: &Principal, reason: Reason, request: &Request<'_>) -> RichText {
    RichText::from(format!("{}. ", decision::verdict(reason)))
        .then(explanation::can(user, reason.outcome(), request))
        .text(".")
}
