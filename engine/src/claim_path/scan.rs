//! Reads a claim path into segments and says precisely, at a byte, what is wrong with it.
//!
//! The crate below (jsonpath-rfc9535) decides what is valid; its errors name only the segment. This reader exists for
//! three things that it cannot do: point at the fault, read dotted names with `-` and `:` (D-11), and give the
//! segments whose work [`super::work`] bounds. Whatever it lets through, the crate still has to accept.

use std::ops::Range;

use super::fault::{ClaimPathError, Fault};
use super::spell::{bracketed, is_blank, is_curly_quote, is_name_char, is_name_first, is_rfc_name_char, push_name};
use super::{MAX_DESCENDANT_SEGMENTS, MAX_FUNCTION_NESTING, MAX_NESTING, MAX_PATH_BYTES};

/// One step: its selectors on each node (child) or on each node and all below it (descendant).
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Segment {
    pub(super) descendant: bool,
    pub(super) selectors: Vec<Selector>,
}

/// One selector of a segment. A slice is kept as "some elements", which is all that a bound on work needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Selector {
    Name(String),
    Index(i64),
    Wildcard,
    Slice,
    /// The queries inside the filter, in any place of it.
    Filter(Vec<Query>),
}

/// A query inside a filter, from the node itself (`@`) or from the document (`$`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Query {
    pub(super) absolute: bool,
    pub(super) segments: Vec<Segment>,
}

/// A stretch of the text and what RFC 9535 wants in its place.
#[derive(Debug, Clone)]
struct Edit {
    range: Range<usize>,
    text: String,
}

/// A path that was read.
pub(super) struct Scan {
    pub(super) segments: Vec<Segment>,
    /// Where the filter expressions lie in the text, inner ones before the outer ones that hold them.
    pub(super) filters: Vec<Range<usize>>,
    edits: Vec<Edit>,
}

impl Scan {
    /// A stretch of the text as RFC 9535 has it: dotted names with `-` or `:` in brackets.
    pub(super) fn rewrite(&self, text: &str, range: Range<usize>) -> String {
        let mut out = String::with_capacity(range.len() + 4 * self.edits.len());
        let mut at = range.start;
        for edit in self.edits.iter().filter(|edit| edit.range.start >= range.start && edit.range.end <= range.end) {
            out.push_str(text.get(at..edit.range.start).unwrap_or_default());
            out.push_str(&edit.text);
            at = edit.range.end;
        }
        out.push_str(text.get(at..range.end).unwrap_or_default());
        out
    }

    /// The byte of the original text for a byte of the whole text rewritten.
    pub(super) fn original_offset(&self, rewritten: usize) -> usize {
        let mut grown = 0_usize;
        for edit in &self.edits {
            let start = edit.range.start + grown;
            if rewritten < start {
                break;
            }
            if rewritten < start + edit.text.len() {
                return edit.range.start;
            }
            // A rewritten name is never shorter than the dotted one.
            grown += edit.text.len().saturating_sub(edit.range.len());
        }
        rewritten.saturating_sub(grown)
    }
}

/// Reads a whole path.
pub(super) fn scan(text: &str) -> Result<Scan, ClaimPathError> {
    if text.is_empty() {
        return Err(ClaimPathError::at(0, Fault::Empty));
    }
    if text.len() > MAX_PATH_BYTES {
        return Err(ClaimPathError::at(text.floor_char_boundary(MAX_PATH_BYTES), Fault::TooLong(text.len())));
    }
    let mut reader = Reader {
        text,
        at: 0,
        depth: 0,
        functions: 0,
        descendants: 0,
        dotted: None,
        filters: Vec::new(),
        edits: Vec::new(),
    };
    reader.root()?;
    let segments = reader.segments()?;
    reader.end()?;
    Ok(Scan { segments, filters: reader.filters, edits: reader.edits })
}

/// A dotted name: where its dot is, and the name.
#[derive(Clone, Copy)]
struct Dotted {
    dot: usize,
    start: usize,
    end: usize,
}

