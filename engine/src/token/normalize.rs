//! Extracts the token from pasted text, which can contain a header name, quotes, line breaks or a
//! JSON response around it.

use serde_json::Value;

use super::base64url;
use crate::json;
use crate::warning::{Warning, WarningCode, warn};

/// A token extracted from pasted text.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct NormalizedToken {
    /// The text to decode. It is not checked: decoding reports errors, for example that two tokens
    /// were pasted.
    pub token: String,
    /// What was removed; empty if the text was the token, with or without blanks at its ends.
    pub warnings: Vec<Warning>,
}

/// The maximum number of positions that are tried as the start of a token. Real texts have one or
/// two.
const MAX_STARTS: usize = 32;

/// Extracts the token from pasted text. Removes blanks and line breaks around and inside it,
/// `Authorization: Bearer`, quotes, invisible characters, the rest of a command line, and the rest
/// of a token endpoint's JSON response.
///
/// Never fails: a text without a token is returned trimmed, two tokens are returned with a blank
/// between them, and [`UnverifiedToken::decode`](super::UnverifiedToken::decode) reports the error.
///
/// ```
/// use gbac_engine::token;
/// let pasted = token::normalize_pasted("Authorization: Bearer eyJhbGciOiJSUzI1NiJ9.e30.\n  c2ln\n");
/// assert_eq!(pasted.token, "eyJhbGciOiJSUzI1NiJ9.e30.c2ln");
/// assert_eq!(pasted.warnings.len(), 2);
/// ```
#[must_use]
pub fn normalize_pasted(text: &str) -> NormalizedToken {
    let mut warnings = Vec::new();
    let mut visible: String = text.chars().filter(|c| !is_invisible(*c)).collect();
    if visible.len() != text.len() {
        warn(
            &mut warnings,
            WarningCode::InvisibleRemoved,
            "invisible characters were removed".to_owned(),
            None,
        );
    }
    if let Some((member, token)) = token_response(&visible) {
        visible = token;
        warn(
            &mut warnings,
            WarningCode::TokenResponse,
            format!("the value of `{member}` was taken"),
            None,
        );
    }
    let visible = visible.trim();
    let tokens = tokens(visible);
    let token = if tokens.is_empty() {
        strip(visible).to_owned()
    } else {
        tokens.join(" ")
    };
    if !token
        .chars()
        .eq(visible.chars().filter(|c| !c.is_whitespace()))
        && token != visible
    {
        warn(
            &mut warnings,
            WarningCode::SurroundingTextRemoved,
            "the text before or after the token was removed".to_owned(),
            None,
        );
    }
    // If the token is not a substring of the text, it had blanks inside.
    if tokens.len() == 1 && !visible.contains(&token) {
        warn(
            &mut warnings,
            WarningCode::BlanksRemoved,
            "spaces or line breaks inside the token were removed".to_owned(),
            None,
        );
    }
    NormalizedToken { token, warnings }
}

/// Whether a character is a byte order mark, a zero-width character, a direction mark or a soft
/// hyphen.
pub(super) const fn is_invisible(c: char) -> bool {
    matches!(c, '\u{feff}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}' | '\u{ad}')
}

/// Whether a character is a straight or typographic quotation mark, or a backtick.
pub(super) const fn is_quote(c: char) -> bool {
    matches!(
        c,
        '"' | '\'' | '`' | '\u{2018}'..='\u{201f}' | '\u{ab}' | '\u{bb}'
    )
}

const fn is_token_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.')
}

/// The token in a token endpoint's response, with the name of its member (RFC 6749 section 5.1).
fn token_response(text: &str) -> Option<(&'static str, String)> {
    let text = text.trim();
    if !text.starts_with('{') {
        return None;
    }
    let response = json::parse(text).ok()?;
    ["access_token", "id_token"].into_iter().find_map(|member| {
        response
            .get(member)
            .and_then(Value::as_str)
            .map(|token| (member, token.to_owned()))
    })
}

/// Removes quotes and `Authorization: Bearer` around a text without a token.
fn strip(text: &str) -> &str {
    let is_edge = |c: char| c.is_whitespace() || is_quote(c);
    let mut rest = text.trim_matches(is_edge);
    while let Some(after) = ["authorization:", "bearer "]
        .into_iter()
        .find_map(|prefix| {
            let (start, after) = rest.split_at_checked(prefix.len())?;
            start.eq_ignore_ascii_case(prefix).then_some(after)
        })
    {
        rest = after.trim_matches(is_edge);
    }
    rest
}

/// The tokens in a text, in order, without the blanks inside them.
pub(super) fn tokens(text: &str) -> Vec<String> {
    let mut tokens = Vec::new();
    let mut starts = MAX_STARTS;
    let mut rest = text;
    while !rest.is_empty() && starts > 0 {
        let length = run_length(rest);
        let (run, after) = rest.split_at_checked(length).unwrap_or((rest, ""));
        tokens_of_run(run, after.chars().next(), &mut starts, &mut tokens);
        rest = after
            .get(after.chars().next().map_or(0, char::len_utf8)..)
            .unwrap_or("");
    }
    tokens
}

