//! The bodies of OpenID AuthZEN 1.0: how a gateway asks whether somebody may do something.
//!
//! | of a question | here |
//! |---|---|
//! | `subject` | `{"type": "user", "id": NAME, "properties": {"groups": [..]}}` or `{"type": "token", "id": JWS}` |
//! | `action.name` | an operation in any spelling, or a request: `kafka:Produce`, `schema_registry:GET /subjects`, `http_proxy:..` |
//! | `action.properties.resources` | for a request that names more than one kind of resource: `{"transactional_id": [..]}` |
//! | `resource` | `{"type": "topic", "id": NAME}`; the type in any spelling |
//! | `context.host` | the client's address |
//!
//! Other members are left alone, as the standard wants it.

mod question;

use gbac_json::AnswerJson;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::problem::DocumentFault;

/// How many questions may be asked at once.
pub const MAX_EVALUATIONS: usize = 1000;

/// One question. In a list of them each part may be left out where the list has it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Evaluation {
    /// Who.
    pub subject: Option<Value>,
    /// Does what.
    pub action: Option<Value>,
    /// To what.
    pub resource: Option<Value>,
    /// Under which circumstances.
    pub context: Option<Value>,
}

/// The parts of a question, wherever they stand.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Parts<'v> {
    /// Who.
    pub subject: Option<&'v Value>,
    /// Does what.
    pub action: Option<&'v Value>,
    /// To what.
    pub resource: Option<&'v Value>,
    /// Under which circumstances.
    pub context: Option<&'v Value>,
}

/// Several questions, with what they have in common.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Evaluations {
    /// What a question without that part takes.
    pub defaults: Evaluation,
    /// The questions; none or an empty list: the defaults are the one question.
    pub evaluations: Option<Value>,
    /// `evaluations_semantic`.
    pub options: Option<Value>,
}

/// When a list of questions ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Semantic {
    /// With the last question.
    #[default]
    ExecuteAll,
    /// With the first that is denied.
    DenyOnFirstDeny,
    /// With the first that is permitted.
    PermitOnFirstPermit,
}

impl Semantic {
    /// Every value.
    pub const ALL: &'static [Self] = &[Self::ExecuteAll, Self::DenyOnFirstDeny, Self::PermitOnFirstPermit];

    /// The standard's word.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::ExecuteAll => "execute_all",
            Self::DenyOnFirstDeny => "deny_on_first_deny",
            Self::PermitOnFirstPermit => "permit_on_first_permit",
        }
    }

    /// Whether the list ends with this answer.
    #[must_use]
    pub const fn ends_with(self, answer: &Evaluated) -> bool {
        match self {
            Self::ExecuteAll => false,
            Self::DenyOnFirstDeny => !answer.decision,
            Self::PermitOnFirstPermit => answer.decision,
        }
    }
}

/// The answer to one question.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Evaluated {
    /// Whether it is permitted.
    pub decision: bool,
    /// Why.
    pub context: EvaluationContext,
}

/// Why a question has its answer.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum EvaluationContext {
    /// The decision, as `gbac check` writes it.
    Answer(AnswerJson),
    /// Nothing could be decided.
    Failed {
        /// Why.
        error: EvaluationError,
    },
}

/// Why a question has no answer, in the form of the standard.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct EvaluationError {
    /// A status of HTTP.
    pub status: u16,
    /// A stable name of the error.
    pub code: &'static str,
    /// What is wrong and what to do.
    pub message: String,
    /// Every problem of the question.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<DocumentFault>,
}

/// The answers to several questions, in their order.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct EvaluatedAll {
    /// As many as were asked, or fewer where the semantic ended the list.
    pub evaluations: Vec<Evaluated>,
}

/// The answer of `/.well-known/authzen-configuration`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Configuration {
    /// The base address of the service.
    pub policy_decision_point: String,
    /// Where one question is asked.
    pub access_evaluation_endpoint: String,
    /// Where several are.
    pub access_evaluations_endpoint: String,
}

impl Evaluated {
    /// A question that has no answer is denied.
    #[must_use]
    pub const fn failed(error: EvaluationError) -> Self {
        Self { decision: false, context: EvaluationContext::Failed { error } }
    }
}

impl Evaluation {
    /// Takes the parts of a question out of its object; null is absent.
    #[must_use]
    pub fn take(members: &mut Map<String, Value>) -> Self {
        Self {
            subject: take(members, "subject"),
            action: take(members, "action"),
            resource: take(members, "resource"),
            context: take(members, "context"),
        }
    }

