//! Policy documents, version 1: settings, roles and ACLs.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;
#[cfg(feature = "typescript")]
use ts_rs::TS;

use super::acl::{self, AclJson};
use super::analysis::strings;
use super::reader::{self, Fields, Place, Problems};
use super::tables::ProblemCode;
use gbac_engine::Coded;
use gbac_engine::claim_path::ClaimPath;
use gbac_engine::escape::escaped;
use gbac_engine::groups::NestedGroupBehavior;
use gbac_engine::json::brief;
use gbac_engine::mapping::PrincipalMapping;
use gbac_engine::model::{Dialect, KafkaVersion, PrincipalType, RoleError};
use gbac_engine::policy::index::AclParts;
use gbac_engine::policy::{
    AccessLevel, Change, ChangeError, GroupSource, Policy, ServiceAccess, Settings, StatedSettings,
};

/// Reads a policy document from a JSON value.
///
/// # Errors
/// All problems at once.
pub fn policy_from_value(value: &Value) -> Result<Policy, Problems> {
    let mut problems = Problems::default();
    let policy = read(value, &Place::Root, &mut problems);
    problems.or(policy)
}

pub(super) fn read(value: &Value, at: &Place<'_>, problems: &mut Problems) -> Option<Policy> {
    let mut fields = Fields::from_value(value, at, problems)?;
    fields.optional("$schema");
    version(&mut fields, at, problems);
    let settings = match fields.optional("settings") {
        Some(settings) => {
            read_settings(settings, &Place::Member(at, "settings"), problems).unwrap_or_default()
        }
        None => Settings::unstated(),
    };
    let dialect = Some(settings.dialect);
    let mut policy = Policy::new(settings);
    let roles = Place::Member(at, "roles");
    for (index, role) in fields.array("roles", at, problems).iter().enumerate() {
        read_role(role, &Place::Element(&roles, index), &mut policy, problems);
    }
    let acls = Place::Member(at, "acls");
    for (index, value) in fields.array("acls", at, problems).iter().enumerate() {
        let place = Place::Element(&acls, index);
        // A duplicate ACL is not added again (D-17). What the dialect lacks is reported already.
        if let Some(acl) = acl::read(value, dialect, &place, problems)
            && let Err(error) = policy.add_acl(&AclParts::from(&acl))
            && problems.0.is_empty()
        {
            problems.push(&place, &error, error.to_string());
        }
    }
    fields.finish(at, problems);
    policy.shrink();
    Some(policy)
}

/// Reads `version`, which all documents have.
pub(super) fn version(fields: &mut Fields<'_>, at: &Place<'_>, problems: &mut Problems) {
    if let Some(version) = fields.required("version", at, problems)
        && version.as_u64() != Some(1)
    {
        problems.push(
            &Place::Member(at, "version"),
            ProblemCode::UnsupportedVersion,
            format!(
                "version `{}` is not supported; this program reads version 1",
                brief(version)
            ),
        );
    }
}

/// Reads the settings of a policy document.
///
/// # Errors
/// All problems at once.
///
/// ```
/// use gbac_json::{parse, settings_from_value};
///
/// let settings = settings_from_value(&parse(r#"{ "nested_group_behavior": "suffix", "superusers": ["root"] }"#)?)?;
/// assert!(settings.superusers.contains("root"));
/// let problems = settings_from_value(&parse(r#"{ "superuser": ["root"] }"#)?).unwrap_err();
/// assert_eq!(problems.0[0].path, "/superuser");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn settings_from_value(value: &Value) -> Result<Settings, Problems> {
    let mut problems = Problems::default();
    let settings = read_settings(value, &Place::Root, &mut problems);
    problems.or(settings)
}

