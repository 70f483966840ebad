//! Maps a claim to the user's name, with rules in the platform's syntax
//! `$.path[/regex/replacement/[L|U]]` (D-13).
//!
//! The claim must be a non-empty string, the expression must match all of it, and the result must
//! not be empty. Anything else is an authentication failure. Expressions run in linear time
//! (regex-lite).

mod ecmascript;

use std::fmt;
use std::str::FromStr;

use regex_lite::{Regex, RegexBuilder};
use serde_json::{Map, Value};

use crate::claims::ClaimSet;
use crate::escape::escaped;
use crate::warning::{Warning, WarningCode};
use ecmascript::foreign_syntax;

/// The maximum length of a rule, in bytes.
pub const MAX_RULE_BYTES: usize = 1024;
/// The maximum length of the claim, in bytes. Together with the limit on the compiled expression,
/// it limits the time of a match.
pub const MAX_VALUE_BYTES: usize = 8192;
/// The maximum size of a compiled expression, in bytes.
const MAX_REGEX_BYTES: usize = 64 << 10;

/// A rule that maps a claim to the user's name: the cluster property `oidc_principal_mapping`.
/// Rules are equal if their texts are.
#[derive(Debug, Clone)]
pub struct PrincipalMapping {
    text: String,
    names: Vec<String>,
    rewrite: Option<Rewrite>,
}

#[derive(Debug, Clone)]
struct Rewrite {
    regex: Regex,
    pattern: String,
    replacement: Vec<Piece>,
    case: Case,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Piece {
    Text(String),
    /// A capture group of the expression; 0 is the whole match.
    Group(usize),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Case {
    Kept,
    Lower,
    Upper,
}

/// Why a text is not a principal mapping, with the offset of the error and a hint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MappingError {
    offset: usize,
    fault: MappingFault,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum MappingFault {
    TooLong,
    MissingRoot,
    EmptyName,
    Brackets,
    EmptyPattern,
    UnclosedPattern,
    UnclosedReplacement,
    Pattern(String),
    Reference { text: String, groups: usize },
    Case(String),
}

codes! {
    MappingFault {
        Self::TooLong => "too_long",
        Self::MissingRoot => "missing_root",
        Self::EmptyName => "empty_name",
        Self::Brackets => "brackets",
        Self::EmptyPattern => "empty_pattern",
        Self::UnclosedPattern => "unclosed_pattern",
        Self::UnclosedReplacement => "unclosed_replacement",
        Self::Pattern(_) => "bad_pattern",
        Self::Reference { .. } => "bad_reference",
        Self::Case(_) => "bad_case",
    }
}

codes! {
    pub MappingError {} of {
        Self { fault, .. } => fault: MappingFault,
    }
}

impl MappingError {
    const fn at(offset: usize, fault: MappingFault) -> Self {
        Self { offset, fault }
    }

    /// The offset of the error in the text, in bytes; at most its length.
    #[must_use]
    pub const fn offset(&self) -> usize {
        self.offset
    }

    /// What to do about it.
    #[must_use]
    pub const fn hint(&self) -> &'static str {
        match self.fault {
            MappingFault::TooLong => "shorten the rule to a claim and a short expression",
            MappingFault::MissingRoot => "a rule begins with `$.`, as in `$.sub`",
            MappingFault::EmptyName => "write a name between and after the dots",
            MappingFault::Brackets => {
                "a rule names claims with dots only, as in `$.user_info.email`"
            }
            MappingFault::EmptyPattern => "remove the slashes to use the claim unchanged",
            MappingFault::UnclosedPattern | MappingFault::UnclosedReplacement => {
                "write `/expression/replacement/` after the claim, with `\\/` for a slash"
            }
            MappingFault::Pattern(_) => "rewrite it without look-around and back-references",
            MappingFault::Reference { .. } => {
                "write `$1` to `$9` for a group, `$&` for the whole, `$$` for a dollar sign"
            }
            MappingFault::Case(_) => {
                "end the rule with `/`, `/L` for lower case or `/U` for upper case"
            }
        }
    }
}

impl fmt::Display for MappingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.fault {
            MappingFault::TooLong => write!(
                f,
                "the principal mapping has more than {MAX_RULE_BYTES} bytes"
            ),
            MappingFault::MissingRoot => f.write_str("`$.` is missing at the start"),
            MappingFault::EmptyName => f.write_str("a name is empty"),
            MappingFault::Brackets => {
                f.write_str("brackets, quotes and blanks cannot be in a principal mapping's claim")
            }
            MappingFault::EmptyPattern => f.write_str("the expression is empty"),
            MappingFault::UnclosedPattern => f.write_str("the expression is not closed by `/`"),
            MappingFault::UnclosedReplacement => {
                f.write_str("the replacement is not closed by `/`")
            }
            MappingFault::Pattern(message) => write!(f, "the expression cannot be read: {message}"),
            MappingFault::Reference { text, groups } => {
                write!(
                    f,
                    "`{}` is not a reference; the expression has {groups} groups",
                    escaped(text)
                )
            }
            MappingFault::Case(text) => {
                write!(f, "`{}` after the replacement", escaped(text))
            }
        }
    }
}

