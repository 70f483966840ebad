//! The error bodies of every API (specification 7, D-21).

use std::collections::BTreeMap;
use std::fmt;

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The code of a change whose ACLs a Kafka cluster applied partly, or not at all; the problems name
/// those that it did not apply (D-136).
pub const CLUSTER_REFUSED: &str = "cluster_refused";

/// The reason of the Data Plane API for features that require a license (D-16).
pub const LICENSE_REASON: &str = "REASON_ENTERPRISE_LICENSE_EXPIRED";
/// The domain of the reasons of the Data Plane API.
const DOMAIN: &str = "redpanda.com/dataplane";

/// The google.rpc.Code values of the service, with their HTTP status and Connect code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RpcCode {
    /// The request is invalid: 400.
    InvalidArgument,
    /// The credentials are missing or invalid: 401.
    Unauthenticated,
    /// The caller lacks the required access: 403.
    PermissionDenied,
    /// The resource does not exist: 404.
    NotFound,
    /// The resource already exists: 409.
    AlreadyExists,
    /// The current state does not allow it: 400.
    FailedPrecondition,
    /// A limit was exceeded: 429.
    ResourceExhausted,
    /// The request timed out: 504.
    DeadlineExceeded,
    /// The operation does not exist: 501.
    Unimplemented,
    /// The service failed: 500.
    Internal,
    /// The service is temporarily unavailable: 503.
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

    /// The name in bodies of the Data Plane API, such as `NOT_FOUND`.
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

    /// The number in the status of gRPC, such as 5.
    #[must_use]
    pub const fn number(self) -> u16 {
        match self {
            Self::InvalidArgument => 3,
            Self::DeadlineExceeded => 4,
            Self::NotFound => 5,
            Self::AlreadyExists => 6,
            Self::PermissionDenied => 7,
            Self::ResourceExhausted => 8,
            Self::FailedPrecondition => 9,
            Self::Unimplemented => 12,
            Self::Internal => 13,
            Self::Unavailable => 14,
            Self::Unauthenticated => 16,
        }
    }

    /// The code in bodies of the Connect protocol, such as `not_found`.
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

    /// The matching reason of the Data Plane API, such as `REASON_RESOURCE_NOT_FOUND`.
    #[must_use]
    pub const fn reason(self) -> &'static str {
        match self {
            Self::InvalidArgument => "REASON_INVALID_INPUT",
            Self::Unauthenticated | Self::PermissionDenied => "REASON_PERMISSION_DENIED",
            Self::NotFound => "REASON_RESOURCE_NOT_FOUND",
            Self::AlreadyExists | Self::FailedPrecondition => "REASON_REDPANDA_ADMIN_API_ERROR",
            Self::Unimplemented => "REASON_FEATURE_NOT_SUPPORTED",
            Self::ResourceExhausted
            | Self::DeadlineExceeded
            | Self::Internal
            | Self::Unavailable => "REASON_CONSOLE_ERROR",
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

/// The error of one field of a request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FieldViolation {
    /// The field, such as `resource_name`, `filter.host` or `add[0].principal`.
    pub field: String,
    /// The error and the recommended correction.
    pub description: String,
}

impl FieldViolation {
    /// Creates the error of a field.
    #[must_use]
    pub fn new(field: impl Into<String>, description: impl Into<String>) -> Self {
        Self {
            field: field.into(),
            description: description.into(),
        }
    }
}

/// The number of violations after which the rest of a request is not checked.
pub const MAX_VIOLATIONS: usize = 100;

/// A detail of a Data Plane API error.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "@type")]
pub enum Detail {
    /// The reason.
    #[serde(rename = "type.googleapis.com/google.rpc.ErrorInfo")]
    ErrorInfo {
        /// `REASON_...`.
        reason: String,
        /// The domain of the reason.
        domain: String,
        /// Additional data by name.
        #[serde(default)]
        metadata: BTreeMap<String, String>,
    },
    /// The invalid fields.
    #[serde(rename = "type.googleapis.com/google.rpc.BadRequest")]
    BadRequest {
        /// One entry for each error.
        field_violations: Vec<FieldViolation>,
    },
    /// An unknown detail.
    #[serde(other)]
    Unknown,
}

