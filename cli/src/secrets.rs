//! Credentials in arguments and messages: refused, and never repeated.

use gbac_analysis::audit::{REDACTED, without_credentials, without_tokens};
use gbac_json::{Problem, Problems};

/// Refuses an argument that is a token: process lists and shell histories show arguments.
pub(crate) fn refuse_tokens(arguments: &[String]) -> Result<(), String> {
    let mut before = None;
    for argument in arguments {
        if contains_token(argument) {
            let flag = match argument.split_once('=') {
                Some((flag, _)) => Some(flag),
                None => before,
            };
            let named = match flag {
                Some(flag) if flag.starts_with("--") && !contains_token(flag) => {
                    format!("the argument of `{flag}`")
                }
                _ => "an argument".to_owned(),
            };
            return Err(format!(
                "{named} is an access token, and arguments show in process lists; put the token into a file and name the file, pass it on \
                 standard input (`-`), or set GBAC_CHECK_TOKEN (to examine it) or GBAC_TOKEN (to sign in with it)"
            ));
        }
        before = Some(argument.as_str());
    }
    Ok(())
}

/// A text without tokens and passwords, for a message.
pub(crate) fn redacted(text: &str) -> String {
    // Checks single words, so that the word after `basic` or `bearer` in a sentence stays.
    let words = text.split_inclusive(char::is_whitespace);
    words
        .map(|word| without_user_info(&without_tokens(&without_credentials(word))))
        .collect()
}

/// The problems of a document, with tokens in their messages redacted.
pub(crate) fn redacted_problems(problems: Problems) -> Problems {
    let Problems(mut problems) = problems;
    for Problem { path, message, .. } in &mut problems {
        (*path, *message) = (redacted(path), redacted(message));
    }
    Problems(problems)
}

/// Whether a text contains a token or a part of one.
fn contains_token(text: &str) -> bool {
    text.split_inclusive(char::is_whitespace)
        .any(|word| without_credentials(word) != word)
        || without_tokens(text) != text
}

/// A URL without its user name and password.
fn without_user_info(word: &str) -> String {
    let (word, blank) = word.split_at(word.trim_end().len());
    format!("{}{blank}", without_user_info_in(word))
}

fn without_user_info_in(word: &str) -> String {
    let Some((scheme, rest)) = word.split_once("://") else {
        return word.to_owned();
    };
    let end = rest.find(['/', '?', '#', '`']).unwrap_or(rest.len());
    let (authority, path) = rest.split_at(end);
    if let Some((_, host)) = authority.rsplit_once('@') {
        return format!("{scheme}://{REDACTED}@{host}{path}");
    }
    // An invalid port can be a password that was cut off.
    let port = authority
        .rsplit_once(':')
        .map(|(_, port)| port.trim_end_matches(|c: char| !c.is_ascii_alphanumeric()));
    match port {
        Some(port)
            if !port.bytes().all(|byte| byte.is_ascii_digit()) && !authority.contains(']') =>
        {
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
            (
                vec!["--token-file".into(), TOKEN.into()],
                "the argument of `--token-file` is",
            ),
            (
                vec![format!("--token-file={TOKEN}")],
                "the argument of `--token-file` is",
            ),
            (
                vec!["--role".into(), format!("x={TOKEN}")],
                "the argument of `x` is",
            ),
            (
                vec!["-".into(), format!("Bearer {TOKEN}")],
                "an argument is",
            ),
            (
                vec!["--policy".into(), "eyJhbGciOiJSUzI1NiJ9.eyJzdWIi".into()],
                "the argument of `--policy` is",
            ),
            (vec![format!("/tmp/{TOKEN}")], "an argument is"),
        ] {
            let named = if named.contains("`x`") {
                "an argument is"
            } else {
                named
            };
            let message = refuse_tokens(&arguments).unwrap_err();
            assert!(
                message.starts_with(named) && !message.contains("eyJ"),
                "{arguments:?}: {message}"
            );
        }
        for fine in [
            "eyJ",
            "token.jwt",
            "Group:eyJ.x",
            "a.b.c",
            "https://idp.example/x",
            "$.groups",
        ] {
            assert!(refuse_tokens(&[fine.to_owned()]).is_ok(), "{fine}");
        }
    }

    #[test]
    fn a_message_has_no_credentials() {
        assert_eq!(
            redacted(&format!("`{TOKEN}` is no file")),
            "`******` is no file"
        );
        assert_eq!(
            redacted("basic words stay; https://a:b@host/x too"),
            "basic words stay; https://******@host/x too"
        );
        assert_eq!(
            redacted("see `http://u:p@h`\n and more"),
            "see `http://******@h`\n and more"
        );
        assert_eq!(
            redacted("'https://a:b @h' is none"),
            "'https://****** @h' is none"
        );
        assert_eq!(
            redacted(&format!("the string `{}`", &TOKEN[..30])),
            "the string `******`"
        );
        for fine in [
            "`http://127.0.0.1:8420` cannot be reached",
            "https://[::1]:80/x",
            "eyJ.x",
            "version `eyJhbGci`",
        ] {
            assert_eq!(redacted(fine), fine);
        }
    }
}
