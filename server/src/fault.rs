//! A refusal, and how each surface writes it (specification 7, D-21).

use axum::Json;
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use gbac_analysis::audit::without_credentials;
use gbac_api::paths;
use gbac_api::problem::{
    AdminProblem, ConnectProblem, DataPlaneProblem, DocumentFault, FieldViolation, LICENSE_REASON, RpcCode,
    ServiceProblem,
};
use gbac_engine::escape::escaped;
use gbac_engine::policy::ChangeError;

/// Whose form an answer has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Surface {
    /// `/v1/acls`, `/v1/roles` and what else the Data Plane has.
    DataPlane,
    /// The Admin API outside Connect.
    Admin,
    /// The SecurityService.
    Connect,
    /// What is our own.
    Own,
}

impl Surface {
    /// The surface that a path belongs to.
    pub(crate) fn of(path: &str) -> Self {
        // What is relayed is answered in the form of whom it is relayed to.
        let path = crate::upstream::split(path).map_or(path, |(_, _, path)| path);
        let service = path.trim_start_matches('/').split('/').next().unwrap_or_default();
        let segment = path.strip_prefix("/v1/").and_then(|rest| rest.split('/').next()).unwrap_or_default();
        if service == paths::SECURITY_SERVICE || service == paths::PLATFORM_SECURITY_SERVICE {
            Self::Connect
        } else if ["cluster_config", "loggers", "config"].contains(&segment) {
            Self::Admin
        } else if path.starts_with("/v1/") {
            Self::DataPlane
        } else {
            Self::Own
        }
    }
}

/// Why a request is refused.
#[derive(Debug)]
pub(crate) struct Fault {
    status: u16,
    code: RpcCode,
    word: &'static str,
    message: String,
    fields: Vec<FieldViolation>,
    problems: Vec<DocumentFault>,
    /// Whether it is the licence that is missing.
    license: bool,
    headers: Vec<(HeaderName, HeaderValue)>,
}

impl Fault {
    /// A refusal with the code's own status.
    pub(crate) fn new(code: RpcCode, message: impl Into<String>) -> Self {
        Self::with_status(code.status(), code, code.word(), message)
    }

    /// A refusal with a status of HTTP that no code has, and our own word for it.
    pub(crate) fn with_status(status: u16, code: RpcCode, word: &'static str, message: impl Into<String>) -> Self {
        let message = message.into();
        let (fields, problems, headers) = (Vec::new(), Vec::new(), Vec::new());
        Self { status, code, word, message, fields, problems, license: false, headers }
    }

    /// What takes a licence, and there is no valid one (D-16).
    pub(crate) fn license(message: impl Into<String>) -> Self {
        Self { license: true, ..Self::with_status(403, RpcCode::PermissionDenied, "license_required", message) }
    }

    /// The same with one more header in its answer.
    pub(crate) fn with_header(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.headers.push((name, value));
        self
    }

    /// What is wrong, for people.
    pub(crate) fn message(&self) -> &str {
        &self.message
    }

    /// Every fault of a request's fields at once.
    pub(crate) fn fields(fields: Vec<FieldViolation>) -> Self {
        Self { fields, ..Self::new(RpcCode::InvalidArgument, "provided parameters are invalid") }
    }

    /// Every fault of a document at once.
    pub(crate) fn document(problems: Vec<DocumentFault>) -> Self {
        let count = problems.len();
        let noun = if count == 1 { "problem" } else { "problems" };
        let message = format!("the policy document has {count} {noun}; nothing was changed");
        Self { problems, ..Self::with_status(400, RpcCode::InvalidArgument, "invalid_document", message) }
    }

    /// Every fault of changes at once.
    pub(crate) fn changes(problems: Vec<DocumentFault>) -> Self {
        let fault = Self::with_status(400, RpcCode::InvalidArgument, "invalid_changes", "");
        fault.with_changes(problems)
    }

    /// The same with more faults of changes; its message counts them.
    pub(crate) fn with_changes(mut self, problems: Vec<DocumentFault>) -> Self {
        self.problems.extend(problems);
        let count = self.problems.len();
        let noun = if count == 1 { "problem" } else { "problems" };
        self.message = format!("the changes have {count} {noun}; nothing was changed");
        self
    }

