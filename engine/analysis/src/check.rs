//! A check: a subject and a request in any of the accepted forms, and its evaluation.

use std::net::IpAddr;

use gbac_engine::decide::{self, At, Decision, Explanation, Outcome, PreparedIdentity, Request};
use gbac_engine::identity::Identity;
use gbac_engine::model::{Operation, ResourceType};
use gbac_engine::policy::Policy;
use gbac_engine::{Assumptions, ResolveError, Subject, TokenVerifier, resolve};

use crate::requests::{self, RequestError, RequiredCheck, Requirement, ResourceNames};

/// One check of one identity.
#[derive(Debug, Clone, PartialEq)]
pub struct Check {
    /// The JSON text of the check's `id`, which the answer repeats.
    pub id: Option<String>,
    /// The subject.
    pub subject: Subject,
    /// The operation and resource, or the API request.
    pub query: Query,
    /// The client's address. Without it, host rules fail closed (D-04).
    pub host: Option<IpAddr>,
    /// The time of the decision, if the check contains one (D-20).
    pub at: Option<At>,
}

impl Check {
    /// The time of the decision: the check's own, or the given one.
    #[must_use]
    pub fn instant(&self, otherwise: At) -> At {
        self.at.unwrap_or(otherwise)
    }

    /// The request for one operation on one resource, with the host and time of this check.
    #[must_use]
    pub fn request<'a>(
        &self,
        operation: Operation,
        resource_type: ResourceType,
        resource_name: &'a str,
        otherwise: At,
    ) -> Request<'a> {
        Request::new(
            operation,
            resource_type,
            resource_name,
            self.instant(otherwise),
        )
        .with_host(self.host)
    }

    /// The request of this check; `None` if it is an API request.
    #[must_use]
    pub fn access(&self, otherwise: At) -> Option<Request<'_>> {
        match &self.query {
            Query::Access {
                operation,
                resource_type,
                resource_name,
            } => Some(self.request(*operation, *resource_type, resource_name, otherwise)),
            Query::Api { .. } => None,
        }
    }

    /// The access requests of the check: one, or all that an API request requires; `None` if one of
    /// several is enough for that.
    #[must_use]
    pub fn requests<'a>(&'a self, answer: &'a Answer, otherwise: At) -> Option<Vec<Request<'a>>> {
        let (decisions, requires) = match answer {
            Answer::Access(_) => return Some(self.access(otherwise).into_iter().collect()),
            Answer::Api {
                decisions,
                requires,
                ..
            } => (decisions, requires),
        };
        if requires.has_choice() {
            return None;
        }
        let mut requests = Vec::with_capacity(decisions.len());
        for (required, _) in decisions {
            let name = required.resource_name.as_deref()?;
            requests.push(self.request(
                required.operation,
                required.resource_type,
                name,
                otherwise,
            ));
        }
        Some(requests)
    }
}

/// The query of a check.
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
    /// An API request, with every check that it requires.
    Api {
        /// `kafka`, `schema_registry` or `http_proxy`.
        api: String,
        /// The name of the request, such as `Produce`.
        name: String,
        /// The names of resources by type.
        resources: ResourceNames,
    },
}

/// The answer to a check.
#[derive(Debug, Clone, PartialEq)]
pub enum Answer {
    /// The decision about one operation on one resource.
    Access(Decision),
    /// The decisions about an API request.
    Api {
        /// The overall outcome.
        outcome: Outcome,
        /// Each required check with its decision, in order.
        decisions: Vec<(RequiredCheck, Decision)>,
        /// How the checks combine.
        requires: Requirement,
        /// Whether the identity came from a verified token.
        verified: bool,
        /// What the decisions take for granted about the token.
        assumed: Assumptions,
    },
}

impl Answer {
    /// The overall outcome.
    #[must_use]
    pub const fn outcome(&self) -> Outcome {
        match self {
            Self::Access(decision) => decision.outcome,
            Self::Api { outcome, .. } => *outcome,
        }
    }
}

/// The reason that a check has no answer. Nothing was decided, so nothing is allowed.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum CheckError {
    /// The subject has no identity.
    #[error("{0}")]
    Subject(#[from] ResolveError),
    /// The request cannot be expanded to checks.
    #[error("{0}")]
    Request(#[source] RequestError),
}

gbac_engine::codes! {
    pub CheckError {} of {
        Self::Subject(error) => error: ResolveError,
        Self::Request(error) => error: RequestError,
    }
}

/// Why sign-in refuses the token of a check: the check is denied, whatever the policy allows
/// (D-119).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TokenRefusal {
    /// The stable code, as in the responses to access evaluations.
    pub code: String,
    /// The reason.
    pub message: String,
}

