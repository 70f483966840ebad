//! Writes resolved identities and extractions of groups.

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;
#[cfg(feature = "typescript")]
use ts_rs::TS;

use super::code::Code;
use gbac_engine::ResolvedIdentity;
use gbac_engine::Timestamp;
use gbac_engine::groups::{ClaimFinding, DropCode, Element, ElementOutcome, Extraction, Group};
use gbac_engine::warning::{Warning, WarningCode};

/// A group and the claim element that it came from.
#[cfg_attr(
    feature = "typescript",
    derive(TS),
    ts(rename = "ExtractedGroup", optional_fields)
)]
#[cfg_attr(
    feature = "schema",
    derive(JsonSchema),
    schemars(rename = "ExtractedGroup")
)]
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct GroupJson {
    /// The name, as in ACLs and roles after `Group:`.
    pub name: String,
    /// The element, as in the token.
    pub raw: String,
    /// The location of the element, such as `groups[1]`.
    pub location: String,
}

/// A warning about a token or its groups. Warnings never change decisions.
#[cfg_attr(
    feature = "typescript",
    derive(TS),
    ts(rename = "Warning", optional_fields)
)]
#[cfg_attr(feature = "schema", derive(JsonSchema), schemars(rename = "Warning"))]
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct WarningJson {
    /// The stable code.
    pub code: Code<WarningCode>,
    /// The message.
    pub message: String,
    /// The location in the claims.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub location: Option<String>,
}

/// The groups that were extracted from claims.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ExtractionJson {
    /// The groups in the order of the token, without duplicates.
    pub groups: Vec<GroupJson>,
    /// The groups claim, or why there is none: `array`, `comma_list`, `union`, `missing`,
    /// `overage`, `id_token`, `wrong_type`, `not_string`, `too_many` or `no_userinfo`.
    pub claim: Code<ClaimFinding>,
    /// The elements of the claim with their outcomes.
    pub elements: Vec<ElementJson>,
    /// Warnings about the token and its groups.
    pub warnings: Vec<WarningJson>,
}

/// An element of the groups claim and its outcome.
#[cfg_attr(
    feature = "typescript",
    derive(TS),
    ts(rename = "ClaimElement", optional_fields)
)]
#[cfg_attr(
    feature = "schema",
    derive(JsonSchema),
    schemars(rename = "ClaimElement")
)]
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ElementJson {
    /// The location.
    pub location: String,
    /// The element, as in the token.
    pub raw: String,
    /// The outcome: `kept`, `duplicate` or `dropped`.
    pub outcome: Code<ElementOutcome>,
    /// The group of a kept or duplicate element.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
    /// The reason for a dropped element.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<Code<DropCode>>,
}

/// An identity with details about its origin.
#[cfg_attr(
    feature = "typescript",
    derive(TS),
    ts(rename = "ResolvedIdentity", optional_fields)
)]
#[cfg_attr(
    feature = "schema",
    derive(JsonSchema),
    schemars(rename = "ResolvedIdentity")
)]
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ResolvedIdentityJson {
    /// The bare user name.
    pub user: String,
    /// The groups with the elements that they came from. For a subject with names, the elements are
    /// the names.
    pub groups: Vec<GroupJson>,
    /// The expiry, in seconds since 1970.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<f64>,
    /// Whether the identity came from a verified token.
    pub verified: bool,
    /// The groups claim, or why there is none; absent for a subject with names.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub claim: Option<Code<ClaimFinding>>,
    /// The elements of the claim with their outcomes; empty for a subject with names.
    pub elements: Vec<ElementJson>,
    /// Warnings about the token and its groups.
    pub warnings: Vec<WarningJson>,
}

impl From<&Group> for GroupJson {
    fn from(group: &Group) -> Self {
        Self {
            name: group.name.clone(),
            raw: group.raw.clone(),
            location: group.location.clone(),
        }
    }
}

impl From<&Warning> for WarningJson {
    fn from(warning: &Warning) -> Self {
        Self {
            code: warning.code.into(),
            message: warning.message.clone(),
            location: warning.location.clone(),
        }
    }
}

impl From<&Element> for ElementJson {
    fn from(element: &Element) -> Self {
        let (group, code) = match &element.outcome {
            ElementOutcome::Kept { group } | ElementOutcome::Duplicate { group } => {
                (Some(group.clone()), None)
            }
            ElementOutcome::Dropped { code } => (None, Some(code.into())),
        };
        let outcome = (&element.outcome).into();
        Self {
            location: element.location.clone(),
            raw: element.raw.clone(),
            outcome,
            group,
            code,
        }
    }
}

impl From<&Extraction> for ExtractionJson {
    fn from(extraction: &Extraction) -> Self {
        Self {
            groups: extraction.groups.iter().map(GroupJson::from).collect(),
            claim: (&extraction.claim).into(),
            elements: extraction.elements.iter().map(ElementJson::from).collect(),
            warnings: extraction.warnings.iter().map(WarningJson::from).collect(),
        }
    }
}

impl From<&ResolvedIdentity> for ResolvedIdentityJson {
    fn from(resolved: &ResolvedIdentity) -> Self {
        let identity = &resolved.identity;
        let extraction = resolved.extraction.as_ref().map(ExtractionJson::from);
        let from_names = || {
            let name = |name: &String| GroupJson {
                name: name.clone(),
                raw: name.clone(),
                location: String::new(),
            };
            identity.groups().iter().map(name).collect()
        };
        let claim = resolved
            .extraction
            .as_ref()
            .map(|extraction| Code::from(&extraction.claim));
        let warnings = resolved.warnings().map(WarningJson::from).collect();
        let (groups, elements) = extraction.map_or_else(
            || (from_names(), Vec::new()),
            |extraction| (extraction.groups, extraction.elements),
        );
        Self {
            user: identity.user().into(),
            groups,
            expires_at: identity.expires_at().map(Timestamp::as_seconds),
            verified: identity.is_verified(),
            claim,
            elements,
            warnings,
        }
    }
}
