//! Reads JSON values member by member and collects all problems with their locations (D-34).

use std::fmt;

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};
#[cfg(feature = "typescript")]
use ts_rs::TS;

use super::code::Code;
use super::tables::{FaultCode, ProblemCode};
use gbac_analysis::audit::without_credentials;
use gbac_engine::escape::escaped;

/// A problem of a document.
#[cfg_attr(
    feature = "typescript",
    derive(TS),
    ts(rename = "Problem", optional_fields)
)]
#[cfg_attr(feature = "schema", derive(JsonSchema), schemars(rename = "Problem"))]
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Problem {
    /// The location: a JSON Pointer (RFC 6901) such as `/acls/3/host`; empty for the whole
    /// document.
    pub path: String,
    /// The stable code.
    pub code: Code<ProblemCode>,
    /// The problem and what to do.
    pub message: String,
}

/// The error of a failed call: a stable code, a message, and the problems of a document.
#[derive(Debug, Serialize)]
pub struct FaultJson<'a> {
    /// The stable code.
    pub code: Code<FaultCode>,
    /// The error and what to do.
    pub message: String,
    /// The problems of the document; empty if the error is not about a document.
    #[serde(skip_serializing_if = "<[Problem]>::is_empty")]
    pub problems: &'a [Problem],
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.path.is_empty() {
            f.write_str(&self.message)
        } else {
            write!(f, "{}: {}", self.path, self.message)
        }
    }
}

/// All problems of a document, in the order of the document.
#[cfg_attr(feature = "schema", derive(JsonSchema), schemars(inline))]
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Problems(pub Vec<Problem>);

impl fmt::Display for Problems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, problem) in self.0.iter().enumerate() {
            if index > 0 {
                f.write_str("\n")?;
            }
            problem.fmt(f)?;
        }
        Ok(())
    }
}

impl std::error::Error for Problems {}

impl Problems {
    pub(super) fn push(
        &mut self,
        at: &Place<'_>,
        code: impl Into<Code<ProblemCode>>,
        message: impl Into<String>,
    ) {
        self.0
            .push(problem(&at.pointer(), code.into(), &message.into()));
    }

    /// Adds a problem from an error of the engine and its hint.
    pub(super) fn refused<'e, E: fmt::Display>(&mut self, at: &Place<'_>, error: &'e E, hint: &str)
    where
        Code<ProblemCode>: From<&'e E>,
    {
        self.push(at, error, format!("{error}; {hint}"));
    }

    /// Adds the problem of an unknown member.
    pub(super) fn unknown_member(&mut self, at: &Place<'_>, known: &[&str]) {
        let known = known.join("`, `");
        let message = format!(
            "`{}` is an unknown field; the fields are `{known}`",
            escaped(at.name())
        );
        self.push(at, ProblemCode::UnknownMember, message);
    }

    /// Adds the problem of a value of the wrong type.
    pub(super) fn expected(&mut self, at: &Place<'_>, expected: &str, value: &Value) {
        self.push(
            at,
            ProblemCode::WrongType,
            format!("expected {expected}, found {}", kind(value)),
        );
    }

    /// The value, if there are no problems.
    pub(super) fn or<T>(self, value: Option<T>) -> Result<T, Self> {
        match value {
            Some(value) if self.0.is_empty() => Ok(value),
            _ => Err(self),
        }
    }
}

/// Creates a problem. Removes credentials, because a token may be pasted in any place.
fn problem(path: &str, code: Code<ProblemCode>, message: &str) -> Problem {
    Problem {
        path: without_credentials(path),
        code,
        message: without_credentials(message),
    }
}

/// What kind of JSON value this is, for messages.
fn kind(value: &Value) -> String {
    match value {
        Value::Null => "null".into(),
        Value::Bool(value) => format!("`{value}`"),
        Value::Number(value) => format!("the number `{value}`"),
        Value::String(value) => {
            // Before the text is cut, because a part of a token is not recognized as one.
            let short: String = without_credentials(value).chars().take(60).collect();
            format!("the string `{}`", escaped(&short))
        }
        Value::Array(_) => "an array".into(),
        Value::Object(_) => "an object".into(),
    }
}

/// A location in a document, formatted only if a problem is reported.
#[derive(Debug, Clone, Copy)]
pub(super) enum Place<'a> {
    Root,
    Member(&'a Place<'a>, &'a str),
    Element(&'a Place<'a>, usize),
}

