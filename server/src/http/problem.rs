//! Problem responses, in the form of each API (specification 7, D-21).

use std::fmt;

use axum::Json;
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use base64::Engine;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use gbac_analysis::audit::without_credentials;
use gbac_api::encode::DecodeError;
use gbac_api::problem::{
    AdminCode, AdminProblem, CLUSTER_REFUSED, ConnectDetail, ConnectProblem, DataPlaneProblem,
    Detail, DocumentFault, FieldViolation, LICENSE_REASON, RegistryProblem, RpcCode,
    ServiceProblem,
};
use gbac_engine::escape::escaped;

use super::descriptors::{bytes_of_json, message};
use super::surface::Surface;
use crate::state::error::{AuditError, RoleError, WriteError};
use crate::state::store::StoreError;

/// Why a request is rejected.
#[derive(Debug, Clone)]
pub(crate) struct Problem {
    status: u16,
    code: RpcCode,
    name: &'static str,
    message: String,
    fields: Vec<FieldViolation>,
    document_faults: Vec<DocumentFault>,
    /// Whether the request requires a license.
    license_required: bool,
    /// The code in the Admin API v1, whose clients compare it and its text.
    admin: Option<AdminCode>,
    headers: Vec<(HeaderName, HeaderValue)>,
}

impl Problem {
    /// A problem with the status of its code.
    pub(crate) fn new(code: RpcCode, message: impl Into<String>) -> Self {
        Self::with_status(code.status(), code, code.word(), message)
    }

    /// A problem because the request is not valid.
    pub(crate) fn invalid(message: impl Into<String>) -> Self {
        Self::new(RpcCode::InvalidArgument, message)
    }

    /// A problem with another HTTP status, and a name of our own.
    pub(crate) fn with_status(
        status: u16,
        code: RpcCode,
        name: &'static str,
        message: impl Into<String>,
    ) -> Self {
        Self {
            status,
            code,
            name,
            message: message.into(),
            fields: Vec::new(),
            document_faults: Vec::new(),
            license_required: false,
            admin: None,
            headers: Vec::new(),
        }
    }

    /// A problem because there is no valid license (D-16).
    fn license(message: impl Into<String>) -> Self {
        let problem =
            Self::with_status(403, RpcCode::PermissionDenied, "license_required", message);
        Self {
            license_required: true,
            ..problem
        }
    }

    /// A problem of the roles of the Admin API v1, with a detail.
    pub(crate) fn admin((code, detail): (AdminCode, String)) -> Self {
        Self::new(code.rpc(), detail).with_admin(code)
    }

    fn with_admin(self, code: AdminCode) -> Self {
        Self {
            admin: Some(code),
            ..self
        }
    }

    /// The HTTP status.
    pub(crate) const fn status(&self) -> u16 {
        self.status
    }