    /// Its parts.
    #[must_use]
    pub const fn parts(&self) -> Parts<'_> {
        let Self { subject, action, resource, context } = self;
        Parts {
            subject: subject.as_ref(),
            action: action.as_ref(),
            resource: resource.as_ref(),
            context: context.as_ref(),
        }
    }
}

impl Evaluations {
    /// Takes several questions out of their object.
    #[must_use]
    pub fn take(members: &mut Map<String, Value>) -> Self {
        Self {
            defaults: Evaluation::take(members),
            evaluations: take(members, "evaluations"),
            options: take(members, "options"),
        }
    }

    /// The questions, with what they leave out filled in; none for a request that is one question itself.
    ///
    /// # Errors
    /// `evaluations` or `options` cannot be read.
    pub fn questions(&self) -> Result<(Option<&[Value]>, Semantic), Vec<DocumentFault>> {
        let mut faults = Vec::new();
        let questions = match &self.evaluations {
            None => None,
            Some(Value::Array(list)) if list.is_empty() => None,
            Some(Value::Array(list)) if list.len() > MAX_EVALUATIONS => {
                let message = format!("{} questions are given; at most {MAX_EVALUATIONS} are answered", list.len());
                faults.push(fault("/evaluations", "too_many_evaluations", message));
                None
            }
            Some(Value::Array(list)) => Some(list.as_slice()),
            Some(_) => {
                faults.push(fault("/evaluations", "wrong_type", "expected an array of questions".into()));
                None
            }
        };
        let semantic = match &self.options {
            None => Some(Semantic::default()),
            Some(Value::Object(options)) => match options.get("evaluations_semantic") {
                None => Some(Semantic::default()),
                Some(word) => Semantic::ALL.iter().copied().find(|semantic| word.as_str() == Some(semantic.name())),
            },
            Some(_) => {
                faults.push(fault("/options", "wrong_type", "expected an object".into()));
                Some(Semantic::default())
            }
        };
        let Some(semantic) = semantic else {
            let words: Vec<String> = Semantic::ALL.iter().map(|semantic| format!("`{}`", semantic.name())).collect();
            let message = format!("the values are {}", words.join(", "));
            faults.push(fault("/options/evaluations_semantic", "unknown_value", message));
            return Err(faults);
        };
        if faults.is_empty() { Ok((questions, semantic)) } else { Err(faults) }
    }

    /// One question of the list, with the parts that it leaves out.
    ///
    /// # Errors
    /// It is no object.
    pub fn question<'v>(&'v self, value: &'v Value) -> Result<Parts<'v>, Vec<DocumentFault>> {
        let Value::Object(own) = value else {
            return Err(vec![fault("", "wrong_type", "expected an object".into())]);
        };
        let own = |name: &str| own.get(name).filter(|part| !part.is_null());
        let Parts { subject, action, resource, context } = self.defaults.parts();
        Ok(Parts {
            subject: own("subject").or(subject),
            action: own("action").or(action),
            resource: own("resource").or(resource),
            context: own("context").or(context),
        })
    }
}

fn take(members: &mut Map<String, Value>, name: &str) -> Option<Value> {
    members.remove(name).filter(|value| !value.is_null())
}

fn fault(path: &str, code: &str, message: String) -> DocumentFault {
    DocumentFault { path: path.into(), code: code.into(), message }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_list_has_defaults_and_a_semantic() {
        let read = |mut value: Value| Evaluations::take(value.as_object_mut().unwrap());
        let all = read(json!({ "subject": { "type": "user", "id": "a" }, "action": { "name": "read" },
            "evaluations": [{ "resource": 1 }, { "resource": 2, "action": 3 }],
            "options": { "evaluations_semantic": "deny_on_first_deny", "other": 1 } }));
        let (questions, semantic) = all.questions().unwrap();
        assert_eq!(semantic, Semantic::DenyOnFirstDeny);
        let questions: Vec<Parts<'_>> = questions.unwrap().iter().map(|value| all.question(value).unwrap()).collect();
        assert_eq!((questions[0].action, questions[1].action), (all.defaults.action.as_ref(), Some(&json!(3))));
        assert_eq!(questions[0].subject, all.defaults.subject.as_ref());
        assert_eq!(read(json!({ "evaluations": [] })).questions().unwrap(), (None, Semantic::ExecuteAll));
        for (value, path) in [
            (json!({ "evaluations": {} }), "/evaluations"),
            (json!({ "evaluations": vec![json!({}); MAX_EVALUATIONS + 1] }), "/evaluations"),
            (json!({ "options": 1 }), "/options"),
            (json!({ "options": { "evaluations_semantic": "fast" } }), "/options/evaluations_semantic"),
        ] {
            assert_eq!(read(value).questions().unwrap_err()[0].path, path);
        }
    }
}
