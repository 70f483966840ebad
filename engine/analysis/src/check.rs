//! A check: a subject and a request in any of the accepted forms, and its evaluation.

use std::net::IpAddr;

use gbac_engine::decide::{self, At, Decision, Explanation, Outcome, PreparedIdentity, Request};
use gbac_engine::identity::Identity;
use gbac_engine::model::{Operation, ResourceType};
use gbac_engine::policy::Policy;
use gbac_engine::{ResolveError, Subject, TokenVerifier, resolve};

use crate::requests::{self, RequestError, Requirement, ResourceNames};

/// One question about one identity.
#[derive(Debug, Clone, PartialEq)]
pub struct Check {
    /// The JSON text of the `id` that the answer repeats.
    pub id: Option<String>,
    /// Who asks.
    pub subject: Subject,
    /// What is asked.
    pub query: Query,
    /// From where; without it the check fails closed (D-04).
    pub host: Option<IpAddr>,
    /// The time of the decision, if the check states it (D-20).
    pub at: Option<At>,
}

impl Check {
    /// The time of the decision: the one that the check states, else this.
    #[must_use]
    pub fn instant(&self, otherwise: At) -> At {
        self.at.unwrap_or(otherwise)
    }

    /// The request of one operation on one resource, with the host and time of this check.
    #[must_use]
    pub fn request<'a>(
        &self,
        operation: Operation,
        resource_type: ResourceType,
        resource_name: &'a str,
        otherwise: At,
    ) -> Request<'a> {
        Request::new(operation, resource_type, resource_name, self.instant(otherwise)).with_host(self.host)
    }

    /// The one request of this check; `None` for a whole API request.
    #[must_use]
    pub fn access(&self, otherwise: At) -> Option<Request<'_>> {
        match &self.query {
            Query::Access { operation, resource_type, resource_name } => {
                Some(self.request(*operation, *resource_type, resource_name, otherwise))
            }
            Query::Api { .. } => None,
        }
    }
}

/// The ways to say what is asked.
#[derive(Debug, Clone, PartialEq)]
pub enum Query {
    /// One operation on one resource.
    Access {
        /// The operation.
        operation: Operation,
        /// The resource's type.
        resource_type: ResourceType,
        /// The resource's name.
        resource_name: String,
    },
    /// A request of one of the APIs, with every check that it needs.
    Api {
        /// `kafka`, `schema_registry` or `http_proxy`.
        api: String,
        /// Such as `Produce`.
        name: String,
        /// Names by kind of resource.
        resources: ResourceNames,
    },
}

/// The answer to a check.
#[derive(Debug, Clone, PartialEq)]
pub enum Answer {
    /// To one operation on one resource.
    Access(Decision),
    /// To a whole request.
    Api {
        /// The outcome of the whole.
        outcome: Outcome,
        /// Each needed check with its decision, in order.
        decisions: Vec<(requests::RequiredCheck, Decision)>,
        /// How the checks combine.
        need: Requirement,
        /// Whether the identity came from a verified token.
        verified: bool,
    },
}

impl Answer {
    /// The outcome of the whole.
    #[must_use]
    pub const fn outcome(&self) -> Outcome {
        match self {
            Self::Access(decision) => decision.outcome,
            Self::Api { outcome, .. } => *outcome,
        }
    }
}

/// Why a check has no answer. Nothing was decided, so nothing is allowed.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum CheckError {
    /// The subject has no identity.
    #[error("{0}")]
    Subject(#[from] ResolveError),
    /// The request cannot be turned into checks.
    #[error("{0}")]
    Request(#[source] RequestError),
}

gbac_engine::error_codes! {
    pub CheckError {} of {
        Self::Subject(error) => error: ResolveError,
        Self::Request(error) => error: RequestError,
    }
}

/// Decides a check: opens its identity and decides at the time that the check states, else at this one.
///
/// # Errors
/// As [`resolve`], and a request that the table does not know.
pub fn answer(policy: &Policy, check: &Check, verify: TokenVerifier<'_>, otherwise: At) -> Result<Answer, CheckError> {
    let opened = resolve(policy, &check.subject, verify)?;
    evaluate(policy, &opened.identity, check, otherwise)
}

/// Answers a check's question for an identity that is open already.
///
/// # Errors
/// A request that the table does not know.
pub fn evaluate(policy: &Policy, identity: &Identity, check: &Check, otherwise: At) -> Result<Answer, CheckError> {
    evaluate_with(policy, &mut PreparedIdentity::new(policy, identity.clone()), check, otherwise)
}

/// As [`evaluate`], for whoever asks several questions: what the identity is in the policy is found once.
///
/// # Errors
/// As [`evaluate`].
pub fn evaluate_with(
    policy: &Policy,
    open: &mut PreparedIdentity,
    check: &Check,
    otherwise: At,
) -> Result<Answer, CheckError> {
    match &check.query {
        Query::Access { operation, resource_type, resource_name } => {
            let request = check.request(*operation, *resource_type, resource_name, otherwise);
            Ok(Answer::Access(open.decide(policy, &request)))
        }
        Query::Api { api, name, resources } => {
            let need = requests::expand(api, name, resources).map_err(CheckError::Request)?;
            let mut decisions = Vec::new();
            let outcome = need.outcome(&mut |needed: &requests::RequiredCheck| {
                let request = check.request(needed.operation, needed.resource_type, &needed.resource_name, otherwise);
                let decision = open.decide(policy, &request);
                let outcome = decision.outcome;
                decisions.push((needed.clone(), decision));
                outcome
            });
            // A request that needs nothing is still none for an identity that has expired (D-20).
            let identity = open.identity();
            let outcome = if identity.is_expired(check.instant(otherwise)) { Outcome::Deny } else { outcome };
            Ok(Answer::Api { outcome, decisions, need, verified: identity.is_verified() })
        }
    }
}

/// Explains a check's question about one operation on one resource; none for a whole request.
#[must_use]
pub fn explain(policy: &Policy, identity: &Identity, check: &Check, otherwise: At) -> Option<Explanation> {
    check.access(otherwise).map(|request| decide::explain(policy, identity, &request))
}
