//! The JSON of clients whose code is generated from the messages of the Data Plane API (D-94):
//! names in lowerCamelCase beside snake_case, enumerations by number beside their name, and null
//! for an absent field.

use std::borrow::Cow;
use std::marker::PhantomData;

use serde::de::{Deserializer, Unexpected};
use serde::{Deserialize, de};

/// An enumeration of the messages: the prefix of its names, and its names in the order of their
/// numbers.
pub(crate) trait Enumeration {
    /// The prefix, which ends without an underscore.
    const PREFIX: &'static str;
    /// The names after the prefix.
    const NAMES: &'static [&'static str];
}

/// The types of resources.
pub(crate) struct ResourceTypes;
/// The types of patterns, and those of filters.
pub(crate) struct PatternTypes;
/// The operations.
pub(crate) struct Operations;
/// Allow and deny.
pub(crate) struct PermissionTypes;

impl Enumeration for ResourceTypes {
    const PREFIX: &'static str = "RESOURCE_TYPE";
    const NAMES: &'static [&'static str] = &[
        "UNSPECIFIED",
        "ANY",
        "TOPIC",
        "GROUP",
        "CLUSTER",
        "TRANSACTIONAL_ID",
        "DELEGATION_TOKEN",
        "USER",
        "REGISTRY",
        "SUBJECT",
    ];
}

impl Enumeration for PatternTypes {
    const PREFIX: &'static str = "RESOURCE_PATTERN_TYPE";
    const NAMES: &'static [&'static str] = &["UNSPECIFIED", "ANY", "MATCH", "LITERAL", "PREFIXED"];
}

impl Enumeration for Operations {
    const PREFIX: &'static str = "OPERATION";
    const NAMES: &'static [&'static str] = &[
        "UNSPECIFIED",
        "ANY",
        "ALL",
        "READ",
        "WRITE",
        "CREATE",
        "DELETE",
        "ALTER",
        "DESCRIBE",
        "CLUSTER_ACTION",
        "DESCRIBE_CONFIGS",
        "ALTER_CONFIGS",
        "IDEMPOTENT_WRITE",
        "CREATE_TOKENS",
        "DESCRIBE_TOKENS",
    ];
}

impl Enumeration for PermissionTypes {
    const PREFIX: &'static str = "PERMISSION_TYPE";
    const NAMES: &'static [&'static str] = &["UNSPECIFIED", "ANY", "DENY", "ALLOW"];
}

/// The name of a value that is given by its number; other texts stay as they are.
pub(crate) fn spelled<E: Enumeration>(text: &str) -> Cow<'_, str> {
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if is_number
        && let Ok(number) = text.parse::<usize>()
        && let Some(name) = E::NAMES.get(number)
    {
        return format!("{}_{name}", E::PREFIX).into();
    }
    text.into()
}

/// Reads the name of a value, or its number as a JSON number. Zero is the absent value.
pub(crate) fn enumeration<'de, D: Deserializer<'de>, E: Enumeration>(
    from: D,
) -> Result<String, D::Error> {
    struct Visitor<E>(PhantomData<E>);

    impl<'de, E: Enumeration> de::Visitor<'de> for Visitor<E> {
        type Value = String;

        fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("a string or a number")
        }

        fn visit_str<F: de::Error>(self, text: &str) -> Result<String, F> {
            Ok(text.to_owned())
        }

        fn visit_u64<F: de::Error>(self, number: u64) -> Result<String, F> {
            match number {
                0 => Ok(String::new()),
                number => Ok(spelled::<E>(&number.to_string()).into_owned()),
            }
        }

        fn visit_i64<F: de::Error>(self, number: i64) -> Result<String, F> {
            match u64::try_from(number) {
                Ok(number) => self.visit_u64(number),
                Err(_) => Err(F::invalid_value(Unexpected::Signed(number), &self)),
            }
        }

        fn visit_unit<F: de::Error>(self) -> Result<String, F> {
            Ok(String::new())
        }

        fn visit_none<F: de::Error>(self) -> Result<String, F> {
            Ok(String::new())
        }

        fn visit_some<D: Deserializer<'de>>(self, from: D) -> Result<String, D::Error> {
            from.deserialize_any(self)
        }
    }

    from.deserialize_any(Visitor::<E>(PhantomData))
}

/// The default of an absent or null field.
pub(crate) fn or_default<'de, D: Deserializer<'de>, T: Default + Deserialize<'de>>(
    from: D,
) -> Result<T, D::Error> {
    Ok(Option::deserialize(from)?.unwrap_or_default())
}

/// The names of query parameters in `snake_case`, in which messages of the Data Plane API have
/// their fields.
#[must_use]
pub fn snake_case(pairs: Vec<(String, String)>) -> Vec<(String, String)> {
    pairs
        .into_iter()
        .map(|(name, value)| (snake_case_name(&name), value))
        .collect()
}

fn snake_case_name(name: &str) -> String {
    let mut snake = String::with_capacity(name.len() + 2);
    for character in name.chars() {
        if character.is_ascii_uppercase() {
            snake.push('_');
        }
        snake.push(character.to_ascii_lowercase());
    }
    snake
}

#[cfg(test)]
mod tests {
    use gbac_engine::model::{Dialect, Operation, PatternType, Permission, ResourceType};

    use super::*;

    fn names<E: Enumeration>() -> Vec<String> {
        E::NAMES
            .iter()
            .map(|name| format!("{}_{name}", E::PREFIX))
            .collect()
    }

    #[test]
    fn every_value_of_the_engine_has_a_number() {
        let has = |names: &[String], value: &str| {
            assert!(names.iter().any(|name| name == value), "{value}");
        };
        for value in Dialect::Platform.resource_types() {
            has(&names::<ResourceTypes>(), value.spelling().data_plane);
        }
        for value in Dialect::Platform.operations() {
            has(&names::<Operations>(), value.spelling().data_plane);
        }
        for value in PatternType::ALL {
            has(&names::<PatternTypes>(), value.spelling().data_plane);
        }
        for value in Permission::ALL {
            has(&names::<PermissionTypes>(), value.spelling().data_plane);
        }
        assert_eq!(
            spelled::<ResourceTypes>("9"),
            ResourceType::Subject.spelling().data_plane
        );
        assert_eq!(
            spelled::<Operations>("12"),
            Operation::IdempotentWrite.spelling().data_plane
        );
        assert_eq!(
            spelled::<PermissionTypes>("2"),
            Permission::Deny.spelling().data_plane
        );
        for text in ["10", "-1", "+2", "", "RESOURCE_TYPE_TOPIC"] {
            assert_eq!(spelled::<ResourceTypes>(text), text);
        }
    }

    #[test]
    fn parameters_have_two_spellings() {
        let pair = |name: &str| (name.to_owned(), "X".to_owned());
        let read = snake_case(vec![
            pair("filter.resourceName"),
            pair("page_size"),
            pair("pageToken"),
        ]);
        assert_eq!(
            read,
            [
                pair("filter.resource_name"),
                pair("page_size"),
                pair("page_token")
            ]
        );
    }
}
