//! Reads valid policy documents, and subjects with names, in one pass and without a tree of values.
//!
//! It accepts nothing that `document` and `check` refuse, and it has no error messages. Texts that
//! it does not accept are read again there, which reports all problems.

use std::fmt;
use std::marker::PhantomData;

use gbac_engine::json::parse;
use gbac_engine::model::{
    Dialect, Host, Operation, PatternType, Permission, Principal, PrincipalType, ResourceType,
};
use gbac_engine::policy::index::AclParts;
use gbac_engine::policy::{Policy, Settings};
use gbac_engine::{Coded, Subject};
use serde::de::value::MapAccessDeserializer;
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use super::reader::{self, Place, Problems};
use super::{acl, check, document};

/// Reads a policy document.
///
/// # Errors
/// All problems at once, each with its location. A text that is not JSON has one problem.
///
/// ```
/// use gbac_json::policy_from_json;
/// let problems = policy_from_json(r#"{ "version": 1, "acls": [{}], "rolls": [] }"#).unwrap_err();
/// assert_eq!(problems.0.len(), 8);
/// assert_eq!((problems.0[0].path.as_str(), problems.0[0].code.as_str()), ("/acls/0", "missing_member"));
/// ```
pub fn policy_from_json(text: &str) -> Result<Policy, Problems> {
    if let Some(policy) = read(text) {
        return Ok(policy);
    }
    document::policy_from_value(&reader::parse(text)?)
}

