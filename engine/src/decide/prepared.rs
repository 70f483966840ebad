//! Prepared identities and resources, for many checks: principals and covering patterns are looked
//! up once.

use std::net::IpAddr;

use super::any_resource::{AnyResource, allowed_on_any};
use super::before_acls::before_acls;
use super::precedence::{self, Cache, Criteria, Matches};
use super::principal_paths::{groups, visit_paths_through};
use super::ranked_principals::RankedPrincipals;
use super::{At, Decision, Outcome, Request};
use crate::identity::Identity;
use crate::model::{Operation, PrincipalType, ResourceType, normalized_name};
use crate::policy::{Covering, Operations, Policy, PrincipalId, Version};

/// An identity prepared for many checks: its user, groups and roles are looked up once.
///
/// The time of a check depends on the length of the resource name and on the number of patterns
/// that cover it, not on the number of ACLs, groups and roles. If the policy changes, or a check
/// names another policy, the lookup is repeated.
///
/// ```
/// use gbac_engine::decide::{At, PreparedIdentity, Outcome, Request};
/// use gbac_engine::identity::Identity;
/// use gbac_engine::model::{Operation, ResourceType};
/// use gbac_json::policy_from_json;
///
/// let policy = policy_from_json(r#"{ "version": 1, "acls": [{
///     "resource_type": "RESOURCE_TYPE_TOPIC", "resource_name": "analytics-",
///     "resource_pattern_type": "RESOURCE_PATTERN_TYPE_PREFIXED", "principal": "Group:engineering",
///     "host": "*", "operation": "OPERATION_READ", "permission_type": "PERMISSION_TYPE_ALLOW" }] }"#)?;
/// let mut alice = PreparedIdentity::new(&policy, Identity::new("alice", ["engineering"]));
/// let now = At::seconds(1_800_000_000.0);
/// let read = |name| Request::new(Operation::Read, ResourceType::Topic, name, now);
/// assert_eq!(alice.outcome(&policy, &read("analytics-events")), Outcome::Allow);
/// assert_eq!(alice.outcome(&policy, &read("orders")), Outcome::Deny);
/// # Ok::<(), gbac_json::Problems>(())
/// ```
#[derive(Debug, Clone)]
pub struct PreparedIdentity {
    identity: Identity,
    /// The version of the policy's principals and superusers that `superuser` and `ranked` are for.
    principals_version: Version,
    /// The version of the policy that `cache` is for.
    version: Version,
    superuser: bool,
    ranked: RankedPrincipals,
    cache: Cache,
}

/// A resource prepared for many checks: the patterns that cover its name are looked up once.
///
/// If the policy has changed since, each check repeats the lookup.
#[derive(Debug, Clone)]
pub struct PreparedResource {
    resource_type: ResourceType,
    name: Box<str>,
    version: Version,
    covering: Covering,
}

impl PreparedResource {
    /// Looks up the patterns that cover a resource. The type and name are as in [`Request::new`].
    #[must_use]
    pub fn new(policy: &Policy, resource_type: ResourceType, name: &str) -> Self {
        let name = normalized_name(resource_type, name);
        let covering = policy.covering(resource_type, name);
        Self {
            resource_type,
            name: name.into(),
            version: policy.version(),
            covering,
        }
    }

    /// The type.
    #[must_use]
    pub const fn resource_type(&self) -> ResourceType {
        self.resource_type
    }

    /// The name.
    #[must_use]
    pub const fn name(&self) -> &str {
        &self.name
    }

    /// The memory that the resource uses, in bytes, for callers with a size limit.
    #[must_use]
    pub fn bytes(&self) -> usize {
        size_of::<Self>() + self.name.len() + self.covering.heap_bytes()
    }
}

/// What an identity may do on a resource, or on any resource of a type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ResourceAccess {
    allowed: Operations,
    has_denies: bool,
    has_acls: bool,
}

impl ResourceAccess {
    /// The operations that are allowed, in the order of [`Operation::ALL`].
    pub fn operations(&self) -> impl Iterator<Item = Operation> {
        self.allowed.iter()
    }

    /// Whether an ACL denies the identity an operation on the resource. Otherwise what is not
    /// allowed is denied because no ACL allows it. Never for any resource of a type.
    #[must_use]
    pub const fn has_denies(&self) -> bool {
        self.has_denies
    }

    /// Whether any ACL of anybody is for the resource, or for a resource of the type.
    #[must_use]
    pub const fn has_acls(&self) -> bool {
        self.has_acls
    }
}

