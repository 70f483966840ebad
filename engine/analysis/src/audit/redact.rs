//! Removes credentials from the texts of events.

use std::borrow::Cow;

use base64::Engine;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use percent_encoding::percent_decode_str;

/// The replacement for a credential.
pub const REDACTED: &str = "******";

/// The headers in events. Others may contain a credential under any name.
const SHOWN_HEADERS: &[&str] = &[
    "accept",
    "content-length",
    "content-type",
    "host",
    "if-match",
    "origin",
    "user-agent",
];
/// The query parameters in events. Others may contain a credential in the name or the value.
const SHOWN_PARAMETERS: &[&str] = &[
    "delete_acls",
    "dry_run",
    "expires",
    "filter.host",
    "filter.name_contains",
    "filter.name_prefix",
    "filter.operation",
    "filter.permission_type",
    "filter.principal",
    "filter.resource_name",
    "filter.resource_pattern_type",
    "filter.resource_type",
    "force",
    "include-levels",
    "include_defaults",
    "key",
    "level",
    "limit",
    "name",
    "page_size",
    "role_name",
];
/// Authentication schemes: the next word is a credential.
const SCHEMES: &[&str] = &["basic", "bearer"];

/// Replaces each compact JWS and each word after `Bearer` or `Basic` with [`REDACTED`].
///
/// ```
/// use gbac_analysis::audit::without_credentials;
/// assert_eq!(without_credentials("bad token eyJhbGciOiJub25lIn0.e30.x2k, refused"), "bad token ******, refused");
/// assert_eq!(without_credentials("Authorization: Basic YTpi"), "Authorization: Basic ******");
/// assert_eq!(without_credentials("cut: eyJhbGciOiJub25lIn0.eyJzd"), "cut: ******");
/// assert_eq!(without_credentials("a.b.c is no token"), "a.b.c is no token");
/// ```
///
/// A percent-encoded credential is replaced, too, and the text is then decoded:
///
/// ```
/// use gbac_analysis::audit::without_credentials;
/// assert_eq!(without_credentials("a%20b eyJhbGciOiJub25lIn0%2Ee30%2Ex2k"), "a b ******");
/// assert_eq!(without_credentials("a%20b"), "a%20b");
/// ```
#[must_use]
pub fn without_credentials(text: &str) -> String {
    redacted(text, true).into_owned()
}

/// Replaces each compact JWS in a name, and a word after a scheme only if it has the form of Basic
/// credentials: `Basic access` stays.
pub(super) fn name_without_credentials(name: &str) -> Cow<'_, str> {
    // A compact JWS begins with this, unless it is percent-encoded; credentials follow a scheme and
    // a space.
    let may_have_one =
        name.contains("eyJ") || name.contains(|c: char| c == '%' || c.is_whitespace());
    if may_have_one {
        redacted(name, false)
    } else {
        Cow::Borrowed(name)
    }
}

fn redacted(text: &str, any_after_scheme: bool) -> Cow<'_, str> {
    let clean = scanned(text, any_after_scheme);
    if text.contains('%') {
        let decoded = percent_decoded(text);
        let without = scanned(&decoded, any_after_scheme);
        if without != decoded {
            return Cow::Owned(without);
        }
    }
    Cow::Owned(clean)
}

/// Decodes percent-encoding, also if the text was encoded several times.
fn percent_decoded(text: &str) -> String {
    let mut decoded = text.to_owned();
    for _ in 0..MAX_ENCODINGS {
        // What is no text has no credentials: they are ASCII.
        let once = percent_decode_str(&decoded)
            .decode_utf8_lossy()
            .into_owned();
        if once == decoded {
            break;
        }
        decoded = once;
    }
    decoded
}

/// The most rounds of decoding. No reader decodes a text more often, and without a limit, a long
/// text of percent signs would take a round for each of them.
const MAX_ENCODINGS: usize = 4;

