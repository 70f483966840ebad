//! What an answer says when it is a refusal: the error bodies of every surface (specification 7, D-21).

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

/// The Data Plane's reason for what takes a license (D-16).
pub const LICENSE_REASON: &str = "REASON_ENTERPRISE_LICENSE_EXPIRED";
/// The domain of the Data Plane's reasons.
const DOMAIN: &str = "redpanda.com/dataplane";

/// The codes of google.rpc.Code that the service answers with; HTTP status and Connect's word come with them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RpcCode {
    /// The request is wrong in itself: 400.
    InvalidArgument,
    /// Nobody is signed in, or not validly: 401.
    Unauthenticated,
    /// Signed in, but without the access that it takes: 403.
    PermissionDenied,
    /// There is no such thing: 404.
    NotFound,
    /// There is such a thing already: 409.
    AlreadyExists,
    /// It cannot be done as things are: 400.
    FailedPrecondition,
    /// Too much of something: 429.
    ResourceExhausted,
    /// It took too long: 504.
    DeadlineExceeded,
    /// There is no such operation: 501.
    Unimplemented,
    /// The service is at fault: 500.
    Internal,
    /// It cannot be done now: 503.
    Unavailable,
}

impl RpcCode {
    /// Every code.
    pub const ALL: &'static [Self] = &[
        Self::InvalidArgument,
        Self::Unauthenticated,
        Self::PermissionDenied,
        Self::NotFound,
        Self::AlreadyExists,
        Self::FailedPrecondition,
        Self::ResourceExhausted,
        Self::DeadlineExceeded,
        Self::Unimplemented,
        Self::Internal,
        Self::Unavailable,
    ];

    /// The name in the Data Plane's bodies, such as `NOT_FOUND`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::InvalidArgument => "INVALID_ARGUMENT",
            Self::Unauthenticated => "UNAUTHENTICATED",
            Self::PermissionDenied => "PERMISSION_DENIED",
            Self::NotFound => "NOT_FOUND",
            Self::AlreadyExists => "ALREADY_EXISTS",
            Self::FailedPrecondition => "FAILED_PRECONDITION",
            Self::ResourceExhausted => "RESOURCE_EXHAUSTED",
            Self::DeadlineExceeded => "DEADLINE_EXCEEDED",
            Self::Unimplemented => "UNIMPLEMENTED",
            Self::Internal => "INTERNAL",
            Self::Unavailable => "UNAVAILABLE",
        }
    }

    /// The word in the Connect protocol's bodies, such as `not_found`.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::InvalidArgument => "invalid_argument",
            Self::Unauthenticated => "unauthenticated",
            Self::PermissionDenied => "permission_denied",
            Self::NotFound => "not_found",
            Self::AlreadyExists => "already_exists",
            Self::FailedPrecondition => "failed_precondition",
            Self::ResourceExhausted => "resource_exhausted",
            Self::DeadlineExceeded => "deadline_exceeded",
            Self::Unimplemented => "unimplemented",
            Self::Internal => "internal",
            Self::Unavailable => "unavailable",
        }
    }

    /// The Data Plane's reason that goes with it, such as `REASON_RESOURCE_NOT_FOUND`.
    #[must_use]
    pub const fn reason(self) -> &'static str {
        match self {
            Self::InvalidArgument => "REASON_INVALID_INPUT",
            Self::Unauthenticated | Self::PermissionDenied => "REASON_PERMISSION_DENIED",
            Self::NotFound => "REASON_RESOURCE_NOT_FOUND",
            Self::AlreadyExists | Self::FailedPrecondition => "REASON_REDPANDA_ADMIN_API_ERROR",
            Self::Unimplemented => "REASON_FEATURE_NOT_SUPPORTED",
            Self::ResourceExhausted | Self::DeadlineExceeded | Self::Internal | Self::Unavailable => {
                "REASON_CONSOLE_ERROR"
            }
        }
    }

    /// The HTTP status.
    #[must_use]
    pub const fn status(self) -> u16 {
        match self {
            Self::InvalidArgument | Self::FailedPrecondition => 400,
            Self::Unauthenticated => 401,
            Self::PermissionDenied => 403,
            Self::NotFound => 404,
            Self::AlreadyExists => 409,
            Self::ResourceExhausted => 429,
            Self::DeadlineExceeded => 504,
            Self::Unimplemented => 501,
            Self::Internal => 500,
            Self::Unavailable => 503,
        }
    }
}

