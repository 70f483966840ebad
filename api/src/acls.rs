//! The ACLs of the Data Plane API: the body of one, the filter of a list, and the grouped response
//! (specification 2.4, 4.2, D-21).

use gbac_engine::Coded;
use gbac_engine::escape::escaped;
use gbac_engine::model::{
    Acl, CLUSTER_NAME, Dialect, Host, Operation, PatternType, Permission, Principal, ResourceType,
    RoleSpelling,
};
use gbac_json::{AclJson, acl_from_value};
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::paging::{Parameters, quoted};
use crate::problem::FieldViolation;
use crate::roles::parse_principal;
use crate::wire::{
    Enumeration, Operations, PatternTypes, PermissionTypes, ResourceTypes, enumeration, or_default,
    spelled,
};

/// The error of an invalid host.
const HOST_RULE: &str = "Field host must be either wildcard (*) or a valid IP address.";
/// The error of a principal without a type.
const PRINCIPAL_RULE: &str =
    "principal must contain a principal prefix followed by a principal name (e.g. User:alice)";

/// One ACL as the seven text fields of specification 2.4. Names in lowerCamelCase and values by
/// number are read too.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct AclBody {
    /// `RESOURCE_TYPE_*`.
    #[serde(
        alias = "resourceType",
        deserialize_with = "enumeration::<_, ResourceTypes>"
    )]
    pub resource_type: String,
    /// The name or prefix; the cluster and the Schema Registry need none.
    #[serde(alias = "resourceName", deserialize_with = "or_default")]
    pub resource_name: String,
    /// `RESOURCE_PATTERN_TYPE_*`.
    #[serde(
        alias = "resourcePatternType",
        deserialize_with = "enumeration::<_, PatternTypes>"
    )]
    pub resource_pattern_type: String,
    /// `Type:name`.
    #[serde(deserialize_with = "or_default")]
    pub principal: String,
    /// `*` or an address.
    #[serde(deserialize_with = "or_default")]
    pub host: String,
    /// `OPERATION_*`.
    #[serde(deserialize_with = "enumeration::<_, Operations>")]
    pub operation: String,
    /// `PERMISSION_TYPE_*`.
    #[serde(
        alias = "permissionType",
        deserialize_with = "enumeration::<_, PermissionTypes>"
    )]
    pub permission_type: String,
}

impl From<&Acl> for AclBody {
    fn from(acl: &Acl) -> Self {
        let acl = AclJson::from(acl);
        Self {
            resource_type: acl.resource_type.into(),
            resource_name: acl.resource_name,
            resource_pattern_type: acl.resource_pattern_type.into(),
            principal: acl.principal,
            host: acl.host,
            operation: acl.operation.into(),
            permission_type: acl.permission_type.into(),
        }
    }
}

impl AclBody {
    /// The body of a request or a response of the platform's APIs about this ACL (D-06).
    #[must_use]
    pub fn in_request(acl: &Acl) -> Self {
        Self {
            principal: RoleSpelling::IN_REQUESTS.principal(&acl.principal),
            ..Self::from(acl)
        }
    }

    /// Parses an ACL that may exist already; [`AclBody::check_create`] is for new ones.
    ///
    /// # Errors
    /// All errors, by field. An empty field counts as omitted, as everywhere in the Data Plane API.
    pub fn to_acl(&self) -> Result<Acl, Vec<FieldViolation>> {
        let fields = json!({
            "resource_type": self.resource_type,
            "resource_name": self.resource_name,
            "resource_pattern_type": self.resource_pattern_type,
            "principal": self.principal,
            "host": self.host,
            "operation": self.operation,
            "permission_type": self.permission_type,
        });
        match acl_from_value(&fields) {
            Ok(acl) => Ok(acl),
            Err(problems) => Err(problems
                .0
                .iter()
                .map(|problem| self.violation(problem.path.trim_start_matches('/'), problem))
                .collect()),
        }
    }

