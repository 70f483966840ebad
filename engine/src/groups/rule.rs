//! The rule for extracting groups: the two cluster properties, or the mapping of an SSO connection.

use std::fmt;
use std::str::FromStr;

use strum::{IntoStaticStr, VariantArray, VariantNames};

use crate::Coded;
use crate::claim_path::{ClaimPath, ClaimPathError};
use crate::escape::escaped;
use crate::text::split_last;

/// How groups are extracted: `oidc_group_claim_path` and `nested_group_behavior` of the
/// self-managed deployment, or `federated_groups` of the managed cloud (specification 2.2, 2.3,
/// D-25).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExtractionRule {
    /// The location of the groups.
    pub source: ClaimSource,
    /// The treatment of path-style names.
    pub nested: NestedGroupBehavior,
}

impl Default for ExtractionRule {
    /// `$.groups` of the token, with unchanged names.
    fn default() -> Self {
        Self {
            source: ClaimSource::Token(ClaimPath::default()),
            nested: NestedGroupBehavior::None,
        }
    }
}

/// The document with the groups, and the claim path in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ClaimSource {
    /// The token's claims.
    Token(ClaimPath),
    /// The user-info document of the identity provider (managed cloud only, specification 2.3).
    UserInfo(ClaimPath),
}

const USER_INFO: &str = "${context.userinfo";

impl ClaimSource {
    /// Parses the value of the attribute `federated_groups` (D-25): a claim path in the token such
    /// as `$.groups`, or `${context.userinfo.<path>}` for a path in the user-info document, which
    /// may also begin with a bracket.
    ///
    /// # Errors
    /// As [`ClaimPath::parse`], with offsets in the whole text; also `${...}` with another prefix,
    /// or without `}`.
    pub fn parse_sso(text: &str) -> Result<Self, ClaimPathError> {
        if !text.starts_with("${") {
            return ClaimPath::parse(text).map(Self::Token);
        }
        let Some(rest) = text
            .strip_prefix(USER_INFO)
            .filter(|rest| rest.starts_with(['.', '[', '}']))
        else {
            return Err(ClaimPathError::sso_unknown(text));
        };
        let Some(steps) = rest.strip_suffix('}') else {
            return Err(ClaimPathError::sso_unclosed(text));
        };
        ClaimPath::parse(&format!("${steps}"))
            .map(Self::UserInfo)
            .map_err(|error| {
                // Offsets move by the length of the prefix, less the `$` that was added.
                error.moved(USER_INFO.len() - 1, USER_INFO.len() + steps.len())
            })
    }

    /// The claim path.
    #[must_use]
    pub const fn path(&self) -> &ClaimPath {
        match self {
            Self::Token(path) | Self::UserInfo(path) => path,
        }
    }
}

impl fmt::Display for ClaimSource {
    /// Writes the form that [`ClaimSource::parse_sso`] parses.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Token(path) => path.fmt(f),
            Self::UserInfo(path) => {
                write!(
                    f,
                    "{USER_INFO}{}}}",
                    path.as_str().strip_prefix('$').unwrap_or_default()
                )
            }
        }
    }
}

/// `nested_group_behavior` (specification 2.2).
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Default,
    IntoStaticStr,
    VariantArray,
    VariantNames,
)]
#[strum(serialize_all = "snake_case")]
pub enum NestedGroupBehavior {
    /// Names are unchanged.
    #[default]
    None,
    /// Path-style names are shortened to the part after the last `/` (D-10).
    Suffix,
}

impl NestedGroupBehavior {
    /// Every value.
    pub const ALL: &'static [Self] = <Self as VariantArray>::VARIANTS;

    /// The group name for a name in the token. Applying it twice has the same effect as once.
    ///
    /// ```
    /// use gbac_engine::groups::NestedGroupBehavior;
    /// assert_eq!(NestedGroupBehavior::Suffix.apply("/company/eng"), "eng");
    /// assert_eq!(NestedGroupBehavior::None.apply("/company/eng"), "/company/eng");
    /// ```
    #[must_use]
    pub fn apply(self, raw: &str) -> &str {
        match self {
            Self::None => raw,
            Self::Suffix => split_last(raw, b'/').map_or(raw, |(_, name)| name),
        }
    }
}

impl fmt::Display for NestedGroupBehavior {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.code())
    }
}

/// A text that is neither `none` nor `suffix`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NestedGroupBehaviorError(String);

codes! {
    pub NestedGroupBehaviorError {
        _ => "nested_group_behavior_invalid",
    }
}

impl NestedGroupBehaviorError {
    /// What to do about it.
    #[must_use]
    pub const fn hint(&self) -> &'static str {
        "must be one of `none`, `suffix`, in lower case"
    }
}

impl fmt::Display for NestedGroupBehaviorError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` is neither `none` nor `suffix`", escaped(&self.0))
    }
}

impl std::error::Error for NestedGroupBehaviorError {}

impl FromStr for NestedGroupBehavior {
    type Err = NestedGroupBehaviorError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::from_code(text).ok_or_else(|| NestedGroupBehaviorError(text.to_owned()))
    }
}
