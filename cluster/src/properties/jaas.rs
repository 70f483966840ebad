//! `sasl.jaas.config`: the login module of Java's sign-in, with its options.

/// A login module with its options.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct LoginModule {
    pub(super) class: String,
    pub(super) options: Vec<(String, String)>,
}

impl LoginModule {
    /// Reads `class required name="value" ...;`.
    pub(super) fn parse(text: &str) -> Result<Self, &'static str> {
        let mut words = words(text)?.into_iter();
        let Some(Word::Text(class)) = words.next() else {
            return Err("it begins with the name of a login module");
        };
        match words.next() {
            Some(Word::Text(flag))
                if ["required", "requisite", "sufficient", "optional"]
                    .contains(&flag.to_ascii_lowercase().as_str()) => {}
            _ => return Err("`required` follows the name of the login module"),
        }
        let mut options = Vec::new();
        loop {
            match (words.next(), words.as_slice()) {
                (Some(Word::Semicolon), []) => return Ok(Self { class, options }),
                (Some(Word::Semicolon), _) => {
                    return Err("there is more than one login module");
                }
                (Some(Word::Text(name)), [Word::Equals, Word::Text(value), ..]) => {
                    options.push((name, value.clone()));
                    words.nth(1);
                }
                (Some(Word::Text(_) | Word::Equals), _) => {
                    return Err("an option is not `name=\"value\"`");
                }
                (None, _) => return Err("it ends with `;`"),
            }
        }
    }

    /// The value of an option.
    pub(super) fn option(&self, name: &str) -> Option<&str> {
        let found = self.options.iter().rev().find(|(of, _)| of == name);
        found.map(|(_, value)| value.as_str())
    }
}

#[derive(Clone, PartialEq, Eq)]
enum Word {
    Text(String),
    Equals,
    Semicolon,
}

fn words(text: &str) -> Result<Vec<Word>, &'static str> {
    let mut words = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        rest = match first {
            '=' => {
                words.push(Word::Equals);
                &rest[1..]
            }
            ';' => {
                words.push(Word::Semicolon);
                &rest[1..]
            }
            '"' | '\'' => {
                let (value, after) = quoted(&rest[1..], first)?;
                words.push(Word::Text(value));
                after
            }
            _ => {
                let is_end = |c: char| c.is_whitespace() || matches!(c, '=' | ';' | '"' | '\'');
                let (word, after) = rest.split_at(rest.find(is_end).unwrap_or(rest.len()));
                words.push(Word::Text(word.to_owned()));
                after
            }
        }
        .trim_start();
    }
    Ok(words)
}

/// A text up to the quotation mark that ends it, with the escapes of Java's tokenizer.
fn quoted(text: &str, mark: char) -> Result<(String, &str), &'static str> {
    let mut value = String::new();
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        match character {
            '\\' => match characters.next() {
                Some('n') => value.push('\n'),
                Some('t') => value.push('\t'),
                Some('r') => value.push('\r'),
                Some('a') => value.push('\u{7}'),
                Some('b') => value.push('\u{8}'),
                Some('f') => value.push('\u{c}'),
                Some('v') => value.push('\u{b}'),
                Some(digit @ '0'..='7') => value.push(octal(digit, &mut characters)),
                Some(other) => value.push(other),
                None => break,
            },
            _ if character == mark => return Ok((value, characters.as_str())),
            '\n' | '\r' => break,
            _ => value.push(character),
        }
    }
    Err("a quotation mark is missing")
}

/// One to three octal digits, up to `\377`.
fn octal(first: char, characters: &mut std::str::Chars<'_>) -> char {
    let limit = if first <= '3' { 2 } else { 1 };
    let mut value = first.to_digit(8).unwrap_or(0);
    for _ in 0..limit {
        let Some(digit) = characters.clone().next().and_then(|next| next.to_digit(8)) else {
            break;
        };
        characters.next();
        value = value * 8 + digit;
    }
    char::from_u32(value).unwrap_or(char::REPLACEMENT_CHARACTER)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> LoginModule {
        match LoginModule::parse(text) {
            Ok(module) => module,
            Err(problem) => panic!("{text}: {problem}"),
        }
    }

    #[test]
    fn reads_modules_with_options() {
        let module = parsed("a.b.Plain required username=\"ann\" password=\"a \\\"b\\\\ ;=c\";");
        assert_eq!(module.class, "a.b.Plain");
        assert_eq!(module.option("username"), Some("ann"));
        assert_eq!(module.option("password"), Some("a \"b\\ ;=c"));
        assert_eq!(module.option("scope"), None);
        let module = parsed("M REQUIRED\n  a = b\n  c='d' ;");
        assert_eq!(
            (module.option("a"), module.option("c")),
            (Some("b"), Some("d"))
        );
        assert_eq!(parsed("M required;").options, []);
        assert_eq!(
            parsed("M required a=\"\\101\\tx\";").option("a"),
            Some("A\tx")
        );
    }

    #[test]
    fn refuses_other_texts() {
        for text in [
            "",
            ";",
            "M",
            "M;",
            "M required",
            "M required a",
            "M required a=;",
            "M required a=\"b;",
            "M required a=\"b\" c;",
            "M required; N required;",
            "M maybe;",
        ] {
            assert!(LoginModule::parse(text).is_err(), "{text}");
        }
    }
}
