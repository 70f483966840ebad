//! The bodies of OpenID AuthZEN 1.0, with which gateways ask for decisions.
//!
//! | of a question | here |
//! |---|---|
//! | `subject` | `{"type": "user", "id": NAME, "properties": {"groups": [..]}}` or `{"type": "token", "id": JWS}` |
//! | `action.name` | an operation in any spelling, or a request: `kafka:Produce`, `schema_registry:GET /subjects`, `http_proxy:..` |
//! | `action.properties.resources` | for a request that names more than one kind of resource: `{"transactional_id": [..]}` |
//! | `resource` | `{"type": "topic", "id": NAME}`; the type in any spelling |
//! | `context.host` | the client's address |
//!
//! Other members are ignored, as the standard requires.

mod question;

use gbac_json::{AnswerJson, TokenRefusalJson};
#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::paging::quoted;
use crate::problem::DocumentFault;

/// The most evaluations in one request.
pub const MAX_EVALUATIONS: usize = 1000;

/// One evaluation. In a list, each part may be omitted if the list has a default.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Evaluation {
    /// The subject.
    pub subject: Option<Value>,
    /// The action.
    pub action: Option<Value>,
    /// The resource.
    pub resource: Option<Value>,
    /// The context.
    pub context: Option<Value>,
}

/// References to the parts of an evaluation.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Parts<'v> {
    /// The subject.
    pub subject: Option<&'v Value>,
    /// The action.
    pub action: Option<&'v Value>,
    /// The resource.
    pub resource: Option<&'v Value>,
    /// The context.
    pub context: Option<&'v Value>,
}

/// Several evaluations with their defaults.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Evaluations {
    /// The defaults for omitted parts.
    pub defaults: Evaluation,
    /// The evaluations. If absent or empty, the defaults are the only evaluation.
    pub evaluations: Option<Value>,
    /// `evaluations_semantic`.
    pub options: Option<Value>,
}

/// The condition that ends a list of evaluations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Semantic {
    /// After the last evaluation.
    #[default]
    ExecuteAll,
    /// After the first denied one.
    DenyOnFirstDeny,
    /// After the first permitted one.
    PermitOnFirstPermit,
}

impl Semantic {
    /// Every value.
    pub const ALL: &'static [Self] = &[
        Self::ExecuteAll,
        Self::DenyOnFirstDeny,
        Self::PermitOnFirstPermit,
    ];

    /// The name in the standard.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::ExecuteAll => "execute_all",
            Self::DenyOnFirstDeny => "deny_on_first_deny",
            Self::PermitOnFirstPermit => "permit_on_first_permit",
        }
    }

    /// Whether the list ends after this decision.
    #[must_use]
    pub const fn ends_with(self, answer: &EvaluationResponse) -> bool {
        match self {
            Self::ExecuteAll => false,
            Self::DenyOnFirstDeny => !answer.decision,
            Self::PermitOnFirstPermit => answer.decision,
        }
    }
}

/// The response to one evaluation.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct EvaluationResponse {
    /// Whether it is permitted.
    pub decision: bool,
    /// The reason.
    pub context: EvaluationContext,
}

/// The reason of a response.
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum EvaluationContext {
    /// The decision, as in the output of `gbac check`.
    Answer(AnswerJson),
    /// The denial of a token that sign-in refuses, as in the output of `gbac check` (D-119).
    Refused(TokenRefusalJson),
    /// An error instead of a decision.
    Failed {
        /// The reason.
        error: EvaluationError,
    },
}

/// The error of an evaluation, in the form of the standard.
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct EvaluationError {
    /// An HTTP status.
    pub status: u16,
    /// The stable code of the error.
    pub code: &'static str,
    /// The error and the recommended correction.
    pub message: String,
    /// All problems of the evaluation.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<DocumentFault>,
}

/// The responses to several evaluations, in order.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct EvaluationsResponse {
    /// One for each evaluation, or fewer if the semantic ended the list.
    pub evaluations: Vec<EvaluationResponse>,
}

/// The response of `/.well-known/authzen-configuration`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Configuration {
    /// The base URL of the service.
    pub policy_decision_point: String,
    /// The endpoint of one evaluation.
    pub access_evaluation_endpoint: String,
    /// The endpoint of several evaluations.
    pub access_evaluations_endpoint: String,
}

impl EvaluationResponse {
    /// The response to an evaluation with an error: it is denied.
    #[must_use]
    pub const fn failed(error: EvaluationError) -> Self {
        Self {
            decision: false,
            context: EvaluationContext::Failed { error },
        }
    }
}

impl Evaluation {
    /// Moves the parts of an evaluation out of its object; null counts as absent.
    #[must_use]
    pub fn take(members: &mut Map<String, Value>) -> Self {
        Self {
            subject: take(members, "subject"),
            action: take(members, "action"),
            resource: take(members, "resource"),
            context: take(members, "context"),
        }
    }

    /// References to its parts.
    #[must_use]
    pub const fn parts(&self) -> Parts<'_> {
        let Self {
            subject,
            action,
            resource,
            context,
        } = self;
        Parts {
            subject: subject.as_ref(),
            action: action.as_ref(),
            resource: resource.as_ref(),
            context: context.as_ref(),
        }
    }
}