    /// The stable code.
    pub(crate) const fn name(&self) -> &'static str {
        self.name
    }

    /// The message; it may quote the request.
    pub(crate) fn message(&self) -> &str {
        &self.message
    }

    /// Adds a header to the response.
    pub(crate) fn with_header(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.headers.push((name, value));
        self
    }

    /// Every problem of a policy document.
    pub(crate) fn document(faults: Vec<DocumentFault>) -> Self {
        let message = format!(
            "the policy document has {}; nothing was changed",
            problem_count(&faults)
        );
        Self::with_status(400, RpcCode::InvalidArgument, "invalid_document", message)
            .with_faults(faults)
    }

    /// Every problem of the tests that are to be stored.
    pub(crate) fn tests(faults: Vec<DocumentFault>) -> Self {
        let message = format!(
            "the tests have {}; nothing was changed",
            problem_count(&faults)
        );
        Self::with_status(400, RpcCode::InvalidArgument, "invalid_tests", message)
            .with_faults(faults)
    }

    /// Every problem of an access evaluation request (AuthZEN).
    pub(crate) fn question(faults: Vec<DocumentFault>) -> Self {
        let message = format!(
            "the question has {}; nothing was decided",
            problem_count(&faults)
        );
        Self::with_status(400, RpcCode::InvalidArgument, "invalid_question", message)
            .with_faults(faults)
    }

    fn with_faults(self, document_faults: Vec<DocumentFault>) -> Self {
        Self {
            document_faults,
            ..self
        }
    }

    /// The response in the form of an API.
    pub(crate) fn response(self, surface: Surface) -> Response {
        let Self {
            mut status,
            mut code,
            name,
            message,
            fields,
            document_faults,
            license_required,
            admin,
            headers,
        } = self;
        // Messages quote the request, which may contain a token in the wrong place.
        let mut message = without_credentials(&message);
        let fields: Vec<FieldViolation> = fields.iter().map(without_secrets_in_field).collect();
        // The platform's console looks for this code together with the reason.
        if license_required
            && matches!(
                surface,
                Surface::Connect | Surface::DataPlane | Surface::DataPlaneRpc
            )
        {
            (status, code) = (
                RpcCode::FailedPrecondition.status(),
                RpcCode::FailedPrecondition,
            );
        }
        if surface != Surface::Gbac && name == CLUSTER_REFUSED {
            message = with_lines(&message, &document_faults);
        }
        if surface != Surface::DataPlane && !fields.is_empty() {
            let each: Vec<String> = fields
                .iter()
                .map(|fault| format!("{}: {}", fault.field, fault.description))
                .collect();
            message = each.join("; ");
        }
        let admin_code = match admin {
            Some(admin_code) if surface == Surface::Admin => {
                message = admin_code.message(&message);
                admin_code.number()
            }
            _ => u32::from(status),
        };
        let refusal = message.clone();
        let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let mut response = match surface {
            Surface::DataPlane if license_required => (
                status,
                Json(DataPlaneProblem::with_reason(code, LICENSE_REASON, message)),
            )
                .into_response(),
            Surface::DataPlane if fields.is_empty() => {
                (status, Json(DataPlaneProblem::new(code, message))).into_response()
            }
            Surface::DataPlane => (status, Json(DataPlaneProblem::invalid(fields))).into_response(),
            Surface::Connect => (
                status,
                Json(ConnectProblem {
                    code: code.word().into(),
                    message,
                    details: Vec::new(),
                }),
            )
                .into_response(),
            Surface::DataPlaneRpc => {
                let reason = if license_required {
                    LICENSE_REASON
                } else {
                    code.reason()
                };
                let details = connect_details(
                    DataPlaneProblem::with_reason(code, reason, "").details,
                    fields,
                );
                (
                    status,
                    Json(ConnectProblem {
                        code: code.word().into(),
                        message,
                        details,
                    }),
                )
                    .into_response()
            }
            Surface::Admin => (
                status,
                Json(AdminProblem {
                    message,
                    code: admin_code,
                }),
            )
                .into_response(),
            Surface::SchemaRegistry => (
                status,
                Json(RegistryProblem {
                    error_code: status.as_u16(),
                    message,
                }),
            )
                .into_response(),
            Surface::Gbac => {
                let problems = without_secrets(&document_faults);
                (
                    status,
                    Json(ServiceProblem {
                        code: name.into(),
                        message,
                        problems,
                    }),
                )
                    .into_response()
            }
        };
        if code == RpcCode::Unauthenticated
            && !headers
                .iter()
                .any(|(name, _)| name == header::WWW_AUTHENTICATE)
        {
            // Never `Basic`, for which a browser would open a password dialog.
            response.headers_mut().insert(
                header::WWW_AUTHENTICATE,
                HeaderValue::from_static("Bearer realm=\"gbac\""),
            );
        }
        for (name, value) in headers {
            response.headers_mut().append(name, value);
        }
        response.extensions_mut().insert(Refusal {
            code: name,
            message: refusal,
        });
        response
    }
}

/// A response without a body, which gets the form of its API where the handler was called.
impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let status = StatusCode::from_u16(self.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let mut response = status.into_response();
        response.extensions_mut().insert(self);
        response
    }
}

/// The details of a problem of the Data Plane API, as Connect has them.
fn connect_details(
    mut details: Vec<Detail>,
    field_violations: Vec<FieldViolation>,
) -> Vec<ConnectDetail> {
    if !field_violations.is_empty() {
        details.push(Detail::BadRequest { field_violations });
    }
    details.into_iter().filter_map(connect_detail).collect()
}

fn connect_detail(detail: Detail) -> Option<ConnectDetail> {
    let mut debug = serde_json::to_value(detail).ok()?;
    let kind = debug.as_object_mut()?.remove("@type")?;
    let kind = kind.as_str()?.rsplit('/').next()?.to_owned();
    let value = STANDARD_NO_PAD.encode(bytes_of_json(message(&kind)?, debug.clone())?);
    Some(ConnectDetail { kind, value, debug })
}

/// The code of a request whose audit event cannot be written.
pub(crate) const AUDIT_FAILED: &str = "audit_failed";

/// How many lines a message has, where the form of the API has no place for them.
const MESSAGE_LINES: usize = 20;

/// A message with a line for each fault.
fn with_lines(message: &str, faults: &[DocumentFault]) -> String {
    let mut text = message.to_owned();
    for fault in faults.iter().take(MESSAGE_LINES) {
        text.push('\n');
        text.push_str(&without_credentials(&fault.message));
    }
    if faults.len() > MESSAGE_LINES {
        text.push_str(&format!("\nand {} more", faults.len() - MESSAGE_LINES));
    }
    text
}

/// Why a request was refused, as an extension of its response, for the audit log.
#[derive(Debug, Clone)]
pub(crate) struct Refusal {
    /// The stable code.
    pub(crate) code: &'static str,
    /// The message, without credentials.
    pub(crate) message: String,
}

