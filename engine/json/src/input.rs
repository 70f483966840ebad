//! What callers write. The readers of this crate take it value by value, to name every problem; a test compares both.

use std::collections::BTreeMap;

use gbac_analysis::requests::Api;
use gbac_engine::groups::NestedGroupBehavior;
use gbac_engine::model::{Operation, PatternType, Permission, ResourceType};
use serde::Serialize;
use serde_json::{Map, Value};
use ts_rs::TS;

use super::literal::{MemberPrincipal, OperationInput, ResourceTypeInput};
use crate::code::Code;

/// Everything that a decision needs besides the identity and the request. Any other member is refused.
#[derive(Debug, Clone, Serialize, TS)]
#[ts(rename = "PolicyDocument", optional_fields)]
pub struct PolicyDocumentInput {
    /// The version of the format.
    #[ts(type = "1")]
    pub version: u8,
    /// The settings; what is omitted has its default.
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
    /// For editors; nothing reads it.
    #[serde(rename = "$schema", skip_serializing_if = "Option::is_none")]
    pub schema: Option<String>,
}

/// Where groups and users come from, who is a superuser, and who has access to the service. What is omitted has its default.
#[derive(Debug, Clone, Default, Serialize, TS)]
#[ts(rename = "Settings", optional_fields)]
pub struct SettingsInput {
    /// A JSON path (RFC 9535) to the groups in the token, at most 512 bytes; the default is `$.groups`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub oidc_group_claim_path: Option<String>,
    /// `none`, the default: names as they are; `suffix`: what follows the last `/`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nested_group_behavior: Option<Code<NestedGroupBehavior>>,
    /// The claim that names the user: `$.path[/regex/replacement/[L|U]]`; the default is `$.sub`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub oidc_principal_mapping: Option<String>,
    /// Bare user names, for whom everything is allowed.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional, type = "readonly string[]")]
    pub superusers: Option<Vec<String>>,
    /// Who has limited access to the service; decisions do not depend on it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub access: Option<ServiceAccessInput>,
    /// The system that the policy is for; the default is the platform.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional, type = "'platform' | 'kafka'")]
    pub dialect: Option<&'static str>,
    /// The version of Kafka, such as `4.4`, the default; hosts of ACLs can be ranges from then on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kafka_version: Option<String>,
    /// The managed cloud's mapping, in place of the first two.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sso: Option<SsoInput>,
}

/// The users and groups of the identity provider that have limited access to the service.
#[derive(Debug, Clone, Default, Serialize, TS)]
#[ts(rename = "ServiceAccess", optional_fields)]
pub struct ServiceAccessInput {
    /// Those that may read everything: the console, exports, the audit log and metrics.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional, type = "readonly MemberPrincipal[]")]
    pub read_only: Option<Vec<String>>,
    /// Those that may evaluate requests of others, such as gateways.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional, type = "readonly MemberPrincipal[]")]
    pub evaluate: Option<Vec<String>>,
}

/// The managed cloud's mapping of claims.
#[derive(Debug, Clone, Serialize, TS)]
#[ts(rename = "Sso")]
pub struct SsoInput {
    /// How claims are mapped.
    #[ts(type = "'use_map'")]
    pub mode: &'static str,
    /// Paths by the name of what they select.
    #[ts(type = "Readonly<Record<string, string>>")]
    pub attributes: BTreeMap<String, String>,
}