    /// Parses an ACL to create (D-05, D-07, D-27).
    ///
    /// # Errors
    /// All errors, by field.
    pub fn check_create(&self) -> Result<Acl, Vec<FieldViolation>> {
        let acl = self.to_acl()?;
        let faults: Vec<FieldViolation> = acl
            .check_create()
            .iter()
            .map(|fault| {
                let text = match fault.code() {
                    "cluster_name" => format!(
                        "Field resource_name must be set to \"{CLUSTER_NAME}\" or empty when using resource_type=CLUSTER"
                    ),
                    _ => format!("{fault}; {}", fault.hint()),
                };
                FieldViolation::new(fault.field().name(), text)
            })
            .collect();
        if faults.is_empty() {
            Ok(acl)
        } else {
            Err(faults)
        }
    }

    fn violation(&self, field: &str, problem: &gbac_json::Problem) -> FieldViolation {
        let given = match field {
            "resource_type" => &self.resource_type,
            "resource_name" => &self.resource_name,
            "resource_pattern_type" => &self.resource_pattern_type,
            "principal" => &self.principal,
            "host" => &self.host,
            "operation" => &self.operation,
            _ => &self.permission_type,
        };
        let text = match problem.code.as_str() {
            "resource_name_empty" => "Field resource_name must be set".into(),
            "host_invalid" => HOST_RULE.into(),
            "principal_without_type" | "principal_name_empty" => PRINCIPAL_RULE.into(),
            _ if given.is_empty() => format!("Field {field} must be set"),
            _ => problem.message.clone(),
        };
        FieldViolation::new(field, text)
    }
}

/// The response of GET: ACLs grouped by pattern.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ListAcls {
    /// One entry for each pattern.
    #[serde(default)]
    pub resources: Vec<ResourceAcls>,
}

/// A resource pattern with its ACLs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResourceAcls {
    /// `RESOURCE_TYPE_*`.
    pub resource_type: String,
    /// The name or prefix.
    pub resource_name: String,
    /// `RESOURCE_PATTERN_TYPE_*`.
    pub resource_pattern_type: String,
    /// Its ACLs.
    #[serde(default)]
    pub acls: Vec<AclRule>,
}

/// The four fields of an ACL that are not part of its pattern.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AclRule {
    /// `Type:name`.
    pub principal: String,
    /// `*` or an address.
    pub host: String,
    /// `OPERATION_*`.
    pub operation: String,
    /// `PERMISSION_TYPE_*`.
    pub permission_type: String,
}

impl ResourceAcls {
    /// Groups ACLs by pattern, one pattern after the other, in the order in which they first
    /// appear. Principals are spelled as on the platform (D-06).
    pub fn group(acls: impl IntoIterator<Item = Acl>) -> impl Iterator<Item = Self> {
        let mut acls = acls
            .into_iter()
            .map(|acl| AclBody::in_request(&acl))
            .peekable();
        std::iter::from_fn(move || {
            let mut resource = Self::from(acls.next()?);
            while let Some(next) = acls.next_if(|next| resource.has_pattern_of(next)) {
                resource.acls.extend(Self::from(next).acls);
            }
            Some(resource)
        })
    }

    fn has_pattern_of(&self, acl: &AclBody) -> bool {
        self.resource_type == acl.resource_type
            && self.resource_name == acl.resource_name
            && self.resource_pattern_type == acl.resource_pattern_type
    }
}

impl From<AclBody> for ResourceAcls {
    fn from(acl: AclBody) -> Self {
        let AclBody {
            resource_type,
            resource_name,
            resource_pattern_type,
            principal,
            host,
            operation,
            permission_type,
        } = acl;
        let acls = vec![AclRule {
            principal,
            host,
            operation,
            permission_type,
        }];
        Self {
            resource_type,
            resource_name,
            resource_pattern_type,
            acls,
        }
    }
}

impl ListAcls {
    /// The ACLs one by one, with all seven fields.
    #[must_use]
    pub fn into_acls(self) -> Vec<AclBody> {
        let mut bodies = Vec::new();
        for resource in self.resources {
            for rule in resource.acls {
                bodies.push(AclBody {
                    resource_type: resource.resource_type.clone(),
                    resource_name: resource.resource_name.clone(),
                    resource_pattern_type: resource.resource_pattern_type.clone(),
                    principal: rule.principal,
                    host: rule.host,
                    operation: rule.operation,
                    permission_type: rule.permission_type,
                });
            }
        }
        bodies
    }
}

