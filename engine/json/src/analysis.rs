//! Writes the results of the analysis.

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;
#[cfg(feature = "typescript")]
use ts_rs::TS;

use super::acl::AclJson;
use super::code::Code;
use super::decision::DecisionJson;
use gbac_analysis::{
    AccessEffect, AccessRegion, AclMatch, Addresses, Counterexample, Diff, Difference, Grant,
    GrantException, GroupChange, GroupEffect, HostSet, NameEffect, NamePattern, Permissions,
    Relation, Scope, WhoCan, WhoCanEntry,
};
use gbac_engine::decide::Outcome;
use gbac_engine::identity::Identity;
use gbac_engine::model::{Dialect, Host, Operation, PatternType, ResourceType};

pub(super) fn strings<T: ToString>(values: &[T]) -> Vec<String> {
    values.iter().map(T::to_string).collect()
}

/// The codes of operations; only `OPERATION_ALL` for all operations.
fn operations(operations: &[Operation]) -> Vec<Code<Operation>> {
    let every: &[Operation] = &[Operation::All];
    let operations = if Dialect::are_all_operations(operations) {
        every
    } else {
        operations
    };
    operations.iter().map(Code::from).collect()
}

/// A pattern of resource names, as in an ACL.
#[cfg_attr(
    feature = "typescript",
    derive(TS),
    ts(rename = "NamePattern", optional_fields)
)]
#[cfg_attr(
    feature = "schema",
    derive(JsonSchema),
    schemars(rename = "NamePattern")
)]
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PatternJson {
    /// The name or prefix.
    pub resource_name: String,
    /// How the name is compared.
    pub resource_pattern_type: Code<PatternType>,
}

impl From<&NamePattern> for PatternJson {
    fn from(pattern: &NamePattern) -> Self {
        Self {
            resource_name: pattern.name.clone(),
            resource_pattern_type: pattern.pattern_type.into(),
        }
    }
}

/// A matching ACL, and the path to its principal.
#[cfg_attr(
    feature = "typescript",
    derive(TS),
    ts(rename = "AclMatch", optional_fields)
)]
#[cfg_attr(feature = "schema", derive(JsonSchema), schemars(rename = "AclMatch"))]
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AclMatchJson {
    /// The ACL.
    pub acl: AclJson,
    /// The group on the path.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
    /// The role on the path.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
}

impl From<&AclMatch> for AclMatchJson {
    fn from(matching: &AclMatch) -> Self {
        Self {
            acl: (&matching.acl).into(),
            group: matching.group.clone(),
            role: matching.role.clone(),
        }
    }
}

/// The principals that are allowed one operation on one resource.
#[cfg_attr(
    feature = "typescript",
    derive(TS),
    ts(rename = "WhoCan", optional_fields)
)]
#[cfg_attr(feature = "schema", derive(JsonSchema), schemars(rename = "WhoCan"))]
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct WhoCanJson {
    /// The names of the superusers.
    pub superusers: Vec<String>,
    /// The principals of the ACLs that match.
    pub entries: Vec<WhoCanEntryJson>,
    /// The principals whose members are denied, regardless of their other groups and roles.
    #[cfg_attr(feature = "typescript", ts(as = "Vec<crate::literal::AclPrincipal>"))]
    pub denied_principals: Vec<String>,
}

impl From<&WhoCan> for WhoCanJson {
    fn from(result: &WhoCan) -> Self {
        Self {
            superusers: result.superusers.clone(),
            entries: result.entries.iter().map(WhoCanEntryJson::from).collect(),
            denied_principals: strings(&result.denied_principals),
        }
    }
}

