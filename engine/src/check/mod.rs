//! A check: who asks what, in one of the ways in which people can say it, and its answer.

pub mod doctor;
pub mod events;
pub mod provider;
pub mod sign_in;
mod what_if;

use std::fmt;
use std::net::IpAddr;

use serde_json::{Map, Value};

use crate::decide::{self, At, Decision, Explanation, OpenIdentity, Outcome, Request};
use crate::groups::Extraction;
use crate::identity::{self, Identity, IdentityError, IdentityRules};
use crate::model::{Operation, ResourceType};
use crate::policy::Policy;
use crate::requests::{self, Need, RequestError, Resources};
use crate::token::{Claims, Header, TokenError, UnverifiedClaims, UnverifiedToken};
use crate::warning::Warning;

pub use what_if::{WhatIf, what_if};

/// One question about one identity.
#[derive(Debug, Clone, PartialEq)]
pub struct Check {
    /// Comes back unchanged.
    pub id: Option<Value>,
    /// Who asks.
    pub who: Who,
    /// What is asked.
    pub question: Question,
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
        match &self.question {
            Question::Access { operation, resource_type, resource_name } => {
                Some(self.request(*operation, *resource_type, resource_name, otherwise))
            }
            Question::Api { .. } => None,
        }
    }
}

/// The ways to say who asks.
#[derive(Debug, Clone, PartialEq)]
pub enum Who {
    /// A user and groups by name.
    Names {
        /// The bare user name.
        user: String,
        /// The bare group names.
        groups: Vec<String>,
    },
    /// The claims of a token; extraction runs with the policy's settings.
    Claims {
        /// The token's payload.
        claims: Map<String, Value>,
        /// The user-info document, where the settings ask for it.
        userinfo: Option<Map<String, Value>>,
    },
    /// A token whose signature nobody looks at.
    UnverifiedToken {
        /// A compact JWS.
        token: String,
        /// The user-info document, where the settings ask for it.
        userinfo: Option<Map<String, Value>>,
    },
    /// A token that is verified first.
    Token {
        /// A compact JWS.
        token: String,
        /// The user-info document, where the settings ask for it.
        userinfo: Option<Map<String, Value>>,
    },
}

impl Who {
    /// Whether the decision depends on the time: there are claims, and they have an `exp`, even one that is not a number.
    #[must_use]
    pub fn has_expiry(&self) -> bool {
        match self {
            Self::Names { .. } => false,
            Self::Claims { claims, .. } => identity::has_expiry(claims),
            Self::UnverifiedToken { token, .. } | Self::Token { token, .. } => {
                UnverifiedToken::decode(token).is_ok_and(|decoded| identity::has_expiry(decoded.claims.members()))
            }
        }
    }
}

/// The ways to say what is asked.
#[derive(Debug, Clone, PartialEq)]
pub enum Question {
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
        resources: Resources,
    },
}

/// An identity, and what was seen on the way to it.
#[derive(Debug, Clone, PartialEq)]
pub struct Opened {
    /// The identity.
    pub identity: Identity,
    /// How its groups came out of the claims; none for names.
    pub extraction: Option<Extraction>,
    /// The token's header, where there was a token.
    pub header: Option<Header>,
    /// What to know about the token's header, or about names that were given by hand.
    before: Vec<Warning>,
}

impl Opened {
    /// What to know about the token and its groups, whichever way they came.
    pub fn warnings(&self) -> impl Iterator<Item = &Warning> {
        self.before.iter().chain(self.extraction.iter().flat_map(|extraction| &extraction.warnings))
    }

    /// The groups' names as the claim has them, before anything is cut off; those that were given by name.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        let of_token = self.extraction.iter().flat_map(|extraction| &extraction.elements);
        let given = if self.extraction.is_none() { self.identity.groups() } else { &[] };
        of_token.map(|element| element.raw.as_str()).chain(given.iter().map(String::as_str))
    }
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
        decisions: Vec<(requests::Check, Decision)>,
        /// How the checks combine.
        need: Need,
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
#[derive(Debug, Clone, PartialEq)]
pub enum CheckError {
    /// The token cannot be read.
    Token(TokenError),
    /// `token` was given, but no keys to verify it with.
    NoKeys,
    /// The token was refused; a stable code and a message.
    Refused(&'static str, String),
    /// The claims name no user.
    Identity(IdentityError),
    /// The request cannot be turned into checks.
    Request(RequestError),
}

impl CheckError {
    /// A stable name of the fault.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Token(error) => error.code(),
            Self::NoKeys => "no_keys",
            Self::Refused(code, _) => code,
            Self::Identity(error) => error.code(),
            Self::Request(error) => error.code(),
        }
    }
}