/// The response of DELETE: the deleted ACLs.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeletedAcls {
    /// The deleted ACLs.
    #[serde(default)]
    pub matching_acls: Vec<AclBody>,
}

/// The pattern condition of a filter.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum PatternFilter {
    /// Literal and prefixed patterns with exactly this name.
    #[default]
    Any,
    /// Every pattern that matches a resource with this name.
    Match,
    /// Patterns of this type with exactly this name.
    Exactly(PatternType),
}

/// A filter of ACLs. Omitted parts match everything; the others are exact: `User:*` matches only
/// the ACLs of `User:*`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AclFilter {
    /// The resource's type.
    pub resource_type: Option<ResourceType>,
    /// The name or prefix, or for [`PatternFilter::Match`] the name of a resource.
    pub resource_name: Option<String>,
    /// The condition on the pattern.
    pub pattern: PatternFilter,
    /// The principal.
    pub principal: Option<Principal>,
    /// The host.
    pub host: Option<Host>,
    /// The operation.
    pub operation: Option<Operation>,
    /// The permission.
    pub permission: Option<Permission>,
}

impl AclFilter {
    /// The filter that matches only this ACL.
    #[must_use]
    pub fn exactly(acl: &Acl) -> Self {
        Self {
            resource_type: Some(acl.resource_type),
            resource_name: Some(acl.resource_name.clone()),
            pattern: PatternFilter::Exactly(acl.pattern_type),
            principal: Some(acl.principal.clone()),
            host: Some(acl.host.clone()),
            operation: Some(acl.operation),
            permission: Some(acl.permission),
        }
    }

    /// Whether the filter matches an ACL.
    #[must_use]
    pub fn matches(&self, acl: &Acl) -> bool {
        let name = match (&self.resource_name, self.pattern) {
            (None, PatternFilter::Any | PatternFilter::Match) => true,
            (None, PatternFilter::Exactly(pattern)) => acl.pattern_type == pattern,
            (Some(name), PatternFilter::Any) => acl.resource_name == *name,
            (Some(name), PatternFilter::Match) => acl.covers_name(name),
            (Some(name), PatternFilter::Exactly(pattern)) => {
                acl.pattern_type == pattern && acl.resource_name == *name
            }
        };
        name && is_expected(self.resource_type.as_ref(), &acl.resource_type)
            && is_expected(self.principal.as_ref(), &acl.principal)
            && is_expected(self.host.as_ref(), &acl.host)
            && is_expected(self.operation.as_ref(), &acl.operation)
            && is_expected(self.permission.as_ref(), &acl.permission)
    }

    /// Parses the filter of GET.
    ///
    /// # Errors
    /// All errors, by parameter.
    pub fn from_query(pairs: &[(String, String)]) -> Result<Self, Vec<FieldViolation>> {
        Self::read(pairs, false)
    }

    /// Parses the filter of DELETE, in which four parts are required, even if they are `ANY`.
    ///
    /// # Errors
    /// All errors, by parameter.
    pub fn from_delete_query(pairs: &[(String, String)]) -> Result<Self, Vec<FieldViolation>> {
        Self::read(pairs, true)
    }