/// A principal, and the decision for an identity with only this principal.
#[cfg_attr(
    feature = "typescript",
    derive(TS),
    ts(rename = "WhoCanEntry", optional_fields)
)]
#[cfg_attr(
    feature = "schema",
    derive(JsonSchema),
    schemars(rename = "WhoCanEntry")
)]
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct WhoCanEntryJson {
    /// `Type:name`; `User:*` for everyone.
    #[cfg_attr(feature = "typescript", ts(as = "crate::literal::AclPrincipal"))]
    pub principal: String,
    /// Present and true for everyone, but not for the user named `*` (D-33).
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[cfg_attr(feature = "typescript", ts(as = "Option<crate::literal::Present>"))]
    pub everyone: bool,
    /// Present and true if `User:*`, as the principal or among the members, is the user named `*`.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[cfg_attr(feature = "typescript", ts(as = "Option<crate::literal::Present>"))]
    pub literal: bool,
    /// The members of a role.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(
        feature = "typescript",
        ts(as = "Option<Vec<crate::literal::AclPrincipal>>")
    )]
    pub members: Vec<String>,
    /// `allow` or `deny`.
    pub outcome: Code<Outcome>,
    /// The ACL that allows the request, even if a deny overrides it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub granted_by: Option<AclMatchJson>,
    /// The ACLs that deny the request.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "typescript", ts(as = "Option<_>"))]
    pub denied_by: Vec<AclMatchJson>,
    /// Present and true if the decision could differ if the host were known.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[cfg_attr(feature = "typescript", ts(as = "Option<crate::literal::Present>"))]
    pub host_unknown: bool,
    /// `all` if the decision is about every name that the question is about, `some` if only about
    /// those below.
    #[cfg_attr(feature = "typescript", ts(type = "'all' | 'some'"))]
    #[cfg_attr(feature = "schema", schemars(extend("enum" = ["all", "some"])))]
    pub coverage: &'static str,
    /// The only names on which it is allowed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "typescript", ts(as = "Option<_>"))]
    pub only_on: Vec<PatternJson>,
    /// The names on which it is denied.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "typescript", ts(as = "Option<_>"))]
    pub not_on: Vec<PatternJson>,
}

impl From<&WhoCanEntry> for WhoCanEntryJson {
    fn from(entry: &WhoCanEntry) -> Self {
        Self {
            principal: entry.scope.to_string(),
            everyone: entry.scope.is_everyone(),
            literal: entry.is_literal(),
            members: strings(&entry.members),
            outcome: entry.outcome.into(),
            granted_by: entry.granted_by.as_ref().map(AclMatchJson::from),
            denied_by: entry.denied_by.iter().map(AclMatchJson::from).collect(),
            host_unknown: entry.host_unknown,
            coverage: if entry.covers_all() { "all" } else { "some" },
            only_on: entry.only_on.iter().map(PatternJson::from).collect(),
            not_on: entry.not_on.iter().map(PatternJson::from).collect(),
        }
    }
}

/// All permissions. A request is allowed if and only if a grant covers it and none of the grant's
/// exceptions does.
#[cfg_attr(
    feature = "typescript",
    derive(TS),
    ts(rename = "Permissions", optional_fields)
)]
#[cfg_attr(
    feature = "schema",
    derive(JsonSchema),
    schemars(rename = "Permissions")
)]
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PermissionsJson {
    /// Whether all requests are allowed, without any grant.
    pub superuser: bool,
    /// Present and true if the identity has expired, so that all of its requests are denied.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[cfg_attr(feature = "typescript", ts(as = "Option<crate::literal::Present>"))]
    pub expired: bool,
    /// The permissions from ACLs.
    pub grants: Vec<GrantJson>,
}

impl From<&Permissions> for PermissionsJson {
    fn from(permissions: &Permissions) -> Self {
        let grants = permissions.grants.iter().map(GrantJson::from).collect();
        Self {
            superuser: permissions.superuser,
            expired: false,
            grants,
        }
    }
}

/// Operations that are allowed on the names of a pattern.
#[cfg_attr(
    feature = "typescript",
    derive(TS),
    ts(rename = "Grant", optional_fields)
)]
#[cfg_attr(feature = "schema", derive(JsonSchema), schemars(rename = "Grant"))]
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct GrantJson {
    /// The resource's type.
    pub resource_type: Code<ResourceType>,
    /// The name or prefix.
    pub resource_name: String,
    /// How the name is compared.
    pub resource_pattern_type: Code<PatternType>,
    /// The operations. `OPERATION_ALL` alone means all operations; among others, it means requests
    /// for `ALL` itself (D-27).
    pub operations: Vec<Code<Operation>>,
    /// `*` for any host, or an address.
    pub host: String,
    /// The names that are denied.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "typescript", ts(as = "Option<_>"))]
    pub except: Vec<GrantExceptionJson>,
}

