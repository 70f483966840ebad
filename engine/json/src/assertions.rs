//! Assertion files: a policy and named checks with expected outcomes.

use serde_json::{Map, Value, json};

use super::decision::AnswerJson;
use super::reader::{self, Fields, Place, Problems};
use super::tables::ProblemCode;
use super::{check, document};
use gbac_analysis::check::{Answer, Check};
use gbac_engine::Coded;
use gbac_engine::decide::{Outcome, Reason, Source};
use gbac_engine::policy::Policy;

/// An assertion file, version 1.
#[derive(Debug, Clone, PartialEq)]
pub struct Assertions {
    /// The policy, or its file; `None` if the caller has the policy of the tests.
    pub policy: Option<PolicySource>,
    /// The tests, in order.
    pub tests: Vec<AssertionTest>,
}

/// The source of the policy of an assertion file.
#[derive(Debug, Clone, PartialEq)]
pub enum PolicySource {
    /// The policy is in the assertion file.
    Inline(Box<Policy>),
    /// The policy is in another file, with this path relative to the assertion file. The caller
    /// must read it.
    File(String),
}

/// A named check with its expected outcome.
#[derive(Debug, Clone, PartialEq)]
pub struct AssertionTest {
    /// The name, for display.
    pub name: String,
    /// The identifier, if the file has one.
    pub id: Option<String>,
    /// The clauses or decisions that the test covers, if the file names them.
    pub spec: Vec<String>,
    /// The check.
    pub check: Check,
    /// The expected outcome.
    pub expect: Expectation,
}

/// The expected outcome of a check: members of its decision, the groups of its identity, or an
/// error.
///
/// Only the members of the expectation are compared. `null` means that a member is absent.
#[derive(Debug, Clone, PartialEq)]
pub struct Expectation(Map<String, Value>);

/// The observed outcome of a check: an answer with the groups of the identity, or the code of an
/// error.
pub type Observed<'a> = Result<(&'a Answer, &'a [String]), &'a str>;

/// The members that an expectation may have, besides `groups` and `error`.
const DECISION_MEMBERS: [&str; 9] = [
    "outcome",
    "reason",
    "source",
    "group",
    "role",
    "acl",
    "implied_by",
    "host_unknown",
    "verified",
];

impl Expectation {
    /// Describes the differences from the observed outcome; `None` if there are none.
    #[must_use]
    pub fn difference(&self, observed: &Observed<'_>) -> Option<String> {
        let mut actual = match observed {
            Ok((answer, _)) => serde_json::to_value(AnswerJson::from(*answer)).unwrap_or_default(),
            Err(code) => json!({ "error": code }),
        };
        if let (Ok((_, groups)), Value::Object(members)) = (observed, &mut actual) {
            members.insert("groups".into(), json!(groups));
        }
        if let (Err(code), None) = (observed, self.0.get("error")) {
            return Some(format!("the check failed with `{code}`"));
        }
        let differences: Vec<String> = self
            .0
            .iter()
            .filter_map(|(name, expected)| {
                let actual = actual.get(name).unwrap_or(&Value::Null);
                // Flags that are false are omitted from decisions.
                let is_equal =
                    actual == expected || (actual.is_null() && *expected == Value::Bool(false));
                (!is_equal).then(|| format!("{name} is {actual}, expected {expected}"))
            })
            .collect();
        (!differences.is_empty()).then(|| differences.join("; "))
    }
}

/// The delimiters of the assertion file in a bug report.
const BLOCK: (&str, &str) = ("\n```json\n", "\n```");

/// Writes a bug report in Markdown: a description, then the assertion file. [`find_assertions`]
/// finds the file in it.
#[must_use]
pub fn assertion_report(description: &str, file: &str) -> String {
    format!("{}\n{}{file}{}\n", description.trim_end(), BLOCK.0, BLOCK.1)
}

/// Finds the assertion file in a bug report. A text that is an assertion file is returned
/// unchanged.
///
/// ```
/// use gbac_json::{assertion_report, find_assertions};
/// let file = r#"{ "version": 1 }"#;
/// assert_eq!(find_assertions(&assertion_report("# It fails\n", file)), file);
/// assert_eq!(find_assertions(file), file);
/// ```
#[must_use]
pub fn find_assertions(text: &str) -> &str {
    if text.trim_start().starts_with(['{', '[']) {
        return text;
    }
    // The last block, because the description can contain such a block too, but the assertion file
    // cannot.
    let block = text
        .rfind(BLOCK.0)
        .and_then(|start| text.get(start + BLOCK.0.len()..));
    block.map_or(text, |block| block.split(BLOCK.1).next().unwrap_or(block))
}