    fn read(pairs: &[(String, String)], must_say: bool) -> Result<Self, Vec<FieldViolation>> {
        let mut from = Parameters::from_pairs(pairs);
        let resource_type = choice::<_, ResourceTypes>(
            &mut from,
            "filter.resource_type",
            must_say,
            ResourceType::from_code,
            &spellings(Dialect::Platform.resource_types(), |value| {
                value.spelling().data_plane
            }),
        );
        let pattern = choice::<_, PatternTypes>(
            &mut from,
            "filter.resource_pattern_type",
            must_say,
            |text| match text {
                "RESOURCE_PATTERN_TYPE_MATCH" => Some(PatternFilter::Match),
                _ => PatternType::from_code(text).map(PatternFilter::Exactly),
            },
            &spellings(PatternType::ALL, |value| value.spelling().data_plane),
        );
        let operation = choice::<_, Operations>(
            &mut from,
            "filter.operation",
            must_say,
            Operation::from_code,
            &spellings(Dialect::Platform.operations(), |value| {
                value.spelling().data_plane
            }),
        );
        let permission = choice::<_, PermissionTypes>(
            &mut from,
            "filter.permission_type",
            must_say,
            Permission::from_code,
            &spellings(Permission::ALL, |value| value.spelling().data_plane),
        );
        let mut resource_name = from.take("filter.resource_name").map(str::to_owned);
        if resource_type == Some(ResourceType::Cluster) && resource_name.as_deref() == Some("") {
            resource_name = Some(CLUSTER_NAME.into());
        }
        let principal = from.read("filter.principal", parse_principal);
        let host = from.read("filter.host", |text| {
            Host::parse(text).map_err(|_| HOST_RULE)
        });
        let pattern = pattern.unwrap_or_default();
        from.finish(Self {
            resource_type,
            resource_name,
            pattern,
            principal,
            host,
            operation,
            permission,
        })
    }

    pub(crate) fn pairs(&self) -> Vec<(&'static str, String)> {
        let pattern = match self.pattern {
            PatternFilter::Any => None,
            PatternFilter::Match => Some("RESOURCE_PATTERN_TYPE_MATCH"),
            PatternFilter::Exactly(pattern) => Some(pattern.spelling().data_plane),
        };
        let mut pairs = Vec::new();
        if let Some(value) = self.resource_type {
            pairs.push(("filter.resource_type", value.spelling().data_plane.into()));
        }
        if let Some(name) = &self.resource_name {
            pairs.push(("filter.resource_name", name.clone()));
        }
        if let Some(pattern) = pattern {
            pairs.push(("filter.resource_pattern_type", pattern.into()));
        }
        if let Some(principal) = &self.principal {
            let principal = RoleSpelling::IN_REQUESTS.principal(principal);
            pairs.push(("filter.principal", principal));
        }
        if let Some(host) = &self.host {
            pairs.push(("filter.host", host.to_string()));
        }
        if let Some(value) = self.operation {
            pairs.push(("filter.operation", value.spelling().data_plane.into()));
        }
        if let Some(value) = self.permission {
            pairs.push(("filter.permission_type", value.spelling().data_plane.into()));
        }
        pairs
    }

    pub(crate) fn delete_pairs(&self) -> Vec<(&'static str, String)> {
        let mut pairs = self.pairs();
        for (name, any) in [
            ("filter.resource_type", "RESOURCE_TYPE_ANY"),
            ("filter.resource_pattern_type", "RESOURCE_PATTERN_TYPE_ANY"),
            ("filter.operation", "OPERATION_ANY"),
            ("filter.permission_type", "PERMISSION_TYPE_ANY"),
        ] {
            if !pairs.iter().any(|(parameter, _)| *parameter == name) {
                pairs.push((name, any.into()));
            }
        }
        pairs
    }
}

fn spellings<T: Copy>(all: &[T], spell: fn(T) -> &'static str) -> String {
    quoted(all.iter().map(|value| spell(*value)))
}

/// Whether a value is the expected one, if one is expected.
fn is_expected<T: PartialEq>(expected: Option<&T>, value: &T) -> bool {
    match expected {
        Some(expected) => expected == value,
        None => true,
    }
}

