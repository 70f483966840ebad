//! The input types, for the TypeScript declarations. The readers of this crate do not use them,
//! because they report every problem; a test compares both.

use std::collections::BTreeMap;

use gbac_analysis::requests::Api;
use gbac_engine::groups::NestedGroupBehavior;
use gbac_engine::model::{Operation, PatternType, Permission, ResourceType};
use serde::Serialize;
use serde_json::{Map, Value};
use ts_rs::TS;

use super::literal::{MemberPrincipal, OperationInput, ResourceTypeInput};
use crate::code::Code;

/// A policy: settings, roles and ACLs. Unknown members are refused.
#[derive(Debug, Clone, Serialize, TS)]
#[ts(rename = "PolicyDocument", optional_fields)]
pub struct PolicyDocumentInput {
    /// The version of the format.
    #[ts(type = "1")]
    pub version: u8,
    /// The settings. Omitted settings have their defaults.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub settings: Option<SettingsInput>,
    /// The roles.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional, type = "readonly Role[]")]
    pub roles: Option<Vec<RoleInput>>,
    /// The ACLs.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional, type = "readonly Acl[]")]
    pub acls: Option<Vec<AclInput>>,
    /// The JSON schema, for editors. It is not read.
    #[serde(rename = "$schema", skip_serializing_if = "Option::is_none")]
    pub schema: Option<String>,
}

/// The sources of users and groups, superusers, and access to the service. Omitted settings have
/// their defaults.
#[derive(Debug, Clone, Default, Serialize, TS)]
#[ts(rename = "Settings", optional_fields)]
pub struct SettingsInput {
    /// A JSON path (RFC 9535) to the groups in the token, at most 512 bytes; the default is
    /// `$.groups`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub oidc_group_claim_path: Option<String>,
    /// `none` (the default) uses names unchanged; `suffix` uses the part after the last `/`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nested_group_behavior: Option<Code<NestedGroupBehavior>>,
    /// The rule for the user name, `$.path[/regex/replacement/[L|U]]`; the default is `$.sub`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub oidc_principal_mapping: Option<String>,
    /// The bare names of users whose requests are all allowed.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional, type = "readonly string[]")]
    pub superusers: Option<Vec<String>>,
    /// Users and groups with limited access to the service. Decisions do not depend on it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub access: Option<ServiceAccessInput>,
    /// The system that the policy is for; the default is the platform.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional, type = "'platform' | 'kafka'")]
    pub dialect: Option<&'static str>,
    /// The version of Kafka; the default is `4.4`, the first one in which hosts of ACLs can be
    /// ranges.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kafka_version: Option<String>,
    /// The mapping of the managed cloud, instead of the first two settings.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sso: Option<SsoInput>,
}

/// The users and groups of the identity provider that have limited access to the service.
#[derive(Debug, Clone, Default, Serialize, TS)]
#[ts(rename = "ServiceAccess", optional_fields)]
pub struct ServiceAccessInput {
    /// Users and groups with read access to the console, exports, the audit log and metrics.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional, type = "readonly MemberPrincipal[]")]
    pub read_only: Option<Vec<String>>,
    /// Users and groups that can evaluate requests of others, such as gateways.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional, type = "readonly MemberPrincipal[]")]
    pub evaluate: Option<Vec<String>>,
}

/// The managed cloud's mapping of claims.
#[derive(Debug, Clone, Serialize, TS)]
#[ts(rename = "Sso")]
pub struct SsoInput {
    /// The mapping mode.
    #[ts(type = "'use_map'")]
    pub mode: &'static str,
    /// Claim paths by attribute name, such as `federated_groups`.
    #[ts(type = "Readonly<Record<string, string>>")]
    pub attributes: BTreeMap<String, String>,
}

/// A role. Its permissions are the ACLs of `Role:<name>`.
#[derive(Debug, Clone, Serialize, TS)]
#[ts(rename = "Role", optional_fields)]
pub struct RoleInput {
    /// The bare name: 1 to 128 characters without `,`, `=` and control characters.
    pub name: String,
    /// The members.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional, type = "readonly RoleMember[]")]
    pub members: Option<Vec<RoleMemberInput>>,
}

/// A member of a role.
#[derive(Debug, Clone, Serialize, TS)]
#[ts(rename = "RoleMember")]
pub struct RoleMemberInput {
    /// A user or a group.
    #[ts(as = "MemberPrincipal")]
    pub principal: String,
}

/// An ACL.
#[derive(Debug, Clone, Serialize, TS)]
#[ts(rename = "Acl", optional_fields)]
pub struct AclInput {
    /// The type of the resource.
    pub resource_type: Code<ResourceType>,
    /// The name or prefix; `*` with the literal pattern means every name. The cluster and the
    /// Schema Registry need no name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resource_name: Option<String>,
    /// How the name is compared.
    pub resource_pattern_type: Code<PatternType>,
    /// The principal. `RedpandaRole:<name>` is read as `Role:<name>`.
    #[ts(type = "Principal | `RedpandaRole:${string}`")]
    pub principal: String,
    /// `*` for any host, or one IPv4 or IPv6 address.
    pub host: String,
    /// The operation.
    pub operation: Code<Operation>,
    /// Whether the ACL allows or denies.
    pub permission_type: Code<Permission>,
}