/// What is wrong with one field of a request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FieldViolation {
    /// The field, such as `resource_name`, `filter.host` or `add[0].principal`.
    pub field: String,
    /// What was found and what to do.
    pub description: String,
}

impl FieldViolation {
    /// A violation of a field.
    #[must_use]
    pub fn new(field: impl Into<String>, description: impl Into<String>) -> Self {
        Self { field: field.into(), description: description.into() }
    }
}

/// One of the details of a Data Plane problem.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "@type")]
pub enum Detail {
    /// Why, as a stable word.
    #[serde(rename = "type.googleapis.com/google.rpc.ErrorInfo")]
    ErrorInfo {
        /// `REASON_...`.
        reason: String,
        /// Whose reasons these are.
        domain: String,
        /// More facts by name.
        #[serde(default)]
        metadata: BTreeMap<String, String>,
    },
    /// Which fields, and what about them.
    #[serde(rename = "type.googleapis.com/google.rpc.BadRequest")]
    BadRequest {
        /// One entry for each fault.
        field_violations: Vec<FieldViolation>,
    },
    /// A detail that this program does not know.
    #[serde(other)]
    Unknown,
}

/// An error of the Data Plane: `{"code", "message", "details"}`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DataPlaneProblem {
    /// The name of a google.rpc code, such as `NOT_FOUND`.
    pub code: String,
    /// What is wrong, for people.
    pub message: String,
    /// The reason, and the fields.
    #[serde(default)]
    pub details: Vec<Detail>,
}

impl DataPlaneProblem {
    /// A problem with the reason that goes with its code.
    #[must_use]
    pub fn new(code: RpcCode, message: impl Into<String>) -> Self {
        Self::with_reason(code, code.reason(), message)
    }

    /// A problem with a reason of its own.
    #[must_use]
    pub fn with_reason(code: RpcCode, reason: &str, message: impl Into<String>) -> Self {
        let reason = Detail::ErrorInfo { reason: reason.into(), domain: DOMAIN.into(), metadata: BTreeMap::new() };
        Self { code: code.name().into(), message: message.into(), details: vec![reason] }
    }

    /// Every fault of a request's fields at once.
    #[must_use]
    pub fn invalid(field_violations: Vec<FieldViolation>) -> Self {
        let mut problem = Self::new(RpcCode::InvalidArgument, "provided parameters are invalid");
        problem.details.push(Detail::BadRequest { field_violations });
        problem
    }
}

/// An error of the Connect protocol: `{"code", "message"}`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConnectProblem {
    /// Connect's word, such as `not_found`.
    pub code: String,
    /// What is wrong, for people.
    #[serde(default)]
    pub message: String,
}

/// An error of the Admin API outside Connect: `{"message", "code"}`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AdminProblem {
    /// What is wrong, for people.
    pub message: String,
    /// The HTTP status again.
    pub code: u16,
}

/// One fault of a policy document, as [`gbac_json::Problem`] goes over the wire.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DocumentFault {
    /// Where: a JSON Pointer (D-34).
    pub path: String,
    /// A stable name of the fault.
    pub code: String,
    /// What was found and what to do.
    pub message: String,
}

impl From<&gbac_json::Problem> for DocumentFault {
    fn from(problem: &gbac_json::Problem) -> Self {
        Self { path: problem.path.clone(), code: problem.code.into(), message: problem.message.clone() }
    }
}

/// An error of our own surfaces under `/gbac/v1`: `{"code", "message", "problems"}`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServiceProblem {
    /// A stable snake_case name, such as `policy_changed`.
    pub code: String,
    /// What is wrong and what to do, for people.
    pub message: String,
    /// Every fault of a document, in its order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<DocumentFault>,
}

/// What a client shows of a refusal, whichever surface it came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// The HTTP status.
    pub status: u16,
    /// The body's code: `NOT_FOUND`, `not_found`, `policy_changed`; empty where the body has none.
    pub code: String,
    /// What is wrong, for people.
    pub message: String,
    /// What is wrong with which field, where the body says so.
    pub fields: Vec<FieldViolation>,
}

