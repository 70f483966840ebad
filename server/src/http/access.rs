//! The credentials that each route requires (D-26). A route declares them where it is registered;
//! one without a declaration requires a superuser, and so do its requests that only read.

use std::collections::BTreeMap;

use axum::extract::{MatchedPath, Request};
use axum::http::Method;
use gbac_api::paths::is_service;
use gbac_engine::policy::AccessLevel;

use super::surface::is_page;
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
    const UNDECLARED: Self = Self::Superuser(ReadMethods::None);
    /// As for a method of the SecurityService that does not exist.
    const UNKNOWN_SERVICE: Self = Self::Superuser(ReadMethods::AllButPost);

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

/// The declared access of each route, and of the path prefixes of the APIs.
#[derive(Debug, Clone, Default)]
pub(crate) struct AccessTable {
    /// By the pattern of the route.
    pub(crate) routes: BTreeMap<String, Access>,
    /// By the path prefix, which ends with a slash.
    pub(crate) prefixes: BTreeMap<String, Access>,
}

/// Whether a path is that of a method of some service.
fn is_below_service(path: &str) -> bool {
    path.strip_prefix('/')
        .and_then(|rest| rest.split_once('/'))
        .is_some_and(|(service, _)| is_service(service))
}

impl AccessTable {
    /// The access that the route of a request requires. Below the prefix of an API, a path without
    /// a route requires the access of the prefix, so that only authorized callers learn that it
    /// does not exist. All other paths belong to the console.
    pub(crate) fn access(&self, request: &Request) -> Access {
        if is_page(request) {
            return Access::Public;
        }
        if let Some(route) = request.extensions().get::<MatchedPath>() {
            return self
                .routes
                .get(route.as_str())
                .copied()
                .unwrap_or(Access::UNDECLARED);
        }
        let path = request.uri().path();
        let prefix = self
            .prefixes
            .iter()
            .find(|(prefix, _)| path.starts_with(prefix.as_str()));
        let other = if is_below_service(path) {
            Access::UNKNOWN_SERVICE
        } else {
            Access::Public
        };
        prefix.map_or(other, |(_, access)| *access)
    }
}
