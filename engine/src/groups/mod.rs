//! Groups from a token's claims: by which rule, which groups, and why not the others (specification 2.2 and 2.3).
//!
//! Extraction cannot fail: a token without groups is a user without groups. What is in the way is a value in the
//! [`Extraction`], for every element and for the claim as a whole, so that a page can tell the story step by step.

mod collect;
mod rule;
mod suggest;
mod why;

use serde_json::Value;

#[doc(hidden)]
pub use collect::comma_parts;
pub use rule::{ClaimSource, ExtractionRule, NestedGroupBehavior, NestedGroupBehaviorError};
pub use suggest::{Suggestion, suggest_paths};

use crate::claim_path::FollowResult;
use crate::claims::ClaimSet;
use crate::warning::{Warning, WarningCode, warn};
use collect::Names;

/// How many elements a claim may have: more, and the whole claim is refused (`too_many_nodes`), never cut. Ten times
/// what we promise to read.
pub const MAX_ELEMENTS: usize = 100_000;
/// How many bytes the names in a claim may have together. The largest token that is read has 1 MiB; only a path that
/// selects the same names several times comes here.
pub const MAX_NAME_BYTES: usize = 4 << 20;

/// What extraction gave.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Extraction {
    /// The groups, each once, in the order of the token. None when the claim is missing or refused.
    pub groups: Vec<Group>,
    /// What was found at the claim path.
    pub claim: ClaimFinding,
    /// Every element of the claim, in order, and what became of it.
    pub elements: Vec<Element>,
    /// What a person should know, first what concerns the claim, then what concerns the names.
    pub warnings: Vec<Warning>,
}

/// A group, and where it comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Group {
    /// The name: what stands after `Group:` in an ACL.
    pub name: String,
    /// The name in the token, before `suffix`; of a comma-separated list, the part without the blanks round it.
    pub raw: String,
    /// Where in the token: `groups[1]`. Of a comma-separated list, the index is the part's.
    pub location: String,
    /// Further elements that gave the same name: the name in the token, and where.
    pub also: Vec<(String, String)>,
}

/// One element of the claim.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Element {
    /// Where in the token: `groups[1]`.
    pub location: String,
    /// The text; of what is not a text, its JSON (`{…}` and `[…]` for what has members or elements).
    pub raw: String,
    /// What became of it.
    pub outcome: ElementOutcome,
}

/// What became of an element.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ElementOutcome {
    /// It gave this group.
    Kept {
        /// The group's name.
        group: String,
    },
    /// It gave a group that an earlier element had given.
    Duplicate {
        /// The group's name.
        group: String,
    },
    /// It gave nothing.
    Dropped {
        /// Why.
        code: DropCode,
    },
}

code_table! {
    /// Why an element was dropped: the code of the warning about it, or that of a claim which another element made invalid.
    DropCode {
        EMPTY_NAME = WarningCode::EMPTY_NAME.as_str(),
        EMPTY_PART = WarningCode::EMPTY_PART.as_str(),
        SUFFIX_EMPTY = WarningCode::SUFFIX_EMPTY.as_str(),
        CLAIM_WRONG_TYPE = WarningCode::CLAIM_WRONG_TYPE.as_str(),
        ELEMENT_NOT_STRING = WarningCode::ELEMENT_NOT_STRING.as_str(),
        CLAIM_DISCARDED = "claim_discarded",
    }
}

/// What was found at the claim path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ClaimFinding {
    /// An array of strings.
    Array {
        /// Where.
        location: String,
        /// How many elements it has.
        len: usize,
    },
    /// A string, read as a comma-separated list (D-08).
    CommaList {
        /// Where.
        location: String,
        /// How many parts it has, empty ones included.
        parts: usize,
    },
    /// The nodes of a path that is not singular, put together (D-11).
    Union {
        /// How many nodes the path selected.
        nodes: usize,
    },
    /// Nothing.
    Missing {
        /// Why, as far as the token tells.
        reason: MissingReason,
    },
    /// Neither an array nor a string (D-12).
    WrongType {
        /// Where.
        location: String,
        /// What: `object`, `number`, `boolean` or `null`.
        found: &'static str,
    },
    /// An array with an element that is not a string: the whole claim is discarded (D-09).
    NotString {
        /// Where the first such element is.
        location: String,
        /// What: `object`, `array`, `number`, `boolean` or `null`.
        found: &'static str,
    },
    /// More than [`MAX_ELEMENTS`], [`MAX_NAME_BYTES`] or the claim path's own limits: the whole claim is discarded.
    TooMany,
    /// The rule reads the user-info document, and there is none (D-25).
    NoUserInfo,
}

