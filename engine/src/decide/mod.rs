//! Decides requests: ACLs from four sources; a deny wins over an allow, and without either the
//! request is denied (specification 1.6, D-20).

mod any_resource;
mod before_acls;
mod explain;
mod precedence;
mod prepared;
mod principal_paths;
mod ranked_principals;

use std::net::IpAddr;

use strum::{IntoStaticStr, VariantNames};

use crate::assumption::Assumptions;
use crate::identity::Identity;
use crate::model::{Acl, Operation, ResourceType, normalized_name};
use crate::policy::Policy;

pub use crate::identity::At;
pub use explain::{
    AccessPath, Candidate, CandidateStatus, Explainer, Explanation, NameMatch, NearMember,
    NearMiss, OperationMatch, PrincipalMatch, explain,
};
pub use precedence::HostMatch;
pub use prepared::{PreparedIdentity, PreparedResource, ResourceAccess};

/// A request: one operation on one resource, from a host, at a time.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Request<'a> {
    /// The operation; only an ACL of `ALL` matches [`Operation::All`] (D-27).
    pub operation: Operation,
    /// The resource's type.
    pub resource_type: ResourceType,
    /// The resource's name; any text. For the cluster, an empty name means `kafka-cluster` (D-37).
    pub resource_name: &'a str,
    /// The client's address. If it is unknown, ACLs for a single host can deny but not allow
    /// (D-04).
    pub host: Option<IpAddr>,
    /// The time of the decision: an expired identity is denied (D-20).
    pub at: At,
}

impl<'a> Request<'a> {
    /// Creates a request without a host. All interfaces create requests with this function.
    #[must_use]
    pub fn new(
        operation: Operation,
        resource_type: ResourceType,
        resource_name: &'a str,
        at: At,
    ) -> Self {
        let resource_name = normalized_name(resource_type, resource_name);
        Self {
            operation,
            resource_type,
            resource_name,
            host: None,
            at,
        }
    }

    /// Sets the client's address, or `None` if it is unknown. An IPv4-mapped IPv6 address counts as
    /// the IPv4 address.
    #[must_use]
    pub fn with_host(mut self, host: impl Into<Option<IpAddr>>) -> Self {
        self.host = host.into().map(|host| host.to_canonical());
        self
    }
}

/// Whether the request is allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, IntoStaticStr, VariantNames)]
#[strum(serialize_all = "snake_case")]
pub enum Outcome {
    /// Denied.
    Deny,
    /// Allowed.
    Allow,
}

/// The reason for a decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, IntoStaticStr, VariantNames)]
#[strum(serialize_all = "snake_case")]
pub enum Reason {
    /// The identity has expired: denied.
    Expired,
    /// The user is a superuser: allowed, regardless of ACLs (D-14).
    Superuser,
    /// An ACL denies.
    DenyRule,
    /// No ACL denies and one allows.
    AllowRule,
    /// No ACL denies and none allows: denied.
    NoMatch,
}

/// The source of a matching ACL: how its principal belongs to the identity (specification 1.6).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, IntoStaticStr, VariantNames)]
#[strum(serialize_all = "snake_case", suffix = "_acl")]
pub enum Source {
    /// An ACL of the user, or of `User:*`.
    User,
    /// An ACL of a role that the user is a member of.
    Role,
    /// An ACL of a group of the user.
    Group,
    /// An ACL of a role that a group of the user is a member of.
    GroupRole,
}

impl Reason {
    /// The outcome of a decision with this reason.
    #[must_use]
    pub const fn outcome(self) -> Outcome {
        match self {
            Self::Superuser | Self::AllowRule => Outcome::Allow,
            Self::Expired | Self::DenyRule | Self::NoMatch => Outcome::Deny,
        }
    }
}

/// The decision on a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decision {
    /// Allowed or denied.
    pub outcome: Outcome,
    /// The reason.
    pub reason: Reason,
    /// The source of the deciding ACL; `None` if no ACL decided.
    pub source: Option<Source>,
    /// The group on the path to the deciding ACL's principal.
    pub group: Option<String>,
    /// The role on the path to the deciding ACL's principal.
    pub role: Option<String>,
    /// The deciding ACL: the first in the order of D-20 if several match.
    pub acl: Option<Acl>,
    /// The deciding ACL's operation, if it differs from the request's.
    pub implied_by: Option<Operation>,
    /// The request has no host, and the decision could differ if the host were known (D-04, D-31).
    pub host_unknown: bool,
    /// Whether the identity came from a verified token.
    pub verified: bool,
    /// What the decision takes for granted about the token.
    pub assumed: Assumptions,
}

impl Decision {
    fn without_rule(reason: Reason, identity: &Identity, at: At) -> Self {
        Self {
            outcome: reason.outcome(),
            reason,
            source: None,
            group: None,
            role: None,
            acl: None,
            implied_by: None,
            host_unknown: false,
            verified: identity.is_verified(),
            assumed: identity.assumed(at),
        }
    }
}

/// Decides one request (specification 1.6).
///
/// It checks the expiry first, then superusers, then the denies of all four sources, then the
/// allows. To decide several requests of an identity, create a [`PreparedIdentity`], which looks up
/// its principals only once.
///
/// ```
/// use gbac_engine::decide::{At, Outcome, Reason, Request, Source, decide};
/// use gbac_engine::identity::Identity;
/// use gbac_engine::model::{Operation, ResourceType};
/// use gbac_json::policy_from_json;
///
/// let policy = policy_from_json(r#"{ "version": 1, "acls": [{
///     "resource_type": "RESOURCE_TYPE_TOPIC", "resource_name": "analytics-",
///     "resource_pattern_type": "RESOURCE_PATTERN_TYPE_PREFIXED", "principal": "Group:engineering",
///     "host": "*", "operation": "OPERATION_READ", "permission_type": "PERMISSION_TYPE_ALLOW" }] }"#)?;
/// let alice = Identity::new("alice", ["engineering"]);
/// let request = Request::new(Operation::Describe, ResourceType::Topic, "analytics-events", At::seconds(1_800_000_000.0));
/// let decision = decide(&policy, &alice, &request);
/// assert_eq!((decision.outcome, decision.reason), (Outcome::Allow, Reason::AllowRule));
/// assert_eq!((decision.source, decision.implied_by), (Some(Source::Group), Some(Operation::Read)));
/// # Ok::<(), gbac_json::Problems>(())
/// ```
#[must_use]
pub fn decide(policy: &Policy, identity: &Identity, request: &Request<'_>) -> Decision {
    PreparedIdentity::new(policy, identity.clone()).decide(policy, request)
}
