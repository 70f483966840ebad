//! Stable codes: enumeration values that are strings in JSON.

use std::marker::PhantomData;

use gbac_analysis::doctor::StepStatus;
use gbac_analysis::requests::Api;
use gbac_analysis::{
    AccessEffect, CollisionReason, FindingCode, GroupEffect, NoOp, Relation, Severity,
};
use gbac_engine::decide::{
    CandidateStatus, HostFacet, NameFacet, NearMiss, OperationFacet, Outcome, PrincipalFacet,
    Reason, Source,
};
use gbac_engine::groups::{
    ClaimFinding, DropCode, ElementOutcome, MissingReason, NestedGroupBehavior,
};
use gbac_engine::model::{Operation, PatternType, Permission, ResourceType};
use gbac_engine::warning::WarningCode;
use serde::{Serialize, Serializer};

use super::tables::{FaultCode, ProblemCode};

/// A type whose values have stable codes.
pub trait InUnion {
    /// The stable code of the value.
    fn code(&self) -> &'static str;

    /// The type in TypeScript and in a JSON Schema: its name, its description, and all codes.
    #[cfg(any(feature = "schema", feature = "typescript"))]
    fn union() -> Union;
}

/// A union of codes.
#[cfg(any(feature = "schema", feature = "typescript"))]
#[derive(Debug, Clone)]
pub struct Union {
    /// The name of the type.
    pub name: &'static str,
    /// The description, by line.
    pub docs: &'static [&'static str],
    /// The codes, in the order of the table.
    pub names: Vec<&'static str>,
}

#[cfg(feature = "typescript")]
impl Union {
    pub(crate) fn inline(&self) -> String {
        self.names
            .iter()
            .map(|name| format!("'{name}'"))
            .collect::<Vec<_>>()
            .join(" | ")
    }
}

/// The stable code of a `T`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Code<T> {
    name: &'static str,
    of: PhantomData<T>,
}

impl<T: InUnion> Code<T> {
    /// The code as text.
    #[must_use]
    pub const fn as_str(&self) -> &'static str {
        self.name
    }
}

impl<T: InUnion> From<&T> for Code<T> {
    fn from(value: &T) -> Self {
        Self {
            name: value.code(),
            of: PhantomData,
        }
    }
}

impl<T: InUnion> From<T> for Code<T> {
    fn from(value: T) -> Self {
        (&value).into()
    }
}

impl<T> From<Code<T>> for String {
    fn from(code: Code<T>) -> Self {
        code.name.to_owned()
    }
}

impl<T> Serialize for Code<T> {
    /// Serializes the code as a unit variant: a string in JSON. In JavaScript, the string is
    /// created once, not for each result.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_unit_variant("Code", 0, self.name)
    }
}

impl Serialize for ProblemCode {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Code::from(self).serialize(serializer)
    }
}