impl std::error::Error for MappingError {}

/// Why the claims do not name a user, which is an authentication failure (D-13).
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum PrincipalClaimError {
    /// The claim is missing.
    Missing {
        /// The path of the claim.
        claim: String,
        /// The names of the existing claims at the level of the missing one.
        found: Vec<String>,
    },
    /// The claim is not a string.
    NotString {
        /// The path of the claim.
        claim: String,
        /// Its type: `object`, `array`, `number`, `boolean` or `null`.
        found: &'static str,
    },
    /// The claim is the empty string.
    Empty {
        /// The path of the claim.
        claim: String,
    },
    /// The claim is longer than [`MAX_VALUE_BYTES`].
    TooLong {
        /// The path of the claim.
        claim: String,
        /// Its length in bytes.
        len: usize,
    },
    /// The expression does not match the whole claim.
    NoMatch {
        /// The path of the claim.
        claim: String,
        /// Its value.
        value: String,
        /// The expression.
        pattern: String,
    },
    /// The result of the replacement is empty.
    EmptyResult {
        /// The path of the claim.
        claim: String,
        /// Its value.
        value: String,
    },
}

codes! {
    pub PrincipalClaimError {
        Self::Missing { .. } => "principal_missing",
        Self::NotString { .. } => "principal_not_string",
        Self::Empty { .. } => "principal_empty",
        Self::TooLong { .. } => "principal_too_long",
        Self::NoMatch { .. } => "principal_no_match",
        Self::EmptyResult { .. } => "principal_empty_result",
    }
}

impl PrincipalClaimError {
    /// What to do about it.
    #[must_use]
    pub const fn hint(&self) -> &'static str {
        match self {
            Self::NoMatch { .. } => {
                "change the expression of `oidc_principal_mapping` to match the whole value"
            }
            Self::EmptyResult { .. } => "correct the replacement in `oidc_principal_mapping`",
            Self::Missing { .. }
            | Self::NotString { .. }
            | Self::Empty { .. }
            | Self::TooLong { .. } => {
                "set `oidc_principal_mapping` to a claim that is a string in every token, such as `$.sub`"
            }
        }
    }
}

impl fmt::Display for PrincipalClaimError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing { claim, found } if found.is_empty() => {
                write!(f, "no user: there is no claim at `{claim}` or next to it")
            }
            Self::Missing { claim, found } => {
                let names: Vec<String> = found
                    .iter()
                    .take(MAX_NAMES)
                    .map(|name| short(name).into_owned())
                    .collect();
                let more = if found.len() > MAX_NAMES {
                    " and others"
                } else {
                    ""
                };
                write!(
                    f,
                    "no user: there is no claim at `{claim}`; the claims are `{}`{more}",
                    names.join("`, `")
                )
            }
            Self::NotString { claim, found } => {
                write!(
                    f,
                    "no user: the claim at `{claim}` is of type {found}, not a string"
                )
            }
            Self::Empty { claim } => write!(f, "no user: the claim at `{claim}` is empty"),
            Self::TooLong { claim, len } => {
                write!(
                    f,
                    "no user: the claim at `{claim}` has {len} bytes, more than {MAX_VALUE_BYTES}"
                )
            }
            Self::NoMatch {
                claim,
                value,
                pattern,
            } => {
                write!(
                    f,
                    "no user: the claim at `{claim}` is `{}`, which `{pattern}` does not match",
                    short(value)
                )
            }
            Self::EmptyResult { claim, value } => {
                write!(
                    f,
                    "no user: the claim at `{claim}` is `{}`, of which the replacement leaves nothing",
                    short(value)
                )
            }
        }
    }
}

