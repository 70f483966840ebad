//! What came out of a token, as JSON.

use serde::Serialize;
#[cfg(feature = "typescript")]
use ts_rs::TS;

use super::code::Code;
use gbac_engine::ResolvedIdentity;
use gbac_engine::Timestamp;
use gbac_engine::groups::{ClaimFinding, DropCode, Element, ElementOutcome, Extraction, Group};
use gbac_engine::warning::{Warning, WarningCode};

/// A group and the claim element that it came from.
#[cfg_attr(feature = "typescript", derive(TS), ts(rename = "ExtractedGroup", optional_fields))]
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct GroupJson {
    /// The name, as ACLs and roles write it after `Group:`.
    pub name: String,
    /// The element, as the token writes it.
    pub raw: String,
    /// Where the element is, such as `groups[1]`.
    pub location: String,
}

/// A warning about a token or its groups; it never changes what is decided.
#[cfg_attr(feature = "typescript", derive(TS), ts(rename = "Warning", optional_fields))]
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct WarningJson {
    /// The stable code.
    pub code: Code<WarningCode>,
    /// What was found, for people.
    pub message: String,
    /// Where in the claims.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub location: Option<String>,
}

/// What came out of the claims.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ExtractionJson {
    /// The groups, in the token's order, each once.
    pub groups: Vec<GroupJson>,
    /// What was found where the groups should be: `array`, `comma_list`, `union`, `missing`, `overage`, `id_token`,
    /// `wrong_type`, `not_string`, `too_many` or `no_userinfo`.
    pub claim: Code<ClaimFinding>,
    /// Every element and what became of it.
    pub elements: Vec<ElementJson>,
    /// Warnings about the token and its groups.
    pub warnings: Vec<WarningJson>,
}

/// An element of the claim and what became of it.
#[cfg_attr(feature = "typescript", derive(TS), ts(rename = "ClaimElement", optional_fields))]
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ElementJson {
    /// Where it is.
    pub location: String,
    /// As the token writes it.
    pub raw: String,
    /// `kept`, `duplicate` or `dropped`.
    pub outcome: Code<ElementOutcome>,
    /// The group that it is, or is a duplicate of.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
    /// Why it was dropped.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<Code<DropCode>>,
}

/// An identity and how it came about.
#[cfg_attr(feature = "typescript", derive(TS), ts(rename = "ResolvedIdentity", optional_fields))]
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ResolvedIdentityJson {
    /// The bare user name.
    pub user: String,
    /// The groups and the elements that they came from; for names given by hand, the names.
    pub groups: Vec<GroupJson>,
    /// Seconds since 1970.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<f64>,
    /// Whether a signature was verified.
    pub verified: bool,
    /// What was found where the groups should be; absent for names.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub claim: Option<Code<ClaimFinding>>,
    /// Every element and what became of it; empty for names.
    pub elements: Vec<ElementJson>,
    /// Warnings about the token and its groups.
    pub warnings: Vec<WarningJson>,
}

impl From<&Group> for GroupJson {
    fn from(group: &Group) -> Self {
        Self { name: group.name.clone(), raw: group.raw.clone(), location: group.location.clone() }
    }
}

impl From<&Warning> for WarningJson {
    fn from(warning: &Warning) -> Self {
        Self { code: warning.code.into(), message: warning.message.clone(), location: warning.location.clone() }
    }
}

impl From<&Element> for ElementJson {
    fn from(element: &Element) -> Self {
        let (group, code) = match &element.outcome {
            ElementOutcome::Kept { group } | ElementOutcome::Duplicate { group } => (Some(group.clone()), None),
            ElementOutcome::Dropped { code } => (None, Some(code.into())),
        };
        let outcome = (&element.outcome).into();
        Self { location: element.location.clone(), raw: element.raw.clone(), outcome, group, code }
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
    fn from(opened: &ResolvedIdentity) -> Self {
        let identity = &opened.identity;
        let extraction = opened.extraction.as_ref().map(ExtractionJson::from);
        let by_hand = || {
            let name = |name: &String| GroupJson { name: name.clone(), raw: name.clone(), location: String::new() };
            identity.groups().iter().map(name).collect()
        };
        let claim = opened.extraction.as_ref().map(|extraction| Code::from(&extraction.claim));
        let warnings = opened.warnings().map(WarningJson::from).collect();
        let (groups, elements) =
            extraction.map_or_else(|| (by_hand(), Vec::new()), |extraction| (extraction.groups, extraction.elements));
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
