//! Extracts groups from a token's claims and explains the result (specification 2.2 and 2.3).
//!
//! Extraction never fails: a token without groups is a user without groups. The [`Extraction`]
//! contains problems as values, for each element and for the claim as a whole, so that they can be
//! displayed step by step.

mod collect;
mod rule;
mod suggest;
mod why;

use serde_json::Value;
use strum::{IntoStaticStr, VariantNames};

pub use collect::comma_parts;
pub use rule::{ClaimSource, ExtractionRule, NestedGroupBehavior, NestedGroupBehaviorError};
pub use suggest::{Suggestion, suggest_paths};
pub use why::described;

use crate::claim_path::FollowResult;
use crate::claims::ClaimSet;
use crate::warning::{Warning, WarningCode, warn};
use collect::Names;

/// The maximum number of elements of a claim: ten times the number of groups that a supported token
/// may have. A claim with more is discarded as a whole (`too_many_nodes`), never truncated.
pub const MAX_ELEMENTS: usize = 100_000;
/// The maximum total length of the names in a claim, in bytes. Tokens have at most 1 MiB, so only a
/// path that selects the same names several times can exceed it.
pub const MAX_NAME_BYTES: usize = 4 << 20;

/// The result of extraction.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Extraction {
    /// The groups without duplicates, in the order of the token. Empty if the claim is missing or
    /// discarded.
    pub groups: Vec<Group>,
    /// The claim at the claim path.
    pub claim: ClaimFinding,
    /// The elements of the claim with their outcomes, in order.
    pub elements: Vec<Element>,
    /// Warnings about the claim, then about the names.
    pub warnings: Vec<Warning>,
    /// Whether the user can have groups that are not in `groups`.
    pub readability: Readability,
}

/// Whether the groups of a token are known. A caller that denies groups must not treat unreadable
/// ones as none (D-12).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Readability {
    /// The claim is readable.
    Readable,
    /// The token does not have the claim.
    Missing,
    /// The claim has the wrong type or too many names, or the provider left it out because it is
    /// too long.
    Unreadable,
}

/// A group and its origin in the token.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Group {
    /// The name, as in ACLs after `Group:`.
    pub name: String,
    /// The name in the token, before `suffix` is applied. For a comma-separated list, the part
    /// without the blanks around it.
    pub raw: String,
    /// The location in the token, such as `groups[1]`. For a comma-separated list, the index is
    /// that of the part.
    pub location: String,
    /// Further elements with the same group: the name in the token, and the location.
    pub duplicates: Vec<(String, String)>,
}

/// One element of the claim.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Element {
    /// The location in the token, such as `groups[1]`.
    pub location: String,
    /// The string, or the JSON of another value (`{…}` for an object, `[…]` for an array).
    pub raw: String,
    /// The outcome.
    pub outcome: ElementOutcome,
}

/// The outcome of extraction for an element.
#[derive(Debug, Clone, PartialEq, Eq, IntoStaticStr, VariantNames)]
#[strum(serialize_all = "snake_case")]
pub enum ElementOutcome {
    /// The element is a group.
    Kept {
        /// The group's name.
        group: String,
    },
    /// The element is the same group as an earlier element.
    Duplicate {
        /// The group's name.
        group: String,
    },
    /// The element is not a group.
    Dropped {
        /// The reason.
        code: DropCode,
    },
}

/// Why an element was dropped: the code of its warning, or that another element made the claim
/// invalid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, IntoStaticStr, VariantNames)]
#[strum(serialize_all = "snake_case")]
pub enum DropCode {
    /// Another element made the claim invalid.
    ClaimDiscarded,
    /// As [`WarningCode::ClaimWrongType`].
    ClaimWrongType,
    /// As [`WarningCode::ElementNotString`].
    ElementNotString,
    /// As [`WarningCode::EmptyName`].
    EmptyName,
    /// As [`WarningCode::EmptyPart`].
    EmptyPart,
    /// As [`WarningCode::SuffixEmpty`].
    SuffixEmpty,
}

/// The claim at the claim path, or why there is none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ClaimFinding {
    /// An array of strings.
    Array {
        /// The location.
        location: String,
        /// The number of elements.
        len: usize,
    },
    /// A string, read as a comma-separated list (D-08).
    CommaList {
        /// The location.
        location: String,
        /// The number of parts, including empty ones.
        parts: usize,
    },
    /// The union of the nodes of a non-singular path (D-11).
    Union {
        /// The number of nodes that the path selected.
        nodes: usize,
    },
    /// The claim is missing.
    Missing {
        /// The probable reason.
        reason: MissingReason,
    },
    /// The claim is neither an array nor a string (D-12).
    WrongType {
        /// The location.
        location: String,
        /// The type: `object`, `number`, `boolean` or `null`.
        found: &'static str,
    },
    /// An array has an element that is not a string, so the whole claim is discarded (D-09).
    NotString {
        /// The location of the first such element.
        location: String,
        /// The type: `object`, `array`, `number`, `boolean` or `null`.
        found: &'static str,
    },
    /// The claim exceeds [`MAX_ELEMENTS`], [`MAX_NAME_BYTES`] or the limits of claim paths, so it
    /// is discarded.
    TooMany,
    /// The rule requires the user-info document, but none was given (D-25).
    NoUserInfo,
}