impl std::error::Error for PrincipalClaimError {}

/// The maximum number of claim names in a message.
const MAX_NAMES: usize = 12;

fn short(text: &str) -> std::borrow::Cow<'_, str> {
    crate::claim_path::shortened(text, 80)
}

impl PrincipalMapping {
    /// Parses a rule.
    ///
    /// The expression has the syntax of regex-lite. In the expression and the replacement, `\/` is
    /// a slash. The replacement may contain `$1` to `$9`, `$&` and `$$`; a group that did not match
    /// is empty. `L` and `U` change only ASCII letters.
    ///
    /// # Errors
    /// The text is not a valid rule. Rules that the platform accepts but that can never map a user
    /// (with an empty expression or a group that does not exist) are refused too.
    ///
    /// ```
    /// use gbac_engine::ClaimSet;
    /// use gbac_engine::mapping::PrincipalMapping;
    ///
    /// let mapping = PrincipalMapping::parse("$.email/([^@]+)@example\\.com/$1/L")?;
    /// let claims = ClaimSet::parse(r#"{ "email": "Alice@example.com" }"#)?;
    /// assert_eq!(mapping.apply(&claims)?, "alice");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn parse(text: &str) -> Result<Self, MappingError> {
        if text.len() > MAX_RULE_BYTES {
            return Err(MappingError::at(
                text.floor_char_boundary(MAX_RULE_BYTES),
                MappingFault::TooLong,
            ));
        }
        let Some(rest) = text.strip_prefix("$.") else {
            return Err(MappingError::at(0, MappingFault::MissingRoot));
        };
        let (path, rule) = rest
            .split_at_checked(rest.find('/').unwrap_or(rest.len()))
            .unwrap_or((rest, ""));
        let mut names = Vec::new();
        let mut at = 2;
        for name in path.split('.') {
            if name.is_empty() {
                return Err(MappingError::at(at, MappingFault::EmptyName));
            }
            if let Some(bad) =
                name.find(|c: char| matches!(c, '[' | ']' | '\'' | '"') || c.is_whitespace())
            {
                return Err(MappingError::at(at + bad, MappingFault::Brackets));
            }
            names.push(name.to_owned());
            at += name.len() + 1;
        }
        let rewrite = if rule.is_empty() {
            None
        } else {
            Some(Rewrite::parse(rule, 2 + path.len())?)
        };
        Ok(Self {
            text: text.to_owned(),
            names,
            rewrite,
        })
    }

    /// The rule's text, unchanged.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The top-level claim that the rule reads. Users who can edit it can choose their user name
    /// (D-14).
    #[must_use]
    pub fn claim(&self) -> &str {
        self.names.first().map_or("", String::as_str)
    }

    /// Whether the rule can produce a user name. Names in verified tokens have no control
    /// characters, and `L` and `U` exclude names with letters of the other case.
    #[must_use]
    pub fn can_produce(&self, user: &str) -> bool {
        let case = self
            .rewrite
            .as_ref()
            .map_or(Case::Kept, |rewrite| rewrite.case);
        let is_excluded = |c: char| match case {
            Case::Kept => false,
            Case::Lower => c.is_ascii_uppercase(),
            Case::Upper => c.is_ascii_lowercase(),
        };
        !user.is_empty() && !user.chars().any(|c| c.is_control() || is_excluded(c))
    }

    /// The warning that the platform, whose expressions are those of ECMAScript, would refuse this
    /// one or read it otherwise (D-29).
    ///
    /// ```
    /// use gbac_engine::mapping::PrincipalMapping;
    ///
    /// let mapping: PrincipalMapping = "$.email/(?i)([^@]+)@.*/$1/".parse()?;
    /// assert!(mapping.platform_warning().is_some_and(|warning| warning.message.contains("`(?i`")));
    /// # Ok::<(), gbac_engine::mapping::MappingError>(())
    /// ```
    #[must_use]
    pub fn platform_warning(&self) -> Option<Warning> {
        let foreign = foreign_syntax(&self.rewrite.as_ref()?.pattern)?;
        let message = format!(
            "brokers managed with `rpk` refuse this `oidc_principal_mapping`: write it without `{}`",
            escaped(foreign)
        );
        Some(Warning::new(WarningCode::PlatformMapping, message, None))
    }

    /// Maps claims to the user's name.
    ///
    /// # Errors
    /// The claims do not name a user.
    pub fn apply(&self, claims: &ClaimSet) -> Result<String, PrincipalClaimError> {
        let claims = claims.members();
        let claim = || format!("$.{}", self.names.join("."));
        let value = match self.find(claims) {
            Ok(Value::String(value)) => value,
            Ok(other) => {
                return Err(PrincipalClaimError::NotString {
                    claim: claim(),
                    found: crate::groups::type_name(other),
                });
            }
            Err(found) => {
                return Err(PrincipalClaimError::Missing {
                    claim: claim(),
                    found,
                });
            }
        };
        if value.is_empty() {
            return Err(PrincipalClaimError::Empty { claim: claim() });
        }
        if value.len() > MAX_VALUE_BYTES {
            return Err(PrincipalClaimError::TooLong {
                claim: claim(),
                len: value.len(),
            });
        }
        let Some(rewrite) = &self.rewrite else {
            return Ok(value.clone());
        };
        let Some(user) = rewrite.apply(value) else {
            let pattern = rewrite.pattern.clone();
            return Err(PrincipalClaimError::NoMatch {
                claim: claim(),
                value: value.clone(),
                pattern,
            });
        };
        if user.is_empty() {
            return Err(PrincipalClaimError::EmptyResult {
                claim: claim(),
                value: value.clone(),
            });
        }
        Ok(user)
    }

    /// Finds the claim; the error has the names of the existing members at the level of the missing
    /// one. As on the platform, digits are an index into an array.
    fn find<'a>(&self, claims: &'a Map<String, Value>) -> Result<&'a Value, Vec<String>> {
        let mut value: Option<&Value> = None;
        for name in &self.names {
            let members = match value {
                None => Some(claims),
                Some(value) => value.as_object(),
            };
            let next = match (members, value) {
                (Some(members), _) => members.get(name),
                (None, Some(Value::Array(elements))) => {
                    let canonical = name == "0" || !name.starts_with(['0', '+']);
                    name.parse::<usize>()
                        .ok()
                        .filter(|_| canonical)
                        .and_then(|index| elements.get(index))
                }
                _ => None,
            };
            let Some(next) = next else {
                return Err(members
                    .map(|members| members.keys().cloned().collect())
                    .unwrap_or_default());
            };
            value = Some(next);
        }
        value.ok_or_else(Vec::new)
    }
}