/// Parses one enumeration value of a filter, by its name or number: `_ANY`, an omitted value and,
/// unless the part is required, `_UNSPECIFIED` and an empty value match everything.
fn choice<T, E: Enumeration>(
    from: &mut Parameters<'_>,
    name: &'static str,
    must_say: bool,
    read: impl Fn(&str) -> Option<T>,
    all: &str,
) -> Option<T> {
    let kind = E::PREFIX;
    let text = spelled::<E>(from.take(name).unwrap_or_default());
    let text = text.as_ref();
    let word = text.strip_prefix(kind).unwrap_or(text);
    match word {
        "_ANY" => None,
        "" | "_UNSPECIFIED" => {
            if must_say {
                from.refuse(
                    name,
                    format!("must be set; `{kind}_ANY` matches every value"),
                );
            }
            None
        }
        _ => {
            let value = read(text);
            if value.is_none() {
                let text: String = text.chars().take(80).collect();
                from.refuse(
                    name,
                    format!(
                        "`{}` is not a value; the values are {all} and `{kind}_ANY`",
                        escaped(&text)
                    ),
                );
            }
            value
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::encode::parse_query;

    fn acl(name: &str, pattern_type: PatternType, principal: &str) -> Acl {
        Acl {
            resource_type: ResourceType::Topic,
            resource_name: name.into(),
            pattern_type,
            principal: Principal::parse(principal).unwrap(),
            host: Host::Any,
            operation: Operation::Read,
            permission: Permission::Allow,
        }
    }

    fn filter(query: &str) -> AclFilter {
        AclFilter::from_query(&parse_query(query).unwrap()).unwrap()
    }

    #[test]
    fn a_body_reads_back() {
        let listed = |acl: &Acl| {
            ListAcls {
                resources: ResourceAcls::group([acl.clone()]).collect(),
            }
            .into_acls()
        };
        let acl = acl("orders-", PatternType::Prefixed, "Group:/a b:c");
        assert_eq!(AclBody::from(&acl).to_acl().unwrap(), acl);
        assert_eq!(listed(&acl), [AclBody::from(&acl)]);
        let role = Acl {
            principal: Principal::role("r"),
            ..acl
        };
        assert_eq!(listed(&role)[0].principal, "RedpandaRole:r");
    }

    #[test]
    fn bodies_of_generated_clients_are_read() {
        let acl = acl("orders-", PatternType::Prefixed, "Group:eng");
        let read = |body: serde_json::Value| serde_json::from_value::<AclBody>(body);
        let camel = json!({ "resourceType": 2, "resourceName": "orders-", "resourcePatternType": 4, "principal": "Group:eng",
            "host": "*", "operation": 3, "permissionType": "PERMISSION_TYPE_ALLOW", "unknown": [1] });
        assert_eq!(read(camel).unwrap().to_acl().unwrap(), acl);
        assert_eq!(
            read(json!({ "resource_type": null, "host": null, "operation": 0 })).unwrap(),
            AclBody::default()
        );
        assert_eq!(
            read(json!({ "operation": 99 })).unwrap().operation,
            "99",
            "refused by its field"
        );
        for body in [
            json!({ "operation": -1 }),
            json!({ "operation": 1.5 }),
            json!({ "operation": ["x"] }),
            json!({ "resource_type": 2, "resourceType": 2 }),
        ] {
            assert!(read(body.clone()).is_err(), "{body}");
        }
        let numbers = filter(
            "filter.resource_type=2&filter.resource_pattern_type=4&filter.operation=3&filter.permission_type=3",
        );
        assert_eq!(
            (numbers.resource_type, numbers.operation),
            (Some(ResourceType::Topic), Some(Operation::Read))
        );
        assert!(AclFilter::from_query(&parse_query("filter.operation=99").unwrap()).is_err());
        assert_eq!(
            filter("filter.operation=1&filter.resource_type=0"),
            AclFilter::default()
        );
    }

    #[test]
    fn faults_are_named_by_field_all_at_once() {
        let faults = AclBody {
            resource_type: "RESOURCE_TYPE_SOUP".into(),
            host: "h".into(),
            ..AclBody::default()
        }
        .to_acl()
        .unwrap_err();
        let fields: Vec<&str> = faults.iter().map(|fault| fault.field.as_str()).collect();
        assert_eq!(
            fields,
            [
                "resource_type",
                "resource_name",
                "resource_pattern_type",
                "principal",
                "host",
                "operation",
                "permission_type"
            ]
        );
        assert_eq!(faults[1].description, "Field resource_name must be set");
        assert_eq!(faults[3].description, PRINCIPAL_RULE);
        assert_eq!(faults[4].description, HOST_RULE);
        assert_eq!(faults[5].description, "Field operation must be set");

        let mut body = AclBody::from(&acl("x", PatternType::Literal, "Group:*"));
        assert_eq!(body.check_create().unwrap_err()[0].field, "principal");
        body.principal = "Group:x".into();
        body.resource_type = "RESOURCE_TYPE_CLUSTER".into();
        assert_eq!(
            body.check_create().unwrap_err()[0].description,
            "Field resource_name must be set to \"kafka-cluster\" or empty when using resource_type=CLUSTER"
        );
        body.resource_name.clear();
        assert_eq!(body.check_create().unwrap().resource_name, "kafka-cluster");
    }

    #[test]
    fn patterns_are_compared_as_the_filter_says() {
        use PatternType::{Literal, Prefixed};
        let all = [
            acl("ab", Literal, "User:a"),
            acl("ab", Prefixed, "User:a"),
            acl("a", Prefixed, "User:*"),
            acl("*", Literal, "User:a"),
        ];
        let found = |query: &str| {
            let filter = filter(query);
            all.iter()
                .map(|acl| usize::from(filter.matches(acl)).to_string())
                .collect::<String>()
        };
        assert_eq!(found(""), "1111");
        assert_eq!(found("filter.resource_name=ab"), "1100");
        assert_eq!(
            found(
                "filter.resource_name=ab&filter.resource_pattern_type=RESOURCE_PATTERN_TYPE_MATCH"
            ),
            "1111"
        );
        assert_eq!(
            found(
                "filter.resource_name=ax&filter.resource_pattern_type=RESOURCE_PATTERN_TYPE_MATCH"
            ),
            "0011"
        );
        assert_eq!(
            found("filter.resource_pattern_type=RESOURCE_PATTERN_TYPE_PREFIXED"),
            "0110"
        );
        assert_eq!(
            found(
                "filter.resource_name=ab&filter.resource_pattern_type=RESOURCE_PATTERN_TYPE_LITERAL"
            ),
            "1000"
        );
        assert_eq!(found("filter.principal=User:*"), "0010");
        assert_eq!(found("filter.resource_name="), "0000");
        assert_eq!(found("filter.host=10.0.0.1"), "0000");
        assert_eq!(found("filter.operation=OPERATION_WRITE"), "0000");
        assert_eq!(
            found(
                "filter.permission_type=PERMISSION_TYPE_UNSPECIFIED&filter.resource_type=RESOURCE_TYPE_ANY"
            ),
            "1111"
        );
    }

    #[test]
    fn filters_read_back() {
        let exact = AclFilter::exactly(&acl("a b", PatternType::Prefixed, "Group:/x+y"));
        for written in [
            AclFilter::default(),
            AclFilter {
                pattern: PatternFilter::Match,
                ..exact.clone()
            },
            exact,
        ] {
            let query = crate::paths::delete_acls(&written);
            let (_, query) = query.split_once('?').unwrap();
            assert_eq!(
                AclFilter::from_delete_query(&parse_query(query).unwrap()).unwrap(),
                written
            );
        }
    }

    #[test]
    fn delete_requires_explicit_filters() {
        let fields = |query: &str| -> Vec<String> {
            let faults = AclFilter::from_delete_query(&parse_query(query).unwrap()).unwrap_err();
            faults.into_iter().map(|fault| fault.field).collect()
        };
        assert_eq!(
            fields(""),
            [
                "filter.resource_type",
                "filter.resource_pattern_type",
                "filter.operation",
                "filter.permission_type"
            ]
        );
        let any = "filter.resource_type=RESOURCE_TYPE_ANY&filter.resource_pattern_type=RESOURCE_PATTERN_TYPE_ANY\
                   &filter.operation=OPERATION_ANY&filter.permission_type=PERMISSION_TYPE_ANY";
        assert_eq!(
            fields(&format!("{any}&filter.princpal=User:a")),
            ["filter.princpal"]
        );
        assert_eq!(
            fields(&format!("{any}&filter.principal=&filter.host=")),
            ["filter.principal", "filter.host"]
        );
        assert_eq!(
            fields(&any.replace("OPERATION_ANY", "OPERATION_UNSPECIFIED")),
            ["filter.operation"]
        );
        assert_eq!(
            fields(&any.replace("OPERATION_ANY", "read")),
            ["filter.operation"]
        );
    }
}