impl fmt::Display for CheckError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Token(error) => error.fmt(f),
            Self::NoKeys => f.write_str(
                "`token` needs keys to verify it, and there are none; add a JWKS or write `unverified_token`",
            ),
            Self::Refused(_, message) => f.write_str(message),
            Self::Identity(error) => error.fmt(f),
            Self::Request(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for CheckError {}

/// Verifies a token for [`open`]; there is none where no keys were given.
pub type Verify<'a> = Option<&'a dyn Fn(&str) -> Result<Claims, CheckError>>;

/// Opens the identity that a check speaks of, under a policy's settings.
///
/// # Errors
/// A token that cannot be read or is refused, or claims that name no user.
pub fn open(policy: &Policy, who: &Who, verify: Verify<'_>) -> Result<Opened, CheckError> {
    open_by(&|| policy.settings().identity_rules(), who, verify)
}

/// As [`open`], under these rules instead of a policy's.
///
/// # Errors
/// As [`open`].
pub fn open_under(rules: &IdentityRules, who: &Who, verify: Verify<'_>) -> Result<Opened, CheckError> {
    open_by(&|| rules.clone(), who, verify)
}

/// The rules are made only where there are claims.
fn open_by(rules: &dyn Fn() -> IdentityRules, who: &Who, verify: Verify<'_>) -> Result<Opened, CheckError> {
    match who {
        Who::Names { user, groups } => {
            let (identity, before) = Identity::with_warnings(user, groups);
            Ok(Opened { identity, extraction: None, header: None, before })
        }
        Who::Claims { claims, userinfo } => {
            let claims = UnverifiedClaims::from_object(claims.clone());
            open_claims(&rules(), Stated::Unverified(&claims, None), userinfo.as_ref())
        }
        Who::UnverifiedToken { token, userinfo } => {
            let UnverifiedToken { claims, header } = UnverifiedToken::decode(token).map_err(CheckError::Token)?;
            open_claims(&rules(), Stated::Unverified(&claims, Some(header)), userinfo.as_ref())
        }
        Who::Token { token, userinfo } => {
            let claims = verify.ok_or(CheckError::NoKeys)?(token)?;
            open_claims(&rules(), Stated::Verified(&claims), userinfo.as_ref())
        }
    }
}

/// Claims, and the header of the token that they were in.
enum Stated<'a> {
    Verified(&'a Claims),
    Unverified(&'a UnverifiedClaims, Option<Header>),
}

/// Not inlined: in wasm a function is compiled when it is first called, and names need none of this.
#[inline(never)]
fn open_claims(
    rules: &IdentityRules,
    stated: Stated<'_>,
    userinfo: Option<&Map<String, Value>>,
) -> Result<Opened, CheckError> {
    let (identity, header) = match stated {
        Stated::Verified(claims) => (Identity::from_verified(claims, userinfo, rules), None),
        Stated::Unverified(claims, header) => (Identity::from_unverified(claims, userinfo, rules), header),
    };
    let (identity, extraction) = identity.map_err(CheckError::Identity)?;
    let mut before = header.as_ref().map(Header::warnings).unwrap_or_default();
    if identity.has_unreadable_expiry() {
        let message = "`exp` is not a number, so the identity counts as expired";
        before.push(Warning::new("expiry_unreadable", message, Some("exp".into())));
    }
    Ok(Opened { identity, extraction: Some(extraction), header, before })
}

/// Decides a check: opens its identity and decides at the time that the check states, else at this one.
///
/// # Errors
/// As [`open`], and a request that the table does not know.
pub fn answer(policy: &Policy, check: &Check, verify: Verify<'_>, otherwise: At) -> Result<Answer, CheckError> {
    let opened = open(policy, &check.who, verify)?;
    ask(policy, &opened.identity, check, otherwise)
}

/// Answers a check's question for an identity that is open already.
///
/// # Errors
/// A request that the table does not know.
pub fn ask(policy: &Policy, identity: &Identity, check: &Check, otherwise: At) -> Result<Answer, CheckError> {
    ask_open(policy, &mut OpenIdentity::new(policy, identity.clone()), check, otherwise)
}

/// As [`ask`], for whoever asks several questions: what the identity is in the policy is found once.
///
/// # Errors
/// As [`ask`].
pub fn ask_open(policy: &Policy, open: &mut OpenIdentity, check: &Check, otherwise: At) -> Result<Answer, CheckError> {
    match &check.question {
        Question::Access { operation, resource_type, resource_name } => {
            let request = check.request(*operation, *resource_type, resource_name, otherwise);
            Ok(Answer::Access(open.decide(policy, &request)))
        }
        Question::Api { api, name, resources } => {
            let need = requests::expand(api, name, resources).map_err(CheckError::Request)?;
            let mut decisions = Vec::new();
            let outcome = need.outcome(&mut |needed: &requests::Check| {
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
