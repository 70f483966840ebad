//! Decisions as brokers make them: ACLs, super users of any type, and resources that no ACL is for.

use std::collections::BTreeSet;

use gbac_engine::Identity;
use gbac_engine::decide::{At, Decision, Outcome, PreparedIdentity, Reason, Request};
use gbac_engine::groups::NestedGroupBehavior;
use gbac_engine::model::{Principal, PrincipalType};
use gbac_engine::policy::{Change, GroupSource, Policy, Superusers};

use super::settings::{BrokerSettings, ParsedValue};
use crate::check::{Answer, Check, CheckError, evaluate_with};

/// The name that Kafka asks about first, where a request needs any resource of a type.
const ANY_NAME: &str = "hardcode";

/// What brokers decide with besides a policy with their super users and rules for groups.
///
/// ```
/// use gbac_analysis::brokers::{BrokerRules, BrokerSetting, BrokerSettings, opens_resource};
/// use gbac_engine::{Acl, At, Identity, Operation, Outcome, Policy, PreparedIdentity, Principal, Request, ResourceType};
///
/// let mut policy = Policy::builder()
///     .acl(Acl::allow(Principal::user("bob"), Operation::Read, ResourceType::Topic, "orders"))
///     .build()?;
/// let mut settings = BrokerSettings::default();
/// settings.state(BrokerSetting::AllowEveryone, "true")?;
/// let rules = BrokerRules::new(&mut policy, &settings);
/// let mut alice = PreparedIdentity::new(&policy, Identity::new("alice", ["eng"]));
/// let read = |name| Request::new(Operation::Read, ResourceType::Topic, name, At::IgnoringExpiry);
/// assert_eq!(rules.decide(&policy, &mut alice, &read("orders")).outcome, Outcome::Deny);
/// assert!(opens_resource(&rules.decide(&policy, &mut alice, &read("logs"))));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BrokerRules {
    /// The super users that are no users, which a policy does not have.
    other_superusers: BTreeSet<Principal>,
    allows_everyone: bool,
}

/// Whether a decision allows a request because no ACL is for the resource.
#[must_use]
pub fn opens_resource(decision: &Decision) -> bool {
    decision.reason == Reason::NoMatch && decision.outcome == Outcome::Allow
}

impl BrokerRules {
    /// Gives a policy the known settings of brokers; of the others, those of the policy count, and
    /// resources without ACLs are closed.
    #[must_use]
    pub fn new(policy: &mut Policy, settings: &BrokerSettings) -> Self {
        let mut changed = policy.settings().clone();
        let (mut other_superusers, mut allows_everyone) = (BTreeSet::new(), false);
        for value in settings.known() {
            match value {
                ParsedValue::AllowEveryone(is_on) => allows_everyone = is_on,
                ParsedValue::SuperUsers(principals) => {
                    changed.superusers = Superusers::default();
                    for principal in principals {
                        if principal.kind() == PrincipalType::User {
                            changed.superusers.insert(principal.name().to_owned());
                        } else {
                            other_superusers.insert(principal);
                        }
                    }
                }
                ParsedValue::GroupsClaim(path) => {
                    let nested = match &changed.groups {
                        GroupSource::Properties { nested, .. } => *nested,
                        GroupSource::Sso { .. } => NestedGroupBehavior::None,
                    };
                    changed.groups = GroupSource::Properties {
                        claim_path: path,
                        nested,
                    };
                }
                ParsedValue::NestedGroups(behavior) => {
                    if let GroupSource::Properties { nested, .. } = &mut changed.groups {
                        *nested = behavior;
                    }
                }
                ParsedValue::PrincipalMapping(mapping) => changed.principal_mapping = mapping,
            }
        }
        if changed != *policy.settings() {
            // Other settings have no limits: they are accepted.
            let _ = policy.apply(Change::Settings(Box::new(changed)));
        }
        Self {
            other_superusers,
            allows_everyone,
        }
    }

    /// Whether everybody is allowed what no ACL is for.
    #[must_use]
    pub const fn allows_everyone(&self) -> bool {
        self.allows_everyone
    }

    /// Whether every request of an identity is allowed.
    #[must_use]
    pub fn is_superuser(&self, policy: &Policy, identity: &Identity) -> bool {
        policy.settings().is_superuser(identity)
            || self.other_superusers.contains(&identity.principal())
    }

    /// Decides one request.
    #[must_use]
    pub fn decide(
        &self,
        policy: &Policy,
        prepared: &mut PreparedIdentity,
        request: &Request<'_>,
    ) -> Decision {
        let mut decision = prepared.decide(policy, request);
        self.amend(policy, prepared, request, &mut decision);
        decision
    }

    /// Decides a check, as [`crate::check::evaluate_with`].
    ///
    /// # Errors
    /// The API request is unknown.
    pub fn evaluate(
        &self,
        policy: &Policy,
        prepared: &mut PreparedIdentity,
        check: &Check,
        otherwise: At,
    ) -> Result<Answer, CheckError> {
        let mut answer = evaluate_with(policy, prepared, check, otherwise)?;
        match &mut answer {
            Answer::Access(decision) => {
                if let Some(request) = check.access(otherwise) {
                    self.amend(policy, prepared, &request, decision);
                }
            }
            Answer::Api {
                outcome,
                decisions,
                requires,
                ..
            } => {
                for (required, decision) in &mut *decisions {
                    let (operation, kind) = (required.operation, required.resource_type);
                    let name = required.resource_name.as_deref().unwrap_or(ANY_NAME);
                    let request = check.request(operation, kind, name, otherwise);
                    self.amend(policy, prepared, &request, decision);
                }
                if !prepared.identity().is_expired(check.instant(otherwise)) {
                    let mut amended = decisions.iter();
                    *outcome = requires.outcome(|_| {
                        // In the same order, once for each.
                        amended.next().map_or(Outcome::Deny, |(_, one)| one.outcome)
                    });
                }
            }
        }
        Ok(answer)
    }

    /// Corrects the decision of the policy.
    pub fn amend(
        &self,
        policy: &Policy,
        prepared: &mut PreparedIdentity,
        request: &Request<'_>,
        decision: &mut Decision,
    ) {
        if decision.reason == Reason::Expired {
            return;
        }
        if self
            .other_superusers
            .contains(&prepared.identity().principal())
        {
            decision.outcome = Outcome::Allow;
            decision.reason = Reason::Superuser;
            decision.source = None;
            decision.acl = None;
            decision.group = None;
            decision.role = None;
            decision.implied_by = None;
            decision.host_unknown = false;
        } else if self.allows_everyone
            && decision.reason == Reason::NoMatch
            && !prepared.access(policy, request).has_acls()
        {
            decision.outcome = Outcome::Allow;
        }
    }
}