impl Place<'_> {
    /// The name of the member; empty if the location is not a member.
    pub(super) const fn name(&self) -> &str {
        match self {
            Self::Member(_, name) => name,
            Self::Root | Self::Element(..) => "",
        }
    }

    fn pointer(&self) -> String {
        match self {
            Self::Root => String::new(),
            Self::Member(parent, name) => {
                format!("{}/{}", parent.pointer(), pointer_part(name))
            }
            Self::Element(parent, place) => format!("{}/{place}", parent.pointer()),
        }
    }
}

/// A name as a part of a JSON Pointer (RFC 6901).
///
/// ```
/// assert_eq!(gbac_json::pointer_part("https://x/groups"), "https:~1~1x~1groups");
/// ```
#[must_use]
pub fn pointer_part(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

/// Parses a text strictly. A syntax error or a duplicate member is reported as the only problem of
/// the document.
pub(super) fn parse(text: &str) -> Result<Value, Problems> {
    gbac_engine::json::parse(text)
        .map_err(|error| Problems(vec![problem("", Code::from(&error), &error.to_string())]))
}

/// The members of an object, which are read one by one; unknown members are refused.
pub(super) struct Fields<'v> {
    members: &'v Map<String, Value>,
    known: Vec<&'static str>,
}

impl<'v> Fields<'v> {
    pub(super) fn from_value(
        value: &'v Value,
        at: &Place<'_>,
        problems: &mut Problems,
    ) -> Option<Self> {
        match value {
            Value::Object(members) => Some(Self {
                members,
                known: Vec::new(),
            }),
            other => {
                problems.expected(at, "an object", other);
                None
            }
        }
    }

    pub(super) fn optional(&mut self, name: &'static str) -> Option<&'v Value> {
        self.known.push(name);
        self.members.get(name)
    }

    pub(super) fn required(
        &mut self,
        name: &'static str,
        at: &Place<'_>,
        problems: &mut Problems,
    ) -> Option<&'v Value> {
        let value = self.optional(name);
        if value.is_none() {
            problems.push(
                at,
                ProblemCode::MissingMember,
                format!("`{name}` is missing"),
            );
        }
        value
    }

    pub(super) fn string(
        &mut self,
        name: &'static str,
        at: &Place<'_>,
        problems: &mut Problems,
    ) -> Option<&'v str> {
        let value = self.required(name, at, problems)?;
        string(value, &Place::Member(at, name), problems)
    }

    pub(super) fn optional_string(
        &mut self,
        name: &'static str,
        at: &Place<'_>,
        problems: &mut Problems,
    ) -> Option<&'v str> {
        let value = self.optional(name)?;
        string(value, &Place::Member(at, name), problems)
    }

    pub(super) fn array(
        &mut self,
        name: &'static str,
        at: &Place<'_>,
        problems: &mut Problems,
    ) -> &'v [Value] {
        self.optional(name).map_or(&[], |value| {
            array(value, &Place::Member(at, name), problems)
        })
    }

    /// Adds a problem for each unknown member.
    pub(super) fn finish(self, at: &Place<'_>, problems: &mut Problems) {
        for name in self
            .members
            .keys()
            .filter(|name| !self.known.contains(&name.as_str()))
        {
            problems.unknown_member(&Place::Member(at, name), &self.known);
        }
    }
}

pub(super) fn array<'v>(value: &'v Value, at: &Place<'_>, problems: &mut Problems) -> &'v [Value] {
    match value {
        Value::Array(elements) => elements,
        other => {
            problems.expected(at, "an array", other);
            &[]
        }
    }
}

pub(super) fn string<'v>(
    value: &'v Value,
    at: &Place<'_>,
    problems: &mut Problems,
) -> Option<&'v str> {
    match value {
        Value::String(text) => Some(text),
        other => {
            problems.expected(at, "a string", other);
            None
        }
    }
}

/// The strings of an array. Other elements are problems.
pub(super) fn strings(values: &[Value], at: &Place<'_>, problems: &mut Problems) -> Vec<String> {
    let mut texts = Vec::new();
    for (index, value) in values.iter().enumerate() {
        if let Some(text) = string(value, &Place::Element(at, index), problems) {
            texts.push(text.into());
        }
    }
    texts
}