pub(super) fn read_settings(
    value: &Value,
    at: &Place<'_>,
    problems: &mut Problems,
) -> Option<Settings> {
    let mut fields = Fields::from_value(value, at, problems)?;
    let mut settings = Settings::unstated();
    let claim_path = fields.optional_string("oidc_group_claim_path", at, problems);
    let nested = fields.optional_string("nested_group_behavior", at, problems);
    (settings.stated.claim_path, settings.stated.nested) = (claim_path.is_some(), nested.is_some());
    if let GroupSource::Properties {
        claim_path: path,
        nested: behavior,
    } = &mut settings.groups
    {
        if let Some(text) = claim_path {
            match ClaimPath::parse(text) {
                Ok(parsed) => *path = parsed,
                Err(error) => problems.push(
                    &Place::Member(at, "oidc_group_claim_path"),
                    &error,
                    format!("{error}{}", and(error.hint())),
                ),
            }
        }
        if let Some(text) = nested {
            match text.parse::<NestedGroupBehavior>() {
                Ok(parsed) => *behavior = parsed,
                Err(error) => {
                    problems.refused(
                        &Place::Member(at, "nested_group_behavior"),
                        &error,
                        error.hint(),
                    );
                }
            }
        }
    }
    if let Some(text) = fields.optional_string("oidc_principal_mapping", at, problems) {
        settings.stated.principal_mapping = true;
        match PrincipalMapping::parse(text) {
            Ok(mapping) => settings.principal_mapping = mapping,
            Err(error) => {
                problems.push(
                    &Place::Member(at, "oidc_principal_mapping"),
                    &error,
                    error.to_string(),
                );
            }
        }
    }
    let superusers = Place::Member(at, "superusers");
    settings.stated.superusers = fields.optional("superusers").is_some();
    for (index, value) in fields.array("superusers", at, problems).iter().enumerate() {
        let place = Place::Element(&superusers, index);
        if let Some(name) = reader::string(value, &place, problems) {
            match Settings::check_superuser(name) {
                Ok(()) => settings.superusers.insert(name.into()),
                Err(error) => problems.refused(&place, &error, &error.hint()),
            }
        }
    }
    if let Some(access) = fields.optional("access") {
        settings.stated.access = true;
        settings.access =
            read_access(access, &Place::Member(at, "access"), problems).unwrap_or_default();
    }
    read_dialect(&mut fields, at, &mut settings, problems);
    if let Some(sso) = fields.optional("sso") {
        let place = Place::Member(at, "sso");
        if claim_path.is_some() || nested.is_some_and(|nested| nested != "none") {
            problems.push(
                &place,
                ProblemCode::ExclusiveMembers,
                "`sso` is the managed cloud's, `oidc_group_claim_path` and `nested_group_behavior` are the self-managed \
                 deployment's; keep one of them",
            );
        }
        if let Some(groups) = read_sso(sso, &place, problems) {
            settings.groups = groups;
            // Marks both properties as stated, because a later change can replace the mapping with
            // properties.
            (settings.stated.claim_path, settings.stated.nested) = (true, true);
        }
    }
    fields.finish(at, problems);
    Some(settings)
}

/// Reads the system that the policy is for (D-71), and its version (D-72).
fn read_dialect(
    fields: &mut Fields<'_>,
    at: &Place<'_>,
    settings: &mut Settings,
    problems: &mut Problems,
) {
    if let Some(text) = fields.optional_string("dialect", at, problems) {
        settings.stated.dialect = true;
        match Dialect::from_code(text) {
            Some(dialect) => settings.dialect = dialect,
            None => problems.push(
                &Place::Member(at, "dialect"),
                ProblemCode::UnknownValue,
                format!(
                    "`{}` is not a dialect; write `platform` or `kafka`",
                    escaped(text)
                ),
            ),
        }
    }
    if let Some(text) = fields.optional_string("kafka_version", at, problems) {
        let place = Place::Member(at, "kafka_version");
        settings.stated.kafka_version = true;
        match KafkaVersion::parse(text) {
            Ok(version) => settings.kafka_version = version,
            Err(error) => problems.refused(&place, &error, error.hint()),
        }
        if settings.dialect != Dialect::Kafka {
            problems.push(
                &place,
                ProblemCode::KafkaVersionUnused,
                "`kafka_version` has no effect without the dialect `kafka`; add `\"dialect\": \"kafka\"` or remove it",
            );
        }
    }
}

/// Reads the users and groups with limited access to the service (D-58).
fn read_access(value: &Value, at: &Place<'_>, problems: &mut Problems) -> Option<ServiceAccess> {
    let mut fields = Fields::from_value(value, at, problems)?;
    let mut access = ServiceAccess::default();
    for level in AccessLevel::ALL {
        let list = Place::Member(at, level.code());
        for (index, value) in fields.array(level.code(), at, problems).iter().enumerate() {
            let place = Place::Element(&list, index);
            let grantee = reader::string(value, &place, problems)
                .and_then(|text| acl::principal(text, Some(Dialect::Platform), &place, problems));
            if let Some(Err(error)) = grantee.map(|grantee| access.grant(level, grantee)) {
                problems.refused(&place, &error, error.hint());
            }
        }
    }
    fields.finish(at, problems);
    Some(access)
}

