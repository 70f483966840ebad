//! Parses claim paths into segments (RFC 9535, D-11), with precise errors.

use serde_json::Value;

use super::fault::{ClaimPathError, Fault};
use super::filter::{self, Comparison, Filter, Query, Segment, Selector, Slice, Token};
use super::spell::{bracketed, is_blank, is_curly_quote, is_name_char, is_name_first, push_name};
use super::{MAX_NESTING, MAX_PATH_BYTES};
use crate::json;
use crate::text::holds;

/// Parses a whole path.
pub(super) fn scan(text: &str) -> Result<Vec<Segment>, ClaimPathError> {
    if text.is_empty() {
        return Err(ClaimPathError::at(0, Fault::Empty));
    }
    if text.len() > MAX_PATH_BYTES {
        return Err(ClaimPathError::at(
            text.floor_char_boundary(MAX_PATH_BYTES),
            Fault::TooLong(text.len()),
        ));
    }
    let mut reader = Reader {
        text,
        at: 0,
        depth: 0,
        blanks: false,
        dotted: None,
    };
    reader.root()?;
    let segments = reader.segments()?;
    reader.end()?;
    Ok(segments)
}

/// The offsets of a dotted name: its dot, its start and its end.
#[derive(Clone, Copy)]
struct Dotted {
    dot: usize,
    start: usize,
    end: usize,
}

struct Reader<'t> {
    text: &'t str,
    at: usize,
    /// The number of open brackets and parentheses.
    depth: usize,
    /// Whether the current query has blanks in its brackets.
    blanks: bool,
    /// The last dotted name.
    dotted: Option<Dotted>,
}

impl<'t> Reader<'t> {
    fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn bump(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.at += c.len_utf8();
        Some(c)
    }

    fn eat(&mut self, expected: &str) -> bool {
        let is_next = self.rest().starts_with(expected);
        if is_next {
            self.at += expected.len();
        }
        is_next
    }