codes! {
    pub ClaimFinding {
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
}

/// Why the claim is missing (D-12).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MissingReason {
    /// The token does not have it, for no apparent reason.
    Absent,
    /// The token has a link instead of the list, which is not followed (specification, limitation
    /// 1).
    Overage,
    /// The token looks like an ID token; groups are read from the access token.
    IdToken,
}

impl Extraction {
    /// The names of the groups, in the order of the token.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.groups.iter().map(|group| group.name.as_str())
    }

    fn without_groups(claim: ClaimFinding, elements: Vec<Element>, warnings: Vec<Warning>) -> Self {
        Self {
            groups: Vec::new(),
            claim,
            elements,
            warnings,
            readability: Readability::Unreadable,
        }
    }

    fn missing(reason: MissingReason, warnings: Vec<Warning>, is_unreadable: bool) -> Self {
        let readability = if is_unreadable {
            Readability::Unreadable
        } else {
            Readability::Missing
        };
        Self {
            readability,
            ..Self::without_groups(ClaimFinding::Missing { reason }, Vec::new(), warnings)
        }
    }
}

/// Extracts the groups from a token's claims, or from the user-info document if the rule says so.
///
/// Never fails (D-12). Names and lists are never truncated.
///
/// ```
/// use gbac_engine::ClaimSet;
/// use gbac_engine::groups::{ExtractionRule, extract};
///
/// let claims = ClaimSet::parse(r#"{ "groups": "engineering, /a/b" }"#)?;
/// let extraction = extract(&ExtractionRule::default(), &claims, None);
/// assert_eq!(extraction.names().collect::<Vec<_>>(), ["engineering", "/a/b"]);
/// # Ok::<(), gbac_engine::ClaimSetError>(())
/// ```
#[must_use]
pub fn extract(
    rule: &ExtractionRule,
    claims: &ClaimSet,
    userinfo: Option<&ClaimSet>,
) -> Extraction {
    let (path, document) = match (&rule.source, userinfo) {
        (ClaimSource::Token(path), _) => (path, claims),
        (ClaimSource::UserInfo(path), Some(userinfo)) => (path, userinfo),
        (ClaimSource::UserInfo(path), None) => {
            let message = format!(
                "the groups are read at `{path}` of the user-info document, but none was given"
            );
            let warning = Warning::new(WarningCode::ClaimMissing, message, None);
            return Extraction::without_groups(ClaimFinding::NoUserInfo, Vec::new(), vec![warning]);
        }
    };
    let document = document.members();
    let mut warnings = Vec::new();
    if matches!(rule.source, ClaimSource::Token(_)) && !path.is_platform() {
        let message = format!(
            "brokers managed with `rpk` refuse `{path}` as `oidc_group_claim_path`: use only `$.` and dotted names"
        );
        warn(&mut warnings, WarningCode::PlatformPath, message, None);
    }
    let diagnosis = why::Diagnosis {
        source: &rule.source,
        document,
    };
    let is_unreadable = path.ends_at_wrong_type(document) || diagnosis.is_withheld();
    diagnosis.id_token(false, &mut warnings);
    // Filters may read the whole document, so a non-singular path needs it as one value.
    let root;
    let mut names = Names::new(rule.nested);
    let claim = match path.follow(document) {
        Some(FollowResult::Found(node)) => names.read_singular(node.location, node.value),
        Some(FollowResult::Stopped { at, step, name }) => {
            let reason = diagnosis.stopped(at.as_ref(), &step, name.as_deref(), &mut warnings);
            return Extraction::missing(reason, warnings, is_unreadable);
        }
        None => {
            root = Value::Object(document.clone());
            match path.select(&root) {
                Ok(nodes) if nodes.is_empty() => {
                    let reason = diagnosis.nothing_selected(&mut warnings);
                    return Extraction::missing(reason, warnings, is_unreadable);
                }
                Ok(nodes) => names.read_union(nodes),
                Err(error) => {
                    let message = format!("{error}, so the claim is discarded; {}", error.hint());
                    warn(&mut warnings, WarningCode::TooManyNodes, message, None);
                    return Extraction::without_groups(ClaimFinding::TooMany, Vec::new(), warnings);
                }
            }
        }
    };
    match &claim {
        ClaimFinding::Array { .. }
        | ClaimFinding::CommaList { .. }
        | ClaimFinding::Union { .. } => {
            let (groups, elements) = names.finish(&mut warnings);
            let readability = if is_unreadable {
                Readability::Unreadable
            } else {
                Readability::Readable
            };
            Extraction {
                groups,
                claim,
                elements,
                warnings,
                readability,
            }
        }
        ClaimFinding::WrongType { location, found } => {
            diagnosis.wrong_type(location, found, &mut warnings);
            Extraction::without_groups(claim, names.discarded(DropCode::ClaimWrongType), warnings)
        }
        ClaimFinding::NotString { location, found } => {
            diagnosis.not_string(location, found, &mut warnings);
            Extraction::without_groups(claim, names.discarded(DropCode::ElementNotString), warnings)
        }
        ClaimFinding::TooMany => {
            let message = format!(
                "the claim has more than {MAX_ELEMENTS} elements or {MAX_NAME_BYTES} bytes of names, so it is discarded"
            );
            warn(&mut warnings, WarningCode::TooManyNodes, message, None);
            Extraction::without_groups(claim, Vec::new(), warnings)
        }
        ClaimFinding::Missing { .. } | ClaimFinding::NoUserInfo => {
            Extraction::without_groups(claim, Vec::new(), warnings)
        }
    }
}

