//! A refusal, and how each surface writes it (specification 7, D-21).

use axum::Json;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use gbac_api::paths;
use gbac_api::problem::{
    AdminProblem, ConnectProblem, DataPlaneProblem, DocumentFault, FieldViolation, RpcCode, ServiceProblem,
};
use gbac_engine::policy::ChangeError;

/// Whose form an answer has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
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
        let service = path.trim_start_matches('/').split('/').next().unwrap_or_default();
        if service == paths::SECURITY_SERVICE || service == paths::PLATFORM_SECURITY_SERVICE {
            Self::Connect
        } else if ["/v1/cluster_config", "/v1/loggers", "/v1/config"].iter().any(|start| path.starts_with(start)) {
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
    challenge: bool,
}

impl Fault {
    /// A refusal with the code's own status.
    pub(crate) fn new(code: RpcCode, message: impl Into<String>) -> Self {
        Self::with_status(code.status(), code, code.word(), message)
    }

    /// A refusal with a status of HTTP that no code has, and our own word for it.
    pub(crate) fn with_status(status: u16, code: RpcCode, word: &'static str, message: impl Into<String>) -> Self {
        let message = message.into();
        Self {
            status,
            code,
            word,
            message,
            fields: Vec::new(),
            problems: Vec::new(),
            challenge: code == RpcCode::Unauthenticated,
        }
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

    /// The answer in the form of a surface.
    pub(crate) fn answer(self, surface: Surface) -> Response {
        let Self { status, code, word, message, fields, problems, challenge } = self;
        let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let mut response = match surface {
            Surface::DataPlane if fields.is_empty() => {
                (status, Json(DataPlaneProblem::new(code, message))).into_response()
            }
            Surface::DataPlane => (status, Json(DataPlaneProblem::invalid(fields))).into_response(),
            Surface::Connect => (status, Json(ConnectProblem { code: code.word().into(), message })).into_response(),
            Surface::Admin => (status, Json(AdminProblem { message, code: status.as_u16() })).into_response(),
            Surface::Own => (status, Json(ServiceProblem { code: word.into(), message, problems })).into_response(),
        };
        if challenge {
            // Never `Basic`: a browser would answer that with a dialog of its own.
            let challenge = HeaderValue::from_static("Bearer realm=\"gbac\"");
            response.headers_mut().insert(header::WWW_AUTHENTICATE, challenge);
        }
        response
    }
}

/// A change that its plan had checked fails only by a fault of ours.
impl From<ChangeError> for Fault {
    fn from(error: ChangeError) -> Self {
        Self::new(RpcCode::Internal, format!("the change could not be made: {error}"))
    }
}

/// There is no such role.
pub(crate) fn no_role(name: &str) -> Fault {
    Fault::new(RpcCode::NotFound, format!("there is no role `{}`", name.escape_debug()))
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
            ("/service.core.admin.v2.SecurityService/X", Surface::Connect),
            ("/redpanda.core.admin.v2.SecurityService/X", Surface::Connect),
            ("/gbac/v1/policy", Surface::Own),
            ("/", Surface::Own),
        ] {
            assert_eq!(Surface::of(path), surface, "{path}");
        }
    }
}
