//! Policy documents without a fault, read in one pass and without a tree of values, so that large ones load faster.
//!
//! It accepts nothing that `document` refuses, and has no messages: whatever it hesitates at, it leaves to the reader there,
//! which names every problem.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::Value;

use super::reader::{Place, Problems};
use super::{acl, document};
use crate::json;
use crate::model::{
    Host, Operation, PatternType, Permission, Principal, PrincipalType, ResourceType, check_role_name, normalized_name,
};
use crate::policy::{AclParts, Policy, Settings};

/// Reads a document; none when it is not plainly right.
pub(super) fn read(text: &str) -> Option<Policy> {
    let Object(document): Object<Document<'_>> = serde_json::from_str(text).ok()?;
    if document.version != 1 {
        return None;
    }
    let mut policy = document.acls.0;
    let mut roles = document.roles;
    roles.sort_unstable_by(|Object(a), Object(b)| a.name.cmp(&b.name));
    for Object(role) in &roles {
        check_role_name(&role.name).ok()?;
        let members: Vec<_> = role.members.iter().map(member).collect::<Option<_>>()?;
        policy.append_role(&role.name, members)?;
    }
    policy.set_settings(document.settings.0);
    policy.shrink();
    Some(policy)
}

/// A user or a group.
fn member<'a>(Object(member): &'a Object<PlainMember<'_>>) -> Option<(PrincipalType, &'a str)> {
    Principal::split(&member.principal).ok().filter(|(kind, _)| *kind != PrincipalType::Role)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Document<'a> {
    #[serde(rename = "$schema", default)]
    _schema: Option<StrictValue>,
    version: u64,
    #[serde(default)]
    settings: PlainSettings,
    #[serde(default, borrow)]
    roles: Vec<Object<PlainRole<'a>>>,
    #[serde(default)]
    acls: Acls,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PlainRole<'a> {
    #[serde(borrow)]
    name: Cow<'a, str>,
    #[serde(default, borrow)]
    members: Vec<Object<PlainMember<'a>>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PlainMember<'a> {
    #[serde(borrow)]
    principal: Cow<'a, str>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PlainAcl<'a> {
    #[serde(borrow)]
    resource_type: Cow<'a, str>,
    #[serde(default, borrow)]
    resource_name: Cow<'a, str>,
    #[serde(borrow)]
    resource_pattern_type: Cow<'a, str>,
    #[serde(borrow)]
    principal: Cow<'a, str>,
    #[serde(borrow)]
    host: Cow<'a, str>,
    #[serde(borrow)]
    operation: Cow<'a, str>,
    #[serde(borrow)]
    permission_type: Cow<'a, str>,
}

impl PlainAcl<'_> {
    fn parts(&self) -> Option<AclParts<'_>> {
        let resource_type = ResourceType::from_data_plane(&self.resource_type)?;
        let mut problems = Problems::default();
        acl::check_name(Some(resource_type), &self.resource_name, &Place::Root, &mut problems);
        if !problems.0.is_empty() {
            return None;
        }
        Some(AclParts {
            resource_type,
            resource_name: normalized_name(resource_type, &self.resource_name),
            pattern_type: PatternType::from_data_plane(&self.resource_pattern_type)?,
            principal: Principal::split(&self.principal).ok()?,
            host: Host::parse(&self.host).ok()?,
            operation: Operation::from_data_plane(&self.operation)?,
            permission: Permission::from_data_plane(&self.permission_type)?,
        })
    }
}

/// The ACLs, put into a policy as they come.
#[derive(Default)]
struct Acls(Policy);

impl<'de> Deserialize<'de> for Acls {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(Self::default())
    }
}

impl<'de> Visitor<'de> for Acls {
    type Value = Self;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ACLs")
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut elements: A) -> Result<Self, A::Error> {
        while let Some(Object(acl)) = elements.next_element::<Object<PlainAcl<'_>>>()? {
            let parts = acl.parts().ok_or_else(|| A::Error::custom("not plain"))?;
            self.0.add(&parts);
        }
        Ok(self)
    }
}

/// What is written as an object: serde would read its members from an array as well.
struct Object<T>(T);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Object<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(OfObject(PhantomData))
    }
}

struct OfObject<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for OfObject<T> {
    type Value = Object<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, members: A) -> Result<Object<T>, A::Error> {
        T::deserialize(MapAccessDeserializer::new(members)).map(Object)
    }
}

struct StrictValue(Value);

impl<'de> Deserialize<'de> for StrictValue {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        json::strict(deserializer).map(Self)
    }
}

#[derive(Default)]
struct PlainSettings(Settings);

impl<'de> Deserialize<'de> for PlainSettings {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = StrictValue::deserialize(deserializer)?;
        document::settings_from_value(&value.0).map(Self).map_err(|_| D::Error::custom("not plain"))
    }
}