impl PreparedIdentity {
    /// Looks up an identity's user and groups, and their roles, in the policy.
    #[must_use]
    pub fn new(policy: &Policy, identity: Identity) -> Self {
        let mut prepared = Self {
            identity,
            principals_version: policy.principals_version(),
            version: policy.version(),
            superuser: false,
            ranked: RankedPrincipals::default(),
            cache: Cache::default(),
        };
        prepared.resolve(policy);
        prepared
    }

    /// The identity.
    #[must_use]
    pub const fn identity(&self) -> &Identity {
        &self.identity
    }

    fn resolve(&mut self, policy: &Policy) {
        self.superuser = policy.settings().is_superuser(&self.identity);
        let ranked = &mut self.ranked;
        let groups = groups(policy, &self.identity);
        let group_and_roles = |group: &PrincipalId| 1 + policy.links(*group).len();
        // Reserves no space for the user's roles, because they are usually few.
        ranked.clear(2 + groups.iter().flatten().map(group_and_roles).sum::<usize>());
        visit_paths_through(policy, &self.identity, groups, &mut |path| {
            ranked.add(path.to.id(), path.source, path.group);
        });
        if let Some(everyone) = policy.principal_id(PrincipalType::User, "*") {
            ranked.add_everyone(everyone);
        }
        self.principals_version = policy.principals_version();
    }

    /// Clears the cache and repeats lookups if the policy has changed.
    #[inline]
    fn refresh(&mut self, policy: &Policy) {
        if self.version != policy.version() {
            self.version = policy.version();
            self.cache.clear();
            if self.principals_version != policy.principals_version() {
                self.resolve(policy);
            }
        }
    }

    /// Decides one request and returns only the outcome (specification 1.6).
    #[must_use]
    pub fn outcome(&mut self, policy: &Policy, request: &Request<'_>) -> Outcome {
        self.refresh(policy);
        if let Some(reason) = before_acls(&self.identity, self.superuser, request.at) {
            return reason.outcome();
        }
        let covering = policy.covering(request.resource_type, request.resource_name);
        self.walk(policy, &covering, request.operation, request.host)
            .outcome()
    }

    fn walk(
        &mut self,
        policy: &Policy,
        covering: &Covering,
        operation: Operation,
        host: Option<IpAddr>,
    ) -> Matches {
        precedence::walk(
            policy,
            covering,
            &self.ranked,
            &mut self.cache,
            Criteria::new(operation, host),
        )
    }

    /// Decides a request on a prepared resource and returns only the outcome.
    #[must_use]
    pub fn outcome_on(
        &mut self,
        policy: &Policy,
        operation: Operation,
        resource: &PreparedResource,
        host: Option<IpAddr>,
        at: At,
    ) -> Outcome {
        if resource.version != policy.version() {
            let resource = PreparedResource::new(policy, resource.resource_type, &resource.name);
            return self.outcome_on(policy, operation, &resource, host, at);
        }
        self.refresh(policy);
        match before_acls(&self.identity, self.superuser, at) {
            Some(reason) => reason.outcome(),
            None => self
                .walk(policy, &resource.covering, operation, host)
                .outcome(),
        }
    }

    /// Decides one request and returns the decision with the deciding ACL and the path to its
    /// principal (specification 1.6).
    #[must_use]
    pub fn decide(&mut self, policy: &Policy, request: &Request<'_>) -> Decision {
        self.refresh(policy);
        if let Some(reason) = before_acls(&self.identity, self.superuser, request.at) {
            return Decision::without_rule(reason, &self.identity, request.at);
        }
        let covering = policy.covering(request.resource_type, request.resource_name);
        let matches = self.walk(policy, &covering, request.operation, request.host);
        precedence::decision(
            policy,
            &covering,
            &self.ranked,
            &self.identity,
            request,
            &matches,
        )
    }

    /// Every operation that is allowed on a resource, found in one walk, as
    /// [`PreparedIdentity::outcome`] finds it for each.
    ///
    /// ```
    /// use gbac_engine::{Acl, At, Identity, Operation, Policy, PreparedIdentity, Principal, Request, ResourceType};
    ///
    /// let policy = Policy::builder()
    ///     .acl(Acl::allow(Principal::group("eng"), Operation::Read, ResourceType::Topic, "orders"))
    ///     .build()?;
    /// let mut alice = PreparedIdentity::new(&policy, Identity::new("alice", ["eng"]));
    /// let request = Request::new(Operation::All, ResourceType::Topic, "orders", At::IgnoringExpiry);
    /// let access = alice.access(&policy, &request);
    /// assert_eq!(access.operations().collect::<Vec<_>>(), [Operation::Read, Operation::Describe]);
    /// assert!(access.has_acls());
    /// # Ok::<(), gbac_engine::PolicyError>(())
    /// ```
    ///
    /// The operation of the request does not matter.
    #[must_use]
    pub fn access(&mut self, policy: &Policy, request: &Request<'_>) -> ResourceAccess {
        self.refresh(policy);
        let covering = policy.covering(request.resource_type, request.resource_name);
        let (allowed, has_denies) = match before_acls(&self.identity, self.superuser, request.at) {
            Some(reason) if reason.outcome() == Outcome::Allow => {
                (Operations::of_dialect(policy.settings().dialect), false)
            }
            Some(_) => (Operations::default(), false),
            None => precedence::allowed(policy, &covering, &self.ranked, request.host),
        };
        ResourceAccess {
            allowed,
            has_denies,
            has_acls: !covering.as_slice().is_empty(),
        }
    }

