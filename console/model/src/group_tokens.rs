//! Tokens of several kinds of users, on which changed settings are tried.

use gbac_engine::ClaimSet;
use gbac_words::group_change::{too_many_tokens, wrong_token};
use serde::de::IgnoredAny;

use crate::simulator::token::{self, TokenReading};

/// How many tokens are read: more kinds of users than an administrator has in mind, and few enough
/// for a comparison after each edit.
pub const MOST_TOKENS: usize = 20;
/// Among the words of a pasted token, what begins another one.
const BEGINNINGS: [&str; 4] = ["eyj", "{", "bearer", "authorization:"];

/// The tokens of a text.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct GroupTokens {
    /// What was read, in order.
    readings: Vec<TokenReading>,
    /// Whether the text has more of them.
    has_more: bool,
    /// The claims of what cannot be read, so that the others keep their numbers.
    nothing: ClaimSet,
}

impl From<TokenReading> for GroupTokens {
    fn from(reading: TokenReading) -> Self {
        Self {
            readings: vec![reading],
            ..Self::default()
        }
    }
}

impl GroupTokens {
    /// Reads tokens that stand one after the other, each as it is copied somewhere: with `Bearer`,
    /// in quotes, over several lines, or its claims as JSON.
    pub fn read(text: &str) -> Self {
        let mut tokens = Self::default();
        let mut rest = text.trim_start();
        while !rest.is_empty() {
            if tokens.readings.len() == MOST_TOKENS {
                tokens.has_more = true;
                break;
            }
            let (piece, more) = rest.split_at(end_of_first(rest));
            tokens.readings.push(read_one(piece));
            rest = more.trim_start();
        }
        tokens
    }

    /// The claims of each; none of one that cannot be read.
    pub fn claims(&self) -> Vec<&ClaimSet> {
        let mut claims = Vec::with_capacity(self.readings.len());
        for reading in &self.readings {
            claims.push(reading.claims().unwrap_or(&self.nothing));
        }
        claims
    }

    /// The claims of those that can be read.
    pub fn readable(&self) -> impl Iterator<Item = &ClaimSet> {
        self.readings.iter().filter_map(TokenReading::claims)
    }

    /// What is wrong with the first of them that is wrong.
    pub fn problem(&self) -> Option<String> {
        for (place, reading) in self.readings.iter().enumerate() {
            if let Some(problem) = reading.problem() {
                let words = problem.words.plain();
                return Some(wrong_token(place, self.readings.len(), &words));
            }
        }
        self.has_more.then(|| too_many_tokens(MOST_TOKENS))
    }
}

fn read_one(piece: &str) -> TokenReading {
    match token::read(piece, false) {
        // Nobody has to be asked: what is tried here is what claims give, not whether they are true.
        TokenReading::Wrong(_) if piece.starts_with('{') => token::read(piece, true),
        reading => reading,
    }
}

/// Where the first token of a text ends.
fn end_of_first(text: &str) -> usize {
    if text.starts_with('{') {
        return end_of_object(text);
    }
    let mut dots = 0;
    let mut end = 0;
    for word in text.split_inclusive(char::is_whitespace) {
        // A signed token has two dots; before them, a line that begins alike goes on with it.
        if dots >= 2 && begins_token(word) {
            return end;
        }
        dots += word.matches('.').count();
        end += word.len();
    }
    end
}

fn begins_token(word: &str) -> bool {
    let word = word
        .trim_start_matches(['"', '\'', '`'])
        .to_ascii_lowercase();
    BEGINNINGS
        .iter()
        .any(|beginning| word.starts_with(beginning))
}

/// Where the JSON object at the start of a text ends: at the end of the text where it is none.
fn end_of_object(text: &str) -> usize {
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<IgnoredAny>();
    match values.next() {
        Some(Ok(_)) => values.byte_offset(),
        Some(Err(_)) | None => text.len(),
    }
}

#[cfg(test)]
mod tests {
    use base64::Engine;
    use base64::engine::general_purpose::URL_SAFE_NO_PAD;
    use serde_json::json;

    use super::*;

    fn token(user: &str) -> String {
        let part = |value: serde_json::Value| URL_SAFE_NO_PAD.encode(value.to_string());
        let claims = part(json!({ "sub": user, "groups": ["a"] }));
        format!("{}.{claims}.c2lnbmF0dXJl", part(json!({ "alg": "RS256" })))
    }

    fn users(text: &str) -> Vec<String> {
        let tokens = GroupTokens::read(text);
        let subjects = tokens
            .readable()
            .map(|claims| claims.text("sub").unwrap_or_default().to_owned());
        subjects.collect()
    }

    #[test]
    fn tokens_are_read_as_they_are_copied() {
        let (ada, bob) = (token("ada"), token("bob"));
        let wrapped = ada.replace('.', ".\n");
        let claims = json!({ "sub": "eve", "groups": ["} {"] });
        for (text, expected) in [
            (format!("{ada}\n{bob}"), vec!["ada", "bob"]),
            (
                format!("  Bearer {ada}\n\nbearer {bob}\n"),
                vec!["ada", "bob"],
            ),
            (format!("\"{ada}\"\n\"{bob}\""), vec!["ada", "bob"]),
            (format!("{wrapped}\n{bob}"), vec!["ada", "bob"]),
            (
                format!("{claims:#}{ada} {claims}"),
                vec!["eve", "ada", "eve"],
            ),
            (String::new(), vec![]),
        ] {
            assert_eq!(users(&text), expected, "{text}");
            assert_eq!(GroupTokens::read(&text).problem(), None, "{text}");
        }
    }

    #[test]
    fn what_cannot_be_read_is_told_by_its_number() {
        let found = GroupTokens::read(&format!("{} eyJhbGciOiJSUzI1NiJ9", token("ada")));
        assert_eq!((found.readable().count(), found.claims().len()), (1, 2));
        let problem = found.problem().unwrap();
        assert!(problem.starts_with("Token 2: "), "{problem}");
        let alone = GroupTokens::read("nothing").problem().unwrap();
        assert!(!alone.starts_with("Token"), "{alone}");
        let many = GroupTokens::read(&format!("{}\n", token("ada")).repeat(MOST_TOKENS + 1));
        assert_eq!(many.claims().len(), MOST_TOKENS);
        let problem = many.problem().unwrap();
        assert!(problem.contains("first 20 tokens"), "{problem}");
    }
}
