//! The one walk: four sources, deny first, then allow, else denied (specification 1.6, D-20).

mod explain;
mod known;
mod paths;
mod precedence;
mod prepared;
mod walk;

use std::net::IpAddr;

use crate::identity::Identity;
use crate::model::{Acl, Operation, ResourceType, normalized_name};
use crate::policy::Policy;

pub use crate::identity::At;
pub use explain::{
    AccessPath, Candidate, CandidateStatus, Explainer, Explanation, HostFacet, NameFacet, NearMember, NearMiss,
    OperationFacet, PrincipalFacet, explain,
};
pub use prepared::{PreparedIdentity, PreparedResource, ResourceAccess};

/// What is asked: may this identity do this operation on this resource, from this host, at this instant.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Request<'a> {
    /// The operation; [`Operation::All`] is met only by an ACL of `ALL` (D-27).
    pub operation: Operation,
    /// The resource's type.
    pub resource_type: ResourceType,
    /// The resource's name; any text. An empty name of the cluster is read as `kafka-cluster` (D-37).
    pub resource_name: &'a str,
    /// The client's address; without one the check fails closed (D-04).
    pub host: Option<IpAddr>,
    /// The time of the decision: an expired identity is denied (D-20).
    pub at: At,
}

impl<'a> Request<'a> {
    /// Creates a request without a host. Every call and interface creates its requests here.
    #[must_use]
    pub fn new(operation: Operation, resource_type: ResourceType, resource_name: &'a str, at: At) -> Self {
        let resource_name = normalized_name(resource_type, resource_name);
        Self { operation, resource_type, resource_name, host: None, at }
    }

    /// The same request from this address, or from an unknown one; an IPv4-mapped IPv6 address counts as its IPv4 one.
    #[must_use]
    pub fn with_host(mut self, host: impl Into<Option<IpAddr>>) -> Self {
        self.host = host.into().map(|host| host.to_canonical());
        self
    }
}

/// Whether the request is allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Outcome {
    /// Denied.
    Deny,
    /// Allowed.
    Allow,
}

/// Why.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Reason {
    /// The identity had expired at the given instant: denied.
    Expired,
    /// The user is a superuser: allowed, whatever ACLs say (D-14).
    Superuser,
    /// An ACL denies.
    DenyRule,
    /// No ACL denies and one allows.
    AllowRule,
    /// No ACL denies and none allows: denied.
    NoMatch,
}

/// The four sources of specification 1.6.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
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
    /// What follows from it.
    #[must_use]
    pub const fn outcome(self) -> Outcome {
        match self {
            Self::Superuser | Self::AllowRule => Outcome::Allow,
            Self::Expired | Self::DenyRule | Self::NoMatch => Outcome::Deny,
        }
    }
}

macro_rules! codes {
    ($name:ident { $($variant:ident = $code:literal),+ $(,)? }) => {
        impl $name {
            /// Every value.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];
            /// The stable name in JSON.
            #[must_use]
            pub const fn code(self) -> &'static str {
                match self { $(Self::$variant => $code),+ }
            }
            /// Reads the stable name.
            #[must_use]
            pub fn from_code(text: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|value| value.code() == text)
            }
        }
    };
}
codes!(Outcome { Deny = "deny", Allow = "allow" });
codes!(Reason {
    Expired = "expired",
    Superuser = "superuser",
    DenyRule = "deny_rule",
    AllowRule = "allow_rule",
    NoMatch = "no_match",
});
codes!(Source {
    User = "user_acl",
    Role = "role_acl",
    Group = "group_acl",
    GroupRole = "group_role_acl",
});

/// The answer to a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decision {
    /// Allowed or denied.
    pub outcome: Outcome,
    /// Why.
    pub reason: Reason,
    /// Which of the four sources the deciding ACL came from; none where no ACL decided.
    pub source: Option<Source>,
    /// The group that the deciding ACL was reached through.
    pub group: Option<String>,
    /// The role that the deciding ACL was reached through.
    pub role: Option<String>,
    /// The deciding ACL; the first in the order of D-20 where several match.
    pub acl: Option<Acl>,
    /// The deciding ACL's operation, where it is not the one asked for.
    pub implied_by: Option<Operation>,
    /// The answer may be another one once the host is known (D-04, D-31).
    pub host_unknown: bool,
    /// Whether the identity came from a verified token.
    pub verified: bool,
}

impl Decision {
    fn without_rule(reason: Reason, identity: &Identity) -> Self {
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
        }
    }
}

/// Decides one request (specification 1.6).
///
/// Expiry is looked at first, then superusers, then every deny of the four sources, then every allow. Who asks more than
/// once opens the identity ([`PreparedIdentity`]).
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