    /// Every operation that is allowed on at least one resource of a type, as Kafka decides it for
    /// idempotent producers (D-73).
    ///
    /// ```
    /// use gbac_engine::{Acl, At, Identity, Operation, Policy, PreparedIdentity, Principal, ResourceType};
    ///
    /// let policy = Policy::builder()
    ///     .acl(Acl::allow(Principal::group("eng"), Operation::Write, ResourceType::Topic, "orders-").prefixed())
    ///     .build()?;
    /// let mut alice = PreparedIdentity::new(&policy, Identity::new("alice", ["eng"]));
    /// let access = alice.access_to_any(&policy, ResourceType::Topic, None, At::IgnoringExpiry);
    /// assert_eq!(access.operations().collect::<Vec<_>>(), [Operation::Write]);
    /// # Ok::<(), gbac_engine::PolicyError>(())
    /// ```
    #[must_use]
    pub fn access_to_any(
        &mut self,
        policy: &Policy,
        resource_type: ResourceType,
        host: Option<IpAddr>,
        at: At,
    ) -> ResourceAccess {
        self.refresh(policy);
        let allowed = match before_acls(&self.identity, self.superuser, at) {
            Some(reason) if reason.outcome() == Outcome::Allow => {
                Operations::of_dialect(policy.settings().dialect)
            }
            Some(_) => Operations::default(),
            None => allowed_on_any(policy, &self.ranked, resource_type, host),
        };
        let has_acls = policy
            .patterns()
            .any(|(_, pattern)| pattern.resource_type == resource_type);
        ResourceAccess {
            allowed,
            has_denies: false,
            has_acls,
        }
    }

    /// Decides an operation on any resource of a type: whether there is a name, named by an ACL, on
    /// which it is allowed (D-73). The decision has an ACL that allows it, or one that takes back
    /// what others allow.
    ///
    /// ```
    /// use gbac_engine::{Acl, At, Identity, Operation, Policy, PreparedIdentity, Principal, Reason, ResourceType};
    ///
    /// let policy = Policy::builder()
    ///     .acl(Acl::allow(Principal::group("eng"), Operation::Write, ResourceType::Topic, "orders-").prefixed())
    ///     .build()?;
    /// let mut alice = PreparedIdentity::new(&policy, Identity::new("alice", ["eng"]));
    /// let mut asked = |operation| {
    ///     alice.decide_on_any(&policy, operation, ResourceType::Topic, None, At::IgnoringExpiry)
    /// };
    /// assert_eq!(asked(Operation::Write).reason, Reason::AllowRule);
    /// assert_eq!(asked(Operation::Read).reason, Reason::NoMatch);
    /// # Ok::<(), gbac_engine::PolicyError>(())
    /// ```
    #[must_use]
    pub fn decide_on_any(
        &mut self,
        policy: &Policy,
        operation: Operation,
        resource_type: ResourceType,
        host: Option<IpAddr>,
        at: At,
    ) -> Decision {
        self.refresh(policy);
        match before_acls(&self.identity, self.superuser, at) {
            Some(reason) => Decision::without_rule(reason, &self.identity, at),
            None => AnyResource {
                policy,
                identity: &self.identity,
                ranked: &self.ranked,
                cache: &mut self.cache,
                resource_type,
                operation,
                host,
                at,
            }
            .decide(),
        }
    }

    /// Returns the names on which the operation is allowed, for example to filter a list of topics.
    pub fn filter<'n>(
        &mut self,
        policy: &Policy,
        operation: Operation,
        resource_type: ResourceType,
        names: impl IntoIterator<Item = &'n str>,
        host: Option<IpAddr>,
        at: At,
    ) -> Vec<&'n str> {
        let allowed = |name: &&'n str| {
            let request = Request::new(operation, resource_type, name, at).with_host(host);
            self.outcome(policy, &request) == Outcome::Allow
        };
        names.into_iter().filter(allowed).collect()
    }
}
