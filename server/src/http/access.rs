//! The credentials that a route can require (D-26).

use axum::http::Method;
use gbac_engine::policy::AccessLevel;

use crate::state::audit::Purpose;
use crate::state::service::Service;

/// The credentials that a route requires.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Nothing.
    Public,
    /// Nothing if the service can only be reached from this machine; otherwise the access
    /// `read_only`.
    Local,
    /// Valid credentials, which its handler checks because the response is about the caller.
    Authenticated,
    /// Credentials of the cluster that the request is relayed to. The cluster checks them.
    Cluster,
    /// The access `evaluate`; nothing in a demo.
    Evaluate,
    /// A superuser. Requests that only read require the access `read_only`, and nothing in a demo,
    /// unless they read secrets.
    Superuser(ReadMethods),
}

/// Which requests to a route only read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReadMethods {
    /// None of them.
    None,
    /// Those with a safe method, but they read secrets: they require a superuser everywhere, and
    /// each of them is recorded.
    Secrets,
    /// Those with a safe method (RFC 9110 9.2.1).
    Safe,
    /// All but POST, the only method of operations that change something over Connect.
    AllButPost,
    /// All of them, whatever the method.
    All,
}

/// What is checked before a request reaches its handler.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RequiredCredentials {
    /// Nothing.
    Nothing,
    /// Credentials, if present, must be valid.
    ValidIfGiven,
    /// This level of access, or a superuser.
    Level(AccessLevel),
    /// A superuser.
    Superuser,
}

impl Access {
    /// A superuser; requests with safe methods only read.
    pub(crate) const SUPERUSER: Self = Self::Superuser(ReadMethods::Safe);
    /// A superuser for every request, as without a declaration.
    pub(super) const UNDECLARED: Self = Self::Superuser(ReadMethods::None);
    /// As for a method of the SecurityService that does not exist.
    pub(super) const UNKNOWN_SERVICE: Self = Self::Superuser(ReadMethods::AllButPost);

    /// What a request with this method can do.
    pub(crate) fn purpose(self, method: &Method) -> Purpose {
        let reads = match self {
            Self::Superuser(reads) => reads,
            Self::Authenticated | Self::Evaluate => ReadMethods::All,
            Self::Public | Self::Local | Self::Cluster => ReadMethods::Safe,
        };
        match reads {
            ReadMethods::Secrets if is_safe(method) => Purpose::ReadSecrets,
            reads if reads.include(method) => Purpose::Read,
            _ => Purpose::Change,
        }
    }

    /// What a request with this method requires in this service.
    pub(crate) fn required(self, service: &Service, method: &Method) -> RequiredCredentials {
        match self {
            Self::Public | Self::Authenticated | Self::Cluster => RequiredCredentials::Nothing,
            Self::Local if !service.is_reachable_remotely() => RequiredCredentials::Nothing,
            Self::Local => RequiredCredentials::Level(AccessLevel::ReadOnly),
            Self::Evaluate if service.is_demo() => RequiredCredentials::ValidIfGiven,
            Self::Evaluate => RequiredCredentials::Level(AccessLevel::Evaluate),
            Self::Superuser(reads) if !reads.include(method) => RequiredCredentials::Superuser,
            Self::Superuser(_) if service.is_demo() => RequiredCredentials::ValidIfGiven,
            Self::Superuser(_) => RequiredCredentials::Level(AccessLevel::ReadOnly),
        }
    }
}

/// Whether the method is safe (RFC 9110 9.2.1).
fn is_safe(method: &Method) -> bool {
    matches!(*method, Method::GET | Method::HEAD | Method::OPTIONS)
}

impl ReadMethods {
    /// Whether requests with this method only read what is not secret.
    fn include(self, method: &Method) -> bool {
        match self {
            Self::None | Self::Secrets => false,
            Self::Safe => is_safe(method),
            Self::AllButPost => *method != Method::POST,
            Self::All => true,
        }
    }
}