/// The subject of a check.
#[derive(Debug, Clone, Serialize, TS)]
#[ts(rename = "Subject")]
#[serde(untagged)]
pub enum SubjectInput {
    /// A user and groups.
    Identity {
        /// The names.
        identity: NamesInput,
    },
    /// The claims of a token.
    Claims(ClaimsInput),
    /// A token.
    UnverifiedToken(UnverifiedTokenInput),
}

/// A user and groups by their bare names. `User:alice` and `Group:eng` are refused.
#[derive(Debug, Clone, Serialize, TS)]
#[ts(rename = "Names", optional_fields)]
pub struct NamesInput {
    /// The user.
    pub user: String,
    /// The groups. The default is no groups.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional, type = "readonly string[]")]
    pub groups: Option<Vec<String>>,
}

/// A subject with the unverified claims of a token.
#[derive(Debug, Clone, Serialize, TS)]
#[ts(rename = "UnverifiedClaims", optional_fields)]
pub struct ClaimsInput {
    /// The claims.
    #[ts(type = "Record<string, unknown>")]
    pub claims: Map<String, Value>,
    /// The user-info document, if the settings require it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional, type = "Record<string, unknown>")]
    pub userinfo: Option<Map<String, Value>>,
}

/// A subject with a token whose signature is not verified.
#[derive(Debug, Clone, Serialize, TS)]
#[ts(rename = "UnverifiedToken", optional_fields)]
pub struct UnverifiedTokenInput {
    /// A compact JWS.
    pub unverified_token: String,
    /// The user-info document, if the settings require it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional, type = "Record<string, unknown>")]
    pub userinfo: Option<Map<String, Value>>,
}

/// One operation on one resource.
#[derive(Debug, Clone, Serialize, TS)]
#[ts(rename = "Access", optional_fields)]
pub struct AccessInput {
    /// The operation, in either form.
    #[ts(inline)]
    pub operation: OperationInput,
    /// The resource's type, in either form.
    #[ts(inline)]
    pub resource_type: ResourceTypeInput,
    /// The resource's name, any text. The cluster and the Schema Registry need no name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resource_name: Option<String>,
}

/// An API request, which can need several checks.
#[derive(Debug, Clone, Serialize, TS)]
#[ts(rename = "ApiRequest", optional_fields)]
pub struct ApiRequestInput {
    /// The API.
    pub api: Code<Api>,
    /// The name of the request in any letter case, such as `OffsetCommit` or `GET
    /// /subjects/{subject}/versions`.
    pub name: String,
    /// Resource names by type. The cluster and the registry are implied.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(
        optional,
        type = "Partial<Record<'topic' | 'group' | 'transactional_id' | 'subject', readonly string[]>>"
    )]
    pub resources: Option<BTreeMap<String, Vec<String>>>,
}

/// The host and the time of a query.
#[derive(Debug, Clone, Default, Serialize, TS)]
#[ts(rename = "QueryCircumstances", optional_fields)]
pub struct QueryCircumstancesInput {
    /// The client's address. If it is unknown, allows for a single host do not match, but denies
    /// for a single host do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    /// The time of the decision, in seconds since 1970, not in milliseconds. The default is the
    /// current time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub now: Option<f64>,
    /// `true` ignores the identity's expiry. For simulation; never use it to grant access. Cannot
    /// be used with `now`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ignore_expiry: Option<bool>,
}

/// An identifier that is returned with the answer.
#[derive(Debug, Clone, Default, Serialize, TS)]
#[ts(rename = "WithId", optional_fields)]
pub struct WithIdInput {
    /// Any value.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional, type = "unknown")]
    pub id: Option<Value>,
}

/// A query of an open identity: one operation on one resource.
#[derive(Debug, Clone, Serialize, TS)]
#[ts(rename = "Query")]
pub struct QueryInput {
    /// The operation and the resource.
    #[serde(flatten)]
    pub access: AccessInput,
    /// The host and the time.
    #[serde(flatten)]
    pub circumstances: QueryCircumstancesInput,
    /// The identifier.
    #[serde(flatten)]
    pub id: WithIdInput,
}

/// A query of an open identity: an API request.
#[derive(Debug, Clone, Serialize, TS)]
#[ts(rename = "RequestQuery")]
pub struct RequestQueryInput {
    /// The API request.
    pub request: ApiRequestInput,
    /// The host and the time.
    #[serde(flatten)]
    pub circumstances: QueryCircumstancesInput,
    /// The identifier.
    #[serde(flatten)]
    pub id: WithIdInput,
}
