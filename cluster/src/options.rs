//! How to reach a broker and to sign in, as the properties say it.

use std::path::PathBuf;

use crate::secret::Secret;

/// Text in PEM.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Pem {
    /// In a file.
    File(PathBuf),
    /// In the properties.
    Text(Secret),
}

/// TLS.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct TlsOptions {
    /// The authorities that are trusted; those of the machine if there are none.
    pub(crate) authorities: Option<Pem>,
    /// The certificate of the client and its key, together.
    pub(crate) identity: Option<Pem>,
    /// Whether a broker may have the certificate of another name.
    pub(crate) any_name: bool,
    /// Whether TLS 1.2 is refused.
    pub(crate) only_tls13: bool,
}

/// A mechanism of SASL.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mechanism {
    Plain,
    ScramSha256,
    ScramSha512,
    OauthBearer,
}

impl Mechanism {
    pub(crate) const ALL: [Self; 4] = [
        Self::Plain,
        Self::ScramSha256,
        Self::ScramSha512,
        Self::OauthBearer,
    ];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Plain => "PLAIN",
            Self::ScramSha256 => "SCRAM-SHA-256",
            Self::ScramSha512 => "SCRAM-SHA-512",
            Self::OauthBearer => "OAUTHBEARER",
        }
    }
}

/// Who signs in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Login {
    /// An account with a password, or a delegation token with its HMAC.
    Password {
        user: String,
        password: Secret,
        is_delegation_token: bool,
    },
    /// A token.
    Token {
        source: TokenSource,
        /// What else the broker is told (KIP-342).
        extensions: Vec<(String, Secret)>,
    },
}

/// Where a token is from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum TokenSource {
    /// Nowhere yet.
    Missing,
    /// The caller.
    Given(Secret),
    /// A file, which is read for every sign-in.
    File(PathBuf),
    /// The token endpoint, with the credentials of a client.
    Endpoint(TokenEndpoint),
}

/// A token endpoint (RFC 6749 section 4.4).
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TokenEndpoint {
    pub(crate) url: String,
    pub(crate) client_id: String,
    pub(crate) client_secret: Secret,
    pub(crate) scope: Option<String>,
    /// Whether the ID and the secret are encoded before they are joined (RFC 6749 section 2.3.1).
    pub(crate) is_encoded: bool,
}

/// SASL.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SaslOptions {
    pub(crate) mechanism: Mechanism,
    pub(crate) login: Login,
}

impl SaslOptions {
    /// A token of the caller.
    pub(crate) const fn token(token: String) -> Self {
        Self {
            mechanism: Mechanism::OauthBearer,
            login: Login::Token {
                source: TokenSource::Given(Secret::new(token)),
                extensions: Vec::new(),
            },
        }
    }
}