/// Reads an assertion file.
///
/// # Errors
/// All problems at once.
///
/// ```
/// use gbac_analysis::check::answer;
/// use gbac_engine::At;
/// use gbac_json::{PolicySource, assertions_from_json};
///
/// let file = assertions_from_json(
///     r#"{ "version": 1, "policy": { "version": 1 }, "tests": [{
///          "name": "nobody reads orders",
///          "check": { "identity": { "user": "alice" }, "operation": "OPERATION_READ",
///                     "resource_type": "RESOURCE_TYPE_TOPIC", "resource_name": "orders" },
///          "expect": { "outcome": "deny" } }] }"#,
/// )?;
/// let Some(PolicySource::Inline(policy)) = &file.policy else { panic!("the policy is in the file") };
/// let test = &file.tests[0];
/// let answer = answer(policy, &test.check, None, At::IgnoringExpiry)?;
/// assert_eq!(test.expect.difference(&Ok((&answer, &[]))), None);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn assertions_from_json(text: &str) -> Result<Assertions, Problems> {
    assertions_from_value(&reader::parse(text)?)
}

/// Reads an assertion file from a JSON value.
///
/// # Errors
/// All problems at once.
pub fn assertions_from_value(value: &Value) -> Result<Assertions, Problems> {
    let mut problems = Problems::default();
    let file = read(value, &mut problems);
    problems.or(file)
}

fn read(value: &Value, problems: &mut Problems) -> Option<Assertions> {
    let at = Place::Root;
    let mut fields = Fields::from_value(value, &at, problems)?;
    fields.optional("$schema");
    document::version(&mut fields, &at, problems);
    let inline = fields.optional("policy");
    let file = fields.optional_string("policy_file", &at, problems);
    let policy = match (inline, file) {
        (Some(value), None) => document::read(value, &Place::Member(&at, "policy"), problems)
            .map(|policy| PolicySource::Inline(Box::new(policy))),
        (None, Some(file)) => Some(PolicySource::File(file.into())),
        (None, None) => None,
        (Some(_), Some(_)) => {
            problems.push(
                &at,
                ProblemCode::ExclusiveMembers,
                "keep one of `policy` and `policy_file`",
            );
            None
        }
    };
    let mut tests = Vec::new();
    if fields.required("tests", &at, problems).is_some() {
        let place = Place::Member(&at, "tests");
        for (index, value) in fields.array("tests", &at, problems).iter().enumerate() {
            tests.extend(read_test(value, &Place::Element(&place, index), problems));
        }
    }
    fields.finish(&at, problems);
    Some(Assertions { policy, tests })
}

fn read_test(value: &Value, at: &Place<'_>, problems: &mut Problems) -> Option<AssertionTest> {
    let mut fields = Fields::from_value(value, at, problems)?;
    let name = fields.string("name", at, problems);
    let id = fields.optional_string("id", at, problems).map(String::from);
    let spec = reader::strings(
        fields.array("spec", at, problems),
        &Place::Member(at, "spec"),
        problems,
    );
    let check = fields
        .required("check", at, problems)
        .and_then(|value| check::read(value, &Place::Member(at, "check"), problems));
    let expect = fields
        .required("expect", at, problems)
        .and_then(|value| read_expectation(value, &Place::Member(at, "expect"), problems));
    fields.finish(at, problems);
    // A test must not depend on the current time.
    if check
        .as_ref()
        .is_some_and(|check| check.at.is_none() && check.subject.has_expiry())
    {
        let place = Place::Member(at, "check");
        let message = "the identity expires, so the test must say when it is decided: state `now` in seconds since 1970, or \
                       `\"ignore_expiry\": true`";
        problems.push(&place, ProblemCode::NowMissing, message);
    }
    Some(AssertionTest {
        name: name?.into(),
        id,
        spec,
        check: check?,
        expect: expect?,
    })
}

fn read_expectation(value: &Value, at: &Place<'_>, problems: &mut Problems) -> Option<Expectation> {
    let Value::Object(members) = value else {
        problems.expected(at, "an object", value);
        return None;
    };
    if !members.contains_key("outcome") && !members.contains_key("error") {
        problems.push(
            at,
            ProblemCode::MissingMember,
            "`outcome` or `error` is missing",
        );
    }
    for (name, value) in members {
        let place = Place::Member(at, name);
        let text = value.as_str();
        let is_valid = match name.as_str() {
            "outcome" => text.is_some_and(|text| Outcome::codes().contains(&text)),
            "reason" => text.is_some_and(|text| Reason::codes().contains(&text)),
            "source" => value.is_null() || text.is_some_and(|text| Source::codes().contains(&text)),
            "error" => text.is_some(),
            "groups" => value
                .as_array()
                .is_some_and(|names| names.iter().all(Value::is_string)),
            name if DECISION_MEMBERS.contains(&name) => true,
            _ => {
                problems.unknown_member(
                    &place,
                    &[DECISION_MEMBERS.as_slice(), &["groups", "error"]].concat(),
                );
                continue;
            }
        };
        if !is_valid {
            problems.push(
                &place,
                ProblemCode::UnknownValue,
                format!("`{value}` is not a value of `{name}`"),
            );
        }
    }
    Some(Expectation(members.clone()))
}