/// An error of the Data Plane API: `{"code", "message", "details"}`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DataPlaneProblem {
    /// The name of a google.rpc code, such as `NOT_FOUND`.
    pub code: String,
    /// The message for people.
    pub message: String,
    /// The reason and the invalid fields.
    #[serde(default)]
    pub details: Vec<Detail>,
}

impl DataPlaneProblem {
    /// Creates an error with the reason that matches its code.
    #[must_use]
    pub fn new(code: RpcCode, message: impl Into<String>) -> Self {
        Self::with_reason(code, code.reason(), message)
    }

    /// Creates an error with another reason.
    #[must_use]
    pub fn with_reason(code: RpcCode, reason: &str, message: impl Into<String>) -> Self {
        let reason = Detail::ErrorInfo {
            reason: reason.into(),
            domain: DOMAIN.into(),
            metadata: BTreeMap::new(),
        };
        Self {
            code: code.name().into(),
            message: message.into(),
            details: vec![reason],
        }
    }

    /// Creates an error with all invalid fields of a request.
    #[must_use]
    pub fn invalid(field_violations: Vec<FieldViolation>) -> Self {
        let mut problem = Self::new(RpcCode::InvalidArgument, "provided parameters are invalid");
        problem
            .details
            .push(Detail::BadRequest { field_violations });
        problem
    }
}

/// An error of the Connect protocol: `{"code", "message"}`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConnectProblem {
    /// The Connect code, such as `not_found`.
    pub code: String,
    /// The message for people.
    #[serde(default)]
    pub message: String,
    /// The reason and the invalid fields, of services of the Data Plane API.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub details: Vec<ConnectDetail>,
}

/// A detail of an error of the Connect protocol.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConnectDetail {
    /// The name of the message, such as `google.rpc.ErrorInfo`.
    #[serde(rename = "type")]
    pub kind: String,
    /// The message in base64 without padding.
    pub value: String,
    /// The message in JSON.
    #[serde(default)]
    pub debug: serde_json::Value,
}

/// An error of the Admin API outside Connect: `{"message", "code"}`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AdminProblem {
    /// The message for people.
    pub message: String,
    /// The HTTP status, or an [`AdminCode`].
    pub code: u32,
}

/// An error of the Schema Registry: `{"error_code", "message"}`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RegistryProblem {
    /// The HTTP status.
    pub error_code: u16,
    /// The message for people.
    pub message: String,
}

/// The codes of the roles of the Admin API v1, which its clients compare.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AdminCode {
    /// The request cannot be read.
    MalformedRequest,
    /// The name is not valid for a role.
    InvalidRoleName,
    /// The body has an unknown member.
    UnrecognizedField,
    /// A member is to be added and removed.
    MemberConflict,
    /// The role does not exist.
    RoleNotFound,
    /// A role with this name has members.
    RoleAlreadyExists,
}

impl AdminCode {
    /// The code in the body. Its first three digits are the HTTP status.
    #[must_use]
    pub const fn number(self) -> u32 {
        match self {
            Self::MalformedRequest => 40001,
            Self::InvalidRoleName => 40002,
            Self::UnrecognizedField => 40003,
            Self::MemberConflict => 40004,
            Self::RoleNotFound => 40401,
            Self::RoleAlreadyExists => 40901,
        }
    }

    /// The error as in any other API.
    #[must_use]
    pub const fn rpc(self) -> RpcCode {
        match self {
            Self::MalformedRequest
            | Self::InvalidRoleName
            | Self::UnrecognizedField
            | Self::MemberConflict => RpcCode::InvalidArgument,
            Self::RoleNotFound => RpcCode::NotFound,
            Self::RoleAlreadyExists => RpcCode::AlreadyExists,
        }
    }

    /// The platform's text, followed by the detail where one is needed.
    #[must_use]
    pub fn message(self, detail: &str) -> String {
        let text = match self {
            Self::MalformedRequest => "Malformed request",
            Self::InvalidRoleName => "Invalid role name",
            Self::UnrecognizedField => "Unrecognized field",
            Self::MemberConflict => "Conflict between 'add' and 'remove' lists",
            Self::RoleNotFound => "Role not found",
            Self::RoleAlreadyExists => "Role already exists",
        };
        match self {
            Self::MemberConflict | Self::RoleNotFound | Self::RoleAlreadyExists => text.to_owned(),
            Self::MalformedRequest | Self::InvalidRoleName | Self::UnrecognizedField => {
                format!("{text}: {detail}")
            }
        }
    }
}

