//! Credentials that came to a place where they do not belong: recognized, and never repeated.

use gbac_analysis::audit::{REDACTED, without_credentials};
use gbac_json::{Problem, Problems};

use crate::output::Failure;

/// Refuses an argument that is a token: arguments show in process lists and histories, and a token is never a name.
pub(crate) fn refuse_tokens(arguments: &[String]) -> Result<(), Failure> {
    let Some(place) = arguments.iter().position(|argument| holds_token(argument)) else { return Ok(()) };
    let flag = arguments.get(place).and_then(|argument| argument.split_once('=')).map(|(flag, _)| flag);
    let before = place.checked_sub(1).and_then(|before| arguments.get(before)).map(String::as_str);
    let flag = flag.or(before).filter(|flag| flag.starts_with("--") && !holds_token(flag));
    let named = flag.map_or_else(|| "an argument".to_owned(), |flag| format!("the argument of `{flag}`"));
    Err(Failure::usage(format!(
        "{named} is an access token, and arguments show in process lists; put the token into a file and name the file, pass it on \
         standard input (`-`), or set GBAC_TOKEN"
    )))
}

/// A text without tokens and passwords, for a message.
pub(crate) fn scrubbed(text: &str) -> String {
    // Word by word, so that a word after `basic` or `bearer` in a sentence stays.
    let words = text.split_inclusive(char::is_whitespace);
    words.map(|word| without_user_info(&without_tokens(&without_credentials(word)))).collect()
}

/// The problems of a document, without what their messages quote of tokens.
pub(crate) fn scrubbed_problems(problems: Problems) -> Problems {
    let scrub = |Problem { path, code, message }| Problem { path: scrubbed(&path), code, message: scrubbed(&message) };
    Problems(problems.0.into_iter().map(scrub).collect())
}

/// Whether a text is a token or has one in it, whole or cut off.
fn holds_token(text: &str) -> bool {
    text.split_inclusive(char::is_whitespace).any(|word| without_credentials(word) != word)
        || without_tokens(text) != text
}

/// A text in which every part of a token is replaced, also of one that is cut off.
fn without_tokens(text: &str) -> String {
    let is_of_token = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    let mut clean = String::with_capacity(text.len());
    for piece in text.split_inclusive(|c| !is_of_token(c)) {
        let end = piece.find(|c| !is_of_token(c)).unwrap_or(piece.len());
        let (word, after) = piece.split_at(end);
        match word.find("eyJ").and_then(|start| word.split_at_checked(start)) {
            Some((before, token)) if is_token(token) => {
                clean.push_str(before);
                clean.push_str(REDACTED);
            }
            _ => clean.push_str(word),
        }
        clean.push_str(after);
    }
    clean
}

/// Whether a word begins as a token does: with a header, or a good part of it.
fn is_token(word: &str) -> bool {
    let header = word.split('.').next().unwrap_or_default();
    header.len() >= 20 || (header.len() >= 12 && header.len() < word.len())
}

/// An address without the user and the password in it.
fn without_user_info(word: &str) -> String {
    let (word, blank) = word.split_at(word.trim_end().len());
    format!("{}{blank}", without_user_info_in(word))
}

fn without_user_info_in(word: &str) -> String {
    let Some((scheme, rest)) = word.split_once("://") else { return word.to_owned() };
    let end = rest.find(['/', '?', '#', '`']).unwrap_or(rest.len());
    let (authority, path) = rest.split_at(end);
    if let Some((_, host)) = authority.rsplit_once('@') {
        return format!("{scheme}://{REDACTED}@{host}{path}");
    }
    // What stands in the place of a port and is none may be a password that was cut off.
    let port = authority.rsplit_once(':').map(|(_, port)| port.trim_end_matches(|c: char| !c.is_ascii_alphanumeric()));
    match port {
        Some(port) if !port.bytes().all(|byte| byte.is_ascii_digit()) && !authority.contains(']') => {
            format!("{scheme}://{REDACTED}{path}")
        }
        _ => word.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOKEN: &str = "eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJhIn0.c2ln-_";

    #[test]
    fn a_token_is_refused_wherever_it_stands_and_never_repeated() {
        for (arguments, named) in [
            (vec![TOKEN.to_owned()], "an argument is"),
            (vec!["--token-file".into(), TOKEN.into()], "the argument of `--token-file` is"),
            (vec![format!("--token-file={TOKEN}")], "the argument of `--token-file` is"),
            (vec!["--role".into(), format!("x={TOKEN}")], "the argument of `x` is"),
            (vec!["-".into(), format!("Bearer {TOKEN}")], "an argument is"),
            (vec!["--policy".into(), "eyJhbGciOiJSUzI1NiJ9.eyJzdWIi".into()], "the argument of `--policy` is"),
            (vec![format!("/tmp/{TOKEN}")], "an argument is"),
        ] {
            let named = if named.contains("`x`") { "an argument is" } else { named };
            let message = refuse_tokens(&arguments).unwrap_err().to_string();
            assert!(message.starts_with(named) && !message.contains("eyJ"), "{arguments:?}: {message}");
        }
        for fine in ["eyJ", "token.jwt", "Group:eyJ.x", "a.b.c", "https://idp.example/x", "$.groups"] {
            assert!(refuse_tokens(&[fine.to_owned()]).is_ok(), "{fine}");
        }
    }

    #[test]
    fn a_message_has_no_credentials() {
        assert_eq!(scrubbed(&format!("`{TOKEN}` is no file")), "`******` is no file");
        assert_eq!(scrubbed("basic words stay; https://a:b@host/x too"), "basic words stay; https://******@host/x too");
        assert_eq!(scrubbed("see `http://u:p@h`\n and more"), "see `http://******@h`\n and more");
        assert_eq!(scrubbed("'https://a:b @h' is none"), "'https://****** @h' is none");
        assert_eq!(scrubbed(&format!("the string `{}`", &TOKEN[..30])), "the string `******`");
        for fine in ["`http://127.0.0.1:8420` cannot be reached", "https://[::1]:80/x", "eyJ.x", "version `eyJhbGci`"] {
            assert_eq!(scrubbed(fine), fine);
        }
    }
}