impl Refusal {
    /// Reads the body of an answer that was no success; a body of no known shape still gives a message.
    ///
    /// ```
    /// use gbac_api::problem::Refusal;
    /// let refusal = Refusal::read(404, r#"{"code":"NOT_FOUND","message":"there is no role `x`","details":[]}"#);
    /// assert_eq!(refusal.to_string(), "there is no role `x`");
    /// assert_eq!(Refusal::read(502, "<html>").to_string(), "the service responded with status 502");
    /// ```
    #[must_use]
    pub fn read(status: u16, body: &str) -> Self {
        if let Ok(problem) = serde_json::from_str::<DataPlaneProblem>(body) {
            let fields = problem
                .details
                .into_iter()
                .filter_map(|detail| match detail {
                    Detail::BadRequest { field_violations } => Some(field_violations),
                    Detail::ErrorInfo { .. } | Detail::Unknown => None,
                })
                .flatten()
                .chain(serde_json::from_str::<ServiceProblem>(body).into_iter().flat_map(document_fields))
                .collect();
            return Self { status, code: problem.code, message: problem.message, fields };
        }
        if let Ok(problem) = serde_json::from_str::<AdminProblem>(body) {
            return Self { status, code: String::new(), message: problem.message, fields: Vec::new() };
        }
        // A refused change of cluster properties: each property with its message.
        if let Ok(properties) = serde_json::from_str::<BTreeMap<String, String>>(body)
            && !properties.is_empty()
        {
            let fields: Vec<_> = properties.into_iter().map(|(name, text)| FieldViolation::new(name, text)).collect();
            let message = "the cluster properties were not changed".into();
            return Self { status, code: String::new(), message, fields };
        }
        let message = format!("the service responded with status {status}");
        Self { status, code: String::new(), message, fields: Vec::new() }
    }
}

fn document_fields(problem: ServiceProblem) -> impl Iterator<Item = FieldViolation> {
    problem.problems.into_iter().map(|fault| FieldViolation::new(fault.path, fault.message))
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        for field in &self.fields {
            write!(f, "\n{}: {}", field.field, field.description)?;
        }
        Ok(())
    }
}

impl std::error::Error for Refusal {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_data_planes_body_is_as_documented() {
        let problem = DataPlaneProblem::invalid(vec![FieldViolation::new("host", "not an address")]);
        assert_eq!(
            serde_json::to_value(&problem).unwrap(),
            serde_json::json!({
                "code": "INVALID_ARGUMENT",
                "message": "provided parameters are invalid",
                "details": [
                    { "@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "REASON_INVALID_INPUT",
                      "domain": "redpanda.com/dataplane", "metadata": {} },
                    { "@type": "type.googleapis.com/google.rpc.BadRequest",
                      "field_violations": [{ "field": "host", "description": "not an address" }] }
                ]
            })
        );
    }

    #[test]
    fn every_surface_is_read() {
        let read = |body: serde_json::Value| Refusal::read(400, &body.to_string());
        let problem = DataPlaneProblem::invalid(vec![FieldViolation::new("host", "bad")]);
        let refusal = read(serde_json::to_value(problem).unwrap());
        assert_eq!((refusal.code.as_str(), refusal.fields.len()), ("INVALID_ARGUMENT", 1));
        assert_eq!(refusal.to_string(), "provided parameters are invalid\nhost: bad");

        let refusal = read(serde_json::json!({ "code": "unimplemented", "message": "no" }));
        assert_eq!((refusal.code.as_str(), refusal.message.as_str()), ("unimplemented", "no"));

        let refusal = read(serde_json::json!({ "code": "invalid_document", "message": "1 problem",
            "problems": [{ "path": "/acls/0", "code": "missing_member", "message": "x" }] }));
        assert_eq!(refusal.fields, [FieldViolation::new("/acls/0", "x")]);

        let refusal = read(serde_json::json!({ "message": "Unauthorized", "code": 401 }));
        assert_eq!((refusal.code.as_str(), refusal.message.as_str()), ("", "Unauthorized"));

        let refusal = read(serde_json::json!({ "nested_group_behavior": "Must be one of none,suffix" }));
        assert_eq!(refusal.fields, [FieldViolation::new("nested_group_behavior", "Must be one of none,suffix")]);

        let refusal = read(serde_json::json!({ "code": "NOT_FOUND", "message": "x",
            "details": [{ "@type": "type.googleapis.com/google.rpc.Help", "links": [] }] }));
        assert!(refusal.fields.is_empty());
        for body in ["", "null", "{}", "[1]"] {
            assert_eq!(Refusal::read(500, body).message, "the service responded with status 500");
        }
    }
}