fn scanned(text: &str, any_after_scheme: bool) -> String {
    let mut clean = String::with_capacity(text.len());
    let mut after_scheme = false;
    let mut rest = text;
    while !rest.is_empty() {
        let word_end = rest.find(|c| !is_token_character(c)).unwrap_or(rest.len());
        let (word, tail) = rest.split_at(word_end);
        if word.is_empty() {
            let gap_end = tail.find(is_token_character).unwrap_or(tail.len());
            let (gap, next) = tail.split_at(gap_end);
            clean.push_str(gap);
            after_scheme &= gap.chars().all(char::is_whitespace);
            rest = next;
        } else {
            let is_credential = after_scheme && (any_after_scheme || is_user_and_password(word));
            clean.push_str(if is_credential || is_jws(word) {
                REDACTED
            } else {
                word
            });
            after_scheme = !is_credential
                && SCHEMES
                    .iter()
                    .any(|scheme| word.eq_ignore_ascii_case(scheme));
            rest = tail;
        }
    }
    clean
}

/// Whether a word has the form of Basic credentials: a name, a colon and a password in base64 (RFC
/// 7617 2).
fn is_user_and_password(word: &str) -> bool {
    STANDARD_NO_PAD
        .decode(word.trim_end_matches('='))
        .is_ok_and(|bytes| String::from_utf8(bytes).is_ok_and(|text| text.contains(':')))
}

/// The characters of base64, of base64url, and the dots between the parts of a token.
fn is_token_character(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '+' | '/' | '=' | '~')
}

/// Whether a word looks like a compact JWS or JWE, or a large part of one: it begins like a JSON
/// object in base64url, and has two dots, another object after a dot, or more characters than names
/// have. Percent-encoded words are decoded first.
#[must_use]
pub fn is_compact_jws(word: &str) -> bool {
    is_jws(word) || (word.contains('%') && is_jws(&percent_decoded(word)))
}

fn is_jws(word: &str) -> bool {
    let Some((before, token)) = word
        .find("eyJ")
        .and_then(|start| word.split_at_checked(start))
    else {
        return false;
    };
    let begins = before.is_empty() || before.ends_with(['/', '=']);
    token.matches('.').count() >= 2
        || token.contains(".eyJ")
        || (begins && token.len() >= MIN_PART_LENGTH)
}

/// A word with the first characters of a token and this length is a part of a token.
const MIN_PART_LENGTH: usize = 40;

/// Replaces every token, also a short part of one, with [`REDACTED`]. It removes more than
/// [`without_credentials`], which keeps the names of audit events: use it where a token is more
/// likely than such a name, as in command line arguments.
///
/// ```
/// use gbac_analysis::audit::without_tokens;
/// assert_eq!(without_tokens("the string `eyJhbGciOiJub25lIn0`"), "the string `eyJhbGciOiJub25lIn0`");
/// assert_eq!(without_tokens("the string `eyJhbGciOiJSUzI1NiJ9`"), "the string `******`");
/// ```
#[must_use]
pub fn without_tokens(text: &str) -> String {
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    let mut clean = String::with_capacity(text.len());
    for piece in text.split_inclusive(|c| !is_part(c)) {
        let end = piece.find(|c| !is_part(c)).unwrap_or(piece.len());
        let (word, after) = piece.split_at(end);
        match word
            .find("eyJ")
            .and_then(|start| word.split_at_checked(start))
        {
            Some((before, token)) if begins_token(token) => {
                clean.push_str(before);
                clean.push_str(REDACTED);
            }
            _ => clean.push_str(word),
        }
        clean.push_str(after);
    }
    clean
}

/// Whether a word begins with the header of a token, or a large part of it.
fn begins_token(word: &str) -> bool {
    let header = word.split('.').next().unwrap_or_default();
    header.len() >= 20 || (header.len() >= 12 && header.len() < word.len())
}

/// The value of a header for an event; `None` if events do not contain the header.
pub(super) fn header_value(name: &str, value: &str) -> Option<String> {
    is_shown_header(name).then(|| without_credentials(value))
}

/// Whether events contain the header of this name.
#[must_use]
pub fn is_shown_header(name: &str) -> bool {
    SHOWN_HEADERS
        .iter()
        .any(|shown| name.eq_ignore_ascii_case(shown))
}