    fn take_while(&mut self, keep: fn(char) -> bool) -> &'t str {
        let rest = self.rest();
        let len = rest.find(|c| !keep(c)).unwrap_or(rest.len());
        self.at += len;
        rest.get(..len).unwrap_or_default()
    }

    fn blanks(&mut self) {
        self.take_while(is_blank);
    }

    fn fail<T>(&self, fault: Fault) -> Result<T, ClaimPathError> {
        Err(ClaimPathError::at(self.at, fault))
    }

    /// The error that the next character, or the end of the text, is unexpected.
    fn unexpected<T>(&self) -> Result<T, ClaimPathError> {
        match self.peek() {
            None => self.fail(Fault::UnexpectedEnd),
            Some(c) if is_curly_quote(c) => self.fail(Fault::CurlyQuote(c)),
            Some(c) => self.fail(Fault::Unexpected(c)),
        }
    }

    fn root(&mut self) -> Result<(), ClaimPathError> {
        if self.eat("$") {
            return match self.peek() {
                Some(c) if is_name_first(c) && !is_curly_quote(c) => {
                    self.fail(Fault::MissingDot(format!("$.{}", self.rest())))
                }
                Some('{') => self.fail(Fault::SsoForm),
                _ => Ok(()),
            };
        }
        match self.peek() {
            Some(c) if c.is_whitespace() || c == '\u{feff}' => self.fail(Fault::SurroundingBlanks),
            Some(c) if is_curly_quote(c) || matches!(c, '\'' | '"') => self.fail(Fault::QuotedPath),
            _ => self.fail(Fault::MissingRoot(with_root(self.text))),
        }
    }

    /// Checks that nothing follows the last segment.
    fn end(&self) -> Result<(), ClaimPathError> {
        let Some(next) = self.peek() else {
            return Ok(());
        };
        if self.rest().chars().all(char::is_whitespace) {
            return self.fail(Fault::SurroundingBlanks);
        }
        match self.dotted {
            Some(dotted)
                if dotted.end == self.at
                    && !matches!(next, ']' | ')' | ',' | '\'' | '"')
                    && !is_curly_quote(next) =>
            {
                self.fail(self.needs_brackets(dotted, next))
            }
            _ => self.unexpected(),
        }
    }

    /// The error for a dotted name with a character that is allowed only in quotes.
    fn needs_brackets(&self, dotted: Dotted, found: char) -> Fault {
        if self.depth > 0 {
            return Fault::NeedsBrackets {
                found,
                suggestion: None,
            };
        }
        let rest = self.text.get(dotted.start..).unwrap_or_default();
        // A name with a slash is probably a URL, so its dots belong to the name.
        let len = if rest.contains('/') {
            rest.len()
        } else {
            rest.find(['.', '[']).unwrap_or(rest.len())
        };
        let (name, tail) = rest.split_at_checked(len).unwrap_or((rest, ""));
        let head = self.text.get(..dotted.dot).unwrap_or_default();
        Fault::NeedsBrackets {
            found,
            suggestion: Some(format!("{head}{}{tail}", bracketed(name.trim_end()))),
        }
    }

    /// rule: `segments = *(S segment)`
    fn segments(&mut self) -> Result<Vec<Segment>, ClaimPathError> {
        let mut segments = Vec::new();
        loop {
            let before = self.at;
            self.blanks();
            let start = self.at;
            if self.rest().starts_with("..") {
                return self.fail(Fault::Descendants);
            }
            if self.peek() == Some('[') {
                segments.push(self.bracket()?);
            } else if self.eat(".") {
                segments.push(vec![self.after_dot(start)?]);
            } else {
                self.at = before;
                return Ok(segments);
            }
        }
    }

    /// Reads `*` or a name after `.`.
    fn after_dot(&mut self, dot: usize) -> Result<Selector, ClaimPathError> {
        if self.eat("*") {
            return Ok(Selector::Wildcard);
        }
        let start = self.at;
        match self.peek() {
            Some(c) if is_curly_quote(c) => self.fail(Fault::CurlyQuote(c)),
            Some(c) if is_name_first(c) => {
                let name = self.take_while(is_name_char);
                self.dotted = Some(Dotted {
                    dot,
                    start,
                    end: self.at,
                });
                Ok(Selector::Name(name.to_owned()))
            }
            Some(c) if c.is_ascii_digit() => {
                let name: String = self
                    .rest()
                    .chars()
                    .take_while(|c| is_name_char(*c))
                    .collect();
                if name.chars().all(|c| c.is_ascii_digit()) {
                    return self.fail(Fault::DottedDigits(name));
                }
                self.fail(self.needs_brackets(
                    Dotted {
                        dot,
                        start,
                        end: start,
                    },
                    c,
                ))
            }
            None => Err(ClaimPathError::at(dot, Fault::TrailingDot)),
            Some(_) if self.rest().chars().all(char::is_whitespace) => {
                Err(ClaimPathError::at(dot, Fault::TrailingDot))
            }
            Some('[' | '\'' | '"') => self.fail(Fault::DotBeforeBracket),
            Some('.' | ']' | ')' | ',' | '=' | '<' | '>' | '!') => self.fail(Fault::EmptyName),
            Some(c) if is_blank(c) => self.fail(Fault::EmptyName),
            Some(c) => self.fail(self.needs_brackets(
                Dotted {
                    dot,
                    start,
                    end: start,
                },
                c,
            )),
        }
    }

    /// Counts an opening bracket or parenthesis.
    fn deepen(&mut self) -> Result<(), ClaimPathError> {
        self.depth += 1;
        if self.depth > MAX_NESTING {
            self.fail(Fault::TooDeep)
        } else {
            Ok(())
        }
    }

    /// rule: `bracketed-selection = "[" S selector *(S "," S selector) S "]"`
    fn bracket(&mut self) -> Result<Vec<Selector>, ClaimPathError> {
        let open = self.at;
        self.deepen()?;
        self.at += 1;
        let mut selectors = Vec::new();
        loop {
            let before = self.at;
            self.blanks();
            self.blanks |= self.at > before;
            selectors.push(self.selector(open)?);
            let after = self.at;
            self.blanks();
            self.blanks |= self.at > after;
            match self.peek() {
                Some(']') => {
                    self.at += 1;
                    self.depth -= 1;
                    return Ok(selectors);
                }
                Some(',') => self.at += 1,
                None => return Err(ClaimPathError::at(open, Fault::UnclosedBracket)),
                Some(_) => return self.unexpected(),
            }
        }
    }

    fn selector(&mut self, open: usize) -> Result<Selector, ClaimPathError> {
        match self.peek() {
            None => Err(ClaimPathError::at(open, Fault::UnclosedBracket)),
            Some(quote @ ('\'' | '"')) => self.quoted_name(quote).map(Selector::Name),
            Some('*') => {
                self.at += 1;
                Ok(Selector::Wildcard)
            }
            Some('?') => {
                self.at += 1;
                self.filter(open).map(Selector::Filter)
            }
            Some(c) if c.is_ascii_digit() || matches!(c, '-' | ':') => self.index_or_slice(open),
            Some(']' | ',') => self.fail(Fault::EmptySelector),
            Some('(' | '@') => self.fail(Fault::Script),
            Some(c) if is_curly_quote(c) => self.fail(Fault::CurlyQuote(c)),
            Some(c) if is_name_first(c) => {
                let rest = self.rest();
                let name = rest
                    .get(..rest.find([']', ',', '[']).unwrap_or(rest.len()))
                    .unwrap_or(rest);
                self.fail(Fault::UnquotedName(name.trim_end().to_owned()))
            }
            Some(_) => self.unexpected(),
        }
    }

    /// Skips a quoted text and returns the text between the quotes with its escapes.
    fn quoted(&mut self, quote: char) -> Result<&'t str, ClaimPathError> {
        let open = self.at;
        self.at += 1;
        let start = self.at;
        while let Some(c) = self.peek() {
            if c == quote {
                let inner = self.text.get(start..self.at).unwrap_or_default();
                self.at += 1;
                return Ok(inner);
            }
            if c < ' ' {
                return self.fail(Fault::ControlCharacter(c));
            }
            self.at += c.len_utf8();
            if c == '\\' {
                self.bump();
            }
        }
        Err(ClaimPathError::at(open, Fault::UnclosedQuote(quote)))
    }

    /// Reads a quoted name and decodes its escapes: those of JSON, and `\'` between single quotes.
    fn quoted_name(&mut self, quote: char) -> Result<String, ClaimPathError> {
        let open = self.at;
        let inner = self.quoted(quote)?;
        let mut json = String::with_capacity(inner.len() + 2);
        json.push('"');
        let mut chars = inner.chars();
        while let Some(c) = chars.next() {
            match (c, quote) {
                ('"', '\'') => json.push_str("\\\""),
                ('\\', _) => match chars.next() {
                    Some('\'') if quote == '\'' => json.push('\''),
                    Some('"') if quote == '\'' => {
                        return Err(ClaimPathError::at(open, Fault::BadEscape));
                    }
                    Some(escaped) => json.extend(['\\', escaped]),
                    None => return Err(ClaimPathError::at(open, Fault::BadEscape)),
                },
                _ => json.push(c),
            }
        }
        json.push('"');
        match json::parse(&json) {
            Ok(Value::String(name)) => Ok(name),
            _ => Err(ClaimPathError::at(open, Fault::BadEscape)),
        }
    }

    /// rule: `index-selector = int`, `slice-selector = [start S] ":" S [end S] [":" [S step ]]`
    fn index_or_slice(&mut self, open: usize) -> Result<Selector, ClaimPathError> {
        let mut slice = Slice::default();
        let mut colons = 0;
        loop {
            let start = self.at;
            let digits = self.take_while(|c| c.is_ascii_digit() || c == '-');
            if !digits.is_empty() {
                let number = integer(digits);
                if number.is_none() {
                    return Err(ClaimPathError::at(
                        start,
                        Fault::BadIndex(digits.to_owned()),
                    ));
                }
                match colons {
                    0 => slice.start = number,
                    1 => slice.end = number,
                    _ => slice.step = number,
                }
            }
            let after = self.at;
            self.blanks();
            if colons < 2 && self.eat(":") {
                colons += 1;
                self.blanks();
                continue;
            }
            return match self.peek() {
                Some(']' | ',') => {
                    self.at = after;
                    let index = slice.start.filter(|_| colons == 0);
                    Ok(index.map_or(Selector::Slice(slice), Selector::Index))
                }
                None => Err(ClaimPathError::at(open, Fault::UnclosedBracket)),
                Some(_) => self.unexpected(),
            };
        }
    }

    /// Reads the expression of a filter, up to the `,` or `]` after it.
    fn filter(&mut self, open: usize) -> Result<Filter, ClaimPathError> {
        self.blanks();
        let start = self.at;
        let mut tokens = Vec::new();
        // The offsets of open parentheses.
        let mut parentheses: Vec<usize> = Vec::new();
        loop {
            let at = self.at;
            let Some(c) = self.peek() else {
                let fault = match parentheses.last() {
                    Some(parenthesis) => {
                        ClaimPathError::at(*parenthesis, Fault::UnclosedParenthesis)
                    }
                    None => ClaimPathError::at(open, Fault::UnclosedBracket),
                };
                return Err(fault);
            };
            match c {
                ']' | ',' if parentheses.is_empty() => {
                    return filter::read(tokens).map_err(|fault| ClaimPathError::at(start, fault));
                }
                ']' => {
                    let parenthesis = parentheses.last().copied().unwrap_or(at);
                    return Err(ClaimPathError::at(parenthesis, Fault::UnclosedParenthesis));
                }
                '\'' | '"' => tokens.push(Token::Literal(Value::String(self.quoted_name(c)?))),
                '@' | '$' => tokens.push(Token::Query(self.query(c == '$')?)),
                '(' => {
                    self.deepen()?;
                    self.at += 1;
                    parentheses.push(at);
                    tokens.push(Token::Open);
                }
                ')' => {
                    if parentheses.pop().is_none() {
                        return self.unexpected();
                    }
                    self.depth -= 1;
                    self.at += 1;
                    tokens.push(Token::Close);
                }
                c if c.is_ascii_alphabetic() || c == '_' => {
                    tokens.push(self.word()?);
                }
                c if c.is_ascii_digit() || c == '-' => {
                    // rule: `number = (int / "-0") [frac] [exp]`, which is JSON's.
                    let number = self.take_while(|c| {
                        c.is_ascii_digit() || matches!(c, '.' | 'e' | 'E' | '+' | '-')
                    });
                    let number = json::parse(number)
                        .map_err(|_| ClaimPathError::at(start, Fault::Filter))?;
                    tokens.push(Token::Literal(number));
                }
                c if is_blank(c) => self.blanks(),
                _ => tokens.push(self.operator()?),
            }
        }
    }

    /// Reads a query in a filter, from its `@` or `$` on.
    fn query(&mut self, absolute: bool) -> Result<Query, ClaimPathError> {
        self.at += 1;
        let outer_blanks = std::mem::take(&mut self.blanks);
        let segments = self.segments()?;
        let tight = !std::mem::replace(&mut self.blanks, outer_blanks);
        if let (Some(dotted), Some(next)) = (self.dotted, self.peek())
            && dotted.end == self.at
            && matches!(next, '/' | '@' | '#' | '\\' | '%' | ';' | '~')
        {
            return self.fail(self.needs_brackets(dotted, next));
        }
        Ok(Query {
            absolute,
            segments,
            tight,
        })
    }

    /// Reads a word in a filter: a literal.
    fn word(&mut self) -> Result<Token, ClaimPathError> {
        let start = self.at;
        let word = self.take_while(|c| c.is_ascii_alphanumeric() || c == '_');
        let fault = match word {
            "true" | "false" => return Ok(Token::Literal(Value::Bool(word == "true"))),
            "null" => return Ok(Token::Literal(Value::Null)),
            "and" | "or" | "not" | "AND" | "OR" | "NOT" => Fault::WordOperator(word.to_owned()),
            _ if self.peek() == Some('(') => Fault::Function(word.to_owned()),
            _ => Fault::UnquotedWord(word.to_owned()),
        };
        Err(ClaimPathError::at(start, fault))
    }

    /// Reads an operator in a filter.
    fn operator(&mut self) -> Result<Token, ClaimPathError> {
        for (text, comparison) in [
            ("==", Comparison::Equal),
            ("!=", Comparison::NotEqual),
            ("<=", Comparison::LessOrEqual),
            (">=", Comparison::GreaterOrEqual),
            ("<", Comparison::Less),
            (">", Comparison::Greater),
        ] {
            if self.eat(text) {
                return Ok(Token::Compare(comparison));
            }
        }
        for (text, token) in [("&&", Token::And), ("||", Token::Or), ("!", Token::Not)] {
            if self.eat(text) {
                return Ok(token);
            }
        }
        match self.peek() {
            Some('=') if self.rest().starts_with("=~") => {
                self.fail(Fault::Function("=~".to_owned()))
            }
            Some(c @ ('=' | '&' | '|')) => self.fail(Fault::SingleOperator(c)),
            _ => self.unexpected(),
        }
    }
}

