//! An identity that stays open while its policy changes, and is evaluated through every call of the
//! engine.

use gbac_engine::Coded;
use gbac_engine::decide::{Decision, Outcome, PreparedIdentity, PreparedResource, decide, explain};
use gbac_engine::identity::Identity;
use gbac_engine::policy::Policy;

use crate::oracle::{OracleQuestion, Verdict};
use crate::world::request;

/// A prepared identity. It can be evaluated with a policy that has changed since, and with another
/// one.
#[derive(Debug)]
pub struct Session {
    open: PreparedIdentity,
    /// The resources, prepared at their first query.
    resources: Vec<PreparedResource>,
}

impl Session {
    /// Prepares an identity with the current policy.
    #[must_use]
    pub fn open(policy: &Policy, identity: Identity) -> Self {
        Self {
            open: PreparedIdentity::new(policy, identity),
            resources: Vec::new(),
        }
    }

    /// The first difference between the engine's calls and the oracle; `None` if all agree.
    #[must_use]
    pub fn difference(
        &mut self,
        policy: &Policy,
        asked: &OracleQuestion,
        expected: &Verdict,
    ) -> Option<String> {
        let request = request(asked);
        let stateless = decide(policy, self.open.identity(), &request);
        for (way, found) in [
            ("decide", stateless),
            ("open", self.open.decide(policy, &request)),
        ] {
            if !is_verdict(&found, asked, expected) {
                return Some(format!(
                    "{way}: {found:?}\noracle: {expected:?}\nasked: {asked:?}"
                ));
            }
        }
        let mut outcomes = vec![("outcome", self.open.outcome(policy, &request))];
        let is_it = |known: &PreparedResource| {
            (known.resource_type(), known.name()) == (asked.resource_type, request.resource_name)
        };
        let known = self.resources.iter().position(is_it).unwrap_or_else(|| {
            self.resources.push(PreparedResource::new(
                policy,
                asked.resource_type,
                &asked.name,
            ));
            self.resources.len() - 1
        });
        let resource = &self.resources[known];
        let on_resource =
            self.open
                .outcome_on(policy, asked.operation, resource, request.host, request.at);
        let names = [&*asked.name];
        let listed = self.open.filter(
            policy,
            asked.operation,
            asked.resource_type,
            names,
            request.host,
            request.at,
        );
        let filtered = if listed == names {
            Outcome::Allow
        } else {
            Outcome::Deny
        };
        outcomes.extend([("resource", on_resource), ("filter", filtered)]);
        let (way, found) = outcomes
            .into_iter()
            .find(|(_, found)| found.code() != expected.outcome)?;
        Some(format!(
            "{way}: {found:?}\noracle: {expected:?}\nasked: {asked:?}"
        ))
    }

    /// Like [`Session::difference`], for the decision of an explanation, which is slower.
    #[must_use]
    pub fn explained_difference(
        &self,
        policy: &Policy,
        asked: &OracleQuestion,
        expected: &Verdict,
    ) -> Option<String> {
        let found = explain(policy, self.open.identity(), &request(asked)).decision;
        (!is_verdict(&found, asked, expected))
            .then(|| format!("explain: {found:?}\noracle: {expected:?}\nasked: {asked:?}"))
    }
}

/// Whether all members of a decision equal the oracle's.
fn is_verdict(found: &Decision, asked: &OracleQuestion, expected: &Verdict) -> bool {
    let implied = expected
        .acl
        .as_ref()
        .map(|acl| acl.operation)
        .filter(|operation| *operation != asked.operation);
    found.outcome.code() == expected.outcome
        && found.reason.code() == expected.reason
        && found.source.map(|source| source.code()) == expected.source
        && found.group == expected.group
        && found.role == expected.role
        && found.acl == expected.acl
        && found.implied_by == implied
        && found.host_unknown == expected.host_unknown
}