/// Reads a subject: an object with `identity`, `claims` or a token, and optionally `userinfo`.
///
/// # Errors
/// All problems at once.
///
/// ```
/// use gbac_engine::Subject;
/// use gbac_json::subject_from_json;
///
/// let subject = subject_from_json(r#"{ "identity": { "user": "alice", "groups": ["eng"] } }"#)?;
/// assert_eq!(subject, Subject::Names { user: "alice".into(), groups: vec!["eng".into()] });
/// # Ok::<(), gbac_json::Problems>(())
/// ```
pub fn subject_from_json(text: &str) -> Result<Subject, Problems> {
    names(text).map_or_else(|| check::subject_from_value(&reader::parse(text)?), Ok)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct DocumentText<'t> {
    #[serde(rename = "$schema", default, deserialize_with = "stated")]
    _schema: Option<&'t str>,
    version: u64,
    #[serde(borrow, default, deserialize_with = "stated")]
    settings: Option<&'t RawValue>,
    #[serde(borrow, default)]
    roles: Vec<Object<RoleText<'t>>>,
    #[serde(borrow, default)]
    acls: Vec<Object<AclText<'t>>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RoleText<'t> {
    name: &'t str,
    #[serde(borrow, default)]
    members: Vec<Object<MemberText<'t>>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct MemberText<'t> {
    principal: &'t str,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct AclText<'t> {
    resource_type: &'t str,
    #[serde(default)]
    resource_name: &'t str,
    resource_pattern_type: &'t str,
    principal: &'t str,
    host: &'t str,
    operation: &'t str,
    permission_type: &'t str,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SubjectText<'t> {
    #[serde(borrow)]
    identity: Object<IdentityText<'t>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct IdentityText<'t> {
    user: &'t str,
    #[serde(borrow, default)]
    groups: Vec<&'t str>,
}

/// A JSON object. serde's derived readers also accept an array of the values.
struct Object<T>(T);

impl<'t, T: Deserialize<'t>> Deserialize<'t> for Object<T> {
    fn deserialize<D: Deserializer<'t>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(ObjectVisitor(PhantomData))
    }
}

struct ObjectVisitor<T>(PhantomData<T>);

impl<'t, T: Deserialize<'t>> Visitor<'t> for ObjectVisitor<T> {
    type Value = Object<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'t>>(self, members: A) -> Result<Self::Value, A::Error> {
        T::deserialize(MapAccessDeserializer::new(members)).map(Object)
    }
}

/// Reads a member that may be missing, but not null.
fn stated<'t, D, T>(deserializer: D) -> Result<Option<T>, D::Error>
where
    D: Deserializer<'t>,
    T: Deserialize<'t>,
{
    T::deserialize(deserializer).map(Some)
}

/// Reads a document; `None` if this parser does not accept it.
fn read(text: &str) -> Option<Policy> {
    let Object(document): Object<DocumentText<'_>> = serde_json::from_str(text).ok()?;
    if document.version != 1 {
        return None;
    }
    let settings = match document.settings {
        Some(settings) => document::settings_from_value(&parse(settings.get()).ok()?).ok()?,
        None => Settings::unstated(),
    };
    let mut policy = Policy::new(settings);
    for Object(role) in &document.roles {
        add_role(role, &mut policy)?;
    }
    for Object(acl) in &document.acls {
        policy.add_acl(&parts(acl)?).ok()?;
    }
    policy.shrink();
    Some(policy)
}

/// Reads a subject with names; `None` if this parser does not accept it.
fn names(text: &str) -> Option<Subject> {
    let Object(subject): Object<SubjectText<'_>> = serde_json::from_str(text).ok()?;
    let IdentityText { user, groups } = subject.identity.0;
    PrincipalType::User.check_bare(user).ok()?;
    for group in &groups {
        PrincipalType::Group.check_bare(group).ok()?;
    }
    Some(Subject::Names {
        user: user.to_owned(),
        groups: groups.into_iter().map(str::to_owned).collect(),
    })
}

/// Adds a role with its members to a policy.
fn add_role(role: &RoleText<'_>, policy: &mut Policy) -> Option<()> {
    let mut members = Vec::with_capacity(role.members.len());
    for Object(member) in &role.members {
        members.push(Principal::split(member.principal).ok()?);
    }
    policy.add_role(role.name, &members).ok()
}

fn parts<'t>(acl: &AclText<'t>) -> Option<AclParts<'t>> {
    let resource_type = ResourceType::from_code(acl.resource_type)?;
    let mut problems = Problems::default();
    acl::check_name(
        Some(resource_type),
        acl.resource_name,
        &Place::Root,
        &mut problems,
    );
    if !problems.0.is_empty() {
        return None;
    }
    Some(AclParts {
        resource_type,
        resource_name: acl.resource_name,
        pattern_type: PatternType::from_code(acl.resource_pattern_type)?,
        principal: Principal::split_in(Dialect::Kafka, acl.principal).ok()?,
        host: Host::parse_in(Dialect::Kafka, acl.host).ok()?,
        operation: Operation::from_code(acl.operation)?,
        permission: Permission::from_code(acl.permission_type)?,
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;
    use crate::check::subject_from_value;
    use crate::policy_from_value;

    fn by_value(text: &str) -> Option<Policy> {
        policy_from_value(&parse(text).ok()?).ok()
    }

    /// A text with one byte changed, removed or repeated.
    fn mutated(text: String) -> impl Strategy<Value = String> {
        (0..text.len(), 0_u8..128, 0..3).prop_filter_map("no UTF-8", move |(place, byte, how)| {
            let mut bytes = text.clone().into_bytes();
            match how {
                0 => bytes[place] = byte,
                1 => drop(bytes.remove(place)),
                _ => bytes.insert(place, bytes[place]),
            }
            String::from_utf8(bytes).ok()
        })
    }

    fn document() -> Value {
        json!({
            "$schema": "https://example.com/policy.json", "version": 1,
            "settings": { "oidc_group_claim_path": "$.groups", "superusers": ["root"] },
            "roles": [
                { "name": "Writers", "members": [{ "principal": "User:alice" }, { "principal": "Group:/eng" }] },
                { "name": "Readers", "members": [] },
            ],
            "acls": [
                { "resource_type": "RESOURCE_TYPE_TOPIC", "resource_name": "a", "principal": "Role:Writers", "host": "*",
                  "resource_pattern_type": "RESOURCE_PATTERN_TYPE_PREFIXED", "operation": "OPERATION_READ",
                  "permission_type": "PERMISSION_TYPE_ALLOW" },
                { "resource_type": "RESOURCE_TYPE_CLUSTER", "principal": "User:é😀", "host": "10.0.0.7",
                  "resource_pattern_type": "RESOURCE_PATTERN_TYPE_LITERAL", "operation": "OPERATION_ALTER",
                  "permission_type": "PERMISSION_TYPE_DENY" },
            ],
        })
    }

    #[test]
    fn valid_documents_are_accepted() {
        for text in [
            document().to_string(),
            serde_json::to_string_pretty(&document()).unwrap(),
        ] {
            let policy = read(&text).unwrap();
            assert_eq!(Some(policy), by_value(&text), "{text}");
        }
        assert!(read(r#" { "version" : 1 } "#).is_some());
    }

    #[test]
    fn other_texts_are_not_accepted() {
        for text in [
            "",
            "{}",
            "[]",
            r#"{"version":1}x"#,
            r#"{"version":1"#,
            r#"{"version":1,}"#,
            r#"{"version":2}"#,
            r#"{"version":1,"version":1}"#,
            r#"{"version":1,"acls":{}}"#,
            r#"{"version":1,"acls":[,]}"#,
            r#"{"version":1,"acls":[{}]}"#,
            r#"{"version":1,"acls":[["RESOURCE_TYPE_TOPIC","a","RESOURCE_PATTERN_TYPE_LITERAL","User:a","*","OPERATION_READ","PERMISSION_TYPE_ALLOW"]]}"#,
            r#"{"version":1,"settings":null}"#,
            r#"["x",1]"#,
            r#"{"version":1 2}"#,
            r#"{"version":1,"roles":[{"name":"a"},{"name":"a"}]}"#,
            r#"{"version":1,"roles":[{"members":[]}]}"#,
            r#"{"version":1,"roles":[{"name":"a","members":[{"principal":"Role:b"}]}]}"#,
            "{\"version\":1,\"$schema\":\"\t\"}",
            r#"{"version":1,"$schema":"\u0061"}"#,
            r#"{"version":1,"$schema":"\"#,
            r#"{"version":1,"settings":{"superusers":[1]}}"#,
            r#"{"version":1,"settings":{"superusers":[],"superusers":[]}}"#,
            r#"{"version":1,"settings":]}"#,
            "{\"version\":1\u{a0}}",
        ] {
            assert_eq!(read(text), None, "{text}");
        }
    }

    #[test]
    fn valid_names_are_accepted() {
        let expected = |user: &str, groups: &[&str]| {
            Some(Subject::Names {
                user: user.into(),
                groups: groups.iter().map(|group| (*group).into()).collect(),
            })
        };
        assert_eq!(
            names(r#" { "identity" : { "groups" : ["a", "", "a"], "user" : "é" } } "#),
            expected("é", &["a", "", "a"])
        );
        assert_eq!(names(r#"{"identity":{"user":""}}"#), expected("", &[]));
        for text in [
            "",
            "{}",
            r#"{"identity":{}}"#,
            r#"{"identity":{"groups":[]}}"#,
            r#"{"identity":{"user":"a","user":"a"}}"#,
            r#"{"identity":{"user":"a"},"userinfo":{}}"#,
            r#"{"identity":{"user":"a","groups":[1]}}"#,
            r#"{"identity":{"user":"\u0061"}}"#,
            r#"{"identity":{"user":"User:a"}}"#,
            r#"{"identity":{"user":"a","groups":["Group:a"]}}"#,
            r#"{"identity":{"user":"a"}}x"#,
        ] {
            assert_eq!(names(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn accepts_only_documents_that_the_other_reader_accepts(text in mutated(document().to_string())) {
            if let Some(policy) = read(&text) {
                prop_assert_eq!(Some(policy), by_value(&text), "{}", text);
            }
        }

        #[test]
        fn accepts_only_names_that_the_other_reader_accepts(
            text in mutated(r#"{"identity":{"user":"alice","groups":["a","é"]}}"#.to_owned()),
        ) {
            if let Some(subject) = names(&text) {
                prop_assert_eq!(parse(&text).ok().and_then(|value| subject_from_value(&value).ok()), Some(subject));
            }
        }
    }
}
