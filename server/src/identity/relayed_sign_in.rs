//! Sign-ins to a relayed cluster, which checks the credentials. Wrong passwords are limited as
//! those of this service (D-47).

use std::collections::VecDeque;
use std::io;
use std::net::IpAddr;

use gbac_engine::token::UnverifiedToken;
use sha2::{Digest, Sha256};

use super::failed_sign_ins::FailedSignIns;
use super::sign_in::{Authenticator, Credentials, Scheme, SignInError, parse_basic};
use crate::lock::Lock;
use crate::random;
use crate::state::audit::SignInMethod;

/// The number of accepted passwords that are remembered.
const REMEMBERED: usize = 1024;

/// The passwords that a cluster has accepted since the start, as salted hashes.
pub(crate) struct RelayedSignIns {
    salt: [u8; 32],
    accepted: Lock<VecDeque<[u8; 32]>>,
    /// The discoveries of clusters that did not accept the credentials, by network.
    discoveries: FailedSignIns,
}

/// What a cluster has said about credentials.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// The operation was successful.
    Accepted,
    /// The credentials are wrong.
    Rejected,
    /// Neither, or it did not respond.
    Unknown,
}

/// A sign-in that the cluster has not decided yet. Without a verdict it counts as failed.
pub(crate) struct RelayedSignIn {
    /// The name and hash of a password; `None` for a token, which cannot be guessed.
    password: Option<(String, [u8; 32])>,
    is_counted: bool,
    client: Option<IpAddr>,
    /// Whom the credentials are about, if the cluster accepts them.
    user: String,
}

impl RelayedSignIn {
    /// The name that a password is for; empty for a token.
    pub(crate) fn user_name(&self) -> &str {
        if self.password.is_some() {
            &self.user
        } else {
            ""
        }
    }

    /// The kind of credentials.
    pub(crate) const fn method(&self) -> SignInMethod {
        if self.password.is_some() {
            SignInMethod::Password
        } else {
            SignInMethod::Token
        }
    }
}

impl RelayedSignIns {
    /// Without any accepted passwords.
    ///
    /// # Errors
    /// The operating system provides no random numbers.
    pub(crate) fn new() -> io::Result<Self> {
        Ok(Self {
            salt: random::bytes()?,
            accepted: Lock::default(),
            discoveries: FailedSignIns::default(),
        })
    }

    /// Counts a sign-in with a password as failed until the cluster has decided. A password that
    /// the cluster has accepted for the same operation is not counted, so that others cannot lock
    /// out its user. Operations are told apart because some of them may accept everything.
    ///
    /// # Errors
    /// There were too many failed sign-ins, or the credentials are malformed; a cluster might read
    /// them in another way.
    pub(crate) fn begin(
        &self,
        authenticator: &Authenticator,
        credentials: &Credentials,
        operation: &str,
        now: f64,
    ) -> Result<RelayedSignIn, SignInError> {
        let Some((scheme, text)) = &credentials.given else {
            return Err(SignInError::MissingCredentials);
        };
        let client = credentials.client;
        match scheme {
            Scheme::Bearer => {
                let user = match UnverifiedToken::decode(text) {
                    Ok(token) => token.claims.subject().unwrap_or_default().to_owned(),
                    Err(_) => String::new(),
                };
                Ok(RelayedSignIn {
                    password: None,
                    is_counted: false,
                    client,
                    user,
                })
            }
            Scheme::Basic => {
                let (user, _) =
                    parse_basic(text).ok_or(SignInError::InvalidCredentials(Scheme::Basic))?;
                let (name, hash) = (
                    format!("cluster:{user}"),
                    self.hash([operation.as_bytes(), text.as_bytes()]),
                );
                let is_counted = !self.accepted.with(|accepted| accepted.contains(&hash));
                if is_counted {
                    authenticator
                        .failed_sign_ins()
                        .count(&name, client, now)
                        .map_err(SignInError::TooManyAttempts)?;
                }
                Ok(RelayedSignIn {
                    password: Some((name, hash)),
                    is_counted,
                    client,
                    user,
                })
            }
            Scheme::Session | Scheme::Other => Err(SignInError::InvalidCredentials(*scheme)),
        }
    }

    /// Counts a discovery of what a cluster has, which sends it several requests, unless the
    /// cluster has accepted these credentials.
    ///
    /// # Errors
    /// There were too many of the network; the seconds until the next one is allowed.
    pub(crate) fn begin_discovery(
        &self,
        credentials: &[u8],
        client: Option<IpAddr>,
        now: f64,
    ) -> Result<(), f64> {
        let hash = self.hash(["discovery".as_bytes(), credentials]);
        if self.accepted.with(|accepted| accepted.contains(&hash)) {
            return Ok(());
        }
        self.discoveries.count_address(client, now)
    }

    /// Takes note that the cluster has accepted the credentials of a discovery.
    pub(crate) fn accept_discovery(&self, credentials: &[u8]) {
        self.remember(self.hash(["discovery".as_bytes(), credentials]));
    }

    fn hash(&self, parts: [&[u8]; 2]) -> [u8; 32] {
        let mut hash = Sha256::new_with_prefix(self.salt);
        for part in parts {
            hash.update(part.len().to_le_bytes());
            hash.update(part);
        }
        hash.finalize().into()
    }

    fn remember(&self, hash: [u8; 32]) {
        self.accepted.with(|accepted| {
            accepted.retain(|known| *known != hash);
            accepted.push_back(hash);
            if accepted.len() > REMEMBERED {
                accepted.pop_front();
            }
        });
    }

    /// Takes note of the cluster's verdict; the name of the user, if the cluster knows it.
    pub(crate) fn end(
        &self,
        authenticator: &Authenticator,
        sign_in: RelayedSignIn,
        verdict: Verdict,
        now: f64,
    ) -> Option<String> {
        let RelayedSignIn {
            password,
            is_counted,
            client,
            user,
        } = sign_in;
        if let Some((name, hash)) = password {
            let failed_sign_ins = authenticator.failed_sign_ins();
            if verdict == Verdict::Rejected {
                self.accepted
                    .with(|accepted| accepted.retain(|known| *known != hash));
                if !is_counted {
                    // The limit was not asked before, and cannot refuse what was sent.
                    let _ = failed_sign_ins.count(&name, client, now);
                }
            } else if is_counted {
                // Even a success may be that of an operation that accepts everything.
                failed_sign_ins.remove(&name, client);
            }
            if verdict == Verdict::Accepted && is_counted {
                self.remember(hash);
            }
        }
        (verdict == Verdict::Accepted).then_some(user)
    }
}