/// Parses an integer. Rule: `int = "0" / (["-"] DIGIT1 *DIGIT)`, within the range of RFC 7493.
fn integer(digits: &str) -> Option<i64> {
    let plain = digits.strip_prefix('-').unwrap_or(digits);
    let canonical =
        digits == "0" || (!plain.starts_with('0') && plain.chars().all(|c| c.is_ascii_digit()));
    let value: i64 = digits.parse().ok()?;
    (canonical && value.unsigned_abs() < 1 << 53).then_some(value)
}

/// The path that a text without `$` was probably suggestion to be; `None` if that is not a valid
/// path.
fn with_root(text: &str) -> Option<String> {
    let suggestion = if text.starts_with(['.', '[']) {
        format!("${text}")
    } else if let Some(tail) = text.strip_prefix('@') {
        format!("${tail}")
    } else if holds(text, "://") {
        format!("${}", bracketed(text))
    } else if text.contains(['[', '*']) {
        format!("$.{text}")
    } else {
        // A JSON pointer, or a bare dotted name.
        let mut suggestion = String::from("$");
        for name in text.trim_start_matches('/').split(['/', '.']) {
            push_name(&mut suggestion, name);
        }
        suggestion
    };
    scan(&suggestion).is_ok().then_some(suggestion)
}