impl From<&Grant> for GrantJson {
    fn from(grant: &Grant) -> Self {
        Self {
            resource_type: grant.resource_type.into(),
            resource_name: grant.pattern.name.clone(),
            resource_pattern_type: grant.pattern.pattern_type.into(),
            operations: operations(&grant.operations),
            host: grant.host.to_string(),
            except: grant.except.iter().map(GrantExceptionJson::from).collect(),
        }
    }
}

/// Names of a grant that are denied.
#[cfg_attr(
    feature = "typescript",
    derive(TS),
    ts(rename = "GrantException", optional_fields)
)]
#[cfg_attr(
    feature = "schema",
    derive(JsonSchema),
    schemars(rename = "GrantException")
)]
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct GrantExceptionJson {
    /// The name or prefix.
    pub resource_name: String,
    /// How the name is compared.
    pub resource_pattern_type: Code<PatternType>,
    /// `*` for any host, or an address. Requests from an unknown host are denied too.
    pub host: String,
}

impl From<&GrantException> for GrantExceptionJson {
    fn from(exception: &GrantException) -> Self {
        Self {
            resource_name: exception.pattern.name.clone(),
            resource_pattern_type: exception.pattern.pattern_type.into(),
            host: exception.host.to_string(),
        }
    }
}

/// How the decisions of two policies differ, for all identities.
#[cfg_attr(
    feature = "typescript",
    derive(TS),
    ts(rename = "Diff", optional_fields)
)]
#[cfg_attr(feature = "schema", derive(JsonSchema), schemars(rename = "Diff"))]
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DiffJson {
    /// `settings_differ` if tokens are read differently or others have access to the service,
    /// otherwise the same as `acl_relation`.
    pub relation: Code<Relation>,
    /// `equal`, `wider`, `narrower` or `mixed`: the relation of ACLs, roles and superusers alone.
    #[cfg_attr(
        feature = "typescript",
        ts(type = "Exclude<Relation, 'settings_differ'>")
    )]
    pub acl_relation: Code<Relation>,
    /// The differences for users, groups and everyone.
    pub differences: Vec<DifferenceJson>,
    /// The differences for members of roles.
    pub roles: Vec<DifferenceJson>,
    /// The names of the settings that differ.
    pub settings: Vec<&'static str>,
    /// The effect of changed settings on groups.
    pub groups: Vec<GroupChangeJson>,
    /// The users that the policies name, if `oidc_principal_mapping` differs.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "typescript", ts(as = "Option<_>"))]
    pub users: Vec<String>,
}

impl From<&Diff> for DiffJson {
    fn from(diff: &Diff) -> Self {
        let written =
            |differences: &[Difference]| differences.iter().map(DifferenceJson::from).collect();
        Self {
            relation: diff.relation.into(),
            acl_relation: diff.acl_relation.into(),
            differences: written(&diff.differences),
            roles: written(&diff.roles),
            settings: diff.settings.clone(),
            groups: diff.groups.iter().map(GroupChangeJson::from).collect(),
            users: diff.users.clone(),
        }
    }
}