impl Evaluations {
    /// Moves several evaluations out of their object.
    #[must_use]
    pub fn take(members: &mut Map<String, Value>) -> Self {
        Self {
            defaults: Evaluation::take(members),
            evaluations: take(members, "evaluations"),
            options: take(members, "options"),
        }
    }

    /// The evaluations; `None` for a request that is a single evaluation.
    ///
    /// # Errors
    /// `evaluations` or `options` is invalid.
    pub fn questions(&self) -> Result<(Option<&[Value]>, Semantic), Vec<DocumentFault>> {
        let mut faults = Vec::new();
        let questions = match &self.evaluations {
            None => None,
            Some(Value::Array(list)) if list.is_empty() => None,
            Some(Value::Array(list)) if list.len() > MAX_EVALUATIONS => {
                let message = format!(
                    "{} questions are given; at most {MAX_EVALUATIONS} are answered",
                    list.len()
                );
                faults.push(fault("/evaluations", "too_many_evaluations", message));
                None
            }
            Some(Value::Array(list)) => Some(list.as_slice()),
            Some(_) => {
                faults.push(fault(
                    "/evaluations",
                    "wrong_type",
                    "expected an array of questions".into(),
                ));
                None
            }
        };
        let semantic = match &self.options {
            None => Some(Semantic::default()),
            Some(Value::Object(options)) => match options.get("evaluations_semantic") {
                None => Some(Semantic::default()),
                Some(word) => Semantic::ALL
                    .iter()
                    .copied()
                    .find(|semantic| word.as_str() == Some(semantic.name())),
            },
            Some(_) => {
                faults.push(fault("/options", "wrong_type", "expected an object".into()));
                Some(Semantic::default())
            }
        };
        let Some(semantic) = semantic else {
            let words = quoted(Semantic::ALL.iter().map(|semantic| semantic.name()));
            let message = format!("the values are {words}");
            faults.push(fault(
                "/options/evaluations_semantic",
                "unknown_value",
                message,
            ));
            return Err(faults);
        };
        if faults.is_empty() {
            Ok((questions, semantic))
        } else {
            Err(faults)
        }
    }

    /// One evaluation of the list, with the defaults for omitted parts.
    ///
    /// # Errors
    /// It is not an object.
    pub fn question<'v>(&'v self, value: &'v Value) -> Result<Parts<'v>, Vec<DocumentFault>> {
        let Value::Object(own) = value else {
            return Err(vec![fault("", "wrong_type", "expected an object".into())]);
        };
        let Parts {
            subject,
            action,
            resource,
            context,
        } = self.defaults.parts();
        Ok(Parts {
            subject: own_or(own, "subject", subject),
            action: own_or(own, "action", action),
            resource: own_or(own, "resource", resource),
            context: own_or(own, "context", context),
        })
    }
}

fn own_or<'v>(
    own: &'v Map<String, Value>,
    name: &str,
    default: Option<&'v Value>,
) -> Option<&'v Value> {
    match own.get(name) {
        None | Some(Value::Null) => default,
        part => part,
    }
}

fn take(members: &mut Map<String, Value>, name: &str) -> Option<Value> {
    members.remove(name).filter(|value| !value.is_null())
}

fn fault(path: &str, code: &str, message: String) -> DocumentFault {
    DocumentFault {
        path: path.into(),
        code: code.into(),
        message,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_list_has_defaults_and_a_semantic() {
        let read = |mut value: Value| Evaluations::take(value.as_object_mut().unwrap());
        let all = read(
            json!({ "subject": { "type": "user", "id": "a" }, "action": { "name": "read" },
            "evaluations": [{ "resource": 1 }, { "resource": 2, "action": 3 }],
            "options": { "evaluations_semantic": "deny_on_first_deny", "other": 1 } }),
        );
        let (questions, semantic) = all.questions().unwrap();
        assert_eq!(semantic, Semantic::DenyOnFirstDeny);
        let questions: Vec<Parts<'_>> = questions
            .unwrap()
            .iter()
            .map(|value| all.question(value).unwrap())
            .collect();
        assert_eq!(
            (questions[0].action, questions[1].action),
            (all.defaults.action.as_ref(), Some(&json!(3)))
        );
        assert_eq!(questions[0].subject, all.defaults.subject.as_ref());
        assert_eq!(
            read(json!({ "evaluations": [] })).questions().unwrap(),
            (None, Semantic::ExecuteAll)
        );
        for (value, path) in [
            (json!({ "evaluations": {} }), "/evaluations"),
            (
                json!({ "evaluations": vec![json!({}); MAX_EVALUATIONS + 1] }),
                "/evaluations",
            ),
            (json!({ "options": 1 }), "/options"),
            (
                json!({ "options": { "evaluations_semantic": "fast" } }),
                "/options/evaluations_semantic",
            ),
        ] {
            assert_eq!(read(value).questions().unwrap_err()[0].path, path);
        }
    }
}
