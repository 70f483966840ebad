//! What an answer is computed from: the policy, its index, and the people that are known.

use std::fmt;
use std::sync::Arc;

use gbac_analysis::provider::AcceptedTokens;
use gbac_engine::identity::Identity;
use gbac_engine::policy::Policy;

use crate::search::index::SearchIndex;
use crate::simulator::inputs::{IdentityMode, Inputs};
use crate::simulator::pipeline::identify;
use crate::simulator::token_checks::Verifier;

/// Where a known identity comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IdentityOrigin {
    /// From what is entered in the simulator.
    Simulator,
    /// From a token of the demo's identity provider.
    Demo,
}

impl IdentityOrigin {
    pub(super) const fn label(self, mode: IdentityMode) -> &'static str {
        match (self, mode) {
            (Self::Simulator, IdentityMode::Token) => "from the token in the simulator",
            (Self::Simulator, IdentityMode::ByHand) => "from what is entered in the simulator",
            (Self::Demo, _) => "from the token of the demo",
        }
    }
}

/// A user whose groups are known in this tab, so that a question about the user includes them.
#[derive(Clone)]
pub struct KnownIdentity {
    pub(super) inputs: Inputs,
    pub(super) identity: Arc<Identity>,
    pub(super) origin: IdentityOrigin,
}

/// Without its inputs: they may hold a token.
impl fmt::Debug for KnownIdentity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KnownIdentity")
            .field("user", &self.identity.user())
            .finish_non_exhaustive()
    }
}

impl KnownIdentity {
    /// The identity of what is entered, where it names a user.
    pub fn read(
        inputs: &Inputs,
        origin: IdentityOrigin,
        policy: &Policy,
        accepted: &AcceptedTokens,
        now: f64,
        verifier: Option<Verifier>,
    ) -> Option<Self> {
        let who = identify(inputs, policy.settings(), accepted, now, verifier)?;
        let identity = Arc::clone(who.identity.as_ref().ok()?);
        Some(Self {
            inputs: inputs.clone(),
            identity,
            origin,
        })
    }
}

/// What questions are answered with.
pub struct AnswerContext<'a> {
    /// The policy of the service, which decides.
    pub policy: &'a Arc<Policy>,
    /// The names, those of the draft too.
    pub index: &'a SearchIndex,
    /// The users whose groups are known; the first of a name counts.
    pub known: &'a [KnownIdentity],
    /// Whose tokens the service accepts.
    pub accepted: &'a AcceptedTokens,
    /// The code that checks signatures, once it is here.
    pub verifier: Option<Verifier>,
    /// The time in seconds since 1970.
    pub now: f64,
    /// Whether there is a draft, which no answer includes.
    pub has_draft: bool,
}