/// The effect of changed settings on a group that the policies name, or on a name in a token.
#[cfg_attr(
    feature = "typescript",
    derive(TS),
    ts(rename = "GroupChange", optional_fields)
)]
#[cfg_attr(
    feature = "schema",
    derive(JsonSchema),
    schemars(rename = "GroupChange")
)]
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct GroupChangeJson {
    /// The name of a group in a policy, or a name in the token.
    pub name: String,
    /// The name in the token; absent if it is unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub raw: Option<String>,
    /// Present and true if the given token contains the name.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[cfg_attr(feature = "typescript", ts(as = "Option<crate::literal::Present>"))]
    pub in_token: bool,
    /// `renamed`, `dropped`, `not_read`, `added`, `more_names`, `fewer_names`, `unknown` or
    /// `unchanged`.
    pub effect: Code<GroupEffect>,
    /// The group that the name produced before; null if it produced none, or if that is unknown.
    #[cfg_attr(feature = "typescript", ts(optional = false))]
    pub before: Option<String>,
    /// The group that the name produces now; null if it produces none, or if that is unknown.
    #[cfg_attr(feature = "typescript", ts(optional = false))]
    pub after: Option<String>,
    /// The other names that now produce the same group and did not before.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "typescript", ts(as = "Option<_>"))]
    pub collides_with: Vec<String>,
    /// The roles that a user with this name gains.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "typescript", ts(as = "Option<_>"))]
    pub roles_gained: Vec<String>,
    /// The roles that a user with this name loses.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "typescript", ts(as = "Option<_>"))]
    pub roles_lost: Vec<String>,
    /// What a user with this name gains and loses.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "typescript", ts(as = "Option<_>"))]
    pub effects: Vec<NameEffectJson>,
}

impl From<&GroupChange> for GroupChangeJson {
    fn from(change: &GroupChange) -> Self {
        Self {
            name: change.name.clone(),
            raw: change.raw().map(str::to_owned),
            in_token: change.in_token(),
            effect: change.effect.into(),
            before: change.before.clone(),
            after: change.after.clone(),
            collides_with: change.collides_with.clone(),
            roles_gained: change.roles_gained.clone(),
            roles_lost: change.roles_lost.clone(),
            effects: change.effects.iter().map(NameEffectJson::from).collect(),
        }
    }
}

/// One effect on the users whose token contains a name.
#[cfg_attr(
    feature = "typescript",
    derive(TS),
    ts(rename = "NameEffect", optional_fields)
)]
#[cfg_attr(
    feature = "schema",
    derive(JsonSchema),
    schemars(rename = "NameEffect")
)]
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct NameEffectJson {
    /// The effect, as in a difference.
    pub effect: Code<AccessEffect>,
    /// The resources and operations that it affects.
    pub regions: Vec<AccessRegionJson>,
    /// With `still_denied`, the denies that block it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "typescript", ts(as = "Option<_>"))]
    pub denied_by: Vec<AclJson>,
}

impl From<&NameEffect> for NameEffectJson {
    fn from(effect: &NameEffect) -> Self {
        Self {
            effect: effect.effect.into(),
            regions: effect.regions.iter().map(AccessRegionJson::from).collect(),
            denied_by: effect.denied_by.iter().map(AclJson::from).collect(),
        }
    }
}

/// The effect of a change on one principal.
#[cfg_attr(
    feature = "typescript",
    derive(TS),
    ts(rename = "Difference", optional_fields)
)]
#[cfg_attr(
    feature = "schema",
    derive(JsonSchema),
    schemars(rename = "Difference")
)]
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DifferenceJson {
    /// `Type:name`; `User:*` for everyone.
    #[cfg_attr(feature = "typescript", ts(as = "crate::literal::AclPrincipal"))]
    pub principal: String,
    /// Present and true for everyone.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[cfg_attr(feature = "typescript", ts(as = "Option<crate::literal::Present>"))]
    pub everyone: bool,
    /// `gains`, `loses`, `can_gain`, `can_lose` or `still_denied`.
    pub effect: Code<AccessEffect>,
    /// The resources and operations that it affects.
    pub regions: Vec<AccessRegionJson>,
    /// A request that is decided differently.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub counterexample: Option<Box<CounterexampleJson>>,
    /// With `still_denied`, the denies that block it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "typescript", ts(as = "Option<_>"))]
    pub denied_by: Vec<AclJson>,
}

impl From<&Difference> for DifferenceJson {
    fn from(difference: &Difference) -> Self {
        Self {
            principal: difference.scope.to_string(),
            everyone: matches!(difference.scope, Scope::Everyone),
            effect: difference.effect.into(),
            regions: difference
                .regions
                .iter()
                .map(AccessRegionJson::from)
                .collect(),
            counterexample: difference
                .counterexample
                .as_deref()
                .map(|example| Box::new(example.into())),
            denied_by: difference.denied_by.iter().map(AclJson::from).collect(),
        }
    }
}

