//! The errors of claim paths, with their offsets, messages and hints.

use std::fmt;

use super::{MAX_NESTING, MAX_PATH_BYTES};
use crate::escape::{escaped, visible_character};

/// Why a text is not a claim path (D-11), with the offset of the error and a hint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClaimPathError(Box<At>);

/// Boxed, because each `?` in the parser moves the error.
#[derive(Debug, Clone, PartialEq, Eq)]
struct At {
    offset: usize,
    fault: Fault,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Fault {
    Empty,
    TooLong(usize),
    TooDeep,
    Descendants,
    SurroundingBlanks,
    MissingRoot(Option<String>),
    MissingDot(String),
    QuotedPath,
    SsoForm,
    SsoUnknown(String),
    SsoUnclosed,
    TrailingDot,
    EmptyName,
    DottedDigits(String),
    DotBeforeBracket,
    NeedsBrackets {
        found: char,
        suggestion: Option<String>,
    },
    UnclosedBracket,
    UnclosedParenthesis,
    UnclosedQuote(char),
    CurlyQuote(char),
    ControlCharacter(char),
    BadEscape,
    EmptySelector,
    UnquotedName(String),
    Script,
    BadIndex(String),
    Function(String),
    WordOperator(String),
    UnquotedWord(String),
    SingleOperator(char),
    Filter,
    Unexpected(char),
    UnexpectedEnd,
}

codes! {
    pub(super) Fault {
        Self::Empty => "empty",
        Self::TooLong(_) => "too_long",
        Self::TooDeep => "too_deep",
        Self::Descendants => "descendants_unsupported",
        Self::SurroundingBlanks => "surrounding_blanks",
        Self::MissingRoot(_) => "missing_root",
        Self::MissingDot(_) => "missing_dot",
        Self::QuotedPath => "quoted_path",
        Self::SsoForm => "sso_form",
        Self::SsoUnknown(_) => "sso_unknown",
        Self::SsoUnclosed => "sso_unclosed",
        Self::TrailingDot => "trailing_dot",
        Self::EmptyName => "empty_name",
        Self::DottedDigits(_) => "dotted_digits",
        Self::DotBeforeBracket => "dot_before_bracket",
        Self::NeedsBrackets { .. } => "needs_brackets",
        Self::UnclosedBracket => "unclosed_bracket",
        Self::UnclosedParenthesis => "unclosed_parenthesis",
        Self::UnclosedQuote(_) => "unclosed_quote",
        Self::CurlyQuote(_) => "curly_quote",
        Self::ControlCharacter(_) => "control_character",
        Self::BadEscape => "bad_escape",
        Self::EmptySelector => "empty_selector",
        Self::UnquotedName(_) | Self::UnquotedWord(_) => "unquoted_name",
        Self::Script => "script",
        Self::BadIndex(_) => "bad_index",
        Self::Function(_) => "function_unsupported",
        Self::WordOperator(_) | Self::SingleOperator(_) => "bad_operator",
        Self::Filter => "bad_filter",
        Self::Unexpected(_) => "unexpected_character",
        Self::UnexpectedEnd => "unexpected_end",
    }
}

codes! {
    pub(super) At {} of {
        Self { fault, .. } => fault: Fault,
    }
}

codes! {
    pub ClaimPathError {} of {
        Self(at) => at: At,
    }
}

impl ClaimPathError {
    pub(super) fn at(offset: usize, fault: Fault) -> Self {
        Self(Box::new(At { offset, fault }))
    }

    /// The error for an SSO attribute that begins with `${`, but not with the prefix for user-info.
    pub(crate) fn sso_unknown(text: &str) -> Self {
        let end = text.find('}').map_or(text.len(), |end| end + 1);
        Self::at(
            0,
            Fault::SsoUnknown(text.get(..end).unwrap_or(text).to_owned()),
        )
    }

    /// The error for an SSO attribute that does not end with `}`.
    pub(crate) fn sso_unclosed(text: &str) -> Self {
        let trimmed = text.trim_end();
        let fault = if trimmed.ends_with('}') {
            Fault::SurroundingBlanks
        } else {
            Fault::SsoUnclosed
        };
        Self::at(trimmed.len(), fault)
    }

    /// Adjusts the offset for a longer text that contains the path: adds `by`, up to `last`.
    pub(crate) fn moved(mut self, by: usize, last: usize) -> Self {
        self.0.offset = self.0.offset.saturating_add(by).min(last);
        self
    }

    /// The offset of the error in the text, in bytes; at most its length.
    #[must_use]
    pub fn offset(&self) -> usize {
        self.0.offset
    }

