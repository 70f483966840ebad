//! Recognizes common texts that are not tokens, so that the error message can say what to do.

use serde_json::{Map, Value};

use super::error::InputKind;
use super::normalize;
use crate::json;
use crate::text::holds;

/// The kind of a text that contains characters other than those of tokens.
pub(super) fn input_kind(text: &str) -> InputKind {
    let start = text.trim_start_matches(|c: char| {
        c.is_whitespace() || normalize::is_invisible(c) || normalize::is_quote(c)
    });
    let beginning: String = start
        .chars()
        .take(64)
        .collect::<String>()
        .to_ascii_lowercase();
    if start.starts_with('<') {
        return InputKind::Markup;
    }
    if start.starts_with('{') {
        return json::parse(start.trim_end())
            .ok()
            .as_ref()
            .and_then(Value::as_object)
            .map_or(InputKind::Claims, object_kind);
    }
    if start.starts_with("-----BEGIN") {
        return InputKind::Pem;
    }
    let tokens = normalize::tokens(text);
    if tokens.len() > 1 {
        return InputKind::TwoTokens;
    }
    if beginning.starts_with("authorization")
        || beginning.starts_with("bearer")
        || mentions_bearer(text)
    {
        return InputKind::HttpHeader;
    }
    if is_saml(start) {
        return InputKind::Saml;
    }
    let is_removable =
        |c: char| c.is_whitespace() || normalize::is_quote(c) || normalize::is_invisible(c);
    match tokens.first() {
        Some(token) if text.chars().filter(|c| !is_removable(*c)).eq(token.chars()) => {
            InputKind::Untidy
        }
        None if text.contains(['+', '/', '='])
            && text
                .chars()
                .all(|c| c.is_ascii_graphic() && !normalize::is_quote(c)) =>
        {
            InputKind::Opaque
        }
        _ => InputKind::Unknown,
    }
}

/// Whether the text starts like a SAML message in base64: `<saml` or `<?xml `.
pub(super) fn is_saml(text: &str) -> bool {
    text.starts_with("PHNhbWx") || text.starts_with("PD94bWwg")
}

fn mentions_bearer(text: &str) -> bool {
    holds(&text.to_ascii_lowercase(), "bearer ")
}

fn object_kind(members: &Map<String, Value>) -> InputKind {
    let has = |name: &str| members.contains_key(name);
    if has("ciphertext") || has("payload") && (has("signature") || has("signatures")) {
        InputKind::JsonSerialization
    } else if has("access_token") || has("id_token") {
        InputKind::TokenResponse
    } else {
        InputKind::Claims
    }
}