    /// Every fault of a question at once (AuthZEN).
    pub(crate) fn question(problems: Vec<DocumentFault>) -> Self {
        let count = problems.len();
        let noun = if count == 1 { "problem" } else { "problems" };
        let message = format!("the question has {count} {noun}; nothing was decided");
        Self { problems, ..Self::with_status(400, RpcCode::InvalidArgument, "invalid_question", message) }
    }

    /// The answer in the form of a surface.
    pub(crate) fn answer(self, surface: Surface) -> Response {
        let Self { mut status, mut code, word, message, fields, problems, license, headers } = self;
        // What is wrong is quoted, and what is quoted may be a token in the wrong place.
        let mut message = without_credentials(&message);
        let clean = |fault: FieldViolation| FieldViolation {
            field: without_credentials(&fault.field),
            description: without_credentials(&fault.description),
        };
        let fields: Vec<FieldViolation> = fields.into_iter().map(clean).collect();
        let problems = without_secrets(problems);
        if license && surface == Surface::Connect {
            (status, code) = (RpcCode::FailedPrecondition.status(), RpcCode::FailedPrecondition);
        }
        if surface != Surface::DataPlane && !fields.is_empty() {
            let each = fields.iter().map(|fault| format!("{}: {}", fault.field, fault.description));
            message = each.collect::<Vec<_>>().join("; ");
        }
        let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let mut response = match surface {
            Surface::DataPlane if license => {
                (status, Json(DataPlaneProblem::with_reason(code, LICENSE_REASON, message))).into_response()
            }
            Surface::DataPlane if fields.is_empty() => {
                (status, Json(DataPlaneProblem::new(code, message))).into_response()
            }
            Surface::DataPlane => (status, Json(DataPlaneProblem::invalid(fields))).into_response(),
            Surface::Connect => (status, Json(ConnectProblem { code: code.word().into(), message })).into_response(),
            Surface::Admin => (status, Json(AdminProblem { message, code: status.as_u16() })).into_response(),
            Surface::Own => (status, Json(ServiceProblem { code: word.into(), message, problems })).into_response(),
        };
        if code == RpcCode::Unauthenticated && !headers.iter().any(|(name, _)| name == header::WWW_AUTHENTICATE) {
            // Never `Basic` where it might be a page that asks: a browser would answer that with a dialog of its own.
            response.headers_mut().insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer realm=\"gbac\""));
        }
        for (name, value) in headers {
            response.headers_mut().append(name, value);
        }
        response
    }
}

/// Faults of a document, without credentials that they quote.
pub(crate) fn without_secrets(problems: Vec<DocumentFault>) -> Vec<DocumentFault> {
    let clean = |fault: DocumentFault| DocumentFault {
        path: without_credentials(&fault.path),
        code: fault.code,
        message: without_credentials(&fault.message),
    };
    problems.into_iter().map(clean).collect()
}

/// A change that its plan had checked fails only by a fault of ours.
impl From<ChangeError> for Fault {
    fn from(error: ChangeError) -> Self {
        Self::new(RpcCode::Internal, format!("the change could not be made: {error}"))
    }
}

/// There is no such role.
pub(crate) fn no_role(name: &str) -> Fault {
    Fault::new(RpcCode::NotFound, format!("there is no role `{}`", escaped(name)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_belong_to_surfaces() {
        for (path, surface) in [
            ("/v1/acls", Surface::DataPlane),
            ("/v1/nothing", Surface::DataPlane),
            ("/v1/cluster_config/schema", Surface::Admin),
            ("/v1/loggers", Surface::Admin),
            ("/v1/config/log_level/security", Surface::Admin),
            ("/v1/clusters/x", Surface::DataPlane),
            ("/v1/configuration", Surface::DataPlane),
            ("/service.core.admin.v2.SecurityService/X", Surface::Connect),
            ("/redpanda.core.admin.v2.SecurityService/X", Surface::Connect),
            ("/gbac/v1/policy", Surface::Own),
            ("/gbac/v1/upstream/admin/v1/cluster_config", Surface::Admin),
            ("/gbac/v1/upstream/admin/service.core.admin.v2.SecurityService/X", Surface::Connect),
            ("/gbac/v1/upstream/dataplane/v1/acls", Surface::DataPlane),
            ("/gbac/v1/upstream/clusters/c1/v1/roles", Surface::DataPlane),
            ("/gbac/v1/upstream/clusters/c1", Surface::Own),
            ("/", Surface::Own),
        ] {
            assert_eq!(Surface::of(path), surface, "{path}");
        }
    }
}