impl Rewrite {
    /// Parses `/expression/replacement/[L|U]`. `start` is its offset in the rule.
    fn parse(rule: &str, start: usize) -> Result<Self, MappingError> {
        let pattern_at = start + 1;
        let rest = rule.get(1..).unwrap_or_default();
        let Some(pattern_len) = unescaped_slash(rest) else {
            return Err(MappingError::at(start, MappingFault::UnclosedPattern));
        };
        let pattern = rest.get(..pattern_len).unwrap_or_default();
        if pattern.is_empty() {
            return Err(MappingError::at(pattern_at, MappingFault::EmptyPattern));
        }
        // Compiled without the anchors first, so that unbalanced parentheses as in `a)|(b` are
        // refused.
        let compile = |pattern: &str| {
            RegexBuilder::new(pattern)
                .size_limit(MAX_REGEX_BYTES)
                .build()
                .map_err(|error| {
                    MappingError::at(pattern_at, MappingFault::Pattern(error.to_string()))
                })
        };
        let groups = compile(pattern)?.captures_len() - 1;
        let regex = compile(&format!(r"\A(?:{pattern})\z"))?;

        let replacement_at = pattern_at + pattern_len + 1;
        let rest = rest.get(pattern_len + 1..).unwrap_or_default();
        let Some(replacement_len) = unescaped_slash(rest) else {
            return Err(MappingError::at(
                replacement_at,
                MappingFault::UnclosedReplacement,
            ));
        };
        let replacement = pieces(
            rest.get(..replacement_len).unwrap_or_default(),
            replacement_at,
            groups,
        )?;
        let case = match rest.get(replacement_len + 1..).unwrap_or_default() {
            "" => Case::Kept,
            "L" => Case::Lower,
            "U" => Case::Upper,
            other => {
                let at = replacement_at + replacement_len + 1;
                return Err(MappingError::at(at, MappingFault::Case(other.to_owned())));
            }
        };
        Ok(Self {
            regex,
            pattern: pattern.to_owned(),
            replacement,
            case,
        })
    }

