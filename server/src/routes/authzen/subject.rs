//! The subjects of a request's questions: each is verified, resolved and prepared once.

use gbac_analysis::check::TokenRefusal;
use gbac_api::problem::DocumentFault;
use gbac_engine::Subject;
use gbac_engine::decide::PreparedIdentity;
use gbac_engine::identity::Identity;
use gbac_engine::policy::{Policy, Settings};

use crate::identity::oidc::TokenRejection;
use crate::identity::sign_in::Authenticator;
use crate::state::audit::SignInMethod;

/// A subject as a question states it, or what is wrong with it.
pub(super) type StatedSubject = Result<Subject, Vec<DocumentFault>>;

/// The identity of a token that was sent as a subject; `None` for other subjects. The provider's
/// keys may be fetched for it.
pub(super) async fn verify(
    authenticator: &Authenticator,
    settings: &Settings,
    subject: &StatedSubject,
) -> Option<Result<Identity, TokenRejection>> {
    match subject {
        Ok(Subject::Token { token, .. }) => Some(authenticator.resolve_with(token, settings).await),
        _ => None,
    }
}

/// The subject of questions, prepared for decisions with the policy.
pub(super) enum PreparedSubject {
    /// A known identity.
    Known(SignInMethod, Box<PreparedIdentity>),
    /// A token that sign-in refuses.
    Refused(TokenRefusal),
    /// Another subject without an identity: the code and the reason.
    Rejected(&'static str, String),
    /// A malformed subject.
    Malformed(Vec<DocumentFault>),
}

impl PreparedSubject {
    /// Prepares a subject; `verified` is the identity of its token.
    pub(super) fn new(
        policy: &Policy,
        subject: &StatedSubject,
        verified: Option<Result<Identity, TokenRejection>>,
    ) -> Self {
        match (verified, subject) {
            (_, Err(faults)) => Self::Malformed(faults.clone()),
            (Some(Ok(identity)), _) => Self::known(policy, SignInMethod::Token, identity),
            (Some(Err(rejected)), _) => Self::Refused(TokenRefusal {
                code: rejected.code().to_owned(),
                message: rejected.to_string(),
            }),
            (None, Ok(subject)) => match gbac_engine::resolve(policy, subject, None) {
                Ok(resolved) => Self::known(policy, SignInMethod::Gateway, resolved.identity),
                Err(error) => Self::Rejected(error.code(), error.to_string()),
            },
        }
    }

    fn known(policy: &Policy, method: SignInMethod, identity: Identity) -> Self {
        Self::Known(method, Box::new(PreparedIdentity::new(policy, identity)))
    }
}