/// The number of bytes at the start that can belong to tokens: the alphabet of tokens, padding
/// (which decoding reports), blanks, and the backslash at the end of a shell line.
fn run_length(text: &str) -> usize {
    let mut characters = text.char_indices().peekable();
    while let Some((at, c)) = characters.next() {
        let next = characters.peek().map(|(_, next)| *next);
        let belongs = match c {
            '+' | '/' => true,
            '=' => {
                next.is_none_or(|next| next == '=' || next == '.' || !next.is_ascii_alphanumeric())
            }
            '\\' => matches!(next, Some('\n' | '\r')),
            c => c.is_whitespace() || u8::try_from(c).is_ok_and(is_token_byte),
        };
        if !belongs {
            return at;
        }
    }
    text.len()
}

/// Collects the tokens of a run. `next` is the character after it, `starts` the remaining number of
/// positions to try.
fn tokens_of_run(run: &str, next: Option<char>, starts: &mut usize, tokens: &mut Vec<String>) {
    let dots = |chunk: &str| chunk.bytes().filter(|byte| *byte == b'.').count();
    let mut chunks: Vec<&str> = run
        .split(|c: char| c.is_whitespace() || c == '\\')
        .filter(|c| !c.is_empty())
        .collect();
    let foreign = next.is_some_and(|c| {
        !is_quote(c) && !matches!(c, ',' | ';' | '&' | ')' | ']' | '}' | '>' | '\\')
    });
    if foreign && chunks.len() > 1 && !run.ends_with(char::is_whitespace) {
        // The last chunk belongs to the text after the run, as `Host` in `Host: example` on the
        // line after the token.
        chunks.pop();
    }
    let mut remaining_dots: usize = chunks.iter().map(|chunk| dots(chunk)).sum();
    let mut chunks = chunks.as_slice();
    while let Some((first, after)) = chunks.split_first() {
        if remaining_dots < 2 || *starts == 0 {
            return;
        }
        if !starts_token(first) {
            remaining_dots -= dots(first);
            chunks = after;
            continue;
        }
        *starts -= 1;
        let mut token = String::new();
        let (mut token_chunks, mut token_dots) = (0, 0);
        for chunk in chunks {
            if token_dots == 2 && starts_token(chunk) && remaining_dots - token_dots >= 2 {
                break;
            }
            token.push_str(chunk);
            token_dots += dots(chunk);
            token_chunks += 1;
        }
        if token_dots >= 2 && has_header(&token) {
            tokens.push(token);
            remaining_dots -= token_dots;
            chunks = chunks.get(token_chunks..).unwrap_or(&[]);
        } else {
            remaining_dots -= dots(first);
            chunks = after;
        }
    }
}

/// Whether a chunk starts with base64url for `{"`, or for `{` with a space or a line break.
fn starts_token(chunk: &str) -> bool {
    chunk.starts_with("ey") || chunk.starts_with("ew")
}