/// Path and query for an event.
pub(super) fn url(path: &str) -> String {
    let Some((path, query)) = path.split_once('?') else {
        return without_credentials(path);
    };
    let mut clean = without_credentials(path);
    for (place, parameter) in query.split('&').enumerate() {
        clean.push(if place == 0 { '?' } else { '&' });
        let name = parameter.split('=').next().unwrap_or_default();
        clean.push_str(&if SHOWN_PARAMETERS.contains(&name) {
            without_credentials(parameter)
        } else {
            REDACTED.into()
        });
    }
    clean
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOKEN: &str = "eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJhIn0.c2ln-_";

    #[test]
    fn takes_tokens_out_wherever_they_stand() {
        for text in [
            TOKEN.to_string(),
            format!("`{TOKEN}` refused"),
            format!("Bearer {TOKEN}"),
            format!("bearer   {TOKEN}\n"),
            format!("token={TOKEN}"),
            format!("a {TOKEN}é"),
            format!("{TOKEN}.{TOKEN}"),
        ] {
            let clean = without_credentials(&text);
            assert!(
                !clean.contains("eyJ") && clean.contains(REDACTED),
                "{clean}"
            );
        }
    }

    #[test]
    fn leaves_other_text_alone() {
        for text in [
            "",
            "SASL authentication failed: security: Invalid credentials",
            "日本 a.b.c",
            "v1.2.3",
            "eyJ",
            "basic",
        ] {
            assert_eq!(without_credentials(text), text);
        }
        assert_eq!(
            without_credentials("bearer: expired token"),
            "bearer: expired token"
        );
    }

    #[test]
    fn finds_basic_credentials_in_names() {
        for (name, clean) in [
            ("Basic YWxpY2U6c2VjcmV0", "Basic ******"),
            ("role of basic  YTpi today", "role of basic  ****** today"),
            ("Basic%20YWxpY2U6c2VjcmV0", "Basic ******"),
            ("Basic Basic YTpi", "Basic Basic ******"),
        ] {
            assert_eq!(name_without_credentials(name), clean);
        }
        for name in [
            "Basic access",
            "Basic YWxpY2U",
            "YTpi",
            "Bearer of news",
            "Application - Basic - Prod",
        ] {
            assert_eq!(name_without_credentials(name), name);
        }
    }

    #[test]
    fn finds_tokens_that_are_percent_encoded() {
        for text in [
            TOKEN.replace('.', "%2E"),
            TOKEN.replace('.', "%252e"),
            TOKEN.replace("eyJ", "%65yJ"),
            format!("/v1/roles/{}?x", TOKEN.replace('.', "%2e")),
            // Bytes before it that are no text.
            format!("/%C3{TOKEN}"),
        ] {
            for clean in [
                without_credentials(&text),
                name_without_credentials(&text).into_owned(),
            ] {
                assert!(
                    !clean.contains("c2ln") && clean.contains(REDACTED),
                    "{clean}"
                );
            }
            assert!(is_compact_jws(&text) || text.starts_with('/'), "{text}");
        }
        for text in ["100%", "%", "%zz", "a%C3%A9", "Basic access", "%%%41"] {
            assert_eq!(name_without_credentials(text), text);
        }
    }

    #[test]
    fn shows_only_known_headers_and_parameters() {
        for name in [
            "Authorization",
            "Cookie",
            "X-Vault-Token",
            "X-Access-Token",
            "X-Api-Key",
            "Referer",
            "X-Anything",
        ] {
            assert_eq!(header_value(name, "s3cret"), None, "{name}");
        }
        assert_eq!(
            header_value("User-Agent", &format!("Bearer {TOKEN}")).as_deref(),
            Some("Bearer ******")
        );
        assert_eq!(
            header_value("ACCEPT", "application/json").as_deref(),
            Some("application/json")
        );
        assert_eq!(
            url("/a/b?limit=1&api_key=abc&secret"),
            "/a/b?limit=1&******&******"
        );
        assert_eq!(
            url(&format!("/a?key={}", TOKEN.replace('.', "%2E"))),
            "/a?******"
        );
        assert_eq!(url(&format!("/a/{TOKEN}?key=x")), "******?key=x");
        assert_eq!(url("/v1/acls"), "/v1/acls");
        assert_eq!(
            url("/v1/acls?filter.principal=User%3Aa"),
            "/v1/acls?filter.principal=User%3Aa"
        );
    }
}
