//! What a service says about itself, and the people of its demo provider.

use serde::{Deserialize, Serialize};

/// The header with credentials for the service itself in a request that it relays, where `Authorization` is for the cluster.
pub const OWN_AUTHORIZATION: &str = "gbac-authorization";

/// The answer of `/gbac/v1/service`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServiceInfo {
    /// A name for people.
    pub name: String,
    /// The program's version.
    pub version: String,
    /// Whether this is a demo: in memory, readable without credentials.
    pub demo: bool,
    /// With what a page signs in by itself; only in a demo whose password nobody chose.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sign_in: Option<SignIn>,
    /// The demo identity provider.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provider: Option<Provider>,
    /// How users sign in with the identity provider, if they can.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provider_sign_in: Option<SignInOffer>,
    /// What the service requires of tokens, besides what its cluster properties say.
    #[serde(default, skip_serializing_if = "TokenRequirements::is_nothing")]
    pub tokens: TokenRequirements,
    /// A cluster that runs elsewhere, when the service relays to one.
    #[serde(default, skip_serializing_if = "Upstream::is_nothing")]
    pub upstream: Upstream,
}

/// What a service requires of tokens besides its cluster properties (D-57). None of it is a secret: whoever has a token of the
/// provider can find it out.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct TokenRequirements {
    /// What `iss` must be: that of the discovery document, once it was fetched, or the one that the service was started with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub issuer: Option<String>,
    /// Whether `typ` has to be that of an access token (RFC 9068).
    #[serde(skip_serializing_if = "is_false")]
    pub access_tokens_only: bool,
    /// The longest time from `iat` to `exp`, in seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_lifetime: Option<u32>,
}

impl TokenRequirements {
    /// Whether nothing is required.
    #[must_use]
    pub fn is_nothing(&self) -> bool {
        *self == Self::default()
    }
}

/// Behind which paths of the service's own origin a cluster's APIs are.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Upstream {
    /// Its Admin API.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub admin: Option<String>,
    /// Its Data Plane.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dataplane: Option<String>,
    /// The Control Plane.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub controlplane: Option<String>,
    /// Behind this and an id: the Data Plane of the cluster that the Control Plane knows under that id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clusters: Option<String>,
    /// Whether it relays only for callers who are signed in to the service itself ([`OWN_AUTHORIZATION`]).
    #[serde(skip_serializing_if = "is_false")]
    pub requires_sign_in: bool,
}

impl Upstream {
    /// Whether the service relays to nothing.
    #[must_use]
    pub fn is_nothing(&self) -> bool {
        *self == Self::default()
    }
}

/// Where users sign in with the identity provider of the service (D-65).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SignInOffer {
    /// The host of the identity provider, with its port if it has one.
    pub host: String,
    /// The URL that starts a sign-in; see [`start_address`](crate::session::start_address).
    pub url: String,
}

/// Basic credentials of a superuser.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SignIn {
    /// The user's name.
    pub user: String,
    /// The password.
    pub password: String,
}

/// An identity provider whose tokens the service takes. Paths are of the service's own origin.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Provider {
    /// What `iss` must be.
    pub issuer: String,
    /// What `aud` must hold.
    pub audience: String,
    /// The path of the discovery document.
    pub discovery: String,
    /// The path of the keys.
    pub jwks: String,
    /// The path of the people.
    pub people: String,
}

/// Someone who has a token of the demo provider.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Person {
    /// A short stable name, such as `comma-separated`.
    pub id: String,
    /// The person's name.
    pub name: String,
    /// What is telling about the token.
    pub note: String,
    /// A compact JWS that was just signed and lives an hour.
    pub token: String,
}

// serde hands over a reference.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature that serde requires")]
const fn is_false(value: &bool) -> bool {
    !*value
}