    fn apply(&self, value: &str) -> Option<String> {
        let captures = self.regex.captures(value)?;
        let mut out = String::new();
        for piece in &self.replacement {
            match piece {
                Piece::Text(text) => out.push_str(text),
                Piece::Group(group) => {
                    out.push_str(captures.get(*group).map_or("", |group| group.as_str()));
                }
            }
        }
        match self.case {
            Case::Kept => {}
            Case::Lower => out.make_ascii_lowercase(),
            Case::Upper => out.make_ascii_uppercase(),
        }
        Some(out)
    }
}

/// The offset of the first `/` without a backslash before it.
fn unescaped_slash(text: &str) -> Option<usize> {
    let mut escaped = false;
    text.find(|c| {
        let end = c == '/' && !escaped;
        escaped = c == '\\' && !escaped;
        end
    })
}

/// Parses a replacement. `start` is its offset in the rule.
fn pieces(text: &str, start: usize, groups: usize) -> Result<Vec<Piece>, MappingError> {
    let mut pieces = Vec::new();
    let mut plain = String::new();
    let mut chars = text.char_indices();
    while let Some((at, c)) = chars.next() {
        let group = match (c, chars.clone().next().map(|(_, next)| next)) {
            ('\\', Some(next @ ('/' | '\\'))) => {
                plain.push(next);
                chars.next();
                continue;
            }
            ('$', Some('$')) => {
                plain.push('$');
                chars.next();
                continue;
            }
            ('$', Some('&')) => 0,
            ('$', next) => match next
                .and_then(|next| next.to_digit(10))
                .map(|digit| digit as usize)
            {
                Some(group) if (1..=groups).contains(&group) => group,
                _ => {
                    let text = text.get(at..).unwrap_or_default().chars().take(2).collect();
                    return Err(MappingError::at(
                        start + at,
                        MappingFault::Reference { text, groups },
                    ));
                }
            },
            (c, _) => {
                plain.push(c);
                continue;
            }
        };
        chars.next();
        if !plain.is_empty() {
            pieces.push(Piece::Text(std::mem::take(&mut plain)));
        }
        pieces.push(Piece::Group(group));
    }
    if !plain.is_empty() {
        pieces.push(Piece::Text(plain));
    }
    Ok(pieces)
}

impl Default for PrincipalMapping {
    /// `$.sub`.
    fn default() -> Self {
        Self {
            text: "$.sub".to_owned(),
            names: vec!["sub".to_owned()],
            rewrite: None,
        }
    }
}

impl PartialEq for PrincipalMapping {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Eq for PrincipalMapping {}

impl fmt::Display for PrincipalMapping {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl FromStr for PrincipalMapping {
    type Err = MappingError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::parse(text)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn apply(rule: &str, claims: &Value) -> Result<String, PrincipalClaimError> {
        PrincipalMapping::parse(rule)
            .expect(rule)
            .apply(&ClaimSet::from_value(claims.clone()))
    }

    #[test]
    fn the_user_is_what_the_rule_leaves_of_the_claim() {
        let claims = json!({
            "sub": "subject", "email": "User@example.com", "user_info": {"email": "u@x"}, "list": ["a", "b"],
            "path": "/a/b", "urn:x:name": "n", "price": "a$b"
        });
        for (rule, user) in [
            ("$.sub", "subject"),
            ("$.email", "User@example.com"),
            ("$.user_info.email", "u@x"),
            ("$.urn:x:name", "n"),
            ("$.list.1", "b"),
            ("$.email/([^@]+)@.*/$1/", "User"),
            ("$.email/([^@]+)@.*/$1/L", "user"),
            ("$.email/([^@]+)@.*/$1/U", "USER"),
            (
                "$.email/(.*)@(.*)/$2 $1 $& $$/",
                "example.com User User@example.com $",
            ),
            ("$.email/(x)?.*/[$1]/", "[]"),
            ("$.path/\\/a\\/(.*)/p\\/$1/", "p/b"),
            ("$.sub/sub|subject/x/", "x"),
            ("$.price/.*/a\\\\b/", "a\\b"),
        ] {
            assert_eq!(apply(rule, &claims).as_deref(), Ok(user), "{rule}");
        }
    }

