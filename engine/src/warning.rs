//! Warnings about tokens, groups and names.

use strum::{IntoStaticStr, VariantNames};

/// The stable code of a warning.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, IntoStaticStr, VariantNames)]
#[strum(serialize_all = "snake_case")]
#[expect(missing_docs, reason = "docs/policy-document.md describes each code")]
pub enum WarningCode {
    BlanksRemoved,
    ClaimMissing,
    ClaimWrongType,
    DuplicateGroup,
    EdgeWhitespace,
    ElementNotString,
    EmptyName,
    EmptyPart,
    EncodedList,
    ExpiryUnreadable,
    GroupOverage,
    GroupPrefix,
    HiddenCharacter,
    IdToken,
    InvisibleRemoved,
    KidMissing,
    ListInName,
    NameSplit,
    NearClaim,
    PlatformAlg,
    PlatformEmptyPart,
    PlatformMapping,
    PlatformPath,
    PlatformTyp,
    SuffixCollision,
    SuffixEmpty,
    SurroundingTextRemoved,
    TokenResponse,
    TooManyNodes,
    TypRefused,
}

impl WarningCode {
    /// Whether the claim is there, but not in a form that gives the names that were meant.
    #[must_use]
    pub const fn is_of_form(self) -> bool {
        use WarningCode::{EncodedList, GroupPrefix, HiddenCharacter, ListInName, NameSplit};
        matches!(
            self,
            EncodedList | GroupPrefix | HiddenCharacter | ListInName | NameSplit
        )
    }

    /// Whether it is about what the platform does otherwise (D-29).
    #[must_use]
    pub const fn is_of_platform(self) -> bool {
        use WarningCode::{
            PlatformAlg, PlatformEmptyPart, PlatformMapping, PlatformPath, PlatformTyp,
        };
        matches!(
            self,
            PlatformAlg | PlatformEmptyPart | PlatformMapping | PlatformPath | PlatformTyp
        )
    }
}

/// A warning. Warnings never change what is decoded, extracted or decided.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Warning {
    /// The stable code.
    pub code: WarningCode,
    /// A sentence in lower case without a final period. Values from the token are in backticks.
    pub message: String,
    /// The location of the element or claim; the first one if the warning is about several.
    pub location: Option<String>,
}

impl Warning {
    pub(crate) fn new(
        code: WarningCode,
        message: impl Into<String>,
        location: Option<String>,
    ) -> Self {
        Self {
            code,
            message: message.into(),
            location,
        }
    }
}

/// Adds a warning.
pub(crate) fn warn(
    warnings: &mut Vec<Warning>,
    code: WarningCode,
    message: String,
    location: Option<String>,
) {
    warnings.push(Warning::new(code, message, location));
}