/// One problem of a policy document: [`gbac_json::Problem`] in the HTTP API.
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DocumentFault {
    /// The place, as a JSON Pointer (D-34).
    pub path: String,
    /// The stable code of the problem.
    pub code: String,
    /// The error and the recommended correction.
    pub message: String,
}

impl From<&gbac_json::Problem> for DocumentFault {
    fn from(problem: &gbac_json::Problem) -> Self {
        Self {
            path: problem.path.clone(),
            code: problem.code.into(),
            message: problem.message.clone(),
        }
    }
}

/// An error of the service's own endpoints under `/gbac/v1`: `{"code", "message", "problems"}`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServiceProblem {
    /// The stable code in snake_case, such as `policy_changed`.
    pub code: String,
    /// The message for people, with the recommended correction.
    pub message: String,
    /// All problems of a document, in its order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<DocumentFault>,
}

/// An error response of any API, for clients.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// The HTTP status.
    pub status: u16,
    /// The body's code: `NOT_FOUND`, `not_found`, `policy_changed`; empty if the body has none.
    pub code: String,
    /// The message for people.
    pub message: String,
    /// The invalid fields, if the body contains them.
    pub fields: Vec<FieldViolation>,
}

impl Refusal {
    /// Parses the body of an error response. Bodies of unknown formats also produce a message.
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
            let mut fields = Vec::new();
            for detail in problem.details {
                if let Detail::BadRequest { field_violations } = detail {
                    fields.extend(field_violations);
                }
            }
            if let Ok(problem) = serde_json::from_str::<ServiceProblem>(body) {
                for fault in problem.problems {
                    fields.push(FieldViolation::new(fault.path, fault.message));
                }
            }
            return Self {
                status,
                code: problem.code,
                message: problem.message,
                fields,
            };
        }
        if let Ok(problem) = serde_json::from_str::<AdminProblem>(body) {
            return Self {
                status,
                code: String::new(),
                message: problem.message,
                fields: Vec::new(),
            };
        }
        // A refused change of cluster properties: each property with its message.
        if let Ok(properties) = serde_json::from_str::<BTreeMap<String, String>>(body)
            && !properties.is_empty()
        {
            let fields: Vec<_> = properties
                .into_iter()
                .map(|(name, text)| FieldViolation::new(name, text))
                .collect();
            let message = "the cluster properties were not changed".into();
            return Self {
                status,
                code: String::new(),
                message,
                fields,
            };
        }
        let message = format!("the service responded with status {status}");
        Self {
            status,
            code: String::new(),
            message,
            fields: Vec::new(),
        }
    }
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
        let problem =
            DataPlaneProblem::invalid(vec![FieldViolation::new("host", "not an address")]);
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
        assert_eq!(
            (refusal.code.as_str(), refusal.fields.len()),
            ("INVALID_ARGUMENT", 1)
        );
        assert_eq!(
            refusal.to_string(),
            "provided parameters are invalid\nhost: bad"
        );

        let refusal = read(serde_json::json!({ "code": "unimplemented", "message": "no" }));
        assert_eq!(
            (refusal.code.as_str(), refusal.message.as_str()),
            ("unimplemented", "no")
        );

        let refusal = read(
            serde_json::json!({ "code": "invalid_document", "message": "1 problem",
            "problems": [{ "path": "/acls/0", "code": "missing_member", "message": "x" }] }),
        );
        assert_eq!(refusal.fields, [FieldViolation::new("/acls/0", "x")]);

        let refusal = read(serde_json::json!({ "message": "Unauthorized", "code": 401 }));
        assert_eq!(
            (refusal.code.as_str(), refusal.message.as_str()),
            ("", "Unauthorized")
        );

        let refusal =
            read(serde_json::json!({ "nested_group_behavior": "Must be one of none,suffix" }));
        assert_eq!(
            refusal.fields,
            [FieldViolation::new(
                "nested_group_behavior",
                "Must be one of none,suffix"
            )]
        );

        let refusal = read(serde_json::json!({ "code": "NOT_FOUND", "message": "x",
            "details": [{ "@type": "type.googleapis.com/google.rpc.Help", "links": [] }] }));
        assert!(refusal.fields.is_empty());
        for body in ["", "null", "{}", "[1]"] {
            assert_eq!(
                Refusal::read(500, body).message,
                "the service responded with status 500"
            );
        }
    }
}
