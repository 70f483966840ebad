//! The TypeScript types of strings: unions of literals and of string patterns.

use std::path::PathBuf;

use gbac_engine::Coded;
use gbac_engine::model::{Operation, PrincipalType, ResourceType};
use serde::{Serialize, Serializer};
use std::marker::PhantomData;
use ts_rs::{Config, TS};

use crate::code::{Code, union};

/// Implements `TS` for a type that is a union of literals.
macro_rules! declared {
    ([$($generic:ident: $bound:path)?] $type:ty, $name:expr, $docs:expr, $inline:expr) => {
        impl$(<$generic: $bound + 'static>)? TS for $type {
            type WithoutGenerics = Self;
            type OptionInnerType = Self;

            fn name(_: &Config) -> String {
                $name.to_owned()
            }

            fn inline(_: &Config) -> String {
                $inline
            }

            fn docs() -> Option<String> {
                Some(format!("/**\n *{}\n */\n", $docs))
            }

            fn decl(config: &Config) -> String {
                format!("type {} = {};", Self::name(config), Self::inline(config))
            }

            fn output_path() -> Option<PathBuf> {
                Some(PathBuf::from($name))
            }
        }
    };
}

declared!([T: Coded] Code<T>, union::<T>().0, format!(" {}", union::<T>().1), literals(&T::codes()));

fn literals(texts: &[&str]) -> String {
    let literals: Vec<String> = texts.iter().map(|text| format!("'{text}'")).collect();
    literals.join(" | ")
}

/// The short form of a value, as on the command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Short<T> {
    name: &'static str,
    of: PhantomData<T>,
}

impl<T> Serialize for Short<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name)
    }
}

/// The short forms of a type, and the type in either form.
macro_rules! short {
    ($type:ident, $short:literal, $input:ident, $docs:literal) => {
        impl From<$type> for Short<$type> {
            fn from(value: $type) -> Self {
                Self { name: value.spelling().cli, of: PhantomData }
            }
        }

        declared!([] Short<$type>, $short, $docs, {
            let names: Vec<&str> = $type::ALL.iter().map(|value| value.spelling().cli).collect();
            literals(&names)
        });

        #[doc = concat!("A `", stringify!($type), "` in either form.")]
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, TS)]
        #[serde(untagged)]
        pub enum $input {
            /// The value in the Data Plane API.
            Full(Code<$type>),
            /// The short form.
            Short(Short<$type>),
        }
    };
}

short!(
    ResourceType,
    "ResourceTypeName",
    ResourceTypeInput,
    " A resource type in the short form of the command line."
);
short!(
    Operation,
    "OperationName",
    OperationInput,
    " An operation in the short form of the command line."
);

/// The string patterns for principals of some types.
fn principals(is_included: fn(PrincipalType) -> bool) -> String {
    let types = PrincipalType::ALL
        .iter()
        .copied()
        .filter(|kind| is_included(*kind));
    types
        .map(|kind| format!("`{}:${{string}}`", kind.prefix()))
        .collect::<Vec<_>>()
        .join(" | ")
}

/// A principal in a document.
#[derive(Debug, Clone, Copy)]
pub struct AclPrincipal;

declared!(
    [] AclPrincipal,
    "Principal",
    " A principal of an ACL: `User:`, `Group:` or `Role:` and a name, or in a policy of Kafka any other type; `User:*` is everyone.",
    "`${string}:${string}`".to_owned()
);

/// A principal that can be a member of a role.
#[derive(Debug, Clone, Copy)]
pub struct MemberPrincipal;

declared!(
    [] MemberPrincipal,
    "MemberPrincipal",
    " A principal that can be a member of a role.",
    principals(|kind| kind != PrincipalType::Role)
);

/// The type of a member that is `true` if it is present.
#[derive(Debug, Clone, Copy)]
pub struct Present;

impl TS for Present {
    type WithoutGenerics = Self;
    type OptionInnerType = Self;

    fn name(_: &Config) -> String {
        "true".to_owned()
    }

    fn inline(config: &Config) -> String {
        Self::name(config)
    }
}