impl TokenRefusal {
    /// The reason of every such denial.
    pub const REASON: &'static str = "token_refused";

    /// The refusal, if a verifier refuses the token of a subject, or its claims name no user.
    /// Anything else that is wrong with a subject is an error.
    #[must_use]
    pub fn from_error(subject: &Subject, error: &ResolveError) -> Option<Self> {
        let is_token = matches!(subject, Subject::Token { .. });
        let is_refused =
            is_token && matches!(error, ResolveError::Refused(..) | ResolveError::Identity(_));
        is_refused.then(|| Self {
            code: error.code().to_owned(),
            message: error.to_string(),
        })
    }
}

/// Decides a check: resolves its identity and decides at the check's time, or at the given one.
///
/// # Errors
/// The errors of [`resolve`], and unknown API requests.
///
/// ```
/// use gbac_analysis::check::{Check, Query, answer};
/// use gbac_engine::{Acl, At, Operation, Outcome, Policy, Principal, ResourceType, Subject};
///
/// let policy = Policy::builder()
///     .acl(Acl::allow(Principal::group("eng"), Operation::Read, ResourceType::Topic, "orders"))
///     .build()?;
/// let check = Check {
///     id: None,
///     subject: Subject::Names { user: "alice".into(), groups: vec!["eng".into()] },
///     query: Query::Access {
///         operation: Operation::Read,
///         resource_type: ResourceType::Topic,
///         resource_name: "orders".into(),
///     },
///     host: None,
///     at: None,
/// };
/// assert_eq!(answer(&policy, &check, None, At::IgnoringExpiry)?.outcome(), Outcome::Allow);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn answer(
    policy: &Policy,
    check: &Check,
    verify: TokenVerifier<'_>,
    otherwise: At,
) -> Result<Answer, CheckError> {
    let resolved = resolve(policy, &check.subject, verify)?;
    evaluate(policy, &resolved.identity, check, otherwise)
}

/// Decides a check for a resolved identity.
///
/// # Errors
/// The API request is unknown.
pub fn evaluate(
    policy: &Policy,
    identity: &Identity,
    check: &Check,
    otherwise: At,
) -> Result<Answer, CheckError> {
    evaluate_with(
        policy,
        &mut PreparedIdentity::new(policy, identity.clone()),
        check,
        otherwise,
    )
}

/// Like [`evaluate`], for several checks: the identity's principals are looked up once.
///
/// # Errors
/// The errors of [`evaluate`].
pub fn evaluate_with(
    policy: &Policy,
    prepared: &mut PreparedIdentity,
    check: &Check,
    otherwise: At,
) -> Result<Answer, CheckError> {
    match &check.query {
        Query::Access {
            operation,
            resource_type,
            resource_name,
        } => {
            let request = check.request(*operation, *resource_type, resource_name, otherwise);
            Ok(Answer::Access(prepared.decide(policy, &request)))
        }
        Query::Api {
            api,
            name,
            resources,
        } => {
            let requires = requests::expand(api, name, resources).map_err(CheckError::Request)?;
            let mut decisions = Vec::new();
            let outcome = requires.outcome(&mut |required: &RequiredCheck| {
                let at = check.instant(otherwise);
                let decision = required.decide(policy, prepared, check.host, at);
                let outcome = decision.outcome;
                decisions.push((required.clone(), decision));
                outcome
            });
            // An expired identity is denied even a request without required checks (D-20).
            let identity = prepared.identity();
            let outcome = if identity.is_expired(check.instant(otherwise)) {
                Outcome::Deny
            } else {
                outcome
            };
            Ok(Answer::Api {
                outcome,
                decisions,
                requires,
                verified: identity.is_verified(),
                assumed: identity.assumed(check.instant(otherwise)),
            })
        }
    }
}

/// The number of candidates in an explanation, if its reader states none.
pub const CANDIDATES: usize = 50;

/// Explains the decision about one operation on one resource, with at most `limit` candidates;
/// `None` for an API request.
#[must_use]
pub fn explain(
    policy: &Policy,
    identity: &Identity,
    check: &Check,
    otherwise: At,
    limit: usize,
) -> Option<Explanation> {
    check
        .access(otherwise)
        .map(|request| decide::explain(policy, identity, &request).shortened(limit))
}