/// A set of requests: operations on resource names from hosts.
#[cfg_attr(
    feature = "typescript",
    derive(TS),
    ts(rename = "AccessRegion", optional_fields)
)]
#[cfg_attr(
    feature = "schema",
    derive(JsonSchema),
    schemars(rename = "AccessRegion")
)]
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AccessRegionJson {
    /// The resource's type.
    pub resource_type: Code<ResourceType>,
    /// The name or prefix.
    pub resource_name: String,
    /// How the name is compared.
    pub resource_pattern_type: Code<PatternType>,
    /// The names that the set does not include.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "typescript", ts(as = "Option<_>"))]
    pub except: Vec<PatternJson>,
    /// The operations, as in a grant.
    pub operations: Vec<Code<Operation>>,
    /// The hosts; absent for any host.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hosts: Option<HostSetJson>,
}

impl From<&AccessRegion> for AccessRegionJson {
    fn from(region: &AccessRegion) -> Self {
        Self {
            resource_type: region.resource_type.into(),
            resource_name: region.pattern.name.clone(),
            resource_pattern_type: region.pattern.pattern_type.into(),
            except: region.except.iter().map(PatternJson::from).collect(),
            operations: operations(&region.operations),
            hosts: (!region.hosts.is_any()).then(|| (&region.hosts).into()),
        }
    }
}

/// A set of hosts: `only` some addresses, or `all_but` some addresses.
#[cfg_attr(
    feature = "typescript",
    derive(TS),
    ts(rename = "HostSet", optional_fields)
)]
#[cfg_attr(feature = "schema", derive(JsonSchema), schemars(rename = "HostSet"))]
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct HostSetJson {
    /// Whether the set includes requests from unknown hosts.
    pub unknown: bool,
    /// The addresses in the set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub only: Option<Vec<String>>,
    /// The addresses that are not in the set; all others are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub all_but: Option<Vec<String>>,
}

impl From<&HostSet> for HostSetJson {
    fn from(hosts: &HostSet) -> Self {
        let (only, all_but) = match &hosts.addresses {
            Addresses::Only(only) => (Some(strings(only)), None),
            Addresses::AllBut(but) => (None, Some(strings(but))),
        };
        Self {
            unknown: hosts.unknown,
            only,
            all_but,
        }
    }
}

/// A check that is decided differently. Its members other than `before` and `after` are a check as
/// in docs/policy-document.md.
#[cfg_attr(
    feature = "typescript",
    derive(TS),
    ts(rename = "Counterexample", optional_fields)
)]
#[cfg_attr(
    feature = "schema",
    derive(JsonSchema),
    schemars(rename = "Counterexample")
)]
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CounterexampleJson {
    /// The subject.
    pub identity: IdentityJson,
    /// The client's address.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    /// The operation.
    pub operation: Code<Operation>,
    /// The resource's type.
    pub resource_type: Code<ResourceType>,
    /// The resource's name.
    pub resource_name: String,
    /// The decision of the earlier policy.
    pub before: DecisionJson,
    /// The decision of the later policy.
    pub after: DecisionJson,
}

/// A user and groups, as in a check.
#[cfg_attr(
    feature = "typescript",
    derive(TS),
    ts(rename = "IdentityNames", optional_fields)
)]
#[cfg_attr(
    feature = "schema",
    derive(JsonSchema),
    schemars(rename = "IdentityNames")
)]
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct IdentityJson {
    /// The bare user name.
    pub user: String,
    /// The bare group names.
    pub groups: Vec<String>,
}

impl From<&Identity> for IdentityJson {
    fn from(identity: &Identity) -> Self {
        Self {
            user: identity.user().to_owned(),
            groups: identity.groups().to_vec(),
        }
    }
}

impl From<&Counterexample> for CounterexampleJson {
    fn from(example: &Counterexample) -> Self {
        Self {
            identity: (&example.identity).into(),
            host: example.host.map(|host| Host::Address(host).to_string()),
            operation: example.operation.into(),
            resource_type: example.resource_type.into(),
            resource_name: example.resource_name.clone(),
            before: (&example.before).into(),
            after: (&example.after).into(),
        }
    }
}