/// Whether the first part is a JSON object. Padding and spare bits are left for decoding to report.
fn has_header(token: &str) -> bool {
    let header = token.split('.').next().unwrap_or("").trim_end_matches('=');
    let text = base64url::decode(header)
        .ok()
        .and_then(|header| String::from_utf8(header.bytes).ok());
    text.is_some_and(|text| json::parse(&text).is_ok_and(|header| header.is_object()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Coded;
    use crate::token::UnverifiedToken;
    use proptest::prelude::*;

    const TOKEN: &str = "eyJhbGciOiJSUzI1NiIsImtpZCI6ImsifQ.eyJzdWIiOiJhbGljZSJ9.c2lnbmF0dXJl";

    fn codes(text: &str) -> (String, Vec<&'static str>) {
        let pasted = normalize_pasted(text);
        (
            pasted.token,
            pasted
                .warnings
                .iter()
                .map(|note| note.code.code())
                .collect(),
        )
    }

    #[test]
    fn a_clean_token_is_unchanged() {
        for text in [
            TOKEN.to_owned(),
            format!("\n  {TOKEN}\t\r\n"),
            format!("\u{a0}{TOKEN}\u{2003}"),
        ] {
            assert_eq!(codes(&text), (TOKEN.to_owned(), vec![]));
        }
    }

    #[test]
    fn the_token_is_extracted_from_pasted_text() {
        let removed = "surrounding_text_removed";
        let (start, end) = TOKEN.split_at(40);
        for (text, notes) in [
            (format!("Bearer {TOKEN}"), vec![removed]),
            (format!("bearer\t{TOKEN}"), vec![removed]),
            (format!("Authorization: Bearer {TOKEN}\r\n"), vec![removed]),
            (
                format!("authorization:BEARER {TOKEN}\r\nHost: example\r\nAccept: */*"),
                vec![removed],
            ),
            (format!("\"{TOKEN}\""), vec![removed]),
            (format!("'Bearer {TOKEN}',"), vec![removed]),
            (format!("`{TOKEN}`"), vec![removed]),
            (format!("\u{201c}{TOKEN}\u{201d}"), vec![removed]),
            (format!("  \"access_token\": \"{TOKEN}\","), vec![removed]),
            (format!("export TOKEN={TOKEN}"), vec![removed]),
            (
                format!("curl -H 'Authorization: Bearer {TOKEN}' https://api.example/v1/acls"),
                vec![removed],
            ),
            (
                format!("curl https://api.example/v1.2.3/a -H \"Authorization: Bearer {TOKEN}\""),
                vec![removed],
            ),
            (
                format!("https://app.example/#access_token={TOKEN}&token_type=Bearer"),
                vec![removed],
            ),
            (format!("{start}\n{end}"), vec!["blanks_removed"]),
            (format!("{start}\r\n   {end}\n"), vec!["blanks_removed"]),
            (
                format!("{start} \\\n{end}"),
                vec![removed, "blanks_removed"],
            ),
            (
                format!("Bearer {start}\n{end}"),
                vec![removed, "blanks_removed"],
            ),
            (TOKEN.replace('.', "\n.\n"), vec!["blanks_removed"]),
            (format!("\u{feff}{TOKEN}"), vec!["invisible_removed"]),
            (TOKEN.replace('.', ".\u{200b}"), vec!["invisible_removed"]),
            (
                format!(r#"{{"token_type":"Bearer","access_token":"{TOKEN}","expires_in":300}}"#),
                vec!["token_response"],
            ),
            (
                format!(r#"{{"id_token":"{TOKEN}"}}"#),
                vec!["token_response"],
            ),
        ] {
            assert_eq!(codes(&text), (TOKEN.to_owned(), notes), "{text}");
        }
    }

    #[test]
    fn breaks_inside_a_token_are_removed() {
        for at in 2..TOKEN.len() {
            let (start, end) = TOKEN.split_at(at);
            for blank in ["\n", " ", "\r\n\t"] {
                assert_eq!(
                    normalize_pasted(&format!("{start}{blank}{end}")).token,
                    TOKEN,
                    "at {at}"
                );
            }
        }
        let every_ten: String = TOKEN
            .as_bytes()
            .chunks(10)
            .map(|line| format!("{}\n", String::from_utf8_lossy(line)))
            .collect();
        assert_eq!(normalize_pasted(&every_ten).token, TOKEN);
    }

    #[test]
    fn two_tokens_are_not_joined() {
        for text in [
            format!("{TOKEN} {TOKEN}"),
            format!("{TOKEN}\n{TOKEN}\n"),
            format!("access: {TOKEN}\nid: {TOKEN}"),
            format!("'{TOKEN}','{TOKEN}'"),
        ] {
            let pasted = normalize_pasted(&text);
            assert_eq!(pasted.token, format!("{TOKEN} {TOKEN}"));
            assert_eq!(
                UnverifiedToken::decode(&pasted.token).unwrap_err().code(),
                "two_tokens"
            );
        }
    }

    #[test]
    fn invalid_tokens_are_left_for_decoding_to_report() {
        for (text, token) in [
            (format!("{TOKEN}=="), format!("{TOKEN}==")),
            (format!("Bearer {TOKEN}."), format!("{TOKEN}.")),
            (
                format!("Bearer {TOKEN}.e30.e30"),
                format!("{TOKEN}.e30.e30"),
            ),
            ("Bearer abcdef".to_owned(), "abcdef".to_owned()),
            (
                "Authorization: Bearer 'eyJh.e30'".to_owned(),
                "eyJh.e30".to_owned(),
            ),
            (" two words ".to_owned(), "two words".to_owned()),
            (String::new(), String::new()),
            ("<html/>".to_owned(), "<html/>".to_owned()),
            (
                "eyed and eyelid v1.2.3".to_owned(),
                "eyed and eyelid v1.2.3".to_owned(),
            ),
        ] {
            assert_eq!(normalize_pasted(&text).token, token, "{text}");
        }
    }

    #[test]
    fn long_invalid_text_is_fast() {
        for text in ["ey ", "eyJ.", "ey . ", "\"ey", "= ", "{\"a\":", "Bearer "] {
            let _ = normalize_pasted(&text.repeat(100_000));
        }
    }

    proptest! {
        #[test]
        fn normalizing_twice_changes_nothing(text in r#"(ey|eyJ9|e30|[ew0-9.= \n"\\:,{}]|Bearer |é){0,24}"#, more in any::<String>()) {
            for text in [text, more, format!("{TOKEN}.")] {
                let once = normalize_pasted(&text).token;
                prop_assert_eq!(&normalize_pasted(&once).token, &once);
            }
        }

        #[test]
        fn a_token_is_extracted_from_surrounding_text(before in "[a-zA-Z:]{0,8}[ \n\"'=]", after in "[\"',;][a-zA-Z :]{0,8}") {
            prop_assert_eq!(normalize_pasted(&format!("{before}{TOKEN}{after}")).token, TOKEN);
        }
    }
}