fn read_sso(value: &Value, at: &Place<'_>, problems: &mut Problems) -> Option<GroupSource> {
    let mut fields = Fields::from_value(value, at, problems)?;
    if let Some(mode) = fields.string("mode", at, problems)
        && mode != "use_map"
    {
        problems.push(
            &Place::Member(at, "mode"),
            ProblemCode::UnknownValue,
            format!("`{}` is not a mapping mode; write `use_map`", escaped(mode)),
        );
    }
    let place = Place::Member(at, "attributes");
    let mut attributes = BTreeMap::new();
    let object = fields.required("attributes", at, problems);
    match object {
        Some(Value::Object(members)) => {
            for (name, value) in members {
                if let Some(text) = reader::string(value, &Place::Member(&place, name), problems) {
                    attributes.insert(name.clone(), text.to_owned());
                }
            }
        }
        Some(other) => problems.expected(&place, "an object", other),
        None => {}
    }
    fields.finish(at, problems);
    object?;
    match GroupSource::from_attributes(attributes) {
        Ok(groups) => Some(groups),
        Err(error) => {
            problems.refused(&place, &error, &error.hint());
            None
        }
    }
}

/// Reads a role and adds it to the policy, unless its name is not valid or is used by an earlier
/// role.
fn read_role(value: &Value, at: &Place<'_>, policy: &mut Policy, problems: &mut Problems) {
    let Some(mut fields) = Fields::from_value(value, at, problems) else {
        return;
    };
    let role = fields.string("name", at, problems).and_then(|name| {
        let place = Place::Member(at, "name");
        match policy.add_role(name, &[]) {
            Ok(()) => return Some(name),
            Err(ChangeError::Role(error)) => problems.refused(&place, &error, &error.hint()),
            Err(error) => problems.push(&place, &error, format!("{error} in this document")),
        }
        None
    });
    let members = Place::Member(at, "members");
    for (index, value) in fields.array("members", at, problems).iter().enumerate() {
        let place = Place::Element(&members, index);
        let Some(mut member) = Fields::from_value(value, &place, problems) else {
            continue;
        };
        let text = member.string("principal", &place, problems);
        member.finish(&place, problems);
        let place = Place::Member(&place, "principal");
        let Some(principal) =
            text.and_then(|text| acl::principal(text, Some(Dialect::Platform), &place, problems))
        else {
            continue;
        };
        if principal.kind() == PrincipalType::Role {
            let error = RoleError::RoleAsMember(principal.name().into());
            problems.refused(&place, &error, &error.hint());
        } else if let Some(role) = role {
            // A duplicate member is not added again (D-17).
            let member = Change::AddMember {
                role: role.into(),
                member: principal,
            };
            if let Err(error) = policy.apply(member) {
                problems.push(&place, &error, error.to_string());
            }
        }
    }
    fields.finish(at, problems);
}

fn and(hint: Option<String>) -> String {
    match hint {
        Some(hint) => format!("; {hint}"),
        None => String::new(),
    }
}

/// The policy document of a policy: the stated settings, roles sorted by name, and ACLs sorted by
/// their fields.
#[cfg_attr(
    feature = "typescript",
    derive(TS),
    ts(rename = "ExportedDocument", optional_fields)
)]
#[derive(Serialize)]
pub struct DocumentJson<'a> {
    /// The version of the format.
    #[cfg_attr(feature = "typescript", ts(type = "1"))]
    version: u8,
    /// The stated settings.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(as = "Option<crate::input::SettingsInput>"))]
    settings: Option<SettingsJson<'a>>,
    /// The roles, sorted by name.
    roles: Vec<RoleJson<'a>>,
    /// The ACLs, sorted by their members.
    acls: Vec<AclJson>,
}

#[derive(Serialize)]
pub(super) struct SettingsJson<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    oidc_group_claim_path: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    nested_group_behavior: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sso: Option<SsoJson<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    oidc_principal_mapping: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    superusers: Option<&'a [String]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    access: Option<AccessJson>,
    /// The platform's is left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    dialect: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    kafka_version: Option<String>,
}

#[derive(Serialize)]
struct AccessJson {
    read_only: Vec<String>,
    evaluate: Vec<String>,
}

#[derive(Serialize)]
struct SsoJson<'a> {
    mode: &'static str,
    attributes: &'a BTreeMap<String, String>,
}