struct Reader<'t> {
    text: &'t str,
    at: usize,
    /// Brackets and parentheses open now.
    depth: usize,
    /// Function calls open now.
    functions: usize,
    descendants: usize,
    /// The dotted name that was read last.
    dotted: Option<Dotted>,
    filters: Vec<Range<usize>>,
    edits: Vec<Edit>,
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

    fn eat(&mut self, wanted: &str) -> bool {
        let found = self.rest().starts_with(wanted);
        if found {
            self.at += wanted.len();
        }
        found
    }

    fn take_while(&mut self, keep: impl Fn(char) -> bool) -> &'t str {
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

    /// Fails at the next character, or says that the text ended.
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
            Some(c) if c.is_whitespace() || c == '\u{feff}' => self.fail(Fault::EdgeBlank),
            Some(c) if is_curly_quote(c) || matches!(c, '\'' | '"') => self.fail(Fault::QuotedPath),
            _ => self.fail(Fault::MissingRoot(with_root(self.text))),
        }
    }

    /// After the last segment: nothing may follow.
    fn end(&self) -> Result<(), ClaimPathError> {
        let Some(next) = self.peek() else {
            return Ok(());
        };
        if self.rest().chars().all(char::is_whitespace) {
            return self.fail(Fault::EdgeBlank);
        }
        match self.dotted {
            Some(dotted)
                if dotted.end == self.at && !matches!(next, ']' | ')' | ',' | '\'' | '"') && !is_curly_quote(next) =>
            {
                self.fail(self.needs_brackets(dotted, next))
            }
            _ => self.unexpected(),
        }
    }

    /// The fault of a dotted name that holds a character that only a quoted name may hold.
    fn needs_brackets(&self, dotted: Dotted, found: char) -> Fault {
        if self.depth > 0 {
            return Fault::NeedsBrackets { found, suggestion: None };
        }
        let rest = self.text.get(dotted.start..).unwrap_or_default();
        // A name with a slash is nearly always an address, whose dots belong to it.
        let len = if rest.contains('/') { rest.len() } else { rest.find(['.', '[']).unwrap_or(rest.len()) };
        let (name, tail) = rest.split_at_checked(len).unwrap_or((rest, ""));
        let head = self.text.get(..dotted.dot).unwrap_or_default();
        Fault::NeedsBrackets { found, suggestion: Some(format!("{head}{}{tail}", bracketed(name.trim_end()))) }
    }

    /// rule: `segments = *(S segment)`
    fn segments(&mut self) -> Result<Vec<Segment>, ClaimPathError> {
        let mut segments = Vec::new();
        loop {
            let before = self.at;
            self.blanks();
            let start = self.at;
            let descendant = self.rest().starts_with("..");
            if descendant {
                self.descendants += 1;
                if self.descendants > MAX_DESCENDANT_SEGMENTS {
                    return self.fail(Fault::TooManyDescendants);
                }
                self.at += 2;
            }
            let selectors = if self.peek() == Some('[') {
                self.bracket()?
            } else if descendant || self.eat(".") {
                vec![self.after_dot(start, descendant)?]
            } else {
                self.at = before;
                return Ok(segments);
            };
            segments.push(Segment { descendant, selectors });
        }
    }

    /// What follows `.` or `..`: `*` or a name.
    fn after_dot(&mut self, dot: usize, descendant: bool) -> Result<Selector, ClaimPathError> {
        if self.eat("*") {
            return Ok(Selector::Wildcard);
        }
        let start = self.at;
        match self.peek() {
            Some(c) if is_curly_quote(c) => self.fail(Fault::CurlyQuote(c)),
            Some(c) if is_name_first(c) => {
                let name = self.take_while(is_name_char);
                self.dotted = Some(Dotted { dot, start, end: self.at });
                if !name.chars().all(is_rfc_name_char) {
                    let from = if descendant { start } else { dot };
                    self.edits.push(Edit { range: from..self.at, text: bracketed(name) });
                }
                Ok(Selector::Name(name.to_owned()))
            }
            Some(c) if c.is_ascii_digit() => {
                let name: String = self.rest().chars().take_while(|c| is_name_char(*c)).collect();
                if name.chars().all(|c| c.is_ascii_digit()) {
                    return self.fail(Fault::DottedDigits(name));
                }
                self.fail(self.needs_brackets(Dotted { dot, start, end: start }, c))
            }
            None => Err(ClaimPathError::at(dot, Fault::TrailingDot)),
            Some(_) if self.rest().chars().all(char::is_whitespace) => Err(ClaimPathError::at(dot, Fault::TrailingDot)),
            Some('[' | '\'' | '"') => self.fail(Fault::DotBeforeBracket),
            Some('.' | ']' | ')' | ',' | '=' | '<' | '>' | '!') => self.fail(Fault::EmptyName),
            Some(c) if is_blank(c) => self.fail(Fault::EmptyName),
            Some(c) => self.fail(self.needs_brackets(Dotted { dot, start, end: start }, c)),
        }
    }

    /// One more bracket or parenthesis is open.
    fn deepen(&mut self) -> Result<(), ClaimPathError> {
        self.depth += 1;
        if self.depth > MAX_NESTING { self.fail(Fault::TooDeep) } else { Ok(()) }
    }

    /// rule: `bracketed-selection = "[" S selector *(S "," S selector) S "]"`
    fn bracket(&mut self) -> Result<Vec<Selector>, ClaimPathError> {
        let open = self.at;
        self.deepen()?;
        self.at += 1;
        let mut selectors = Vec::new();
        loop {
            self.blanks();
            selectors.push(self.selector(open)?);
            self.blanks();
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
                let name = rest.get(..rest.find([']', ',', '[']).unwrap_or(rest.len())).unwrap_or(rest);
                self.fail(Fault::UnquotedName(name.trim_end().to_owned()))
            }
            Some(_) => self.unexpected(),
        }
    }

    /// Skips a quoted text; gives what lies between the quotes, escapes and all.
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

    /// A quoted name with its escapes decoded: those of JSON, and `\'` where `'` is the quote.
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
        serde_json::from_str(&json).map_err(|_| ClaimPathError::at(open, Fault::BadEscape))
    }

    /// rule: `index-selector = int`, `slice-selector = [start S] ":" S [end S] [":" [S step ]]`
    fn index_or_slice(&mut self, open: usize) -> Result<Selector, ClaimPathError> {
        let mut colons = 0;
        let mut index = 0;
        loop {
            let start = self.at;
            let digits = self.take_while(|c| c.is_ascii_digit() || c == '-');
            if !digits.is_empty() {
                index = integer(digits).ok_or_else(|| ClaimPathError::at(start, Fault::BadIndex(digits.to_owned())))?;
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
                    Ok(if colons == 0 { Selector::Index(index) } else { Selector::Slice })
                }
                None => Err(ClaimPathError::at(open, Fault::UnclosedBracket)),
                Some(_) => self.unexpected(),
            };
        }
    }

    /// The expression of a filter, up to the `,` or `]` that ends it; gives the queries in it.
    fn filter(&mut self, open: usize) -> Result<Vec<Query>, ClaimPathError> {
        let start = self.at;
        let mut queries = Vec::new();
        // Open parentheses: where, and whether a function's.
        let mut parentheses: Vec<(usize, bool)> = Vec::new();
        loop {
            let at = self.at;
            let Some(c) = self.peek() else {
                let fault = match parentheses.last() {
                    Some((parenthesis, _)) => ClaimPathError::at(*parenthesis, Fault::UnclosedParenthesis),
                    None => ClaimPathError::at(open, Fault::UnclosedBracket),
                };
                return Err(fault);
            };
            match c {
                ']' | ',' if parentheses.is_empty() => {
                    self.filters.push(start..at);
                    return Ok(queries);
                }
                ']' => {
                    let parenthesis = parentheses.last().map_or(at, |(parenthesis, _)| *parenthesis);
                    return Err(ClaimPathError::at(parenthesis, Fault::UnclosedParenthesis));
                }
                '\'' | '"' => {
                    self.quoted(c)?;
                }
                '@' | '$' => {
                    self.at += 1;
                    let segments = self.segments()?;
                    queries.push(Query { absolute: c == '$', segments });
                    if let (Some(dotted), Some(next)) = (self.dotted, self.peek())
                        && dotted.end == self.at
                        && matches!(next, '/' | '@' | '#' | '\\' | '%' | ';' | '~')
                    {
                        return self.fail(self.needs_brackets(dotted, next));
                    }
                }
                '(' => {
                    self.deepen()?;
                    self.at += 1;
                    parentheses.push((at, false));
                }
                ')' => {
                    let Some((_, function)) = parentheses.pop() else {
                        return self.unexpected();
                    };
                    self.functions -= usize::from(function);
                    self.depth -= 1;
                    self.at += 1;
                }
                c if c.is_ascii_alphabetic() || c == '_' => {
                    if self.word()? {
                        self.deepen()?;
                        parentheses.push((self.at, true));
                        self.at += 1;
                    }
                }
                c if c.is_ascii_digit() || c == '-' => {
                    self.take_while(|c| c.is_ascii_digit() || matches!(c, '.' | 'e' | 'E' | '+' | '-'));
                }
                _ => self.operator()?,
            }
        }
    }

    /// A word in a filter: a literal (`false`), or a function, then the `(` is next (`true`).
    fn word(&mut self) -> Result<bool, ClaimPathError> {
        let start = self.at;
        let word = self.take_while(|c| c.is_ascii_alphanumeric() || c == '_');
        let fault = match (word, self.peek()) {
            ("length" | "count" | "value", Some('(')) => {
                self.functions += 1;
                if self.functions <= MAX_FUNCTION_NESTING {
                    return Ok(true);
                }
                Fault::TooDeepFunctions
            }
            ("match" | "search", Some('(')) => Fault::RegexFunction(word.to_owned()),
            ("true" | "false" | "null", next) if next != Some('(') => return Ok(false),
            ("and" | "or" | "not" | "AND" | "OR" | "NOT", _) => Fault::WordOperator(word.to_owned()),
            (_, Some('(')) => Fault::UnknownFunction(word.to_owned()),
            _ => Fault::UnquotedWord(word.to_owned()),
        };
        Err(ClaimPathError::at(start, fault))
    }

    /// An operator or a blank in a filter. Their order is left to the crate below.
    fn operator(&mut self) -> Result<(), ClaimPathError> {
        for whole in ["==", "!=", "<=", ">=", "&&", "||", "<", ">", "!"] {
            if self.eat(whole) {
                return Ok(());
            }
        }
        match self.peek() {
            Some(c) if is_blank(c) => {
                self.blanks();
                Ok(())
            }
            Some('=') if self.rest().starts_with("=~") => self.fail(Fault::RegexFunction("=~".to_owned())),
            Some(c @ ('=' | '&' | '|')) => self.fail(Fault::SingleOperator(c)),
            _ => self.unexpected(),
        }
    }
}

/// rule: `int = "0" / (["-"] DIGIT1 *DIGIT)`, within the range of RFC 7493.
fn integer(digits: &str) -> Option<i64> {
    let plain = digits.strip_prefix('-').unwrap_or(digits);
    let canonical = digits == "0" || (!plain.starts_with('0') && plain.chars().all(|c| c.is_ascii_digit()));
    let value: i64 = digits.parse().ok()?;
    (canonical && value.unsigned_abs() < 1 << 53).then_some(value)
}

/// What a text without `$` was most likely meant to be, if that is a path.
fn with_root(text: &str) -> Option<String> {
    let meant = if text.starts_with(['.', '[']) {
        format!("${text}")
    } else if let Some(tail) = text.strip_prefix('@') {
        format!("${tail}")
    } else if text.contains("://") {
        format!("${}", bracketed(text))
    } else if text.contains(['[', '*']) {
        format!("$.{text}")
    } else {
        // A JSON pointer, or a bare dotted name.
        let mut meant = String::from("$");
        for name in text.trim_start_matches('/').split(['/', '.']) {
            push_name(&mut meant, name);
        }
        meant
    };
    scan(&meant).is_ok().then_some(meant)
}