/// Why there is no claim at the claim path (D-12).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MissingReason {
    /// The token just does not have it.
    Absent,
    /// The identity provider put an address in place of the list (specification, limitation 1). Nobody follows it.
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
        Self { groups: Vec::new(), claim, elements, warnings }
    }
}

/// Reads the groups from a token's claims, or from the user-info document where the rule says so.
///
/// Never fails (D-12); names of any length and any number of groups up to [`MAX_ELEMENTS`] come out whole.
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
pub fn extract(rule: &ExtractionRule, claims: &ClaimSet, userinfo: Option<&ClaimSet>) -> Extraction {
    let (path, document) = match (&rule.source, userinfo) {
        (ClaimSource::Token(path), _) => (path, claims),
        (ClaimSource::UserInfo(path), Some(userinfo)) => (path, userinfo),
        (ClaimSource::UserInfo(path), None) => {
            let message = format!("the groups are read at `{path}` of the user-info document, but none was given");
            let warning = Warning::new(WarningCode::CLAIM_MISSING, message, None);
            return Extraction::without_groups(ClaimFinding::NoUserInfo, Vec::new(), vec![warning]);
        }
    };
    let document = document.members();
    let mut warnings = Vec::new();
    if matches!(rule.source, ClaimSource::Token(_)) && !path.is_platform() {
        let message = format!(
            "version 26.1 of the platform would refuse `{path}` as `oidc_group_claim_path`: it reads only `$.` and dotted names"
        );
        warn(&mut warnings, WarningCode::PLATFORM_PATH, message, None);
    }
    let why = why::Why { source: &rule.source, document };
    why.id_token(false, &mut warnings);
    // Filters may look at the whole document, so a path that is not singular needs it as one value.
    let root;
    let mut names = Names::new(rule.nested);
    let claim = match path.follow(document) {
        Some(FollowResult::Found(node)) => names.read_singular(node.location, node.value),
        Some(FollowResult::Stopped { at, step, name }) => {
            let reason = why.stopped(at.as_ref(), &step, name.as_deref(), &mut warnings);
            return Extraction::without_groups(ClaimFinding::Missing { reason }, Vec::new(), warnings);
        }
        None => {
            root = Value::Object(document.clone());
            match path.select(&root) {
                Ok(nodes) if nodes.is_empty() => {
                    let reason = why.nothing_selected(&mut warnings);
                    return Extraction::without_groups(ClaimFinding::Missing { reason }, Vec::new(), warnings);
                }
                Ok(nodes) => names.read_union(nodes),
                Err(error) => {
                    let message = format!("{error}, so the claim is discarded; {}", error.hint());
                    warn(&mut warnings, WarningCode::TOO_MANY_NODES, message, None);
                    return Extraction::without_groups(ClaimFinding::TooMany, Vec::new(), warnings);
                }
            }
        }
    };
    match &claim {
        ClaimFinding::Array { .. } | ClaimFinding::CommaList { .. } | ClaimFinding::Union { .. } => {
            let (groups, elements) = names.finish(&mut warnings);
            Extraction { groups, claim, elements, warnings }
        }
        ClaimFinding::WrongType { location, found } => {
            why.wrong_type(location, found, &mut warnings);
            Extraction::without_groups(claim, names.discarded(DropCode::CLAIM_WRONG_TYPE), warnings)
        }
        ClaimFinding::NotString { location, found } => {
            why.not_string(location, found, &mut warnings);
            Extraction::without_groups(claim, names.discarded(DropCode::ELEMENT_NOT_STRING), warnings)
        }
        ClaimFinding::TooMany => {
            let message = format!(
                "the claim has more than {MAX_ELEMENTS} elements or {MAX_NAME_BYTES} bytes of names, so it is discarded"
            );
            warn(&mut warnings, WarningCode::TOO_MANY_NODES, message, None);
            Extraction::without_groups(claim, Vec::new(), warnings)
        }
        ClaimFinding::Missing { .. } | ClaimFinding::NoUserInfo => {
            Extraction::without_groups(claim, Vec::new(), warnings)
        }
    }
}

/// A name in backticks for a message, shortened when it is long.
fn quoted(name: &str) -> String {
    format!("`{}`", crate::claim_path::shortened(name, 80))
}

/// What JSON calls a value.
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

    fn words(path: &str, claims: &Value) -> Vec<String> {
        let source = ClaimSource::parse_sso(path).expect(path);
        let rule = ExtractionRule { source, nested: NestedGroupBehavior::Suffix };
        let claims = ClaimSet::of(claims.clone());
        let extraction = extract(&rule, &claims, Some(&claims));
        extraction.warnings.into_iter().map(|warning| format!("{}: {}", warning.code, warning.message)).collect()
    }

    #[test]
    fn warnings_say_what_is_there_and_what_to_do() {
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
            assert_eq!(words(path, &claims), expected, "{path} on {claims}");
        }
    }
}