/// A role in an exported document.
#[cfg_attr(feature = "typescript", derive(TS), ts(rename = "ExportedRole"))]
#[derive(Serialize)]
struct RoleJson<'a> {
    /// The bare name.
    name: &'a str,
    /// The members.
    members: Vec<MemberJson>,
}

/// A member of a role in an exported document.
#[cfg_attr(feature = "typescript", derive(TS), ts(rename = "ExportedMember"))]
#[derive(Serialize)]
struct MemberJson {
    /// The principal, as `Type:name`.
    #[cfg_attr(feature = "typescript", ts(as = "crate::literal::AclPrincipal"))]
    principal: String,
}

impl<'a> From<&'a Settings> for SettingsJson<'a> {
    fn from(settings: &'a Settings) -> Self {
        Self::from_stated(settings, settings.states())
    }
}

impl<'a> SettingsJson<'a> {
    fn from_stated(settings: &'a Settings, states: StatedSettings) -> Self {
        let (path, nested, sso) = match &settings.groups {
            GroupSource::Properties { claim_path, nested } => {
                (Some(claim_path.as_str()), Some(nested.code()), None)
            }
            GroupSource::Sso { attributes, .. } => (
                None,
                None,
                Some(SsoJson {
                    mode: "use_map",
                    attributes,
                }),
            ),
        };
        let is_kafka = settings.dialect == Dialect::Kafka;
        Self {
            oidc_group_claim_path: path.filter(|_| states.claim_path),
            nested_group_behavior: nested.filter(|_| states.nested),
            sso,
            oidc_principal_mapping: states
                .principal_mapping
                .then(|| settings.principal_mapping.as_str()),
            superusers: states.superusers.then(|| settings.superusers.as_slice()),
            access: states.access.then(|| AccessJson::from(&settings.access)),
            dialect: is_kafka.then(|| settings.dialect.code()),
            kafka_version: (is_kafka && states.kafka_version)
                .then(|| settings.kafka_version.to_string()),
        }
    }
}

impl From<&ServiceAccess> for AccessJson {
    fn from(access: &ServiceAccess) -> Self {
        Self {
            read_only: strings(access.grantees(AccessLevel::ReadOnly)),
            evaluate: strings(access.grantees(AccessLevel::Evaluate)),
        }
    }
}

impl<'a> From<&'a Policy> for DocumentJson<'a> {
    fn from(policy: &'a Policy) -> Self {
        let settings = policy.settings();
        Self::with(policy, settings.states_any().then(|| settings.into()))
    }
}

impl<'a> DocumentJson<'a> {
    /// The document of a running service, which states every setting, including those with default
    /// values.
    #[must_use]
    pub fn in_full(policy: &'a Policy) -> Self {
        Self::with(
            policy,
            Some(SettingsJson::from_stated(
                policy.settings(),
                StatedSettings::ALL,
            )),
        )
    }

    fn with(policy: &'a Policy, settings: Option<SettingsJson<'a>>) -> Self {
        let mut roles = Vec::with_capacity(policy.role_count());
        for (name, members) in policy.roles_and_members() {
            let principals = members.iter().map(ToString::to_string);
            roles.push(RoleJson {
                name,
                members: principals
                    .map(|principal| MemberJson { principal })
                    .collect(),
            });
        }
        Self {
            version: 1,
            settings,
            roles,
            acls: policy.acls().map(|acl| AclJson::from(&acl)).collect(),
        }
    }
}

/// The settings of a running service as a JSON value, including those with default values.
#[must_use]
pub fn settings_to_json(settings: &Settings) -> Value {
    serde_json::to_value(SettingsJson::from_stated(settings, StatedSettings::ALL))
        .unwrap_or_default()
}

/// The policy document of a policy as a JSON value.
#[must_use]
pub fn policy_to_json(policy: &Policy) -> Value {
    serde_json::to_value(DocumentJson::from(policy)).unwrap_or_default()
}

/// The policy document of a policy as indented text with a final line break. Its members are in the
/// order of the format.
///
/// ```
/// use gbac_engine::{Policy, Principal};
/// use gbac_json::{policy_from_json, policy_to_text};
///
/// let policy = Policy::builder().role("writers", [Principal::group("eng")]).build()?;
/// let text = policy_to_text(&policy);
/// assert!(text.starts_with("{\n  \"version\": 1,"));
/// assert_eq!(policy_from_json(&text)?, policy);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn policy_to_text(policy: &Policy) -> String {
    let mut text = serde_json::to_string_pretty(&DocumentJson::from(policy)).unwrap_or_default();
    text.push('\n');
    text
}
