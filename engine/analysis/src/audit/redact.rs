//! Takes credentials out of what an event quotes: no event ever holds one.

/// What stands for a credential.
pub const REDACTED: &str = "******";

/// Headers whose whole value is a credential.
const SECRET_HEADERS: &[&str] =
    &["authorization", "proxy-authorization", "cookie", "set-cookie", "x-api-key", "x-auth-token"];
/// Query parameters whose value is a credential (RFC 6750 2.3 and OAuth 2.0).
const SECRET_PARAMETERS: &[&str] = &[
    "access_token",
    "assertion",
    "client_assertion",
    "client_secret",
    "code",
    "id_token",
    "id_token_hint",
    "password",
    "refresh_token",
    "token",
];
/// Authentication schemes: what follows the word is a credential.
const SCHEMES: &[&str] = &["basic", "bearer"];

/// A text in which compact JWS and the word after `Bearer` or `Basic` is replaced by [`REDACTED`], whatever the word.
///
/// ```
/// use gbac_analysis::audit::without_credentials;
/// assert_eq!(without_credentials("bad token eyJhbGciOiJub25lIn0.e30.x2k, refused"), "bad token ******, refused");
/// assert_eq!(without_credentials("Authorization: Basic YTpi"), "Authorization: Basic ******");
/// assert_eq!(without_credentials("cut: eyJhbGciOiJub25lIn0.eyJzd"), "cut: ******");
/// assert_eq!(without_credentials("a.b.c is no token"), "a.b.c is no token");
/// ```
#[must_use]
pub fn without_credentials(text: &str) -> String {
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
            clean.push_str(if after_scheme || is_compact_jws(word) { REDACTED } else { word });
            after_scheme = !after_scheme && SCHEMES.iter().any(|scheme| word.eq_ignore_ascii_case(scheme));
            rest = tail;
        }
    }
    clean
}

/// The characters of base64, base64url and the dots between the parts of a token.
fn is_token_character(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '+' | '/' | '=' | '~')
}

/// Whether a word is shaped like a compact JWS or JWE, or like a good part of one: it begins as a JSON object does in base64url,
/// and has dots, or another object behind the first dot, or more letters than any name that is written by hand.
#[must_use]
pub fn is_compact_jws(word: &str) -> bool {
    let Some((before, token)) = word.find("eyJ").and_then(|start| word.split_at_checked(start)) else { return false };
    let begins = before.is_empty() || before.ends_with(['/', '=']);
    token.matches('.').count() >= 2 || token.contains(".eyJ") || (begins && token.len() >= LONGEST_PART)
}

/// A word that begins as a token does and is as long is a part of one.
const LONGEST_PART: usize = 40;

/// A text in which every token is replaced by [`REDACTED`], also a short part of one. It takes more than [`without_credentials`],
/// which spares the names of an audit event: use it where a token is likelier than such a name, as in arguments of a command.
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
        match word.find("eyJ").and_then(|start| word.split_at_checked(start)) {
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

/// Whether a word begins with the header of a token, or with a good part of one.
fn begins_token(word: &str) -> bool {
    let header = word.split('.').next().unwrap_or_default();
    header.len() >= 20 || (header.len() >= 12 && header.len() < word.len())
}

/// The value of a header as an event may show it.
pub(super) fn header_value(name: &str, value: &str) -> String {
    if SECRET_HEADERS.iter().any(|secret| name.eq_ignore_ascii_case(secret)) {
        REDACTED.into()
    } else {
        without_credentials(value)
    }
}

/// Path and query as an event may show them.
pub(super) fn url(path: &str) -> String {
    let Some((path, query)) = path.split_once('?') else { return without_credentials(path) };
    let parameters: Vec<String> = query
        .split('&')
        .map(|parameter| match parameter.split_once('=') {
            Some((name, _)) if SECRET_PARAMETERS.iter().any(|secret| name.eq_ignore_ascii_case(secret)) => {
                format!("{name}={REDACTED}")
            }
            _ => without_credentials(parameter),
        })
        .collect();
    format!("{}?{}", without_credentials(path), parameters.join("&"))
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
            assert!(!clean.contains("eyJ") && clean.contains(REDACTED), "{clean}");
        }
    }

    #[test]
    fn leaves_other_text_alone() {
        for text in
            ["", "SASL authentication failed: security: Invalid credentials", "日本 a.b.c", "v1.2.3", "eyJ", "basic"]
        {
            assert_eq!(without_credentials(text), text);
        }
        assert_eq!(without_credentials("bearer: expired token"), "bearer: expired token");
    }

    #[test]
    fn takes_credentials_out_of_headers_and_queries() {
        assert_eq!(header_value("AUTHORIZATION", "Basic YTpi"), REDACTED);
        assert_eq!(header_value("Cookie", "a=b"), REDACTED);
        assert_eq!(header_value("X-Forwarded-Access", &format!("Bearer {TOKEN}")), "Bearer ******");
        assert_eq!(header_value("Accept", "application/json"), "application/json");
        assert_eq!(url("/a/b?x=1&Access_Token=abc&y"), "/a/b?x=1&Access_Token=******&y");
        assert_eq!(url(&format!("/a?x={TOKEN}")), "/a?******");
        assert_eq!(url("/v1/acls"), "/v1/acls");
    }
}
