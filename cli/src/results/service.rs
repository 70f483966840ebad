//! The results of commands that manage a running service.

use gbac_api::loggers::ChangedLogLevel;
use gbac_api::target::{TargetGap, TargetReport};
use gbac_json::{ChangeJson, DiffJson};
#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;

/// An ACL or a filter, in the spelling of the platform's command line.
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[derive(Debug, Clone, Serialize)]
pub(crate) struct AclRow {
    /// The principal; of a filter, empty for any.
    pub(crate) principal: String,
    /// The host; of a filter, empty for any.
    pub(crate) host: String,
    /// The resource's type, such as `TOPIC`; of a filter, also `ANY`.
    pub(crate) resource_type: String,
    /// The name or prefix; of a filter, empty for any.
    pub(crate) resource_name: String,
    /// `LITERAL` or `PREFIXED`; of a filter, also `ANY` or `MATCH`.
    pub(crate) resource_pattern_type: String,
    /// The operation, such as `READ`; of a filter, also `ANY`.
    pub(crate) operation: String,
    /// `ALLOW` or `DENY`; of a filter, also `ANY`.
    pub(crate) permission: String,
    /// The error of the call about this ACL; empty if there is none. Absent in lists.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) message: Option<String>,
}

/// The effect of creating ACLs, with `--dry-run`.
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[derive(Debug, Serialize)]
pub(crate) struct AclCreations {
    /// The ACLs, each with the error that the service would report.
    pub(crate) creations: Vec<AclRow>,
    /// The difference of effective access.
    pub(crate) difference: DiffJson,
}

/// The ACLs that match filters.
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[derive(Debug, Serialize)]
pub(crate) struct AclMatches<'a> {
    /// The filters.
    pub(crate) filters: &'a [AclRow],
    /// The ACLs.
    pub(crate) matches: &'a [AclRow],
}

/// The ACLs that match filters, and those that were deleted.
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[derive(Debug, Serialize)]
pub(crate) struct AclDeletions<'a> {
    /// The filters and the ACLs that match.
    #[serde(flatten)]
    pub(crate) matching: AclMatches<'a>,
    /// With `--dry-run`, the difference of effective access.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) difference: Option<DiffJson>,
    /// The ACLs that were deleted; absent if none matches, and with `--dry-run`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) deletions: Option<Vec<AclRow>>,
}

/// The names of roles.
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[derive(Debug, Serialize)]
pub(crate) struct RoleNames<'a> {
    /// The bare names.
    pub(crate) roles: &'a [String],
}

/// A member of a role.
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[derive(Debug, Clone, Serialize)]
pub(crate) struct RoleMemberRow<'a> {
    /// Its bare name.
    pub(crate) name: &'a str,
    /// `User` or `Group`.
    pub(crate) principal_type: &'a str,
}

/// The ACLs and the members of a role.
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[derive(Debug, Serialize)]
pub(crate) struct RoleDetails<'a> {
    /// The ACLs of the role; absent with `--print-members` alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) permissions: Option<&'a [AclRow]>,
    /// Its members; absent with `--print-permissions` alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) members: Option<Vec<RoleMemberRow<'a>>>,
}

/// The loggers whose level was set, and those whose level was not.
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[derive(Debug, Serialize)]
pub(crate) struct ChangedLogLevels<'a> {
    /// The loggers whose level was set.
    pub(crate) successes: &'a [ChangedLogLevel],
    /// The loggers whose level was not set.
    pub(crate) failures: Vec<FailedLogLevel<'a>>,
}

/// A logger whose level was not set.
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[derive(Debug, Serialize)]
pub(crate) struct FailedLogLevel<'a> {
    /// The logger's name.
    pub(crate) name: &'a str,
    /// The error.
    pub(crate) message: &'a str,
}

/// A service, the caller, and what the caller may do.
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[derive(Debug, Serialize)]
pub(crate) struct ServiceCaller<'a> {
    /// The URL of the service.
    pub(crate) url: &'a str,
    /// The name of the service.
    pub(crate) service: &'a str,
    /// Its version.
    pub(crate) version: &'a str,
    /// Whether it is a demo.
    pub(crate) demo: bool,
    /// The user of the password; null without one.
    pub(crate) user: Option<&'a str>,
    /// The identity of the caller's token; null without one.
    pub(crate) token: Option<CallerIdentity<'a>>,
    /// What the caller may do: `superuser` everything; `read_only` read the policy, the properties
    /// and the audit log; `evaluate` evaluate requests; `none` nothing.
    #[cfg_attr(feature = "schema", schemars(extend("enum" = ["superuser", "read_only", "evaluate", "none"])))]
    pub(crate) access: &'static str,
}

/// The identity of the caller's token.
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[derive(Debug, Serialize)]
pub(crate) struct CallerIdentity<'a> {
    /// The bare user name.
    pub(crate) user: &'a str,
    /// The bare names of the groups.
    pub(crate) groups: &'a [String],
}

/// A cluster of the platform, and what it lacks.
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[derive(Debug, Serialize)]
pub(crate) struct ClusterTarget<'a> {
    /// The URL.
    pub(crate) url: &'a str,
    /// What the cluster has.
    pub(crate) cluster: &'a TargetReport,
    /// What it does not have.
    pub(crate) gaps: &'a [TargetGap],
    /// The user of the password; null without one.
    pub(crate) user: Option<&'a str>,
}

/// An event of `gbac watch`.
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[derive(Debug, Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub(crate) enum WatchEvent<'a> {
    /// The policy changed.
    PolicyChanged {
        /// The state before.
        state_before: &'a str,
        /// The state after.
        policy_state: &'a str,
        /// The changes.
        changes: Vec<ChangeJson>,
        /// The difference of effective access.
        effect: Box<DiffJson>,
    },
    /// The service denied a request.
    Denied {
        /// When, as a date and time.
        time: String,
        /// The bare user name.
        user: &'a str,
        /// The group that decided.
        groups: &'a [String],
        /// The operation or the request.
        operation: &'a str,
        /// The resource's type; empty if the decision was not about one.
        resource_type: &'a str,
        /// The resource's name; empty if the decision was not about one.
        resource_name: &'a str,
        /// The client's address; empty if it is unknown.
        from: &'a str,
        /// The number of requests that the event stands for.
        times: usize,
        /// The reason, if no ACL decided.
        reason: &'a str,
        /// The ACL that decided; null if there is none.
        acl: Option<WatchedAcl<'a>>,
    },
}

/// An ACL in the words of the audit log.
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[derive(Debug, Serialize)]
pub(crate) struct WatchedAcl<'a> {
    /// The principal; null if it is unknown.
    pub(crate) principal: Option<String>,
    /// `allow` or `deny`.
    pub(crate) permission: &'a str,
    /// The operation.
    pub(crate) operation: &'a str,
    /// The resource's type.
    pub(crate) resource_type: &'a str,
    /// The name or prefix.
    pub(crate) resource_name: &'a str,
    /// `literal` or `prefixed`.
    pub(crate) pattern: &'a str,
}
