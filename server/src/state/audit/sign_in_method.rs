//! How a user authenticated.

use gbac_analysis::audit::AuthProtocol;

/// How a user authenticated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SignInMethod {
    /// A name and a password.
    Password,
    /// A token of the identity provider.
    Token,
    /// With the identity provider, in a browser.
    Session,
    /// By a gateway, which names the user.
    Gateway,
}

impl SignInMethod {
    pub(super) const fn id(self) -> &'static str {
        match self {
            Self::Password => "password",
            Self::Token => "token",
            Self::Session => "session",
            Self::Gateway => "gateway",
        }
    }

    /// The name in events.
    pub(crate) const fn protocol(self) -> AuthProtocol<'static> {
        match self {
            Self::Password => AuthProtocol::Named("Basic"),
            Self::Token => AuthProtocol::Oauth2,
            Self::Session => AuthProtocol::OpenId,
            Self::Gateway => AuthProtocol::Named("stated by the gateway"),
        }
    }
}
