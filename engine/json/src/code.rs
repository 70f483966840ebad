//! Stable codes: values that are strings in JSON.

use std::marker::PhantomData;

use gbac_engine::Coded;
use serde::{Serialize, Serializer};

/// The stable code of a `T`, or of an error whose code a `T` can be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Code<T> {
    name: &'static str,
    of: PhantomData<T>,
}

impl<T: Coded> Code<T> {
    /// The code as text.
    #[must_use]
    pub const fn as_str(&self) -> &'static str {
        self.name
    }

    pub(crate) fn of_error(error: &impl Coded) -> Self {
        Self {
            name: error.code(),
            of: PhantomData,
        }
    }
}

impl<T: Coded> From<&T> for Code<T> {
    fn from(value: &T) -> Self {
        Self {
            name: value.code(),
            of: PhantomData,
        }
    }
}

impl<T: Coded> From<T> for Code<T> {
    fn from(value: T) -> Self {
        (&value).into()
    }
}

impl<T> From<Code<T>> for String {
    fn from(code: Code<T>) -> Self {
        code.name.to_owned()
    }
}

impl<T: Coded> PartialEq<T> for Code<T> {
    fn eq(&self, value: &T) -> bool {
        self.name == value.code()
    }
}

impl<T> Serialize for Code<T> {
    /// Serializes the code as a unit variant: a string in JSON. In JavaScript, the string is
    /// created once, not for each result.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_unit_variant("Code", 0, self.name)
    }
}

/// The union of the codes of a `T` in TypeScript and in a JSON Schema: its name and description.
#[cfg(any(feature = "schema", feature = "typescript"))]
#[expect(
    clippy::expect_used,
    reason = "the writers of declarations and schemas call it, with types of this crate"
)]
pub(crate) fn union<T>() -> (&'static str, &'static str) {
    let path = std::any::type_name::<T>();
    let name = match path.rsplit("::").next() {
        Some("NoOp") => "NoOpCode",
        Some("Permission") => "PermissionType",
        name => name.unwrap_or_default(),
    };
    let described = UNIONS.iter().find(|(union, _)| *union == name);
    *described.expect("every union is described")
}

/// The unions of codes, with their descriptions.
#[cfg(any(feature = "schema", feature = "typescript"))]
const UNIONS: &[(&str, &str)] = &[
    (
        "AccessEffect",
        "The effect of a change on the requests of a principal.",
    ),
    ("Api", "The APIs whose requests are known."),
    (
        "Assumption",
        "What a decision takes for granted about a token, because it was not checked.",
    ),
    (
        "Breadth",
        "How many names access covers; `cluster` is also that of the Schema Registry.",
    ),
    (
        "CandidateStatus",
        "The effect of a candidate ACL on the decision.",
    ),
    ("ClaimFinding", "The groups claim, or why there is none."),
    (
        "CollisionReason",
        "Why several names become the same group.",
    ),
    (
        "DropCode",
        "Why an element of the groups claim was dropped.",
    ),
    (
        "ElementOutcome",
        "The outcome of extraction for an element of the groups claim.",
    ),
    ("FaultCode", "The code of a failed call."),
    (
        "FindingCode",
        "The code of a rule or setting that probably does not do what was intended.",
    ),
    (
        "GroupEffect",
        "The effect of changed settings on a group, or on a name in a token.",
    ),
    (
        "HostMatch",
        "How the host of an ACL compares with the request.",
    ),
    (
        "NameMatch",
        "How the resource name of an ACL compares with the request.",
    ),
    (
        "NearMiss",
        "The one field in which a near miss does not match.",
    ),
    ("NestedGroupBehavior", "The treatment of path-style names."),
    ("NoOpCode", "Why a change does nothing."),
    ("Operation", "An operation, as in the Data Plane API."),
    (
        "OperationMatch",
        "How the operation of an ACL compares with the request.",
    ),
    ("Outcome", "The outcome of a decision."),
    (
        "PatternType",
        "How the resource name of an ACL is compared. The literal `*` matches every name.",
    ),
    ("PermissionType", "Whether an ACL allows or denies."),
    (
        "PrincipalMatch",
        "How the principal of an ACL compares with the identity.",
    ),
    ("ProblemCode", "The code of a problem of a document."),
    ("Reason", "The reason for a decision."),
    (
        "Relation",
        "How the permissions of two policies compare; `settings_differ` if tokens are read differently or others have access to the service.",
    ),
    (
        "ResourceType",
        "A resource type, as in the Data Plane API. `RESOURCE_TYPE_GROUP` is a consumer group.",
    ),
    ("Severity", "The severity of a finding."),
    (
        "Source",
        "The source of an ACL: how its principal belongs to the identity.",
    ),
    (
        "StepStatus",
        "The status of a step of the troubleshooting procedure.",
    ),
    (
        "WarningCode",
        "The code of a warning about a token or its groups.",
    ),
];