/// Implements `InUnion` for types whose codes are in a table of the engine.
macro_rules! codes {
    ($($(#[doc = $doc:literal])+ $type:ident as $name:literal: $code:expr;)+) => {
        $(impl InUnion for $type {
            fn code(&self) -> &'static str {
                let code: fn(&$type) -> &'static str = $code;
                code(self)
            }

            #[cfg(any(feature = "schema", feature = "typescript"))]
            fn union() -> Union {
                Union { name: $name, docs: &[$($doc),+], names: <$type as gbac_engine::Coded>::codes() }
            }
        })+
    };
}

codes! {
    #[doc = " The code of a warning about a token or its groups."]
    WarningCode as "WarningCode": gbac_engine::Coded::code;
    #[doc = " Why an element of the groups claim was dropped."]
    DropCode as "DropCode": gbac_engine::Coded::code;
    #[doc = " The code of a rule or setting that probably does not do what was intended."]
    FindingCode as "FindingCode": gbac_engine::Coded::code;
    #[doc = " The code of a problem of a document."]
    ProblemCode as "ProblemCode": |code| code.as_str();
    #[doc = " The code of a failed call."]
    FaultCode as "FaultCode": |code| code.as_str();
    #[doc = " Why a change does nothing."]
    NoOp as "NoOpCode": NoOp::code;
}

/// Implements `InUnion` for types with a table `ALL` of their values.
macro_rules! tables {
    ($($(#[doc = $doc:literal])+ $type:ident as $name:literal: $code:expr;)+) => {
        $(impl InUnion for $type {
            fn code(&self) -> &'static str {
                let code: fn($type) -> &'static str = $code;
                code(*self)
            }

            #[cfg(any(feature = "schema", feature = "typescript"))]
            fn union() -> Union {
                let names = <$type>::ALL.iter().map(InUnion::code).collect();
                Union { name: $name, docs: &[$($doc),+], names }
            }
        })+
    };
}

/// Implements `InUnion` for types whose codes are listed here. A missing value does not compile.
macro_rules! names {
    ($($(#[doc = $doc:literal])+ $type:ident as $name:literal { $($value:pat => $code:literal,)+ })+) => {
        $(impl InUnion for $type {
            fn code(&self) -> &'static str {
                match self { $($value => $code,)+ }
            }

            #[cfg(any(feature = "schema", feature = "typescript"))]
            fn union() -> Union {
                Union { name: $name, docs: &[$($doc),+], names: vec![$($code),+] }
            }
        })+
    };
}

/// Implements `InUnion` for types with a method `code`, but without a table. A missing value does not
/// compile.
macro_rules! values {
    ($($(#[doc = $doc:literal])+ $type:ident as $name:literal { $($value:ident $(($inner:expr))?),+ $(,)? })+) => {
        $(impl InUnion for $type {
            fn code(&self) -> &'static str {
                Self::code(*self)
            }

            #[cfg(any(feature = "schema", feature = "typescript"))]
            fn union() -> Union {
                const fn is_listed(value: $type) {
                    match value { $($type::$value { .. } => (),)+ }
                }
                let values = [$($type::$value $(($inner))?),+];
                values.into_iter().for_each(is_listed);
                let names = values.into_iter().map($type::code).collect();
                Union { name: $name, docs: &[$($doc),+], names }
            }
        })+
    };
}

tables! {
    #[doc = " A resource type, as in the Data Plane API. `RESOURCE_TYPE_GROUP` is a consumer group."]
    ResourceType as "ResourceType": |value| value.spelling().data_plane;
    #[doc = " An operation, as in the Data Plane API."]
    Operation as "Operation": |value| value.spelling().data_plane;
    #[doc = " How the resource name of an ACL is compared. The literal `*` matches every name."]
    PatternType as "PatternType": |value| value.spelling().data_plane;
    #[doc = " Whether an ACL allows or denies."]
    Permission as "PermissionType": |value| value.spelling().data_plane;
    #[doc = " The outcome of a decision."]
    Outcome as "Outcome": Outcome::code;
    #[doc = " The reason for a decision."]
    Reason as "Reason": Reason::code;
    #[doc = " The source of an ACL: how its principal belongs to the identity."]
    Source as "Source": Source::code;
    #[doc = " The treatment of path-style names."]
    NestedGroupBehavior as "NestedGroupBehavior": NestedGroupBehavior::as_str;
    #[doc = " The APIs whose requests are known."]
    Api as "Api": Api::name;
    #[doc = " The severity of a finding."]
    Severity as "Severity": Severity::code;
    #[doc = " The effect of a change on the requests of a principal."]
    AccessEffect as "AccessEffect": AccessEffect::code;
    #[doc = " The effect of changed settings on a group, or on a name in a token."]
    GroupEffect as "GroupEffect": GroupEffect::code;
}

values! {
    #[doc = " The one field in which a near miss does not match."]
    NearMiss as "NearMiss" {
        Host, PrincipalLetterCase, PrincipalSlashes, MemberLetterCase, MemberSlashes, NameLetterCase,
        NameSlashes,
    }
    #[doc = " The effect of a candidate ACL on the decision."]
    CandidateStatus as "CandidateStatus" {
        Decides, Agrees, Overridden, NotReached, Near(NearMiss::Host), NoMatch,
    }
    #[doc = " How the permissions of two policies compare; `settings_differ` if tokens are read differently or others have access to the service."]
    Relation as "Relation" { Equal, Wider, Narrower, Mixed, SettingsDiffer }
    #[doc = " The status of a step of the troubleshooting procedure."]
    StepStatus as "StepStatus" { Passed, Attention, Failed, NotDone }
    #[doc = " Why several names become the same group."]
    CollisionReason as "CollisionReason" { Suffix, Comma }
}

names! {
    #[doc = " How the principal of an ACL compares with the identity."]
    PrincipalFacet as "PrincipalFacet" {
        Self::Matches => "matches",
        Self::Everyone => "everyone",
        Self::LetterCase(_) => "letter_case",
        Self::Slashes(_) => "leading_slash",
        Self::MemberLetterCase(_) => "member_letter_case",
        Self::MemberSlashes(_) => "member_leading_slash",
    }
    #[doc = " How the resource name of an ACL compares with the request."]
    NameFacet as "NameFacet" {
        Self::Literal => "literal",
        Self::Prefixed => "prefixed",
        Self::AllNames => "all_names",
        Self::LetterCase => "letter_case",
        Self::Slashes => "leading_slash",
        Self::No => "no",
    }
    #[doc = " How the operation of an ACL compares with the request."]
    OperationFacet as "OperationFacet" {
        Self::Exact => "exact",
        Self::Implied => "implied",
        Self::All => "all",
        Self::DenyImpliesNothing => "deny_implies_nothing",
        Self::No => "no",
    }
    #[doc = " How the host of an ACL compares with the request."]
    HostFacet as "HostFacet" {
        Self::Any => "any",
        Self::Exact => "exact",
        Self::InRange => "in_range",
        Self::Unknown => "unknown",
        Self::No => "no",
    }
    #[doc = " The groups claim, or why there is none."]
    ClaimFinding as "ClaimFinding" {
        Self::Array { .. } => "array",
        Self::CommaList { .. } => "comma_list",
        Self::Union { .. } => "union",
        Self::Missing { reason: MissingReason::Absent } => "missing",
        Self::Missing { reason: MissingReason::Overage } => "overage",
        Self::Missing { reason: MissingReason::IdToken } => "id_token",
        Self::WrongType { .. } => "wrong_type",
        Self::NotString { .. } => "not_string",
        Self::TooMany => "too_many",
        Self::NoUserInfo => "no_userinfo",
    }
    #[doc = " The outcome of extraction for an element of the groups claim."]
    ElementOutcome as "ElementOutcome" {
        Self::Kept { .. } => "kept",
        Self::Duplicate { .. } => "duplicate",
        Self::Dropped { .. } => "dropped",
    }
}