/// A name for messages: in backticks, and shortened if it is long.
fn quoted(name: &str) -> String {
    format!("`{}`", crate::claim_path::shortened(name, 80))
}

/// The JSON type of a value.
pub(crate) const fn type_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::Coded;

    fn warnings(path: &str, claims: &Value) -> Vec<String> {
        let source = ClaimSource::parse_sso(path).expect(path);
        let rule = ExtractionRule {
            source,
            nested: NestedGroupBehavior::Suffix,
        };
        let claims = ClaimSet::from_value(claims.clone());
        let extraction = extract(&rule, &claims, Some(&claims));
        extraction
            .warnings
            .into_iter()
            .map(|warning| format!("{}: {}", warning.code.code(), warning.message))
            .collect()
    }

    #[test]
    fn a_warning_about_names_elsewhere_points_at_them() {
        let location = |claims: Value| {
            let warnings = extract(
                &ExtractionRule::default(),
                &ClaimSet::from_value(claims),
                None,
            )
            .warnings;
            warnings
                .into_iter()
                .find(|warning| warning.code == WarningCode::NearClaim)
                .unwrap()
                .location
        };
        assert_eq!(
            location(json!({"realm": {"roles": ["x"]}})).as_deref(),
            Some("realm.roles")
        );
        // Many places have no location.
        assert_eq!(location(json!({"groups": [{"name": "a"}]})), None);
    }

    #[test]
    fn warnings_have_alternatives_and_advice() {
        for (path, claims, expected) in [
            (
                "$.groups",
                json!({"roles": "x, y", "z": ["q"]}),
                vec![
                    "claim_missing: the token has no claim at `$.groups`",
                    "near_claim: names are at `$.roles` (`x` and 1 more), `$.z` (`q`)",
                ],
            ),
            (
                "${context.userinfo.groups}",
                json!({"Groups": ["a"], "nonce": "n"}),
                vec![
                    "claim_missing: the user-info document has no claim at `$.groups`",
                    "near_claim: `$.Groups` is there: `Groups` and `groups` differ by letter case, and names are compared letter by letter",
                ],
            ),
            (
                "$.realm.roles",
                json!({"realm": "x"}),
                vec![
                    "claim_missing: the token has no claim at `$.realm.roles`: `realm` is a string, so it has no `roles`",
                ],
            ),
            (
                "$.roles",
                json!({"roles": {"admin": {"1": "x"}}}),
                vec![
                    "claim_wrong_type: `roles` is an object, not a list of names; a claim path selects values, never the names of members, so configure the identity provider to send an array of names",
                ],
            ),
            (
                "$.groups",
                json!({"groups": [{"name": "a"}]}),
                vec![
                    "element_not_string: `groups[0]` is an object, and a list with anything but strings is discarded",
                    "near_claim: names are at `$.groups[*].name` (`a`)",
                ],
            ),
            (
                "$.groups",
                json!({"groups": ["/a/x", "/b/x", "/c/x", "/c/x", "y "]}),
                vec![
                    "duplicate_group: `/c/x` is in the claim more than once",
                    "edge_whitespace: `y ` starts or ends with a space, which is part of the group's name",
                    "suffix_collision: `/a/x`, `/b/x`, `/c/x` all become `Group:x`, and each gets the access of the others",
                ],
            ),
        ] {
            assert_eq!(warnings(path, &claims), expected, "{path} on {claims}");
        }
    }
}
