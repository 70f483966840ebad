//! Information about a service, and the users of its demo identity provider.

use gbac_analysis::provider::AcceptedTokens;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The header with credentials for the service itself in relayed requests, in which `Authorization`
/// is for the cluster.
pub const OWN_AUTHORIZATION: &str = "gbac-authorization";

/// The response of `/gbac/v1/service`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServiceInfo {
    /// The display name.
    pub name: String,
    /// The program's version.
    pub version: String,
    /// The ID of its data, which restarts and backups keep; empty for a demo (D-69).
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub data_id: String,
    /// Whether this is a demo: in memory, readable without credentials.
    pub demo: bool,
    /// The credentials for signing in automatically; only in a demo with a generated password.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sign_in: Option<SignIn>,
    /// The demo identity provider.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provider: Option<Provider>,
    /// How users sign in with the identity provider, if they can.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provider_sign_in: Option<SignInOffer>,
    /// Requirements for tokens, in addition to the cluster properties.
    #[serde(default, skip_serializing_if = "TokenRequirements::is_nothing")]
    pub tokens: TokenRequirements,
    /// The other cluster, if the service relays to one.
    #[serde(default, skip_serializing_if = "Upstream::is_nothing")]
    pub upstream: Upstream,
    /// The Kafka cluster with the ACLs, if they live in one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cluster: Option<ConnectedCluster>,
}

/// The response of `/gbac/v1/clusters`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClusterList {
    /// The Kafka clusters with ACLs, in the order of the command line; none if the service has its
    /// own.
    pub clusters: Vec<ListedCluster>,
}

/// One of the Kafka clusters of a service (D-137).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ListedCluster {
    /// Whether paths without the name of a cluster are about this one.
    pub first: bool,
    /// The path below which every path is about this cluster.
    pub path: String,
    /// What is known of it.
    #[serde(flatten)]
    pub cluster: ConnectedCluster,
}

/// A Kafka cluster whose ACLs a service reads and changes (D-136).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConnectedCluster {
    /// The name that the service gives it.
    pub name: String,
    /// What it is.
    pub kind: ClusterKind,
    /// Whether its brokers match ACLs of groups.
    pub group_acls: GroupAclMatching,
    /// When its ACLs were read last, in seconds since 1970; none before the first read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read_at: Option<u64>,
    /// Whether the ACLs of the service may not be those of the cluster, because the last read
    /// failed; the log of the service says why.
    #[serde(default)]
    pub stale: bool,
    /// The number of ACLs that the service does not know; they stay in the cluster.
    #[serde(default)]
    pub unknown_acls: usize,
    /// What they are, in the numbers of Kafka's protocol.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unknown_kinds: Vec<String>,
    /// As whom changes of its ACLs are sent.
    #[serde(default)]
    pub identity: ClusterIdentity,
}

/// As whom changes of ACLs are sent to a cluster (D-137).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ClusterIdentity {
    /// As the account of the service.
    #[default]
    Service,
    /// As who makes the change, with their token.
    Caller,
}

/// What a cluster is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ClusterKind {
    /// Apache Kafka, or what speaks its protocol.
    Kafka,
    /// The platform.
    Platform,
    /// It was not reached since the start.
    Unknown,
}

/// Whether the brokers of a cluster match ACLs of groups.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GroupAclMatching {
    /// The plugin for Apache Kafka does.
    Plugin,
    /// The platform does.
    Platform,
    /// They store these ACLs and ignore them.
    Ignored,
    /// They have no authorizer, so that nothing matches.
    NoAuthorizer,
    /// It cannot be found out.
    Unknown,
}

/// What the cluster properties say, and what a service says about itself; of another cluster, there
/// are only properties.
#[must_use]
pub fn accepted_tokens(
    properties: &Map<String, Value>,
    info: Option<&ServiceInfo>,
) -> AcceptedTokens {
    let found = gbac_json::accepted_from_properties(|name| properties.get(name));
    let Some(info) = info else { return found };
    let audience = match (found.audience, &info.provider) {
        (None, Some(provider)) => Some(provider.audience.clone()),
        (audience, _) => audience,
    };
    let TokenRequirements {
        issuer,
        access_tokens_only,
        max_lifetime,
    } = info.tokens.clone();
    AcceptedTokens {
        issuer,
        audience,
        access_tokens_only,
        max_lifetime,
        ..found
    }
}

/// Requirements for tokens in addition to the cluster properties (D-57). They are not secret,
/// because any holder of a token can find them out.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct TokenRequirements {
    /// The required `iss`: that of the fetched discovery document, or that of the command line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub issuer: Option<String>,
    /// Whether `typ` must be that of an access token (RFC 9068).
    #[serde(skip_serializing_if = "is_false")]
    pub access_tokens_only: bool,
    /// The maximum time from `iat` to `exp`, in seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_lifetime: Option<u32>,
}

impl TokenRequirements {
    /// Whether there are no requirements.
    #[must_use]
    pub fn is_nothing(&self) -> bool {
        *self == Self::default()
    }
}

/// The paths of a cluster's APIs on the service's own origin.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Upstream {
    /// Its Admin API.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub admin: Option<String>,
    /// Its Data Plane API.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dataplane: Option<String>,
    /// The Control Plane API.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub controlplane: Option<String>,
    /// The path, to be followed by a cluster ID, of the Data Plane API of a cluster of the Control
    /// Plane API.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clusters: Option<String>,
    /// Whether it relays only for callers that are signed in to the service itself
    /// ([`OWN_AUTHORIZATION`]).
    #[serde(skip_serializing_if = "is_false")]
    pub requires_sign_in: bool,
}

impl Upstream {
    /// Whether the service has no relay.
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

/// An identity provider whose tokens the service accepts. Paths are on the service's own origin.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Provider {
    /// The required `iss`.
    pub issuer: String,
    /// The value that `aud` must contain.
    pub audience: String,
    /// The path of the discovery document.
    pub discovery: String,
    /// The path of the keys.
    pub jwks: String,
    /// The path of the users.
    pub people: String,
}

/// A user with a token of the demo identity provider.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Person {
    /// A short stable name, such as `comma-separated`.
    pub id: String,
    /// The user's name.
    pub name: String,
    /// The special property of the token.
    pub note: String,
    /// A new compact JWS, valid for an hour.
    pub token: String,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "the signature that serde requires"
)]
const fn is_false(value: &bool) -> bool {
    !*value
}
