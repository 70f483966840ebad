//! An identity that stays open while its policy changes, asked in every way that the engine has.

use gbac_engine::decide::{Decision, decide, explain};
use gbac_engine::identity::Identity;
use gbac_engine::policy::Policy;

use crate::oracle::{Asked, Verdict};
use crate::world::request;

/// An identity, opened once. It may be asked over a policy that has changed since, and over another one.
#[derive(Debug)]
pub struct Session {
    identity: Identity,
}

impl Session {
    /// Opens an identity over a policy as it is now.
    #[must_use]
    pub fn open(_policy: &Policy, identity: Identity) -> Self {
        Self { identity }
    }

    /// How an answer of the engine differs from the oracle's; none when all ways of asking agree with it.
    #[must_use]
    pub fn difference(&self, policy: &Policy, asked: &Asked, expected: &Verdict) -> Option<String> {
        let request = request(asked);
        let decisions = [("decide", decide(policy, &self.identity, &request))];
        let (way, found) = decisions.iter().find(|(_, found)| !is_verdict(found, asked, expected))?;
        Some(format!("{way}: {found:?}\noracle: {expected:?}\nasked: {asked:?}"))
    }

    /// As [`Session::difference`], for the decision of an explanation, which is slower.
    #[must_use]
    pub fn explained_difference(&self, policy: &Policy, asked: &Asked, expected: &Verdict) -> Option<String> {
        let found = explain(policy, &self.identity, &request(asked)).decision;
        (!is_verdict(&found, asked, expected))
            .then(|| format!("explain: {found:?}\noracle: {expected:?}\nasked: {asked:?}"))
    }
}

/// Whether a decision is the oracle's, member by member.
fn is_verdict(found: &Decision, asked: &Asked, expected: &Verdict) -> bool {
    let implied = expected.acl.as_ref().map(|acl| acl.operation).filter(|operation| *operation != asked.operation);
    found.outcome.code() == expected.outcome
        && found.reason.code() == expected.reason
        && found.source.map(gbac_engine::decide::Source::code) == expected.source
        && found.group == expected.group
        && found.role == expected.role
        && found.acl == expected.acl
        && found.implied_by == implied
        && found.host_unknown == expected.host_unknown
}