/// A role. The ACLs of `Role:<name>` are what it permits.
#[derive(Debug, Clone, Serialize, TS)]
#[ts(rename = "Role", optional_fields)]
pub struct RoleInput {
    /// 1 to 128 characters without `,`, `=` and control characters.
    pub name: String,
    /// Its members.
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

/// An ACL, its seven members.
#[derive(Debug, Clone, Serialize, TS)]
#[ts(rename = "Acl", optional_fields)]
pub struct AclInput {
    /// What the resource is.
    pub resource_type: Code<ResourceType>,
    /// The name or prefix; `*` with the literal pattern is every name. The cluster and the Schema Registry need none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resource_name: Option<String>,
    /// How the name is compared.
    pub resource_pattern_type: Code<PatternType>,
    /// Whom it is for; `RedpandaRole:<name>` is read as `Role:<name>`.
    #[ts(type = "Principal | `RedpandaRole:${string}`")]
    pub principal: String,
    /// `*`, or one IPv4 or IPv6 address.
    pub host: String,
    /// What it is about.
    pub operation: Code<Operation>,
    /// Whether it allows or denies.
    pub permission_type: Code<Permission>,
}

/// Who asks.
#[derive(Debug, Clone, Serialize, TS)]
#[ts(rename = "Subject")]
#[serde(untagged)]
pub enum SubjectInput {
    /// By names.
    Identity {
        /// The names.
        identity: NamesInput,
    },
    /// By claims.
    Claims(ClaimsInput),
    /// By a token.
    UnverifiedToken(UnverifiedTokenInput),
}

/// An identity by its bare names; `User:alice` and `Group:eng` are refused.
#[derive(Debug, Clone, Serialize, TS)]
#[ts(rename = "Names", optional_fields)]
pub struct NamesInput {
    /// The user.
    pub user: String,
    /// An array of names; anything else is refused. If it is omitted, there are no groups.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional, type = "readonly string[]")]
    pub groups: Option<Vec<String>>,
}

/// Who asks, by the claims of a token; nobody has checked them.
#[derive(Debug, Clone, Serialize, TS)]
#[ts(rename = "Claims", optional_fields)]
pub struct ClaimsInput {
    /// The claims.
    #[ts(type = "Record<string, unknown>")]
    pub claims: Map<String, Value>,
    /// The user-info document, where the settings need it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional, type = "Record<string, unknown>")]
    pub userinfo: Option<Map<String, Value>>,
}

/// Who asks, by a token whose signature is not checked.
#[derive(Debug, Clone, Serialize, TS)]
#[ts(rename = "UnverifiedToken", optional_fields)]
pub struct UnverifiedTokenInput {
    /// A compact JWS.
    pub unverified_token: String,
    /// The user-info document, where the settings need it.
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
    /// Any text; the cluster and the Schema Registry need none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resource_name: Option<String>,
}

/// A whole request of an API.
#[derive(Debug, Clone, Serialize, TS)]
#[ts(rename = "ApiRequest", optional_fields)]
pub struct ApiRequestInput {
    /// The API.
    pub api: Code<Api>,
    /// In any letter case, such as `OffsetCommit` or `GET /subjects/{subject}/versions`.
    pub name: String,
    /// Names by kind; the cluster and the registry are implied.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional, type = "Partial<Record<'topic' | 'group' | 'transactional_id' | 'subject', readonly string[]>>")]
    pub resources: Option<BTreeMap<String, Vec<String>>>,
}

/// From where and when a query is asked.
#[derive(Debug, Clone, Default, Serialize, TS)]
#[ts(rename = "QueryCircumstances", optional_fields)]
pub struct QueryCircumstancesInput {
    /// The client's address. Without it an allow for one host does not count, and a deny for one host does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    /// The time of the decision, in seconds since 1970, not in milliseconds. The default is the current time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub now: Option<f64>,
    /// `true` ignores the identity's expiry. For simulation; never use it to grant access. Cannot be used with `now`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ignore_expiry: Option<bool>,
}

/// Comes back with the answer, unchanged.
#[derive(Debug, Clone, Default, Serialize, TS)]
#[ts(rename = "WithId", optional_fields)]
pub struct WithIdInput {
    /// Any value.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional, type = "unknown")]
    pub id: Option<Value>,
}

/// What an open identity is asked: one operation on one resource.
#[derive(Debug, Clone, Serialize, TS)]
#[ts(rename = "Query")]
pub struct QueryInput {
    /// What is asked.
    #[serde(flatten)]
    pub access: AccessInput,
    /// From where and when.
    #[serde(flatten)]
    pub circumstances: QueryCircumstancesInput,
    /// The caller's own value.
    #[serde(flatten)]
    pub id: WithIdInput,
}

/// What an open identity is asked: a whole request.
#[derive(Debug, Clone, Serialize, TS)]
#[ts(rename = "RequestQuery")]
pub struct RequestQueryInput {
    /// What is asked.
    pub request: ApiRequestInput,
    /// From where and when.
    #[serde(flatten)]
    pub circumstances: QueryCircumstancesInput,
    /// The caller's own value.
    #[serde(flatten)]
    pub id: WithIdInput,
}