/// Removes credentials from the problems of a document, which quote it.
pub(crate) fn without_secrets(faults: &[DocumentFault]) -> Vec<DocumentFault> {
    let mut clean = Vec::with_capacity(faults.len());
    for fault in faults {
        clean.push(DocumentFault {
            path: without_credentials(&fault.path),
            code: fault.code.clone(),
            message: without_credentials(&fault.message),
        });
    }
    clean
}

fn without_secrets_in_field(fault: &FieldViolation) -> FieldViolation {
    FieldViolation {
        field: without_credentials(&fault.field),
        description: without_credentials(&fault.description),
    }
}

/// The number of problems in words, such as `2 problems`.
pub(crate) fn problem_count(faults: &[DocumentFault]) -> String {
    let noun = if faults.len() == 1 {
        "problem"
    } else {
        "problems"
    };
    format!("{} {noun}", faults.len())
}

/// Every invalid field of a request.
impl From<Vec<FieldViolation>> for Problem {
    fn from(fields: Vec<FieldViolation>) -> Self {
        Self {
            fields,
            ..Self::invalid("provided parameters are invalid")
        }
    }
}

impl From<DecodeError> for Problem {
    fn from(error: DecodeError) -> Self {
        Self::invalid(format!("{error}; {}", error.hint()))
    }
}

/// What was read from a body, whose error is a problem.
pub(crate) fn valid_body<T, E: fmt::Display>(read: Result<T, E>) -> Result<T, Problem> {
    read.map_err(|cause| Problem::invalid(format!("the body is not valid: {cause}")))
}

impl From<WriteError> for Problem {
    fn from(error: WriteError) -> Self {
        let message = error.to_string();
        match error {
            WriteError::NotStored(_) => {
                Self::with_status(503, RpcCode::Internal, "store_unavailable", message)
            }
            WriteError::NotRecorded => AuditError.into(),
            WriteError::Aborted | WriteError::Unexpected(_) => {
                Self::new(RpcCode::Internal, message)
            }
            WriteError::InvalidChanges(faults) => {
                Self::with_status(400, RpcCode::InvalidArgument, "invalid_changes", message)
                    .with_faults(faults)
            }
            WriteError::UnlicensedChanges(faults) => Self::license(message).with_faults(faults),
            WriteError::Unlicensed(_) => Self::license(message),
            WriteError::ClusterBusy(_) => {
                Self::with_status(503, RpcCode::Unavailable, "cluster_busy", message)
                    .with_header(header::RETRY_AFTER, HeaderValue::from_static("1"))
            }
            WriteError::ClusterUnavailable { .. } => {
                Self::with_status(503, RpcCode::Unavailable, "cluster_unavailable", message)
                    .with_header(header::RETRY_AFTER, HeaderValue::from_static("5"))
            }
            WriteError::ClusterChanged(_) => {
                Self::with_status(412, RpcCode::FailedPrecondition, "policy_changed", message)
            }
            WriteError::CallerNeeded(_) => Self::with_status(
                403,
                RpcCode::PermissionDenied,
                "cluster_token_required",
                message,
            ),
            WriteError::CallerRefused { .. } => Self::with_status(
                424,
                RpcCode::FailedPrecondition,
                "cluster_token_refused",
                message,
            ),
            WriteError::ClusterRefused { faults, .. } => {
                Self::with_status(424, RpcCode::FailedPrecondition, CLUSTER_REFUSED, message)
                    .with_faults(faults)
            }
        }
    }
}

impl From<StoreError> for Problem {
    fn from(error: StoreError) -> Self {
        let message = format!("{error}; {}", error.hint());
        match error {
            StoreError::Damaged(_) => {
                Self::with_status(500, RpcCode::Internal, error.code(), message)
            }
            _ => Self::with_status(503, RpcCode::Unavailable, "store_unavailable", message),
        }
    }
}

impl From<RoleError> for Problem {
    fn from(error: RoleError) -> Self {
        match error {
            RoleError::NotFound(name) => {
                let message = format!("role `{}` does not exist", escaped(&name));
                Self::new(RpcCode::NotFound, message).with_admin(AdminCode::RoleNotFound)
            }
            RoleError::AlreadyExists(name) => {
                let message = format!("role `{}` already exists", escaped(&name));
                Self::new(RpcCode::AlreadyExists, message).with_admin(AdminCode::RoleAlreadyExists)
            }
            RoleError::InvalidName(violation) => {
                Self::from(vec![violation]).with_admin(AdminCode::InvalidRoleName)
            }
        }
    }
}

impl From<AuditError> for Problem {
    fn from(_: AuditError) -> Self {
        let message = "the request is rejected because its audit event cannot be written; check that the audit file is \
                       writable and the disk is not full";
        Self::with_status(503, RpcCode::Unavailable, AUDIT_FAILED, message)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_write_that_was_not_stored_says_why() {
        let problem = Problem::from(WriteError::NotStored("the disk is full".into()));
        assert_eq!(
            (problem.status, problem.message.as_str()),
            (503, "the change was not stored: the disk is full")
        );
    }
}