    #[test]
    fn an_unmapped_user_is_an_error_with_the_reason() {
        let claims = json!({
            "sub": "", "n": 7, "email": "u@x", "user_info": "text", "long": "x".repeat(MAX_VALUE_BYTES + 1)
        });
        for (rule, code, words) in [
            (
                "$.name",
                "principal_missing",
                "the claims are `email`, `long`, `n`, `sub`, `user_info`",
            ),
            ("$.user_info.email", "principal_missing", "or next to it"),
            ("$.sub", "principal_empty", "is empty"),
            ("$.n", "principal_not_string", "of type number"),
            ("$.long", "principal_too_long", "8193 bytes"),
            (
                "$.email/u/x/",
                "principal_no_match",
                "is `u@x`, which `u` does not match",
            ),
            (
                "$.email/(u).*|(z)/$2/",
                "principal_empty_result",
                "leaves nothing",
            ),
        ] {
            let error = apply(rule, &claims).expect_err(rule);
            assert_eq!(error.code(), code, "{rule}");
            assert!(error.to_string().contains(words), "{error}");
        }
    }

    #[test]
    fn faults_of_a_rule_are_pointed_at() {
        for (rule, offset, code) in [
            ("", 0, "missing_root"),
            ("sub", 0, "missing_root"),
            ("$.", 2, "empty_name"),
            ("$.a..b", 4, "empty_name"),
            ("$.a.", 4, "empty_name"),
            ("$.a['b']", 3, "brackets"),
            ("$.é x", 4, "brackets"),
            ("$.a/b", 3, "unclosed_pattern"),
            ("$.a//x/", 4, "empty_pattern"),
            ("$.a/b/x", 6, "unclosed_replacement"),
            ("$.a/(/x/", 4, "bad_pattern"),
            ("$.a/a)|(b/x/", 4, "bad_pattern"),
            ("$.a/(?=b)/x/", 4, "bad_pattern"),
            ("$.a/b/é$1/", 8, "bad_reference"),
            ("$.a/(b)/$2/", 8, "bad_reference"),
            ("$.a/b/$/", 6, "bad_reference"),
            ("$.a/b/x/l", 8, "bad_case"),
            ("$.a/b/x/L ", 8, "bad_case"),
        ] {
            let error = PrincipalMapping::parse(rule).expect_err(rule);
            assert_eq!(
                (error.offset(), error.code()),
                (offset, code),
                "{rule}: {error}"
            );
            assert!(!error.hint().is_empty() && !error.to_string().is_empty());
        }
        let long = format!("$.{}", "a".repeat(MAX_RULE_BYTES));
        assert_eq!(
            PrincipalMapping::parse(&long).expect_err("too long").code(),
            "too_long"
        );
        let large =
            PrincipalMapping::parse("$.a/((a{99}){99}){99}/x/").expect_err("a large expression");
        assert_eq!(large.code(), "bad_pattern");
    }

    #[test]
    fn the_slowest_expression_on_the_longest_value_ends() {
        let claims = json!({"a": "a".repeat(MAX_VALUE_BYTES)});
        let error = apply("$.a/(a?){300}(a*)*(a|aa)+b/x/", &claims).expect_err("no b at the end");
        assert_eq!(error.code(), "principal_no_match");
    }

    proptest::proptest! {
        #[test]
        fn nothing_panics(rule in "\\$\\.[a-c.]{0,5}(/[ab()|*?$\\\\é]{0,6}){0,3}[LU]?", value in "[abé]{0,6}") {
            match PrincipalMapping::parse(&rule) {
                Ok(mapping) => {
                    let claims = json!({"a": value, "b": {"c": value}});
                    let _ = mapping.apply(&ClaimSet::from_value(claims));
                    assert_eq!(mapping.to_string(), rule);
                }
                Err(error) => assert!(rule.is_char_boundary(error.offset())),
            }
        }
    }
}
