//! Sentences stand in `gbac-words`; views and commands hold labels.

use proc_macro2::{TokenStream, TokenTree};

use super::{is_test, must_be_empty, sources};

/// A text with this many words is a sentence, even without a final period.
const SENTENCE: usize = 5;

#[test]
fn views_and_commands_hold_no_sentences() {
    let mut found = Vec::new();
    for source in sources(&["console/src", "cli/src/commands"]) {
        if is_test(&source.name) {
            continue;
        }
        let code = source.code().join("\n");
        let tokens: TokenStream = code.parse().expect("the file is Rust");
        for text in texts(tokens) {
            if is_sentence(&text) {
                found.push(format!("{}: {text}", source.name));
            }
        }
    }
    must_be_empty("these sentences belong in engine/words", &found);
}

#[test]
fn a_sentence_in_a_view_is_found() {
    let view = r#"
        //! The roles. They group ACLs.
        #[expect(lint, reason = "the text of this is not shown to users")]
        fn page() {
            view! { <p class="panel flat pad stack over" title="Add role">"No role. Add one."</p> };
            format!("{name} names every one of {}", 1);
            html("<b>one two three four five</b>");
        }
    "#;
    let tokens = view.parse().unwrap();
    let found: Vec<String> = texts(tokens)
        .into_iter()
        .filter(|text| is_sentence(text))
        .collect();
    assert_eq!(found, ["No role. Add one.", "{name} names every one of {}"]);
}

/// The texts of code, without attributes and lists of classes.
fn texts(tokens: TokenStream) -> Vec<String> {
    let mut found = Vec::new();
    let mut before = [String::new(), String::new()];
    for token in tokens {
        let word = token.to_string();
        match token {
            TokenTree::Group(_) if before[1] == "#" || before[1] == "!" && before[0] == "#" => {}
            TokenTree::Group(group) => found.extend(texts(group.stream())),
            TokenTree::Literal(_) if before[1] == "=" && before[0] == "class" => {}
            TokenTree::Literal(literal) => {
                if let Ok(text) = syn::parse_str::<syn::LitStr>(&literal.to_string()) {
                    found.push(text.value());
                }
            }
            TokenTree::Ident(_) | TokenTree::Punct(_) => {}
        }
        let [_, last] = before;
        before = [last, word];
    }
    found
}

/// Whether a text ends a sentence, or has as many words as one.
fn is_sentence(text: &str) -> bool {
    let text = without_arguments(text);
    let words: Vec<&str> = text.split_whitespace().collect();
    let ends = words.len() > 1 && words.iter().any(|word| ends_a_sentence(word));
    let is_code = text.contains(['<', '>', '=', '/']) || text.contains("--");
    let named = words
        .iter()
        .filter(|word| word.contains(char::is_alphabetic));
    ends || !is_code && named.count() >= SENTENCE
}

fn ends_a_sentence(word: &str) -> bool {
    let Some(stem) = word.strip_suffix(['.', '?', '!']) else {
        return false;
    };
    let letters = stem.chars().rev().take_while(char::is_ascii_lowercase);
    letters.count() >= 2
}

/// The text with `x` in place of every `{..}`.
fn without_arguments(text: &str) -> String {
    let mut plain = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('{') {
        plain.push_str(before);
        plain.push('x');
        rest = after.split_once('}').map_or("", |(_, after)| after);
    }
    plain + rest
}