    /// What to do about it.
    #[must_use]
    pub fn hint(&self) -> Option<String> {
        let hint = match &self.0.fault {
            Fault::Empty => "write a path such as `$.groups`".to_owned(),
            Fault::TooLong(_) | Fault::TooDeep | Fault::Descendants => {
                "name the claim step by step, as in `$.realm_access.roles`".to_owned()
            }
            Fault::SurroundingBlanks => "remove the blanks before and after the path".to_owned(),
            Fault::MissingRoot(Some(meant)) | Fault::MissingDot(meant) => format!("write `{meant}`"),
            Fault::MissingRoot(None) => "a path begins with `$`, as in `$.groups`".to_owned(),
            Fault::QuotedPath => "remove the quotation marks round the path".to_owned(),
            Fault::SsoForm => {
                "`${context.userinfo...}` is for the mapping of an SSO connection; here write a path such as `$.groups`"
                    .to_owned()
            }
            Fault::SsoUnknown(_) => {
                "write `${context.userinfo.groups}` for user-info data, or a path over the token such as `$.groups`"
                    .to_owned()
            }
            Fault::SsoUnclosed => "end it with `}`".to_owned(),
            Fault::TrailingDot => "remove the dot, or write a name after it".to_owned(),
            Fault::EmptyName => "write a name, or `*`, after the dot".to_owned(),
            Fault::DottedDigits(digits) => {
                format!("write `[{digits}]` for an element of an array, `['{digits}']` for a name")
            }
            Fault::DotBeforeBracket => {
                "remove the dot before the bracket; a quoted name stands in brackets, as in `$['x']`".to_owned()
            }
            Fault::NeedsBrackets { suggestion: Some(meant), .. } => format!("write `{meant}`"),
            Fault::NeedsBrackets { suggestion: None, .. } => {
                "write the name in quotes and brackets, as in `$['https://x/groups']`".to_owned()
            }
            Fault::UnclosedBracket => "add the `]`".to_owned(),
            Fault::UnclosedParenthesis => "add the `)`".to_owned(),
            Fault::UnclosedQuote(quote) => format!("add the closing `{quote}`"),
            Fault::CurlyQuote(_) => "use straight quotation marks, `'` or `\"`".to_owned(),
            Fault::ControlCharacter(_) => "write it as an escape, such as `\\t` or `\\u0009`".to_owned(),
            Fault::BadEscape => {
                "the escapes are `\\b \\f \\n \\r \\t \\/ \\\\ \\uXXXX` and the quote itself".to_owned()
            }
            Fault::EmptySelector => "write a quoted name, a number or `*` between the brackets".to_owned(),
            Fault::UnquotedName(name) => {
                let mut hint = String::from("write `");
                super::spell::push_bracketed(&mut hint, name);
                hint.push('`');
                hint
            }
            Fault::Script => {
                "scripts are not part of RFC 9535; a filter begins with `?`, the last element is `[-1]`".to_owned()
            }
            Fault::BadIndex(_) => "write whole numbers without leading zeros, below 2^53".to_owned(),
            Fault::Function(_) => "compare with `==`, as in `[?@.type == 'group']`".to_owned(),
            Fault::WordOperator(_) => "write `&&`, `||` or `!`".to_owned(),
            Fault::UnquotedWord(word) => format!("write a text in quotes, `'{word}'`, or a claim as `@.{word}`"),
            Fault::SingleOperator(c) => format!("write `{c}{c}`"),
            Fault::Filter => "a filter compares or tests, as in `[?@.type == 'group']`".to_owned(),
            Fault::Unexpected(_) | Fault::UnexpectedEnd => return None,
        };
        Some(hint)
    }
}

impl fmt::Display for ClaimPathError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0.fault {
            Fault::Empty => f.write_str("the claim path is empty"),
            Fault::TooLong(len) => write!(
                f,
                "the claim path has {len} bytes, more than {MAX_PATH_BYTES}"
            ),
            Fault::TooDeep => write!(
                f,
                "more than {MAX_NESTING} brackets and parentheses inside each other"
            ),
            Fault::Descendants => f.write_str("`..` is not available in claim paths"),
            Fault::SurroundingBlanks => f.write_str("leading or trailing space in the claim path"),
            Fault::MissingRoot(_) => f.write_str("`$` is missing at the start"),
            Fault::MissingDot(_) => f.write_str("`.` is missing after `$`"),
            Fault::QuotedPath => f.write_str("the claim path is in quotation marks"),
            Fault::SsoForm => f.write_str("`${` does not begin a claim path"),
            Fault::SsoUnknown(text) => write!(f, "`{}` is not known", escaped(text)),
            Fault::SsoUnclosed => f.write_str("`${` is not closed"),
            Fault::TrailingDot => f.write_str("nothing follows the dot"),
            Fault::EmptyName => f.write_str("no name follows the dot"),
            Fault::DottedDigits(digits) => write!(f, "`.{digits}` is neither an index nor a name"),
            Fault::DotBeforeBracket => f.write_str("a dot before a bracket or a quote"),
            Fault::NeedsBrackets { found, .. } => {
                write!(
                    f,
                    "`{}` cannot be in a dotted name",
                    visible_character(*found)
                )
            }
            Fault::UnclosedBracket => f.write_str("`[` is not closed"),
            Fault::UnclosedParenthesis => f.write_str("`(` is not closed"),
            Fault::UnclosedQuote(quote) => write!(f, "`{quote}` is not closed"),
            Fault::CurlyQuote(c) => write!(f, "`{c}` is a typographic quotation mark"),
            Fault::ControlCharacter(c) => {
                write!(
                    f,
                    "the control character `{}` in a quoted name",
                    visible_character(*c)
                )
            }
            Fault::BadEscape => f.write_str("an escape sequence that JSON does not have"),
            Fault::EmptySelector => f.write_str("nothing is selected here"),
            Fault::UnquotedName(name) => {
                write!(f, "the name `{}` is not in quotes", escaped(name))
            }
            Fault::Script => f.write_str("a script expression"),
            Fault::BadIndex(digits) => write!(f, "`{digits}` is not an index"),
            Fault::Function(name) => {
                write!(f, "`{name}`: functions are not available in claim paths")
            }
            Fault::WordOperator(word) => write!(f, "`{word}` is not an operator"),
            Fault::UnquotedWord(word) => write!(f, "`{word}` is neither quoted nor a claim"),
            Fault::SingleOperator(c) => write!(f, "`{c}` is not an operator"),
            Fault::Filter => f.write_str("the filter cannot be read"),
            Fault::Unexpected(c) => write!(f, "unexpected `{}`", visible_character(*c)),
            Fault::UnexpectedEnd => f.write_str("the claim path is incomplete"),
        }
    }
}

impl std::error::Error for ClaimPathError {}
